//! What is large: a result comes whole to the program up to 16 MiB and keeps its shape beyond; arguments and
//! returned values have their bounds, and what does not fit into the conversation is kept whole.

use super::*;

/// [CODE-09] [CODE-15] 10 MB of a command reach the program whole, and only what it returns the model.
#[test]
fn a_result_of_ten_megabytes_is_whole_in_the_program() {
    let world = world();
    let code = r#"
        const r = await tools.bash({ command: "head -c 10000000 /dev/zero | tr '\\0' x" });
        return { bytes: r.content.length, is_x: r.content === 'x'.repeat(1e7), truncated: r.truncated,
          exit_code: r.metadata.exit_code };"#;
    let ended = run(&world, code);
    let value = json!({ "bytes": 10_000_000, "is_x": true, "truncated": null, "exit_code": 0 });
    assert_eq!(ended.value(), &value);
    assert!(ended.text.len() < 1000, "{} bytes for the model", ended.text.len());
}

/// [CODE-09] 100 MB keep the shape `{content, metadata, truncated}`, and are there whole.
#[test]
fn a_result_of_a_hundred_megabytes_keeps_its_shape() {
    let world = world();
    let code = r#"
        const r = await tools.bash({ command: "head -c 100000000 /dev/zero | tr '\\0' x" });
        if (Object.keys(r).join() !== "content,metadata,truncated") throw new Error(Object.keys(r).join());
        return { kind: typeof r.content, bytes: r.content.length, metadata: r.metadata, truncated: r.truncated };"#;
    let value = run(&world, code).value().clone();
    assert_eq!(
        (&value["kind"], &value["metadata"]["bytes"]),
        (&json!("string"), &json!(100_000_000))
    );
    assert!(value["bytes"].as_u64().unwrap() < 100_000, "{value}");
    let truncated = &value["truncated"];
    assert_eq!(truncated["original_bytes"], 100_000_000, "{value}");
    let digest = truncated["sha256"].as_str().unwrap();
    assert_eq!(truncated["artifact"], format!("artifact:{digest}"));
    assert!(truncated["preview_bytes"].as_u64().unwrap() >= value["bytes"].as_u64().unwrap());
    let id = truncated["artifact"].as_str().unwrap();
    let whole = world.tollgate(["artifacts", "show", id]).run().success();
    assert_eq!(whole.stdout.len(), 100_000_000);
}

/// [CODE-09] The same of any server, whatever way its result takes.
#[test]
fn a_servers_large_result_is_whole_or_marked() {
    let world = world().hostile("plain", "trust = \"trusted\"");
    let code =
        "const r = await tools.look({ how: 'large' }); return [r.content.length, r.truncated]";
    let value = run(&world, code).value().clone();
    assert_eq!(value[1]["original_bytes"], 20 * 1024 * 1024, "{value}");
    assert!(value[0].as_u64().unwrap() < 200_000, "{value}");
    let code = "const r = await tools.look({ how: 'large-inline' }); return [r.content.length, r.truncated]";
    assert_eq!(run(&world, code).value(), &json!([1024 * 1024, null]));
}

/// [CODE-15] Arguments of some MiB, as a program that writes a large file has them; more is told.
#[test]
fn arguments_may_be_as_large_as_a_file() {
    let world = world();
    let code = "await tools.write({ path: 'big.txt', content: 'äb\\n'.repeat(1_300_000) }); \
                return (await tools.bash({ command: 'wc -c < big.txt' })).content";
    let ended = run(&world, code);
    assert!(ended.text.starts_with("5200000"), "{}", ended.text);
    assert_eq!(ended.calls(), ["write auto ok", "bash auto ok"]);
    assert_eq!(world.read("big.txt"), "äb\n".repeat(1_300_000));
    let code = "await tools.write({ path: 'more.txt', content: 'x'.repeat(20 * 2 ** 20) })";
    let ended = run(&world, code).failed("threw", "more than 16777216 bytes");
    assert!(ended.calls().is_empty() && !world.has("more.txt"), "{:?}", ended.calls());
}

/// [CODE-10] [CODE-15] B118, CM-13: a large value is kept whole; what the model gets of it says so.
#[test]
fn a_large_value_is_kept_whole() {
    let world = world();
    let code =
        "return Array.from({ length: 20_000 }, (_, id) => ({ id, name: '中文'.repeat(20) }))";
    let ran = world.tollgate(["run", "-", "--json"]).args(FULL).stdin(code).run().success();
    let printed = ran.json();
    let truncated = &printed["result"]["truncated"];
    let text = content_text(&printed["result"]);
    assert!(text.contains("more than the 1048576") && text.contains("an artifact"), "{text}");
    assert!(text.len() < 110 * 1024, "{} bytes", text.len());
    let whole = world.tollgate(["artifacts", "show", truncated["spill"].as_str().unwrap()]).run();
    let value: Value = serde_json::from_slice(&whole.stdout).expect("the whole is JSON");
    let items = value.as_array().unwrap();
    assert_eq!((items.len(), &items[19_999]["id"]), (20_000, &json!(19_999)));
    // As compact as JSON can be.
    assert!(!whole.text().contains("\n ") && !whole.text().contains("\": "));
}

/// CM-13: what is no value of JSON is an error that names it, or has its defined form; a key is only a key.
#[test]
fn odd_values_have_one_defined_form() {
    let world = world();
    for (code, class, part) in [
        ("const a = {}; a.b = { c: a }; return a", "value", "b.c"),
        ("return { x: [1, () => 1] }", "value", "x[1]"),
        ("return { s: Symbol('x') }", "value", "s"),
        ("return 'x'.repeat(40e6)", "memory", "its memory"),
    ] {
        run(&world, code).failed(class, part);
    }
    for (code, value) in [
        ("return 10n ** 20n", json!("100000000000000000000")),
        ("return new Map([['a', 1]])", json!([["a", 1]])),
        ("return new Set([1, 2])", json!([1, 2])),
        ("return new Date(0)", json!("1970-01-01T00:00:00.000Z")),
        ("return new Uint8Array([1, 2])", json!([1, 2])),
        ("return undefined", json!(null)),
        ("return JSON.parse('{\"__proto__\": {\"x\": 1}}')", json!({ "__proto__": { "x": 1 } })),
        ("return { constructor: 1, toString: 2 }", json!({ "constructor": 1, "toString": 2 })),
    ] {
        assert_eq!(run(&world, code).value(), &value, "{code}");
    }
}
