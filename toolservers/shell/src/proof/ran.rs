//! Goal: what is proven to only read changes nothing when it is run. Lines are made from the gold lines by
//! cutting, joining and putting in signs, and from the tables by drawing options; bash runs those that are
//! proven, in a throw-away repository that belongs to the user who runs them, and the tree is compared.
//! [SHELL-04], [GATE-22], SH-01 … SH-15.
//!
//! Not here: lines that are not proven; none of those is run.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::{
        fs::{MetadataExt as _, chown, lchown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    gold::{GOLD, rows},
    ground::{Ground, in_place},
};
use crate::{
    env::Environment,
    readonly::{Options, Rule},
    readonly_table::{
        PROGRAMS,
        git::{BRANCH, DIFF, GIT, TAG},
    },
};

/// Lines that are made from the gold lines.
const MUTATED: usize = 6000;

/// Distinct ones of those that are run at most.
const MUTATED_RUN_MAX: usize = 200;

/// Lines that are drawn from each row of the tables.
const DRAWN_EACH: usize = 2;

/// What is put into a line.
const SIGNS: &[&str] = &[
    ";",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "\n",
    "\r",
    "\0",
    "\u{a0}",
    "\u{200b}",
    "\t",
    "\\",
    "\\\n",
    "'",
    "\"",
    "`",
    "$",
    "$(",
    "${",
    "$((",
    ")",
    "(",
    "{",
    "}",
    "<",
    ">",
    ">>",
    "<<",
    "<<<",
    "<(",
    ">(",
    ">&",
    "&>",
    ">|",
    "<>",
    "2>",
    "#",
    "!",
    "*",
    "?",
    "[",
    "]",
    "~",
    "=",
    "-",
    "--",
    "%",
    ",",
    " CANARY",
    " > CANARY",
    ";touch CANARY\n",
    " $(touch CANARY) ",
    " `touch CANARY` ",
    " -o CANARY",
    " --output=CANARY",
    "\\\ntouch CANARY",
    " && touch CANARY",
    "'\ntouch CANARY\n'",
    "\";touch CANARY;\"",
    "}; touch CANARY; {",
    ") ; touch CANARY; (",
    " #\ntouch CANARY",
    "<<E\n$(touch CANARY)\nE\n",
    "x=CANARY ",
    " w CANARY",
    "{touch,CANARY}",
    "$IFS",
    "$'\\n'",
    "touch",
    " -delete",
    " -exec touch CANARY ;",
    "|touch CANARY",
    "|sh",
    "|xargs touch",
    " evil.sh",
    "./evil.sh ",
    "cd evilrepo;",
];

/// Operands of drawn lines. None is a name of something outside.
const OPERANDS: &[&str] =
    &["CANARY", "f.txt", "a.txt", "sub", "HEAD", "t.tar", "z.gz", "j.json", "1", "p.diff"];

/// A sequence of numbers that looks like chance and is the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % bound.max(1)
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// A ground that belongs to the user who runs the lines: nobody's, where this process may choose.
struct Run {
    ground: Ground,
    elsewhere: tempfile::TempDir,
    nobody: Option<u32>,
}

/// What is seen of a file: that it is another one, or was changed.
type Seen = BTreeMap<PathBuf, (u64, u64, i64, i64, u32)>;

impl Run {
    fn new() -> Self {
        let ground = Ground::with_real_programs();
        let elsewhere = tempfile::tempdir().unwrap();
        let nobody = nix::unistd::geteuid().is_root().then_some(65_534);
        if let Some(user) = nobody {
            chown(elsewhere.path(), Some(user), Some(user)).unwrap();
            give(ground.base.path(), user);
        }
        Self { ground, elsewhere, nobody }
    }

    fn command(&self, program: &str, line: &[&str]) -> Command {
        let mut command = in_place(self.ground.cwd(), "timeout");
        command.args(["-s", "KILL", "2", program]).args(line).env_clear();
        let environment = Environment::of_this_process();
        for text in environment.of_call("ran", self.ground.cwd(), true) {
            let text = text.into_string().unwrap();
            let (name, value) = text.split_once('=').unwrap();
            command.env(name, value);
        }
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("HOME", self.ground.cwd()).env("TMPDIR", self.elsewhere.path());
        if let Some(user) = self.nobody {
            command.uid(user).gid(user);
        }
        command
    }

    /// Runs a line that was proven; gives what it changed, if anything.
    fn changes(&self, line: &str) -> Option<String> {
        let parses = in_place(self.ground.cwd(), "bash").args(["-n", "-c", line]).status().unwrap();
        if !parses.success() {
            return Some("bash does not take it".into());
        }
        let before = seen(self.ground.cwd());
        self.command("bash", &["-c", line]).status().unwrap();
        let after = seen(self.ground.cwd());
        let differs = |path: &&PathBuf| before.get(*path) != after.get(*path);
        let changed: BTreeSet<_> = before.keys().chain(after.keys()).filter(differs).collect();
        (!changed.is_empty()).then(|| format!("{changed:?}"))
    }
}

fn give(folder: &Path, user: u32) {
    lchown(folder, Some(user), Some(user)).unwrap();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            give(&entry.path(), user);
        } else {
            lchown(entry.path(), Some(user), Some(user)).unwrap();
        }
    }
}

fn seen(folder: &Path) -> Seen {
    let mut seen = Seen::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let (path, it) = (entry.path(), entry.path().symlink_metadata().unwrap());
            if it.is_dir() {
                folders.push(path.clone());
            }
            seen.insert(path, (it.ino(), it.size(), it.mtime(), it.mtime_nsec(), it.mode()));
        }
    }
    seen
}

/// A gold line that was changed in up to three places, or two that were put together.
fn mutated(chance: &mut Chance, lines: &[String]) -> String {
    let mut line = lines[chance.below(lines.len())].clone();
    for _ in 0..=chance.below(3) {
        let places: Vec<usize> =
            line.char_indices().map(|(place, _)| place).chain([line.len()]).collect();
        let place = places[chance.below(places.len())];
        match chance.below(8) {
            0 => {
                let other = &lines[chance.below(lines.len())];
                line = format!(
                    "{line}{}{other}",
                    chance.of(&["; ", " | ", " && ", "\n", " ", " || "])
                );
            }
            1 if place < line.len() => drop(line.remove(place)),
            2 => {
                let other: Vec<&str> = lines[chance.below(lines.len())].split(' ').collect();
                line.insert_str(place, &format!(" {} ", chance.of(&other)));
            }
            _ => line.insert_str(place, chance.of(SIGNS)),
        }
    }
    line
}

#[track_caller]
fn none_changes(run: &Run, lines: &BTreeSet<String>) {
    let wrong: Vec<_> = lines.iter().filter_map(|line| Some((line, run.changes(line)?))).collect();
    println!("{} lines were run", lines.len());
    assert!(wrong.is_empty(), "{} of {} are wrong: {wrong:#?}", wrong.len(), lines.len());
}

/// Otherwise the tests below would say nothing.
#[test]
fn a_change_is_seen() {
    let run = Run::new();
    let rows = [
        "touch CANARY",
        "echo >> f.txt",
        "rm DELME",
        "chmod 600 a.txt",
        "git tag x",
        "git add f.txt",
        "ls (",
    ];
    for line in rows {
        assert!(run.changes(line).is_some(), "{line}");
    }
    for line in ["ls", "git status", "git diff", "sort big.txt"] {
        assert_eq!(run.changes(line), None, "{line}");
    }
}

#[test]
fn a_line_that_was_made_from_others_and_is_proven_changes_nothing() {
    let run = Run::new();
    let lines: Vec<String> =
        rows(GOLD).into_iter().map(|mut row| row.remove("cmd").unwrap()).collect();
    let mut chance = Chance(0x5eed_0001);
    let mut proven = BTreeSet::new();
    for _ in 0..MUTATED {
        let line = mutated(&mut chance, &lines);
        if proven.len() < MUTATED_RUN_MAX && run.ground.reads(&line) {
            proven.insert(line);
        }
    }
    assert!(proven.len() > MUTATED_RUN_MAX / 2, "too few are proven: {}", proven.len());
    none_changes(&run, &proven);
}

/// Words for a program: some of its options, with and without values, and operands; any letters as options
/// where the table lists none.
fn drawn(chance: &mut Chance, options: Option<Options>) -> String {
    let words = (0..=chance.below(4)).map(|_| match options {
        None => any_word(chance),
        Some(options) => listed_word(chance, options),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn any_word(chance: &mut Chance) -> String {
    let operand = chance.of(OPERANDS);
    let letter =
        char::from(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[chance.below(52)]);
    match chance.below(3) {
        0 => format!("-{letter}"),
        1 => format!("-{letter}{operand}"),
        _ => operand.to_owned(),
    }
}

fn listed_word(chance: &mut Chance, options: Options) -> String {
    let operand = chance.of(OPERANDS);
    let letters = [options.flags, options.valued, options.glued].concat();
    let letters: Vec<char> = letters.chars().collect();
    let long: Vec<&str> = options.long.split(' ').filter(|name| !name.is_empty()).collect();
    match chance.below(4) {
        0 if !letters.is_empty() => format!("-{}", letters[chance.below(letters.len())]),
        1 if !long.is_empty() => format!("--{}", chance.of(&long).trim_end_matches(['=', '?'])),
        2 if !long.is_empty() => format!("--{}{operand}", chance.of(&long).replace('?', "=")),
        _ => operand.to_owned(),
    }
}

fn options_of(rule: &Rule) -> Option<Options> {
    match rule {
        Rule::Listed(options, _) => Some(*options),
        Rule::Anything | Rule::Version(_) | Rule::Checked(_) => None,
    }
}

/// The tables are right about the programs that are installed here.
#[test]
fn a_line_that_was_drawn_from_the_tables_changes_nothing() {
    let run = Run::new();
    let mut chance = Chance(0x5eed_0002);
    let mut named: Vec<(String, Option<Options>)> = Vec::new();
    for (names, rule) in PROGRAMS {
        named.extend(names.split(' ').map(|name| (name.to_owned(), options_of(rule))));
    }
    for (names, rule) in GIT {
        named.extend(names.split(' ').map(|name| (format!("git {name}"), options_of(rule))));
    }
    let checked = [
        ("branch", BRANCH),
        ("tag", TAG),
        ("stash list", DIFF),
        ("stash show", DIFF),
        ("reflog", DIFF),
    ];
    named.extend(checked.map(|(name, options)| (format!("git {name}"), Some(options))));
    let mut proven = BTreeSet::new();
    for (name, options) in named {
        // These take their time, as they are told to.
        if matches!(name.as_str(), "sleep" | "yes" | "tail" | "read" | "free") {
            continue;
        }
        for _ in 0..DRAWN_EACH {
            let line = format!("{name} {}", drawn(&mut chance, options));
            if run.ground.reads(&line) {
                proven.insert(line);
            }
        }
    }
    assert!(proven.len() > 100, "too few are proven: {}", proven.len());
    none_changes(&run, &proven);
}
