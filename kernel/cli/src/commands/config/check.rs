//! `config check`: every mistake of the configuration, of servers and of policy files, at once.

use tollgate_core::authority::law::Law;
use tollgate_engine::kernel::Kernel;
use tollgate_policy::{Policies, PolicyError, Standing, trust::Trust};

use crate::{
    config::{self, Config, programs::Programs},
    exit::Failure,
    output::line_err,
    start::{self, Start},
    visible,
};

/// Looks at everything that is said before a run.
///
/// # Errors
/// All mistakes.
pub(super) async fn run(start: &Start) -> Result<(), Failure> {
    let config = start.config()?;
    let executable = start::executable()?;
    let programs = Programs::of_process(&executable);
    let (settings, faults) = config::settings(&config, &executable, &programs);
    let mut wrong: Vec<String> = faults.into_iter().map(|it| it.fault.to_string()).collect();
    let places = config::policy::places(&config.places);
    let mut tell = |error: PolicyError| wrong.extend(error.0.iter().map(ToString::to_string));
    let opened = Policies::open(places.clone(), config.extra.clone(), config.roots());
    let standing = match opened {
        Ok(policies) => {
            let kernel = Kernel::start(settings, &config.places.engine, config.roots())?;
            let catalog = kernel.catalog().await;
            policies.check_tools(&catalog.ruled_names()).unwrap_or_else(&mut tell);
            kernel.stop().await;
            Some(policies.current())
        }
        Err(error) => {
            tell(error);
            None
        }
    };
    if let Err(error) = Trust::load(&places.trust) {
        tell(error);
    }
    if let Some(Law::Broken { fault }) = standing.as_deref().map(|it| &it.policy.law) {
        wrong.push(fault.clone());
    }
    wrong.dedup();
    if !wrong.is_empty() {
        return Err(Failure::usage(wrong.join("\n")));
    }
    told(start, &config, standing.as_deref());
    Ok(())
}

/// What was looked at.
fn told(start: &Start, config: &Config, standing: Option<&Standing>) {
    let places = config::policy::places(&config.places);
    let law = config::policy::law(&config.workspace);
    let policy = [&places.permissions, &places.hooks, &law, &places.trust];
    let policy = policy.into_iter().chain(&places.managed).map(|file| (file, file.exists()));
    let files = config.files.iter().map(|(file, is_there)| (file, *is_there));
    for (file, is_there) in files.chain(policy) {
        let found = if is_there { "ok" } else { "not there" };
        line_err(&format!("{}: {found}", visible::line(&file.display().to_string())));
    }
    for note in standing.iter().flat_map(|standing| &standing.notes) {
        line_err(&start.output.stderr_paint.yellow(&format!("note: {}", visible::line(note))));
    }
    line_err("the configuration has no mistakes");
}
