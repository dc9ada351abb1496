//! Goal: absent settings have the requirement's numbers (`[CODE-15]`), each that is present holds, and a
//! wrong one is named with its range.

use tollgate_confine::Requirement;
use tollgate_sdk::serde_json::{self, Value, json};

use super::{Meaning, Settings};
use crate::limits::Limits;

fn meaning(settings: Value) -> Result<Meaning, String> {
    let settings: Settings = serde_json::from_value(settings).map_err(|error| error.to_string())?;
    settings.meaning().map_err(|error| error.to_string())
}

#[track_caller]
fn refused(settings: Value, words: &[&str]) {
    let error = meaning(settings).unwrap_err();
    for word in words {
        assert!(error.contains(word), "{word} is not in: {error}");
    }
}

#[test]
fn without_settings_a_program_has_the_limits_of_the_requirement() {
    let meant = meaning(json!({})).unwrap();
    assert_eq!((meant.limits, meant.programs_max), (Limits::default(), 32));
    assert_eq!(meant.plan.sandbox, Requirement::BestEffort);
    let programs = 32 * (64 + 1 + 160) * 1024 * 1024;
    assert_eq!(meant.plan.address_bytes, 4 * 1024 * 1024 * 1024 + programs);
}

#[test]
fn each_setting_holds() {
    let meant = meaning(json!({
        "memory_bytes": 2_097_152, "stack_bytes": 65_536, "calls_max": 1, "code_bytes": 2,
        "log_bytes": 3, "value_bytes": 4, "depth": 5, "programs_max": 1, "sandbox": "required",
    }))
    .unwrap();
    let limits = Limits {
        memory_bytes: 2_097_152,
        stack_bytes: 65_536,
        calls: 1,
        code_bytes: 2,
        log_bytes: 3,
        value_bytes: 4,
        depth: 5,
        ..Limits::default()
    };
    assert_eq!((meant.limits, meant.programs_max), (limits, 1));
    assert_eq!(meant.plan.sandbox, Requirement::Required);
}

#[test]
fn a_setting_out_of_range_is_named_with_its_range() {
    refused(json!({"memory_bytes": 0}), &["memory_bytes = 0", "1048576 to 1073741824"]);
    refused(json!({"memory_bytes": u64::MAX}), &["memory_bytes", "1073741824"]);
    refused(json!({"stack_bytes": 1}), &["stack_bytes = 1", "65536 to 16777216"]);
    refused(json!({"calls_max": 0}), &["calls_max = 0", "1 to 100000"]);
    refused(json!({"code_bytes": 0}), &["code_bytes", "1 to 4194304"]);
    refused(json!({"log_bytes": 1_048_577}), &["log_bytes = 1048577", "1 to 1048576"]);
    refused(json!({"value_bytes": 1 << 30}), &["value_bytes", "1 to 33554432"]);
    refused(json!({"depth": 257}), &["depth = 257", "1 to 256"]);
    refused(json!({"programs_max": 65}), &["programs_max = 65", "1 to 64"]);
}

#[test]
fn what_is_no_setting_is_refused() {
    refused(json!({"memory": 1}), &["unknown field `memory`", "memory_bytes"]);
    refused(json!({"memory_bytes": -1}), &["invalid value", "-1"]);
    refused(json!({"memory_bytes": 1.5}), &["1.5"]);
    refused(
        json!({"sandbox": "on"}),
        &["unknown variant `on`", "`required`, `best-effort`, `off`"],
    );
}
