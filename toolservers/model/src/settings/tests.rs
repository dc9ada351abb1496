//! Goal: what is configured and what the environment holds decide which provider is usable, and no
//! key is ever printed [MODEL-01].

use super::*;

/// An environment of these variables.
pub(crate) fn environment(pairs: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
    let pairs: BTreeMap<String, String> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    move |name| pairs.get(name).cloned()
}

fn resolve(json: &str, pairs: &[(&str, &str)]) -> Providers {
    let settings: Settings = serde_json::from_str(json).unwrap();
    settings.resolve(&environment(pairs)).unwrap()
}

/// The single toucher: `provider endpoint name`, or the words of the failure.
#[track_caller]
fn check(json: &str, pairs: &[(&str, &str)], model: &str, expected: &str) {
    let providers = resolve(json, pairs);
    match providers.find_by_model(model) {
        Ok((provider, name)) => {
            assert_eq!(format!("{} {} {name}", provider.name, provider.endpoint), expected);
        }
        Err(failure) => {
            let told = format!("{:?}: {}", failure.class, failure.message);
            assert!(told.contains(expected), "{told}");
        }
    }
}

const TWO: &str = r#"{"default_provider":"local","providers":{
    "local":{"base_url":"http://127.0.0.1:11434/v1/"},
    "far":{"format":"chat","base_url":"https://far.example/api","api_key_env":"FAR_KEY"}}}"#;

#[test]
fn openai_needs_only_its_key() {
    let key = [("OPENAI_API_KEY", "sk-1")];
    check("{}", &key, "gpt", "openai https://api.openai.com/v1/chat/completions gpt");
    check("{}", &key, "openai:gpt:x", "openai https://api.openai.com/v1/chat/completions gpt:x");
    check("{}", &[], "gpt", "Auth: OPENAI_API_KEY is not set");
    check("{}", &[("OPENAI_API_KEY", " \n")], "gpt", "Auth: OPENAI_API_KEY is not set");
    let local = [("OPENAI_BASE_URL", "http://[::1]:8080/v1")];
    check("{}", &local, "m", "openai http://[::1]:8080/v1/chat/completions m");
    let far = [("OPENAI_BASE_URL", "http://models.example/v1")];
    check("{}", &far, "m", "Auth: OPENAI_API_KEY is not set");
}

#[test]
fn a_name_says_its_provider_or_means_the_default() {
    check(TWO, &[], "qwen", "local http://127.0.0.1:11434/v1/chat/completions qwen");
    check(TWO, &[], "far:m", "Auth: FAR_KEY is not set");
    check(TWO, &[("FAR_KEY", "k")], "far:m", "far https://far.example/api/chat/completions m");
    check(
        TWO,
        &[],
        "qwen:7b",
        "UnknownModel: no provider is called `qwen`; configured are far, local, openai. For a model of local whose name has a colon, write `local:qwen:7b`",
    );
    check(TWO, &[], "far:", "UnknownModel: `far:` lacks the model's name");
}

#[test]
fn an_unusable_address_is_told_without_quoting_it() {
    let with = |url: &str| format!(r#"{{"providers":{{"p":{{"base_url":"{url}"}}}}}}"#);
    check(&with("localhost:1"), &[], "p:m", "must begin with http://");
    check(&with("no address"), &[], "p:m", "`base_url` is no address");
    for url in ["https://me:secret@far.example/v1", "https://far.example/v1?key=secret"] {
        check(&with(url), &[], "p:m", "may have no user, password, query");
        let failure = resolve(&with(url), &[]).find("p", "m").unwrap_err();
        assert!(!failure.message.contains("secret"));
    }
}

#[test]
fn unknown_keys_and_formats_are_refused() {
    let refused = |json: &str| serde_json::from_str::<Settings>(json).err().unwrap().to_string();
    assert!(refused(r#"{"provider":1}"#).contains("unknown field `provider`"));
    assert!(refused(r#"{"providers":{"p":{"base_url":"x","format":"soap"}}}"#).contains("`soap`"));
    assert!(refused(r#"{"providers":{"p":{"url":"x"}}}"#).contains("unknown field `url`"));
    let settings: Settings = serde_json::from_str(r#"{"default_provider":"x"}"#).unwrap();
    assert!(settings.resolve(&environment(&[])).unwrap_err().contains("`default_provider` is x"));
}

#[test]
fn the_list_has_the_default_first_and_the_reasons() {
    let providers = resolve(TWO, &[]);
    let list: Vec<_> = providers
        .list()
        .into_iter()
        .map(|(name, why)| (name, why.map(|why| why.message.as_str())))
        .collect();
    let expected = [
        ("local", None),
        ("far", Some("FAR_KEY is not set")),
        ("openai", Some("OPENAI_API_KEY is not set")),
    ];
    assert_eq!(list, expected);
}

/// [MODEL-01]
#[test]
fn no_key_is_printed() {
    let json = r#"{"providers":{"p":{"base_url":"https://far.example","api_key_env":"K","headers":{"x-key":"sk-two"}}}}"#;
    let providers = resolve(json, &[("K", "sk-one")]);
    let (provider, _) = providers.find("p", "m").unwrap();
    assert_eq!(provider.headers["authorization"], "Bearer sk-one");
    assert_eq!(provider.secrets, ["sk-two", "sk-one"]);
    let printed = format!("{provider:?} {providers:?} {:?}", provider.headers);
    assert!(!printed.contains("sk-"), "{printed}");
    let bad = resolve(json, &[("K", "sk-\u{7}one")]);
    let failure = bad.find("p", "m").unwrap_err();
    assert!(failure.message.contains("K holds a character") && !failure.message.contains("sk-"));
}
