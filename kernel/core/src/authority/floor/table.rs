//! The floor's rows, as data. Lists are separated by blanks, ways to begin by `|`.

use super::{Line, Step, credentials, git, piped, system, trees};
use crate::authority::words::Command;

/// One kind of call.
pub(super) struct Row {
    /// Stable: receipts and tests name it.
    pub(super) name: &'static str,
    /// One clause for people and the model, with what would work where something does.
    pub(super) reason: &'static str,
    /// It holds in posture `full-access` too: what it does cannot be had again.
    pub(super) catastrophic: bool,
    /// Under which circumstances.
    pub(super) when: When,
    /// One of them is enough.
    pub(super) forms: &'static [Form],
}

/// Under which circumstances a row holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum When {
    /// Any.
    Always,
    /// Nobody could be asked.
    Headless,
    /// Something of the line runs on when the line has ended.
    Background,
}

/// How a call meets a row.
pub(super) enum Form {
    /// A command of one of some programs, by its words.
    Words(Words),
    /// A command that is not proven to only read.
    Command(fn(&Step<'_>, &Line<'_>) -> bool),
    /// The call as a whole.
    Line(fn(&Line<'_>) -> bool),
    /// What these rows hold, whenever they do.
    Rows(&'static str),
}

/// A command of one of the programs, whose operands begin so, with one of the options (if any are
/// listed) and none of the others.
pub(super) struct Words {
    pub(super) programs: &'static str,
    begins: &'static str,
    options: &'static str,
    unless: &'static str,
}

impl Words {
    /// Whether a command of one of the programs has these words.
    pub(super) fn are_in(&self, command: &Command<'_>) -> bool {
        self.begins.split('|').any(|words| command.begins(words))
            && (self.options.is_empty() || command.has(self.options))
            && (self.unless.is_empty() || !command.has(self.unless))
    }
}

const fn begins(programs: &'static str, begins: &'static str) -> Form {
    Form::Words(Words { programs, begins, options: "", unless: "" })
}

const fn unless(programs: &'static str, begins: &'static str, unless: &'static str) -> Form {
    Form::Words(Words { programs, begins, options: "", unless })
}

const fn with(programs: &'static str, begins: &'static str, options: &'static str) -> Form {
    Form::Words(Words { programs, begins, options, unless: "" })
}

const fn row(name: &'static str, reason: &'static str, forms: &'static [Form]) -> Row {
    Row { name, reason, catastrophic: false, when: When::Always, forms }
}

const fn catastrophe(name: &'static str, reason: &'static str, forms: &'static [Form]) -> Row {
    Row { catastrophic: true, ..row(name, reason, forms) }
}

const fn headless(name: &'static str, reason: &'static str, forms: &'static [Form]) -> Row {
    Row { when: When::Headless, ..row(name, reason, forms) }
}

/// All rows, in the order in which they are looked at.
pub(super) const ROWS: &[Row] = &[
    catastrophe(
        "rm_root",
        "it removes a whole file system, home, system or workspace folder; name the folder inside the \
         workspace that should go",
        &[Form::Command(trees::removes_whole), Form::Line(trees::deletes_whole)],
    ),
    catastrophe(
        "disk",
        "it writes to a disk itself, below all files",
        &[Form::Command(system::writes_disk), Form::Line(system::redirects_to_disk)],
    ),
    catastrophe(
        "fork_bomb",
        "it starts itself again without end",
        &[Form::Line(piped::is_fork_bomb)],
    ),
    catastrophe(
        "chmod_root",
        "it changes who may read or write a whole file system, home or system folder",
        &[Form::Command(trees::opens_whole)],
    ),
    catastrophe(
        "power",
        "it stops the machine or all that runs on it",
        &[
            begins("shutdown reboot halt poweroff killall5", ""),
            begins("systemctl", "poweroff|reboot|halt|kexec|suspend|hibernate|emergency|rescue"),
            begins("init telinit", "0|1|6|s|S"),
            Form::Command(system::kills_all),
        ],
    ),
    catastrophe(
        "own_policy",
        "it changes what Tollgate itself trusts or allows; that is the user's, at a terminal of their own",
        &[begins("tollgate", "trust|permissions add")],
    ),
    row(
        "publish",
        "it publishes; what others have fetched cannot be taken back",
        &[
            unless(
                "npm pnpm yarn bun",
                "publish|npm publish|unpublish|deprecate|dist-tag",
                "--dry-run",
            ),
            unless("cargo", "publish|yank", "--dry-run -n"),
            unless(
                "uv poetry flit hatch pdm deno jsr flutter dart",
                "publish|pub publish",
                "--dry-run",
            ),
            begins("twine", "upload"),
            begins("gem", "push|yank|owner"),
            begins("docker podman nerdctl", "push|image push|manifest push|compose push"),
            with("docker podman nerdctl", "build|buildx", "--push"),
            begins(
                "gh",
                "release create|release upload|release edit|release delete|pr merge|repo delete|repo \
                 archive|workflow run|gist create",
            ),
            begins("glab", "release create|release upload|release delete|mr merge|repo delete"),
            begins("helm oras crane", "push"),
            begins("skopeo", "copy"),
            begins("mvn mvnw", "deploy|release:perform"),
            begins(
                "gradle gradlew",
                "publish|publishPlugins|publishAllPublicationsToMavenRepository",
            ),
            begins("dotnet", "nuget push"),
            begins("nuget", "push"),
            begins("vsce ovsx lerna changeset", "publish|unpublish"),
            unless("goreleaser", "release", "--snapshot"),
            unless("semantic-release release-it np", "", "--dry-run"),
            begins("luarocks cabal conan anaconda", "upload"),
            begins("pod", "trunk push"),
            begins("mix", "hex.publish"),
        ],
    ),
    row(
        "push_protected",
        "it pushes to a protected branch, or with force, or it does not name the branch, so that it may \
         be a protected one; name an ordinary branch: git push REMOTE BRANCH",
        &[Form::Command(git::pushes_protected)],
    ),
    catastrophe(
        "pipe_to_shell",
        "it runs what it downloads or decodes; save it to a file, read it, and run the file",
        &[Form::Line(piped::runs_download)],
    ),
    catastrophe(
        "credential_read",
        "it reads credentials, which belong to the user and to no tool",
        &[
            Form::Line(credentials::are_read),
            begins("security", "find-generic-password|find-internet-password|dump-keychain|export"),
            begins("secret-tool", "lookup|search"),
            with("gpg gpg2", "", "--export-secret-keys --export-secret-subkeys"),
            begins("gh glab", "auth token"),
            begins("gcloud", "auth print-access-token|auth print-identity-token"),
            begins("aws", "configure export-credentials|configure get|ecr get-login-password"),
            begins("az", "account get-access-token"),
            begins("op", "read|item get"),
            begins("pass gopass", "show"),
            begins("git", "credential fill"),
            begins("kubectl oc", "get secret|get secrets|config view"),
        ],
    ),
    row(
        "git_programs",
        "it changes a setting by which git runs programs by itself",
        &[
            Form::Command(git::sets_program),
            begins("pre-commit lefthook", "install"),
            begins("husky", "|install|init"),
        ],
    ),
    row(
        "autostart",
        "it makes something run later or at every start, when nobody looks",
        &[
            unless("crontab", "", "-l"),
            unless("at batch", "", "-l"),
            begins("systemctl", "enable|link|edit|add-wants|add-requires"),
            begins("launchctl", "load|bootstrap|submit|enable"),
            begins("loginctl", "enable-linger"),
            begins("update-rc.d chkconfig", ""),
        ],
    ),
    row(
        "history_wipe",
        "it removes records of what was done",
        &[
            with("history", "", "-c -w -d"),
            begins("unset", "HISTFILE|HISTSIZE|HISTFILESIZE"),
            with("journalctl", "", "--vacuum-time --vacuum-size --vacuum-files --rotate --flush"),
            with("dmesg", "", "-C -c --clear --read-clear"),
            Form::Command(system::wipes_history),
            Form::Line(system::overwrites_history),
        ],
    ),
    row(
        "system_change",
        "it changes accounts, the firewall or the kernel of this machine",
        &[
            begins(
                "useradd userdel usermod groupadd groupdel adduser deluser passwd chpasswd visudo",
                "",
            ),
            with("iptables ip6tables", "", "-F -X -P --flush --policy --delete-chain"),
            begins("nft", "flush|delete"),
            begins("ufw", "disable|reset"),
            begins("setenforce", "0|Permissive"),
            begins("modprobe insmod rmmod swapoff", ""),
            with("sysctl", "", "-w --write -p --load"),
            begins("systemctl", "disable|mask"),
        ],
    ),
    Row {
        when: When::Background,
        ..row(
            "background_destructive",
            "it destroys something in the background, where it cannot be watched or stopped; run it in \
             the foreground",
            &[Form::Rows("git_destroys data_destroys"), Form::Command(trees::removes_tree)],
        )
    },
    headless(
        "git_destroys",
        "it destroys work that git keeps no copy of, and nobody is here to be asked",
        &[Form::Command(git::destroys)],
    ),
    headless(
        "data_destroys",
        "it destroys data or infrastructure, and nobody is here to be asked",
        &[
            begins("kubectl oc", "delete|drain|replace"),
            begins("terraform tofu pulumi cdk serverless sls", "destroy|remove"),
            begins("helm", "uninstall|delete|rollback"),
            begins(
                "docker podman nerdctl",
                "system prune|volume prune|volume rm|image prune|container prune|builder prune|system reset",
            ),
            with("docker podman", "compose down", "-v --volumes"),
            begins("dropdb dropuser", ""),
            begins("redis-cli", "flushall|flushdb|FLUSHALL|FLUSHDB"),
            begins("rails rake", "db:drop|db:reset|db:purge"),
            begins("prisma", "migrate reset"),
            begins("gsutil", "rm|rb"),
            begins("s3cmd", "del|rb"),
            begins(
                "aws",
                "s3 rm|s3 rb|ec2 terminate-instances|rds delete-db-instance|cloudformation delete-stack",
            ),
            begins("gcloud", "projects delete|compute instances delete|sql instances delete"),
            begins("az", "group delete|vm delete"),
            Form::Command(system::drops_tables),
        ],
    ),
    headless(
        "rm_tree",
        "it removes a folder that is not named inside the workspace, and nobody is here to be asked; name \
         it as a path inside the workspace",
        &[Form::Command(trees::removes_elsewhere)],
    ),
    headless(
        "deploy",
        "it changes what runs for others, and nobody is here to be asked",
        &[
            begins("terraform tofu", "apply|import|state rm|taint"),
            begins("pulumi", "up|import"),
            begins("kubectl oc", "apply|rollout|scale|patch|edit"),
            begins("helm", "install|upgrade"),
            begins("fly flyctl wrangler firebase serverless sls cdk sam eb", "deploy|publish"),
            with("vercel netlify", "", "--prod --production"),
            begins("gcloud", "app deploy|run deploy|functions deploy"),
            begins("ansible-playbook", ""),
            begins("argocd", "app sync"),
        ],
    ),
];
