//! `demo`: the main job, without a key and without a network, in a temporary workspace.
//!
//! The model is a script (`demo/script.json`); everything else is real: the servers, the files, the
//! gate, its questions, the receipts. Cards are answered as the tour says.
//!
//! Invariants: nothing is left behind; the exit code is 0 only if every call ended as the tour says
//! and the files are what they then must be, so that a broken Tollgate fails its demo.

use std::{fs, path::Path, sync::Arc};

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tollgate_core::{
    name::SessionId,
    receipt::Record,
    stance::{Mode, Posture, Stance},
};
use tollgate_engine::{
    approval::{Answer, Card},
    error::KernelError,
    kernel::Kernel,
    session::{Session, SessionOptions},
    store::{receipts, session::SessionKind},
    turn::TurnLimits,
};

use super::{
    open::{Desk, in_session},
    receipts::{decision_word, status_word, table, verify_lines},
};
use crate::{
    args::Common,
    config::{self, Config},
    exit::{Exit, Failure},
    front::{Answerer, Asking},
    output::{Output, line_err, line_out},
    start::Start,
    view::{Shows, TextView, View},
};

/// The workspace's files.
const FILES: [(&str, &str); 3] = [
    ("greet.sh", include_str!("demo/greet.sh")),
    ("expected.txt", include_str!("demo/expected.txt")),
    ("check.sh", include_str!("demo/check.sh")),
];
/// What the model says.
const SCRIPT: &str = include_str!("demo/script.json");
/// What the user says, each with the mode.
const PROMPTS: [(Mode, &str); 2] = [
    (Mode::Work, "The greeting is wrong. Please mend it, and run the check."),
    (Mode::Plan, "Now in plan mode: write down what you did, and see what else is there."),
];
/// What must become of the calls, in their order.
const EXPECTED: [&str; 7] = [
    "read auto ok",
    "read auto ok",
    "edit approved ok",
    "bash approved ok",
    "bash denied refused",
    "write refused refused",
    "read refused refused",
];

/// Runs the tour.
///
/// # Errors
/// Something is not as the tour says: what.
pub(crate) async fn run(start: &Start) -> Result<Exit, Failure> {
    let folder = tempfile::Builder::new()
        .prefix("tollgate-demo-")
        .tempdir()
        .map_err(|error| failed("cannot make a temporary folder", error))?;
    let toured = tour(start, &folder).await;
    let left = folder.path().to_owned();
    folder.close().map_err(|error| failed(&format!("cannot remove {}", left.display()), error))?;
    toured?;
    line_err("\nThat was the demo. Nothing is left behind. Next: tollgate doctor");
    Ok(Exit::Done)
}

fn failed(what: &str, error: impl Into<anyhow::Error>) -> Failure {
    Failure::new(Exit::Failed, error.into().context(what.to_owned()))
}

async fn tour(start: &Start, folder: &TempDir) -> Result<(), Failure> {
    let workspace =
        prepare(folder.path()).map_err(|error| failed("cannot prepare the demo", error))?;
    let config = config_of(folder.path(), &workspace)?;
    let kernel = start.kernel(&config)?;
    chapter(start.output, "A small project whose greeting is wrong, and a model that is a script.");
    let id = turns(start, &kernel, &config).await?;

    chapter(start.output, "What became of every call:");
    let (records, _) = receipts::list(kernel.state(), &id)?;
    for line in table(&records, start.output.columns) {
        line_out(&line);
    }
    chapter(start.output, "And nobody has changed that since:");
    let report = receipts::verify(kernel.state(), &id)?;
    for line in verify_lines(&report, start.output.stdout_paint) {
        line_out(&line);
    }
    let mut wrong = compare(&records);
    wrong.extend(look(&workspace, folder.path()));
    if !report.is_sound() {
        wrong.push("the receipts do not verify".to_owned());
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Failed,
        anyhow::anyhow!(
            "the demo did not go as it should: {}; `tollgate doctor` looks for the cause",
            wrong.join("; ")
        ),
    ))
}

fn chapter(output: Output, title: &str) {
    for line in crate::text::wrap(title, output.columns) {
        line_err(&output.stderr_paint.bold(&line));
    }
}

/// Writes workspace and script; the workspace.
fn prepare(folder: &Path) -> std::io::Result<std::path::PathBuf> {
    let workspace = folder.join("work");
    fs::create_dir(&workspace)?;
    for (name, text) in FILES {
        fs::write(workspace.join(name), text)?;
    }
    fs::write(folder.join("outside.txt"), "not for tools\n")?;
    fs::write(folder.join("script.json"), SCRIPT)?;
    workspace.canonicalize()
}

/// Built-in values alone, below the temporary folder: the user's configuration plays no part.
fn config_of(folder: &Path, workspace: &Path) -> Result<Config, Failure> {
    let home = folder.join("home").to_string_lossy().into_owned();
    let common = Common {
        workspace: Some(workspace.to_owned()),
        model: Some(format!("script:{}", folder.join("script.json").display())),
        ..Common::default()
    };
    let environment = |name: &str| (name == "TOLLGATE_HOME").then(|| home.clone());
    Ok(config::load(&common, &environment)?)
}

async fn turns(start: &Start, kernel: &Arc<Kernel>, config: &Config) -> Result<SessionId, Failure> {
    let options = SessionOptions {
        kind: SessionKind::Demo,
        resume: None,
        workspace: config.workspace.clone(),
        add_dirs: Vec::new(),
        stance: Stance::default(),
        model: config.values.text("model").map(str::to_owned),
        record_requests: None,
    };
    let (asking, questions) = Asking::new();
    let answerer = Answerer::Script(Box::new(answer));
    let desk = Desk { approver: Arc::new(asking), questions, answerer };
    let shows = Shows { session: true, prompts: true, outputs: true, reasoning: false };
    let mut view = View::Text(Box::new(TextView::new(start.output, shows)));
    let work = async |mut session: Session, cancel: CancellationToken| {
        let id = session.id().clone();
        let ran = all(&mut session, &cancel).await;
        let closed = session.close().await;
        ran?;
        closed?;
        Ok((id, cancel.is_cancelled()))
    };
    let (id, is_cancelled) =
        in_session(kernel, options, desk, start.output, &mut view, work).await?;
    if is_cancelled {
        return Err(Failure::new(Exit::Interrupted, anyhow::anyhow!("the demo was interrupted")));
    }
    Ok(id)
}

async fn all(session: &mut Session, cancel: &CancellationToken) -> Result<(), KernelError> {
    for (mode, prompt) in PROMPTS {
        if mode == Mode::Plan {
            session.context().set_stance(Stance { mode, posture: Posture::Ask }).await?;
        }
        session.turn(prompt.to_owned(), TurnLimits::default(), cancel).await?;
    }
    Ok(())
}

/// Yes to the mending and to the check, no to the tidying.
fn answer(card: &Card) -> Answer {
    let command = card.arguments.get("command").and_then(|command| command.as_str());
    match (card.tool.as_str(), command) {
        ("edit", _) | (_, Some("sh check.sh")) => Answer::Once,
        _ => Answer::Deny(Some("no, please leave the files alone".to_owned())),
    }
}

/// How the calls differ from what the tour says.
fn compare(records: &[Record]) -> Vec<String> {
    let ended = |record: &Record| match record {
        Record::Decided(receipt) => Some(format!("{} that has no end", receipt.tool)),
        Record::Receipt(receipt) => {
            let status = receipt.end.as_ref().map_or("running", |end| status_word(end.status));
            Some(format!("{} {} {status}", receipt.tool, decision_word(receipt.decision)))
        }
        Record::Asked(_) | Record::Answered(_) => None,
    };
    let found: Vec<String> = records.iter().filter_map(ended).collect();
    let mut wrong = Vec::new();
    if found.len() != EXPECTED.len() {
        wrong.push(format!("there are {} calls instead of {}", found.len(), EXPECTED.len()));
    }
    for (at, (found, expected)) in found.iter().zip(EXPECTED).enumerate() {
        if found != expected {
            wrong.push(format!("call {} was '{found}' instead of '{expected}'", at + 1));
        }
    }
    wrong
}

/// How the files differ from what they must be.
fn look(workspace: &Path, folder: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, text) in FILES {
        let must = text.replace("$nmae", "$name");
        match fs::read_to_string(workspace.join(name)) {
            Ok(found) if found == must => {}
            Ok(_) => wrong.push(format!("{name} is not what it must be")),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    let known = |name: &std::ffi::OsStr| FILES.iter().any(|(file, _)| *file == name);
    for entry in fs::read_dir(workspace).into_iter().flatten().flatten() {
        if !known(&entry.file_name()) {
            wrong.push(format!("{} should not be there", entry.path().display()));
        }
    }
    if fs::read_to_string(folder.join("outside.txt")).ok().as_deref() != Some("not for tools\n") {
        wrong.push("a file outside the workspace was touched".to_owned());
    }
    wrong
}
