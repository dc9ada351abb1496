//! Goal: the command line is consistent, and what does not exist is not offered ([CLI-01]).

use clap::CommandFactory as _;

use super::*;

#[track_caller]
fn check(line: &str, works: bool) {
    let words = std::iter::once("tollgate").chain(line.split_whitespace());
    let parsed = Cli::try_parse_from(words);
    assert_eq!(parsed.is_ok(), works, "{line}: {:?}", parsed.err().map(|error| error.to_string()));
}

#[test]
fn the_command_line_holds_together() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_of_this_version_parses() {
    for line in [
        "",
        "exec hello",
        "exec -",
        "exec --output-format stream-json --max-steps 3 --timeout 9 --approvals deny --resume x --record-requests d hi",
        "call read {}",
        "call read",
        "tools list",
        "tools show read",
        "servers list",
        "servers describe file",
        "servers logs file -n 5",
        "servers stop file",
        "servers restart file",
        "receipts list --session a -n 0",
        "receipts show a",
        "receipts verify",
        "receipts verify a",
        "sessions list",
        "sessions show a",
        "permissions list",
        "permissions list --session a --all -v",
        "permissions add bash(ls)",
        "permissions add bash(ls) --action deny --here --reason no --expires 2027-01-31",
        "permissions explain bash {} --caller program --headless",
        "call bash {} --allow bash(ls) --deny bash(rm) --allow read",
        "trust",
        "trust . --yes",
        "trust --list",
        "trust --revoke",
        "receipts export",
        "receipts export --all --output x",
        "resume a",
        "resume a hello",
        "resume --last",
        "resume --last hello",
        "artifacts show a",
        "config show",
        "config path",
        "config check",
        "config schema events",
        "doctor",
        "demo",
        "completions bash",
        "--json tools list",
        "tools list --json --workspace . --add-dir a --add-dir b --mode plan --posture full-access -vv --no-color",
    ] {
        check(line, true);
    }
}

#[test]
fn what_does_not_exist_is_a_mistake() {
    for line in [
        "hello",
        "exec --approvals perhaps x",
        "exec --max-steps 0 x",
        "exec --timeout 0 x",
        "exec --output-format xml x",
        "--posture auto_review doctor",
        "mcp serve",
        "resume a b c",
        "permissions",
        "permissions add bash(ls) --here --everywhere",
        "permissions add bash(ls) --action maybe",
        "trust --list --yes",
        "trust --revoke --yes",
        "receipts export a --all",
    ] {
        check(line, false);
    }
}
