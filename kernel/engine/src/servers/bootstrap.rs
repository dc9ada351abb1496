//! Starting a local server: its socket, its process, its line (`[PROTO-10]`).

use std::{fs::DirBuilder, os::unix::fs::DirBuilderExt as _, path::PathBuf, sync::Arc};

use tollgate_core::name::ServerName;
use tollgate_proto::{
    bootstrap::{self, Bootstrap, Endpoint, GrantKey, LISTEN_FD},
    grant::SigningKey,
};

#[cfg(test)]
mod tests;

use super::{Ground, error::ServerError};
use crate::{
    grant_key,
    process::{ProcessLimits, ProcessSpec, ServerProcess, scrubbed},
    settings::{LocalListen, Reach, ServerSettings},
};

/// A process that was told everything and has not answered yet.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) process: ServerProcess,
    pub(super) socket: PathBuf,
    pub(super) key: SigningKey,
    pub(super) key_id: String,
}

/// Starts the process and writes its line.
pub(super) async fn start(
    name: &ServerName,
    settings: &ServerSettings,
    ground: &Arc<Ground>,
    generation: u32,
) -> Result<Started, ServerError> {
    let Reach::Local { program, args, listen, warden } = &settings.reach else {
        return Err(ServerError::Config("the server is not started by this kernel".into()));
    };
    let (listener, socket) = ground.runtime.listen(name.as_str(), generation)?;
    let (listener, endpoint) = match listen {
        LocalListen::Descriptor => (Some(listener), Endpoint::Fd(LISTEN_FD)),
        LocalListen::Path => {
            drop(listener);
            // The server binds the path itself; what was bound to reserve it goes first.
            drop(std::fs::remove_file(&socket));
            (None, Endpoint::Path(socket.clone()))
        }
    };
    let spec = ProcessSpec {
        name: name.as_str().to_owned(),
        program: program.clone(),
        args: args.iter().map(Into::into).collect(),
        env: scrubbed(&settings.env),
        cwd: ground.roots.first().cloned(),
        warden: *warden,
        limits: ProcessLimits::default(),
        listener,
        log_file: Some(ground.logs.join(format!("{name}.log"))),
    };
    let process = ground.spawner.spawn(spec).await?;
    let secret = grant_key::random()
        .map_err(|error| ServerError::Config(format!("no random bytes: {error}")))?;
    let key_id = format!("{name}-{generation}");
    let line = Bootstrap {
        version: bootstrap::VERSION,
        endpoint,
        server: name.as_str().to_owned(),
        grant_key: GrantKey { id: key_id.clone(), hmac_sha256: hex(&secret) },
        session: ground.session.clone(),
        kernel_pid: std::process::id(),
        roots: ground.roots.clone(),
        state: Some(state_of(name, ground)?),
        settings: settings.settings.clone(),
        log: ground.log.clone(),
        traceparent: String::new(),
    };
    let line = serde_json::to_string(&line)
        .map_err(|error| ServerError::Config(format!("the settings cannot be written: {error}")))?;
    if line.len() >= bootstrap::LINE_BYTES_MAX {
        return Err(ServerError::Config("the settings are larger than a server takes".into()));
    }
    // A process that has ended already is told by its exit, with its last words.
    drop(process.write_line(&line).await);
    Ok(Started { process, socket, key: SigningKey::Hmac(secret), key_id })
}

/// The server's lasting folder, made when it is first started.
fn state_of(name: &ServerName, ground: &Ground) -> Result<PathBuf, ServerError> {
    let folder = ground.states.join(name.as_str());
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    made.map_err(|error| {
        ServerError::Config(format!("its folder {} cannot be made: {error}", folder.display()))
    })?;
    Ok(folder)
}

fn hex(bytes: &[u8; 32]) -> String {
    tollgate_core::digest::Digest(*bytes).to_string()
}
