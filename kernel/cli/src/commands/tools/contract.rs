//! `tools contract`: the receipt of the default surface, whatever the provider (`[CAT-36]`).

use tollgate_core::catalog::{View, contract::Report};

use crate::{
    exit::Exit,
    output::{json_pretty, line_out},
    start::Start,
    text,
};

/// Prints it.
pub(super) fn run(start: &Start, view: &View) -> Exit {
    let report = Report::of(view);
    if start.common.json {
        json_pretty(&report);
        return Exit::Done;
    }
    let columns = if start.output.stdout_is_terminal { start.output.columns } else { usize::MAX };
    for line in lines(&report, columns) {
        line_out(&line);
    }
    Exit::Done
}

fn lines(report: &Report, columns: usize) -> Vec<String> {
    let Report { contract, apart } = report;
    let row = |tool: &tollgate_core::catalog::contract::ToolSize| {
        let (schema, all) = (tool.schema_bytes.to_string(), tool.bytes.to_string());
        vec![tool.name.clone(), tool.server.to_string(), schema, all]
    };
    let rows: Vec<_> = contract.tools.iter().map(row).collect();
    let mut lines = text::table(&["TOOL", "SERVER", "SCHEMA BYTES", "BYTES"], &rows, columns);
    let (bytes, schemas) = (contract.bytes, contract.schema_bytes);
    lines.push(String::new());
    lines.push(format!("in all {bytes} bytes, {schemas} of them schemas"));
    lines.push(format!("sha256 {}", contract.sha256));
    if !contract.without_server.is_empty() {
        lines.push(format!("no server has: {}", contract.without_server.join(", ")));
    }
    lines.push(format!(
        "apart from it: {} deferred, {} dynamic, {} always loaded, {} feature-gated, {} denied, {} hidden",
        apart.deferred,
        apart.dynamic,
        apart.always_loaded,
        apart.feature_gated,
        apart.denied,
        apart.hidden
    ));
    lines
}
