//! Lines of files that match a regular expression: ripgrep's own search, over this crate's walk.
//!
//! Time is linear in the text whatever the expression (`regex` has no backtracking). Memory is
//! bounded: one buffer of a file, and the lines that will be shown. Everything is counted, also past
//! what is shown. Files with NUL bytes are binary and count as skipped, UTF-16 with a byte-order mark
//! is decoded.
//!
//! Not here: the arguments and the result (`grep`), how a line is kept (`searching::hits`).

mod hits;
mod query;

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use grep_searcher::Searcher;
use tollgate_sdk::Withheld;

pub(crate) use hits::{FileHits, Hits, Row};
pub(crate) use query::{Output, Query, Terms};

use crate::{
    failed::{Class, Failed},
    roots::Place,
    walk::{Entry, Kind, Next, Walked, walk, withholds},
};

/// What a search went through.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Searched {
    /// Files that were searched to their end.
    pub(crate) files: u64,
    /// Files that are not text.
    pub(crate) binary: u64,
    /// Files that could not be read, or need too much memory.
    pub(crate) unread: u64,
    pub(crate) walked: Walked,
}

/// Searches the file, or the directory and all below it, at a place, but for what is withheld.
///
/// # Errors
/// Those of the walk, or of opening the file; `cancelled`.
pub(crate) fn search(
    place: &Place,
    query: &Query,
    withheld: &Withheld,
    stopped: &dyn Fn() -> bool,
) -> Result<(Hits, Searched), Failed> {
    let mut search = Search {
        query,
        searcher: query.searcher(),
        hits: Hits::new(query),
        searched: Searched::default(),
        stopped,
    };
    let is_file = place.exists() && !place.is_directory()?;
    if is_file && !withholds(withheld, place) {
        let (file, _) = place.open()?;
        search.file(Path::new(""), file)?;
    } else {
        search.searched.walked = walk(place, withheld, stopped, &mut |entry| search.entry(entry))?;
    }
    Ok((search.hits, search.searched))
}

struct Search<'a> {
    query: &'a Query,
    searcher: Searcher,
    hits: Hits,
    searched: Searched,
    stopped: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<Next, Failed> {
        let is_directory = entry.kind == Kind::Directory;
        if !self.query.wants(entry.path, is_directory) {
            return Ok(Next::Over);
        }
        if entry.kind == Kind::File {
            match entry.open() {
                Some(file) => self.file(entry.path, file)?,
                None => self.searched.unread += 1,
            }
        }
        Ok(Next::Into)
    }

    fn file(&mut self, path: &Path, file: File) -> Result<(), Failed> {
        self.hits.begin(path);
        let watched = Watched { file, stopped: self.stopped };
        let sink = self.hits.sink(&self.query.matcher);
        let end = self.searcher.search_reader(&self.query.matcher, watched, sink);
        if (self.stopped)() {
            return Err(Failed::new(Class::Cancelled, "the search was stopped"));
        }
        match end {
            Err(_) => {
                self.hits.forget();
                self.searched.unread += 1;
            }
            Ok(()) if self.hits.is_binary() => {
                self.hits.forget();
                self.searched.binary += 1;
            }
            Ok(()) => {
                self.hits.keep();
                self.searched.files += 1;
            }
        }
        Ok(())
    }
}

/// A file that ends with an error once the call is to stop.
struct Watched<'a> {
    file: File,
    stopped: &'a dyn Fn() -> bool,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.stopped)() {
            return Err(io::Error::other("stopped"));
        }
        self.file.read(buffer)
    }
}

#[cfg(test)]
mod tests;
