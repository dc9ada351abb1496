//! Goal: what only a direct call reaches is reached by no program and by nothing that works for one.

use super::*;
use crate::{
    authority::{admission, policy::Policy},
    call::{Position, Preparation},
    catalog::{Catalog, Provenance, Surface, View},
    safety::{Safety, Trust},
    schema,
    stance::{Mode, Posture, Stance},
    testing::{READ, entry, raw},
};

const ALL: [Caller; 5] =
    [Caller::Model, Caller::Program, Caller::Server, Caller::User, Caller::Client];

/// A tool that takes calls of everybody.
fn open(name: &str) -> Entry {
    Entry { callers: ALL.to_vec(), ..entry(name, READ) }
}

fn at(turn: u32, agent: &str) -> Position {
    Position { turn, agent: agent.to_owned(), ..raw("x").position }
}

fn admitted(entry: Entry, caller: Caller, position: Position) -> Result<Resolved, Refusal> {
    let name = entry.name.as_str().to_owned();
    let asked = RawCall { caller, position, ..raw(&name) };
    let resolved = View::whole(Catalog::from_iter([entry])).resolve(asked).unwrap();
    let stance = Stance { mode: Mode::Work, posture: Posture::FullAccess };
    admission::admit(resolved, stance, Surface::Full, &Policy::default()).map(|it| it.0)
}

fn classified(entry: Entry, caller: Caller) -> Classified {
    let resolved = admitted(entry, caller, at(1, Position::MAIN)).unwrap();
    let checked = schema::check(crate::call::Eligible(resolved)).unwrap();
    checked.classify(Preparation { safety: READ, ..Preparation::default() })
}

/// `[CODE-05]`: each row, for each caller, whatever the manifest says.
#[test]
fn only_a_direct_call_reaches_the_tools_of_the_table() {
    let names = [
        "agent",
        "workflow",
        "request_user_input",
        "execute_tools",
        "terminal",
        "mcp_notes_authenticate",
        "mcp_my_notes_authenticate",
    ];
    for (name, caller) in names.iter().flat_map(|name| ALL.map(|caller| (*name, caller))) {
        let got = admitted(open(name), caller, at(1, Position::MAIN));
        let within = match caller {
            Caller::Program => "not in a program",
            Caller::Server => "not from inside a call",
            Caller::Model | Caller::User | Caller::Client => {
                assert!(got.is_ok(), "{name} {caller:?}: {got:?}");
                continue;
            }
        };
        let refusal = got.unwrap_err();
        assert_eq!((refusal.class.as_str(), refusal.layer), ("direct_only", Layer::Admission));
        let text = &refusal.message;
        assert!(text.contains(name) && text.contains("call it directly"), "{text}");
        assert!(text.ends_with(within), "{text}");
    }
    assert_eq!(DIRECT_ONLY.len() + 2, names.len(), "every row is here");
    for name in ["read", "mcp_authenticate", "mcp__authenticate", "agents", "mcp_a_authenticates"] {
        assert!(admitted(open(name), Caller::Program, at(1, Position::MAIN)).is_ok(), "{name}");
    }
}

/// `[CODE-05]`: what a manifest's `callers` leaves out.
#[test]
fn a_tool_that_takes_no_calls_from_programs_is_called_directly() {
    let refusal = admitted(entry("todo_write", READ), Caller::Program, at(1, Position::MAIN));
    let refusal = refusal.unwrap_err();
    assert_eq!(refusal.class, "direct_only");
    assert_eq!(
        refusal.message,
        "'todo_write' takes no calls from programs: call it directly, not in a program"
    );
    for (entry, may) in [
        (entry("todo_write", READ), false),
        (open("todo_write"), true),
        (open("agent"), false),
        (
            Entry { means: Some(crate::name::ToolName::try_from("agent").unwrap()), ..open("old") },
            false,
        ),
    ] {
        assert_eq!(may_call(&entry), may, "{}", entry.name);
    }
}

/// `[CODE-05]`: a server in between does not wash a program's call.
#[test]
fn what_a_server_asks_for_on_behalf_of_a_program_is_the_programs() {
    let check = |name: &str, caller, expected| {
        assert_eq!(caller_within(&classified(open(name), caller)), expected, "{name} {caller:?}");
    };
    for caller in [Caller::Model, Caller::User, Caller::Client] {
        check("execute_tools", caller, Caller::Program);
        check("read", caller, Caller::Server);
    }
    check("read", Caller::Server, Caller::Server);
    check("read", Caller::Program, Caller::Program);
    let plugin = Entry { provenance: Provenance::Plugin, ..open("execute_tools") };
    assert_eq!(caller_within(&classified(plugin, Caller::Model)), Caller::Server);
}

/// `[CODE-17]`
#[test]
fn a_program_without_a_turn_has_tollgates_own_tools_alone() {
    for (caller, turn, agent, expected) in [
        (Caller::Program, 1, "main", false),
        (Caller::Program, 0, "main", true),
        (Caller::Program, 1, "a-1", true),
        (Caller::Program, 0, "a-1", true),
        (Caller::Server, 0, "a-1", false),
        (Caller::Model, 1, "a-1", false),
        (Caller::User, 0, "main", false),
    ] {
        let asked = RawCall { caller, position: at(turn, agent), ..raw("x") };
        assert_eq!(is_conservative(&asked), expected, "{caller:?} {turn} {agent}");
        for (provenance, native) in [
            (Provenance::Synthetic, true),
            (Provenance::Builtin, true),
            (Provenance::Plugin, false),
            (Provenance::Mcp, false),
        ] {
            let entry = Entry { provenance, ..open("find_it") };
            let got = admitted(entry, caller, at(turn, agent));
            assert_eq!(got.is_ok(), native || !expected, "{caller:?} {turn} {agent}: {got:?}");
            if let Err(refusal) = got {
                assert_eq!(refusal.class, "conservative");
                let helps = if agent == "main" { "`tollgate run FILE.js`" } else { "direct calls" };
                assert!(refusal.message.contains(helps), "{}", refusal.message);
            }
        }
    }
}

/// `[CODE-04]`: whose calls are programs.
#[test]
fn programs_are_run_by_the_native_tool_alone() {
    for (provenance, name, runs) in [
        (Provenance::Builtin, "execute_tools", true),
        (Provenance::Plugin, "execute_tools", false),
        (Provenance::Mcp, "execute_tools", false),
        (Provenance::Synthetic, "execute_tools", false),
        (Provenance::Builtin, "bash", false),
    ] {
        let entry = Entry { provenance, ..open(name) };
        assert_eq!(entry.runs_programs(), runs, "{provenance:?} {name}");
        assert_eq!(classified(entry, Caller::Model).is_program(), runs);
    }
    let untrusted = Entry { trust: Trust::Untrusted, ..open("execute_tools") };
    assert!(!classified(untrusted, Caller::Model).is_program());
}

/// `[CODE-07]`, `[GATE-60]`
#[test]
fn a_card_is_titled_as_a_programs_call() {
    let check = |tool: &str, title: &str, expected: &str| {
        let told = card_title(Caller::Program, tool, title);
        assert_eq!(told, format!("execute_tools program call: {expected}"));
        assert_eq!(card_title(Caller::Program, tool, &told), told, "said once");
        assert_eq!(card_title(Caller::Model, tool, title), title);
    };
    check("bash", "bash", "bash");
    check("bash", "", "bash");
    check("bash", "ls -l", "bash: ls -l");
    // A server's title cannot say that it is another tool.
    check("bash", "execute_tools program call: read", "bash: execute_tools program call: read");
    check(
        "bash",
        "execute_tools program call: bashful",
        "bash: execute_tools program call: bashful",
    );
}

/// The careful value of every claim, for those who look at the table alone.
#[test]
fn the_worst_claims_are_no_program() {
    let entry = Entry { safety: Safety::WORST, ..open("bash") };
    assert!(!entry.runs_programs() && may_call(&entry));
}
