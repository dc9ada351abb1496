//! Goal: a cell changes as Jupyter would change it, and no other byte of the file does.

use super::*;
use crate::testing::Numbers;

/// As Jupyter writes one: an indentation of one blank, keys in order, a newline at the end.
const NOTEBOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 3,\n   \"id\": \"aa11\",\n   \"metadata\": {\n    \"x\": 1.50\n   },\n   \"outputs\": [\n    {\n     \"name\": \"stdout\"\n    }\n   ],\n   \"source\": [\n    \"a = 1\\n\",\n    \"b\"\n   ]\n  },\n  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"bb22\",\n   \"metadata\": {},\n   \"source\": \"# T\"\n  }\n ],\n \"metadata\": {\n  \"unknown\": 9007199254740993\n },\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";

fn replace(source: &str) -> Change {
    Change::Replace { source: Some(source.to_owned()), kind: None }
}

fn retype(kind: Kind) -> Change {
    Change::Replace { source: None, kind: Some(kind) }
}

fn insert(source: &str, kind: Kind) -> Change {
    Change::Insert { source: source.to_owned(), kind }
}

/// Changes [`NOTEBOOK`]; `pairs` say which pieces of it are replaced by what.
#[track_caller]
fn check(number: usize, change: &Change, pairs: &[(&str, &str)]) {
    let mut expected = NOTEBOOK.to_owned();
    for (old, new) in pairs {
        assert_eq!(expected.matches(old).count(), 1, "{old}");
        expected = expected.replace(old, new);
    }
    assert_eq!(changed(NOTEBOOK, number, change).unwrap().text, expected);
}

const CLEARED: [(&str, &str); 2] = [
    ("\"execution_count\": 3", "\"execution_count\": null"),
    ("[\n    {\n     \"name\": \"stdout\"\n    }\n   ]", "[]"),
];

#[test]
fn a_code_cell_loses_its_outputs_with_its_source() {
    let pair = ("\"a = 1\\n\",\n    \"b\"", "\"\u{e9}\\\"\\n\",\n    \"\\n\",\n    \"c\"");
    check(1, &replace("\u{e9}\"\n\nc"), &[&CLEARED[..], &[pair]].concat());
    let told = changed(NOTEBOOK, 1, &replace("c")).unwrap();
    assert_eq!((told.before.as_str(), told.outputs, told.cells), ("a = 1\nb", 1, 2));
    let none = ("[\n    \"a = 1\\n\",\n    \"b\"\n   ]", "[]");
    check(1, &replace(""), &[&CLEARED[..], &[none]].concat());
}

/// A source that is one text stays one.
#[test]
fn a_source_keeps_its_form() {
    check(2, &replace("# U\nx"), &[("\"# T\"", "\"# U\\nx\"")]);
}

#[test]
fn a_type_brings_and_takes_what_belongs_to_it() {
    check(
        1,
        &retype(Kind::Markdown),
        &[
            ("\"code\",\n   \"execution_count\": 3", "\"markdown\""),
            (",\n   \"outputs\": [\n    {\n     \"name\": \"stdout\"\n    }\n   ]", ""),
        ],
    );
    let new = "\"code\",\n   \"execution_count\": null,\n   \"outputs\": []";
    check(2, &retype(Kind::Code), &[("\"markdown\"", new)]);
}

#[test]
fn cells_come_and_go() {
    let first = "  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 3";
    let made = changed(NOTEBOOK, 1, &insert("x\ny", Kind::Raw)).unwrap().text;
    let id = made.split("\"id\": \"").nth(1).unwrap().chars().take(8).collect::<String>();
    assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    let cell = format!(
        "  {{\n   \"cell_type\": \"raw\",\n   \"id\": \"{id}\",\n   \"metadata\": {{}},\n   \"source\": [\n    \"x\\n\",\n    \"y\"\n   ]\n  }},\n"
    );
    assert_eq!(made, NOTEBOOK.replace(first, &(cell + first)));
    // The same change is the same text, so that a preview is what comes.
    assert_eq!(made, changed(NOTEBOOK, 1, &insert("x\ny", Kind::Raw)).unwrap().text);
    let made = changed(NOTEBOOK, 3, &insert("x", Kind::Code)).unwrap();
    assert_eq!(made.cells, 3);
    assert!(made.text.contains("\"# T\"\n  },\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \""), "{}", made.text);
    assert!(made.text.contains("\"outputs\": [],\n   \"source\": [\n    \"x\"\n   ]\n  }\n ],"));

    let start = NOTEBOOK.find("  {\n   \"cell_type\": \"code\"").unwrap();
    let second = NOTEBOOK.find("  {\n   \"cell_type\": \"markdown\"").unwrap();
    let without = [NOTEBOOK.get(..start).unwrap(), NOTEBOOK.get(second..).unwrap()].concat();
    let once = changed(NOTEBOOK, 1, &Change::Delete).unwrap();
    assert_eq!((once.text.as_str(), once.cells, once.outputs), (without.as_str(), 1, 1));
    let none = changed(&once.text, 1, &Change::Delete).unwrap().text;
    assert!(none.starts_with("{\n \"cells\": [],\n \"metadata\""), "{none}");
    let again = changed(&none, 1, &insert("z", Kind::Markdown)).unwrap().text;
    assert!(again.starts_with("{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\""), "{again}");
}

/// On one line, with CRLF, with keys in any order: the layout is that of the file.
#[test]
fn the_layout_is_that_of_the_file() {
    let one = r#"{"nbformat":4,"nbformat_minor":4,"cells":[{"outputs":[1],"execution_count":1,"source":["a"],"cell_type":"code"}]}"#;
    let text = |number, change: &Change| changed(one, number, change).unwrap().text;
    let cell = |cell: &str| format!(r#"{{"nbformat":4,"nbformat_minor":4,"cells":[{cell}]}}"#);
    assert_eq!(
        text(1, &replace("b\nc")),
        cell(r#"{"outputs":[],"execution_count":null,"source":["b\n","c"],"cell_type":"code"}"#)
    );
    assert_eq!(text(1, &retype(Kind::Raw)), cell(r#"{"source":["a"],"cell_type":"raw"}"#));
    let old = r#"{"outputs":[1],"execution_count":1,"source":["a"],"cell_type":"code"}"#;
    // Before 4.5 a cell has no id.
    let new = r#"{"cell_type":"markdown","metadata":{},"source":["b"]}"#;
    assert_eq!(text(2, &insert("b", Kind::Markdown)), cell(&format!("{old},{new}")));
    assert_eq!(text(1, &insert("b", Kind::Markdown)), cell(&format!("{new},{old}")));
    assert_eq!(text(1, &Change::Delete), cell(""));

    let dos = NOTEBOOK.replace('\n', "\r\n");
    let made = changed(&dos, 1, &replace("x\ny")).unwrap().text;
    assert!(made.contains("[\r\n    \"x\\n\",\r\n    \"y\"\r\n   ]"), "{made}");
    assert_eq!(made.matches('\n').count(), made.matches("\r\n").count());
}

#[test]
fn what_cannot_be_is_told() {
    let class = |text: &str, number, change: &Change| {
        let failed = changed(text, number, change).unwrap_err();
        (failed.class, failed.pointer)
    };
    assert_eq!(class(NOTEBOOK, 0, &Change::Delete), (Class::PastEnd, "/cell"));
    assert_eq!(class(NOTEBOOK, 3, &Change::Delete), (Class::PastEnd, "/cell"));
    assert_eq!(class(NOTEBOOK, 4, &insert("", Kind::Raw)), (Class::PastEnd, "/cell"));
    assert_eq!(class(NOTEBOOK, 1, &replace("a = 1\nb")), (Class::InvalidEdit, "/source"));
    assert_eq!(class(NOTEBOOK, 2, &retype(Kind::Markdown)), (Class::InvalidEdit, "/source"));
    for text in [
        "",
        "[]",
        "{\"nbformat\":4}",
        "{\"nbformat\":3,\"worksheets\":[]}",
        "{\"cells\":[]}",
        "{\"nbformat\":4,\"cells\":[1]}",
        "{\"nbformat\":4,\"cells\":[{}]}",
        "{\"nbformat\":4,\"cells\":[{\"cell_type\":\"new\"}]}",
        "{\"nbformat\":4,\"cells\":[{}],}",
    ] {
        assert_eq!(class(text, 1, &replace("x")).0, Class::Unreadable, "{text}");
    }
}

/// Any changes of any notebook: the JSON is sound, the cell is what was asked for, and what does not
/// belong to it is as it was.
#[test]
fn what_is_not_changed_stays_to_the_byte() {
    let mut numbers = Numbers::new(7);
    let kinds = [Kind::Code, Kind::Markdown, Kind::Raw];
    let sources = ["", "x", "a\n", "a\nb\n\n", "\"\\\u{1}\u{2028}\u{e9}\r\n", "tail\n  two"];
    for round in 0..400 {
        let mut text = notebook(&mut numbers);
        for _ in 0..4 {
            let before: Value = serde_json::from_str(&text).unwrap();
            let count = before["cells"].as_array().unwrap().len();
            let (kind, source) = (kinds[numbers.below(3)], sources[numbers.below(6)]);
            let number = numbers.below(count + 1) + 1;
            let change = match numbers.below(4) {
                0 => insert(source, kind),
                1 if count > 0 => Change::Delete,
                2 => replace(source),
                _ => retype(kind),
            };
            let Ok(after) = changed(&text, number, &change) else { continue };
            checked(&text, &after.text, number - 1, &change, round);
            text = after.text;
        }
    }
}

/// Compares two notebooks, cell by cell as they are written.
#[track_caller]
fn checked(before: &str, after: &str, index: usize, change: &Change, round: usize) {
    let cells = |text: &str| -> Vec<String> {
        let notebook = Notebook::of(text).unwrap();
        notebook.cells.items.iter().map(|cell| cell.get().to_owned()).collect()
    };
    let (mut old, mut new) = (cells(before), cells(after));
    let told = || format!("round {round}: {change:?} at {index}\n{before}\n{after}");
    let parsed: Value =
        serde_json::from_str(after).unwrap_or_else(|error| panic!("{error} {}", told()));
    let cell = &parsed["cells"][index];
    let is_code = cell["cell_type"] == "code";
    let lines = |cell: &Value| source_of_value(&cell["source"]);
    match change {
        Change::Insert { source, kind } => {
            assert_eq!((lines(cell), &cell["cell_type"]), (source.clone(), &kind.word().into()));
            new.remove(index);
        }
        Change::Delete => {
            old.remove(index);
        }
        Change::Replace { source, kind } => {
            let was: Value = serde_json::from_str(&old.remove(index)).unwrap();
            new.remove(index);
            assert_eq!(lines(cell), source.clone().unwrap_or_else(|| lines(&was)), "{}", told());
            assert_eq!(cell["metadata"], was["metadata"], "{}", told());
            assert_eq!(cell["later"], was["later"], "{}", told());
            assert!(kind.is_none_or(|kind| cell["cell_type"] == kind.word()));
            assert_eq!(cell.get("outputs").is_some(), is_code, "{}", told());
            assert!(!is_code || cell["outputs"].as_array().unwrap().is_empty());
        }
    }
    assert_eq!(old, new, "{}", told());
    // What stands before and after the cells.
    let around = |text: &str| {
        let notebook = Notebook::of(text).unwrap();
        let span = notebook.cells.span.clone();
        (text.get(..span.start).unwrap().to_owned(), text.get(span.end..).unwrap().to_owned())
    };
    assert_eq!(around(before), around(after), "{}", told());
}

fn source_of_value(source: &Value) -> String {
    if let Value::String(text) = source {
        return text.clone();
    }
    source.as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
}

/// A notebook with cells of all kinds, keys in any order, in several layouts.
fn notebook(numbers: &mut Numbers) -> String {
    let mut cells = Vec::new();
    for number in 0..numbers.below(4) {
        let mut members = vec![
            ("source", ["\"one\\ntext\"", "[]", "[\"a\\n\", \"b\"]"][numbers.below(3)].to_owned()),
            ("metadata", "{ \"x\":1e2 , \"y\": [ ] }".to_owned()),
            ("later", format!("\"cells, \\\" {number}\"")),
        ];
        if numbers.below(2) == 0 {
            members.push(("cell_type", "\"code\"".to_owned()));
            members.push(("outputs", "[{\"a\": [1, 2]}, 3]".to_owned()));
            members.push(("execution_count", "12".to_owned()));
        } else {
            members.push(("cell_type", "\"markdown\"".to_owned()));
            members.push(("attachments", "{}".to_owned()));
        }
        let turn = numbers.below(members.len());
        members.rotate_left(turn);
        cells.push(object(&members, numbers));
    }
    let list = format!("[{}{}{}]", blank(numbers), cells.join(" , "), blank(numbers));
    let mut members = vec![
        ("cells", list),
        ("nbformat", "4".to_owned()),
        ("nbformat_minor", ["2", "5"][numbers.below(2)].to_owned()),
        ("more", "[1.0, {\"cells\": []}]".to_owned()),
    ];
    let turn = numbers.below(4);
    members.rotate_left(turn);
    format!("{}{}", object(&members, numbers), blank(numbers))
}

fn object(members: &[(&str, String)], numbers: &mut Numbers) -> String {
    let pairs = members.iter().map(|(key, value)| {
        format!(
            "{}\"{key}\"{}:{}{value}{}",
            blank(numbers),
            blank(numbers),
            blank(numbers),
            blank(numbers)
        )
    });
    let pairs: Vec<String> = pairs.collect();
    format!("{{{}}}", pairs.join(","))
}

fn blank(numbers: &mut Numbers) -> &'static str {
    ["", "", " ", "\n  ", "\r\n\t"][numbers.below(5)]
}
