//! The lines of `tests/data/shell_gold.jsonl`, whose effect was proven by running them, through the gate: none
//! that changes something runs without a yes, and those that only read do.
//!
//! Not here: what the sandbox holds, whatever the lines say (`sandbox`), the classifier by itself (`proof::gold` of the shell server), lines that are made from these and
//! run (`proof::ran` there).

use std::{collections::BTreeMap, fs, path::Path};

use tollgate_tests::{World, events::content_text};

use super::gold::{Row, SECRET, class_of, results, rows, world};

/// Of a hundred lines that only read, how many run without a question at least (SH-02).
const READS_PERCENT_MIN: usize = 95;

/// Names, sizes and contents of the workspace's files.
fn tree(folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            tree(&path, found);
        }
        let content = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        found.insert(path.display().to_string(), content);
    }
}

fn all_of(world: &World) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    tree(&world.workspace(), &mut found);
    found
}

/// [SHELL-04] [GATE-22] SH-01 No line that has an effect runs without a yes: where nobody can be asked, and in
/// plan mode.
#[test]
fn no_line_with_an_effect_runs_by_itself() {
    let world = world();
    let rows = rows("not_ro");
    let before = all_of(&world);
    for options in [&[][..], &["--mode", "plan", "--posture", "full-access"]] {
        let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
        for (row, result) in rows.iter().zip(results(&world, &rows, options)) {
            assert_eq!(result["status"], "refused", "{} {:?}: {result}", row.id, row.line);
            *classes.entry(&row.class).or_default() += 1;
        }
        println!("refused with {options:?}: {classes:?}");
        assert!(before == all_of(&world), "something changed");
    }
}

/// [SHELL-04] [GATE-22] SH-02 Lines that only read run without a question, and change nothing.
#[test]
fn lines_that_only_read_run_by_themselves() {
    let world = world();
    let before = all_of(&world);
    // What is not installed cannot be proven.
    let installed = |row: &Row| {
        let program = row.line.split(' ').next().unwrap_or_default();
        let path = std::env::var_os("PATH").unwrap_or_default();
        program != "rg" || std::env::split_paths(&path).any(|folder| folder.join("rg").exists())
    };
    let rows: Vec<Row> = rows("ro").into_iter().filter(installed).collect();
    let mut asked = Vec::new();
    for (row, result) in rows.iter().zip(results(&world, &rows, &[])) {
        if result["decision"] != "auto" {
            asked.push(format!("{} {:?}: {result}", row.id, row.line));
        }
    }
    let auto = rows.len() - asked.len();
    println!("without a question: {auto} of {}", rows.len());
    assert!(auto * 100 >= rows.len() * READS_PERCENT_MIN, "{asked:#?}");
    assert!(before == all_of(&world), "something changed");
}

/// [GATE-20] SH-17 With a rule that denies the file, no line prints it: the rule refuses those that tell its
/// name, and the sandbox holds where they do not (a pattern, a search through everything, another name).
#[test]
fn no_line_prints_a_denied_file() {
    let world = world();
    let rows = rows("denied_read");
    for (options, ruled_min) in [
        (&["--deny", "*(path:secret.txt)"][..], rows.len() * 2 / 3),
        (&["--deny", "read(secret.txt)", "--posture", "full-access"], 0),
    ] {
        let (mut printed, mut ruled) = (Vec::new(), 0);
        for (row, result) in rows.iter().zip(results(&world, &rows, options)) {
            ruled += usize::from(class_of(&result) == "rule");
            if content_text(&result).contains(SECRET) {
                printed.push(format!("{} {:?}", row.id, row.line));
            }
        }
        println!("{options:?}: {} rows, {ruled} refused by the rule", rows.len());
        assert!(printed.is_empty(), "{printed:#?}");
        assert!(ruled >= ruled_min, "only {ruled} are refused by the rule");
    }
    let shown = results(&world, &rows, &["--posture", "full-access"]);
    let shown = shown.iter().filter(|result| content_text(result).contains(SECRET)).count();
    assert!(shown * 10 > rows.len() * 8, "without the rule only {shown} print it");
}

/// Where a command can stand; `D` is the command.
const PLACES: &[&str] = &[
    "D",
    "ls && D",
    "D && ls",
    "ls || D",
    "ls; D",
    "D; ls",
    "ls | D",
    "D | ls",
    "ls |& D",
    "ls & D",
    "ls\nD",
    "D #x",
    "(D)",
    "(ls; D)",
    "{ D; }",
    "! D",
    "if true; then D; fi",
    "if D; then ls; fi",
    "while D; do break; done",
    "until D; do break; done",
    "for i in 1; do D; done",
    "case x in x) D;; esac",
    "f() { D; }; f",
    "echo $(D)",
    "echo \"$(D)\"",
    "echo `D`",
    "x=$(D)",
    "cat <(D)",
    "ls > >(D)",
    "cat <<X\n$(D)\nX",
    "D > /dev/null",
    "< f.txt D",
    "2>&1 D",
    "A=1 D",
    "env D",
    "env -i A=1 D",
    "sudo D",
    "sudo -u root D",
    "nice -n 5 D",
    "nohup D",
    "timeout 5 D",
    "setsid D",
    "stdbuf -oL D",
    "time D",
    "command D",
    "builtin command D",
    "exec D",
    "coproc D",
    "xargs D",
    "echo x | xargs -n1 D",
    "find . -maxdepth 0 -exec D \\;",
    "flock f.txt D",
    "ionice -c3 D",
    "strace D",
];

/// Commands around others.
const GROUPS: &[&str] =
    &["(D)", "{ ls; D; }", "if true; then D; fi", "ls && D | cat", "echo \"$(D)\"", "true\nD"];

/// Places on lines of their own.
const LINES: &[&str] = &[
    "ls \nD",
    "ls\n\nD",
    "ls\n D",
    "ls\n\tD",
    "{\nD\n}",
    "(\nD\n)",
    "if ls\nD\nthen ls; fi",
    "for i in 1\ndo\nD\ndone",
    "ls > f\nD",
    "> f\nD",
    "A=1\nD",
    "export A\nD",
    "export A=1\nD",
    "cat <<X\nx\nX\nD",
    "cat <<X\nD\nX\nD",
    "ls # x\nD",
    "echo a \\\n b\nD",
    "[[ -f x ]]\nD",
    "[ -f x ]\nD",
    "((1))\nD",
    "case x in\nx)\nD\n;;\nesac",
    "f()\n{\nD\n}\nf",
    "ls &\nD",
    "ls |\nD",
    "ls &&\nD",
    "ls 'a\nb'\nD",
    "ls \"a\nb\"\nD",
    "ls\nD\nls\nD",
    "a=(x\ny)\nD",
    "ls $x\nD",
    "\nD",
];

/// Where a script can stand; `D` is the script.
const SCRIPTS: &[&str] = &[
    "eval 'D'",
    "sh -c 'D'",
    "bash -ec 'ls; D'",
    "trap 'D' EXIT",
    "bash <<< 'D'",
    "bash <<'X'\nD\nX",
    "su -c 'D'",
];

/// Ways to write the same command.
const SPELLINGS: &[&str] = &[
    "touch CANARY",
    "\\touch CANARY",
    "'touch' CANARY",
    "to\"uc\"h CANARY",
    "/usr/bin/touch CANARY",
    "touch \\\nCANARY",
    "\\\ntouch CANARY",
    "\\\n\\touch CANARY",
    "t\\\nouch CANARY",
    "touch  'CANARY'",
    "$'touch' CANARY",
];

/// [GATE-21] [GATE-22] SH-12 SH-16 A denied command is found in every position, by every spelling, and in
/// positions inside positions, under rules that allow everything and the posture that asks for nothing.
#[test]
fn a_denied_command_is_found_in_every_position() {
    let mut lines: Vec<String> = Vec::new();
    // Every spelling comes to every kind of place, though not to each.
    let mut spellings = SPELLINGS.iter().cycle();
    for place in PLACES.iter().chain(LINES) {
        lines.extend(spellings.by_ref().take(4).map(|denied| place.replace('D', denied)));
    }
    let one_line = |place: &&&str| !place.contains(['\n', '#']);
    let inner = PLACES.iter().filter(one_line).map(|place| place.replace('D', "touch CANARY"));
    for (number, place) in inner.enumerate() {
        let outer = GROUPS.iter().chain(SCRIPTS).skip(number % 3).step_by(3);
        lines.extend(outer.map(|outer| outer.replace('D', &place)));
    }
    let row = |line: String| Row { id: String::new(), class: String::new(), line };
    let rows: Vec<Row> = lines.into_iter().map(row).collect();
    let world = world();
    let options = ["--allow", "bash", "--deny", "bash(touch *)", "--posture", "full-access"];
    let mut missed = Vec::new();
    for (row, result) in rows.iter().zip(results(&world, &rows, &options)) {
        if result["status"] != "refused" || class_of(&result) != "rule" {
            missed.push(format!("{:?}: {} {}", row.line, result["status"], class_of(&result)));
        }
    }
    println!("{} lines", rows.len());
    assert!(missed.is_empty(), "{} of {}: {missed:#?}", missed.len(), rows.len());
    assert!(!world.has("CANARY"));
}
