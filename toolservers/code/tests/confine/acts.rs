//! What a process does that the tests started: become a user, prepare, confine itself, act.

use std::{
    process::ExitCode,
    sync::mpsc::{Sender, channel},
};

use nix::unistd::{Gid, Uid, setgid, setgroups, setuid};
use tollgate_code::{
    confine::{Plan, confine},
    settings::Settings,
};
use tollgate_confine::{ConfineError, Requirement};

use super::{escapes, life};

/// The environment variable that says what to do.
pub(crate) const ACT: &str = "TOLLGATE_TEST_ACT";
/// "same" or "nobody".
pub(crate) const USER: &str = "TOLLGATE_TEST_USER";
/// A folder with the socket `kernel`, in which anybody may write.
pub(crate) const FOLDER: &str = "TOLLGATE_TEST_FOLDER";
/// A port of this machine that listens.
pub(crate) const PORT: &str = "TOLLGATE_TEST_PORT";

/// The user and group "nobody" of every distribution.
const NOBODY: u32 = 65_534;

/// Does what a test asked for.
pub(crate) fn run(act: &str) -> ExitCode {
    if std::env::var(USER).is_ok_and(|user| user == "nobody") {
        setgroups(&[]).unwrap();
        setgid(Gid::from_raw(NOBODY)).unwrap();
        setuid(Uid::from_raw(NOBODY)).unwrap();
    }
    match act {
        "escapes" => escaping(None),
        "escapes beside a thread" => escaping(Some(second_thread())),
        "serve" => life::serve(held),
        "program" => life::program(held),
        "abort" => {
            held();
            std::process::abort();
        }
        "panic" => {
            held();
            panic!("as told");
        }
        "panic in a thread" => {
            held();
            assert!(std::thread::spawn(|| panic!("as told")).join().is_err());
            println!("caught");
        }
        "overflow" => {
            held();
            life::overflow();
        }
        "log" => {
            held();
            eprintln!("a line");
        }
        "memory" => life::memory(held),
        "words beside a thread" => {
            let second = second_thread();
            println!("{}", confined(Requirement::BestEffort).unwrap());
            drop(second);
        }
        "required beside a thread" => {
            let second = second_thread();
            println!("{}", confined(Requirement::Required).unwrap_err());
            drop(second);
        }
        unknown => panic!("no act {unknown}"),
    }
    ExitCode::SUCCESS
}

/// Confined as far as this host can, which is told.
fn held() {
    println!("{}", confined(Requirement::BestEffort).unwrap());
}

/// As `tollgate-code` does it, with its usual settings.
fn confined(sandbox: Requirement) -> Result<String, ConfineError> {
    let plan = Settings::default().meaning().unwrap().plan;
    confine(Plan { sandbox, ..plan })
}

/// A thread that waits until what is returned is dropped. With it there is no Landlock.
fn second_thread() -> Sender<()> {
    let (end, ended) = channel::<()>();
    std::thread::spawn(move || ended.recv());
    end
}

fn escaping(second: Option<Sender<()>>) {
    let ready = escapes::Ready::open();
    held();
    for (name, outcome) in escapes::try_all(ready) {
        let outcome = outcome.map_or_else(|errno| format!("{errno:?}"), |()| "WORKED".to_owned());
        println!("tried {name}: {outcome}");
    }
    drop(second);
}
