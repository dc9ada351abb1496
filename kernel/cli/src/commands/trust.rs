//! `trust`: what a project would bring with it, shown before it counts (`[GATE-13]`).
//!
//! Invariant: without a person at a terminal nothing is trusted unless `--yes` says so (CFG-05).

use std::{
    io::IsTerminal as _,
    path::{Path, PathBuf},
};

use serde_json::json;
use tollgate_engine::error::KernelError;
use tollgate_policy::trust::{ProjectFile, Standing, State, Trust};

use crate::{
    args::TrustOptions,
    config,
    exit::{Exit, Failure},
    output::{Paint, json_pretty, line_err, line_out, write_err},
    start::{Start, environment},
    text,
    tty::Tty,
    visible,
};

/// Runs the command.
///
/// # Errors
/// There is no such folder, the trust store cannot be used, or nobody said yes.
pub(crate) async fn run(start: &Start, options: &TrustOptions) -> Result<Exit, Failure> {
    // Not the whole configuration: a project's part of it is what is looked at here.
    let store = config::policy::places(&config::dirs::places(&environment)?).trust;
    let mut trust = Trust::load(&store).map_err(KernelError::from)?;
    if options.list {
        list(start, &trust);
        return Ok(Exit::Done);
    }
    if options.revoke {
        let folder = folder_of(start, options);
        let was = trust.revoke(&folder).map_err(KernelError::from)?;
        let said = if was { "is not trusted any more" } else { "was not trusted" };
        line_out(&format!("{} {said}", shown(&folder)));
        return Ok(Exit::Done);
    }
    let folder = folder_of(start, options);
    let folder = folder.canonicalize().map_err(|error| {
        Failure::usage(format!("{}: {error}; give the folder of a project", shown(&folder)))
    })?;
    grant(start, &folder, &mut trust, options.yes).await
}

/// The folder that is meant; it may be gone.
fn folder_of(start: &Start, options: &TrustOptions) -> PathBuf {
    let given = options.dir.as_ref().or(start.common.workspace.as_ref());
    let given = given.map_or(Path::new("."), PathBuf::as_path);
    std::path::absolute(given).unwrap_or_else(|_| given.to_owned())
}

fn shown(path: &Path) -> String {
    visible::line(&path.display().to_string())
}

fn list(start: &Start, trust: &Trust) {
    let folders: Vec<PathBuf> = trust.list().map(Path::to_owned).collect();
    let state = |folder: &PathBuf| match trust.standing(folder) {
        Standing::Trusted => "trusted",
        Standing::OtherOwner => "belongs to another user now, so it is not trusted",
        Standing::Unknown => "gone",
    };
    if start.common.json {
        let all = folders.iter().map(|folder| json!({ "folder": folder, "state": state(folder) }));
        return json_pretty(&all.collect::<Vec<_>>());
    }
    if folders.is_empty() {
        line_err("no workspace is trusted; `tollgate trust DIR` shows one and asks");
    }
    for folder in &folders {
        line_out(&format!("{}  {}", shown(folder), state(folder)));
    }
}

/// Shows what would count, asks, and keeps the answer.
async fn grant(
    start: &Start,
    workspace: &Path,
    trust: &mut Trust,
    is_yes: bool,
) -> Result<Exit, Failure> {
    let files = trust.review(workspace).map_err(KernelError::from)?;
    let is_trusted = trust.is_trusted(workspace);
    let is_same = files.iter().all(|file| file.state == State::Same);
    if start.common.json {
        json_pretty(&json!({
            "folder": workspace,
            "trusted": is_trusted,
            "files": files.iter().map(file_json).collect::<Vec<_>>(),
        }));
    } else {
        for line in lines(workspace, is_trusted, &files, start) {
            line_out(&line);
        }
    }
    if is_trusted && is_same {
        line_err("nothing changed since you trusted it");
        return Ok(Exit::Done);
    }
    if !is_yes && !ask(start).await? {
        return Err(Failure::new(
            Exit::Refused,
            anyhow::Error::msg(format!("{} is not trusted: you said no", shown(workspace))),
        ));
    }
    trust.grant(workspace, &files).map_err(KernelError::from)?;
    line_err(&format!("{} is trusted, with its files as they are now", shown(workspace)));
    Ok(Exit::Done)
}

fn file_json(file: &ProjectFile) -> serde_json::Value {
    json!({
        "path": file.path,
        "what": file.what,
        "state": state_word(file.state),
        "sha256": file.sha256,
    })
}

fn state_word(state: State) -> &'static str {
    match state {
        State::New => "new",
        State::Changed => "changed",
        State::Same => "same",
        State::Removed => "removed",
    }
}

fn lines(workspace: &Path, is_trusted: bool, files: &[ProjectFile], start: &Start) -> Vec<String> {
    let output = start.output;
    let columns = if output.stdout_is_terminal { output.columns } else { usize::MAX };
    let state = if is_trusted { "is trusted" } else { "is not trusted" };
    let mut lines = text::prose(&format!("{} {state}", shown(workspace)), columns);
    let meaning = "trusting it means that `write` and `edit` of ordinary files in it run without a \
         question if it is a git repository";
    let meaning = match files {
        [] => format!("{meaning}; it brings nothing that runs or steers by itself"),
        _ => format!("{meaning}, and that these files count as they are now:"),
    };
    lines.extend(text::prose(&meaning, columns));
    for file in files {
        lines.extend(file_lines(file, output.stdout_paint, columns));
    }
    lines
}

fn file_lines(file: &ProjectFile, paint: Paint, columns: usize) -> Vec<String> {
    let word = format!("{:<8}", state_word(file.state));
    let word = match file.state {
        State::New => paint.yellow(&word),
        State::Changed | State::Removed => paint.red(&word),
        State::Same => paint.green(&word),
    };
    let changed = match file.state {
        State::Changed => "; it is another than the one that you trusted",
        State::New | State::Same | State::Removed => "",
    };
    let what = format!("{}{changed}", file.what);
    let mut lines = vec![format!("  {word} {}", shown(&file.path))];
    lines.extend(
        text::prose(&what, columns.saturating_sub(11))
            .iter()
            .map(|line| format!("           {line}")),
    );
    lines
}

/// A person's yes, at a terminal only.
async fn ask(start: &Start) -> Result<bool, Failure> {
    let nobody = || {
        let message = "nobody can be asked here, and nothing is trusted unasked; look at the files, then \
             say it with --yes";
        Failure::new(Exit::Refused, anyhow::Error::msg(message))
    };
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(nobody());
    }
    let tty = Tty::open().map_err(|_| nobody())?;
    tty.forget();
    loop {
        write_err(&start.output.stderr_paint.bold("trust it? [y]es [n]o: "));
        let Some(line) = tty.line().await else { return Ok(false) };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => line_err("please answer y or n"),
        }
    }
}
