//! The tool `grep`.
//!
//! Metadata: `{"path", "matches", "files", "shown", "searched", "binary", "ignored", "withheld",
//! "truncated": bool}`, where `shown` counts matches, or files if `output` is not `content`.

use std::path::Path;

use serde_json::json;
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety,
    Scope, Spec, Tool, Truncated,
};

use crate::{
    failed::Failed,
    names::told_path,
    outcome::{blocking, prepared_tree, read_roots, roots, with_notices},
    roots::{Place, shown},
    searching::{self, FileHits, Hits, Output, Query, Row, Searched, Terms},
    walk::counted,
};

/// Searches what files hold.
#[derive(Debug)]
pub(crate) struct Grep;

/// What to search for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct GrepInput {
    /// A regular expression of Rust's kind; `(?i)` at its start ignores case.
    pattern: String,
    /// The file or directory to search, absolute or relative to the working directory (default: that).
    path: Option<String>,
    /// A glob of the files to search: `*.rs`, `src/**/*.ts`; with `!` before it, of those not to.
    glob: Option<String>,
    /// A file type of ripgrep to search: rust, py, js, go, md …
    #[serde(rename = "type")]
    file_type: Option<String>,
    /// Lines to show around each match (default 0, at most 20).
    context: Option<usize>,
    /// Lines, paths of files that match, or paths with their number of matches (default content).
    output: Option<OutputInput>,
    /// Let matches span lines; `.` then matches line feeds too (default false).
    multiline: Option<bool>,
    /// Matches to show, or files (default 100, at most 1000).
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

/// What is shown of the files that match.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "snake_case")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
enum OutputInput {
    Content,
    Files,
    Count,
}

impl Tool for Grep {
    type Input = GrepInput;
    const NAME: &'static str = "grep";
    const DESCRIPTION: &'static str = "Search the contents of files for a regular expression. Shows \
        matching lines by file, in the order of paths, as `NUMBER:line` (context as `NUMBER-line`). \
        Hidden files are searched; binary files, links and what git ignores are not. Everything is \
        counted, also what is not shown.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ)
            .title("Search in files")
            .search_hint("search text regex content files ripgrep code")
            .argument_aliases(&[
                ("regex", "pattern"),
                ("query", "pattern"),
                ("dir", "path"),
                ("include", "glob"),
                ("output_mode", "output"),
                ("head_limit", "limit"),
                ("max_results", "limit"),
            ])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .prepared()
            .cancellable()
            .result_bytes_max(0)
    }

    async fn prepare(&self, input: &GrepInput, context: &Context) -> Result<Preparation, Invalid> {
        let terms = input.terms();
        Ok(prepare(&terms, input.path.as_deref(), context).await?)
    }

    async fn call(&self, input: GrepInput, call: Call) -> Result<Reply, Failure> {
        let reply = blocking(move || {
            let stopped = || call.cancelled.is_cancelled();
            run(&input.terms(), input.path.as_deref(), &call.context, &call.scope, &stopped)
        });
        Ok(reply.await?)
    }
}

impl GrepInput {
    fn terms(&self) -> Terms {
        Terms {
            pattern: self.pattern.clone(),
            globs: self.glob.iter().cloned().collect(),
            left_out: Vec::new(),
            file_type: self.file_type.clone(),
            context: self.context.unwrap_or(0),
            output: match self.output {
                Some(OutputInput::Files) => Output::Files,
                Some(OutputInput::Count) => Output::Count,
                Some(OutputInput::Content) | None => Output::Content,
            },
            multiline: self.multiline.unwrap_or(false),
            ignore_case: false,
            limit: self.limit,
        }
    }
}

/// Judges a search before it runs.
///
/// # Errors
/// Those of the query and the path.
pub(crate) async fn prepare(
    terms: &Terms,
    path: Option<&str>,
    context: &Context,
) -> Result<Preparation, Failed> {
    let title = shown(&terms.pattern);
    let (roots, terms) = (roots(context), terms.clone());
    let path = path.unwrap_or(".").to_owned();
    let place = blocking(move || {
        Query::new(&terms)?;
        roots.locate(&path)
    });
    let place = place.await?;
    let title = format!("Search {} for {title}", place.shown);
    Ok(prepared_tree(&place).title(title))
}

/// Searches within what the grant lets the call reach.
///
/// # Errors
/// Those of the query, the path and the walk.
pub(crate) fn run(
    terms: &Terms,
    path: Option<&str>,
    context: &Context,
    scope: &Scope,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failed> {
    let query = Query::new(terms)?;
    let roots = read_roots(context, scope);
    let place = roots.locate(path.unwrap_or("."))?;
    let (hits, searched) = searching::search(&place, &query, &scope.withheld, stopped)?;
    let base = roots.argument(&place.absolute);
    let shown = if query.output == Output::Content { hits.shown } else { hits.files.len() as u64 };
    let all = if query.output == Output::Content { hits.matches } else { hits.files_matching };
    let is_cut = shown < all || searched.walked.is_cut;
    let notices = notices(&place, &query, &hits, searched);
    let reply = with_notices(text(&base, &hits, query.output), &notices).metadata(json!({
        "path": told_path(&base),
        "matches": hits.matches,
        "files": hits.files_matching,
        "shown": shown,
        "searched": searched.files,
        "binary": searched.binary,
        "ignored": searched.walked.ignored,
        "withheld": searched.walked.withheld,
        "truncated": is_cut,
    }));
    if is_cut {
        return Ok(reply.truncated(Truncated { bytes: 0, lines: hits.matches, in_output: false }));
    }
    Ok(reply)
}

/// What was found, file after file.
fn text(base: &Path, hits: &Hits, output: Output) -> String {
    let mut lines = Vec::new();
    for (number, file) in hits.files.iter().enumerate() {
        let path = if file.path.as_os_str().is_empty() { base } else { &base.join(&file.path) };
        let path = told_path(path);
        match output {
            Output::Files => lines.push(path),
            Output::Count => lines.push(format!("{path}: {}", file.matches)),
            Output::Content => {
                if number > 0 {
                    lines.push(String::new());
                }
                lines.push(path);
                lines.extend(rows(file));
            }
        }
    }
    lines.join("\n")
}

fn rows(file: &FileHits) -> impl Iterator<Item = String> {
    file.rows.iter().map(|row| match row {
        Row::Line { number, text, is_match: true } => format!("{number}:{text}"),
        Row::Line { number, text, is_match: false } => format!("{number}-{text}"),
        Row::Gap => "--".to_owned(),
    })
}

fn notices(place: &Place, query: &Query, hits: &Hits, searched: Searched) -> Vec<String> {
    let mut notices = Vec::new();
    let matches = counted(hits.matches, "match", "matches");
    let files = counted(hits.files_matching, "file", "files");
    let shown = hits.files.len() as u64;
    if hits.matches == 0 {
        let searched = counted(searched.files, "file", "files");
        notices.push(format!("no match in {}: {searched} searched", place.shown));
    } else if query.output == Output::Content && hits.shown < hits.matches {
        notices.push(format!(
            "{matches} in {files}; {} in {} shown. Narrow it by `path`, `glob` or `type`, raise \
             `limit`, or ask for `output` files",
            hits.shown,
            counted(shown, "file", "files"),
        ));
    } else if query.output != Output::Content && shown < hits.files_matching {
        notices.push(format!(
            "{files} match, {shown} shown. Narrow it by `path`, `glob` or `type`, or raise `limit`"
        ));
    } else {
        notices.push(format!("{matches} in {files}"));
    }
    if searched.binary > 0 {
        let files = counted(searched.binary, "binary file", "binary files");
        notices.push(format!("{files} not searched"));
    }
    if searched.unread > 0 {
        let files = counted(searched.unread, "file", "files");
        notices
            .push(format!("{files} could not be read, or have lines that are too long to search"));
    }
    notices.extend(searched.walked.said());
    notices
}

#[cfg(test)]
mod tests;
