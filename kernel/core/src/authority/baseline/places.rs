//! The places that a call may change: its path subjects, and the words of commands that are not proven
//! to only read, since a shell writes where it wants.
//!
//! Words are taken by their text: from the working directory and from every folder that the line goes
//! to (`cd .git/hooks && echo x > pre-commit`, SH-14), `~` and `$HOME` as the user's home. This adds
//! questions; what holds anyway is the sandbox.
//!
//! Not here: which places matter (`protected`, `law`).

use std::{
    borrow::Cow,
    path::{Component, Path, PathBuf},
};

use crate::{
    authority::{
        Circumstances,
        protected::{Place, Role},
        words::{Command, base_name, is_scattered, listed, names_in},
    },
    call::Classified,
    safety::{Access, Reach, Subject, Trust},
};

/// Folders that a line goes to of which is kept account; a line that goes to more is a strange one.
const FOLDERS_MAX: usize = 8;

/// Folders in which ordinary names are protected.
const FULL: &str = "etc lib usr var library proc";

/// Programs of which every operand goes away, with what is below it.
const REMOVES: &str = "rm rmdir unlink shred trash srm mount umount";

/// Programs that make trees: what they copy or link comes to exist as a whole.
const MAKES: &str = "cp install rsync scp";

/// Options whose value names what is left out, not what is touched.
const LEAVES_OUT: &str = "--exclude --exclude-dir --exclude-from --ignore --ignore-path -path \
    -wholename -ipath -name -iname -regex";

/// Shows every place that a call may change, with its name as the call has it. `matters`: as of [`Walk`].
pub(in crate::authority) fn each_place<'a>(
    call: &'a Classified,
    at: &Circumstances<'a>,
    matters: impl Fn(&Place<'a>) -> bool,
    mut see: impl FnMut(&Place<'a>, Cow<'a, str>, Role),
) {
    let mut walk = Walk::new(at, matters);
    // "It only reads that file" loosens nothing when nobody believes it (I17).
    let claims_are_nothing = call.entry().trust == Trust::Untrusted;
    for subject in call.subjects() {
        if let Subject::Path { absolute, access, reach, .. } = subject
            && let Some(role) = role_of(*access).or(claims_are_nothing.then_some(Role::Named))
        {
            let role = if *reach == Reach::Tree { Role::Throughout } else { role };
            see(&Place::of(absolute), absolute.to_string_lossy(), role);
        }
        let Some(command) = Command::of(subject).filter(|_| !call.safety().read_only) else {
            continue;
        };
        let changes = !command.read_only && command.program != "<" && !only_records(&command);
        if walk.goes(&command) || changes {
            walk.words(&command, false, &mut |place, name, role| see(place, name.into(), role));
        }
    }
}

/// What is done with a place that is touched like this; reading does nothing.
pub(super) fn role_of(access: Access) -> Option<Role> {
    match access {
        Access::Read => None,
        Access::Write => Some(Role::Named),
        Access::Create => Some(Role::Made),
        Access::Delete => Some(Role::Removed),
    }
}

/// Follows a line from folder to folder. Words without any sign (`target`) name what lies right in a
/// folder, and are passed over where nothing of that can matter.
pub(in crate::authority) struct Walk<'a, M> {
    /// The working directory, then where the line goes.
    folders: Vec<Place<'a>>,
    home: Option<Place<'a>>,
    /// Used again for each name.
    place: Place<'a>,
    /// Whether ordinary names in a folder matter, beside those that matter anywhere.
    matters: M,
    skips_plain: bool,
}

impl<'a, M: Fn(&Place<'a>) -> bool> Walk<'a, M> {
    pub(in crate::authority) fn new(at: &Circumstances<'a>, matters: M) -> Self {
        let home = at.policy.home.as_deref().map(Place::of);
        let place = Place::default();
        let mut walk = Self { folders: Vec::new(), home, place, matters, skips_plain: true };
        walk.enter(Place::of(at.cwd));
        walk
    }

    fn enter(&mut self, folder: Place<'a>) {
        let ordinary = |name: &Cow<'_, str>| !name.starts_with('.') && !listed(FULL, name);
        let names = folder.names();
        let is_root = names.is_empty();
        self.skips_plain &= !is_root && names.iter().all(ordinary) && !(self.matters)(&folder);
        self.folders.push(folder);
    }

    /// Follows a command that goes to another folder.
    pub(in crate::authority) fn goes(&mut self, command: &Command<'a>) -> bool {
        let goes = matches!(command.program, "cd" | "pushd");
        for folder in command.operands().filter(|_| goes) {
            let mut last = None;
            self.name(folder, Role::Named, &mut |place, _, _| last = Some(place.clone()));
            if let Some(last) = last.filter(|_| self.folders.len() < FOLDERS_MAX) {
                self.enter(last);
            }
        }
        goes
    }

    /// Shows what the words of a command name; `all`: each word as a piece of program.
    pub(in crate::authority) fn words(
        &mut self,
        command: &Command<'a>,
        all: bool,
        see: &mut impl FnMut(&Place<'a>, &'a str, Role),
    ) {
        let roles = Roles::of(command);
        let skips_plain = self.skips_plain;
        // A line that did not parse, or an assignment: what it names may be used behind a variable.
        let scattered = is_scattered(command.first, command);
        if command.rest.is_empty() && (scattered || command.first.contains('=')) {
            names_in(command.first, scattered).for_each(|name| self.name(name, Role::Named, see));
        }
        let mut before = "";
        for word in command.rest {
            if !leaves_out(before, word) {
                let role = roles.of_word(word);
                let scattered = all || is_scattered(word, command);
                let names = names_in(word, scattered);
                let names = names.filter(|name| !(skips_plain && is_plain(name)));
                names.for_each(|name| self.name(name, role, see));
            }
            before = word;
        }
    }

    /// Shows the places that a name may mean.
    fn name(&mut self, name: &'a str, role: Role, see: &mut impl FnMut(&Place<'a>, &'a str, Role)) {
        if let (Some(rest), Some(home)) = (behind_home(name), &self.home) {
            self.place.reset(home);
            self.place.go(rest.trim_start_matches('/'));
            return see(&self.place, name, role);
        }
        for folder in &self.folders {
            self.place.reset(folder);
            self.place.go(name);
            see(&self.place, name, role);
            if name.starts_with('/') {
                break;
            }
        }
    }
}

/// Without `.` and `..`, by the text alone.
pub(in crate::authority) fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(flat.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => flat.push(part),
        }
    }
    flat
}

/// Whether a word names at most something right in the folder that the line is in, that is not hidden.
fn is_plain(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=' | b':'))
}

/// What stands behind the user's home in a name that begins with it.
pub(in crate::authority) fn behind_home(name: &str) -> Option<&str> {
    let rest = ["~", "$HOME", "${HOME}"].iter().find_map(|home| name.strip_prefix(home))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Git commands that take files in as they are and change none of them.
pub(in crate::authority) fn only_records(command: &Command<'_>) -> bool {
    let first = command.rest.first().map(String::as_str).unwrap_or_default();
    command.program == "git" && matches!(first, "add" | "commit")
}

/// Whether a word, or the value in it, is left out by an option.
fn leaves_out(before: &str, word: &str) -> bool {
    let listed = |option: &str| option.starts_with('-') && listed(LEAVES_OUT, option);
    listed(before)
        || (word.starts_with('-') && word.split_once('=').is_some_and(|(name, _)| listed(name)))
}

/// What a command does with its operands.
struct Roles<'a> {
    operands: Role,
    /// Of a move: where things go to.
    last: Option<&'a str>,
}

impl<'a> Roles<'a> {
    fn of(command: &Command<'a>) -> Self {
        let git = command.git();
        let inner = git.as_ref().filter(|git| git.runs("mv rm clean")).unwrap_or(command);
        let removes = inner.runs("clean") || inner.runs(REMOVES) || finds_and_removes(command);
        if inner.runs("mv rename") {
            let last = inner.operands().last().filter(|_| !inner.has("-t --target-directory"));
            Self { operands: Role::Removed, last }
        } else if command.runs("ln") {
            // What a folder is linked to can be changed through the link, in the same line too.
            let last = command.operands().last().filter(|_| !command.has("-t --target-directory"));
            Self { operands: Role::Removed, last }
        } else if removes {
            Self { operands: Role::Removed, last: None }
        } else if command.runs(MAKES) {
            Self { operands: Role::Made, last: None }
        } else {
            Self { operands: Role::Named, last: None }
        }
    }

    fn of_word(&self, word: &str) -> Role {
        if word.starts_with('-') {
            Role::Named
        } else if self.last == Some(word) {
            Role::Made
        } else {
            self.operands
        }
    }
}

/// Whether a `find` removes what it finds.
pub(in crate::authority) fn finds_and_removes(command: &Command<'_>) -> bool {
    let removes = |word: &String| word == "-delete" || listed(REMOVES, base_name(word));
    command.program == "find" && command.rest.iter().any(removes)
}
