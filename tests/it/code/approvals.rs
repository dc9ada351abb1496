//! Questions of nested calls: the ordinary card, the program waits, and a no is an error at that `await` alone.

use std::time::{Duration, Instant};

use tollgate_tests::{
    Events, Running, eventually::eventually_true, kernel::Kernel, receipts::log_of,
};

use super::*;

/// A turn with one program whose cards are answered by lines.
pub(super) fn start(world: &World, code: &str, timeout_ms: u64) -> Running {
    let arguments = json!({ "code": code, "timeout_ms": timeout_ms });
    let script = Script::new().call("execute_tools", arguments).text("done");
    world.exec(&script, "go").args(["--approvals", "stdio"]).stdin_open().spawn()
}

/// The next card: its id and itself.
#[track_caller]
pub(super) fn card(turn: &mut Running) -> (String, Value) {
    let asked = turn.event_type("approval.requested");
    (asked["id"].as_str().unwrap().to_owned(), asked["card"].clone())
}

pub(super) fn answer(turn: &mut Running, id: &str, answer: &str) {
    turn.say(&json!({ "approval": id, "answer": answer }).to_string());
}

/// The events, and how the program ended.
#[track_caller]
pub(super) fn finish(turn: Running) -> (Events, Ended) {
    let events = unhurt(turn.finish()).events().well_formed();
    let results = events.results();
    let own = results.iter().find(|it| it["receipt"]["tool"] == "execute_tools").unwrap();
    let ended = Ended::of(own, &own["receipt"]);
    (events, ended)
}

pub(super) fn touch(name: &str) -> String {
    format!("tools.bash({{ command: 'touch {name}' }})")
}

/// [CODE-07] [CODE-04] The card is the call's own under the program's title; yes resumes, and the program goes on.
#[test]
fn a_yes_resumes_the_program() {
    let world = world();
    let code = format!("const r = await {}; return r.metadata.exit_code", touch("made"));
    let mut turn = start(&world, &code, 60_000);
    let (id, card) = card(&mut turn);
    assert_eq!((&card["tool"], &card["caller"]), (&json!("bash"), &json!("program")));
    assert_eq!(card["arguments"], json!({ "command": "touch made" }));
    let title = card["title"].as_str().unwrap();
    assert!(title.starts_with("execute_tools program call: bash"), "{title}");
    assert!(!world.has("made"), "it ran before the answer");
    answer(&mut turn, &id, "once");
    let (events, ended) = finish(turn);
    assert!(world.has("made") && ended.text.starts_with("0\n"), "{}", ended.text);
    assert!(ended.text.contains("bash ok (approved)"), "{}", ended.text);
    let words = world.receipts(Some(events.session())).sound(&world).words();
    assert_eq!(words, ["execute_tools ok auto", "bash ok approved"]);
    assert_eq!(events.of("approval.requested").len(), 1, "the program itself was asked about");
}

/// [CODE-07] A no throws there and only there, with `.code`; what the person said is in the message.
#[test]
fn a_no_throws_at_that_await_alone() {
    let world = world();
    let code = format!(
        "const out = [];
         try {{ await {} }} catch (error) {{ out.push(error instanceof Error, error.code, error.message) }}
         out.push((await {}).metadata.exit_code);
         return out",
        touch("one"),
        touch("two")
    );
    let mut turn = start(&world, &code, 60_000);
    let (id, _) = card(&mut turn);
    turn.say(&json!({ "approval": id, "answer": "deny", "message": "use make" }).to_string());
    let (id, _) = card(&mut turn);
    answer(&mut turn, &id, "once");
    let (events, ended) = finish(turn);
    let value: Value = serde_json::from_str(ended.text.lines().next().unwrap()).unwrap();
    assert_eq!((&value[0], &value[1]), (&json!(true), &json!("denied")), "{value}");
    assert!(value[2].as_str().unwrap().contains("use make"), "{value}");
    assert!(!world.has("one") && world.has("two"));
    assert!(
        ended.text.contains("bash refused (denied)") && ended.text.contains("bash ok (approved)")
    );
    let words = world.receipts(Some(events.session())).sound(&world).words();
    assert_eq!(words, ["execute_tools ok auto", "bash refused denied", "bash ok approved"]);
}

/// CM-08: the same call after a no is denied without another card, however often it is tried.
#[test]
fn a_denied_call_is_asked_once() {
    let world = world();
    let code = format!(
        "const codes = new Set();
         for (let i = 0; i < 500; i++) try {{ await {} }} catch (error) {{ codes.add(error.code) }}
         return [...codes]",
        touch("made")
    );
    let mut turn = start(&world, &code, 60_000);
    let (id, _) = card(&mut turn);
    answer(&mut turn, &id, "deny");
    let (events, ended) = finish(turn);
    assert!(ended.text.starts_with("[\"denied\"]\n"), "{}", ended.text);
    assert_eq!(events.of("approval.requested").len(), 1);
    assert!(!world.has("made"));
    assert_eq!(world.receipts(Some(events.session())).sound(&world).0.len(), 501);
}

/// [CODE-07] [CODE-03] Several questions wait side by side and are answered in any order.
#[test]
fn questions_side_by_side_are_answered_in_any_order() {
    let world = world();
    for name in ["b.txt", "c.txt"] {
        world.write(name, name);
    }
    let rule = "[[rule]]\naction = \"ask\"\ntool = \"read\"\n";
    std::fs::write(world.home().join("config/permissions.toml"), rule).unwrap();
    let code = "const all = await Promise.allSettled(['a.txt', 'b.txt', 'c.txt'].map((path) => tools.read({ path }))); \
                return all.map((it) => it.reason?.code ?? it.value.content)";
    let mut turn = start(&world, code, 60_000);
    let mut cards = [(); 3].map(|()| card(&mut turn));
    cards.sort_by_key(|(_, card)| card["arguments"]["path"].as_str().unwrap().to_owned());
    for (place, word) in [(2, "once"), (0, "deny"), (1, "once")] {
        answer(&mut turn, &cards[place].0, word);
        let decided = turn.event_type("approval.decided");
        assert_eq!(decided["id"], cards[place].0, "{decided}");
    }
    let (events, ended) = finish(turn);
    assert!(ended.text.starts_with(r#"["denied","b.txt","c.txt"]"#), "{}", ended.text);
    world.receipts(Some(events.session())).sound(&world);
}

/// [CODE-07] [GATE-60] Stop at a program's card ends the turn: other cards, the program, and what it would do.
#[test]
fn stop_ends_the_turn() {
    let world = world();
    let code = format!(
        "await Promise.allSettled([{}, {}]); await {}",
        touch("one"),
        touch("two"),
        touch("three")
    );
    let arguments = json!({ "code": code });
    let script = Script::new()
        .calls([("execute_tools", arguments), ("bash", json!({ "command": "touch four" }))])
        .text("never said");
    let mut turn = world.exec(&script, "go").args(["--approvals", "stdio"]).stdin_open().spawn();
    let (id, _) = card(&mut turn);
    answer(&mut turn, &id, "stop");
    let ran = unhurt(turn.finish());
    let events = ran.events().well_formed();
    assert_eq!(events.of("assistant.message").len(), 1, "the model was asked again: {ran}");
    for name in ["one", "two", "three", "four"] {
        assert!(!world.has(name), "{name} ran");
    }
    world.receipts(Some(events.session())).sound(&world);
    world.is_quiet();
}

/// [CODE-08] B106, CP-26, CP-27: time in which a person is asked counts on no clock.
#[test]
fn the_wait_for_a_person_does_not_count() {
    let world = world().config("[code]\ncpu_ms = 200\n");
    let code = format!("await {}; await {}; return 'in time'", touch("one"), touch("two"));
    let mut turn = start(&world, &code, 700);
    for _ in 0..2 {
        let (id, _) = card(&mut turn);
        let later = Instant::now() + Duration::from_millis(1000);
        // Longer than the program has in all; the test itself waits for the clock and nothing else.
        eventually_true("a while has passed", || Instant::now() >= later);
        answer(&mut turn, &id, "once");
    }
    let (_, ended) = finish(turn);
    assert!(ended.text.starts_with("in time\n"), "{}", ended.text);
}

/// [CODE-08] The clocks go on after the answer, whatever the program did while it was waited for.
#[test]
fn a_program_that_was_waited_for_still_has_its_deadline() {
    let world = world();
    for code in [
        format!("await {}; for (;;) {{}}", touch("one")),
        format!(
            "{}; for (let i = 0; i < 300; i++) {{ console.log(i); await null }} for (;;) await null",
            touch("two")
        ),
    ] {
        let mut turn = start(&world, &code, 700);
        let (id, _) = card(&mut turn);
        let later = Instant::now() + Duration::from_millis(1000);
        eventually_true("a while has passed", || Instant::now() >= later);
        answer(&mut turn, &id, "once");
        let (_, ended) = finish(turn);
        assert_eq!(ended.class(), "timeout", "{}", ended.text);
    }
}

/// [CODE-11] [CODE-08] CP-25: what waited for a yes says so, apart from what ran and what had not begun.
#[test]
fn an_interrupt_tells_what_waited_from_what_ran() {
    let world = world();
    let code = "await Promise.allSettled([tools.bash({ command: 'touch made' }), tools.bash({ command: 'touch more' })])";
    let mut turn = start(&world, code, 60_000);
    let (id, _) = card(&mut turn);
    turn.signal(nix::sys::signal::Signal::SIGINT);
    let (events, ended) = finish(turn);
    assert!(ended.text.contains("was waiting for approval, not started"), "{}", ended.text);
    assert!(ended.text.contains("not started"), "{}", ended.text);
    assert!(!world.has("made") && !world.has("more"));
    let records = log_of(&world, events.session());
    let answered = records.iter().find(|it| it["type"] == "answered").unwrap();
    assert_eq!(answered["call"], id, "{answered}");
    world.receipts(Some(events.session())).sound(&world);
}

/// [CODE-07] A question that its client leaves denies that call, and the kernel goes on.
#[tokio::test]
async fn a_client_that_goes_denies_and_harms_nothing() {
    let world = world();
    let kernel = Kernel::start(&world, []);
    let code = format!("await {}; return 1", touch("made"));
    let script =
        Script::new().call("execute_tools", json!({ "code": code })).text("well").text("well");
    let session = kernel.session(&world, &script).await;
    let mut turn = session.turn("go").await.unwrap();
    turn.question().await;
    drop(turn);
    let rest = session.turn("and now?").await.unwrap().rest().await.unwrap();
    assert_eq!(rest.last().unwrap()["stop_reason"], "end");
    assert!(!world.has("made"));
    session.close().await.unwrap();
    world.receipts(Some(&session.session)).sound(&world);
}
