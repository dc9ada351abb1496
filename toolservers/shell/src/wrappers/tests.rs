//! Goal: the inner command of every wrapper is found. SH-12.

use super::*;
use crate::words::whole_word;

fn words(line: &str) -> Vec<Word> {
    crate::grammar::read(line).unwrap().commands.remove(0).words
}

#[track_caller]
fn runs(line: &str, expected: &str, opaque: bool) {
    let found = inner(&words(line));
    let [Inner::Command(words, uncertain)] = found.as_slice() else { panic!("{line}: {found:?}") };
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    assert_eq!((texts.join(" ").as_str(), *uncertain), (expected, opaque), "{line}");
}

#[track_caller]
fn runs_script(line: &str, expected: &str) {
    assert_eq!(inner(&words(line)), [Inner::Script(expected.into())], "{line}");
}

#[track_caller]
fn runs_elsewhere(line: &str) {
    assert_eq!(inner(&words(line)), [Inner::Elsewhere], "{line}");
}

#[test]
fn the_inner_command_begins_after_options_and_operands() {
    runs("env touch C", "touch C", false);
    runs("env -i A=1 B=2 touch C", "touch C", false);
    runs("env -u HOME touch C", "touch C", false);
    runs("sudo -u root touch C", "touch C", false);
    runs("/usr/bin/sudo -n touch C", "touch C", false);
    runs("nice -n 5 touch C", "touch C", false);
    runs("nice touch C", "touch C", false);
    runs("timeout -k 5 2 touch C", "touch C", false);
    runs("timeout 2 touch C", "touch C", false);
    runs("nohup touch C", "touch C", false);
    runs("setsid -w touch C", "touch C", false);
    runs("stdbuf -o0 touch C", "touch C", false);
    runs("xargs -n 1 touch", "touch", true);
    runs("xargs -a names.txt touch", "touch", true);
    runs("flock C true", "true", false);
    runs("chroot / touch C", "touch C", false);
    runs("exec touch C", "touch C", false);
    runs("command touch C", "touch C", false);
    runs("busybox touch C", "touch C", false);
    runs("find . -exec touch C \\;", "touch C", true);
    runs("sudo --unknown touch C", "touch C", true);
    runs("nice nice touch C", "nice touch C", false);
    runs("fakeroot touch C", "touch C", false);
    runs("gosu me touch C", "touch C", false);
    runs("parallel -j 2 touch", "touch", true);
    runs("git bisect run touch C", "touch C", false);
}

#[test]
fn scripts_are_found() {
    runs_script("sh -c 'touch C'", "touch C");
    runs_script("bash -xec 'touch C'", "touch C");
    runs_script("bash -c -- 'touch C'", "touch C");
    runs_script("eval touch C", "touch C");
    runs_script("git submodule foreach --recursive 'touch C'", "touch C");
    runs_script("git submodule foreach touch C", "touch C");
    runs_script("git rebase -i -x 'touch C' main", "touch C");
    runs_script("git -C sub rebase '--exec=touch C' main", "touch C");
    runs_script("env -S 'touch C'", "touch C");
    runs_script("env '-Stouch C'", "touch C");
    runs_script("watch -n 0.2 'touch C'", "touch C");
    runs_script("trap 'touch C' EXIT", "touch C");
    runs_script("script -qc 'x' -c 'touch C'", "touch C");
    runs_script("flock L -c 'touch C'", "touch C");
    runs_script("alias 'ls=touch C #'", "touch C #");
    runs_script("su root -c 'touch C'", "touch C");
}

#[test]
fn what_comes_from_elsewhere_is_told() {
    for line in ["bash", "sh -s", "bash -c \"$x\"", "eval $x"] {
        runs_elsewhere(line);
    }
    assert_eq!(inner(&[whole_word("$x").unwrap()]), [Inner::Elsewhere]);
    assert_eq!(inner(&words("ls -l")), []);
    assert_eq!(inner(&words("bash evil.sh")), []);
}

#[test]
fn a_shell_without_a_script_reads_its_input() {
    assert!(reads_script_from_input(&words("bash")));
    assert!(reads_script_from_input(&words("sh -s")));
    assert!(!reads_script_from_input(&words("sh x.sh")));
    assert!(!reads_script_from_input(&words("cat")));
}
