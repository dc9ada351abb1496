//! Layer 9: the repository's law (`[GATE-50]`). It can only add `ask` or `block`.
//!
//! Places are compared folded, as protected ones are (FS-06). Who removes or moves a folder removes
//! what the law protects below it.
//!
//! Not here: reading `law.toml` (`tollgate-policy`); what no subject tells of, which the OS holds.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::{
    Circumstances, Layer, Need, Refusal, Why,
    baseline::places::each_place,
    protected::{Place, Role, fold},
    rules::PathPattern,
};
use crate::{call::Classified, safety::Subject};

/// Comparisons of one place with one pattern for one call, at most: a project writes the patterns and a
/// model the places. A call with more touches what is protected, as far as anybody knows.
const COMPARISONS_MAX: usize = 1_000_000;

/// The law of a repository.
#[derive(Clone, Debug, Default)]
pub enum Law {
    /// There is none.
    #[default]
    Absent,
    /// It cannot be read: nothing in the repository may be changed.
    Broken {
        /// File, line, and what is wrong.
        fault: String,
    },
    /// These places are protected.
    Protects {
        /// The repository's root, absolute: patterns are meant from there.
        root: PathBuf,
        /// In the order of the file.
        places: Vec<Protect>,
    },
}

/// One `[[protect]]`.
#[derive(Clone, Debug)]
pub struct Protect {
    /// The places.
    pub paths: Vec<Protected>,
    /// What is done when something would write there.
    pub action: LawAction,
    /// For the model and for people, or empty.
    pub reason: String,
    /// "law.toml:7".
    pub origin: String,
}

/// A place that the law protects.
#[derive(Clone, Debug, PartialEq)]
pub struct Protected {
    pattern: PathPattern,
    /// For folded places.
    folded: PathPattern,
}

impl From<PathPattern> for Protected {
    fn from(pattern: PathPattern) -> Self {
        // As places are folded, part by part: a name with `:` or a dot at its end is another one then.
        let text = pattern.as_str();
        let parts: Vec<_> = text.split('/').map(fold).collect();
        let folded = PathPattern::new(&parts.join("/"));
        let folded = folded.or_else(|_| PathPattern::new(&text.to_lowercase()));
        Self { folded: folded.unwrap_or_else(|_| pattern.clone()), pattern }
    }
}

impl Protected {
    /// As it was read.
    #[must_use]
    pub fn pattern(&self) -> &PathPattern {
        &self.pattern
    }

    /// Whether it holds this folded place, or goes with it when that is removed or written with all below
    /// it.
    fn holds(&self, place: &Path, root: &Path, role: Role) -> bool {
        let with_it = match role {
            Role::Named | Role::Made => false,
            Role::Removed => self.folded.lies_below(place, root),
            Role::Throughout => self.folded.may_lie_below(place, root),
        };
        with_it || self.folded.reaches(place, root)
    }
}

impl Protect {
    /// Whether it says more than what was found before: the first block, else the first ask.
    fn is_stricter(&self, found: Option<&Broken<'_>>) -> bool {
        found.is_none_or(|found| {
            self.action == LawAction::Block && found.protect.action == LawAction::Ask
        })
    }
}

/// What law does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LawAction {
    /// No.
    Block,
    /// A person decides.
    Ask,
}

/// What the law says of a call.
#[derive(Debug)]
pub enum LawSaid {
    /// Nothing.
    Nothing,
    /// A person decides.
    Ask(Why),
    /// No.
    Block(Refusal),
}

/// Judges a call by the law: its path subjects, and the words of its commands, since a shell writes
/// where it wants. The first block stands, else the first ask.
#[must_use]
pub fn judge(call: &Classified, at: &Circumstances<'_>) -> LawSaid {
    match &at.policy.law {
        Law::Absent => LawSaid::Nothing,
        Law::Broken { .. } if call.safety().read_only || call.is_program() => LawSaid::Nothing,
        Law::Broken { fault } => {
            let message = format!(
                "the repository's law cannot be read ({fault}); until it is mended by hand only calls \
                 that change nothing run here"
            );
            LawSaid::Block(Refusal::new(Layer::Law, "law_broken", message))
        }
        Law::Protects { root, places } => protects(root, places, call, at),
    }
}

/// The law, ready to say of many places whether it protects them, as far as places are compared.
#[derive(Debug)]
pub(super) struct Holds<'a> {
    places: &'a [Protect],
    folded_root: PathBuf,
    left: usize,
}

impl<'a> Holds<'a> {
    pub(super) fn new(law: &'a Law) -> Self {
        match law {
            Law::Absent | Law::Broken { .. } => {
                Self { places: &[], folded_root: PathBuf::new(), left: 0 }
            }
            Law::Protects { root, places } => {
                let patterns: usize = places.iter().map(|protect| protect.paths.len()).sum();
                let left = COMPARISONS_MAX.checked_div(patterns).unwrap_or_default();
                Self { places, folded_root: Place::of(root).to_path(), left }
            }
        }
    }

    /// Whether it is known to protect a place against what is done with it.
    pub(super) fn holds(&mut self, place: &Place<'_>, role: Role) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let path = place.to_path();
        let mut protected = self.places.iter().flat_map(|protect| &protect.paths);
        protected.any(|protected| protected.holds(&path, &self.folded_root, role))
    }
}

fn protects(root: &Path, places: &[Protect], call: &Classified, at: &Circumstances<'_>) -> LawSaid {
    let folded_root = Place::of(root).to_path();
    let patterns: usize = places.iter().map(|protect| protect.paths.len()).sum();
    let mut left = COMPARISONS_MAX / patterns.max(1);
    // A subject of an unknown kind may be any place.
    let mut any = (!call.safety().read_only && call.subjects().contains(&Subject::Unknown))
        .then_some("something unknown");
    let mut found: Option<Broken<'_>> = None;
    each_place(
        call,
        at,
        |_| true,
        |place, name, role| {
            let Some(next) = left.checked_sub(1) else {
                any.get_or_insert("more places than are compared");
                return;
            };
            left = next;
            let path = place.to_path();
            for protect in places {
                if protect.is_stricter(found.as_ref())
                    && let Some(pattern) =
                        protect.paths.iter().find(|it| it.holds(&path, &folded_root, role))
                {
                    found = Some(Broken { protect, pattern, name: name.to_string() });
                }
            }
        },
    );
    if let Some(what) = any {
        for protect in places {
            if protect.is_stricter(found.as_ref())
                && let Some(pattern) = protect.paths.first()
            {
                found = Some(Broken { protect, pattern, name: what.to_owned() });
            }
        }
    }
    found.map_or(LawSaid::Nothing, Broken::said)
}

/// A law that a call would break.
struct Broken<'a> {
    protect: &'a Protect,
    pattern: &'a Protected,
    name: String,
}

impl Broken<'_> {
    fn said(self) -> LawSaid {
        let Protect { reason, origin, action, paths: _ } = self.protect;
        let pattern = self.pattern.pattern().as_str();
        let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let rule = Some(format!("{origin} ({pattern})"));
        let what = format!(
            "the repository's law protects '{pattern}' ({origin}), and this touches {}",
            self.name
        );
        match action {
            LawAction::Ask => LawSaid::Ask(Why {
                layer: Layer::Law,
                need: Need::Hard,
                class: "law".to_owned(),
                reason: format!("{what}{because}"),
                rule,
            }),
            LawAction::Block => {
                let refusal = Refusal::new(Layer::Law, "law", format!("{what}{because}"));
                LawSaid::Block(Refusal { rule, ..refusal })
            }
        }
    }
}
