//! FS-03: while a directory and a link to the outside change places, no tool reads or changes anything
//! outside.
//!
//! An attacker exchanges `d` and `l`, a link to `../o`, as fast as it can (`RENAME_EXCHANGE`), and another
//! one does so one level deeper, while every tool is asked for what lies in `d`. [`TRIES`] calls in the
//! ordinary suite; the whole number is run with `TOLLGATE_RACE_TRIES=250000`.

use std::{
    fs, io,
    os::{fd::OwnedFd, unix::fs::symlink},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use nix::fcntl::{AT_FDCWD, OFlag, RenameFlags, renameat2};
use tollgate_sdk::{Context, Failure, Reply, Scope};

use crate::{
    delete, edit,
    matching::Edit,
    moving::{self, MoveInput},
    restore,
    roots::open_in,
    testing::{Numbers, World, text_of},
    trash::Trash,
    write,
};

/// Calls in the ordinary suite.
const TRIES: u64 = 10_000;
/// What lies outside.
const SECRET: &str = "SECRET";

fn tries() -> u64 {
    std::env::var("TOLLGATE_RACE_TRIES").map_or(TRIES, |tries| tries.parse().unwrap())
}

/// The workspace of the attack.
struct Field {
    world: World,
    trash: Trash,
    context: Context,
    scope: Scope,
    _state: tempfile::TempDir,
}

impl Field {
    fn new() -> Self {
        let world = World::in_memory().with("d/f", "inside").with("d/e/f", "inside");
        world.put("../o/f", SECRET);
        world.put("../o/e/f", SECRET);
        symlink(world.path("../o"), world.path("l")).unwrap();
        symlink(world.path("../o/e"), world.path("m")).unwrap();
        let state = tempfile::tempdir_in(world.root().parent().unwrap()).unwrap();
        let (context, scope) = (world.context(Vec::new()), world.scope());
        Self { trash: Trash::new(state.path()), world, context, scope, _state: state }
    }

    /// One call of some tool; gives what a model would read.
    fn call(&self, number: usize, numbers: &mut Numbers) -> Result<String, String> {
        let path = ["d/f", "d/e/f", "./d/../d/f", "d/e/../f"][numbers.below(4)];
        let (context, scope) = (&self.context, &self.scope);
        let never = || false;
        let done: Result<Reply, Failure> = match number {
            0 | 1 => return self.read(path),
            2 => write::run(path, "inside", None, context, scope).map_err(Failure::from),
            3 => write::run("d/e/new/deep", "inside", None, context, scope).map_err(Failure::from),
            4 => {
                let old = "inside".to_owned();
                let edit = Edit { new: old.to_uppercase(), old, all: true };
                edit::run(path, &[edit], None, context, scope).map_err(Failure::from)
            }
            5 => self.go(path, "x/y"),
            6 => self.go("x/y", path),
            7 => self.go("d/e/new/deep", "d/e/other/deep"),
            8 => delete::run(&self.trash, path, context, scope, &never),
            _ => {
                let newest = self.trash.notes().unwrap().first().map(|note| note.id.clone());
                restore::run(&self.trash, &newest.unwrap_or_default(), context, scope, &never)
            }
        };
        done.map(|reply| text_of(&reply)).map_err(|failure| format!("{failure:?}"))
    }

    fn go(&self, from: &str, to: &str) -> Result<Reply, Failure> {
        let input = MoveInput { from: from.to_owned(), to: to.to_owned() };
        moving::run(&input, &self.context, &self.scope, &|| false)
    }

    fn read(&self, path: &str) -> Result<String, String> {
        let opened = self.world.place(path).and_then(|place| place.open());
        opened.map(|(file, _)| io::read_to_string(file).unwrap()).map_err(|failed| failed.message)
    }

    /// Whether everything outside is as it was.
    fn is_untouched(&self) -> bool {
        let outside = self.world.path("../o");
        let names = |path: &Path| {
            let mut names: Vec<_> =
                fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let holds =
            |path: &str| fs::read(outside.join(path)).is_ok_and(|it| it == SECRET.as_bytes());
        names(&outside) == ["e", "f"]
            && names(&outside.join("e")) == ["f"]
            && holds("f")
            && holds("e/f")
    }
}

/// The folder `d`, as soon as it is there.
fn opened(world: &World, stop: &AtomicBool) -> Option<OwnedFd> {
    let root = fs::File::open(world.root()).unwrap().into();
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
    loop {
        match open_in(&root, Path::new("d"), flags) {
            Ok(folder) => return Some(folder),
            Err(_) if stop.load(Ordering::Relaxed) => return None,
            Err(_) => {}
        }
    }
}

fn exchange(a: &Path, b: &Path) {
    renameat2(AT_FDCWD, a, AT_FDCWD, b, RenameFlags::RENAME_EXCHANGE).ok();
}

/// FS-03, and FS-01, FS-02 while it races: read, write, edit, move, delete, restore.
#[test]
fn no_race_leads_out_of_the_root() {
    let field = Field::new();
    let stop = Arc::new(AtomicBool::new(false));
    let (mut done, mut refused, mut escapes) = (0_u64, 0_u64, 0_u64);
    thread::scope(|scope| {
        let (world, stop_1, stop_2) = (&field.world, stop.clone(), stop.clone());
        scope.spawn(move || {
            let (d, l) = (world.path("d"), world.path("l"));
            while !stop_1.load(Ordering::Relaxed) {
                exchange(&d, &l);
            }
        });
        scope.spawn(move || {
            // By its descriptor: through the link it would be the attacker who changes the outside.
            let Some(folder) = opened(world, &stop_2) else { return };
            let m = world.path("m");
            while !stop_2.load(Ordering::Relaxed) {
                renameat2(&folder, Path::new("e"), AT_FDCWD, &m, RenameFlags::RENAME_EXCHANGE).ok();
            }
        });
        let mut numbers = Numbers::new(3);
        for _ in 0..tries() {
            let number = numbers.below(10);
            match field.call(number, &mut numbers) {
                Ok(told) => {
                    done += 1;
                    escapes += u64::from(told.contains(SECRET));
                }
                Err(_) => refused += 1,
            }
            escapes += u64::from(!field.is_untouched());
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("{} tries: {done} done inside, {refused} refused, {escapes} escapes", done + refused);
    assert_eq!(escapes, 0);
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused: there was no race");
}
