//! One command from before to after: what it is held to, and what it did all the same.
//!
//! ```text
//! before:  places (what is closed) ─► sandbox (the plan of its launcher)
//! after:   places again ─► what it made where it must not is put aside, and told
//! ```
//!
//! Of a command that goes on in the background, the second look comes before each later command; what it finds is
//! only told then, since another tool may have been allowed to make it.
//!
//! Not here: the two parts themselves.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tollgate_sdk::{Context, Failure, Scope};

use crate::{
    places::{Found, Ground, Then, Watch},
    reap,
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
    /// The newest command that goes on in the background.
    going_on: Mutex<Option<Before>>,
}

/// A command that may start.
#[derive(Debug)]
pub(crate) struct Guarded {
    /// What it is held to.
    pub(crate) confinement: Confinement,
    /// What could not be held, for the result.
    pub(crate) notes: Vec<String>,
    /// The same of git, for commands that use it.
    pub(crate) git: Vec<String>,
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
            return Ok(Guarded { confinement, notes: Vec::new(), git: Vec::new(), before: None });
        };
        let roots = context.roots.iter().chain(&self.write).cloned().collect();
        let mut before =
            Before { scope: scope.clone(), roots, cwd: cwd.to_owned(), found: Found::default() };
        before.found = self.watch.look(&self.ground(&before));
        let reach = Reach { held: before.found.held.clone(), masked: before.found.masked.clone() };
        Sandbox::close(plan, reach);
        let mut notes: Vec<_> = before.found.notes.iter().map(bracketed).collect();
        notes.extend(self.of_the_background());
        let git = before.found.git.iter().map(bracketed).collect();
        Ok(Guarded { confinement, notes, git, before: Some(before) })
    }

    /// A command that was started goes on in the background.
    pub(crate) fn goes_on(&self, guarded: Guarded) {
        if let Some(before) = guarded.before {
            *self.going_on() = Some(before);
        }
    }

    /// What a command did that has ended, in sentences for the result. Blocking, as [`Guard::before`].
    pub(crate) fn after(&self, guarded: Guarded, goes_on: bool) -> Vec<String> {
        let Some(mut before) = guarded.before else { return Vec::new() };
        let told = self.caught(&mut before, Then::Aside(self.aside.as_deref()));
        let mut going_on = self.going_on();
        if goes_on {
            *going_on = Some(before);
        } else if let Some(earlier) = going_on.as_mut() {
            // What is new by now was this command's, and has been looked at.
            earlier.found = self.watch.look(&self.ground(earlier));
        }
        told
    }

    /// What was made since the last command ended, while one goes on in the background.
    fn of_the_background(&self) -> Vec<String> {
        let mut going_on = self.going_on();
        let told = going_on.as_mut().map(|it| self.caught(it, Then::Tell)).unwrap_or_default();
        if !reap::has_children() {
            *going_on = None;
        }
        told
    }

    fn caught(&self, before: &mut Before, then: Then<'_>) -> Vec<String> {
        let mut found = std::mem::take(&mut before.found);
        let caught = self.watch.after(&self.ground(before), &mut found, then);
        before.found = found;
        caught.iter().map(|caught| bracketed(caught.sentence())).collect()
    }

    fn going_on(&self) -> MutexGuard<'_, Option<Before>> {
        self.going_on.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ground<'a>(&'a self, before: &'a Before) -> Ground<'a> {
        let Before { scope, roots, cwd, .. } = before;
        Ground { scope, roots, home: self.home.as_deref(), cwd }
    }
}

fn bracketed(sentence: impl AsRef<str>) -> String {
    format!("[sandbox: {}]", sentence.as_ref())
}
