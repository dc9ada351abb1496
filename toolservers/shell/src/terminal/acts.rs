//! What the actions do to one terminal, and what they answer.
//!
//! Not here: finding it (`table` of `process`), what a call asks for (`asked`).

use std::{io, time::Duration};

use tokio::time::Instant;
use tollgate_sdk::{Failure, Reply};

use super::{
    keys::{self, Key, Manner},
    pty, say,
    screen::{Screen, Size},
    typed,
};
use crate::{
    limits::{SETTLE_PATIENCE, SETTLED, TTY_LINE_BYTES_MAX},
    process::{Asker, Background, Waited, acts},
};

/// The screen and what scrolled since the last look. A look of those who may type is the one from which the
/// next counts; anybody else's changes nothing.
pub(super) fn look(terminal: &Background<Screen>, first: &str, asker: Asker<'_>) -> Reply {
    let owns = acts::check_owner(terminal, asker.context).is_ok();
    let picture = {
        let mut state = terminal.state();
        let bytes = owns.then_some(state.bytes);
        state.kept.picture(bytes)
    };
    say::picture(terminal, &picture, first)
}

/// The same once the screen has settled after so many bytes of output.
///
/// # Errors
/// The call was stopped.
pub(super) async fn settle(
    terminal: &Background<Screen>,
    after_bytes: u64,
    within: Duration,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    let deadline = Instant::now() + within;
    let waited = terminal.settle_down(after_bytes, SETTLED, deadline, asker.cancelled).await;
    let came = terminal.state().bytes > after_bytes;
    let first = match waited {
        Waited::Cancelled => return Err(acts::still_going(terminal)),
        Waited::TimedOut if came => "[it goes on writing]".to_owned(),
        Waited::TimedOut => format!("[nothing new within {} s]", within.as_secs()),
        Waited::Enough | Waited::Ended => String::new(),
    };
    Ok(look(terminal, &first, asker))
}

/// Waits for something new, if that is asked, and looks.
///
/// # Errors
/// The call was stopped.
pub(super) async fn read(
    terminal: &Background<Screen>,
    seconds: u32,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    if seconds == 0 {
        return Ok(look(terminal, "", asker));
    }
    let looked_at = terminal.state().kept.looked_at;
    settle(terminal, looked_at, Duration::from_secs(seconds.into()), asker).await
}

/// Types a text and presses keys, and looks what comes of it.
///
/// # Errors
/// It is another agent's, takes no more, or the call was stopped.
pub(super) async fn send(
    terminal: &Background<Screen>,
    text: &str,
    keys: &[Key],
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    acts::owned(terminal, asker)?;
    check_line(terminal, text).await?;
    let (sent, before) = {
        let state = terminal.state();
        let screen = &state.kept;
        let manner = Manner {
            application_cursor: screen.application_cursor(),
            bracketed_paste: screen.bracketed_paste(),
        };
        (keys::bytes(text, keys, manner), state.bytes)
    };
    // Before it is sent: what was taken in part may stand on its line too.
    let typed = typed::after(&terminal.with_typed(""), text, keys);
    terminal.note_typed(&typed);
    let written = terminal.send(&sent, false, asker.cancelled).await;
    written.map_err(|unwritten| acts::not_written(terminal, unwritten, sent.len()))?;
    settle(terminal, before, SETTLE_PATIENCE, asker).await
}

/// Sets its size.
///
/// # Errors
/// It is another agent's, or has ended.
pub(super) async fn resize(
    terminal: &Background<Screen>,
    rows: Option<u16>,
    cols: Option<u16>,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    acts::owned(terminal, asker)?;
    let (size, before) = {
        let state = terminal.state();
        let now = state.kept.size();
        let rows = rows.or(Some(now.rows.get()));
        (Size::of(rows, cols.or(Some(now.cols.get()))), state.bytes)
    };
    let resized = terminal.with_input(|end| pty::resize(end, size)).await;
    match resized {
        None => return Err(Failure::new("no_input", acts::no_input(terminal))),
        Some(Err(error)) => return Err(not_resized(terminal, &error)),
        Some(Ok(())) => terminal.state().kept.resize(size),
    }
    // Not every program draws anew.
    terminal.settle_down(before, SETTLED, Instant::now() + SETTLED, asker.cancelled).await;
    Ok(look(terminal, "", asker))
}

/// Ends it and all that it started.
///
/// # Errors
/// It is another agent's, or the call was stopped.
pub(super) async fn close(
    terminal: &Background<Screen>,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    let first = acts::end(terminal, asker).await?;
    Ok(look(terminal, first, asker))
}

/// A line that the terminal would cut says so before.
async fn check_line(terminal: &Background<Screen>, text: &str) -> Result<(), Failure> {
    let longest = text.split('\n').map(str::len).max().unwrap_or(0);
    if longest <= TTY_LINE_BYTES_MAX
        || terminal.with_input(|end| pty::collects_lines(end)).await != Some(true)
    {
        return Ok(());
    }
    let message = format!(
        "a line of the text has {longest} bytes, and the terminal takes {TTY_LINE_BYTES_MAX} of a line while \
         its program reads whole lines; write it to a file, or use shorter lines"
    );
    Err(Failure::new("too_long", message))
}

fn not_resized(terminal: &Background<Screen>, error: &io::Error) -> Failure {
    Failure::new("not_resized", format!("{} was not resized: {error}", terminal.id()))
}
