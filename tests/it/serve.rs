//! `tollgate serve`: the kernel for other front ends. Its calls pass the same gate, its questions are
//! answered by its clients, and who is none of them is not heard.
//!
//! Here: turns, calls and their questions. In `sessions`: what is opened, listed and wrong. In `peers`:
//! who is heard, and the socket.

mod peers;
mod sessions;

use std::fs;

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tollgate_proto::kernel::v1::decide_request::Answer;
use tollgate_tests::{
    Script, World,
    events::content_text,
    eventually::eventually_true,
    kernel::{Client, Kernel},
    peer::within,
    receipts::log_of,
};
use tonic::Code;

fn touch(name: &str) -> Value {
    json!({ "command": format!("touch {name}") })
}

/// A world whose kernel serves one session of a script.
async fn serving(script: &Script) -> (World, Kernel, Client) {
    let world = World::new();
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, script).await;
    (world, kernel, session)
}

/// [KERN-02] [GATE-62] A turn is run, its question answered, its events those of `stream-json`.
#[tokio::test]
async fn a_turn_is_run_and_its_question_answered() {
    let script = Script::new()
        .call("bash", touch("a.txt"))
        .call("bash", touch("b.txt"))
        .text("{{last.content}}");
    let (world, kernel, session) = serving(&script).await;
    let mut turn = session.turn("go").await.unwrap();
    let first = turn.next().await.unwrap().unwrap();
    assert_eq!(
        (&first["type"], &first["session"]),
        (&json!("turn.started"), &json!(session.session))
    );
    let asked = turn.until("approval.requested").await;
    assert_eq!(asked["card"]["arguments"], touch("a.txt"));
    let id = asked["id"].as_str().unwrap();
    assert!(!world.has("a.txt"));
    assert!(session.decide(id, Answer::Once, "").await.taken);
    let again = session.decide(id, Answer::Once, "").await;
    assert!(!again.taken && again.reason.contains("before"), "{}", again.reason);
    let id = turn.question().await;
    assert!(session.decide(&id, Answer::Deny, "use make").await.taken);
    let rest = turn.rest().await.unwrap();
    let end = rest.last().unwrap();
    assert_eq!((&end["type"], &end["refused"]), (&json!("turn.completed"), &json!(1)));
    assert!(end["text"].as_str().unwrap().contains("use make"), "{end}");
    assert!(world.has("a.txt") && !world.has("b.txt"));
    // The next turn may begin at once.
    let again = session.turn("more").await.unwrap().rest().await;
    assert_eq!(again.unwrap_err().code(), Code::FailedPrecondition, "the script is at its end");
    session.close().await.unwrap();
    let words = world.receipts(Some(&session.session)).sound(&world).words();
    assert_eq!(words, ["bash ok approved", "bash refused denied"]);
    drop(kernel);
}

/// [B107] [AP-10] A client that goes takes its turn and its question along; the next turn starts.
#[tokio::test]
async fn a_client_that_goes_closes_its_question() {
    let script = Script::new().call("bash", touch("a.txt")).text("well").text("well");
    let (world, _kernel, session) = serving(&script).await;
    let mut turn = session.turn("go").await.unwrap();
    let id = turn.question().await;
    drop(turn);
    let rest = session.turn("and now?").await.unwrap().rest().await.unwrap();
    assert_eq!(rest.last().unwrap()["stop_reason"], "end", "the next turn is answered");
    let late = session.decide(&id, Answer::Once, "").await;
    assert!(!late.taken && late.reason.contains("its call was"), "{}", late.reason);
    assert!(!world.has("a.txt"));
    session.close().await.unwrap();
    let words = world.receipts(Some(&session.session)).sound(&world).words();
    assert_eq!(words, ["bash refused refused"]);
    let answered = &log_of(&world, &session.session)[1];
    assert_eq!((&answered["type"], &answered["answer"]), (&json!("answered"), &json!("gone")));
}

/// [B107] The whole connection goes, as when an editor is killed.
#[tokio::test]
async fn a_connection_that_breaks_closes_its_questions() {
    let script = Script::new().call("bash", touch("a.txt")).text("well").text("well");
    let (world, kernel, session) = serving(&script).await;
    let other = Client { rpc: kernel.client().await, session: session.session.clone() };
    let mut turn = other.turn("go").await.unwrap();
    let id = turn.question().await;
    drop((turn, other));
    let rest = session.turn("and now?").await.unwrap().rest().await.unwrap();
    assert_eq!(rest.last().unwrap()["stop_reason"], "end");
    assert!(!session.decide(&id, Answer::Always, "").await.taken);
    assert!(!world.has("a.txt"));
}

/// [GATE-03] [GATE-62] A call that needs an approval is refused at once if nobody watches; whoever
/// watches is asked, and may come late.
#[tokio::test]
async fn a_call_asks_whoever_watches() {
    let (world, _kernel, session) = serving(&Script::new()).await;
    let unasked = session.call("bash", &touch("a.txt")).await.unwrap();
    assert_eq!(unasked.class(), "no_approver", "{}", unasked.result);
    let mut looker = session.watch(true).await.unwrap();
    let observed = session.call("bash", &touch("a.txt")).await.unwrap();
    assert_eq!(observed.class(), "no_approver", "who only looks is not asked");
    looker.until("tool.result").await;

    let mut front = session.watch(false).await.unwrap();
    let calls = async { session.call("bash", &touch("a.txt")).await };
    let answers = async {
        let asked = front.until("approval.requested").await;
        assert_eq!(asked["card"]["caller"], "client");
        // Another client comes late, sees the question that waits, and answers it.
        let mut late = session.watch(false).await.unwrap();
        let seen = late.next().await.unwrap().unwrap();
        assert_eq!(seen, asked, "the very same event");
        let id = asked["id"].as_str().unwrap();
        assert!(session.decide(id, Answer::Once, "").await.taken);
        late.until("approval.decided").await
    };
    let (called, decided) = tokio::join!(calls, answers);
    let called = called.unwrap();
    assert_eq!(decided["decision"], "approved");
    assert_eq!(
        (&called.receipt["caller"], &called.receipt["decision"]),
        (&json!("client"), &json!("approved"))
    );
    assert_eq!(called.result["is_error"], false);
    assert!(world.has("a.txt"));

    // The watcher goes while it is asked: refused, not run.
    let calls = async { session.call("bash", &touch("b.txt")).await };
    let leaves = async {
        front.until("approval.requested").await;
        drop((front, looker));
    };
    let (called, ()) = tokio::join!(calls, leaves);
    assert_eq!(called.unwrap().class(), "no_approver");
    assert!(!world.has("b.txt"));
    session.close().await.unwrap();
    world.receipts(Some(&session.session)).sound(&world);
}

/// [GATE-62] Two cards of two calls wait at once and are answered in reverse order.
#[tokio::test]
async fn two_calls_are_answered_in_reverse_order() {
    let (world, _kernel, session) = serving(&Script::new()).await;
    let mut front = session.watch(false).await.unwrap();
    let first = session.clone();
    let one = tokio::task::spawn(async move { first.call("bash", &touch("a.txt")).await });
    let asked_one = front.question().await;
    let second = session.clone();
    let two = tokio::task::spawn(async move { second.call("bash", &touch("b.txt")).await });
    let asked_two = front.question().await;
    assert!(session.decide(&asked_two, Answer::Once, "").await.taken);
    assert_eq!(within(two).await.unwrap().unwrap().receipt["decision"], "approved");
    assert!(world.has("b.txt") && !world.has("a.txt"));
    assert!(session.decide(&asked_one, Answer::Deny, "no").await.taken);
    assert_eq!(within(one).await.unwrap().unwrap().receipt["decision"], "denied");
    assert!(!world.has("a.txt"));
}

/// A call whose client goes is cancelled, and its question with it.
#[tokio::test]
async fn a_call_whose_client_goes_is_cancelled() {
    let (world, _kernel, session) = serving(&Script::new()).await;
    let mut front = session.watch(false).await.unwrap();
    let caller = session.clone();
    let call = tokio::task::spawn(async move { caller.call("bash", &touch("a.txt")).await });
    let id = front.question().await;
    call.abort();
    assert_eq!(front.until("tool.result").await["status"], "refused");
    assert!(!session.decide(&id, Answer::Once, "").await.taken);
    assert!(!world.has("a.txt"));
}

/// [GATE-01] [GATE-10] A call of a client is refused by mode, posture and rule as the same call of a
/// person is.
#[tokio::test]
async fn a_call_is_refused_as_a_direct_one() {
    let world = World::new();
    let config = world.home().join("config");
    let rule =
        "[[rule]]\naction = \"deny\"\ntool = \"bash\"\ncommand = [\"touch\", \"denied.txt\"]\n";
    fs::write(config.join("permissions.toml"), rule).unwrap();
    let hook = "[[hook]]\nevent = \"tool_call_before\"\ncommand = \"if grep -q hooked; then exit 2; else echo '{}'; fi\"\n";
    fs::write(config.join("hooks.toml"), hook).unwrap();
    let law = "[[protect]]\npaths = [\"lawful/**\"]\naction = \"block\"\nreason = \"law\"\n";
    world.write(".tollgate/law.toml", law);
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, &Script::new()).await;
    let write = |path: &str| json!({ "path": path, "content": "x" });
    let rows: [(&str, &str, &str, Value); 7] = [
        ("plan", "full-access", "bash", touch("a.txt")),
        ("plan", "ask", "write", write("a.txt")),
        ("work", "never", "write", write("a.txt")),
        ("work", "full-access", "bash", touch("denied.txt")),
        ("work", "full-access", "bash", touch("hooked.txt")),
        ("work", "full-access", "write", write("lawful/a.txt")),
        ("work", "ask", "bash", touch("a.txt")),
    ];
    let mut layers = Vec::new();
    for (mode, posture, tool, arguments) in rows {
        let now = session.stance(mode, posture).await.unwrap();
        assert_eq!(now, (mode.to_owned(), posture.to_owned()));
        let called = session.call(tool, &arguments).await.unwrap();
        let stance = ["--mode", mode, "--posture", posture];
        let direct = world.call(tool, &arguments).args(stance).run().code(3).json();
        let class = direct["result"]["metadata"]["error"].as_str().unwrap();
        assert_eq!(called.class(), class, "{mode} {posture} {tool}");
        let word = |receipt: &Value| (receipt["decision"].clone(), receipt["layers"].clone());
        assert_eq!(word(&called.receipt), word(&direct["receipt"]), "{mode} {posture} {tool}");
        layers.push(called.result["metadata"]["layer"].as_str().unwrap().to_owned());
    }
    assert_eq!(layers[3..], ["rules", "hooks", "law", "approval"]);
    for name in ["a.txt", "denied.txt", "hooked.txt", "lawful/a.txt"] {
        assert!(!world.has(name), "{name}");
    }
}

/// [GATE-12] The stance is changed while the turn waits, without waiting for it; the yes is judged anew.
#[tokio::test]
async fn a_change_of_stance_overtakes_a_turn() {
    let script = Script::new().call("bash", touch("a.txt")).text("{{last.content}}");
    let (world, _kernel, session) = serving(&script).await;
    let mut turn = session.turn("go").await.unwrap();
    let id = turn.question().await;
    assert_eq!(session.stance("plan", "").await.unwrap(), ("plan".into(), "ask".into()));
    assert!(session.decide(&id, Answer::Once, "").await.taken);
    let result = turn.until("tool.result").await;
    assert_eq!(result["metadata"]["error"], "plan_mode");
    assert!(content_text(&result).contains("plan mode"), "{result}");
    assert!(!world.has("a.txt"));
}

/// [B107] A kernel without any client left has no question that waits.
#[tokio::test]
async fn nothing_is_left_when_all_clients_go() {
    let script = Script::new().call("bash", touch("a.txt")).text("done");
    let (world, kernel, session) = serving(&script).await;
    let mut turn = session.turn("go").await.unwrap();
    turn.question().await;
    let id = session.session.clone();
    drop((turn, session));
    let (world, id) = tokio::task::spawn_blocking(move || {
        eventually_true("the call has its end", || {
            log_of(&world, &id).iter().any(|record| record["type"] == "receipt")
        });
        (world, id)
    })
    .await
    .unwrap();
    kernel.process.signal(Signal::SIGTERM);
    kernel.process.finish().success();
    world.receipts(Some(&id)).sound(&world);
}

/// [B107] A session that is closed while a card waits takes its turn and its question along.
#[tokio::test]
async fn closing_a_session_ends_its_turn() {
    let script = Script::new().call("bash", touch("a.txt")).text("never said");
    let (world, kernel, session) = serving(&script).await;
    let mut turn = session.turn("go").await.unwrap();
    turn.question().await;
    let other = Client { rpc: kernel.client().await, session: session.session.clone() };
    let mut watch = other.watch(true).await.unwrap();
    other.close().await.unwrap();
    let rest = turn.rest().await.unwrap();
    assert_eq!(rest.last().unwrap()["stop_reason"], "cancelled");
    assert_eq!(watch.until("session.ended").await["session"], session.session.as_str());
    assert!(watch.next().await.unwrap().is_none(), "and its watchers end");
    assert!(!world.has("a.txt"));
    world.receipts(Some(&session.session)).sound(&world);
}
