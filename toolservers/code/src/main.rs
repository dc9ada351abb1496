//! The tool server `code`: `execute_tools`, in a process that is confined before it answers anybody.

use tollgate_code::{confine::confine, settings::Settings, tool::ExecuteTools};
use tollgate_sdk::Server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = Server::start("code", env!("CARGO_PKG_VERSION"))?;
    let meaning = server.settings::<Settings>()?.meaning()?;
    let stopping = server.stopping();
    server
        .tool(ExecuteTools::new(meaning.limits, stopping))
        .calls_max(meaning.programs_max)
        .confined(move || confine(meaning.plan))
        .serve()
        .await?;
    Ok(())
}
