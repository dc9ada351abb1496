//! No model was chosen (`[MODEL-06]`): what was looked at, and what helps.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use crate::{
    config::Config,
    exit::{Exit, Failure},
    limits::PROBE_MAX,
};

/// Model servers that people run on their own host, by the port that they listen on.
const LOCAL: [(&str, u16); 4] =
    [("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080), ("vLLM", 8000)];

/// The failure of a turn without a model.
pub(super) fn failure(config: &Config) -> Failure {
    let files: Vec<_> = config
        .files
        .iter()
        .map(|(file, is_there)| {
            format!("{}{}", file.display(), if *is_there { "" } else { " (not there)" })
        })
        .collect();
    let has_key = crate::start::environment("OPENAI_API_KEY").is_some_and(|key| !key.is_empty());
    let key = if has_key {
        "OPENAI_API_KEY is set, so `--model openai:NAME` can work"
    } else {
        "OPENAI_API_KEY is not set"
    };
    let found: Vec<_> = LOCAL.iter().filter(|(_, port)| listens(*port)).collect();
    let local = match found.as_slice() {
        [] => "no local model server answers (Ollama, LM Studio, llama.cpp, vLLM)".to_owned(),
        found => found
            .iter()
            .map(|(name, port)| {
                format!(
                    "something listens on {port}, the port of {name}: \
                     OPENAI_BASE_URL=http://127.0.0.1:{port}/v1 tollgate exec --model NAME …"
                )
            })
            .collect::<Vec<_>>()
            .join("; "),
    };
    let message = format!(
        "no model was chosen: looked at --model, TOLLGATE_MODEL, and `model` in {}; {key}; {local}. \
         Choose one with --model, or see a whole run without any: tollgate demo",
        files.join(" and ")
    );
    Failure::new(Exit::Usage, anyhow::Error::msg(message))
}

/// Whether something listens on a port of this host.
pub(super) fn listens(port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, PROBE_MAX).is_ok()
}
