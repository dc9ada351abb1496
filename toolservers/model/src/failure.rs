//! Why a request has no answer, typed.
//!
//! [`of_status`] and [`of_error`] turn a provider's error into a class. Codes decide where a
//! provider gives them. Words of a message are read for one thing only, that the conversation does
//! not fit, because llama.cpp, vLLM and others have no code for it and the kernel must know.
//!
//! Invariant: [`Failure::into_event`] is the only way out, and it leaves out every secret (test
//! `a_key_that_a_provider_echoes_is_left_out`).
//!
//! Not here: whether to try again (`retry.rs`).

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use crate::event::{Class, Failed};
use crate::limits::MESSAGE_TEXT_BYTES_MAX;

#[cfg(test)]
mod tests;

/// What a provider's key is replaced by.
const REDACTED: &str = "[key]";

/// A request that ended without an answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Failure {
    /// What kind of fault.
    pub(crate) class: Class,
    /// What happened, why, what helps.
    pub(crate) message: String,
    /// Whether the same request may succeed later.
    pub(crate) retryable: bool,
    /// The wait that the provider asked for.
    pub(crate) retry_after: Option<Duration>,
}

impl Failure {
    /// A fault that lasts.
    pub(crate) fn lasting(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), retryable: false, retry_after: None }
    }

    /// A fault that may pass.
    pub(crate) fn passing(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), retryable: true, retry_after: None }
    }

    /// The message without any of the secrets, cut to its bound.
    pub(crate) fn told(&self, secrets: &[String]) -> String {
        tell(&self.message, secrets)
    }

    /// The last event of the answer.
    pub(crate) fn into_event(self, secrets: &[String]) -> Failed {
        let message = self.told(secrets);
        Failed { class: self.class.into(), message, retryable: self.retryable }
    }
}

/// A text without any of the secrets, cut to [`MESSAGE_TEXT_BYTES_MAX`].
pub(crate) fn tell(text: &str, secrets: &[String]) -> String {
    let mut text = text.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret.as_str(), REDACTED);
    }
    cut(text, MESSAGE_TEXT_BYTES_MAX)
}

/// A text cut at the last character that fits, with "…" for the rest.
pub(crate) fn cut(mut text: String, bytes_max: usize) -> String {
    if text.len() > bytes_max {
        text.truncate(text.floor_char_boundary(bytes_max.saturating_sub('…'.len_utf8())));
        text.push('…');
    }
    text
}

/// The failure that an HTTP status and its body tell. `provider` is its configured name.
pub(crate) fn of_status(provider: &str, status: StatusCode, body: &[u8]) -> Failure {
    let told = Told::read(&String::from_utf8_lossy(body));
    let quoted = told.quoted();
    let (class, retryable, help) = classify(status, &told);
    let help = if help.is_empty() { String::new() } else { format!("; {help}") };
    let message = format!("{provider} answered {status}{quoted}{help}");
    Failure { class, message, retryable, retry_after: None }
}

/// The failure that an `error` value inside a stream tells, which has no status.
pub(crate) fn of_error(provider: &str, error: &Value) -> Failure {
    let told = Told::of(error);
    let status = told.status.and_then(|status| StatusCode::from_u16(status).ok());
    // Without a status the stream began well and broke inside the provider.
    let status = status.filter(|status| !status.is_success());
    let (class, retryable, help) =
        classify(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), &told);
    let help = if help.is_empty() { String::new() } else { format!("; {help}") };
    let message = format!("{provider} reported an error in its answer{}{help}", told.quoted());
    Failure { class, message, retryable, retry_after: None }
}

/// Class, whether it may pass, and what helps.
fn classify(status: StatusCode, told: &Told) -> (Class, bool, &'static str) {
    const CHECK_KEY: &str = "check the provider's key";
    if told.is_context() {
        return (Class::Context, false, "the conversation is longer than the model takes");
    }
    if told.has_code(&["insufficient_quota", "billing_hard_limit_reached", "insufficient_balance"])
    {
        return (Class::Quota, false, "the account has no credit left");
    }
    if told.has_code(&["content_filter", "content_policy_violation", "moderation_blocked"]) {
        return (Class::Refusal, false, "");
    }
    if told.has_code(&["model_not_found"]) {
        return (Class::UnknownModel, false, "check the model's name");
    }
    if told.has_code(&["invalid_api_key", "authentication_error"]) {
        return (Class::Auth, false, CHECK_KEY);
    }
    if told.has_code(&["rate_limit_exceeded", "rate_limit_error", "overloaded_error"]) {
        return (Class::Rate, true, "");
    }
    match status.as_u16() {
        300..=399 => (Class::Invalid, false, "redirects are not followed; correct `base_url`"),
        401 | 403 => (Class::Auth, false, CHECK_KEY),
        402 => (Class::Quota, false, "the account has no credit left"),
        404 => (Class::UnknownModel, false, "check the model's name and `base_url`"),
        408 | 409 | 500..=528 | 530.. => (Class::Network, true, ""),
        413 => (Class::Context, false, "the request is larger than the provider takes"),
        429 | 529 => (Class::Rate, true, ""),
        _ => (Class::Invalid, false, ""),
    }
}

/// What a provider says of an error, whichever of the known shapes it has.
#[derive(Debug, Default)]
struct Told {
    message: String,
    codes: Vec<String>,
    status: Option<u16>,
}

impl Told {
    /// Reads a body: JSON of a known shape, or text.
    fn read(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            // Google's endpoint wraps the object in an array.
            Ok(Value::Array(items)) => items.first().map(Self::of).unwrap_or_default(),
            Ok(value) => Self::of(&value),
            Err(_) => Self { message: body.trim().to_owned(), ..Self::default() },
        }
    }

    /// Shapes: `{"error": {…}}`, `{"error": text}`, `{"message": …}`, `{"detail": …}`, text.
    fn of(value: &Value) -> Self {
        let inner = value.get("error").filter(|inner| !inner.is_null()).unwrap_or(value);
        if let Value::String(message) = inner {
            return Self { message: message.clone(), ..Self::default() };
        }
        let message = ["message", "detail"].iter().find_map(|key| inner.get(key));
        let message = match message {
            Some(Value::String(message)) => message.clone(),
            Some(other) => other.to_string(),
            None => inner.to_string(),
        };
        let mut told = Self { message, ..Self::default() };
        for key in ["code", "type"] {
            match inner.get(key) {
                Some(Value::String(code)) => told.codes.push(code.clone()),
                Some(Value::Number(number)) => {
                    told.status = number.as_u64().and_then(|number| u16::try_from(number).ok());
                }
                _ => {}
            }
        }
        told
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }

    fn is_context(&self) -> bool {
        const CODES: [&str; 3] =
            ["context_length_exceeded", "exceed_context_size_error", "string_above_max_length"];
        const WORDS: [&str; 5] = [
            "maximum context length",
            "available context size",
            "context length exceeded",
            "exceeds the context window",
            "prompt is too long",
        ];
        let message = self.message.to_lowercase();
        self.has_code(&CODES) || WORDS.iter().any(|words| message.contains(words))
    }

    /// `: "message" (code)`, or what there is of it.
    fn quoted(&self) -> String {
        let code = self.codes.first().map(|code| format!(" ({code})")).unwrap_or_default();
        if self.message.is_empty() { code } else { format!(": {}{code}", self.message) }
    }
}
