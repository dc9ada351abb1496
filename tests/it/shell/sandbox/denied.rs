//! SH-17 What a rule withholds is read by no line, also where the gate judged it wrongly: every call here has a
//! grant that permits it.
//!
//! Not here: what git holds of files that no index names any more, and repositories without a working tree that
//! others made, which nothing closes.

use std::{fs, path::Path};

use tollgate_tests::{Command, World};

use super::hand::{Hand, ordinary, withholds};
use crate::shell::gold::{self, SECRET, rows};

/// Of a hundred lines that read the file, how many print it at least where nothing withholds it: some need
/// programs that a host may not have.
const OPEN_PERCENT_MIN: usize = 80;

/// [GATE-70] SH-17 Every line of the set runs, and prints nothing of the file.
#[test]
fn no_line_prints_what_is_withheld() {
    let world = gold::world();
    let rows = rows("denied_read");
    let mut hand = Hand::new(&world);
    let closed = withholds(&world, &["**/secret.txt"]);
    let (mut open, mut printed) = (0, Vec::new());
    for row in &rows {
        let done = hand.bash(&row.line, &closed);
        assert!(done.confinement.contains(" places "), "{}: {done:?}", row.id);
        if done.text.contains(SECRET) {
            printed.push(format!("{} {:?}", row.id, row.line));
        }
        open += usize::from(hand.bash(&row.line, ordinary).text.contains(SECRET));
    }
    println!("rows run: {}, printed: {}, without the rule: {open}", rows.len(), printed.len());
    assert!(printed.is_empty(), "{printed:#?}");
    assert!(open * 100 >= rows.len() * OPEN_PERCENT_MIN, "without the rule only {open} print it");
}

/// What is prepared by somebody else, what the commands are, and whether they print the file where nothing
/// withholds it.
struct Way {
    prepared: &'static str,
    lines: &'static [&'static str],
    prints: bool,
}

const fn way(prepared: &'static str, lines: &'static [&'static str]) -> Way {
    Way { prepared, lines, prints: true }
}

const fn trick(lines: &'static [&'static str]) -> Way {
    Way { prepared: "", lines, prints: false }
}

const PYTHON_OBJECTS: &str = "python3 -c \"
import glob, zlib
for f in glob.glob('.git/objects/??/*'): print(zlib.decompress(open(f, 'rb').read()))\"";

const PYTHON_EXCHANGE: &str = "mkdir -p e; python3 -c \"
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(316, -100, b'secret.txt', -100, b'x.txt', 2)\"
cat x.txt e/x.txt";

const PYTHON_HANDLE: &str = "python3 -c \"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
handle = ctypes.create_string_buffer(136)
handle[0] = 128
mount = ctypes.c_int()
print(libc.syscall(303, -100, b'secret.txt', handle, ctypes.byref(mount), 0))
fd = libc.syscall(304, os.open('.', os.O_RDONLY), handle, 0)
print(os.read(fd, 99) if fd >= 0 else 'no')\"";

/// Ways to a file that none of the set's lines take; each in a repository of its own that tracks it.
const WAYS: &[Way] = &[
    // git, which has it once more.
    way("", &["git log -p"]),
    way("git gc -q", &["git show HEAD:secret.txt"]),
    way("git gc -q", &["git cat-file --batch-all-objects --batch"]),
    way("git worktree add -q wt", &["cat wt/secret.txt"]),
    way("git worktree add -q wt", &["git -C wt show HEAD:secret.txt"]),
    way("git worktree add -q wt", &["cd wt && git log -p"]),
    way(
        "git init -q sup && cd sup && git -c protocol.file.allow=always submodule --quiet add ../.git m",
        &["cat sup/m/secret.txt"],
    ),
    way(
        "git init -q sup && cd sup && git -c protocol.file.allow=always submodule --quiet add ../.git m",
        &["cd sup/m && git log -p"],
    ),
    way("git clone -q --shared . alt", &["git -C alt log -p"]),
    way("", &["git clone -q --bare . bare.git && git --git-dir=bare.git log -p"]),
    way("", &["git stash -q -u 2>&1; git -c user.name=t stash show -p; git log -p --all"]),
    way("", &["git archive HEAD | tar xO"]),
    way("", &["git clone -q . $TMPDIR/clone$$ && cat $TMPDIR/clone$$/secret.txt"]),
    way("", &["cp -r .git $TMPDIR/copy$$ && git --git-dir=$TMPDIR/copy$$ show HEAD:secret.txt"]),
    way("", &["mv .git g && git --git-dir=g show HEAD:secret.txt"]),
    way("", &["mv .git g", "git --git-dir=g show HEAD:secret.txt"]),
    way("", &["git rm -q --cached secret.txt; git show HEAD:secret.txt"]),
    way("", &["git rm -q --cached secret.txt", "git show HEAD:secret.txt"]),
    way("", &["rm .git/index; git show HEAD:secret.txt"]),
    way("", &["rm .git/index", "git show HEAD:secret.txt"]),
    way("", &[PYTHON_OBJECTS]),
    // Other names.
    way("", &["ln secret.txt h && cat h"]),
    way("", &["ln secret.txt h", "cat h"]),
    way("ln secret.txt h", &["cat h"]),
    way("mkdir d && ln secret.txt d/h", &["mv d e && cat e/h"]),
    way("", &["ln -s secret.txt l && cat l"]),
    way("", &["a=$PWD.all; cp -al . $a && mv $a/secret.txt $a/x && cat $a/x"]),
    way("", &["a=$PWD.all; cp -al . $a && mv $a/secret.txt $a/x", "cat $PWD.all/x"]),
    way("", &["mv secret.txt x && cat x"]),
    way("", &["mv secret.txt x", "cat x"]),
    way("mkdir d && mv secret.txt d", &["mv d e && cat e/secret.txt"]),
    way("mkdir d && mv secret.txt d", &["mv d e && mv e/secret.txt e/x && cat e/x"]),
    way("mkdir d && mv secret.txt d", &["mv d e", "mv e/secret.txt e/x; cat e/x"]),
    way("echo x > x.txt", &[PYTHON_EXCHANGE]),
    // Its place by other paths.
    way("", &["cat /proc/self/root$PWD/secret.txt"]),
    way("", &["cat /proc/[0-9]*/root$PWD/secret.txt 2>&1 | sort -u"]),
    way("", &["cat /proc/$$/cwd/secret.txt"]),
    way("", &["exec 5< secret.txt; cat /proc/self/fd/5"]),
    way("", &["(cat secret.txt) & wait"]),
    way("", &["setsid cat secret.txt | cat"]),
    way("", &["tar c . | tar xO"]),
    way("", &["cp -r . $TMPDIR/whole$$; cat $TMPDIR/whole$$/secret.txt"]),
    way("", &["find . -type f -exec cat {} +"]),
    way("", &["chmod 777 secret.txt; cat secret.txt"]),
    way("chmod 000 secret.txt", &["chmod 777 secret.txt; cat secret.txt"]),
    way("", &["perl -ne print secret.txt"]),
    way("", &["cp --reflink=auto secret.txt x; cat x"]),
    // The cover itself, and what is beside all names.
    trick(&["umount secret.txt; cat secret.txt"]),
    trick(&["umount -l secret.txt; cat secret.txt"]),
    trick(&["unshare -rm sh -c 'umount secret.txt; cat secret.txt'"]),
    trick(&["unshare -U cat secret.txt"]),
    trick(&["mkdir b; mount --bind . b; cat b/secret.txt"]),
    trick(&["nsenter -t 1 -m cat $PWD/secret.txt"]),
    trick(&["nsenter -t $PPID -m cat $PWD/secret.txt"]),
    trick(&[PYTHON_HANDLE]),
];

/// [GATE-70] SH-17 FS-05 FS-07 No way round the names: git's store, links, `/proc`, moved folders, later calls.
#[test]
fn no_other_way_leads_to_what_is_withheld() {
    let world = World::new();
    let mut hand = Hand::new(&world);
    let closed = withholds(&world, &["**/secret.txt"]);
    let (mut printed, mut shut) = (Vec::new(), Vec::new());
    for (number, Way { prepared, lines, prints }) in WAYS.iter().enumerate() {
        let mut shown = Vec::new();
        for open in [false, true] {
            let folder = format!("{}-{number}", if open { "open" } else { "shut" });
            prepare(&world.workspace().join(&folder), prepared);
            let mut text = String::new();
            for line in *lines {
                let line = format!("cd {folder} || exit\n{line}");
                let done =
                    if open { hand.bash(&line, ordinary) } else { hand.bash(&line, &closed) };
                text += &done.text;
            }
            shown.push(text);
        }
        if shown[0].contains(SECRET) {
            printed.push(format!("{prepared:?} {lines:?}: {}", shown[0]));
        }
        if *prints && !shown[1].contains(SECRET) {
            shut.push(format!("{prepared:?} {lines:?}: {}", shown[1]));
        }
    }
    println!("ways: {}, printed: {}", WAYS.len(), printed.len());
    assert!(printed.is_empty(), "{} are printed: {printed:#?}", printed.len());
    assert!(shut.is_empty(), "{} do not work without the rule either: {shut:#?}", shut.len());
}

/// Makes a repository that tracks the file, and what a row wants.
fn prepare(folder: &Path, more: &str) {
    fs::create_dir(folder).unwrap();
    let script = format!(
        "set -eu\ngit init -q; git config user.email t@t; git config user.name t\n\
         echo {SECRET} > secret.txt; echo x > f.txt; git add .; git commit -qm init\n{more}"
    );
    let bash = Command::new(Path::new("bash")).args(["-c", &script]).in_folder(folder);
    bash.env("GIT_CONFIG_GLOBAL", "/dev/null").run().success();
}

/// [GATE-70] A disk holds every file once more, for user 0 to read.
#[test]
fn no_device_is_read() {
    let world = World::new();
    let mut hand = Hand::new(&world);
    let line = "for it in $(find /dev ! -type d) /dev/mem; do
        timeout 0.2 head -c 1 $it 2> /dev/null | grep -q . && echo $it; done; echo done";
    let done = hand.bash(line, ordinary);
    let common = ["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
    let read = done.text.lines().filter(|line| line.starts_with("/dev/"));
    let more: Vec<_> = read.filter(|device| !common.contains(device)).collect();
    assert!(done.text.contains("done") && more.is_empty(), "{more:?}");
    let ordinary_ones =
        "head -c 1 /dev/urandom | wc -c; echo x > /dev/null; head -c 1 /dev/zero | wc -c";
    let done = hand.bash(ordinary_ones, ordinary);
    assert!(done.text.starts_with("1\n1\n"), "{done:?}");
}
