//! `tollgate run`: a person's program with the whole gate; the value on standard output, everything else on
//! standard error, and the exit code says how it ended.

use nix::sys::signal::Signal;
use tollgate_tests::{Terminal, eventually::eventually_true, terminal::harmless};

use super::*;

/// What it prints for a program: standard output, standard error, exit code.
#[track_caller]
fn printed(world: &World, code: &str, options: &[&str], expected: i32) -> (String, String) {
    let ran = unhurt(world.tollgate(["run", "-"]).args(options).stdin(code).run()).code(expected);
    (ran.text(), ran.stderr)
}

/// [CODE-17] [CLI-05] The value alone is on standard output, so that it can be piped on.
#[test]
fn the_value_is_on_standard_output_alone() {
    let world = world();
    for (code, value) in [
        ("return 'text'", "text\n"),
        ("return { a: [1, null] }", "{\"a\":[1,null]}\n"),
        ("console.log('log'); return 1", "1\n"),
        ("return (await tools.read({ path: 'a.txt' })).content", "hello\n"),
        ("return 'no end of line\\n'", "no end of line\n"),
        ("return '\\x1b[2J'", "\u{1b}[2J\n"),
        ("", "null\n"),
    ] {
        let (stdout, stderr) = printed(&world, code, &[], 0);
        assert_eq!(stdout, value, "{code}: {stderr}");
    }
    let (_, stderr) = printed(
        &world,
        "console.log('log'); await tools.read({ path: 'a.txt' }); return 1",
        &[],
        0,
    );
    assert!(stderr.contains("logs:\nlog") && stderr.contains("read ok"), "{stderr}");
}

/// [CLI-05] The exit code says how it ended; a failure prints nothing on standard output.
#[test]
fn the_exit_code_says_how_it_ended() {
    let world = world();
    for (code, options, expected, part) in [
        ("throw new Error('boom')", vec![], 1, "Error: boom"),
        ("let = ;", vec![], 1, "syntax error"),
        ("for (;;);", vec!["--timeout-ms", "200"], 124, "more than 0.2 s"),
        ("await tools.bash({ command: 'touch x' })", vec!["--approvals", "deny"], 1, "was refused"),
        ("return 1", vec!["--mode", "plan"], 3, "plan"),
        ("return 1", vec!["--deny", "execute_tools"], 3, "execute_tools"),
        ("return 1", vec!["--timeout-ms", "0"], 2, "timeout-ms"),
        ("return 1", vec!["--timeout-ms", "soon"], 2, "timeout-ms"),
        ("return 1", vec!["--nothing"], 2, "--nothing"),
    ] {
        let (stdout, stderr) = printed(&world, code, &options, expected);
        assert_eq!(stdout, "", "{code}: {stderr}");
        assert!(stderr.contains(part), "{code}: no {part:?} in {stderr}");
    }
    assert!(!world.has("x"));
}

/// [CODE-17] A file, also of TypeScript; what cannot be read is told, and nothing is started.
#[test]
fn a_program_is_a_file_or_standard_input() {
    let world = world();
    world.write("ok.js", "return 1 + 1");
    world.write(
        "typed.ts",
        "interface A { n: number }\nconst a = { n: 3 } as A;\nreturn a.n satisfies number",
    );
    world.write("fenced.md", "```js\nreturn 'fenced'\n```\n");
    world.write("bom.js", "\u{feff}return 'bom'");
    world.write("crlf.js", "const a = 1;\r\nreturn a\r\n");
    for (file, value) in [
        ("ok.js", "2\n"),
        ("typed.ts", "3\n"),
        ("fenced.md", "fenced\n"),
        ("bom.js", "bom\n"),
        ("crlf.js", "1\n"),
    ] {
        let ran = world.tollgate(["run", file]).run().success();
        assert_eq!(ran.text(), value, "{ran}");
    }
    world.write("latin.js", b"return '\xe4'");
    world.write("huge.js", vec![b' '; 40 * 1024 * 1024]);
    world.write("long.js", "//".to_owned() + &"x".repeat(300 * 1024));
    for (file, expected, part) in [
        ("missing.js", 2, "missing.js"),
        ("latin.js", 2, "UTF-8"),
        ("huge.js", 2, "longer than"),
        (".", 2, "directory"),
        ("long.js", 1, "262144"),
    ] {
        let ran = unhurt(world.tollgate(["run", file]).run()).code(expected);
        assert!(ran.stderr.contains(part) && ran.stdout.is_empty(), "{file}: {ran}");
    }
    world.tollgate(["run"]).run().code(2);
    world.tollgate(["run", "-"]).stdin(b"return '\xe4'".to_vec()).run().code(2);
}

/// [CODE-19] Line and caret are those of the person's own file, also behind fences, types and wide characters.
#[test]
fn an_error_points_into_the_file() {
    let world = world();
    for (code, line, shown) in [
        ("const a = 1;\n\n  throw new Error('here')", 3, "  throw new Error('here')"),
        ("```js\nconst a = 1;\nthrow new Error('here')\n```", 3, "throw new Error('here')"),
        ("interface A { a: string }\nconst x: number = 1;\nx.y.z", 3, "x.y.z"),
        ("const ä = '中文';\nlet = 1;", 2, "let = 1;"),
    ] {
        let (_, stderr) = printed(&world, code, &[], 1);
        assert!(stderr.contains(&format!("{line} | {shown}")), "{code}: {stderr}");
        assert!(stderr.lines().any(|it| it.trim_end().ends_with('^')), "{stderr}");
    }
}

/// [CLI-05] `--json` is one object with result and receipt, whatever became of the program.
#[test]
fn json_is_one_object() {
    let world = world();
    for (code, expected) in
        [("return 1", 0), ("throw 1", 1), ("let = ;", 1), ("console.log('\\x1b[2J')", 0)]
    {
        let ran = world.tollgate(["run", "-", "--json"]).stdin(code).run().code(expected);
        let printed = ran.json();
        assert_eq!(printed["receipt"]["tool"], "execute_tools", "{ran}");
        assert_eq!(printed["result"]["is_error"], expected != 0, "{ran}");
        assert!(!ran.stdout.contains(&0x1b), "{ran}");
    }
}

/// [CLI-05] Ctrl-C ends it with code 130, also while it computes and in an operation that does not yield.
#[test]
fn an_interrupt_ends_it() {
    for rest in [
        "for (;;);",
        "await tools.bash({ command: 'sleep 300' })",
        "return new Array(1e9).join().length",
    ] {
        let world = world();
        let code = format!("await tools.write({{ path: 'runs', content: '' }}); {rest}");
        let running = world.tollgate(["run", "-"]).args(FULL).stdin(code).spawn();
        eventually_true("the program runs", || world.has("runs"));
        running.signal(Signal::SIGINT);
        let ran = unhurt(running.finish()).code(130);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("write ok"), "{rest}: {ran}");
        world.is_quiet();
        world.receipts(None).sound(&world);
    }
}

/// [CODE-07] [CODE-17] At a terminal a person is asked, by a card that says that a program calls; keys answer.
#[test]
fn a_person_at_a_terminal_is_asked() {
    let world = world();
    world.write("two.js", "const out = [];\nfor (const name of ['one', 'two'])\n\
        out.push(await tools.bash({ command: `touch ${name}` }).then(() => 'ran', (e) => e.code));\nreturn out");
    let mut terminal = Terminal::run(world.tollgate(["run", "two.js"]), 80);
    let card = terminal.until("[q]uit turn");
    let text = harmless(card.as_bytes(), true);
    assert!(text.contains("execute_tools program call: bash"), "{text}");
    assert!(text.contains("touch one"), "{text}");
    assert!(!world.has("one"));
    terminal.types("y\n");
    terminal.until("[q]uit turn");
    assert!(world.has("one"));
    terminal.types("n\n");
    let screen = terminal.finish();
    let log = String::from_utf8_lossy(&screen.log).into_owned();
    assert!(log.contains(r#"["ran","denied"]"#), "{log}");
    assert!(!world.has("two"), "{log}");
    screen.code(0);
}

/// What a program returns, prints and throws cannot command the terminal.
#[test]
fn a_terminal_is_told_and_not_commanded() {
    let world = world();
    let odd = "\\x1b[2J\\x1b]0;owned\\x07\\u202e";
    for code in [
        format!("console.log('{odd}'); return '{odd}'"),
        format!("throw new Error('{odd}')"),
        format!("await tools.call('{odd}', {{}})"),
        format!("return {{ '{odd}': 1 }}"),
    ] {
        world.write("odd.js", code);
        let terminal = Terminal::run(world.tollgate(["run", "odd.js"]), 80);
        terminal.finish().harmless(true);
    }
}
