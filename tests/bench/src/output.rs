//! The only place that prints.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench is for its output")]

/// A line for whoever reads the table.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// What went wrong, on standard error.
pub(crate) fn error(text: &str) {
    eprintln!("tollgate-bench: {text}");
}

/// What is being done, on standard error.
pub(crate) fn progress(text: &str) {
    eprintln!("{text}");
}
