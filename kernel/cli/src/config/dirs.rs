//! Where Tollgate keeps what (`[CLI-06]`): by `TOLLGATE_HOME`, else by the XDG variables.
//!
//! Invariant: all are absolute, whatever the variables say.

use std::path::{Path, PathBuf};

use tollgate_engine::kernel::Dirs;

use super::ConfigError;

/// Where things are kept.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The user's configuration.
    pub(crate) config: PathBuf,
    /// What the engine is told.
    pub(crate) engine: Dirs,
    /// The home folder, for `~/`.
    pub(crate) home: Option<PathBuf>,
    /// More managed policy, by `TOLLGATE_MANAGED`.
    pub(crate) managed: Vec<PathBuf>,
}

/// Looks a variable of the environment up.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The directories; nothing is made.
///
/// # Errors
/// Neither `TOLLGATE_HOME` nor a home directory is known.
pub(crate) fn places(environment: Environment<'_>) -> Result<Places, ConfigError> {
    let set = |name: &str| environment(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("HOME").or_else(std::env::home_dir).filter(|path| path.is_absolute());
    let managed = environment("TOLLGATE_MANAGED").unwrap_or_default();
    let managed = std::env::split_paths(&managed).filter(|path| !path.as_os_str().is_empty());
    let managed = managed.map(|path| std::path::absolute(&path).unwrap_or(path)).collect();
    if let Some(one) = set("TOLLGATE_HOME") {
        let one = std::path::absolute(&one).unwrap_or(one);
        return Ok(Places { home, managed, ..below_one(&one) });
    }
    // By the XDG specification a relative path counts as none.
    let xdg = |name: &str| set(name).filter(|path| path.is_absolute());
    let below = |name: &str, usual: &str| {
        let base = xdg(name).or_else(|| Some(home.as_ref()?.join(usual)));
        base.map(|base| base.join("tollgate")).ok_or_else(|| {
            ConfigError::of(format!(
                "no home directory is known, so there is no place for what {name} names; set HOME or TOLLGATE_HOME"
            ))
        })
    };
    let engine = Dirs {
        state: below("XDG_STATE_HOME", ".local/state")?,
        cache: below("XDG_CACHE_HOME", ".cache")?,
        // The engine knows the usual place.
        runtime: None,
    };
    Ok(Places { config: below("XDG_CONFIG_HOME", ".config")?, engine, home, managed })
}

/// All directories below one.
pub(crate) fn below_one(home: &Path) -> Places {
    let engine = Dirs {
        state: home.join("state"),
        cache: home.join("cache"),
        runtime: Some(home.join("run")),
    };
    Places { config: home.join("config"), engine, home: None, managed: Vec::new() }
}

/// The user's file.
pub(crate) fn user_file(places: &Places) -> PathBuf {
    places.config.join("config.toml")
}

/// The project's file.
pub(crate) fn project_file(workspace: &Path) -> PathBuf {
    workspace.join(".tollgate").join("config.toml")
}
