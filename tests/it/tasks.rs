//! Forty ordinary tasks of a developer (`tasks/tasks.json`) under each posture: what a person is asked,
//! and that nothing of the gate stands in the way of the work.
//!
//! A task is what a model would call, word for word, in a small project of its own (`tasks/project`),
//! which its user trusts; it is done when every call ended well and its check holds.

mod project;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tollgate_tests::{Events, Script, events::content_text};

use project::Project;

/// How often a person is asked in all forty tasks when every answer is for once.
const CARDS_MAX: usize = 27;
/// The same when "always" is said wherever it is offered.
const CARDS_WITH_ALWAYS_MAX: usize = 24;

/// One task.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    /// What the developer says.
    task: String,
    /// Laid into the project before, and not committed.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Tool and arguments, one call a step.
    calls: Vec<(String, Value)>,
    /// A line for `sh` that succeeds when the task is done.
    check: String,
    /// How often it may ask, where that is known beforehand.
    cards: Option<usize>,
}

impl Task {
    fn all() -> Vec<Self> {
        let tasks: Vec<Self> = serde_json::from_str(include_str!("tasks/tasks.json")).unwrap();
        assert_eq!(tasks.len(), 40);
        tasks
    }

    fn script(&self) -> Script {
        let calls = self.calls.iter();
        calls.fold(Script::new(), |script, (tool, call)| script.call(tool, call.clone())).text("ok")
    }

    /// Every call ended well, and the task is done.
    #[track_caller]
    fn is_done(&self, project: &Project, events: &Events) {
        let results = events.results();
        assert_eq!(results.len(), self.calls.len(), "{}: {results:#?}", self.task);
        for result in results {
            assert_eq!(result["status"], "ok", "{}: {}", self.task, content_text(result));
        }
        project.check(&self.check);
    }
}

/// Does a task with a person who answers every card; gives the cards.
#[track_caller]
fn with_a_person(project: &Project, task: &Task, answer: fn(&Value) -> &'static str) -> Vec<Value> {
    project.renew(&task.files);
    let command = project.world.exec(&task.script(), &task.task);
    let mut turn = command.args(["--approvals", "stdio"]).stdin_open().spawn();
    let mut cards = Vec::new();
    loop {
        let event = turn.event("a card or the end", |event| {
            matches!(event["type"].as_str(), Some("approval.requested" | "turn.completed"))
        });
        if event["type"] == "turn.completed" {
            break;
        }
        let card = &event["card"];
        turn.say(&json!({ "approval": event["id"], "answer": answer(card) }).to_string());
        cards.push(card.clone());
    }
    let events = turn.finish().success().events().well_formed();
    task.is_done(project, &events);
    for card in &cards {
        assert!(!card["why"].to_string().contains("floor:"), "{}: {card}", task.task);
    }
    cards
}

/// What cards ask about, for whoever wonders.
fn lines(cards: &[Value]) -> Vec<String> {
    let shown = |card: &Value| {
        let line = card["arguments"]["command"].as_str().map(str::to_owned);
        let offer =
            if card["offer"].as_array().is_some_and(Vec::is_empty) { "once only" } else { "" };
        format!("{} {offer}", line.unwrap_or_else(|| card["tool"].to_string()))
    };
    cards.iter().map(shown).collect()
}

/// [GATE-22] [GATE-30] Reads, and writes of the workspace, ask nothing; no call asks twice.
#[test]
fn a_person_is_asked_for_commands_that_change_something() {
    let project = Project::new();
    let mut total = 0;
    for task in Task::all() {
        let cards = with_a_person(&project, &task, |_| "once");
        println!("{}: {} {:?}", task.task, cards.len(), lines(&cards));
        assert!(cards.iter().all(|card| card["tool"] == "bash"), "{}: {cards:#?}", task.task);
        assert!(cards.len() <= task.calls.len(), "{}: {cards:#?}", task.task);
        if let Some(expected) = task.cards {
            assert_eq!(cards.len(), expected, "{}: {:?}", task.task, lines(&cards));
        }
        total += cards.len();
    }
    println!("40 tasks: {total} cards");
    assert!(total <= CARDS_MAX, "{total} cards");
}

/// [GATE-23] Whoever says "always" is asked less, in the same project, from the next task on.
#[test]
fn always_is_asked_less() {
    let project = Project::new();
    let mut total = 0;
    for task in Task::all() {
        let cards = with_a_person(&project, &task, |card| match card["offer"].as_array() {
            Some(offer) if !offer.is_empty() => "always",
            _ => "once",
        });
        println!("{}: {} {:?}", task.task, cards.len(), lines(&cards));
        total += cards.len();
    }
    println!("40 tasks: with 'always' where it is offered: {total} cards");
    assert!(total <= CARDS_WITH_ALWAYS_MAX, "{total} cards");
}

/// Does all tasks without a person; gives how often the guardian was asked.
#[track_caller]
fn without_a_person(posture: &str) -> usize {
    let project = Project::new();
    let mut judged = 0;
    for task in Task::all() {
        project.renew(&task.files);
        let script = task.script().guardian(json!({ "risk": "low", "decision": "allow" }));
        let ran = project.world.exec(&script, &task.task).args(["--posture", posture]).run();
        let events = ran.success().events().well_formed();
        task.is_done(&project, &events);
        assert!(events.of("approval.requested").is_empty(), "{}: somebody was asked", task.task);
        judged += events.of("guardian.judged").len();
    }
    judged
}

/// [GATE-31] [GATE-32] No ordinary task meets the floor; the guardian judges what a person would.
#[test]
fn a_guardian_is_asked_no_more_than_a_person() {
    let judged = without_a_person("auto-review");
    println!("40 tasks: {judged} requests to the guardian");
    assert!((1..=CARDS_MAX).contains(&judged), "{judged} requests");
}

/// [GATE-11] `full-access` asks nobody.
#[test]
fn full_access_asks_nobody() {
    assert_eq!(without_a_person("full-access"), 0);
}
