//! Goal: each shape of a provider's error has the right class, keeps the provider's words, and
//! never a key [MODEL-01], [MODEL-03].

use super::*;

/// The single toucher of the typing: the class, whether it may pass, and words that are kept.
#[track_caller]
fn check(status: u16, body: &str, class: Class, retryable: bool, words: &str) {
    let failure = of_status("openai", StatusCode::from_u16(status).unwrap(), body.as_bytes());
    assert_eq!((failure.class, failure.retryable), (class, retryable), "{status} {body}");
    assert!(failure.message.contains(words), "{}", failure.message);
}

#[test]
fn a_status_and_its_body_have_a_class() {
    let bad_key = r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}"#;
    check(401, bad_key, Class::Auth, false, "Incorrect API key provided (invalid_api_key)");
    check(403, "", Class::Auth, false, "openai answered 403 Forbidden; check");
    check(402, r#"{"error":{"message":"Insufficient Balance"}}"#, Class::Quota, false, "Balance");
    check(
        429,
        r#"{"error":{"message":"slow","code":"rate_limit_exceeded"}}"#,
        Class::Rate,
        true,
        "slow",
    );
    check(
        429,
        r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#,
        Class::Quota,
        false,
        "pay",
    );
    check(529, "", Class::Rate, true, "529");
    for status in [408, 409, 500, 502, 503, 504, 599] {
        check(status, "<html>oops</html>", Class::Network, true, "oops");
    }
    check(
        404,
        r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#,
        Class::UnknownModel,
        false,
        "`x`",
    );
    check(404, "not here", Class::UnknownModel, false, "`base_url`");
    check(
        400,
        r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#,
        Class::Context,
        false,
        "longer",
    );
    check(
        400,
        r#"{"message":"This model's maximum context length is 10 tokens"}"#,
        Class::Context,
        false,
        "10 tokens",
    );
    check(
        400,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
        Class::Context,
        false,
        "available",
    );
    check(413, "", Class::Context, false, "larger");
    check(400, r#"{"error":{"message":"m","code":"content_filter"}}"#, Class::Refusal, false, "m");
    check(
        400,
        r#"[{"error":{"code":400,"message":"bad schema","status":"INVALID_ARGUMENT"}}]"#,
        Class::Invalid,
        false,
        "bad schema",
    );
    check(
        422,
        r#"{"detail":[{"loc":["body"],"msg":"missing"}]}"#,
        Class::Invalid,
        false,
        "missing",
    );
    check(400, r#"{"error":"plain"}"#, Class::Invalid, false, ": plain");
    check(301, "", Class::Invalid, false, "redirects");
}

#[test]
fn an_error_inside_a_stream_has_a_class() {
    let rows = [
        (r#"{"error":{"message":"boom","type":"server_error"}}"#, Class::Network, true),
        (r#"{"error":{"message":"later","code":429}}"#, Class::Rate, true),
        (r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#, Class::Context, false),
        (r#""just text""#, Class::Network, true),
    ];
    for (json, class, retryable) in rows {
        let failure = of_error("local", &serde_json::from_str(json).unwrap());
        assert_eq!((failure.class, failure.retryable), (class, retryable), "{json}");
    }
}

/// [MODEL-01]
#[test]
fn a_key_that_a_provider_echoes_is_left_out() {
    let body = br#"{"error":{"message":"key sk-secret-1 is wrong, yes sk-secret-1"}}"#;
    let failure = of_status("openai", StatusCode::UNAUTHORIZED, body);
    let event = failure.into_event(&[String::new(), "sk-secret-1".into()]);
    assert!(event.message.contains("key [key] is wrong, yes [key]"), "{}", event.message);
}

#[test]
fn a_long_message_is_cut_between_characters() {
    let failure = Failure::lasting(Class::Invalid, "é".repeat(5000));
    let event = failure.into_event(&[]);
    assert!(event.message.len() <= MESSAGE_TEXT_BYTES_MAX && event.message.ends_with("é…"));
}
