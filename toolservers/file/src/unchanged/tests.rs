//! Goal: a sentence stands for a window only where the model has that window. [FILE-04]

use super::*;
use crate::testing::World;

/// Who asks, when, and for what.
struct Asker {
    context: Context,
    path: PathBuf,
}

impl Asker {
    /// An asker of a session of its own: the memory is that of the whole process.
    fn new() -> Self {
        let world = World::new();
        let path = world.path("f");
        let session = path.display().to_string();
        Self { context: Context { session, ..world.context(Vec::new()) }, path }
    }

    fn at(&self, turn: u32, step: u32) -> Option<u32> {
        self.asks(&Context { turn, step, ..self.context.clone() }, None, 1)
    }

    fn asks(&self, context: &Context, limit: Option<u64>, content: u8) -> Option<u32> {
        since(context, &self.path, Wanted { offset: 1, limit }, [content; 32], SEEN_BYTES_MIN)
    }
}

#[test]
fn a_second_read_in_a_later_step_is_answered_with_the_first() {
    let asker = Asker::new();
    assert_eq!(asker.at(1, 1), None);
    assert_eq!(asker.at(1, 1), None, "a result of the same step is not in the request yet");
    assert_eq!(asker.at(1, 2), Some(1));
    assert_eq!(asker.at(1, 3), None, "who asks once more needs it");
    assert_eq!(asker.at(1, 4), Some(3));
}

#[test]
fn steps_and_turns_bound_it() {
    let asker = Asker::new();
    assert_eq!(asker.at(1, 1), None);
    assert_eq!(asker.at(1, 2 + SEEN_STEPS_MAX), None, "too many steps ago");
    assert_eq!(asker.at(2, 3 + SEEN_STEPS_MAX), None, "another turn");
    assert_eq!(asker.at(2, 1), None, "a step before");
}

#[test]
fn other_askers_windows_and_contents_are_shown() {
    let asker = Asker::new();
    let context = |step| Context { step, ..asker.context.clone() };
    assert_eq!(asker.asks(&context(1), None, 1), None);
    let child = Context { agent: "child".to_owned(), ..context(2) };
    assert_eq!(asker.asks(&child, None, 1), None);
    let session = Context { session: "other".to_owned(), ..context(2) };
    assert_eq!(asker.asks(&session, None, 1), None);
    assert_eq!(asker.asks(&context(2), Some(5), 1), None);
    for caller in [Caller::Program, Caller::Server, Caller::User, Caller::Client] {
        assert_eq!(asker.asks(&Context { caller, ..context(2) }, None, 1), None, "{caller:?}");
    }
    assert_eq!(asker.asks(&context(2), None, 1), Some(1), "none of these has changed it");
    assert_eq!(asker.asks(&context(3), None, 1), None);
    assert_eq!(asker.asks(&context(4), None, 2), None, "changed");
    assert_eq!(asker.asks(&context(5), None, 1), None, "changed back");
}

/// What a program read is not what the model has.
#[test]
fn a_program_leaves_no_trace() {
    let asker = Asker::new();
    let program = Context { caller: Caller::Program, ..asker.context.clone() };
    assert_eq!(asker.asks(&program, None, 1), None);
    assert_eq!(asker.at(1, 2), None);
}

#[test]
fn little_is_always_shown_and_much_makes_room() {
    let asker = Asker::new();
    let wanted = Wanted { offset: 1, limit: None };
    for step in 1..3 {
        let context = Context { step, ..asker.context.clone() };
        assert_eq!(since(&context, &asker.path, wanted, [1; 32], SEEN_BYTES_MIN - 1), None);
    }
    assert_eq!(asker.at(1, 1), None);
    for limit in 0..SEEN_MAX as u64 {
        assert_eq!(asker.asks(&asker.context, Some(limit), 1), None);
    }
    assert_eq!(asker.at(1, 2), None, "the oldest went");
}
