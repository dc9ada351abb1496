//! How the end of a call looks: one line that says what became of it, and the end of its output.

use tollgate_core::{
    call::Block,
    receipt::{Decision, Receipt, Status},
};
use tollgate_engine::event::Body;

use super::refusals::is_forbidden;
use crate::{
    limits::{DIFF_LINES_SHOWN, OUTPUT_LINES_SHOWN},
    output::{Output, Paint},
    text, visible,
};

/// What the lines depend on beside the event.
#[derive(Debug)]
pub(super) struct Look {
    /// Colour and width.
    pub(super) output: Output,
    /// What the call is called, unless the line before has said it.
    pub(super) title: Option<String>,
    /// Since it was asked for.
    pub(super) elapsed_ms: Option<u64>,
    /// Whether its output is shown.
    pub(super) has_output: bool,
    /// Blanks before each line below a title.
    pub(super) indent: &'static str,
}

/// The lines for a `tool.result`.
pub(super) fn lines(body: &Body, look: &Look) -> Vec<String> {
    let Body::ToolResult { status, decision, content, truncated, rendering, receipt, .. } = body
    else {
        return Vec::new();
    };
    let plain = plain(content);
    let mut lines = Vec::new();
    if look.has_output && *status != Status::Refused {
        lines.extend(output(&plain, rendering, *status, receipt, look));
    }
    let (mark, said) = match status {
        Status::Ok if !look.has_output => ("✓", "done".to_owned()),
        Status::Ok => ("✓", size(&plain, content)),
        Status::Failed => ("✗", format!("failed: {}", why(receipt, &plain))),
        Status::Refused if *decision == Decision::Denied => {
            ("✗", format!("denied: {}", why(receipt, &plain)))
        }
        Status::Refused if is_forbidden(receipt) => {
            ("✗", format!("refused: {}", why(receipt, &plain)))
        }
        Status::Refused => ("✗", format!("not run: {}", why(receipt, &plain))),
        Status::InFlight => ("✗", "interrupted: it may have run in part".to_owned()),
    };
    let elapsed = look.elapsed_ms.filter(|_| *status != Status::Refused).map(text::duration);
    let elapsed = elapsed.map(|elapsed| format!(" · {elapsed}")).unwrap_or_default();
    let line = match &look.title {
        Some(title) => {
            let room = look.output.columns.saturating_sub(20).max(20);
            format!("{mark} {}: {said}{elapsed}", text::cut(title, room))
        }
        None => format!("{mark} {said}{elapsed}"),
    };
    let paint = look.output.stderr_paint;
    let columns = look.output.columns.saturating_sub(look.indent.len());
    lines.extend(text::prose(&line, columns).iter().enumerate().map(|(at, line)| {
        let indent = if at == 0 && look.title.is_some() { "" } else { look.indent };
        let line = format!("{indent}{line}");
        if *status == Status::Ok { paint.green(&line) } else { paint.red(&line) }
    }));
    if let Some(spill) = truncated.as_ref().and_then(|truncated| truncated.spill.as_ref()) {
        let id = visible::line(spill.trim_start_matches("artifact:"));
        lines
            .push(paint.dim(&format!("{}whole result: tollgate artifacts show {id}", look.indent)));
    }
    lines
}

/// The text of a result.
pub(crate) fn plain(content: &[Block]) -> String {
    let mut texts = Vec::new();
    for block in content {
        texts.push(match block {
            Block::Text { text } => text.clone(),
            Block::Image { media_type, data } => {
                format!("[image {media_type}, {} bytes]", data.len() / 4 * 3)
            }
            Block::Audio { media_type, data } => {
                format!("[audio {media_type}, {} bytes]", data.len() / 4 * 3)
            }
            Block::Resource { uri, text, .. } if text.is_empty() => format!("[{uri}]"),
            Block::Resource { text, .. } => text.clone(),
            Block::Json { value } => value.to_string(),
        });
    }
    texts.join("\n")
}

fn size(plain: &str, content: &[Block]) -> String {
    match plain.lines().count() {
        0 => "nothing to show".to_owned(),
        1 if content.len() == 1 && plain.len() <= 60 => visible::line(plain.trim_end()),
        lines => text::count(lines, "line"),
    }
}

/// Why a call is not ok, one line.
fn why(receipt: &Receipt, plain: &str) -> String {
    let told = receipt.end.as_ref().map(|end| end.error.as_str()).filter(|error| !error.is_empty());
    let text = told.unwrap_or(plain);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("no reason was given");
    // What became of a command stands on a last line in brackets (`[SHELL-02]`).
    let last = lines.next_back().and_then(|line| line.strip_prefix('[')?.strip_suffix(']'));
    visible::line(last.unwrap_or(first))
}

/// The end of a call's output: its own rendering, else its text unless it only looked.
fn output(
    plain: &str,
    rendering: &str,
    status: Status,
    receipt: &Receipt,
    look: &Look,
) -> Vec<String> {
    let only_looked = receipt.safety.is_some_and(|safety| safety.read_only);
    let paint = look.output.stderr_paint;
    if is_diff(rendering) {
        return fold(rendering, look, Shown::First(DIFF_LINES_SHOWN), |line| diff(line, paint));
    }
    let text = match status {
        _ if !rendering.is_empty() => rendering,
        // One line is quoted by the line that says what became of it.
        Status::Ok if only_looked || plain.lines().count() <= 1 => return Vec::new(),
        Status::Failed if plain.lines().count() <= 1 => return Vec::new(),
        Status::Ok | Status::Failed | Status::Refused | Status::InFlight => plain,
    };
    fold(text, look, Shown::Last(OUTPUT_LINES_SHOWN), |line| paint.dim(line))
}

fn is_diff(text: &str) -> bool {
    text.lines().take(4).any(|line| line.starts_with("@@ ") || line.starts_with("--- "))
}

/// One line of a diff in its colour.
pub(crate) fn diff(line: &str, paint: Paint) -> String {
    match line.as_bytes().first() {
        Some(b'+') => paint.green(line),
        Some(b'-') => paint.red(line),
        Some(b'@') => paint.cyan(line),
        _ => line.to_owned(),
    }
}

/// Which lines of many are shown.
#[derive(Clone, Copy)]
enum Shown {
    First(usize),
    Last(usize),
}

/// Some lines of a text, each cut to the width, and how many are left out.
fn fold(text: &str, look: &Look, shown: Shown, paint: impl Fn(&str) -> String) -> Vec<String> {
    let text = visible::lines(text.trim_end());
    let all: Vec<&str> = text.lines().collect();
    let (skip, take) = match shown {
        Shown::First(most) => (0, most),
        Shown::Last(most) => (all.len().saturating_sub(most), most),
    };
    let columns = look.output.columns.saturating_sub(look.indent.len() + 2);
    let bar = |line: &str| format!("{}│ {line}", look.indent);
    let cut = |line: &&str| bar(&paint(&text::cut(&line.replace('\t', "    "), columns)));
    let mut lines: Vec<String> = all.iter().skip(skip).take(take).map(cut).collect();
    let left = all.len() - lines.len();
    let note = bar(&look.output.stderr_paint.dim(&format!("… {}", text::count(left, "more line"))));
    match shown {
        _ if left == 0 => {}
        Shown::First(_) => lines.push(note),
        Shown::Last(_) => lines.insert(0, note),
    }
    lines
}
