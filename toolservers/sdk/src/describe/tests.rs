//! Goal: `--manifest` tells what the running server tells, and a person can read it ([CAT-40]).

use prost::Message;
use serde_json::{Value, json};
use tollgate_proto::tool::v1::{DescribeRequest, DescribeResponse};

use super::lines;
use crate::{
    Call, Failure, Reply, ServeError, Server, Tool,
    options::Start,
    testing::{Probe, World},
};

/// An old name of the probe.
struct Old;

impl Tool for Old {
    type Input = std::collections::BTreeMap<String, String>;
    const NAME: &'static str = "Old";
    const DESCRIPTION: &'static str = "For tests.";
    async fn call(&self, _: Self::Input, _: Call) -> Result<Reply, Failure> {
        Ok(Reply::text("old"))
    }
}

/// A server of a process that was started with `--manifest`.
fn asked() -> Server {
    Server::from_start("probe", "1.2.3", Start::Manifest(Value::Null)).unwrap()
}

fn with_old_names(server: Server) -> Server {
    server.legacy_when("probe", ("action", "old"), Old).legacy("probe", Old)
}

/// [CAT-40]: a kernel that has cached it need not ask the live server again.
#[tokio::test]
async fn a_printed_manifest_is_the_running_servers() {
    let printed = with_old_names(asked().tool(Probe::default())).describe().unwrap();
    let world = World::with(with_old_names).await;
    let live = world.client().describe(DescribeRequest::default()).await.unwrap().into_inner();
    assert_eq!(printed, live);
    assert_eq!(printed.manifest.as_ref().unwrap().digest.len(), 32);
    // The encoded bytes are all that a reader needs.
    assert_eq!(DescribeResponse::decode(printed.encode_to_vec().as_slice()).unwrap(), live);
}

/// [CAT-40]: nothing is bound, and no root is there to look into.
#[test]
fn a_manifest_is_asked_for_without_roots_and_with_default_settings() {
    assert!(asked().roots().is_empty());
    assert_eq!(asked().settings::<Option<u8>>().unwrap(), None);
    let set = Start::Manifest(json!(7));
    assert_eq!(Server::from_start("probe", "1", set).unwrap().settings::<u8>().unwrap(), 7);
}

/// The server `model` has none.
#[test]
fn a_server_without_tools_has_a_manifest() {
    let described = asked().describe().unwrap();
    assert_eq!((described.tools.len(), described.next_page_token.as_str()), (0, ""));
    assert_eq!(lines(&described).lines().count(), 1);
}

#[test]
fn a_person_reads_a_line_for_each_tool() {
    let described = with_old_names(asked().tool(Probe::default())).describe().unwrap();
    let text = lines(&described);
    let [server, tool] = &text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    let server: Value = serde_json::from_str(server).unwrap();
    assert_eq!((&server["server"], &server["tools"]), (&json!("probe"), &json!(1)));
    assert_eq!(server["digest"].as_str().unwrap().len(), 64);
    let tool: Value = serde_json::from_str(tool).unwrap();
    assert_eq!((&tool["tool"], &tool["exposure"]), (&json!("probe"), &json!("deferred")));
    assert_eq!(tool["old_names"], json!(["Old (action old)", "Old"]));
}

/// [CAT-07]: a server whose names contradict each other neither serves nor has a manifest.
#[tokio::test]
async fn names_that_contradict_each_other_are_the_authors_to_mend() {
    let wrong = || asked().tool(Probe::default()).legacy("prove", Old);
    let why = "the old name 'Old' means 'prove', and this server has no such tool";
    for error in [wrong().describe().unwrap_err(), wrong().serve().await.unwrap_err()] {
        assert!(matches!(&error, ServeError::Usage(text) if text == why), "{error:?}");
    }
}
