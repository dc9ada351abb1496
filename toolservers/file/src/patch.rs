//! A patch as its author wrote it: sections for files, hunks of lines.
//!
//! Two forms are read: the one between `*** Begin Patch` and `*** End Patch`, and unified diffs
//! ([`unified`]). Lines of a patch may end with CRLF; that is not meant for the files.
//!
//! Invariant: what is cut off in the middle, or cannot be read as one thing only, is refused.
//!
//! Not here: files. Nothing is looked up or compared.

mod unified;

use crate::{
    failed::{Class, Failed},
    limits::{PATCH_BYTES_MAX, PATCH_FILES_MAX},
    roots::shown,
};

/// What a patch does to one file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Section {
    /// As the patch has it.
    pub(crate) path: String,
    /// The line of the patch, from 1.
    pub(crate) line: usize,
    pub(crate) action: Action,
    /// Whether an update may make the file if there is none and nothing of it is expected.
    pub(crate) may_create: bool,
}

impl Section {
    fn new(path: impl Into<String>, line: usize, action: Action) -> Self {
        Self { path: path.into(), line, action, may_create: false }
    }

    /// The content of a file that an update would make of nothing.
    pub(crate) fn created(&self) -> Option<String> {
        let Action::Update(hunks, None) = &self.action else { return None };
        let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
        let is_new = self.may_create && lines().all(|(mark, _)| *mark == Mark::Added);
        is_new.then(|| lines().map(|(_, text)| format!("{text}\n")).collect())
    }
}

/// The kinds of sections.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Action {
    /// A new file with this content.
    Add(String),
    /// A file, new or not, whose whole content becomes this.
    Write(String),
    /// An existing one, changed by these hunks (none only if it moves) and moved there.
    Update(Vec<Hunk>, Option<String>),
    /// The file ceases to exist.
    Delete,
}

/// Lines that are in the file, and what becomes of them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Hunk {
    /// The line of the patch, from 1.
    pub(crate) line: usize,
    /// Lines of the file above it, the outermost first (`@@ class A`).
    pub(crate) anchors: Vec<String>,
    /// The line of the file where a unified diff saw it, from 1.
    pub(crate) at: Option<usize>,
    pub(crate) lines: Vec<(Mark, String)>,
    /// Whether the file ends after it.
    pub(crate) at_end: bool,
}

impl Hunk {
    /// Whether a line that comes has this character.
    pub(crate) fn adds(&self, character: char) -> bool {
        self.lines.iter().any(|(mark, text)| *mark == Mark::Added && text.contains(character))
    }
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mark {
    Context,
    Removed,
    Added,
}

/// Reads a patch.
///
/// # Errors
/// `invalid_patch` with the line at fault, `too_large`.
pub(crate) fn parse(text: &str) -> Result<Vec<Section>, Failed> {
    if text.len() > PATCH_BYTES_MAX {
        let message = format!("a patch has at most {PATCH_BYTES_MAX} bytes, not {}", text.len());
        return Err(Failed::new(Class::TooLarge, message));
    }
    let lines: Vec<&str> =
        text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let begin = lines.iter().position(|line| line.trim() == BEGIN);
    let sections = match begin {
        Some(begin) => enveloped(&lines, begin)?,
        None if unified::looks_so(&lines) => unified::parse(&lines)?,
        None => {
            let why = format!("it must begin with a line \"{BEGIN}\" and end with \"{END}\"");
            return Err(wrong(1, &why));
        }
    };
    match sections.len() {
        0 => Err(wrong(begin.unwrap_or(0) + 1, "it is empty: there is no section for any file")),
        count if count > PATCH_FILES_MAX => {
            let message = format!(
                "the patch has sections for {count} files; at most {PATCH_FILES_MAX} are taken at once"
            );
            Err(Failed::new(Class::TooLarge, message))
        }
        _ => Ok(sections),
    }
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

fn enveloped(lines: &[&str], begin: usize) -> Result<Vec<Section>, Failed> {
    let end = lines
        .iter()
        .position(|line| line.trim() == END)
        .ok_or_else(|| wrong(lines.len(), &format!("it is cut off: there is no line \"{END}\"")))?;
    if let Some(at) = (0..lines.len())
        .find(|at| *at != begin && lines.get(*at).is_some_and(|line| line.trim() == BEGIN))
    {
        return Err(wrong(at + 1, "a second patch begins; put all sections into one"));
    }
    let mut reader = Reader { lines: lines.get(..end).unwrap_or_default(), at: begin + 1 };
    let mut sections = Vec::new();
    while let Some(line) = reader.next() {
        let number = reader.at;
        let heading = line.trim();
        if heading.is_empty() {
            continue;
        }
        let (path, action) = if let Some(path) = heading.strip_prefix(ADD) {
            (path, Action::Add(reader.content()?))
        } else if let Some(path) = heading.strip_prefix(DELETE) {
            (path, Action::Delete)
        } else if let Some(path) = heading.strip_prefix(UPDATE) {
            (path, reader.update(number)?)
        } else {
            let why = format!(
                "\"{}\" is no heading; a section begins with \"{ADD}\", \"{UPDATE}\" or \"{DELETE}\" \
                 and a path",
                shown(line)
            );
            return Err(wrong(number, &why));
        };
        let path = path.trim().to_owned();
        if path.is_empty() {
            return Err(wrong(number, "the heading names no file"));
        }
        sections.push(Section::new(path, number, action));
    }
    Ok(sections)
}

/// The lines of a patch, one after the other.
struct Reader<'a> {
    lines: &'a [&'a str],
    /// The next one, from 0: the last one, from 1.
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    /// The lines up to the next heading; blank ones before it belong to nothing.
    fn body(&mut self) -> Vec<(usize, &'a str)> {
        let mut body = Vec::new();
        while let Some(line) = self.peek().filter(|line| !is_heading(line)) {
            self.at += 1;
            body.push((self.at, line));
        }
        while body.last().is_some_and(|(_, line)| line.is_empty()) {
            body.pop();
        }
        body
    }

    fn content(&mut self) -> Result<String, Failed> {
        let mut content = String::new();
        for (number, line) in self.body() {
            let Some(line) = line.strip_prefix('+') else {
                let why = "each line of a new file begins with '+'";
                return Err(wrong(number, why));
            };
            content.push_str(line);
            content.push('\n');
        }
        Ok(content)
    }

    fn update(&mut self, heading: usize) -> Result<Action, Failed> {
        let to = self.peek().and_then(|line| line.trim().strip_prefix(MOVE));
        let to = to.map(|path| path.trim().to_owned());
        if to.is_some() {
            self.at += 1;
        }
        let mut hunks: Vec<Hunk> = Vec::new();
        for (number, line) in self.body() {
            // Headings stand one below another for one hunk, and after the end of a file comes another.
            let is_done = hunks.last().is_none_or(|hunk| hunk.at_end);
            if let Some(heading) = line.strip_prefix("@@") {
                if is_done || hunks.last().is_some_and(|hunk| !hunk.lines.is_empty()) {
                    hunks.push(Hunk { line: number, ..Hunk::default() });
                }
                if let Some(hunk) = hunks.last_mut() {
                    heading_of(heading, hunk);
                }
                continue;
            }
            if is_done {
                hunks.push(Hunk { line: number, ..Hunk::default() });
            }
            let Some(hunk) = hunks.last_mut() else { continue };
            if line.trim() == END_OF_FILE {
                hunk.at_end = true;
            } else {
                hunk.lines.push(marked(number, line)?);
            }
        }
        check(&hunks)?;
        if hunks.is_empty() && to.is_none() {
            return Err(wrong(heading, "an update has at least one hunk, or a \"*** Move to:\""));
        }
        Ok(Action::Update(hunks, to))
    }
}

fn is_heading(line: &str) -> bool {
    let line = line.trim_end();
    [ADD, UPDATE, DELETE, MOVE].iter().any(|heading| line.starts_with(heading))
}

/// What stands after `@@`: nothing, a line of the file, or where a unified diff saw the hunk.
fn heading_of(heading: &str, hunk: &mut Hunk) {
    let numbers = heading.trim_start().strip_prefix('-').and_then(|rest| rest.split_once("@@"));
    let at = numbers.and_then(|(numbers, _)| {
        let first = numbers.split([',', ' ']).next()?;
        first.parse().ok()
    });
    if at.is_some() {
        hunk.at = at;
    } else if !heading.trim().is_empty() {
        hunk.anchors.push(heading.trim().to_owned());
    }
}

fn marked(number: usize, line: &str) -> Result<(Mark, String), Failed> {
    let mut characters = line.chars();
    let mark = match characters.next() {
        None | Some(' ') => Mark::Context,
        Some('-') => Mark::Removed,
        Some('+') => Mark::Added,
        Some(_) => {
            let why = format!(
                "\"{}\" is no line of a hunk: it begins with ' ' (stays), '-' (goes) or '+' (comes)",
                shown(line)
            );
            return Err(wrong(number, &why));
        }
    };
    Ok((mark, characters.as_str().to_owned()))
}

fn check(hunks: &[Hunk]) -> Result<(), Failed> {
    let idle = hunks.iter().find(|hunk| hunk.lines.iter().all(|(mark, _)| *mark == Mark::Context));
    match idle {
        Some(hunk) => Err(wrong(hunk.line, "this hunk changes nothing: it has no '-' and no '+'")),
        None => Ok(()),
    }
}

/// A patch that cannot be read, at this line of it.
fn wrong(line: usize, why: &str) -> Failed {
    Failed::new(Class::InvalidPatch, format!("line {line} of the patch: {why}"))
}

#[cfg(test)]
mod tests;
