//! Goal: the order of frames ([PROTO-04]), one call's trouble is no other call's, and a session that
//! ends leaves nothing running ([PROTO-07]).

mod calls;
mod ends;
mod legacy;
mod rejections;

use tollgate_proto::tool::v1::{Completed, content_block::Block, server_frame::Frame};

/// The frames as words.
fn words(frames: &[Frame]) -> Vec<&'static str> {
    let word = |frame: &Frame| match frame {
        Frame::Heartbeat(_) => "heartbeat",
        Frame::Draining(_) => "draining",
        Frame::ManifestChanged(_) => "manifest changed",
        Frame::Log(_) => "log",
        Frame::Prepared(_) => "prepared",
        Frame::Accepted(_) => "accepted",
        Frame::Progress(_) => "progress",
        Frame::Output(_) => "output",
        Frame::Host(_) => "host",
        Frame::Completed(_) => "completed",
    };
    frames.iter().map(word).collect()
}

/// The text of a result.
fn text(completed: &Completed) -> &str {
    match &completed.content[0].block {
        Some(Block::Text(text)) => text,
        other => panic!("{other:?}"),
    }
}
