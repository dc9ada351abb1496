//! The summary of a run, for the model, and the facts for programs.
//!
//! Invariant: nothing is said to have passed but what the runner's own words and its exit code both say
//! (test `passed_is_said_only_where_words_and_exit_code_agree`).

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use tollgate_sdk::serde_json::{Value, json};

use super::{
    found::{Check, Kind},
    report::{Counts, Finding, Report},
};
use crate::{
    foreground::Ran,
    limits::{FINDINGS_MAX, LAST_LINES},
    reap::Ending,
    result,
    run::Stop,
};

#[cfg(test)]
mod tests;

/// One check that was run.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) check: Check,
    pub(super) ran: Ran,
    /// `None`: no format was recognised.
    pub(super) report: Option<Report>,
}

impl Done {
    pub(super) fn is_well(&self) -> bool {
        let finished = &self.ran.finished;
        (finished.stop, finished.ending) == (Stop::Itself, Some(Ending::Code(0)))
    }

    fn counts(&self) -> Option<Counts> {
        self.report.as_ref()?.counts
    }

    fn findings(&self) -> &[Finding] {
        self.report.as_ref().map_or(&[], |report| report.findings.kept.as_slice())
    }
}

/// All that was run, one after the other; what else there is; what was left out for want of time.
pub(super) fn text(
    kind: Kind,
    done: &[Done],
    found: &[Check],
    left: &[Check],
    cwd: &Path,
) -> String {
    let mut parts: Vec<String> = done.iter().map(|done| one(kind, done, cwd)).collect();
    if !left.is_empty() {
        parts.push(format!(
            "[not run, since the time was over or the call was stopped: {}]",
            names(left)
        ));
    }
    let ran = |check: &&Check| {
        done.iter().any(|done| done.check.name == check.name)
            || left.iter().any(|left| left.name == check.name)
    };
    let others: Vec<Check> = found.iter().filter(|check| !ran(check)).cloned().collect();
    if !others.is_empty() {
        parts.push(format!("[found too, to be named in 'runner': {}]", names(&others)));
    }
    parts.join("\n")
}

fn names(checks: &[Check]) -> String {
    let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
    names.join(", ")
}

/// One check: what ran, the verdict, the findings, the end of the output where these say nothing.
fn one(kind: Kind, done: &Done, cwd: &Path) -> String {
    let place = shown(&done.check.folder, cwd);
    let mut text = format!("$ {}  (in {})\n", done.check.line, place.display());
    // Writing to a `String` cannot fail.
    if kind == Kind::Tests {
        writeln!(text, "{}", verdict(done)).ok();
    }
    for finding in done.findings() {
        writeln!(text, "{}", finding_line(kind, finding, &done.check.folder, cwd)).ok();
    }
    let more = done.report.as_ref().map_or(0, |report| report.findings.more);
    if more > 0 {
        writeln!(text, "[{more} more findings, of which {FINDINGS_MAX} are shown]").ok();
    }
    if !done.is_well() && done.findings().is_empty() {
        let output = &done.ran.finished.output;
        let all = format!("{}{}", output.head, output.tail);
        let lines: Vec<&str> = all.lines().collect();
        let from = lines.len().saturating_sub(LAST_LINES);
        let last = lines.get(from..).unwrap_or_default().join("\n");
        writeln!(text, "[the end of its output]\n{last}").ok();
    }
    let notes = done
        .ran
        .notes
        .iter()
        .chain(&result::own_notes(&done.ran.finished))
        .cloned()
        .collect::<Vec<_>>();
    for note in notes {
        writeln!(text, "{note}").ok();
    }
    text.push_str(&result::last_line(&done.ran.finished));
    text
}

/// What can be said of tests.
fn verdict(done: &Done) -> String {
    let Some(counts) = done.counts() else {
        return match &done.report {
            Some(report) => format!(
                "the counts of {} could not be read to their end: what its exit code says alone counts",
                report.format
            ),
            None => "the counts could not be read: what its exit code says alone counts".to_owned(),
        };
    };
    let Counts { passed, failed, skipped, errors } = counts;
    let said = format!("{passed} passed, {failed} failed, {skipped} skipped, {errors} errors");
    let bad = failed + errors > 0;
    match (done.is_well(), bad) {
        (true, false) if passed + skipped == 0 => format!("{said}: no tests ran"),
        (true, false) | (false, true) => said,
        (true, true) => format!("{said}; yet its exit code is 0"),
        (false, false) => format!("{said}; yet it did not end well: do not take this as passed"),
    }
}

fn finding_line(kind: Kind, finding: &Finding, folder: &Path, cwd: &Path) -> String {
    let place = finding.place.as_ref().map(|place| {
        let column = place.column.map(|column| format!(":{column}")).unwrap_or_default();
        format!("{}:{}{column}", shown(&real(&place.file, folder), cwd).display(), place.line)
    });
    let place = place.unwrap_or_default();
    let parts = match kind {
        Kind::Tests => ["FAILED", finding.name.as_str(), place.as_str(), finding.message.as_str()],
        Kind::Verifiers => [place.as_str(), finding.name.as_str(), finding.message.as_str(), ""],
    };
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("  ")
}

/// The file that a runner means: it may name it from a folder above.
fn real(file: &Path, folder: &Path) -> PathBuf {
    let mut candidates = folder.ancestors().map(|above| above.join(file));
    candidates.find(|candidate| candidate.exists()).unwrap_or_else(|| folder.join(file))
}

/// A path as the session's directory sees it.
fn shown(path: &Path, cwd: &Path) -> PathBuf {
    let within = |cwd: &Path| path.strip_prefix(cwd).map(Path::to_owned).ok();
    let within = within(cwd).or_else(|| within(&cwd.canonicalize().ok()?));
    match within {
        Some(within) if within.as_os_str().is_empty() => PathBuf::from("."),
        Some(within) => within,
        None => path.to_owned(),
    }
}

/// `{"runs": [{"runner", "command", "folder", "format": text|null, "counts": {"passed", "failed", "skipped",
/// "errors"}|null, "findings": [{"name", "file": path|null, "line", "column", "message"}], "more": int, and
/// those of `bash`}], "found": [name], "not_run": [name]}`
pub(super) fn facts(done: &[Done], found: &[Check], left: &[Check], cwd: &Path) -> Value {
    let names = |checks: &[Check]| -> Vec<String> {
        checks.iter().map(|check| check.name.clone()).collect()
    };
    let runs: Vec<Value> = done.iter().map(|done| run_facts(done, cwd)).collect();
    json!({ "runs": runs, "found": names(found), "not_run": names(left) })
}

fn run_facts(done: &Done, cwd: &Path) -> Value {
    let mut facts = result::metadata(&done.ran.finished, cwd);
    let folder = &done.check.folder;
    let counts = done.counts().map(|counts| {
        let Counts { passed, failed, skipped, errors } = counts;
        json!({ "passed": passed, "failed": failed, "skipped": skipped, "errors": errors })
    });
    let finding = |finding: &Finding| {
        let place = finding.place.as_ref();
        json!({
            "name": finding.name,
            "file": place.map(|place| shown(&real(&place.file, folder), cwd).to_string_lossy().into_owned()),
            "line": place.map(|place| place.line),
            "column": place.and_then(|place| place.column),
            "message": finding.message,
        })
    };
    if let Some(facts) = facts.as_object_mut() {
        facts.insert("runner".into(), done.check.name.clone().into());
        facts.insert("command".into(), done.check.line.clone().into());
        facts.insert("folder".into(), folder.to_string_lossy().into());
        facts.insert("format".into(), done.report.as_ref().map(|report| report.format).into());
        facts.insert("counts".into(), counts.into());
        facts.insert("findings".into(), done.findings().iter().map(finding).collect());
        facts.insert(
            "more".into(),
            done.report.as_ref().map_or(0, |report| report.findings.more).into(),
        );
    }
    facts
}
