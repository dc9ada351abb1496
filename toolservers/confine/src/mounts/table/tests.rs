//! Goal: each line of the kernel's table is understood, or an error (`[GATE-70]`).

use super::*;

#[track_caller]
fn check(line: &[u8], place: &[u8], flags: MsFlags, read_only: bool) {
    let entry = entry(line).unwrap();
    assert_eq!(entry.place, PathBuf::from(OsString::from_vec(place.to_vec())));
    assert_eq!((entry.flags(), entry.is_read_only()), (flags, read_only));
}

#[test]
fn a_line_of_the_table_is_read_with_its_escapes() {
    let line = br"36 35 98:0 /mnt1 /mnt\040two\134x rw,noatime master:1 - ext3 /dev/root rw,errors=continue";
    check(line, br"/mnt two\x", MsFlags::empty(), false);
    check(br"1 2 0:3 / /end\04 ro - t t rw", br"/end\04", MsFlags::empty(), true);
    check(b"1 2 0:3 / /\xff rw - t t ro", b"/\xff", MsFlags::empty(), false);
    let all = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    check(b"1 2 0:3 / /p rw,nosuid,nodev,noexec,relatime - t t rw", b"/p", all, false);
    let no_links = MsFlags::from_bits_retain(256);
    check(b"1 2 0:3 / /p rw,nosymfollow - t t rw", b"/p", no_links, false);
}

#[test]
fn a_line_of_another_form_is_none() {
    for line in [&b"36 35 98:0 /"[..], b"x 35 98:0 / /p rw", b"", b"1 2 0:3 / /p"] {
        assert_eq!(entry(line), None, "{}", line.escape_ascii());
    }
}

#[test]
fn the_root_of_this_process_is_seen() {
    let all = read().unwrap();
    let root = all.iter().rfind(|entry| entry.place.as_os_str() == "/").unwrap();
    assert!(root.is_seen());
    let elsewhere = Entry { id: u64::MAX, place: "/".into(), options: "rw".into() };
    assert!(!elsewhere.is_seen());
}
