//! Goal: the model reads the lines as they are, and how to go on.

use tollgate_sdk::Subject;

use super::*;
use crate::testing::{World, check_schema, drawn, pdf, text_of};

#[track_caller]
fn check(bytes: &[u8], offset: u64, limit: Option<u64>, expected: &str) -> Value {
    let world = World::new().with("f", bytes);
    let view = world.text("f", offset, limit).unwrap();
    let place = world.place("f").unwrap();
    let source = Source::File(&place);
    assert_eq!(text(source, &view).replace(&world.root().display().to_string(), "/w"), expected);
    metadata(source, &view)
}

/// B010: tabs are tabs, and nothing stands before a line.
#[test]
fn lines_are_shown_as_they_are() {
    let makefile = "all:\n\techo hi\n        echo spaces\n";
    let metadata = check(makefile.as_bytes(), 1, None, makefile);
    assert_eq!(metadata["line_ending"], "lf");
    check(b"", 1, None, "[the file is empty]");
}

/// B028: exact text and metadata.
#[test]
fn the_end_of_a_file_invites_no_further_read() {
    for (bytes, offset, limit, expected) in
        [(&b"a\nb\nc"[..], 3, Some(1), "c"), (b"a\nb\nc\n", 1, Some(3), "a\nb\nc\n")]
    {
        let metadata = check(bytes, offset, limit, expected);
        assert_eq!((&metadata["total_lines"], &metadata["truncated"]), (&json!(3), &json!(false)));
    }
}

/// [FILE-01]: each kind of cut names its reason and the next offset.
#[test]
fn a_cut_says_how_to_go_on() {
    let next = "a\n[lines 1-1 of 3: `limit` reached; go on with offset=2]";
    assert_eq!(check(b"a\nb\nc\n", 1, Some(1), next)["truncated"], true);
    let lines = "x\n".repeat(2_500);
    let told = format!(
        "{}[lines 1-2000 of 2500: 2000 lines are the most that one read shows; go on with offset=2001]",
        "x\n".repeat(2_000)
    );
    check(lines.as_bytes(), 1, None, &told);
    let wide = format!("{}\n", "x".repeat(1_023));
    let told = format!(
        "{}[lines 1-50 of 60: 51200 bytes are the most that one read shows; go on with offset=51]",
        wide.repeat(50)
    );
    check(wide.repeat(60).as_bytes(), 1, None, &told);
}

/// B029: what is said about a line that is too long can be done.
#[test]
fn a_line_that_is_too_long_says_how_to_see_more() {
    let told = format!(
        "{}\n[line 1 of 2 has 1048576 bytes, too long to show whole: its start, 51200 bytes, is shown. \
         The rest with bash: tail -c +51201 '/w/f' | head -c 51200; the next line with offset=2]",
        "x".repeat(51_200)
    );
    check(format!("{}\nsecond\n", "x".repeat(1 << 20)).as_bytes(), 1, None, &told);
}

#[test]
fn another_encoding_is_said() {
    let told = "caf\u{e9}\n[not UTF-8; decoded as windows-1252 (detected, may be wrong)]";
    assert_eq!(check(b"caf\xE9\n", 1, None, told)["encoding"], "windows-1252");
}

/// A call reads what its grant names, and the session then knows what it saw.
#[test]
fn a_call_is_bound_by_its_grant() {
    let world = World::new().with("f", "a\n").with("d/g", "b\n");
    let whole = Wanted { offset: 1, limit: None };
    let call = |path, scope: &Scope| {
        read_file(path, whole, &world.context(Vec::new()), scope, &|| false)
            .map(|reply| format!("{reply:?}"))
            .map_err(|failed| failed.class.word())
    };
    let reply = call("f", &world.scope()).unwrap();
    assert!(reply.contains("Observation") && reply.contains(r#"Text("a\n")"#), "{reply}");
    let narrow = Scope { read_roots: vec![world.path("d")], ..Scope::default() };
    assert_eq!(call("f", &narrow).unwrap_err(), "outside_roots");
    assert!(call("d/g", &narrow).is_ok());
    assert!(call("f", &Scope::default()).is_ok());
}

/// [FILE-05]: an artifact is no path that a rule could match, and what is no artifact is told.
#[tokio::test]
async fn an_artifact_is_prepared_without_a_subject() {
    let context = World::new().context(Vec::new());
    let input = |path: String| ReadInput { path, offset: None, limit: None };
    let path = format!("artifact:{}", "0123456789abcdef".repeat(4));
    let prepared = Read.prepare(&input(path.clone()), &context).await.unwrap();
    assert_eq!((prepared.subjects.len(), prepared.safety), (0, Safety::READ));
    assert_eq!(prepared.title, format!("Read {path}"));
    for path in ["artifact:", "artifact:0123", &path.to_uppercase().replace("ARTIFACT", "artifact")]
    {
        let invalid = Read.prepare(&input(path.to_owned()), &context).await.unwrap_err();
        assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), ("/path", "invalid_path"));
        assert!(invalid.message.contains("64 hex digits"), "{}", invalid.message);
    }
}

/// A file may be called as an artifact is, and is then named by a path.
#[tokio::test]
async fn a_file_is_prepared_with_its_path() {
    let world = World::new().with("artifact:x", "a\n");
    let input = |path: &str| ReadInput { path: path.to_owned(), offset: None, limit: None };
    let context = world.context(Vec::new());
    let prepared = Read.prepare(&input("./artifact:x"), &context).await.unwrap();
    assert!(matches!(&prepared.subjects[..], [Subject::Path { access: PathAccess::Read, .. }]));
    let invalid = Read.prepare(&input("../f"), &context).await.unwrap_err();
    assert_eq!((invalid.pointer.as_str(), invalid.class.as_str()), ("/path", "outside_roots"));
}

#[test]
fn the_schema_is_closed_and_described() {
    check_schema(&Read, &["limit", "offset", "path"]);
}

/// [FILE-03]: both sizes are told, and how places in the one lead to places in the other.
#[test]
fn an_image_says_its_sizes() {
    let world =
        World::new().with("small.png", drawn(20, 10)).with("large.png", drawn(3_136, 1_000));
    let told = |path: &str| {
        let place = world.place(path).unwrap();
        let View::Image(picture) = world.view(path, Wanted { offset: 1, limit: None }).unwrap()
        else {
            panic!("text");
        };
        image_text(Source::File(&place), &picture)
    };
    let small = told("small.png");
    assert!(small.starts_with("small.png: image/png, 20×10 pixels, "), "{small}");
    assert!(small.ends_with(" bytes, not scaled"), "{small}");
    let large = told("large.png");
    assert!(large.contains("3136×1000 pixels") && large.contains("1568×500 pixels"), "{large}");
    assert!(
        large.ends_with("Places in the image shown, times 2.00, are places in the file's"),
        "{large}"
    );
}

#[test]
fn a_document_says_what_its_text_is() {
    let world = World::new()
        .with("f.pdf", pdf(&["a", ""]))
        .with("n.ipynb", r#"{"cells": [], "metadata": {"kernelspec": {"language": "julia"}}}"#);
    let told = |path: &str| {
        let view = world.text(path, 1, None).unwrap();
        let place = world.place(path).unwrap();
        let source = Source::File(&place);
        (text(source, &view), metadata(source, &view))
    };
    let (text, facts) = told("f.pdf");
    let notices = "[the text of a PDF document of 2 pages; its layout is lost]\n\
                   [1 page without text: pictures, or blank]";
    assert!(text.ends_with(notices), "{text}");
    assert_eq!(
        (&facts["pages"], &facts["last_page"], &facts["total_lines"]),
        (&json!(2), &json!(2), &json!(4))
    );
    let (text, facts) = told("n.ipynb");
    assert!(text.contains("0 cells (julia)") && text.contains("notebook_edit"), "{text}");
    assert_eq!((&facts["cells"], &facts["document"]), (&json!(0), &json!("notebook")));
}

/// [FILE-04]: the second answer is a sentence, and the session still knows what the file holds.
#[test]
fn an_unchanged_window_is_not_sent_again() {
    let world = World::new().with("f", "some words\n".repeat(200));
    let read = |step: u32, caller: Caller| {
        let session = world.root().display().to_string();
        let context = Context { step, caller, session, ..world.context(Vec::new()) };
        let whole = Wanted { offset: 1, limit: None };
        read_file("f", whole, &context, &world.scope(), &|| false).unwrap()
    };
    assert!(text_of(&read(1, Caller::Model)).starts_with("some words\n"));
    let again = read(2, Caller::Model);
    let expected = "[unchanged since you read the same lines of f in step 1 of this turn: what was shown then is \
                    what the file holds now. To see it again, read it once more]";
    assert_eq!(text_of(&again), expected);
    assert!(format!("{again:?}").contains("Observation"));
    assert!(text_of(&read(3, Caller::Program)).starts_with("some words\n"));
    assert!(text_of(&read(3, Caller::Model)).starts_with("some words\n"));
    world.put("f", "other words\n".repeat(200));
    assert!(text_of(&read(4, Caller::Model)).starts_with("other words\n"));
}
