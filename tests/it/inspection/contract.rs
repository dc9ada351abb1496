//! `tools contract`, and the lists of tools.

use serde_json::{Value, json};
use tollgate_tests::{Script, World, run::Ran};

use super::payload;

fn json_of(world: &World, arguments: &[&str]) -> Value {
    world.tollgate(arguments.iter().copied().chain(["--json"])).run().success().json()
}

/// `[CAT-36]` B130: the same bytes at every run, and the same contract with four or 100,000 tools more.
#[test]
fn the_contract_is_the_same_whatever_else_is_registered() {
    let contract = |world: &World| world.tollgate(["tools", "contract", "--json"]).run().success();
    let alone = World::new();
    let first = contract(&alone);
    assert_eq!(first.stdout, contract(&alone).stdout);
    for (behaviour, more) in [("plain", 4), ("full", 100_000)] {
        let world = World::new().hostile(behaviour, "");
        let (few, many) = (first.json(), contract(&world).json());
        assert_eq!(few["contract"], many["contract"], "{behaviour}");
        let count = |report: &Value, key: &str| report["apart"][key].as_u64().unwrap();
        for key in ["registered", "deferred"] {
            assert!(count(&many, key) >= count(&few, key) + more, "{behaviour}: {key}");
        }
    }
    let report = first.json();
    let names: Vec<_> =
        report["contract"]["tools"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names[..4], ["read", "write", "edit", "bash"]);
    assert!(report["apart"]["hidden"].as_u64().unwrap() > 0);
    // It is what a first request carries.
    alone.exec(&Script::new().text("done"), "go").run().success();
    let shown = payload(&alone, &[]);
    let wire = &shown["snapshot"]["wire"];
    assert_eq!(wire["active_tool_catalog_sha256"], report["contract"]["sha256"]);
    assert_eq!(wire["bytes"], report["contract"]["bytes"]);
}

/// `[CAT-36]`: policy and surface change what is counted apart, and not the contract.
#[test]
fn policy_changes_only_what_is_counted_apart() {
    let world = World::new();
    let usual = json_of(&world, &["tools", "contract"]);
    let narrow = json_of(&world, &["tools", "contract", "--surface", "simple", "--deny", "read"]);
    assert_eq!(usual["contract"], narrow["contract"]);
    assert_eq!((&usual["apart"]["denied"], &narrow["apart"]["denied"]), (&json!(0), &json!(1)));
    assert!(narrow["apart"]["feature_gated"].as_u64() > usual["apart"]["feature_gated"].as_u64());
}

fn names(list: &Value, key: &str) -> Vec<String> {
    let all = list[key].as_array().unwrap().iter();
    all.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
}

/// `[CAT-04]`: what is not there is told with its reason, and stands in no list of what is.
#[test]
fn a_list_says_what_is_not_there_and_why() {
    let world = World::new();
    let list = json_of(&world, &["tools", "list", "--deny", "write"]);
    assert!(!names(&list, "tools").contains(&"write".to_owned()));
    assert_eq!(names(&list, "withheld"), ["write"]);
    let withheld = &list["withheld"][0];
    assert_eq!((&withheld["why"], &withheld["server"]), (&json!("denied"), &json!("file")));
    assert!(withheld["sentence"].as_str().unwrap().contains("--deny: write"), "{withheld}");
    let text = world.tollgate(["tools", "list", "--deny", "write"]).run().success();
    assert!(text.text().contains("NOT HERE") && text.text().contains("a rule denies it"), "{text}");

    let simple = json_of(&world, &["tools", "list", "--surface", "simple"]);
    assert_eq!(names(&simple, "tools"), ["read", "edit", "bash"]);
    assert!(names(&simple, "withheld").contains(&"tool_search".to_owned()));
    let code = world.tollgate(["tools", "list", "--surface", "code"]).run().success();
    let code = code.text();
    let read = code.lines().find(|line| line.starts_with("read ")).unwrap();
    assert!(read.contains("in programs"), "{read}");
}

/// `[CAT-03, 07]`: names of several servers are told, old names only when asked for.
#[test]
fn a_list_tells_clashes_and_old_names() {
    let world = World::new().hostile("impostor", "");
    let list = json_of(&world, &["tools", "list"]);
    assert_eq!(
        (&list["clashes"][0]["name"], &list["clashes"][0]["winner"]),
        (&json!("read"), &json!("file"))
    );
    assert!(list.get("hidden").is_none() && !list.to_string().contains("read_file"));
    let told = world.tollgate(["tools", "list"]).run().success();
    assert!(told.stderr.contains("that of 'hostile' is called 'hostile_read'"), "{told}");
    assert!(!told.text().contains("OLD NAME"), "{told}");
    let all = json_of(&world, &["tools", "list", "--all"]);
    let old = all["hidden"].as_array().unwrap();
    let form = old.iter().find(|it| it["name"] == "read_file").unwrap();
    assert_eq!(form["means"], "read");
    let told = world.tollgate(["tools", "list", "--all"]).run().success();
    assert!(told.text().contains("OLD NAME"), "{told}");
}

/// `[CAT-07]`: an old name is shown with each of its forms.
#[test]
fn an_old_name_is_shown_with_its_forms() {
    let world = World::new();
    let forms = json_of(&world, &["tools", "show", "File"]);
    let forms = forms["forms"].as_array().unwrap();
    let means: Vec<_> = forms.iter().map(|form| form["means"].as_str().unwrap()).collect();
    assert!(means.contains(&"read") && means.contains(&"write") && forms.len() > 2, "{means:?}");
    for form in forms {
        assert!(form["input_schema"]["properties"].is_object());
        assert_eq!(form["when"]["argument"], "action");
    }
    let one = world.tollgate(["tools", "show", "read_file"]).run().success();
    assert!(one.text().contains("means read · when: always"), "{one}");
    let show =
        |name: &str| -> Ran { world.tollgate(["tools", "show", name, "--deny", "write"]).run() };
    assert!(show("write").success().text().contains("not available here: a rule denies it"));
    let unknown = show("raed").code(2);
    assert!(unknown.stderr.contains("did you mean read"), "{unknown}");
}

/// A list helps to mend a policy that cannot be read, and says that it is not applied.
#[test]
fn a_broken_policy_leaves_a_list() {
    let world = World::new();
    std::fs::write(world.home().join("config/permissions.toml"), "[[rule]]\naction = 7\n").unwrap();
    let told = world.tollgate(["tools", "list"]).run().success();
    assert!(told.text().contains("read") && told.stderr.contains("not applied"), "{told}");
}
