//! What processes leave as it is: places that make programs run or tell agents what to do (rows of
//! [`protected`] that ask), what the repository's law protects, and Tollgate's own.
//!
//! Of `.git` only what makes programs run: `git commit` writes the rest.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use super::{FRAME_BYTES, git, too_much};
use crate::{
    authority::{
        Circumstances, Refusal,
        baseline::places::flat,
        law::Law,
        protected,
        rules::PathPattern,
        withheld::{BYTES_MAX, PATTERNS_MAX, Withheld},
        words::Command,
    },
    call::Classified,
};

/// What git's whole folder is replaced by, beside what the table has of it.
const GIT: &str =
    ".git/commondir .git/modules/*/hooks/** .git/modules/*/config .git/modules/*/info/attributes";

/// The settings of a repository inside another's `.git`.
const MODULE_SETTINGS: &str = ".git/modules/*/config";

/// Texts of the table.
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let rows = protected::asking().flat_map(str::split_ascii_whitespace);
    rows.filter(|text| *text != ".git/**").chain(GIT.split_ascii_whitespace()).collect()
});

/// Bytes of all of them in a grant.
static NAMES_BYTES: LazyLock<usize> =
    LazyLock::new(|| NAMES.iter().map(|name| name.len() + FRAME_BYTES).sum());

/// What the processes of this call leave as it is.
///
/// # Errors
/// It is too much for a grant, or cannot be said in one.
pub(super) fn held(call: &Classified, at: &Circumstances<'_>) -> Result<Withheld, Refusal> {
    let commands = call.subjects().iter().filter_map(Command::of);
    let by_git = commands.map(|command| git::writes(&command));
    let by_git = by_git.fold(git::Writes::default(), |all, one| git::Writes {
        settings: all.settings || one.settings,
        tree: all.tree || one.tree,
    });
    let stays = |name: &&&str| {
        let versioned = !name.starts_with(".git/") && !name.starts_with(".tollgate/");
        let of_git = (by_git.tree && versioned) || (by_git.settings && **name == MODULE_SETTINGS);
        !of_git && is_within_reach(name, at)
    };
    let names = NAMES.iter().filter(stays).map(|name| (*name).to_owned()).collect();
    let held = Withheld { globs: globs(at)?.into_iter().collect(), names };
    if held.count() > PATTERNS_MAX || held.bytes() > BYTES_MAX {
        return Err(too_much("the law protects more places than a grant can say"));
    }
    Ok(held)
}

/// Whether what is held may be too much beside what is withheld, or cannot be said: a look that costs little.
pub(super) fn may_not_fit(at: &Circumstances<'_>, by_rules: &BTreeSet<String>) -> bool {
    let (root, law) = match &at.policy.law {
        Law::Absent | Law::Broken { .. } => (Path::new("/"), [].as_slice()),
        Law::Protects { root, places } => (root.as_path(), places.as_slice()),
    };
    let own = || at.policy.own.places.iter().map(PathBuf::as_path);
    if !own().chain([root]).all(|path| path.to_str().is_some()) {
        return true;
    }
    let around = root.as_os_str().len() + "//**".len() + FRAME_BYTES;
    let law = law.iter().flat_map(|protect| &protect.paths);
    let law = law.map(|path| path.pattern().as_str().len() + around);
    let own = own().map(|place| place.as_os_str().len() + "/**".len() + FRAME_BYTES);
    let (count, bytes) = law.chain(own).fold((0, 0), |(count, sum), it| (count + 1, sum + it));
    let rules: usize = by_rules.iter().map(String::len).sum();
    // With room to spare for what has to be escaped.
    count + NAMES.len() > PATTERNS_MAX || bytes + rules + *NAMES_BYTES > super::BYTES_MAX / 2
}

/// A place from the root matters only where a root is above it or in it.
fn is_within_reach(name: &str, at: &Circumstances<'_>) -> bool {
    if !name.starts_with('/') {
        return true;
    }
    let place = Path::new(name.strip_suffix("/**").unwrap_or(name));
    let workspace = &at.policy.workspace;
    let mut roots = workspace.roots.iter().chain([&workspace.root]);
    roots.any(|root| root.is_absolute() && (place.starts_with(root) || root.starts_with(place)))
}

/// Places of the law and of Tollgate's own, as globs from the root.
fn globs(at: &Circumstances<'_>) -> Result<BTreeSet<String>, Refusal> {
    let mut globs = BTreeSet::new();
    if let Law::Protects { root, places } = &at.policy.law {
        for path in places.iter().flat_map(|protect| &protect.paths) {
            let glob = path.pattern().from_root(root);
            globs.insert(glob.ok_or_else(|| {
                too_much("the law's places cannot be said from the root of the file system")
            })?);
        }
    }
    globs.extend(whole(&at.policy.own.places)?);
    Ok(globs)
}

/// Globs of these places with all below them; none of what lies in another.
pub(in crate::authority) fn whole(places: &[PathBuf]) -> Result<BTreeSet<String>, Refusal> {
    let places: BTreeSet<PathBuf> = places.iter().map(|place| flat(place)).collect();
    let is_outer = |place: &&PathBuf| !place.ancestors().skip(1).any(|it| places.contains(it));
    let glob = |place: &PathBuf| {
        let pattern = place.to_str().and_then(|place| PathPattern::exactly(place).ok());
        pattern
            .and_then(|pattern| pattern.from_root(Path::new("/")))
            .ok_or_else(|| too_much("a place of Tollgate's own is no UTF-8"))
    };
    places.iter().filter(is_outer).map(glob).collect()
}
