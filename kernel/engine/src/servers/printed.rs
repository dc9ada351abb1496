//! A manifest without a start: `COMMAND --manifest --settings FILE` prints it and ends (`[CAT-40]`).
//!
//! The program gets what the server would get: its arguments, folder and scrubbed environment; an empty
//! input, a clock, and a bound on what it says. Nothing of it is left afterwards. It is no start: no
//! socket, no record, no death.
//!
//! A server that does not know the option ends with an error, says something else, or says nothing until
//! its clock runs out: then there is no answer, and whoever asked starts it.

use std::{
    io::{self, Write as _},
    path::Path,
};

use prost::Message as _;
use tempfile::NamedTempFile;
use tokio_util::sync::CancellationToken;
use tollgate_core::name::ServerName;
use tollgate_proto::tool::v1::DescribeResponse;

use super::{Ground, limits::DESCRIBE_BYTES_MAX, manifest::Described};
use crate::{
    process::{CaptureBounds, CaptureEnd, Exit, ProcessLimits, ProcessSpec, scrubbed},
    settings::{Reach, ServerSettings},
};

/// Has a local server print its manifest; `None`: it does not, the reason is in the log.
pub(super) async fn ask(
    name: &ServerName,
    settings: &ServerSettings,
    ground: &Ground,
) -> Option<Described> {
    let Reach::Local { program, args, .. } = &settings.reach else { return None };
    let told = match private(ground.runtime.path(), &settings.settings.to_string()) {
        Ok(file) => file,
        Err(error) => {
            tracing::warn!(server = %name, %error, "settings for --manifest cannot be written");
            return None;
        }
    };
    let options = ["--manifest".into(), "--settings".into(), told.path().into()];
    let spec = ProcessSpec {
        name: name.as_str().to_owned(),
        program: program.clone(),
        args: args.iter().map(Into::into).chain(options).collect(),
        env: scrubbed(&settings.env),
        cwd: ground.roots.first().cloned(),
        warden: true,
        limits: ProcessLimits::default(),
        listener: None,
        log_file: None,
    };
    let bounds = CaptureBounds {
        stdout_bytes_max: DESCRIBE_BYTES_MAX,
        stderr_bytes_max: 0,
        // As long as it may take to greet.
        within: settings.clocks.hello,
    };
    let never = CancellationToken::new();
    let said = match ground.spawner.capture(spec, Vec::new(), bounds, &never).await {
        Ok(said) => said,
        Err(error) => {
            tracing::debug!(server = %name, %error, "--manifest could not be run");
            return None;
        }
    };
    if said.end != CaptureEnd::Exited(Exit::Code(0)) {
        tracing::debug!(server = %name, end = ?said.end, "it printed no manifest");
        return None;
    }
    let page = DescribeResponse::decode(&said.stdout[..]).ok();
    let described = page.and_then(Described::from_page);
    if described.is_none() {
        tracing::debug!(server = %name, "what --manifest printed is no manifest, or not what it says");
    }
    described
}

/// A file that only this user can read, removed with the value.
fn private(folder: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("settings-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}
