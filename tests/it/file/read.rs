//! [FILE-01] to [FILE-05]: what a model reads of files of every kind, size and encoding, through the gate.

use std::{
    fs::{self, File, OpenOptions},
    os::unix::{
        fs::{FileExt, symlink},
        net::UnixListener,
    },
    process,
};

use serde_json::{Value, json};
use tollgate_proto::{grant::sha256, tool::v1::completed::Outcome};
use tollgate_tests::{
    Script, World, binary,
    events::content_text,
    peer::{self, Peer},
    server::ToolServer,
};

const GIB: u64 = 1024 * 1024 * 1024;

/// Reads, and gives the result.
#[track_caller]
fn read(world: &World, arguments: Value) -> Value {
    world.call("read", &arguments).run().success().json()["result"].take()
}

/// Reads what cannot be read; the answer has these words.
#[track_caller]
fn refused(world: &World, path: &str, part: &str) {
    let ran = world.call("read", &json!({ "path": path })).run().code(1);
    let text = content_text(&ran.json()["result"]);
    assert!(text.contains(part), "{path}: {text}");
}

/// The text, and facts of the metadata.
#[track_caller]
fn shows(result: &Value, text: &str, facts: &Value) {
    assert_eq!(content_text(result), text);
    for (name, fact) in facts.as_object().unwrap() {
        assert_eq!(&result["metadata"][name], fact, "{name}");
    }
}

/// B010, B028: lines to the byte, counted as people count them.
#[test]
fn lines_are_shown_as_they_are() {
    let world = World::new();
    let makefile = "all:\n\techo hi\n        echo spaces\n";
    world.write("Makefile", makefile);
    shows(&read(&world, json!({ "path": "Makefile" })), makefile, &json!({ "total_lines": 3 }));
    world.write("f1", "a\nb\nc");
    world.write("f2", "a\nb\nc\n");
    let whole = json!({ "total_lines": 3, "truncated": false });
    shows(&read(&world, json!({ "path": "f1", "offset": 3, "limit": 1 })), "c", &whole);
    shows(&read(&world, json!({ "path": "f2", "offset": 1, "limit": 3 })), "a\nb\nc\n", &whole);
    let past = world.call("read", &json!({ "path": "f2", "offset": 4 })).run().code(1).json();
    assert!(content_text(&past["result"]).contains("past the end: f2 has 3 lines"), "{past}");
}

/// B029, B034: one enormous line is cut between characters, and what is said of the rest can be done.
#[test]
fn an_enormous_line_is_cut_and_its_rest_can_be_had() {
    let world = World::new();
    world.write("min.js", format!("{}\nsecond\n", "x".repeat(1 << 20)));
    world.write("han", "\u{4e2d}".repeat(350_000));
    let result = read(&world, json!({ "path": "min.js" }));
    let text = content_text(&result);
    assert!(
        text.len() <= 52_000 && text.contains("line 1 of 2 has 1048576 bytes"),
        "{}",
        text.len()
    );
    assert_eq!(result["metadata"]["truncated"], true);
    let (_, command) = text.split_once("The rest with bash: ").unwrap();
    let command = command.split(';').next().unwrap();
    let ran = process::Command::new("sh").args(["-c", command]).output().unwrap();
    assert_eq!(ran.stdout, "x".repeat(51_200).as_bytes(), "{command}");
    shows(
        &read(&world, json!({ "path": "min.js", "offset": 2 })),
        "second\n",
        &json!({ "from": 2 }),
    );
    let han = content_text(&read(&world, json!({ "path": "han" })));
    let shown = han.split('\n').next().unwrap();
    assert!(shown.len() <= 51_200 && shown.chars().all(|character| character == '\u{4e2d}'));
}

/// [FILE-03] B007: the encoding is known by a mark, or told as a guess.
#[test]
fn encodings_are_decoded_and_told() {
    let world = World::new();
    world.write("bom", b"\xEF\xBB\xBFhello\n");
    world.write("le", b"\xFF\xFEh\0i\0\r\0\n\0");
    world.write("be", b"\xFE\xFF\0h\0i\0\n");
    world.write("latin", b"caf\xE9\nx=1\n");
    world.write("sjis", b"\x83\x65\x83\x58\x83\x67\nn=1\n");
    world.write("mixed", [&b"\xC3\xA9\n".repeat(20)[..], b"a\xFFb\n"].concat());
    world.write("blob", b"a\0b");
    shows(
        &read(&world, json!({ "path": "bom" })),
        "hello\n",
        &json!({ "bom": true, "encoding": "UTF-8" }),
    );
    let le = read(&world, json!({ "path": "le" }));
    shows(&le, "hi\n[decoded from UTF-16LE (byte-order mark)]", &json!({ "line_ending": "crlf" }));
    assert!(
        content_text(&read(&world, json!({ "path": "be" })))
            .starts_with("hi\n[decoded from UTF-16BE")
    );
    for (path, text, encoding) in [
        ("latin", "caf\u{e9}\nx=1\n", "windows-1252"),
        ("sjis", "\u{30c6}\u{30b9}\u{30c8}\nn=1\n", "Shift_JIS"),
    ] {
        let result = read(&world, json!({ "path": path }));
        let told = format!("{text}[not UTF-8; decoded as {encoding} (detected, may be wrong)]");
        shows(&result, &told, &json!({ "encoding": encoding }));
    }
    let mixed = content_text(&read(&world, json!({ "path": "mixed", "offset": 21 })));
    assert!(mixed.starts_with("a\u{fffd}b\n[UTF-8 with 1 invalid"), "{mixed}");
    refused(&world, "blob", "not text but binary data (it has NUL bytes), 3 bytes");
}

/// [FILE-02] B026: what may block or never end is refused before a byte of it is read, also through links.
#[test]
fn special_files_are_refused_at_once() {
    let world = World::new();
    let place = |name: &str| world.workspace().join(name);
    assert!(process::Command::new("mkfifo").arg(place("pipe")).status().unwrap().success());
    let _socket = UnixListener::bind(place("socket")).unwrap();
    for (link, target) in [
        ("to-pipe", "pipe"),
        ("zero", "/dev/zero"),
        ("proc", "/proc/self/status"),
        ("kmsg", "/proc/kmsg"),
    ] {
        symlink(target, place(link)).unwrap();
    }
    refused(&world, "pipe", "a FIFO (named pipe)");
    refused(&world, "to-pipe", "a FIFO (named pipe)");
    refused(&world, "socket", "a Unix socket");
    for path in ["zero", "proc", "kmsg", "/dev/zero", "/dev/stdin", "/proc/self/mem"] {
        let ran = world.call("read", &json!({ "path": path })).run();
        assert!(ran.code == 1 || ran.code == 3, "{path}: {ran}");
    }
    for (tool, arguments) in [
        ("write", json!({ "path": "pipe", "content": "x" })),
        ("edit", json!({ "path": "pipe", "edits": [{ "old": "a", "new": "b" }] })),
    ] {
        let ran = world.call(tool, &arguments).args(["--posture", "full-access"]).run();
        assert!(!ran.text().is_empty() && ran.code != 0, "{tool}: {ran}");
    }
    assert!(fs::symlink_metadata(place("pipe")).unwrap().len() == 0);
    world.is_quiet();
}

/// [FILE-05]
#[test]
fn a_wrong_path_is_answered_with_what_helps() {
    let world = World::new();
    world.write("src/main.rs", "x\n");
    refused(&world, "src/mian.rs", "Nearest names: src/main.rs");
    refused(&world, "src", "to see what is in it use list");
    refused(&world, "a\u{1b}[31m\nb", r"a\u{1b}[31m\nb does not exist");
    fs::create_dir(world.workspace().join("loop")).unwrap();
    symlink("b", world.workspace().join("loop/a")).unwrap();
    symlink("a", world.workspace().join("loop/b")).unwrap();
    refused(&world, "loop/a", "a loop of symbolic links");
}

/// A PNG without compression, grey.
fn png(width: u32, height: u32) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
    };
    let chunk = |kind: &[u8], data: &[u8]| {
        let body = [kind, data].concat();
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], &body, &crc(&body).to_be_bytes()].concat()
    };
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    let row = |y: u32| {
        std::iter::once(0)
            .chain((0..width).map(move |x| u8::try_from((x / 9 + y / 7) % 256).unwrap()))
    };
    let pixels: Vec<u8> = (0..height).flat_map(row).collect();
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in &pixels {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let mut zlib = vec![0x78, 0x01];
    let blocks = pixels.chunks(65_535).count();
    for (at, block) in pixels.chunks(65_535).enumerate() {
        let length = u16::try_from(block.len()).unwrap();
        zlib.push(u8::from(at + 1 == blocks));
        zlib.extend(length.to_le_bytes());
        zlib.extend((!length).to_le_bytes());
        zlib.extend(block);
    }
    zlib.extend(((b << 16) | a).to_be_bytes());
    let parts = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &head),
        chunk(b"IDAT", &zlib),
        chunk(b"IEND", b""),
    ];
    parts.concat()
}

/// The size that a PNG's header tells.
fn size_of_png(bytes: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// [FILE-03]: an image comes whole, or scaled with both sizes told; its bytes say what it is, not its name.
#[test]
fn images_are_shown_and_scaled() {
    let world = World::new();
    let small = png(40, 30);
    world.write("small.txt", &small);
    world.write("large.png", png(2_000, 1_200));
    world.write("cut.png", &small[..small.len() / 2]);
    world.write("logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n");
    let image = |result: &Value| {
        let block = result["content"][1].clone();
        assert_eq!(block["type"], "image", "{result}");
        let base64 = block["data"].as_str().unwrap().to_owned();
        (block["media_type"].as_str().unwrap().to_owned(), decoded(&base64))
    };
    let result = read(&world, json!({ "path": "small.txt" }));
    assert_eq!(image(&result), ("image/png".to_owned(), small));
    shows(
        &result,
        "small.txt: image/png, 40×30 pixels, 1298 bytes, not scaled",
        &json!({ "width": 40, "height": 30 }),
    );
    let result = read(&world, json!({ "path": "large.png" }));
    let (media_type, data) = image(&result);
    let shown = &result["metadata"]["shown"];
    assert_eq!((&shown["width"], &shown["height"]), (&json!(1568), &json!(941)), "{result}");
    assert!(
        data.len() <= 192 * 1024
            && shown["bytes"] == data.len()
            && shown["media_type"] == media_type.as_str()
    );
    if media_type == "image/png" {
        assert_eq!(size_of_png(&data), (1_568, 941));
    }
    let text = content_text(&result);
    assert!(text.contains("2000×1200 pixels") && text.contains("1568×941 pixels"), "{text}");
    refused(&world, "cut.png", "it is damaged or was not written to its end");
    let svg = read(&world, json!({ "path": "logo.svg" }));
    assert!(content_text(&svg).starts_with("<svg"));
}

/// Base64 (RFC 4648) as bytes.
fn decoded(base64: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = base64.bytes().filter(|byte| *byte != b'=').map(digit).collect();
    let group = |four: &[u8]| {
        let bits = (0..4)
            .fold(0_u32, |bits, at| (bits << 6) | u32::from(four.get(at).copied().unwrap_or(0)));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}

/// A PDF with a line of text a page, and its table of objects.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (page, text) in pages.iter().enumerate() {
        let content = format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * page
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let (mut bytes, mut table) = (b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n".to_vec(), String::new());
    for (number, object) in (1..).zip(&objects) {
        table.extend([format!("{:010} 00000 n \n", bytes.len())]);
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let (start, count) = (bytes.len(), objects.len() + 1);
    bytes.extend(format!("xref\n0 {count}\n0000000000 65535 f \n{table}").bytes());
    bytes.extend(
        format!("trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").bytes(),
    );
    bytes
}

/// [FILE-03]: a PDF is read page by page; what has no text, or is none, says so and ends nothing.
#[test]
fn pdfs_are_read_page_by_page() {
    let world = World::new();
    let whole = pdf(&["first words", "second words", "third words"]);
    world.write("doc.pdf", &whole);
    world.write("scan.pdf", pdf(&["", ""]));
    world.write("half.pdf", &whole[..40]);
    world.write("deep.pdf", [&b"%PDF-1.4\n\xE2\n1 0 obj\n"[..], &b"[".repeat(3_000_000)].concat());
    let told = "\n[the text of a PDF document of 3 pages; its layout is lost]";
    let result = read(&world, json!({ "path": "doc.pdf" }));
    let pages =
        "[page 1 of 3]\nfirst words\n[page 2 of 3]\nsecond words\n[page 3 of 3]\nthird words";
    shows(
        &result,
        &format!("{pages}{told}"),
        &json!({ "pages": 3, "first_page": 1, "last_page": 3, "total_lines": 6 }),
    );
    let result = read(&world, json!({ "path": "doc.pdf", "offset": 3, "limit": 2 }));
    let facts = json!({ "pages": 3, "first_page": 2, "last_page": 2, "truncated": true });
    let cut = "\n[lines 3-4 of 6: `limit` reached; go on with offset=5]";
    shows(&result, &format!("[page 2 of 3]\nsecond words{told}{cut}"), &facts);
    refused(&world, "scan.pdf", "none of its 2 pages has text");
    refused(&world, "half.pdf", "it is damaged");
    refused(&world, "deep.pdf", "cannot be shown");
    world.is_quiet();
}

/// [FILE-03]
#[test]
fn notebooks_are_read_as_cells() {
    let world = World::new();
    let notebook = json!({ "nbformat": 4, "metadata": { "language_info": { "name": "python" } }, "cells": [
        { "cell_type": "markdown", "source": ["# Title"] },
        { "cell_type": "code", "execution_count": 1, "source": "1 + 1", "outputs": [
            { "output_type": "execute_result", "data": { "text/plain": "2", "image/png": "AAAA" } }] },
    ] });
    world.write("n.ipynb", notebook.to_string());
    world.write("broken.ipynb", "{ \"cells\": [\n");
    let result = read(&world, json!({ "path": "n.ipynb" }));
    let text = content_text(&result);
    let cells = "[cell 1 of 2: markdown]\n# Title\n\n[cell 2 of 2: code, run 1]\n1 + 1\n\
                 [output: execute_result, not shown: image/png (4 characters)]\n2\n[a notebook of 2 cells (python)";
    assert!(text.starts_with(cells) && text.contains("notebook_edit"), "{text}");
    assert_eq!(result["metadata"]["cells"], 2);
    let broken = content_text(&read(&world, json!({ "path": "broken.ipynb" })));
    assert!(broken.starts_with("{ \"cells\": [\n[the name is that of a notebook, but"), "{broken}");
    // The file is JSON, and an edit of it is one of JSON.
    let edit = json!({ "path": "n.ipynb", "edits": [{ "old": "1 + 1", "new": "2 + 2" }] });
    world.call("edit", &edit).args(["--posture", "full-access"]).run().success();
    assert_eq!(world.read("n.ipynb"), notebook.to_string().replace("1 + 1", "2 + 2"));
}

/// [FILE-04]: within a turn the second read of an unchanged window is a sentence, the third the window.
#[test]
fn an_unchanged_window_is_not_sent_twice() {
    let world = World::new();
    let lines = "some words of a line\n".repeat(100);
    world.write("f.txt", &lines);
    world.write("small.txt", "little\n");
    let whole = json!({ "path": "f.txt" });
    let small = json!({ "path": "small.txt" });
    let edit = json!({ "path": "f.txt", "edits": [{ "old": lines, "new": "x\n".repeat(900) }] });
    let script = Script::new()
        .calls([("read", whole.clone()), ("read", whole.clone()), ("read", small.clone())])
        .calls([
            ("read", json!({ "path": "./f.txt" })),
            ("read", json!({ "path": "f.txt", "limit": 99 })),
        ])
        .calls([("read", whole.clone()), ("read", small)])
        .call("edit", edit)
        .call("read", whole)
        .text("Done.");
    let ran = world.exec(&script, "Read.").args(["--posture", "full-access"]).run().success();
    let texts: Vec<String> = ran.events().results().into_iter().map(content_text).collect();
    let starts: Vec<&str> = texts.iter().map(|text| text.get(..20).unwrap_or(text)).collect();
    let (shown, sentence) = ("some words of a line", "[unchanged since you");
    let little = "little\n";
    let changed = &"x\n".repeat(10);
    assert_eq!(starts[..7], [shown, shown, little, sentence, shown, shown, little], "{texts:?}");
    assert_eq!(starts[8], changed);
    assert!(texts[3].contains("in step 1 of this turn"), "{}", texts[3]);
}

/// [FILE-05]: what a result left out is read as a file is.
#[test]
fn an_artifact_is_read_by_its_id() {
    let world = World::new();
    let output: String = (1..=30_000).map(|line| format!("{line}\n")).collect();
    let id: String = sha256(output.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let path = format!("artifact:{id}");
    let script = Script::new()
        .call("bash", json!({ "command": "seq 30000" }))
        .call("read", json!({ "path": path, "offset": 15_000, "limit": 2 }))
        .call("read", json!({ "path": "artifact:12" }))
        .text("Done.");
    let ran = world.exec(&script, "Run.").args(["--posture", "full-access"]).run().success();
    let events = ran.events();
    let results = events.results();
    let expected =
        "15000\n15001\n[lines 15000-15001 of 30000: `limit` reached; go on with offset=15002]";
    assert_eq!(content_text(results[1]), expected, "{ran}");
    assert!(content_text(results[2]).contains("64 hex digits"), "{}", results[2]);
}

/// The most memory that a process has had, in KiB.
fn peak_kib(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A sparse text of so many bytes: lines at its start, two at its end.
fn sparse(world: &World, name: &str, bytes: u64) -> bool {
    let file = File::create(world.workspace().join(name)).unwrap();
    file.write_all_at("line\n".repeat(5_000).as_bytes(), 0).unwrap();
    // A file system may have a lower bound.
    file.set_len(bytes).is_ok() && file.write_all_at(b"\nlast but one\nlast\n", bytes - 19).is_ok()
}

/// [FILE-01] B029: files of 10 GiB and 1 TiB, a line of 50 MB, an image that claims gigabytes, a PDF that
/// inflates to gigabytes: one server reads them all in little memory.
#[tokio::test]
async fn huge_files_cost_their_window() {
    let world = World::new();
    world.write("line", format!("{}\nnext\n", "x".repeat(50_000_000)));
    let mut bomb = png(8, 8);
    bomb[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    world.write("bomb.png", bomb);
    let tera = sparse(&world, "tera", 1024 * GIB);
    assert!(sparse(&world, "giga", 10 * GIB));
    let server = ToolServer::by_line(&world, &binary("tollgate-file"), &[]);
    let channel = peer::unix(&server.socket).await.expect("the server lets its kernel in");
    let mut peer = Peer::attach(channel, server.credentials.clone(), &world.workspace()).await;
    let pid = server.process.pid;
    let before = peak_kib(pid);
    let mut rows = vec![
        ("giga", 1, "line\n", Outcome::Succeeded),
        ("giga", 5_002, "last but one\nlast\n", Outcome::Succeeded),
        ("giga", 5_002, "last but one\nlast\n", Outcome::Succeeded),
        ("giga", 9_999, "offset 9999 is past the end: giga has 5003 lines", Outcome::Failed),
        ("line", 1, "xxx", Outcome::Succeeded),
        ("line", 2, "next\n", Outcome::Succeeded),
        ("bomb.png", 1, "bomb.png", Outcome::Failed),
    ];
    if tera {
        rows.push(("tera", 5_002, "last but one\nlast\n", Outcome::Succeeded));
    }
    for (number, (path, offset, text, outcome)) in rows.into_iter().enumerate() {
        let arguments = json!({ "path": path, "offset": offset });
        let ended = peer.granted(&format!("c-{number}"), "read", &arguments).await;
        let found = format!("{:?}", ended.content);
        assert_eq!(ended.outcome(), outcome, "{path} {offset}: {found:.300}");
        assert!(found.contains(&text.replace('\n', "\\n")), "{path} {offset}: {found:.300}");
    }
    let grown = peak_kib(pid) - before;
    assert!(grown < 32 * 1024, "the server grew by {grown} KiB");
    drop(OpenOptions::new().write(true).open(world.workspace().join("giga")).unwrap().set_len(0));
}
