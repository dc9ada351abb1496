//! Where this crate meets the SDK: failures, subjects, observations, and the thread for blocking work.

use std::{path::Path, time::SystemTime};

use tollgate_sdk::{
    Context, Failure, HostError, Invalid, Observation, PathAccess, PathReach, Preparation, Reply,
    Safety, Scope, Subject,
};

use crate::{
    failed::{Class, Failed},
    itself::Itself,
    limits::INVALID_BYTES_MAX,
    previews,
    roots::{Place, Roots},
    twins,
    walk::counted,
    window::head,
};

impl From<Failed> for Failure {
    fn from(failed: Failed) -> Self {
        if failed.class == Class::Cancelled {
            return Self::cancelled(failed.message);
        }
        Self::new(failed.class.word(), failed.message)
    }
}

impl From<Failed> for Invalid {
    fn from(failed: Failed) -> Self {
        let message = head(&failed.message, INVALID_BYTES_MAX);
        Self::new(failed.pointer, message).class(failed.class.word())
    }
}

/// Of what the kernel is asked for, artifacts: one that it does not give is not found here.
impl From<HostError> for Failed {
    fn from(error: HostError) -> Self {
        let class = match error {
            HostError::Refused(_) => Class::NotFound,
            HostError::Cancelled => Class::Cancelled,
        };
        Self::new(class, error.to_string())
    }
}

/// The roots of a context; what a call may really reach is its grant's.
pub(crate) fn roots(context: &Context) -> Roots {
    Roots::new(&context.roots, &context.cwd)
}

/// The roots below which a call may read: the grant's, or the session's if it names none.
pub(crate) fn read_roots(context: &Context, scope: &Scope) -> Roots {
    match scope.read_roots.as_slice() {
        [] => roots(context),
        granted => Roots::new(granted, &context.cwd),
    }
}

/// The roots below which a call may write: the grant's alone.
pub(crate) fn write_roots(context: &Context, scope: &Scope) -> Roots {
    Roots::new(&scope.write_roots, &context.cwd)
}

/// A preparation with what rules match: the file, every name by which links lead to it, and its other
/// names, whose content is the same. Where a name is not known, nobody can say that the call only reads
/// what it may.
pub(crate) fn prepared(safety: Safety, place: &Place, access: PathAccess) -> Preparation {
    let said = touching(Preparation::new(safety), place, access);
    with_twins(said, place)
}

/// With the other names of a file as read, and a question if not all are known.
fn with_twins(said: Preparation, place: &Place) -> Preparation {
    let twins = twins::of(place);
    let said = twins.names.iter().fold(said, |said, name| {
        said.subject(Subject::Path {
            absolute: place.root().join(name),
            relative: Some(name.clone()),
            access: PathAccess::Read,
            reach: PathReach::Itself,
        })
    });
    if twins.missing == 0 {
        return said;
    }
    let names = counted(twins.missing, "other name", "other names");
    let told = format!(
        "{} is a file with {names} (hard links) that lie outside of the workspace or were not found; what \
         rules say of them is not known.\n",
        place.shown
    );
    let safety = Safety { read_only: false, ..said.safety };
    Preparation { safety, ..said }.preview(told)
}

/// A preparation of a call that reads what is at a place and below it, but for what its grant
/// withholds. Said of a file too: by the time of the call it may be a directory.
pub(crate) fn prepared_tree(place: &Place) -> Preparation {
    let said = Preparation::new(Safety::READ);
    with_twins(reaching(said, place, PathAccess::Read, PathReach::GrantedTree), place)
}

/// A preparation that touches one more file.
pub(crate) fn touching(said: Preparation, place: &Place, access: PathAccess) -> Preparation {
    reaching(said, place, access, PathReach::Itself)
}

/// A preparation that touches one more entry: a directory with all below it.
pub(crate) fn touching_all(
    said: Preparation,
    place: &Place,
    access: PathAccess,
    is_directory: bool,
) -> Preparation {
    let reach = if is_directory { PathReach::Tree } else { PathReach::Itself };
    reaching(said, place, access, reach)
}

fn reaching(said: Preparation, place: &Place, access: PathAccess, reach: PathReach) -> Preparation {
    let subject = |absolute: &Path, relative: Option<&Path>| Subject::Path {
        absolute: absolute.to_path_buf(),
        relative: relative.map(Path::to_path_buf),
        access,
        reach,
    };
    let said = said.subject(subject(&place.absolute, Some(&place.relative)));
    place.names.iter().fold(said, |said, (absolute, relative)| {
        said.subject(subject(absolute, relative.as_deref()))
    })
}

/// Refuses if a file that the session never read is another one than the preview showed. `shown`: what it
/// showed; a call that this process did not prepare is judged without.
///
/// # Errors
/// `stale`.
pub(crate) fn as_previewed(
    place: &Place,
    now: Option<[u8; 32]>,
    shown: Option<Option<[u8; 32]>>,
) -> Result<(), Failed> {
    if shown.is_none_or(|shown| shown == now) {
        return Ok(());
    }
    let message = format!(
        "{} changed between the preview of this call and now; nothing was written. Read it, then write what \
         should be there",
        place.shown
    );
    Err(Failed::new(Class::Stale, message))
}

/// Looks whether the entry that a call takes is the one that its preview showed. A directory is taken only
/// if there was a preview: rules were asked about all below it then, and about a file they were not.
///
/// # Errors
/// `stale`.
pub(crate) fn as_shown(call_id: &str, place: &Place, entry: &Itself) -> Result<(), Failed> {
    let is_same = match previews::take(call_id) {
        Some(shown) => shown == Some(entry.digest()),
        None => !entry.is_directory(),
    };
    if is_same {
        return Ok(());
    }
    let message = format!(
        "{} is not what it was when the call was judged; nothing changed. Look again, then try again",
        place.shown
    );
    Err(Failed::new(Class::Stale, message))
}

/// What the session last saw of a file: the digest of its content.
pub(crate) fn last_seen(context: &Context, place: &Place) -> Option<[u8; 32]> {
    let mut of_file = context.observations.iter().filter(|seen| seen.path == place.absolute);
    let first = of_file.next()?;
    Some(of_file.fold(first, |last, next| if next.seen > last.seen { next } else { last }).sha256)
}

/// A reply that tells what the session now knows of a file.
pub(crate) fn with_observation(
    reply: Reply,
    place: &Place,
    sha256: [u8; 32],
    metadata: &std::fs::Metadata,
) -> Reply {
    reply.observed(Observation {
        path: place.absolute.clone(),
        sha256,
        seen: SystemTime::now(),
        modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
    })
}

/// A text with what must be known beside it, each in square brackets on a line of its own.
pub(crate) fn with_notices(mut text: String, notices: &[String]) -> Reply {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let lines: Vec<String> = notices.iter().map(|notice| format!("[{notice}]")).collect();
    Reply::text(text + &lines.join("\n"))
}

/// Runs blocking work beside the server's one thread.
///
/// # Errors
/// Those of the work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failed> + Send + 'static,
) -> Result<T, Failed> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        // Panics are the SDK's to report; a cancelled task is a server that ends.
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Failed::new(Class::Cancelled, "the server is ending")),
        },
    }
}
