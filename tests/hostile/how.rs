//! What one call does, by its argument `how`.

use std::sync::{Arc, atomic::Ordering};

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tollgate_proto::{
    limits::OUTPUT_CREDIT_BYTES,
    tool::v1::{
        Accepted, CallToolRequest, Completed, ContentBlock, ContextChange, Host, Log, Output,
        Progress, Reply, SearchToolsRequest, Start,
        accepted::Disposition,
        called,
        completed::{Effects, Outcome},
        content_block::Block,
        context_change::Change,
        host::Request,
        output::Channel,
        reply,
        server_frame::Frame,
    },
};
use tonic::Status;

use crate::{
    journal, leak, program,
    service::Shared,
    session::{Out, send},
    shift,
};

/// What the process ends with when a call ends it.
const DEATH: i32 = 9;
/// Frames of a flood.
pub(crate) const FLOOD: u64 = 20_000;
/// Bytes of a frame that no kernel takes.
const OVERSIZE_BYTES: usize = 5 * 1024 * 1024;
/// Bytes of a large result.
const LARGE_BYTES: usize = 20 * 1024 * 1024;

/// The arguments of every tool here.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Arguments {
    #[serde(default)]
    pub(crate) how: String,
    #[serde(default)]
    pub(crate) password: String,
    /// What stands in for a program.
    #[serde(default)]
    code: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    arguments: Value,
}

impl Arguments {
    /// Reads them; what cannot be read is empty.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap_or_default()
    }
}

/// A call that runs.
pub(crate) struct Call {
    pub(crate) shared: Arc<Shared>,
    pub(crate) start: Start,
    pub(crate) out: Out,
    pub(crate) replied: mpsc::Receiver<Reply>,
    pub(crate) cancelled: CancellationToken,
}

/// Runs a call.
pub(crate) async fn run(call: Call) {
    let arguments = Arguments::of(&call.start.arguments);
    let tries = journal::note(call.shared.settings.journal.as_deref(), &call.start);
    match arguments.how.as_str() {
        "unaccepted" => return std::future::pending().await,
        "die-unaccepted" => std::process::exit(DEATH),
        _ => {}
    }
    call.accept().await;
    match call.start.tool.as_str() {
        "login" => leak::run(&call, &arguments).await,
        "execute_tools" => program::run(call, &arguments.code).await,
        _ => misbehave(call, arguments, tries).await,
    }
}

/// What an ordinary tool's call does.
async fn misbehave(mut call: Call, arguments: Arguments, tries: usize) {
    match arguments.how.as_str() {
        "die" => std::process::exit(DEATH),
        "die-once" if tries == 1 => std::process::exit(DEATH),
        // Whatever it is told.
        "hang" => std::future::pending().await,
        "wait" => call.wait().await,
        "incomplete" => drop(call.out.send(None).await),
        "status" => drop(call.out.send(Some(Err(Status::internal("x".repeat(100_000))))).await),
        "details" => {
            call.shared.poison.trailers.store(true, Ordering::Relaxed);
            drop(call.out.send(None).await);
        }
        "disconnect" => call.shared.disconnect(),
        "goaway" => {
            call.shared.going.cancel();
            call.text("done after GOAWAY").await;
        }
        "flood-output" => call.flood_output().await,
        "flood-progress" => call.flood_progress().await,
        "flood-log" => call.flood_log().await,
        "flood-host" => call.flood_host().await,
        "flood-for-ever" => loop {
            call.progress("more".into()).await;
            call.output(1).await;
        },
        "recurse" => call.nest("look".into(), &json!({ "how": "recurse" })).await,
        "oversize" => call.output(OVERSIZE_BYTES).await,
        "stranger" => {
            let other = format!("{}0", call.start.call_id);
            call.complete(Completed { call_id: other, ..text("for another call") }).await;
            call.text("for this call").await;
        }
        "twice" => {
            call.text("first").await;
            call.text("second").await;
        }
        "late" => {
            call.text("the end").await;
            call.output(10).await;
            call.progress("after the end".into()).await;
        }
        "large" => call.large(true).await,
        "blob-lie" => call.large(false).await,
        "large-inline" => call.text(&"y".repeat(1024 * 1024)).await,
        "escape" => call.text("\u{1b}]0;owned\u{7}\u{1b}[2Jred \u{202e}txt.exe\u{0} end").await,
        "bad-metadata" => {
            call.complete(Completed { metadata: "{\"a\":".into(), ..text("odd metadata") }).await;
        }
        "cwd" => {
            let change = ContextChange { change: Some(Change::Cwd("/".into())) };
            call.complete(Completed { context_changes: vec![change], ..text("moved") }).await;
        }
        "nothing" => call.complete(Completed::default()).await,
        how if how.starts_with("shift") => shift::run(&call, how).await,
        "nest" => call.nest(arguments.name, &arguments.arguments).await,
        "find" => call.find(&arguments.arguments).await,
        _ => call.text("ok").await,
    }
}

/// The request for another tool's call.
pub(crate) fn other(name: String, arguments: &Value) -> Request {
    Request::CallTool(CallToolRequest {
        name,
        arguments: arguments.to_string().into(),
        arguments_blob: None,
    })
}

/// A result of one text.
pub(crate) fn text(text: &str) -> Completed {
    Completed {
        outcome: Outcome::Succeeded.into(),
        effects: Effects::Complete.into(),
        content: vec![ContentBlock { block: Some(Block::Text(text.to_owned())) }],
        ..Completed::default()
    }
}

impl Call {
    pub(crate) fn id(&self) -> String {
        self.start.call_id.clone()
    }

    async fn accept(&self) {
        let disposition = Disposition::Fresh.into();
        send(&self.out, Frame::Accepted(Accepted { call_id: self.id(), disposition })).await;
    }

    /// Ends the call, under its own id unless another is set.
    pub(crate) async fn complete(&self, completed: Completed) {
        let call_id =
            if completed.call_id.is_empty() { self.id() } else { completed.call_id.clone() };
        send(&self.out, Frame::Completed(Box::new(Completed { call_id, ..completed }))).await;
    }

    pub(crate) async fn text(&self, said: &str) {
        self.complete(text(said)).await;
    }

    pub(crate) async fn progress(&self, text: String) {
        send(
            &self.out,
            Frame::Progress(Progress { call_id: self.id(), text, fraction: Some(2.0) }),
        )
        .await;
    }

    async fn output(&self, bytes: usize) {
        self.said(Bytes::from(vec![b'z'; bytes])).await;
    }

    /// Says something on its terminal.
    pub(crate) async fn said(&self, data: Bytes) {
        let channel = Channel::Terminal.into();
        send(&self.out, Frame::Output(Output { call_id: self.id(), channel, data })).await;
    }

    /// As a good tool does.
    async fn wait(&self) {
        self.cancelled.cancelled().await;
        let outcome = Outcome::Cancelled.into();
        let effects = Effects::None.into();
        self.complete(Completed { outcome, effects, ..text("stopped") }).await;
    }

    /// Far more than was granted.
    async fn flood_output(&self) {
        for _ in 0..20 {
            self.output(4 * OUTPUT_CREDIT_BYTES as usize).await;
        }
        self.text("flooded").await;
    }

    async fn flood_progress(&self) {
        for number in 0..FLOOD {
            self.progress(format!("{number} \u{1b}[31m{}", "p".repeat(2000))).await;
        }
        self.text("flooded").await;
    }

    async fn flood_log(&self) {
        for number in 0..FLOOD {
            let log = Log { text: format!("{number} {}", "l".repeat(5000)), ..Log::default() };
            send(&self.out, Frame::Log(log)).await;
        }
        self.text("flooded").await;
    }

    async fn flood_host(&self) {
        for request_id in 0..100 {
            self.ask(request_id, other("look".into(), &json!({ "how": "hang" }))).await;
        }
    }

    /// 20 MB under their digest, or under another's.
    async fn large(&self, is_honest: bool) {
        let data = Bytes::from(b"0123456789abcde\n".repeat(LARGE_BYTES / 16));
        let named: &[u8] = if is_honest { &data } else { b"something else" };
        let blob = self.shared.blobs.keep(data.clone(), named);
        let content = vec![ContentBlock { block: Some(Block::Blob(blob)) }];
        self.complete(Completed { content, ..text("") }).await;
    }

    pub(crate) async fn ask(&self, request_id: u64, request: Request) {
        let request = Some(request);
        send(&self.out, Frame::Host(Host { call_id: self.id(), request_id, request })).await;
    }

    /// Has the kernel call another tool, and says what came back.
    async fn nest(&mut self, name: String, arguments: &Value) {
        self.ask(1, other(name, arguments)).await;
        self.tell_reply().await;
    }

    /// Has the kernel search its catalog, and says what came back.
    async fn find(&mut self, arguments: &Value) {
        let asked = SearchToolsRequest { arguments: arguments.to_string().into() };
        self.ask(1, Request::SearchTools(asked)).await;
        self.tell_reply().await;
    }

    /// Says what came back.
    async fn tell_reply(&mut self) {
        let said = match self.replied.recv().await.and_then(|reply| reply.reply) {
            Some(reply::Reply::Value(value)) => {
                format!("value: {}", String::from_utf8_lossy(&value))
            }
            Some(reply::Reply::Refused(why)) => format!("refused: {why}"),
            Some(reply::Reply::Data(data)) => format!("{} bytes", data.len()),
            Some(reply::Reply::Called(called)) => {
                let result = String::from_utf8_lossy(&called.result);
                match called.ending() {
                    called::Ending::Succeeded => format!("value: {result}"),
                    _ => format!("refused: {}", called.message),
                }
            }
            None => "no reply".to_owned(),
        };
        self.text(&said).await;
    }
}
