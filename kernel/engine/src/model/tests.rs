//! Goal: a model that the machine's owner forbids is known by any way to write it ([GATE-51]).

use super::*;

#[track_caller]
fn check(patterns: &[&str], model: &str, expected: Option<&str>) {
    let models_forbidden =
        patterns.iter().map(|pattern| NamePattern::new(pattern).unwrap()).collect();
    let managed = Managed { models_forbidden, ..Managed::default() };
    assert_eq!(forbidden(&managed, model), expected, "{model} of {patterns:?}");
}

#[test]
fn a_forbidden_model_is_known_with_and_without_its_provider() {
    check(&["gpt-5*"], "gpt-5.2", Some("gpt-5*"));
    check(&["gpt-5*"], "openai:gpt-5.2", Some("gpt-5*"));
    check(&["openai:gpt-5*"], "openai:GPT-5.2", Some("openai:gpt-5*"));
    check(&["openai:gpt-5*"], "gpt-5.2", Some("openai:gpt-5*"));
    check(&["openai:*"], "anything", Some("openai:*"));
    check(&["openai:gpt-5*"], "local:gpt-5.2", None);
    check(&["a", "b"], "b", Some("b"));
    check(&["gpt-5*"], "gpt-4", None);
    check(&[], "gpt-5.2", None);
}
