//! [`Values`]: keys with their values, each knowing where it was said.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use toml::Value;

/// Where a value was said.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Source {
    /// Built in.
    Default,
    /// In a file.
    File {
        /// The file.
        path: PathBuf,
        /// From 1; 0: the whole file.
        line: usize,
    },
    /// In an environment variable.
    Variable(&'static str),
    /// On the command line.
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("built in"),
            Self::File { path, line: 0 } => path.display().fmt(f),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value with its source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    /// Of its key's kind.
    pub(crate) value: Value,
    /// Where it was said.
    pub(crate) source: Source,
}

/// Values by key, with dots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// Of each key the one that holds.
    pub(crate) one: BTreeMap<String, Said>,
    /// Lists that add up, in the order of the layers: what one layer forbids no other takes back.
    pub(crate) added: Vec<(String, Said)>,
}

impl Values {
    /// Puts one in place of what was said before.
    pub(crate) fn set(&mut self, key: impl Into<String>, value: impl Into<Value>, source: Source) {
        self.one.insert(key.into(), Said { value: value.into(), source });
    }

    /// Lays a later layer over this one. A server that is reached another way loses what belongs to
    /// the old way.
    pub(crate) fn lay(&mut self, layer: Self) {
        for key in layer.one.keys() {
            let lost = match key.rsplit_once('.') {
                Some((server, "command")) => {
                    [format!("{server}.endpoint"), format!("{server}.tls.")]
                }
                Some((server, "endpoint")) => {
                    [format!("{server}.command"), format!("{server}.listen")]
                }
                _ => continue,
            };
            self.one.retain(|key, _| !lost.iter().any(|start| key.starts_with(start)));
        }
        self.one.extend(layer.one);
        self.added.extend(layer.added);
    }

    /// One value.
    pub(crate) fn get(&self, key: &str) -> Option<&Said> {
        self.one.get(key)
    }

    /// The items of a list that adds up, each with where it was said.
    pub(crate) fn items(&self, key: &str) -> impl Iterator<Item = (&str, &Source)> {
        let said = self.added.iter().filter(move |(name, _)| name == key);
        said.flat_map(|(_, said)| {
            let texts = said.value.as_array().into_iter().flatten().filter_map(Value::as_str);
            texts.map(|text| (text, &said.source))
        })
    }

    /// All that was said: the values that hold, then the lists that add up.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&String, &Said)> {
        self.one.iter().chain(self.added.iter().map(|(key, said)| (key, said)))
    }

    /// A text, if there is one.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.value.as_str()
    }

    /// true or false, if it was said.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.value.as_bool()
    }

    /// A number that is not negative, if there is one.
    pub(crate) fn count(&self, key: &str) -> Option<u64> {
        self.get(key)?.value.as_integer().and_then(|count| u64::try_from(count).ok())
    }

    /// A list of texts; empty if there is none.
    pub(crate) fn list(&self, key: &str) -> Vec<String> {
        let items = self.get(key).and_then(|said| said.value.as_array()).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The names of all servers.
    pub(crate) fn servers(&self) -> Vec<&str> {
        let names =
            self.one.keys().filter_map(|key| key.strip_prefix("servers.")?.split('.').next());
        let mut names: Vec<_> = names.collect();
        names.dedup();
        names
    }
}
