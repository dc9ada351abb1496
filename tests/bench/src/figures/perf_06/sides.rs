//! Who runs programs: ours, the floors, the peers.

use std::time::Instant;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};
use tollgate_engine::gate::CallEnd;

use super::{
    engines,
    kind::{CALLS, Kind},
    peer::Peer,
};
use crate::{
    kernel::{Bench, text},
    process::{below, pss_mib},
    stats::Samples,
};

/// Calls of a program that are in flight at once (`[CODE-15]`).
const IN_FLIGHT: usize = 32;

/// Who runs a program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Side {
    /// A gated call of `execute_tools`.
    Ours,
    /// A bare interpreter of the same kind.
    QuickJs,
    /// Our engine without the server and the kernel.
    Engine,
    /// No program: the same gated calls, asked by the model.
    Direct,
    /// `pydantic-monty`.
    Monty,
    /// `@utcp/code-mode`.
    Utcp,
}

/// All of them, ready.
#[derive(Debug)]
pub(super) struct Sides {
    bench: Bench,
    monty: Peer,
    utcp: Peer,
}

/// Proportional set sizes, in MiB.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) ours: f64,
    pub(super) monty: f64,
    pub(super) utcp: f64,
}

impl Side {
    /// As the table has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::QuickJs => "QuickJS alone, answered at once",
            Self::Engine => "our engine alone, answered by a thread",
            Self::Direct => "the same gated calls without a program",
            Self::Monty => "Monty 1.4.0: no gate, tool in process",
            Self::Utcp => "@utcp/code-mode 1.2.12: no gate, tool in process",
        }
    }
}

impl Sides {
    /// # Errors
    /// A server or a peer cannot be had.
    pub(super) async fn open() -> anyhow::Result<Self> {
        // Before the kernel, whose reaper ends children that it does not know.
        let monty = Peer::start("python", "monty.py")?;
        let utcp = Peer::start("node", "utcp.mjs")?;
        Ok(Self { bench: Bench::open_for_programs().await?, monty, utcp })
    }

    /// So many programs of a kind, each from its text to its value.
    ///
    /// # Errors
    /// One failed or gave another value.
    pub(super) async fn run(
        &mut self,
        side: Side,
        kind: Kind,
        programs: usize,
    ) -> anyhow::Result<Samples> {
        match side {
            Side::Ours => self.ours(kind, programs).await,
            Side::Direct => self.direct(kind, programs).await,
            Side::QuickJs => engines::quickjs(kind, programs),
            Side::Engine => engines::ours(kind, programs),
            Side::Monty => self.monty.run(kind, programs),
            Side::Utcp => self.utcp.run(kind, programs),
        }
    }

    async fn ours(&self, kind: Kind, programs: usize) -> anyhow::Result<Samples> {
        let arguments = Bytes::from(json!({ "code": kind.program() }).to_string());
        let mut samples = Samples::default();
        for _ in 0..programs {
            if kind == Kind::Cold {
                self.bench.kernel.stop().await;
            }
            let start = Instant::now();
            let end = self.bench.ask("execute_tools", arguments.clone()).await?;
            samples.since(start);
            check(&end, kind)?;
        }
        Ok(samples)
    }

    async fn direct(&self, kind: Kind, programs: usize) -> anyhow::Result<Samples> {
        let in_flight = if kind == Kind::All { IN_FLIGHT } else { 1 };
        let mut samples = Samples::default();
        for _ in 0..programs {
            let start = Instant::now();
            let calls = (0..CALLS).map(|_| async {
                let end = self.bench.ask("echo_a", Bytes::from_static(br#"{"text":"x"}"#)).await?;
                ensure!(text(&end) == "x", "echo gave {}", text(&end));
                Ok(())
            });
            stream::iter(calls).buffer_unordered(in_flight).try_collect::<()>().await?;
            samples.since(start);
        }
        Ok(samples)
    }

    /// What the servers of programs hold now.
    ///
    /// # Errors
    /// One has ended.
    pub(super) fn memory(&self) -> anyhow::Result<Memory> {
        let own = i32::try_from(std::process::id())?;
        let is_code =
            |words: &[String]| words.first().is_some_and(|it| it.ends_with("tollgate-code"));
        let code = below(own)?.into_iter().find(|process| is_code(&process.words));
        let code = code.context("tollgate-code does not run")?;
        Ok(Memory {
            ours: pss_mib(code.pid)?,
            monty: self.monty.pss_mib()?,
            utcp: self.utcp.pss_mib()?,
        })
    }

    /// Ends the servers; the peers end with their standard input.
    pub(super) async fn close(self) {
        self.bench.kernel.stop().await;
    }
}

/// The program counted all its calls right, and so do their receipts.
fn check(end: &CallEnd, kind: Kind) -> anyhow::Result<()> {
    let told = &end.result.structured;
    let value = told.get("value").and_then(Value::as_u64);
    let receipts = told.get("receipts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_ok = |receipt: &&Value| receipt.get("status").and_then(Value::as_str) == Some("ok");
    let ok = receipts.iter().filter(is_ok).count();
    ensure!(
        value == Some(u64::from(kind.calls())) && ok == kind.calls() as usize,
        "a program gave {value:?}, with {ok} receipts of calls that succeeded: {}",
        text(end)
    );
    Ok(())
}
