//! Goal: bytes that were written once are read for ever, and are written again byte for byte.
//!
//! Each message of `golden/messages` is a pair: `X.binpb` as it went over the wire, and `X.txt`, what
//! it says. `buf convert proto --type TYPE --from X.binpb` reads one without this crate.

use std::collections::BTreeSet;

use super::{at, regenerates, samples, walk::Messages};

/// Old bytes decode to the value that they were made of and encode to themselves ([PROTO-09]).
#[test]
fn golden_messages_are_read_and_written_as_ever() {
    for sample in samples::all() {
        let path = at("golden/messages").join(format!("{}.binpb", sample.file));
        let beside = path.with_extension("txt");
        if regenerates() && !path.exists() {
            std::fs::write(&path, &sample.bytes).unwrap();
            std::fs::write(&beside, &sample.text).unwrap();
        }
        let golden = std::fs::read(&path).unwrap_or_else(|error| {
            panic!("{}: {error}; TOLLGATE_REGENERATE=1 writes a missing file", path.display())
        });
        assert!((sample.is_same)(&golden), "{} means something else now", path.display());
        assert_eq!(golden, sample.bytes, "{} is written in another way now", path.display());
        let said = std::fs::read_to_string(&beside).unwrap();
        assert_eq!(said, sample.text, "{}", beside.display());
    }
    // A file without a sample would be tested by nobody.
    let entries = std::fs::read_dir(at("golden/messages")).unwrap();
    let there: BTreeSet<String> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let samples: BTreeSet<String> = samples::all().into_iter().map(|sample| sample.file).collect();
    assert_eq!(there, samples);
}

/// Every field of every message is set in some golden message, so none can change unseen.
#[test]
fn golden_messages_hold_every_field_of_the_contract() {
    let messages = Messages::of_the_contract();
    let mut missing = messages.fields();
    for sample in samples::all() {
        for field in messages.seen(sample.message, &sample.bytes) {
            missing.remove(&field);
        }
    }
    assert!(missing.is_empty(), "in no golden message: {missing:#?}");
}
