//! The words about background processes, for the model, and the facts for programs.

use std::sync::Arc;

use tollgate_sdk::{
    Reply, Truncated,
    serde_json::{Value, json},
};

use super::{
    background::Background,
    kept::Window,
    kind::Keeping,
    life::{By, End, Life},
};
use crate::{
    limits::LISTED_CHARS_MAX,
    reap::Ending,
    result::{signal_name, time},
};

/// "p1 has ended with exit code 0 after 3.4 s".
pub(crate) fn life<K: Keeping>(process: &Background<K>) -> String {
    let id = process.id();
    match process.life() {
        Life::Running => format!("{id} runs since {}", time(process.began.elapsed())),
        Life::Left { shell, processes } => {
            let left = match processes {
                1 => "1 process that it started goes on".to_owned(),
                more => format!("{more} processes that it started go on"),
            };
            format!("the shell of {id} {}; {left}", ending(shell))
        }
        Life::Ended { shell, by, survivors, .. } => {
            let by = match by {
                By::Itself => "",
                By::Call => "; it and all that it started were stopped on request",
                By::Idle => {
                    "; it and all that it started were stopped since no call used it for long"
                }
                By::Session => "; it and all that it started were stopped at the session's end",
            };
            let survivors = match survivors {
                0 => String::new(),
                some => format!("; {some} of its processes could not be ended"),
            };
            format!("{id} {}{by}{survivors}", ending(shell))
        }
    }
}

fn ending(shell: End) -> String {
    let after = time(shell.after);
    match shell.ending {
        Some(Ending::Code(code)) => format!("ended with exit code {code} after {after}"),
        Some(Ending::Signal(number)) => {
            format!("was ended by {}, signal {number}, after {after}", signal_name(number))
        }
        None => format!("ended after {after}, how is not known"),
    }
}

/// A part of the output, what of it is not shown, how far the process is, and where to read on. `first`
/// stands before all, if it is not empty.
pub(super) fn output(process: &Background, window: &Window, first: String) -> Reply {
    let (total, gone_lines, gone_bytes, bytes) = {
        let state = process.state();
        (state.kept.total(), state.kept.gone_lines(), state.kept.gone_bytes(), state.bytes)
    };
    let mut parts = vec![first];
    if window.gone > 0 {
        parts.push(format!(
            "[{} lines before these are kept no more; of all output {gone_lines} lines and {gone_bytes} bytes \
             are gone. To keep all of a long output, redirect it to a file]",
            window.gone
        ));
    }
    if window.older > 0 {
        let after = window.from - window.older;
        parts.push(format!("[{} older lines are kept: after={after} shows them]", window.older));
    }
    let text = window.text.strip_suffix('\n').unwrap_or(&window.text);
    parts.push(if window.text.is_empty() { "(no new output)" } else { text }.to_owned());
    let newer = match window.newer {
        0 => String::new(),
        newer => format!(", {newer} more lines wait"),
    };
    let open = if window.open { ", the last one shown has no end yet" } else { "" };
    parts.push(format!(
        "[{}; {total} lines so far{open}{newer}; read on with after={}]",
        life(process),
        window.next
    ));
    // An empty line of output is not the absence of a first line.
    let text = parts.get(usize::from(parts.first().is_some_and(String::is_empty))..);
    let text = text.unwrap_or_default().join("\n");
    let mut reply = Reply::text(text).metadata(with_window(facts(process), window));
    if window.gone + window.older + window.newer > 0 {
        reply = reply.truncated(Truncated { bytes, lines: total, in_output: false });
    }
    reply
}

/// A line for each process: how far it is, and what it is.
pub(super) fn list(processes: &[Arc<Background>]) -> Reply {
    let lines = |process: &Background| format!("; {} lines so far", process.state().kept.total());
    let text = listed(processes, lines);
    let all: Vec<Value> = processes.iter().map(|process| facts(process)).collect();
    Reply::text(text).metadata(json!({ "processes": all }))
}

/// A line for each: how far it is, what `more` says of it, whose and what it is.
pub(crate) fn listed<K: Keeping>(
    processes: &[Arc<Background<K>>],
    more: impl Fn(&Background<K>) -> String,
) -> String {
    let line = |process: &Arc<Background<K>>| {
        let title = process.birth.title.chars().take(LISTED_CHARS_MAX).collect::<String>();
        let agent = match process.birth.agent.as_str() {
            "main" => String::new(),
            agent => format!(" (of agent {agent})"),
        };
        format!("{}{}{agent}: {title}", life(process), more(process))
    };
    match processes {
        [] => format!("this session has no {}", K::KIND.plural),
        some => some.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

/// `{"id", "state": "running"|"left"|"ended", "exit_code": int|null, "signal": name|null,
/// "duration_ms": int, "bytes": int, "lines": int, "left": int, "dropped_lines": int,
/// "dropped_bytes": int}`
pub(super) fn facts(process: &Background) -> Value {
    let mut facts = common_facts(process);
    let inner = process.state();
    if let Some(facts) = facts.as_object_mut() {
        facts.insert("lines".into(), inner.kept.total().into());
        facts.insert("dropped_lines".into(), inner.kept.gone_lines().into());
        facts.insert("dropped_bytes".into(), inner.kept.gone_bytes().into());
    }
    facts
}

/// What holds for every kind of process: all of [`facts`] but what is said of lines.
pub(crate) fn common_facts<K: Keeping>(process: &Background<K>) -> Value {
    let (state, shell, left) = match process.life() {
        Life::Running => ("running", None, 0),
        Life::Left { shell, processes } => ("left", Some(shell), processes),
        Life::Ended { shell, survivors, .. } => ("ended", Some(shell), survivors),
    };
    let (code, signal) = match shell.and_then(|shell| shell.ending) {
        Some(Ending::Code(code)) => (Some(code), None),
        Some(Ending::Signal(number)) => (None, Some(signal_name(number))),
        None => (None, None),
    };
    let duration = shell.map_or_else(|| process.began.elapsed(), |shell| shell.after);
    json!({
        "id": process.id(),
        "state": state,
        "exit_code": code,
        "signal": signal,
        "duration_ms": u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        "bytes": process.state().bytes,
        "left": left,
    })
}

fn with_window(mut facts: Value, window: &Window) -> Value {
    if let Some(facts) = facts.as_object_mut() {
        facts.insert("next_after".into(), window.next.into());
    }
    facts
}
