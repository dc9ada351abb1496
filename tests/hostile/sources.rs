//! What a server stands before: a source that connects at once, one that is too slow, one that is broken,
//! one that is switched off.

use std::{collections::BTreeSet, time::Duration};

use tokio::time::sleep;
use tollgate_proto::tool::v1::{Exposure, Manifest, Source, SourceState, ToolSpec};

use crate::manifest;

/// The sources before anything is connected.
pub(crate) fn at_rest() -> Vec<Source> {
    let source = |name: &str, hint: &str| Source {
        name: name.into(),
        hint: hint.into(),
        state: SourceState::Idle.into(),
        detail: String::new(),
    };
    vec![
        source("alpha", "letters of the greek alphabet"),
        source("slow", "snails and tortoises"),
        source("broken", "shards"),
        Source {
            state: SourceState::Disabled.into(),
            detail: "switched off in a file".into(),
            ..source("off", "darkness")
        },
    ]
}

/// Connects the wanted ones (none: all), within a time; the manifest then, with all that is connected.
pub(crate) async fn connect(
    mut manifest: Manifest,
    mut tools: Vec<ToolSpec>,
    wanted: &BTreeSet<String>,
    within: Duration,
) -> (Manifest, Vec<ToolSpec>) {
    for source in &mut manifest.sources {
        if !wanted.is_empty() && !wanted.contains(&source.name) {
            continue;
        }
        match source.name.as_str() {
            "alpha" if source.state() != SourceState::Ready => {
                source.set_state(SourceState::Ready);
                tools.extend(["list", "get"].map(|what| tool(&source.name, what)));
            }
            "slow" => {
                sleep(within).await;
                source.set_state(SourceState::Failed);
                source.detail = format!("not there within {} ms", within.as_millis());
            }
            "broken" => {
                source.set_state(SourceState::Failed);
                source.detail = "it exited with code 3: no such key".into();
            }
            _ => {}
        }
    }
    manifest::sign(&mut manifest, &tools);
    (manifest, tools)
}

fn tool(source: &str, what: &str) -> ToolSpec {
    ToolSpec {
        name: format!("mcp_{source}_{what}"),
        title: format!("{what} letters"),
        description: format!("The tool {what} of {source}, about omega and sigma."),
        exposure: Exposure::Deferred.into(),
        source: source.into(),
        ..manifest::look()
    }
}
