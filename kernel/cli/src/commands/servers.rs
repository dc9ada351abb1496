//! `servers list|describe|logs|stop|restart`.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::Path,
};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tollgate_core::{
    catalog::Provenance,
    name::{ServerName, nearest},
};
use tollgate_engine::{
    grant_key,
    process::{self, Record},
    servers::{ServerState, ServerView},
};

use crate::{
    args::Servers,
    config::Config,
    exit::{Exit, Failure},
    limits::{LOG_BYTES_MAX, STOP_LOOK, STOP_MAX},
    output::{json_pretty, line_err, line_out},
    start::Start,
    text, visible,
};

/// Runs the command.
///
/// # Errors
/// There is no such server, or it cannot be had.
pub(crate) async fn run(start: &Start, command: &Servers) -> Result<Exit, Failure> {
    let config = start.config()?;
    match command {
        Servers::List => list(start, &config),
        Servers::Describe { name } => describe(start, &config, name).await,
        Servers::Logs { name, lines } => logs(start, &config, name, *lines),
        Servers::Stop { name } => stop(&config, name, "stopped").await,
        Servers::GrantKey { file, id } => {
            let line = grant_key::line(file, id)
                .map_err(|error| Failure::new(Exit::Usage, anyhow::Error::new(error)))?;
            line_out(&line);
            Ok(Exit::Done)
        }
        Servers::Restart { name } => {
            let runtime = config.places.engine.runtime.as_deref();
            process::forgive(runtime, known(&config, name)?.as_str())
                .map_err(|error| Failure::new(Exit::Failed, anyhow::Error::new(error)))?;
            stop(&config, name, "stopped; the next call starts it anew").await
        }
    }
}

fn list(start: &Start, config: &Config) -> Result<Exit, Failure> {
    let views = start.kernel(config)?.servers();
    let running = process::running(config.places.engine.runtime.as_deref());
    let of = |view: &ServerView| -> Vec<&Record> {
        running.iter().filter(|record| record.server == view.name.as_str()).collect()
    };
    if start.common.json {
        json_pretty(&views.iter().map(|view| view_json(view, &of(view))).collect::<Vec<_>>());
        return Ok(Exit::Done);
    }
    let row = |view: &ServerView| {
        let pids: Vec<_> = of(view).iter().map(|record| record.pid.to_string()).collect();
        let state = match &view.state {
            ServerState::Quarantined { reason } => {
                format!("quarantined: {}", visible::line(reason))
            }
            ServerState::Idle | ServerState::Running { .. } if pids.is_empty() => "idle".to_owned(),
            ServerState::Idle | ServerState::Running { .. } => {
                format!("running, pid {}", pids.join(", "))
            }
        };
        let serves = if view.model { "models" } else { "tools" };
        let trust = format!("{:?}", view.trust).to_lowercase();
        vec![view.name.to_string(), state, trust, serves.to_owned(), visible::line(&view.reach)]
    };
    let rows: Vec<_> = views.iter().map(row).collect();
    let columns = if start.output.stdout_is_terminal { start.output.columns } else { usize::MAX };
    for line in text::table(&["SERVER", "STATE", "TRUST", "SERVES", "REACHED BY"], &rows, columns) {
        line_out(&line);
    }
    Ok(Exit::Done)
}

fn view_json(view: &ServerView, running: &[&Record]) -> Value {
    let mut value = serde_json::to_value(view).unwrap_or_default();
    let processes = running.iter().map(
        |record| json!({ "pid": record.pid, "instance": record.instance, "kernel": record.kernel }),
    );
    if let Some(object) = value.as_object_mut() {
        if !running.is_empty() {
            object.insert("state".to_owned(), "running".into());
        }
        object.insert("processes".to_owned(), processes.collect());
    }
    value
}

async fn describe(start: &Start, config: &Config, name: &str) -> Result<Exit, Failure> {
    let server = known(config, name)?;
    let kernel = start.kernel(config)?;
    let described = kernel.describe(&server).await;
    let trust =
        kernel.servers().into_iter().find(|view| view.name == server).map(|view| view.trust);
    let answer = described.and_then(|(described, connection)| {
        let facts = described.facts();
        let tools = described.entries(&server, trust.unwrap_or_default(), Provenance::Plugin)?;
        let tools = tools.iter().map(|entry| {
            json!({
                "name": entry.name,
                "title": entry.title,
                "exposure": entry.exposure,
                "safety": entry.safety,
                "requirements": entry.requirements,
            })
        });
        Ok(json!({
            "server": server,
            "name": facts.name,
            "version": facts.version,
            "build_sha256": facts.build_sha256,
            "manifest_sha256": described.digest(),
            "instance": connection.instance(),
            "host": connection.host(),
            "confinement": connection.confinement(),
            "trust": trust,
            "notes": described.manifest.notes,
            "tools": tools.collect::<Vec<_>>(),
        }))
    });
    kernel.stop().await;
    let answer = answer.map_err(|error| {
        let error =
            anyhow::Error::new(error).context(format!("server '{server}' is not available"));
        Failure::new(Exit::Unavailable, error)
    })?;
    if start.common.json {
        json_pretty(&answer);
    } else {
        print_described(&answer);
    }
    Ok(Exit::Done)
}

fn print_described(answer: &Value) {
    let word = |value: &Value| match value {
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => visible::line(text),
        Value::Null => "unknown".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            visible::line(&value.to_string())
        }
    };
    for name in [
        "server",
        "name",
        "version",
        "build_sha256",
        "manifest_sha256",
        "instance",
        "host",
        "confinement",
        "trust",
    ] {
        line_out(&format!("{name:<16} {}", word(answer.get(name).unwrap_or(&Value::Null))));
    }
    for note in answer.get("notes").and_then(Value::as_array).into_iter().flatten() {
        line_out(&format!("{:<16} {}", "note", word(note)));
    }
    let tools = answer.get("tools").and_then(Value::as_array);
    for tool in tools.into_iter().flatten() {
        let name = word(tool.get("name").unwrap_or(&Value::Null));
        let title = word(tool.get("title").unwrap_or(&Value::Null));
        line_out(&format!("{:<16} {name} ({title})", "tool"));
    }
}

fn logs(start: &Start, config: &Config, name: &str, lines: usize) -> Result<Exit, Failure> {
    let server = known(config, name)?;
    let path = start.store()?.logs().join(format!("{server}.log"));
    let text = match tail(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            line_err(&format!("server '{server}' has logged nothing yet ({})", path.display()));
            return Ok(Exit::Done);
        }
        Err(error) => {
            let error =
                anyhow::Error::new(error).context(format!("cannot read {}", path.display()));
            return Err(Failure::new(Exit::Failed, error));
        }
    };
    if text.is_empty() {
        line_err(&format!("server '{server}' has logged nothing yet ({})", path.display()));
    }
    let all: Vec<&str> = text.lines().collect();
    for line in all.get(all.len().saturating_sub(lines)..).unwrap_or_default() {
        line_out(&visible::lines(line));
    }
    Ok(Exit::Done)
}

/// The end of a file as text.
fn tail(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    file.seek(SeekFrom::Start(bytes.saturating_sub(LOG_BYTES_MAX)))?;
    let mut text = Vec::new();
    file.take(LOG_BYTES_MAX).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

async fn stop(config: &Config, name: &str, done: &str) -> Result<Exit, Failure> {
    let server = known(config, name)?;
    let mut running = process::running(config.places.engine.runtime.as_deref());
    running.retain(|record| record.server == server.as_str());
    if running.is_empty() {
        line_err(&format!("server '{server}' runs in no kernel of this user"));
        return Ok(Exit::Done);
    }
    for record in &running {
        record.terminate().map_err(|error| {
            let error =
                anyhow::Error::new(error).context(format!("cannot end process {}", record.pid));
            Failure::new(Exit::Failed, error)
        })?;
    }
    let until = Instant::now() + STOP_MAX;
    while running.iter().any(Record::is_running) && Instant::now() < until {
        sleep(STOP_LOOK).await;
    }
    let mut exit = Exit::Done;
    for record in &running {
        if record.is_running() {
            line_err(&format!("process {} still runs; it may be finishing a call", record.pid));
            exit = Exit::Failed;
        } else {
            line_err(&format!("{server}, process {}: {done}", record.pid));
        }
    }
    Ok(exit)
}

/// The name of a configured server.
fn known(config: &Config, name: &str) -> Result<ServerName, Failure> {
    let names = config.values.servers();
    if names.contains(&name)
        && let Ok(server) = ServerName::try_from(name)
    {
        return Ok(server);
    }
    let hint = match nearest(name, names.iter().copied()).as_slice() {
        [] => format!("configured are {}", names.join(", ")),
        near => format!("did you mean {}?", near.join(", ")),
    };
    Err(Failure::usage(format!("there is no server '{}'; {hint}", visible::line(name))))
}
