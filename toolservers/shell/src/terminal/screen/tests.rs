//! Goal: the picture of a terminal from the bytes of its program. [SHELL-02], [TOOL-04], B046, B047.

use super::*;
use crate::limits::KEPT_BYTES_MAX;

fn screen() -> Screen {
    Screen::new(Size::of(Some(5), Some(20)))
}

#[track_caller]
fn check(bytes: &[u8], expected: &[&str]) {
    let mut screen = screen();
    screen.push(bytes);
    assert_eq!(screen.rows(), expected, "{}", bytes.escape_ascii());
}

#[test]
fn the_screen_is_as_a_person_sees_it() {
    check(b"one\r\ntwo", &["one", "two"]);
    check(b"\x1b[31mred\x1b[0m \x1b[1mbold\x1b[0m", &["red bold"]);
    check(b"0%\r50%\r100%", &["100%"]);
    check(b"abc\x1b[1;2Hx\x1b[3;4Hy", &["axc", "", "   y"]);
    check(b"gone\x1b[2J\x1b[Hhere", &["here"]);
    check(b"\x1b[?2004h$ \x1b[?2004l", &["$"]);
    check(b"\x1b]0;a title\x07text", &["text"]);
    check("中文é🦀".as_bytes(), &["中文é🦀"]);
    check(b"e\xcc\x81", &["e\u{301}"]);
    // 20 columns, so that the line wraps.
    check(b"0123456789012345678901234", &["01234567890123456789", "01234"]);
}

#[test]
fn what_is_no_text_is_shown_as_such() {
    check(b"a\xffb\xc3", &["a\\xFFb"]);
    check(b"a\xc2\x9b31mb", &["a31mb"]);
}

/// B047.
#[test]
fn characters_and_sequences_may_come_in_pieces() {
    let whole = "中é\x1b[31mred\x1b[0m".as_bytes();
    for cut in 0..whole.len() {
        let mut screen = screen();
        let (first, second) = whole.split_at(cut);
        screen.push(first);
        screen.push(second);
        assert_eq!(screen.rows(), ["中éred"], "{cut}");
    }
}

/// [TOOL-04]
#[test]
fn what_leaves_holds_no_control_characters() {
    let mut screen = screen();
    let mut bytes: Vec<u8> = (0..=255).collect();
    bytes.extend((0..=255).flat_map(|byte| [0x1b, byte, b'x', b'\n']));
    bytes.extend((0..=255).flat_map(|byte| [0x1b, b'[', b'3', byte, b'x']));
    for _ in 0..3 {
        screen.push(&bytes);
        let picture = screen.picture(Some(0));
        let all = picture.rows.join("") + &picture.scrolled.text.replace('\n', "");
        let odd = all.chars().find(|char| char.is_control() && *char != '\t');
        assert_eq!(odd, None, "{all:?}");
    }
}

#[test]
fn what_scrolled_off_is_told_once_and_whole() {
    let mut screen = screen();
    for number in 1..=8 {
        screen.push(format!("line {number}\r\n").as_bytes());
    }
    let picture = screen.picture(Some(1));
    assert_eq!(picture.scrolled.text, "line 1\nline 2\nline 3\nline 4\n");
    assert_eq!(picture.rows, ["line 5", "line 6", "line 7", "line 8"]);
    assert_eq!(screen.picture(Some(1)).scrolled.text, "");
    screen.push(b"line 9\r\n");
    // A look of somebody else takes nothing away.
    assert_eq!(screen.picture(None).scrolled.text, "line 5\n");
    assert_eq!(screen.picture(Some(1)).scrolled.text, "line 5\n");
}

#[test]
fn a_wrapped_line_scrolls_off_as_one() {
    let mut screen = screen();
    screen.push(format!("{}\r\nnext\r\n\n\n\n\n\n", "0123456789".repeat(5)).as_bytes());
    let text = screen.picture(Some(1)).scrolled.text;
    assert!(text.starts_with(&format!("{}\nnext\n", "0123456789".repeat(5))), "{text:?}");
}

/// A program that fills the screen draws on another one, and leaves this one as it was.
#[test]
fn a_full_screen_program_leaves_no_trace() {
    let mut screen = screen();
    screen.push(b"before\r\n\x1b[?1049h\x1b[H");
    for number in 1..=100 {
        screen.push(format!("inside {number}\r\n").as_bytes());
    }
    let picture = screen.picture(Some(1));
    assert!(picture.is_alternate && picture.rows.contains(&"inside 100".to_owned()), "{picture:?}");
    assert_eq!(picture.scrolled.text, "");
    screen.push(b"\x1b[?1049l");
    let picture = screen.picture(Some(1));
    assert!(!picture.is_alternate);
    assert_eq!((picture.rows, picture.scrolled.text.as_str()), (vec!["before".to_owned()], ""));
}

/// [SHELL-02]
#[test]
fn memory_is_bounded_at_any_output() {
    let mut screen = screen();
    let line = format!("{}\r\n", "x".repeat(19));
    for _ in 0..10 {
        screen.push(line.repeat(5000).as_bytes());
    }
    let scrolled = &screen.parser.callbacks().scrolled;
    assert_eq!(scrolled.total(), 49_996);
    assert!(scrolled.gone_bytes() > 600_000);
    let picture = screen.picture(Some(1));
    assert!(picture.scrolled.text.chars().count() <= SCROLLED_CHARS_MAX);
    let kept = u64::try_from(KEPT_BYTES_MAX / 20).unwrap();
    assert!(picture.scrolled.gone >= 49_996 - kept && picture.scrolled.newer > 0);
    // A title without an end.
    screen.push(b"\x1b]0;");
    for _ in 0..100 {
        screen.push(&[b'x'; 8192]);
    }
    screen.push(b"\x07\x1b[2J\x1b[Hdone");
    assert_eq!(screen.rows(), ["done"]);
}

#[test]
fn a_program_that_asks_is_answered_and_told_nothing_of_the_screen() {
    for (asked, expected) in [
        (&b"ab\x1b[6n"[..], &b"\x1b[1;3R"[..]),
        (b"\x1b[5n", b"\x1b[0n"),
        (b"\x1b[c", b"\x1b[?1;2c"),
        (b"\x1b[>c", b"\x1b[>0;0;0c"),
        (b"\x1b]10;?\x07\x1b[21t\x1bP$qm\x1b\\\x05", b""),
        (b"nothing", b""),
    ] {
        assert_eq!(screen().push(asked), expected, "{}", asked.escape_ascii());
    }
    let many = screen().push(&b"\x1b[6n".repeat(1000));
    assert!(many.len() <= TERMINAL_ANSWER_BYTES_MAX && many.len() > 200);
}

#[test]
fn another_size_keeps_what_is_shown() {
    let mut screen = screen();
    for number in 1..=20 {
        screen.push(format!("line {number}\r\n").as_bytes());
    }
    assert_eq!(screen.picture(Some(1)).scrolled.next, 16);
    screen.resize(Size::of(Some(10), Some(40)));
    assert_eq!(screen.rows(), ["line 17", "line 18", "line 19", "line 20"]);
    assert_eq!((screen.size().rows.get(), screen.size().cols.get()), (10, 40));
    screen.resize(Size::of(Some(4), Some(20)));
    let picture = screen.picture(Some(1));
    assert_eq!(picture.scrolled.text, "line 17\n");
    assert_eq!(picture.rows, ["line 18", "line 19", "line 20"]);
    for (rows, cols) in [(100, 200), (4, 20), (7, 200), (100, 20)] {
        screen.resize(Size::of(Some(rows), Some(cols)));
        screen.push("中".repeat(300).as_bytes());
    }
}

#[test]
fn the_line_of_the_cursor_is_whole() {
    let mut screen = screen();
    screen.push(b"before\r\n$ git push --force-with-lease origin");
    assert_eq!(screen.cursor_line(), "$ git push --force-with-lease origin");
    screen.push(b"\r\n");
    assert_eq!(screen.cursor_line(), "");
}

/// Pseudo-random bytes, sequences more often than by chance: no fault, and never a panic.
#[test]
fn no_output_breaks_it() {
    let mut seed: u64 = 7;
    let mut next = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    for round in 0..60 {
        let mut screen = Screen::new(Size::of(Some(4), Some(20)));
        for _ in 0..300 {
            let byte = |number: u64| u8::try_from(number).unwrap();
            let piece: Vec<u8> = match next(5) {
                0 => vec![byte(next(256))],
                1 => format!(
                    "\x1b[{};{}{}",
                    next(300),
                    next(70_000),
                    char::from(byte(0x40 + next(63)))
                )
                .into(),
                2 => format!(
                    "\x1b[?{}{}",
                    [6, 7, 25, 47, 1047, 1049, 2004][usize::try_from(next(7)).unwrap()],
                    ["h", "l"][usize::try_from(next(2)).unwrap()]
                )
                .into(),
                3 => "中e\u{301}🦀\u{fe0f}\u{200d}"
                    .bytes()
                    .take(usize::try_from(next(20)).unwrap())
                    .collect(),
                _ => vec![0x1b, byte(0x20 + next(95))],
            };
            screen.push(&piece);
            if next(40) == 0 {
                let size = Size::of(u16::try_from(next(60)).ok(), u16::try_from(next(90)).ok());
                screen.resize(size);
            }
        }
        let picture = screen.picture(Some(1));
        assert_eq!(picture.faults, 0, "round {round}");
    }
}

/// The emulator begins anew, and what scrolled stays.
#[test]
fn a_fault_of_the_emulator_costs_the_screen_alone() {
    let mut screen = screen();
    screen.push(b"one\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix");
    screen.guarded(|_| panic!("a fault, on purpose"));
    screen.push(b"after");
    let picture = screen.picture(Some(1));
    assert_eq!((picture.rows, picture.faults), (vec!["after".to_owned()], 1));
    assert_eq!(picture.scrolled.text, "one\n");
}
