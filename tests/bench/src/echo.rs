//! The tool server that is measured: one tool that gives its text back, made as any other.

use anyhow::bail;
use tollgate_sdk::{
    Call, Caller, Deserialize, Failure, JsonSchema, Reply, Safety, Server, Spec, Tool,
};

/// The tools; each is the only one of its server.
pub(crate) const TOOLS: [&str; 5] = ["echo_a", "echo_b", "echo_c", "echo_d", "echo_e"];

/// Gives its text back. `TOOL` counts in [`TOOLS`].
struct Echo<const TOOL: usize>;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
struct Input {
    /// The text.
    text: String,
    /// So many bytes of it are given back, repeated; default: the text once.
    bytes: Option<usize>,
}

impl<const TOOL: usize> Tool for Echo<TOOL> {
    type Input = Input;
    const NAME: &'static str = {
        let [a, b, c, d, e] = TOOLS;
        match TOOL {
            0 => a,
            1 => b,
            2 => c,
            3 => d,
            _ => e,
        }
    };
    const DESCRIPTION: &'static str = "Give a text back.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ).callers(&[Caller::Program]).result_bytes_max(0)
    }

    async fn call(&self, input: Input, _: Call) -> Result<Reply, Failure> {
        let Some(bytes) = input.bytes else { return Ok(Reply::text(input.text)) };
        Ok(Reply::text(input.text.chars().cycle().take(bytes).collect::<String>()))
    }
}

/// Serves one tool until standard input ends.
///
/// # Errors
/// There is no such tool, or the server fails.
pub(crate) fn serve(tool: &str) -> anyhow::Result<()> {
    let Some(number) = TOOLS.iter().position(|name| *name == tool) else {
        bail!("there is no echo server for '{tool}'; there are {}", TOOLS.join(", "));
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = Server::start("echo", env!("CARGO_PKG_VERSION"))?;
        let server = match number {
            0 => server.tool(Echo::<0>),
            1 => server.tool(Echo::<1>),
            2 => server.tool(Echo::<2>),
            3 => server.tool(Echo::<3>),
            _ => server.tool(Echo::<4>),
        };
        Ok(server.serve().await?)
    })
}
