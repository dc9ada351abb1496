//! Tests and verifiers of Python.

use std::fs;

use super::{Check, Family, Filter, Kind, Project};
use crate::limits::PROJECT_NAMES_MAX;

/// Files in which a tool is set up, and the heading that says so; without one, the file itself does.
const PYTEST: &[(&str, &str)] = &[
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("conftest.py", ""),
    ("tests/conftest.py", ""),
    ("pyproject.toml", "pytest"),
    ("setup.cfg", "[tool:pytest]"),
    ("tox.ini", "pytest"),
    ("requirements.txt", "pytest"),
    ("requirements-dev.txt", "pytest"),
    ("dev-requirements.txt", "pytest"),
];

const RUFF: &[(&str, &str)] =
    &[("ruff.toml", ""), (".ruff.toml", ""), ("pyproject.toml", "[tool.ruff")];

const MYPY: &[(&str, &str)] = &[
    ("mypy.ini", ""),
    (".mypy.ini", ""),
    ("pyproject.toml", "[tool.mypy"),
    ("setup.cfg", "[mypy"),
];

pub(super) fn checks(project: &Project, kind: Kind) -> Vec<Check> {
    let set_up = |places: &[(&str, &str)]| {
        places.iter().any(|(file, heading)| {
            if heading.is_empty() {
                project.has(file)
            } else {
                project.text(file).is_some_and(|text| text.contains(heading))
            }
        })
    };
    let program = |name: &str| {
        let own = format!(".venv/bin/{name}");
        if project.has(&own) { own } else { name.to_owned() }
    };
    if kind == Kind::Verifiers {
        let mut checks = Vec::new();
        if set_up(RUFF) {
            let line = format!("{} check --output-format concise .", program("ruff"));
            checks.push(project.check("ruff", &line, Family::Verifier, Filter::None));
        }
        if set_up(MYPY) {
            let line = format!("{} .", program("mypy"));
            checks.push(project.check("mypy", &line, Family::Verifier, Filter::None));
        }
        return checks;
    }
    let python = program(if project.has(".venv/bin/python") { "python" } else { "python3" });
    if set_up(PYTEST) {
        let line = format!("{python} -m pytest -ra");
        return vec![project.check("pytest", &line, Family::Python, Filter::After("-k"))];
    }
    let Some(folder) = folder_of_tests(project) else { return Vec::new() };
    let line = format!("{python} -m unittest discover -v{folder}");
    vec![project.check("unittest", &line, Family::Python, Filter::After("-k"))]
}

/// What `discover` is told to find the tests; `None`: there are none.
fn folder_of_tests(project: &Project) -> Option<&'static str> {
    for (folder, told) in [("tests", " -s tests"), ("test", " -s test")] {
        if has_tests(project, folder) {
            // A package is found from the project's own folder.
            return Some(if project.has(&format!("{folder}/__init__.py")) { "" } else { told });
        }
    }
    has_tests(project, ".").then_some("")
}

/// Whether a folder has a `test*.py`, which is what `unittest` looks for.
fn has_tests(project: &Project, folder: &str) -> bool {
    let entries = fs::read_dir(project.folder.join(folder));
    let mut entries = entries.into_iter().flatten().flatten().take(PROJECT_NAMES_MAX);
    entries.any(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| name.starts_with("test") && name.ends_with(".py"))
    })
}
