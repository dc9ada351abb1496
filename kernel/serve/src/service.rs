//! One method an RPC: checks what the client says, has it done, answers.
//!
//! Invariant: whatever a client sends is answered by a value or a status.

use std::{collections::VecDeque, path::PathBuf, pin::Pin, sync::Arc};

use bytes::Bytes;
use futures::{Stream, stream::unfold};
use tokio::sync::{OwnedSemaphorePermit, SemaphorePermit, broadcast};
use tollgate_core::{
    call::first_text,
    catalog::contract::TOOL_SEARCH,
    name::SessionId,
    stance::{Mode, Posture, Stance},
};
use tollgate_engine::{
    approval::{
        Answer,
        desk::{Decided, Front as AtDesk},
    },
    error::KernelError,
    gate::CallEnd,
    snapshot::inspect,
    store::{StoreError, receipts, session},
};
use tollgate_proto::kernel::v1::{
    CallToolRequest, CallToolResponse, CloseSessionRequest, CloseSessionResponse, DecideRequest,
    DecideResponse, GetSnapshotRequest, GetSnapshotResponse, ListReceiptsRequest,
    ListReceiptsResponse, OpenSessionRequest, OpenSessionResponse, RunTurnRequest, RunTurnResponse,
    SearchToolsRequest, SearchToolsResponse, SetStanceRequest, SetStanceResponse,
    WatchSessionRequest, WatchSessionResponse, decide_request, kernel_server::Kernel,
};
use tonic::{Code, Request, Response, Status};

use crate::{
    limits::{
        ARGUMENTS_BYTES_MAX, MESSAGE_BYTES_MAX, NAME_BYTES_MAX, PATH_BYTES_MAX, PROMPT_BYTES_MAX,
        SEARCH_BYTES_MAX, STREAMS_MAX,
    },
    page,
    sessions::{Asked, Sessions},
    status::{self, exhausted, invalid},
};

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct Front(pub(crate) Arc<Sessions>);

type Events<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl Kernel for Front {
    type RunTurnStream = Events<RunTurnResponse>;
    type WatchSessionStream = Events<WatchSessionResponse>;

    async fn open_session(
        &self,
        request: Request<OpenSessionRequest>,
    ) -> Result<Response<OpenSessionResponse>, Status> {
        let asked = asked(request.into_inner())?;
        let sessions = Arc::clone(&self.0);
        let opened = self.0.tasks.spawn(async move { sessions.open(asked).await });
        let id = opened.await.map_err(|_| fault())??;
        Ok(Response::new(OpenSessionResponse { session: id.into() }))
    }

    async fn run_turn(
        &self,
        request: Request<RunTurnRequest>,
    ) -> Result<Response<Self::RunTurnStream>, Status> {
        let RunTurnRequest { session, prompt } = request.into_inner();
        let open = self.0.get(&session)?;
        bounded("prompt", prompt.len(), PROMPT_BYTES_MAX)?;
        if prompt.trim().is_empty() {
            return Err(invalid("prompt: it is empty; say what is to be done"));
        }
        let place = self.place()?;
        let turn = open.turn(&self.0.tasks, prompt).await?;
        let events = unfold((turn, place), |(mut turn, place)| async move {
            let told = turn.events.recv().await?;
            Some((told.map(|event| RunTurnResponse { event }), (turn, place)))
        });
        Ok(Response::new(Box::pin(events)))
    }

    async fn watch_session(
        &self,
        request: Request<WatchSessionRequest>,
    ) -> Result<Response<Self::WatchSessionStream>, Status> {
        let WatchSessionRequest { session, observe_only } = request.into_inner();
        let open = self.0.get(&session)?;
        let place = self.place()?;
        let front = (!observe_only).then(|| open.desk.attach());
        let (questions, events) = open.hub.watch();
        let watch = Watch { questions: questions.into(), events, _front: front, _place: place };
        let events = unfold(Some(watch), |watch| async {
            let mut watch = watch?;
            match watch.next().await? {
                Ok(event) => Some((Ok(WatchSessionResponse { event }), Some(watch))),
                Err(status) => Some((Err(status), None)),
            }
        });
        Ok(Response::new(Box::pin(events)))
    }

    async fn call_tool(
        &self,
        request: Request<CallToolRequest>,
    ) -> Result<Response<CallToolResponse>, Status> {
        let CallToolRequest { session, name, arguments } = request.into_inner();
        let open = self.0.get(&session)?;
        bounded("name", name.len(), NAME_BYTES_MAX)?;
        bounded("arguments", arguments.len(), ARGUMENTS_BYTES_MAX)?;
        let _place = self.place_of_call()?;
        let end = open.call(&self.0.tasks, name, arguments).await?;
        let result = serde_json::to_vec(&end.result).map_err(|_| fault())?;
        let receipt = page::receipt(&end.receipt);
        Ok(Response::new(CallToolResponse { result: result.into(), receipt }))
    }

    async fn search_tools(
        &self,
        request: Request<SearchToolsRequest>,
    ) -> Result<Response<SearchToolsResponse>, Status> {
        let SearchToolsRequest { session, arguments } = request.into_inner();
        let open = self.0.get(&session)?;
        bounded("arguments", arguments.len(), SEARCH_BYTES_MAX)?;
        let _place = self.place_of_call()?;
        let end = open.call(&self.0.tasks, TOOL_SEARCH.to_owned(), arguments).await?;
        if end.result.is_error {
            return Err(not_found_out(&end));
        }
        let result = serde_json::to_vec(&end.result.structured).map_err(|_| fault())?;
        Ok(Response::new(SearchToolsResponse { result: result.into() }))
    }

    async fn set_stance(
        &self,
        request: Request<SetStanceRequest>,
    ) -> Result<Response<SetStanceResponse>, Status> {
        let SetStanceRequest { session, mode, posture } = request.into_inner();
        let open = self.0.get(&session)?;
        let before = open.cx.stance();
        let stance = Stance {
            mode: mode_of(&mode)?.unwrap_or(before.mode),
            posture: posture_of(&posture)?.unwrap_or(before.posture),
        };
        let set = open.cx.set_stance(stance).await;
        let stance = set.map_err(|error| status::of_kernel(&error))?;
        let (mode, posture) = (stance.mode.as_str(), stance.posture.as_str());
        Ok(Response::new(SetStanceResponse { mode: mode.to_owned(), posture: posture.to_owned() }))
    }

    async fn close_session(
        &self,
        request: Request<CloseSessionRequest>,
    ) -> Result<Response<CloseSessionResponse>, Status> {
        let CloseSessionRequest { session } = request.into_inner();
        let sessions = Arc::clone(&self.0);
        let closed = self.0.tasks.spawn(async move { sessions.close(&session).await });
        closed.await.map_err(|_| fault())??;
        Ok(Response::new(CloseSessionResponse {}))
    }

    async fn decide(
        &self,
        request: Request<DecideRequest>,
    ) -> Result<Response<DecideResponse>, Status> {
        let request = request.into_inner();
        let open = self.0.get(&request.session)?;
        let answer = answer_of(&request)?;
        let reason = match open.desk.decide(&request.approval, answer) {
            Decided::Taken => String::new(),
            Decided::Stale(why) => why.to_owned(),
            Decided::Unknown => "there is no such question in this session".to_owned(),
        };
        Ok(Response::new(DecideResponse { taken: reason.is_empty(), reason }))
    }

    async fn get_snapshot(
        &self,
        request: Request<GetSnapshotRequest>,
    ) -> Result<Response<GetSnapshotResponse>, Status> {
        let open = self.0.get(&request.into_inner().session)?;
        let (kernel, id) = (Arc::clone(&self.0.kernel), open.cx.id.clone());
        let looked = tokio::task::spawn_blocking(move || inspect(kernel.state(), &id));
        let looked = looked.await.map_err(|_| fault())?;
        let inspected = looked.map_err(|error| status::of_kernel(&KernelError::Store(error)))?;
        let (snapshot, callers) =
            page::snapshot(&open.cx.seen().view, inspected.as_ref(), &open.cx.secrets);
        let callers = callers.into_iter().map(Into::into).collect();
        Ok(Response::new(GetSnapshotResponse { snapshot, callers }))
    }

    async fn list_receipts(
        &self,
        request: Request<ListReceiptsRequest>,
    ) -> Result<Response<ListReceiptsResponse>, Status> {
        let ListReceiptsRequest { session, page_token } = request.into_inner();
        let id = session_id(&session)?;
        let from = match page_token.as_str() {
            "" => 0,
            token => token.parse().map_err(|_| {
                invalid("page_token: no page was given this token; leave it empty to begin")
            })?,
        };
        let kernel = Arc::clone(&self.0.kernel);
        let listed = tokio::task::spawn_blocking(move || {
            let id = session::find(kernel.state(), id.as_str())?;
            let (records, _) = receipts::list(kernel.state(), &id)?;
            Ok::<_, StoreError>(page::receipts(&records, from))
        });
        let listed = listed.await.map_err(|_| fault())?;
        let (receipts, next) =
            listed.map_err(|error| status::of_kernel(&KernelError::Store(error)))?;
        let next_page_token = next.map(|next| next.to_string()).unwrap_or_default();
        Ok(Response::new(ListReceiptsResponse { receipts, next_page_token }))
    }
}

impl Front {
    /// A place for a call.
    fn place_of_call(&self) -> Result<SemaphorePermit<'_>, Status> {
        self.0.calls.try_acquire().map_err(|_| {
            exhausted("too many calls of clients run at once; wait for the end of one")
        })
    }

    /// A place for a stream.
    fn place(&self) -> Result<OwnedSemaphorePermit, Status> {
        Arc::clone(&self.0.streams).try_acquire_owned().map_err(|_| {
            exhausted(format!("{STREAMS_MAX} streams are open; end one of them first"))
        })
    }
}

/// A watcher's stream.
struct Watch {
    questions: VecDeque<Bytes>,
    events: broadcast::Receiver<Bytes>,
    _front: Option<AtDesk>,
    _place: OwnedSemaphorePermit,
}

impl Watch {
    async fn next(&mut self) -> Option<Result<Bytes, Status>> {
        if let Some(event) = self.questions.pop_front() {
            return Some(Ok(event));
        }
        match self.events.recv().await {
            Ok(event) => Some(Ok(event)),
            Err(broadcast::error::RecvError::Closed) => None,
            Err(broadcast::error::RecvError::Lagged(missed)) => {
                let text = format!(
                    "this watcher was too slow and missed {missed} events; the session's log has them, \
                     and a new WatchSession begins with the questions that wait"
                );
                Some(Err(status::status(Code::DataLoss, "TOO_SLOW", text)))
            }
        }
    }
}

/// Why a search has no answer: what was asked is no query, or the gate said no.
fn not_found_out(end: &CallEnd) -> Status {
    let text = first_text(&end.result.content).unwrap_or("the search failed");
    let class = end.receipt.end.as_ref().map_or("", |end| end.error_class.as_str());
    match class {
        "invalid_query" | "invalid_arguments" => invalid(format!("arguments: {text}")),
        "cancelled" => status::status(Code::Cancelled, "CANCELLED", text),
        _ if end.refused => status::status(Code::PermissionDenied, "REFUSED", text),
        _ => status::status(Code::Internal, "FAULT", text),
    }
}

fn asked(request: OpenSessionRequest) -> Result<Asked, Status> {
    let OpenSessionRequest { session, workspace, mode, posture, model } = request;
    bounded("workspace", workspace.len(), PATH_BYTES_MAX)?;
    bounded("model", model.len(), NAME_BYTES_MAX)?;
    let given = |text: String| (!text.is_empty()).then_some(text);
    Ok(Asked {
        resume: given(session).map(|id| session_id(&id)).transpose()?,
        workspace: given(workspace).map(PathBuf::from),
        mode: mode_of(&mode)?,
        posture: posture_of(&posture)?,
        model: given(model),
    })
}

fn session_id(text: &str) -> Result<SessionId, Status> {
    SessionId::try_from(text).map_err(|error| invalid(format!("session: {error}")))
}

fn mode_of(word: &str) -> Result<Option<Mode>, Status> {
    let known = Mode::ALL.map(Mode::as_str);
    one_of("mode", word, &known)?;
    Ok(Mode::ALL.into_iter().find(|mode| mode.as_str() == word))
}

fn posture_of(word: &str) -> Result<Option<Posture>, Status> {
    let known = Posture::ALL.map(Posture::as_str);
    one_of("posture", word, &known)?;
    Ok(Posture::ALL.into_iter().find(|posture| posture.as_str() == word))
}

/// Nothing, or one of the words.
fn one_of(field: &str, word: &str, known: &[&str]) -> Result<(), Status> {
    if word.is_empty() || known.contains(&word) {
        return Ok(());
    }
    Err(invalid(format!("{field}: it is one of {}, or empty", known.join(", "))))
}

/// What a person said. A word of a later version says nothing here.
fn answer_of(request: &DecideRequest) -> Result<Answer, Status> {
    use decide_request::Answer as Said;
    bounded("message", request.message.len(), MESSAGE_BYTES_MAX)?;
    let said = Said::try_from(request.answer)
        .map_err(|_| invalid("answer: this kernel does not know it; the question still waits"))?;
    let message = (!request.message.is_empty()).then(|| request.message.clone());
    if message.is_some() && !matches!(said, Said::Deny | Said::Unspecified) {
        return Err(invalid("message: it goes with ANSWER_DENY only; the question still waits"));
    }
    Ok(match said {
        Said::Unspecified | Said::Deny => Answer::Deny(message),
        Said::Once => Answer::Once,
        Said::Session => Answer::Session,
        Said::Always => Answer::Always,
        Said::Stop => Answer::Stop,
    })
}

fn bounded(field: &str, bytes: usize, max: usize) -> Result<(), Status> {
    if bytes <= max {
        return Ok(());
    }
    Err(invalid(format!("{field}: it has {bytes} bytes, and at most {max} are taken")))
}

fn fault() -> Status {
    status::status(Code::Internal, "FAULT", "a fault of the kernel; its log says more")
}
