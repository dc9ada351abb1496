//! What a program's end is in words: for a model as text, for programs as `{value | error, notes}`.

use tollgate_sdk::{
    Call, Channel, Failure, Reply, Truncated,
    serde_json::{Value, from_str, json},
};

use crate::{
    engine::{Fault, Outcome},
    limits::{PREVIEW_CHARS, VALUE_STRUCTURED_BYTES_MAX, YIELD_WITHIN},
    source::{Diagnostic, render_place},
};

/// A text that is no program.
pub(super) fn diagnostic(diagnostic: &Diagnostic, code: &str) -> Failure {
    let Diagnostic { class, message, line, column } = diagnostic;
    Failure::with_reply(*class, reply(class, message, (*line, *column), code, &[]))
}

/// The value of a program, and what is said beside it.
pub(super) struct Told {
    /// A text as it is, any other value as JSON.
    text: String,
    structured: Value,
    notes: Vec<String>,
}

impl Told {
    /// The reply; of a value of more bytes than `max` a beginning, and the whole as output that the kernel keeps.
    pub(super) async fn within(self, max: usize, call: &Call) -> Result<Reply, Failure> {
        let Self { text, structured, notes } = self;
        if text.len() <= max {
            return Ok(with_notes(Reply::text(text), &notes).structured(structured));
        }
        call.output(Channel::Result, text.as_bytes())
            .await
            .map_err(|error| Failure::cancelled(format!("the value could not be sent: {error}")))?;
        let bytes = text.len() as u64;
        let beginning: String = text.chars().take(PREVIEW_CHARS).collect();
        let preview = format!(
            "{beginning}\n[the value has {bytes} bytes, more than the {max} that come back; this is its beginning, \
             and the whole is kept as an artifact]"
        );
        let truncated = Truncated { bytes, lines: 0, in_output: true };
        Ok(with_notes(Reply::text(preview), &notes).structured(structured).truncated(truncated))
    }
}

/// A program that has ended.
pub(super) fn outcome(outcome: Outcome, code: &str, is_stopped: bool) -> Result<Told, Failure> {
    let notes = outcome.notes;
    match outcome.ended {
        Ok(value) => {
            let text = shown(&value);
            let small = value.len() <= VALUE_STRUCTURED_BYTES_MAX;
            let structured = match from_str::<Value>(&value) {
                Ok(parsed) if small => json!({ "value": parsed, "notes": notes }),
                // Whole in the content, or in the artifact that the content names.
                Ok(_) | Err(_) => json!({ "value_bytes": value.len(), "notes": notes }),
            };
            Ok(Told { text, structured, notes })
        }
        Err(Fault { class, message, line, column }) => {
            let reply = reply(class, &message, (line, column), code, &notes);
            Err(if is_stopped {
                Failure::cancelled(message).reply(reply)
            } else {
                Failure::with_reply(class, reply)
            })
        }
    }
}

/// A program that was told to stop and does not.
pub(super) fn overdue() -> Failure {
    let message = format!(
        "the program was stopped in one native operation that does not yield within {} ms (a huge array or text, \
         say); work on smaller pieces",
        YIELD_WITHIN.as_millis()
    );
    let reply = reply("stopped", &message, (0, 0), "", &[]);
    Failure::cancelled(message).reply(reply)
}

fn reply(
    class: &str,
    message: &str,
    (line, column): (u32, u32),
    code: &str,
    notes: &[String],
) -> Reply {
    let place = render_place(code, line, column);
    let text = if place.is_empty() { message.to_owned() } else { format!("{message}\n{place}") };
    let error = json!({ "class": class, "message": message, "line": line, "column": column });
    with_notes(Reply::text(text), notes).structured(json!({ "error": error, "notes": notes }))
}

/// A text as it is, any other value as JSON.
fn shown(value: &str) -> String {
    match from_str(value) {
        Ok(Value::String(text)) => text,
        Ok(_) | Err(_) => value.to_owned(),
    }
}

fn with_notes(reply: Reply, notes: &[String]) -> Reply {
    if notes.is_empty() {
        reply
    } else {
        reply.and_text(format!("note: {}", notes.join("\nnote: ")))
    }
}
