//! The tool `list`.
//!
//! Metadata: `{"path", "entries", "shown", "depth", "ignored", "withheld", "truncated": bool}`.

use serde_json::json;
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety,
    Scope, Spec, Tool, Truncated,
};

use crate::{
    failed::Failed,
    globs::LeftOut,
    limits::{LIST_DEPTH, WALK_DEPTH_MAX},
    listing::{self, Listing},
    names::told_path,
    outcome::{blocking, prepared_tree, read_roots, roots, with_notices},
    walk::counted,
};

/// Lists a directory as a tree.
#[derive(Debug)]
pub(crate) struct List;

/// What to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct ListInput {
    /// The directory, absolute or relative to the working directory (default: that).
    path: Option<String>,
    /// Levels to show (default 2).
    #[schemars(range(min = 1, max = 128))]
    depth: Option<usize>,
    /// Globs of what to leave out, as in a .gitignore: `*.log`, `target/`.
    #[schemars(length(max = 64))]
    ignore: Option<Vec<String>>,
}

impl Tool for List {
    type Input = ListInput;
    const NAME: &'static str = "list";
    const DESCRIPTION: &'static str = "List a directory as a tree, sorted by name, hidden files \
        included. What git ignores is left out, links are shown with their target and not followed. \
        Shows at most 1000 entries, in as many whole levels as fit; what is left out is counted.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ)
            .title("List a directory")
            .search_hint("ls dir tree folder directory contents files show")
            .argument_aliases(&[("dir", "path"), ("dir_path", "path"), ("directory", "path")])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .prepared()
            .cancellable()
            .result_bytes_max(0)
    }

    async fn prepare(&self, input: &ListInput, context: &Context) -> Result<Preparation, Invalid> {
        Ok(prepare(&input.asked(), context).await?)
    }

    async fn call(&self, input: ListInput, call: Call) -> Result<Reply, Failure> {
        let asked = input.asked();
        let reply = blocking(move || {
            run(&asked, &call.context, &call.scope, &|| call.cancelled.is_cancelled())
        });
        Ok(reply.await?)
    }
}

impl ListInput {
    fn asked(&self) -> Asked {
        Asked {
            path: self.path.clone().unwrap_or_else(|| ".".to_owned()),
            depth: self.depth.unwrap_or(LIST_DEPTH),
            left_out: self.ignore.clone().unwrap_or_default(),
            ..Asked::default()
        }
    }
}

/// A list that is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) path: String,
    /// Levels, at least 1.
    pub(crate) depth: usize,
    /// Lines of a .gitignore.
    pub(crate) left_out: Vec<String>,
    /// Lines of the tree that are passed over.
    pub(crate) skip: usize,
    /// Lines of the tree that are shown; `None`: all that fit.
    pub(crate) limit: Option<usize>,
}

/// Judges a list before it runs.
///
/// # Errors
/// Those of the path and the globs.
pub(crate) async fn prepare(asked: &Asked, context: &Context) -> Result<Preparation, Failed> {
    let (roots, asked) = (roots(context), asked.clone());
    blocking(move || {
        LeftOut::new(&asked.left_out).map_err(|failed| failed.at("/ignore"))?;
        let place = roots.locate(&asked.path)?;
        let title = format!("List {}", place.shown);
        Ok(prepared_tree(&place).title(title))
    })
    .await
}

/// Lists what is asked for, within what the grant lets the call reach.
///
/// # Errors
/// Those of the path, the globs and the walk.
pub(crate) fn run(
    asked: &Asked,
    context: &Context,
    scope: &Scope,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failed> {
    let roots = read_roots(context, scope);
    let place = roots.locate(&asked.path)?;
    let left_out = LeftOut::new(&asked.left_out).map_err(|failed| failed.at("/ignore"))?;
    let wanted = asked.depth.clamp(1, WALK_DEPTH_MAX);
    let mut listing = listing::list(&place, wanted, &left_out, &scope.withheld, stopped)?;
    listing.cut(asked.skip, asked.limit);
    let path = told_path(&roots.argument(&place.absolute));
    let reply = with_notices(listing.text.clone(), &notices(&listing, wanted));
    let reply = reply.metadata(json!({
        "path": path,
        "entries": listing.entries,
        "shown": listing.shown,
        "depth": listing.depth,
        "ignored": listing.walked.ignored,
        "withheld": listing.walked.withheld,
        "truncated": listing.is_cut(),
    }));
    Ok(if listing.is_cut() { reply.truncated(whole(&listing)) } else { reply })
}

fn whole(listing: &Listing) -> Truncated {
    Truncated { bytes: 0, lines: listing.entries as u64, in_output: false }
}

fn notices(listing: &Listing, wanted: usize) -> Vec<String> {
    let mut notices = Vec::new();
    let entries = counted(listing.entries as u64, "entry", "entries");
    if listing.entries == 0 {
        notices.push("nothing is to be listed here".to_owned());
    } else if listing.shown < listing.entries {
        let (shown, levels) = (listing.shown, counted(listing.depth as u64, "level", "levels"));
        notices.push(format!(
            "{entries} in {wanted} levels, {shown} shown, of {levels}; to see more give a directory of \
             them as `path`, or use find"
        ));
    }
    if listing.unexplored > 0 && listing.depth == wanted {
        let directories = counted(listing.unexplored as u64, "directory", "directories");
        notices.push(format!(
            "{directories} at level {wanted} not looked into; to go deeper give `depth` or `path`"
        ));
    }
    notices.extend(listing.walked.said());
    notices
}

impl Listing {
    /// Keeps some of the lines that would be shown.
    fn cut(&mut self, skip: usize, limit: Option<usize>) {
        let lines = self.text.split_inclusive('\n').skip(skip).take(limit.unwrap_or(usize::MAX));
        let (text, shown) =
            lines.fold((String::new(), 0), |(text, shown), line| (text + line, shown + 1));
        (self.text, self.shown) = (text, shown);
    }

    fn is_cut(&self) -> bool {
        self.shown < self.entries || self.walked.is_cut
    }
}

#[cfg(test)]
mod tests;
