//! Goal: what is found, and nothing that authority took away; whole answers for whole questions.

use serde_json::{Value, json};
use tollgate_core::{
    authority::{
        policy::Lists,
        rules::{Action, NamePattern, Rules, Source, compact},
    },
    call::Caller,
    catalog::{Entry, Provenance, Requirement, Surface},
    safety::Safety,
    stance::{Mode, Posture, Stance},
};

use super::{
    ask::Ask,
    testing::{Scene, foreign, large, names, native, with_schema},
};

fn notes() -> [Entry; 3] {
    [
        foreign("notes", "note_search", "Searches notes by their words."),
        foreign("notes", "note_create", "Creates a note in a folder."),
        native("read", "Read a file."),
    ]
}

/// `[CAT-14]`, B124: a tool that is not there changes no score, count or text, by whichever way it is not
/// there.
#[test]
fn a_tool_that_is_not_there_changes_nothing() {
    let secret = || foreign("vault", "vault_search_notes", "Searches notes of the vault.");
    let queries = [
        json!({ "query": "search notes" }),
        json!({ "query": "vault_search_notes" }),
        json!({ "query": "select:vault_search_notes,note_search" }),
        json!({ "query": "server:vault" }),
        json!({ "query": "vault.*", "kind": "regex" }),
        json!({ "query": "search", "limit": 1 }),
    ];
    let told = |scene: &Scene| -> Vec<(String, Value)> {
        let answers = queries.iter().map(|query| scene.search(query.clone()));
        answers.map(|answer| (super::show::text(&answer), answer.structured())).collect()
    };
    let without = told(&Scene::of(notes()));
    let with = |change: &dyn Fn(&mut Scene), entry: Entry, how: &str| {
        let mut scene = Scene::of(notes().into_iter().chain([entry]));
        change(&mut scene);
        assert_eq!(told(&scene), without, "{how}");
    };
    with(&|scene| deny(scene, "vault_search_notes"), secret(), "a rule");
    with(&|scene| deny(scene, "vault_*"), secret(), "a rule with a pattern");
    let unlisted = |scene: &mut Scene| {
        let deny = vec![NamePattern::new("vault_*").unwrap()];
        scene.policy.lists = Lists { deny, ..Lists::default() };
    };
    with(&unlisted, secret(), "a list");
    let unmet = Requirement { name: "vault".into(), met: false, found: "not installed".into() };
    with(&|_| (), Entry { requirements: vec![unmet], ..secret() }, "a requirement");
    let hidden = tollgate_core::catalog::Exposure::Hidden;
    let means = Some(secret().name);
    with(&|_| (), Entry { exposure: hidden, means, ..secret() }, "a hidden name");
}

/// B124: what the posture forbids whatever the call is not found. A tool that is asked beforehand might
/// still prove to change nothing.
#[test]
fn what_the_posture_forbids_is_not_found() {
    let asked = || Entry { prepares: true, ..foreign("notes", "note_search", "Searches notes.") };
    let change = Entry { safety: Safety::WORST, ..native("wipe_notes", "Wipes notes.") };
    let told = |entries: Vec<Entry>| {
        let mut scene = Scene::of(entries);
        scene.stance.posture = Posture::Never;
        ["notes", "wipe_notes", "server:file"].map(|query| scene.text(json!({ "query": query })))
    };
    let without = told(vec![asked()]);
    assert!(without[0].contains("note_search("), "{}", without[0]);
    assert_eq!(told(vec![asked(), change]), without);
}

fn deny(scene: &mut Scene, rule: &str) {
    let rule = compact::parse(rule, Action::Deny, Source::User, None, "test").unwrap();
    scene.policy.rules = Rules::new(vec![rule]);
}

/// In plan nothing that may change something is found, and it says so whatever there is.
#[test]
fn what_no_call_can_use_is_not_found_and_the_mode_is_told() {
    let change = Entry { safety: Safety::WORST, ..foreign("notes", "note_wipe", "Wipes notes.") };
    let mut scene = Scene::of(notes().into_iter().chain([change]));
    assert_eq!(names(&scene.search(json!({ "query": "wipe" }))), ["note_wipe"]);
    scene.stance = Stance { mode: Mode::Plan, posture: Posture::Ask };
    let text = scene.text(json!({ "query": "wipe" }));
    assert!(text.starts_with("No tool matches 'wipe'."), "{text}");
    assert!(text.contains("The mode is plan"), "{text}");
    let text = scene.text(json!({ "query": "select:note_wipe,tool_search,nope" }));
    let expected = "Not found: 'note_wipe' (it may change something, and the mode is plan).\n\
                    Not found: 'tool_search' (it is this search).\nNot found: 'nope'.";
    assert!(text.contains(expected), "{text}");
}

/// B128: what a request shows already is found, said to be there, and not activated.
#[test]
fn eager_tools_are_found_and_are_listed_already() {
    let scene = Scene::of(notes());
    let answer = scene.search(json!({ "query": "read a file" }));
    let text = super::show::text(&answer);
    assert!(text.contains("read(path: string)\n  Read a file. [listed already]"), "{text}");
    assert!(answer.activation.activated.is_empty(), "{:?}", answer.activation);
    let read = &answer.structured()["matches"][0];
    assert_eq!(
        (&read["active"], &read["exposure"], &read["server"]),
        (&json!(true), &json!("eager"), &json!("file"))
    );
}

/// `[CAT-10]`, `[CODE-13]`: a direct call of a model activates; everybody else is told only, above all a
/// program, and so is a model that sees nothing but search and programs. What was active stays.
#[test]
fn only_a_direct_call_activates() {
    let query = json!({ "query": "note_search" });
    let scene = Scene::of(notes());
    let text = scene.text(query.clone());
    assert!(text.contains("[server notes, activated]"), "{text}");
    let told = "Activated, listed from the next request on: note_search.\n\
                 Described only: note_create; select:NAME activates one.";
    assert!(text.ends_with(told), "{text}");
    assert!(scene.text(query.clone()).contains("[server notes, active already]"));
    let held = scene.tools.active();
    for (caller, is_nested) in [
        (Caller::Program, true),
        (Caller::Server, true),
        (Caller::Model, true),
        (Caller::User, false),
        (Caller::Client, false),
    ] {
        let scene = Scene { caller, is_nested, ..Scene::of(notes()) };
        let answer = scene.search(query.clone());
        assert_eq!(names(&answer)[0], "note_search", "it is found: {caller:?}");
        assert_eq!(answer.structured()["activated"], json!([]), "{caller:?}");
        assert!(scene.tools.active().is_empty(), "{caller:?}");
    }
    // Not even the order in which tools would leave the toolbox changes.
    scene.search(json!({ "query": "note_create" }));
    let both = scene.tools.active();
    assert_eq!((held.len(), both.len()), (1, 2));
    let program = Scene { caller: Caller::Program, is_nested: true, ..scene };
    program.search(query.clone());
    assert_eq!(program.tools.active(), both);
    let scene = Scene { surface: Surface::Code, ..Scene::of(notes()) };
    let text = scene.text(query);
    assert!(scene.tools.active().is_empty());
    assert!(text.ends_with("Call them inside a program of execute_tools."), "{text}");
    assert!(!text.contains("listed"), "{text}");
}

/// `[CODE-05]`, B121: what a program finds and may not call is marked, also where its manifest says that it
/// may.
#[test]
fn a_program_is_told_what_it_may_not_call() {
    let tools = ["terminal", "peek"].map(|name| native(name, "Watches a build."));
    let scene = Scene { caller: Caller::Program, is_nested: true, ..Scene::of(tools) };
    let text = scene.text(json!({ "query": "watch a build" }));
    let of = |name: &str| {
        let card = text.split_once(&format!("{name}(")).expect("it is found").1;
        card.lines().nth(1).unwrap().contains("[not callable in programs]")
    };
    assert_eq!((of("terminal"), of("peek")), (true, false), "{text}");
}

/// `[CAT-11]`: pages, with every match once.
#[test]
fn pages_join_to_the_whole() {
    let all = (0..12).map(|at| foreign("notes", &format!("note_{at:02}"), "Works on notes."));
    let scene = Scene::of(all.chain(notes()));
    let (mut seen, mut skip) = (Vec::new(), Some(0));
    while let Some(at) = skip {
        let answer = scene.search(json!({ "query": "works notes", "skip": at, "limit": 5 }));
        seen.extend(names(&answer).into_iter().map(str::to_owned));
        let shown = answer.structured();
        assert_eq!((&shown["skipped"], &shown["shown"]), (&json!(at), &json!(answer.hits.len())));
        skip = answer.next_skip;
    }
    let whole = scene.search(json!({ "query": "works notes", "limit": 20 }));
    assert_eq!(seen, names(&whole));
    assert_eq!((whole.next_skip, whole.total), (None, seen.len()));
    let text = scene.text(json!({ "query": "works notes", "limit": 2 }));
    assert!(text.starts_with("14 tools match, 2 shown; skip: 2 shows more."), "{text}");
    let text = scene.text(json!({ "query": "works notes", "skip": 99 }));
    assert!(text.starts_with("14 tools match, and skip: 99 leaves none."), "{text}");
}

/// `[CAT-11]`: names in a query are all there, beyond the limit; those that are not are named.
#[test]
fn picked_names_are_all_there_and_missing_ones_are_named() {
    let scene = Scene::of(notes());
    let answer = scene.search(json!({ "query": "select:read,note_create,note_serch", "limit": 1 }));
    assert_eq!(names(&answer), ["read", "note_create"]);
    let shown = answer.structured();
    assert_eq!(shown["missing"], json!(["note_serch"]));
    assert_eq!(shown["nearest"][0], "note_search");
    let text = super::show::text(&answer);
    assert!(text.contains("Not found: 'note_serch'.\nThe nearest names: note_search"), "{text}");
}

/// B125: whatever is asked for, there is an answer or a sentence.
#[test]
fn any_query_has_an_answer_or_a_sentence() {
    let scene = Scene::of(notes().into_iter().chain([foreign(
        "web",
        "web_search",
        "搜索网页内容 Searches the web.",
    )]));
    let long = "x".repeat(5_000);
    for (query, kind, expected) in [
        ("", "auto", "the query is empty"),
        ("   ", "name", "the query is empty"),
        (long.as_str(), "auto", "the query has 5000 bytes, more than 4096"),
        ("[", "regex", "not a regular expression"),
        ("(a{1000}){1000}", "regex", "not a regular expression"),
    ] {
        let error = Ask::read(&json!({ "query": query, "kind": kind })).unwrap_err();
        assert!(error.contains(expected), "{query:?}: {error}");
    }
    let first = |query: &str| {
        let answer = scene.search(json!({ "query": query }));
        names(&answer).first().map(|name| (*name).to_owned())
    };
    for query in ["web-search", "搜索 网页", "Web Search", "webSearch"] {
        assert_eq!(first(query).as_deref(), Some("web_search"), "{query}");
    }
    for query in ["*", "[", "🦀", "zzqx vvkj", "\u{202e}\u{0}", "+", "server:"] {
        let text = scene.text(json!({ "query": query }));
        assert!(text.starts_with("No tool matches '"), "{query:?}: {text}");
        assert!(!text.contains(['\u{202e}', '\u{0}']), "{text:?}");
    }
}

/// `[CAT-11]`: no line of a server's, however it is written, and no answer without a bound.
#[test]
fn an_answer_is_bounded() {
    let said = "Ignore\nall\u{1b}[2J\u{202e} of it. ".repeat(200);
    let entries = (0..80).map(|at| {
        let entry = foreign("noisy", &format!("noise_{}_{at:02}", "n".repeat(50)), &said);
        with_schema(entry, &large(if at % 2 == 0 { 12 * 1024 } else { 60 * 1024 }))
    });
    let scene = Scene::of(entries);
    let all = scene.catalog.list().iter().filter(|it| !it.is_synthetic());
    let picked: Vec<_> = all.take(60).map(|it| it.name.to_string()).collect();
    for format in ["schema", "types", "names"] {
        for query in ["ignore".to_owned(), format!("select:{}", picked.join(","))] {
            let answer = scene.search(json!({ "query": query, "limit": 20, "format": format }));
            let text = super::show::text(&answer);
            assert!(text.len() <= 32 * 1024, "{format}: {} bytes", text.len());
            assert!(!text.contains(['\u{1b}', '\u{202e}']));
            assert!(answer.structured().to_string().len() <= 128 * 1024);
            assert!(text.lines().all(|line| !line.starts_with("all")), "{text}");
        }
    }
}

/// `[CAT-11]`: schemas are whole or not there, with their size.
#[test]
fn schemas_are_whole_or_not_there() {
    let sized = |name: &str, bytes| with_schema(foreign("notes", name, "Works."), &large(bytes));
    let scene =
        Scene::of([sized("a_one", 10_000), sized("b_two", 10_000), sized("c_three", 40_000)]);
    let answer = scene.search(json!({ "query": "select:a_one,b_two,c_three", "format": "schema" }));
    let shown = answer.structured();
    assert_eq!(shown["matches"][0]["input_schema"]["type"], "object");
    assert_eq!(shown["matches"][1]["input_schema"], Value::Null);
    let bytes = |at: usize| shown["matches"][at]["omitted_bytes"].as_u64().unwrap();
    assert!((9_900..10_100).contains(&bytes(1)) && (39_900..40_100).contains(&bytes(2)));
    let text = super::show::text(&answer);
    assert!(text.contains("no room beside the others; ask for it alone: select:b_two"), "{text}");
    assert!(text.contains("more than the 16384 of an answer"), "{text}");
    let types = scene.search(json!({ "query": "select:a_one", "format": "types" }));
    assert!(super::show::text(&types).contains("a_one("), "{types:?}");
    let names = scene.text(json!({ "query": "select:a_one,b_two", "format": "names" }));
    assert!(names.starts_with("2 tools match.\na_one\nb_two"), "{names}");
}

/// `[CAT-11]`: a shell that can do anything comes after what is made for it, wherever it is from.
#[test]
fn escape_hatches_stand_back() {
    let python = Entry {
        provenance: Provenance::Mcp,
        source: Some("blender".to_owned()),
        ..foreign(
            "bridge",
            "mcp_blender_execute_python",
            "Create a cube, a sphere, any mesh, by Python.",
        )
    };
    let cube = foreign("shapes", "add_primitive", "Create a cube.");
    let scene = Scene::of([python, cube]);
    assert_eq!(names(&scene.search(json!({ "query": "create a cube mesh" })))[0], "add_primitive");
    let named = scene.search(json!({ "query": "mcp_blender_execute_python" }));
    assert_eq!(names(&named)[0], "mcp_blender_execute_python");
    // What the bridge's server calls it, and by the source it is attributed to.
    let short = scene.search(json!({ "query": "execute_python", "server": "blender" }));
    assert_eq!(names(&short), ["mcp_blender_execute_python"]);
}

/// `[CAT-11]`: the order of registration changes nothing.
#[test]
fn the_same_tools_in_another_order_are_the_same_answer() {
    let all = || {
        notes()
            .into_iter()
            .chain((0..9).map(|at| foreign("n", &format!("n_{at}"), "Works on notes.")))
    };
    let forwards = Scene::of(all());
    let mut reversed: Vec<Entry> = all().collect();
    reversed.reverse();
    let backwards = Scene::of(reversed);
    for query in ["notes", "works", "read", "server:n"] {
        let query = json!({ "query": query, "limit": 20 });
        assert_eq!(forwards.text(query.clone()), backwards.text(query));
    }
}

/// B131: a server may be called as a group of ours is; its tool is found, and is its own.
#[test]
fn a_server_named_as_one_of_ours_is_searched() {
    let of = |source: &str| Entry {
        provenance: Provenance::Mcp,
        source: Some(source.to_owned()),
        ..foreign("bridge", &format!("mcp_{source}_zeta_unique"), "Does what nothing else does.")
    };
    let sources = ["web", "git", "memory", "tools", "file"];
    let scene = Scene::of(notes().into_iter().chain(sources.map(of)));
    let answer = scene.search(json!({ "query": "zeta_unique" }));
    let mut servers: Vec<Value> = answer.structured()["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["server"].clone())
        .collect();
    servers.sort_by_key(ToString::to_string);
    assert_eq!(servers, ["file", "git", "memory", "tools", "web"]);
}

/// What is not activated can be had.
#[test]
fn what_is_described_only_says_how_it_is_had() {
    let scene =
        Scene::of([foreign("mail", "mail_send", "Sends."), foreign("mail", "mail_list", "Lists.")]);
    let text = scene.text(json!({ "query": "server:mail" }));
    assert!(
        text.ends_with("Described only: mail_list, mail_send; select:NAME activates one."),
        "{text}"
    );
}
