//! Goal: the two directions of the command line agree, and a wrong one is refused by name.

use std::os::unix::ffi::OsStringExt;

use super::*;

/// Reads a command line given as words, and returns the reason of the refusal.
#[track_caller]
fn check_refused(words: &[&str], reason: &str) {
    let error = Launch::parse(words.iter().map(OsString::from)).unwrap_err().to_string();
    assert!(error.starts_with(reason), "{words:?}: {error}");
}

fn launch() -> Launch {
    Launch {
        warden: false,
        listen: false,
        parent: Pid::from_raw(7),
        directory: None,
        limits: ResourceLimits::default(),
        program: "server".into(),
        arguments: Vec::new(),
    }
}

/// [PROTO-10]
#[test]
fn what_is_written_is_read_back() {
    let odd = OsString::from_vec(vec![b'-', b'-', 0xff]);
    let rows = [
        launch(),
        Launch { warden: true, listen: true, ..launch() },
        Launch {
            directory: Some("/a b".into()),
            limits: ResourceLimits {
                nofile: Some(64),
                as_bytes: Some(1 << 40),
                nproc: Some(u64::MAX),
            },
            program: odd.clone(),
            arguments: vec!["--".into(), "--warden".into(), odd, OsString::new()],
            ..launch()
        },
    ];
    for row in rows {
        let mut written = row.to_arguments().into_iter();
        assert_eq!(written.next().as_deref(), Some(OsStr::new("__launch")));
        assert_eq!(Launch::parse(written).unwrap(), row);
    }
}

#[test]
fn a_wrong_command_line_is_refused_by_name() {
    check_refused(&[], "`--` is missing");
    check_refused(&["--parent"], "--parent needs a value");
    check_refused(&["--parent", "x"], "--parent needs a number");
    check_refused(&["--nofile", "-1"], "--nofile needs a number");
    check_refused(&["--", "server"], "`--parent` is missing");
    check_refused(&["--parent", "7", "--"], "PROGRAM is missing");
    check_refused(&["--parent", "7", "server"], "unknown option server");
}
