//! What a call of `Run` asks for, and which line that is.
//!
//! Not here: what there is (`found`), running it (`verify`).

use std::path::{Path, PathBuf};

use tollgate_sdk::{Context, Deserialize, Invalid, JsonSchema};

use super::found::{self, Check, Filter, Kind};
use crate::{
    arguments,
    limits::{CHECKS_SECONDS_DEFAULT, FILTER_BYTES_MAX, ID_BYTES_MAX, TIMEOUT_SECONDS_MAX},
    line::Line,
    subjects::bounded,
};

#[cfg(test)]
mod tests;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct Input {
    /// The project's tests, or its linters, type checkers and format checks.
    pub(super) action: Action,
    /// tests: only those whose name has this, as the runner takes it.
    pub(super) filter: Option<String>,
    /// The project's folder; default the session's.
    pub(super) path: Option<String>,
    /// One that a result named under "found"; default the nearest, or all verifiers.
    pub(super) runner: Option<String>,
    /// Seconds; default 300.
    #[schemars(range(min = 1, max = 600))]
    pub(super) timeout: Option<u32>,
}

/// What to run.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
pub(crate) enum Action {
    Tests,
    Verifiers,
}

/// What is to be run.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) kind: Kind,
    /// At least one; all in one folder.
    pub(super) checks: Vec<Check>,
    /// All that there are, for the answer.
    pub(super) found: Vec<Check>,
    pub(super) folder: PathBuf,
    pub(super) seconds: u32,
}

impl Asked {
    /// One of its lines as it is judged and run.
    pub(super) fn line_of(&self, check: &Check) -> Line {
        self.line(check.line.clone())
    }

    /// All of its lines as one, which is what is judged.
    pub(super) fn all_lines(&self) -> Line {
        let lines: Vec<&str> = self.checks.iter().map(|check| check.line.as_str()).collect();
        self.line(lines.join("\n"))
    }

    fn line(&self, command: String) -> Line {
        let folder = Some(self.folder.to_string_lossy().into_owned());
        Line { command, folder, ..Line::default() }
    }
}

impl Input {
    /// What is asked for, of what there is now.
    ///
    /// # Errors
    /// An argument is wrong, or the project has nothing of the kind.
    pub(super) fn asked(&self, context: &Context) -> Result<Asked, Invalid> {
        let (name, kind) = match self.action {
            Action::Tests => ("tests", Kind::Tests),
            Action::Verifiers => ("verifiers", Kind::Verifiers),
        };
        arguments::check_belonging(name, &[("filter", self.filter.is_some(), &["tests"])])?;
        let (folder, root) = self.folder(context)?;
        let found = found::find(kind, &folder, &root);
        let chosen = self.chosen(kind, &found)?;
        let Some(first) = chosen.first() else { return Err(nothing(kind, &folder)) };
        let folder = first.folder.clone();
        let mut checks: Vec<Check> =
            chosen.into_iter().filter(|check| check.folder == folder).collect();
        if let Some(filter) = &self.filter {
            for check in &mut checks {
                filtered(check, filter)?;
            }
        }
        let seconds = self.timeout.unwrap_or(CHECKS_SECONDS_DEFAULT).clamp(1, TIMEOUT_SECONDS_MAX);
        Ok(Asked { kind, checks, found, folder, seconds })
    }

    /// The folder that is asked for, and the root that holds it.
    fn folder(&self, context: &Context) -> Result<(PathBuf, PathBuf), Invalid> {
        let asked = self.path.as_deref().unwrap_or(".");
        let wrong = |why: &str| {
            let asked = bounded(asked, 1024).escape_debug();
            Invalid::new("/path", format!("'{asked}' {why}"))
        };
        let real = context.cwd.join(asked).canonicalize().map_err(|_| wrong("does not exist"))?;
        let folder = if real.is_file() { real.parent().unwrap_or(&real).to_owned() } else { real };
        let roots = context.roots.iter().filter_map(|root| root.canonicalize().ok());
        // The outermost one, so that a project around is found.
        let root =
            roots.filter(|root| folder.starts_with(root)).min_by_key(|root| root.as_os_str().len());
        Ok((folder, root.ok_or_else(|| wrong("is outside the workspace"))?))
    }

    /// The named one, the nearest runner of tests, or all verifiers.
    fn chosen(&self, kind: Kind, found: &[Check]) -> Result<Vec<Check>, Invalid> {
        let Some(runner) = &self.runner else {
            let count = if kind == Kind::Tests { 1 } else { found.len() };
            return Ok(found.iter().take(count).cloned().collect());
        };
        let named: Vec<Check> =
            found.iter().filter(|check| check.name == *runner).cloned().collect();
        if !named.is_empty() {
            return Ok(named);
        }
        let names: Vec<&str> = found.iter().map(|check| check.name.as_str()).collect();
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let runner = bounded(runner, ID_BYTES_MAX).escape_debug();
        let message = format!("there is no runner '{runner}' here; there are: {there}");
        Err(Invalid::new("/runner", message))
    }
}

/// Adds a filter to a line.
fn filtered(check: &mut Check, filter: &str) -> Result<(), Invalid> {
    let wrong = |message: String| Err(Invalid::new("/filter", message));
    if filter.is_empty() || filter.len() > FILTER_BYTES_MAX || filter.contains(char::is_control) {
        return wrong(format!(
            "a filter has 1 to {FILTER_BYTES_MAX} bytes and no control characters"
        ));
    }
    if filter.starts_with('-') {
        return wrong("a filter that begins with '-' would be an option of the runner".to_owned());
    }
    let Filter::After(words) = check.filter else {
        return wrong(format!(
            "'{}' takes no filter that is known; run its command with 'bash' instead",
            check.name
        ));
    };
    let quoted = filter.replace('\'', r"'\''");
    check.line = format!("{} {words} '{quoted}'", check.line);
    Ok(())
}

fn nothing(kind: Kind, folder: &Path) -> Invalid {
    let looked = match kind {
        Kind::Tests => {
            "cargo, a 'test' script of package.json, pytest or unittest, go, a makefile's target 'test' or 'check'"
        }
        Kind::Verifiers => {
            "cargo, scripts 'lint' and 'typecheck' of package.json, ruff, mypy, go, a makefile's target 'lint'"
        }
    };
    let message = format!(
        "no project was found in {} or above; looked for: {looked}. 'path' names another folder; 'bash' runs any \
         command",
        folder.display()
    );
    Invalid::new("/path", message).class("no_project")
}
