//! The house rules that a machine can hold: who may depend on whom, headers and sizes of files, lints,
//! versions, licences, and that nothing names a machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tollgate_tests::{Command, workspace_root};
use toml::Table;

/// Lines of a source file.
const LINES_MAX: usize = 500;
/// Which of our crates a crate may depend on, tests left out. What is not listed is forbidden.
const EDGES: &[(&str, &[&str])] = &[
    ("tollgate-proto", &[]),
    ("tollgate-codegen", &[]),
    ("tollgate-core", &[]),
    ("tollgate-launch", &[]),
    ("tollgate-policy", &["tollgate-core"]),
    ("tollgate-search", &[]),
    ("tollgate-types", &[]),
    (
        "tollgate-engine",
        &[
            "tollgate-core",
            "tollgate-launch",
            "tollgate-policy",
            "tollgate-proto",
            "tollgate-search",
            "tollgate-types",
        ],
    ),
    ("tollgate-serve", &["tollgate-core", "tollgate-engine", "tollgate-proto"]),
    (
        "tollgate",
        &[
            "tollgate-core",
            "tollgate-engine",
            "tollgate-launch",
            "tollgate-policy",
            "tollgate-serve",
        ],
    ),
    ("tollgate-sdk", &["tollgate-proto"]),
    ("tollgate-confine", &[]),
    ("tollgate-code", &["tollgate-confine", "tollgate-sdk"]),
    ("tollgate-example", &["tollgate-confine", "tollgate-sdk"]),
    ("tollgate-file", &["tollgate-confine", "tollgate-proto", "tollgate-sdk"]),
    ("tollgate-shell", &["tollgate-confine", "tollgate-proto", "tollgate-sdk"]),
    ("tollgate-model", &["tollgate-confine", "tollgate-proto", "tollgate-sdk"]),
    // Support must not have the engine's types a second time; benches may measure anything.
    // The SDK is for the servers among its binaries.
    ("tollgate-tests", &["tollgate-proto", "tollgate-sdk"]),
    (
        "tollgate-bench",
        &[
            "tollgate-code",
            "tollgate-core",
            "tollgate-engine",
            "tollgate-launch",
            "tollgate-policy",
            "tollgate-proto",
            "tollgate-sdk",
            "tollgate-search",
            "tollgate-tests",
        ],
    ),
];
/// [ARCH-01] What the kernel's process never links.
const NOT_IN_KERNEL: &[&str] =
    &["rquickjs", "rmcp", "reqwest", "gix", "git2", "pyo3", "hyper-rustls"];
/// Crates with one home each.
const HOMES: &[(&str, &[&str])] = &[
    ("reqwest", &["tollgate-model"]),
    ("landlock", &["tollgate-confine"]),
    ("seccompiler", &["tollgate-confine"]),
    // The bench measures it bare, too.
    ("rquickjs", &["tollgate-code", "tollgate-bench"]),
    ("tree-sitter", &["tollgate-shell"]),
];
/// Licences that go with MIT OR Apache-2.0.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT-0",
    "MPL-2.0",
    "OpenSSL",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "0BSD",
];

/// All files of the tree that git does not ignore, relative.
fn files() -> Vec<PathBuf> {
    let listed = Command::new(Path::new("git"))
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .in_folder(workspace_root())
        .run()
        .success();
    let text = listed.text();
    let paths = text.split('\0').filter(|path| !path.is_empty()).map(PathBuf::from);
    paths.filter(|path| workspace_root().join(path).is_file()).collect()
}

fn sources() -> Vec<PathBuf> {
    let is_source = |path: &PathBuf| {
        path.extension().is_some_and(|it| it == "rs")
            && !path.components().any(|it| it.as_os_str() == "generated")
    };
    files().into_iter().filter(is_source).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(workspace_root().join(path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The members' manifests by the crate's name.
fn manifests() -> BTreeMap<String, Table> {
    let manifests =
        files().into_iter().filter(|path| path.file_name().is_some_and(|it| it == "Cargo.toml"));
    let parsed = manifests.map(|path| {
        read(&path).parse::<Table>().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    let named = parsed.filter_map(|table| {
        let name = table.get("package")?.get("name")?.as_str()?.to_owned();
        Some((name, table))
    });
    named.collect()
}

/// Dependencies of one kind, by name.
fn dependencies<'a>(manifest: &'a Table, kind: &str) -> Vec<(&'a str, &'a toml::Value)> {
    let table = manifest.get(kind).and_then(toml::Value::as_table);
    table.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()
}

#[track_caller]
fn none(what: &str, found: Vec<String>) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// [ARCH-01] [ARCH-02] [KERN-01] Our crates depend along the arrows only.
#[test]
fn crates_depend_along_the_arrows_only() {
    let mut wrong = Vec::new();
    for (name, manifest) in manifests() {
        let Some((_, allowed)) = EDGES.iter().find(|(known, _)| *known == name) else {
            wrong.push(format!("{name} is not in EDGES"));
            continue;
        };
        for (dependency, _) in dependencies(&manifest, "dependencies") {
            if dependency.starts_with("tollgate") && !allowed.contains(&dependency) {
                wrong.push(format!("{name} depends on {dependency}"));
            }
            for (foreign, homes) in HOMES {
                if dependency == *foreign && !homes.contains(&name.as_str()) {
                    wrong.push(format!("{name} depends on {foreign}, whose home is {homes:?}"));
                }
            }
        }
    }
    none("edges that are not allowed", wrong);
}

/// Lints and versions have one place.
#[test]
fn manifests_inherit_lints_and_versions() {
    let mut wrong = Vec::new();
    for (name, manifest) in manifests() {
        if manifest.get("lints").and_then(|it| it.get("workspace")) != Some(&true.into()) {
            wrong.push(format!("{name}: [lints] workspace = true is missing"));
        }
        for key in ["version", "edition", "license", "rust-version"] {
            let inherits = manifest
                .get("package")
                .and_then(|it| it.get(key))
                .and_then(|it| it.get("workspace"));
            if inherits != Some(&true.into()) {
                wrong.push(format!("{name}: package.{key} is not the workspace's"));
            }
        }
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (dependency, value) in dependencies(&manifest, kind) {
                if value.get("workspace") != Some(&true.into()) {
                    wrong.push(format!("{name}: {kind}.{dependency} is not the workspace's"));
                }
            }
        }
    }
    none("manifests that go their own way", wrong);
}

/// Every file says what it is for, and is short enough to be read.
#[test]
fn sources_have_headers_and_fit() {
    let mut wrong = Vec::new();
    for path in sources() {
        let text = read(&path);
        let header = text.lines().find(|line| !line.is_empty()).unwrap_or_default();
        let said = header.strip_prefix("//!").map(str::trim).unwrap_or_default();
        if said.len() < 5 {
            wrong.push(format!("{}: no `//!` header that says anything", path.display()));
        }
        let lines = text.lines().count();
        if lines > LINES_MAX {
            wrong.push(format!("{}: {lines} lines, more than {LINES_MAX}", path.display()));
        }
    }
    none("files without a header, or too long", wrong);
}

/// Nothing unfinished, nothing switched off.
#[test]
fn nothing_is_left_for_later() {
    // In two pieces, so that this list is none of what it looks for.
    let words = [
        ("TO", "DO"),
        ("FIX", "ME"),
        ("XX", "X"),
        ("#[ig", "nore"),
        ("#[should_", "panic"),
        ("todo", "!("),
        ("unimple", "mented!("),
        ("dbg", "!("),
    ]
    .map(|(one, two)| format!("{one}{two}"));
    let mut wrong = Vec::new();
    for path in sources() {
        for (index, line) in read(&path).lines().enumerate() {
            let is_word = |word: &String| {
                line.split(|c: char| c.is_alphanumeric()).next().is_some()
                    && line.contains(word.as_str())
            };
            if let Some(word) = words.iter().find(|word| is_word(word)) {
                wrong.push(format!("{}:{}: {word}", path.display(), index + 1));
            }
        }
    }
    none("left for later", wrong);
}

/// Nothing names a machine or a registry's host.
#[test]
fn nothing_names_a_machine() {
    // The place of this checkout, and the hosts of the registries of Rust, npm and Python.
    let mut words = vec![format!("{}/", workspace_root().display())];
    let hosts = [("/root/", "."), ("crates", ".io"), ("npmjs", ".org"), ("pythonhosted", ".org")];
    words.extend(hosts.map(|(one, two)| format!("{one}{two}")));
    let mut wrong = Vec::new();
    for path in files() {
        let Ok(text) = fs::read_to_string(workspace_root().join(&path)) else { continue };
        // Lock files say where a package came from.
        if path.file_name().is_some_and(|it| it == "package-lock.json" || it == "Cargo.lock") {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            if let Some(word) = words.iter().find(|word| line.contains(word.as_str())) {
                wrong.push(format!("{}:{}: {word}", path.display(), index + 1));
            }
        }
    }
    none("machines are named", wrong);
}

/// What `cargo metadata` says of everything in `Cargo.lock` that is for this system.
fn metadata() -> Value {
    let cargo = |arguments: &[&str]| {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command =
            Command::new(Path::new(&program)).args(arguments).in_folder(workspace_root());
        for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
            if let Some(value) = std::env::var_os(name) {
                command = command.env(name, value);
            }
        }
        command.run().success()
    };
    // What is for other systems may not even be downloaded.
    let version = cargo(&["-vV"]).text();
    let host =
        version.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names its host");
    cargo(&[
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--offline",
        "--filter-platform",
        host,
    ])
    .json()
}

/// Whether an SPDX expression can be met by the licences above: one of every `OR`, all of every `AND`.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    let expression = expression.replace(['(', ')'], "");
    expression
        .split(" AND ")
        .all(|part| part.split(" OR ").any(|licence| LICENCES.contains(&licence.trim())))
}

/// Licences of everything that is linked or built with.
#[test]
fn licences_are_allowed() {
    let metadata = metadata();
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let (name, version) =
            (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        match package["license"].as_str() {
            Some(licence) if is_allowed(licence) => {}
            licence => wrong
                .push(format!("{name} {version}: {}", licence.unwrap_or("no licence is named"))),
        }
    }
    none("licences that are not on the list", wrong);
}

/// [ARCH-01] What is linked into the kernel, all the way down.
#[test]
fn the_kernel_links_no_tool() {
    let metadata = metadata();
    let name_of = |id: &str| {
        let found = metadata["packages"].as_array().unwrap().iter().find(|it| it["id"] == id);
        found.map_or(String::new(), |it| it["name"].as_str().unwrap().to_owned())
    };
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["id"].as_str().unwrap(), it))
        .collect();
    let root = nodes.keys().find(|id| name_of(id) == "tollgate").expect("the kernel is a member");
    let mut waiting = vec![*root];
    let mut linked = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            let package = dependency["pkg"].as_str().unwrap();
            if kinds.iter().any(|kind| kind["kind"].is_null()) && linked.insert(package) {
                waiting.push(package);
            }
        }
    }
    let names: Vec<String> = linked.into_iter().map(name_of).collect();
    let ours =
        ["tollgate-sdk", "tollgate-file", "tollgate-shell", "tollgate-model", "tollgate-example"];
    let wrong = names
        .into_iter()
        .filter(|it| NOT_IN_KERNEL.contains(&it.as_str()) || ours.contains(&it.as_str()));
    none("the kernel links what belongs into a server", wrong.collect());
}

/// Every crate has its place in the list of edges, and none is listed that is not there.
#[test]
fn the_list_of_edges_is_that_of_the_crates() {
    let there: BTreeSet<String> = manifests().into_keys().collect();
    let gone = EDGES.iter().filter(|(name, _)| !there.contains(*name) && *name != "tollgate-bench");
    none("crates that are not there", gone.map(|(name, _)| (*name).to_owned()).collect());
}

/// ARCHITECTURE.md's table of one call names files and functions that are there.
#[test]
fn the_table_of_one_call_names_real_functions() {
    let map = read(&workspace_root().join("ARCHITECTURE.md"));
    let rows = map.lines().filter(|line| line.contains(".rs :: "));
    let mut missing = Vec::new();
    let mut seen = 0;
    for place in rows.flat_map(|row| row.split('`')).filter(|text| text.contains(".rs :: ")) {
        let (file, names) = place.split_once(" :: ").unwrap();
        let found = ["kernel", "toolservers"]
            .iter()
            .find_map(|folder| fs::read_to_string(workspace_root().join(folder).join(file)).ok());
        let Some(text) = found else {
            missing.push(format!("{file}: no such file"));
            continue;
        };
        let name = names.rsplit("::").next().unwrap_or(names).trim();
        if !text.contains(&format!("fn {name}(")) && !text.contains(&format!("fn {name}<")) {
            missing.push(format!("{file}: no function {name}"));
        }
        seen += 1;
    }
    assert!(seen >= 15, "the table was not found: {seen}");
    none("ARCHITECTURE.md names what is not there", missing);
}
