//! A tool server that says of each call whatever its arguments tell it to say, and one tool that calls
//! another through the gate: what a program is to the kernel. For tests of the gate.

use std::path::PathBuf;

use tollgate_sdk::{
    Call, Called, Caller, Context, Deserialize, Failure, HostService, Invalid, JsonSchema,
    PathAccess, PathReach, Preparation, Reply, Safety, Sandbox, Scope, Server, Spec, Subject, Tool,
    Withheld,
    serde_json::{Value, json},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = Server::start("standin", env!("CARGO_PKG_VERSION"))?;
    Ok(server.tool(Probe).tool(Relay).serve().await?)
}

/// Everybody.
const CALLERS: &[Caller] = &[Caller::Program, Caller::Server, Caller::Client];

/// Does nothing, and claims what it is told to claim.
struct Probe;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
struct Claims {
    /// It changes nothing.
    read_only: bool,
    /// It may destroy something.
    #[serde(default)]
    destructive: bool,
    /// It talks to things outside.
    #[serde(default)]
    open_world: bool,
    /// What it touches.
    #[serde(default)]
    subjects: Vec<Claimed>,
    /// A wider sandbox: "network" or "off".
    #[serde(default)]
    sandbox: Option<String>,
    /// A file that is made when it runs, or none.
    #[serde(default)]
    leaves: Option<PathBuf>,
    /// Places of which it tells whether its grant withholds or holds them; none: it says "done".
    #[serde(default)]
    asks: Vec<PathBuf>,
    /// The words for its confinement; without them it says what its grant is.
    #[serde(default)]
    confined: Option<String>,
    /// It fails.
    #[serde(default)]
    fails: bool,
}

/// What a grant says, as far as these places ask.
fn told(scope: &Scope, asked: &[PathBuf]) -> Value {
    let those = |places: &Withheld| {
        let held = asked.iter().filter(|place| place.ancestors().any(|it| places.holds(it)));
        held.cloned().collect::<Vec<_>>()
    };
    json!({
        "sandbox": format!("{:?}", scope.sandbox),
        "write": scope.write_roots,
        "withheld": those(&scope.withheld),
        "held": those(&scope.held),
        "opened": scope.opened,
    })
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
enum Claimed {
    /// "read", "write", "create" or "delete", or with all below "tree", "granted-tree" (both are read) or
    /// "write-tree"; and an absolute path.
    Path(String, PathBuf),
    /// Words, the operator before them, opaque, read-only.
    Command(Vec<String>, String, bool, bool),
    /// A host.
    Host(String),
}

impl Tool for Probe {
    type Input = Claims;
    const NAME: &'static str = "probe";
    const DESCRIPTION: &'static str = "Do nothing, and claim what the arguments say.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST).prepared().callers(CALLERS)
    }

    async fn prepare(&self, input: &Claims, context: &Context) -> Result<Preparation, Invalid> {
        let mut said = Preparation::new(Safety {
            read_only: input.read_only,
            destructive: input.destructive,
            idempotent: false,
            open_world: input.open_world,
            concurrency_safe: input.read_only,
        });
        for subject in &input.subjects {
            said = said.subject(subject_of(subject.clone(), context));
        }
        Ok(match input.sandbox.as_deref() {
            Some("network") => said.escalation(Sandbox::Network, "the test wants it"),
            Some(_) => said.escalation(Sandbox::Off, "the test wants it"),
            None => said,
        })
    }

    async fn call(&self, input: Claims, call: Call) -> Result<Reply, Failure> {
        if let Some(file) = input.leaves {
            std::fs::write(&file, "ran").map_err(|error| Failure::new("io", error.to_string()))?;
        }
        let scope = &call.scope;
        let (sandbox, opened) = (scope.sandbox, scope.opened.len());
        let confined = input.confined.unwrap_or_else(|| {
            format!("{sandbox:?} writes:{} opened:{opened}", scope.write_roots.len())
        });
        if input.fails {
            let failed = Reply::text("it was told to fail").confined(confined);
            return Err(Failure::with_reply("told", failed));
        }
        if input.asks.is_empty() {
            return Ok(Reply::text("done").confined(confined));
        }
        Ok(Reply::text(told(scope, &input.asks).to_string()).confined(confined))
    }
}

fn subject_of(claimed: Claimed, context: &Context) -> Subject {
    match claimed {
        Claimed::Path(access, absolute) => Subject::Path {
            relative: context
                .roots
                .iter()
                .find_map(|root| absolute.strip_prefix(root).ok().map(std::path::Path::to_owned)),
            access: match access.as_str() {
                "read" | "tree" | "granted-tree" => PathAccess::Read,
                "write" | "write-tree" => PathAccess::Write,
                "create" => PathAccess::Create,
                _ => PathAccess::Delete,
            },
            reach: match access.as_str() {
                "tree" | "write-tree" => PathReach::Tree,
                "granted-tree" => PathReach::GrantedTree,
                _ => PathReach::Itself,
            },
            absolute,
        },
        Claimed::Command(argv, operator, opaque, read_only) => {
            Subject::Command { argv, operator, opaque, read_only }
        }
        Claimed::Host(host) => Subject::Host(host),
    }
}

/// Calls another tool through the gate, as a program would.
struct Relay;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
struct Wanted {
    /// The tool.
    name: String,
    /// Its arguments.
    arguments: Value,
}

impl Tool for Relay {
    type Input = Wanted;
    const NAME: &'static str = "relay";
    const DESCRIPTION: &'static str = "Call another tool through the gate.";

    fn spec(&self) -> Spec {
        // What it does is done by the other call, under its own decision.
        Spec::new(Safety::READ).callers(CALLERS).host_services(&[HostService::CallTool])
    }

    async fn call(&self, input: Wanted, call: Call) -> Result<Reply, Failure> {
        let called = call.call_tool(&input.name, input.arguments.to_string()).await;
        let said = called.map_err(|error| error.to_string()).and_then(Called::succeeded);
        said.map(Reply::text).map_err(|why| Failure::new("nested", why))
    }
}
