//! `tools list|show|contract`: what there is, from the manifests; a server whose manifest is not known yet
//! is started once. `tools payload`: what a session's request said of it, from the store.
//! `tools search`: the call of `tool_search`.

mod contract;
mod facts;
mod list;
mod payload;
mod pretty;
mod search;
mod show;

use std::sync::Arc;

use tollgate_core::{authority::policy::Policy, catalog::View};
use tollgate_engine::clock;

use crate::{
    args::Tools,
    config,
    exit::{Exit, Failure},
    output::line_err,
    start::Start,
    visible,
};

/// Runs the command.
///
/// # Errors
/// There is no such tool or session, or no kernel.
pub(crate) async fn run(start: &Start, command: &Tools) -> Result<Exit, Failure> {
    match command {
        Tools::List(asked) => Ok(list::run(start, &view(start).await?, asked.all)),
        Tools::Show { name } => show::run(start, &view(start).await?, name),
        Tools::Payload(asked) => payload::run(start, asked.session.as_deref()),
        Tools::Contract => Ok(contract::run(start, &view(start).await?)),
        Tools::Search(asked) => search::run(start, asked).await,
    }
}

/// The tools as a new session of this workspace would have them. Policy that cannot be read takes nothing
/// away: a look decides nothing, and must help to mend it.
async fn view(start: &Start) -> Result<View, Failure> {
    let config = start.config()?;
    let kernel = start.kernel(&config)?;
    let catalog = Arc::new(kernel.catalog().await);
    kernel.stop().await;
    let standing = kernel.policies(&catalog, &config.roots()).map(|policies| policies.current());
    let (mode, surface) = (config::stance(&config).mode, config::surface(&config));
    let now = clock::unix_ms();
    Ok(match standing {
        Ok(standing) => View::of(catalog, &standing.policy, mode, surface, now),
        Err(error) => {
            let why = visible::lines(&Failure::from(error).chain());
            let note = format!("note: the policy is not applied to this list: {why}");
            line_err(&start.output.stderr_paint.yellow(&note));
            View::of(catalog, &Policy::default(), mode, surface, now)
        }
    })
}
