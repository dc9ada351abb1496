//! The worlds that a judgement is made in, and what can be said for and against a call in them.

use std::path::{Path, PathBuf};

use crate::{
    authority::{
        Circumstances, HookSaid, Taint, Verdict, judge,
        law::{Law, LawAction, Protect},
        policy::{Policy, Workspace},
        protected::Own,
        rules::{Action, NamePattern, PathPattern, Rule, Rules, Source},
    },
    call::Classified,
    safety::{Access, Escalation, Reach, Safety, Sandbox, Subject, Trust},
    stance::{Mode, Posture, Stance},
    testing::{WORKSPACE, prepared},
};

pub(super) const WRITE: Safety =
    Safety { read_only: false, destructive: false, open_world: false, ..Safety::WORST };

/// Everything of a judgement that this file varies.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) safety: Safety,
    pub(super) trust: Trust,
    pub(super) subjects: Vec<Subject>,
    pub(super) escalation: Option<Escalation>,
    pub(super) stance: Stance,
    pub(super) hooks: HookSaid,
    pub(super) policy: Policy,
    pub(super) session: Rules,
    pub(super) taint: Vec<Taint>,
}

impl World {
    pub(super) fn new(mode: Mode, posture: Posture, safety: Safety) -> Self {
        let root = PathBuf::from(WORKSPACE);
        let workspace = Workspace { roots: vec![root.clone()], root, ..Workspace::default() };
        Self {
            safety,
            trust: Trust::Trusted,
            subjects: vec![path("src/a", Access::Write)],
            escalation: None,
            stance: Stance { mode, posture },
            hooks: HookSaid::Nothing,
            policy: Policy { workspace, taint: true, ..Policy::default() },
            session: Rules::default(),
            taint: Vec::new(),
        }
    }

    pub(super) fn call(&self) -> Classified {
        let access = if self.safety.read_only { Access::Read } else { Access::Write };
        let mut subjects = self.subjects.clone();
        for subject in &mut subjects {
            if let Subject::Path { access: touched, .. } = subject {
                *touched = access;
            }
        }
        prepared(self.trust, self.safety, subjects, self.escalation.clone())
    }

    pub(super) fn at(&self) -> Circumstances<'_> {
        Circumstances {
            stance: self.stance,
            policy: &self.policy,
            session: &self.session,
            hooks: &self.hooks,
            taint: &self.taint,
            cwd: Path::new(WORKSPACE),
            can_ask: true,
            now_unix_ms: 1,
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        judge(&self.call(), &self.at()).verdict
    }

    /// The verdict in a word: "allow", "review", "ask", or the refusal's class.
    pub(super) fn word(&self) -> String {
        match self.verdict() {
            Verdict::Allow(_) => "allow".to_owned(),
            Verdict::Review(_) => "review".to_owned(),
            Verdict::Ask(_) => "ask".to_owned(),
            Verdict::Refuse(refusal) => refusal.class,
        }
    }
}

fn path(relative: &str, access: Access) -> Subject {
    let absolute = Path::new(WORKSPACE).join(relative);
    Subject::Path {
        absolute,
        relative: Some(PathBuf::from(relative)),
        access,
        reach: Reach::Itself,
    }
}

fn command(words: &str) -> Subject {
    let argv = words.split(' ').map(str::to_owned).collect();
    Subject::Command { argv, operator: String::new(), opaque: false, read_only: false }
}

fn rule(action: Action, source: Source) -> Rule {
    Rule {
        action,
        source,
        tool: NamePattern::any(),
        command: None,
        path: None,
        host: None,
        server: None,
        workspace: None,
        reason: String::new(),
        expires_unix_ms: None,
        origin: "here:1".to_owned(),
    }
}

fn law(action: LawAction) -> Law {
    let protect = Protect {
        paths: vec![PathPattern::new("src/**").unwrap().into()],
        action,
        reason: String::new(),
        origin: "law.toml:1".to_owned(),
    };
    Law::Protects { root: PathBuf::from(WORKSPACE), places: vec![protect] }
}

/// One step of tightening (or an allowance), as a change of a world.
pub(super) type Change = (&'static str, fn(&mut World));

pub(super) const TIGHTER: &[Change] = &[
    ("hook asks", |w| {
        if matches!(w.hooks, HookSaid::Deny { .. }) {
            return;
        }
        w.hooks = HookSaid::Ask { hook: "hooks.toml:1".into(), reason: String::new() };
    }),
    ("hook denies", |w| {
        let hook = "hooks.toml:1".into();
        w.hooks = HookSaid::Deny { hook, reason: String::new(), failed: false };
    }),
    ("rule asks", |w| w.policy.rules = with(&w.policy.rules, rule(Action::Ask, Source::User))),
    ("rule denies", |w| w.policy.rules = with(&w.policy.rules, rule(Action::Deny, Source::User))),
    ("project denies", |w| {
        w.policy.rules = with(&w.policy.rules, rule(Action::Deny, Source::Project));
    }),
    ("publishes", |w| w.subjects.push(command("git push --force"))),
    ("destroys a disk", |w| w.subjects.push(command("rm -rf /"))),
    ("law asks", |w| {
        if matches!(w.policy.law, Law::Absent) {
            w.policy.law = law(LawAction::Ask);
        }
    }),
    ("law blocks", |w| {
        if !matches!(w.policy.law, Law::Broken { .. }) {
            w.policy.law = law(LawAction::Block);
        }
    }),
    ("law is broken", |w| w.policy.law = Law::Broken { fault: "law.toml:1".into() }),
    ("owner asks", |w| {
        let managed = &mut w.policy.managed;
        managed.rules = with(&managed.rules, rule(Action::Ask, Source::Managed));
    }),
    ("owner denies", |w| {
        let managed = &mut w.policy.managed;
        managed.rules = with(&managed.rules, rule(Action::Deny, Source::Managed));
    }),
    ("policy is broken", |w| w.policy.broken = Some("permissions.toml:1: broken".into())),
    ("tainted", |w| {
        w.subjects.push(Subject::Host { host: "example.com".into() });
        w.taint.push(Taint { tool: "web_fetch".into(), source: "example.com".into() });
    }),
    ("git hook", |w| w.subjects.push(path(".git/hooks/pre-commit", Access::Write))),
    ("own place", |w| {
        w.policy.own = Own { places: vec![PathBuf::from("/own")], ..Own::default() };
        let absolute = PathBuf::from("/own/permissions.toml");
        let (access, reach) = (Access::Write, Reach::Itself);
        w.subjects.push(Subject::Path { absolute, relative: None, access, reach });
    }),
    ("untrusted server", |w| w.trust = Trust::Untrusted),
    ("wants out", |w| {
        let justification = "because".to_owned();
        w.escalation = Some(Escalation { to: Sandbox::Off, justification });
    }),
];

pub(super) const WIDER: &[Change] = &[
    ("nothing", |_| {}),
    ("hook allows", |w| {
        w.hooks = HookSaid::Allow { hook: "hooks.toml:1".into(), reason: String::new() };
    }),
    ("rule allows", |w| w.policy.rules = with(&w.policy.rules, rule(Action::Allow, Source::User))),
    ("session allows", |w| w.session = Rules::new(vec![rule(Action::Allow, Source::Session)])),
    ("trusted workspace", |w| {
        let workspace = &mut w.policy.workspace;
        (workspace.trusted, workspace.git, workspace.writes_auto) = (true, true, true);
    }),
];

fn with(rules: &Rules, one: Rule) -> Rules {
    Rules::new(rules.all().iter().cloned().chain([one]).collect())
}
