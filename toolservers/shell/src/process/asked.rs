//! What a call of `process` asks for: its arguments, each with the actions that take it.
//!
//! Invariant: an argument that the action does not take is an error that says which action does, and is
//! never ignored (test `an_argument_of_another_action_is_refused`). [TOOL-02]
//!
//! Not here: doing it (`process`).

use tollgate_sdk::{Deserialize, Invalid, JsonSchema};

use crate::{
    arguments,
    limits::{INPUT_BYTES_MAX, TIMEOUT_SECONDS_MAX, WAIT_SECONDS_DEFAULT},
    line::Line,
};

#[cfg(test)]
mod tests;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct Input {
    /// What to do.
    action: Action,
    /// start: the command line, run by `bash -c` as it is.
    #[schemars(length(min = 1))]
    command: Option<String>,
    /// start: what it does, in five to ten words.
    description: Option<String>,
    /// start: keep its standard input open, for `write`.
    interactive: Option<bool>,
    /// All but start and list: the process, as `start` named it ("p1").
    id: Option<String>,
    /// output, wait: the number of the line to read after; without it the newest lines are shown.
    after: Option<u64>,
    /// wait: be content when a line after `after` holds this text.
    #[schemars(length(min = 1))]
    until: Option<String>,
    /// wait: seconds, default 30, at most 600.
    #[schemars(range(min = 1, max = 600))]
    timeout: Option<u32>,
    /// write: the text, as it is; end a line with a line feed.
    text: Option<String>,
    /// write: close its standard input after the text.
    close: Option<bool>,
}

/// What to do.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
pub(crate) enum Action {
    Start,
    Status,
    Output,
    Wait,
    Stop,
    #[default]
    List,
    Write,
}

/// A call whose arguments go together.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Start { line: Line, interactive: bool },
    Status { id: String },
    Output { id: String, after: Option<u64> },
    Wait { id: String, after: Option<u64>, until: Option<String>, seconds: u32 },
    Stop { id: String },
    List,
    Write { id: String, text: String, close: bool },
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Status => "status",
            Self::Output => "output",
            Self::Wait => "wait",
            Self::Stop => "stop",
            Self::List => "list",
            Self::Write => "write",
        }
    }
}

impl Input {
    /// The arguments as what they ask for.
    ///
    /// # Errors
    /// One is missing, or belongs to another action.
    pub(crate) fn asked(&self) -> Result<Asked, Invalid> {
        self.check_belonging()?;
        Ok(match self.action {
            Action::Start => Asked::Start {
                line: Line {
                    command: self.needed("command", self.command.as_ref())?,
                    description: self.description.clone(),
                    ..Line::default()
                },
                interactive: self.interactive.unwrap_or(false),
            },
            Action::Status => Asked::Status { id: self.id()? },
            Action::Output => Asked::Output { id: self.id()?, after: self.after },
            Action::Wait => Asked::Wait {
                id: self.id()?,
                after: self.after,
                until: self.until.clone(),
                seconds: self.timeout.unwrap_or(WAIT_SECONDS_DEFAULT).min(TIMEOUT_SECONDS_MAX),
            },
            Action::Stop => Asked::Stop { id: self.id()? },
            Action::List => Asked::List,
            Action::Write => {
                let close = self.close.unwrap_or(false);
                let text = match &self.text {
                    None if close => String::new(),
                    text => self.needed("text", text.as_ref())?,
                };
                check_text(&text)?;
                Asked::Write { id: self.id()?, text, close }
            }
        })
    }

    fn id(&self) -> Result<String, Invalid> {
        self.needed("id", self.id.as_ref())
    }

    fn needed(&self, name: &str, value: Option<&String>) -> Result<String, Invalid> {
        arguments::needed(self.action.name(), name, value)
    }

    fn check_belonging(&self) -> Result<(), Invalid> {
        let belonging: [(&str, bool, &[&str]); 9] = [
            ("command", self.command.is_some(), &["start"]),
            ("description", self.description.is_some(), &["start"]),
            ("interactive", self.interactive.is_some(), &["start"]),
            ("id", self.id.is_some(), &["status", "output", "wait", "stop", "write"]),
            ("after", self.after.is_some(), &["output", "wait"]),
            ("until", self.until.is_some(), &["wait"]),
            ("timeout", self.timeout.is_some(), &["wait"]),
            ("text", self.text.is_some(), &["write"]),
            ("close", self.close.is_some(), &["write"]),
        ];
        arguments::check_belonging(self.action.name(), &belonging)
    }
}

/// Whether a person can be shown all of a text, and a pipe take it.
pub(crate) fn check_text(text: &str) -> Result<(), Invalid> {
    if text.len() <= INPUT_BYTES_MAX {
        return Ok(());
    }
    let message = format!(
        "the text has {} bytes and may have {INPUT_BYTES_MAX}; write it in pieces, or to a file that the \
         process reads",
        text.len()
    );
    Err(Invalid::new("/text", message))
}
