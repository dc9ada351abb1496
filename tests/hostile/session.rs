//! One session: frames in, calls in tasks of their own, frames out.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{sync::mpsc, time::interval};
use tokio_util::sync::CancellationToken;
use tollgate_proto::tool::v1::{
    Attach, Heartbeat, Invalid, KernelFrame, Preparation, Prepare, Prepared, Reply, Safety,
    ServerFrame, Subject, kernel_frame::Frame as FromKernel, prepared, server_frame::Frame,
    subject,
};
use tonic::{Status, Streaming};

use crate::{
    behaviour::Behaviour,
    how::{self, Arguments, Call},
    leak,
    service::Shared,
};

/// Where frames go; `None` ends the stream.
pub(crate) type Out = mpsc::Sender<Option<Result<ServerFrame, Status>>>;

/// Subjects of a call that has far too many.
const SUBJECTS: usize = 10_000;
/// Bytes of a preview that is far too long.
const PREVIEW_BYTES: usize = 1024 * 1024;

/// What reaches a running call.
#[derive(Clone, Debug)]
struct Running {
    replies: mpsc::Sender<Reply>,
    cancelled: CancellationToken,
}

/// Runs a session to its end.
pub(crate) async fn run(shared: Arc<Shared>, mut incoming: Streaming<KernelFrame>, out: Out) {
    let Ok(Some(KernelFrame { frame: Some(FromKernel::Attach(attach)) })) =
        incoming.message().await
    else {
        drop(out.send(Some(Err(Status::invalid_argument("Attach comes first")))).await);
        return;
    };
    let Attach { heartbeat_ms, .. } = attach;
    let mut beat = interval(Duration::from_millis(u64::from(heartbeat_ms.max(100))));
    let mut beats = 0_u32;
    let running: Mutex<HashMap<String, Running>> = Mutex::default();
    let of = |id: &str| running.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
    loop {
        tokio::select! {
            frame = incoming.message() => match frame {
                Ok(Some(KernelFrame { frame: Some(FromKernel::Start(start)) })) => {
                    let (replies, replied) = mpsc::channel(16);
                    let cancelled = CancellationToken::new();
                    let known = Running { replies, cancelled: cancelled.clone() };
                    running.lock().unwrap_or_else(PoisonError::into_inner).insert(start.call_id.clone(), known);
                    let call = Call { shared: Arc::clone(&shared), start: *start, out: out.clone(), replied, cancelled };
                    tokio::spawn(how::run(call));
                }
                Ok(Some(KernelFrame { frame: Some(FromKernel::Prepare(prepare)) })) => {
                    if let Some(prepared) = prepared(prepare) {
                        send(&out, Frame::Prepared(prepared)).await;
                    }
                }
                Ok(Some(KernelFrame { frame: Some(FromKernel::Reply(reply)) })) => {
                    if let Some(call) = of(&reply.call_id) {
                        drop(call.replies.send(reply).await);
                    }
                }
                Ok(Some(KernelFrame { frame: Some(FromKernel::Cancel(cancel)) })) => {
                    if let Some(call) = of(&cancel.call_id) {
                        call.cancelled.cancel();
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return,
            },
            _ = beat.tick() => {
                beats += 1;
                if beats == 1 || shared.behaviour != Behaviour::Mute {
                    send(&out, Frame::Heartbeat(Heartbeat::default())).await;
                }
            }
        }
    }
}

/// Sends a frame; a stream that is gone needs none.
pub(crate) async fn send(out: &Out, frame: Frame) {
    drop(out.send(Some(Ok(ServerFrame { frame: Some(frame) }))).await);
}

/// What a call of `odd` would do, as its `how` says; `None`: no answer at all.
fn prepared(prepare: Prepare) -> Option<Prepared> {
    let arguments = Arguments::of(&prepare.arguments);
    let harmless = Preparation {
        safety: Some(Safety { read_only: true, concurrency_safe: true, ..Safety::default() }),
        ..Preparation::default()
    };
    let host = |number: usize| Subject {
        subject: Some(subject::Subject::Host(format!("h{number}.invalid"))),
    };
    let call_id = prepare.call_id.clone();
    if prepare.tool == "login" {
        return Some(Prepared { call_id, result: Some(leak::prepared(&arguments)) });
    }
    let result = match arguments.how.as_str() {
        "no-answer" => return None,
        "no-result" => None,
        "other-call" => {
            let result = Some(prepared::Result::Preparation(harmless));
            return Some(Prepared { call_id: format!("{call_id}0"), result });
        }
        "subjects" => Some(prepared::Result::Preparation(Preparation {
            subjects: (0..SUBJECTS).map(host).collect(),
            ..harmless
        })),
        "unknown-subject" => Some(prepared::Result::Preparation(Preparation {
            subjects: vec![Subject { subject: None }],
            ..harmless
        })),
        "preview" => Some(prepared::Result::Preparation(Preparation {
            title: "\u{1b}[2Jtitle ".repeat(1000),
            preview: "p".repeat(PREVIEW_BYTES),
            ..harmless
        })),
        "invalid" => Some(prepared::Result::Invalid(Invalid {
            message: "this way it cannot work; say how = ok".into(),
            pointer: "/how".into(),
            ..Invalid::default()
        })),
        _ => Some(prepared::Result::Preparation(harmless)),
    };
    Some(Prepared { call_id, result })
}
