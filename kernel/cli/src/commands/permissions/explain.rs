//! `permissions explain`: what each layer of the gate would say of a call; nothing runs.

use bytes::Bytes;
use tollgate_core::{
    authority::{Layer, Refusal, Why, confinement::Confinement, withheld::Withheld},
    call::Caller,
    receipt::LayerVerdict,
    safety::Sandbox,
};
use tollgate_engine::{
    error::KernelError,
    explain::{Explanation, Hypothetical, Said},
    kernel::{Dirs, Kernel},
    session::SessionOptions,
    store::session::SessionKind,
};

use crate::{
    args::{CallerArg, ExplainCall},
    exit::{Exit, Failure},
    govern::govern,
    input,
    output::{Output, Paint, json_pretty, line_out},
    start::Start,
    text, view, visible,
};

#[cfg(test)]
mod tests;

/// Places of rules and law that are shown by name; the rest is counted.
const PLACES_SHOWN: usize = 5;

/// Explains a call. Whatever the verdict is, explaining it is done.
///
/// # Errors
/// A policy file has mistakes, or no kernel can be had.
pub(super) async fn run(start: &Start, explain: &ExplainCall) -> Result<Exit, Failure> {
    let config = start.config()?;
    let arguments = match explain.arguments.as_str() {
        "-" => input::read("the arguments")?,
        given => given.to_owned(),
    };
    let governed = govern(start, &config, &[])?;
    let io = |what: &str| {
        let what = what.to_owned();
        move |source| KernelError::Io { what, source }
    };
    // Its session is no session of the user's: nothing is kept of it.
    let scratch = tempfile::tempdir().map_err(io("cannot make a temporary folder"))?;
    let dirs = Dirs { state: scratch.path().join("state"), ..config.places.engine.clone() };
    let kernel = Kernel::start(start.settings(&config)?, &dirs, config.roots())?;
    let options = SessionOptions {
        kind: SessionKind::Call,
        resume: None,
        workspace: config.workspace.clone(),
        add_dirs: config.add_dirs.clone(),
        stance: governed.stance,
        model: None,
        record_requests: None,
    };
    let call = Hypothetical {
        name: explain.tool.clone(),
        arguments: Bytes::from(arguments),
        caller: caller_of(explain.caller),
        can_ask: !explain.headless,
    };
    let explained = kernel.explain(&options, call).await;
    kernel.stop().await;
    let explained = explained?;
    if start.common.json {
        json_pretty(&explained);
    } else {
        let output = start.output;
        lines(&explained, output).iter().for_each(|line| line_out(line));
    }
    Ok(Exit::Done)
}

/// Who would ask.
fn caller_of(caller: CallerArg) -> Caller {
    match caller {
        CallerArg::Model => Caller::Model,
        CallerArg::Program => Caller::Program,
        CallerArg::Server => Caller::Server,
        CallerArg::User => Caller::User,
        CallerArg::Client => Caller::Client,
    }
}

/// The explanation for people.
fn lines(explained: &Explanation, output: Output) -> Vec<String> {
    let mut page = Page { output, lines: Vec::new() };
    let caller = format!("{:?}", explained.caller).to_lowercase();
    let asked = explained.asked_as.as_deref();
    let asked = asked.map(|asked| format!(" (asked as '{asked}')")).unwrap_or_default();
    let server = explained.server.as_deref();
    let server = server.map(|server| format!(", server {server}")).unwrap_or_default();
    let (mode, posture) = (explained.stance.mode, explained.stance.posture);
    page.line(
        &format!("{}{asked}{server}: asked by {caller}, in {mode}, {posture}", explained.tool),
        0,
        |paint, text| paint.bold(text),
    );
    for one in &explained.coercions {
        let told = format!("taken as meant: {} from {} to {}", one.pointer, one.from, one.to);
        page.line(&told, 0, |_, text| text.to_owned());
    }
    let commands: Vec<String> = explained.subjects.iter().filter_map(view::card::command).collect();
    if !commands.is_empty() {
        page.plain("commands:", 0);
        commands.iter().for_each(|command| page.shown(command, 2));
    }
    for touched in explained.subjects.iter().filter_map(view::card::touches) {
        page.shown(&format!("touches: {touched}"), 0);
    }
    if let Some(wish) = &explained.escalation {
        page.plain(&format!("wants sandbox '{}': {}", wish.to, wish.justification), 0);
    }
    if let Some(reach) = &explained.reach {
        page.plain(&format!("its programs, if it runs: {}", reach.told()), 0);
    }
    if let Some(confinement) = &explained.confinement {
        page.confinement(confinement);
    }
    for note in &explained.layers {
        page.note(note.layer, note.verdict, &note.reason);
    }
    if !explained.complete {
        page.plain("the layers after that need what it refused, and were not asked", 0);
    }
    page.verdict(&explained.verdict, explained.can_ask);
    page.lines
}

/// Lines of an explanation.
struct Page {
    output: Output,
    lines: Vec<String>,
}

impl Page {
    fn paint(&self) -> Paint {
        self.output.stdout_paint
    }

    fn plain(&mut self, text: &str, indent: usize) {
        self.line(text, indent, |_, text| text.to_owned());
    }

    fn line(&mut self, text: &str, indent: usize, paint: impl Fn(Paint, &str) -> String) {
        self.wrapped(&visible::line(text), indent, paint);
    }

    /// A text that is safe to show already.
    fn shown(&mut self, text: &str, indent: usize) {
        self.wrapped(text, indent, |_, text| text.to_owned());
    }

    fn wrapped(&mut self, text: &str, indent: usize, paint: impl Fn(Paint, &str) -> String) {
        let columns = self.columns().saturating_sub(indent);
        let blanks = " ".repeat(indent);
        for line in text::prose(text, columns) {
            let line = paint(self.paint(), &line);
            self.lines.push(format!("{blanks}{line}"));
        }
    }

    /// What is no terminal gets whole lines.
    fn columns(&self) -> usize {
        if self.output.stdout_is_terminal { self.output.columns } else { usize::MAX }
    }

    /// "10 managed      pass    no managed policy speaks of it".
    fn note(&mut self, layer: Layer, verdict: LayerVerdict, reason: &str) {
        let name = view::layer_word(layer);
        let name = name.split_once(' ').map_or("", |(_, name)| name);
        let word = match verdict {
            LayerVerdict::Pass => "pass",
            LayerVerdict::Allow => "allow",
            LayerVerdict::Ask => "ask",
            LayerVerdict::Refuse => "refuse",
        };
        let head = format!("{:>2} {name:<11} {word:<6} ", layer.number());
        let reason = visible::line(reason);
        let room = self.columns().saturating_sub(head.len());
        let is_narrow = room < 40;
        let indent = if is_narrow { 3 } else { head.len() };
        let room = self.columns().saturating_sub(indent);
        let mut reasons = text::prose(&reason, room).into_iter();
        let first = if is_narrow { String::new() } else { reasons.next().unwrap_or_default() };
        let head = if first.is_empty() { head.trim_end() } else { &head };
        let paint = self.paint();
        let head = match verdict {
            LayerVerdict::Pass => paint.dim(head),
            LayerVerdict::Allow => paint.green(head),
            LayerVerdict::Ask => paint.yellow(head),
            LayerVerdict::Refuse => paint.red(head),
        };
        self.lines.push(head + &first);
        self.lines.extend(reasons.map(|line| format!("{}{line}", " ".repeat(indent))));
    }

    /// What its programs would be kept from: rules' places by name, the others counted.
    fn confinement(&mut self, confinement: &Confinement) {
        let Confinement { sandbox, withheld, held, opened } = confinement;
        let several = |said: &Withheld| {
            let names = match said.names.len() {
                0 => None,
                count => Some(format!("{count} by name")),
            };
            let globs = said.globs.iter().take(PLACES_SHOWN).cloned();
            let more = said.globs.len().saturating_sub(PLACES_SHOWN);
            let more = (more > 0).then(|| format!("{more} more"));
            globs.chain(more).chain(names).collect::<Vec<_>>().join(", ")
        };
        if withheld.count() > 0 {
            self.plain(&format!("cannot read: {}", several(withheld)), 2);
        }
        if *sandbox > Sandbox::ReadOnly && held.count() > 0 {
            self.plain(&format!("cannot change: {}", several(held)), 2);
        }
        if !opened.is_empty() {
            let opened: Vec<String> =
                opened.iter().map(|path| path.display().to_string()).collect();
            self.plain(&format!("but may, because it names them: {}", opened.join(", ")), 2);
        }
    }

    fn verdict(&mut self, said: &Said, can_ask: bool) {
        match said {
            Said::Allow { reason, .. } => {
                self.line(&format!("it would run: {reason}"), 0, |paint, text| paint.green(text));
            }
            Said::Ask { why, .. } if !can_ask => {
                let told = format!(
                    "it would be refused: it needs a person's yes and nobody can be asked: {}",
                    reasons(why)
                );
                self.line(&told, 0, |paint, text| paint.red(text));
            }
            Said::Ask { why, offer } => {
                let told = format!("a person would be asked: {}", reasons(why));
                self.line(&told, 0, |paint, text| paint.yellow(text));
                if offer.is_empty() {
                    self.plain("only \"once\" could be said, each time", 2);
                } else {
                    let rules = offer.join(", ");
                    self.plain(&format!("\"session\" or \"always\" would store: {rules}"), 2);
                }
                self.plain("where nobody can be asked it is refused; --headless shows that", 2);
            }
            Said::Review { why } => {
                let told = format!("the guardian would be asked: {}", reasons(why));
                self.line(&told, 0, |paint, text| paint.yellow(text));
            }
            Said::Refuse(Refusal { message, class, .. }) => {
                let told = format!("it would be refused ({class}): {message}");
                self.line(&told, 0, |paint, text| paint.red(text));
            }
        }
    }
}

fn reasons(why: &[Why]) -> String {
    why.iter().map(|why| why.reason.as_str()).collect::<Vec<_>>().join("; ")
}
