//! Places that hold credentials, and whether a call reads one (also a call that only reads).

use std::{collections::BTreeSet, path::Path, sync::LazyLock};

use super::Line;
use crate::{
    authority::{
        Circumstances,
        baseline::places::{Walk, only_records},
        protected::{Patterns, Place, Role},
        words::Command,
    },
    call::Classified,
    safety::{Access, Reach, Subject, Trust},
};

/// The places, as [`Patterns`] reads them.
const PLACES: &str = ".ssh/id_* .ssh/*.pem .ssh/*.key .aws/credentials .aws/sso/cache/** .aws/cli/cache/** \
    .azure/accesstokens.json .azure/msal_token_cache* .config/gcloud/credentials.db \
    .config/gcloud/access_tokens.db .config/gcloud/application_default_credentials.json \
    .config/gcloud/legacy_credentials/** .config/gh/hosts.yml .config/glab-cli/config.yml .config/hub \
    .config/op/** .kube/config .docker/config.json .cargo/credentials .cargo/credentials.toml \
    .gem/credentials .gnupg/private-keys-v1.d/** .gnupg/secring.gpg .password-store/** \
    .local/share/keyrings/** library/keychains/** .terraform.d/credentials.tfrc.json \
    .mozilla/firefox/** .config/google-chrome/** .config/chromium/** .thunderbird/** \
    .netrc .git-credentials .pgpass .pypirc .vault-token .my.cnf .databrickscfg .s3cfg .boto \
    /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/ssh/ssh_host_*_key /proc/*/environ /proc/*/mem \
    /proc/*/task/*/environ";

/// How many they are, and their bytes.
pub(in crate::authority) static SIZE: LazyLock<(usize, usize)> =
    LazyLock::new(|| (all().count(), all().map(str::len).sum()));

/// A row for each place.
static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| Patterns::new(PLACES.split_ascii_whitespace()));

/// Programs that show nothing of the files that they name, or use keys as they are meant to be used.
const KEEP_TO_THEMSELVES: &str = "ls stat test [ [[ cd pushd mkdir rmdir chmod chown touch rm du readlink \
    realpath basename dirname echo printf which file ssh ssh-add ssh-keygen ssh-copy-id export";

/// Programs that read whole folders, by themselves or when told to.
const TREE_READERS: &str = "tar zip 7z rsync cp scp grep egrep fgrep rg ag ack";

/// Whether a credential is read.
pub(super) fn are_read(line: &Line<'_>) -> bool {
    are_read_by(line.call, line.at)
}

/// The same of a call.
pub(in crate::authority) fn are_read_by(call: &Classified, at: &Circumstances<'_>) -> bool {
    let doubted = call.entry().trust == Trust::Untrusted;
    let by_tool = call.subjects().iter().any(|subject| match subject {
        Subject::Path { absolute, access, reach, .. } if doubted || *access == Access::Read => {
            let place = Place::of(absolute);
            match reach {
                Reach::Tree => holds_secret(&place, Role::Throughout) || holds_home(at, &place),
                // What lies below is withheld.
                Reach::Itself | Reach::GrantedTree => holds_secret(&place, Role::Named),
            }
        }
        Subject::Path { .. }
        | Subject::Command { .. }
        | Subject::Host { .. }
        | Subject::Repo { .. }
        | Subject::Mcp { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => false,
    });
    by_tool || by_command(call, at)
}

fn by_command(call: &Classified, at: &Circumstances<'_>) -> bool {
    let home = at.policy.home.as_deref().map(Place::of);
    let holds_home = |place: &Place<'_>| home.as_ref().is_some_and(|home| home.is_in(place));
    let mut walk = Walk::new(at, holds_home);
    call.subjects().iter().filter_map(Command::of).any(|command| {
        walk.goes(&command);
        if only_records(&command) || shows_nothing(&command) {
            return false;
        }
        let tree = command.runs(TREE_READERS) || command.program == "find";
        let role = if tree { Role::Removed } else { Role::Named };
        let whole =
            tree && (command.runs("tar zip 7z") || command.has("-r -R -a --recursive --archive"));
        let mut found = false;
        walk.words(&command, true, &mut |place, _, _| {
            found = found || holds_secret(place, role) || (whole && holds_home(place));
        });
        found
    })
}

fn holds_home(at: &Circumstances<'_>, place: &Place<'_>) -> bool {
    at.policy.home.as_deref().is_some_and(|home| Place::of(home).is_in(place))
}

/// The places as names that a grant withholds from a call which reads these trees. Those that hold a tree
/// itself are not among them: that the floor asks about, and then somebody has said yes to it.
pub(in crate::authority) fn below(trees: &[&Path]) -> Vec<&'static str> {
    let places: Vec<Place<'_>> = trees.iter().map(|tree| Place::of(tree)).collect();
    let holding = places.iter().flat_map(|place| PATTERNS.rows_of(place, Role::Named));
    let holding: BTreeSet<usize> = holding.collect();
    let names = PLACES.split_ascii_whitespace().enumerate();
    names.filter(|(row, _)| !holding.contains(row)).map(|(_, name)| name).collect()
}

/// All places as names.
pub(in crate::authority) fn all() -> impl Iterator<Item = &'static str> {
    PLACES.split_ascii_whitespace()
}

/// Whether a place is one of credentials, or takes one along when it is read with all below it.
pub(in crate::authority) fn is_named(place: &Place<'_>) -> bool {
    holds_secret(place, Role::Removed)
}

fn shows_nothing(command: &Command<'_>) -> bool {
    command.runs(KEEP_TO_THEMSELVES) || (command.program == "find" && command.read_only)
}

fn holds_secret(place: &Place<'_>, role: Role) -> bool {
    let public = place.names().last().is_some_and(|name| name.ends_with(".pub"));
    !public && PATTERNS.rows_of(place, role).next().is_some()
}
