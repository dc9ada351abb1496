//! The files in which manifests are kept (`[CAT-40]`), one a server.
//!
//! The name of a file says what it is of: each word of the server's command that is a file, with its size
//! and times, or the endpoint, and the settings. So a program that was built again has no file yet. The
//! content is checked against its own digest: whatever else is at the place counts as nothing.
//!
//! What is kept is what a server offers when it has just started. The tools of sources are not: only what
//! a server really offers may be found, and that it has to say anew.
//!
//! Not here: when a manifest is asked for (`offer`). A cache that cannot be written costs time, nothing else.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _, Write as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use prost::Message as _;
use tollgate_core::{digest::Digest, name::ServerName};
use tollgate_proto::tool::v1::DescribeResponse;

use super::{
    limits::{BUILD_BYTES_MAX, CACHE_BYTES_MAX, CACHE_OTHERS_MAX},
    manifest::Described,
};
use crate::settings::{Reach, ServerSettings};

/// Bytes of the name of a cache file that say what it is of, as hex digits.
const KEY_DIGITS: usize = 16;
/// A manifest.
const MANIFEST: &str = "binpb";
/// The digest of the program beside it.
const BUILD: &str = "build";

/// The cache file of a server as it is configured and installed now; `None`: its program is not there.
/// `folder`: that of the cache. `cwd`: where the server runs.
pub(super) fn file(
    folder: &Path,
    server: &ServerName,
    settings: &ServerSettings,
    cwd: Option<&Path>,
) -> Option<PathBuf> {
    let of = match &settings.reach {
        Reach::Local { program, args, .. } => {
            let program = seen(program, &fs::metadata(program).ok()?);
            // Of `python3 server.py` the script counts as well.
            let words = args.iter().map(|word| {
                let path = cwd.map_or_else(|| PathBuf::from(word), |cwd| cwd.join(word));
                match fs::metadata(&path) {
                    Ok(metadata) if metadata.is_file() => seen(Path::new(word), &metadata),
                    Ok(_) | Err(_) => format!("{word:?}"),
                }
            });
            std::iter::once(program).chain(words).collect::<Vec<_>>().join("\n")
        }
        Reach::Remote { endpoint, .. } => endpoint.clone(),
    };
    let key = Digest::of(format!("{of}\0{}", settings.settings).as_bytes()).to_string();
    let short: String = key.chars().take(KEY_DIGITS).collect();
    Some(folder.join(format!("{server}-{short}.{MANIFEST}")))
}

/// A file as it is now. Its number and the time of its last change of any kind tell two builds apart to
/// which a package gave one size and one date.
fn seen(path: &Path, metadata: &Metadata) -> String {
    let modified = (metadata.mtime(), metadata.mtime_nsec());
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    format!("{path:?} {} {} {modified:?} {changed:?}", metadata.len(), metadata.ino())
}

/// Reads a kept manifest; `None`: there is none that is whole and true. Blocking.
pub(super) fn read(file: &Path) -> Option<Described> {
    let bytes = read_bounded(file, CACHE_BYTES_MAX)?;
    Described::from_page(DescribeResponse::decode(&bytes[..]).ok()?)
}

/// Keeps a manifest, and removes what was kept longest of the server. Blocking.
pub(super) fn write(file: &Path, server: &ServerName, described: Described) {
    let Described { manifest, tools } = described.at_rest();
    let page = DescribeResponse { manifest: Some(manifest), tools, ..DescribeResponse::default() };
    keep(file, &page.encode_to_vec());
    forget_old(file, server);
}

/// The digest of a local server's program, looked up once for each cache file. Blocking.
pub(super) fn build_sha256(file: &Path, program: &Path) -> Option<Digest> {
    let beside = file.with_extension(BUILD);
    let known =
        read_bounded(&beside, BUILD_BYTES_MAX).and_then(|bytes| String::from_utf8(bytes).ok());
    if let Some(digest) = known.as_deref().and_then(Digest::from_hex) {
        return Some(digest);
    }
    let digest = Digest::of(&fs::read(program).ok()?);
    keep(&beside, digest.to_string().as_bytes());
    Some(digest)
}

/// An ordinary file of at most `max` bytes; a pipe, say, would never end.
fn read_bounded(file: &Path, max: u64) -> Option<Vec<u8>> {
    let metadata = fs::metadata(file).ok()?;
    if !metadata.is_file() || metadata.len() > max {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(max).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn keep(file: &Path, bytes: &[u8]) {
    let written = || -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        temporary.write_all(bytes)?;
        // An empty folder in the file's place is nobody's; a full one stays, and nothing is kept.
        drop(fs::remove_dir(file));
        temporary.persist(file)?;
        Ok(())
    };
    if let Err(error) = written() {
        tracing::warn!(file = %file.display(), %error, "what was learnt of a server was not kept");
    }
}

/// Removes the files of a server that were written longest ago. A few stay: two workspaces may give one
/// server two settings. One that cannot be removed is left.
fn forget_old(file: &Path, server: &ServerName) {
    let folder = file.parent().unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut of_server: Vec<(Option<SystemTime>, PathBuf)> = entries
        .flatten()
        .filter(|entry| is_of(server, &entry.path()) && entry.path() != file)
        .map(|entry| (entry.metadata().and_then(|it| it.modified()).ok(), entry.path()))
        .collect();
    of_server.sort_by(|a, b| b.cmp(a));
    for (_, old) in of_server.iter().skip(CACHE_OTHERS_MAX) {
        drop(fs::remove_file(old));
        drop(fs::remove_file(old.with_extension(BUILD)));
    }
}

/// Whether a file of the cache is a manifest of this server. Another one may be called `NAME-x`.
fn is_of(server: &ServerName, path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let key = stem.strip_prefix(server.as_str()).and_then(|rest| rest.strip_prefix('-'));
    let is_key = |key: &str| key.len() == KEY_DIGITS && key.chars().all(|c| c.is_ascii_hexdigit());
    path.extension().is_some_and(|it| it == MANIFEST) && key.is_some_and(is_key)
}

#[cfg(test)]
mod tests;
