//! The one table of all keys: what `config.toml` may hold, of which kind, and what is meant.
//!
//! Reading, checking, `config show` and the README's table all go by it. `*` stands for a server's name.

use tollgate_core::name::nearest;

/// One key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    /// With dots: "`servers.*.clocks.hello_ms`".
    pub(crate) path: &'static str,
    /// Of which kind its value is.
    pub(crate) kind: Kind,
    /// The built-in value as TOML, or empty: none.
    pub(crate) default: &'static str,
    /// One clause for people.
    pub(crate) meaning: &'static str,
}

/// Kinds of values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Text.
    Text,
    /// A file or folder; relative: to the file that says so. `~/` is the home folder.
    Path,
    /// One of these words.
    Word(&'static [&'static str]),
    /// true or false.
    Flag,
    /// A whole number within bounds, both included.
    Count(i64, i64),
    /// A list of texts.
    List,
    /// A list of folders, each absolute or below `~/`.
    Folders,
    /// A list of texts; those of all layers hold together.
    Added,
    /// A table that the server itself reads.
    Table,
}

impl Kind {
    /// For people: "a text".
    pub(crate) fn describe(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Word(words) => {
                words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
            }
            Self::Flag => "true or false".to_owned(),
            Self::Count(min, max) => format!("a whole number from {min} to {max}"),
            Self::List => "a list of texts".to_owned(),
            Self::Folders => "a list of folders".to_owned(),
            Self::Added => "a list of texts, added to those of other files".to_owned(),
            Self::Table => "a table".to_owned(),
        }
    }
}

/// Milliseconds of a clock: up to a day.
const CLOCK_MS: Kind = Kind::Count(1, 24 * 60 * 60 * 1000);

const fn key(path: &'static str, kind: Kind, default: &'static str, meaning: &'static str) -> Key {
    Key { path, kind, default, meaning }
}

/// All keys, in the order of their documentation.
pub(crate) const KEYS: &[Key] = &[
    key("model", Kind::Text, "", "the model: PROVIDER:NAME, NAME, script:FILE or replay:SESSION"),
    key(
        "mode",
        Kind::Word(&["plan", "work", "operate"]),
        "\"work\"",
        "what may be done; a project may tighten it",
    ),
    key(
        "posture",
        Kind::Word(&["ask", "auto-review", "full-access", "never"]),
        "\"ask\"",
        "who decides; a project may tighten it",
    ),
    key(
        "workspace_writes",
        Kind::Word(&["auto", "ask"]),
        "\"auto\"",
        "whether `write` and `edit` inside a trusted git workspace run unasked; a project may tighten it",
    ),
    key(
        "taint",
        Kind::Flag,
        "true",
        "whether calls that reach out ask again after untrusted text came in; a project may tighten it",
    ),
    key(
        "auto_review.model",
        Kind::Text,
        "",
        "the guardian's model in posture auto-review; none: the session's",
    ),
    key(
        "permissions.ask",
        Kind::Added,
        "",
        "rules that ask, in compact form: `bash(git push *)`; a project may add",
    ),
    key(
        "permissions.deny",
        Kind::Added,
        "",
        "rules that forbid, in compact form; a project may add",
    ),
    key(
        "tools.allow",
        Kind::List,
        "",
        "names of the only tools that may be called: `read`, `mcp_*`",
    ),
    key(
        "tools.always_load",
        Kind::List,
        "",
        "names of tools that every request carries beside the usual ones: `grep`, `mcp_git_*`",
    ),
    key(
        "tools.surface",
        Kind::Word(&["full", "simple", "code"]),
        "\"full\"",
        "how much a model gets: all, `read` `edit` `bash`, or search and programs only",
    ),
    key("tools.semantic_search", Kind::Flag, "true", "whether `tool_search` also goes by meaning"),
    key("tools.deny", Kind::Added, "", "names of tools that may not be called; a project may add"),
    key(
        "features.code_mode",
        Kind::Flag,
        "true",
        "whether every request carries `execute_tools`; false: `tool_search` finds it",
    ),
    key(
        "code.memory_mib",
        Kind::Count(1, 1024),
        "64",
        "MiB of memory of one program of `execute_tools`",
    ),
    key("code.stack_kib", Kind::Count(64, 16_384), "1024", "KiB of its stack"),
    key("code.calls_max", Kind::Count(1, 100_000), "1000", "calls of one program"),
    key("code.code_kib", Kind::Count(1, 4096), "256", "KiB of its text"),
    key("code.log_kib", Kind::Count(1, 1024), "64", "KiB of what it prints that are kept"),
    key(
        "code.value_kib",
        Kind::Count(1, 32_768),
        "1024",
        "KiB of what it returns that come back whole; more is kept as an artifact",
    ),
    key(
        "code.programs_max",
        Kind::Count(1, 64),
        "32",
        "programs that run side by side; further ones wait",
    ),
    key(
        "code.cpu_ms",
        CLOCK_MS,
        "30000",
        "of what a program computes by itself, while no call of it runs and nobody is asked",
    ),
    key(
        "code.timeout_ms",
        CLOCK_MS,
        "600000",
        "of a program with its calls, where nothing says less; time in which a person is asked does not count",
    ),
    key(
        "sandbox.mode",
        Kind::Word(&["required", "best-effort", "off"]),
        "\"best-effort\"",
        "how much of the confinement of servers and their programs must hold; a project may tighten it",
    ),
    key(
        "sandbox.network",
        Kind::Word(&["off", "ask", "on"]),
        "\"ask\"",
        "which commands have the network: none, those that need it once they are allowed, all that change something; \
         a project may tighten it",
    ),
    key(
        "sandbox.write",
        Kind::Folders,
        "",
        "further folders that commands may change, absolute or below ~/: [\"~/.cargo\"]",
    ),
    key("log", Kind::Text, "\"info\"", "what servers log to their files, as RUST_LOG"),
    key("limits.turn_calls", Kind::Count(1, 1_000_000), "1000", "calls of one turn"),
    key("limits.turn_steps", Kind::Count(1, 1_000_000), "200", "model requests of one turn"),
    key(
        "limits.parallel_calls",
        Kind::Count(1, 100),
        "10",
        "calls of one step that run side by side",
    ),
    key(
        "limits.output_bytes",
        Kind::Count(4096, 1 << 40),
        "268435456",
        "bytes of one call's output that are kept",
    ),
    key("servers.*.command", Kind::List, "", "the program of a local server and its arguments"),
    key("servers.*.endpoint", Kind::Text, "", "the address of a remote server: https://HOST:PORT"),
    key("servers.*.tls.ca", Kind::Path, "", "PEM file: who signed the server's certificate"),
    key("servers.*.tls.cert", Kind::Path, "", "PEM file: this kernel's certificate"),
    key("servers.*.tls.key", Kind::Path, "", "PEM file: the key of tls.cert"),
    key(
        "servers.*.tls.name",
        Kind::Text,
        "",
        "the name in the server's certificate, if not the endpoint's host",
    ),
    key(
        "servers.*.grant_key_file",
        Kind::Path,
        "",
        "Ed25519 key that signs grants for a remote server: 64 hex digits",
    ),
    key("servers.*.grant_key_id", Kind::Text, "", "its id, as in the server's --grant-keys"),
    key(
        "servers.*.roots",
        Kind::List,
        "",
        "folders on the remote server's host; the first is the workspace there",
    ),
    key(
        "servers.*.listen",
        Kind::Word(&["descriptor", "path"]),
        "\"descriptor\"",
        "how a local server gets its socket: open, or as a path to bind",
    ),
    key(
        "servers.*.warden",
        Kind::Flag,
        "false",
        "the server starts programs: a warden ends what it leaves behind",
    ),
    key(
        "servers.*.trust",
        Kind::Word(&["trusted", "untrusted"]),
        "\"untrusted\"",
        "whether its claims about its calls are believed",
    ),
    key(
        "servers.*.env",
        Kind::List,
        "[]",
        "names of environment variables that it may see beside the ordinary ones",
    ),
    key("servers.*.enabled", Kind::Flag, "true", "whether it is used at all"),
    key("servers.*.model", Kind::Flag, "false", "it serves language models, not tools"),
    key("servers.*.settings", Kind::Table, "", "given to the server as it is"),
    key("servers.*.clocks.hello_ms", CLOCK_MS, "5000", "from its start until it answers"),
    key("servers.*.clocks.start_ms", CLOCK_MS, "10000", "until it accepts a call"),
    key("servers.*.clocks.idle_ms", CLOCK_MS, "900000", "of a call without a sign of life"),
    key("servers.*.clocks.call_ms", CLOCK_MS, "3600000", "of a whole call"),
    key(
        "servers.*.clocks.grace_ms",
        CLOCK_MS,
        "2000",
        "from a cancel until the kernel stops waiting",
    ),
    key("servers.*.clocks.heartbeat_ms", CLOCK_MS, "10000", "how often it says that it lives"),
];

/// What a path of names is.
#[derive(Debug)]
pub(crate) enum Found {
    /// A key.
    Key(&'static Key),
    /// A table that holds keys.
    Table,
    /// Nothing; with the nearest name at the place of the last one.
    Unknown(Option<&'static str>),
}

/// Looks a path of names up.
pub(crate) fn find(path: &[&str]) -> Found {
    let mut is_table = false;
    for key in KEYS {
        match meets(key, path) {
            Some(0) => return Found::Key(key),
            Some(_) => is_table = true,
            None => {}
        }
    }
    if is_table {
        return Found::Table;
    }
    let Some((last, parents)) = path.split_last() else {
        return Found::Unknown(None);
    };
    let siblings = KEYS.iter().filter(|key| meets(key, parents).is_some_and(|left| left > 0));
    let names = siblings.filter_map(|key| key.path.split('.').nth(parents.len()));
    let names: Vec<&str> = names.filter(|name| *name != "*").collect();
    // "idle" is meant as "idle_ms", however many letters that are.
    let longer = || names.iter().copied().find(|name| name.starts_with(last));
    Found::Unknown(nearest(last, names.iter().copied()).into_iter().next().or_else(longer))
}

/// How many more names a key has than `path`, if it begins with it.
fn meets(key: &Key, path: &[&str]) -> Option<usize> {
    let mut names = key.path.split('.');
    for asked in path {
        let name = names.next()?;
        if name != "*" && name != *asked {
            return None;
        }
    }
    Some(names.count())
}
