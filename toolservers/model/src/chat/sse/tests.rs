//! Goal: the same events, at whatever places the bytes are split [MODEL-02].

use super::*;

/// The single toucher of the decoder: whole, byte by byte, and split in two at every place.
#[track_caller]
fn check(bytes: &[u8], expected: &[(&str, &str)]) {
    let event =
        |(name, data): &(&str, &str)| SseEvent { name: (*name).into(), data: (*data).into() };
    let expected: Vec<_> = expected.iter().map(event).collect();
    let run = |pieces: &[&[u8]]| {
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        for piece in pieces {
            events.extend(decoder.push(piece).unwrap());
        }
        events.extend(decoder.finish());
        events
    };
    assert_eq!(run(&[bytes]), expected);
    assert_eq!(run(&bytes.chunks(1).collect::<Vec<_>>()), expected, "byte by byte");
    for at in 0..bytes.len() {
        let (before, after) = bytes.split_at(at);
        assert_eq!(run(&[before, after]), expected, "split at {at}");
    }
}

#[test]
fn line_ends_comments_and_several_data_lines_are_understood() {
    check(b"data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]);
    check(b"data: a\r\n\r\ndata:b\r\r", &[("", "a"), ("", "b")]);
    check(b": ping\n\n:\n\ndata: a\n: in between\ndata: b\n\n", &[("", "a\nb")]);
    check("\u{feff}data: ü😀\n\n".as_bytes(), &[("", "ü😀")]);
    check(b"event: error\ndata: {}\nid: 1\nretry: 5\nnonsense\n\n", &[("error", "{}")]);
    check(b"error: {\"code\":500}\n\n", &[("error", "{\"code\":500}")]);
    check(b"event: ping\n\ndata\n\n", &[("", "")]);
    check(b"", &[]);
}

#[test]
fn a_last_event_needs_no_blank_line() {
    check(b"data: a\n\ndata: [DONE]", &[("", "a"), ("", "[DONE]")]);
    check(b"data: [DONE]\n", &[("", "[DONE]")]);
}

/// [MODEL-02]
#[test]
fn bytes_that_are_no_utf8_are_replaced_and_flagged() {
    check(b"data: a\xff\xfeb\n\n", &[("", "a\u{fffd}\u{fffd}b")]);
    let mut decoder = Decoder::default();
    decoder.push("data: ü\n\n".as_bytes()).unwrap();
    assert!(!decoder.has_replaced());
    decoder.push(b"data: \xc3\n\n").unwrap();
    assert!(decoder.has_replaced());
}

#[test]
fn an_event_without_end_is_refused() {
    let line = [b"data: ".as_slice(), &vec![b'x'; 1024 * 1024], b"\n"].concat();
    let mut decoder = Decoder::default();
    let taken = (0..9).take_while(|_| decoder.push(&line).is_ok()).count();
    assert_eq!(taken, 7, "of 1 MiB each");
}
