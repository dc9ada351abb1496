//! Tool server for language models: `tollgate.model.v1.Model` towards the kernel, HTTP towards
//! providers [MODEL-01]. It has no tools.
//!
//! In reading order: `service.rs` (grants), `models.rs` (names), `request.rs` (the neutral
//! request), `chat.rs` and its folder (OpenAI Chat Completions), `script.rs` and `replay.rs` (no
//! network), `answer.rs` and `event.rs` (the way back), `failure.rs`, `retry.rs`, `http.rs`,
//! `settings.rs`, `held.rs` (confinement), `limits.rs`.
//!
//! Not here: the turn loop, what a call means, whether its arguments are valid (the kernel).

use anyhow::anyhow;
use tollgate_confine::server::confine;
use tollgate_proto::model::v1::model_server::ModelServer;
use tollgate_sdk::Server;

mod answer;
mod chat;
mod event;
mod failure;
mod held;
mod http;
mod limits;
mod models;
mod nearest;
mod replay;
mod request;
mod retry;
mod script;
mod service;
mod settings;

use models::Models;
use service::ModelService;
use settings::Settings;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = Server::start("model", env!("CARGO_PKG_VERSION"))?;
    let settings: Settings = server.settings()?;
    let plan = held::plan(settings.sandbox, settings.scripts.unwrap_or(true))?;
    let environment = |name: &str| std::env::var(name).ok();
    let providers =
        settings.resolve(&environment).map_err(|why| anyhow!("the settings are wrong: {why}"))?;
    let service = ModelServer::new(ModelService::new(server.gate(), Models::new(providers)))
        .max_decoding_message_size(limits::MESSAGE_BYTES_MAX);
    Ok(server.service(service).confined(move || confine(&plan)).serve().await?)
}
