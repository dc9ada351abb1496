//! Policy files that change while a session runs: the next call meets them, a broken one stops what
//! changes something, and a yes that came under the old ones does not outlive them.

use std::fs;

use serde_json::{Value, json};
use tollgate_proto::kernel::v1::{OpenSessionRequest, decide_request::Answer};
use tollgate_tests::{World, binary, kernel::Kernel};

fn world() -> World {
    let program = binary("tollgate-standin");
    World::new().config(&format!("[servers.standin]\ncommand = [{program:?}]\ntrust = \"trusted\""))
}

fn permissions(world: &World, text: &str) {
    fs::write(world.home().join("config/permissions.toml"), text).unwrap();
}

/// A call that changes something, and the file that shows that it ran.
fn effect(world: &World, name: &str) -> (Value, std::path::PathBuf) {
    let leaves = world.beside(name);
    (json!({ "read_only": false, "leaves": leaves }), leaves)
}

/// [GATE-12] [GATE-20] G-07: replaced, broken, mended.
#[tokio::test]
async fn a_file_that_changes_holds_from_the_next_call_on() {
    let world = world();
    permissions(&world, "allow = [\"probe\"]\n");
    let kernel = Kernel::start(&world, []);
    let session = kernel.open(OpenSessionRequest::default()).await.unwrap();
    let (call, leaves) = effect(&world, "ran");
    let class = async || {
        drop(fs::remove_file(&leaves));
        let called = session.call("probe", &call).await.unwrap();
        assert_eq!(leaves.exists(), called.receipt["end"]["status"] == "ok");
        (called.class().to_owned(), called.receipt)
    };
    assert_eq!(class().await.0, "");
    permissions(&world, "deny = [\"probe\"]\n");
    assert_eq!(class().await.0, "rule");
    permissions(&world, "deny = [\"probe\"\n");
    let (broken, receipt) = class().await;
    // What was denied before stays denied; what a broken file would say is not known.
    assert!(matches!(broken.as_str(), "rule" | "policy_broken"), "{receipt}");
    let looks = json!({ "read_only": true });
    permissions(&world, "allow = [\"probe\"]\n");
    assert_eq!(class().await.0, "");
    permissions(&world, "alow = [\"probe\"]\n");
    let (broken, receipt) = class().await;
    assert_eq!(broken, "policy_broken");
    let said = receipt["end"]["error"].as_str().unwrap();
    assert!(said.contains("permissions.toml:1") && said.contains("'allow'"), "{said}");
    assert_eq!(session.call("probe", &looks).await.unwrap().class(), "", "looking goes on");
    permissions(&world, "allow = [\"probe\"]\n");
    assert_eq!(class().await.0, "");
    session.close().await.unwrap();
}

/// [GATE-12] [GATE-61]: layer 12 looks at the files as they are when the answer comes.
#[tokio::test]
async fn a_yes_does_not_outlive_the_rules_that_it_was_given_under() {
    let world = world();
    let kernel = Kernel::start(&world, []);
    let session = kernel.open(OpenSessionRequest::default()).await.unwrap();
    let mut events = session.watch(false).await.unwrap();
    let (call, leaves) = effect(&world, "ran");
    let waiting = tokio::spawn({
        let session = session.clone();
        async move { session.call("probe", &call).await.unwrap() }
    });
    let question = events.question().await;
    permissions(&world, "[[rule]]\naction = \"deny\"\ntool = \"probe\"\nreason = \"not today\"\n");
    assert!(session.decide(&question, Answer::Once, "").await.taken);
    let called = waiting.await.unwrap();
    assert_eq!((called.class(), leaves.exists()), ("rule", false));
    let said = called.receipt["end"]["error"].as_str().unwrap();
    assert!(said.contains("not today") && said.contains("while the call waited"), "{said}");
    session.close().await.unwrap();
}

/// The same for law that appears while a card waits, and for a mode that changes. [GATE-50]
#[tokio::test]
async fn a_law_that_appears_while_a_card_waits_holds() {
    let world = world();
    let kernel = Kernel::start(&world, []);
    let session = kernel.open(OpenSessionRequest::default()).await.unwrap();
    let mut events = session.watch(false).await.unwrap();
    let leaves = world.beside("ran");
    let path = world.workspace().join("migrations/1.sql");
    let call =
        json!({ "read_only": false, "leaves": leaves, "subjects": [{ "path": ["write", path] }] });
    let waiting = tokio::spawn({
        let session = session.clone();
        async move { session.call("probe", &call).await.unwrap() }
    });
    let question = events.question().await;
    world.write(".tollgate/law.toml", "[[protect]]\npaths = [\"migrations/**\"]\n");
    assert!(session.decide(&question, Answer::Once, "").await.taken);
    let called = waiting.await.unwrap();
    assert_eq!((called.class(), leaves.exists()), ("law", false), "{}", called.receipt);
    session.close().await.unwrap();
}

/// [GATE-51]: a client's wish for a wider posture ends at what the machine's owner allows.
#[tokio::test]
async fn the_owner_bounds_the_posture_of_a_client() {
    let world = world();
    let managed = world.beside("managed.toml");
    fs::write(&managed, "postures = [\"ask\", \"never\"]\n").unwrap();
    let kernel = Kernel::start_with(&world, |command| command.env("TOLLGATE_MANAGED", &managed));
    let wish =
        OpenSessionRequest { posture: "full-access".to_owned(), ..OpenSessionRequest::default() };
    let session = kernel.open(wish).await.unwrap();
    let (call, leaves) = effect(&world, "ran");
    let called = session.call("probe", &call).await.unwrap();
    assert_eq!((called.class(), leaves.exists()), ("no_approver", false), "{}", called.receipt);
    assert_eq!(called.receipt["posture"], "ask");
    assert_eq!(session.stance("", "full-access").await.unwrap().1, "ask");
    assert_eq!(session.stance("", "never").await.unwrap().1, "never");
    session.close().await.unwrap();
}
