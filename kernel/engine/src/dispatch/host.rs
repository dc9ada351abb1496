//! What a running call asks the kernel for (`[PROTO-05]`): only what its manifest declares, and each
//! other tool through the same gate.

use std::{io::Read, pin::Pin};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    call::{Caller, Classified, RawCall, first_text},
    catalog::{HostService, contract::TOOL_SEARCH},
};
use tollgate_proto::tool::v1::{
    CallToolRequest, Host, ReadArtifactRequest, Reply, SearchToolsRequest, WriteArtifactRequest,
    host::Request, reply::Reply as Answer,
};

use crate::{
    clock,
    context::SessionContext,
    gate,
    store::{ArtifactId, artifacts::Durability},
};

/// Bytes of one piece of an artifact.
const ARTIFACT_PIECE_MAX: u32 = 64 * 1024;

/// Answers one request. Whatever goes wrong is a refusal with a reason.
pub(super) async fn answer(
    cx: &SessionContext,
    call: &Classified,
    host: Host,
    cancel: &CancellationToken,
) -> Reply {
    let Host { call_id, request_id, request } = host;
    let reply = match granted(call, request.as_ref()) {
        Err(refused) => Answer::Refused(refused),
        Ok(()) => match request {
            Some(Request::CallTool(asked)) => call_tool(cx, call, asked, cancel).await,
            Some(Request::ReadArtifact(asked)) => read_artifact(cx, &asked),
            Some(Request::WriteArtifact(asked)) => write_artifact(cx, &asked),
            // The same call by another word.
            Some(Request::SearchTools(SearchToolsRequest { arguments })) => {
                let asked = CallToolRequest { name: TOOL_SEARCH.to_owned(), arguments };
                call_tool(cx, call, asked, cancel).await
            }
            Some(Request::Generate(_) | Request::RunAgent(_) | Request::AskUser(_)) | None => {
                Answer::Refused("this kernel does not offer that service".to_owned())
            }
        },
    };
    Reply { call_id, request_id, reply: Some(reply) }
}

fn granted(call: &Classified, request: Option<&Request>) -> Result<(), String> {
    let needed = match request {
        Some(Request::CallTool(_)) => HostService::CallTool,
        Some(Request::SearchTools(_)) => HostService::SearchTools,
        Some(Request::Generate(_)) => HostService::Generate,
        Some(Request::RunAgent(_)) => HostService::RunAgent,
        Some(Request::AskUser(_)) => HostService::AskUser,
        Some(Request::ReadArtifact(_)) => HostService::ReadArtifact,
        Some(Request::WriteArtifact(_)) => HostService::WriteArtifact,
        None => return Err("a host request of a kind that this kernel does not know".to_owned()),
    };
    let entry = call.entry();
    if entry.host_services.contains(&needed) {
        return Ok(());
    }
    Err(format!("'{}' did not declare the host service {needed:?} in its manifest", entry.name))
}

/// Another tool: a call of its own, with its own receipt.
fn call_tool<'a>(
    cx: &'a SessionContext,
    parent: &'a Classified,
    asked: CallToolRequest,
    cancel: &'a CancellationToken,
) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
    let raw = RawCall {
        id: clock::call_id(),
        parent: Some(parent.raw().id.clone()),
        depth: parent.raw().depth.saturating_add(1),
        caller: Caller::Server,
        position: parent.raw().position.clone(),
        name: asked.name,
        arguments: asked.arguments,
    };
    Box::pin(async move {
        let ended = gate::run_call(cx, raw, cancel).await;
        if ended.as_ref().is_ok_and(|end| end.stop_turn) {
            // A person's stop is meant for whatever asked, too.
            cancel.cancel();
        }
        match ended {
            Ok(end) if end.result.is_error => Answer::Refused(error_text(&end.result)),
            Ok(end) => {
                let mut value = json!({
                    "content": end.result.content,
                    "metadata": end.result.metadata,
                    "truncated": end.result.truncated,
                });
                if let (Some(fields), false) =
                    (value.as_object_mut(), end.result.structured.is_null())
                {
                    fields.insert("structured".to_owned(), end.result.structured);
                }
                Answer::Value(value.to_string().into())
            }
            Err(error) => Answer::Refused(crate::servers::chain(&error)),
        }
    })
}

fn error_text(result: &gate::CallResult) -> String {
    let text = first_text(&result.content).unwrap_or("the call failed");
    crate::servers::wire::bounded(text.to_owned(), 4096)
}

fn read_artifact(cx: &SessionContext, asked: &ReadArtifactRequest) -> Answer {
    let piece = || -> Result<Vec<u8>, String> {
        // The contract has bare digits; what `write_artifact` and results name is taken too.
        let digits = asked.id.strip_prefix("artifact:").unwrap_or(&asked.id);
        let id: ArtifactId =
            format!("artifact:{digits}").parse().map_err(|error| format!("{error}"))?;
        let reader = cx
            .artifacts
            .open_at(id, asked.offset)
            .map_err(|error| crate::servers::chain(&error))?;
        let mut data = Vec::new();
        let limit = u64::from(asked.limit.min(ARTIFACT_PIECE_MAX));
        reader.take(limit).read_to_end(&mut data).map_err(|error| error.to_string())?;
        Ok(data)
    };
    piece().map_or_else(Answer::Refused, |data| Answer::Data(data.into()))
}

fn write_artifact(cx: &SessionContext, asked: &WriteArtifactRequest) -> Answer {
    match cx.artifacts.put(&asked.data, Durability::Process) {
        Ok(id) => Answer::Value(json!({ "id": id.to_string() }).to_string().into()),
        Err(error) => Answer::Refused(crate::servers::chain(&error)),
    }
}
