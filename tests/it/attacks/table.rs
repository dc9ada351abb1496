//! `tests/cases.md` is whole and true: every case of the families below has one line, and every test that a
//! line names is there.

use std::collections::BTreeSet;

use tollgate_tests::workspace_root;

use super::*;

/// Families of the cases and how many each has, numbered from 1.
const FAMILIES: &[(&str, u32)] = &[
    ("G", 15),
    ("SH", 22),
    ("FS", 17),
    ("EN", 7),
    ("CFG", 10),
    ("AP", 13),
    ("HK", 6),
    ("MD", 5),
    ("RX", 4),
    ("CM", 15),
    ("Q", 10),
    ("CP", 38),
];

/// Public reports of classes 1, 2, 4 and 5.
const REPORTS: &[&str] = &[
    "B001", "B002", "B004", "B005", "B007", "B008", "B010", "B011", "B013", "B014", "B016", "B017",
    "B019", "B020", "B022", "B023", "B025", "B026", "B028", "B029", "B031", "B032", "B034", "B035",
    "B037", "B038", "B040", "B041", "B043", "B044", "B046", "B047", "B049", "B050", "B052", "B053",
    "B055", "B056", "B058", "B059", "B092", "B094", "B095", "B097", "B098", "B100", "B101", "B103",
    "B104", "B106", "B107", "B109", "B110", "B112", "B113", "B115", "B116", "B118", "B119", "B121",
    "B122", "B124", "B125", "B127", "B128", "B130", "B131",
];

/// Complaints about tool search elsewhere, by their numbers in the project's list.
const COMPLAINTS: std::ops::RangeInclusive<u32> = 39..=55;

/// What a line may say instead of a test.
const EXCUSES: [&str; 2] = ["does not apply: ", "later: "];

/// A line: id, what it is, where it is shown.
struct Line {
    id: String,
    shown: String,
}

fn lines() -> Vec<Line> {
    let text = fs::read_to_string(workspace_root().join("tests/cases.md")).expect("it is there");
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| id"));
    let line = |row: &str| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [id, what, shown] = cells.as_slice() else { panic!("not three cells: {row}") };
        assert!(!what.is_empty(), "nothing is said of {id}");
        Line { id: (*id).to_owned(), shown: (*shown).to_owned() }
    };
    rows.map(line).collect()
}

/// [THR-01] Each case once.
#[test]
fn every_case_has_its_line() {
    let numbered = FAMILIES.iter().flat_map(|(family, count)| {
        (1..=*count).map(move |number| format!("{family}-{number:02}"))
    });
    let reports = REPORTS.iter().map(|id| (*id).to_owned());
    let complaints = COMPLAINTS.map(|number| format!("TS-{number}"));
    let expected: BTreeSet<String> = numbered.chain(reports).chain(complaints).collect();
    let lines = lines();
    let found: BTreeSet<String> = lines.iter().map(|line| line.id.clone()).collect();
    assert_eq!(found.len(), lines.len(), "a case has two lines");
    let missing: Vec<_> = expected.difference(&found).collect();
    let unknown: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
}

/// [THR-01] Each line names tests that there are, or says why there is none.
#[test]
fn every_named_test_is_there() {
    let mut wrong = Vec::new();
    for Line { id, shown } in lines() {
        if EXCUSES.iter().any(|excuse| shown.starts_with(excuse)) {
            continue;
        }
        // Behind `; ` a line may say what is left for later.
        let tests: Vec<&str> = shown.split("; ").next().unwrap_or_default().split(", ").collect();
        for test in tests {
            let named = test.trim_matches('`').split_once("::");
            let Some((file, name)) = named else {
                wrong.push(format!("{id}: '{test}' is no FILE::TEST"));
                continue;
            };
            let source = fs::read_to_string(workspace_root().join(file)).unwrap_or_default();
            let is_there = source.contains(&format!("fn {name}("));
            if !is_there {
                wrong.push(format!("{id}: there is no {test}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
