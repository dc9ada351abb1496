//! Goal: every result fits its frame, whatever a tool gave back, and nothing is lost on the way that
//! is not said to be.

use prost::Message;
use tollgate_proto::{
    grant::sha256,
    limits::INLINE_BYTES_MAX,
    tool::v1::{
        Completed, ContentBlock, FileObservation, InjectedMessage, Media,
        completed::{Effects, Outcome},
        content_block::Block,
        media,
    },
};

use super::into_frame;
use crate::{blobs::Blobs, wire};

const SESSION: &str = "session-1";

fn succeeded(content: Vec<ContentBlock>) -> Completed {
    Completed {
        call_id: "call-1".into(),
        outcome: Outcome::Succeeded.into(),
        effects: Effects::Complete.into(),
        content,
        ..Completed::default()
    }
}

fn text(bytes: usize) -> ContentBlock {
    wire::text("x".repeat(bytes))
}

fn image(bytes: usize) -> ContentBlock {
    let content = Some(media::Content::Data(vec![1; bytes].into()));
    let media = Media { media_type: "image/png".into(), content };
    ContentBlock { block: Some(Block::Image(media)) }
}

/// The blocks as words: what is still inline, and what became a blob.
fn shape(completed: &Completed) -> Vec<String> {
    let word = |block: &ContentBlock| match block.block.as_ref().unwrap() {
        Block::Text(text) => format!("text {}", text.len()),
        Block::Json(json) => format!("json {}", json.len()),
        Block::Image(Media { content: Some(media::Content::Data(data)), .. }) => {
            format!("image {}", data.len())
        }
        Block::Image(_) => "image blob".to_owned(),
        Block::Blob(blob) => format!("blob {} {}", blob.size, blob.media_type),
        Block::Audio(_) | Block::Resource(_) => "other".to_owned(),
    };
    completed.content.iter().map(word).collect()
}

#[track_caller]
fn check(content: Vec<ContentBlock>, expected: &[&str]) {
    let fitted = into_frame(succeeded(content), &Blobs::default(), SESSION);
    assert!(fitted.encoded_len() <= INLINE_BYTES_MAX);
    assert_eq!(shape(&fitted), expected);
    assert_eq!(fitted.outcome(), Outcome::Succeeded);
}

#[test]
fn what_fits_is_left_as_it_is() {
    check(vec![text(10), image(190_000)], &["text 10", "image 190000"]);
}

#[test]
fn the_largest_blocks_become_blobs_until_the_rest_fits() {
    check(
        vec![text(100_000), text(300_000), text(10), text(120_000)],
        &["text 100000", "blob 300000 text/plain; charset=utf-8", "text 10", "text 120000"],
    );
    let many = vec![text(60_000); 6];
    let inline = |word: &String| word.starts_with("text");
    let fitted = into_frame(succeeded(many), &Blobs::default(), SESSION);
    assert_eq!(shape(&fitted).iter().filter(|word| inline(word)).count(), 4);
}

#[test]
fn an_image_over_its_own_bound_becomes_a_blob() {
    check(vec![text(10), image(200_000)], &["text 10", "image blob"]);
}

#[test]
fn a_blob_holds_what_was_moved() {
    let blobs = Blobs::default();
    let whole = "ü".repeat(200_000);
    let fitted = into_frame(succeeded(vec![wire::text(whole.clone())]), &blobs, SESSION);
    let Some(Block::Blob(blob)) = &fitted.content[0].block else { panic!("{fitted:?}") };
    assert_eq!(blob.sha256[..], sha256(whole.as_bytes()));
    assert_eq!(blobs.get(SESSION, &blob.sha256).unwrap(), whole.as_bytes());
}

#[test]
fn injected_images_are_moved_too() {
    let message = InjectedMessage { content: vec![image(1_000_000)] };
    let completed = Completed { messages: vec![message], ..succeeded(vec![text(5)]) };
    let fitted = into_frame(completed, &Blobs::default(), SESSION);
    assert!(fitted.encoded_len() < 1_000, "{}", fitted.encoded_len());
    assert_eq!(fitted.outcome(), Outcome::Succeeded);
}

#[test]
fn without_room_the_block_says_that_it_was_left_out() {
    let blobs = Blobs::default();
    let room = crate::limits::SESSION_BLOB_BYTES_MAX;
    blobs.put(SESSION, vec![0; usize::try_from(room).unwrap()].into(), "").unwrap();
    let fitted = into_frame(succeeded(vec![text(300_000)]), &blobs, SESSION);
    let Some(Block::Text(said)) = &fitted.content[0].block else { panic!("{fitted:?}") };
    assert!(said.starts_with("[left out"), "{said}");
}

/// A tool's mistake is its own call's failure, and never hides that something happened.
#[track_caller]
fn cannot_fit(completed: Completed, word: &str) {
    let fitted = into_frame(completed, &Blobs::default(), SESSION);
    assert!(fitted.encoded_len() <= INLINE_BYTES_MAX);
    assert_eq!(fitted.outcome(), Outcome::Failed);
    assert_eq!(fitted.effects(), Effects::Complete);
    assert_eq!(
        (fitted.call_id.as_str(), fitted.error_class.as_str()),
        ("call-1", "result_too_large")
    );
    let Some(Block::Text(said)) = &fitted.content[0].block else { panic!("{fitted:?}") };
    assert!(said.contains(word), "{said}");
}

#[test]
fn what_cannot_fit_is_a_failure_that_says_why() {
    let spaces = |bytes| vec![b' '; bytes].into();
    cannot_fit(Completed { structured: spaces(INLINE_BYTES_MAX), ..succeeded(vec![]) }, "256 KiB");
    cannot_fit(Completed { metadata: spaces(64 * 1024 + 1), ..succeeded(vec![]) }, "metadata");
    cannot_fit(succeeded(vec![text(1); 65]), "64 blocks");
    let messages = vec![InjectedMessage { content: vec![text(1)] }; 9];
    cannot_fit(Completed { messages, ..succeeded(vec![]) }, "8 messages");
}

#[test]
fn further_observations_are_left_out() {
    let observations = vec![FileObservation::default(); 100];
    let completed = Completed { observations, ..succeeded(vec![text(1)]) };
    let fitted = into_frame(completed, &Blobs::default(), SESSION);
    assert_eq!((fitted.observations.len(), fitted.outcome()), (64, Outcome::Succeeded));
}
