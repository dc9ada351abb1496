//! Goal: whatever stands in a request's bytes, a snapshot is small, true, and says what it leaves out.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::{
    authority::{Circumstances, HookSaid, policy::Policy, rules::Rules},
    call::Caller,
    catalog::{Catalog, Entry, Exposure, Provenance, Surface as Shown, Toolbox, View},
    limits::SNAPSHOT_BYTES_MAX,
    stance::{Mode, Posture, Stance},
    testing::{READ, entry},
};

fn prepared(bytes: &[u8]) -> Prepared {
    Prepared {
        turn: 2,
        step: 3,
        bytes: 9000,
        sha256: Digest::of(b"all"),
        tools_bytes: Some(bytes.len() as u64),
        tools_sha256: Digest::of(bytes),
        model: Some("openai:gpt".to_owned()),
    }
}

fn facts(view: &View, toolbox: &Toolbox) -> SurfaceFacts {
    let (policy, session) = (Policy::default(), Rules::default());
    let stance = Stance { mode: Mode::Work, posture: Posture::Ask };
    let at = Circumstances {
        stance,
        policy: &policy,
        session: &session,
        hooks: &HookSaid::Nothing,
        taint: &[],
        cwd: std::path::Path::new("/w"),
        can_ask: true,
        now_unix_ms: 0,
    };
    SurfaceFacts::of(view, &view.tools_field(toolbox).carried, &at)
}

fn shown(bytes: &[u8]) -> Value {
    let field = Field::Present { bytes, is_redacted: false };
    let snapshot = project(&prepared(bytes), field, Err("not captured".to_owned()));
    let text = serde_json::to_string(&snapshot).unwrap();
    assert!(text.len() <= SNAPSHOT_BYTES_MAX, "{} bytes", text.len());
    serde_json::from_str(&text).unwrap()
}

/// `expected`: how many tools are counted, shown and omitted, and a part of the damage.
#[track_caller]
fn check(bytes: &[u8], expected: (Option<u64>, usize, u64), damage: &str) {
    let wire = &shown(bytes)["wire"];
    let omitted = wire["omitted"]["tools"].as_u64().unwrap_or(0);
    let found = (wire["count"].as_u64(), wire["tools"].as_array().unwrap().len(), omitted);
    assert_eq!(found, expected, "{wire}");
    match wire.get("damage") {
        None => assert_eq!(damage, ""),
        Some(said) => {
            assert!(!damage.is_empty() && said.as_str().unwrap().contains(damage), "{said}");
        }
    }
    assert_eq!(wire["tools_field"], "present");
}

/// `[CAT-31]`: bytes of every kind.
#[test]
fn hostile_bytes_are_shown_as_far_as_they_can_be_read() {
    check(b"[]", (Some(0), 0, 0), "");
    check(b" [ ] ", (Some(0), 0, 0), "");
    check(b"", (None, 0, 0), "no JSON");
    check(b"garbage", (None, 0, 0), "no JSON");
    check(b"\xff\xfe[", (None, 0, 0), "no JSON");
    check(b"[\"\xff\xff\"]", (None, 0, 0), "no JSON");
    check(b"null", (None, 0, 0), "no array");
    check(b"{\"tools\":[]}", (None, 0, 0), "no array");
    check(b"\"[]\"", (None, 0, 0), "no array");
    check(b"-7", (None, 0, 0), "no array");
    check(b"[]]", (None, 0, 0), "stands after it");
    check(br#"[{"name":"a"}] x"#, (None, 1, 0), "stands after it");
    check(br#"[{"name":"a"},{"name":"b"},{"na"#, (None, 2, 0), "2 tools stand before");
    check(br#"[{"name":"a"}"#, (None, 1, 0), "no JSON");
    let many = vec![r#"{"name":"x"}"#; 10_000].join(",");
    check(format!("[{many}]").as_bytes(), (Some(10_000), 32, 9968), "");
    check(format!("[{many},").as_bytes(), (None, 32, 9968), "10000 tools stand before");
    let deep = format!("[{}1{}]", "[".repeat(100_000), "]".repeat(100_000));
    check(deep.as_bytes(), (Some(1), 1, 0), "");
}

/// One tool's row: `expected` are parts of it as JSON text.
#[track_caller]
fn tool(json: &str, expected: &[&str]) -> Value {
    let shown = shown(format!("[{json}]").as_bytes());
    let tool = shown["wire"]["tools"][0].clone();
    for part in expected {
        assert!(tool.to_string().contains(part), "no {part} in {tool}");
    }
    tool
}

/// `[CAT-31]`: what the wire does not have is null, and what cannot be read is told.
#[test]
fn a_tool_is_shown_as_it_stands() {
    let whole = tool(
        r#"{"name":"a","description":"d","input_schema":{"b":1,"a":2},"defer_loading":true,"strict":false,"allowed_callers":["direct"],"cache_control":{"type":"ephemeral"}}"#,
        &[],
    );
    let expected = json!({
        "name": "a", "description": "d", "input_schema": { "a": 2, "b": 1 }, "defer_loading": true,
        "strict": false, "allowed_callers": ["direct"], "cache_control": { "type": "ephemeral" },
    });
    assert_eq!(whole, expected);
    let bare = tool(r#"{"name":"a"}"#, &[]);
    for key in ["description", "input_schema", "defer_loading", "strict", "cache_control"] {
        assert_eq!(bare[key], Value::Null);
    }
    tool("{}", &[r#""name":null"#, "it has no name"]);
    tool(r#"{"name":7,"description":[]}"#, &["its name is no text", "its description is no text"]);
    tool("7", &["it is no object"]);
    tool(r#"{"name":"a","type":"custom","x":{"y":1}}"#, &[r#""omitted":{"keys":2}"#]);
    tool(r#"{"name":"a","name":"b"}"#, &["the key 'name' stands twice", r#""name":"a""#]);
    tool(r#"{"name":"\ud800"}"#, &["its name is no text"]);
}

/// What a schema says is not put in another order, and no number changes (`[PROTO-01]`).
#[test]
fn a_schema_is_shown_as_its_exact_text() {
    let schema = r#"{"z":9007199254740993.0,"a":1E2, "m":-0}"#;
    let bytes = format!(r#"[{{"input_schema":{schema},"name":"a"}}]"#).into_bytes();
    let field = Field::Present { bytes: &bytes, is_redacted: false };
    let snapshot = project(&prepared(&bytes), field, Err(String::new()));
    assert!(serde_json::to_string(&snapshot).unwrap().contains(schema));
}

/// `[CAT-31]`: every cut says how much there was.
#[test]
fn every_cut_has_its_receipt() {
    let name = "é".repeat(200);
    let long = json!({
        "name": name, "description": "x".repeat(10_000), "strict": "y".repeat(5000),
        "input_schema": { "d": "z".repeat(5 * 1024 * 1024) },
    });
    let cut = tool(&long.to_string(), &[]);
    assert_eq!(cut["name"], "é".repeat(128));
    assert_eq!(cut["truncated"]["name"], json!({ "bytes_total": 400, "bytes_shown": 256 }));
    let description = json!({ "bytes_total": 10_000, "bytes_shown": 8192 });
    assert_eq!(cut["truncated"]["description"], description);
    assert_eq!(cut["truncated"]["strict"], json!({ "bytes_total": 5002, "bytes_shown": 0 }));
    let schema = json!({ "bytes_total": 5 * 1024 * 1024 + 8, "bytes_shown": 0 });
    assert_eq!((&cut["truncated"]["input_schema"], &cut["input_schema"]), (&schema, &Value::Null));
    let deep = format!("{}1{}", "[".repeat(65), "]".repeat(65));
    let cut = tool(&format!(r#"{{"name":"a","input_schema":{deep}}}"#), &["nested deeper"]);
    assert_eq!(cut["truncated"]["input_schema"]["bytes_total"], 131);
    // Brackets in texts nest nothing.
    let flat = format!(r#"{{"name":"a","input_schema":"{}\"[["}}"#, "[".repeat(100));
    assert!(tool(&flat, &[]).get("truncated").is_none());
}

#[test]
fn a_snapshot_is_bounded_whatever_the_wire_holds() {
    let escaped = "\u{1}".repeat(9000);
    let large = json!({ "type": "object", "description": "s".repeat(60_000) });
    let rows = [
        json!({ "name": escaped, "description": escaped, "input_schema": large }),
        json!({ "name": "\u{202e}\u{1b}[31m", "description": "工具", "input_schema": large }),
        json!({ "name": "a", "description": "d".repeat(8000) }),
    ];
    for row in rows {
        let bytes = Value::from(vec![row; 40]).to_string().into_bytes();
        let wire = shown(&bytes)["wire"].clone();
        let tools = wire["tools"].as_array().unwrap().len() as u64;
        assert_eq!(wire["omitted"]["tools"].as_u64().unwrap() + tools, 40);
        assert!(tools >= 2);
    }
}

/// Facts of the largest kind: 32 tools carried, 5000 that are not, each with names as long as they may be
/// and a rule that is longer than it should be.
#[test]
fn surface_facts_are_bounded_however_many_tools_there_are() {
    let name = |number: usize| format!("{}{number:04}", "n".repeat(60));
    let server = crate::name::ServerName::try_from("s".repeat(32)).unwrap();
    let entries = (0..5000).map(|number| Entry {
        provenance: Provenance::Mcp,
        server: server.clone(),
        source: Some("m".repeat(64)),
        callers: vec![Caller::Program, Caller::Server, Caller::Client],
        ..entry(&name(number), READ)
    });
    let eager = crate::authority::rules::NamePattern::new("nn*00*").unwrap();
    let view = View::whole(Catalog::new(entries.collect(), &[eager]));
    let mut facts = facts(&view, &Toolbox::default());
    assert_eq!((facts.tools.len(), facts.not_carried.tools.len()), (32, 64));
    for it in &mut facts.not_carried.tools {
        it.detail = reason(&"\"\u{1}\"\"".repeat(4000));
    }
    for it in &mut facts.tools {
        let Known::Is(outlook) = &mut it.approval else { panic!("{it:?}") };
        outlook.because = reason(&"\"".repeat(4000));
    }
    let kept = serde_json::to_vec(&facts).unwrap();
    assert!(kept.len() <= crate::limits::SURFACE_BYTES_MAX, "{}", kept.len());
    let field = view.tools_field(&Toolbox::default());
    let prepared = prepared(&field.bytes);
    let field = Field::Present { bytes: &field.bytes, is_redacted: false };
    let pretty = serde_json::to_string_pretty(&project(&prepared, field, Ok(facts))).unwrap();
    assert!(pretty.len() <= SNAPSHOT_BYTES_MAX, "{}", pretty.len());
}

/// `[CAT-30, 31]`: size and digest are those of the log, up to 1 MiB, and else unavailable with the reason.
#[test]
fn size_and_digest_are_told_up_to_a_mebibyte() {
    let mut prepared = prepared(b"[]");
    let wire = |prepared: &Prepared, is_redacted| {
        let field = Field::Present { bytes: b"[]", is_redacted };
        serde_json::to_value(project(prepared, field, Err(String::new())).wire).unwrap()
    };
    let told = wire(&prepared, false);
    assert_eq!((&told["bytes"], told.get("unmeasured")), (&json!(2), None));
    assert_eq!(told["active_tool_catalog_sha256"], json!(Digest::of(b"[]")));
    prepared.tools_bytes = Some(1024 * 1024);
    assert_eq!(wire(&prepared, true)["bytes"], 1024 * 1024);
    prepared.tools_bytes = Some(1024 * 1024 + 1);
    let told = wire(&prepared, false);
    assert_eq!(told["active_tool_catalog_sha256"], "unavailable");
    assert_eq!(told["bytes"], "unavailable");
    assert!(told["unmeasured"].as_str().unwrap().contains("1048576"));
    // A log of an older kernel: measured by what was kept, if that is what was prepared.
    prepared.tools_bytes = None;
    assert_eq!(wire(&prepared, false)["bytes"], 2);
    assert_eq!(wire(&prepared, true)["bytes"], "unavailable");
}

/// `[CAT-34]`: absent, empty and unavailable are three answers.
#[test]
fn no_field_is_no_empty_field() {
    let wire = |field| {
        let snapshot = project(&prepared(b"[]"), field, Err(String::new()));
        serde_json::to_value(snapshot).unwrap()
    };
    let absent = wire(Field::Absent)["wire"].clone();
    assert_eq!((&absent["tools_field"], &absent["count"]), (&json!("absent"), &Value::Null));
    assert!(absent["unmeasured"].as_str().unwrap().contains("no tools field"));
    let empty = wire(Field::Present { bytes: b"[]", is_redacted: false })["wire"].clone();
    assert_eq!((&empty["tools_field"], &empty["count"]), (&json!("present"), &json!(0)));
    let lost = wire(Field::Unavailable("deleted".to_owned()));
    assert_eq!(lost["wire"]["tools_field"], "unavailable");
    assert_eq!((&lost["wire"]["damage"], &lost["wire"]["bytes"]), (&json!("deleted"), &json!(2)));
    assert!(lost["unavailable_for_this_request"].as_array().unwrap().contains(&json!("tools")));
}

/// `[CAT-33]`
#[test]
fn what_cannot_be_known_is_listed() {
    let view = View::whole(Catalog::from_iter([entry("read", READ)]));
    let listed = |model: Option<&str>, facts: Result<SurfaceFacts, String>| {
        let prepared = Prepared { model: model.map(str::to_owned), ..prepared(b"[]") };
        let field = Field::Present { bytes: b"[]", is_redacted: false };
        let snapshot = project(&prepared, field, facts);
        assert_eq!(snapshot.delivery_status, "unknown");
        snapshot.unavailable_for_this_request.join(" ")
    };
    let known = || Ok(facts(&view, &Toolbox::default()));
    assert_eq!(listed(Some("script:x"), known()), "provider_wire_payload");
    assert_eq!(listed(Some("gpt"), known()), "provider_wire_payload provider");
    assert_eq!(listed(None, known()), "provider_wire_payload provider model");
    let none = listed(None, Err("why".to_owned()));
    assert_eq!(none, "provider_wire_payload provider model provenance capabilities approval");
}

/// `[CAT-32, 35]`: facts of the catalog stand beside those of the wire; what it did not have is unknown.
#[test]
fn surface_facts_are_kept_apart_and_never_guessed() {
    let others = (0..100).map(|number| Entry {
        provenance: Provenance::Mcp,
        source: (number == 7).then(|| "github".to_owned()),
        ..entry(&format!("mcp_{number:03}"), READ)
    });
    let hidden = Entry { exposure: Exposure::Hidden, ..entry("File", READ) };
    let natives = ["read", "tool_search"].map(|name| entry(name, READ));
    let catalog = Catalog::new(natives.into_iter().chain(others).chain([hidden]).collect(), &[]);
    let view = View::whole(catalog);
    let mut toolbox = Toolbox::default();
    for name in ["mcp_007", "mcp_008"] {
        toolbox.activate(view.get(name).unwrap());
    }
    let facts = facts(&view, &toolbox);
    let kept = serde_json::to_vec(&facts).unwrap();
    assert_eq!(serde_json::from_slice::<SurfaceFacts>(&kept).unwrap(), facts, "it is read again");

    let bytes =
        br#"[{"name":"mcp_007"},{"name":"read"},{"name":"stranger"},{"name":"mcp_008"},{}]"#;
    let field = Field::Present { bytes, is_redacted: false };
    let snapshot = serde_json::to_value(project(&prepared(bytes), field, Ok(facts))).unwrap();
    let tools = snapshot["surface"]["tools"].as_array().unwrap();
    let of = |tool: &Value| {
        let keys = ["name", "provenance", "mcp_server", "visibility"];
        keys.map(|key| tool[key].as_str().unwrap_or("-").to_owned()).join(" ")
    };
    let said: Vec<_> = tools.iter().map(of).collect();
    assert_eq!(
        said,
        [
            "mcp_007 mcp github toolbox",
            "read builtin - eager",
            "stranger unknown - unknown",
            "mcp_008 mcp - toolbox",
            "- unknown - unknown",
        ]
    );
    assert_eq!(tools[2]["capabilities"], "unknown");
    assert_eq!(tools[2]["approval"], "unknown");
    assert_eq!(tools[1]["capabilities"]["read_only"], true);
    assert_eq!(tools[1]["approval"]["requires"], "per_call");
    assert!(snapshot["wire"].get("capabilities").is_none());

    let resting = &snapshot["surface"]["not_carried"];
    assert_eq!((&resting["count"], &resting["omitted"]["tools"]), (&json!(98), &json!(34)));
    assert_eq!(resting["tools"].as_array().unwrap().len(), 64);
    assert_eq!(resting["tools"][7]["name"], "mcp_009", "the carried ones are left out");
    assert_eq!(resting["by_why"], json!({ "deferred": 98 }));
    assert_eq!(snapshot["surface"]["hidden_registrations"], 1);
}

/// `[CAT-35]`: each with why it is not there.
#[test]
fn what_is_not_carried_says_why() {
    let lacking = Entry {
        requirements: vec![crate::catalog::Requirement {
            name: "python3".into(),
            met: false,
            found: "no such program".into(),
        }],
        ..entry("rlm", READ)
    };
    let names = ["read", "write", "grep", "execute_tools", "edit"];
    let all = names.map(|name| entry(name, READ)).into_iter().chain([lacking]);
    let catalog: Arc<Catalog> = Arc::new(all.collect());
    let deny = crate::authority::rules::NamePattern::new("edit").unwrap();
    let mut policy = Policy::default();
    policy.lists.deny.push(deny);
    let why = |mode, surface| {
        let view = View::of(Arc::clone(&catalog), &policy, mode, surface, 0);
        let facts = facts(&view, &Toolbox::default());
        let said = facts.not_carried.tools.iter().map(|it| format!("{} {:?}", it.name, it.why));
        let total: u64 = facts.not_carried.by_why.values().sum();
        assert_eq!(total, facts.not_carried.count);
        said.collect::<Vec<_>>().join(", ")
    };
    let work = why(Mode::Plan, Shown::Full);
    assert_eq!(work, "edit Denied, execute_tools Mode, grep Deferred, rlm Unavailable");
    let code = why(Mode::Work, Shown::Code);
    assert_eq!(code, "read Surface, write Surface, edit Denied, grep Surface, rlm Unavailable");
}
