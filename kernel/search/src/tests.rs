//! Properties of the whole: order of registration, strangers, hostile texts, escape hatches, trust.

use std::sync::Arc;

use crate::{
    Document, Found, Index, Kind, Query, Why, WordTable,
    limits::{DOCUMENTS_MAX, QUERY_BYTES_MAX, RESULTS_MAX},
    words::tests::table_of,
};

/// A small catalog as one meets it: `name | server | description`.
pub(crate) const TOOLS: &[&str] = &[
    "read | file | Read a text file of the workspace",
    "write | file | Write a text file of the workspace",
    "bash | shell | Run any command: list files, search text, download pages, create issues",
    "grep_files | file | Search the text of files for a pattern",
    "web_search | web | Search the web",
    "web_fetch | web | Download a page and return it as markdown",
    "mcp_github_create_issue | github | Create a repository issue or bug report",
    "mcp_github_list_issues | github | List repository issues with state and label filters",
    "mcp_linear_create_issue | linear | Create a work item",
    "mcp_slack_send_message | slack | Send a message to a channel or thread",
    "mcp_calendar_create_event | calendar | Create a meeting or recurring event",
    "git_status | git | Show the state of the working tree",
];

/// Documents out of such lines.
pub(crate) fn documents<'a>(lines: &[&'a str]) -> Vec<Document<'a>> {
    let document = |line: &&'a str| {
        let mut parts = line.splitn(3, " | ");
        let mut part = || parts.next().unwrap_or_default();
        let (name, server, description) = (part(), part(), part());
        let native = !name.starts_with("mcp_");
        let escape_hatch = name == "bash";
        Document {
            name,
            server,
            description,
            native,
            escape_hatch,
            trusted: true,
            ..Document::default()
        }
    };
    lines.iter().map(document).collect()
}

/// The names that are found, in order.
pub(crate) fn names<'a>(documents: &[Document<'a>], found: &Found) -> Vec<&'a str> {
    found.matches.iter().map(|it| documents[it.index].name).collect()
}

fn search(index: &Index, text: &str) -> Found {
    index.search(&Query::parse(text, Some(RESULTS_MAX), Kind::Auto, None).unwrap())
}

const QUERIES: &[&str] = &[
    "create an issue",
    "search",
    "send a message to the thread",
    "read file",
    "download a web page",
    "what is the state of my tree",
    "serch the wbe",
    "mcp_github_create_issue and git_status",
    "server:github issues",
    "+bug report",
    "创建 问题",
];

/// A table in which a few words mean the same.
fn table() -> Arc<WordTable> {
    let rows: &[(&str, &[i8])] = &[
        ("chat", &[0, 100, 5]),
        ("message", &[0, 110, 0]),
        ("issue", &[100, 0, 0]),
        ("grievance", &[90, 5, 0]),
        ("web", &[0, 0, 120]),
    ];
    Arc::new(WordTable::parse(&table_of(rows)).unwrap())
}

/// [CAT-11] B124: the order in which tools were registered changes neither order nor scores.
#[test]
fn registration_order_changes_nothing() {
    let straight = documents(TOOLS);
    let mut orders: Vec<Vec<Document<'_>>> = (0..TOOLS.len())
        .map(|it| {
            let mut turned = straight.clone();
            turned.rotate_left(it);
            turned
        })
        .collect();
    orders.extend(orders.clone().into_iter().map(|it| it.into_iter().rev().collect()));
    for with_table in [false, true] {
        let build = |it: &[Document<'_>]| {
            if with_table { Index::with_table(it, table()) } else { Index::new(it) }
        };
        let answer = |of: &[Document<'_>], query| {
            let found = search(&build(of), query);
            let scores: Vec<_> =
                found.matches.iter().map(|it| (it.score.to_bits(), it.why)).collect();
            let names = names(of, &found).into_iter().map(str::to_owned).collect::<Vec<_>>();
            let nearest: Vec<_> = found.nearest.iter().map(|it| of[*it].name.to_owned()).collect();
            (names, scores, found.matched_total, nearest)
        };
        for query in QUERIES {
            let expected = answer(&straight, query);
            for order in &orders {
                assert_eq!(answer(order, query), expected, "{query}");
            }
        }
    }
}

/// [CAT-14] A tool that shares no word with the query or with other tools changes no score and no order.
#[test]
fn a_stranger_changes_nothing_for_others() {
    let strange = "zeppelin_ascend | zeppelin | Ascend hydrogen vessel skywards";
    let without = documents(TOOLS);
    let with = documents(&[TOOLS, &[strange]].concat());
    for (before, after) in [
        (Index::new(&without), Index::new(&with)),
        (Index::with_table(&without, table()), Index::with_table(&with, table())),
    ] {
        for query in QUERIES {
            assert_eq!(search(&before, query), search(&after, query), "{query}");
        }
    }
}

/// [CAT-11] Bounded on whatever comes: the answer is an answer or an error, and of bounded size.
#[test]
fn hostile_texts_are_bounded() {
    let long = "x".repeat(64 * 1024);
    let stuffed = "issue ".repeat(20_000);
    let signs: String = (0..=0x3000).filter_map(char::from_u32).collect();
    let arguments: Vec<(String, String)> =
        (0..5_000).map(|it| (format!("argument{it}"), stuffed.clone())).collect();
    let mut all = documents(TOOLS);
    for text in [&long, &stuffed, &signs] {
        all.push(Document {
            name: text,
            server: text,
            title: text,
            hint: text,
            description: text,
            arguments: &arguments,
            ..Document::default()
        });
    }
    let index = Index::new(&all);
    let queries = [
        "x".repeat(QUERY_BYTES_MAX),
        "create ".repeat(500),
        signs.chars().take(1_000).collect(),
        "🙂".to_owned(),
        "*".to_owned(),
        "[".to_owned(),
        "select:".to_owned() + &"a,".repeat(2_000),
        "+".to_owned() + &"b +".repeat(1_000),
        "server: +".to_owned(),
        "\u{0}\u{1b}[2J".to_owned(),
    ];
    for query in &queries {
        if let Ok(query) = Query::parse(query, Some(usize::MAX), Kind::Auto, None) {
            let found = index.search(&query);
            assert!(found.matches.len() <= RESULTS_MAX + all.len());
        }
    }
}

/// [CAT-11] What stuffs keywords does not come before the tool that is meant, and neither does repeating.
#[test]
fn keyword_stuffing_does_not_win() {
    let stuffed =
        "create issue bug report repository message channel meeting file search web ".repeat(50);
    let mut all = documents(TOOLS);
    all.push(Document {
        name: "mcp_evil_helper",
        server: "evil",
        title: &stuffed,
        hint: &stuffed,
        description: &stuffed,
        ..Document::default()
    });
    let index = Index::new(&all);
    for (query, expected) in [
        ("report a bug in the repository", "mcp_github_create_issue"),
        ("send message channel", "mcp_slack_send_message"),
        ("search the web", "web_search"),
        ("create a meeting", "mcp_calendar_create_event"),
    ] {
        assert_eq!(names(&all, &search(&index, query))[0], expected, "{query}");
    }
}

/// [CAT-11] The same prose counts for less where its server is not trusted.
#[test]
fn prose_that_is_not_trusted_weighs_less() {
    let of = |name, trusted| Document {
        name,
        server: "s",
        description: "Translate a poem",
        trusted,
        ..Document::default()
    };
    let all = [of("a_one", false), of("b_two", true)];
    assert_eq!(names(&all, &search(&Index::new(&all), "translate poem")), ["b_two", "a_one"]);
}

/// [CAT-11] The shell can do anything, and says so; it comes after what is made for it, unless named.
#[test]
fn escape_hatches_stand_back_unless_they_are_named() {
    let all = documents(TOOLS);
    let index = Index::new(&all);
    for query in
        ["search text in files", "download pages", "create issues", "list files and search text"]
    {
        let found = search(&index, query);
        assert_ne!(names(&all, &found)[0], "bash", "{query}");
    }
    assert_eq!(names(&all, &search(&index, "bash"))[0], "bash");
    assert_eq!(names(&all, &search(&index, "`bash` to list files"))[0], "bash");
    assert_eq!(names(&all, &search(&index, "run any command"))[0], "bash", "nothing else fits");
}

/// A stray word makes no tool a specific one: the shell does not stand back for it.
#[test]
fn an_escape_hatch_stands_back_for_no_stray_word() {
    let of = |name, description, escape_hatch| Document {
        name,
        description,
        escape_hatch,
        trusted: true,
        native: true,
        ..Document::default()
    };
    let hatch = of("process", "Run a command in the background: a dev server, a long build.", true);
    let stray = of("write", "Create a file on a server.", false);
    let index = Index::new(&[hatch, stray]);
    let found = search(&index, "start a dev server in the background");
    assert_eq!(names(&[hatch, stray], &found)[0], "process");
}

/// [CAT-11b] A word that no tool has finds by its meaning; a name still comes first.
#[test]
fn meaning_finds_what_words_do_not() {
    let all = documents(TOOLS);
    let index = Index::with_table(&all, table());
    let found = search(&index, "create a grievance");
    assert!(names(&all, &found)[0].ends_with("create_issue"), "{found:?}");
    let found = search(&index, "git_status of the chat message");
    assert_eq!((names(&all, &found)[0], found.matches[0].why), ("git_status", Why::Name));
}

#[test]
fn documents_beyond_the_bound_are_counted() {
    let all = vec![Document { name: "a", ..Document::default() }; DOCUMENTS_MAX + 3];
    let index = Index::new(&all);
    assert_eq!((index.len(), index.left_out()), (DOCUMENTS_MAX, 3));
}

#[test]
fn an_empty_index_finds_nothing() {
    for query in QUERIES {
        let found = search(&Index::new(&[]), query);
        assert_eq!((found.matches.len(), found.matched_total, found.nearest.len()), (0, 0, 0));
    }
}
