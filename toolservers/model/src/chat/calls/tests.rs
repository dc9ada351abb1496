//! Goal: every row of the routing table, with the pieces that real servers send.

use super::*;

/// The single toucher of the assembly. `deltas` are the `tool_calls` arrays as JSON lines; the
/// answer is `id name arguments` a call.
#[track_caller]
fn check(deltas: &str, expected: &[&str]) {
    let mut calls = Calls::default();
    for line in deltas.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let pieces: Vec<CallDelta> = serde_json::from_str(line).unwrap();
        calls.take(&pieces).unwrap();
    }
    let whole = calls.finish(2).unwrap();
    let whole: Vec<String> = whole
        .iter()
        .map(|call| {
            let arguments = String::from_utf8_lossy(&call.arguments);
            format!("{} {} {arguments}", call.id, call.name)
        })
        .collect();
    assert_eq!(whole, expected);
}

/// [MODEL-02]
#[test]
fn the_documented_form_is_assembled() {
    check(
        r#"
        [{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}]
        [{"index":0,"function":{"arguments":"{\"p\":"}}]
        [{"index":1,"id":"b","type":"function","function":{"name":"list","arguments":""}}]
        [{"index":0,"function":{"arguments":"1}"}},{"index":1,"function":{"arguments":"{}"}}]"#,
        &[r#"a read {"p":1}"#, "b list {}"],
    );
}

/// [MODEL-02]
#[test]
fn arguments_may_be_split_anywhere() {
    let arguments = r#"{"text":"a\"ü\u00e9{}","n":[1,2]}"#;
    let places = (0..=arguments.len()).filter(|at| arguments.is_char_boundary(*at));
    for at in places {
        let (before, after) = arguments.split_at(at);
        let before =
            serde_json::json!([{"index":0,"id":"a","function":{"name":"f","arguments":before}}]);
        let after = serde_json::json!([{"index":0,"function":{"arguments":after}}]);
        check(&format!("{before}\n{after}"), &[&format!("a f {arguments}")]);
    }
}

#[test]
fn several_calls_may_come_in_one_delta() {
    check(
        r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}}]"#,
        &["a f {}", "b f {}"],
    );
    let bare =
        r#"[{"function":{"name":"f","arguments":""}},{"function":{"name":"f","arguments":""}}]"#;
    check(bare, &["call_2_0 f ", "call_2_1 f "]);
}

#[test]
fn every_call_may_have_index_0() {
    check(
        r#"
        [{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]
        [{"index":0,"id":"a","function":{"arguments":":1}"}}]
        [{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}]
        [{"index":0,"id":"c","function":{"name":"g","arguments":"{}"}}]"#,
        &[r#"a f {"x":1}"#, "b f {}", "c g {}"],
    );
    check(
        r#"
        [{"index":0,"function":{"name":"f","arguments":"{}"}}]
        [{"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}}]"#,
        &["call_2_0 f {}", r#"call_2_1 f {"x":1}"#],
    );
}

#[test]
fn a_known_id_wins_over_the_index() {
    check(
        r#"
        [{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]
        [{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}]
        [{"index":1,"id":"a","function":{"arguments":"}"}}]
        [{"index":0,"id":"b","function":{"arguments":"}"}}]"#,
        &["a f {}", "b g {}"],
    );
}

#[test]
fn index_and_id_may_be_missing() {
    check(
        r#"
        [{"function":{"name":"f","arguments":"{\"x\":"}}]
        [{"function":{"arguments":"1}"}}]
        [{"function":{"name":"f","arguments":"{\"x\":2}"}}]"#,
        &[r#"call_2_0 f {"x":1}"#, r#"call_2_1 f {"x":2}"#],
    );
    check(
        r#"
        [{"id":"a","function":{"name":"f","arguments":"{"}}]
        [{"function":{"arguments":"}"}}]
        [{"id":"b","function":{"name":"g"}}]
        [{"function":{"arguments":"{}"}}]"#,
        &["a f {}", "b g {}"],
    );
}

#[test]
fn an_id_may_come_late_or_change() {
    check(
        r#"
        [{"index":0,"function":{"name":"f","arguments":"{"}}]
        [{"index":0,"id":"a","function":{"arguments":"}"}}]"#,
        &["a f {}"],
    );
    check(
        r#"
        [{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]
        [{"index":0,"id":"other","function":{"arguments":"}"}}]"#,
        &["a f {}"],
    );
    check(
        r#"
        [{"index":0,"id":"a","function":{"arguments":""}}]
        [{"index":0,"function":{"name":"f","arguments":"{}"}}]"#,
        &["a f {}"],
    );
}

#[test]
fn a_name_may_be_repeated_with_each_piece() {
    check(
        r#"
        [{"index":0,"id":"a","function":{"name":"f","arguments":""}}]
        [{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]
        [{"index":0,"id":"a","function":{"name":"f","arguments":"1}"}}]
        [{"index":0,"id":"a","function":{"name":"f","arguments":""}}]"#,
        &[r#"a f {"x":1}"#],
    );
}

/// [MODEL-02]
#[test]
fn ids_are_unique() {
    check(
        r#"
        [{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]
        [{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}}]
        [{"index":2,"id":"call_2_0","function":{"name":"g","arguments":"{}"}}]
        [{"index":3,"id":"","function":{"name":"g","arguments":"{}"}}]"#,
        &["a f {}", "call_2_1 f {}", "call_2_0 g {}", "call_2_2 g {}"],
    );
}

#[test]
fn arguments_that_are_a_value_are_taken_as_written() {
    check(
        r#"[{"index":0,"id":"a","function":{"name":"f","arguments":{"b": 1.0, "a":9007199254740993}}}]"#,
        &[r#"a f {"b": 1.0, "a":9007199254740993}"#],
    );
    check(r#"[{"id":"a","function":{"name":"f","arguments":null}}]"#, &["a f "]);
    check(r#"[{"id":"a","function":{"name":"f"}}]"#, &["a f "]);
}

/// [MODEL-02]: never repaired, never `{}`.
#[test]
fn broken_arguments_are_passed_through() {
    let cut = r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":\"/tm"}}]"#;
    check(cut, &[r#"a f {"path":"/tm"#]);
}

#[test]
fn a_call_without_a_name_is_a_fault() {
    let mut calls = Calls::default();
    calls.take(&[CallDelta { id: Some("a".into()), ..CallDelta::default() }]).unwrap();
    assert_eq!(calls.finish(0).unwrap_err().class, Class::Protocol);
}

#[test]
fn calls_and_arguments_are_bounded() {
    let piece = |json: &str| -> Vec<CallDelta> { serde_json::from_str(json).unwrap() };
    let mut calls = Calls::default();
    let one = piece(r#"[{"function":{"name":"f","arguments":"{}"}}]"#);
    let taken = (0..1000).take_while(|_| calls.take(&one).is_ok()).count();
    assert_eq!(taken, CALLS_MAX);
    let mut calls = Calls::default();
    let long =
        format!(r#"[{{"index":0,"function":{{"name":"f","arguments":"{}"}}}}]"#, "x".repeat(1000));
    let taken = (0..5000).take_while(|_| calls.take(&piece(&long)).is_ok()).count();
    assert_eq!(taken, ARGUMENTS_BYTES_MAX / 1000);
}
