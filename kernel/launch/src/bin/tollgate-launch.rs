//! The launcher as a program of its own: what `tollgate __launch` does, and nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    tollgate_launch::main_if_asked().unwrap_or(ExitCode::from(126))
}
