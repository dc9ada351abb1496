//! `tollgate serve`, and a client of it: what an editor or another front end would be.

use std::path::PathBuf;

use serde_json::Value;
use tollgate_proto::kernel::v1::{
    CallToolRequest, CallToolResponse, CloseSessionRequest, DecideRequest, DecideResponse,
    OpenSessionRequest, RunTurnRequest, RunTurnResponse, SetStanceRequest, WatchSessionRequest,
    WatchSessionResponse, decide_request::Answer, kernel_client::KernelClient,
};
use tonic::{Status, Streaming, transport::Channel};

use crate::{
    peer::{unix, within},
    run::{Command, Running},
    script::Script,
    world::World,
};

/// Bytes of a message that the client takes.
const MESSAGE_BYTES_MAX: usize = 128 * 1024 * 1024;

/// A kernel that serves.
#[derive(Debug)]
pub struct Kernel {
    /// Its process.
    pub process: Running,
    /// As it says where it listens: `unix:PATH`, or `https://HOST:PORT`.
    pub address: String,
}

impl Kernel {
    /// `tollgate serve` in a world, with further options; it listens when this returns.
    #[track_caller]
    #[must_use]
    pub fn start<'a>(world: &World, options: impl IntoIterator<Item = &'a str>) -> Self {
        Self::start_with(world, |command| command.args(options))
    }

    /// The same, with whatever else its command needs.
    #[track_caller]
    #[must_use]
    pub fn start_with(world: &World, more: impl FnOnce(Command) -> Command) -> Self {
        let mut process = more(world.tollgate(["serve", "--json"])).spawn();
        let said = process.event("where it listens", |line| line["listening"].is_string());
        let address = said["listening"].as_str().expect("it is a text").to_owned();
        Self { process, address }
    }

    /// Its Unix socket.
    #[track_caller]
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.address.strip_prefix("unix:").expect("it listens on a Unix socket").into()
    }

    /// A client of its Unix socket.
    pub async fn client(&self) -> KernelClient<Channel> {
        client(unix(&self.socket()).await.expect("the kernel is reached"))
    }

    /// A new session of a script, and its client.
    pub async fn session(&self, world: &World, script: &Script) -> Client {
        let model = world.script(script);
        self.open(OpenSessionRequest { model, ..OpenSessionRequest::default() })
            .await
            .expect("the session opens")
    }

    /// A session, and its client.
    ///
    /// # Errors
    /// As the kernel says.
    pub async fn open(&self, request: OpenSessionRequest) -> Result<Client, Status> {
        let mut rpc = self.client().await;
        let session = within(rpc.open_session(request)).await?.into_inner().session;
        Ok(Client { rpc, session })
    }
}

/// A client with the bounds that large arguments need.
#[must_use]
pub fn client(channel: Channel) -> KernelClient<Channel> {
    KernelClient::new(channel)
        .max_decoding_message_size(MESSAGE_BYTES_MAX)
        .max_encoding_message_size(MESSAGE_BYTES_MAX)
}

/// A client of one session.
#[derive(Clone, Debug)]
pub struct Client {
    /// The RPCs themselves.
    pub rpc: KernelClient<Channel>,
    /// The session.
    pub session: String,
}

/// A client that may wait, so that its answer is `?`-able in a test.
pub type Answered<T> = Result<T, Status>;

impl Client {
    /// Begins a turn.
    ///
    /// # Errors
    /// As the kernel says; so for all that follow.
    pub async fn turn(&self, prompt: &str) -> Answered<Stream<RunTurnResponse>> {
        let request = RunTurnRequest { session: self.session.clone(), prompt: prompt.to_owned() };
        let stream = within(self.rpc.clone().run_turn(request)).await?.into_inner();
        Ok(Stream { stream })
    }

    /// Watches the session.
    ///
    /// # Errors
    /// As the kernel says.
    pub async fn watch(&self, observe_only: bool) -> Answered<Stream<WatchSessionResponse>> {
        let request = WatchSessionRequest { session: self.session.clone(), observe_only };
        let stream = within(self.rpc.clone().watch_session(request)).await?.into_inner();
        Ok(Stream { stream })
    }

    /// One call.
    ///
    /// # Errors
    /// As the kernel says.
    pub async fn call(&self, name: &str, arguments: &Value) -> Answered<Called> {
        let request = CallToolRequest {
            session: self.session.clone(),
            name: name.to_owned(),
            arguments: arguments.to_string().into(),
        };
        let answer = within(self.rpc.clone().call_tool(request)).await?.into_inner();
        Ok(Called::of(&answer))
    }

    /// Answers a question.
    pub async fn decide(&self, approval: &str, answer: Answer, message: &str) -> DecideResponse {
        let request = DecideRequest {
            session: self.session.clone(),
            approval: approval.to_owned(),
            answer: answer.into(),
            message: message.to_owned(),
        };
        let decided = within(self.rpc.clone().decide(request)).await;
        decided.expect("an answer is taken or not").into_inner()
    }

    /// Changes mode and posture; empty: as they are.
    ///
    /// # Errors
    /// As the kernel says.
    pub async fn stance(&self, mode: &str, posture: &str) -> Answered<(String, String)> {
        let request = SetStanceRequest {
            session: self.session.clone(),
            mode: mode.to_owned(),
            posture: posture.to_owned(),
        };
        let now = within(self.rpc.clone().set_stance(request)).await?.into_inner();
        Ok((now.mode, now.posture))
    }

    /// Closes the session.
    ///
    /// # Errors
    /// As the kernel says.
    pub async fn close(&self) -> Answered<()> {
        let request = CloseSessionRequest { session: self.session.clone() };
        within(self.rpc.clone().close_session(request)).await.map(drop)
    }
}

/// Result and receipt of a call.
#[derive(Clone, Debug)]
pub struct Called {
    /// As `call --json` has it.
    pub result: Value,
    /// The receipt.
    pub receipt: Value,
}

impl Called {
    fn of(answer: &CallToolResponse) -> Self {
        let json = |bytes: &[u8]| serde_json::from_slice(bytes).expect("it is JSON");
        Self { result: json(&answer.result), receipt: json(&answer.receipt) }
    }

    /// Why it did not run.
    #[must_use]
    pub fn class(&self) -> &str {
        self.result["metadata"]["error"].as_str().unwrap_or_default()
    }
}

/// Something that carries an event.
pub trait Carries {
    /// The event's JSON text.
    fn event(&self) -> &[u8];
}

impl Carries for RunTurnResponse {
    fn event(&self) -> &[u8] {
        &self.event
    }
}

impl Carries for WatchSessionResponse {
    fn event(&self) -> &[u8] {
        &self.event
    }
}

/// Events as they come; dropping it tells the kernel that nobody listens any more.
#[derive(Debug)]
pub struct Stream<T> {
    stream: Streaming<T>,
}

impl<T: Carries> Stream<T> {
    /// The next event; `None`: the stream has ended well.
    ///
    /// # Errors
    /// The status with which it ended.
    pub async fn next(&mut self) -> Answered<Option<Value>> {
        let event = within(self.stream.message()).await?;
        Ok(event.map(|it| serde_json::from_slice(it.event()).expect("an event is JSON")))
    }

    /// The next event of a type; others are passed over.
    pub async fn until(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await.expect("the stream goes on");
            let event = event.unwrap_or_else(|| panic!("the stream ended before {kind}"));
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// The id of the next question.
    pub async fn question(&mut self) -> String {
        let event = self.until("approval.requested").await;
        event["id"].as_str().expect("a question has an id").to_owned()
    }

    /// All events up to the end.
    ///
    /// # Errors
    /// The status with which it ended.
    pub async fn rest(mut self) -> Answered<Vec<Value>> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await? {
            events.push(event);
        }
        Ok(events)
    }
}
