//! What an author writes: [`Tool`], and what a tool says of itself and of one call.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Call, Context, Failure, Reply};

/// One callable thing.
///
/// Derive the input with `#[serde(deny_unknown_fields)]`: a misspelt argument is then an error that
/// names the right one, never an argument silently ignored. The input's field comments are what
/// the model reads.
pub trait Tool: Send + Sync + 'static {
    /// The arguments; their JSON Schema is derived from the type.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// Canonical name, unique in the server: `[a-zA-Z][a-zA-Z0-9_]{0,63}`.
    const NAME: &'static str;
    /// For the model: what it does, what it gives, its bounds. At most 4 KiB.
    const DESCRIPTION: &'static str;

    /// Everything that holds for all calls. The default is the most careful tool.
    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST)
    }

    /// Says what this call would do, without doing anything. Called only if [`Spec::prepares`].
    fn prepare(
        &self,
        input: &Self::Input,
        context: &Context,
    ) -> impl Future<Output = Result<Preparation, Invalid>> + Send {
        let _ = (input, context);
        std::future::ready(Ok(Preparation::new(self.spec().safety)))
    }

    /// Does the work. Runs in a task of its own: blocking work belongs in
    /// `tokio::task::spawn_blocking`, and long work watches [`Call::cancelled`].
    fn call(
        &self,
        input: Self::Input,
        call: Call,
    ) -> impl Future<Output = Result<Reply, Failure>> + Send;
}

/// What a call would do. `false` is the careful value of each flag but `destructive` and
/// `open_world`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Safety {
    /// Changes nothing outside the server's own memory.
    pub read_only: bool,
    /// May destroy what cannot be had again.
    pub destructive: bool,
    /// Running it twice with one call id is the same as once.
    pub idempotent: bool,
    /// Talks to things outside this host.
    pub open_world: bool,
    /// May run beside other concurrency-safe calls.
    pub concurrency_safe: bool,
}

impl Safety {
    /// Nothing is known.
    pub const WORST: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
        concurrency_safe: false,
    };
    /// Reads from this host, beside others, as often as wanted.
    pub const READ: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
        concurrency_safe: true,
    };
    /// Changes something on this host that can be had again.
    pub const WRITE: Self = Self {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: false,
        concurrency_safe: false,
    };
}

/// When a model sees a tool.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Exposure {
    /// In the first request.
    Eager,
    /// Found by `tool_search`.
    #[default]
    Deferred,
    /// Never advertised, still executable.
    Hidden,
}

/// What a new message of the user does to a running call.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Interrupt {
    /// Stop at once.
    Cancel,
    /// Finish the atomic part first.
    #[default]
    Block,
}

/// Who asked for a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Caller {
    /// The model, in a step.
    Model,
    /// A program of code mode.
    Program,
    /// Another tool server.
    Server,
    /// A person, by `tollgate call`.
    User,
    /// An MCP or kernel-gRPC client.
    Client,
}

/// What a running call may ask the kernel for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HostService {
    /// Another tool, through the gate.
    CallTool,
    /// The catalog's search.
    SearchTools,
    /// One model request without tools.
    Generate,
    /// A child turn loop.
    RunAgent,
    /// A question to the person.
    AskUser,
    /// Reads an artifact of this session.
    ReadArtifact,
    /// Keeps bytes as an artifact of this session.
    WriteArtifact,
}

/// Something a tool needs from its host.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// "python3", "git". At most 64 bytes.
    pub name: String,
    /// Whether it was found.
    pub met: bool,
    /// What was found, or why not. At most 256 bytes.
    pub found: String,
}

/// What holds for all calls of a tool.
#[derive(Clone, Debug)]
pub struct Spec {
    /// What a call may do when nothing is known of its arguments.
    pub safety: Safety,
    /// For people: "Read a file".
    pub title: String,
    /// Three to ten words for search that are not in the name.
    pub search_hint: String,
    /// When the model sees it.
    pub exposure: Exposure,
    /// Whether [`Tool::prepare`] says more than `safety`.
    pub prepares: bool,
    /// What interruption means.
    pub interrupt: Interrupt,
    /// Results larger than this are spilled by the kernel, in bytes; 0: the tool bounds itself.
    pub result_bytes_max: u32,
    /// Who may call, beside the model and the user.
    pub callers: Vec<Caller>,
    /// Host services that calls ask for.
    pub host_services: Vec<HostService>,
    /// What it needs from the host.
    pub requirements: Vec<Requirement>,
    /// Other names of arguments and the canonical ones; taken, never advertised.
    pub argument_aliases: Vec<(String, String)>,
}

impl Spec {
    /// A deferred tool with this safety for every call, 100 KiB of result, and nothing else.
    #[must_use]
    pub fn new(safety: Safety) -> Self {
        Self {
            safety,
            title: String::new(),
            search_hint: String::new(),
            exposure: Exposure::Deferred,
            prepares: false,
            interrupt: Interrupt::Block,
            result_bytes_max: 100 * 1024,
            callers: Vec::new(),
            host_services: Vec::new(),
            requirements: Vec::new(),
            argument_aliases: Vec::new(),
        }
    }

    /// Taking arguments under other names too: pairs of alias and canonical name.
    #[must_use]
    pub fn argument_aliases(self, pairs: &[(&str, &str)]) -> Self {
        let own = |pair: &(&str, &str)| (pair.0.to_owned(), pair.1.to_owned());
        Self { argument_aliases: pairs.iter().map(own).collect(), ..self }
    }

    /// With a title for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// With words for search.
    #[must_use]
    pub fn search_hint(self, hint: impl Into<String>) -> Self {
        Self { search_hint: hint.into(), ..self }
    }

    /// In the model's first request.
    #[must_use]
    pub fn eager(self) -> Self {
        Self { exposure: Exposure::Eager, ..self }
    }

    /// With [`Tool::prepare`] asked for every call.
    #[must_use]
    pub fn prepared(self) -> Self {
        Self { prepares: true, ..self }
    }

    /// Stopped at once when interrupted.
    #[must_use]
    pub fn cancellable(self) -> Self {
        Self { interrupt: Interrupt::Cancel, ..self }
    }

    /// With another bound on its results, in bytes; 0: the tool bounds itself.
    #[must_use]
    pub fn result_bytes_max(self, bytes: u32) -> Self {
        Self { result_bytes_max: bytes, ..self }
    }

    /// Callable by these too.
    #[must_use]
    pub fn callers(self, callers: &[Caller]) -> Self {
        Self { callers: callers.to_vec(), ..self }
    }

    /// Asking for these host services.
    #[must_use]
    pub fn host_services(self, services: &[HostService]) -> Self {
        Self { host_services: services.to_vec(), ..self }
    }
}

/// What one call would do.
#[derive(Clone, Debug)]
pub struct Preparation {
    /// For exactly these arguments.
    pub safety: Safety,
    /// What rules match; at most 256.
    pub subjects: Vec<Subject>,
    /// For people, from the arguments: "Install dependencies".
    pub title: String,
    /// For the approval card: a diff, the commands. At most 64 KiB.
    pub preview: String,
    /// The call wants its processes to reach further than they do.
    pub escalation: Option<Escalation>,
}

impl Preparation {
    /// This safety, no subject, no texts.
    #[must_use]
    pub fn new(safety: Safety) -> Self {
        Self {
            safety,
            subjects: Vec::new(),
            title: String::new(),
            preview: String::new(),
            escalation: None,
        }
    }

    /// With one more subject.
    #[must_use]
    pub fn subject(mut self, subject: Subject) -> Self {
        self.subjects.push(subject);
        self
    }

    /// With a title for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// With a preview for the approval card.
    #[must_use]
    pub fn preview(self, preview: impl Into<String>) -> Self {
        Self { preview: preview.into(), ..self }
    }

    /// Asking for a wider sandbox: a person decides on a card of its own.
    #[must_use]
    pub fn escalation(self, to: Sandbox, justification: impl Into<String>) -> Self {
        let wish = Escalation { to, justification: justification.into() };
        Self { escalation: Some(wish), ..self }
    }
}

/// How far a call's processes may reach, the narrowest first.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Sandbox {
    /// Reads only.
    #[default]
    ReadOnly,
    /// Writes in the workspace, no network.
    WorkspaceWrite,
    /// The same, with network.
    Network,
    /// No sandbox.
    Off,
}

/// A wish for a wider sandbox, for this one call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Escalation {
    /// What it wants.
    pub to: Sandbox,
    /// Why, in the model's words; at most 1 KiB.
    pub justification: String,
}

/// Something a call touches; what rules match.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Subject {
    /// A file or folder.
    Path {
        /// Absolute, symbolic links resolved as far as they exist.
        absolute: PathBuf,
        /// Relative to the root that holds it, if one does.
        relative: Option<PathBuf>,
        /// How it is touched.
        access: PathAccess,
        /// How far below it.
        reach: PathReach,
    },
    /// One simple command of a parsed shell line.
    Command {
        /// Its words after quoting is resolved.
        argv: Vec<String>,
        /// The operator before it, or empty.
        operator: String,
        /// A word could not be resolved without running the line.
        opaque: bool,
        /// Proven to only read, by itself and where it stands. A rule that allows the rest of the
        /// line counts it as covered, so a doubt is `false`. Believed of trusted servers only.
        read_only: bool,
    },
    /// "host" or "host:port", lower case.
    Host(String),
    /// A repository, absolute.
    Repo(PathBuf),
    /// A tool of an MCP server.
    Mcp {
        /// The server's configured name.
        server: String,
        /// The tool's name there.
        tool: String,
    },
    /// Another tool.
    Tool(String),
}

/// How far below a path a call goes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum PathReach {
    /// Nothing below it.
    #[default]
    Itself,
    /// All that lies below it too: the gate asks where a rule speaks of anything there.
    Tree,
    /// For reads only: what lies below it too, but for what the grant withholds. Who says so passes
    /// over every place that [`Scope::withheld`](crate::Scope::withheld) holds.
    GrantedTree,
}

/// How a path is touched.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PathAccess {
    /// Its content is read.
    Read,
    /// Its content is changed.
    Write,
    /// It comes to exist.
    Create,
    /// It ceases to exist.
    Delete,
}

/// Why a call cannot work; told to the model before anybody is asked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Invalid {
    /// What is wrong and what would work; at most 4 KiB.
    pub message: String,
    /// JSON pointer of the argument at fault, or empty.
    pub pointer: String,
    /// A stable word to branch on ("`no_match`").
    pub class: String,
}

impl Invalid {
    /// A fault of the argument at a JSON pointer ("/path"), or of the whole (empty).
    #[must_use]
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        let class = "invalid_arguments".to_owned();
        Self { message: message.into(), pointer: pointer.into(), class }
    }

    /// With another word to branch on than "`invalid_arguments`".
    #[must_use]
    pub fn class(self, class: impl Into<String>) -> Self {
        Self { class: class.into(), ..self }
    }
}
