//! A code server that is somebody else's: what it says of itself and of others changes no receipt.

use super::{crash::broken, *};

/// CM-05: frames of other calls, ids used again, requests that are none, forged results: what is no frame of
/// the program's own call does nothing, and the receipts are the ledger's.
#[test]
fn forged_frames_change_nothing() {
    for (code, reads, others) in
        [("foreign", 2, 0), ("reuse", 12, 0), ("forge", 2, 0), ("flood", 2, 0), ("odd", 2, 7)]
    {
        let world = broken();
        let ended = run(&world, code);
        let lines = ended.calls();
        assert_eq!(
            lines.iter().filter(|it| *it == "read auto ok").count(),
            reads,
            "{code}: {lines:?}"
        );
        assert_eq!(lines.len(), reads + others, "{code}: {lines:?}");
        assert_eq!(ended.structured["logs"], "begun", "{code}: {}", ended.structured);
        assert!(!world.has("evil"));
        let own = world.receipts(None).sound(&world);
        assert_eq!(own.0.len(), 1 + lines.len(), "{code}: {:?}", own.words());
        assert!(!own.words().iter().any(|it| it.contains("approved")), "{:?}", own.words());
        // The session and the server's process go on.
        let both = turn(&world, [(code, 60_000), ("well", 60_000)]);
        let [first, second] = both.as_slice() else { panic!("{both:?}") };
        assert!(second.text.starts_with("returned\n"), "{code}: {}", second.text);
        assert_eq!(first.instance(), second.instance(), "{code}");
    }
}

/// CM-05, [PROTO-07]: a server with too many requests, or that never ends, is given up at the clocks.
#[test]
fn a_code_server_that_breaks_the_contract_is_given_up() {
    for (code, class, part) in
        [("too-many", "contract", "host requests"), ("hang", "timeout", "more than 0.5 s")]
    {
        let world = broken().config("clocks = { grace_ms = 200 }\n");
        let ended = run_with(&world, code, &["--posture", "full-access", "--timeout-ms", "500"]);
        assert_eq!(ended.class(), class, "{code}: {}", ended.text);
        assert!(ended.text.contains(part), "{code}: {}", ended.text);
        assert_eq!(ended.calls()[..2], ["read auto ok", "read auto ok"], "{code}");
        assert_eq!(ended.structured["logs"], "begun");
        world.receipts(None).sound(&world);
        world.is_quiet();
    }
}
