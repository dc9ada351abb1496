//! `grep_files`, and `File` with action `search_content`.
//!
//! Two tools had this name. The one whose `include` is a text, or whose bound is `limit`, gave the
//! paths of files; the other, and `File`, lines with two lines around each.

use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety, Spec,
    Tool,
};

use super::{OLD, Texts, name, needed, no_action, one_of};
use crate::{
    failed::Failed,
    grep,
    outcome::blocking,
    searching::{Output, Terms},
};

/// Searches what files hold.
#[derive(Debug)]
pub(super) struct GrepFiles<const FAMILY: bool>;

/// Its arguments; of the names on one line one is given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(super) struct GrepFilesInput {
    /// "`search_content`", in a call of `File`.
    action: Option<String>,
    /// A regular expression.
    pattern: Option<String>,
    /// The same.
    query: Option<String>,
    /// The file or directory to search; the working directory if none is named.
    path: Option<String>,
    /// Globs of files to search.
    include: Option<Texts>,
    /// Globs of files not to search.
    exclude: Option<Texts>,
    /// Lines around each match.
    context_lines: Option<usize>,
    /// Whether case does not count.
    case_insensitive: Option<bool>,
    /// Matches to show.
    max_results: Option<usize>,
    /// Files to show.
    limit: Option<usize>,
}

/// Lines around a match that were shown unless told otherwise.
const CONTEXT: usize = 2;

impl GrepFilesInput {
    fn terms(&self, family: bool) -> Result<Terms, Failed> {
        no_action(family, self.action.as_ref())?;
        let pattern = needed("pattern, query", [self.pattern.as_ref(), self.query.as_ref()])?;
        let limits = [self.max_results.as_ref(), self.limit.as_ref()];
        let gave_paths = self.limit.is_some() || matches!(self.include, Some(Texts::One(_)));
        let has_lines = family || !gave_paths || self.context_lines.is_some();
        Ok(Terms {
            pattern: pattern.clone(),
            globs: Texts::all(self.include.as_ref()),
            left_out: Texts::all(self.exclude.as_ref()),
            file_type: None,
            context: self.context_lines.unwrap_or(CONTEXT),
            output: if has_lines { Output::Content } else { Output::Files },
            multiline: false,
            ignore_case: self.case_insensitive.unwrap_or(false),
            limit: one_of("max_results, limit", limits)?.copied(),
        })
    }

    fn path(&self) -> Option<&str> {
        self.path.as_deref().filter(|path| !path.is_empty())
    }
}

impl<const FAMILY: bool> Tool for GrepFiles<FAMILY> {
    type Input = GrepFilesInput;
    const NAME: &'static str = name(FAMILY, "grep_files");
    const DESCRIPTION: &'static str = OLD;

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ)
    }

    async fn prepare(
        &self,
        input: &GrepFilesInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        Ok(grep::prepare(&input.terms(FAMILY)?, input.path(), context).await?)
    }

    async fn call(&self, input: GrepFilesInput, call: Call) -> Result<Reply, Failure> {
        let terms = input.terms(FAMILY)?;
        let work = move || {
            let stopped = || call.cancelled.is_cancelled();
            grep::run(&terms, input.path(), &call.context, &call.scope, &stopped)
        };
        Ok(blocking(work).await?)
    }
}

#[cfg(test)]
mod tests;
