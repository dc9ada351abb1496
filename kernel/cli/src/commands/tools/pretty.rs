//! JSON text on several lines, in its own order and with its own numbers.

/// Levels that are indented; deeper ones stay at that, so that no text grows by the square of its depth.
const INDENTED_LEVELS_MAX: usize = 32;

/// The text with line breaks and indentation instead of its own white space. Whatever is no JSON comes out
/// with all its other characters, too.
pub(super) fn json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() * 2);
    let (mut level, mut in_text, mut escaped) = (0_usize, false, false);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if in_text {
            shown.push(char);
            in_text = escaped || char != '"';
            escaped = !escaped && char == '\\';
            continue;
        }
        match char {
            ' ' | '\t' | '\r' | '\n' => {}
            '{' | '[' => {
                shown.push(char);
                while chars.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                if let Some(end) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    shown.push(end);
                } else {
                    level += 1;
                    new_line(&mut shown, level);
                }
            }
            '}' | ']' => {
                level = level.saturating_sub(1);
                new_line(&mut shown, level);
                shown.push(char);
            }
            ',' => {
                shown.push(char);
                new_line(&mut shown, level);
            }
            ':' => shown.push_str(": "),
            _ => {
                in_text = char == '"';
                shown.push(char);
            }
        }
    }
    shown
}

fn new_line(shown: &mut String, level: usize) {
    shown.push('\n');
    shown.extend(std::iter::repeat_n("  ", level.min(INDENTED_LEVELS_MAX)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(json(text), expected);
    }

    #[test]
    fn order_numbers_and_texts_stay() {
        check(r#"{"z":1E2,"a":[ ]}"#, "{\n  \"z\": 1E2,\n  \"a\": []\n}");
        check(r#"{"t":"{\"a\":[1, 2]}\\"}"#, "{\n  \"t\": \"{\\\"a\\\":[1, 2]}\\\\\"\n}");
        check("{ }", "{}");
        check("", "");
        check("}{", "\n}{\n  ");
    }

    #[test]
    fn deep_text_grows_by_a_bounded_factor() {
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(json(&deep).len() < deep.len() * 70);
    }
}
