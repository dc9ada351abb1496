//! Goal: a here-document that bash reads otherwise than the parser is never known (SH-04).

use crate::parse::parse;

/// Whether all of a line is known.
fn is_known(line: &str) -> bool {
    let parsed = parse(line);
    parsed.whole && !parsed.commands.iter().any(|command| command.opaque)
}

#[test]
fn an_ordinary_here_document_is_known() {
    for line in [
        "a <<E\nx\nE",
        "a <<E\n$x it's 5\nE\n",
        "a <<'E'\n`touch C` $(touch C)\nE",
        "a <<\"E\"\n`touch C`\nE",
        "a <<\\E\n`touch C`\nE",
        "a <<-E\n\tx\n\tE\nb",
        "a <<E > f\nx\nE\nb",
        "a <<E | b 'c d'\nx\nE",
        "a <<E && b\nx\nE",
    ] {
        assert!(is_known(line), "{line:?}");
    }
}

#[test]
fn what_runs_in_a_here_document_unseen_makes_it_unknown() {
    for line in [
        "a <<E\n`touch C`\nE",
        "a <<-E\n\t'`touch C`'\n\tE",
        "a <<E | b\nx `touch C`\nE",
        "a <<E\n$\\\n(touch C)\nE",
        "a <<E\n$[x[`touch C`]]\nE",
        "a <<E\n$x`touch C`",
        "a <<E\n$x `touch C`\nE",
    ] {
        assert!(!is_known(line), "{line:?}");
    }
}

#[test]
fn an_end_that_bash_takes_elsewhere_makes_it_unknown() {
    for line in [
        "a <<E; touch C\n$x\nE\n",
        "a <<E&touch C\n$x\nE\n",
        "a <<EOF\nx\nEO\\\nF\ntouch C\nEOF",
        "a <<E\n$x",
        "a <<E\n$x\nE \ntouch C\nE",
        "a <<E\n$(b\nE\ntouch C\n)\nE",
        "a <<E <<F\nx\nE\ny\nF",
        "a <<E \"b\nc\"\nx\nE",
        "a <<$x\nb\n$x",
        "a <<''\n\ntouch C",
    ] {
        assert!(!is_known(line), "{line:?}");
    }
}
