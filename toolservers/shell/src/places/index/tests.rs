//! Goal: bytes of anybody's are an error or all names, and end soon. Indexes of git itself are in `git`'s tests.

use super::*;

fn read(bytes: &[u8]) -> Result<Vec<String>, Unsure> {
    let mut all = Vec::new();
    names(bytes, 20, &mut |name| all.push(String::from_utf8_lossy(name).into_owned()))?;
    Ok(all)
}

/// An index of version 2.
fn index(names: &[&str], extensions: &[u8]) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02".to_vec();
    bytes.extend_from_slice(&u32::try_from(names.len()).unwrap().to_be_bytes());
    for name in names {
        let mut entry = vec![0; 60];
        entry[MODE_AT..MODE_AT + 4].copy_from_slice(&0o100_644_u32.to_be_bytes());
        entry.extend_from_slice(&u16::try_from(name.len()).unwrap().to_be_bytes());
        entry.extend_from_slice(name.as_bytes());
        entry.resize((entry.len() / 8 + 1) * 8, 0);
        bytes.extend_from_slice(&entry);
    }
    bytes.extend_from_slice(extensions);
    bytes.extend_from_slice(&[7; 20]);
    bytes
}

#[test]
fn all_names_are_read() {
    let names = ["a", "ab/c", "abcdefg", "abcdefgh", "z"];
    assert_eq!(read(&index(&names, b"TREE\0\0\0\x03xyz")).unwrap(), names);
    assert_eq!(read(&index(&[], b"")).unwrap(), [] as [&str; 0]);
}

#[test]
fn hostile_indexes_are_errors() {
    let good = index(&["a", "b/c"], b"TREE\0\0\0\x03xyz");
    let changed = |at: usize, to: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        bytes
    };
    let rows = [
        ("another beginning", changed(0, b"DIRX")),
        ("version 1", changed(7, &[1])),
        ("version 5", changed(7, &[5])),
        ("more entries than there are", changed(8, &[0, 0, 0, 9])),
        ("more than are read", changed(8, &[255, 255, 255, 255])),
        ("fewer entries than there are", changed(8, &[0, 0, 0, 1])),
        ("a folder", changed(12 + MODE_AT, &FOLDER_MODE.to_be_bytes())),
        ("flags of version 3", changed(12 + 60, &[0x40])),
        ("padding that is none", changed(12 + 64 + 62 + 5, &[1])),
        ("entries elsewhere", index(&["a"], b"link\0\0\0\0")),
        ("folders for files", index(&["a"], b"sdir\0\0\0\0")),
        ("an extension that is longer", index(&["a"], b"TREE\xff\xff\xff\xff")),
        ("an empty name", index(&[""], b"")),
    ];
    for (what, bytes) in rows {
        assert_eq!(read(&bytes), Err(Unsure), "{what}");
    }
}

/// Cut anywhere: an error, or all names. With any byte changed: an error, or names; version 4 too, whose names
/// refer to each other.
#[test]
fn no_bytes_are_too_much() {
    let mut good = index(&["a", "b/c", "d/e/f"], b"TREE\0\0\0\x03xyz");
    for length in 0..good.len() {
        let read = read(&good[..length]);
        assert!(read.is_err() || read.is_ok_and(|all| all.len() == 3), "{length}");
    }
    for version in [2, 4] {
        good[7] = version;
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                read(&bytes).ok();
            }
        }
    }
    let endless = [b"DIRC\0\0\0\x04\0\0\0\x01".as_slice(), &[1; 62], &[0xff; 100]].concat();
    assert_eq!(read(&endless), Err(Unsure));
}
