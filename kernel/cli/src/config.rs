//! The configuration (`[CLI-06]`): layers of values, each value knowing where it was said.
//!
//! Later layers win:
//!
//! | # | layer | may |
//! |---|---|---|
//! | 1 | built in ([`built_in`]) | – |
//! | 2 | the user's `config.toml` | set every key |
//! | 3 | the project's `.tollgate/config.toml` | tighten, nothing else ([`project`]) |
//! | 4 | `--config FILE` | set every key |
//! | 5 | `TOLLGATE_MODEL`, `TOLLGATE_MODE`, `TOLLGATE_POSTURE` | – |
//! | 6 | options of the command line | – |
//!
//! Lists of what is forbidden or asked for add up over all layers.
//!
//! Invariants: nothing that was said is ignored; every value is of its key's kind, whoever said it.
//!
//! Not here: what the engine does with it ([`Settings`](tollgate_engine::settings::Settings)).

pub(crate) mod built_in;
mod code;
pub(crate) mod dirs;
mod error;
mod file;
pub(crate) mod keys;
pub(crate) mod policy;
pub(crate) mod programs;
pub(crate) mod project;
mod resolve;
pub(crate) mod sandbox;
mod servers;
mod values;

use std::path::{Path, PathBuf};

pub(crate) use dirs::{Environment, Places};
pub(crate) use error::ConfigError;
pub(crate) use resolve::{no_faults, settings, stance, surface};
pub(crate) use servers::to_json;
pub(crate) use values::{Source, Values};

use tollgate_policy::Extra;

use crate::args::Common;

#[cfg(test)]
mod tests;

/// What the configuration says, before programs are looked for.
#[derive(Debug)]
pub(crate) struct Config {
    /// All values.
    pub(crate) values: Values,
    /// Where things are kept.
    pub(crate) places: Places,
    /// The folder to work in, absolute.
    pub(crate) workspace: PathBuf,
    /// Other folders that tools may use, absolute.
    pub(crate) add_dirs: Vec<PathBuf>,
    /// The files that may say something, and whether they are there.
    pub(crate) files: Vec<(PathBuf, bool)>,
    /// Sentences for people: what was said and does not count.
    pub(crate) notes: Vec<String>,
    /// What options and files add to the policy files.
    pub(crate) extra: Extra,
}

/// Reads all layers.
///
/// # Errors
/// Every mistake of the first layer that has any.
pub(crate) fn load(common: &Common, environment: Environment<'_>) -> Result<Config, ConfigError> {
    let places = dirs::places(environment)?;
    let workspace = folder(common.workspace.as_deref().unwrap_or(Path::new(".")), "--workspace")?;
    let add_dirs = common.add_dir.iter().map(|path| folder(path, "--add-dir"));
    let add_dirs = add_dirs.collect::<Result<_, _>>()?;
    let mut config = Config {
        values: built_in::values(),
        places,
        workspace,
        add_dirs,
        files: Vec::new(),
        notes: Vec::new(),
        extra: Extra::default(),
    };
    let user = dirs::user_file(&config.places);
    if let Some(layer) = config.read(user)? {
        config.values.lay(layer);
    }
    let project = dirs::project_file(&config.workspace);
    if let Some(layer) = config.read(project)? {
        config.notes.extend(project::tighten(&mut config.values, layer)?);
    }
    if let Some(given) = &common.config {
        let given = std::path::absolute(given).unwrap_or_else(|_| given.clone());
        let layer = config.read(given.clone())?;
        let layer = layer.ok_or_else(|| {
            ConfigError::of_file(given, "--config names a file that is not there")
        })?;
        config.values.lay(layer);
    }
    config.values.lay(variables(environment)?);
    config.values.lay(flags(common));
    code::check(&config.values)?;
    config.make_model_absolute();
    config.extra = policy::extra(&config, common)?;
    Ok(config)
}

impl Config {
    /// What tools may work in, the workspace first.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        std::iter::once(&self.workspace).chain(&self.add_dirs).cloned().collect()
    }

    fn read(&mut self, path: PathBuf) -> Result<Option<Values>, ConfigError> {
        let layer = file::read(&path)?;
        self.files.push((path, layer.is_some()));
        Ok(layer)
    }

    /// The file of `script:FILE` begins where it was said: at the configuration file, or here.
    fn make_model_absolute(&mut self) {
        let Some(said) = self.values.get("model") else { return };
        let Some(script) = said.value.as_str().and_then(|model| model.strip_prefix("script:"))
        else {
            return;
        };
        let script = match &said.source {
            Source::File { path, .. } => file::absolute(script, path),
            Source::Default | Source::Variable(_) | Source::Flag(_) => std::path::absolute(script)
                .map_or_else(|_| script.to_owned(), |path| path.to_string_lossy().into_owned()),
        };
        let source = said.source.clone();
        self.values.set("model", format!("script:{script}"), source);
    }
}

/// A folder of the command line, absolute and without symbolic links.
fn folder(path: &Path, flag: &'static str) -> Result<PathBuf, ConfigError> {
    let failed = |why: String| ConfigError::of(format!("{flag} {}: {why}", path.display()));
    let found = path.canonicalize().map_err(|error| failed(error.to_string()))?;
    if !found.is_dir() {
        return Err(failed("is no folder".to_owned()));
    }
    Ok(found)
}

/// The layer of environment variables.
fn variables(environment: Environment<'_>) -> Result<Values, ConfigError> {
    let mut values = Values::default();
    let mut faults = Vec::new();
    let known =
        [("TOLLGATE_MODEL", "model"), ("TOLLGATE_MODE", "mode"), ("TOLLGATE_POSTURE", "posture")];
    for (name, path) in known {
        let Some(text) = environment(name).filter(|text| !text.is_empty()) else { continue };
        let keys::Found::Key(key) = keys::find(&[path]) else { continue };
        match file::checked(key.kind, &text.into(), Path::new("/")) {
            Ok(value) => values.set(path, value, Source::Variable(name)),
            Err(what) => {
                let source = Source::Variable(name);
                faults.push(error::Fault { source, key: String::new(), what });
            }
        }
    }
    if faults.is_empty() { Ok(values) } else { Err(ConfigError(faults)) }
}

/// The layer of options; clap has checked them.
fn flags(common: &Common) -> Values {
    use tollgate_core::stance::{Mode, Posture};
    let mut values = Values::default();
    if let Some(model) = &common.model {
        values.set("model", model.as_str(), Source::Flag("--model"));
    }
    if let Some(surface) = &common.surface {
        values.set("tools.surface", surface.as_str(), Source::Flag("--surface"));
    }
    if let Some(mode) = common.mode {
        values.set("mode", Mode::from(mode).as_str(), Source::Flag("--mode"));
    }
    if let Some(posture) = common.posture {
        values.set("posture", Posture::from(posture).as_str(), Source::Flag("--posture"));
    }
    values
}
