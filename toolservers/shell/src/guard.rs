//! One command from before to after: what it is held to, and what it did all the same.
//!
//! ```text
//! before:  places (what is closed) ─► sandbox (the plan of its launcher)
//! after:   places again ─► what it made where it must not is put aside, and told
//! ```
//!
//! Of a command that goes on in the background, the second look comes with the end of each later command.
//!
//! Not here: the two parts themselves.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tollgate_sdk::{Context, Failure, Scope};

use crate::{
    limits::GOING_ON_MAX,
    places::{Found, Ground, Watch},
    sandbox::{Confinement, Reach, Sandbox},
    settings::Settings,
    spawn::Bash,
};

/// Guards the commands of this server.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) sandbox: Sandbox,
    watch: Watch,
    /// Where what was caught goes.
    aside: Option<PathBuf>,
    home: Option<PathBuf>,
    /// Further folders that commands may change.
    write: Vec<PathBuf>,
    going_on: Mutex<Vec<Before>>,
}

/// A command that may start.
#[derive(Debug)]
pub(crate) struct Guarded {
    /// What it is held to.
    pub(crate) confinement: Confinement,
    /// What could not be held, for the result.
    pub(crate) notes: Vec<String>,
    before: Option<Before>,
}

/// What was found before a command.
#[derive(Debug)]
struct Before {
    scope: Scope,
    roots: Vec<PathBuf>,
    cwd: PathBuf,
    found: Found,
}

impl Guard {
    /// As the settings want it. `state`: this server's lasting folder.
    pub(crate) fn new(
        settings: &Settings,
        state: Option<&Path>,
        home: Option<PathBuf>,
    ) -> Arc<Self> {
        Arc::new(Self {
            sandbox: Sandbox::new(settings, home.clone()),
            watch: Watch::default(),
            aside: state.map(|state| state.join("quarantine")),
            home,
            write: settings.sandbox_write.clone(),
            going_on: Mutex::default(),
        })
    }

    /// What a command is held to. Blocking: some milliseconds, and more the first time.
    ///
    /// # Errors
    /// It cannot be confined: it must not start.
    pub(crate) fn before(
        &self,
        bash: &Bash,
        cwd: &Path,
        scope: &Scope,
        context: &Context,
    ) -> Result<Guarded, Failure> {
        let unavailable = |error| {
            let what = format!("nothing ran, since it could not be confined: {error}");
            Failure::new("sandbox_unavailable", what)
        };
        let mut confinement = self.sandbox.of(bash, scope, cwd).map_err(unavailable)?;
        let Confinement::By(plan) = &mut confinement else {
            return Ok(Guarded { confinement, notes: Vec::new(), before: None });
        };
        let roots = context.roots.iter().chain(&self.write).cloned().collect();
        let mut before =
            Before { scope: scope.clone(), roots, cwd: cwd.to_owned(), found: Found::default() };
        before.found = self.watch.look(&self.ground(&before));
        let reach = Reach { held: before.found.held.clone(), masked: before.found.masked.clone() };
        Sandbox::close(plan, reach);
        let notes = before.found.notes.iter().map(|note| format!("[sandbox: {note}]")).collect();
        Ok(Guarded { confinement, notes, before: Some(before) })
    }

    /// A command that was started goes on in the background.
    pub(crate) fn goes_on(&self, guarded: Guarded) {
        Self::keep(&mut self.kept(), guarded);
    }

    /// What a command did that has ended, in sentences for the result. Blocking, as [`Guard::before`].
    pub(crate) fn after(&self, guarded: Guarded, goes_on: bool) -> Vec<String> {
        if guarded.before.is_none() {
            return Vec::new();
        }
        let mut going_on = self.kept();
        Self::keep(&mut going_on, guarded);
        let mut told = Vec::new();
        for before in going_on.iter_mut() {
            let mut found = std::mem::take(&mut before.found);
            let caught = self.watch.after(&self.ground(before), &mut found, self.aside.as_deref());
            before.found = found;
            told.extend(caught.iter().map(|caught| format!("[sandbox: {}]", caught.sentence())));
        }
        if !goes_on {
            going_on.pop();
        }
        told
    }

    fn keep(going_on: &mut Vec<Before>, guarded: Guarded) {
        if going_on.len() >= GOING_ON_MAX {
            going_on.remove(0);
        }
        going_on.extend(guarded.before);
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Before>> {
        self.going_on.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ground<'a>(&'a self, before: &'a Before) -> Ground<'a> {
        let Before { scope, roots, cwd, .. } = before;
        Ground { scope, roots, home: self.home.as_deref(), cwd }
    }
}
