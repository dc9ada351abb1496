//! `config show|path|check|schema`.

use serde_json::json;
use toml::Value;

use crate::{
    args::{ConfigCommand, SchemaOf},
    config::{
        self, Config,
        keys::{self, Found},
    },
    exit::{Exit, Failure},
    output::{json_pretty, line_out, write_out},
    start::{self, Start},
    text, visible,
};

mod check;

/// The JSON Schema of the lines of `--output-format stream-json` (`[CLI-02]`).
pub(crate) const EVENTS_SCHEMA: &str = include_str!("config/events.schema.json");

#[cfg(test)]
mod tests;

/// Runs the command.
///
/// # Errors
/// The configuration has mistakes.
pub(crate) async fn run(start: &Start, command: &ConfigCommand) -> Result<Exit, Failure> {
    match command {
        ConfigCommand::Show => show(start, &start.config()?),
        ConfigCommand::Path => path(start)?,
        ConfigCommand::Check => check::run(start).await?,
        ConfigCommand::Schema { what: SchemaOf::Events } => write_out(EVENTS_SCHEMA.as_bytes()),
    }
    Ok(Exit::Done)
}

fn show(start: &Start, config: &Config) {
    if start.common.json {
        let values = config.values.one.iter().map(|(key, said)| {
            let value = config::to_json(&hidden(key, &said.value));
            let path: Vec<&str> = key.split('.').collect();
            let meaning = match keys::find(&path) {
                Found::Key(key) => key.meaning,
                Found::Table | Found::Unknown(_) => "",
            };
            let source = said.source.to_string();
            (key.clone(), json!({ "value": value, "source": source, "meaning": meaning }))
        });
        return json_pretty(&values.collect::<serde_json::Map<_, _>>());
    }
    let rows = config.values.all().map(|(key, said)| {
        let value = visible::line(&hidden(key, &said.value).to_string());
        vec![key.clone(), value, visible::line(&said.source.to_string())]
    });
    let mut rows: Vec<_> = rows.collect();
    if config.values.get("model").is_none() {
        rows.insert(0, ["model", "(none)", "nobody said"].map(str::to_owned).to_vec());
    }
    // Values are data for other programs too: never cut.
    for line in text::table(&["KEY", "VALUE", "SOURCE"], &rows, usize::MAX) {
        line_out(&line);
    }
}

/// The value without what may be secret: headers of providers are.
fn hidden(key: &str, value: &Value) -> Value {
    fn hide(value: &mut Value, is_secret: bool) {
        match value {
            Value::Table(table) => {
                for (name, value) in table.iter_mut() {
                    hide(value, is_secret || name == "headers");
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| hide(item, is_secret)),
            _ if is_secret => *value = Value::String("(hidden)".to_owned()),
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_) => {}
        }
    }
    let mut value = value.clone();
    if key.ends_with(".settings") {
        hide(&mut value, false);
    }
    value
}

/// Also when the files have mistakes: they must be found to be mended.
fn path(start: &Start) -> Result<(), Failure> {
    let places = config::dirs::places(&start::environment)?;
    let workspace = start.common.workspace.clone().unwrap_or_else(|| ".".into());
    let workspace = workspace.canonicalize().unwrap_or(workspace);
    let user = config::dirs::user_file(&places);
    let project = config::dirs::project_file(&workspace);
    let runtime = tollgate_engine::process::runtime_home(places.engine.runtime.as_deref());
    let policy = config::policy::places(&places);
    let law = config::policy::law(&workspace);
    let mut paths = vec![
        ("user", &user),
        ("permissions", &policy.permissions),
        ("hooks", &policy.hooks),
        ("project", &project),
        ("law", &law),
        ("trust", &policy.trust),
        ("state", &places.engine.state),
        ("cache", &places.engine.cache),
        ("runtime", &runtime),
    ];
    if start.common.json {
        let paths = paths.into_iter().map(|(name, path)| (name.to_owned(), json!(path)));
        let managed = ("managed".to_owned(), json!(policy.managed));
        json_pretty(&paths.chain([managed]).collect::<serde_json::Map<_, _>>());
        return Ok(());
    }
    paths.extend(policy.managed.iter().map(|file| ("managed", file)));
    for (name, path) in paths {
        let absent = if path.exists() { "" } else { "  (not there)" };
        line_out(&format!("{name:<11} {}{absent}", path.display()));
    }
    Ok(())
}
