//! `doctor`: looks at everything that a run needs, and says what to do (`[CLI-08]`).

mod confinement;
mod policy;

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use serde::Serialize;
use tollgate_core::{catalog::Provenance, name::ServerName};
use tollgate_engine::{kernel::Kernel, process, settings::Settings, store::StateDir};

use crate::{
    config::{self, Config, built_in, programs::Programs},
    exit::{Exit, Failure},
    output::{json_pretty, line_out},
    start::{self, Start},
    visible,
};

/// Longest path of a runtime directory, in bytes, that leaves room for
/// `/<8 digits>/<short name>-<number>.sock` within the 100 bytes that the engine allows a socket.
const RUNTIME_PATH_BYTES_MAX: usize = 70;

/// What one look found.
#[derive(Debug, Serialize)]
struct Finding {
    /// What was looked at: "server shell".
    name: String,
    /// It is as it should be.
    ok: bool,
    /// A run fails without it; false: only some runs do.
    needed: bool,
    /// What was found.
    found: String,
    /// What to do; empty: nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    help: String,
}

impl Finding {
    fn good(name: impl Into<String>, found: impl Into<String>) -> Self {
        Self { name: name.into(), ok: true, needed: true, found: found.into(), help: String::new() }
    }

    fn bad(name: impl Into<String>, found: impl Into<String>, help: impl Into<String>) -> Self {
        Self { ok: false, help: help.into(), ..Self::good(name, found) }
    }
}

/// Looks, prints, and ends with 0 if all that is needed is there.
///
/// # Errors
/// Not for what it finds; only if it cannot look at all.
pub(crate) async fn run(start: &Start) -> Result<Exit, Failure> {
    let mut findings = Vec::new();
    match config::load(&start.common, &start::environment) {
        Err(error) => {
            let help = "mend it; `tollgate config path` shows the files";
            findings.extend(
                error.0.iter().map(|fault| Finding::bad("configuration", fault.to_string(), help)),
            );
        }
        Ok(config) => look(&config, &mut findings).await?,
    }
    if start.common.json {
        json_pretty(&findings);
    } else {
        for line in findings.iter().flat_map(|finding| lines(finding, start.output.stdout_paint)) {
            line_out(&line);
        }
    }
    let is_well = findings.iter().all(|finding| finding.ok || !finding.needed);
    Ok(if is_well { Exit::Done } else { Exit::Failed })
}

fn lines(finding: &Finding, paint: crate::output::Paint) -> Vec<String> {
    let line = format!("{}: {}", finding.name, visible::line(&finding.found));
    let mut lines = vec![match (finding.ok, finding.needed) {
        (true, _) => paint.green(&format!("✓ {line}")),
        (false, true) => paint.red(&format!("✗ {line}")),
        (false, false) => paint.yellow(&format!("– {line}")),
    }];
    if !finding.help.is_empty() {
        lines.push(format!("  → {}", visible::line(&finding.help)));
    }
    lines
}

async fn look(config: &Config, findings: &mut Vec<Finding>) -> Result<(), Failure> {
    let read: Vec<_> = config.files.iter().filter(|(_, is_there)| *is_there).collect();
    let read = match read.as_slice() {
        [] => "no files, all values are built in".to_owned(),
        files => {
            files.iter().map(|(file, _)| file.display().to_string()).collect::<Vec<_>>().join(", ")
        }
    };
    findings.push(Finding::good("configuration", read));
    for note in &config.notes {
        findings.push(Finding { needed: false, ..Finding::bad("configuration", note, "") });
    }
    findings.push(state(&config.places.engine.state));
    findings.push(runtime(config.places.engine.runtime.as_deref()));
    findings.push(model(config));
    policy::look(config, findings);
    let executable = start::executable()?;
    let (settings, faults) =
        config::settings(config, &executable, &Programs::of_process(&executable));
    for fault in faults {
        let name = format!("server {}", fault.server);
        findings.push(Finding::bad(name, fault.fault.to_string(), ""));
    }
    servers(config, settings, findings).await;
    Ok(())
}

/// Asks every server for its manifest; each is started once.
async fn servers(config: &Config, settings: Settings, findings: &mut Vec<Finding>) {
    let names: Vec<ServerName> = settings.servers.keys().cloned().collect();
    let kernel =
        match Kernel::start(settings, &config.places.engine, vec![config.workspace.clone()]) {
            Ok(kernel) => kernel,
            Err(error) => {
                let found = Failure::from(error).chain();
                return findings.push(Finding::bad("kernel", found, "see the lines above"));
            }
        };
    let mut confined = Vec::new();
    for name in names {
        let finding = match kernel.describe(&name).await {
            Ok((described, connection)) => {
                let facts = described.facts();
                if built_in::provenance(name.as_str()) == Provenance::Builtin {
                    let mode = config::sandbox::mode(&config.values);
                    let words = connection.confinement();
                    confined.extend(confinement::look(name.as_str(), words, mode));
                }
                let confinement = match connection.confinement() {
                    "" => "not confined",
                    confinement => confinement,
                };
                let found = format!(
                    "{} {} answers, {} tools, {confinement}",
                    facts.name,
                    facts.version,
                    described.tools.len()
                );
                Finding::good(format!("server {name}"), found)
            }
            Err(error) => {
                let found = Failure::new(Exit::Unavailable, error).chain();
                let help = format!("`tollgate servers logs {name}` shows what it said");
                Finding::bad(format!("server {name}"), found, help)
            }
        };
        findings.push(finding);
    }
    findings.extend(confined);
    kernel.stop().await;
}

fn state(path: &Path) -> Finding {
    let name = "state";
    let opened = StateDir::open(path).map_err(|error| error.to_string()).and_then(|state| {
        tempfile::tempfile_in(state.root())
            .map_err(|error| format!("{}: cannot write: {error}", path.display()))
    });
    let mode = fs::metadata(path).map(|found| found.permissions().mode() & 0o777);
    match (opened, mode) {
        (Ok(_), Ok(0o700)) => {
            Finding::good(name, format!("{}, private and writable", path.display()))
        }
        (Ok(_), Ok(mode)) => Finding {
            needed: false,
            ..Finding::bad(
                name,
                format!("{} has mode {mode:04o}: others may look in", path.display()),
                format!("chmod 700 {}", path.display()),
            )
        },
        (Ok(_), Err(error)) => {
            Finding::bad(name, format!("{}: {error}", path.display()), "check the disk")
        }
        (Err(why), _) => Finding::bad(
            name,
            why,
            "set TOLLGATE_HOME to a folder of your own on a disk with space",
        ),
    }
}

fn runtime(below: Option<&Path>) -> Finding {
    let path = process::runtime_home(below);
    let bytes = path.as_os_str().len();
    if bytes > RUNTIME_PATH_BYTES_MAX {
        let found = format!(
            "{} has {bytes} bytes, and sockets need it to have at most {RUNTIME_PATH_BYTES_MAX}",
            path.display()
        );
        return Finding::bad(
            "runtime",
            found,
            "set XDG_RUNTIME_DIR or TOLLGATE_HOME to a shorter folder",
        );
    }
    Finding::good("runtime", path.display().to_string())
}

fn model(config: &Config) -> Finding {
    let name = "model";
    let Some(said) = config.values.get("model") else {
        return Finding {
            needed: false,
            ..Finding::bad(
                name,
                "none was chosen",
                "for exec: --model, TOLLGATE_MODEL or `model` in config.toml; `tollgate demo` needs none",
            )
        };
    };
    let model = said.value.as_str().unwrap_or_default();
    let found = format!("{model} ({})", said.source);
    if let Some(script) = model.strip_prefix("script:") {
        return if Path::new(script).is_file() {
            Finding::good(name, found)
        } else {
            Finding::bad(name, format!("{found}: there is no such file"), "check the path")
        };
    }
    let settings = config.values.get("servers.model.settings");
    let is_openai = match model.split_once(':') {
        Some((provider, _)) => provider == "openai",
        None => settings.is_none(),
    };
    let is_own = settings.and_then(|said| said.value.get("providers")?.get("openai")).is_some();
    let is_set = |name| start::environment(name).is_some_and(|value| !value.is_empty());
    if is_openai && !is_own && !is_set("OPENAI_API_KEY") && !is_set("OPENAI_BASE_URL") {
        return Finding::bad(
            name,
            format!("{found}: OPENAI_API_KEY is not set"),
            "set it, or set OPENAI_BASE_URL to a server of your own",
        );
    }
    Finding::good(name, found)
}
