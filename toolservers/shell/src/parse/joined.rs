//! A line without the line ends that bash takes away before it looks at anything: those behind a backslash.
//!
//! The parser of `parse` takes them for blanks, so that `t\⏎ouch` is two words to it. Where bash keeps them, in
//! quotes of one sign and in comments, depends on all that stands before; so there are two answers, and what
//! is found in any of them counts.
//!
//! Not here: the words themselves (`words` takes the line ends away).

/// Where a text stands.
#[derive(Clone, Copy, Eq, PartialEq)]
enum State {
    Plain,
    /// Between `"`.
    Double,
    /// Between `'`.
    Single,
    /// Behind `$'`.
    Ansi,
    Comment,
}

/// The line joined everywhere, and joined where quotes and comments seem to let it; none if it has no such
/// line end.
pub(super) fn lines(line: &str) -> Vec<String> {
    if !line.contains("\\\n") {
        return Vec::new();
    }
    let (everywhere, seemingly) = (joined(line, false), joined(line, true));
    if everywhere == seemingly { vec![everywhere] } else { vec![everywhere, seemingly] }
}

fn joined(line: &str, heeds_quotes: bool) -> String {
    let mut text = String::new();
    let mut state = State::Plain;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let escapes = !matches!(state, State::Single | State::Comment);
        if c == '\\' && escapes {
            match chars.next() {
                Some('\n') if state != State::Ansi => {}
                next => text.extend([Some(c), next].into_iter().flatten()),
            }
            continue;
        }
        if heeds_quotes {
            state = after(state, c, &text);
        }
        text.push(c);
    }
    text
}

/// The state behind a character that stands after `before`.
fn after(state: State, c: char, before: &str) -> State {
    let begins_word = || before.chars().next_back().is_none_or(|c| " \t\n;&|()<>`".contains(c));
    match (state, c) {
        (State::Plain, '"') => State::Double,
        (State::Plain, '\'') if before.ends_with('$') => State::Ansi,
        (State::Plain, '\'') => State::Single,
        (State::Plain, '#') if begins_word() => State::Comment,
        (State::Double, '"') | (State::Single | State::Ansi, '\'') | (State::Comment, '\n') => {
            State::Plain
        }
        (state, _) => state,
    }
}
