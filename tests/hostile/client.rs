//! A stranger: connects to a server's socket and asks `Hello`, as any local process could.
//!
//! Ends with 0 and "answered" if the server spoke to it, with 5 if it did not.

use std::{process::ExitCode, time::Duration};

use hyper_util::rt::TokioIo;
use tokio::{net::UnixStream, time::timeout};
use tollgate_proto::tool::v1::{HelloRequest, tool_server_client::ToolServerClient};
use tonic::transport::Endpoint;
use tower::service_fn;

/// What it ends with when nobody spoke to it.
const REFUSED: u8 = 5;
/// How long it waits for an answer.
const WITHIN: Duration = Duration::from_secs(10);

/// Connects and asks.
pub(crate) async fn run(path: &str) -> anyhow::Result<ExitCode> {
    match timeout(WITHIN, hello(path.to_owned())).await {
        Ok(Ok(name)) => {
            println!("answered: {name}");
            Ok(ExitCode::SUCCESS)
        }
        Ok(Err(error)) => {
            println!("refused: {error:#}");
            Ok(ExitCode::from(REFUSED))
        }
        Err(_) => {
            println!("no answer within {} s", WITHIN.as_secs());
            Ok(ExitCode::FAILURE)
        }
    }
}

async fn hello(path: String) -> anyhow::Result<String> {
    let connector = service_fn(move |_| {
        let path = path.clone();
        async move { UnixStream::connect(path).await.map(TokioIo::new) }
    });
    let channel =
        Endpoint::from_static("http://stranger").connect_with_connector(connector).await?;
    let request = HelloRequest {
        protocols: vec![1],
        session: "stranger".into(),
        frame_bytes_max: 65536,
        ..HelloRequest::default()
    };
    Ok(ToolServerClient::new(channel).hello(request).await?.into_inner().name)
}
