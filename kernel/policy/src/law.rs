//! The law of a repository: `.tollgate/law.toml` (`[GATE-50]`). It tightens only, so it holds untrusted.
//!
//! ```toml
//! [[protect]]
//! paths = ["migrations/**"]
//! action = "block"            # or "ask"; block if left out
//! reason = "written by the migration tool only"
//! ```
//!
//! Every folder from a root up to the outermost one with a `.git` can hold a law, and all hold: a `git
//! init` below must not take a workspace out of its repository's law.
//!
//! Invariant: a law that cannot be read, or that cannot be looked for, is [`Law::Broken`], never absent
//! (test `a_law_that_cannot_be_read_is_broken`).

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use tollgate_core::authority::{
    law::{Law, LawAction, Protect},
    rules::PathPattern,
};

use crate::{
    PolicyError,
    limits::{LAW_PATTERN_BYTES_MAX, LAW_PLACES_MAX},
    read::{
        self, Content,
        table::{self, Table, shorten},
    },
    rule::origin,
};

#[cfg(test)]
mod tests;

/// Where laws are looked for, the nearest first: every folder from `root` up to the outermost repository.
/// Also whether there is a repository.
pub(crate) fn roots(root: &Path) -> (Vec<PathBuf>, bool) {
    let folders: Vec<&Path> = root.ancestors().collect();
    let outermost = folders.iter().rposition(|it| it.join(".git").symlink_metadata().is_ok());
    let count = outermost.unwrap_or(0) + 1;
    (folders.into_iter().take(count).map(Path::to_owned).collect(), outermost.is_some())
}

/// The file of a folder.
pub(crate) fn file_of(root: &Path) -> PathBuf {
    root.join(".tollgate").join("law.toml")
}

/// Takes the law of a folder, which must lie in that folder also when it is a link.
pub(crate) fn take(root: &Path) -> Content {
    let folder = root.join(".tollgate");
    let broken = |why: String| Content::Unusable(why);
    match folder.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Content::Absent,
        Err(error) => return broken(format!("cannot be looked for: {error}")),
        Ok(_) if !folder.is_dir() => {
            return broken("cannot be there: .tollgate is no folder".into());
        }
        Ok(_) => {}
    }
    let file = file_of(root);
    match file.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Content::Absent,
        Err(error) => return broken(format!("cannot be looked for: {error}")),
        Ok(_) => {}
    }
    let inside = root.canonicalize().and_then(|root| Ok(file.canonicalize()?.starts_with(root)));
    match inside {
        Ok(true) => read::file(&file, |_| Ok(())),
        Ok(false) => broken("is a link that leaves the repository".into()),
        Err(error) => broken(format!("cannot be read: {error}")),
    }
}

/// The laws of all roots together, as [`roots`] lists them.
pub(crate) fn join(laws: &[(PathBuf, Content)]) -> Law {
    let mut found: Option<(PathBuf, Vec<Protect>)> = None;
    for (root, content) in laws {
        let file = file_of(root);
        let base = found.is_some().then_some(root.as_path());
        let read = content
            .text(&file)
            .and_then(|text| text.map(|text| parse(&file, text, base)).transpose());
        match (read, &mut found) {
            (Err(error), _) => return Law::Broken { fault: error.line() },
            (Ok(None), _) => {}
            (Ok(Some(places)), Some((_, all))) => all.extend(places),
            (Ok(Some(places)), None) => found = Some((root.clone(), places)),
        }
    }
    found.map_or(Law::Absent, |(root, places)| Law::Protects { root, places })
}

/// Reads the text of a file that is called `path`. `base`: patterns are made absolute from there.
///
/// # Errors
/// Every fault.
pub(crate) fn parse(
    path: &Path,
    text: &str,
    base: Option<&Path>,
) -> Result<Vec<Protect>, PolicyError> {
    table::parse(path, text, |root| {
        root.only(&["protect"]);
        let tables = root.tables("protect", LAW_PLACES_MAX);
        let mut left = LAW_PLACES_MAX;
        tables.iter().filter_map(|table| protect(table, base, &mut left)).collect()
    })
}

/// `left`: how many patterns may still come.
fn protect(table: &Table<'_>, base: Option<&Path>, left: &mut usize) -> Option<Protect> {
    table.only(&["paths", "action", "reason"]);
    if !table.has("paths") {
        table.fault("'paths' is missing: which places are protected?");
    }
    let actions = [("block", LawAction::Block), ("ask", LawAction::Ask)];
    let action = table.word("action", &actions);
    let spots = table.text_or_texts("paths")?;
    let Some(rest) = left.checked_sub(spots.len()) else {
        table.fault_of("paths", format!("there are more than {LAW_PLACES_MAX} patterns"));
        return None;
    };
    *left = rest;
    let mut paths = Vec::new();
    for spot in spots {
        let read = if spot.text.starts_with(['/', '~']) {
            Err(format!(
                "'{}' must begin in the repository: no '/' and no '~' in front",
                shorten(spot.text)
            ))
        } else if spot.text.len() > LAW_PATTERN_BYTES_MAX {
            Err(format!("a pattern has at most {LAW_PATTERN_BYTES_MAX} bytes"))
        } else {
            from_base(spot.text, base)
        };
        match read {
            Ok(pattern) => paths.push(pattern.into()),
            Err(what) => table.fault_at("paths", spot.at, what),
        }
    }
    Some(Protect {
        paths,
        action: action.unwrap_or(LawAction::Block),
        reason: table.text("reason").map(|spot| spot.text.to_owned()).unwrap_or_default(),
        origin: origin(table.file(), table.line()),
    })
}

fn from_base(text: &str, base: Option<&Path>) -> Result<PathPattern, String> {
    let read = match base {
        None => PathPattern::new(text),
        Some(base) => {
            let base = base.to_str().ok_or("the repository's name is not UTF-8")?;
            PathPattern::exactly(base)
                .and_then(|base| PathPattern::new(&format!("{}/{text}", base.as_str())))
        }
    };
    read.map_err(|error| error.to_string())
}
