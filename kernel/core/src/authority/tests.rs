//! Goal: the layers together. Every combination of the small enums (mode, posture, safety, hooks, rules,
//! floor, law, managed policy, taint, place) keeps the orderings that the gate promises.

mod programs;
mod world;

use world::{TIGHTER, WIDER, WRITE, World};

use super::{
    Budget, Decider, Layer, Need, Settled, Verdict, admission, judge,
    managed::Managed,
    policy::{Lists, Policy},
    rules::{Action, NamePattern, Rules, Source, compact},
};
use crate::{
    call::Caller,
    catalog::{Catalog, Entry, Requirement, Surface, View},
    limits::NESTED_CALLS_MAX,
    receipt::Decision,
    safety::{Escalation, Safety, Sandbox, Subject, Trust},
    stance::{Mode, Posture, Stance},
    testing::{READ, entry, raw},
};

/// 0 runs, 1 waits for somebody, 2 does not run.
fn strictness(world: &World) -> u8 {
    match world.verdict() {
        Verdict::Allow(_) => 0,
        Verdict::Review(_) | Verdict::Ask(_) => 1,
        Verdict::Refuse(_) => 2,
    }
}

/// Every mode, posture, safety and allowance, with none or one of the tightenings.
fn each_world(mut check: impl FnMut(&World, &str)) -> usize {
    let mut worlds = 0;
    for (mode, posture) in Mode::ALL.iter().flat_map(|m| Posture::ALL.map(|p| (*m, p))) {
        for safety in [READ, WRITE, Safety::WORST] {
            for (wide, widen) in WIDER {
                for tighten in std::iter::once(None).chain(TIGHTER.iter().map(Some)) {
                    let mut world = World::new(mode, posture, safety);
                    widen(&mut world);
                    let mut told = format!("{mode}/{posture}/{safety:?}/{wide}");
                    if let Some((name, tighten)) = tighten {
                        tighten(&mut world);
                        told = format!("{told}/{name}");
                    }
                    check(&world, &told);
                    worlds += 1;
                }
            }
        }
    }
    worlds
}

/// `[GATE-11]`, I2: whatever the world, one more thing against a call never lets more through.
#[test]
fn no_later_layer_widens() {
    let worlds = each_world(|world, told| {
        let before = strictness(world);
        for (name, tighten) in TIGHTER {
            let mut tighter = world.clone();
            tighten(&mut tighter);
            assert!(strictness(&tighter) >= before, "{told}, then {name}");
        }
    });
    // Each once more with each tightening: all pairs.
    assert!(worlds > 3_000, "{worlds}");
}

/// `[GATE-10..13]`, `[GATE-50, 51]`, `[THR-03]`: what each mode and posture promises, in every world.
#[test]
fn modes_and_postures_keep_their_promises_in_every_world() {
    each_world(|world, told| {
        let (verdict, posture) = (world.verdict(), world.stance.posture);
        let read_only = world.call().safety().read_only && world.escalation.is_none();
        let runs = matches!(verdict, Verdict::Allow(_));
        if world.stance.mode == Mode::Plan && !read_only {
            assert!(matches!(verdict, Verdict::Refuse(_)), "plan changes nothing: {told}");
        }
        match posture {
            Posture::Ask => assert!(!matches!(verdict, Verdict::Review(_)), "{told}"),
            Posture::AutoReview => assert!(!matches!(verdict, Verdict::Ask(_)), "{told}"),
            Posture::FullAccess | Posture::Never => {
                assert!(!matches!(verdict, Verdict::Ask(_) | Verdict::Review(_)), "{told}");
            }
        }
        if posture == Posture::Never && runs {
            assert!(read_only, "never runs only what is read-only: {told}");
        }
        let is_denied = ["denies", "law blocks", "own place"].iter().any(|no| told.contains(no));
        let spared = world.call().safety().read_only && !told.contains("denies");
        if is_denied && !spared && !told.contains("hook asks") {
            assert!(matches!(verdict, Verdict::Refuse(_)), "{told}: {:?}", world.word());
        }
    });
}

/// Operate has the authority of work.
#[test]
fn operate_is_work() {
    each_world(|world, told| {
        let mut other = world.clone();
        if world.stance.mode == Mode::Work {
            other.stance.mode = Mode::Operate;
            assert_eq!(world.word(), other.word(), "{told}");
        }
    });
}

#[track_caller]
fn check(world: &World, expected: &str) {
    assert_eq!(world.word(), expected, "{world:?}");
}

/// `[GATE-10]`: no posture widens plan.
#[test]
fn plan_refuses_whatever_the_posture() {
    for posture in Posture::ALL {
        check(&World::new(Mode::Plan, posture, WRITE), "plan_mode");
        check(&World::new(Mode::Plan, posture, Safety::WORST), "plan_mode");
        check(&World::new(Mode::Plan, posture, READ), "allow");
    }
}

/// `[GATE-11]`.
#[test]
fn the_posture_decides_what_changes_something() {
    for mode in [Mode::Work, Mode::Operate] {
        check(&World::new(mode, Posture::Ask, WRITE), "ask");
        check(&World::new(mode, Posture::AutoReview, WRITE), "review");
        check(&World::new(mode, Posture::FullAccess, WRITE), "allow");
        check(&World::new(mode, Posture::Never, WRITE), "posture");
        for posture in Posture::ALL {
            check(&World::new(mode, posture, READ), "allow");
        }
    }
}

/// The table of `need.rs`, row by row.
#[test]
fn needs_are_settled_as_the_table_says() {
    use Settled::{Allowed, ByGuardian, ByPerson, Refused};
    let rows = [
        (Need::Ordinary, [ByPerson, ByGuardian, Allowed, Refused]),
        (Need::Taint, [ByPerson, ByGuardian, Allowed, Refused]),
        (Need::Explicit, [ByPerson, ByGuardian, Refused, Refused]),
        (Need::Hard, [ByPerson, Refused, Refused, Refused]),
    ];
    for (need, expected) in rows {
        assert_eq!(Posture::ALL.map(|posture| need.settled(posture)), expected, "{need:?}");
    }
    assert_eq!(rows.map(|row| row.0), Need::ALL);
}

/// An allowance clears ordinary approval, and nothing else.
#[test]
fn an_allowance_clears_ordinary_approval_only() {
    for (name, widen) in WIDER.iter().skip(1) {
        let mut world = World::new(Mode::Work, Posture::Ask, WRITE);
        widen(&mut world);
        assert_eq!(world.word(), "allow", "{name}");
        for (against, tighten) in TIGHTER {
            let mut tighter = world.clone();
            tighten(&mut tighter);
            let replaced = against.starts_with("hook") && name.starts_with("hook");
            let no_longer_believed = *against == "untrusted server";
            if !replaced && !no_longer_believed {
                assert_ne!(tighter.word(), "allow", "{name}, but {against}");
            }
        }
    }
}

#[test]
fn an_untrusted_server_can_only_tighten() {
    let world = World { trust: Trust::Untrusted, ..World::new(Mode::Work, Posture::Ask, READ) };
    assert_eq!(world.call().safety(), Safety::WORST);
    check(&world, "ask");
}

/// `[GATE-72]`.
#[test]
fn a_wider_sandbox_needs_a_card_and_posture_ask() {
    let wish = |to| Some(Escalation { to, justification: "tests need it".into() });
    for (posture, expected) in [
        (Posture::Ask, "ask"),
        (Posture::AutoReview, "escalation"),
        (Posture::FullAccess, "escalation"),
        (Posture::Never, "escalation"),
    ] {
        let world = World::new(Mode::Work, posture, WRITE);
        check(&World { escalation: wish(Sandbox::Network), ..world }, expected);
    }
    let world = World::new(Mode::Work, Posture::Ask, WRITE);
    let same = World { escalation: wish(Sandbox::WorkspaceWrite), ..world };
    check(&same, "escalation_not_wider");
}

/// `[GATE-12]`: a yes counts only if nothing has become narrower meanwhile.
#[test]
fn a_yes_is_checked_against_now() {
    let world = World::new(Mode::Work, Posture::Ask, WRITE);
    let call = world.call();
    let granted = |now: &World| {
        let Verdict::Ask(prompt) = world.verdict() else { panic!("it asks") };
        prompt.grant(&call, &now.at(), Decider::Person, "yes".to_owned())
    };
    let permit = granted(&world).unwrap();
    assert_eq!((permit.decision(), permit.decider()), (Decision::Approved, Decider::Person));
    let mut plan = world.clone();
    plan.stance.mode = Mode::Plan;
    assert_eq!(granted(&plan).unwrap_err().class, "plan_mode");
    let mut never = world.clone();
    never.stance.posture = Posture::Never;
    assert_eq!(granted(&never).unwrap_err().class, "posture");
    for (name, tighten) in TIGHTER.iter().filter(|(name, _)| name.starts_with("law")) {
        let mut now = world.clone();
        tighten(&mut now);
        assert_eq!(granted(&now).unwrap_err().layer, Layer::Recheck, "{name}");
    }
    // A permit is looked at once more after the last wait.
    assert_eq!(permit.recheck(&call, &plan.at()).unwrap_err().class, "plan_mode");
    assert!(permit.recheck(&call, &world.at()).is_ok());
}

/// The guardian's yes is no person's: where a person has to say it now, nobody has.
#[test]
fn a_guardians_yes_does_not_outlive_its_posture() {
    let world = World::new(Mode::Work, Posture::AutoReview, WRITE);
    let call = world.call();
    let granted = |now: &World, decider| {
        let Verdict::Review(prompt) = world.verdict() else { panic!("it is reviewed") };
        prompt.grant(&call, &now.at(), decider, "yes".to_owned())
    };
    let ask = World::new(Mode::Work, Posture::Ask, WRITE);
    let permit = granted(&world, Decider::Guardian).unwrap();
    assert_eq!(permit.recheck(&call, &ask.at()).unwrap_err().class, "narrowed");
    assert_eq!(granted(&ask, Decider::Guardian).unwrap_err().class, "narrowed");
    assert!(granted(&ask, Decider::Person).is_ok());
}

/// A hidden name means its tool: rules and lists of that hold for it.
#[test]
fn a_hidden_name_is_judged_as_its_tool() {
    let mut world = World::new(Mode::Work, Posture::FullAccess, WRITE);
    let mut call = world.call();
    let entry = &mut call.checked.resolved.entry;
    let canonical = entry.name.clone();
    let hidden = crate::name::ToolName::try_from("old_name").unwrap();
    let renamed = Entry { name: hidden, means: Some(canonical.clone()), ..(**entry).clone() };
    *entry = std::sync::Arc::new(renamed);
    let deny =
        compact::parse(canonical.as_str(), Action::Deny, Source::User, None, "here").unwrap();
    assert!(matches!(judge(&call, &world.at()).verdict, Verdict::Allow(_)));
    world.policy.rules = Rules::new(vec![deny]);
    let Verdict::Refuse(refusal) = judge(&call, &world.at()).verdict else { panic!("denied") };
    assert_eq!(refusal.class, "rule");
    let mut listed = Policy::default();
    listed.lists.deny = vec![NamePattern::new(canonical.as_str()).unwrap()];
    let refused =
        admission::admit(call.checked.resolved, Stance::default(), Surface::Full, &listed);
    assert_eq!(refused.unwrap_err().class, "denied_tool");
}

/// I2: that a deny rule does not hold for what cannot be known is no model's to say.
#[test]
fn a_deny_that_may_hold_is_settled_by_a_person_only() {
    for (posture, expected) in
        [(Posture::Ask, "ask"), (Posture::AutoReview, "rule"), (Posture::FullAccess, "rule")]
    {
        let mut world = World::new(Mode::Work, posture, WRITE);
        let deny =
            compact::parse("*(command:git push *)", Action::Deny, Source::User, None, "here");
        world.policy.rules = Rules::new(vec![deny.unwrap()]);
        let argv = vec!["$X".to_owned(), "push".to_owned()];
        let operator = String::new();
        world.subjects = vec![Subject::Command { argv, operator, opaque: true, read_only: false }];
        assert_eq!(world.word(), expected, "{posture}");
    }
}

#[test]
fn what_was_automatic_is_not_when_the_posture_asks_now() {
    let open = World::new(Mode::Work, Posture::FullAccess, WRITE);
    let Verdict::Allow(permit) = open.verdict() else { panic!("it is allowed") };
    let ask = World::new(Mode::Work, Posture::Ask, WRITE);
    assert_eq!(permit.recheck(&open.call(), &ask.at()).unwrap_err().class, "narrowed");
}

/// Every layer is heard, also after a refusal, so that `permissions explain` shows them all.
#[test]
fn every_layer_says_something() {
    each_world(|world, told| {
        let ruling = judge(&world.call(), &world.at());
        let layers = [
            Layer::Hooks,
            Layer::Baseline,
            Layer::Rules,
            Layer::AutoReview,
            Layer::Law,
            Layer::Managed,
        ];
        for layer in layers {
            assert!(ruling.notes.iter().any(|note| note.layer == layer), "{layer:?}: {told}");
        }
    });
}

#[track_caller]
fn admitted(entry: Entry, caller: Caller, mode: Mode, policy: &Policy, expected: Result<(), &str>) {
    let mut call = raw("tool");
    call.caller = caller;
    let resolved = View::whole(Catalog::from_iter([entry])).resolve(call).unwrap();
    let stance = Stance { mode, posture: Posture::FullAccess };
    let got = admission::admit(resolved, stance, Surface::Full, policy)
        .map(drop)
        .map_err(|refusal| refusal.class);
    assert_eq!(got, expected.map_err(str::to_owned));
}

#[test]
fn admission_looks_at_caller_availability_and_mode() {
    let read = || entry("tool", READ);
    let none = Policy::default();
    admitted(read(), Caller::Model, Mode::Plan, &none, Ok(()));
    admitted(read(), Caller::User, Mode::Plan, &none, Ok(()));
    for (caller, class) in
        [(Caller::Program, "direct_only"), (Caller::Server, "caller"), (Caller::Client, "caller")]
    {
        admitted(read(), caller, Mode::Work, &none, Err(class));
        admitted(Entry { callers: vec![caller], ..read() }, caller, Mode::Work, &none, Ok(()));
    }
    // Plan mode is free of shells, whatever their line says.
    admitted(entry("tool", Safety::WORST), Caller::Model, Mode::Plan, &none, Err("plan_mode"));
    admitted(entry("tool", Safety::WORST), Caller::Model, Mode::Work, &none, Ok(()));
    let unmet = Requirement { name: "python3".into(), met: false, found: "not found".into() };
    let entry = Entry { requirements: vec![unmet], ..read() };
    admitted(entry, Caller::User, Mode::Work, &none, Err("unavailable"));
}

/// Layer 2: deny wins over allow; a server that the owner does not allow is not even started.
#[test]
fn admission_looks_at_lists() {
    let names = |names: &[&str]| names.iter().map(|it| NamePattern::new(it).unwrap()).collect();
    let lists = |allow: Option<&[&str]>, deny: &[&str]| Policy {
        lists: Lists { allow: allow.map(names), deny: names(deny) },
        ..Policy::default()
    };
    let check = |policy: &Policy, expected| {
        admitted(entry("tool", READ), Caller::Model, Mode::Work, policy, expected);
    };
    check(&lists(None, &["other"]), Ok(()));
    check(&lists(Some(&["to*"]), &[]), Ok(()));
    check(&lists(Some(&["other"]), &[]), Err("not_allowed_tool"));
    check(&lists(Some(&["tool"]), &["t*"]), Err("denied_tool"));
    let managed = Managed { servers: vec![names(&["shell"])], ..Managed::default() };
    check(&Policy { managed, ..Policy::default() }, Err("managed_server"));
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
