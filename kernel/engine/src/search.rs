//! `tool_search`, the one tool that the kernel has itself, because it *is* the catalog (`[CAT-10]`).
//!
//! It goes through the gate as any other call. Asked for directly by a model it also activates what it
//! finds; asked for by anybody else it only describes.
//!
//! ```text
//! arguments ─ ask ─▶ discover (connects what the query is about) ─▶ shelf (what can be found, indexed)
//!     ─▶ answer ─ activate (toolbox) ─▶ show (text), structured
//! ```
//!
//! Not here: ranking (`tollgate-search`), the toolbox (`core::catalog`).

mod activate;
mod answer;
mod ask;
mod details;
mod discover;
mod limits;
mod notes;
mod plain;
mod shelf;
mod show;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod unsearched;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    authority::{admission::Outright, program},
    call::{Block, Caller, Classified, Effects, Outcome},
    catalog::{Entry, Exposure, Provenance, ServerFacts, contract::TOOL_SEARCH},
    digest::Digest,
    name::{ServerName, ToolName},
    safety::{Interrupt, Safety, Trust},
    stance::{Mode, Stance},
};
use tollgate_search::{Found, Query};

use crate::{clock, context::SessionContext, settings::KERNEL, tools::Seen};
use answer::{Answer, Asker};
use ask::Ask;
use discover::About;
use limits::{DISCOVER_WITHIN, INLINE_TOOLS_MAX};
pub(crate) use shelf::Shelf;

const DESCRIPTION: &str = "Find tools that are not listed here, by what they do. Found tools can be \
    called from the next step on. `select:a,b` picks exact names, `server:NAME` and `+word` filter.";

const SCHEMA: &str = r#"{"type":"object","properties":{"query":{"type":"string","description":"What the tool must do, in a few words, or its name"},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"Default 5"},"skip":{"type":"integer","minimum":0,"description":"Leave out the first matches"},"kind":{"type":"string","enum":["auto","name","regex"]},"server":{"type":"string","description":"Only this server's tools"},"format":{"type":"string","enum":["schema","types","names"],"description":"Default: one line a tool"}},"required":["query"],"additionalProperties":false}"#;

/// The tool's entry in every catalog.
#[expect(clippy::expect_used, reason = "constant names")]
pub(crate) fn entry() -> Entry {
    let name = ToolName::try_from(TOOL_SEARCH).expect("a constant name");
    let schema = Bytes::from_static(SCHEMA.as_bytes());
    Entry {
        server: ServerName::try_from(KERNEL).expect("a constant name"),
        facts: Arc::new(ServerFacts {
            name: KERNEL.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build_sha256: None,
        }),
        trust: Trust::Trusted,
        provenance: Provenance::Synthetic,
        source: None,
        name: name.clone(),
        served_as: name,
        means: None,
        when: None,
        title: "Find tools".to_owned(),
        description: DESCRIPTION.to_owned(),
        search_hint: String::new(),
        schema_sha256: Digest::of(&schema),
        input_schema: schema,
        exposure: Exposure::Eager,
        // It changes which tools the next request shows, in the order of the calls: so not side by side.
        safety: Safety {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
            concurrency_safe: false,
        },
        prepares: false,
        interrupt: Interrupt::Cancel,
        result_bytes_max: 0,
        callers: vec![Caller::Program, Caller::Server, Caller::Client],
        host_services: Vec::new(),
        requirements: Vec::new(),
        argument_aliases: Vec::new(),
        compiled: Arc::new(OnceLock::new()),
    }
}

/// Runs one search.
pub(crate) async fn run(
    cx: &SessionContext,
    call: &Classified,
    cancel: &CancellationToken,
) -> Outcome {
    let (ask, query) = match Ask::read(call.value()) {
        Ok(asked) => asked,
        Err(why) => return Outcome::failure("invalid_query", Effects::None, why),
    };
    let asker = Asker::of(call.raw(), cx.tools.surface());
    let about = connect(cx, call, &ask, cancel).await;
    let seen = cx.seen();
    let (shelf, found) = match find(cx, &seen, query, cancel).await {
        Ok(found) => found,
        Err(stopped) => return stopped,
    };
    let mut answer = Answer::of(ask, asker, &seen, &shelf, found);
    answer.act(&cx.tools);
    answer.tell_of_servers(&seen, &about, clock::unix_ms());
    outcome(&answer)
}

fn outcome(answer: &Answer) -> Outcome {
    Outcome {
        succeeded: true,
        effects: Effects::None,
        content: vec![Block::Text { text: show::text(answer) }],
        structured: answer.structured(),
        metadata: answer.metadata(),
        messages: Vec::new(),
        truncated: None,
        rendering: String::new(),
        error_class: String::new(),
    }
}

/// Connects what the query is about; what is not there in time is left for the answer to tell.
async fn connect(
    cx: &SessionContext,
    call: &Classified,
    ask: &Ask,
    cancel: &CancellationToken,
) -> About {
    if program::is_conservative(call.raw()) {
        // It may call none of their tools (`[CODE-17]`).
        return About::default();
    }
    let mut about = {
        let seen = cx.seen();
        let outright = Outright::of(&seen.standing.policy, clock::unix_ms());
        discover::about(ask, seen.view.catalog(), &outright)
    };
    if cx.stance().mode == Mode::Plan {
        // Whose word is not believed has no tool that could be called.
        about.wanted.retain(|(server, _)| {
            let server = cx.servers.get(server.as_str());
            server.is_some_and(|server| server.settings().trust == Trust::Trusted)
        });
    }
    if !about.wanted.is_empty()
        && cx.servers.discover(&about.wanted, DISCOVER_WITHIN, cancel).await.changed
    {
        cx.grow_tools(Some(&call.raw().position)).await;
    }
    about
}

/// Searches the index of this look at the tools, which the first search builds.
async fn find(
    cx: &SessionContext,
    seen: &Arc<Seen>,
    query: Query,
    cancel: &CancellationToken,
) -> Result<(Arc<Shelf>, Found), Outcome> {
    let semantic = cx.tools.semantic_search();
    let job = {
        let seen = Arc::clone(seen);
        move || {
            let stance = Stance { mode: seen.mode, posture: seen.posture };
            let shelf =
                seen.shelf.get_or_init(|| Arc::new(Shelf::of(&seen.view, stance, semantic)));
            (Arc::clone(shelf), shelf.search(&query))
        }
    };
    if seen.view.shown().len() <= INLINE_TOOLS_MAX {
        return Ok(job());
    }
    let stopped = |class, why: &str| Outcome::failure(class, Effects::None, why.to_owned());
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(stopped("cancelled", "the search was cancelled")),
        found = tokio::task::spawn_blocking(job) => found.map_err(|_| {
            stopped("fault", "the search ended by a fault of the kernel; other words may work")
        }),
    }
}
