//! What git's commands do, as far as the floor looks.

use super::{Line, Step};
use crate::authority::words::listed;

/// Branches that others build on. `release*` is one too.
const PROTECTED: &str =
    "main master trunk develop development production prod stable staging gh-pages HEAD";

/// Settings that name a program, or say where such settings come from; a part of the key is enough.
const PROGRAM_KEYS: &[&str] = &[
    "core.hookspath",
    "core.fsmonitor",
    "core.sshcommand",
    "core.pager",
    "core.editor",
    "core.askpass",
    "core.gitproxy",
    "core.attributesfile",
    "core.worktree",
    "sequence.editor",
    "alias.",
    "pager.",
    "filter.",
    "diff.external",
    ".textconv",
    ".command",
    ".cmd",
    ".driver",
    "credential.",
    "gpg.program",
    ".program",
    "include.path",
    "includeif.",
    "init.templatedir",
    "url.",
    "uploadpack.",
    "receive.",
    "protocol.ext",
    "browser.",
    "man.",
    "remote.vcs",
    "submodule.",
    "trailer.",
    "interactive.difffilter",
];

/// Whether it pushes with force, or to a protected branch, or to one that it does not name.
pub(super) fn pushes_protected(command: &Step<'_>, _: &Line<'_>) -> bool {
    let Some(push) = command.git().filter(|git| git.runs("push")) else { return false };
    if push.has("-n --dry-run") {
        return false;
    }
    let wide = "-f --force --force-with-lease --mirror --delete -d --all --branches --prune --tags --follow-tags";
    if push.has(wide) {
        return true;
    }
    // `-o VALUE` and `--repo VALUE` shift what is an operand; then nothing is named for certain.
    let mut operands = push.operands();
    let (Some(_remote), Some(first)) = (operands.next(), operands.next()) else { return true };
    std::iter::once(first).chain(operands).any(is_protected)
}

/// Whether a refspec forces, deletes, names a protected branch, or none for certain.
fn is_protected(refspec: &str) -> bool {
    let to = refspec.rsplit_once(':').map_or(refspec, |(_, to)| to);
    let uncertain = refspec.contains(['$', '`']) || to.contains(['*', '?', '[', '{', '~', '^']);
    if uncertain || refspec.starts_with(['+', ':']) {
        return true;
    }
    let name = to.strip_prefix("refs/").unwrap_or(to);
    if name.starts_with("tags/") {
        return true;
    }
    let branch = name.strip_prefix("heads/").unwrap_or(name);
    let release =
        ["release", "hotfix"].iter().any(|begin| branch.to_lowercase().starts_with(begin));
    branch.is_empty() || branch == "@" || release || listed(PROTECTED, branch)
}

/// Whether it sets what git runs by itself, for good or for this one command.
pub(super) fn sets_program(command: &Step<'_>, _: &Line<'_>) -> bool {
    if command.program != "git" {
        return false;
    }
    let mut words = command.rest.iter();
    while let Some(word) = words.next() {
        let given = match word.as_str() {
            "-c" => words.next().map(String::as_str),
            word => word.strip_prefix("--config-env="),
        };
        if given.is_some_and(is_program_key) {
            return true;
        }
        if !word.starts_with('-') {
            break;
        }
    }
    let config = command.git().filter(|git| git.runs("config"));
    config.is_some_and(|config| {
        let reads =
            config.has("--get --get-all --get-regexp --list -l --unset --unset-all --show-origin");
        let mut operands =
            config.operands().skip_while(|word| listed("set --add --replace-all", word));
        let key = operands.next();
        !reads && key.is_some_and(is_program_key) && operands.next().is_some()
    })
}

fn is_program_key(key: &str) -> bool {
    let key = key.split('=').next().unwrap_or_default().to_lowercase();
    PROGRAM_KEYS.iter().any(|program| key.contains(program))
}

/// Whether it destroys work of which git keeps no copy.
pub(super) fn destroys(command: &Step<'_>, _: &Line<'_>) -> bool {
    let Some(git) = command.git() else { return false };
    let first = git.operands().next().unwrap_or_default();
    match git.program {
        "reset" => git.has("--hard"),
        "clean" => git.has("-f --force") && !git.has("-n --dry-run"),
        "branch" => git.has("-D") || (git.has("-d --delete") && git.has("-f --force")),
        "stash" => listed("drop clear", first),
        "reflog" => listed("expire delete", first),
        "update-ref" => git.has("-d"),
        "tag" => git.has("-d --delete"),
        "worktree" => first == "remove" && git.has("-f --force"),
        "gc" | "prune" => git.has("--prune=now --expire=now") || git.program == "prune",
        "filter-branch" | "filter-repo" => true,
        _ => false,
    }
}
