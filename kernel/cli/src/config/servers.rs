//! One `[servers.NAME]`: from values to the engine's [`ServerSettings`].

use std::{path::PathBuf, time::Duration};

use tollgate_core::safety::Trust;
use tollgate_engine::settings::{Clocks, LocalListen, Reach, RemoteTls, ServerSettings};

use super::{
    built_in, code,
    error::Fault,
    file,
    programs::Programs,
    sandbox,
    values::{Said, Source, Values},
};

/// The values of one server.
struct Server<'a> {
    values: &'a Values,
    name: &'a str,
}

/// What the engine is told of a server.
///
/// # Errors
/// It cannot be reached as it is configured: what is missing, and what helps.
pub(super) fn resolve(
    values: &Values,
    name: &str,
    programs: &Programs,
) -> Result<ServerSettings, Fault> {
    let server = Server { values, name };
    let trusted = values.text(&server.key("trust")) == Some("trusted");
    Ok(ServerSettings {
        reach: server.reach(programs)?,
        trust: if trusted { Trust::Trusted } else { Trust::Untrusted },
        provenance: built_in::provenance(name),
        settings: server.settings(),
        env: values.list(&server.key("env")),
        model: values.flag(&server.key("model")).unwrap_or(false),
        clocks: server.clocks(),
    })
}

impl Server<'_> {
    fn key(&self, rest: &str) -> String {
        format!("servers.{}.{rest}", self.name)
    }

    fn fault(&self, rest: &str, what: impl Into<String>) -> Fault {
        let start = self.key("");
        let said = self.values.get(&self.key(rest));
        let said = said.or_else(|| {
            self.values.one.iter().find(|(key, _)| key.starts_with(&start)).map(|(_, said)| said)
        });
        let source = said.map_or(Source::Default, |said| said.source.clone());
        Fault { source, key: self.key(rest), what: what.into() }
    }

    fn reach(&self, programs: &Programs) -> Result<Reach, Fault> {
        let command = self.values.get(&self.key("command"));
        let endpoint = self.values.text(&self.key("endpoint"));
        match (command, endpoint) {
            (Some(command), None) => self.local(command, programs),
            (None, Some(endpoint)) => self.remote(endpoint.to_owned()),
            (Some(_), Some(_)) => Err(self.fault(
                "endpoint",
                "stands beside `command`; a server is either started here or reached elsewhere: remove one",
            )),
            (None, None) => Err(self.fault(
                "command",
                "is missing; a server needs `command = [\"PROGRAM\", …]` or `endpoint = \"https://HOST:PORT\"`",
            )),
        }
    }

    fn local(&self, said: &Said, programs: &Programs) -> Result<Reach, Fault> {
        let mut words = self.values.list(&self.key("command")).into_iter();
        let program = words.next().filter(|program| !program.is_empty());
        let program = program
            .ok_or_else(|| self.fault("command", "is empty; its first word is the program"))?;
        for rest in
            ["tls.ca", "tls.cert", "tls.key", "tls.name", "grant_key_file", "grant_key_id", "roots"]
        {
            if self.values.get(&self.key(rest)).is_some() {
                return Err(
                    self.fault(rest, "is for servers with `endpoint`, and this one has `command`")
                );
            }
        }
        let place = match &said.source {
            Source::File { path, .. } if program.contains('/') => file::absolute(&program, path),
            Source::File { .. } | Source::Default | Source::Variable(_) | Source::Flag(_) => {
                program.clone()
            }
        };
        let is_built_in = built_in::PROGRAMS.contains(&program.as_str());
        let program = programs.find(&place, is_built_in).map_err(|missing| {
            let what = format!(
                "the program '{program}' was not found; looked for {missing}. Install it there, set \
                 [servers.{name}] command = [\"/PATH/TO/{program}\"], or do without it: enabled = false",
                name = self.name
            );
            self.fault("command", what)
        })?;
        let listen = match self.values.text(&self.key("listen")) {
            Some("path") => LocalListen::Path,
            _ => LocalListen::Descriptor,
        };
        let warden = self.values.flag(&self.key("warden")).unwrap_or(false);
        Ok(Reach::Local { program, args: words.collect(), listen, warden })
    }

    fn remote(&self, endpoint: String) -> Result<Reach, Fault> {
        let is_plain = endpoint.starts_with("http://");
        if !is_plain && !endpoint.starts_with("https://") {
            return Err(self
                .fault("endpoint", "must begin with https:// (or http:// on a host of your own)"));
        }
        let tls = ["tls.ca", "tls.cert", "tls.key"].map(|rest| self.values.text(&self.key(rest)));
        let tls = match tls {
            [Some(ca), Some(cert), Some(key)] if !is_plain => Some(RemoteTls {
                ca: ca.into(),
                cert: cert.into(),
                key: key.into(),
                name: self.values.text(&self.key("tls.name")).map(str::to_owned),
            }),
            [None, None, None] if is_plain => None,
            _ if is_plain => {
                return Err(self
                    .fault("endpoint", "is http://, and has `tls` all the same; write https://"));
            }
            _ => {
                return Err(self.fault(
                    "tls",
                    "needs `ca`, `cert` and `key`, because the endpoint is https://",
                ));
            }
        };
        let needs = |rest: &str, what: &str| {
            self.values
                .text(&self.key(rest))
                .ok_or_else(|| self.fault(rest, format!("is missing; {what}")))
        };
        let roots: Vec<PathBuf> =
            self.values.list(&self.key("roots")).into_iter().map(PathBuf::from).collect();
        if roots.is_empty() || !roots.iter().all(|root| root.is_absolute()) {
            return Err(
                self.fault("roots", "needs at least one absolute folder on the server's host")
            );
        }
        Ok(Reach::Remote {
            endpoint,
            tls,
            grant_key_file: needs(
                "grant_key_file",
                "a remote server takes only calls that this key signed",
            )?
            .into(),
            grant_key_id: needs("grant_key_id", "it names the key to the server")?.to_owned(),
            roots,
        })
    }

    fn settings(&self) -> serde_json::Value {
        let said = self.values.get(&self.key("settings"));
        let own = said.map_or_else(|| serde_json::json!({}), |said| to_json(&said.value));
        let own = if self.name == code::SERVER { code::settings(self.values, own) } else { own };
        sandbox::settings(self.values, self.name, own)
    }

    fn clocks(&self) -> Clocks {
        let usual = Clocks::default();
        let clock = |name: &str, usual: Duration| {
            self.values.count(&self.key(name)).map_or(usual, Duration::from_millis)
        };
        Clocks {
            hello: clock("clocks.hello_ms", usual.hello),
            start: clock("clocks.start_ms", usual.start),
            idle: clock("clocks.idle_ms", usual.idle),
            call: clock("clocks.call_ms", usual.call),
            grace: clock("clocks.grace_ms", usual.grace),
            heartbeat: clock("clocks.heartbeat_ms", usual.heartbeat),
        }
    }
}

/// A value of a file as JSON: dates become texts, and numbers that JSON has not become null.
pub(crate) fn to_json(value: &toml::Value) -> serde_json::Value {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(flag) => (*flag).into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.iter().map(to_json).collect(),
        toml::Value::Table(table) => {
            table.iter().map(|(name, value)| (name.clone(), to_json(value))).collect()
        }
    }
}
