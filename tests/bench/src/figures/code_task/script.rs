//! What the model says: one program, or the same work by direct calls.

use serde_json::json;

use super::files::Files;
use crate::mock::{ToolCall, calls};

/// Reads of a step. As many as the kernel runs side by side.
const READS_PER_STEP: usize = 10;

/// The program. What it writes must be what `Files::report` says.
const PROGRAM: &str = include_str!("program.js");

/// Calls of the program beside the reads: `find`, `grep`, `write`.
const CALLS_BESIDE_READS: usize = 3;

/// An answer of the model that wants calls.
#[derive(Debug)]
pub(super) struct Step(Vec<ToolCall>);

/// All that the model says before it is done.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) steps: Vec<Step>,
    /// Receipts that are there afterwards, those of a program's calls included.
    pub(super) receipts: usize,
}

impl Step {
    /// As events; `number` makes the calls' ids unique.
    pub(super) fn answer(&self, number: usize) -> String {
        calls(number, &self.0)
    }

    /// Bytes of the names and arguments that the model writes.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|call| call.name.len() + call.arguments.to_string().len()).sum()
    }
}

/// One step, one call.
pub(super) fn as_a_program(files: &Files) -> Script {
    let step = Step(vec![ToolCall::new("execute_tools", json!({ "code": PROGRAM }))]);
    Script { steps: vec![step], receipts: 1 + files.paths().count() + CALLS_BESIDE_READS }
}

/// A step that lists and searches, the reads, the report.
pub(super) fn by_direct_calls(files: &Files) -> Script {
    let bash = |command: &str| ToolCall::new("bash", json!({ "command": command }));
    let mut steps = vec![Step(vec![
        bash("find src -name '*.rs' | sort"),
        bash("grep -rh 'pub fn ' src | wc -l"),
    ])];
    let paths: Vec<_> = files.paths().collect();
    steps.extend(paths.chunks(READS_PER_STEP).map(|paths| {
        Step(paths.iter().map(|path| ToolCall::new("read", json!({ "path": path }))).collect())
    }));
    let write = json!({ "path": "report.md", "content": files.report() });
    steps.push(Step(vec![ToolCall::new("write", write)]));
    let receipts = steps.iter().map(|step| step.0.len()).sum();
    Script { steps, receipts }
}
