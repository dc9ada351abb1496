//! Which commands a wider yes may cover by their first words, and which by no rule at all.

use crate::authority::words::base_name;

/// Programs whose second word says what they do, and those words that do the same whatever follows
/// them: program, words of the prefix, second words. Left out is what runs any program that it is given
/// (`git rebase -x`, `npm exec`, `docker run`), fetches any package (`npm install`), sends out (`git
/// push`), or takes further targets (`make test deploy`): those are offered word by word.
const SUBCOMMANDS: &[(&str, usize, &[&str])] = &[
    (
        "cargo",
        2,
        &["bench", "build", "check", "clippy", "doc", "fmt", "metadata", "run", "test", "tree"],
    ),
    ("cargo", 3, &["llvm-cov", "nextest"]),
    (
        "git",
        2,
        &[
            "add",
            "blame",
            "branch",
            "checkout",
            "cherry-pick",
            "commit",
            "diff",
            "log",
            "merge",
            "mv",
            "restore",
            "revert",
            "show",
            "stash",
            "status",
            "switch",
            "tag",
        ],
    ),
    ("go", 2, &["build", "fmt", "test", "vet"]),
    ("npm", 2, &["ls", "outdated", "start", "test", "view"]),
    ("npm", 3, &["run"]),
    ("pnpm", 2, &["build", "lint", "start", "test"]),
    ("pnpm", 3, &["run"]),
    ("yarn", 2, &["build", "lint", "start", "test"]),
    ("yarn", 3, &["run"]),
    ("bun", 2, &["test"]),
    ("bun", 3, &["run"]),
    ("deno", 2, &["check", "fmt", "lint", "test"]),
    ("docker", 2, &["build", "images", "logs", "ps"]),
    ("docker", 3, &["compose"]),
    ("kubectl", 3, &["describe", "get", "rollout"]),
    ("pip", 2, &["check", "list", "show"]),
    ("uv", 2, &["lock", "sync", "tree"]),
    ("uv", 3, &["run"]),
    ("dotnet", 2, &["build", "format", "test"]),
    ("swift", 2, &["build", "test"]),
];

/// Third words that open what the second one would not.
const OPENING: &[&str] = &[
    "bash", "deno", "env", "exec", "node", "perl", "php", "python", "python3", "ruby", "run",
    "secret", "secrets", "sh", "sudo", "xargs", "zsh",
];

/// Programs that run what their words or their input say: as another user, elsewhere, or whatever comes.
const LAUNCHERS: &[&str] = &[
    ".",
    "at",
    "batch",
    "builtin",
    "chroot",
    "crontab",
    "doas",
    "env",
    "eval",
    "exec",
    "flock",
    "nsenter",
    "parallel",
    "pkexec",
    "runuser",
    "script",
    "setpriv",
    "setsid",
    "source",
    "ssh",
    "su",
    "sudo",
    "systemd-run",
    "trap",
    "unshare",
    "watch",
    "xargs",
];

/// Builtins that change what the commands after them mean, as an assignment or a loop over `PATH` does.
const SETTINGS: &[&str] = &[
    "alias",
    "declare",
    "enable",
    "export",
    "for",
    "hash",
    "let",
    "local",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "select",
    "set",
    "shopt",
    "typeset",
    "unalias",
    "unset",
];

/// Programs that run a text; a file of their first word is what is shown, a text or an input is not.
const INTERPRETERS: &[&str] = &[
    "ash",
    "bash",
    "bun",
    "dash",
    "deno",
    "fish",
    "ksh",
    "lua",
    "node",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "ruby",
    "sh",
    "tclsh",
    "zsh",
];

/// Words of `find` that run programs.
const FIND_RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// How many first words say what this command does; `None` where only all of them do.
pub(super) fn prefix_words(argv: &[String]) -> Option<usize> {
    let [program, second, rest @ ..] = argv else { return None };
    let row = |(name, _, seconds): &&(&str, usize, &[&str])| {
        *name == base_name(program) && seconds.contains(&second.as_str())
    };
    let (_, words, _) = SUBCOMMANDS.iter().find(row)?;
    match rest.first() {
        _ if *words == 2 => Some(2),
        Some(third) if is_plain(third) && !OPENING.contains(&third.as_str()) => Some(3),
        Some(_) | None => None,
    }
}

/// Whether a rule can hold what this command does at all.
pub(super) fn can_be_kept(argv: &[String]) -> bool {
    let Some((program, rest)) = argv.split_first() else { return false };
    let name = base_name(program);
    let runs = |word: &String| FIND_RUNS.contains(&word.as_str());
    let sets = program.contains('=') || SETTINGS.contains(&name);
    if sets || LAUNCHERS.contains(&name) || (name == "find" && rest.iter().any(runs)) {
        return false;
    }
    if !INTERPRETERS.contains(&without_version(name)) {
        return true;
    }
    match rest {
        [option, module, ..] if option == "-m" && name.starts_with("python") => is_plain(module),
        [first, ..] => is_plain(first) && first != "eval",
        [] => false,
    }
}

/// "python" of "python3.12".
fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// A name, and no option, path of a device, or list.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_' || c == '/')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "._-/:@".contains(c))
        && !word.starts_with("/dev/")
}
