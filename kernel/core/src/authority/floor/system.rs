//! Disks, processes, records and databases, as far as the floor looks.

use std::path::Path;

use super::{Line, Step};
use crate::{
    authority::words::listed,
    safety::{Access, Subject},
};

/// Programs that write to a disk whatever they are given but a wish to list.
const DISK_TOOLS: &str = "mke2fs mkswap fdisk sfdisk cfdisk gdisk sgdisk parted gparted wipefs blkdiscard \
    newfs lvremove vgremove pvremove badblocks";

/// Options with which those only tell something.
const TELLS: &str = "-l --list -h --help -V --version -n --no-act --dry-run";

/// Device files that are no disk.
const NO_DISK: &str = "null zero full random urandom tty ptmx stdin stdout stderr console \
    shm fd pts mqueue kvm fuse dri";

/// Files in which shells and others keep what was typed.
const HISTORIES: &str = ".bash_history .zsh_history .zhistory .history .sh_history .ash_history \
    .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .lesshst .histfile \
    fish_history wtmp btmp lastlog";

/// Programs that change or remove the files that they name.
const CHANGERS: &str = "rm shred truncate unlink mv cp ln tee dd sed > install";

/// Clients of databases.
const CLIENTS: &str = "psql mysql mariadb sqlite3 sqlcmd mongosh mongo clickhouse-client duckdb cqlsh \
    sqlplus bq cockroach";

/// What a client is told when data goes away, in lower case.
const DROPS: &[&str] = &[
    "drop table",
    "drop database",
    "drop schema",
    "drop view",
    "drop collection",
    "dropdatabase",
    ".drop(",
    "deletemany({})",
    "truncate ",
    "delete from",
];

/// Whether a command writes to a disk itself.
pub(super) fn writes_disk(command: &Step<'_>, _: &Line<'_>) -> bool {
    let tool = command.runs(DISK_TOOLS) || command.program.starts_with("mkfs");
    if tool {
        return !command.rest.is_empty() && !command.has(TELLS);
    }
    let names_disk = |word: &str| is_disk(Path::new(word));
    match command.program {
        "dd" => command.rest.iter().filter_map(|word| word.strip_prefix("of=")).any(names_disk),
        "shred" | "tee" | "cp" | "mv" | "ln" | "cat" | "install" | "truncate" | ">" => {
            command.operands().any(names_disk)
        }
        "cryptsetup" => command.begins("luksFormat") || command.begins("erase"),
        "zpool" | "zfs" => command.begins("destroy"),
        "mdadm" => command.has("--zero-superblock"),
        "hdparm" => command.has("--security-erase --security-erase-enhanced"),
        "nvme" => command.begins("format") || command.begins("sanitize"),
        "diskutil" => ["eraseDisk", "eraseVolume", "partitionDisk", "zeroDisk"]
            .iter()
            .any(|verb| command.begins(verb)),
        _ => false,
    }
}

/// Whether a redirection or a tool writes to a disk itself.
pub(super) fn redirects_to_disk(line: &Line<'_>) -> bool {
    written(line).any(is_disk)
}

/// A device file that is neither a stream nor a source of bytes.
fn is_disk(path: &Path) -> bool {
    let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        ["/", "dev", name] => {
            !listed(NO_DISK, name) && !name.starts_with("tty") && !name.starts_with("pts")
        }
        ["/", "dev", folder, ..] => listed("disk mapper block vg md", folder),
        _ => false,
    }
}

/// Whether a command ends every process that it can.
pub(super) fn kills_all(command: &Step<'_>, _: &Line<'_>) -> bool {
    match command.program {
        // The first word may be the signal `-1`.
        "kill" => command.rest.iter().skip(1).any(|word| word == "-1"),
        "pkill" | "killall" => {
            let everything = |word: &str| matches!(word, "." | ".*" | "" | "*");
            command.operands().any(everything)
        }
        _ => false,
    }
}

/// Whether a command changes or removes what was recorded.
pub(super) fn wipes_history(command: &Step<'_>, _: &Line<'_>) -> bool {
    let sets = command.first.starts_with("HISTFILE=") || command.first.starts_with("HISTSIZE=0");
    let stops = command.program == "set" && command.rest.join(" ").contains("+o history");
    let names = |word: &str| is_record(Path::new(word));
    sets || stops || (command.runs(CHANGERS) && command.operands().any(names))
}

/// Whether a redirection or a tool overwrites what was recorded.
pub(super) fn overwrites_history(line: &Line<'_>) -> bool {
    written(line).any(is_record)
}

fn is_record(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    listed(HISTORIES, &name) || path.starts_with("/var/log")
}

/// Whether a database client is told to drop or empty something.
pub(super) fn drops_tables(command: &Step<'_>, _: &Line<'_>) -> bool {
    if !command.runs(CLIENTS) {
        return false;
    }
    command.rest.iter().any(|word| {
        let word = word.to_lowercase();
        DROPS.iter().any(|drop| word.contains(drop))
    })
}

/// Paths that the call writes, makes or removes.
fn written<'a>(line: &'a Line<'_>) -> impl Iterator<Item = &'a Path> {
    line.call.subjects().iter().filter_map(|subject| match subject {
        Subject::Path { absolute, access, .. } if *access != Access::Read => {
            Some(absolute.as_path())
        }
        Subject::Path { .. }
        | Subject::Command { .. }
        | Subject::Host { .. }
        | Subject::Repo { .. }
        | Subject::Mcp { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => None,
    })
}
