//! Commands that talk to other hosts, as data; and the hosts that their words name.
//!
//! Builds and tests (`cargo test`, `npm test`, `make`, `pytest`) and installs of what a lock file or a
//! manifest lists (`npm ci`, `pip install -r f`) are not among them: a developer's ordinary work must
//! not ask at every step. Installing a package by name is, because whoever names it runs its code here.
//! Installs of a list ([`fetches`]) need the network all the same, and the sandbox gives it to them; builds
//! and tests it gives none.

use crate::authority::{
    hosts::host_part,
    words::{Command, is_interpreter, listed, runs_inside},
};

/// Programs, and the operands of which one comes first; empty: any use of the program.
const TALKERS: &[(&str, &str)] = &[
    (
        "curl wget aria2c axel http https xh fetch lynx links w3m ssh sftp mosh telnet nc ncat netcat",
        "",
    ),
    (
        "socat ftp lftp tftp rclone sshfs autossh ssh-copy-id ping ping6 traceroute nslookup dig host",
        "",
    ),
    (
        "whois drill resolvectl getent mail mailx mutt sendmail msmtp swaks wscat websocat grpcurl",
        "",
    ),
    (
        "xdg-open open ngrok cloudflared tailscale twine gh glab hub aws gcloud gsutil bq az doctl",
        "",
    ),
    ("heroku fly flyctl vercel netlify wrangler firebase s3cmd kubectl oc helm terraform tofu", ""),
    ("pulumi ansible ansible-playbook eksctl vault op lpass bw", ""),
    ("docker podman nerdctl", "push pull login search"),
    (
        "npm pnpm yarn bun",
        "publish login adduser token access owner unpublish deprecate exec dlx view info audit",
    ),
    ("npx bunx pnpx uvx pipx", ""),
    ("cargo", "publish login owner yank search"),
    ("gem", "push signin yank owner"),
    ("poetry flit hatch uv", "publish"),
    ("openssl", "s_client"),
    ("svn hg", "push pull clone checkout update commit"),
    ("mvn", "deploy"),
];

/// Programs, and the operand after which a name is fetched and its code run.
const INSTALLERS: &[(&str, &str)] = &[
    ("npm pnpm yarn bun", "install i add"),
    ("pip pip3", "install download"),
    ("uv poetry pdm", "add"),
    ("cargo", "install add"),
    (
        "gem go brew apt apt-get dnf yum apk pacman snap flatpak conda mamba code cpan luarocks",
        "install get add",
    ),
    ("composer", "require"),
];

/// Programs, and what begins the operands where they fetch what a list or a repository of packages names.
const FETCHERS: &[(&str, &[&str])] = &[
    (
        "npm pnpm yarn bun",
        &[
            "ci",
            "install",
            "i",
            "install-test",
            "clean-install",
            "update",
            "up",
            "upgrade",
            "outdated",
            "fetch",
        ],
    ),
    ("pip pip3", &["install", "download", "wheel", "index"]),
    (
        "uv",
        &[
            "sync",
            "lock",
            "pip install",
            "pip sync",
            "pip compile",
            "tool install",
            "python install",
        ],
    ),
    ("poetry pdm", &["install", "lock", "update", "sync"]),
    (
        "pipenv conda mamba",
        &["install", "sync", "update", "lock", "create", "env create", "env update"],
    ),
    ("cargo", &["fetch", "update", "vendor", "generate-lockfile"]),
    ("go", &["mod download", "mod tidy", "mod vendor", "get", "install", "work sync"]),
    ("bundle gem", &["install", "update", "outdated"]),
    ("composer", &["install", "update"]),
    ("mvn mvnw", &["dependency:resolve", "dependency:go-offline"]),
    ("dotnet nuget", &["restore"]),
    ("swift", &["package resolve", "package update"]),
    ("mix", &["deps.get", "deps.update"]),
    ("dart flutter", &["pub get", "pub upgrade"]),
    ("apt apt-get", &["update", "upgrade", "dist-upgrade", "full-upgrade", "download"]),
    ("dnf yum apk pacman brew snap flatpak", &["update", "upgrade", "refresh", "fetch"]),
    ("rustup", &["update", "install", "toolchain install", "component add", "target add"]),
    ("pre-commit", &["install-hooks", "autoupdate"]),
    ("playwright", &["install", "install-deps"]),
    ("helm", &["dependency update", "dependency build"]),
];

/// Git's commands that talk to other repositories.
const GIT: &str =
    "push fetch pull clone ls-remote send-email svn lfs submodule fetch-pack send-pack";

/// Programs that copy to and from other hosts, where a colon stands in the operand.
const REMOTE_COPIERS: &str = "rsync scp";

/// Database clients: their host is this one unless they are told another.
const CLIENTS: &str = "psql mysql mariadb mongosh mongo redis-cli pg_dump mysqldump sqlcmd";

/// Options whose value is no host.
const VALUED: &str = "-o --output -O -H --header -d --data --data-raw --data-binary -X --request -u \
    --user -A --user-agent -b --cookie -c --cookie-jar -F --form -w --write-out -m --max-time -T \
    --upload-file --cacert --cert --key -i -l -p -P --directory-prefix -K --config --retry --output-document";

/// Whether a command talks to other hosts.
pub(in crate::authority) fn talks(command: &Command<'_>) -> bool {
    if let Some(git) = command.git() {
        let remote = git.runs("remote") && git.operands().any(|it| listed("update show prune", it));
        return git.runs(GIT) || remote || git.has("--remote");
    }
    if command.runs(REMOTE_COPIERS) {
        return command.operands().any(|operand| operand.contains(':') || is_unknown(operand));
    }
    if command.runs(CLIENTS) {
        return command.has("-h --host --uri --url")
            || command.rest.iter().any(|it| it.contains("://"));
    }
    let known = TALKERS.iter().any(|(programs, words)| {
        command.runs(programs) && (words.is_empty() || begins_one(command, words))
    });
    known
        || installs_by_name(command)
        || command.run_by_it().is_some_and(|it| installs_by_name(&it))
}

/// Whether a command fetches what a lock file or a manifest lists: it does not count as talking, and needs
/// the network.
pub(super) fn fetches(command: &Command<'_>) -> bool {
    let one = |command: &Command<'_>| {
        let named = FETCHERS.iter().any(|(programs, begins)| {
            command.runs(programs) && begins.iter().any(|words| command.begins(words))
        });
        // Yarn without a word installs.
        named || (command.program == "yarn" && command.operands().next().is_none())
    };
    one(command) || command.run_by_it().is_some_and(|it| one(&it))
}

fn begins_one(command: &Command<'_>, words: &str) -> bool {
    words.split_ascii_whitespace().any(|word| command.begins(word))
}

fn installs_by_name(command: &Command<'_>) -> bool {
    let installs = INSTALLERS
        .iter()
        .any(|(programs, words)| command.runs(programs) && begins_one(command, words));
    let named = |word: &str| !word.starts_with(['.', '/']) && !word.starts_with("file:");
    let from_list = command.has("-r --requirement -e --editable -g");
    let globally = command.runs("npm pnpm yarn bun") && command.has("-g --global");
    installs && (!from_list || globally) && command.operands().skip(1).any(named)
}

/// Whether what a command would do is written nowhere but in its own words, or nowhere at all: the
/// program is not known, or it is an interpreter with a text or with its input as program.
pub(super) fn is_any_program(command: &Command<'_>) -> bool {
    if command.rest.is_empty() && command.opaque {
        // A line that did not parse, and a shell that reads its input.
        return true;
    }
    if is_unknown(command.first) {
        return true;
    }
    // What a shell's `-c` holds comes as commands of its own; sed and editors have no network.
    let shell =
        command.runs("sh bash dash ash ksh mksh zsh rbash fish sed ed ex vi vim nvim emacs");
    if shell || !is_interpreter(command.program) {
        return command.opaque && command.runs("eval source . sh bash dash ash ksh mksh zsh fish");
    }
    let text = command.has("-c -e -p -r --eval --print --exec") || command.runs("awk gawk mawk");
    text || command.operands().all(|operand| operand == "-")
}

/// Whether a word is known only when the line runs.
pub(super) fn is_unknown(word: &str) -> bool {
    word.starts_with('$') || runs_inside(word)
}

/// Hosts that a command names, as they stand; what is known only when it runs, as it is written.
pub(super) fn hosts_in(command: &Command<'_>) -> Vec<String> {
    let mut hosts = Vec::new();
    let mut before = "";
    for word in command.rest {
        let value = listed(VALUED, before);
        before = word;
        let word = word
            .split_once('=')
            .filter(|(name, _)| name.starts_with("--"))
            .map_or(word.as_str(), |it| it.1);
        if let Some((_, rest)) = word.split_once("://") {
            hosts.push(named(rest));
        } else if value || word.starts_with('-') {
            // An option or its value.
        } else if is_unknown(word) || is_host_like(word, command) {
            hosts.push(named(word));
        }
    }
    hosts
}

/// A host as it is compared and shown.
fn named(address: &str) -> String {
    host_part(address).trim_end_matches(':').to_ascii_lowercase()
}

fn is_host_like(word: &str, command: &Command<'_>) -> bool {
    let host = named(word);
    let allowed =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '_');
    let named =
        host.contains('.') || host.contains(':') || host == "localhost" || word.contains('@');
    let path = word.starts_with(['/', '.', '~']);
    let takes_hosts = !command.runs("git gh glab npm pnpm yarn bun pip docker podman cargo");
    takes_hosts && !path && named && !host.is_empty() && host.chars().all(allowed)
}
