//! Goal: every row of the decision table, over all modes and postures; and the orderings that the
//! kernel relies on.

use super::{Budget, Decider, Layer, Verdict, admission, decide, recheck};
use crate::{
    call::Caller,
    catalog::{Catalog, Entry, Requirement},
    limits::NESTED_CALLS_MAX,
    receipt::Decision,
    safety::{Safety, Trust},
    stance::{Mode, Posture, Stance},
    testing::{READ, classified, entry, raw},
};

const WRITE: Safety =
    Safety { read_only: false, destructive: false, open_world: false, ..Safety::WORST };

/// The verdict in a word: "allow", "ask", or the refusal's class.
fn word(safety: Safety, mode: Mode, posture: Posture) -> String {
    match decide(&classified(Trust::Trusted, safety), Stance { mode, posture }) {
        Verdict::Allow(_) => "allow".to_owned(),
        Verdict::Ask(_) => "ask".to_owned(),
        Verdict::Refuse(refusal) => refusal.class,
    }
}

#[track_caller]
fn check(safety: Safety, mode: Mode, posture: Posture, expected: &str) {
    assert_eq!(word(safety, mode, posture), expected, "{mode}/{posture}/{safety:?}");
}

/// `[GATE-10]`: no posture widens plan.
#[test]
fn plan_refuses_whatever_the_posture() {
    for posture in Posture::ALL {
        check(WRITE, Mode::Plan, posture, "plan_mode");
        check(Safety::WORST, Mode::Plan, posture, "plan_mode");
        check(READ, Mode::Plan, posture, "allow");
    }
}

/// `[GATE-11]`.
#[test]
fn the_posture_decides_what_changes_something() {
    for mode in [Mode::Work, Mode::Operate] {
        check(WRITE, mode, Posture::Ask, "ask");
        check(WRITE, mode, Posture::FullAccess, "allow");
        check(WRITE, mode, Posture::AutoReview, "auto_review");
        check(WRITE, mode, Posture::Never, "posture");
        for posture in Posture::ALL {
            check(READ, mode, posture, "allow");
        }
    }
}

#[test]
fn full_access_is_the_widest() {
    let safeties = [READ, WRITE, Safety::WORST];
    for (mode, posture) in Mode::ALL.iter().flat_map(|m| Posture::ALL.map(|p| (*m, p))) {
        for safety in safeties {
            let allowed = word(safety, mode, posture) == "allow";
            let widest = word(safety, mode, Posture::FullAccess) == "allow";
            assert!(!allowed || widest, "{mode}/{posture}/{safety:?}");
        }
    }
}

#[test]
fn an_untrusted_server_can_only_tighten() {
    let stance = Stance { mode: Mode::Work, posture: Posture::Ask };
    let call = classified(Trust::Untrusted, READ);
    assert_eq!(call.safety(), Safety::WORST);
    assert!(matches!(decide(&call, stance), Verdict::Ask(_)));
}

/// `[GATE-12]`: a yes counts only if the stance has not become narrower meanwhile.
#[test]
fn a_yes_is_checked_against_now() {
    let call = classified(Trust::Trusted, WRITE);
    let ask = Stance { mode: Mode::Work, posture: Posture::Ask };
    let granted = |now| {
        let Verdict::Ask(prompt) = decide(&call, ask) else { panic!("it asks") };
        prompt.grant(&call, now)
    };
    let permit = granted(ask).unwrap();
    assert_eq!((permit.decision(), permit.decider()), (Decision::Approved, Decider::Person));
    let plan = Stance { mode: Mode::Plan, ..ask };
    assert_eq!(granted(plan).unwrap_err().class, "plan_mode");
    let never = Stance { posture: Posture::Never, ..ask };
    assert_eq!(granted(never).unwrap_err().class, "posture");
}

#[test]
fn what_was_automatic_is_not_when_the_posture_asks_now() {
    let call = classified(Trust::Trusted, WRITE);
    let ask = Stance { mode: Mode::Work, posture: Posture::Ask };
    assert_eq!(recheck(&call, ask, false).unwrap_err().class, "narrowed");
    assert!(recheck(&call, ask, true).is_ok());
}

#[track_caller]
fn admitted(entry: Entry, caller: Caller, mode: Mode, expected: Result<(), &str>) {
    let mut catalog = Catalog::default();
    catalog.add(entry).unwrap();
    let mut call = raw("tool");
    call.caller = caller;
    let resolved = catalog.resolve(call).unwrap();
    let stance = Stance { mode, posture: Posture::FullAccess };
    let got = admission::admit(resolved, stance).map(drop).map_err(|refusal| refusal.class);
    assert_eq!(got, expected.map_err(str::to_owned));
}

#[test]
fn admission_looks_at_caller_availability_and_mode() {
    let read = || entry("tool", READ);
    admitted(read(), Caller::Model, Mode::Plan, Ok(()));
    admitted(read(), Caller::User, Mode::Plan, Ok(()));
    for caller in [Caller::Program, Caller::Server, Caller::Client] {
        admitted(read(), caller, Mode::Work, Err("caller"));
        admitted(Entry { callers: vec![caller], ..read() }, caller, Mode::Work, Ok(()));
    }
    // Plan mode is free of shells, whatever their line says.
    admitted(entry("tool", Safety::WORST), Caller::Model, Mode::Plan, Err("plan_mode"));
    admitted(entry("tool", Safety::WORST), Caller::Model, Mode::Work, Ok(()));
    let unmet = Requirement { name: "python3".into(), met: false, found: "not found".into() };
    admitted(
        Entry { requirements: vec![unmet], ..read() },
        Caller::User,
        Mode::Work,
        Err("unavailable"),
    );
}

#[test]
fn a_budget_ends_with_its_number() {
    let mut budget = Budget::new(2);
    assert!(budget.take(0).is_ok() && budget.take(0).is_ok());
    let refusal = budget.take(0).unwrap_err();
    assert!(refusal.message.contains("its 2 calls"), "{}", refusal.message);
}

/// [GATE-03] A server that asks for itself without end meets a number, not the end of the stack.
#[test]
fn calls_that_ask_for_calls_stand_only_so_deep() {
    let mut budget = Budget::new(100);
    assert!(budget.take(NESTED_CALLS_MAX).is_ok());
    let refusal = budget.take(NESTED_CALLS_MAX + 1).unwrap_err();
    assert_eq!((refusal.layer, refusal.class.as_str()), (Layer::Budget, "nested_too_deep"));
    assert!(refusal.message.contains("16 deep"), "{}", refusal.message);
}
