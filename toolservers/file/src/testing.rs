//! A small world for this crate's tests: a temporary workspace with files to read and change.

mod documents;

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use tollgate_sdk::{Caller, Context, Observation, Reply, Scope, Tool, schemars};

use crate::{
    editing::{self, Editing},
    failed::Failed,
    matching::Edit,
    reading,
    replace::replace,
    roots::{Place, Roots},
    view::{TextView, View},
    window::Wanted,
    writing::{self, Writing},
};

pub(crate) use documents::{drawn, pdf, pdf_of};

pub(crate) struct World {
    directory: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self { directory: tempfile::tempdir().unwrap() };
        fs::create_dir(world.root()).unwrap();
        world
    }

    /// In memory where there is such a place: for tests that write very often.
    pub(crate) fn in_memory() -> Self {
        let memory = std::path::Path::new("/dev/shm");
        let directory =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let world = Self { directory: directory.unwrap() };
        fs::create_dir(world.root()).unwrap();
        world
    }

    /// The workspace; what lies beside it is outside the roots.
    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.directory.path()).unwrap().join("w")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// With a file.
    pub(crate) fn with(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.put(path, bytes);
        self
    }

    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), bytes).unwrap();
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap()
    }

    pub(crate) fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.path(path)).unwrap().permissions().mode() & 0o7777
    }

    /// Names in a directory of the workspace, sorted.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots::new(&[self.root()], &self.root())
    }

    pub(crate) fn place(&self, path: &str) -> Result<Place, Failed> {
        self.roots().locate(path)
    }

    pub(crate) fn view(&self, path: &str, wanted: Wanted) -> Result<View, Failed> {
        Ok(reading::view(&self.place(path)?, wanted, &|| false)?.0)
    }

    /// A text file's window; panics for an image.
    pub(crate) fn text(
        &self,
        path: &str,
        offset: u64,
        limit: Option<u64>,
    ) -> Result<TextView, Failed> {
        match self.view(path, Wanted { offset, limit })? {
            View::Text(text) => Ok(text),
            View::Image(_) => panic!("{path} is an image"),
        }
    }

    /// Edits, never seen before: `(old, new)`.
    pub(crate) fn edit(&self, path: &str, edits: &[(&str, &str)]) -> Result<Editing, Failed> {
        let edits: Vec<Edit> = edits
            .iter()
            .map(|(old, new)| Edit { old: (*old).to_owned(), new: (*new).to_owned(), all: false })
            .collect();
        self.edit_seen(path, &edits, None)
    }

    pub(crate) fn edit_seen(
        &self,
        path: &str,
        edits: &[Edit],
        seen: Option<[u8; 32]>,
    ) -> Result<Editing, Failed> {
        let place = self.place(path)?;
        let editing = editing::plan(&place, edits, seen)?;
        replace(&place, &editing.bytes, Some(&editing.before))?;
        Ok(editing)
    }

    pub(crate) fn write(
        &self,
        path: &str,
        content: &str,
        seen: Option<[u8; 32]>,
    ) -> Result<Writing, Failed> {
        let place = self.place(path)?;
        let writing = writing::plan(&place, content, seen)?;
        replace(&place, &writing.bytes, writing.before.as_ref())?;
        Ok(writing)
    }

    /// A grant's scope for the whole workspace.
    pub(crate) fn scope(&self) -> Scope {
        Scope { read_roots: vec![self.root()], write_roots: vec![self.root()], ..Scope::default() }
    }

    /// A context of this workspace.
    pub(crate) fn context(&self, observations: Vec<Observation>) -> Context {
        Context {
            call_id: "call-1".to_owned(),
            session: "session".to_owned(),
            turn: 1,
            step: 1,
            agent: "main".to_owned(),
            role: String::new(),
            caller: Caller::Model,
            roots: vec![self.root()],
            cwd: self.root(),
            mode: "work".to_owned(),
            posture: "ask".to_owned(),
            can_ask: true,
            observations,
        }
    }
}

/// The text that a model reads.
#[track_caller]
pub(crate) fn text_of(reply: &Reply) -> String {
    let shown = format!("{reply:?}");
    let text = shown.split_once("content: [Text(").unwrap().1;
    let (text, _) = text.split_once(")], structured").unwrap();
    // A debug text reads back as JSON but for escapes of control characters.
    let escapes =
        text.replace("\\u{1b}", "\\u001b").replace("\\'", "'").replace("\\u{feff}", "\u{feff}");
    serde_json::from_str(&escapes).unwrap()
}

/// [TOOL-02]: the schema has these properties, each described, in closed objects; other names of
/// arguments lead to one of them and are not shown.
#[track_caller]
pub(crate) fn check_schema<T: Tool>(tool: &T, expected: &[&str]) {
    let mut names = Vec::new();
    collect(&schemars::schema_for!(T::Input).to_value(), &mut names);
    names.sort();
    assert_eq!(names, expected);
    for (alias, canonical) in tool.spec().argument_aliases {
        assert!(names.contains(&canonical) && !names.contains(&alias), "{alias}: {canonical}");
    }
}

fn collect(schema: &Value, names: &mut Vec<String>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    assert_eq!(schema["additionalProperties"], false);
    for (name, property) in properties {
        assert!(property["description"].is_string(), "{name}");
        names.push(name.clone());
        collect(&property["items"], names);
    }
}

/// Numbers that look random and are the same in each run (xorshift).
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// One below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % bound
    }
}
