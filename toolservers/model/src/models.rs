//! The models that this server reaches, by name.
//!
//! | name            | answered by                          |
//! |-----------------|--------------------------------------|
//! | `script:FILE`   | `script.rs`, FILE an absolute path   |
//! | `replay:FILE`   | `replay.rs`, FILE an absolute path   |
//! | `PROVIDER:NAME` | `chat.rs`, a configured provider     |
//! | `NAME`          | `chat.rs`, the default provider      |
//!
//! Not here: grants and the wire (`service.rs`).

use std::path::PathBuf;
use std::sync::Arc;

use tollgate_proto::model::v1::ModelSpec;

use crate::answer::Events;
use crate::event::{Finished, Outlet};
use crate::failure::Failure;
use crate::http::Http;
use crate::request::Request;
use crate::settings::{Provider, Providers};
use crate::{chat, replay, script};

#[cfg(test)]
pub(crate) mod tests;

/// Everything that a name may mean.
#[derive(Debug)]
pub(crate) struct Models {
    providers: Providers,
    http: Http,
}

/// What a name means.
#[derive(Debug)]
enum Model {
    Script(PathBuf),
    Replay(PathBuf),
    Chat(Box<Provider>, String),
}

impl Models {
    /// The built-in models and these providers.
    pub(crate) fn new(providers: Providers) -> Self {
        Self { providers, http: Http::default() }
    }

    /// What can be asked for.
    pub(crate) fn list(&self) -> Vec<ModelSpec> {
        let spec = |name: String, unusable: Option<&Failure>| ModelSpec {
            name,
            context_tokens: 0,
            available: unusable.is_none(),
            reason: unusable.map(|failure| failure.message.clone()).unwrap_or_default(),
        };
        let built_in = ["script:FILE", "replay:SESSION"].map(|name| spec(name.to_owned(), None));
        let provided = self
            .providers
            .list()
            .into_iter()
            .map(|(name, unusable)| spec(format!("{name}:NAME"), unusable));
        built_in.into_iter().chain(provided).collect()
    }

    /// Begins to answer a request.
    pub(crate) fn answer(self: Arc<Self>, model: &str, request: Request) -> Events {
        let model = self.find(model);
        let secrets = match &model {
            Ok(Model::Chat(provider, _)) => provider.secrets.clone(),
            Ok(Model::Script(_) | Model::Replay(_)) | Err(_) => Vec::new(),
        };
        Events::start(secrets, |mut outlet| async move {
            let answer = match model {
                Ok(model) => self.ask(model, &request, &mut outlet).await,
                Err(failure) => Err(failure),
            };
            if let Err(failure) = &answer {
                tracing::info!(class = ?failure.class, "a request has no answer");
            }
            outlet.end(answer).await;
        })
    }

    fn find(&self, model: &str) -> Result<Model, Failure> {
        if let Some(path) = model.strip_prefix("script:") {
            return Ok(Model::Script(path.into()));
        }
        if let Some(path) = model.strip_prefix("replay:") {
            return Ok(Model::Replay(path.into()));
        }
        let (provider, name) = self.providers.find_by_model(model)?;
        Ok(Model::Chat(Box::new(provider.clone()), name.to_owned()))
    }

    async fn ask(
        &self,
        model: Model,
        request: &Request,
        outlet: &mut Outlet,
    ) -> Result<Finished, Failure> {
        match model {
            Model::Script(path) => script::play::generate(path, request, outlet).await,
            Model::Replay(path) => replay::generate(path, request, outlet).await,
            Model::Chat(provider, name) => {
                chat::generate(&self.http, &provider, &name, request, outlet).await
            }
        }
    }
}
