//! Keys at a card: each answer does what it says and nothing more, and silence runs nothing.

use std::fs;

use serde_json::json;
use tollgate_tests::{Script, World, receipts::log_of};

use super::{CHOICES_END, USUAL, bash, call, card, exec, squeezed, touch};

/// What the person stored.
fn stored(world: &World) -> Option<String> {
    fs::read_to_string(world.home().join("config/permissions.toml")).ok()
}

/// How often a text asks.
fn cards(screen: &str) -> usize {
    screen.matches("May this call run?").count()
}

/// Yes is for this call only.
#[test]
fn once_is_once() {
    let world = World::new();
    let same = bash("git commit -q --allow-empty -m x; touch a.txt");
    let script = Script::new().call("bash", same.clone()).call("bash", same).text("the end");
    let mut terminal = exec(&world, &script, USUAL);
    card(&mut terminal, USUAL);
    assert!(!world.has("a.txt"), "it ran before the answer");
    terminal.types("y\n");
    card(&mut terminal, USUAL);
    assert!(world.has("a.txt"), "it did not run after the answer");
    fs::remove_file(world.workspace().join("a.txt")).unwrap();
    terminal.types("n\n");
    let screen = terminal.finish().code(3).harmless(true);
    assert!(screen.contains("the end") && screen.contains("1 call denied by you"), "{screen}");
    assert!(!world.has("a.txt"));
    assert_eq!(stored(&world), None);
}

/// [GATE-23] For the session: asked once in it, stored nowhere, and asked again in the next.
#[test]
fn session_is_for_the_session() {
    let world = World::new();
    let script =
        Script::new().call("bash", touch("a.txt")).call("bash", touch("a.txt")).text("the end");
    let mut terminal = exec(&world, &script, USUAL);
    card(&mut terminal, USUAL);
    terminal.types("s\n");
    let screen = terminal.finish().code(0).harmless(true);
    assert_eq!(cards(&screen), 1, "{screen}");
    assert_eq!(stored(&world), None);
    let mut terminal = call(&world, "bash", &touch("a.txt"), USUAL);
    card(&mut terminal, USUAL);
    terminal.types("n\n");
    terminal.finish().code(3);
}

/// [GATE-23] Always: `permissions.toml` holds the rule that the card showed, and that is not asked again.
#[test]
fn always_stores_what_was_shown() {
    let world = World::new();
    let commit = |message: &str| bash(&format!("git commit --allow-empty -m {message}"));
    let mut terminal = call(&world, "bash", &commit("x"), USUAL);
    let rows = card(&mut terminal, USUAL);
    let folder = world.workspace().display().to_string();
    let rule = format!("bash(gitcommit*)workspace={folder}");
    assert!(squeezed(&rows).contains(&rule), "{rows:#?}");
    assert_eq!(stored(&world), None, "it was stored before the answer");
    terminal.types("a\n");
    // Git may not know who commits; that is not the gate's.
    terminal.finish();
    let stored: toml::Table = stored(&world).expect("it is stored").parse().unwrap();
    let expected = json!({ "rule": [{
        "action": "allow", "tool": "bash", "command": ["git", "commit"], "workspace": folder }] });
    assert_eq!(serde_json::to_value(&stored).unwrap(), expected);
    let ran = world.call("bash", &commit("y")).run();
    assert_eq!(ran.json()["receipt"]["decision"], "auto", "{ran}");
    world.call("bash", &bash("git push")).run().code(3);
}

/// No; no with a message, at once or when it is asked for; the model reads it.
#[test]
fn no_says_why() {
    let world = World::new();
    for (keys, told) in [
        ("n\n", "denied"),
        ("No\n", "denied"),
        ("m use make instead\n", "use make instead"),
        ("m\n", "what should the model know?"),
    ] {
        let script = Script::new().call("bash", touch("a.txt")).text("told: {{last.content}}");
        let mut terminal = exec(&world, &script, USUAL);
        card(&mut terminal, USUAL);
        terminal.types(keys);
        if keys == "m\n" {
            terminal.until(told);
            terminal.types("use make instead\n");
        }
        let screen = terminal.finish().code(3).harmless(true);
        let answer = screen.split("told: ").nth(1).unwrap_or_else(|| panic!("no answer: {screen}"));
        assert!(answer.contains("denied"), "{screen}");
        assert_eq!(answer.contains("use make instead"), keys.starts_with('m'), "{screen}");
        assert!(!world.has("a.txt"));
    }
    let words = world.receipts(None).sound(&world).words();
    assert_eq!(words, ["bash refused denied"]);
}

/// Stop: the turn ends, and what was left never runs.
#[test]
fn quit_ends_the_turn() {
    let world = World::new();
    let calls = [("bash", touch("a.txt")), ("bash", touch("b.txt"))];
    let script = Script::new().calls(calls).text("never said");
    let mut terminal = exec(&world, &script, USUAL);
    card(&mut terminal, USUAL);
    terminal.types("q\n");
    let screen = terminal.finish().code(3).harmless(true);
    assert!(screen.contains("stopped") && !screen.contains("never said"), "{screen}");
    assert_eq!(cards(&screen), 1, "{screen}");
    assert!(!world.has("a.txt") && !world.has("b.txt"));
    let words = world.receipts(None).sound(&world).words();
    assert_eq!(words, ["bash refused denied", "bash refused refused"]);
}

/// Whatever is no clear yes is none, and what was typed before the card was seen is no answer to it.
#[test]
fn only_a_clear_yes_after_the_card_is_one() {
    let world = World::new();
    let script = Script::new()
        .call("bash", bash("touch before; while [ ! -e go ]; do :; done"))
        .call("bash", touch("a.txt"))
        .text("the end");
    let mut terminal = exec(&world, &script, USUAL);
    card(&mut terminal, USUAL);
    terminal.types("y\n");
    tollgate_tests::eventually::eventually_true("the first runs", || world.has("before"));
    // There is no card now; the next one comes later.
    terminal.types("y\na\ny\n");
    world.write("go", "");
    card(&mut terminal, USUAL);
    for keys in ["\n", "yy\n", "yes please\n", "ok\n", "\u{1b}[A\n", "ｙ\n", "n o\n"] {
        terminal.types(keys);
        terminal.until("please answer");
        terminal.until(CHOICES_END);
    }
    terminal.types("n\n");
    terminal.finish().code(3);
    assert!(!world.has("a.txt"), "it ran without a yes");
    assert_eq!(stored(&world), None);
}

/// Ctrl-C at a card cancels the turn, or the call; nothing runs.
#[test]
fn an_interrupt_at_a_card_runs_nothing() {
    let world = World::new();
    let script =
        Script::new().call("bash", touch("a.txt")).call("bash", touch("b.txt")).text("never said");
    let mut terminal = exec(&world, &script, USUAL);
    card(&mut terminal, USUAL);
    terminal.types("\u{3}");
    let screen = terminal.finish().code(130).harmless(true);
    assert!(screen.contains("interrupted") && !screen.contains("never said"), "{screen}");
    assert_eq!(cards(&screen), 1, "{screen}");
    assert_eq!(world.receipts(None).sound(&world).words(), ["bash refused refused"]);
    let mut terminal = call(&world, "bash", &touch("a.txt"), USUAL);
    card(&mut terminal, USUAL);
    terminal.types("\u{3}");
    terminal.finish().code(130);
    world.is_quiet();
    assert!(!world.has("a.txt") && !world.has("b.txt"));
}

/// [AP-10] The end of input (Ctrl-D) is no yes.
#[test]
fn the_end_of_input_is_no_yes() {
    let world = World::new();
    let script = Script::new().call("bash", touch("a.txt")).text("the end");
    let mut terminal = exec(&world, &script, USUAL);
    card(&mut terminal, USUAL);
    terminal.types("\u{4}");
    let screen = terminal.finish().code(3).harmless(true);
    assert!(screen.contains("the terminal was closed"), "{screen}");
    assert!(!world.has("a.txt"));
}

/// [AP-10] A terminal that goes away answers nothing: what was asked does not run, and it is on record.
#[test]
fn a_terminal_that_hangs_up_runs_nothing() {
    let world = World::new();
    for command in ["exec", "call"] {
        let script =
            Script::new().call("bash", touch("a.txt")).call("bash", touch("b.txt")).text("x");
        let mut terminal = match command {
            "exec" => exec(&world, &script, USUAL),
            _ => call(&world, "bash", &touch("a.txt"), USUAL),
        };
        card(&mut terminal, USUAL);
        // A yes without its Enter is none.
        terminal.types("y");
        terminal.hang_up();
        terminal.finish().code(130);
        world.is_quiet();
        assert!(!world.has("a.txt") && !world.has("b.txt"), "{command}: it ran");
        let receipts = world.receipts(None).sound(&world);
        assert_eq!(receipts.words(), ["bash refused refused"], "{command}");
        let session = receipts.0[0]["session"].as_str().unwrap().to_owned();
        let log = log_of(&world, &session);
        let types: Vec<_> = log.iter().filter_map(|record| record["type"].as_str()).collect();
        assert_eq!(types, ["asked", "answered", "receipt"], "{command}");
    }
}
