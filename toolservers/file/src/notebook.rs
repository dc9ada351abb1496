//! A notebook (`.ipynb`, nbformat 4 and 3) as its cells: number, type, source, and outputs as text.
//!
//! Pictures and other rich outputs are named, not shown; control sequences of terminals are left out.
//!
//! Not here: how a notebook is changed (`notebook_edit`).

use serde_json::{Map, Value};

use crate::{
    limits::NOTEBOOK_OUTPUT_BYTES_MAX,
    made::{Made, Of, broken},
    window::head,
};

/// The cells of a notebook as a text.
///
/// # Errors
/// Why the bytes are no notebook, as a clause.
pub(crate) fn made(bytes: &[u8]) -> Result<Made, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let notebook: Map<String, Value> =
        serde_json::from_slice(bytes).map_err(|error| format!("its JSON is broken: {error}"))?;
    let cells = cells(&notebook).ok_or("it has no list of cells")?;
    let language = language(&notebook).to_owned();
    let mut text = String::new();
    for (number, cell) in (1..).zip(&cells) {
        if number > 1 {
            text.push('\n');
        }
        text.push_str(&broken(&told(number, cells.len(), cell)));
    }
    let notices = vec![format!(
        "a notebook of {}{}, shown as its cells and not as the JSON that the file holds. Change it with \
         notebook_edit, by the number of a cell; `edit` and `write` work on the JSON, which grep shows",
        counted(cells.len(), "cell"),
        if language.is_empty() { String::new() } else { format!(" ({language})") },
    )];
    Ok(Made::new(text, Of::Notebook { cells: cells.len(), language }, notices))
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The cells, of all worksheets in the older format.
fn cells(notebook: &Map<String, Value>) -> Option<Vec<&Value>> {
    if let Some(cells) = notebook.get("cells") {
        return Some(cells.as_array()?.iter().collect());
    }
    let sheets = notebook.get("worksheets")?.as_array()?;
    let cells = sheets.iter().filter_map(|sheet| sheet.get("cells")?.as_array());
    Some(cells.flatten().collect())
}

fn language(notebook: &Map<String, Value>) -> &str {
    let metadata = notebook.get("metadata");
    let name = |pointer: &str| metadata.and_then(|metadata| metadata.pointer(pointer)?.as_str());
    name("/language_info/name").or_else(|| name("/kernelspec/language")).unwrap_or_default()
}

/// A cell: a line about it, its source, its outputs each after a line about it.
fn told(number: usize, of: usize, cell: &Value) -> String {
    let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("cell of no type");
    let id = cell.get("id").and_then(Value::as_str);
    let id = id.map_or(String::new(), |id| format!(", id {}", head(id, 64)));
    let run = cell.get("execution_count").or_else(|| cell.get("prompt_number"));
    let run = run.and_then(Value::as_u64).map_or(String::new(), |run| format!(", run {run}"));
    let mut text = format!("[cell {number} of {of}: {kind}{run}{id}]\n");
    text.push_str(&joined(cell.get("source").or_else(|| cell.get("input"))));
    let outputs = cell.get("outputs").and_then(Value::as_array);
    for output in outputs.into_iter().flatten() {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&output_told(output));
    }
    text
}

fn output_told(output: &Value) -> String {
    let kind = output.get("output_type").and_then(Value::as_str).unwrap_or("output of no type");
    match kind {
        "stream" => {
            let name = output.get("name").or_else(|| output.get("stream"));
            let name = name.and_then(Value::as_str).unwrap_or("stream");
            format!("[output: {name}]\n{}", shortened(&joined(output.get("text"))))
        }
        "error" | "pyerr" => {
            let word = |key| output.get(key).and_then(Value::as_str).unwrap_or_default();
            let traceback = output.get("traceback").and_then(Value::as_array);
            let lines = traceback.into_iter().flatten().filter_map(Value::as_str);
            let lines = lines.collect::<Vec<_>>().join("\n");
            let what = format!("{}: {}", word("ename"), word("evalue"));
            let shown = if lines.is_empty() { what.clone() } else { lines };
            format!(
                "[output: error {}]\n{}",
                what.lines().next().unwrap_or_default(),
                shortened(&shown)
            )
        }
        other => rich(other, output),
    }
}

/// An output in several forms: the plainest is shown, the others are named.
fn rich(kind: &str, output: &Value) -> String {
    let Some(forms) = output.get("data").and_then(Value::as_object) else {
        // The older format has the forms beside the type.
        let text = joined(output.get("text"));
        let picture = ["png", "jpeg", "svg"].into_iter().find(|form| output.get(form).is_some());
        return match picture {
            Some(picture) => {
                format!("[output: {kind}, not shown: {picture}]\n{}", shortened(&text))
            }
            None => format!("[output: {kind}]\n{}", shortened(&text)),
        };
    };
    let plainest = ["text/plain", "text/markdown", "text/latex", "application/json", "text/html"];
    let shown = plainest.into_iter().find(|form| forms.contains_key(*form));
    let others = forms.iter().filter(|(form, _)| Some(form.as_str()) != shown);
    let others =
        others.map(|(form, value)| format!("{} ({} characters)", head(form, 64), length(value)));
    let others = others.take(8).collect::<Vec<_>>().join(", ");
    let others = if others.is_empty() { others } else { format!(", not shown: {others}") };
    let text = shown.and_then(|form| forms.get(form)).map_or(String::new(), |value| {
        // A form of JSON has its value as it is.
        if value.is_object() { value.to_string() } else { joined(Some(value)) }
    });
    format!("[output: {kind}{others}]\n{}", shortened(&text))
}

/// Characters of a form, about.
fn length(value: &Value) -> usize {
    if value.is_object() { value.to_string().len() } else { joined(Some(value)).len() }
}

/// A text that is given whole or line by line.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => String::new(),
    }
}

/// An output without what steers a terminal, and not longer than a reader wants it.
fn shortened(text: &str) -> String {
    let plain = without_escapes(text);
    let start = head(&plain, NOTEBOOK_OUTPUT_BYTES_MAX);
    if start.len() == plain.len() {
        return plain;
    }
    format!("{start}\n[{} of {} bytes of this output are shown]\n", start.len(), plain.len())
}

/// The text without control sequences (ECMA-48, 5.4): ESC `[`, parameters, a final byte.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
        } else if characters.next_if_eq(&'[').is_some() {
            while characters.next_if(|next| ('\u{20}'..='\u{3f}').contains(next)).is_some() {}
            characters.next_if(|next| ('\u{40}'..='\u{7e}').contains(next));
        }
    }
    plain
}

#[cfg(test)]
mod tests;
