//! A tool server with one tool, to copy: [`Wait`].

use std::time::Duration;

use tollgate_confine::server::{Plan, confine};
use tollgate_sdk::{Call, Deserialize, Failure, JsonSchema, Reply, Safety, Server, Spec, Tool};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = Server::start("example", env!("CARGO_PKG_VERSION"))?.tool(Wait);
    // It needs no file, no network and no other program; `Plan` says what a server does need.
    Ok(server.confined(|| confine(&Plan::default())).serve().await?)
}

/// Waits, and can be told to stop waiting.
struct Wait;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
struct Input {
    /// How long to wait, in milliseconds. At most 60,000.
    #[schemars(range(max = 60_000))]
    milliseconds: u32,
}

impl Tool for Wait {
    type Input = Input;
    const NAME: &'static str = "wait";
    const DESCRIPTION: &'static str = "Wait for a number of milliseconds, then return.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ).title("Wait").search_hint("pause delay sleep timer").cancellable()
    }

    async fn call(&self, input: Input, call: Call) -> Result<Reply, Failure> {
        call.progress("waiting", None);
        tokio::select! {
            biased;
            () = call.cancelled.cancelled() => Err(Failure::cancelled("stopped waiting")),
            () = tokio::time::sleep(Duration::from_millis(input.milliseconds.into())) => {
                Ok(Reply::text(format!("waited {} ms", input.milliseconds)))
            }
        }
    }
}
