//! Goal: what is known follows what was learnt last, each difference once; a call made for another offer is
//! told apart from one that still holds. No process is started here.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;
use tollgate_core::{catalog::Provenance, name::ServerName, safety::Trust};
use tollgate_proto::tool::v1::{self as proto, Manifest, Safety, ToolSpec};

use super::*;
use crate::{
    process::{RuntimeDir, Spawner},
    servers::{Ground, Servers},
    settings::{Clocks, Reach, ServerSettings},
};

struct World {
    _folder: tempfile::TempDir,
    servers: Servers,
    server: Arc<Server>,
}

impl World {
    /// A server that nobody reaches.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let ground = Arc::new(Ground {
            spawner: Spawner::default(),
            runtime: RuntimeDir::create(Some(&path.join("run"))).unwrap(),
            manifests: path.join("manifests"),
            logs: path.join("logs"),
            states: path.join("servers"),
            log: String::new(),
            session: "s".into(),
            roots: vec![path],
            secrets: LogSecrets::default(),
        });
        let name = ServerName::try_from("one").unwrap();
        let settings = ServerSettings {
            reach: Reach::Remote {
                endpoint: "http://127.0.0.1:1".into(),
                tls: None,
                grant_key_file: "/nowhere".into(),
                grant_key_id: "key".into(),
                roots: Vec::new(),
            },
            trust: Trust::Trusted,
            provenance: Provenance::Plugin,
            settings: Value::Null,
            env: Vec::new(),
            model: false,
            clocks: Clocks::default(),
        };
        let server = Server::new(name.clone(), settings, ground);
        let servers = BTreeMap::from([(name, Arc::clone(&server))]);
        Self {
            _folder: folder,
            servers: Servers { servers, always_load: Vec::new(), code_mode: true },
            server,
        }
    }

    async fn learn(&self, tools: &[ToolSpec], sources: &[proto::Source]) {
        let manifest = Manifest { sources: sources.to_vec(), ..Manifest::default() };
        let described = Described { manifest, tools: tools.to_vec() };
        self.server.learn(described, None, false).await;
    }

    fn names(&self) -> Vec<String> {
        let (catalog, _) = self.servers.newest();
        let plugins = catalog.list().iter().filter(|entry| !entry.is_native());
        plugins.map(|entry| entry.name.to_string()).collect()
    }

    fn states(&self) -> Vec<String> {
        let (catalog, _) = self.servers.newest();
        let word = |it: &Source| format!("{} {:?} {}", it.name, it.state, it.detail);
        catalog.sources().iter().map(|it| word(it).trim_end().to_owned()).collect()
    }

    /// The class and text of what is said of a call that was made for `entry`; nothing: it holds.
    fn said(&self, entry: &Entry) -> String {
        let refusal = self.server.check_offered(entry);
        refusal.err().map(|it| format!("{}: {}", it.class, it.message)).unwrap_or_default()
    }

    fn entry(&self, name: &str) -> Arc<Entry> {
        Arc::clone(self.servers.newest().0.get(name).unwrap())
    }
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        input_schema: Bytes::from_static(br#"{"type":"object"}"#),
        safety: Some(Safety { read_only: true, ..Safety::default() }),
        ..ToolSpec::default()
    }
}

fn of(source: &str, name: &str) -> ToolSpec {
    ToolSpec { source: source.into(), ..tool(name) }
}

fn source(name: &str, state: proto::SourceState) -> proto::Source {
    proto::Source { name: name.into(), state: state.into(), ..proto::Source::default() }
}

/// `[CAT-40]`
#[tokio::test]
async fn a_generation_is_one_difference() {
    let world = World::new();
    let (catalog, first) = world.servers.newest();
    assert_eq!(world.names(), [""; 0]);
    assert_eq!(catalog.missing().map(|(_, why)| why).collect::<Vec<_>>().len(), 1);
    world.learn(&[tool("look")], &[]).await;
    let learnt = world.servers.generation();
    assert_ne!(learnt, first);
    assert_eq!(world.names(), ["look"]);
    world.learn(&[tool("look")], &[]).await;
    assert_eq!(world.servers.generation(), learnt, "the same again is no news");
    world.learn(&[tool("look"), tool("find")], &[]).await;
    assert_ne!(world.servers.generation(), learnt);
    assert_eq!(world.names(), ["find", "look"]);
    assert_eq!(world.servers.newest().1, world.servers.generation());
}

/// `[CAT-40]` A manifest that breaks the contract takes the tools away, with the reason.
#[tokio::test]
async fn a_broken_manifest_is_told() {
    let world = World::new();
    world.learn(&[tool("look"), tool("no name")], &[]).await;
    let (catalog, _) = world.servers.newest();
    let missing: Vec<_> = catalog.missing().map(|(_, why)| why.to_owned()).collect();
    assert_eq!(world.names(), [""; 0]);
    assert!(
        missing[0].contains("breaks the contract") && missing[0].contains("no name"),
        "{missing:?}"
    );
    world.learn(&[tool("look")], &[]).await;
    assert_eq!(world.names(), ["look"]);
}

/// `[CAT-13]` `[CAT-14]` Only the tools of sources that are connected are there.
#[tokio::test]
async fn tools_of_a_source_that_is_not_connected_are_no_offer() {
    use proto::SourceState::{Disabled, Failed, Idle, Ready};
    let world = World::new();
    let tools = ["a", "b", "c", "d", "e"].map(|it| of(it, &format!("mcp_{it}")));
    let sources =
        [source("a", Idle), source("b", Ready), source("c", Failed), source("d", Disabled)];
    world.learn(&tools, &sources).await;
    // 'e' is no source that the server connects on demand: it has the tool.
    assert_eq!(world.names(), ["mcp_b", "mcp_e"]);
    assert_eq!(world.states(), ["a Idle", "b Ready", "c Failed", "d Disabled"]);
    assert_eq!(world.entry("mcp_b").source.as_deref(), Some("b"));
}

/// `[CAT-13]`
#[tokio::test]
async fn a_source_that_failed_says_why_until_it_is_told_anew() {
    use proto::SourceState::{Disabled, Idle, Ready};
    let world = World::new();
    let sources = [source("a", Idle), source("b", Idle), source("d", Disabled)];
    world.learn(&[tool("look")], &sources).await;
    let before = world.servers.generation();
    world.server.sources_failed(&["a".into(), "nobody".into()], "too\nslow");
    assert_eq!(world.states(), ["a Failed too slow", "b Idle", "d Disabled"]);
    assert_ne!(world.servers.generation(), before);
    assert_eq!(world.names(), ["look"]);
    let sources = [source("a", Ready), source("b", Idle), source("d", Disabled)];
    world.learn(&[tool("look"), of("a", "mcp_a")], &sources).await;
    assert_eq!(world.states(), ["a Ready", "b Idle", "d Disabled"]);
    assert_eq!(world.server.ready_sources(), ["a"]);
}

/// `[CAT-40]` What the gate judged and what is called are one thing.
#[tokio::test]
async fn a_call_for_another_offer_is_told_apart() {
    use proto::SourceState::{Idle, Ready};
    let world = World::new();
    let old = proto::HiddenName {
        name: "old".into(),
        input_schema: Bytes::from_static(b"{}"),
        when: None,
    };
    let looks = ToolSpec { hidden_names: vec![old.clone()], ..tool("look") };
    let connected = [source("a", Ready)];
    let tools = [looks.clone(), tool("find"), tool("safe"), of("a", "mcp_a")];
    world.learn(&tools, &connected).await;
    let names = ["look", "find", "safe", "mcp_a"];
    let [look, find, safe, mcp] = names.map(|name| world.entry(name));
    let hidden = Arc::clone(&world.servers.newest().0.hidden()[0]);
    for entry in [&look, &find, &safe, &mcp, &hidden] {
        assert_eq!(world.said(entry), "");
    }
    let schema = Bytes::from_static(br#"{"type":"object","required":["a"]}"#);
    let now = [
        ToolSpec { input_schema: schema, hidden_names: vec![old], ..tool("look") },
        ToolSpec { safety: Some(Safety::default()), ..tool("safe") },
    ];
    world.learn(&now, &[source("a", Idle)]).await;
    for (entry, word) in [
        (&look, "'look' was not called: server 'one' has changed"),
        (&find, "is not there any more"),
        (&safe, "is another tool now"),
    ] {
        let said = world.said(entry);
        assert!(said.starts_with("server_changed: ") && said.contains(word), "{said}");
        assert!(said.contains("taken up at the next turn"), "{said}");
    }
    assert_eq!(world.said(&hidden), "", "the old name has the schema that it had");
    assert_eq!(world.said(&mcp), "", "its server connects the source, or says no");
}

/// `[CAT-13]` A server that cannot be reached has its sources told, and nothing is waited for beyond the
/// time.
#[tokio::test]
async fn discovery_of_a_server_that_is_not_there() {
    use std::time::Duration;
    use tokio_util::sync::CancellationToken;

    use proto::SourceState::{Disabled, Idle, Ready};
    let world = World::new();
    let sources = [source("a", Idle), source("b", Ready), source("d", Disabled)];
    world.learn(&[tool("look")], &sources).await;
    let discover = async |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let wanted = [(world.server.name().clone(), names)];
        let within = Duration::from_secs(60);
        world.servers.discover(&wanted, within, &CancellationToken::new()).await.changed
    };
    assert!(!discover(&["d", "nobody"]).await, "nobody is asked");
    assert!(discover(&["b"]).await, "it is connected already");
    assert_eq!(world.states(), ["a Idle", "b Ready", "d Disabled"]);
    assert!(discover(&["a"]).await);
    let [a, ..] = &world.states()[..] else { panic!("no sources") };
    assert!(a.starts_with("a Failed ") && a.len() > 10, "{a}");
}
