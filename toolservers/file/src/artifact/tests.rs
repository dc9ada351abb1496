//! Goal: an artifact is seen as a file with its bytes would be, at the cost of its window. [FILE-05]

use std::cell::Cell;

use tollgate_sdk::HostError;

use super::*;
use crate::{
    notices::{Source, notices},
    testing::{World, drawn, pdf},
    text::Form,
};

const PATH: &str = "artifact:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const MIB: u64 = 1024 * 1024;

fn id() -> ArtifactId {
    ArtifactId::of_path(PATH).unwrap().unwrap()
}

/// Looks at an artifact of these bytes.
async fn see(bytes: &[u8], offset: u64, limit: Option<u64>) -> Result<View, Failed> {
    let piece = |start: u64, count: usize| async move {
        assert!(count <= BLOCK_BYTES);
        let start = usize::try_from(start).unwrap();
        Ok(bytes.iter().skip(start).take(count).copied().collect())
    };
    Artifact { id: &id(), piece, cancelled: CancellationToken::new() }
        .view(Wanted { offset, limit })
        .await
}

/// What is seen of an artifact is what is seen of a file, and the same is refused.
#[track_caller]
fn check(bytes: impl AsRef<[u8]>, offset: u64, limit: Option<u64>) {
    let bytes = bytes.as_ref();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let artifact = runtime.block_on(see(bytes, offset, limit));
    let file = World::new().with("f", bytes).view("f", Wanted { offset, limit });
    let alike = |view: Result<View, Failed>| match view {
        Ok(View::Text(text)) => format!("{:?}", TextView { sha256: None, ..text }),
        Ok(image @ View::Image(_)) => format!("{image:?}"),
        Err(failed) => format!("{:?} {}", failed.class, failed.message.replace(PATH, "f")),
    };
    assert_eq!(alike(artifact), alike(file));
}

#[test]
fn a_text_is_seen_as_in_a_file() {
    check("", 1, None);
    check("", 2, None);
    check("a\nb\nc", 2, Some(1));
    check("a\r\nb\n", 1, None);
    check("a\n", 3, None);
    check(b"\xEF\xBB\xBFa\n", 1, None);
    check(b"\xFF\xFEa\0\r\0\n\0\x2d\x4e", 2, None);
    check(b"caf\xE9\n", 1, None);
    check("x".repeat(200_000), 1, None);
    // Characters and a break that the end of a piece cuts; pieces that end with the artifact.
    check("中é\n".repeat(50_000), 30_000, Some(3));
    check("x\r\n".repeat(50_000), 49_000, None);
    for bytes in [BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 2 * BLOCK_BYTES] {
        check("ab\n".repeat(bytes).get(..bytes).unwrap(), 20_000, None);
    }
}

#[test]
fn what_is_no_text_is_judged_as_in_a_file() {
    let png = drawn(20, 30);
    for bytes in [0, BLOCK_BYTES - png.len(), BLOCK_BYTES, 150_000, 200_000] {
        check([png.clone(), vec![0; bytes]].concat(), 1, None);
        check([png[..40].to_vec(), vec![0; bytes]].concat(), 1, None);
        check([b"%PDF-1.7 \0".to_vec(), vec![0; bytes]].concat(), 1, None);
        check([b"\x7fELF \0".to_vec(), vec![0; bytes]].concat(), 1, None);
    }
    check(pdf(&["first page", "second page"]), 3, Some(1));
}

/// A window at the start of a large artifact does not bring all of it, and its size is exact.
#[tokio::test]
async fn a_large_artifact_costs_its_window() {
    for size in [WHOLE_BYTES_MAX + 1, 200 * MIB - 1, 200 * MIB, 200 * MIB + 7] {
        let asked = Cell::new(0);
        let piece = |start: u64, count: usize| {
            asked.set(asked.get() + 1);
            let end = (start + count as u64).min(size);
            let line = |at| if at % 64 == 63 { b'\n' } else { b'x' };
            async move { Ok((start..end).map(line).collect()) }
        };
        let wanted = Wanted { offset: 3, limit: Some(2) };
        let view = Artifact { id: &id(), piece, cancelled: CancellationToken::new() }
            .view(wanted)
            .await
            .unwrap();
        let View::Text(text) = view else { panic!("{view:?}") };
        assert_eq!(text.shown.text, format!("{}\n", "x".repeat(63)).repeat(2));
        assert_eq!((text.size, text.form), (size, Form::NEW));
        assert!(asked.get() < 600, "{}", asked.get());
    }
}

/// The kernel's reason is passed on.
#[tokio::test]
async fn what_the_kernel_does_not_give_is_told() {
    let piece = |_, _| async { Err(HostError::Refused("there is no such artifact".into()).into()) };
    let wanted = Wanted { offset: 1, limit: None };
    let failed = Artifact { id: &id(), piece, cancelled: CancellationToken::new() }
        .view(wanted)
        .await
        .unwrap_err();
    assert_eq!(failed, Failed::new(Class::NotFound, "there is no such artifact"));
    assert_eq!(Failed::from(HostError::Cancelled).class, Class::Cancelled);
}

/// [FILE-01]: what is said about a line that is too long can be done.
#[tokio::test]
async fn a_line_that_is_too_long_says_how_to_see_more() {
    let View::Text(text) = see("x".repeat(60_000).as_bytes(), 1, None).await.unwrap() else {
        panic!("an image");
    };
    let told = notices(Source::Artifact(&id()), &text);
    let digits = PATH.trim_start_matches("artifact:");
    let shell = format!("tollgate artifacts show {digits} | tail -c +51201 | head -c 51200");
    assert!(told.join("\n").contains(&shell), "{told:?}");
}
