//! A tool server that breaks the contract in one chosen way, to test that the kernel bears it.
//!
//! `tollgate-hostile BEHAVIOUR`: what the process as a whole does ([`behaviour::Behaviour`]). What
//! one call does is said by its argument `how` ([`how`]), so that a call that misbehaves can run
//! beside one that does not. `tollgate-hostile client PATH` is a stranger who connects to a socket.
//!
//! Most behaviours do not know `--manifest`; those that do say so ([`printed`]).
//!
//! It uses the generated code and no SDK: a server of another author would have none of it either.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a behaviour is one deviation; everywhere else it is like all others"
)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    reason = "noise on the log and sudden ends are what this program is for"
)]

mod behaviour;
mod blobs;
mod client;
mod how;
mod journal;
mod leak;
mod manifest;
mod poison;
mod printed;
mod program;
mod raw;
mod service;
mod session;
mod shift;
mod sources;
mod start;
mod told;

use std::process::ExitCode;

use behaviour::Behaviour;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<ExitCode> {
    let mut words = std::env::args().skip(1);
    let word = words.next().unwrap_or_default();
    if word == "client" {
        return client::run(&words.next().unwrap_or_default()).await;
    }
    let behaviour: Behaviour = word.parse()?;
    if let Some(settings) = printed::asked(&mut words) {
        return printed::print(behaviour, &settings);
    }
    match behaviour {
        Behaviour::Exit => {
            eprintln!("I do not want to");
            return Ok(ExitCode::from(7));
        }
        Behaviour::Noise => raw::noise()?,
        _ => {}
    }
    let start = start::read()?;
    match behaviour {
        Behaviour::Silent => raw::silent(start).await,
        Behaviour::Http1 => raw::http1(start).await,
        _ => service::serve(behaviour, start).await,
    }?;
    Ok(ExitCode::SUCCESS)
}
