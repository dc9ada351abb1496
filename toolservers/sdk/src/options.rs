//! How a server is started: by a kernel's bootstrap line (`[PROTO-10]`), alone by its command line
//! (`[PROTO-11]`), or only to print its manifest (`[CAT-40]`).

use std::{
    collections::HashMap,
    io::{BufRead, IsTerminal, Read},
    net::SocketAddr,
    path::{Path, PathBuf},
};

use clap::Parser;
use tollgate_proto::{
    bootstrap::{self, Bootstrap},
    grant::VerifyingKey,
};

use crate::server::ServeError;

/// The command line of every tool server. With neither `--listen` nor `--manifest` the server is
/// started by a kernel, which writes one JSON line to its standard input.
#[derive(Debug, Parser)]
#[command(
    about = "A Tollgate tool server.",
    after_help = "The kernel starts this program itself; run it alone, with --listen, to serve other hosts, or with \
                  --manifest to see its tools."
)]
pub(crate) struct Options {
    /// Listen here: HOST:PORT (needs --tls-cert), or unix:PATH
    #[arg(long, value_name = "ADDRESS", requires = "grant_keys")]
    pub(crate) listen: Option<String>,
    /// This server's certificate chain, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Take only clients with a certificate of this authority, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) client_ca: Option<PathBuf>,
    /// Keys of the kernels whose grants are honoured; a line each: ID ed25519|hmac-sha256 HEX
    #[arg(long, value_name = "FILE")]
    pub(crate) grant_keys: Option<PathBuf>,
    /// A root that calls may work in; the first is the workspace
    #[arg(long = "workspace", value_name = "DIR")]
    pub(crate) workspaces: Vec<PathBuf>,
    /// A folder of this server's alone, for what must last
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// The name under which kernels have configured this server
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Settings of this server, a JSON object
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,
    /// Print the manifest and exit: lines on a terminal, else the encoded answer to Describe
    #[arg(long, conflicts_with_all = NOT_WITH_MANIFEST)]
    pub(crate) manifest: bool,
    /// Offer gRPC reflection over TCP too
    #[arg(long)]
    pub(crate) reflection: bool,
    /// Allow plain TCP on a loopback address
    #[arg(long)]
    pub(crate) insecure_loopback: bool,
}

/// Options that would say nothing: a manifest listens nowhere and works in no folder.
const NOT_WITH_MANIFEST: [&str; 10] = [
    "listen",
    "tls_cert",
    "tls_key",
    "client_ca",
    "grant_keys",
    "workspaces",
    "state",
    "name",
    "reflection",
    "insecure_loopback",
];

/// How this process was started.
pub(crate) enum Start {
    /// By a kernel; standard input stays open until it wants the server to end.
    Kernel(Box<Bootstrap>),
    /// Alone.
    Alone(Box<Alone>),
    /// Only to print its manifest, with these settings.
    Manifest(serde_json::Value),
}

/// A server that listens for kernels of other processes or hosts.
pub(crate) struct Alone {
    pub(crate) options: Options,
    pub(crate) listen: Listen,
    pub(crate) keys: HashMap<String, VerifyingKey>,
    pub(crate) settings: serde_json::Value,
}

/// Where to listen.
pub(crate) enum Listen {
    Unix(PathBuf),
    Tcp(SocketAddr),
}

/// Reads the command line, and with neither `--listen` nor `--manifest` the bootstrap line.
pub(crate) fn read(server: &'static str, version: &'static str) -> Result<Start, ServeError> {
    let command = <Options as clap::CommandFactory>::command().name(server).version(version);
    let matches = command.get_matches();
    let options = <Options as clap::FromArgMatches>::from_arg_matches(&matches)
        .map_err(|error| ServeError::Usage(error.to_string()))?;
    if options.manifest {
        return settings(&options).map(Start::Manifest);
    }
    match options.listen.clone() {
        None => Ok(Start::Kernel(Box::new(bootstrap_line()?))),
        Some(listen) => alone(options, &listen).map(|alone| Start::Alone(Box::new(alone))),
    }
}

fn bootstrap_line() -> Result<Bootstrap, ServeError> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let why = "a kernel starts this program; run it alone with --listen (see --help)";
        return Err(ServeError::Usage(why.into()));
    }
    let mut line = String::new();
    let max = bootstrap::LINE_BYTES_MAX as u64;
    stdin.lock().take(max).read_line(&mut line).map_err(|source| ServeError::Io {
        what: "cannot read the bootstrap line".into(),
        source,
    })?;
    parse_bootstrap(&line)
}

fn parse_bootstrap(line: &str) -> Result<Bootstrap, ServeError> {
    let wrong =
        |why: String| ServeError::Usage(format!("the bootstrap line cannot be read: {why}"));
    if !line.ends_with('\n') {
        let max = bootstrap::LINE_BYTES_MAX;
        return Err(wrong(format!("it does not end, or is longer than {max} bytes")));
    }
    let mut json = serde_json::Deserializer::from_str(line);
    let boot: Bootstrap = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        // The parser quotes what it cannot use, and here that may be the key.
        let secret = path.starts_with("grant_key");
        wrong(if secret { format!("{path} is wrong") } else { error.to_string() })
    })?;
    json.end().map_err(|error| wrong(error.to_string()))?;
    if boot.version != bootstrap::VERSION {
        return Err(ServeError::Usage(format!(
            "the bootstrap line has version {}, this server reads version {}",
            boot.version,
            bootstrap::VERSION
        )));
    }
    Ok(boot)
}

fn alone(mut options: Options, listen: &str) -> Result<Alone, ServeError> {
    let listen = match listen.strip_prefix("unix:") {
        Some(path) => Listen::Unix(path.into()),
        None => Listen::Tcp(listen.parse().map_err(|_| {
            ServeError::Usage(format!(
                "--listen {listen}: neither HOST:PORT with an IP address nor unix:PATH"
            ))
        })?),
    };
    if let Listen::Tcp(address) = &listen
        && options.tls_cert.is_none()
        && !(options.insecure_loopback && address.ip().is_loopback())
    {
        return Err(ServeError::Usage(format!(
            "--listen {address} without --tls-cert: plain TCP is allowed on a loopback address only, with --insecure-loopback"
        )));
    }
    let keys = match &options.grant_keys {
        Some(file) => grant_keys(&read_file(file)?, file)?,
        None => return Err(ServeError::Usage("--listen needs --grant-keys FILE".into())),
    };
    let settings = settings(&options)?;
    let real = |folder: &Path, what: &str| {
        folder.canonicalize().map_err(|source| ServeError::Io {
            what: format!("cannot use the {what} {}", folder.display()),
            source,
        })
    };
    for workspace in &mut options.workspaces {
        *workspace = real(workspace, "workspace")?;
    }
    if let Some(state) = &mut options.state {
        *state = real(state, "state folder")?;
    }
    Ok(Alone { options, listen, keys, settings })
}

/// Those of `--settings`; null without.
fn settings(options: &Options) -> Result<serde_json::Value, ServeError> {
    match &options.settings {
        Some(file) => serde_json::from_str(&read_file(file)?)
            .map_err(|error| ServeError::Usage(format!("{}: {error}", file.display()))),
        None => Ok(serde_json::Value::Null),
    }
}

pub(crate) fn read_file(path: &Path) -> Result<String, ServeError> {
    std::fs::read_to_string(path).map_err(|source| ServeError::Io {
        what: format!("cannot read {}", path.display()),
        source,
    })
}

/// `ID ed25519 <64 hex digits>` or `ID hmac-sha256 <64 hex digits>`, a line each; `#` comments.
fn grant_keys(text: &str, file: &Path) -> Result<HashMap<String, VerifyingKey>, ServeError> {
    let wrong = |index: usize, why: &str| {
        ServeError::Usage(format!("{}:{}: {why}", file.display(), index + 1))
    };
    let mut keys = HashMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (id, key) = key_line(line)
            .ok_or_else(|| wrong(index, "not 'ID ed25519|hmac-sha256 <64 hex digits>'"))?;
        if keys.insert(id, key).is_some() {
            return Err(wrong(index, "a second key of this id"));
        }
    }
    if keys.is_empty() {
        return Err(ServeError::Usage(format!("{}: no key in it", file.display())));
    }
    Ok(keys)
}

fn key_line(line: &str) -> Option<(String, VerifyingKey)> {
    let mut words = line.split_whitespace();
    let (id, algorithm, hex) = (words.next()?, words.next()?, words.next()?);
    let bytes = hex_32(hex)?;
    let key = match algorithm {
        "hmac-sha256" => VerifyingKey::Hmac(bytes),
        "ed25519" => VerifyingKey::ed25519(&bytes)?,
        _ => return None,
    };
    words.next().is_none().then(|| (id.to_owned(), key))
}

/// 32 bytes of 64 hex digits.
pub(crate) fn hex_32(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    // `from_str_radix` takes a sign too.
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
