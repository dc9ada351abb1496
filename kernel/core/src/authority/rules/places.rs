//! The places that a call touches: paths that its server names, and those that words of commands could
//! name, so that `cat .env` touches `.env` (B094).
//!
//! The second is advice, since a shell names a file in a thousand ways (`cat .e*`, `$x`); what holds is
//! the confinement by the OS (`[GATE-70]`).

use std::path::{Path, PathBuf};

use super::Touch;
use crate::{
    authority::{
        baseline::{flat, places::behind_home},
        words::{Command, is_scattered, names_in},
    },
    safety::{Access, Reach, Subject},
};

/// Places of one call, at most (one command may go beyond it); a call with more could touch any.
const PLACES_MAX: usize = 4096;

/// All places of a call.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) all: Vec<Place>,
    /// There are more, and nobody knows which.
    pub(super) cut: bool,
}

/// A place that a call touches, or that a word of it could name.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Absolute and without `..`.
    pub(super) path: PathBuf,
    reads: bool,
    writes: bool,
    /// It ceases to exist, or is written, with all below it.
    pub(super) goes: bool,
    /// What lies below it may be touched too, and nothing of it is withheld.
    pub(super) over: bool,
    /// What lies below it is read too, but for what the grant withholds.
    pub(super) spared: bool,
}

impl Place {
    /// Whether it is touched as a rule says.
    pub(super) fn is_touched(&self, how: Option<Touch>) -> bool {
        match how {
            None => true,
            Some(Touch::Read) => self.reads,
            Some(Touch::Write) => self.writes,
        }
    }
}

impl Places {
    /// All places of a call. `folders`: where relative names of commands may be meant from.
    /// `doubted`: that something is touched and nothing below it, nobody believes.
    pub(super) fn of(
        subjects: &[Subject],
        folders: &[PathBuf],
        home: Option<&Path>,
        doubted: bool,
    ) -> Self {
        let mut places = Self::default();
        for subject in subjects {
            if places.all.len() > PLACES_MAX {
                places.cut = true;
                break;
            }
            places.add(subject, folders, home, doubted);
        }
        places
    }

    fn add(&mut self, subject: &Subject, folders: &[PathBuf], home: Option<&Path>, doubted: bool) {
        match subject {
            Subject::Path { absolute, access, reach, .. } => {
                let place = touched(absolute, *access, *reach);
                self.all.push(Place { over: place.over || doubted, ..place });
            }
            Subject::Repo { path } => {
                let place = touched(path, Access::Write, Reach::Itself);
                self.all.push(Place { reads: true, ..place });
            }
            Subject::Command { argv, read_only, .. } => {
                let Some(command) = Command::of(subject) else { return };
                for word in argv {
                    let glued = word.strip_prefix('-').and_then(|option| option.get(1..));
                    let attached = word.split_once('@').map(|(_, file)| file);
                    let names = names_in(word, is_scattered(word, &command));
                    for name in names.chain(glued).chain(attached).filter(|name| !name.is_empty()) {
                        self.add_named(name, folders, home, *read_only);
                    }
                }
            }
            Subject::Host { .. }
            | Subject::Mcp { .. }
            | Subject::Tool { .. }
            | Subject::Unknown => {}
        }
    }

    /// Adds the places that a name in a command could mean, from each folder that the line may be in.
    fn add_named(&mut self, name: &str, folders: &[PathBuf], home: Option<&Path>, read_only: bool) {
        let place = |path| Place {
            path,
            reads: true,
            writes: !read_only,
            goes: false,
            over: false,
            spared: false,
        };
        if let (Some(rest), Some(home)) = (behind_home(name), home) {
            self.all.push(place(gone(home, rest.trim_start_matches('/'))));
        } else if name.starts_with('/') {
            self.all.push(place(gone(Path::new("/"), name)));
        } else {
            self.all.extend(folders.iter().map(|folder| place(gone(folder, name))));
        }
    }
}

fn touched(path: &Path, access: Access, reach: Reach) -> Place {
    let over = reach == Reach::Tree;
    Place {
        path: flat(path),
        reads: access == Access::Read,
        writes: access != Access::Read,
        goes: access == Access::Delete || (over && access != Access::Read),
        over,
        spared: reach == Reach::GrantedTree,
    }
}

/// Where a name leads from a folder, by the text alone. As [`flat`], but many times faster, since every
/// word of every command comes here.
fn gone(folder: &Path, name: &str) -> PathBuf {
    let Some(folder) = folder.to_str() else { return flat(&folder.join(name)) };
    let mut path = String::with_capacity(folder.len() + name.len() + 1);
    path.push_str(folder.trim_end_matches('/'));
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => path.truncate(path.rfind('/').unwrap_or(0)),
            part => {
                path.push('/');
                path.push_str(part);
            }
        }
    }
    if path.is_empty() {
        path.push('/');
    }
    path.into()
}
