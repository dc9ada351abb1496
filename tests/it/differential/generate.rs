//! Generated policies and calls. Small pools, so that rules and calls meet often.

use std::path::Path;

use serde_json::{Value, json};

/// Calls of one policy.
const GROUP: usize = 25;
/// Calls of one policy with a hook: on each way each call runs a few processes.
const HOOKED: usize = 5;

/// splitmix64.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// True so often.
    fn percent(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        let index = self.next() % of.len() as u64;
        of[usize::try_from(index).unwrap()]
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// A policy, a stance, and calls.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) mode: &'static str,
    pub(super) posture: &'static str,
    pub(super) trusted: bool,
    pub(super) permissions: String,
    pub(super) hooks: String,
    pub(super) law: Option<String>,
    pub(super) managed: String,
    pub(super) calls: Vec<Value>,
}

const MATCHERS: &[&str] = &[
    "",
    "command = [\"git\", \"push\"]",
    "command = [\"cargo\"]",
    "command_exact = [\"rm\", \"a.txt\"]",
    "path = \"src/**\"",
    "path = \"secret.txt\"\naccess = \"read\"",
    "path = \"**/*.md\"\naccess = \"write\"",
    "host = \"good.test\"",
    "host = \"*.bad.test\"",
    "server = \"standin\"",
];

fn rule(random: &mut Random, actions: &[&str], workspace: &Path) -> String {
    let mut lines = vec![
        "[[rule]]".to_owned(),
        format!("action = {:?}", random.one(actions)),
        format!("tool = {:?}", random.one(&["probe", "pro*", "p?o*"])),
        random.one(MATCHERS).to_owned(),
    ];
    match random.below(20) {
        0 | 1 => lines.push(format!("workspace = {:?}", workspace.display().to_string())),
        2 => lines.push("workspace = \"/elsewhere\"".to_owned()),
        3 => lines.push("expires = 2001-01-01".to_owned()),
        4 => lines.push("expires = 2099-01-01".to_owned()),
        _ => {}
    }
    lines.join("\n") + "\n"
}

fn rules(random: &mut Random, most: u64, actions: &[&str], workspace: &Path) -> String {
    let count = random.below(most + 1);
    (0..count).map(|_| rule(random, actions, workspace)).collect()
}

fn hooks(random: &mut Random) -> String {
    let answer = random.one(&[
        r#"echo '{"decision":"allow","reason":"fine"}'"#,
        r#"echo '{"decision":"ask","reason":"look"}'"#,
        r#"echo '{"decision":"deny","reason":"no"}'"#,
        "exit 0",
        "echo no >&2; exit 2",
        "exit 1",
        "echo '{bad'",
    ]);
    format!(
        "[[hook]]\nevent = \"tool_call_before\"\nmatch = {{ tool = \"probe\" }}\ncommand = '''{answer}'''\n"
    )
}

fn law(random: &mut Random) -> String {
    let action = random.one(&["block", "ask"]);
    let paths = random.one(&["src/**", "secret.txt", "*.md"]);
    if random.percent(15) {
        return "[[protect]]\npaths = [\"src/**\"\n".to_owned();
    }
    format!("[[protect]]\npaths = [{paths:?}]\naction = {action:?}\nreason = \"law\"\n")
}

/// Nothing here speaks of `between` itself: a refusal of the outer call would leave nothing to compare.
fn managed(random: &mut Random, workspace: &Path, posture: &str) -> String {
    let mut text = String::new();
    if random.percent(20) && matches!(posture, "ask" | "never") {
        text += "postures = [\"ask\", \"never\"]\n";
    }
    if random.percent(20) {
        text += "hosts = [\"good.test\"]\n";
    }
    text + &rules(random, 2, &["ask", "deny"], workspace)
}

fn subject(random: &mut Random, workspace: &Path) -> Value {
    match random.below(5) {
        0 | 1 => {
            let access = random.one(&["read", "tree", "granted-tree", "write", "create", "delete"]);
            let path = random.one(&[
                "src/a.rs",
                "README.md",
                "secret.txt",
                ".git/hooks/x",
                ".env",
                "AGENTS.md",
                "../out.txt",
                "docs/x.md",
                "src",
                "",
            ]);
            let absolute = workspace.join(path);
            // As a server would: without `..`.
            let absolute = match path.strip_prefix("../") {
                Some(outside) => workspace.parent().unwrap().join(outside),
                None => absolute,
            };
            json!({ "path": [access, absolute] })
        }
        2 | 3 => {
            let words = random.one(&[
                "git push",
                "git push --force origin main",
                "cargo test",
                "rm a.txt",
                "rm -rf /",
                "ls -la",
                "curl http://x.test",
                "sh",
                "cat secret.txt",
                "cp a .git/hooks/pre-commit",
            ]);
            let argv: Vec<&str> = words.split(' ').collect();
            let reads = matches!(argv[0], "ls" | "cat") && random.percent(70);
            let operator = random.one(&["", "&&", "|", ";"]);
            json!({ "command": [argv, operator, random.percent(10), reads] })
        }
        _ => json!({ "host": random.one(&["good.test", "x.bad.test", "good.test:8443"]) }),
    }
}

fn call(random: &mut Random, workspace: &Path) -> Value {
    let read_only = random.percent(40);
    let subjects = (0..random.below(4)).map(|_| subject(random, workspace)).collect::<Vec<_>>();
    json!({
        "read_only": read_only,
        "destructive": !read_only && random.percent(40),
        "open_world": random.percent(20),
        "subjects": subjects,
    })
}

impl Group {
    pub(super) fn generate(random: &mut Random, workspace: &Path) -> Self {
        let modes = ["work", "work", "work", "operate", "plan"];
        let postures = ["ask", "ask", "ask", "full-access", "auto-review", "never"];
        let permissions = rules(random, 5, &["allow", "allow", "ask", "deny"], workspace);
        let most = u64::try_from(modes.len()).unwrap();
        let mode = modes[usize::try_from(random.below(most)).unwrap()];
        let most = u64::try_from(postures.len()).unwrap();
        let posture = postures[usize::try_from(random.below(most)).unwrap()];
        let hooks = if random.percent(12) { hooks(random) } else { String::new() };
        let count = if hooks.is_empty() { GROUP } else { HOOKED };
        Self {
            mode,
            posture,
            trusted: random.percent(50),
            permissions,
            hooks,
            law: random.percent(30).then(|| law(random)),
            managed: if random.percent(30) {
                managed(random, workspace, posture)
            } else {
                String::new()
            },
            calls: (0..count).map(|_| call(random, workspace)).collect(),
        }
    }
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { mode, posture, trusted, permissions, hooks, law, managed, .. } = self;
        writeln!(f, "{mode}, {posture}, trusted: {trusted}")?;
        writeln!(f, "permissions.toml:\n{permissions}hooks.toml:\n{hooks}")?;
        writeln!(f, "law.toml:\n{}managed.toml:\n{managed}", law.as_deref().unwrap_or_default())
    }
}
