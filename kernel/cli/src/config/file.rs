//! Reads one `config.toml` into [`Values`]: every key is known, every value is of its kind.
//!
//! Invariant: nothing is ignored; an unknown key is a mistake with file, line and nearest name (test
//! `an_unknown_key_is_told_with_its_place_and_the_nearest_name`).

use std::{fs, io::Read as _, path::Path};

use tollgate_core::name::{ServerName, nearest};
use tollgate_engine::settings::KERNEL;
use toml::{
    Table, Value,
    de::{DeTable, DeValue},
};

use super::{
    error::{ConfigError, Fault},
    keys::{self, Found, Key, Kind},
    sandbox,
    values::{Said, Source, Values},
};
use crate::limits::CONFIG_BYTES_MAX;

/// Reads a file. `None`: there is none.
///
/// # Errors
/// It cannot be read, is no TOML, or holds mistakes: all of them.
pub(crate) fn read(path: &Path) -> Result<Option<Values>, ConfigError> {
    let unreadable = |why: String| ConfigError::of_file(path.to_owned(), why);
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(format!("cannot be read: {error}"))),
    };
    let mut text = String::new();
    file.take(CONFIG_BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    if text.len() as u64 > CONFIG_BYTES_MAX {
        return Err(unreadable(format!("is longer than {CONFIG_BYTES_MAX} bytes")));
    }
    parse(path, &text).map(Some)
}

/// Reads the text of a file that is called `path`.
///
/// # Errors
/// As [`read`].
pub(crate) fn parse(path: &Path, text: &str) -> Result<Values, ConfigError> {
    let mut reader = Reader { path, text, values: Values::default(), faults: Vec::new() };
    // Twice, because one form has places and the other has values.
    match (DeTable::parse(text), text.parse::<Table>()) {
        (Ok(places), Ok(table)) => reader.table(&[], places.get_ref(), &table),
        (Err(error), _) | (_, Err(error)) => {
            let at = error.span().map_or(0, |span| span.start);
            reader.fault(at, "", error.message());
        }
    }
    if reader.faults.is_empty() { Ok(reader.values) } else { Err(ConfigError(reader.faults)) }
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    values: Values,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn table(&mut self, path: &[&str], places: &DeTable<'_>, table: &Table) {
        for (name, place) in places {
            let Some(value) = table.get(name.get_ref().as_ref()) else { continue };
            let path = [path, &[name.get_ref().as_ref()]].concat();
            self.entry(&path, name.span().start, place.get_ref(), value);
        }
    }

    fn entry(&mut self, path: &[&str], at: usize, place: &DeValue<'_>, value: &Value) {
        let dotted = path.join(".");
        if let ["servers", name] = path
            && let Err(error) = ServerName::try_from(*name)
        {
            return self.fault(at, &dotted, &error.to_string());
        }
        if let ["servers", KERNEL] = path {
            let what = "is the kernel's own name, by which lists and receipts say that no server has a \
                        tool; give the server another one";
            return self.fault(at, &dotted, what);
        }
        match (keys::find(path), place, value) {
            (Found::Key(key), _, _) => self.value(key, at, dotted, value),
            (Found::Table, DeValue::Table(places), Value::Table(table)) => {
                if matches!(path, ["servers", _]) && table.is_empty() {
                    // So that a server of which nothing more is said is a server all the same.
                    self.values.set(format!("{dotted}.enabled"), true, self.source(at));
                }
                self.table(path, places, table);
            }
            (Found::Table, _, _) => self.fault(at, &dotted, "must be a table"),
            (Found::Unknown(nearest), _, _) => {
                let hint = nearest.map(|name| format!("; did you mean '{name}'?"));
                let what = format!("there is no such key{}", hint.unwrap_or_default());
                self.fault(at, &dotted, &what);
            }
        }
    }

    fn value(&mut self, key: &Key, at: usize, dotted: String, value: &Value) {
        match checked(key.kind, value, self.path) {
            Ok(value) if matches!(key.kind, Kind::Added) => {
                self.values.added.push((dotted, Said { value, source: self.source(at) }));
            }
            Ok(value) => self.values.set(dotted, value, self.source(at)),
            Err(what) => self.fault(at, &dotted, &what),
        }
    }

    fn fault(&mut self, at: usize, key: &str, what: &str) {
        let source = self.source(at);
        self.faults.push(Fault { source, key: key.to_owned(), what: what.to_owned() });
    }

    fn source(&self, at: usize) -> Source {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Source::File { path: self.path.to_owned(), line }
    }
}

/// The value, with paths made absolute.
///
/// # Errors
/// It is of another kind: what was expected and what came.
pub(crate) fn checked(kind: Kind, value: &Value, file: &Path) -> Result<Value, String> {
    let is_texts =
        |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_str));
    let fits = match kind {
        Kind::Text | Kind::Path => value.as_str().is_some_and(|text| !text.is_empty()),
        Kind::Word(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        Kind::Flag => value.is_bool(),
        Kind::Count(min, max) => {
            value.as_integer().is_some_and(|count| (min..=max).contains(&count))
        }
        Kind::List | Kind::Folders | Kind::Added => is_texts(value),
        Kind::Table => value.is_table(),
    };
    if !fits {
        let hint = match (kind, value.as_str()) {
            (Kind::Word(words), Some(text)) => {
                nearest(text, words.iter().copied()).into_iter().next()
            }
            _ => None,
        };
        let hint = hint.map(|word| format!("; did you mean \"{word}\"?")).unwrap_or_default();
        return Err(format!("must be {}, and is {}{hint}", kind.describe(), shown(value)));
    }
    Ok(match (kind, value) {
        (Kind::Path, Value::String(text)) => Value::String(absolute(text, file)),
        (Kind::Folders, Value::Array(items)) => {
            let folders = items.iter().filter_map(Value::as_str).map(sandbox::folder);
            folders.map(|folder| folder.map(Value::String)).collect::<Result<Vec<_>, _>>()?.into()
        }
        _ => value.clone(),
    })
}

/// A path of a file, absolute: relative ones begin where the file is.
pub(crate) fn absolute(text: &str, file: &Path) -> String {
    if let Some(rest) = text.strip_prefix("~/")
        && let Some(home) = std::env::home_dir()
    {
        return home.join(rest).to_string_lossy().into_owned();
    }
    file.parent().unwrap_or(Path::new("/")).join(text).to_string_lossy().into_owned()
}

/// A value in an error: what it is, cut short.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => {
            format!(
                "the text \"{}\"",
                text.chars().take(60).flat_map(char::escape_debug).collect::<String>()
            )
        }
        Value::Integer(number) => format!("the number {number}"),
        Value::Float(number) => format!("the number {number}"),
        Value::Boolean(flag) => flag.to_string(),
        Value::Datetime(_) => "a date".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}
