//! [GATE-60] The approval card at a real terminal: a person sees what would run, at any width, with colour
//! and without; keys do what they say; and nothing from outside is obeyed by the terminal.

mod answers;
mod hostile;

use serde_json::{Value, json};
use tollgate_tests::{Script, Terminal, World};

/// Where the choices of a card end.
const CHOICES_END: &str = "[q]uit turn";
/// What a row of a card begins with: its head, its body, its choices, and more choices.
const FRAME: [&str; 4] = ["╭ ", "│ ", "╰ ", "  "];

/// A kind of terminal.
#[derive(Clone, Copy, Debug)]
struct Look {
    columns: u16,
    has_colour: bool,
}

/// Wide and narrow, with colour and without.
const LOOKS: [Look; 4] = [
    Look { columns: 80, has_colour: true },
    Look { columns: 80, has_colour: false },
    Look { columns: 40, has_colour: true },
    Look { columns: 40, has_colour: false },
];
/// What most people have.
const USUAL: Look = LOOKS[0];

/// A turn of a script.
fn exec(world: &World, script: &Script, look: Look) -> Terminal {
    let model = world.script(script);
    at(world, &["exec", "--model", &model, "go on"], look)
}

/// One call of a person.
fn call(world: &World, tool: &str, arguments: &Value, look: Look) -> Terminal {
    at(world, &["call", tool, &arguments.to_string()], look)
}

fn at(world: &World, arguments: &[&str], look: Look) -> Terminal {
    let command = world.tollgate(arguments.iter().copied());
    let command = if look.has_colour { command } else { command.env("NO_COLOR", "1") };
    Terminal::run(command, look.columns)
}

fn bash(line: &str) -> Value {
    json!({ "command": line })
}

fn touch(file: &str) -> Value {
    bash(&format!("touch {file}"))
}

/// Waits for the next card; gives its rows, without colours.
#[track_caller]
fn card(terminal: &mut Terminal, look: Look) -> Vec<String> {
    terminal.until("╭ ");
    let text = format!("╭ {}", terminal.until(CHOICES_END));
    let text = harmless(&text, look);
    text.lines().map(str::to_owned).collect()
}

/// A text without colours, which it may have; see `Screen::harmless`.
#[track_caller]
fn harmless(text: &str, look: Look) -> String {
    tollgate_tests::terminal::harmless(text.as_bytes(), look.has_colour)
}

/// All rows as one text without frame and blanks, so that it is the same at every width.
fn squeezed(rows: &[String]) -> String {
    let inner =
        rows.iter().map(|row| FRAME.iter().find_map(|it| row.strip_prefix(it)).unwrap_or(row));
    inner.flat_map(str::chars).filter(|char| !char.is_whitespace()).collect()
}

/// Each row has its frame, and fits.
#[track_caller]
fn is_framed(rows: &[String], look: Look) {
    let all = rows.join("\n");
    for row in rows {
        assert!(FRAME.iter().any(|begin| row.starts_with(begin)), "{row:?} in\n{all}");
        assert!(width(row) <= look.columns.into(), "{row:?} is too wide in\n{all}");
    }
}

/// Columns that a row takes on a terminal (UAX 11), counted apart from the program's own tables.
fn width(row: &str) -> usize {
    let wide = |char: char| {
        matches!(char,
            '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}'
            | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1faff}'
            | '\u{20000}'..='\u{3fffd}')
    };
    let combines = |char: char| matches!(char, '\u{300}'..='\u{36f}');
    row.chars().map(|char| if combines(char) { 0 } else { 1 + usize::from(wide(char)) }).sum()
}

/// [GATE-60] Who asks, what, where, the exact arguments, the parsed commands, why, and what would be stored.
#[test]
fn a_card_shows_all_of_a_call() {
    let world = World::new();
    world.write("src/a.txt", "x\n");
    let line = "cd src && git commit -m 'a b' | tee log.txt";
    let script = Script::new().call("bash", bash(line)).text("end");
    for look in LOOKS {
        let mut terminal = exec(&world, &script, look);
        let rows = card(&mut terminal, look);
        is_framed(&rows, look);
        let card = squeezed(&rows);
        for part in [
            "Maythiscallrun?",
            "askedbythemodel·servershell(local)",
            "[6baseline]",
            "cdsrc(onlyreads)",
            "&&gitcommit-m'ab'",
            "|teelog.txt",
            &format!("arguments({}bytes,sha256", bash(line).to_string().len()),
            "command:\"cdsrc&&gitcommit-m'ab'|teelog.txt\"",
            "[s]essionor[a]lwayswouldallowherewithoutaquestion:",
            "bash(gitcommit-m'ab')workspace=/",
            "bash(teelog.txt)workspace=/",
            "[y]esonce[s]ession[a]lways[n]o[m]essage[q]uitturn",
        ] {
            assert!(card.contains(part), "{look:?}: no {part:?} in\n{}", rows.join("\n"));
        }
        terminal.types("n\n");
        terminal.finish().code(3);
    }
}

/// [GATE-60] A person's own call says so, an edit shows its diff, and what no rule holds has no offer.
#[test]
fn a_card_shows_a_diff_and_who_asks() {
    let world = World::new();
    world.write("a.txt", "one\ntwo\n");
    let edit = json!({ "path": "a.txt", "edits": [{ "old": "two", "new": "three" }] });
    for look in LOOKS {
        let mut terminal = call(&world, "edit", &edit, look);
        let rows = card(&mut terminal, look);
        is_framed(&rows, look);
        let text = rows.join("\n");
        assert!(squeezed(&rows).contains("askedbyyou·serverfile(local)"), "{text}");
        for row in ["│   -two", "│   +three"] {
            assert!(rows.iter().any(|it| it == row), "no {row:?} in\n{text}");
        }
        terminal.types("n\n");
        terminal.finish().code(3);
        let mut terminal = call(&world, "bash", &bash("python3 -c 'print(1)'"), look);
        let rows = card(&mut terminal, look);
        is_framed(&rows, look);
        let card = squeezed(&rows);
        assert!(card.ends_with("[y]esonce[n]o[m]essage[q]uitturn"), "{card}");
        assert!(!card.contains("lways"), "{card}");
        terminal.types("a\ns\nn\n");
        let screen = terminal.finish().code(3).harmless(look.has_colour);
        assert_eq!(screen.matches("please answer y, n, m or q").count(), 2, "{screen}");
    }
    assert_eq!(world.read("a.txt"), "one\ntwo\n");
}

/// [GATE-60] Wide characters, emoji and accents that stand above leave every row within its frame.
#[test]
fn wide_text_stays_in_its_frame() {
    let world = World::new();
    let wide = "漢字かな交じり文".repeat(12);
    let emoji = "😀🎉🇩🇪👍🏽👩‍👩‍👧e\u{301}".repeat(12);
    let line = format!("touch 漢字/{wide} && echo '{emoji}' > 한국어.txt");
    let script = Script::new().call("bash", bash(&line)).text(&format!("{wide} {emoji}"));
    for look in LOOKS {
        let mut terminal = exec(&world, &script, look);
        let rows = card(&mut terminal, look);
        is_framed(&rows, look);
        let card = squeezed(&rows);
        assert!(card.contains(&format!("touch漢字/{wide}")), "{card}");
        assert!(card.contains("<U+200D>"), "joiners have numbers: {card}");
        assert!(card.contains("한국어.txt"), "{card}");
        terminal.types("n\n");
        terminal.finish().code(3).harmless(look.has_colour);
    }
}
