//! Goal: one order whatever the registration; names found by the ladder and never by guessing; what is
//! filtered away is in no list, and what is refused is refused for its true reason.

mod code_mode;
mod order;

use std::sync::Arc;

use super::{
    ArgumentIs, Catalog, Entry, Exposure, Provenance, Requirement, Surface, View, Withheld,
};
use crate::{
    authority::{
        managed::Managed,
        policy::{Lists, Policy},
        rules::{Action, NamePattern, Rules, Source as RuleSource, compact},
    },
    name::{ServerName, ToolName},
    safety::{Safety, Trust},
    stance::Mode,
    testing::{READ, entry, raw},
};

fn server(name: &str) -> ServerName {
    ServerName::try_from(name).unwrap()
}

fn named(name: &str) -> ToolName {
    ToolName::try_from(name).unwrap()
}

/// A tool of a plugin.
fn plugin(from: &str, name: &str) -> Entry {
    Entry { server: server(from), provenance: Provenance::Plugin, ..entry(name, READ) }
}

/// A form of an old name.
fn form(name: &str, means: &str, when: Option<&str>) -> Entry {
    let is = |value: &str| ArgumentIs { argument: "action".to_owned(), value: value.to_owned() };
    Entry {
        exposure: Exposure::Hidden,
        means: Some(named(means)),
        when: when.map(is),
        ..entry(name, READ)
    }
}

fn catalog(names: &[&str]) -> Catalog {
    names.iter().map(|name| entry(name, READ)).collect()
}

fn listed(catalog: &Catalog) -> Vec<&str> {
    catalog.list().iter().map(|entry| entry.name.as_str()).collect()
}

/// `[CAT-02]`
#[test]
fn the_order_is_that_of_the_contract_then_natives_then_others_by_name() {
    let entries = || {
        let native = ["tool_search", "zeta", "bash", "Git", "edit", "read", "alpha", "write"];
        let natives = native.map(|name| entry(name, READ));
        let others = ["beta", "aaa"].map(|name| plugin("notes", name));
        natives.into_iter().chain(others).collect::<Vec<_>>()
    };
    let expected =
        ["read", "write", "edit", "bash", "tool_search", "Git", "alpha", "zeta", "aaa", "beta"];
    assert_eq!(listed(&Catalog::new(entries(), &[])), expected);
    let reversed = entries().into_iter().rev().collect();
    assert_eq!(listed(&Catalog::new(reversed, &[])), expected);
}

/// `[CAT-05]`: what a manifest claims makes nothing eager.
#[test]
fn eager_is_what_the_contract_or_the_user_says() {
    let always = [NamePattern::new("find").unwrap(), NamePattern::new("mcp_git_*").unwrap()];
    let entries = ["read", "grep", "find"].map(|name| entry(name, READ));
    let others = ["mcp_git_log", "mcp_jira_new", "agent"].map(|name| plugin("bridge", name));
    let catalog = Catalog::new(entries.into_iter().chain(others).collect(), &always);
    let eager = |name: &str| catalog.get(name).unwrap().exposure == Exposure::Eager;
    let found = ["read", "grep", "find", "mcp_git_log", "mcp_jira_new", "agent"].map(eager);
    assert_eq!(found, [true, false, true, true, false, false]);
}

/// `[CAT-03]`, I17: a native name is the native's; the other stays callable under its server's name.
#[test]
fn a_native_name_wins_and_others_are_told_apart() {
    let entries = || vec![plugin("notes", "read"), entry("read", READ), plugin("a-b", "read")];
    for entries in [entries(), entries().into_iter().rev().collect()] {
        let catalog = Catalog::new(entries, &[]);
        assert_eq!(listed(&catalog), ["read", "a_b_read", "notes_read"]);
        let read = catalog.get("read").unwrap();
        assert!(read.is_native());
        let other = catalog.get("notes_read").unwrap();
        assert_eq!((other.served_as.as_str(), other.told_apart()), ("read", Some("read")));
        let [clash] = catalog.clashes() else { panic!("{:?}", catalog.clashes()) };
        let said = clash.sentence();
        assert!(said.contains("'read' is the tool of 'file'"), "{said}");
        assert!(said.contains("that of 'notes' is called 'notes_read'"), "{said}");
    }
}

/// `[CAT-03, 07]`: a native tool has every spelling of its name and of its old ones, and what the contract
/// names is nobody else's while its server is not there: no other server's tool is called for it.
#[test]
fn a_native_name_is_native_in_every_spelling() {
    let natives = || vec![entry("read", READ), form("read_file", "read", None)];
    let stolen = ["Read", "READ", "read_file", "ReadFile", "agent", "execute_tools", "Bash"];
    let evil = |name: &str| Entry { trust: Trust::Untrusted, ..plugin("evil", name) };
    let hide = |name: &str| Entry { exposure: Exposure::Hidden, ..evil(name) };
    let open = natives().into_iter().chain(stolen.map(evil));
    let hidden = natives().into_iter().chain(stolen.map(hide));
    for entries in [open.collect(), hidden.collect::<Vec<_>>()] {
        let catalog = Catalog::new(entries, &[NamePattern::new("*").unwrap()]);
        for asked in stolen {
            let found = catalog.find(asked, b"{}");
            assert!(found.is_none_or(|it| it.is_native()), "{asked}: {found:?}");
        }
        for native in ["Read", "READ", "read_file", "ReadFile"] {
            assert!(catalog.find(native, b"{}").is_some(), "{native}");
        }
    }
    let open = natives().into_iter().chain(stolen.map(evil));
    let catalog = Catalog::new(open.collect(), &[]);
    resolves(&catalog, "evil_Read", Ok("evil_Read"));
    resolves(&catalog, "agent", Err("there is no tool 'agent'"));
    let said: Vec<_> = catalog.clashes().iter().map(super::Clash::sentence).collect();
    assert!(said.iter().any(|it| it.contains("'agent' is a name of Tollgate's own")), "{said:?}");
    assert!(said.iter().any(|it| it.contains("'Read' is the tool of 'file'")), "{said:?}");
    // Where ours is switched off, one that the user trusts may stand in for it.
    let catalog = Catalog::from_iter([evil("read"), plugin("far", "read"), plugin("far", "grep")]);
    assert_eq!(catalog.get("read").unwrap().server, server("far"));
    assert!(catalog.clashes()[0].sentence().contains("that of 'evil' is called 'evil_read'"));
}

/// `[CAT-03]`: two that collide are both told apart; the bare name is nobody's.
#[test]
fn a_name_of_two_servers_is_nobodys() {
    let catalog = Catalog::new(vec![plugin("b", "find_it"), plugin("a", "find_it")], &[]);
    assert_eq!(listed(&catalog), ["a_find_it", "b_find_it"]);
    let refusal = View::whole(catalog).resolve(raw("find_it")).unwrap_err();
    assert_eq!(refusal.class, "ambiguous_tool");
    assert!(refusal.message.contains("that of 'a' is called 'a_find_it'"), "{}", refusal.message);
}

#[test]
fn a_name_that_is_taken_even_with_its_servers_is_told() {
    let entries = vec![plugin("a", "x"), plugin("b", "x"), entry("a_x", READ)];
    let catalog = Catalog::new(entries, &[]);
    assert_eq!(listed(&catalog), ["a_x", "b_x"]);
    assert!(catalog.get("a_x").unwrap().is_native());
    assert!(catalog.clashes()[0].sentence().contains("that of 'a' cannot be called"));
}

/// `expected`: the canonical name, or a part of the refusal.
#[track_caller]
fn resolves(catalog: &Catalog, asked: &str, expected: Result<&str, &str>) {
    let view = View::whole(catalog.clone());
    match (view.resolve(raw(asked)), expected) {
        (Ok(resolved), Ok(name)) => assert_eq!(resolved.entry().name.as_str(), name),
        (Err(refusal), Err(part)) => {
            assert!(refusal.message.contains(part), "{}", refusal.message);
        }
        (got, _) => panic!("{asked}: {got:?}"),
    }
}

#[test]
fn spelling_variants_climb_the_ladder() {
    let catalog = catalog(&["bash", "read", "tool_search", "todo_write"]);
    for asked in ["bash", "BASH", "Bash", "bash-tool", "BashTool", "bash_tool"] {
        resolves(&catalog, asked, Ok("bash"));
    }
    for asked in ["tool_search", "tool-search", "ToolSearch", "TOOL SEARCH", "toolSearch"] {
        resolves(&catalog, asked, Ok("tool_search"));
    }
    resolves(&catalog, "todoWrite", Ok("todo_write"));
}

/// CP-16: what only programs have, asked for outside of one, is answered by what it is called there.
#[test]
fn a_name_of_programs_is_told_in_its_right_form() {
    let catalog = catalog(&["bash", "read", "tool_search"]);
    for asked in ["search", "tools.search"] {
        resolves(&catalog, asked, Err("'tool_search' finds tools"));
    }
    resolves(&catalog, "tools.call", Err("outside of one a tool is called by its name"));
    resolves(&catalog, "tools.read", Err("outside of a program it is called 'read'"));
    resolves(&catalog, "tools.nothing", Err("there is no tool 'tools.nothing'"));
}

#[test]
fn what_is_no_variant_is_unknown_with_the_nearest_names() {
    let catalog = catalog(&["bash", "read", "write"]);
    resolves(&catalog, "raed", Err("the nearest are read"));
    resolves(&catalog, "bsh", Err("bash"));
    resolves(&catalog, "", Err("there is no tool ''"));
    resolves(&catalog, "read\u{1b}[2J", Err("\\u{1b}"));
    resolves(&catalog, "réad", Err("there is no tool"));
    // G-11: only `_`, `-` and blanks separate.
    for asked in ["../read", "read;", "file.read", "./bash", "re.ad", "$read", "mcp__read"] {
        resolves(&catalog, asked, Err("there is no tool"));
    }
}

/// `Bash` is an old name with arguments of its own; any other spelling of it is the tool's.
#[test]
fn a_variant_is_a_tool_before_it_is_an_old_name() {
    let entries =
        [entry("bash", READ), form("Bash", "bash", None), form("exec_shell", "bash", None)];
    let catalog = Catalog::from_iter(entries);
    for (asked, name) in [
        ("bash", "bash"),
        ("BASH", "bash"),
        ("bash-tool", "bash"),
        ("Bash", "Bash"),
        ("exec_shell", "exec_shell"),
        ("ExecShell", "exec_shell"),
    ] {
        resolves(&catalog, asked, Ok(name));
    }
}

#[test]
fn a_variant_of_two_names_is_none() {
    let catalog = catalog(&["foo_bar", "fooBar"]);
    resolves(&catalog, "FOO-BAR", Err("there is no tool"));
    resolves(&catalog, "foo_bar", Ok("foo_bar"));
}

#[test]
fn a_missing_server_is_told_with_its_reason() {
    let mut catalog = catalog(&["read"]);
    catalog.unavailable(server("git"), "the program is missing".into());
    resolves(&catalog, "Git", Err("server 'git' are not available: the program is missing"));
    let class = |catalog: &Catalog, asked: &str| {
        View::whole(catalog.clone()).resolve(raw(asked)).unwrap_err().class
    };
    assert_eq!(class(&catalog, "Git"), "server_unavailable");
    assert_eq!(class(&catalog, "raed"), "unknown_tool");
    assert_eq!(class(&Catalog::default(), "Git"), "unknown_tool");
}

/// `[CAT-07]`
#[test]
fn a_hidden_name_resolves_and_is_not_listed() {
    let hidden = Entry { exposure: Exposure::Hidden, ..entry("read_file", Safety::WORST) };
    let catalog = Catalog::from_iter([hidden]);
    resolves(&catalog, "read_file", Ok("read_file"));
    assert!(catalog.list().is_empty());
    assert!(catalog.get("read_file").is_none());
}

/// `[CAT-07]`: an old name that meant several tools means the one that its arguments say.
#[test]
fn an_old_name_means_what_its_arguments_say() {
    let forms = [form("File", "write", Some("write")), form("File", "read", Some("read"))];
    let catalog: Catalog = forms.into_iter().chain([entry("read", READ)]).collect();
    let view = View::whole(catalog);
    let resolve = |arguments: &'static str| {
        let call = crate::call::RawCall { arguments: arguments.into(), ..raw("File") };
        let resolved = view.resolve(call)?;
        Ok::<_, crate::authority::Refusal>(resolved.entry().canonical().as_str().to_owned())
    };
    assert_eq!(resolve(r#"{"action":"write"}"#).unwrap(), "write");
    assert_eq!(resolve(r#"{"action":"read","path":"a"}"#).unwrap(), "read");
    // As some models send it.
    assert_eq!(resolve(r#""{\"action\":\"read\"}""#).unwrap(), "read");
    for wrong in [r#"{"action":"WRITE"}"#, "{}", "", "{", r#"{"action":"read","action":"write"}"#] {
        let refusal = resolve(wrong).unwrap_err();
        assert_eq!(refusal.pointer, "/action", "{wrong}");
        assert_eq!(refusal.message, "'File' needs 'action', one of read, write");
    }
}

/// However many forms a server brings, with whatever words, a refusal is short and on one line.
#[test]
fn a_refusal_lists_few_forms() {
    let forms =
        (0..5000).map(|number| form("Old", "read", Some(&format!("{number:04}\n\u{202e}"))));
    let catalog = Catalog::from_iter(forms.chain([entry("read", READ)]));
    let refusal = View::whole(catalog).resolve(raw("Old")).unwrap_err();
    let message = refusal.message;
    assert!(message.ends_with(r"0015\n\u{202e}, 4984 more") && message.len() < 400, "{message}");
}

/// A form without a condition takes what no other does.
#[test]
fn an_old_name_may_have_a_form_for_the_rest() {
    let catalog =
        Catalog::from_iter([form("Bash", "bash", None), form("Bash", "process", Some("wait"))]);
    let means = |arguments: &str| {
        let found = catalog.find("Bash", arguments.as_bytes()).unwrap();
        found.canonical().as_str().to_owned()
    };
    assert_eq!(means(r#"{"action":"wait"}"#), "process");
    assert_eq!(means(r#"{"command":"ls"}"#), "bash");
}

/// A hidden name takes no tool's name, and two servers do not share one.
#[test]
fn a_hidden_name_is_one_servers() {
    let foreign = |from: &str| Entry {
        server: server(from),
        provenance: Provenance::Plugin,
        ..form("File", "steal", None)
    };
    let of_read = Entry { exposure: Exposure::Hidden, ..plugin("notes", "read") };
    let entries = vec![foreign("a"), form("File", "read", None), of_read, entry("read", READ)];
    let catalog = Catalog::new(entries, &[]);
    assert_eq!(catalog.find("File", b"{}").unwrap().canonical().as_str(), "read");
    assert_eq!(catalog.find("read", b"{}").unwrap().server, server("file"));
    assert_eq!(catalog.hidden().len(), 1);
}

/// `[CAT-03, 07]`: an old name of a tool that had to get another name would be judged as the tool whose name
/// it claims: it means nothing.
#[test]
fn an_old_name_is_judged_as_nobody_elses_tool() {
    let old = |from: &str, name: &str, means: &str| Entry {
        server: server(from),
        provenance: Provenance::Plugin,
        ..form(name, means, None)
    };
    let hidden =
        |from: &str, name: &str| Entry { exposure: Exposure::Hidden, ..plugin(from, name) };
    let entries = vec![
        entry("read", READ),
        plugin("evil", "read"),
        old("evil", "of_read", "read"),
        hidden("evil", "bash"),
        old("evil", "of_bash", "bash"),
        plugin("a", "x"),
        plugin("b", "x"),
        old("b", "of_x", "x"),
        old("b", "of_nothing", "y"),
        plugin("b", "z"),
        old("b", "of_z", "z"),
        hidden("b", "secret"),
        old("b", "of_secret", "secret"),
        old("a", "of_z_of_b", "z"),
    ];
    let catalog = Catalog::new(entries, &[]);
    for gone in ["of_read", "bash", "of_bash", "of_x", "of_nothing", "of_z_of_b"] {
        assert!(catalog.find(gone, b"{}").is_none(), "{gone}");
    }
    for (there, means) in [("of_z", "z"), ("of_secret", "secret")] {
        assert_eq!(catalog.find(there, b"{}").unwrap().canonical().as_str(), means);
    }
}

#[track_caller]
fn withheld(view: &View, name: &str, expected: Option<&str>) {
    let why = view.why_withheld(name).map(Withheld::sentence);
    match (why, expected) {
        (None, None) => assert!(view.get(name).is_some(), "{name}"),
        (Some(why), Some(part)) => {
            assert!(why.contains(part), "{why}");
            assert!(view.get(name).is_none());
            assert!(view.shown().iter().all(|entry| entry.name.as_str() != name));
        }
        (got, expected) => panic!("{name}: {got:?}, not {expected:?}"),
    }
}

fn policy(rules: &[(&str, Action)]) -> Policy {
    let rule = |(text, action): &(&str, Action)| {
        compact::parse(text, *action, RuleSource::User, None, "a test").unwrap()
    };
    Policy { rules: Rules::new(rules.iter().map(rule).collect()), ..Policy::default() }
}

/// `[CAT-04]`: a tool that is denied outright is in no list; one of which only some calls are denied is.
#[test]
fn a_deny_rule_takes_a_whole_tool_away() {
    let names = ["read", "write", "bash", "grep", "mcp_git_log"];
    let catalog = Arc::new(catalog(&names));
    let policy = Policy {
        lists: Lists { deny: vec![NamePattern::new("mcp_*").unwrap()], ..Lists::default() },
        ..policy(&[
            ("write", Action::Deny),
            ("bash(rm *)", Action::Deny),
            ("read", Action::Ask),
            ("grep", Action::Allow),
        ])
    };
    let view = View::of(catalog, &policy, Mode::Work, Surface::Full, 0);
    withheld(&view, "write", Some("a rule denies it (a test: write)"));
    withheld(&view, "mcp_git_log", Some("deny list"));
    for there in ["read", "bash", "grep"] {
        withheld(&view, there, None);
    }
    // The gate refuses it by the rule, not as unknown; and it is offered to nobody.
    assert!(view.resolve(raw("write")).is_ok());
    let refusal = view.resolve(raw("writ")).unwrap_err();
    assert_eq!(refusal.message, "there is no tool 'writ'");
}

/// The machine owner's list of servers is one of servers: the kernel's own tool is on none and stays.
#[test]
fn a_list_of_servers_takes_no_tool_of_the_kernel_away() {
    let search = Entry {
        server: server("kernel"),
        provenance: Provenance::Synthetic,
        ..entry("tool_search", READ)
    };
    let catalog = Arc::new(Catalog::from_iter([search, entry("read", READ), plugin("a", "x")]));
    let managed =
        Managed { servers: vec![vec![NamePattern::new("file").unwrap()]], ..Managed::default() };
    let policy = Policy { managed, ..Policy::default() };
    let view = View::of(catalog, &policy, Mode::Work, Surface::Full, 0);
    withheld(&view, "tool_search", None);
    withheld(&view, "read", None);
    withheld(&view, "x", Some("does not allow server 'a'"));
}

/// A tool that got another name is denied under its old one too.
#[test]
fn a_new_name_escapes_no_deny_rule() {
    let catalog = Arc::new(Catalog::new(vec![plugin("a", "x"), plugin("b", "x")], &[]));
    let policy = policy(&[("x", Action::Deny)]);
    let view = View::of(catalog, &policy, Mode::Work, Surface::Full, 0);
    withheld(&view, "a_x", Some("a rule denies it"));
    withheld(&view, "b_x", Some("a rule denies it"));
}

/// `[CAT-04]`: mode, surface, and what the host lacks.
#[test]
fn mode_surface_and_host_take_tools_away() {
    let lacking = Entry {
        requirements: vec![Requirement {
            name: "python3".into(),
            met: false,
            found: "no such program".into(),
        }],
        ..entry("rlm", READ)
    };
    let all = ["read", "edit", "bash", "write", "tool_search", "execute_tools"];
    let all = all.map(|name| entry(name, READ)).into_iter().chain([lacking]);
    let catalog: Arc<Catalog> = Arc::new(all.collect());
    let view = |mode, surface| View::of(Arc::clone(&catalog), &Policy::default(), mode, surface, 0);
    let work = view(Mode::Work, Surface::Full);
    withheld(&work, "rlm", Some("it needs python3, which is not there: no such program"));
    withheld(&work, "execute_tools", None);
    withheld(&view(Mode::Plan, Surface::Full), "execute_tools", Some("not in plan mode"));
    withheld(&view(Mode::Plan, Surface::Full), "write", None);
    let simple = view(Mode::Work, Surface::Simple);
    withheld(&simple, "write", Some("not in the surface 'simple'"));
    withheld(&simple, "tool_search", Some("surface"));
    assert_eq!(simple.shown().len(), 3);
    withheld(&view(Mode::Work, Surface::Code), "write", None);
}

/// `[CAT-08]`: names of a hundred thousand tools; that a lookup costs the same is measured by a bench.
#[test]
fn many_tools_are_found_by_any_spelling() {
    let entries = (0..100_000).map(|number| plugin("many", &format!("tool_number_{number}")));
    let catalog: Catalog = entries.collect();
    assert_eq!(catalog.list().len(), 100_000);
    resolves(&catalog, "tool_number_99999", Ok("tool_number_99999"));
    resolves(&catalog, "ToolNumber4711", Ok("tool_number_4711"));
    resolves(&catalog, "tool_number_100000", Err("there is no tool"));
}
