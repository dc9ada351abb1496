//! Goal: a command sees what is listed and nothing else.

use super::*;

fn names_and_values(environment: &Environment, reads: bool) -> Vec<String> {
    let texts = environment.of_call("c-1", Path::new("/work"), reads);
    texts.iter().map(|text| text.to_string_lossy().into_owned()).collect()
}

fn given(pairs: &[(&str, &str)]) -> Environment {
    Environment::filtered(pairs.iter().map(|(name, value)| (name.into(), value.into())))
}

/// [SHELL-01], B059, SH-11.
#[test]
fn only_listed_names_pass() {
    let environment = given(&[
        ("HOME", "/home/a"),
        ("LC_TIME", "C"),
        ("BASH_ENV", "/evil"),
        ("ENV", "/evil"),
        ("LD_PRELOAD", "/evil.so"),
        ("GIT_EXTERNAL_DIFF", "/evil"),
        ("OPENAI_API_KEY", "secret"),
        ("BASH_FUNC_ls%%", "() { touch CANARY; }"),
        ("PATH", "/usr/bin"),
    ]);
    let mut texts = names_and_values(&environment, false);
    texts.sort();
    let expected = [
        "CI=1",
        "DEBIAN_FRONTEND=noninteractive",
        "GIT_EDITOR=false",
        "GIT_PAGER=cat",
        "GIT_TERMINAL_PROMPT=0",
        "HOME=/home/a",
        "LC_TIME=C",
        "NO_COLOR=1",
        "PAGER=cat",
        "PATH=/usr/bin",
        "PWD=/work",
        "TERM=dumb",
        "TOLLGATE_CALL=c-1",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn relative_folders_leave_the_search_path() {
    let environment = given(&[("PATH", ".:/usr/bin::bin:/bin")]);
    assert_eq!(environment.path(), [PathBuf::from("/usr/bin"), PathBuf::from("/bin")]);
}

#[test]
fn a_reading_line_makes_git_harmless() {
    let texts = names_and_values(&given(&[]), true);
    assert!(texts.contains(&"GIT_OPTIONAL_LOCKS=0".to_owned()), "{texts:?}");
    assert!(texts.contains(&"GIT_CONFIG_KEY_1=core.hooksPath".to_owned()), "{texts:?}");
}
