//! [GATE-70] [GATE-71] What a grant lets the programs of a call reach, as its server reads it: the same for every
//! caller. Shown with a server that tells its grant.

use serde_json::{Value, json};
use tollgate_tests::{Script, World, binary};

/// A world with the server that tells its grant.
pub(super) fn world() -> World {
    let program = binary("tollgate-standin");
    World::new().config(&format!(
        "[servers.standin]\ncommand = [{program:?}]\ntrust = \"trusted\"\n[sandbox]\nnetwork = \"ask\""
    ))
}

/// A call that starts this command, and asks about places of the workspace.
pub(super) fn runs(world: &World, command: &str, read_only: bool, asks: &[&str]) -> Value {
    let words: Vec<&str> = command.split(' ').collect();
    let asks: Vec<_> = asks.iter().map(|place| world.workspace().join(place)).collect();
    json!({
        "read_only": read_only,
        "subjects": [{ "command": [words, "", false, read_only] }],
        "asks": if asks.is_empty() { vec![world.workspace()] } else { asks },
    })
}

/// What the server said of its grant.
pub(super) fn of_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("no grant: {text}"))
}

/// What `tollgate call` shows of it.
fn told(world: &World, arguments: &Value, options: &[&str]) -> Value {
    let printed = world.call("probe", arguments).args(options).run().success().json();
    of_text(printed["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{printed}")))
}

/// How far, and whether it may write anywhere.
#[track_caller]
fn check(world: &World, command: &str, read_only: bool, options: &[&str], expected: &str) {
    let told = told(world, &runs(world, command, read_only, &[]), options);
    let writes = told["write"].as_array().unwrap().len();
    let roots = usize::from(expected != "ReadOnly");
    assert_eq!((told["sandbox"].as_str(), writes), (Some(expected), roots), "{command}: {told}");
}

#[test]
fn a_grant_says_how_far_programs_reach() {
    let world = world();
    let allow = ["--allow", "probe"];
    check(&world, "make", false, &allow, "WorkspaceWrite");
    check(&world, "npm test", false, &allow, "WorkspaceWrite");
    check(&world, "npm ci", false, &allow, "Network");
    check(&world, "curl https://example.org", false, &allow, "Network");
    check(&world, "ls", true, &[], "ReadOnly");
    check(&world, "make", false, &["--posture", "full-access"], "Network");
    check(&world, "ls", true, &["--posture", "full-access"], "ReadOnly");
}

/// Configuration, and a project that tightens it.
#[test]
fn who_has_the_network_is_configured() {
    let off = world();
    let allow = ["--allow", "probe"];
    off.write(".tollgate/config.toml", "[sandbox]\nnetwork = \"off\"\n");
    check(&off, "curl https://example.org", false, &allow, "WorkspaceWrite");
    check(&off, "make", false, &["--posture", "full-access"], "WorkspaceWrite");
    let program = binary("tollgate-standin");
    let on = World::new().config(&format!(
        "[servers.standin]\ncommand = [{program:?}]\ntrust = \"trusted\"\n[sandbox]\nnetwork = \"on\""
    ));
    check(&on, "make", false, &allow, "Network");
    check(&on, "ls", true, &[], "ReadOnly");
    let owner = on.write("managed.toml", "network = \"ask\"\n");
    let printed = on
        .call("probe", &runs(&on, "make", false, &[]))
        .args(allow)
        .env("TOLLGATE_MANAGED", owner)
        .run()
        .success()
        .json();
    assert!(printed.to_string().contains("WorkspaceWrite"), "{printed}");
}

/// B094 [GATE-22]: a deny rule of reading holds for programs, whatever the words of the line are; places that
/// make programs run, the law and Tollgate's own are held where nothing is yet.
#[test]
fn a_grant_names_what_is_denied_and_protected() {
    let world = world();
    world.write(
        ".tollgate/law.toml",
        "[[protect]]\npaths = [\"migrations/**\"]\naction = \"block\"\nreason = \"x\"\n",
    );
    let state = world.home().join("state/sessions/x");
    let config = world.home().join("config/permissions.toml");
    let (state, config) = (state.to_str().unwrap(), config.to_str().unwrap());
    let asks = [
        "secrets/x",
        "deep/.netrc",
        "src/x",
        ".git/hooks/pre-commit",
        "new/deep/.VSCODE/tasks.json",
        "migrations/1.sql",
        ".git/objects/x",
        state,
        config,
    ];
    let options = ["--allow", "probe", "--deny", "read(secrets/**)"];
    let told = told(&world, &runs(&world, "make", false, &asks), &options);
    let inside = |names: &[&str]| {
        json!(names.iter().map(|name| world.workspace().join(name)).collect::<Vec<_>>())
    };
    assert_eq!(told["withheld"], inside(&["secrets/x", "deep/.netrc", state]));
    let held =
        [".git/hooks/pre-commit", "new/deep/.VSCODE/tasks.json", "migrations/1.sql", state, config];
    assert_eq!(told["held"], inside(&held));
    assert_eq!(told["opened"], json!([]));
    // What starts no programs has nothing of this.
    let none = json!({ "read_only": false, "asks": [world.workspace().join("secrets/x")] });
    let none = self::told(&world, &none, &options);
    assert_eq!((&none["withheld"], &none["held"]), (&json!([]), &json!([])));
}

/// What is more than a grant can say is refused, and nothing runs.
#[test]
fn what_does_not_fit_a_grant_does_not_run() {
    let world = world();
    let rules: Vec<String> = (0..300).map(|k| format!("\"read(d{k}/**)\"")).collect();
    let rules = format!("deny = [{}]\n", rules.join(", "));
    std::fs::write(world.home().join("config/permissions.toml"), rules).unwrap();
    let ran =
        world.call("probe", &runs(&world, "make", false, &[])).args(["--allow", "probe"]).run();
    assert_eq!(ran.code, 3, "{ran}");
    assert!(ran.to_string().contains("too_much_withheld"), "{ran}");
    assert!(ran.to_string().contains("fewer and wider patterns"), "{ran}");
}

/// [GATE-01] [CODE-05] A nested call has the grant that a direct one has.
#[test]
fn a_nested_call_has_the_same_grant() {
    let world = world();
    world.write(
        ".tollgate/law.toml",
        "[[protect]]\npaths = [\"migrations/**\"]\naction = \"ask\"\nreason = \"x\"\n",
    );
    let asks = ["secrets/x", ".git/hooks/x", "migrations/x", "src/x"];
    for command in ["make", "curl https://example.org", "git checkout main", "ls"] {
        let arguments = runs(&world, command, command == "ls", &asks);
        let options = ["--allow", "probe", "--deny", "read(secrets/**)"];
        let direct = told(&world, &arguments, &options);
        let relayed = json!({ "name": "probe", "arguments": arguments });
        let printed = world.call("relay", &relayed).args(options).run().success().json();
        // The whole result of the nested call, as text.
        let nested = of_text(printed["result"]["content"][0]["text"].as_str().unwrap());
        assert_eq!(of_text(nested["content"].as_str().unwrap()), direct, "{command}");
        let code = format!("return (await tools.call('probe', {arguments})).content");
        let script = Script::new().call("execute_tools", json!({ "code": code })).text("done");
        let ran = world.exec(&script, "go").args(options);
        let events = ran.run().success().events().well_formed();
        let results = events.of("tool.result");
        let of_program = results.iter().find(|event| event["name"] == "probe").unwrap();
        let text = of_program["content"][0]["text"].as_str().unwrap();
        assert_eq!(of_text(text), direct, "{command} in a program");
    }
}

/// [GATE-80] The receipt has the words of the call where it has some, also of one that failed; those of the
/// server where it has none.
#[test]
fn a_receipt_says_what_confined_the_call() {
    let world = world();
    let with = |words: &str, fails: bool| {
        let mut arguments = runs(&world, "make", false, &[]);
        arguments["confined"] = json!(words);
        arguments["fails"] = json!(fails);
        let ran = world.call("probe", &arguments).args(["--allow", "probe"]).run();
        let printed = ran.json();
        assert_eq!(printed["receipt"]["sandbox"], "workspace-write", "{printed}");
        printed["receipt"].clone()
    };
    let receipt = with("namespaces landlock:7\u{1b}[31m", false);
    assert_eq!(receipt["confinement"], "namespaces landlock:7 [31m", "one line, no signs");
    assert_eq!(with("landlock:7 seccomp", true)["confinement"], "landlock:7 seccomp");
    assert_eq!(with("", false)["confinement"], "");
    let id = receipt["id"].as_str().unwrap();
    let shown = world.tollgate(["receipts", "show", id]).run().success().text();
    assert!(shown.contains("namespaces landlock:7 [31m"), "{shown}");
    assert!(shown.contains("sandbox") && shown.contains("workspace-write"), "{shown}");
}
