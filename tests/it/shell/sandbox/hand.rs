//! Ways to run lines: past the gate, with a grant that the test writes; and through it, where a person says
//! yes.

use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tollgate_proto::tool::v1::{
    Completed, Credit, Sandbox, Scope, Withheld, completed::Outcome, content_block::Block,
    kernel_frame::Frame, server_frame::Frame as FromServer,
};
use tollgate_tests::{
    Command, Script, World, binary,
    events::content_text,
    peer::{self, Peer},
    server::ToolServer,
};

/// A shell server, and a kernel made by hand that grants what the test says.
pub(super) struct Hand {
    peer: Peer,
    pub(super) server: ToolServer,
    runtime: Runtime,
    calls: usize,
}

/// How a call ended.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) text: String,
    /// What held it.
    pub(super) confinement: String,
    pub(super) succeeded: bool,
}

impl Hand {
    /// A server as a kernel starts it.
    pub(super) fn new(world: &World) -> Self {
        Self::of(world, Command::new(&binary("tollgate-shell")), &json!({}))
    }

    /// One of a command, with settings.
    pub(super) fn of(world: &World, command: Command, settings: &Value) -> Self {
        let state = world.beside("shell-state");
        std::fs::create_dir_all(&state).unwrap();
        let more = json!({ "state": state, "settings": settings });
        let command = command.env("HOME", world.folder());
        let server = ToolServer::of_command(world, command, &more);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let peer = runtime.block_on(async {
            let channel = peer::unix(&server.socket).await.expect("the server lets its kernel in");
            Peer::attach(channel, server.credentials.clone(), &world.workspace()).await
        });
        Self { peer, server, runtime, calls: 0 }
    }

    /// What the server says of its confinement.
    pub(super) fn hello(&self) -> &str {
        &self.peer.hello.confinement
    }

    /// A line with the ordinary grant, changed.
    pub(super) fn bash(&mut self, line: &str, change: impl FnOnce(&mut Scope)) -> Done {
        self.call("bash", &json!({ "command": line }), change)
    }

    /// A call with the ordinary grant, changed.
    pub(super) fn call(
        &mut self,
        tool: &str,
        arguments: &Value,
        change: impl FnOnce(&mut Scope),
    ) -> Done {
        self.calls += 1;
        let id = format!("c-{}", self.calls);
        let mut claims = self.peer.claims(&id, tool, arguments);
        change(claims.scope.as_mut().unwrap());
        let grant = self.peer.sign(&claims);
        let peer = &mut self.peer;
        let completed = self.runtime.block_on(async {
            peer.send_start(&id, tool, arguments, Some(grant)).await;
            loop {
                let frame = peer.next().await.expect("the session goes on");
                if let FromServer::Output(output) = &frame {
                    let bytes = u32::try_from(output.data.len()).unwrap();
                    peer.send(Frame::Credit(Credit { call_id: id.clone(), bytes })).await;
                }
                if let FromServer::Completed(completed) = frame
                    && completed.call_id == id
                {
                    break completed;
                }
            }
        });
        Done::of(&completed)
    }
}

impl Done {
    fn of(completed: &Completed) -> Self {
        let texts = completed.content.iter().filter_map(|block| match &block.block {
            Some(Block::Text(text)) => Some(text.as_str()),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        let refused = (!completed.error_class.is_empty() && text.is_empty())
            .then(|| format!("{}: {completed:?}", completed.error_class));
        Self {
            text: refused.unwrap_or(text),
            confinement: completed.confinement.clone(),
            succeeded: completed.outcome() == Outcome::Succeeded,
        }
    }
}

/// A grant that withholds these places of the workspace, and what git and others call them.
pub(super) fn withholds(world: &World, globs: &[&str]) -> impl Fn(&mut Scope) + Clone {
    let root = world.workspace();
    let globs: Vec<_> = globs.iter().map(|glob| root.join(glob).display().to_string()).collect();
    move |scope| scope.withheld = Some(Withheld { globs: globs.clone(), names: Vec::new() })
}

/// The grant as it is.
pub(super) fn ordinary(_: &mut Scope) {}

/// A grant of this reach.
pub(super) fn reaching(sandbox: Sandbox) -> impl Fn(&mut Scope) {
    move |scope| scope.sandbox = sandbox.into()
}

/// The results of calls of `bash` in one turn, in which a person says yes to every question.
#[track_caller]
pub(super) fn approved_calls(world: &World, calls: &[Value], options: &[&str]) -> Vec<Value> {
    let script = calls.iter().fold(Script::new(), |script, it| script.call("bash", it.clone()));
    let steps = (calls.len() + 2).to_string();
    let command = world.exec(&script.text("done"), "go");
    answered(command.args(["--max-steps", &steps]).args(options), calls.len())
}

/// The same of a command, which has this many calls.
#[track_caller]
pub(super) fn answered(command: Command, calls: usize) -> Vec<Value> {
    let mut turn = command.args(["--approvals", "stdio"]).stdin_open().spawn();
    let mut results = Vec::new();
    while results.len() < calls {
        let is = |event: &Value, kind: &str| event["type"] == kind;
        let event = turn.event("a question or a result", |event| {
            is(event, "approval.requested") || is(event, "tool.result")
        });
        if is(&event, "tool.result") {
            results.push(event);
        } else {
            turn.say(&json!({ "approval": event["id"], "answer": "once" }).to_string());
        }
    }
    turn.finish().success();
    results
}

/// The results of lines in one turn, in which a person says yes to every question.
#[track_caller]
pub(super) fn approved(world: &World, lines: &[&str]) -> Vec<Value> {
    let calls: Vec<_> = lines.iter().map(|line| json!({ "command": line })).collect();
    approved_calls(world, &calls, &[])
}

/// The texts of results.
pub(super) fn texts(results: &[Value]) -> Vec<String> {
    results.iter().map(content_text).collect()
}

/// Whether a program can be run here.
pub(super) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
