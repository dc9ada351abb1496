//! `resume`: goes on with a session, or says how it was left.

use tollgate_core::name::SessionId;
use tollgate_engine::{
    approval::Nobody,
    session::{Session, SessionOptions},
    store::session::{self, SessionKind},
};

use super::{
    open::{Desk, in_session},
    turn::{self, Task, in_flight},
};
use crate::{
    args::{Common, Resume},
    config::{self, Config},
    exit::{Exit, Failure},
    input,
    output::{json_pretty, line_out},
    start::Start,
    stdio, text,
    view::View,
    visible,
};

/// Continues a session with a turn, or says how it was left.
///
/// # Errors
/// As `exec`.
pub(crate) async fn resume(start: &Start, resume: &Resume) -> Result<Exit, Failure> {
    let config = start.config()?;
    let state = start.store()?;
    let (id, prompt) = match (resume.last, resume.words.as_slice()) {
        (true, [] | [_]) => {
            let latest = session::latest(&state)?;
            let latest = latest.ok_or_else(|| Failure::usage("there are no sessions yet"))?;
            (latest.id, resume.words.first())
        }
        (false, [asked, rest @ ..]) => (session::find(&state, asked)?, rest.first()),
        (true, _) => {
            return Err(Failure::usage(
                "with --last there is no ID: tollgate resume --last [PROMPT]",
            ));
        }
        (false, []) => {
            return Err(Failure::usage(
                "which session? tollgate resume ID [PROMPT], or --last; `tollgate sessions list` shows them",
            ));
        }
    };
    let config = as_left(start, config, &id)?;
    match prompt {
        Some(prompt) => {
            let options = &resume.turn;
            stdio::check(options.approvals, options.output_format, Some(prompt))?;
            let prompt = input::prompt(Some(prompt))?;
            turn::run(start, &config, Task { resume: Some(id), prompt, options: &resume.turn })
                .await
        }
        None => report(start, &config, id).await,
    }
}

/// The configuration with the folder and the model that a session had, and as tight as it was, where
/// nothing else is said now.
///
/// # Errors
/// The session cannot be read, or its folder is gone.
pub(super) fn as_left(
    start: &Start,
    mut config: Config,
    id: &SessionId,
) -> Result<Config, Failure> {
    let mut head: Option<session::Head> = None;
    session::read(&start.store()?, id, |_, record| match (record, &mut head) {
        (session::SessionRecord::Session(found), None) => head = Some(found),
        (session::SessionRecord::Stance(stance), Some(head)) => head.stance = stance,
        _ => {}
    })?;
    let Some(head) = head else { return Ok(config) };
    if start.common.workspace.is_none() && head.workspace != config.workspace {
        // The project's part of the configuration is another one there.
        let common = Common { workspace: Some(head.workspace), ..start.common.clone() };
        let there = Start { common, output: start.output };
        config = there.config()?;
    }
    config::project::keep_tight(&mut config.values, head.stance);
    if start.common.add_dir.is_empty() {
        config.add_dirs = head.roots.into_iter().skip(1).filter(|root| root.is_dir()).collect();
    }
    if config.values.get("model").is_none() && !head.model.is_empty() {
        config.values.set("model", head.model, config::Source::Flag("the session"));
    }
    Ok(config)
}

/// Opens the session, which closes what was in flight, and says what was found.
async fn report(start: &Start, config: &Config, id: SessionId) -> Result<Exit, Failure> {
    let kernel = start.kernel(config)?;
    let options = SessionOptions {
        kind: SessionKind::Exec,
        resume: Some(id.clone()),
        workspace: config.workspace.clone(),
        add_dirs: config.add_dirs.clone(),
        stance: config::stance(config),
        model: config.values.text("model").map(str::to_owned),
        record_requests: None,
    };
    let desk = Desk::nobody(Nobody("nothing is run here".to_owned()));
    let mut view = View::Quiet;
    let work = async |session: Session, _| {
        let resumed = session.resumed().clone();
        session.close().await?;
        Ok(resumed)
    };
    let resumed = in_session(&kernel, options, desk, start.output, &mut view, work).await?;
    if start.common.json {
        json_pretty(&serde_json::json!({
            "session": id,
            "turns": resumed.turns,
            "repairs": resumed.repairs,
            "in_flight": resumed.in_flight,
        }));
        return Ok(Exit::Done);
    }
    let turns = text::count(usize::try_from(resumed.turns).unwrap_or(usize::MAX), "turn");
    let workspace = config.workspace.display().to_string();
    line_out(&format!("session {id}: {turns}, in {}", visible::line(&workspace)));
    for line in resumed.repairs.iter().chain(&in_flight(&resumed)) {
        line_out(&visible::line(line));
    }
    if resumed.in_flight.is_empty() {
        line_out("nothing was in flight");
    }
    line_out(&format!("go on with: tollgate resume {id} \"…\""));
    Ok(Exit::Done)
}
