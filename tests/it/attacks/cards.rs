//! Questions: what is approved, how often, and by whom.

use tollgate_proto::kernel::v1::decide_request::Answer;
use tollgate_tests::{kernel::Kernel, peer::within};

use super::*;

/// Questions that wait at once, and calls that a kernel takes at once; more are refused.
const QUESTIONS_MAX: usize = 64;

/// AP-12 I13 A flood of 100 calls that ask: no more cards wait than a person can look through, the others are
/// turned away at once with the reason, one no ends them all, and a yes is for one.
#[tokio::test]
async fn a_flood_of_questions_is_bounded() {
    let world = World::new();
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, &Script::new()).await;
    let mut front = session.watch(false).await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..100 {
        let caller = session.clone();
        let touch = bash(&format!("touch CANARY-{number}"));
        calls.spawn(async move { caller.call("bash", &touch).await });
    }
    let mut asked = Vec::new();
    for _ in 0..QUESTIONS_MAX {
        asked.push(front.question().await);
    }
    for _ in QUESTIONS_MAX..100 {
        let turned_away = within(calls.join_next()).await.unwrap().unwrap().unwrap_err();
        assert_eq!(turned_away.code(), tonic::Code::ResourceExhausted, "{turned_away}");
        assert!(turned_away.message().contains("wait for the end"), "{turned_away}");
    }
    assert!(!session.decide("*", Answer::Once, "").await.taken, "no yes is for all");
    assert!(session.decide(&asked[7], Answer::Once, "").await.taken);
    let one = within(calls.join_next()).await.unwrap().unwrap().unwrap();
    assert_eq!(one.receipt["decision"], "approved");
    assert!(session.decide("*", Answer::Deny, "").await.taken);
    while let Some(called) = within(calls.join_next()).await {
        let called = called.unwrap().unwrap();
        assert_eq!(called.receipt["decision"], "denied", "{}", called.result);
    }
    let left: Vec<_> = tree(&world.workspace())
        .into_keys()
        .filter(|path| path.to_string_lossy().contains("CANARY-"))
        .collect();
    assert_eq!(left.len(), 1, "one yes, one call: {left:?}");
}

/// AP-08 The same answer again, to another call, to another session, and after the kernel has started again:
/// one execution.
#[tokio::test]
async fn a_yes_is_used_once() {
    let world = World::new();
    let count = bash("echo ran >> CANARY");
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, &Script::new()).await;
    let other = kernel.session(&world, &Script::new()).await;
    let mut front = session.watch(false).await.unwrap();
    let caller = session.clone();
    let arguments = count.clone();
    let first = tokio::spawn(async move { caller.call("bash", &arguments).await });
    let id = front.question().await;
    assert!(!other.decide(&id, Answer::Always, "").await.taken);
    assert!(session.decide(&id, Answer::Once, "").await.taken);
    assert_eq!(first.await.unwrap().unwrap().receipt["decision"], "approved");
    let caller = session.clone();
    let arguments = count.clone();
    let second = tokio::spawn(async move { caller.call("bash", &arguments).await });
    let next = front.question().await;
    for answer in [Answer::Once, Answer::Always, Answer::Session] {
        let again = session.decide(&id, answer, "").await;
        assert!(!again.taken && again.reason.contains("before"), "{}", again.reason);
    }
    kernel.process.kill();
    // Until it is gone it has its lock, and no other kernel may listen there.
    assert_eq!(kernel.process.finish().code, 128 + 9);
    drop(second);
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, &Script::new()).await;
    for id in [&id, &next] {
        assert!(!session.decide(id, Answer::Once, "").await.taken, "it is another kernel");
    }
    assert_eq!(world.read(CANARY), "ran\n");
}

/// [GATE-01] G-03 B104 A yes to a call, also "for this session", is no yes to what it calls: each nested call has
/// its own card, with its own tool, arguments and caller, and a no to it is a no.
#[test]
fn a_yes_to_a_call_is_none_to_what_it_calls() {
    let world = standin("trusted");
    set(&world, "permissions.toml", "ask = [\"relay\"]\n");
    let touch = |name: &str| relayed("bash", &bash(&format!("touch {name}")));
    let script = ["CANARY", "CANARY-2", "CANARY-3"]
        .iter()
        .fold(Script::new(), |script, name| script.call("relay", touch(name)));
    let command = world.exec(&script.text("done"), "go").args(["--approvals", "stdio"]);
    let mut running = command.stdin_open().spawn();
    let mut nested = 0;
    loop {
        let event = running.event("a card or the end", |event| {
            event["type"] == "approval.requested" || event["type"] == "turn.completed"
        });
        if event["type"] == "turn.completed" {
            break;
        }
        let card = &event["card"];
        let is_nested = card["tool"] == "bash";
        if is_nested {
            assert_eq!(card["caller"], "server", "{card}");
            assert!(card["commands"][0].as_str().unwrap().starts_with("touch CANARY"), "{card}");
            nested += 1;
        }
        let answer = if is_nested { "deny" } else { "session" };
        running.say(&json!({ "approval": event["id"], "answer": answer }).to_string());
    }
    let events = running.finish().events().well_formed();
    assert_eq!(nested, 3, "one card for each");
    assert!(!world.has(CANARY) && !world.has("CANARY-2") && !world.has("CANARY-3"));
    world.receipts(Some(events.session())).sound(&world);
}

/// [GATE-23] G-05 A no is a no, also to a tool to which the user once said "always".
#[test]
fn a_no_after_always_is_a_no() {
    let world = World::new();
    let yes = turn(&world, &[("bash", bash("touch a"))], "always", &[]);
    assert_eq!(yes.cards.len(), 1);
    let calls = [("bash", bash("touch a")), ("bash", bash("touch CANARY"))];
    let no = turn(&world, &calls, "deny", &[]);
    let results = no.results();
    assert_eq!(results[0].0["status"], "ok", "what was allowed stays so");
    assert_eq!(results[1].0["decision"], "denied");
    assert!(!world.has(CANARY));
    // And a rule that denies stands above the stored yes.
    let denied = world.call("bash", &bash("touch a")).args(["--deny", "bash(touch *)"]).run();
    assert_eq!(call_refused(denied).0, "rule");
}

/// [GATE-03] B097 Headless, with JSON as output, standard input closed, posture `ask`: refused at once, by a
/// word that a program can read, and nothing but JSON is on standard output.
#[test]
fn nobody_is_asked_where_nobody_is() {
    let world = World::new();
    let script = Script::new().call("write", write(CANARY)).text("done");
    let ran = world.exec(&script, "go").stdin("").run().code(3);
    let events = ran.events().well_formed();
    let (class, why) = refused(events.results()[0]);
    assert_eq!(class, "no_approver");
    assert!(why.contains("changes something"), "what asked: {why}");
    let model = world.script(&script);
    let ran = world.tollgate(["exec", "--model", &model, "--json", "go"]).stdin("").run().code(3);
    assert_eq!(ran.json()["refused"], 1, "{ran}");
    assert!(call_refused(world.call("write", &write(CANARY)).stdin("").run()).0 == "no_approver");
    assert!(!world.has(CANARY));
}

/// AP-06 The program that an approved line runs may be another one by then: a card approves the line, and says
/// so where the line names a file to be run.
#[test]
fn a_card_says_that_the_content_of_a_program_is_not_bound() {
    let world = World::new();
    world.write("build.sh", "touch fine\n");
    for line in ["bash ./build.sh", "sh build.sh", "./build.sh", "python3 build.sh"] {
        let turn = turn(&world, &[("bash", bash(line))], "deny", &[]);
        let card = turn.cards.values().next().expect("a card");
        assert!(reasons(card).contains("whose content"), "{line}: {card}");
        assert!(reasons(card).contains("build.sh"), "{line}: {card}");
    }
    let turn = turn(&world, &[("bash", bash("touch x"))], "deny", &[]);
    assert!(!reasons(turn.cards.values().next().unwrap()).contains("content"));
}
