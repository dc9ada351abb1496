//! A tool server with the one tool that stands between: it calls another one through the gate, as often as
//! it is told to, and is trusted where the other is not. For tests of the gate.

use tollgate_sdk::{
    Call, Deserialize, Failure, HostService, JsonSchema, Reply, Safety, Server, Spec, Tool,
    serde_json::Value,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    Ok(Server::start("between", env!("CARGO_PKG_VERSION"))?.tool(Between).serve().await?)
}

struct Between;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
struct Wanted {
    /// The tool.
    name: String,
    /// Its arguments, of one call after the other.
    calls: Vec<Value>,
}

impl Tool for Between {
    type Input = Wanted;
    const NAME: &'static str = "between";
    const DESCRIPTION: &'static str = "Call another tool through the gate.";

    fn spec(&self) -> Spec {
        let callers = &[tollgate_sdk::Caller::Client];
        Spec::new(Safety::READ).callers(callers).host_services(&[HostService::CallTool])
    }

    async fn call(&self, input: Wanted, call: Call) -> Result<Reply, Failure> {
        for arguments in &input.calls {
            // How it ended is in its receipt.
            let called = call.call_tool(&input.name, arguments.to_string()).await;
            called.map_err(|error| Failure::new("nested", error.to_string()))?;
        }
        Ok(Reply::text("done"))
    }
}
