//! What the operating system holds commands to (`[GATE-70, 71, 72]`): once for this server which tier its
//! host has, and for each command what its grant lets it reach.
//!
//! | the grant says | a command changes | network |
//! |---|---|---|
//! | read-only | its temporary folder | none but a loopback of its own |
//! | workspace-write | that, the write roots, the folders of the settings | the same |
//! | network | that, and the caches of package managers | the host's |
//! | off | what the user can | the host's |
//!
//! Everything can be read but what the grant withholds. With namespaces, places are held inside these
//! folders too ([`Reach`]); without, receipts say `places:none`.
//!
//! Invariants: a command whose confinement fails does not run; all commands of this server share one set
//! of namespaces, whose end ends them all.
//!
//! Not here: which places those are (`places`), the steps themselves (`tollgate-confine`).

use std::{
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use tollgate_confine::{
    Requirement,
    child::{Plan, Report},
    namespaces::NAMESPACES,
};
use tollgate_sdk::{Sandbox as Level, Scope};

use crate::{
    limits::{CONFINED_PROCESSES_MAX, HOLDER_PATIENCE},
    reap,
    settings::Settings,
    spawn::Bash,
};

#[cfg(test)]
mod tests;

/// Caches of package managers, from the user's home: a command that fetches packages fills them.
const CACHES: &[&str] = &[
    ".cache",
    ".npm",
    ".yarn",
    ".pnpm-store",
    ".local/share/pnpm",
    ".bun/install/cache",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/.global-cache",
    "go/pkg/mod",
    ".gradle",
    ".m2",
    ".nuget/packages",
    ".composer/cache",
];

/// What a command may reach beyond the tier: existing places, absolute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// It cannot change these.
    pub(crate) held: Vec<PathBuf>,
    /// It cannot read these.
    pub(crate) masked: Vec<PathBuf>,
}

/// The confinement of one command.
#[derive(Clone, Debug)]
pub(crate) enum Confinement {
    /// None: by the settings, or since a person said so for this call.
    Off,
    /// By a launcher.
    By(Box<Plan>),
}

/// Why nothing is confined, and so nothing runs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    /// The launcher did not start.
    #[error("the launcher of commands cannot be started")]
    Launcher(#[source] io::Error),
    /// Less holds than the settings want.
    #[error(
        "{why}; sandbox = \"required\" runs no command without namespaces, which need {needs}; \"best-effort\" takes \
         what this host has"
    )]
    Required {
        /// What is missing.
        why: String,
        /// What helps.
        needs: &'static str,
    },
    /// It did not do its work.
    #[error("commands cannot be confined: {0}")]
    Failed(String),
}

/// The tier of this server.
#[derive(Debug)]
pub(crate) struct Sandbox {
    requirement: Requirement,
    write: Vec<PathBuf>,
    home: Option<PathBuf>,
    tier: Mutex<Tier>,
}

#[derive(Debug)]
enum Tier {
    /// Nobody asked yet.
    Unknown,
    Plain,
    /// In the namespaces that a holder keeps open.
    Namespaces(Holder),
}

/// Who keeps the namespaces open.
#[derive(Clone, Copy, Debug)]
struct Holder {
    /// The process that was started.
    started: i32,
    /// The first process of the PID namespace.
    first: i32,
}

impl Sandbox {
    /// As the settings want it; nothing is started yet.
    pub(crate) fn new(settings: &Settings, home: Option<PathBuf>) -> Self {
        let (requirement, write) = (settings.sandbox, settings.sandbox_write.clone());
        Self { requirement, write, home, tier: Mutex::new(Tier::Unknown) }
    }

    /// Finds the tier that this host has, by a command that does nothing; its words, for receipts.
    ///
    /// # Errors
    /// Less than the settings require, or nothing can be confined at all.
    pub(crate) fn settle(&self, bash: &Bash) -> Result<String, SandboxError> {
        if self.requirement == Requirement::Off {
            return Ok("children: off".to_owned());
        }
        let tried = self.namespaces(bash).and_then(|holder| self.probe(bash, Some(holder)));
        let words = match tried {
            Ok(words) => words,
            Err(error) if self.requirement == Requirement::Required => {
                let why = error.to_string();
                return Err(SandboxError::Required { why, needs: NAMESPACES.needs });
            }
            Err(error) => {
                tracing::warn!(
                    "commands run without namespaces: {error}; they need {}",
                    NAMESPACES.needs
                );
                *self.tier() = Tier::Plain;
                self.probe(bash, None)?
            }
        };
        Ok(format!("children: {words}"))
    }

    /// What a command is held to, but for places inside its folders.
    ///
    /// # Errors
    /// The namespaces ended, and cannot be had again.
    pub(crate) fn of(
        &self,
        bash: &Bash,
        scope: &Scope,
        cwd: &Path,
    ) -> Result<Confinement, SandboxError> {
        if self.requirement == Requirement::Off || scope.sandbox == Level::Off {
            return Ok(Confinement::Off);
        }
        let is_plain = matches!(*self.tier(), Tier::Plain);
        let holder = if is_plain { None } else { Some(self.namespaces(bash)?) };
        Ok(Confinement::By(Box::new(Plan {
            network: scope.sandbox >= Level::Network,
            write: self.writable(scope),
            ..self.plan(holder, cwd)
        })))
    }

    /// Closes places to a command, where the tier can.
    pub(crate) fn close(plan: &mut Plan, reach: Reach) {
        if plan.holder.is_some() {
            (plan.held, plan.masked) = (reach.held, reach.masked);
        }
    }

    fn plan(&self, holder: Option<Holder>, cwd: &Path) -> Plan {
        Plan {
            requirement: self.requirement,
            holder: holder.map(|holder| holder.first),
            cwd: cwd.to_owned(),
            processes: CONFINED_PROCESSES_MAX,
            ..Plan::default()
        }
    }

    /// The folders that a command of this grant may change, without links.
    fn writable(&self, scope: &Scope) -> Vec<PathBuf> {
        if scope.sandbox == Level::ReadOnly {
            return Vec::new();
        }
        let caches = self.home.iter().flat_map(|home| CACHES.iter().map(|cache| home.join(cache)));
        let caches = caches.filter(|_| scope.sandbox >= Level::Network);
        let all = scope.write_roots.iter().chain(&self.write).cloned().chain(caches);
        all.filter_map(|folder| folder.canonicalize().ok()).collect()
    }

    /// The namespaces, made anew if their holder has ended.
    fn namespaces(&self, bash: &Bash) -> Result<Holder, SandboxError> {
        let mut tier = self.tier();
        if let Tier::Namespaces(holder) = *tier
            && reap::started().contains(&holder.started)
        {
            return Ok(holder);
        }
        let (child, report) = bash.hold().map_err(SandboxError::Launcher)?;
        let report = within(report, |report| report.held.is_some() || report.failed.is_some());
        let Some(first) = report.held else {
            let why = report.failed.unwrap_or_else(|| "the launcher ended".to_owned());
            return Err(SandboxError::Failed(why));
        };
        let holder = Holder { started: child.pid, first };
        reap::keep_aside([holder.started, holder.first]);
        *tier = Tier::Namespaces(holder);
        Ok(holder)
    }

    fn probe(&self, bash: &Bash, holder: Option<Holder>) -> Result<String, SandboxError> {
        let plan = self.plan(holder, Path::new("/"));
        let report = bash.probe(&plan).map_err(SandboxError::Launcher)?;
        let report = within(report, |report| report.confined.is_some() || report.failed.is_some());
        let Report { confined, failed, .. } = report;
        confined.ok_or_else(|| {
            SandboxError::Failed(failed.unwrap_or_else(|| "the launcher ended".to_owned()))
        })
    }

    fn tier(&self) -> std::sync::MutexGuard<'_, Tier> {
        self.tier.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a report until it says enough, ends, or the patience does.
fn within(from: OwnedFd, enough: impl Fn(&Report) -> bool) -> Report {
    let deadline = Instant::now() + HOLDER_PATIENCE;
    let mut text = Vec::new();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left == Duration::ZERO {
            break;
        }
        let mut waited = [PollFd::new(&from, PollFlags::IN)];
        match poll(&mut waited, Timespec::try_from(left).ok().as_ref()) {
            Ok(1..) => {}
            // The end of another child interrupts it.
            Err(Errno::INTR) => continue,
            Ok(0) | Err(_) => break,
        }
        let mut piece = [0; 1024];
        match rustix::io::read(&from, &mut piece) {
            Err(Errno::INTR) => continue,
            Ok(0) | Err(_) => break,
            Ok(count) => text.extend_from_slice(piece.get(..count).unwrap_or_default()),
        }
        if enough(&Report::parse(&text)) {
            break;
        }
    }
    Report::parse(&text)
}

impl Confinement {
    /// What held a command that has ended, in words. `by_itself`: nobody stopped it.
    ///
    /// # Errors
    /// It never began.
    pub(crate) fn told(&self, report: Option<&Report>, by_itself: bool) -> io::Result<String> {
        let Self::By(_) = self else { return Ok("off".to_owned()) };
        let report = report.cloned().unwrap_or_default();
        match (report.failed, report.confined) {
            (Some(why), _) => Err(io::Error::other(why)),
            (None, Some(words)) => Ok(words),
            (None, None) if by_itself => {
                Err(io::Error::other("its launcher ended before it had confined it"))
            }
            (None, None) => Ok(String::new()),
        }
    }
}
