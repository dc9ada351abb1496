//! PERF-02: the gate's decision alone, all layers of it, under 100 and under 10,000 rules; and on a
//! command of 64 KiB under 10,000 rules (G-15).

use std::{hint::black_box, path::Path, sync::Arc, time::Instant};

use anyhow::ensure;
use bytes::Bytes;
use tollgate_core::{
    authority::{
        Circumstances, HookSaid, Verdict, admission, judge,
        policy::{Policy, Workspace},
        rules::{Action, Rule, Rules, Source, compact},
    },
    call::{Caller, Classified, Position, Preparation, RawCall},
    catalog::{Catalog, Entry, Exposure, Provenance, Surface, View},
    digest::Digest,
    name::{CallId, ServerName, SessionId, ToolName},
    safety::{Access, Interrupt, Reach, Safety, Subject, Trust},
    schema,
    stance::Stance,
};

use super::Sizes;
use crate::{
    row::{Goal, Row, Unit},
    stats::{Rounds, Samples},
};

const WORKSPACE: &str = "/srv/project";

/// # Errors
/// A rule cannot be read, or a call is not judged as it must be.
pub(super) fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (count, most) in [(100, 5.0), (10_000, 50.0)] {
        let policy = policy(count)?;
        let bash = call("bash", line("cargo test --workspace"))?;
        let edit = call("edit", vec![written("src/deep/file.rs")])?;
        for (what, call) in [("bash, three commands", &bash), ("edit of one file", &edit)] {
            let figure = format!("decision, {count} rules: {what}");
            rows.push(row(&figure, call, &policy, sizes, Goal::AtMost(most))?);
        }
    }
    let long = call("bash", line(&"word ".repeat(64 * 1024 / 5)))?;
    let figure = "decision, 10,000 rules: a command of 64 KiB";
    rows.push(row(figure, &long, &policy(10_000)?, sizes, Goal::AtMost(5_000.0))?);
    Ok(rows)
}

fn row(
    figure: &str,
    call: &Classified,
    policy: &Policy,
    sizes: Sizes,
    goal: Goal,
) -> anyhow::Result<Row> {
    let (mut p50, mut p99) = (Rounds::default(), Rounds::default());
    for _ in 0..sizes.rounds {
        let mut samples = Samples::default();
        for _ in 0..sizes.calls {
            let start = Instant::now();
            let ruling = judge(black_box(call), &now(policy));
            samples.since(start);
            ensure!(matches!(ruling.verdict, Verdict::Ask(_)), "{figure}: {ruling:?}");
        }
        p50.push(samples.p50_us());
        p99.push(samples.percentile_us(0.99));
    }
    Ok(Row::new(figure, Unit::Micros, p50.median()).p99(p99.median()).goal(goal))
}

fn now(policy: &Policy) -> Circumstances<'_> {
    static HOOKS: HookSaid = HookSaid::Nothing;
    Circumstances {
        stance: Stance::default(),
        policy,
        session: &policy.managed.rules,
        hooks: &HOOKS,
        taint: &[],
        cwd: Path::new(WORKSPACE),
        can_ask: true,
        now_unix_ms: 1,
    }
}

/// Rules of every kind, of which none speaks of the calls that are judged.
fn policy(count: usize) -> anyhow::Result<Policy> {
    let rules = (0..count).map(|number| {
        let (action, text) = match number % 6 {
            0 => (Action::Allow, format!("bash(tool{number} run *)")),
            1 => (Action::Deny, format!("bash(cargo sub{number} *)")),
            2 => (Action::Allow, format!("edit(folder{number}/**)")),
            3 => (Action::Deny, format!("write(src/part{number}/*.rs)")),
            4 => (Action::Ask, format!("web_fetch(host:host{number}.example.com)")),
            _ => (Action::Allow, format!("mcp_server{number}_*")),
        };
        compact::parse(&text, action, Source::User, None, "bench").map_err(anyhow::Error::from)
    });
    let rules = rules.collect::<anyhow::Result<Vec<Rule>>>()?;
    let root = Path::new(WORKSPACE).to_owned();
    let workspace = Workspace { roots: vec![root.clone()], root, ..Workspace::default() };
    Ok(Policy { rules: Rules::new(rules), workspace, taint: true, ..Policy::default() })
}

/// `cd src && COMMAND | tail -20`, as the shell server tells it.
fn line(words: &str) -> Vec<Subject> {
    let command = |words: &str, operator: &str, read_only| Subject::Command {
        argv: words.split_ascii_whitespace().map(str::to_owned).collect(),
        operator: operator.to_owned(),
        opaque: false,
        read_only,
    };
    vec![command("cd src", "", true), command(words, "&&", false), command("tail -20", "|", true)]
}

fn written(relative: &str) -> Subject {
    Subject::Path {
        absolute: Path::new(WORKSPACE).join(relative),
        relative: Some(relative.into()),
        access: Access::Write,
        reach: Reach::Itself,
    }
}

/// A call that changes something, as far as it comes before the judgement.
fn call(tool: &str, subjects: Vec<Subject>) -> anyhow::Result<Classified> {
    let schema = Bytes::from_static(br#"{"type":"object"}"#);
    let safety = Safety { open_world: false, ..Safety::WORST };
    let entry = Entry {
        server: ServerName::try_from("bench")?,
        facts: Arc::default(),
        trust: Trust::Trusted,
        name: ToolName::try_from(tool)?,
        served_as: ToolName::try_from(tool)?,
        means: None,
        when: None,
        provenance: Provenance::Builtin,
        source: None,
        title: String::new(),
        description: String::new(),
        search_hint: String::new(),
        schema_sha256: Digest::of(&schema),
        input_schema: schema,
        exposure: Exposure::Eager,
        safety,
        prepares: true,
        interrupt: Interrupt::Block,
        result_bytes_max: 0,
        callers: Vec::new(),
        host_services: Vec::new(),
        requirements: Vec::new(),
        argument_aliases: Vec::new(),
        compiled: Arc::default(),
    };
    let view = View::whole(Catalog::from_iter([entry]));
    let position = Position {
        session: SessionId::try_from("bench")?,
        turn: 1,
        step: 1,
        agent: "main".to_owned(),
    };
    let raw = RawCall {
        id: CallId::try_from("call")?,
        parent: None,
        depth: 0,
        caller: Caller::Model,
        position,
        name: tool.to_owned(),
        arguments: Bytes::from_static(b"{}"),
    };
    let refused = |refusal: tollgate_core::authority::Refusal| anyhow::anyhow!(refusal.message);
    let resolved = view.resolve(raw).map_err(refused)?;
    let eligible = admission::admit(resolved, Stance::default(), Surface::Full, &Policy::default())
        .map_err(refused)?;
    let said = Preparation { safety, subjects, ..Preparation::default() };
    Ok(schema::check(eligible).map_err(refused)?.classify(said))
}
