//! Programs that use a credential as it is meant to be used: a line that runs one was shown as it is, and
//! `git push` without the key that it signs in with would be no push.
//!
//! Only the program's own places are open then; what else the floor knows stays closed. A key that a line
//! *shows* (`cat ~/.ssh/id_ed25519`) the floor asks about by itself.

use crate::{
    authority::{taint, words::Command},
    call::Classified,
};

const SSH: &str = ".ssh/id_* .ssh/*.pem .ssh/*.key";

/// Programs, and the places of the floor's table that they read.
const CLIENTS: &[(&str, &str)] = &[
    (
        "ssh scp sftp rsync ssh-add ssh-keygen ssh-copy-id mosh sshfs autossh ansible ansible-playbook",
        SSH,
    ),
    ("curl wget ftp lftp", ".netrc"),
    ("gh hub", ".config/gh/hosts.yml .config/hub"),
    ("glab", ".config/glab-cli/config.yml"),
    ("aws eksctl", ".aws/credentials .aws/sso/cache/** .aws/cli/cache/**"),
    ("az", ".azure/accesstokens.json .azure/msal_token_cache*"),
    (
        "gcloud gsutil bq",
        ".config/gcloud/credentials.db .config/gcloud/access_tokens.db \
         .config/gcloud/application_default_credentials.json .config/gcloud/legacy_credentials/**",
    ),
    ("kubectl oc helm k9s", ".kube/config"),
    ("docker podman nerdctl", ".docker/config.json"),
    ("cargo", ".cargo/credentials .cargo/credentials.toml"),
    ("gem", ".gem/credentials"),
    ("twine", ".pypirc"),
    ("terraform tofu", ".terraform.d/credentials.tfrc.json"),
    ("vault", ".vault-token"),
    ("op", ".config/op/**"),
    ("psql pg_dump", ".pgpass"),
    ("mysql mysqldump mariadb", ".my.cnf"),
    ("databricks", ".databrickscfg"),
    ("s3cmd", ".s3cfg"),
];

/// What git reads to sign in elsewhere.
const GIT: &str = ".ssh/id_* .ssh/*.pem .ssh/*.key .git-credentials .netrc";

/// Texts of the floor's table that this call's own programs may read.
pub(in crate::authority) fn places(call: &Classified) -> Vec<&'static str> {
    let commands = call.subjects().iter().filter_map(Command::of);
    let places = commands.flat_map(|command| {
        let git = (command.program == "git" && taint::talks(&command)).then_some(GIT);
        // Of a package manager only what sends something out signs in.
        let signs_in = !command.runs("cargo gem") || taint::talks(&command);
        let clients =
            CLIENTS.iter().filter(move |(programs, _)| command.runs(programs) && signs_in);
        clients.map(|(_, places)| *places).chain(git)
    });
    places.flat_map(str::split_ascii_whitespace).collect()
}

#[cfg(test)]
pub(in crate::authority) fn all() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().map(|(_, places)| *places).chain([GIT]).flat_map(str::split_ascii_whitespace)
}
