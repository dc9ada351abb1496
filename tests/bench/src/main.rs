//! Measures the figures of Tollgate, each beside its floor in the same run, and prints one table.
//!
//! | module | job |
//! |---|---|
//! | `args` | the command line, and what this program is when it is its own child |
//! | `run` | one process a figure and a placement; gathers their rows |
//! | `figures` | one file a figure |
//! | `row`, `table`, `output` | what was measured, against its goal, as text or JSON |
//! | `stats`, `place`, `process` | percentiles; pinning; what `/proc` and the kernel say of processes |
//! | `kernel` | a kernel in this process, with echo servers |
//! | `exec` | `tollgate exec` as a process, in a temporary home |
//! | `mock` | a Chat Completions provider whose answers the measurement holds in its hand |
//! | `echo` | a tool server made with the SDK |
//! | `toolsearch` | public sets, plain BM25, quality, made-up tools |
//! | `raw` | a server and a client of bare tonic: the floor |
//!
//! Invariants: a figure is ours beside a floor measured in the same rounds; a figure that falls short
//! is told and is no error; what was started ends with the measurement.
//!
//! Not here: tests. No test asserts a time.

mod args;
mod echo;
mod exec;
mod figures;
mod kernel;
mod mock;
mod output;
mod place;
mod process;
mod raw;
mod row;
mod run;
mod stats;
mod table;
mod toolsearch;

use std::process::ExitCode;

use args::Role;

fn main() -> ExitCode {
    // First of all: a server's launcher must have one thread.
    if let Some(code) = tollgate_launch::main_if_asked() {
        return code;
    }
    let ended = match args::role() {
        Role::Echo(tool) => echo::serve(&tool),
        Role::Raw => raw::serve(),
        Role::Cold { servers, count } => figures::perf_07::cold(servers, count),
        Role::Measure { figure, place, sizes } => run::measure(figure, place, sizes),
        Role::All(options) => return run::all(&options),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
