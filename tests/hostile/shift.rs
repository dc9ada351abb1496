//! A server that has other tools from here on, and how it says so.

use tollgate_proto::tool::v1::{
    Completed, ManifestChanged, ToolSpec,
    completed::{Effects, Outcome, Rejection},
    server_frame::Frame,
};

use crate::{
    how::{Call, FLOOD, text},
    manifest,
    session::send,
};

/// Shifts, then ends the call: with a word ("shift", also of a manifest that breaks the contract,
/// "shift-broken"), with far too many ("shift-flood"), or by turning the call away, as made for the tools
/// of before ("shift-silently").
pub(crate) async fn run(call: &Call, how: &str) {
    let (mut manifest, _) = manifest::of(call.shared.behaviour);
    let mut tools = manifest::shifted();
    if how == "shift-broken" {
        tools.push(ToolSpec { name: "no name".into(), ..manifest::look() });
    }
    manifest::sign(&mut manifest, &tools);
    call.shared.offers((manifest, tools));
    let words = match how {
        "shift-silently" => 0,
        "shift-flood" => FLOOD,
        _ => 1,
    };
    for _ in 0..words {
        send(&call.out, Frame::ManifestChanged(ManifestChanged::default())).await;
    }
    call.complete(match words {
        0 => Completed {
            outcome: Outcome::Rejected.into(),
            rejection: Rejection::SchemaChanged.into(),
            effects: Effects::None.into(),
            ..text("another schema")
        },
        _ => text("shifted"),
    })
    .await;
}
