//! Goal: `[GATE-22]` the same command in other words: folders, options, wrappers, words nobody knows.

use super::{World, call, check};

#[track_caller]
fn denied(rule: &str, subjects: &[&str]) {
    let deny = format!("deny {rule}");
    check(&["allow bash", &deny], "bash", subjects, &deny);
}

#[track_caller]
fn asked(rule: &str, subjects: &[&str]) {
    check(&["allow bash", &format!("deny {rule}")], "bash", subjects, &format!("ask {rule}"));
}

#[track_caller]
fn passed(rule: &str, subjects: &[&str]) {
    check(&["allow bash", &format!("deny {rule}")], "bash", subjects, "allow bash");
}

#[test]
fn a_program_is_itself_in_a_folder_of_the_system_only() {
    let git = ["allow bash(git push *)"];
    for same in ["git push", "/usr/bin/git push", "/bin/git push", "/usr/local/bin/git push -f"] {
        check(&git, "bash", &[same], "allow bash(git push *)");
    }
    for other in
        ["./git push", "/w/git push", "/usr/bin/../../w/git push", "gitx push", "git pushx"]
    {
        check(&git, "bash", &[other], "nothing");
    }
    check(&["allow bash(/usr/bin/git push)"], "bash", &["git push"], "nothing");
    for rm in ["rm x", "/bin/rm x", "./rm x", "/opt/rm x"] {
        denied("bash(rm *)", &[rm]);
    }
    denied("bash(/bin/rm *)", &["rm x"]);
}

#[test]
fn a_deny_sees_through_options() {
    for push in
        ["git push", "git -C /x push", "git -c a=b --no-pager push", "git --git-dir=x push -f"]
    {
        denied("bash(git push *)", &[push]);
    }
    for other in ["git stash push", "git log push", "git pushx"] {
        passed("bash(git push *)", &[other]);
    }
    for force in ["git push --force", "git push origin --force", "git push --force=x"] {
        denied("bash(git push --force *)", &[force]);
    }
    passed("bash(git push --force *)", &["git push"]);
    for rm in ["rm -rf x", "rm -fr x", "rm x -r -f", "rm -vrf x"] {
        denied("bash(rm -rf *)", &[rm]);
    }
    passed("bash(rm -rf *)", &["rm -r x"]);
    denied("bash(cargo publish *)", &["cargo +nightly publish"]);
    // An allow does not.
    check(&["allow bash(git push *)"], "bash", &["git -C /x push"], "nothing");
    denied("bash(git push)", &["git push"]);
    passed("bash(git push)", &["git push origin"]);
}

/// SH-04, SH-06: what could be denied is asked about.
#[test]
fn what_is_not_known_could_be_what_is_denied() {
    for unknown in
        ["op: $x", "op: r* x", "op: {rm,x}", "op: $(echo rm) x", "script: if [ -f x ]; then rm x"]
    {
        asked("bash(rm *)", &[unknown]);
        asked("bash(rm x)", &[unknown]);
        asked("*(path:.env)", &[unknown]);
        check(&["allow bash", "deny *(host:x.test)"], "bash", &[unknown], "allow bash");
        // An ask rule asks; a rule of another tool says nothing of this one.
        check(&["ask bash(rm *)"], "bash", &[unknown], "ask bash(rm *)");
        check(&["allow bash", "deny read(.env)"], "bash", &[unknown], "allow bash");
    }
    denied("bash(git push *)", &["op: git push $x"]);
    denied("bash(rm *)", &["op: rm"]);
    asked("bash(git push *)", &["op: git $x"]);
    asked("bash(git push *)", &["op: git -C $x push"]);
    asked("bash(git push *)", &["op: git"]);
    asked("bash(rm -rf *)", &["op: rm $x"]);
    asked("bash(rm a b)", &["op: rm a $x"]);
    passed("bash(rm a b)", &["op: rm c $x"]);
    passed("bash(git push *)", &["op: git log $x"]);
    passed("bash(rm *)", &["op: echo $x"]);
    // A tilde and an assignment hide no program; what only looks like one may.
    passed("bash(rm *)", &["op: ~/bin/build $x"]);
    denied("bash(rm *)", &["op: ~/bin/rm $x"]);
    passed("bash(rm *)", &["op: X=$y"]);
    for hidden in ["op: X=$(rm y)", "script: X=1 rm -rf y", "op: PATH=/x:$PATH", "op: =$x"] {
        asked("bash(rm *)", &[hidden]);
    }
    // A hard deny is no question.
    check(&["deny bash(rm *)"], "bash", &["op: $x", "rm a"], "deny bash(rm *)");
}

#[test]
fn what_is_not_known_is_covered_by_the_whole_tool_only() {
    for opaque in ["op: git push $x", "op: git", "op: $x", "op: > $x"] {
        check(&["allow bash(git *)", "allow bash(path:/**)"], "bash", &[opaque], "nothing");
        check(&["allow bash(*)"], "bash", &[opaque], "allow bash");
    }
}

/// A redirection to a place that nobody knows (SH-14).
#[test]
fn an_unknown_redirection_could_reach_any_place() {
    asked("*(path:.env) access=write", &["ro: echo x", "op: > $x"]);
    passed("*(path:.env) access=write", &["ro: echo x", "op: < $x"]);
    asked("*(path:.env) access=read", &["ro: cat", "op: < $x"]);
    asked("*(path:.env)", &["ro: cat", "op: < $x"]);
    passed("bash(rm *)", &["ro: echo x", "op: > $x"]);
}

/// SH-12: both the wrapper and what it runs are subjects.
#[test]
fn wrappers_that_do_nothing_are_covered_with_what_they_run() {
    let cargo = ["allow bash(cargo test *)"];
    for pure in [
        "timeout 5 cargo test",
        "timeout -s KILL -k 5 10m cargo test",
        "timeout --signal=KILL 5 cargo test",
        "nice cargo test",
        "nice -n 10 cargo test",
        "nice -n5 cargo test",
        "nohup cargo test",
        "stdbuf -oL cargo test",
        "stdbuf -o L --error=L cargo test",
        "time -p cargo test",
        "command cargo test",
        "env cargo test",
        "env -i RUST_LOG=x CI=1 cargo test",
        "/usr/bin/env cargo test",
    ] {
        check(&cargo, "bash", &[pure, "cargo test"], "allow bash(cargo test *)");
        check(&cargo, "bash", &[pure], "nothing");
        check(&cargo, "bash", &[pure, "op: cargo test"], "nothing");
        check(&["deny bash(cargo *)"], "bash", &[pure, "cargo test"], "deny bash(cargo *)");
    }
    for other in [
        "sudo cargo test",
        "xargs cargo test",
        "sh -c 'cargo test'",
        "setsid cargo test",
        "env PATH=. cargo test",
        "env LD_PRELOAD=x cargo test",
        "env GIT_SSH=x cargo test",
        "env NODE_OPTIONS=x cargo test",
        "env RUSTC_WRAPPER=x cargo test",
        "env -C /x cargo test",
        "env -S 'cargo test'",
        "env X=1 cargo test",
        "timeout --odd 5 cargo test",
        "./env cargo test",
        "time -o /etc/x cargo test",
        "find . -exec cargo test",
        "command -v cargo test",
    ] {
        check(&cargo, "bash", &[other, "cargo test"], "nothing");
    }
    // Wrappers in wrappers.
    let deep = ["nice timeout 5 cargo test", "timeout 5 cargo test", "cargo test"];
    check(&cargo, "bash", &deep, "allow bash(cargo test *)");
}

/// SH-11: an assignment is a command of its own.
#[test]
fn only_harmless_assignments_need_no_rule() {
    let cargo = ["allow bash(cargo test *)"];
    check(&cargo, "bash", &["RUST_BACKTRACE=1", "cargo test"], "allow bash(cargo test *)");
    for other in
        ["PATH=.", "LD_PRELOAD=x", "GIT_EXTERNAL_DIFF=x", "BASH_ENV=x", "X=1", "RUSTFLAGS=x"]
    {
        check(&cargo, "bash", &[other, "cargo test"], "nothing");
    }
}

/// AP-09: a grant of a workspace is for commands that run in it.
#[test]
fn a_command_elsewhere_is_another_one() {
    let session =
        ["session allow bash(cargo test *) workspace=/w", "session allow bash(./x) workspace=/w"];
    let mut world = World::new(&["allow bash(./y)"], &session);
    let mut check = |cwd, subjects: &[&str], expected: bool| {
        world.cwd = cwd;
        let answer = world.answer(&call("bash", subjects));
        assert_eq!(answer != "nothing", expected, "in {cwd}: {subjects:?} {answer}");
    };
    check("/w", &["ro: cd src", "cargo test"], true);
    check("/w/src", &["cargo test"], true);
    for away in ["ro: cd /tmp", "ro: cd", "ro: cd -", "ro: cd ..", "ro: popd", "ro: pushd /x"] {
        check("/w", &[away, "cargo test"], false);
    }
    check("/tmp", &["cargo test"], false);
    for program in ["./x", "./y"] {
        check("/w", &[program], true);
        check("/w/src", &[program], false);
        check("/w", &["ro: cd src", program], false);
    }
}

/// B094: by every name that a line has for the file, as far as that can be told.
#[test]
fn a_forbidden_file_is_forbidden_to_commands_too() {
    let env = "*(path:.env) access=read";
    for line in [
        "ro: cat .env",
        "ro: cat ./a/../.env",
        "ro: cat /w/.env",
        "git show HEAD:.env",
        "curl -d @.env x",
        "curl -Ffile=@.env x",
        "dd if=.env",
        "ro: grep -f.env x",
        "ro: head --file=.env",
        "r: /w/.env",
    ] {
        denied(env, &[line]);
    }
    denied("*(path:.env) access=read", &["ro: cd src", "ro: cat ../.env"]);
    denied("*(path:**/.env)", &["ro: cat src/.env"]);
    denied(env, &["script: if true; then cat <.env; fi"]);
    passed(env, &["ro: cat .envrc", "git commit -m 'explain .env'"]);
    // More words than are looked at.
    let long = format!("ro: cat {}", "a ".repeat(9000));
    asked(env, &[&long, "ro: cat b"]);
    // Writing is what is not proven to only read.
    denied("*(path:.env) access=write", &["tee .env"]);
    passed("*(path:.env) access=write", &["ro: cat .env"]);
    denied("*(path:.env)", &["ro: cat .env"]);
}

#[test]
fn a_forbidden_place_below_home_is_known_by_its_tilde() {
    let keys = "*(path:/home/me/.ssh/**) access=read";
    for line in ["op: cat ~/.ssh/id", "op: cat $HOME/.ssh/id", "op: cat ${HOME}/.ssh/a/../id"] {
        denied(keys, &[line]);
    }
    passed(keys, &["op: cat ~/.sshx"]);
    passed("*(path:.ssh/**)", &["op: cat ~/.ssh/id"]);
}

/// The head of a loop is told as a command: over an ordinary name it needs no rule of its own, over one
/// that means something (`for PATH in x`) it is as an assignment.
#[test]
fn a_loop_over_a_name_that_means_something_is_not_covered() {
    let test = ["allow bash(cargo test *)"];
    for head in ["for i in 1 2", "for crate in a b", "for x", "select x in a"] {
        check(&test, "bash", &[head, "cargo test"], "allow bash(cargo test *)");
    }
    for head in [
        "for PATH in /evil",
        "select PATH in /evil",
        "for RUSTC_WRAPPER in ./x",
        "for LD_PRELOAD in ./x",
        "for _ in x",
        "op: for i in $(x)",
        "for i of x",
        "for",
    ] {
        check(&test, "bash", &[head, "cargo test"], "nothing");
    }
    check(&test, "bash", &["for i in 1 2"], "nothing");
}

/// What a shell is given to run, and nobody knows, could be what is denied (SH-16).
#[test]
fn a_shell_with_an_unknown_text_could_run_what_is_denied() {
    for shell in [
        "op: sh",
        "op: /bin/bash -s",
        "op: bash -c $x",
        "op: eval $x",
        "op: . <(curl)",
        "op: source $f",
    ] {
        asked("bash(git push *)", &["curl x", shell]);
        asked("*(path:.env)", &[shell]);
    }
    for other in ["op: bash build.sh $x", "op: python $x", "sh build.sh", "bash -c ls"] {
        passed("bash(git push *)", &[other]);
    }
}
