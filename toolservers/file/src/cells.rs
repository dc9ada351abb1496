//! A change of one cell of a notebook (nbformat 4), cut into the file's own text.
//!
//! The JSON is not written anew: the values that change are replaced where they stand, so that key
//! order, indentation, numbers and fields that nobody here knows stay as they are to the byte (test
//! `what_is_not_changed_stays_to_the_byte`). New values follow the layout of the file.
//!
//! Not here: the file (`notebook_edit`), a notebook shown as text (`notebook`).

mod layout;
mod spans;

use std::ops::Range;

use serde_json::{Value, value::RawValue};
use sha2::{Digest, Sha256};

use crate::failed::{Class, Failed};

use layout::Layout;
use spans::{Array, Object};

/// What a cell is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Code,
    Markdown,
    Raw,
}

impl Kind {
    /// As the format writes it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Code, Self::Markdown, Self::Raw].into_iter().find(|kind| kind.word() == word)
    }
}

/// What is to happen at a cell.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// It gets another source, another type, or both.
    Replace { source: Option<String>, kind: Option<Kind> },
    /// A new one comes there, and those from there on move down.
    Insert { source: String, kind: Kind },
    /// It goes.
    Delete,
}

/// A notebook after a change.
#[derive(Debug)]
pub(crate) struct Changed {
    /// All of its JSON.
    pub(crate) text: String,
    /// The cell's source before and after.
    pub(crate) before: String,
    pub(crate) after: String,
    /// The cell's type, or the one that it had.
    pub(crate) kind: &'static str,
    /// Outputs that are gone.
    pub(crate) outputs: usize,
    /// Cells that there are now.
    pub(crate) cells: usize,
}

/// Changes the cell `number`, from 1, of a notebook.
///
/// # Errors
/// `unreadable` for what is no such notebook; `past_end` for the number; `invalid_edit` if nothing would
/// change.
pub(crate) fn changed(text: &str, number: usize, change: &Change) -> Result<Changed, Failed> {
    let notebook = Notebook::of(text)?;
    let count = notebook.cells.items.len();
    let most = if matches!(change, Change::Insert { .. }) { count + 1 } else { count };
    if number == 0 || number > most {
        return Err(no_cell(number, count, most));
    }
    let mut splices = Splices { text, all: Vec::new() };
    let mut changed = match change {
        Change::Replace { source, kind } => {
            notebook.replace(number - 1, source.as_deref(), *kind, &mut splices)?
        }
        Change::Insert { source, kind } => notebook.insert(number - 1, source, *kind, &mut splices),
        Change::Delete => notebook.delete(number - 1, &mut splices)?,
    };
    changed.text = splices.applied();
    Ok(changed)
}

fn no_cell(number: usize, count: usize, most: usize) -> Failed {
    let message = format!(
        "there is no cell {number}: the notebook has {count}, numbered from 1; `cell` can be 1 to {most} \
         for this action"
    );
    Failed::new(Class::PastEnd, message).at("/cell")
}

fn unreadable(why: &str) -> Failed {
    Failed::new(Class::Unreadable, format!("it is no notebook of nbformat 4: {why}"))
}

/// The text of a notebook, and where its parts are.
struct Notebook<'a> {
    text: &'a str,
    layout: Layout<'a>,
    cells: Array<'a>,
    minor: u64,
}

impl<'a> Notebook<'a> {
    fn of(text: &'a str) -> Result<Self, Failed> {
        let whole: &RawValue = serde_json::from_str(text)
            .map_err(|error| unreadable(&format!("its JSON is broken ({error})")))?;
        let top = Object::of(text, whole).ok_or_else(|| unreadable("it is no JSON object"))?;
        let number = |key| top.value(key).and_then(|value| value.as_u64());
        match number("nbformat") {
            Some(4) => {}
            Some(other) => {
                let why = format!(
                    "it is of nbformat {other}; convert it first, with bash: jupyter nbconvert --to notebook"
                );
                return Err(unreadable(&why));
            }
            None => return Err(unreadable("it does not say `nbformat`")),
        }
        let cells = top.member("cells").and_then(|cells| Array::of(text, cells.raw));
        let cells = cells.ok_or_else(|| unreadable("it has no list of cells"))?;
        let minor = number("nbformat_minor").unwrap_or(0);
        Ok(Self { text, layout: Layout::of(text, &top), cells, minor })
    }

    fn cell(&self, index: usize) -> Result<Object<'a>, Failed> {
        let raw = self.cells.items.get(index).copied();
        raw.and_then(|raw| Object::of(self.text, raw))
            .ok_or_else(|| unreadable(&format!("cell {} is no JSON object", index + 1)))
    }

    fn replace(
        &self,
        index: usize,
        source: Option<&str>,
        kind: Option<Kind>,
        splices: &mut Splices<'_>,
    ) -> Result<Changed, Failed> {
        let cell = self.cell(index)?;
        let (before, was) = (source_of(&cell), kind_of(&cell));
        let known = Kind::of(&was).ok_or_else(|| {
            unreadable(&format!("cell {} says no `cell_type` that is known", index + 1))
        })?;
        let kind = kind.unwrap_or(known);
        let after = source.unwrap_or(&before).to_owned();
        if after == before && kind == known {
            let message = "it would change nothing: the cell has this source and type already";
            return Err(Failed::new(Class::InvalidEdit, message).at("/source"));
        }
        let mut edit =
            CellEdit { cell: &cell, layout: &self.layout, splices, added: String::new() };
        if kind != known {
            edit.set("cell_type", &quoted(kind.word()));
        }
        let outputs = edit.outputs();
        if kind == Kind::Code {
            edit.set("execution_count", "null");
            edit.set("outputs", "[]");
            edit.remove(&["attachments"]);
        } else {
            edit.remove(&["execution_count", "outputs"]);
        }
        if after != before {
            let is_text = cell.member("source").is_some_and(|it| it.raw.get().starts_with('"'));
            let lines = if is_text { quoted(&after) } else { self.layout.lines(&after, 4) };
            edit.set("source", &lines);
        }
        edit.finish();
        let cells = self.cells.items.len();
        Ok(Changed { text: String::new(), before, after, kind: kind.word(), outputs, cells })
    }

    fn insert(&self, index: usize, source: &str, kind: Kind, splices: &mut Splices<'_>) -> Changed {
        let mut members = vec![("cell_type", quoted(kind.word()))];
        if kind == Kind::Code {
            members.push(("execution_count", "null".to_owned()));
        }
        if self.minor >= 5 {
            members.push(("id", quoted(&self.fresh_id(index, source))));
        }
        members.push(("metadata", "{}".to_owned()));
        if kind == Kind::Code {
            members.push(("outputs", "[]".to_owned()));
        }
        members.push(("source", self.layout.lines(source, 4)));
        let cell = self.layout.object(&members, 3);
        splices.insert_item(&self.cells, index, &cell, &self.layout);
        let cells = self.cells.items.len() + 1;
        let (text, before, after) = (String::new(), String::new(), source.to_owned());
        Changed { text, before, after, kind: kind.word(), outputs: 0, cells }
    }

    fn delete(&self, index: usize, splices: &mut Splices<'_>) -> Result<Changed, Failed> {
        let cell = self.cell(index)?;
        splices.cut(self.cells.without(index));
        let outputs = cell.member("outputs").map_or(0, |outputs| length(outputs.raw));
        let kind = Kind::of(&kind_of(&cell)).map_or("cell", Kind::word);
        let cells = self.cells.items.len() - 1;
        let (text, before, after) = (String::new(), source_of(&cell), String::new());
        Ok(Changed { text, before, after, kind, outputs, cells })
    }

    /// An id that no cell has: eight hexadecimal digits, as Jupyter makes them; the same for the same
    /// change, so that a preview shows what will be there.
    fn fresh_id(&self, index: usize, source: &str) -> String {
        let mut seed = format!("{index}\n{source}\n{}", self.text).into_bytes();
        loop {
            let digest = Sha256::digest(&seed);
            let id: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            if !self.text.contains(&id) {
                return id;
            }
            seed = digest.to_vec();
        }
    }
}

/// The changes of one cell's members.
struct CellEdit<'a, 'b, 't> {
    cell: &'b Object<'a>,
    layout: &'b Layout<'a>,
    splices: &'b mut Splices<'t>,
    /// Members that it did not have.
    added: String,
}

impl CellEdit<'_, '_, '_> {
    fn set(&mut self, key: &str, value: &str) {
        match self.cell.member(key) {
            Some(member) => self.splices.replace(member.value.clone(), value),
            None => self.added.push_str(&self.layout.member(key, value, 3)),
        }
    }

    fn remove(&mut self, keys: &[&str]) {
        for span in self.cell.without(keys) {
            self.splices.cut(Some(span));
        }
    }

    fn outputs(&self) -> usize {
        self.cell.member("outputs").map_or(0, |outputs| length(outputs.raw))
    }

    /// Puts what it did not have behind `cell_type`, which every cell has and none loses.
    fn finish(self) {
        if let Some(kind) = self.cell.member("cell_type").filter(|_| !self.added.is_empty()) {
            self.splices.insert(kind.value.end, &self.added);
        }
    }
}

/// Replacements of pieces of a text; they do not meet.
struct Splices<'a> {
    text: &'a str,
    all: Vec<(Range<usize>, String)>,
}

impl Splices<'_> {
    fn replace(&mut self, span: Range<usize>, new: &str) {
        self.all.push((span, new.to_owned()));
    }

    fn insert(&mut self, at: usize, new: &str) {
        self.replace(at..at, new);
    }

    fn cut(&mut self, span: Option<Range<usize>>) {
        self.all.extend(span.map(|span| (span, String::new())));
    }

    fn insert_item(&mut self, array: &Array<'_>, index: usize, new: &str, layout: &Layout<'_>) {
        match (array.spans.get(index), array.spans.last()) {
            (Some(next), _) => {
                self.insert(next.start, &format!("{new}{}", layout.comma(2)));
            }
            (None, Some(last)) => self.insert(last.end, &format!("{}{new}", layout.comma(2))),
            (None, None) => {
                let new = format!("[{}{new}{}]", layout.break_at(2), layout.break_at(1));
                self.replace(array.span.clone(), &new);
            }
        }
    }

    /// The text with all of them.
    fn applied(mut self) -> String {
        self.all.sort_by_key(|(span, _)| (span.start, span.end));
        let mut out = String::with_capacity(self.text.len());
        let mut done = 0;
        for (span, new) in &self.all {
            out.push_str(self.text.get(done..span.start).unwrap_or_default());
            out.push_str(new);
            done = span.end.max(done);
        }
        out.push_str(self.text.get(done..).unwrap_or_default());
        out
    }
}

fn kind_of(cell: &Object<'_>) -> String {
    let kind = cell.value("cell_type");
    kind.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A cell's source, which is a text or a list of lines.
fn source_of(cell: &Object<'_>) -> String {
    match cell.value("source") {
        Some(Value::String(text)) => text,
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => String::new(),
    }
}

fn length(list: &RawValue) -> usize {
    serde_json::from_str::<Vec<&RawValue>>(list.get()).map_or(0, |items| items.len())
}

/// A text as JSON writes it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
