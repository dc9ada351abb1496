//! What a call of `terminal` asks for: its arguments, each with the actions that take it.
//!
//! Not here: doing it (`terminal`), which action takes which argument in general (`arguments`).

use tollgate_sdk::{Deserialize, Invalid, JsonSchema};

use super::{
    keys::{self, Key},
    screen::Size,
};
use crate::{arguments, limits::TIMEOUT_SECONDS_MAX, line::Line, process::check_text};

#[cfg(test)]
mod tests;

/// What runs when no command is named: a shell that reads no start-up file of anybody.
pub(super) const SHELL: &str = "exec bash --noprofile --norc -i";

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct Input {
    /// What to do.
    action: Action,
    /// open: a command line; default an interactive bash.
    #[schemars(length(min = 1))]
    command: Option<String>,
    /// open: folder.
    cwd: Option<String>,
    /// open, resize: default 24.
    #[schemars(range(min = 4, max = 100))]
    rows: Option<u16>,
    /// open, resize: default 80.
    #[schemars(range(min = 20, max = 200))]
    cols: Option<u16>,
    /// All but open and list: which, such as "t1".
    id: Option<String>,
    /// send: is typed; a line feed is Enter.
    text: Option<String>,
    /// send: pressed after the text: enter, tab, escape, up, f1, ctrl-c, alt-x …
    keys: Option<Vec<String>>,
    /// read: how long to wait for something new.
    #[schemars(range(max = 600))]
    wait_seconds: Option<u32>,
}

/// What to do.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
pub(crate) enum Action {
    Open,
    Send,
    Read,
    Resize,
    Close,
    #[default]
    List,
}

/// A call whose arguments go together.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    Open { line: Line, size: Size },
    Send { id: String, text: String, keys: Vec<Key> },
    Read { id: String, seconds: u32 },
    Resize { id: String, rows: Option<u16>, cols: Option<u16> },
    Close { id: String },
    List,
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Send => "send",
            Self::Read => "read",
            Self::Resize => "resize",
            Self::Close => "close",
            Self::List => "list",
        }
    }
}

impl Input {
    /// The arguments as what they ask for.
    ///
    /// # Errors
    /// One is missing or wrong, or belongs to another action.
    pub(super) fn asked(&self) -> Result<Asked, Invalid> {
        self.check_belonging()?;
        Ok(match self.action {
            Action::Open => Asked::Open {
                line: Line {
                    command: self.command.clone().unwrap_or_else(|| SHELL.to_owned()),
                    folder: self.cwd.clone(),
                    ..Line::default()
                },
                size: Size::of(self.rows, self.cols),
            },
            Action::Send => {
                let text = self.text.clone().unwrap_or_default();
                let keys = keys::named(self.keys.as_deref().unwrap_or_default())?;
                if text.is_empty() && keys.is_empty() {
                    let message = "action 'send' needs 'text' or 'keys'";
                    return Err(Invalid::new("/text", message));
                }
                check_text(&text)?;
                keys::check(&text)?;
                Asked::Send { id: self.id()?, text, keys }
            }
            Action::Read => {
                let seconds = self.wait_seconds.unwrap_or(0).min(TIMEOUT_SECONDS_MAX);
                Asked::Read { id: self.id()?, seconds }
            }
            Action::Resize => {
                if self.rows.is_none() && self.cols.is_none() {
                    let message = "action 'resize' needs 'rows' or 'cols'";
                    return Err(Invalid::new("/rows", message));
                }
                Asked::Resize { id: self.id()?, rows: self.rows, cols: self.cols }
            }
            Action::Close => Asked::Close { id: self.id()? },
            Action::List => Asked::List,
        })
    }

    fn id(&self) -> Result<String, Invalid> {
        arguments::needed(self.action.name(), "id", self.id.as_ref())
    }

    fn check_belonging(&self) -> Result<(), Invalid> {
        let rows: [(&str, bool, &[&str]); 8] = [
            ("command", self.command.is_some(), &["open"]),
            ("cwd", self.cwd.is_some(), &["open"]),
            ("rows", self.rows.is_some(), &["open", "resize"]),
            ("cols", self.cols.is_some(), &["open", "resize"]),
            ("id", self.id.is_some(), &["send", "read", "resize", "close"]),
            ("text", self.text.is_some(), &["send"]),
            ("keys", self.keys.is_some(), &["send"]),
            ("wait_seconds", self.wait_seconds.is_some(), &["read"]),
        ];
        arguments::check_belonging(self.action.name(), &rows)
    }
}
