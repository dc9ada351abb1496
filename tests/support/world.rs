//! A temporary home and workspace of one test, and `tollgate` in it.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    binaries::binary, eventually::sooner_or_later, processes, receipts::Receipts, run::Command,
    script::Script,
};

/// Longest path of a world: the socket below it has to fit into the 108 bytes of `sun_path`.
const PATH_BYTES_MAX: usize = 60;

/// A home (`TOLLGATE_HOME`) and a workspace with a git repository. Both are removed when it is
/// dropped, and whatever still works in them is ended.
#[derive(Debug)]
pub struct World {
    folder: TempDir,
    config: String,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// A world with an empty configuration.
    #[must_use]
    pub fn new() -> Self {
        Self::in_folder(&std::env::temp_dir())
    }

    /// A world in memory where there is such a place: for tests that write very often.
    #[must_use]
    pub fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::in_folder(memory) } else { Self::new() }
    }

    fn in_folder(parent: &Path) -> Self {
        let folder = tempfile::Builder::new().prefix("tg-").tempdir_in(parent);
        let folder = folder.expect("a temporary folder");
        let length = folder.path().as_os_str().len();
        assert!(
            length <= PATH_BYTES_MAX,
            "{} has {length} bytes; set TMPDIR to a folder with a short path",
            folder.path().display()
        );
        let world = Self { folder, config: String::new() };
        fs::create_dir_all(world.workspace()).expect("the workspace can be made");
        fs::create_dir_all(world.home().join("config")).expect("the home can be made");
        let git = process::Command::new("git")
            .args(["init", "-q"])
            .current_dir(world.workspace())
            .status();
        assert!(git.is_ok_and(|status| status.success()), "`git init` works");
        world
    }

    /// The folder that holds all of it, with its links resolved.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the world is there")
    }

    /// `TOLLGATE_HOME`.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.folder().join("home")
    }

    /// The workspace.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        self.folder().join("ws")
    }

    /// Adds to the user's `config.toml`.
    #[must_use]
    pub fn config(mut self, toml: &str) -> Self {
        self.config += toml;
        self.config += "\n";
        fs::write(self.home().join("config/config.toml"), &self.config)
            .expect("a config can be written");
        self
    }

    /// Adds a hostile server that is told `behaviour`; `more` are further lines of its table.
    #[must_use]
    pub fn hostile(self, behaviour: &str, more: &str) -> Self {
        let program = binary("tollgate-hostile");
        let journal = self.journal_file();
        let table = format!(
            "[servers.hostile]\ncommand = [{program:?}, \"{behaviour}\"]\nsettings.journal = {journal:?}\n{more}\n"
        );
        self.config(&table)
    }

    /// The file in which the hostile server writes a line for each call that it begins.
    #[must_use]
    pub fn journal_file(&self) -> PathBuf {
        self.folder().join("journal")
    }

    /// Lines of the hostile server's journal: "TOOL CALL ATTEMPT".
    #[must_use]
    pub fn journal(&self) -> Vec<String> {
        let text = fs::read_to_string(self.journal_file()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Writes a file of the workspace; makes its folders.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.workspace().join(path);
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("a folder can be made");
        fs::write(&path, content).expect("a file can be written");
        path
    }

    /// Reads a file of the workspace.
    #[must_use]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.workspace().join(path)).expect("the file is there")
    }

    /// Whether a file of the workspace is there.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.workspace().join(path).exists()
    }

    /// Writes a script and gives the model's name, `script:FILE`.
    #[must_use]
    pub fn script(&self, script: &Script) -> String {
        let scripts = self.folder().join("scripts");
        fs::create_dir_all(&scripts).expect("a folder can be made");
        let number = fs::read_dir(&scripts).expect("it was just made").count();
        let file = scripts.join(format!("{number}.json"));
        fs::write(&file, script.to_json()).expect("a script can be written");
        format!("script:{}", file.display())
    }

    /// `tollgate` with arguments, in the workspace.
    #[must_use]
    pub fn tollgate<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        Command::new(&binary("tollgate"))
            .in_folder(&self.workspace())
            .env("TOLLGATE_HOME", self.home())
            .env("HOME", self.folder())
            .args(arguments)
    }

    /// `tollgate call NAME JSON --json`, before its run.
    #[must_use]
    pub fn call(&self, name: &str, arguments: &Value) -> Command {
        self.tollgate(["call", name, &arguments.to_string(), "--json"])
    }

    /// `tollgate exec` of a script with its events as output, before its run.
    #[must_use]
    pub fn exec(&self, script: &Script, prompt: &str) -> Command {
        let model = self.script(script);
        self.tollgate(["exec", "--model", &model, "--output-format", "stream-json", prompt])
    }

    /// Has every server's manifest kept, as the first use of a `tollgate` does.
    pub fn warm(&self) {
        self.tollgate(["tools", "list"]).run().success();
    }

    /// The receipts of a session, or of the one used last.
    #[must_use]
    pub fn receipts(&self, session: Option<&str>) -> Receipts {
        Receipts::of(self, session)
    }

    /// Everything that works in this world.
    #[must_use]
    pub fn processes(&self) -> Vec<processes::Process> {
        processes::inside(&self.folder())
    }

    /// Waits until nothing works in this world any more.
    #[track_caller]
    pub fn is_quiet(&self) {
        let quiet = sooner_or_later(|| {
            let left = self.processes();
            if left.is_empty() { Ok(()) } else { Err(left) }
        });
        if let Err(left) = quiet {
            panic!("these still work in {}: {left:#?}", self.folder().display());
        }
    }

    /// A path below the world that is not inside home or workspace.
    #[must_use]
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// A folder or file of the state.
    #[must_use]
    pub fn state(&self, name: &str) -> PathBuf {
        self.home().join("state").join(name)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A test that failed may have left something running; it is this test's own.
        if self.folder.path().exists() {
            self.processes().iter().for_each(processes::Process::kill);
        }
    }
}

/// A path as text.
#[must_use]
pub fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
