//! `tollgate.kernel.v1`.

use crate::{
    kernel::v1::{
        CallToolRequest, CallToolResponse, CloseSessionRequest, CloseSessionResponse,
        DecideRequest, DecideResponse, GetSnapshotRequest, GetSnapshotResponse,
        ListReceiptsRequest, ListReceiptsResponse, OpenSessionRequest, OpenSessionResponse,
        RunTurnRequest, RunTurnResponse, SearchToolsRequest, SearchToolsResponse, SetStanceRequest,
        SetStanceResponse, WatchSessionRequest, WatchSessionResponse, decide_request::Answer,
    },
    tool::v1::Caller,
};

use super::{Sample, b, s, sample};

pub(super) fn all() -> Vec<Sample> {
    let session = s("session-1");
    let open = OpenSessionRequest {
        session: session.clone(),
        workspace: s("/srv/repo"),
        mode: s("work"),
        posture: s("ask"),
        model: s("openai:gpt-5"),
    };
    let opened = OpenSessionResponse { session: session.clone() };
    let turn = RunTurnRequest { session: session.clone(), prompt: s("Fix the test.") };
    let mut all = vec![
        sample("tollgate.kernel.v1.OpenSessionRequest", "", open),
        sample("tollgate.kernel.v1.OpenSessionResponse", "", opened),
        sample("tollgate.kernel.v1.RunTurnRequest", "", turn),
        sample(
            "tollgate.kernel.v1.WatchSessionRequest",
            "",
            WatchSessionRequest { session, observe_only: true },
        ),
        sample(
            "tollgate.kernel.v1.WatchSessionResponse",
            "",
            WatchSessionResponse { event: b(r#"{"type":"text"}"#) },
        ),
        sample(
            "tollgate.kernel.v1.RunTurnResponse",
            "",
            RunTurnResponse { event: b(r#"{"type":"text"}"#) },
        ),
    ];
    all.extend(stances());
    all.extend(calls());
    all.extend(readings());
    all
}

fn stances() -> Vec<Sample> {
    let session = s("session-1");
    let set = SetStanceRequest { session: session.clone(), mode: s("plan"), posture: s("never") };
    let now = SetStanceResponse { mode: s("plan"), posture: s("never") };
    vec![
        sample("tollgate.kernel.v1.SetStanceRequest", "", set),
        sample("tollgate.kernel.v1.SetStanceResponse", "", now),
        sample("tollgate.kernel.v1.CloseSessionRequest", "", CloseSessionRequest { session }),
        sample("tollgate.kernel.v1.CloseSessionResponse", "", CloseSessionResponse {}),
    ]
}

fn calls() -> Vec<Sample> {
    let session = s("session-1");
    let call = CallToolRequest {
        session: session.clone(),
        name: s("read"),
        arguments: b(r#"{"path":"a"}"#),
    };
    let called = CallToolResponse {
        result: b(r#"{"content":[],"is_error":false}"#),
        receipt: b(r#"{"decision":"auto"}"#),
    };
    let search = SearchToolsRequest { session: session.clone(), arguments: b(r#"{"query":"a"}"#) };
    let decide = DecideRequest {
        session,
        approval: s("approval-1"),
        answer: Answer::Deny.into(),
        message: s("not now"),
    };
    let decided = DecideResponse { taken: true, reason: s("already answered") };
    vec![
        sample("tollgate.kernel.v1.CallToolRequest", "", call),
        sample("tollgate.kernel.v1.CallToolResponse", "", called),
        sample("tollgate.kernel.v1.SearchToolsRequest", "", search),
        sample(
            "tollgate.kernel.v1.SearchToolsResponse",
            "",
            SearchToolsResponse { result: b(r#"{"tools":[]}"#) },
        ),
        sample("tollgate.kernel.v1.DecideRequest", "", decide),
        sample("tollgate.kernel.v1.DecideResponse", "", decided),
    ]
}

fn readings() -> Vec<Sample> {
    let session = s("session-1");
    let snapshot = GetSnapshotResponse {
        snapshot: b(r#"{"tools":[]}"#),
        callers: vec![Caller::Model.into(), Caller::Client.into()],
    };
    let receipts = ListReceiptsResponse {
        receipts: vec![b(r#"{"decision":"auto"}"#)],
        next_page_token: s("2"),
    };
    vec![
        sample(
            "tollgate.kernel.v1.GetSnapshotRequest",
            "",
            GetSnapshotRequest { session: session.clone() },
        ),
        sample("tollgate.kernel.v1.GetSnapshotResponse", "", snapshot),
        sample(
            "tollgate.kernel.v1.ListReceiptsRequest",
            "",
            ListReceiptsRequest { session, page_token: s("1") },
        ),
        sample("tollgate.kernel.v1.ListReceiptsResponse", "", receipts),
    ]
}
