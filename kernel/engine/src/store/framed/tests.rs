//! Goal: a log keeps every record that was accepted, whatever is done to its end, and tells of every
//! other damage ([STORE-01], [STORE-04], RL-03, RL-04, RL-06, RX-02).

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use tollgate_core::digest::Digest;

use super::{frame::encode, *};
use crate::store::{
    limits::LINE_BYTES_MAX,
    tests::{
        become_nobody, child_directory, give_to_nobody, limit_file_size, mode_of, passes_again,
        set_mode, temp,
    },
};

/// Records as texts, with what could break a frame in them.
fn texts() -> Vec<String> {
    let hostile =
        "x\n{\"len\":2,\"sum\":\"44136fa355b3678a\",\"record\":{}}\n\u{2028}\u{0}\u{fffd}";
    [
        json!({}),
        json!({ "text": hostile }),
        json!({ "nested": { "len": 2, "sum": "44136fa355b3678a", "record": {} } }),
        json!({ "record": 9_007_199_254_740_993_u64, "text": "ü".repeat(40) }),
    ]
    .iter()
    .map(Value::to_string)
    .collect()
}

fn lines(texts: &[String]) -> Vec<u8> {
    let mut all = Vec::new();
    for text in texts {
        let mut line = Vec::new();
        encode(text.as_bytes(), Digest::of(text.as_bytes()), &mut line);
        all.extend(line);
    }
    all
}

/// Opens a log: its records as texts, and what was mended.
#[track_caller]
fn open(path: &Path) -> (FramedLog, Vec<String>, Repairs) {
    let mut records = Vec::new();
    let (log, repairs) = FramedLog::open(path, |_, record| {
        records.push(String::from_utf8(record.to_vec()).unwrap());
        Ok(())
    })
    .unwrap();
    (log, records, repairs)
}

/// A log with this content.
fn log_of(bytes: &[u8]) -> (TempDir, PathBuf) {
    let temp = temp();
    let path = temp.path().join("log.jsonl");
    fs::write(&path, bytes).unwrap();
    (temp, path)
}

/// The damage that opening a log with this content tells, a line each, and the records it loads.
#[track_caller]
fn check(bytes: &[u8], damage: &[&str], records: &[&String]) {
    let (_temp, path) = log_of(bytes);
    let (_, loaded, repairs) = open(&path);
    assert_eq!(loaded.iter().collect::<Vec<_>>(), records);
    let told: Vec<_> = repairs.damage.iter().map(ToString::to_string).collect();
    assert_eq!(told, damage);
}

#[test]
fn what_was_appended_is_read_and_is_plain_json() {
    let temp = temp();
    let path = temp.path().join("log.jsonl");
    let mut log = FramedLog::create(&path).unwrap();
    for text in texts() {
        log.append(text.as_bytes()).unwrap();
    }
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes, lines(&texts()));
    assert_eq!(mode_of(&path), 0o600);
    let file = String::from_utf8(bytes).unwrap();
    for (line, text) in file.split_terminator('\n').zip(texts()) {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["len"], text.len());
        assert_eq!(value["record"], serde_json::from_str::<Value>(&text).unwrap());
        let sum = value["sum"].as_str().unwrap();
        assert_eq!(sum.len(), 16);
        assert!(Digest::of(text.as_bytes()).to_string().starts_with(sum));
    }
    drop(log);
    let (_, records, repairs) = open(&path);
    assert_eq!(records, texts());
    assert!(repairs.is_empty() && repairs.to_string().is_empty());
}

/// [STORE-01] RL-03
#[test]
fn a_log_cut_anywhere_opens() {
    let whole = lines(&texts());
    let mut ends: Vec<usize> = vec![0];
    ends.extend(whole.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1));
    for cut in 0..=whole.len() {
        let (_temp, path) = log_of(&whole[..cut]);
        let whole_lines = ends.iter().filter(|end| **end <= cut).count() - 1;
        let lacks_newline = ends.contains(&(cut + 1));
        let kept = whole_lines + usize::from(lacks_newline);

        let (mut log, records, repairs) = open(&path);
        assert_eq!(records, &texts()[..kept], "cut at {cut}");
        assert_eq!(repairs.is_completed, lacks_newline, "cut at {cut}");
        assert!(repairs.damage.is_empty(), "cut at {cut}");
        let torn = cut - ends[whole_lines];
        match &repairs.torn {
            Some(found) => {
                assert_eq!(fs::read(&found.copy).unwrap(), &whole[cut - torn..cut]);
                assert_eq!(mode_of(&found.copy), 0o600);
                assert_eq!((found.offset, found.bytes), ((cut - torn) as u64, torn as u64));
            }
            None => assert!(torn == 0 || lacks_newline, "cut at {cut}"),
        }
        log.append(b"{}").unwrap();
        let (_, records, repairs) = open(&path);
        assert_eq!(records.len(), kept + 1, "cut at {cut}");
        assert!(repairs.is_empty(), "cut at {cut}: {repairs}");
    }
}

#[test]
fn every_changed_byte_is_told_and_nothing_is_made_up() {
    let (whole, texts) = (lines(&texts()), texts());
    for at in 0..whole.len() {
        for new in [b'\n', b'0', b'}', 0xff] {
            let mut changed = whole.clone();
            if std::mem::replace(&mut changed[at], new) == new {
                continue;
            }
            let (_temp, path) = log_of(&changed);
            let (_, records, repairs) = open(&path);
            assert!(!repairs.damage.is_empty() || repairs.torn.is_some() || repairs.is_completed);
            let mut rest = texts.iter();
            assert!(records.iter().all(|record| rest.any(|text| text == record)), "byte {at}");
            let newline = whole[at] == b'\n';
            let lost = texts.len() - records.len();
            assert!(lost <= if newline { 2 } else { 1 }, "byte {at}: {lost} lost");
        }
    }
}

/// RL-04
#[test]
fn damage_in_the_middle_is_told_with_its_place_and_the_rest_loads() {
    let texts = texts();
    let [a, b, c, d] = &texts[..] else { unreachable!() };
    let line = |text: &String| lines(std::slice::from_ref(text));
    let join = |parts: &[&[u8]]| parts.concat();
    let first = line(a).len();

    let half = &line(b)[..60];
    let torn = format!("line 2 (byte {first}, {} bytes): ", 60 + line(c).len());
    let told = format!("{torn}its length or checksum does not fit");
    check(&join(&[&line(a), half, &line(c), &line(d)]), &[&told], &[a, d]);

    let told = format!("line 2 (byte {first}, 4097 bytes): it is no line of a log");
    check(&join(&[&line(a), &[0; 4096], b"\n", &line(b)]), &[&told], &[a, b]);

    let told = format!("line 1 (byte 0, {} bytes): its length or checksum does not fit", first + 3);
    check(&join(&[b"\xef\xbb\xbf", &line(a), &line(b)]), &[&told], &[b]);

    let told = format!("line 2 (byte {first}, 1 bytes): it is no line of a log");
    check(&join(&[&line(a), b"\n", &line(b)]), &[&told], &[a, b]);
    let told = format!("line 2 (byte {first}, 3 bytes): it is no line of a log");
    check(&join(&[&line(a), b"{}\n", &line(b)]), &[&told], &[a, b]);
}

#[test]
fn other_spellings_of_a_frame_are_damage() {
    let sum = "44136fa355b3678a";
    for line in [
        format!("{{\"len\":02,\"sum\":\"{sum}\",\"record\":{{}}}}\n"),
        format!("{{\"len\":+2,\"sum\":\"{sum}\",\"record\":{{}}}}\n"),
        format!("{{ \"len\":2,\"sum\":\"{sum}\",\"record\":{{}}}}\n"),
        format!("{{\"len\":2,\"sum\":\"{}\",\"record\":{{}}}}\n", sum.to_uppercase()),
        format!("{{\"len\":2,\"sum\":\"{sum}\",\"record\":{{}}}}\r\n"),
        format!("{{\"len\":2,\"sum\":\"{sum}\",\"record\":{{}},\"x\":1}}\n"),
    ] {
        let (_temp, path) = log_of(line.as_bytes());
        let (_, records, repairs) = open(&path);
        assert!(records.is_empty() && repairs.damage.len() == 1, "{line}");
    }
    check(
        format!("{{\"len\":2,\"sum\":\"{sum}\",\"record\":{{}}}}\n").as_bytes(),
        &[],
        &[&"{}".to_owned()],
    );
}

#[test]
fn a_record_that_the_owner_does_not_know_is_damage_and_stays() {
    let (_temp, path) = log_of(&lines(&texts()));
    let (_, repairs) =
        FramedLog::open(&path, |n, _| if n == 2 { Err("no such type".to_owned()) } else { Ok(()) })
            .unwrap();
    assert!(repairs.to_string().contains("line 2"), "{repairs}");
    assert!(repairs.to_string().contains("no such type"), "{repairs}");
    assert_eq!(fs::read(&path).unwrap(), lines(&texts()));
}

#[test]
fn a_line_that_is_too_long_is_passed_in_bounded_memory() {
    let text = "{}".to_owned();
    let line = lines(std::slice::from_ref(&text));
    let long = std::io::Read::take(std::io::repeat(b'x'), 3 * LINE_BYTES_MAX as u64);
    let all = std::io::Read::chain(std::io::Read::chain(long, &b"\n"[..]), &line[..]);
    let mut reader = Reader::new(all);
    let first = reader.next_line().unwrap().unwrap();
    assert_eq!(first.record, Err(FrameFault::TooLong));
    assert_eq!(first.bytes, 3 * LINE_BYTES_MAX as u64 + 1);
    let second = reader.next_line().unwrap().unwrap();
    assert_eq!((second.number, second.record), (2, Ok(text.as_bytes())));
    assert!(reader.next_line().unwrap().is_none());
}

#[test]
fn a_record_at_the_bound_is_kept_and_one_byte_more_is_refused() {
    let temp = temp();
    let path = temp.path().join("log.jsonl");
    let mut log = FramedLog::create(&path).unwrap();
    let largest = vec![b'1'; RECORD_BYTES_MAX];
    log.append(&largest).unwrap();
    let error = log.append(&[&largest[..], b"1"].concat()).unwrap_err();
    assert!(error.to_string().contains("67108865 bytes"), "{error}");
    assert!(matches!(log.append(b"{\n}"), Err(FramedError::NoLine { bytes: 3, .. })));
    log.append(b"{}").unwrap();
    let mut sizes = Vec::new();
    read(&path, |line| sizes.push(line.record.map(<[u8]>::len))).unwrap();
    assert_eq!(sizes, [Ok(RECORD_BYTES_MAX), Ok(2)]);
}

#[test]
fn long_damage_is_counted_and_not_listed() {
    let (_temp, path) = log_of(&b"x\n".repeat(1234));
    let (_, _, repairs) = open(&path);
    assert_eq!((repairs.damage.len(), repairs.unlisted), (1000, 234));
    assert!(repairs.to_string().ends_with("and 234 more damaged lines\n"));
}

#[test]
fn copies_of_torn_lines_do_not_replace_each_other() {
    let (_temp, path) = log_of(b"one");
    let first = open(&path).2.torn.unwrap();
    fs::write(&path, "two").unwrap();
    let second = open(&path).2.torn.unwrap();
    assert!(first.copy.ends_with("log.jsonl.torn-1") && second.copy.ends_with("log.jsonl.torn-2"));
    assert_eq!(fs::read(&first.copy).unwrap(), b"one");
    assert_eq!(fs::read(&second.copy).unwrap(), b"two");
}

/// [STORE-04] RL-06: a write that comes half through is undone, and the log goes on without a restart.
#[test]
fn a_full_disk_leaves_the_log_as_it_was() {
    let Some(directory) = child_directory() else {
        let name = "store::framed::tests::a_full_disk_leaves_the_log_as_it_was";
        return passes_again(name, temp().path());
    };
    let path = directory.join("log.jsonl");
    let mut log = FramedLog::create(&path).unwrap();
    let text = json!({ "text": "x".repeat(100) }).to_string();
    log.append(text.as_bytes()).unwrap();
    let line = fs::metadata(&path).unwrap().len();
    // Room for two lines and the half of a third.
    limit_file_size(Some(line * 5 / 2));
    log.append(text.as_bytes()).unwrap();
    for _ in 0..3 {
        let error = log.append(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("cannot append to /") && error.contains("ulimit"), "{error}");
        assert_eq!(fs::metadata(&path).unwrap().len(), 2 * line);
    }
    limit_file_size(None);
    log.append(b"{}").unwrap();
    let (_, records, repairs) = open(&path);
    assert_eq!(records, [&text, &text, "{}"]);
    assert!(repairs.is_empty());
}

/// [STORE-04] What cannot be cut off at once is cut off before the next write.
#[test]
fn what_a_failed_write_left_is_never_written_behind() {
    let path = Path::new("/dev/full");
    let file = OpenOptions::new().append(true).open(path).unwrap();
    let mut log = FramedLog::new(file, path, 0);
    let error = log.append(b"{}").unwrap_err().to_string();
    assert!(error.contains("No space left on device"), "{error}");
    assert!(error.contains("free some space"), "{error}");
    assert!(log.is_torn, "a device cannot be cut");
    let error = log.append(b"{}").unwrap_err().to_string();
    assert!(error.starts_with("cannot cut a failed write off"), "{error}");

    let (_temp, path) = log_of(&[&lines(&texts())[..], b"half a li"].concat());
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    let mut log = FramedLog::new(file, &path, lines(&texts()).len() as u64);
    log.is_torn = true;
    log.append(b"{}").unwrap();
    let (_, records, repairs) = open(&path);
    assert_eq!(records.len(), texts().len() + 1);
    assert!(repairs.is_empty());
}

/// [STORE-04]
#[test]
fn a_read_only_directory_is_told_and_nothing_is_changed() {
    let name = "store::framed::tests::a_read_only_directory_is_told_and_nothing_is_changed";
    if let Some(directory) = child_directory() {
        become_nobody();
        let error = FramedLog::create(&directory.join("new.jsonl")).unwrap_err().to_string();
        assert!(error.contains("Permission denied") && error.contains("chmod"), "{error}");
        // The log itself can be written, but its torn line cannot be kept: it is left alone.
        let path = directory.join("log.jsonl");
        let error = FramedLog::open(&path, |_, _| Ok(())).unwrap_err().to_string();
        assert!(error.starts_with("cannot keep a torn line in "), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"torn");
        let mut seen = 0;
        read(&path, |_| seen += 1).unwrap();
        assert_eq!(seen, 1, "reading needs no right to write");
        return;
    }
    let (temp, path) = log_of(b"torn");
    give_to_nobody(&path);
    give_to_nobody(temp.path());
    set_mode(temp.path(), 0o500);
    passes_again(name, temp.path());
    // So that it can be removed.
    set_mode(temp.path(), 0o700);
}

#[tokio::test]
async fn a_flush_overlaps_with_appends_and_is_left_out_when_there_is_nothing_new() {
    let temp = temp();
    let mut log = FramedLog::create(&temp.path().join("log.jsonl")).unwrap();
    assert!(log.flush_job().is_none(), "nothing was written");
    log.append(b"{}").unwrap();
    let flushing = log.flush();
    log.append(b"{}").unwrap();
    flushing.await.unwrap();
    assert!(log.flush_job().is_some(), "the second record is not flushed");
    log.flush().await.unwrap();
    assert!(log.flush_job().is_none());
    log.flush().await.unwrap();
}

/// After a failed flush the system has dropped what it could not write: a later one proves nothing.
#[test]
fn after_a_failed_flush_nothing_more_is_claimed() {
    let (reader, writer) = std::io::pipe().unwrap();
    let writer = File::from(std::os::fd::OwnedFd::from(writer));
    let mut log = FramedLog::new(writer, Path::new("/a/pipe"), 0);
    log.append(b"{}").unwrap();
    // A pipe cannot be flushed.
    let error = log.flush_blocking().unwrap_err();
    assert!(matches!(error, FramedError::File(_)), "{error}");
    let error = log.flush_blocking().unwrap_err().to_string();
    assert!(error.contains("open it again"), "{error}");
    assert!(matches!(log.append(b"{}"), Err(FramedError::FlushFailed { .. })));
    drop(reader);
}
