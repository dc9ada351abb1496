//! Goal: nothing that a launched program tries gets out, as root and as nobody, with namespaces and without
//! (`[GATE-70]`), and a launcher that fails runs nothing.
//!
//! The tests start this program again with [`ACT`] in its environment: as a server that becomes a user and
//! starts launchers (which are this program, too), or as the program that a launcher becomes and that tries
//! to escape. A launcher must have one thread, so this program is its own harness.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that is its own harness, which clippy does not take for one"
)]

mod child {
    pub(crate) mod ends;
    pub(crate) mod escapes;
    pub(crate) mod fails;
    pub(crate) mod harness;
    pub(crate) mod inside;
    pub(crate) mod places;
    pub(crate) mod process;
    pub(crate) mod servers;
    pub(crate) mod world;
}

use std::{
    io::{BufRead as _, BufReader, Read as _},
    os::unix::fs::PermissionsExt as _,
    process::{Command, ExitCode, Stdio},
};

use child::{
    ends, escapes, fails, harness, inside, places, process, servers,
    world::{self, NAMESPACES, PLAIN, TIER, USER},
};

/// The environment variable that says what a process that the tests started is to do.
const ACT: &str = "TOLLGATE_TEST_ACT";
/// That which names a program that lends its owner.
const LENT: &str = "TOLLGATE_TEST_LENT";

fn main() -> ExitCode {
    if let Some(code) = tollgate_confine::child::main_if_asked() {
        return code;
    }
    match std::env::var(ACT) {
        Ok(act) if inside::run(&act) => ExitCode::SUCCESS,
        Ok(act) => {
            world::become_user();
            serve(&act);
            ExitCode::SUCCESS
        }
        Err(_) => harness::run(TESTS),
    }
}

const TESTS: &[harness::Test] = &[
    ("every_escape_is_denied", || everywhere("escapes")),
    ("the_network_is_there_if_it_is_given", || everywhere("network")),
    ("a_program_has_what_programs_have", || everywhere("process")),
    ("no_file_lends_a_program_more", no_file_lends_a_program_more),
    ("too_many_processes_are_refused", || in_namespaces("bomb")),
    ("only_its_folders_are_writable_mounts", || in_namespaces("mounts")),
    ("where_proc_is_covered_the_old_one_stays", || in_namespaces("covered proc")),
    ("a_masked_place_cannot_be_read", || in_namespaces("masked")),
    ("a_held_place_cannot_be_changed", || in_namespaces("held")),
    ("places_lie_in_each_other", || in_namespaces("nested")),
    ("places_that_are_links_or_gone", || in_namespaces("links")),
    ("a_place_that_cannot_be_looked_at_is_an_error", || in_namespaces("unseen")),
    ("many_places_and_odd_names", || in_namespaces("many")),
    ("a_program_works_in_shared_memory", || everywhere("memory")),
    ("programs_with_other_places_do_not_see_them", || in_namespaces("beside")),
    ("programs_of_one_holder_reach_each_other", || in_namespaces("loopback")),
    ("terminals_are_its_own", || in_namespaces("terminals")),
    ("a_server_is_held_to_its_plan", || without_namespaces("server")),
    ("a_server_that_is_not_confined_says_so", || without_namespaces("server off")),
    ("a_server_with_threads_lacks_landlock", || without_namespaces("server beside a thread")),
    ("nothing_runs_when_a_step_fails", || everywhere("fails")),
    ("nothing_runs_when_the_holder_is_gone", || in_namespaces("holder is gone")),
    ("with_the_holder_all_programs_end", || in_namespaces("kill the holder")),
    ("what_a_program_leaves_behind_lives_as_long_as_the_holder", || in_namespaces("left behind")),
    ("with_the_server_everything_ends", with_the_server_everything_ends),
    ("with_the_server_a_plain_program_ends", with_the_server_a_plain_program_ends),
];

/// As a server does it.
fn serve(act: &str) {
    match act {
        "escapes" => escapes::all(),
        "network" => escapes::network(),
        "masked" => places::masked(),
        "held" => places::held(),
        "nested" => places::nested(),
        "links" => places::links(),
        "unseen" => places::unseen(),
        "many" => places::many(),
        "beside" => places::beside(),
        "memory" => places::memory(),
        "loopback" => process::loopback(),
        "process" => process::process(),
        "lent" => process::lent(),
        "bomb" => process::bomb(),
        "mounts" => process::mounts(),
        "covered proc" => process::covered_proc(),
        "terminals" => process::terminals(),
        "server" => servers::confined(),
        "server off" => servers::off(),
        "server beside a thread" => servers::beside_a_thread(),
        "fails" => fails::all(),
        "holder is gone" => fails::holder_is_gone(),
        "kill the holder" => ends::kill_the_holder(),
        "left behind" => ends::left_behind(),
        "live" => ends::live(),
        unknown => panic!("no act {unknown}"),
    }
}

/// The users as which a server is tried: root becomes nobody too.
fn users() -> &'static [&'static str] {
    if nix::unistd::geteuid().is_root() { &["same", "nobody"] } else { &["same"] }
}

fn everywhere(act: &str) {
    succeeds(act, &[NAMESPACES, PLAIN]);
}

fn in_namespaces(act: &str) {
    succeeds(act, &[NAMESPACES]);
}

fn without_namespaces(act: &str) {
    succeeds(act, &[PLAIN]);
}

fn command(act: &str, user: &str, tier: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env_clear().env(ACT, act).env(USER, user).env(TIER, tier);
    command
}

/// For what an act makes: one that is killed, or that confines itself, removes nothing.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

fn succeeds(act: &str, tiers: &[&str]) {
    succeeds_with(act, tiers, "");
}

fn succeeds_with(act: &str, tiers: &[&str], lent: &str) {
    for user in users() {
        for tier in tiers {
            let folder = folder();
            let mut command = command(act, user, tier);
            let output = command.env("TMPDIR", folder.path()).env(LENT, lent).output().unwrap();
            let text = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
            assert!(output.status.success(), "{act} as {user}, {tier}: {}", text.join(""));
        }
    }
}

fn no_file_lends_a_program_more() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("cat");
    std::fs::copy("/bin/cat", &program).unwrap();
    for (place, mode) in [(folder.path(), 0o755), (&program, 0o6755)] {
        std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    succeeds_with("lent", &[NAMESPACES, PLAIN], program.to_str().unwrap());
}

/// `kill -9` of the server, while programs run that want to outlive it.
fn with_the_server_everything_ends() {
    for user in users() {
        ends_with_the_server(user, NAMESPACES, &["detached", "up"]);
    }
}

/// Without namespaces what detached itself stays; whoever runs such a server looks for it.
fn with_the_server_a_plain_program_ends() {
    for user in users() {
        ends_with_the_server(user, PLAIN, &["up"]);
    }
}

fn ends_with_the_server(user: &str, tier: &str, lines: &[&str]) {
    let folder = folder();
    let mut command = command("live", user, tier);
    let mut server = command.env("TMPDIR", folder.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    for _ in lines {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(lines.contains(&line.trim()), "as {user}, {tier}: {line:?}");
    }
    server.kill().unwrap();
    server.wait().unwrap();
    // All of them have it open, and so its end is theirs.
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "as {user}, {tier}");
}
