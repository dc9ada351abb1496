//! Goal: running a program grants nothing (`[CODE-04]`), and its calls get nothing that direct calls would
//! not get (`[CODE-05, 17]`).

use std::sync::Arc;

use super::{
    World, each_world,
    world::{TIGHTER, WRITE},
};
use crate::{
    authority::{
        Layer, Taint, Verdict, judge,
        outlook::{Requires, outlook},
    },
    call::{Caller, Classified},
    catalog::{Entry, Provenance},
    receipt::{Decision, LayerVerdict},
    safety::{Safety, Trust},
    stance::{Mode, Posture},
    testing::{READ, entry},
};

/// A change of a call.
type Change<'a> = &'a dyn Fn(&mut Classified);

fn judged(world: &World, change: Change<'_>) -> Verdict {
    let mut call = world.call();
    change(&mut call);
    judge(&call, &world.at()).verdict
}

/// The verdict in a word, as [`World::word`].
fn word(world: &World, change: Change<'_>) -> String {
    match judged(world, change) {
        Verdict::Allow(_) => "allow".to_owned(),
        Verdict::Review(_) => "review".to_owned(),
        Verdict::Ask(_) => "ask".to_owned(),
        Verdict::Refuse(refusal) => refusal.class,
    }
}

/// 0 runs, 1 waits for somebody, 2 does not run.
fn strictness(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow(_) => 0,
        Verdict::Review(_) | Verdict::Ask(_) => 1,
        Verdict::Refuse(_) => 2,
    }
}

/// Makes it a call of `execute_tools`.
fn program(call: &mut Classified) {
    let tool = &mut call.checked.resolved.entry;
    let name = crate::name::ToolName::try_from("execute_tools").unwrap();
    *tool = Arc::new(Entry { name, ..Entry::clone(tool) });
    call.subjects.clear();
}

/// Makes it a call of a program in a turn.
fn nested(call: &mut Classified) {
    call.checked.resolved.raw.caller = Caller::Program;
}

/// Makes it a call of a program without a turn.
fn conservative(call: &mut Classified) {
    nested(call);
    call.checked.resolved.raw.position.turn = 0;
}

/// Makes it a call of a child agent's program.
fn of_child(call: &mut Classified) {
    nested(call);
    call.checked.resolved.raw.position.agent = "a-1".to_owned();
}

/// `[CODE-04, 05]`: mode × posture × caller × what the server claims.
#[test]
fn a_program_is_always_decided_automatically_and_never_in_plan() {
    for (mode, posture) in Mode::ALL.iter().flat_map(|m| Posture::ALL.map(|p| (*m, p))) {
        for caller in [Caller::Model, Caller::User, Caller::Client] {
            for safety in [READ, WRITE, Safety::WORST] {
                let mut world = World::new(mode, posture, safety);
                // [THR-04] It does not count as reaching out, whatever came in before.
                world.taint.push(Taint { tool: "web".into(), source: "example.com".into() });
                let told = format!("{mode} {posture} {caller:?} {safety:?}");
                let verdict = judged(&world, &|call| {
                    program(call);
                    call.checked.resolved.raw.caller = caller;
                });
                match (mode, verdict) {
                    (Mode::Plan, Verdict::Refuse(refusal)) => {
                        assert_eq!(refusal.class, "plan_mode", "{told}");
                    }
                    (Mode::Work | Mode::Operate, Verdict::Allow(permit)) => {
                        assert_eq!(permit.decision(), Decision::Auto, "{told}");
                        assert!(permit.reason().contains("grants nothing"), "{told}");
                    }
                    (_, verdict) => panic!("{told}: {verdict:?}"),
                }
            }
        }
    }
}

/// `[CODE-04]`: what is said of the tool itself holds; what is said of effects waits for the calls.
#[test]
fn rules_hooks_and_owners_still_speak_of_the_program_itself() {
    let holds = |name: &str| match name {
        "hook asks" | "rule asks" => ["ask", "review", "explicit", "explicit"],
        "owner asks" => ["ask", "hard", "hard", "hard"],
        "hook denies" => ["hook_denied"; 4],
        "rule denies" | "project denies" => ["rule"; 4],
        "owner denies" => ["managed"; 4],
        "wants out" => ["ask", "escalation", "escalation", "escalation"],
        "untrusted server" => ["ask", "review", "allow", "posture"],
        _ => ["allow"; 4],
    };
    for (name, tighten) in TIGHTER {
        for (posture, expected) in Posture::ALL.into_iter().zip(holds(name)) {
            let mut world = World::new(Mode::Work, posture, Safety::WORST);
            tighten(&mut world);
            let expected = match (expected, *name) {
                ("explicit", "hook asks") => "hook",
                ("explicit", _) => "rule",
                ("hard", _) => "managed",
                (other, _) => other,
            };
            assert_eq!(word(&world, &program), expected, "{name}, {posture}");
        }
    }
}

/// `[CODE-04]`: who looks at a catalog is told the same.
#[test]
fn the_outlook_of_a_program_is_that_nobody_is_asked() {
    for (mode, posture) in Mode::ALL.iter().flat_map(|m| Posture::ALL.map(|p| (*m, p))) {
        let world = World::new(mode, posture, WRITE);
        let of = |entry: &Entry| outlook(entry, &world.at()).requires;
        let expected = if mode == Mode::Plan { Requires::Refused } else { Requires::Nothing };
        assert_eq!(of(&entry("execute_tools", Safety::WORST)), expected, "{mode} {posture}");
        let plugin =
            Entry { provenance: Provenance::Plugin, ..entry("execute_tools", Safety::WORST) };
        if mode != Mode::Plan {
            assert_eq!(of(&plugin), Requires::PerCall);
        }
    }
}

/// I2, `[CODE-05, 17]`: in every world a program's call meets what a direct one meets, or more; without a
/// turn only what runs by itself and changes nothing runs, and nobody is asked.
#[test]
fn a_program_never_gets_more_than_a_direct_call() {
    each_world(|world, told| {
        let direct = judged(world, &|_| {});
        let in_turn = judged(world, &nested);
        assert!(strictness(&in_turn) >= strictness(&direct), "{told}: {in_turn:?}");
        if world.escalation.is_none() {
            assert_eq!(strictness(&in_turn), strictness(&direct), "the whole gate: {told}");
        }
        for narrow in [judged(world, &conservative), judged(world, &of_child)] {
            match narrow {
                Verdict::Allow(permit) => {
                    assert_eq!(permit.decision(), Decision::Auto, "{told}");
                    assert!(world.call().safety().read_only, "{told}");
                    assert_eq!(strictness(&direct), 0, "{told}");
                }
                Verdict::Refuse(refusal) => {
                    let was_allowed = strictness(&direct) == 0 && world.call().safety().read_only;
                    assert!(!was_allowed, "{told}: {refusal:?}");
                    if strictness(&direct) == 1 && world.escalation.is_none() {
                        assert_eq!(refusal.class, "conservative", "{told}");
                    }
                }
                Verdict::Ask(_) | Verdict::Review(_) => panic!("somebody is asked: {told}"),
            }
        }
    });
}

/// `[CODE-17]`: the words, and that each layer is still heard.
#[test]
fn a_refusal_of_the_narrow_surface_says_what_has_the_whole_gate() {
    let world = World::new(Mode::Work, Posture::FullAccess, WRITE);
    let Verdict::Refuse(refusal) = judged(&world, &conservative) else { panic!("it writes") };
    assert_eq!((refusal.layer, refusal.class.as_str()), (Layer::Baseline, "conservative"));
    assert_eq!(
        refusal.message,
        "'tool' is not proven to change nothing here; a program without a turn has Tollgate's own tools \
         alone, for calls that change nothing and need nobody's yes (`tollgate run FILE.js` or a turn has \
         the whole gate)"
    );
    let Verdict::Refuse(refusal) = judged(&world, &of_child) else { panic!("it writes") };
    assert!(refusal.message.contains("direct calls"), "{}", refusal.message);

    let mut world = World::new(Mode::Work, Posture::Ask, READ);
    TIGHTER.iter().find(|(name, _)| *name == "rule asks").unwrap().1(&mut world);
    let mut call = world.call();
    conservative(&mut call);
    let ruling = judge(&call, &world.at());
    let Verdict::Refuse(refusal) = ruling.verdict else { panic!("nobody is asked") };
    assert_eq!((refusal.layer, refusal.class.as_str()), (Layer::Rules, "conservative"));
    assert!(refusal.rule.is_some_and(|rule| rule.contains("here:1")));
    assert!(refusal.message.contains("nobody is asked"), "{}", refusal.message);
    let last = ruling.notes.last().unwrap();
    assert_eq!((last.layer, last.verdict), (Layer::Approval, LayerVerdict::Refuse));
}

/// `[CODE-06, 17]`, `[GATE-12]`: layer 12 holds it too.
#[test]
fn a_narrow_permit_ends_when_somebody_would_have_to_be_asked() {
    let world = World::new(Mode::Work, Posture::Ask, READ);
    let mut call = world.call();
    conservative(&mut call);
    let Verdict::Allow(permit) = judge(&call, &world.at()).verdict else { panic!("it reads") };
    assert!(permit.recheck(&call, &world.at()).is_ok());
    let mut asks = world.clone();
    TIGHTER.iter().find(|(name, _)| *name == "rule asks").unwrap().1(&mut asks);
    let refusal = permit.recheck(&call, &asks.at()).unwrap_err();
    assert_eq!((refusal.layer, refusal.class.as_str()), (Layer::Recheck, "conservative"));
}

/// `[CODE-04]`: who is not trusted is asked about as any other call that may do anything.
#[test]
fn a_program_of_an_untrusted_server_is_asked_about() {
    let mut world = World::new(Mode::Work, Posture::Ask, READ);
    world.trust = Trust::Untrusted;
    assert_eq!(word(&world, &program), "ask");
}
