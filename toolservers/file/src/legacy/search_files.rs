//! `search_files`, and `File` with action `search_name`: files by a part of their path.
//!
//! A query with `*`, `?`, `[` or `{` is a glob. Any other is a part of the path, upper and lower case
//! alike; several words must all occur. First come files of exactly that name, then those whose name
//! begins with it, then those that have it in the name, then those that have it in the path, then
//! those that have its letters in this order.

use std::path::Path;

use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety, Scope,
    Spec, Tool,
};

use super::{OLD, Texts, name, needed, no_action, one_of, wrong};
use crate::{
    failed::Failed,
    find, finding,
    globs::{Glob, LeftOut},
    limits::FIND_PATHS_MAX,
    outcome::{blocking, prepared_tree, read_roots, roots},
    roots::shown,
    walk::Kind,
};

/// Finds files by a part of their path.
#[derive(Debug)]
pub(super) struct SearchFiles<const FAMILY: bool>;

/// Its arguments; of the names on one line one is given.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(super) struct SearchFilesInput {
    /// "`search_name`", in a call of `File`.
    action: Option<String>,
    /// A part of the path, or a glob.
    query: Option<String>,
    /// The same.
    pattern: Option<String>,
    /// The directory to search; the working directory if none is named.
    path: Option<String>,
    /// Paths to show.
    limit: Option<usize>,
    /// The same.
    max_results: Option<usize>,
    /// Endings of names to show.
    extensions: Option<Texts>,
    /// Globs of what to leave out.
    exclude: Option<Texts>,
    /// The same.
    #[serde(rename = "excludePatterns")]
    exclude_patterns: Option<Texts>,
}

/// Paths that were shown unless told otherwise.
const PATHS: usize = 20;

/// What a call asks for.
#[derive(Debug)]
struct Asked {
    query: String,
    glob: Option<Glob>,
    path: String,
    limit: usize,
    extensions: Vec<String>,
    left_out: LeftOut,
}

impl SearchFilesInput {
    fn asked(&self, family: bool) -> Result<Asked, Failed> {
        no_action(family, self.action.as_ref())?;
        let query = needed("query, pattern", [self.query.as_ref(), self.pattern.as_ref()])?.trim();
        if query.is_empty() {
            return Err(wrong("the query is empty"));
        }
        let glob = query.contains(['*', '?', '[', '{']).then(|| Glob::new(query)).transpose();
        let limits = [self.limit.as_ref(), self.max_results.as_ref()];
        let excludes = [self.exclude.as_ref(), self.exclude_patterns.as_ref()];
        let left_out = Texts::all(one_of("exclude, excludePatterns", excludes)?);
        let extensions = Texts::all(self.extensions.as_ref());
        let path = self.path.as_deref().filter(|path| !path.trim().is_empty());
        Ok(Asked {
            query: query.to_lowercase(),
            glob: glob.map_err(|failed| failed.at("/query"))?,
            path: path.unwrap_or(".").to_owned(),
            limit: one_of("limit, max_results", limits)?.copied().unwrap_or(PATHS),
            extensions: extensions
                .iter()
                .map(|it| it.trim_start_matches('.').to_lowercase())
                .collect(),
            left_out: LeftOut::new(&left_out).map_err(|failed| failed.at("/exclude"))?,
        })
    }
}

impl Asked {
    /// The rank of a file; `None`: it is not meant.
    fn rank(&self, path: &Path) -> Option<(u8, usize)> {
        let is_left_out = path
            .ancestors()
            .any(|part| !part.as_os_str().is_empty() && self.left_out.has(part, part != path));
        let text = path.to_string_lossy().to_lowercase();
        let has_extension =
            self.extensions.iter().any(|wanted| text.ends_with(&format!(".{wanted}")));
        if is_left_out || !(self.extensions.is_empty() || has_extension) {
            return None;
        }
        if let Some(glob) = &self.glob {
            return glob.matches(path).then_some((0, text.len()));
        }
        let name = text.rsplit('/').next().unwrap_or(&text);
        let rank = if name == self.query {
            0
        } else if name.starts_with(&self.query) {
            1
        } else if name.contains(&self.query) {
            2
        } else if self.query.split_whitespace().all(|word| text.contains(word)) {
            3
        } else if has_letters(&text, &self.query) {
            4
        } else {
            return None;
        };
        Some((rank, text.len()))
    }
}

/// Whether a text has these letters in this order, others between them or not.
fn has_letters(text: &str, letters: &str) -> bool {
    let mut rest = text.chars();
    letters.chars().filter(|it| !it.is_whitespace()).all(|it| rest.any(|other| other == it))
}

impl<const FAMILY: bool> Tool for SearchFiles<FAMILY> {
    type Input = SearchFilesInput;
    const NAME: &'static str = name(FAMILY, "search_files");
    const DESCRIPTION: &'static str = OLD;

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ)
    }

    async fn prepare(
        &self,
        input: &SearchFilesInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        let (roots, asked) = (roots(context), input.asked(FAMILY)?);
        let preparation = blocking(move || {
            let place = roots.locate(&asked.path)?;
            let title = format!("Find {} in {}", shown(&asked.query), place.shown);
            Ok(prepared_tree(&place).title(title))
        });
        Ok(preparation.await?)
    }

    async fn call(&self, input: SearchFilesInput, call: Call) -> Result<Reply, Failure> {
        let asked = input.asked(FAMILY)?;
        let work =
            move || run(&asked, &call.context, &call.scope, &|| call.cancelled.is_cancelled());
        Ok(blocking(work).await?)
    }
}

fn run(
    asked: &Asked,
    context: &Context,
    scope: &Scope,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failed> {
    let roots = read_roots(context, scope);
    let place = roots.locate(&asked.path)?;
    let limit = asked.limit.clamp(1, FIND_PATHS_MAX);
    let findings = finding::best(&place, limit, &scope.withheld, stopped, &|entry| {
        if entry.kind == Kind::Directory { None } else { asked.rank(entry.path) }
    })?;
    Ok(find::reply(&roots, &place, &findings, &shown(&asked.query)))
}

#[cfg(test)]
mod tests;
