//! Whole trees: which words mean everything of a file system, a home, the system, or the workspace.

use std::path::{Path, PathBuf};

use super::{Line, Step};
use crate::{
    authority::{
        baseline::places::{behind_home, finds_and_removes, flat},
        words::{Command, listed},
    },
    safety::{Access, Subject},
};

/// Folders at the root that a system is made of.
const SYSTEM: &str = "bin boot dev etc home lib lib32 lib64 libx32 media mnt opt proc root run sbin srv \
    sys usr var System Library Applications Users Volumes private nix snap";

/// Of these, what lies below is system too.
const DEEP: &[&str] =
    &["/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr"];

/// What of the deep ones belongs to whoever installs something.
const SHALLOW: &[&str] = &["/usr/local", "/usr/src", "/dev/shm"];

/// Folders for files that nobody keeps.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp"];

/// Folders that a line goes to of which is kept account.
const FOLDERS_MAX: usize = 64;

/// Tests by which `find` leaves something out.
const FIND_TESTS: &str = "-name -iname -path -ipath -wholename -regex -iregex -type -empty -size -mtime \
    -mmin -atime -ctime -newer -user -perm";

/// Whether a command removes everything of something.
pub(super) fn removes_whole(command: &Step<'_>, line: &Line<'_>) -> bool {
    match command.program {
        "rm" => {
            command.has("--no-preserve-root")
                || (is_recursive(command)
                    && (removes_named(command, line) || is_fed_whole(command, line)))
        }
        // It may be anything, with these words.
        program if program.starts_with('$') => {
            is_recursive(command) && command.operands().any(|word| is_great(word, line))
        }
        "find" if finds_and_removes(command) => {
            let filtered = command.rest.iter().any(|word| listed(FIND_TESTS, word));
            find_starts(command)
                .any(|word| is_great(word, line) || (!filtered && is_whole(word, command, line)))
        }
        "mv" => command.operands().any(|word| is_great(word, line)) && moves_it(command, line),
        "rsync" => {
            let last = command.operands().last();
            command.has("--delete --delete-before --delete-after --delete-excluded")
                && last.is_some_and(|word| is_great(word, line))
        }
        _ => false,
    }
}

/// Whether one of the operands means everything of something: by itself, or as a variable that the line
/// sets to it.
fn removes_named(command: &Step<'_>, line: &Line<'_>) -> bool {
    command.operands().any(|word| {
        is_whole(word, command, line)
            || values_of(word, line).any(|value| is_whole(value, command, line))
    })
}

/// What the line sets the variable to that a word is: `for d in /; do rm -r "$d"; done`, `d=/; rm -r $d`.
fn values_of<'a>(word: &'a str, line: &'a Line<'_>) -> impl Iterator<Item = &'a str> {
    let name = word.trim_matches('"').strip_prefix('$').unwrap_or_default();
    let name = name.trim_matches(['{', '}']);
    let steps = line.commands.iter().filter(move |_| !name.is_empty());
    steps.flat_map(move |step| {
        let loops = step.runs("for select") && step.rest.first().is_some_and(|it| it == name);
        let words = step.rest.iter().skip(2).filter(move |_| loops).map(String::as_str);
        let set = step.first.split_once('=').filter(|(set, _)| *set == name);
        words.chain(set.map(|(_, value)| value))
    })
}

/// `echo / | xargs rm -r`: what xargs adds is some word of the line.
fn is_fed_whole(command: &Step<'_>, line: &Line<'_>) -> bool {
    let mut others = line.commands.iter().filter(|step| step.first != command.first);
    command.operator == "xargs"
        && others.any(|step| step.operands().any(|word| is_great(word, line)))
}

/// The last operand of a move is where things go to.
fn moves_it(command: &Step<'_>, line: &Line<'_>) -> bool {
    let operands: Vec<&str> = command.operands().collect();
    operands.split_last().is_some_and(|(_, from)| from.iter().any(|word| is_great(word, line)))
}

/// A tool that deletes a root, a home, or what is above one.
pub(super) fn deletes_whole(line: &Line<'_>) -> bool {
    line.call.subjects().iter().any(|subject| match subject {
        Subject::Path { absolute, access: Access::Delete, .. } => is_great_place(absolute, line),
        Subject::Path { .. }
        | Subject::Command { .. }
        | Subject::Host { .. }
        | Subject::Repo { .. }
        | Subject::Mcp { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => false,
    })
}

/// Whether a command changes who may do what with everything of something.
pub(super) fn opens_whole(command: &Step<'_>, line: &Line<'_>) -> bool {
    command.runs("chmod chown chgrp setfacl chattr")
        && is_recursive(command)
        && command.operands().any(|word| is_great(word, line))
}

/// Whether a command removes a tree at all.
pub(super) fn removes_tree(command: &Step<'_>, _: &Line<'_>) -> bool {
    (command.runs("rm") && is_recursive(command))
        || finds_and_removes(command)
        || command.runs("shred")
}

/// Whether a command removes a tree that is not named inside the workspace or a temporary folder.
pub(super) fn removes_elsewhere(command: &Step<'_>, line: &Line<'_>) -> bool {
    if finds_and_removes(command) {
        return find_starts(command).any(|word| !is_named_inside(word, line));
    }
    if !command.runs("rm") || !is_recursive(command) {
        return false;
    }
    let mut operands = command.operands().peekable();
    // What xargs adds is not known; `{}` is what find found below its own folders.
    operands.peek().is_none() || operands.any(|word| word != "{}" && !is_named_inside(word, line))
}

fn is_named_inside(word: &str, line: &Line<'_>) -> bool {
    if word.contains(['$', '`', '(']) || word.starts_with('~') {
        return false;
    }
    let place = flat(&line.at.cwd.join(word));
    let workspace = &line.at.policy.workspace;
    let mut folders =
        workspace.roots.iter().map(|root| root.as_path()).chain(TEMPORARY.iter().map(Path::new));
    let own = Some(workspace.root.as_path()).filter(|root| root.is_absolute());
    folders.any(|folder| place.starts_with(folder))
        || own.is_some_and(|root| place.starts_with(root))
}

fn is_recursive(command: &Command<'_>) -> bool {
    command.has("-r -R --recursive")
}

/// Where `find` begins: its words before the first test.
fn find_starts<'a>(command: &Command<'a>) -> impl Iterator<Item = &'a str> {
    let words = command.rest.iter().map(String::as_str);
    let words = words.skip_while(|word| matches!(*word, "-H" | "-L" | "-P"));
    words.take_while(|word| !word.starts_with(['-', '(', '!']))
}

/// Commands with the folder that each runs in. `cd DIR && …` went there if nothing but `&&` stands between.
pub(super) fn with_folders<'a>(
    commands: Vec<Command<'a>>,
    cwd: &Path,
) -> (Vec<Step<'a>>, Vec<PathBuf>) {
    let mut folders = vec![cwd.to_owned()];
    let (mut folder, mut moved) = (Some(0), false);
    let mut steps = Vec::with_capacity(commands.len());
    for command in commands {
        let plain = matches!(command.operator, "" | "&&");
        let certain = !moved || command.operator == "&&";
        steps.push(Step { command, folder: folder.filter(|_| certain) });
        if command.runs("cd pushd popd") {
            let mut operands = command.operands();
            let known = operands.next().filter(|it| !it.contains(['$', '`', '~']) && *it != "-");
            let from = folder.and_then(|from| folders.get(from));
            let to = known.filter(|_| plain).zip(from).map(|(known, from)| flat(&from.join(known)));
            folder = to.filter(|_| folders.len() < FOLDERS_MAX).map(|to| {
                folders.push(to);
                folders.len() - 1
            });
            moved = true;
        } else if moved && !plain {
            folder = None;
        }
    }
    (steps, folders)
}

/// A word without what means "all that is in it".
fn stem(word: &str) -> &str {
    let mut stem = word.trim_matches(['"', '\'']);
    loop {
        let next = stem.trim_end_matches('/');
        let next = ["/*", "/.*", "/**", "/.", "/{*,.*}", "/.[!.]*", "/?*"]
            .iter()
            .find_map(|all| next.strip_suffix(all))
            .unwrap_or(next);
        if next.len() == stem.len() {
            return stem;
        }
        stem = next;
    }
}

/// Whether a word means all of the folder that the command runs in, or more.
fn is_whole(word: &str, command: &Step<'_>, line: &Line<'_>) -> bool {
    let folder = command.folder.and_then(|number| line.folders.get(number));
    let stem = stem(word);
    let here = matches!(stem, "." | "*" | ".*" | ".[!.]*" | "$PWD" | "${PWD}")
        && !word.trim_matches('"').starts_with('/');
    if here {
        return folder.is_none_or(|folder| is_great_place(folder, line));
    }
    let relative = !stem.starts_with(['/', '~', '$', '`']);
    is_great(word, line)
        || (relative && folder.is_some_and(|folder| is_great_place(&folder.join(stem), line)))
}

/// Whether a word means a file system, a home, the system, a workspace, or what is above one.
fn is_great(word: &str, line: &Line<'_>) -> bool {
    if word.contains('{') && word.contains(',') && !word.starts_with('$') {
        // A list in braces is given as it is written.
        return word.split(['{', '}', ',']).any(|part| is_great_word(part, line));
    }
    is_great_word(word, line)
}

fn is_great_word(word: &str, line: &Line<'_>) -> bool {
    let stem = stem(word);
    let word = word.trim_matches(['"', '\'']);
    if stem.is_empty() {
        return word.starts_with('/');
    }
    let home = behind_home(stem).is_some_and(str::is_empty)
        || stem.strip_prefix("${HOME").is_some_and(|rest| rest.starts_with([':', '-', '=', '?']))
        || (stem.starts_with('~') && !stem.contains('/'));
    let above = stem == ".." || stem.ends_with("/..");
    if home || above || is_empty_variable(stem, word) {
        return true;
    }
    let place = match (behind_home(stem), &line.at.policy.home) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        (None, _) if stem.starts_with('/') || stem.contains("../") => line.at.cwd.join(stem),
        (Some(_), None) | (None, _) => return false,
    };
    is_great_place(&place, line)
}

/// `$DIR/` and `$DIR/*` are the root when the variable is empty.
fn is_empty_variable(stem: &str, word: &str) -> bool {
    let name = stem.strip_prefix('$').map(|name| name.trim_matches(['{', '}']));
    let plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    name.is_some_and(plain) && word.len() > stem.len()
}

fn is_great_place(place: &Path, line: &Line<'_>) -> bool {
    let place = flat(place);
    let workspace = &line.at.policy.workspace;
    let roots = workspace.roots.iter().chain([&workspace.root]).filter(|root| root.is_absolute());
    let mut kept = roots.chain(&line.at.policy.home);
    let reaches = |kept: &PathBuf| kept.as_os_str().len() >= place.as_os_str().len();
    if kept.any(|kept| reaches(kept) && kept.starts_with(&place)) {
        return true;
    }
    let roots = workspace.roots.iter().chain([&workspace.root]).filter(|root| root.is_absolute());
    let inside = |folder: &Path| place.starts_with(folder);
    if roots.map(|root| root.as_path()).chain(TEMPORARY.iter().map(Path::new)).any(inside) {
        return false;
    }
    let names: Vec<_> = place.iter().skip(1).map(|name| name.to_string_lossy()).collect();
    match names.as_slice() {
        [] => true,
        // `/h*` may be any folder at the root.
        [top] => listed(SYSTEM, top) || top.contains(['*', '?', '[']),
        [top, _] if listed("home Users", top) => true,
        _ => {
            let deep = DEEP.iter().any(|folder| place.starts_with(folder));
            deep && !SHALLOW
                .iter()
                .any(|folder| place.starts_with(folder) && place != Path::new(folder))
        }
    }
}
