//! What is measured: kinds of programs, their text, and who runs them.

use super::sides::Side;

/// Calls of a program that has calls. It is the most that one program may make (`[CODE-15]`).
pub(super) const CALLS: u32 = 1000;

/// A kind of program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// No call; the server runs.
    Empty,
    /// No call; the server does not run.
    Cold,
    /// Calls one after the other.
    Sequential,
    /// Calls in one `Promise.all`.
    All,
}

impl Kind {
    /// The row's name.
    pub(super) fn figure(self) -> &'static str {
        match self {
            Self::Empty => "empty program, warm server",
            Self::Cold => "empty program, cold server",
            Self::Sequential => "program of 1,000 gated calls, one by one",
            Self::All => "program of 1,000 gated calls, Promise.all",
        }
    }

    /// What is wanted, in µs.
    pub(super) fn goal_us(self) -> f64 {
        match self {
            Self::Empty => 500.0,
            Self::Cold => 8_000.0,
            Self::Sequential => 30_000.0,
            Self::All => 14_000.0,
        }
    }

    /// Who runs it; ours first.
    pub(super) fn sides(self) -> &'static [Side] {
        match self {
            Self::Cold => &[Side::Ours, Side::Monty, Side::Utcp],
            Self::Empty => &[Side::Ours, Side::QuickJs, Side::Engine, Side::Monty, Side::Utcp],
            Self::Sequential | Self::All => {
                &[Side::Ours, Side::QuickJs, Side::Engine, Side::Direct, Side::Monty, Side::Utcp]
            }
        }
    }

    /// As a peer is asked for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Cold => "cold",
            Self::Sequential => "sequential",
            Self::All => "all",
        }
    }

    /// The calls of the program, which is also the value that it returns: those that came back right.
    pub(super) fn calls(self) -> u32 {
        match self {
            Self::Empty | Self::Cold => 0,
            Self::Sequential | Self::All => CALLS,
        }
    }

    /// The body of an async function.
    pub(super) fn program(self) -> &'static str {
        match self {
            Self::Empty | Self::Cold => "return 0;",
            Self::Sequential => {
                r#"let n = 0;
for (let i = 0; i < 1000; i++) {
  const result = await tools.call("echo_a", { text: "x" });
  if (result.content === "x") n += 1;
}
return n;"#
            }
            Self::All => {
                r#"const all = await Promise.all(
  Array.from({ length: 1000 }, () => tools.call("echo_a", { text: "x" })));
return all.filter((result) => result.content === "x").length;"#
            }
        }
    }
}
