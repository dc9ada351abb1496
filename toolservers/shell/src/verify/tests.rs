//! Goal: what a call is judged as, short of running anything. Runs are in `tests/it/shell/verify.rs`.

use std::fs;

use tollgate_sdk::serde_json::{self, json};

use super::*;
use crate::{line::tests::context, testing::unconfined};

fn input(arguments: serde_json::Value) -> Input {
    serde_json::from_value(arguments).unwrap()
}

fn tool() -> RunTool {
    RunTool::new(Shell::new(&unconfined(), None).unwrap())
}

/// [GATE-22]: a rule on the line holds, whichever tool runs it.
#[tokio::test]
async fn it_is_judged_as_bash_judges_the_same_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "").unwrap();
    let (tool, context) = (tool(), context(folder.path()));
    for (arguments, command) in [
        (json!({"action": "tests"}), "cargo test --no-fail-fast"),
        (json!({"action": "tests", "filter": "x; y"}), "cargo test --no-fail-fast -- 'x; y'"),
        (json!({"action": "verifiers"}), "cargo fmt --check\ncargo clippy --all-targets"),
    ] {
        let preparation = tool.prepare(&input(arguments), &context).await.unwrap();
        let line = crate::line::Line { command: command.into(), ..crate::line::Line::default() };
        let bash = line.prepare(&tool.shell.environment, &context).unwrap();
        assert_eq!(preparation.safety, bash.safety, "{command}");
        assert_eq!(preparation.subjects, bash.subjects, "{command}");
        assert!(preparation.preview.starts_with(command), "{command}");
        assert!(preparation.title.starts_with("Run "), "{}", preparation.title);
    }
}

#[tokio::test]
async fn what_was_judged_is_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Makefile"), "test:\n").unwrap();
    let (tool, context) = (tool(), context(folder.path()));
    let input = input(json!({"action": "tests"}));
    tool.prepare(&input, &context).await.unwrap();
    assert!(tool.check_judged(&input.asked(&context).unwrap(), &context).is_ok());
    tool.prepare(&input, &context).await.unwrap();
    fs::write(folder.path().join("Cargo.toml"), "").unwrap();
    let failure = tool.check_judged(&input.asked(&context).unwrap(), &context).unwrap_err();
    assert!(format!("{failure:?}").contains("files changed"), "{failure:?}");
    for number in 0..2 * JUDGED_MAX {
        let context = Context { call_id: format!("c-{number}"), ..context.clone() };
        tool.prepare(&input, &context).await.unwrap();
    }
    assert_eq!(tool.judged().len(), JUDGED_MAX);
}
