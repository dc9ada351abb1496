//! write and edit through the kernel: the file keeps what it has beside its content, and nobody's work is
//! lost.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};
use tollgate_tests::{Script, World, events::content_text};

const FULL: [&str; 2] = ["--posture", "full-access"];

#[track_caller]
fn call(world: &World, tool: &str, arguments: &Value) -> (i32, String) {
    let ran = world.call(tool, arguments).args(FULL).run();
    (ran.code, content_text(&ran.json()["result"]))
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "edits": [{ "old": old, "new": new }] })
}

/// [FILE-21] B001 B002 B004 B005 B007 B010 B011 B035: what an edit does not name stays to the byte.
#[test]
fn an_edit_leaves_all_else() {
    let rows: [(&[u8], &str, &str, &[u8]); 8] = [
        (
            b"alpha\r\nbeta\r\ngamma\r\n",
            "alpha\nbeta",
            "ALPHA\nBETA",
            b"ALPHA\r\nBETA\r\ngamma\r\n",
        ),
        (b"a\r\nten\r\nb\r\n", "ten", "ten\nten-b", b"a\r\nten\r\nten-b\r\nb\r\n"),
        (b"a=1\nb=2\nc=3", "c=3", "c=4", b"a=1\nb=2\nc=4"),
        (b"\xEF\xBB\xBFhello\n", "hello", "howdy", b"\xEF\xBB\xBFhowdy\n"),
        (b"caf\xE9\nx=1\n", "x=1", "x=2", b"caf\xE9\nx=2\n"),
        (
            b"all:\n\techo hi\n        echo s\n",
            "\techo hi",
            "\techo bye",
            b"all:\n\techo bye\n        echo s\n",
        ),
        (
            "say \u{2019}a\u{2019}\n".as_bytes(),
            "\u{2019}a",
            "\u{201c}b",
            "say \u{201c}b\u{2019}\n".as_bytes(),
        ),
        (b"a\r\nb\r\nc\r\n", "b\n", "B\n", b"a\r\nB\r\nc\r\n"),
    ];
    let world = World::new();
    for (before, old, new, after) in rows {
        let file = world.write("f", before);
        let (code, said) = call(&world, "edit", &edit("f", old, new));
        assert_eq!((code, fs::read(file).unwrap().as_slice()), (0, after), "{said}");
    }
}

/// [FILE-20] B014 B016: faults are told together with their lines, and nothing is written.
#[test]
fn faults_are_told_together() {
    let world = World::new();
    let text = "1\n2\nreturn None\n4\n5\n6\n7\n8\nreturn None\n10\n11\n12\n13\nreturn None\n";
    world.write("f", text);
    let (code, said) = call(&world, "edit", &edit("f", "return None", "return 0"));
    assert!(code != 0 && said.contains("3 times") && said.contains("3, 9, 14"), "{said}");
    let edits = json!([
        { "old": "10\n11", "new": "x" },
        { "old": "11\n12", "new": "y" },
        { "old": "none", "new": "z" },
        { "old": "13", "new": "13" },
    ]);
    let (code, said) = call(&world, "edit", &json!({ "path": "f", "edits": edits }));
    for part in ["Edit 2 of 4: overlaps edit 1", "Edit 3 of 4", "Edit 4 of 4"] {
        assert!(code != 0 && said.contains(part), "{part}: {said}");
    }
    assert_eq!(world.read("f"), text);
}

/// [FILE-10] B020 FS-11: what another program wrote since the session read the file is not lost: a write is
/// refused, an edit is made in it.
#[test]
fn nobodys_work_is_lost() {
    let world = World::new();
    world.write("f", "v1\n");
    world.write("g", "v1\n");
    let append = "printf 'user line\\n' >> f; printf 'user line\\n' >> g";
    let script = Script::new()
        .call("read", json!({ "path": "f" }))
        .call("read", json!({ "path": "g" }))
        .call("bash", json!({ "command": append }))
        .call("write", json!({ "path": "f", "content": "v2\n" }))
        .call("edit", edit("g", "v1", "v2"))
        .text("done");
    let ran = world.exec(&script, "go").args(FULL).run();
    let events = ran.events();
    let results = events.results();
    assert!(content_text(results[3]).contains("changed since it was last read"), "{}", results[3]);
    assert_eq!(results[4]["status"], "ok", "{}", results[4]);
    assert_eq!(
        (world.read("f"), world.read("g")),
        ("v1\nuser line\n".into(), "v2\nuser line\n".to_owned())
    );
}

/// [FILE-10] B022 B023 FS-13: mode and link stay.
#[test]
fn a_file_keeps_what_it_is() {
    let world = World::new();
    for mode in [0o600, 0o755, 0o640] {
        let file = world.write("real/conf", "v=1\n");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let link = world.workspace().join("conf");
        std::os::unix::fs::symlink("real/conf", &link).ok();
        assert_eq!(call(&world, "edit", &edit("conf", "v=1", "v=2")).0, 0);
        assert_eq!(call(&world, "write", &json!({ "path": "conf", "content": "v=3\n" })).0, 0);
        assert_eq!(fs::read_link(&link).unwrap().to_str(), Some("real/conf"));
        let now = fs::metadata(&file).unwrap().permissions().mode() & 0o7777;
        assert_eq!((now, world.read("real/conf")), (mode, "v=3\n".to_owned()));
    }
}

/// B026 B031 B032 FS-10: what is no file is refused at once; content is a text, which may be empty.
#[test]
fn content_is_text_and_a_file_is_a_file() {
    let world = World::new();
    let made =
        tollgate_tests::Command::new(std::path::Path::new("mkfifo")).in_folder(&world.workspace());
    made.args(["p"]).run().success();
    for (tool, arguments) in [
        ("read", json!({ "path": "p" })),
        ("write", json!({ "path": "p", "content": "x" })),
        ("edit", edit("p", "a", "b")),
    ] {
        let (code, said) = call(&world, tool, &arguments);
        assert!(code != 0 && said.contains("FIFO"), "{said}");
    }
    assert_eq!(call(&world, "write", &json!({ "path": "empty.txt", "content": "" })).0, 0);
    assert_eq!(world.read("empty.txt"), "");
    let text = r#"{"a":[1,2],"b":"true"}"#;
    assert_eq!(call(&world, "write", &json!({ "path": "p.json", "content": text })).0, 0);
    assert_eq!(world.read("p.json"), text);
    for arguments in [json!({ "path": "q" }), json!({ "path": "q", "content": { "a": 1 } })] {
        let (code, said) = call(&world, "write", &arguments);
        assert!(code != 0 && said.contains("content"), "{said}");
    }
    assert!(!world.has("q"));
}
