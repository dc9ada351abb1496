//! [AP-02] [AP-03] [AP-04] Text that would hide, or that a terminal would obey, from every place from which
//! text comes: arguments, titles, file names, contents, results, the model.

use serde_json::json;
use tollgate_tests::{Script, World, terminal::ROWS};

use super::{LOOKS, Look, USUAL, at, bash, call, card, exec, is_framed, squeezed};

/// What a terminal obeys: clear, carriage return, link, clipboard, report of its title, 8-bit CSI and OSC,
/// DCS, bell, backspace, delete, other colours.
const OBEYED: &str = "\u{1b}[2J\u{1b}[1;1H\r\u{1b}]8;;http://x.invalid\u{1b}\\\u{1b}]52;c;eA==\u{7}\
    \u{1b}[21t\u{9b}31m\u{9d}0;x\u{9c}\u{1b}P+q\u{1b}\\\u{8}\u{7f}\u{1b}[35m\u{1b}[1m\u{90}\u{85}";
/// What is not seen, or turns others around (`AP-03`), and the number that it must have.
const UNSEEN: [(char, &str); 10] = [
    ('\u{202e}', "<U+202E>"),
    ('\u{2066}', "<U+2066>"),
    ('\u{200b}', "<U+200B>"),
    ('\u{e0041}', "<U+E0041>"),
    ('\u{e0100}', "<U+E0100>"),
    ('\u{1d173}', "<U+1D173>"),
    ('\u{ad}', "<U+00AD>"),
    ('\u{fff9}', "<U+FFF9>"),
    ('\u{feff}', "<U+FEFF>"),
    ('\u{3164}', "<U+3164>"),
];

/// [AP-02] However a command is padded, its end is on the screen, and the padding is a number.
#[test]
fn padding_hides_nothing() {
    let world = World::new();
    for (padding, shown) in [
        (" ", "<5000×U+0020>"),
        ("\u{3000}", "<5000×U+3000>"),
        ("\u{2800}", "<5000×U+2800>"),
        ("\u{a0}", "<5000×U+00A0>"),
        ("\t", r"<5000×\t>"),
        ("\n", "emptylines>"),
        (" \n", "emptylines>"),
    ] {
        let line = format!("echo ok{}; touch CANARY", padding.repeat(5000));
        for look in LOOKS {
            let mut terminal = call(&world, "bash", &bash(&line), look);
            let rows = card(&mut terminal, look);
            is_framed(&rows, look);
            let text = rows.join("\n");
            // All of the card is in sight at once, on a terminal that is narrow but a little higher.
            let most = usize::from(ROWS) * 80 / usize::from(look.columns);
            assert!(rows.len() <= most, "{} rows: {text:.3000}", rows.len());
            let card = squeezed(&rows);
            assert!(card.contains("touchCANARY"), "{padding:?}: {text}");
            assert!(card.contains(shown), "{padding:?}: no {shown:?} in {text}");
            let bytes = bash(&line).to_string().len();
            assert!(card.contains(&format!("arguments({bytes}bytes")), "{text}");
            terminal.types("n\n");
            terminal.finish().code(3).harmless(look.has_colour);
        }
    }
    assert!(!world.has("CANARY"));
}

/// [AP-03] [AP-04] Arguments, the commands of a line, and the rule that is offered.
#[test]
fn arguments_are_shown_and_not_obeyed() {
    let world = World::new();
    let unseen: String = UNSEEN.iter().map(|(char, _)| *char).collect();
    let line = format!("touch 'a{OBEYED}{unseen}b'");
    for look in LOOKS {
        let mut terminal = call(&world, "bash", &bash(&line), look);
        let rows = card(&mut terminal, look);
        is_framed(&rows, look);
        let card = squeezed(&rows);
        for number in UNSEEN.iter().map(|(_, number)| *number).chain(["<U+001B>[2J", "<U+009B>"]) {
            assert!(card.contains(number), "no {number} in {card}");
        }
        terminal.types("n\n");
        let screen = terminal.finish().code(3).harmless(look.has_colour);
        assert!(
            !screen.contains(|char| UNSEEN.iter().any(|(unseen, _)| *unseen == char)),
            "{screen}"
        );
    }
}

/// [AP-03] Letters of other scripts in a path are named.
#[test]
fn letters_that_pass_for_others_are_named() {
    let world = World::new();
    let write = json!({ "path": "src/раsswd.txt", "content": "x\n" });
    let mut terminal = call(&world, "write", &write, USUAL);
    let rows = card(&mut terminal, USUAL);
    let card = squeezed(&rows);
    assert!(card.contains("beware") && card.contains("<U+0440>"), "{}", rows.join("\n"));
    terminal.types("n\n");
    terminal.finish().code(3);
}

/// [AP-04] The title and the preview that a tool server gives.
#[test]
fn a_servers_title_is_shown_and_not_obeyed() {
    let world = World::new().hostile("plain", "");
    for look in LOOKS {
        let mut terminal = call(&world, "odd", &json!({ "how": "preview" }), look);
        let rows = card(&mut terminal, look);
        is_framed(&rows, look);
        assert!(squeezed(&rows).contains("<U+001B>[2Jtitle"), "{}", rows.join("\n"));
        terminal.types("n\n");
        terminal.finish().code(3).harmless(look.has_colour);
    }
}

/// [AP-04] Names and contents of files, results and what the model says, in a turn and in a single call.
#[test]
fn files_results_and_words_are_shown_and_not_obeyed() {
    let world = World::new();
    let name = format!("{}.txt", OBEYED.replace('/', "_"));
    world.write(&name, format!("one {OBEYED}\nraw \u{9b}31m\n"));
    world.write("bytes.bin", b"\x9b31m \x1b[2J \xff\xfe\n");
    let script = Script::new()
        .step(json!({ "text": format!("I say {OBEYED}"), "tool_calls": [
            { "name": "read", "arguments": { "path": name } },
            { "name": "read", "arguments": { "path": format!("no{OBEYED}") } }] }))
        .call("bash", bash("ls; cat ./*.txt bytes.bin; printf '\\033[2J\\233'"))
        .call("bash", bash(&format!("echo {OBEYED} >'{name}'; cat bytes.bin; exit 3")))
        .text(&format!("all {OBEYED} said"));
    for look in LOOKS {
        let mut terminal = exec(&world, &script, look);
        card(&mut terminal, look);
        terminal.types("y\n");
        let screen = terminal.finish().harmless(look.has_colour);
        assert!(screen.contains("said"), "{screen}");
        one_call(&world, "read", &json!({ "path": name }), look);
        one_call(&world, "bash", &bash("cat ./*.txt bytes.bin"), look);
    }
}

/// [AP-04] What was kept is shown as carefully as what happens now, and so is a folder's name.
#[test]
fn what_was_kept_is_shown_and_not_obeyed() {
    let world = World::new().hostile("plain", "");
    let folder = world.beside(&format!("ws{}", OBEYED.replace('/', "_")));
    std::fs::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let script = Script::new()
        .call("bash", bash(&format!("echo '{OBEYED}'; seq 20000; printf '\\033[2J\\233\\n'")))
        .call("odd", json!({ "how": "preview" }))
        .text(OBEYED);
    let model = world.script(&script);
    let inside = |arguments: &[&str], look| {
        let all = [&["--workspace", folder], arguments].concat();
        at(&world, &all, look)
    };
    let mut terminal = inside(&["exec", "--model", &model, OBEYED], USUAL);
    card(&mut terminal, USUAL);
    terminal.types("y\n");
    card(&mut terminal, USUAL);
    terminal.types("n\n");
    terminal.finish().code(3).harmless(true);
    inside(&["permissions", "add", "bash(make *)"], USUAL).finish().code(0).harmless(true);
    let receipts = world.receipts(None).0;
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let (call, session) = (text(&receipts[0]["id"]), text(&receipts[0]["session"]));
    let refused = text(&receipts[1]["id"]);
    let whole = text(&receipts[0]["end"]["spill"]);
    for arguments in [
        ["receipts", "list"].as_slice(),
        &["receipts", "show", &call],
        &["receipts", "show", &refused],
        &["receipts", "verify"],
        &["artifacts", "show", &whole],
        &["sessions", "list"],
        &["sessions", "show", &session],
        &["resume", &session],
        &["permissions", "list"],
        &["permissions", "explain", "odd", r#"{"how":"preview"}"#],
        &["permissions", "explain", "bash", &bash(OBEYED).to_string()],
        &["trust", "--yes"],
        &["trust", "--list"],
        &["tools", "list"],
        &["tools", "list", "--all"],
        &["tools", "show", "odd"],
        &["tools", "payload"],
        &["tools", "payload", "--session", OBEYED],
        &["tools", "contract"],
        &["servers", "list"],
        &["config", "show"],
        &["doctor"],
        &["tools", "show", OBEYED],
        &["receipts", "show", OBEYED],
        &["call", OBEYED, "{}"],
        &["call", "read", OBEYED],
        &["exec", "--model", OBEYED, "x"],
    ] {
        for look in [USUAL, LOOKS[3]] {
            inside(arguments, look).finish().harmless(look.has_colour);
        }
    }
}

/// A read, whose result goes to the terminal.
#[track_caller]
fn one_call(world: &World, tool: &str, arguments: &serde_json::Value, look: Look) {
    let screen = call(world, tool, arguments, look).finish().code(0).harmless(look.has_colour);
    assert!(screen.contains("31m"), "it is shown: {screen}");
}
