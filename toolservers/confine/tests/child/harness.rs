//! As much of Rust's test harness as `cargo test` and `cargo nextest` use: `--list`, a name with
//! `--exact`, a part of a name, or all.

use std::{panic::catch_unwind, process::ExitCode};

/// A name and what is tested.
pub(crate) type Test = (&'static str, fn());

/// Lists the tests or runs those that the command line names.
pub(crate) fn run(tests: &[Test]) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let named =
        arguments.iter().find(|argument| !argument.starts_with('-') && *argument != "terse");
    let wanted = |name: &str| match named {
        Some(named) if has("--exact") => name == named,
        Some(named) => name.contains(named.as_str()),
        None => true,
    };
    // None is ignored.
    let tests = if has("--ignored") { &[] } else { tests };
    let mut failed = false;
    for (name, test) in tests.iter().filter(|(name, _)| wanted(name)) {
        if has("--list") {
            println!("{name}: test");
            continue;
        }
        let passed = catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed |= !passed;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
