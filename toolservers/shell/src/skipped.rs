//! What the parser of `parse` passes over as a blank or a comment, and bash does not: `a \\ #; b` is a
//! comment to the one, and two commands to the other.
//!
//! Invariant: what stands between two tokens, and before a comment, is what bash takes for blanks.
//!
//! Not here: what tokens are (`words`), here-documents (`heredoc`).

use tree_sitter::Tree;

#[cfg(test)]
mod tests;

/// The text from the first place on where something was passed over that is no blank to bash.
pub(crate) fn first<'a>(text: &'a str, tree: &Tree) -> Option<&'a str> {
    let mut cursor = tree.walk();
    let mut read = 0;
    loop {
        let node = cursor.node();
        if cursor.goto_first_child() {
            continue;
        }
        let range = node.byte_range();
        // Nodes follow one another; one that does not would be another text.
        let between = text.get(read..range.start.max(read)).unwrap_or("?");
        let before = text.get(..range.start).unwrap_or("\\ ");
        let is_other = node.kind() == "comment" && !may_stand_before_comment(before);
        if !is_blank(between) || is_other {
            return text.get(read..);
        }
        read = read.max(range.end);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                let rest = text.get(read..).unwrap_or_default();
                return (!is_blank(rest)).then_some(rest);
            }
        }
    }
}

/// Blanks and line ends, or lines that go on: beside these the parser passes over line ends that end a
/// command.
fn is_blank(text: &str) -> bool {
    let joined = text.replace("\\\n", "");
    let goes_on = joined.len() < text.len();
    joined.chars().all(|c| matches!(c, ' ' | '\t') || (c == '\n' && !goes_on))
}

/// A comment begins where a word could: after a blank or an operator that stands for itself.
fn may_stand_before_comment(before: &str) -> bool {
    let mut last = before.chars().rev();
    let begins = last.next().is_none_or(|c| " \t\n;&|()<>`".contains(c));
    begins && last.next() != Some('\\')
}
