//! Scripts of `package.json`, run by the package manager whose lock file is there.

use tollgate_sdk::serde_json::{self, Value};

use super::{Check, Family, Filter, Kind, Project};

/// Lock files and whose they are.
const LOCKS: &[(&str, &str)] = &[("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn")];

/// Scripts that verify.
const VERIFIERS: &[&str] =
    &["lint", "typecheck", "type-check", "check-types", "check:types", "format:check", "tsc"];

/// What a script runs, and how that is told which tests.
const FILTERS: &[(&str, &str)] =
    &[("vitest", "-t"), ("jest", "-t"), ("mocha", "-g"), ("node --test", "--test-name-pattern")];

/// What `npm init` writes where there are no tests.
const NO_TESTS: &str = "no test specified";

pub(super) fn checks(project: &Project, kind: Kind) -> Vec<Check> {
    let text = project.text("package.json");
    let package: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
    let Some(package) = package else { return Vec::new() };
    let script = |name: &str| package.get("scripts")?.get(name)?.as_str();
    let manager = manager(project, &package);
    match kind {
        Kind::Tests => {
            let Some(script) = script("test").filter(|script| !script.contains(NO_TESTS)) else {
                return Vec::new();
            };
            let filter = filter(manager, script);
            let line = format!("{manager} test");
            vec![project.check(&line, &line, Family::JavaScript, filter)]
        }
        Kind::Verifiers => {
            let named = VERIFIERS.iter().filter(|name| script(name).is_some());
            named.map(|name| project.verifier(&format!("{manager} run {name}"))).collect()
        }
    }
}

fn manager(project: &Project, package: &Value) -> &'static str {
    let named = package.get("packageManager").and_then(Value::as_str).unwrap_or_default();
    let of_name = LOCKS.iter().find(|(_, manager)| named.split('@').next() == Some(manager));
    let of_lock = || LOCKS.iter().find(|(lock, _)| project.has(lock));
    of_name.or_else(of_lock).map_or("npm", |(_, manager)| manager)
}

/// npm passes on what stands behind `--`, the others all that stands behind the script's name.
fn filter(manager: &str, script: &str) -> Filter {
    let Some((_, option)) = FILTERS.iter().find(|(program, _)| script.contains(program)) else {
        return Filter::None;
    };
    Filter::After(match (manager, *option) {
        ("npm", "-t") => "-- -t",
        ("npm", "-g") => "-- -g",
        ("npm", _) => "-- --test-name-pattern",
        (_, option) => option,
    })
}
