//! Goal: the model reads the lines as they are, and how to go on.

use super::*;
use crate::testing::World;

#[track_caller]
fn check(bytes: &[u8], offset: u64, limit: Option<u64>, expected: &str) -> Value {
    let world = World::new().with("f", bytes);
    let view = world.text("f", offset, limit).unwrap();
    let place = world.place("f").unwrap();
    assert_eq!(text(&place, &view).replace(&world.root().display().to_string(), "/w"), expected);
    metadata(&place, &view)
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
    let input = |path: &str| ReadInput { path: path.to_owned(), offset: None, limit: None };
    let call = |path, scope: &Scope| {
        run(&input(path), &world.context(Vec::new()), scope, &|| false)
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

/// [TOOL-02]: the schema is closed and every property is described.
#[test]
fn the_schema_is_closed() {
    let schema = tollgate_sdk::schemars::schema_for!(ReadInput).to_value();
    assert_eq!(schema["additionalProperties"], false);
    for name in ["path", "offset", "limit"] {
        assert!(schema["properties"][name]["description"].is_string(), "{name}");
    }
}
