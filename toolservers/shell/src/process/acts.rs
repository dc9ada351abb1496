//! What the actions do to one process, and what they answer; shared with the old names.
//!
//! Not here: finding the process (`table`), what a call asks for (`asked`).

use std::time::Duration;

use tokio::time::Instant;
use tollgate_sdk::{Context, Effects, Failure, Reply};

use super::{
    Asker,
    background::{Background, State, Unwritten},
    kind::Keeping,
    life::Life,
    say,
    waiting::Waited,
};

/// The output after a line, or the newest.
pub(crate) fn read(process: &Background, after: Option<u64>, first: String) -> Reply {
    let window = {
        let state = process.state();
        after.map_or_else(|| state.kept.newest(), |line| state.kept.after(line))
    };
    say::output(process, &window, first)
}

/// Waits for its end, or for a text in a line after that one.
///
/// # Errors
/// The call was stopped.
pub(crate) async fn wait(
    process: &Background,
    until: Option<&str>,
    after: Option<u64>,
    within: Duration,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    let from = after.unwrap_or(0);
    let enough = |state: &State| until.is_some_and(|text| state.kept.has(text, from));
    let waited = process.wait(enough, Instant::now() + within, asker.cancelled).await;
    let first = match waited {
        Waited::Enough => "[the text is there]".to_owned(),
        Waited::Ended if until.is_some() => "[it ended, and the text did not come]".to_owned(),
        Waited::Ended => String::new(),
        Waited::TimedOut => format!("[not within {} s; it goes on]", within.as_secs()),
        Waited::Cancelled => return Err(still_going(process)),
    };
    Ok(read(process, after, first))
}

/// Ends it and all that it started.
///
/// # Errors
/// It is another agent's, or the call was stopped.
pub(crate) async fn stop(process: &Background, asker: Asker<'_>) -> Result<Reply, Failure> {
    let first = end(process, asker).await?;
    Ok(read(process, None, first.to_owned()))
}

/// The same with nothing but a first word for the answer.
///
/// # Errors
/// Those of [`stop`].
pub(crate) async fn end<K: Keeping>(
    process: &Background<K>,
    asker: Asker<'_>,
) -> Result<&'static str, Failure> {
    owned(process, asker)?;
    process.settle();
    let ended_before = matches!(process.life(), Life::Ended { .. });
    if !ended_before && !process.stop(asker.cancelled).await {
        return Err(still_ending(&process.id()));
    }
    Ok(if ended_before { "[it had ended before]" } else { "" })
}

/// That it is the asker's to change.
///
/// # Errors
/// It is another agent's.
pub(crate) fn owned<K: Keeping>(process: &Background<K>, asker: Asker<'_>) -> Result<(), Failure> {
    check_owner(process, asker.context).map_err(|message| Failure::new("not_yours", message))
}

/// Writes a text to its input, and closes that if asked.
///
/// # Errors
/// It is another agent's, has no input, did not take all of the text, or the call was stopped.
pub(crate) async fn write(
    process: &Background,
    text: &str,
    close: bool,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    let before = process.state().kept.total();
    type_in(process, text, close, asker).await?;
    let closed = if close { "; its input is closed" } else { "" };
    let text = format!(
        "[{} bytes were written{closed}; {}; action 'output' with after={before} shows what comes]",
        text.len(),
        say::life(process)
    );
    Ok(Reply::text(text).metadata(say::facts(process)))
}

/// The same without an answer.
///
/// # Errors
/// Those of [`write()`].
pub(crate) async fn type_in(
    process: &Background,
    text: &str,
    close: bool,
    asker: Asker<'_>,
) -> Result<(), Failure> {
    owned(process, asker)?;
    let written = process.write(text, close, asker.cancelled).await;
    written.map_err(|unwritten| not_written(process, unwritten, text.len()))
}

/// Why not all of so many bytes were written.
pub(crate) fn not_written<K: Keeping>(
    process: &Background<K>,
    unwritten: Unwritten,
    bytes: usize,
) -> Failure {
    let (class, why) = match unwritten {
        Unwritten::Closed => return Failure::new("no_input", no_input(process)),
        Unwritten::Broken { .. } => ("no_input", "it reads its input no more"),
        Unwritten::Full { .. } => ("not_reading", "it did not read the rest in time"),
        Unwritten::Cancelled { .. } => ("cancelled", "the call was stopped"),
    };
    let (id, written) = (process.id(), unwritten.written());
    let message = format!("{written} of {bytes} bytes were written to {id}: {why}");
    let failure = match class {
        "cancelled" => Failure::cancelled(message),
        class => Failure::new(class, message),
    };
    failure.effects(if written > 0 { Effects::Partial } else { Effects::None })
}

/// Waits for its end, or until it is `enough`, and tells what came since the last time.
///
/// # Errors
/// The call was stopped.
pub(crate) async fn wait_and_tell(
    process: &Background,
    enough: impl Fn(&State) -> bool,
    within: Duration,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    match process.wait(enough, Instant::now() + within, asker.cancelled).await {
        Waited::Cancelled => Err(still_going(process)),
        Waited::Enough | Waited::Ended | Waited::TimedOut => Ok(read_told(process)),
    }
}

/// What came since the last time that this was asked, for readers that keep no place of their own.
pub(crate) fn read_told(process: &Background) -> Reply {
    let window = {
        let mut state = process.state();
        let window = state.kept.after(state.told);
        state.told = window.next;
        window
    };
    say::output(process, &window, String::new())
}

/// Somebody stopped waiting for a stop.
pub(crate) fn still_ending(what: &str) -> Failure {
    Failure::cancelled(format!("{what} was told to stop, and its end was not waited for"))
        .effects(Effects::Partial)
}

pub(crate) fn still_going<K: Keeping>(process: &Background<K>) -> Failure {
    Failure::cancelled(format!("the wait was stopped; {} goes on", process.id()))
}

/// Why it cannot be written to.
pub(crate) fn no_input<K: Keeping>(process: &Background<K>) -> String {
    let id = process.id();
    match process.life() {
        Life::Ended { .. } => format!("{}; nothing can be written to it", say::life(process)),
        Life::Running | Life::Left { .. } => format!(
            "{id} has no open input: it was started without 'interactive', or its input was closed"
        ),
    }
}

/// A child's calls change nothing of its parent's.
pub(crate) fn check_owner<K: Keeping>(
    process: &Background<K>,
    context: &Context,
) -> Result<(), String> {
    let owner = &process.birth.agent;
    if context.agent == *owner || context.agent == "main" {
        return Ok(());
    }
    Err(format!(
        "{} was started by agent '{owner}', and agent '{}' may only read it",
        process.id(),
        context.agent
    ))
}
