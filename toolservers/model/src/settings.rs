//! `[servers.model.settings]`: which providers there are, and with which keys.
//!
//! ```json
//! {"default_provider": "openai",
//!  "providers": {"openai": {"format": "chat", "base_url": "https://api.openai.com/v1",
//!                           "api_key_env": "OPENAI_API_KEY", "headers": {"x-title": "me"}}}}
//! ```
//!
//! Without an entry of its own, `openai` has this one, with `OPENAI_BASE_URL` in place of the
//! address where it is set. A name is `PROVIDER:NAME`, or `NAME` for the default provider. A name
//! with a colon must say its provider: `openai:qwen:7b`.
//!
//! Invariant: keys are in [`Provider`] only, whose `Debug` leaves them out (test
//! `no_key_is_printed`).
//!
//! Not here: `script:` and `replay:` (`service.rs`).

use std::collections::BTreeMap;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use tollgate_confine::Requirement;

use crate::event::Class;
use crate::failure::Failure;
use crate::limits::PROVIDERS_MAX;

#[cfg(test)]
pub(crate) mod tests;

/// The provider that needs no entry.
const OPENAI: &str = "openai";
/// Its address, without `OPENAI_BASE_URL`.
const OPENAI_URL: &str = "https://api.openai.com/v1";

/// Looks a variable of the environment up.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What is configured.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// How much of the confinement must hold.
    #[serde(default)]
    pub(crate) sandbox: Requirement,
    /// Whether `script:` and `replay:` are asked for, whose files may be anywhere; absent: perhaps.
    pub(crate) scripts: Option<bool>,
    /// The provider of a name without one; absent: `openai`.
    default_provider: Option<String>,
    /// At most [`PROVIDERS_MAX`].
    #[serde(default)]
    providers: BTreeMap<String, ProviderSettings>,
}

/// One provider, as configured. No `Debug`: its headers are secret.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProviderSettings {
    #[serde(default)]
    format: Format,
    /// What `/chat/completions` is put after.
    base_url: String,
    /// Name of the variable with the key. Absent: no key is sent.
    api_key_env: Option<String>,
    /// Sent with each request. Treated as secret.
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// How a provider is talked to.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// OpenAI Chat Completions.
    #[default]
    Chat,
}

/// The configured providers, each usable or with the reason why not.
#[derive(Debug)]
pub(crate) struct Providers {
    default: String,
    by_name: BTreeMap<String, Result<Provider, Failure>>,
}

/// A provider that can be used.
#[derive(Clone)]
pub(crate) struct Provider {
    /// Its configured name.
    pub(crate) name: String,
    /// Where requests go.
    pub(crate) endpoint: Url,
    /// Sent with each request; holds the key.
    pub(crate) headers: HeaderMap,
    /// Texts that no log, error or event may hold.
    pub(crate) secrets: Vec<String>,
}

impl std::fmt::Debug for Provider {
    /// Leaves headers and secrets out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, endpoint, headers: _, secrets: _ } = self;
        f.debug_struct("Provider")
            .field("name", name)
            .field("endpoint", &endpoint.as_str())
            .finish_non_exhaustive()
    }
}

impl Settings {
    /// Finds keys and checks addresses.
    ///
    /// # Errors
    ///
    /// A sentence: the default provider is not configured, or there are too many.
    pub(crate) fn resolve(self, environment: Environment<'_>) -> Result<Providers, String> {
        let mut settings = self.providers;
        if settings.len() > PROVIDERS_MAX {
            return Err(format!("more than {PROVIDERS_MAX} providers are configured"));
        }
        settings.entry(OPENAI.to_owned()).or_insert_with(|| ProviderSettings {
            format: Format::Chat,
            base_url: read(environment, "OPENAI_BASE_URL").unwrap_or_else(|| OPENAI_URL.to_owned()),
            api_key_env: Some("OPENAI_API_KEY".to_owned()),
            headers: BTreeMap::new(),
        });
        let default = self.default_provider.unwrap_or_else(|| OPENAI.to_owned());
        if !settings.contains_key(&default) {
            return Err(format!("`default_provider` is {default}, which is not in `providers`"));
        }
        let resolve = |(name, settings): (String, ProviderSettings)| {
            let provider = Provider::resolve(&name, &settings, environment);
            (name, provider)
        };
        Ok(Providers { default, by_name: settings.into_iter().map(resolve).collect() })
    }
}

impl Providers {
    /// The provider and the name that it is asked for.
    ///
    /// # Errors
    ///
    /// There is no such provider, or it cannot be used and why.
    pub(crate) fn find<'a>(
        &'a self,
        prefix: &str,
        name: &'a str,
    ) -> Result<(&'a Provider, &'a str), Failure> {
        let unknown = || {
            let names: Vec<&str> = self.by_name.keys().map(String::as_str).collect();
            let default = &self.default;
            let message = format!(
                "no provider is called `{prefix}`; configured are {}. For a model of {default} \
                 whose name has a colon, write `{default}:{prefix}:{name}`",
                names.join(", ")
            );
            Failure::lasting(Class::UnknownModel, message)
        };
        let provider = self.by_name.get(prefix).ok_or_else(unknown)?;
        if name.is_empty() {
            let message = format!("`{prefix}:` lacks the model's name");
            return Err(Failure::lasting(Class::UnknownModel, message));
        }
        Ok((provider.as_ref().map_err(Clone::clone)?, name))
    }

    /// As [`Self::find`], for a name as `--model` has it.
    ///
    /// # Errors
    ///
    /// As there.
    pub(crate) fn find_by_model<'a>(
        &'a self,
        model: &'a str,
    ) -> Result<(&'a Provider, &'a str), Failure> {
        match model.split_once(':') {
            Some((prefix, name)) => self.find(prefix, name),
            None => self.find(&self.default, model),
        }
    }

    /// Each provider's name, with the reason if it cannot be used; the default first.
    pub(crate) fn list(&self) -> Vec<(&str, Option<&Failure>)> {
        let mut list: Vec<_> = self
            .by_name
            .iter()
            .map(|(name, provider)| (name.as_str(), provider.as_ref().err()))
            .collect();
        list.sort_by_key(|(name, _)| *name != self.default);
        list
    }
}

impl Provider {
    /// Whether it is OpenAI itself.
    pub(crate) fn is_openai(&self) -> bool {
        self.endpoint.host_str() == Some("api.openai.com")
    }

    /// Whether requests are encrypted.
    pub(crate) fn is_tls(&self) -> bool {
        self.endpoint.scheme() == "https"
    }

    fn resolve(
        name: &str,
        settings: &ProviderSettings,
        environment: Environment<'_>,
    ) -> Result<Self, Failure> {
        let invalid =
            |why: String| Failure::lasting(Class::Invalid, format!("provider {name}: {why}"));
        let Format::Chat = settings.format;
        let endpoint = endpoint(&settings.base_url).map_err(invalid)?;
        let mut headers = HeaderMap::new();
        let mut secrets = Vec::new();
        for (key, text) in &settings.headers {
            let key: HeaderName =
                key.parse().map_err(|_| invalid(format!("`{key}` is no name of a header")))?;
            headers.insert(
                key.clone(),
                secret(text).ok_or_else(|| invalid(unsendable(key.as_str())))?,
            );
            secrets.push(text.clone());
        }
        if let Some(variable) = &settings.api_key_env {
            match read(environment, variable) {
                Some(key) => {
                    let value = secret(&format!("Bearer {key}"));
                    headers
                        .insert(AUTHORIZATION, value.ok_or_else(|| invalid(unsendable(variable)))?);
                    secrets.push(key);
                }
                None if is_local(&endpoint) => {}
                None => {
                    return Err(Failure::lasting(Class::Auth, format!("{variable} is not set")));
                }
            }
        }
        if !secrets.is_empty() && endpoint.scheme() == "http" && !is_local(&endpoint) {
            tracing::warn!(provider = name, "its key goes over an unencrypted connection");
        }
        Ok(Self { name: name.to_owned(), endpoint, headers, secrets })
    }
}

/// A variable's text without white space around it; empty counts as absent.
fn read(environment: Environment<'_>, variable: &str) -> Option<String> {
    environment(variable).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// A header's value that is never printed.
fn secret(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn unsendable(what: &str) -> String {
    format!("{what} holds a character that no header may have")
}

/// The address of `/chat/completions` below a base address.
fn endpoint(base_url: &str) -> Result<Url, String> {
    let url = base_url.trim().trim_end_matches('/');
    // The address itself is not quoted in an error: it may hold a password.
    let url = Url::parse(&format!("{url}/chat/completions"))
        .map_err(|fault| format!("`base_url` is no address: {fault}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("`base_url` must begin with http:// or https://".to_owned());
    }
    let has_password = !url.username().is_empty() || url.password().is_some();
    if has_password || url.query().is_some() || url.fragment().is_some() {
        return Err("`base_url` may have no user, password, query or fragment; \
                    give keys with `api_key_env` or `headers`"
            .to_owned());
    }
    Ok(url)
}

/// Whether an address is on this machine, where no key is asked for.
fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_loopback = host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
    is_loopback || host == "localhost" || host.ends_with(".localhost")
}
