//! Goal: rules select as `[GATE-20..23]` say, for every matcher, source and order.
//!
//! Calls and rules are written as texts: see [`subject`] and [`rules`].

mod cases;
mod compact;
mod index;
mod offer;
mod patterns;
mod select;
mod spellings;

use std::{path::Path, sync::Arc};

use super::{Action, Rule, Rules, Selected, Source, compact::parse, compact::show};
use crate::{
    authority::{Circumstances, HookSaid, policy::Policy},
    call::Classified,
    safety::{Access, Reach, Safety, Subject, Trust},
    stance::{Mode, Posture, Stance},
    testing::{self, WORKSPACE},
};

const HOME: &str = "/home/me";
const NOW: u64 = 1_000_000;

/// What holds around a call.
#[derive(Debug)]
struct World {
    policy: Policy,
    session: Rules,
    cwd: &'static str,
    posture: Posture,
}

impl World {
    fn new(policy: &[&str], session: &[&str]) -> Self {
        let mut world = Self {
            policy: Policy { rules: rules(policy), ..Policy::default() },
            session: rules(session),
            cwd: WORKSPACE,
            posture: Posture::Ask,
        };
        world.policy.home = Some(HOME.into());
        world.policy.workspace.root = WORKSPACE.into();
        world.policy.workspace.roots = vec![WORKSPACE.into()];
        world
    }

    fn at(&self) -> Circumstances<'_> {
        Circumstances {
            stance: Stance { mode: Mode::Work, posture: self.posture },
            policy: &self.policy,
            session: &self.session,
            hooks: &HookSaid::Nothing,
            taint: &[],
            cwd: Path::new(self.cwd),
            can_ask: true,
            now_unix_ms: NOW,
        }
    }

    /// "nothing", "allow RULES", "ask RULE", "deny RULE".
    fn answer(&self, call: &Classified) -> String {
        match super::select(call, &self.at(), &[&self.policy.rules, &self.session]) {
            Selected::Nothing => "nothing".to_owned(),
            Selected::Allow(rules) => {
                let names: Vec<String> = rules.into_iter().map(show).collect();
                format!("allow {}", names.join(", "))
            }
            Selected::Ask(rule) => format!("ask {}", show(rule)),
            Selected::Deny(rule) => format!("deny {}", show(rule)),
        }
    }
}

/// "[SOURCE] ACTION COMPACT", the source being the user if it is left out.
fn rule(text: &str) -> Rule {
    let (first, rest) = text.split_once(' ').unwrap();
    let source = match first {
        "managed" => Source::Managed,
        "project" => Source::Project,
        "session" => Source::Session,
        "built-in" => Source::BuiltIn,
        _ => Source::User,
    };
    let text = if source == Source::User { text } else { rest };
    let (action, text) = text.split_once(' ').unwrap();
    let action = match action {
        "allow" => Action::Allow,
        "ask" => Action::Ask,
        "deny" => Action::Deny,
        _ => panic!("{action} is no action"),
    };
    parse(text, action, source, Some(HOME), "here").unwrap()
}

fn rules(texts: &[&str]) -> Rules {
    Rules::new(texts.iter().map(|text| rule(text)).collect())
}

/// | text | subject |
/// |---|---|
/// | `git push` | a command; words are quoted as in a shell |
/// | `ro: ls` | … proven to only read |
/// | `op: rm $x` | … with something that is not known; words are taken as they stand |
/// | `script: if …` | … of which nothing is known but its text |
/// | `r: w: c: d: /w/a` | a path that is read, written, created, deleted |
/// | `rt: gt: wt: /w/a` | a folder that is read with all below it, but for what is withheld, written |
/// | `h: example.com` `m: server/tool` `repo: /w` `t: tool` `unknown` | the others |
fn subject(text: &str) -> Subject {
    let (kind, rest) = text.split_once(": ").unwrap_or(("", text));
    let tree = |access, reach| Subject::Path {
        absolute: rest.into(),
        relative: Path::new(rest).strip_prefix(WORKSPACE).ok().map(Path::to_owned),
        access,
        reach,
    };
    let path = |access| tree(access, Reach::Itself);
    let command = |argv, opaque, read_only| Subject::Command {
        argv,
        operator: String::new(),
        opaque,
        read_only,
    };
    let words = |text: &str| {
        super::quoting::words(text).unwrap().into_iter().map(|word| word.text).collect()
    };
    match kind {
        "ro" => command(words(rest), false, true),
        "op" => command(rest.split(' ').map(str::to_owned).collect(), true, false),
        "script" => command(vec![rest.to_owned()], true, false),
        "r" => path(Access::Read),
        "w" => path(Access::Write),
        "c" => path(Access::Create),
        "d" => path(Access::Delete),
        "rt" => tree(Access::Read, Reach::Tree),
        "gt" => tree(Access::Read, Reach::GrantedTree),
        "wt" => tree(Access::Write, Reach::Tree),
        "h" => Subject::Host { host: rest.to_owned() },
        "m" => {
            let (server, tool) = rest.split_once('/').unwrap();
            Subject::Mcp { server: server.to_owned(), tool: tool.to_owned() }
        }
        "repo" => Subject::Repo { path: rest.into() },
        "t" => Subject::Tool { name: rest.to_owned() },
        _ if text == "unknown" => Subject::Unknown,
        _ => command(words(text), false, false),
    }
}

/// A call of a trusted tool that touches this.
fn call(tool: &str, subjects: &[&str]) -> Classified {
    call_of(tool, Trust::Trusted, subjects.iter().map(|text| subject(text)).collect())
}

fn call_of(tool: &str, trust: Trust, subjects: Vec<Subject>) -> Classified {
    let said = Safety { destructive: false, read_only: false, ..Safety::WORST };
    let mut call = testing::prepared(trust, said, subjects, None);
    let entry = testing::entry(tool, Safety::WORST);
    call.checked.resolved.entry = Arc::new(crate::catalog::Entry { trust, ..entry });
    call
}

/// What user's rules say of a call.
#[track_caller]
fn check(policy: &[&str], tool: &str, subjects: &[&str], expected: &str) {
    let answer = World::new(policy, &[]).answer(&call(tool, subjects));
    assert_eq!(answer, expected, "{policy:?} of {tool} {subjects:?}");
}

/// Numbers that look random and are the same each time (splitmix64).
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % sides as u64).unwrap()
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.throw(texts.len())]
    }

    /// A command line of a few words, of which some are odd.
    fn words(&mut self, words_max: usize) -> Vec<String> {
        let programs = ["git", "cargo", "rm", "./x", "/usr/bin/git", "env", "timeout", "npm", "é"];
        let others = [
            "push", "test", "-f", "-rf", "--force", "5", "a b", "*", "it's", "x=1", "$x", ":*",
            "run", "", "\\", "(", "#", "a;b", "\"",
        ];
        let first = self.pick(&programs).to_owned();
        let more = self.throw(words_max);
        std::iter::once(first).chain((0..more).map(|_| self.pick(&others).to_owned())).collect()
    }
}
