//! A large catalog of made-up tools: servers of fifty tools, names of a verb and two nouns, descriptions and
//! arguments of common and rare words. The same every time.

use tollgate_search::Document;

const VERBS: [&str; 24] = [
    "get", "list", "create", "update", "delete", "search", "send", "read", "write", "move", "copy",
    "run", "stop", "export", "import", "merge", "split", "assign", "archive", "restore",
    "validate", "convert", "schedule", "compare",
];
const NOUNS: [&str; 40] = [
    "issue", "file", "folder", "message", "channel", "user", "invoice", "payment", "ticket",
    "page", "table", "row", "query", "branch", "commit", "release", "image", "video", "event",
    "calendar", "contact", "account", "order", "product", "report", "metric", "alert", "log",
    "secret", "token", "job", "pipeline", "cluster", "node", "volume", "network", "policy", "role",
    "group", "project",
];
const FILL: [&str; 20] = [
    "the",
    "a",
    "of",
    "in",
    "by",
    "with",
    "for",
    "its",
    "and",
    "from",
    "existing",
    "specified",
    "current",
    "optional",
    "remote",
    "workspace",
    "identifier",
    "returns",
    "matching",
    "all",
];

/// The texts of made-up tools.
#[derive(Debug)]
pub(crate) struct Synthetic(Vec<Texts>);

#[derive(Debug)]
struct Texts {
    name: String,
    server: String,
    description: String,
    arguments: Vec<(String, String)>,
}

impl Synthetic {
    /// So many tools.
    pub(crate) fn new(count: usize) -> Self {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        Self((0..count).map(|number| texts(number, &mut random)).collect())
    }

    /// As the search takes them.
    pub(crate) fn documents(&self) -> Vec<Document<'_>> {
        self.0.iter().map(Texts::document).collect()
    }

    /// Name and description, for plain BM25.
    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|it| format!("{} {}", it.name, it.description))
    }
}

impl Texts {
    fn document(&self) -> Document<'_> {
        Document {
            name: &self.name,
            server: &self.server,
            description: &self.description,
            arguments: &self.arguments,
            ..Document::default()
        }
    }
}

/// Requests as models make them: words of which some are in thousands of tools.
pub(crate) const REQUESTS: [&str; 8] = [
    "create an issue with a title and assign it to a user",
    "list the rows of a table that match a query",
    "read the current log of a failed pipeline job",
    "send a message to a channel",
    "compare two branches and show the commits between them",
    "delete old secrets and tokens of a project",
    "which tool restores an archived page",
    "export the payment report as a file",
];

fn texts(number: usize, random: &mut Random) -> Texts {
    let server = format!("server{}", number / 50);
    let (verb, one, two) = (random.of(&VERBS), random.of(&NOUNS), random.of(&NOUNS));
    let mut description = format!("{verb} {one}");
    for _ in 0..18 {
        description.push(' ');
        match random.below(10) {
            0..=4 => description.push_str(random.of(&FILL)),
            5..=7 => description.push_str(random.of(&NOUNS)),
            8 => description.push_str(random.of(&VERBS)),
            // Words that few tools have, as real catalogs do.
            _ => description.push_str(&rare(random)),
        }
    }
    let argument = |random: &mut Random| {
        let name = format!("{}_{}", random.of(&NOUNS), random.of(&["id", "name", "limit", "path"]));
        let said = format!("{} {} {}", random.of(&FILL), random.of(&NOUNS), random.of(&FILL));
        (name, said)
    };
    let arguments = (0..3).map(|_| argument(random)).collect();
    Texts { name: format!("mcp_{server}_{verb}_{one}_{two}"), server, description, arguments }
}

/// One of 8,000 words.
fn rare(random: &mut Random) -> String {
    let part = |random: &mut Random| {
        random.of(&[
            "ba", "co", "di", "fu", "ge", "ha", "ki", "lo", "mu", "ne", "pa", "qu", "ro", "si",
            "ta", "vu", "wa", "xe", "yo", "zi",
        ])
    };
    format!("{}{}{}", part(random), part(random), part(random))
}

/// Xorshift: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % most.max(1)
    }

    fn of(&mut self, all: &[&'static str]) -> &'static str {
        let at = self.below(all.len());
        #[expect(clippy::indexing_slicing, reason = "below the length of a list that is not empty")]
        all[at]
    }
}
