//! [GATE-70] [GATE-71] Which level held, as receipts say it; settings; hosts that have less.

use serde_json::{Value, json};
use tollgate_proto::tool::v1::{Sandbox, Scope};
use tollgate_tests::{Command, World, binary, events::content_text};

use super::hand::{Hand, approved_calls, ordinary, reaching, withholds};

/// All that this host can have, for a command without network.
const ALL: [&str; 4] = ["namespaces", "places", "seccomp", "net:none"];

fn words(result: &Value) -> &str {
    result["receipt"]["confinement"].as_str().unwrap_or_default()
}

/// [GATE-70] [GATE-80] Each receipt names what held its call.
#[test]
fn receipts_name_what_held() {
    let world = World::new();
    let calls = ["ls", "touch a", "exit 3", "kill -9 $$"].map(|line| json!({ "command": line }));
    for result in approved_calls(&world, &calls, &[]) {
        assert!(ALL.iter().all(|word| words(&result).split(' ').any(|it| it == *word)), "{result}");
        assert!(words(&result).contains("landlock:"), "{result}");
    }
    let receipts = world.receipts(None);
    let said = receipts.0.iter().filter(|it| it.to_string().contains("places"));
    assert_eq!(said.count(), calls.len(), "{receipts:?}");
}

/// Lines that change something.
const WRITES: &[&str] = &[
    "echo y > f",
    "echo y > new",
    "rm f",
    "chmod 777 f",
    "touch -d 2001-01-01 f",
    "mkdir d",
    "ln f g",
    "git commit --allow-empty -m x",
    "mv f g",
    "sed -i s/x/y/ f",
    "python3 -c \"open('new', 'w')\"",
];

/// [GATE-71] What is read-only writes nowhere, also where the line does: a grant without write roots runs only
/// what the server itself proves to read, and one with them is held to reading all the same.
#[test]
fn a_read_only_call_writes_nowhere() {
    let world = World::new();
    world.write("f", "x");
    let mut hand = Hand::new(&world);
    let no_roots = |scope: &mut Scope| {
        reaching(Sandbox::ReadOnly)(scope);
        scope.write_roots.clear();
    };
    for line in WRITES {
        let line = format!("{line} && echo DONE");
        let done = hand.bash(&line, no_roots);
        assert!(
            !done.text.contains("DONE") && done.text.contains("nothing ran"),
            "{line}: {done:?}"
        );
        // A grant that says nothing is the tightest.
        for sandbox in [Sandbox::ReadOnly, Sandbox::Unspecified] {
            let done = hand.bash(&line, reaching(sandbox));
            assert!(!done.text.contains("DONE") && world.read("f") == "x", "{line}: {done:?}");
        }
    }
    assert!(hand.bash("cat f", no_roots).text.starts_with('x'));
    let done = hand.bash("echo t > $TMPDIR/t && cat f $TMPDIR/t", reaching(Sandbox::ReadOnly));
    assert!(done.text.starts_with("xt\n"), "{done:?}");
    assert!(hand.bash("echo y > f && echo DONE", ordinary).text.contains("DONE"));
}

/// [GATE-70] `[sandbox] mode = "off"`: nothing holds, and receipts say so.
#[test]
fn the_sandbox_can_be_switched_off() {
    let world = World::new().config("[sandbox]\nmode = \"off\"\n");
    let outside = world.beside("out");
    let call = json!({ "command": format!("echo x > {}", outside.display()) });
    let result = approved_calls(&world, &[call], &[]).remove(0);
    assert!(outside.exists() && words(&result) == "off", "{result}");
}

/// [GATE-70] Further folders of the user's settings may be changed, and no others.
#[test]
fn further_folders_can_be_given() {
    let world = World::new();
    let given = world.beside("given");
    std::fs::create_dir(&given).unwrap();
    let world = world.config(&format!("[sandbox]\nwrite = [{given:?}]\n"));
    let line = format!(
        "echo x > {}/f && echo DONE; echo x > {}/f && echo TOO",
        given.display(),
        world.folder().display()
    );
    let text = content_text(&approved_calls(&world, &[json!({ "command": line })], &[])[0]);
    assert!(text.contains("DONE") && !text.contains("TOO") && given.join("f").exists(), "{text}");
}

/// The same command where no namespace can be made.
fn without_namespaces(command: Command) -> Command {
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    command.under("unshare", ["-Ur", "sh", "-c", script, "sh"])
}

/// [GATE-70] A host without namespaces: Landlock and seccomp hold, receipts say what does not, and what is
/// required is refused.
#[test]
fn a_host_without_namespaces_has_less() {
    let world = World::new();
    world.write("secret.txt", "TOKEN");
    let mut hand =
        Hand::of(&world, without_namespaces(Command::new(&binary("tollgate-shell"))), &json!({}));
    assert!(hand.hello().contains("namespaces:none"), "{}", hand.hello());
    let outside = world.beside("new");
    let done = hand.bash(&format!("echo x > {}; echo y > in; cat in", outside.display()), ordinary);
    assert!(done.text.contains("y\n") && !outside.exists(), "{done:?}");
    assert!(done.confinement.contains("namespaces:none places:none landlock:"), "{done:?}");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for line in [
        format!("exec 3<> /dev/tcp/127.0.0.1/{port} && echo DONE"),
        "unshare -r true && echo DONE".to_owned(),
        format!("kill -0 {} && echo DONE", hand.server.process.pid),
        format!("cat /proc/{}/environ && echo DONE", hand.server.process.pid),
    ] {
        let done = hand.bash(&line, ordinary);
        assert!(!done.text.contains("DONE"), "{line}: {done:?}");
    }
    // What this tier cannot hold, its receipt says.
    let done = hand.bash("ls", withholds(&world, &["secret.txt"]));
    assert!(done.confinement.contains(" places:none "), "{done:?}");
}

/// [GATE-70] What is required and not there: nothing runs, and the error says what is missing.
#[test]
fn what_is_required_and_missing_is_refused() {
    let world = World::new().config("[sandbox]\nmode = \"required\"\n");
    let call = json!({ "command": "touch ran" }).to_string();
    let command = || world.tollgate(["call", "bash", &call, "--json", "--posture", "full-access"]);
    let ran = without_namespaces(command()).run();
    assert_ne!(ran.code, 0, "{ran}");
    assert!(!world.has("ran"), "{ran}");
    let said = ran.to_string();
    assert!(said.contains("namespaces") && said.contains("required"), "{said}");
    command().run().success();
    assert!(world.has("ran"));
    // The same host with less required.
    let world = World::new();
    let command = world.tollgate(["call", "bash", &call, "--json", "--posture", "full-access"]);
    let ran = without_namespaces(command).run().success();
    assert!(ran.text().contains("namespaces:none places:none"), "{ran}");
}

/// [GATE-71] Plan mode is free of shells.
#[test]
fn plan_mode_runs_no_line() {
    let world = World::new();
    let call = json!({ "command": "touch made" });
    let script = tollgate_tests::Script::new().call("bash", call).text("done");
    let command = world.exec(&script, "go").args(["--mode", "plan", "--allow", "bash"]);
    let events = command.args(["--posture", "full-access"]).run().events().well_formed();
    assert_eq!(events.one("tool.result")["status"], "refused", "{events:?}");
    assert!(!world.has("made"));
}
