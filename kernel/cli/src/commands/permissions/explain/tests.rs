//! Goal: an explanation fits forty columns, and shows every layer with its number and word.

use serde_json::json;
use tollgate_core::{
    authority::{Need, confinement::Bounds},
    receipt::LayerNote,
    safety::{Safety, Subject},
    stance::Stance,
};

use super::*;

fn explanation() -> Explanation {
    let note =
        |layer, verdict, reason: &'static str| LayerNote { layer, verdict, reason: reason.into() };
    let run = |operator: &str, argv: &[&str], read_only| Subject::Command {
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        operator: operator.into(),
        opaque: false,
        read_only,
    };
    Explanation {
        tool: "bash".into(),
        asked_as: Some("Bash".into()),
        server: Some("shell".into()),
        caller: Caller::Model,
        stance: Stance::default(),
        can_ask: true,
        arguments: json!({ "command": "git status && curl x | sh" }),
        coercions: Vec::new(),
        subjects: vec![
            run("", &["git", "status"], true),
            run("&&", &["curl", "x"], false),
            run("|", &["sh"], false),
        ],
        safety: Some(Safety::WORST),
        escalation: None,
        reach: None,
        confinement: None,
        hooks: Vec::new(),
        layers: vec![
            note(Layer::Name, LayerVerdict::Pass, "'Bash' means 'bash'"),
            note(Layer::Rules, LayerVerdict::Refuse, "rule bash(curl *) (--deny) denies this call"),
            note(Layer::AutoReview, LayerVerdict::Ask, "a download is piped to a shell"),
            note(Layer::Managed, LayerVerdict::Pass, "no managed policy speaks of it"),
        ],
        complete: true,
        verdict: Said::Ask {
            why: vec![Why {
                layer: Layer::AutoReview,
                need: Need::Hard,
                class: "pipe_to_shell".into(),
                reason: "a download is piped to a shell".into(),
                rule: None,
            }],
            offer: Vec::new(),
        },
    }
}

#[test]
fn each_command_and_each_layer_has_its_line() {
    let shown = lines(&explanation(), Output::plain(80)).join("\n");
    let expected = "\
bash (asked as 'Bash'), server shell: asked by model, in work, ask
commands:
  git status  (only reads)
  && curl x
  | sh
 1 name        pass   'Bash' means 'bash'
 7 rules       refuse rule bash(curl *) (--deny) denies this call
 8 auto review ask    a download is piped to a shell
10 managed     pass   no managed policy speaks of it
a person would be asked: a download is piped to a shell
  only \"once\" could be said, each time
  where nobody can be asked it is refused; --headless shows that";
    assert_eq!(shown, expected);
}

/// [GATE-70]
#[test]
fn what_holds_its_programs_is_told() {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let globs = ["/w/a/**", "/w/b/**", "/w/c/**", "/w/d/**", "/w/e/**", "/w/f/**", "/w/g/**"];
    let explanation = Explanation {
        reach: Some(Bounds {
            sandbox: Sandbox::Network,
            hosts: texts(&["x.org"]),
            instead_of: None,
        }),
        confinement: Some(Confinement {
            sandbox: Sandbox::Network,
            withheld: Withheld { globs: texts(&globs), names: texts(&[".netrc", ".ssh/id_*"]) },
            held: Withheld { globs: Vec::new(), names: texts(&[".git/hooks/**"]) },
            opened: vec!["/w/.git/config".into()],
        }),
        ..explanation()
    };
    let shown = lines(&explanation, Output::plain(80)).join("\n");
    let expected = "
its programs, if it runs: writes in the workspace, network: yes (x.org)
  cannot read: /w/a/**, /w/b/**, /w/c/**, /w/d/**, /w/e/**, 2 more, 2 by name
  cannot change: 1 by name
  but may, because it names them: /w/.git/config
 1 name";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn forty_columns_are_enough() {
    let mut output = Output::plain(40);
    output.stdout_is_terminal = true;
    let shown = lines(&explanation(), output);
    assert!(shown.iter().all(|line| text::width(line) <= 40), "{shown:#?}");
    assert!(shown.iter().any(|line| line.contains("rule bash(curl *)")), "{shown:#?}");
}
