//! Goal: one reading of everything; a broken file never loosens what was in force; a project can only
//! tighten.

use std::{fs, path::Path, sync::Arc};

use tollgate_core::authority::{
    law::Law,
    policy::Lists,
    rules::{Action, NamePattern, Rule, Source, compact},
};

use super::{Extra, Policies, Standing};
use crate::{
    testing::{Dice, World},
    trust::Trust,
};

const PERMISSIONS: &str = "home/.config/permissions.toml";
const HOOKS: &str = "home/.config/hooks.toml";
const MANAGED: &str = "etc/managed.toml";
const LAW: &str = "work/.tollgate/law.toml";
const PROJECT_HOOKS: &str = "work/.tollgate/hooks.toml";
const TOOLS: &[&str] = &["bash", "read", "write"];

fn deny(tool: &str) -> String {
    format!("[[rule]]\naction = \"deny\"\ntool = \"{tool}\"\n")
}

fn rule(action: Action, source: Source, tool: &str) -> Rule {
    Rule {
        action,
        source,
        tool: NamePattern::new(tool).unwrap(),
        command: None,
        path: None,
        host: None,
        server: None,
        workspace: None,
        reason: String::new(),
        expires_unix_ms: None,
        origin: "here".to_owned(),
    }
}

/// The user's rules in force, by tool.
fn tools(standing: &Standing) -> Vec<&str> {
    standing.policy.rules.all().iter().map(|rule| rule.tool.as_str()).collect()
}

fn managed(standing: &Standing) -> Vec<&str> {
    standing.policy.managed.rules.all().iter().map(|rule| rule.tool.as_str()).collect()
}

fn trust(world: &World) {
    let mut trust = Trust::load(&world.places().trust).unwrap();
    let shown = trust.review(&world.at("work")).unwrap();
    trust.grant(&world.at("work"), &shown).unwrap();
}

fn broken(world: &World, standing: &Standing) -> String {
    standing.policy.broken.as_deref().map(|text| world.short(text)).unwrap_or_default()
}

/// `[GATE-20, 40, 50, 51]`
#[test]
fn everything_is_read_together() {
    let world = World::new();
    world.put(PERMISSIONS, deny("bash")).put(MANAGED, deny("write"));
    world.put(HOOKS, "[[hook]]\nevent = \"error\"\ncommand = \"x\"\n");
    world.put(LAW, "[[protect]]\npaths = [\"a\"]\n").put(".git/HEAD", "");
    let standing = world.open().unwrap().current();
    assert_eq!((tools(&standing), managed(&standing)), (vec!["bash"], vec!["write"]));
    assert_eq!(standing.hooks.len(), 1);
    let policy = &standing.policy;
    assert!(matches!(policy.law, Law::Protects { .. }));
    assert!(policy.workspace.git && !policy.workspace.trusted && policy.workspace.writes_auto);
    assert!(policy.taint && policy.broken.is_none() && policy.sha256.is_some());
    assert_eq!(policy.home, Some(world.at("home")));
    assert_eq!(standing.notes, [""; 0]);
}

/// Nothing at all is a policy too.
#[test]
fn no_file_at_all_is_no_fault() {
    let world = World::new();
    let policies = world.open().unwrap();
    assert_eq!(policies.workspace(), Some(world.at("work").as_path()));
    let standing = policies.current();
    assert!(standing.policy.rules.all().is_empty() && standing.hooks.is_empty());
    assert!(!standing.policy.workspace.git && !standing.policy.workspace.trusted);
    Policies::open(world.places(), Extra::default(), Vec::new()).unwrap_err();
}

/// G-07 CFG-09 `[GATE-20]`
#[test]
fn every_fault_of_every_file_is_told_before_anything_starts() {
    let world = World::new();
    world.put(PERMISSIONS, "[[rule]]\naction = \"alow\"\ntool = \"bash\"\ntol = 1\n");
    world.put(HOOKS, "[[hook]]\n").put(MANAGED, "allow = []\n");
    let faults = world.faults();
    let places = [
        "home/.config/permissions.toml:2: rule.action: ",
        "home/.config/permissions.toml:4: rule.tol: ",
        "etc/managed.toml:1: allow: ",
        "home/.config/hooks.toml:1: hook: 'event' is missing",
        "home/.config/hooks.toml:1: hook: 'command' is missing",
    ];
    for place in places {
        assert!(faults.contains(place), "{place} in {faults}");
    }
    assert_eq!(faults.lines().count(), places.len(), "{faults}");
    world.put(PERMISSIONS, "\u{feff}").put(HOOKS, "[[hook").put(MANAGED, "").mode(MANAGED, 0o666);
    let faults = world.faults();
    assert_eq!(faults.lines().count(), 3, "{faults}");
}

/// `[THR-03]` G-07
#[test]
fn a_file_that_breaks_leaves_the_last_good_reading_and_says_so() {
    let world = World::new();
    let files = [PERMISSIONS, MANAGED, HOOKS];
    let guard = "[[hook]]\nevent = \"tool_call_before\"\ncommand = \"exit 2\"\n";
    let reset =
        || world.put(PERMISSIONS, deny("bash")).put(MANAGED, deny("write")).put(HOOKS, guard);
    reset();
    let policies = world.open().unwrap();
    for file in files {
        world.put(file, "[[rule]");
        let standing = policies.refresh();
        assert!(broken(&world, &standing).starts_with(file), "{}", broken(&world, &standing));
        assert_eq!((tools(&standing), managed(&standing)), (vec!["bash"], vec!["write"]));
        assert_eq!(standing.hooks.len(), 1);
        reset();
        assert_eq!(policies.refresh().policy.broken, None);
    }
    world.mode(MANAGED, 0o666);
    let standing = policies.refresh();
    assert!(broken(&world, &standing).contains("can be written by others"));
    assert_eq!(managed(&standing), ["write"]);
}

/// One broken file does not keep another from tightening.
#[test]
fn the_other_files_go_on() {
    let world = World::new();
    world.put(PERMISSIONS, deny("bash"));
    let policies = world.open().unwrap();
    world.put(PERMISSIONS, "nonsense").put(MANAGED, deny("write"));
    let standing = policies.refresh();
    assert_eq!((tools(&standing), managed(&standing)), (vec!["bash"], vec!["write"]));
    assert!(standing.policy.broken.is_some());
    fs::remove_file(world.at(PERMISSIONS)).unwrap();
    let standing = policies.refresh();
    assert_eq!((tools(&standing), managed(&standing)), (vec![""; 0], vec!["write"]));
    assert!(standing.policy.broken.is_none());
}

/// A look that finds nothing new gives the same reading.
#[test]
fn nothing_new_is_the_same_reading() {
    let world = World::new();
    world.put(PERMISSIONS, deny("bash"));
    let policies = world.open().unwrap();
    let before = policies.current();
    world.put(PERMISSIONS, deny("bash"));
    assert!(Arc::ptr_eq(&before, &policies.refresh()));
    world.put(PERMISSIONS, deny("write"));
    let after = policies.refresh();
    assert_ne!(before.policy.sha256, after.policy.sha256);
    assert_eq!(tools(&after), ["write"]);
    world.put(PERMISSIONS, deny("bash"));
    assert_eq!(before.policy.sha256, policies.refresh().policy.sha256);
}

/// `[GATE-50]`: a law that breaks is a state in which nothing is written, also at the start.
#[test]
fn a_broken_law_is_a_state() {
    let world = World::new();
    world.put(LAW, "[[protect]]\n");
    let policies = world.open().unwrap();
    assert!(matches!(policies.current().policy.law, Law::Broken { .. }));
    world.put(LAW, "");
    assert!(matches!(policies.refresh().policy.law, Law::Protects { .. }));
    world.put(LAW, "x");
    let standing = policies.refresh();
    assert!(matches!(standing.policy.law, Law::Broken { .. }) && standing.policy.broken.is_none());
}

/// The law of a folder that was added holds there.
#[test]
fn the_law_of_every_root_holds() {
    let world = World::new();
    world.put("added/.tollgate/law.toml", "[[protect]]\npaths = [\"gen/**\"]\n");
    let roots = vec![world.at("work"), world.at("added")];
    let policies = Policies::open(world.places(), Extra::default(), roots).unwrap();
    let Law::Protects { root, places } = &policies.current().policy.law else { panic!("no law") };
    assert!(places[0].paths[0].pattern().matches(&world.at("added/gen/x"), root));
}

/// CFG-01 CFG-05 CFG-06 `[GATE-13]`
#[test]
fn a_projects_hooks_count_as_the_user_saw_them() {
    let world = World::new();
    let hooks = "[[hook]]\nevent = \"error\"\ncommand = [\"./guard.sh\"]\n";
    world.put(PROJECT_HOOKS, hooks).put("work/guard.sh", "exit 0").put("work/.mcp.json", "{}");
    let policies = world.open().unwrap();
    let check = |hooks: usize, expected: &[&str]| {
        let standing = policies.refresh();
        assert_eq!(standing.hooks.len(), hooks);
        let notes: Vec<String> = standing.notes.iter().map(|note| world.short(note)).collect();
        assert_eq!(notes, expected);
    };
    let unknown = "does not count: you do not trust this workspace (run `tollgate trust`)";
    let other = "does not count: it is not what you saw when you trusted this workspace (run `tollgate trust`)";
    let line = |name: &str, why: &str| format!("{name} {why}");
    check(0, &[&line("work/.mcp.json", unknown), &line(PROJECT_HOOKS, unknown)]);
    trust(&world);
    check(1, &[]);
    assert!(policies.current().policy.workspace.trusted);
    world.put("work/guard.sh", "touch CANARY");
    check(0, &[&line("work/guard.sh", other)]);
    assert!(policies.current().policy.workspace.trusted, "its ordinary files stay trusted");
    world.put("work/guard.sh", "exit 0");
    check(1, &[]);
    world.put(PROJECT_HOOKS, format!("{hooks}# one byte more"));
    check(0, &[&line(PROJECT_HOOKS, other)]);
    trust(&world);
    check(1, &[]);
    world.put("home/state/trust.json", "{");
    let standing = policies.refresh();
    assert!(standing.hooks.is_empty() && !standing.policy.workspace.trusted);
    assert!(standing.notes[0].contains("no workspace counts as trusted"), "{:?}", standing.notes);
}

/// G-12 CFG-02: whatever a project writes, no rule, hook, trust or allowance comes of it.
#[test]
fn a_project_adds_nothing_but_law() {
    let world = World::new();
    world.put(PERMISSIONS, deny("bash"));
    let names = ["permissions.toml", "hooks.toml", "managed.toml", "trust.json", "law.toml"];
    let texts = [
        "allow = [\"bash\"]\n",
        "[[rule]]\naction = \"allow\"\ntool = \"*\"\n",
        "[[hook]]\nevent = \"tool_call_before\"\ncommand = \"echo '{\\\"decision\\\":\\\"allow\\\"}'\"\n",
        "postures = [\"full-access\"]\n",
        "{\"version\": 1, \"workspaces\": {}}",
        "\u{0}\u{1}",
        "[[protect]]\npaths = [\"**\"]\naction = \"ask\"\n",
    ];
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let policies = world.open().unwrap();
    for _ in 0..300 {
        world.put(&format!("work/.tollgate/{}", dice.pick(&names)), dice.pick(&texts));
        world.put("work/.tollgate/config.toml", dice.pick(&texts));
        let standing = policies.refresh();
        let policy = &standing.policy;
        assert_eq!(tools(&standing), ["bash"]);
        assert!(standing.hooks.is_empty() && policy.managed.postures.is_none());
        assert!(policy.broken.is_none() && !policy.workspace.trusted);
    }
}

/// B100 `[GATE-13]`: what either side denies is denied, and a project allows nothing.
#[test]
fn a_projects_rules_only_tighten() {
    let world = World::new();
    world.put(PERMISSIONS, deny("bash"));
    let open = |rules: Vec<Rule>| {
        let extra = Extra { rules, ..Extra::default() };
        Policies::open(world.places(), extra, vec![world.at("work")])
    };
    let error = open(vec![rule(Action::Allow, Source::Project, "bash")]).unwrap_err();
    assert!(error.to_string().starts_with("here: a project can only tighten"), "{error}");
    let policies = open(vec![rule(Action::Deny, Source::Project, "write")]).unwrap();
    assert_eq!(tools(&policies.current()), ["bash", "write"]);
}

/// `[GATE-20]`
#[test]
fn rules_and_hooks_name_tools_that_there_are() {
    let world = World::new();
    world.put(PERMISSIONS, "[[rule]]\naction = \"deny\"\ntool = \"bsh\"\n\n[[rule]]\naction = \"deny\"\ntool = \"mcp_new_tool\"\n\n[[rule]]\naction = \"deny\"\ntool = \"mcp*\"\n");
    world.put(HOOKS, "[[hook]]\nevent = \"tool_call_before\"\ncommand = \"x\"\nmatch = { tool = [\"bash\", \"wrte\"] }\n");
    world.put(MANAGED, deny("github_*"));
    let lists = Lists { allow: None, deny: vec![NamePattern::new("reed").unwrap()] };
    let rules = vec![rule(Action::Allow, Source::User, "nothing")];
    let extra = Extra { rules, lists, ..Extra::default() };
    let policies = Policies::open(world.places(), extra, vec![world.at("work")]).unwrap();
    let faults = world.short(&policies.check_tools(TOOLS).unwrap_err().to_string());
    let expected = [
        "home/.config/permissions.toml:1: rule.tool: there is no tool 'bsh'; did you mean 'bash'?",
        "etc/managed.toml:1: rule.tool: no tool has a name like 'github_*'",
        "home/.config/hooks.toml:4: hook.match.tool: there is no tool 'wrte'; did you mean 'write'?",
        "config.toml: tools.deny: there is no tool 'reed'; did you mean 'read'?",
        "here: there is no tool 'nothing'",
    ];
    assert_eq!(faults.lines().collect::<Vec<_>>(), expected);
}

/// `[GATE-20]`: also in a file that is written while a session runs.
#[test]
fn a_tool_that_there_is_not_breaks_a_later_reading() {
    let world = World::new();
    world.put(PERMISSIONS, deny("bash"));
    let policies = world.open().unwrap();
    policies.check_tools(TOOLS).unwrap();
    world.put(PERMISSIONS, deny("bsh"));
    let standing = policies.refresh();
    assert_eq!(tools(&standing), ["bash"]);
    assert!(broken(&world, &standing).contains("did you mean 'bash'?"));
}

/// `[CAT-40]` Servers may bring tools, and lose them, while a session runs.
#[test]
fn a_tool_that_comes_later_may_be_named_from_then_on() {
    let world = World::new();
    let policies = world.open().unwrap();
    policies.check_tools(TOOLS).unwrap();
    world.put(PERMISSIONS, deny("fresh"));
    assert!(broken(&world, &policies.refresh()).contains("there is no tool 'fresh'"));
    policies.learn_tools(&["fresh", "read"]);
    let standing = policies.refresh();
    assert_eq!((tools(&standing), broken(&world, &standing)), (vec!["fresh"], String::new()));
    // It is gone again, and so is 'bash'; what was known may be named.
    policies.learn_tools(&["read"]);
    world.put(PERMISSIONS, deny("bash"));
    let standing = policies.refresh();
    assert_eq!((tools(&standing), broken(&world, &standing)), (vec!["bash"], String::new()));
}

/// `[GATE-23]`
#[test]
fn what_is_remembered_holds_at_once_and_stays() {
    let world = World::new();
    let policies = world.open().unwrap();
    policies.remember(&[rule(Action::Allow, Source::Session, "write")]).unwrap();
    let stored = policies.current();
    let stored = &stored.policy.rules.all()[0];
    assert_eq!((stored.source, stored.origin.as_str()), (Source::User, "permissions.toml:3"));
    assert_eq!(compact::show(stored), "write");
    assert_eq!(tools(&world.open().unwrap().current()), ["write"]);
    world.put(PERMISSIONS, "broken");
    policies.remember(&[rule(Action::Allow, Source::Session, "read")]).unwrap_err();
    assert_eq!(tools(&policies.current()), ["write"]);
}

/// CFG-08 `[THR-05]`: the files behind links, and the programs of guards, are Tollgate's own too.
#[test]
fn what_policy_is_read_from_is_tollgates_own() {
    let world = World::new();
    world.put("dotfiles/permissions.toml", "").put("bin/guard", "");
    world.link(&world.at("dotfiles/permissions.toml"), PERMISSIONS);
    let guard = world.at("bin/guard");
    let hooks = format!("[[hook]]\nevent = \"tool_call_before\"\ncommand = [{guard:?}]\n");
    world.put(HOOKS, hooks).put(MANAGED, format!("receipts = {:?}\n", world.at("receipts")));
    let standing = world.open().unwrap().current();
    let is_own = |name: &str| {
        let path = world.at(name);
        standing.policy.own.places.iter().any(|place| path.starts_with(place))
    };
    let own = [
        PERMISSIONS,
        "dotfiles/permissions.toml",
        HOOKS,
        MANAGED,
        "home/state/trust.json",
        "bin/guard",
        "receipts/x",
        "home/.config/new",
    ];
    for name in own {
        assert!(is_own(name), "{name}");
    }
    for name in ["work/x", "bin/other", "dotfiles/other", "home/x"] {
        assert!(!is_own(name), "{name}");
    }
    // Of these, what programs may not even read.
    let hidden = standing.policy.own.hidden.clone();
    assert_eq!(hidden, [world.at("home/state"), world.at("receipts")]);
}

/// G-15: ten thousand rules are read in a moment.
#[test]
fn many_rules_are_read() {
    let world = World::new();
    let rules: String = (0..10_000)
        .map(|at| format!("[[rule]]\naction = \"deny\"\ntool = \"bash\"\ncommand = [\"tool{at}\"]\npath = \"src/{at}/**\"\n"))
        .collect();
    world.put(PERMISSIONS, rules);
    let began = std::time::Instant::now();
    let standing = world.open().unwrap().current();
    assert_eq!(standing.policy.rules.all().len(), 10_000);
    assert_eq!(standing.policy.rules.all()[9_999].origin, "permissions.toml:49996");
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    let many = "[[rule]]\naction = \"deny\"\ntool = \"bash\"\n".repeat(20_001);
    world.put(PERMISSIONS, many);
    assert!(world.faults().contains("20000 are the most"));
}

/// A workspace that is reached through a link is the folder that it leads to.
#[test]
fn roots_have_no_links() {
    let world = World::new();
    world.link(&world.at("work"), "link");
    let roots = vec![world.at("link"), world.at("absent")];
    let policies = Policies::open(world.places(), Extra::default(), roots).unwrap();
    let workspace = policies.current().policy.workspace.clone();
    assert_eq!(workspace.root, world.at("work"));
    assert_eq!(workspace.roots, [world.at("work"), world.at("absent")]);
    assert_eq!(policies.workspace(), Some(Path::new(&world.at("work"))));
}
