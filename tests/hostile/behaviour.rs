//! What a hostile process does as a whole.

use std::str::FromStr;

/// The first argument.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Behaviour {
    /// Nothing: an ordinary server, whose calls may misbehave.
    Plain,
    /// Ends at once, with a sentence on its log.
    Exit,
    /// Writes 10 MB of noise to both logs, then is ordinary.
    Noise,
    /// Takes connections and never says a word.
    Silent,
    /// Answers `Hello` with another protocol version.
    Protocol2,
    /// Answers with HTTP/1 and garbage.
    Http1,
    /// Answers `Hello` with an error whose details cannot be read.
    Details,
    /// Tells one manifest in `Hello` and another in `Describe`.
    Digest,
    /// Has a tool whose name is no name.
    BadName,
    /// Has a tool whose schema is no JSON.
    BadSchema,
    /// Has more tools than a server may have.
    Many,
    /// Has as many tools as a server may have.
    Full,
    /// Has a manifest whose pages never end.
    Endless,
    /// Has a tool with the name of another server's.
    Impostor,
    /// Never sends a heartbeat after the first.
    Mute,
    /// Says in `Hello` that its instance has no id.
    Nameless,
    /// Never answers `Session`.
    Sessionless,
    /// Says what it should keep to itself, wherever it can ([`crate::leak`]).
    Leaky,
    /// Has a tool that says nothing of what it may do.
    Hintless,
    /// Stands before others that it connects on demand ([`crate::sources`]); prints its manifest.
    Sources,
    /// Prints one manifest and has another when it runs.
    Shifty,
    /// Prints its manifest as it is.
    Printing,
    /// Prints what is no manifest.
    Garbled,
    /// Prints a manifest that is not what its digest says.
    Forged,
    /// Prints without end.
    Babbling,
    /// Has the tools of its settings ([`crate::told`]); prints its manifest.
    Told,
    /// Stands in for the code server ([`crate::program`]).
    Code,
    /// Asked to print, never ends, and leaves a child that does not either.
    Stuck,
}

/// All of them, by the word on the command line.
const WORDS: &[(&str, Behaviour)] = &[
    ("plain", Behaviour::Plain),
    ("exit", Behaviour::Exit),
    ("noise", Behaviour::Noise),
    ("silent", Behaviour::Silent),
    ("protocol-2", Behaviour::Protocol2),
    ("http1", Behaviour::Http1),
    ("details", Behaviour::Details),
    ("digest", Behaviour::Digest),
    ("bad-name", Behaviour::BadName),
    ("bad-schema", Behaviour::BadSchema),
    ("many", Behaviour::Many),
    ("full", Behaviour::Full),
    ("endless", Behaviour::Endless),
    ("impostor", Behaviour::Impostor),
    ("mute", Behaviour::Mute),
    ("nameless", Behaviour::Nameless),
    ("sessionless", Behaviour::Sessionless),
    ("leaky", Behaviour::Leaky),
    ("hintless", Behaviour::Hintless),
    ("sources", Behaviour::Sources),
    ("shifty", Behaviour::Shifty),
    ("printing", Behaviour::Printing),
    ("garbled", Behaviour::Garbled),
    ("forged", Behaviour::Forged),
    ("babbling", Behaviour::Babbling),
    ("told", Behaviour::Told),
    ("code", Behaviour::Code),
    ("stuck", Behaviour::Stuck),
];

impl FromStr for Behaviour {
    type Err = anyhow::Error;

    fn from_str(word: &str) -> anyhow::Result<Self> {
        let found = WORDS.iter().find(|(name, _)| *name == word).map(|(_, behaviour)| *behaviour);
        found.ok_or_else(|| {
            let words: Vec<&str> = WORDS.iter().map(|(name, _)| *name).collect();
            anyhow::anyhow!("'{word}' is no behaviour; there are {}, and client", words.join(", "))
        })
    }
}
