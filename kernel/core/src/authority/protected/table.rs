//! The places, as data: a name or a path of names, matched at every depth.
//!
//! `dir/**` is `dir` and everything below; `x*` and `*x` match by beginning and end; `/etc/x` is from the
//! root alone. Texts are folded (lower case). Where two rows match, the stronger speaks, then the earlier one.

use super::Protection::{self, Card, NoCarveOut};

/// One kind of place.
pub(super) struct Row {
    /// Separated by blanks.
    pub(super) places: &'static str,
    /// How strongly.
    pub(super) protection: Protection,
    /// What these places are, for the card.
    pub(super) what: &'static str,
}

const fn card(places: &'static str, what: &'static str) -> Row {
    Row { places, protection: Card, what }
}

const fn secret(places: &'static str, what: &'static str) -> Row {
    Row { places, protection: NoCarveOut, what }
}

/// All kinds.
pub(super) const ROWS: &[Row] = &[
    card(".git/hooks/**", "git hooks: programs that git runs by itself"),
    card(
        ".git/config .git/config.worktree .git/info/attributes .gitconfig .config/git/**",
        "git settings: can name programs that git runs by itself",
    ),
    card(".git/**", "git's own data: history, settings, hooks"),
    card(
        ".gitattributes .gitmodules",
        "git settings of the repository: can make git run filters and fetch other repositories",
    ),
    card(
        ".jj/repo/** .hg/hgrc .hgrc",
        "settings of a version control system: can name programs that it runs",
    ),
    card(
        ".husky/** .pre-commit-config.yaml lefthook.yml .lefthook.yml",
        "git hooks of the project: programs that git runs by itself",
    ),
    card(".tollgate/**", "Tollgate's settings and law of this repository"),
    card(
        ".mcp.json mcp.json .cursor/mcp.json .vscode/mcp.json",
        "MCP servers: programs that agents start by themselves",
    ),
    card(
        "agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md .cursorrules \
         .windsurfrules .clinerules/** .github/copilot-instructions.md .github/instructions/**",
        "agent instructions: what agents are told before anything else",
    ),
    card(
        ".cursor/** .claude/** .codex/** .gemini/** .qwen/** .roo/** .kiro/** .windsurf/** .agents/** \
         .codewhale/** .continue/** .aider.conf.yml opencode.json opencode.jsonc",
        "an agent's settings: can name programs, hooks and permissions",
    ),
    card(
        ".vscode/tasks.json .vscode/settings.json .vscode/launch.json .zed/** .devcontainer/** \
         devcontainer.json .idea/workspace.xml .idea/runconfigurations/**",
        "editor settings: can name programs that the editor runs by itself",
    ),
    card(
        ".nvimrc .nvim.lua .vimrc .gvimrc .exrc .lvimrc .emacs .emacs.d/** .dir-locals.el .config/nvim/**",
        "editor settings: programs that the editor runs by itself",
    ),
    card(
        ".envrc .mise.toml mise.toml",
        "environment settings: programs that a shell runs on entering the folder",
    ),
    card(
        ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile \
         .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .tmux.conf \
         .config/fish/** config.fish .xinitrc .xprofile .xsession .xsessionrc .pam_environment \
         .config/environment.d/** /etc/profile /etc/profile.d/** /etc/bash.bashrc /etc/bashrc /etc/zsh/** \
         /etc/environment",
        "shell start-up files: run whenever a shell or a session starts",
    ),
    card(
        ".yarnrc.yml .yarnrc .yarn/releases/** .yarn/plugins/** .npmrc .pnpmfile.cjs .cargo/config \
         .cargo/config.toml pip.conf .bundle/config",
        "package manager settings: can name programs and registries that it uses",
    ),
    card(
        ".config/autostart/** .config/systemd/** .local/share/systemd/** /etc/systemd/** \
         /lib/systemd/** /usr/lib/systemd/** library/launchagents/** library/launchdaemons/** /etc/crontab /etc/cron.d/** \
         /etc/cron.hourly/** /etc/cron.daily/** /etc/cron.weekly/** /etc/cron.monthly/** \
         /var/spool/cron/** /etc/init.d/** /etc/rc.local .config/plasma-workspace/env/** \
         .local/share/dbus-1/services/**",
        "programs that the system starts by itself",
    ),
    card(".ssh/**", "SSH: keys, and who may log in"),
    card(
        "/etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/sudoers /etc/sudoers.d/** /etc/pam.d/** \
         /etc/ld.so.preload /etc/ld.so.conf /etc/ld.so.conf.d/** /etc/ssh/**",
        "system files that decide who may do what",
    ),
    secret(".env*", "environment files, which often hold secrets"),
    secret(
        ".netrc _netrc .pgpass .git-credentials credentials credentials.json credentials.toml \
         .credentials.json .pypirc .htpasswd .boto .s3cfg .my.cnf .dockercfg .vault-token kubeconfig \
         client_secret*.json service-account*.json secrets.json secrets.yml secrets.yaml secrets.toml \
         .terraformrc .databrickscfg",
        "credentials",
    ),
    secret(
        "id_rsa* id_dsa* id_ecdsa* id_ed25519* *.pem *.key *.p12 *.pfx *.jks *.keystore *.ppk *.kdbx \
         *.p8 *.gpg",
        "private keys",
    ),
    secret(
        ".aws/** .azure/** .config/gcloud/** .config/gh/** .kube/** .docker/**",
        "credentials of a service",
    ),
    secret(
        ".gnupg/** .password-store/** .local/share/keyrings/** library/keychains/**",
        "keys and passwords",
    ),
];
