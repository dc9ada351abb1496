//! `serve`: the kernel for other front ends, until it is interrupted.

use std::{net::SocketAddr, path::PathBuf};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tollgate_engine::process;
use tollgate_serve::{Bound, Defaults, Listen, ServeError, TlsFiles, serve as run};

use crate::{
    args::ServeOptions,
    config::Config,
    exit::{Exit, Failure},
    govern::govern,
    interrupt::Interrupts,
    output::{json_line, line_err},
    start::Start,
};

#[cfg(test)]
mod tests;

/// The socket's name below the runtime directory.
const SOCKET: &str = "kernel.sock";

/// Serves until SIGINT, SIGTERM or SIGHUP; then cancels what runs and closes all sessions.
///
/// # Errors
/// The configuration has mistakes, or nothing can be listened on.
pub(crate) async fn serve(start: &Start, options: &ServeOptions) -> Result<Exit, Failure> {
    let config = start.config()?;
    let model = config.values.text("model");
    let governed = govern(start, &config, &[model, config.values.text("auto_review.model")])?;
    let listen = listen(options, &config)?;
    let defaults = Defaults {
        workspace: config.workspace.clone(),
        add_dirs: config.add_dirs.clone(),
        stance: governed.stance,
        model: model.map(str::to_owned),
    };
    let kernel = start.kernel(&config)?;
    let mut interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::Failed, error))?;
    let bound = Bound::bind(&listen).await.map_err(failure)?;
    let address = bound.address().to_owned();
    if start.common.json {
        let workspace = &config.workspace;
        json_line(
            &json!({ "listening": address, "workspace": workspace, "pid": std::process::id() }),
        );
    }
    line_err(&format!("listening on {address} for {}", config.workspace.display()));
    let stop = CancellationToken::new();
    let serving = async {
        let served = run(std::sync::Arc::clone(&kernel), bound, defaults, stop.clone()).await;
        kernel.stop().await;
        served
    };
    match interrupts.during(&stop, Box::pin(serving)).await {
        Some(served) => served.map(|()| Exit::Done).map_err(failure),
        None => Err(Failure::new(
            Exit::Interrupted,
            anyhow::Error::msg("ended at once; `tollgate resume ID` says what was running"),
        )),
    }
}

/// Where to listen.
fn listen(options: &ServeOptions, config: &Config) -> Result<Listen, Failure> {
    let usual = || process::runtime_home(config.places.engine.runtime.as_deref()).join(SOCKET);
    let Some(address) = &options.listen else { return Ok(Listen::Unix(usual())) };
    where_to(address, options)
}

fn where_to(address: &str, options: &ServeOptions) -> Result<Listen, Failure> {
    let files = (&options.tls_cert, &options.tls_key, &options.client_ca);
    if let Some(path) = address.strip_prefix("unix:") {
        if files != (&None, &None, &None) {
            return Err(Failure::usage(
                "a Unix socket takes no certificates: it knows who connects",
            ));
        }
        let path = PathBuf::from(path);
        return Ok(Listen::Unix(std::path::absolute(&path).unwrap_or(path)));
    }
    let address: SocketAddr = address.parse().map_err(|_| {
        Failure::usage(format!(
            "--listen {address}: neither unix:PATH nor HOST:PORT with an IP address"
        ))
    })?;
    let (Some(cert), Some(key), Some(client_ca)) = files else {
        return Err(Failure::usage(format!(
            "--listen {address}: whoever connects commands this agent, so TCP needs certificates on both \
             sides: --tls-cert, --tls-key and --client-ca"
        )));
    };
    let files = TlsFiles { cert: cert.clone(), key: key.clone(), client_ca: client_ca.clone() };
    Ok(Listen::Tcp(address, files))
}

fn failure(error: ServeError) -> Failure {
    let exit = match &error {
        ServeError::Taken { .. } | ServeError::NoSocket { .. } => Exit::Usage,
        ServeError::Io { .. } | ServeError::Transport(_) => Exit::Failed,
    };
    Failure::new(exit, error)
}
