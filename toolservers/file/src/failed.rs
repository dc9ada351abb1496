//! [`Failed`]: why a tool could not do it, as the model reads it.
//!
//! Modules below the tools return it; [`crate::outcome`] turns it into the SDK's types.

/// A stable word to branch on; the message says the rest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Class {
    /// Two matches of one edit, or two edits, meet.
    Overlap,
    /// `old` occurs several times without `all`.
    Ambiguous,
    /// The file is not text.
    Binary,
    /// The call was stopped.
    Cancelled,
    /// The text does not fit the file's encoding.
    Encoding,
    /// Something is there already.
    Exists,
    /// Arguments of an old name that contradict each other.
    InvalidArguments,
    /// An edit that cannot mean anything: `old` empty, or equal to `new`.
    InvalidEdit,
    /// A patch that is not one.
    InvalidPatch,
    /// A glob, regular expression or file type that is not one.
    InvalidPattern,
    /// The path cannot name a file.
    InvalidPath,
    /// The operating system said no, for another reason than those here.
    Io,
    /// A directory where a file is needed.
    IsDirectory,
    /// `old` does not occur.
    NoMatch,
    /// A file where a directory is needed.
    NotADirectory,
    /// No such file.
    NotFound,
    /// The path leads out of the roots.
    OutsideRoots,
    /// The window starts after the last line.
    PastEnd,
    /// The operating system does not allow it.
    PermissionDenied,
    /// A FIFO, socket, device or file of a kernel file system.
    SpecialFile,
    /// The file changed since it was last seen.
    Stale,
    /// Over a bound of this server.
    TooLarge,
    /// What it needs is not here.
    Unavailable,
    /// An image or a document that is damaged, encrypted, or has no text.
    Unreadable,
}

impl Class {
    /// The word on the wire.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Ambiguous => "ambiguous",
            Self::Binary => "binary",
            Self::Cancelled => "cancelled",
            Self::Encoding => "encoding",
            Self::Exists => "exists",
            Self::InvalidArguments => "invalid_arguments",
            Self::InvalidEdit => "invalid_edit",
            Self::InvalidPatch => "invalid_patch",
            Self::InvalidPattern => "invalid_pattern",
            Self::InvalidPath => "invalid_path",
            Self::Io => "io",
            Self::IsDirectory => "is_directory",
            Self::NoMatch => "no_match",
            Self::NotADirectory => "not_a_directory",
            Self::NotFound => "not_found",
            Self::OutsideRoots => "outside_roots",
            Self::PastEnd => "past_end",
            Self::PermissionDenied => "permission_denied",
            Self::SpecialFile => "special_file",
            Self::Stale => "stale",
            Self::TooLarge => "too_large",
            Self::Unavailable => "unavailable",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A class and one or more sentences: what happened, why, what helps.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Failed {
    pub(crate) class: Class,
    pub(crate) message: String,
    /// JSON pointer of the argument at fault.
    pub(crate) pointer: &'static str,
}

impl Failed {
    /// A failure of this class, by the path's fault.
    pub(crate) fn new(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), pointer: "/path" }
    }

    /// By another argument's fault than the path's.
    pub(crate) fn at(self, pointer: &'static str) -> Self {
        Self { pointer, ..self }
    }

    /// A failure that the operating system reported while this was done to a path.
    pub(crate) fn io(doing: &str, shown: &str, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as Kind;
        let kind = error.kind();
        let class = if kind == Kind::NotFound {
            Class::NotFound
        } else if matches!(kind, Kind::PermissionDenied | Kind::ReadOnlyFilesystem) {
            Class::PermissionDenied
        } else if kind == Kind::InvalidFilename {
            Class::InvalidPath
        } else if kind == Kind::IsADirectory {
            Class::IsDirectory
        } else {
            Class::Io
        };
        Self::new(class, format!("cannot {doing} {shown}: {error}"))
    }
}
