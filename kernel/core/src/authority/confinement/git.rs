//! What git itself writes, as data: a line that runs it was shown as it is, and may do what git does.
//!
//! Not here: what a repository's settings may name (the shell server looks at them).

use crate::authority::words::{Command, listed};

/// Commands that change the repository's settings.
const SETTINGS: &str = "clone init checkout switch pull push fetch branch remote config submodule worktree \
    sparse-checkout subtree lfs flow";

/// Commands that put versioned files into the tree, or take them away, whatever their names.
const TREE: &str = "clone checkout switch pull merge rebase reset restore stash submodule worktree revert \
    cherry-pick rm mv clean bisect sparse-checkout subtree read-tree checkout-index";

/// What a line may change because git does it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Writes {
    /// `.git/config` of its repository.
    pub(super) settings: bool,
    /// Everything that is versioned.
    pub(super) tree: bool,
}

/// What this command may change, if it is git.
pub(super) fn writes(command: &Command<'_>) -> Writes {
    command.git().map_or_else(Writes::default, |git| Writes {
        settings: listed(SETTINGS, git.program),
        tree: listed(TREE, git.program),
    })
}

/// The folders of git's own `-C`, each meant from the one before; empty: where the line is.
pub(super) fn folders<'a>(command: &Command<'a>) -> Vec<&'a str> {
    let mut folders = Vec::new();
    let mut words = command.rest.iter().map(String::as_str);
    while let Some(word) = words.next().filter(|word| word.starts_with('-')) {
        if word == "-C" {
            folders.extend(words.next());
        } else if listed("-c --git-dir --work-tree --namespace --exec-path", word) {
            words.next();
        }
    }
    folders
}
