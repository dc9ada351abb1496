//! Sends requests to providers over HTTP.
//!
//! One client a transport, so that connections are used again. Nothing of the environment but the
//! system's certificates has an influence: no proxy variables, no redirects (they could carry a key
//! elsewhere), no cookies, no compression (it would hold tokens back). Clear and encrypted
//! connections have a client each, so that a local model needs no certificates.
//!
//! Not here: trying again (`retry.rs`), reading the answer's stream (`chat.rs`).

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, ClientBuilder, Response, redirect};

use crate::event::Class;
use crate::failure::{Failure, of_status};
use crate::limits::{CONNECT_WAIT, ERROR_BODY_BYTES_MAX, HEAD_WAIT, IDLE_WAIT, POOL_IDLE_WAIT};
use crate::retry;
use crate::settings::Provider;

/// How this server names itself to providers.
const USER_AGENT: &str = concat!("tollgate/", env!("CARGO_PKG_VERSION"));

/// The clients, each made when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct Http {
    clear: OnceLock<Client>,
    encrypted: OnceLock<Client>,
}

impl Http {
    /// Sends a JSON body, and gives the answer when its head says that it succeeded.
    ///
    /// # Errors
    ///
    /// Typed, with the provider's message and its wish to wait.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future aborts the request.
    pub(crate) async fn post(&self, provider: &Provider, body: Bytes) -> Result<Response, Failure> {
        let request = self
            .client(provider)?
            .post(provider.endpoint.clone())
            .headers(provider.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream, application/json")
            .body(body);
        let response = match tokio::time::timeout(HEAD_WAIT, request.send()).await {
            Ok(answer) => answer.map_err(|fault| unreachable(provider, fault))?,
            Err(_) => return Err(silent(provider, HEAD_WAIT)),
        };
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(refused(provider, response).await)
        }
    }

    fn client(&self, provider: &Provider) -> Result<&Client, Failure> {
        // reqwest asks for it even where it is not used. When it is installed already, as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let (slot, builder) = if provider.is_tls() {
            (&self.encrypted, Client::builder().https_only(true))
        } else {
            (&self.clear, Client::builder().tls_certs_only([]))
        };
        if let Some(client) = slot.get() {
            return Ok(client);
        }
        let client = careful(builder).build().map_err(|fault| {
            let why = chain(&fault);
            let message = format!(
                "no encrypted connection can be made: {why}; check that the system's CA \
                 certificates are installed (package ca-certificates)"
            );
            Failure::lasting(Class::Network, message)
        })?;
        Ok(slot.get_or_init(|| client))
    }
}

fn careful(builder: ClientBuilder) -> ClientBuilder {
    builder
        .user_agent(USER_AGENT)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .gzip(false)
        .connect_timeout(CONNECT_WAIT)
        .pool_idle_timeout(POOL_IDLE_WAIT)
}

/// The failure of a request whose connection could not be made, or broke.
pub(crate) fn unreachable(provider: &Provider, fault: reqwest::Error) -> Failure {
    let name = &provider.name;
    let address = provider.endpoint.origin().ascii_serialization();
    let is_connect = fault.is_connect();
    let why = chain(&fault.without_url());
    let message = if is_connect {
        format!(
            "{name} at {address} cannot be reached: {why}; check that it runs and that `base_url` \
             is right"
        )
    } else {
        format!("the connection to {name} at {address} broke: {why}")
    };
    Failure::passing(Class::Network, message)
}

/// The failure of a provider that keeps a connection open and says nothing.
pub(crate) fn silent(provider: &Provider, waited: Duration) -> Failure {
    let message = format!("{} said nothing for {} s", provider.name, waited.as_secs());
    Failure::passing(Class::Network, message)
}

/// The failure that an answer with an error status tells.
async fn refused(provider: &Provider, mut response: Response) -> Failure {
    let status = response.status();
    let retry_after = retry::asked(response.headers(), jiff::Timestamp::now());
    let mut body = Vec::new();
    // A body that breaks off is worth quoting as far as it came.
    while let Ok(Ok(Some(piece))) = tokio::time::timeout(IDLE_WAIT, response.chunk()).await {
        body.extend_from_slice(&piece);
        if body.len() > ERROR_BODY_BYTES_MAX {
            break;
        }
    }
    body.truncate(ERROR_BODY_BYTES_MAX);
    Failure { retry_after, ..of_status(&provider.name, status, &body) }
}

/// An error with its causes, without saying anything twice.
fn chain(fault: &dyn Error) -> String {
    let mut text = fault.to_string();
    let mut cause = fault.source();
    while let Some(fault) = cause {
        let why = fault.to_string();
        if !text.contains(&why) {
            text = format!("{text}: {why}");
        }
        cause = fault.source();
    }
    text
}
