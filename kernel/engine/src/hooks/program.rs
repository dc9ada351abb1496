//! Which program a hook is, found and looked at before it runs, so that a typing error in `hooks.toml`
//! is told as one and never taken for a verdict (B109, HK-01).
//!
//! A bare name is looked up in `PATH` without what is relative or inside a root of the session: a
//! repository cannot put a program in place of the user's (CFG-07). The hook itself gets that `PATH`.
//!
//! Not here: running it.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use nix::unistd::{AccessFlags, access};
use tollgate_policy::hooks::HookCommand;

/// The shell of [`HookCommand::Shell`].
const SHELL: &str = "/bin/sh";

/// Where the system's own programs are.
const SYSTEM_PATH: [&str; 2] = ["/usr/bin", "/bin"];

/// Interpreters that end with 2, by which a hook denies, when they cannot read their script. Others
/// (node, deno, bun) end with 1, which is a fault by itself.
const INTERPRETERS: [&str; 8] = ["python", "sh", "dash", "bash", "zsh", "ksh", "perl", "ruby"];
/// Options after which there is no script: the code, or a module's name, is on the command line.
const GIVES_CODE: [&str; 6] = ["-c", "-m", "-e", "-E", "-s", "-"];
/// Options that take the next word.
const TAKES_WORD: [&str; 6] = ["-W", "-X", "-o", "-O", "-I", "-r"];
/// What an interpreter says when it cannot begin.
const COMPLAINTS: [&str; 9] = [
    "can't open",
    "cannot open",
    "can't find",
    "no such file",
    "not found",
    "permission denied",
    " option",
    "cannot execute",
    "is a directory",
];
/// What it says, under its own name or the script's, of a script that it cannot read to the end.
const BROKEN_SCRIPT: [&str; 2] = ["syntax error", "unexpected end of file"];

/// A hook's program, ready to start.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Program {
    /// Absolute.
    pub(super) path: PathBuf,
    /// Without its name.
    pub(super) args: Vec<OsString>,
    /// The words of the command, as far as they can be told.
    pub(super) words: Vec<String>,
}

/// The folders of `PATH` that count, absolute and outside `roots`; the system's own if none is left,
/// because an empty `PATH` means the working directory.
pub(super) fn search_path(path: &OsStr, roots: &[PathBuf]) -> Vec<PathBuf> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let roots: Vec<PathBuf> = roots.iter().flat_map(|root| [root.clone(), real(root)]).collect();
    let inside = |folder: &Path| roots.iter().any(|root| folder.starts_with(root));
    let mut folders: Vec<PathBuf> = env::split_paths(path)
        .filter(|folder| folder.is_absolute() && !inside(folder) && !inside(&real(folder)))
        .collect();
    if folders.is_empty() {
        folders.extend(SYSTEM_PATH.map(PathBuf::from));
    }
    folders
}

/// Finds a hook's program; relative paths are meant from `cwd`.
///
/// # Errors
/// Why it cannot be started, as a clause after "it".
pub(super) fn find(
    command: &HookCommand,
    cwd: &Path,
    search: &[PathBuf],
) -> Result<Program, String> {
    let place = Place { cwd, search };
    match command {
        HookCommand::Argv(words) => {
            let Some((name, rest)) = words.split_first() else {
                return Err("has an empty command".to_owned());
            };
            let path = place.program(name)?;
            place.check_script(name, rest)?;
            let args = rest.iter().map(OsString::from).collect();
            Ok(Program { path, args, words: words.clone() })
        }
        HookCommand::Shell(line) => {
            let words = plain_words(line);
            // A line may begin with what only the shell knows (`exit`, `if`), so that the program
            // itself is the shell's to find; what it cannot find ends with 127.
            if let Some((name, rest)) = words.split_first() {
                place.check_script(name, rest)?;
            }
            let args = vec!["-c".into(), line.into()];
            let words = [SHELL.to_owned()].into_iter().chain(words).collect();
            Ok(Program { path: SHELL.into(), args, words })
        }
    }
}

/// Whether standard error is an interpreter's own complaint, not a hook's reason.
pub(super) fn complains(stderr: &str, words: &[String]) -> bool {
    let said = stderr.to_lowercase();
    if said.starts_with("usage:") || said.starts_with("can't open perl script") {
        return true;
    }
    said.lines().any(|line| {
        let Some((who, what)) = line.split_once(':') else { return false };
        let name = base(who.trim());
        let is_script = words.iter().any(|word| base(word).to_lowercase() == name);
        let says = |complaints: &[&str]| complaints.iter().any(|it| what.contains(it));
        (is_interpreter(name) && says(&COMPLAINTS))
            || ((is_interpreter(name) || is_script) && says(&BROKEN_SCRIPT))
    })
}

/// Where names are meant from.
struct Place<'a> {
    cwd: &'a Path,
    search: &'a [PathBuf],
}

impl Place<'_> {
    /// The program of a command's first word.
    fn program(&self, name: &str) -> Result<PathBuf, String> {
        if name.contains('/') {
            let path = self.cwd.join(name);
            return startable(&path).map(|()| path);
        }
        let found = self.search.iter().map(|folder| folder.join(name));
        let mut why = format!(
            "failed to start: there is no program '{name}' in PATH, of which relative folders and \
             those inside the workspace do not count"
        );
        for path in found.filter(|path| path.is_file()) {
            match startable(&path) {
                Ok(()) => return Ok(path),
                Err(reason) => why = reason,
            }
        }
        Err(why)
    }

    /// That the script of an interpreter can be read.
    fn check_script(&self, name: &str, rest: &[String]) -> Result<(), String> {
        if !is_interpreter(base(name)) {
            return Ok(());
        }
        let Some(script) = operand(rest) else { return Ok(()) };
        let here = self.cwd.join(script);
        // A shell also looks for a bare name in PATH.
        let elsewhere = self.search.iter().map(|folder| folder.join(script));
        let elsewhere = elsewhere.filter(|_| !script.contains('/'));
        let mut places = std::iter::once(here.clone()).chain(elsewhere);
        if places.any(|path| access(&path, AccessFlags::R_OK).is_ok()) {
            return Ok(());
        }
        let why = access(&here, AccessFlags::R_OK).err().map_or("", nix::errno::Errno::desc);
        Err(format!("failed to start: {name} cannot read {}: {why}", here.display()))
    }
}

/// That a file is a program, or a script that says what runs it.
fn startable(path: &Path) -> Result<(), String> {
    let no = |why: &str| Err(format!("failed to start: {}: {why}", path.display()));
    match path.metadata() {
        Err(error) => return no(&error.to_string()),
        Ok(metadata) if !metadata.is_file() => return no("it is not a file"),
        Ok(_) => {}
    }
    if access(path, AccessFlags::X_OK).is_err() {
        return no("it is not executable (chmod +x)");
    }
    // A program that may be run but not read is the operating system's to judge.
    let Some(head) = head(path) else { return Ok(()) };
    if head.starts_with(b"#!") {
        return Ok(());
    }
    // A shell would run anything else line by line.
    let ours = self::head(Path::new("/proc/self/exe"));
    match ours.as_deref().and_then(elf_kind) {
        Some(kind) if elf_kind(&head) == Some(kind) => Ok(()),
        Some(_) if head.starts_with(b"\x7fELF") => {
            no("exec format error: it is a program for another kind of machine")
        }
        Some(_) | None => no("exec format error: it is no program and has no `#!` line"),
    }
}

/// The beginning of a file, if it can be read.
fn head(path: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(20).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Word size, byte order and machine of a program: `elf(5)`, `e_ident[4..6]` and `e_machine`.
fn elf_kind(head: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_elf = head.starts_with(b"\x7fELF");
    is_elf.then_some((head.get(4..6)?, head.get(18..20)?))
}

/// The first word that is a script, among the words after an interpreter.
fn operand(words: &[String]) -> Option<&str> {
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "--" {
            return words.next();
        }
        if GIVES_CODE.iter().any(|option| is_option(word, option)) {
            return None;
        }
        if TAKES_WORD.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(word);
        }
    }
    None
}

/// `-c` is in `-c` and in `-Ic`; a long option is itself.
fn is_option(word: &str, option: &str) -> bool {
    if option == "-" || word.starts_with("--") {
        return word == option;
    }
    let letter = option.trim_start_matches('-');
    word.starts_with('-') && word.contains(letter)
}

/// The words of a line that no shell would change; else none.
fn plain_words(line: &str) -> Vec<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ./_-+,:@%\t".contains(c);
    if line.chars().all(is_plain) {
        line.split_ascii_whitespace().map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `python3.11` is `python`.
fn is_interpreter(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name)
}

#[cfg(test)]
mod tests;
