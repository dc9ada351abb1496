//! [GATE-70] `tollgate doctor` says of each server what holds, and of the commands that the shell runs.

use serde_json::Value;
use tollgate_tests::World;

fn findings(world: &World) -> Vec<Value> {
    let printed = world.tollgate(["doctor", "--json"]).run().json();
    let all = printed.as_array().cloned().unwrap_or_else(|| panic!("{printed}"));
    let is_one =
        |it: &Value| it["name"].as_str().is_some_and(|name| name.starts_with("confinement"));
    all.into_iter().filter(is_one).collect()
}

/// Every built-in server has its line, with what is missing and what helps.
#[test]
fn doctor_says_what_confines_each_server() {
    let findings = findings(&World::new());
    for server in ["file", "shell", "code", "model"] {
        let name = format!("confinement {server}");
        let of = findings.iter().filter(|it| it["name"].as_str().unwrap().starts_with(&name));
        let of: Vec<_> = of.collect();
        assert!(!of.is_empty(), "{name}: {findings:#?}");
        for finding in of {
            let found = finding["found"].as_str().unwrap().replace("net:none", "");
            let lacks = found.contains(":none");
            assert!(!lacks || finding["help"].is_string(), "{finding}");
            assert_eq!(finding["needed"], finding["ok"], "best effort is no fault: {finding}");
        }
    }
}

/// Switched off is said to be off, and a run goes on.
#[test]
fn what_is_switched_off_is_told() {
    let world = World::new().config("[servers.code.settings]\nsandbox = \"off\"");
    let findings = findings(&world);
    let code = findings.iter().find(|it| it["name"] == "confinement code").unwrap();
    assert_eq!((&code["ok"], &code["needed"]), (&false.into(), &false.into()), "{code}");
    assert!(code["found"].as_str().unwrap().starts_with("off"), "{code}");
}
