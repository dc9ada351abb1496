//! Mode and posture change while a program runs: what is left of it is refused.

use tollgate_proto::kernel::v1::decide_request::Answer;
use tollgate_tests::{eventually::eventually_true, kernel::Kernel};

use super::{
    approvals::{answer, card, finish, start, touch},
    *,
};

/// [CODE-06] After a change of posture or mode the rest of the program is refused, with that reason.
#[test]
fn a_change_of_stance_refuses_the_rest() {
    for (line, reason) in [
        (json!({ "posture": "never" }), "never"),
        (json!({ "mode": "plan" }), "plan"),
        (json!({ "posture": "full-access" }), "full-access"),
    ] {
        let world = world();
        let code = format!(
            "const out = [];
             for (const call of [() => {}, () => tools.read({{ path: 'a.txt' }}), () => {}])
               out.push(await call().then(() => 'ran', (error) => error.code + ': ' + error.message));
             return out",
            touch("one"),
            touch("two")
        );
        let mut turn = start(&world, &code, 60_000);
        let (id, _) = card(&mut turn);
        turn.say(&line.to_string());
        turn.event_type("stance.changed");
        answer(&mut turn, &id, "once");
        let (_, ended) = finish(turn);
        let value: Value = serde_json::from_str(ended.text.lines().next().unwrap()).unwrap();
        let rest = [value[1].as_str().unwrap(), value[2].as_str().unwrap()];
        for refused in rest {
            assert!(refused.starts_with("refused: "), "{line}: {value}");
            assert!(
                refused.contains("when the program began") && refused.contains(reason),
                "{value}"
            );
        }
        assert!(!world.has("two"), "{line}");
        // What waited goes on under the same or a wider posture only.
        assert_eq!(world.has("one"), reason == "full-access", "{line}: {value}");
    }
}

/// [CODE-06] The same over gRPC, while a call of the program runs.
#[tokio::test]
async fn a_client_changes_the_stance_while_a_program_runs() {
    let world = world();
    let kernel = Kernel::start(&world, []);
    let code = "const out = []; await tools.bash({ command: 'touch runs; while [ ! -e go ]; do :; done' });
                for (const path of ['a.txt', 'a.txt']) out.push(await tools.read({ path }).catch((e) => e.message));
                return out";
    let script =
        Script::new().call("execute_tools", json!({ "code": code })).text("{{last.content}}");
    let session = kernel.session(&world, &script).await;
    let mut turn = session.turn("go").await.unwrap();
    let id = turn.question().await;
    assert!(session.decide(&id, Answer::Once, "").await.taken);
    turn.until("tool.started").await;
    eventually_true("the command runs", || world.has("runs"));
    session.stance("plan", "").await.unwrap();
    world.write("go", "");
    let said = turn.until("turn.completed").await;
    let text = said["text"].as_str().unwrap();
    assert_eq!(text.matches("its other calls are refused").count(), 2, "{text}");
}
