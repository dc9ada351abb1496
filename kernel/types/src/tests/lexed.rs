//! A small reader of TypeScript's words: enough to see that no string or comment of a schema ends before
//! we end it.

/// Strings and comments end on their line, and brackets outside of them fit.
#[track_caller]
pub(super) fn check(text: &str) {
    let mut open = Vec::new();
    for line in text.lines() {
        code(line, &mut open);
    }
    assert!(open.is_empty(), "{open:?} stay open in {text}");
}

#[track_caller]
fn code(line: &str, open: &mut Vec<char>) {
    let mut rest = line;
    loop {
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { break };
        if rest.starts_with("//") {
            return;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            let (_, after) = comment.split_once("*/").unwrap_or_else(|| panic!("open: {line}"));
            assert!(after.trim().is_empty(), "code after a comment: {line}");
            return;
        }
        rest = chars.as_str();
        match c {
            '"' => rest = after_string(rest).unwrap_or_else(|| panic!("open string: {line}")),
            '(' | '[' | '{' | '<' => open.push(c),
            ')' => assert_eq!(open.pop(), Some('('), "{line}"),
            ']' => assert_eq!(open.pop(), Some('['), "{line}"),
            '}' => assert_eq!(open.pop(), Some('{'), "{line}"),
            '>' => assert_eq!(open.pop(), Some('<'), "{line}"),
            _ => {
                let is_known = c.is_ascii_alphanumeric() || " _$?:;,.|&=-+/".contains(c);
                assert!(is_known, "{c:?} in {line}");
            }
        }
    }
}

fn after_string(text: &str) -> Option<&str> {
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return text.get(at + 1..),
            '\\' => _ = characters.next(),
            _ => {}
        }
    }
    None
}
