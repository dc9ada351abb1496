//! The ways on which a call comes to the gate.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tollgate_proto::kernel::v1::{ListReceiptsRequest, OpenSessionRequest, decide_request::Answer};
use tollgate_tests::{
    Script, World, binary,
    kernel::{Client, Kernel},
    run::Command,
};

use super::{
    essence,
    generate::Group,
    program::{self, Told},
};

/// (trust of the server, taint): each a kernel of its own.
pub(super) const KINDS: [(&str, bool); 3] =
    [("trusted", false), ("trusted", true), ("untrusted", false)];

/// Whether what is met there is the same by `tollgate call`: taint is a matter of a session, and that has one
/// of its own for each call.
pub(super) fn runs_processes((_, taint): (&str, bool)) -> bool {
    !taint
}

/// The essences of a group's receipts by each caller, in the order of the calls.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) model: Vec<Value>,
    pub(super) server: Vec<Value>,
    pub(super) client: Vec<Value>,
    /// `None`: no program may run, and none did.
    pub(super) program: Option<Vec<Value>>,
    /// What model and program were told.
    pub(super) told: (Vec<Told>, Vec<Told>),
}

/// A world with a kernel that serves it.
#[derive(Debug)]
pub(super) struct Ground {
    world: World,
    workspace: PathBuf,
    kernel: Kernel,
}

impl Ground {
    pub(super) fn new((trust, taint): (&str, bool)) -> Self {
        let (program, between) = (binary("tollgate-standin"), binary("tollgate-between"));
        let world = World::in_memory();
        let guardian = guardian(&world);
        let world = world.config(&format!(
            "auto_review.model = {guardian:?}\ntaint = {taint}\n[servers.standin]\ncommand = [{program:?}]\ntrust = {trust:?}\n\
             [servers.between]\ncommand = [{between:?}]\ntrust = \"trusted\""
        ));
        let workspace = world.workspace();
        fs::write(world.beside("managed.toml"), "").unwrap();
        let kernel = Kernel::start_with(&world, |command| managed(&world, command));
        Self { world, workspace, kernel }
    }

    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Writes the files of a policy.
    pub(super) fn lay_down(&self, group: &Group) {
        let config = |name: &str| self.world.home().join("config").join(name);
        fs::write(config("permissions.toml"), &group.permissions).unwrap();
        fs::write(config("hooks.toml"), &group.hooks).unwrap();
        fs::write(self.world.beside("managed.toml"), &group.managed).unwrap();
        let law = self.workspace.join(".tollgate/law.toml");
        match &group.law {
            Some(text) => {
                fs::create_dir_all(law.parent().unwrap()).unwrap();
                fs::write(law, text).unwrap();
            }
            None => drop(fs::remove_dir_all(law.parent().unwrap())),
        }
        let trust = if group.trusted { "--yes" } else { "--revoke" };
        managed(&self.world, self.world.tollgate(["trust", trust])).run().success();
    }

    async fn open(&self, group: &Group, model: String) -> Client {
        let request = OpenSessionRequest {
            mode: group.mode.to_owned(),
            posture: group.posture.to_owned(),
            model,
            ..OpenSessionRequest::default()
        };
        self.kernel.open(request).await.expect("a session opens")
    }

    /// By the model, in a program of the model, from inside a call, and over gRPC, each in a session of
    /// its own whose questions are answered.
    pub(super) async fn watched(&self, group: &Group) -> Watched {
        let calls = group.calls.iter().map(|call| ("probe", call.clone()));
        let script = Script::new().calls(calls).text("done");
        let within = program::without_repeats(&group.calls);
        let within = within.map(|calls| json!({ "name": "probe", "calls": calls })).collect();
        let ((model, results), (program, programs), server, client) = tokio::join!(
            self.by_turn(group, script, "model", "probe"),
            self.by_turn(group, program::script(&group.calls), "program", "execute_tools"),
            self.by_calls(group, "server", "between", within),
            self.by_calls(group, "client", "probe", group.calls.clone()),
        );
        let results: Vec<_> = results.iter().map(Told::by_result).collect();
        if group.mode == "plan" {
            assert!(program.is_empty() && program::none_began(&programs), "{programs:?}");
            return Watched { model, server, client, program: None, told: Default::default() };
        }
        let told = (results, program::told(&programs));
        Watched { model, server, client, program: Some(program), told }
    }

    /// The essences of a caller's receipts in a turn, and the results of the calls of a tool that the
    /// model made itself.
    async fn by_turn(
        &self,
        group: &Group,
        script: Script,
        caller: &str,
        tool: &str,
    ) -> (Vec<Value>, Vec<Value>) {
        let session = self.open(group, self.world.script(&script)).await;
        let mut turn = session.turn("go").await.expect("a turn begins");
        let mut results = Vec::new();
        while let Some(event) = turn.next().await.expect("a turn ends") {
            answer(&session, &event).await;
            if event["type"] == "tool.result" && event["name"] == tool {
                results.push(event);
            }
        }
        (ended(session, caller).await, results)
    }

    /// The essences of a caller's receipts, of calls that a client makes.
    async fn by_calls(
        &self,
        group: &Group,
        caller: &str,
        tool: &str,
        calls: Vec<Value>,
    ) -> Vec<Value> {
        let session = self.open(group, String::new()).await;
        let answering = answer_all(&session).await;
        for arguments in &calls {
            session.call(tool, arguments).await.expect("a call ends");
        }
        answering.abort();
        ended(session, caller).await
    }

    /// Over gRPC and by `tollgate call`, with nobody to be asked.
    pub(super) async fn unwatched(&self, group: &Group, count: usize) -> (Vec<Value>, Vec<Value>) {
        let client = self.open(group, String::new()).await;
        let mut user = Vec::new();
        for call in group.calls.iter().take(count) {
            client.call("probe", call).await.expect("a call ends");
            let options = ["--mode", group.mode, "--posture", group.posture];
            let command = self.world.call("probe", call).args(options);
            let ran = managed(&self.world, command).run();
            user.push(alone(essence::of(&ran.json()["receipt"])));
        }
        let found = receipts(&client, "client").await.into_iter().map(alone).collect();
        client.close().await.expect("a session closes");
        (found, user)
    }
}

/// The name of a model that judges what is held: high for what may destroy something.
fn guardian(world: &World) -> String {
    let destroys = "\"destructive\":true";
    let no = json!({ "match": destroys, "risk": "high", "decision": "deny", "reason": "no" });
    let yes = json!({ "match": "", "risk": "low", "decision": "allow", "reason": "yes" });
    world.script(&Script::new().guardian(no).guardian(yes))
}

/// Without the sentence of an end that names why nobody can be asked: that differs by front.
fn alone(mut essence: Value) -> Value {
    if essence["end"]["error_class"] == "no_approver"
        && let Some(end) = essence["end"].as_object_mut()
    {
        end.remove("error");
    }
    essence
}

fn managed(world: &World, command: Command) -> Command {
    command.env("TOLLGATE_MANAGED", world.beside("managed.toml"))
}

/// Answers every question of a session.
async fn answer_all(session: &Client) -> JoinHandle<()> {
    let mut events = session.watch(false).await.expect("a session is watched");
    let session = session.clone();
    tokio::spawn(async move {
        while let Ok(Some(event)) = events.next().await {
            answer(&session, &event).await;
        }
    })
}

/// Answers an event that is a question, by the digest of its arguments.
async fn answer(session: &Client, event: &Value) {
    if event["type"] == "approval.requested" {
        let digest = event["card"]["arguments_sha256"].as_str().unwrap_or_default();
        let yes = digest.bytes().last().is_some_and(|byte| byte % 2 == 0);
        let answer = if yes { Answer::Once } else { Answer::Deny };
        let id = event["id"].as_str().unwrap_or_default();
        session.decide(id, answer, "").await;
    }
}

/// Closes a session; gives [`receipts`].
async fn ended(session: Client, caller: &str) -> Vec<Value> {
    let found = receipts(&session, caller).await;
    session.close().await.expect("a session closes");
    found
}

/// The essences of a session's receipts of a caller, in the order of the calls.
async fn receipts(session: &Client, caller: &str) -> Vec<Value> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListReceiptsRequest { session: session.session.clone(), page_token };
        let page = session.rpc.clone().list_receipts(request).await.expect("a page").into_inner();
        let page_of = page.receipts.iter().map(|text| serde_json::from_slice(text).unwrap());
        found.extend(
            page_of.filter(|receipt: &Value| {
                receipt["caller"] == caller && receipt["tool"] == "probe"
            }),
        );
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return found.iter().map(essence::of).collect();
        }
    }
}
