//! Goal: a file's encoding is known or said to be a guess, and each place maps back to its bytes.
//! [FILE-03]

use super::*;

#[track_caller]
fn check(bytes: &[u8], name: &str, text: &str) {
    let form = Form::of(bytes);
    assert_eq!(form.name(), name);
    let decoded = Decoded::new(bytes, form);
    assert_eq!(String::from_utf8_lossy(&decoded.text), text);
}

#[test]
fn encodings_are_recognised() {
    check(b"plain", "UTF-8", "plain");
    check("gr\u{fc}n \u{4e2d}".as_bytes(), "UTF-8", "gr\u{fc}n \u{4e2d}");
    check(b"\xEF\xBB\xBFhello", "UTF-8", "hello");
    check(b"\xFF\xFEh\0\x2d\x4e", "UTF-16LE", "h\u{4e2d}");
    check(b"\xFE\xFF\0h\x4e\x2d", "UTF-16BE", "h\u{4e2d}");
    check(b"caf\xE9\nx=1\n", "windows-1252", "caf\u{e9}\nx=1\n");
    check(
        b"\x83\x65\x83\x58\x83\x67\x0A\x6E\x3D\x31\x0A",
        "Shift_JIS",
        "\u{30c6}\u{30b9}\u{30c8}\nn=1\n",
    );
}

/// A few wrong bytes in a text full of UTF-8 do not make it something else.
#[test]
fn faults_in_utf8_are_counted() {
    let form = Form::of(b"\xC3\xA9\xC3\xA8\xFF\xC3\xA0");
    assert_eq!(form.encoding, Encoding::Utf8 { faults: 1 });
    assert!(form.said().unwrap().contains("1 invalid"));
    assert_eq!(Form::of("中".as_bytes()).said(), None);
    assert!(Form::of(b"caf\xE9").said().unwrap().contains("detected"));
}

#[test]
fn a_character_split_between_blocks_is_whole() {
    let mut sniffer = Sniffer::default();
    sniffer.feed(b"a\xE4\xB8");
    sniffer.feed(b"\xAD");
    assert_eq!(sniffer.form(), Form::NEW);
    sniffer.feed(b"\xE4");
    assert_ne!(sniffer.form(), Form::NEW);
}

/// Each character's place leads back to where its bytes start, also beside faults.
#[test]
fn places_lead_back_to_bytes() {
    let sjis = Form { encoding: Encoding::Guessed(encoding_rs::SHIFT_JIS), bom: false };
    let bytes = b"\x83\x65=\x83\n\x83\x58!";
    let decoded = Decoded::new(bytes, sjis);
    assert_eq!(String::from_utf8_lossy(&decoded.text), "\u{30c6}=\u{fffd}\n\u{30b9}!");
    for (text, byte) in [(0, 0), (3, 2), (4, 3), (7, 4), (8, 5), (11, 7), (12, 8)] {
        assert_eq!(decoded.byte(text), byte, "{text}");
    }
    let utf16 = Form { encoding: Encoding::Utf16Le, bom: true };
    let decoded = Decoded::new(b"\xFF\xFEa\0\x3D\xD8\x00\xDEb\0\x00\xD8c\0", utf16);
    assert_eq!(String::from_utf8_lossy(&decoded.text), "a\u{1F600}b\u{fffd}c");
    for (text, byte) in [(0, 2), (1, 4), (5, 8), (6, 10), (9, 12), (10, 14)] {
        assert_eq!(decoded.byte(text), byte, "{text}");
    }
}

/// B008: what an encoding cannot hold, or would read back as another character, is refused.
#[test]
fn text_that_does_not_fit_is_refused() {
    let form = Form { encoding: Encoding::Guessed(encoding_rs::SHIFT_JIS), bom: false };
    assert_eq!(form.encode("\u{30e1}", "f").unwrap(), b"\x83\x81");
    for text in ["\u{e9}", "\u{a5}", "\u{fffd}"] {
        let failed = form.encode(text, "f").unwrap_err();
        assert_eq!(failed.class, Class::Encoding, "{text}");
        assert!(failed.message.contains("Shift_JIS") && failed.message.contains("iconv"));
    }
}

/// In any encoding and on any bytes: the text is what a whole decode gives, and places ascend.
#[test]
fn decoding_with_places_agrees_with_decoding_whole() {
    let mut numbers = crate::testing::Numbers::new(3);
    let encodings = [
        encoding_rs::SHIFT_JIS,
        encoding_rs::GBK,
        encoding_rs::GB18030,
        encoding_rs::BIG5,
        encoding_rs::EUC_JP,
        encoding_rs::EUC_KR,
        encoding_rs::WINDOWS_1252,
        encoding_rs::UTF_16LE,
        encoding_rs::UTF_16BE,
    ];
    for round in 0..3_000 {
        let encoding = encodings[round % encodings.len()];
        let length = numbers.below(24);
        let bytes: Vec<u8> = (0..length)
            .map(|_| match numbers.below(3) {
                0 => b"a\n=\xD8"[numbers.below(4)],
                _ => u8::try_from(numbers.below(256)).unwrap(),
            })
            .collect();
        let (text, map) = decode(encoding.new_decoder_without_bom_handling(), &bytes);
        let (whole, _) = encoding.decode_without_bom_handling(&bytes);
        assert_eq!(String::from_utf8_lossy(&text), whole, "{} {bytes:x?}", encoding.name());
        assert_eq!(map.len(), text.len() + 1);
        assert!(map.is_sorted(), "{} {bytes:x?} {map:?}", encoding.name());
        assert_eq!(map.last().copied(), Some(u32::try_from(bytes.len()).unwrap()));
    }
}
