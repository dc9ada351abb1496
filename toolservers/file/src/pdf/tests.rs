//! Goal: a PDF is read as people read it, and none stops the server. [FILE-03]

use std::fmt::Write as _;

use lopdf::{Document, Object, dictionary};

use super::*;
use crate::{
    testing::{Numbers, pdf, pdf_of},
    window::Wanted,
};

fn read(bytes: Vec<u8>) -> Result<String, Failed> {
    let made = made("f.pdf", bytes, &|| false)?;
    let view = made.view(Wanted { offset: 1, limit: None }, 0, None);
    Ok(view.shown.text)
}

#[track_caller]
fn check(content: &str, expected: &str) {
    let text = read(pdf_of(&[content.to_owned()])).unwrap();
    assert_eq!(text, format!("[page 1 of 1]\n{expected}\n"));
}

#[track_caller]
fn fails(bytes: Vec<u8>, class: Class, part: &str) {
    let failed = read(bytes).unwrap_err();
    assert_eq!(failed.class, class, "{}", failed.message);
    assert!(failed.message.contains(part), "{}", failed.message);
}

#[test]
fn pages_are_marked() {
    let text = read(pdf(&["first\npage", "", "third"])).unwrap();
    let expected =
        "[page 1 of 3]\nfirst\npage\n[page 2 of 3]\n(no text on this page)\n[page 3 of 3]\nthird\n";
    assert_eq!(text, expected);
}

#[test]
fn metadata_names_the_pages_of_the_window() {
    let made = made("f.pdf", pdf(&["a\nb", "c", "d"]), &|| false).unwrap();
    for (offset, limit, first, last) in
        [(1, None, 1, 3), (2, Some(1), 1, 1), (3, Some(3), 1, 2), (6, None, 3, 3)]
    {
        let view = made.view(Wanted { offset, limit }, 0, None);
        let facts = view.made.unwrap().facts;
        let found = (&facts["pages"], &facts["first_page"], &facts["last_page"]);
        assert_eq!(found, (&3.into(), &first.into(), &last.into()), "{offset} {limit:?}");
    }
}

/// Lines and blanks come from where texts stand, however a program placed them.
#[test]
fn places_become_lines_and_blanks() {
    check("BT /F1 10 Tf 72 700 Td (one) Tj 0 -12 Td (two) Tj ET", "one\ntwo");
    check(
        "BT /F1 10 Tf 1 0 0 1 72 700 Tm (left) Tj 1 0 0 1 200 700 Tm (right) Tj ET",
        "left right",
    );
    check("BT /F1 10 Tf 72 700 Td [(Hel) 20 (lo) -400 (world)] TJ ET", "Hello world");
    check("BT /F1 10 Tf 12 TL 72 700 Td (a) Tj (b) ' 1 2 (c) \" T* (d) Tj ET", "a\nb\nc\nd");
    check("BT /F1 10 Tf 72 700 TD (a) Tj 0 -40 TD (b) Tj ET", "a\n\nb");
    // Moved by the state of drawing, and turned by a right angle.
    check(
        "q 1 0 0 1 0 700 cm BT /F1 10 Tf (up) Tj ET Q q 1 0 0 1 0 600 cm BT /F1 10 Tf (down) Tj ET Q",
        "up\n\ndown",
    );
    check("BT /F1 10 Tf 0 1 -1 0 72 100 Tm (turned) Tj 40 0 Td (on) Tj ET", "turned on");
    check("BT /F1 10 Tf 72 700 Td (caf\\351 \\(x\\)) Tj ET", "caf\u{e9} (x)");
}

#[test]
fn a_form_is_read_in_its_place_and_one_in_itself_ends() {
    let mut document = Document::load_mem(&pdf_of(&["/X Do".to_owned()])).unwrap();
    let content = b"BT /F1 10 Tf 10 10 Td (inside) Tj ET /X Do".to_vec();
    let form = dictionary! { "Type" => "XObject", "Subtype" => "Form" };
    let form = document.add_object(lopdf::Stream::new(form, content));
    let mut dictionaries =
        document.objects.values_mut().filter_map(|found| found.as_dict_mut().ok());
    let resources = dictionaries.find(|found| found.has(b"Font"));
    resources.unwrap().set("XObject", dictionary! { "X" => form });
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    assert!(read(bytes).unwrap().contains("inside"));
}

#[test]
fn what_has_no_text_says_why() {
    fails(pdf(&["", ""]), Class::Unreadable, "none of its 2 pages has text");
    fails(b"%PDF-1.7\n\0\x01 and no more".to_vec(), Class::Unreadable, "damaged");
    fails(pdf(&[]), Class::Unreadable, "no pages");
    let whole = pdf(&["some text"]);
    let no_object = b"trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF";
    fails([b"%PDF-1.4\n".as_slice(), no_object].concat(), Class::Unreadable, "damaged");
    // Cut off before its table of objects: what is there is found again, or the file is told as damaged.
    let cut = read(whole[..whole.len() * 2 / 3].to_vec());
    assert!(cut.is_ok() || cut.unwrap_err().class == Class::Unreadable);
}

#[test]
fn an_encrypted_document_is_told() {
    let mut document = Document::load_mem(&pdf(&["secret"])).unwrap();
    document
        .trailer
        .set("ID", Object::Array(vec![Object::string_literal("a"), Object::string_literal("b")]));
    let version = lopdf::EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password: "user",
        key_length: 128,
        permissions: lopdf::Permissions::default(),
    };
    let state = lopdf::EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    fails(bytes, Class::Unreadable, "encrypted");
    // Written so that a search for the word does not find it.
    let hidden = String::from_utf8_lossy(&pdf(&["a"])).replace("/Root", "/E#6ecr#79pt 1 0 R /Root");
    fails(hidden.into_bytes(), Class::Unreadable, "encrypted");
    assert!(read(pdf(&["/EncryptMetadata is another word"])).is_ok());
}

/// A small file that inflates to much, or has more objects than memory is there for.
#[test]
fn bombs_are_refused() {
    let mut document = Document::load_mem(&pdf(&["a"])).unwrap();
    let id = document.page_iter().next().unwrap();
    let mut bomb = lopdf::Stream::new(lopdf::Dictionary::new(), vec![b' '; 20 * 1024 * 1024]);
    bomb.compress().unwrap();
    let bomb = document.add_object(bomb);
    document.get_dictionary_mut(id).unwrap().set("Contents", bomb);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    assert!(bytes.len() < 100_000);
    fails(bytes, Class::Unreadable, "none of its pages can be read");
    let mut many = b"%PDF-1.7\n1 0 obj\n[".to_vec();
    many.extend(b"0 ".repeat(crate::limits::PDF_TOKENS_MAX + 10));
    many.extend(b"]\nendobj\n");
    fails(many, Class::TooLarge, "too many objects");
    assert!(size_of::<Object>() <= 128, "what a token takes: {}", size_of::<Object>());
    // One operator of a page with all the tokens that a stream has room for.
    let mut document = Document::load_mem(&pdf(&["a"])).unwrap();
    let numbers = [b"[".to_vec(), b"0 ".repeat(7 * 1024 * 1024), b"] TJ".to_vec()].concat();
    let mut content = lopdf::Stream::new(lopdf::Dictionary::new(), numbers);
    content.compress().unwrap();
    let content = document.add_object(content);
    document.get_dictionary_mut(id).unwrap().set("Contents", content);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    fails(bytes, Class::Unreadable, "none of its pages can be read");
    // An object stream with more objects than memory is there for.
    let objects = format!("9 0 [{}]", "0 ".repeat(7 * 1024 * 1024));
    // Under another name, as it would not be written under its own.
    let stream = dictionary! { "Type" => "XbjStm", "N" => 1, "First" => 4 };
    let mut stream = lopdf::Stream::new(stream, objects.into_bytes());
    stream.compress().unwrap();
    let mut document = Document::load_mem(&pdf(&["a"])).unwrap();
    document.add_object(stream);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    let at = memchr::memmem::find(&bytes, b"/XbjStm").unwrap();
    bytes[at + 1] = b'O';
    fails(bytes, Class::TooLarge, "too many objects");
}

/// Deep nesting, tables that lead in circles, lengths that are not: each ends with an answer.
#[test]
fn hostile_structures_end() {
    let table = |body: &str| {
        format!("%PDF-1.7\n{body}\ntrailer\n<< /Root 1 0 R /Size 9 >>\nstartxref\n9\n%%EOF")
    };
    let deep = format!("1 0 obj\n{}{}\nendobj", "[".repeat(200_000), "]".repeat(200_000));
    let circle = "1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n\
                  2 0 obj << /Type /Pages /Kids [2 0 R 2 0 R 3 0 R] /Count 3 >> endobj\n\
                  3 0 obj << /Type /Pages /Kids [2 0 R] /Parent 3 0 R >> endobj";
    let lengths = "1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n\
                   2 0 obj << /Type /Pages /Kids [3 0 R] /Count 99999999 >> endobj\n\
                   3 0 obj << /Type /Page /Parent 2 0 R /Contents 4 0 R >> endobj\n\
                   4 0 obj << /Length 99999999999 >> stream\nBT (x) Tj ET\nendstream endobj";
    for body in [deep.as_str(), circle, lengths] {
        let failed = read(table(body).into_bytes());
        assert!(failed.is_err_and(|failed| failed.class == Class::Unreadable));
    }
}

/// Bytes changed, lost and repeated at random: an answer each time.
#[test]
fn damaged_documents_end() {
    let whole = pdf(&["first page\nwith lines", "second page"]);
    let mut numbers = Numbers::new(11);
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..=numbers.below(8) {
            let at = numbers.below(bytes.len());
            match numbers.below(4) {
                0 => bytes[at] = u8::try_from(numbers.below(256)).unwrap(),
                1 => bytes.truncate(at.max(20)),
                2 => drop(bytes.remove(at)),
                _ => {
                    let piece = bytes[at..(at + 30).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        match read(bytes) {
            Ok(_) => {}
            Err(failed) => assert!(matches!(failed.class, Class::Unreadable | Class::TooLarge)),
        }
    }
}

/// The call ends when it is stopped, whatever its worker does; further documents wait for nobody, and are
/// refused while too many workers are left behind.
#[test]
fn a_worker_that_does_not_end_is_left_behind() {
    let (release, held) = sync_channel::<()>(0);
    let held = Arc::new(std::sync::Mutex::new(held));
    for _ in 0..PDF_WORKERS_MAX {
        let held = Arc::clone(&held);
        let job = move |_: &Watch| {
            assert!(held.lock().unwrap().recv().is_err(), "the test ends it");
            Err(Fault::Stopped)
        };
        assert_eq!(work(job, &|| true).unwrap_err(), Fault::Stopped);
    }
    let refused = work(|_| panic!("it is not begun"), &|| false);
    assert_eq!(refused.unwrap_err(), Fault::Busy);
    drop(release);
    while WORKING.load(Ordering::Relaxed) > 0 {
        thread::yield_now();
    }
    assert_eq!(
        work(|_| panic!("a fault of a parser"), &|| false).unwrap_err(),
        Fault::Broken("its parser failed".to_owned())
    );
}

#[test]
fn many_pages_are_read_within_bounds() {
    let pages: Vec<String> = (1..=300).map(|page| format!("page {page}\n").repeat(40)).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let made = made("f.pdf", pdf(&pages), &|| false).unwrap();
    let view = made.view(Wanted { offset: 299 * 41 + 1, limit: Some(2) }, 0, None);
    assert_eq!(view.shown.text, "[page 300 of 300]\npage 300\n");
    assert_eq!(view.total, Some(300 * 41));
}

/// Tokens are what the parser makes objects of.
#[test]
fn tokens_are_counted() {
    let mut text = String::new();
    for (text_of, count) in
        [("1 0 obj", 3), ("<</A/B>>", 4), ("[1 2 (x y)]", 6), ("", 0), ("/Name", 1)]
    {
        assert_eq!(load::tokens(text_of.as_bytes()), count, "{text_of}");
        write!(text, "{text_of} ").unwrap();
    }
    assert_eq!(load::tokens(text.as_bytes()), 14);
}
