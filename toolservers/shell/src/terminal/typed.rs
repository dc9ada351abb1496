//! What typing into a terminal would do, as far as that can be told beforehand.
//!
//! Invariants: a line that comes in pieces is judged as one, and no rule for commands allows what is typed:
//! a text that a program reads is a command that nobody parsed, if that program is a shell; a rule that
//! denies a command holds for it, typed out or completed on the screen (test
//! `a_line_is_judged_however_it_came_to_stand_there`).
//!
//! Not here: the bytes that are sent (`keys`).

use tollgate_sdk::{Context, Preparation, Safety, Subject, Tool as _};

use super::{
    TerminalTool,
    keys::{Does, Key},
    screen::Screen,
};
use crate::{limits::PROMPTS_MAX, process::Background, subjects};

/// Stands in what was typed for a key after which the line is not known.
const EDITED: char = '\u{fffc}';

/// Ends of prompts: what follows on the line may be a command.
const PROMPTS: &[&str] = &["$ ", "# ", "% ", "> "];

/// What would have been typed then of lines that were not read yet, or are read now.
pub(super) fn after(before: &str, text: &str, keys: &[Key]) -> String {
    let mut typed = format!("{before}{text}");
    for key in keys {
        match key.does() {
            Does::Ends | Does::Interrupts => typed.push('\n'),
            Does::Erases if typed.ends_with('\n') => {}
            Does::Erases => drop(typed.pop()),
            Does::Blank => typed.push(' '),
            Does::Edits => typed.push(EDITED),
        }
    }
    typed
}

/// What it would do to type a text and keys.
pub(super) fn prepare(
    terminal: &Background<Screen>,
    text: &str,
    keys: &[Key],
    context: &Context,
) -> Preparation {
    let id = terminal.id();
    let names: Vec<&str> = keys.iter().map(Key::name).collect();
    let pressed = match names.as_slice() {
        [] => String::new(),
        names => format!("\n[{}]", names.join(", ")),
    };
    let preview = format!("into {id}: {}\n\n{text}{pressed}", terminal.birth.title);
    if text.is_empty() && keys.iter().all(|key| key.does() == Does::Interrupts) {
        // It ends what runs, as a stop does.
        return own(&format!("Interrupt {id}")).preview(preview);
    }
    let (typed, line) = {
        let state = terminal.state();
        (after(&state.typed, text, keys), state.kept.cursor_line())
    };
    let within = |into: &str, text: &str, subjects: Vec<Subject>| {
        subjects::typed(into, text, &context.cwd, &context.roots, subjects)
    };
    let mut subjects = within(&format!("(typed into {id})"), &typed, Vec::new());
    if typed.contains(EDITED) {
        for command in shown_commands(&line) {
            subjects =
                within(&format!("(on the screen of {id})"), &format!("{command}{text}"), subjects);
        }
    }
    Preparation { subjects, ..Preparation::new(Safety::WORST) }
        .title(format!("Type into {id}"))
        .preview(preview)
}

/// What of a line on the screen may be a command: all behind each end of a prompt.
fn shown_commands(line: &str) -> Vec<&str> {
    let mut commands: Vec<&str> = PROMPTS
        .iter()
        .flat_map(|prompt| line.match_indices(prompt).map(|(at, prompt)| at + prompt.len()))
        .filter_map(|at| line.get(at..))
        .filter(|command| !command.trim().is_empty())
        .collect();
    // The longest first: a prompt stands before what may look like one.
    commands.sort_by_key(|command| std::cmp::Reverse(command.len()));
    commands.truncate(PROMPTS_MAX);
    commands
}

/// What changes a terminal and types nothing.
pub(super) fn own(title: &str) -> Preparation {
    let safety = Safety { idempotent: true, ..Safety::WRITE };
    // Of no subjects, a rule would allow every one.
    Preparation::new(safety).subject(Subject::Tool(TerminalTool::NAME.to_owned())).title(title)
}

#[cfg(test)]
mod tests;
