//! The tool server `file`: `read`, `write`, `edit` beneath the roots of a session.
//!
//! In reading order: `roots` and `resolve` say where a path leads and open it; `text` and `ending`
//! know encodings and line endings; `window`, `pass` and `view` see a part of a text of any size,
//! `reading` that of a file, `artifact` that of an artifact; `matching` and `near` find what an edit
//! means; `replace` puts new content in place; `read`, `write` and `edit` are the tools.
//!
//! Not here: whether a call may run. The kernel decides; the SDK checks its grant.

mod limits;

mod failed;
mod kind;
mod nearest;
mod resolve;
mod roots;

mod ending;
mod index;
mod magic;
mod pass;
mod text;
mod view;
mod window;

mod artifact;
mod notices;
mod reading;

mod fold;
mod matching;
mod near;

mod diff;
mod replace;
mod snapshot;
mod strays;

mod editing;
mod previews;
mod writing;

mod edit;
mod outcome;
mod read;
mod write;

use tollgate_sdk::Server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = Server::start("file", env!("CARGO_PKG_VERSION"))?;
    server.tool(read::Read).tool(write::Write).tool(edit::Edit).serve().await?;
    Ok(())
}

#[cfg(test)]
mod testing;
