//! The mock of a provider: `tests/peers/mockmodel.py`, OpenAI Chat Completions on loopback.

use std::fs;

use serde_json::Value;

use crate::{
    binaries::workspace_root,
    eventually::eventually,
    python,
    run::Running,
    world::{World, text},
};

/// A running mock; ended when dropped.
#[derive(Debug)]
pub struct Mock {
    _process: Running,
    port: u16,
}

impl Mock {
    /// Starts it with a scenario; `options` as `--fault 429-once`.
    #[must_use]
    pub fn start(world: &World, scenario: &Value, options: &[&str]) -> Self {
        let (file, port_file) = (world.beside("scenario.json"), world.beside("port"));
        fs::write(&file, scenario.to_string()).expect("a scenario can be written");
        let process = python::command()
            .args([text(&workspace_root().join("tests/peers/mockmodel.py"))])
            .args(["--scenario", &text(&file), "--port-file", &text(&port_file)])
            .args(["--record", &text(&world.beside("requests"))])
            .args(options)
            .spawn();
        let port = eventually("the mock listens", || {
            fs::read_to_string(&port_file).ok()?.trim().parse().ok()
        });
        Self { _process: process, port }
    }

    /// The lines of the configuration that reach it, as provider `mock`.
    #[must_use]
    pub fn config(&self) -> String {
        let port = self.port;
        format!(
            "[servers.model.settings.providers.mock]\nbase_url = \"http://127.0.0.1:{port}/v1\"\n"
        )
    }

    /// The requests that it got, a line each.
    #[must_use]
    pub fn requests(&self, world: &World) -> Vec<Value> {
        let log = fs::read_to_string(world.beside("requests/log.jsonl")).unwrap_or_default();
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}
