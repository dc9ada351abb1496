//! Unified diffs, as `diff -u` and `git diff` write them.
//!
//! The numbers of a hunk say only where to look first: the lines decide. A diff of modes or of
//! binary files is refused.

use super::{Action, Hunk, Mark, Section, check, heading_of, marked, wrong};
use crate::{failed::Failed, roots::shown};

const NOTHING: &str = "/dev/null";
const UNENDED: &str = "\\ No newline at end of file";

/// Whether lines are such a diff, as far as their headings tell.
pub(super) fn looks_so(lines: &[&str]) -> bool {
    let pairs = lines.iter().zip(lines.iter().skip(1));
    pairs.clone().any(|(old, new)| old.starts_with("--- ") && new.starts_with("+++ "))
        || lines.iter().any(|line| line.starts_with("rename from "))
}

/// Reads the sections.
///
/// # Errors
/// `invalid_patch`.
pub(super) fn parse(lines: &[&str]) -> Result<Vec<Section>, Failed> {
    let mut sections = Vec::new();
    let mut renamed: Option<(usize, &str)> = None;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if line.starts_with("@@") {
            return Err(wrong(at, "a hunk without \"--- FILE\" and \"+++ FILE\" before it"));
        }
        if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err(wrong(at, "binary files cannot be patched; use bash"));
        }
        if line.starts_with("old mode ") {
            return Err(wrong(at, "modes cannot be patched; use bash: chmod"));
        }
        if let Some(from) = line.strip_prefix("rename from ") {
            renamed = Some((at, from));
        }
        if let (Some((line, from)), Some(to)) = (renamed, line.strip_prefix("rename to ")) {
            let action = Action::Update(Vec::new(), Some(to.trim().to_owned()));
            sections.push(Section::new(from.trim(), line, action));
            renamed = None;
        }
        let new = lines.get(at).and_then(|new| new.strip_prefix("+++ "));
        if let (Some(old), Some(new)) = (line.strip_prefix("--- "), new) {
            let heading = at;
            at += 1;
            let (hunks, next) = hunks(lines, at)?;
            at = next;
            section(&mut sections, heading, (name(old), name(new)), hunks)?;
        }
    }
    Ok(sections)
}

/// The hunks that begin at a line, and the line after them.
fn hunks(lines: &[&str], mut at: usize) -> Result<(Vec<Hunk>, usize), Failed> {
    let mut hunks: Vec<Hunk> = Vec::new();
    while let Some(line) = lines.get(at) {
        let is_next_file = line.starts_with("--- ")
            && lines.get(at + 1).is_some_and(|new| new.starts_with("+++ "));
        if is_next_file || line.starts_with("diff ") {
            break;
        }
        at += 1;
        if let Some(heading) = line.strip_prefix("@@") {
            let mut hunk = Hunk { line: at, ..Hunk::default() };
            heading_of(heading, &mut hunk);
            hunks.push(hunk);
        } else if *line == UNENDED {
            continue;
        } else if let Some(hunk) = hunks.last_mut() {
            hunk.lines.push(marked(at, line)?);
        } else if !line.is_empty() {
            return Err(wrong(at, "a hunk begins with a line \"@@ -LINE,COUNT +LINE,COUNT @@\""));
        }
    }
    for hunk in &mut hunks {
        while hunk
            .lines
            .last()
            .is_some_and(|(mark, text)| *mark == Mark::Context && text.is_empty())
        {
            hunk.lines.pop();
        }
    }
    Ok((hunks, at))
}

fn section(
    sections: &mut Vec<Section>,
    line: usize,
    (old, new): (&str, &str),
    hunks: Vec<Hunk>,
) -> Result<(), Failed> {
    check(&hunks)?;
    if hunks.is_empty() {
        return Err(wrong(line, "there is no hunk for this file"));
    }
    let stripped = |name: &str, prefix: &str| {
        let is_git = old == NOTHING || old.starts_with("a/");
        let is_git = is_git && (new == NOTHING || new.starts_with("b/"));
        name.strip_prefix(prefix).filter(|_| is_git).unwrap_or(name).to_owned()
    };
    let (from, to) = (stripped(old, "a/"), stripped(new, "b/"));
    let (path, action) = match (old == NOTHING, new == NOTHING) {
        (true, true) => return Err(wrong(line, "neither side names a file")),
        (true, false) => (to, Action::Add(added(line, &hunks)?)),
        (false, true) => (from, Action::Delete),
        (false, false) => {
            let renaming = sections.last_mut().filter(|last| {
                last.path == from
                    && matches!(&last.action, Action::Update(_, Some(there)) if *there == to)
            });
            if let Some(Section { action: Action::Update(there, _), .. }) = renaming {
                *there = hunks;
                return Ok(());
            }
            let is_same = from == to || old.ends_with(".orig");
            let moved = (!is_same).then(|| to.clone());
            (if is_same { to } else { from }, Action::Update(hunks, moved))
        }
    };
    sections.push(Section::new(path, line, action));
    Ok(())
}

fn added(line: usize, hunks: &[Hunk]) -> Result<String, Failed> {
    let mut content = String::new();
    for (mark, text) in hunks.iter().flat_map(|hunk| &hunk.lines) {
        if *mark != Mark::Added {
            let why = format!("a new file has only lines with '+', not \"{}\"", shown(text));
            return Err(wrong(line, &why));
        }
        content.push_str(text);
        content.push('\n');
    }
    Ok(content)
}

/// A file's name without the time that `diff` writes after it.
fn name(text: &str) -> &str {
    text.split('\t').next().unwrap_or(text).trim()
}
