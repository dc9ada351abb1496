//! The tool `find`.
//!
//! Metadata: `{"path", "matches", "shown", "ignored", "withheld", "truncated": bool}`.

use serde_json::json;
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety,
    Scope, Spec, Tool, Truncated,
};

use crate::{
    failed::Failed,
    finding::{self, Findings},
    globs::Glob,
    limits::FOUND_BYTES_MAX,
    names::told_path,
    outcome::{blocking, prepared_tree, read_roots, roots, with_notices},
    roots::{Place, Roots, shown},
    walk::counted,
};

/// Finds files by name.
#[derive(Debug)]
pub(crate) struct Find;

/// What to find.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct FindInput {
    /// A glob: `*.rs` by name at any depth, `src/**/*.rs` by path; ends with `/` to find directories.
    pub(crate) pattern: String,
    /// The directory to search, absolute or relative to the working directory (default: that).
    pub(crate) path: Option<String>,
}

impl Tool for Find {
    type Input = FindInput;
    const NAME: &'static str = "find";
    const DESCRIPTION: &'static str = "Find files by a glob of their names or paths, the newest \
        first, hidden files included. What git ignores is left out, links are not followed. Shows at \
        most 500 paths and counts all.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ)
            .title("Find files by name")
            .search_hint("glob search file names paths locate pattern fd")
            .argument_aliases(&[("glob", "pattern"), ("dir", "path"), ("directory", "path")])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .prepared()
            .cancellable()
            .result_bytes_max(0)
    }

    async fn prepare(&self, input: &FindInput, context: &Context) -> Result<Preparation, Invalid> {
        Glob::new(&input.pattern).map_err(|failed| failed.at("/pattern"))?;
        let (roots, path) = (roots(context), input.path().to_owned());
        let place = blocking(move || roots.locate(&path)).await?;
        let title = format!("Find {} in {}", shown(&input.pattern), place.shown);
        Ok(prepared_tree(&place).title(title))
    }

    async fn call(&self, input: FindInput, call: Call) -> Result<Reply, Failure> {
        let reply = blocking(move || {
            run(&input, &call.context, &call.scope, &|| call.cancelled.is_cancelled())
        });
        Ok(reply.await?)
    }
}

impl FindInput {
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(".")
    }
}

/// Finds what the input says, within what the grant lets the call reach.
///
/// # Errors
/// Those of the path, the glob and the walk.
pub(crate) fn run(
    input: &FindInput,
    context: &Context,
    scope: &Scope,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failed> {
    let roots = read_roots(context, scope);
    let place = roots.locate(input.path())?;
    let glob = Glob::new(&input.pattern).map_err(|failed| failed.at("/pattern"))?;
    let findings = finding::find(&place, &glob, &scope.withheld, stopped)?;
    Ok(reply(&roots, &place, &findings, &shown(&input.pattern)))
}

/// The paths, each as an argument of this session, then the notices.
pub(crate) fn reply(roots: &Roots, place: &Place, findings: &Findings, pattern: &str) -> Reply {
    let base = roots.argument(&place.absolute);
    let (mut text, mut count) = (String::new(), 0);
    for path in &findings.paths {
        let line = told_path(&base.join(path));
        if text.len() + line.len() >= FOUND_BYTES_MAX {
            break;
        }
        text.push_str(&line);
        text.push('\n');
        count += 1;
    }
    let mut notices = Vec::new();
    if findings.matches == 0 {
        let looked = counted(findings.entries as u64, "entry", "entries");
        notices.push(format!("nothing matches {pattern} in {}: {looked} looked at", place.shown));
    } else if count < findings.matches {
        notices.push(format!(
            "{} match, the first {count} are shown; make `pattern` narrower or give a directory as \
             `path`",
            findings.matches
        ));
    }
    notices.extend(findings.walked.said());
    let is_cut = count < findings.matches || findings.walked.is_cut;
    let reply = with_notices(text, &notices).metadata(json!({
        "path": told_path(&base),
        "matches": findings.matches,
        "shown": count,
        "ignored": findings.walked.ignored,
        "withheld": findings.walked.withheld,
        "truncated": is_cut,
    }));
    if is_cut {
        let lines = findings.matches as u64;
        return reply.truncated(Truncated { bytes: 0, lines, in_output: false });
    }
    reply
}

#[cfg(test)]
mod tests;
