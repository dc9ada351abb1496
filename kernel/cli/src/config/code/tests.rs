//! Goal: `[code]` reaches the kernel and the server in the units of each, and what a user says of the server
//! itself holds ([CODE-15, 16]).

use std::path::Path;

use serde_json::json;
use tollgate_core::limits;

use super::*;
use crate::config::{built_in, file};

/// The built-in values with a file laid over them.
fn said(text: &str) -> Values {
    let mut values = built_in::values();
    values.lay(file::parse(Path::new("/c.toml"), text).unwrap());
    values
}

/// [CODE-15] [CODE-08] The numbers of the requirement.
#[test]
fn what_nobody_says_is_the_requirements_number() {
    let values = said("");
    assert_eq!(limits(&values), ProgramLimits::default());
    assert_eq!(
        settings(&values, json!({})),
        json!({
            "memory_bytes": 64 * MIB, "stack_bytes": MIB, "calls_max": 1000, "code_bytes": 256 * KIB,
            "log_bytes": 64 * KIB, "value_bytes": MIB, "programs_max": 32,
        })
    );
    let ProgramLimits { wall, guest, calls, log_bytes } = limits(&values);
    assert_eq!((wall.as_secs(), guest.as_secs()), (600, 30));
    assert_eq!((calls, log_bytes), (limits::PROGRAM_CALLS_MAX, limits::PROGRAM_LOG_BYTES_MAX));
}

#[test]
fn what_is_said_reaches_the_kernel_and_the_server() {
    let values = said(
        "[code]\nmemory_mib = 8\nstack_kib = 128\ncalls_max = 9\ncode_kib = 2\nlog_kib = 3\nvalue_kib = 4\n\
         programs_max = 2\ncpu_ms = 50\ntimeout_ms = 700",
    );
    assert_eq!(
        settings(&values, json!({})),
        json!({
            "memory_bytes": 8 * MIB, "stack_bytes": 128 * KIB, "calls_max": 9, "code_bytes": 2 * KIB,
            "log_bytes": 3 * KIB, "value_bytes": 4 * KIB, "programs_max": 2,
        })
    );
    let expected = ProgramLimits {
        wall: Duration::from_millis(700),
        guest: Duration::from_millis(50),
        calls: 9,
        log_bytes: 3072,
    };
    assert_eq!(limits(&values), expected);
}

#[test]
fn what_is_said_of_the_server_itself_wins() {
    let values = said("[code]\nmemory_mib = 8");
    let given = settings(&values, json!({ "memory_bytes": 5, "sandbox": "required", "depth": 9 }));
    assert_eq!(
        (&given["memory_bytes"], &given["sandbox"], &given["depth"]),
        (&json!(5), &json!("required"), &json!(9))
    );
    assert_eq!(given["stack_bytes"], json!(MIB));
}

#[test]
fn a_number_out_of_its_range_is_a_mistake() {
    for (key, number, expected) in [
        ("memory_mib", 0, "from 1 to 1024"),
        ("memory_mib", 1025, "from 1 to 1024"),
        ("stack_kib", 63, "from 64 to 16384"),
        ("calls_max", 0, "from 1 to 100000"),
        ("code_kib", 4097, "from 1 to 4096"),
        ("log_kib", 1025, "from 1 to 1024"),
        ("value_kib", 32_769, "from 1 to 32768"),
        ("programs_max", 65, "from 1 to 64"),
        ("cpu_ms", 0, "from 1 to 86400000"),
        ("timeout_ms", 86_400_001, "from 1 to 86400000"),
    ] {
        let error = file::parse(Path::new("/c.toml"), &format!("[code]\n{key} = {number}"));
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with(&format!("/c.toml:2: code.{key}: must be")), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

/// [CODE-16]
#[test]
fn the_surface_of_programs_alone_needs_programs() {
    assert!(is_on(&said("")) && !is_on(&said("[features]\ncode_mode = false")));
    for (text, fits) in [
        ("[features]\ncode_mode = false", true),
        ("[tools]\nsurface = \"code\"", true),
        ("[features]\ncode_mode = false\n[tools]\nsurface = \"simple\"", true),
        ("[features]\ncode_mode = false\n[tools]\nsurface = \"code\"", false),
    ] {
        assert_eq!(check(&said(text)).is_ok(), fits, "{text}");
    }
    let error =
        check(&said("[features]\ncode_mode = false\n[tools]\nsurface = \"code\"")).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("/c.toml:2: features.code_mode: is false"), "{text}");
    assert!(
        text.contains("'code' (/c.toml:4)") && text.ends_with("say one of the two only"),
        "{text}"
    );
}
