//! What a running call asks the kernel for (`[PROTO-05]`): only what its manifest declares.
//!
//! Not here: other tools (`nested`).

use std::io::Read;

use serde_json::json;
use tollgate_core::{call::Classified, catalog::HostService};
use tollgate_proto::tool::v1::{
    Host, ReadArtifactRequest, Reply, SearchToolsRequest, WriteArtifactRequest, host::Request,
    reply::Reply as Answer,
};

use super::nested::Asker;
use crate::{
    context::SessionContext,
    store::{ArtifactId, artifacts::Durability},
};

/// Bytes of one piece of an artifact.
const ARTIFACT_PIECE_MAX: u32 = 64 * 1024;

/// Answers one request. Whatever goes wrong is a refusal with a reason.
pub(super) async fn answer(asker: &Asker<'_>, host: Host) -> Reply {
    let Host { call_id, request_id, request } = host;
    let reply = match granted(asker.call, request.as_ref()) {
        Err(refused) => Answer::Refused(refused),
        Ok(()) => match request {
            Some(Request::CallTool(asked)) => asker.call(asked).await,
            Some(Request::ReadArtifact(asked)) => read_artifact(asker.cx, &asked),
            Some(Request::WriteArtifact(asked)) => write_artifact(asker.cx, &asked),
            Some(Request::SearchTools(SearchToolsRequest { arguments })) => {
                asker.search(arguments).await
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
