//! Goal: real programs at real terminals, well-behaved and not. [SHELL-03], [TOOL-06], B040.

use std::time::Duration;

use tokio::time::Instant;
use tollgate_sdk::serde_json::{self, Value, json};

use super::*;
use crate::{
    limits::{TERMINAL_IDLE_MAX, TERMINALS_MAX, TERMINALS_OF_ALL_MAX},
    process::{life::By, tests::World},
    testing::running,
    tree::{self, tests::alive},
};

mod ends;
mod gate;
mod programs;

/// A world with terminals.
struct Desk {
    world: World,
    terminals: Arc<Terminals>,
}

impl Desk {
    fn new() -> Self {
        let world = World::new();
        let terminals = Terminals::new(Arc::clone(&world.office.shell));
        Self { world, terminals }
    }

    async fn act(&self, arguments: Value) -> Result<Reply, Failure> {
        let input: Input = serde_json::from_value(arguments).unwrap();
        self.terminals.act(input.asked().unwrap(), self.world.asker()).await
    }

    /// The answer as text, also of a failure.
    async fn said(&self, arguments: Value) -> String {
        match self.act(arguments).await {
            Ok(reply) => format!("{reply:?}"),
            Err(failure) => format!("FAILED {failure:?}"),
        }
    }

    fn prepare(&self, arguments: Value) -> Result<Preparation, Invalid> {
        let input: Input = serde_json::from_value(arguments).unwrap();
        self.terminals.prepare(&input.asked()?, &self.world.context)
    }

    fn terminal(&self, id: &str) -> Arc<Background<Screen>> {
        self.terminals.all.find(&self.world.context.session, id).unwrap()
    }

    #[track_caller]
    fn open(&self, command: &str) -> Arc<Background<Screen>> {
        let line = Line { command: command.into(), ..Line::default() };
        self.terminals.open(&line, Size::of(None, None), self.world.asker()).unwrap()
    }

    async fn send(&self, terminal: &Background<Screen>, text: &str, keys: &[&str]) -> String {
        self.said(json!({"action": "send", "id": terminal.id(), "text": text, "keys": keys})).await
    }
}

/// Waits until the screen, and what scrolled off, hold a text.
#[track_caller]
fn shows(terminal: &Background<Screen>, text: &str) -> impl Future<Output = ()> {
    until(terminal, text, move |screen| {
        let picture = screen.picture(None);
        (picture.rows.join("\n") + &picture.scrolled.text).contains(text)
    })
}

async fn until(
    terminal: &Background<Screen>,
    what: &str,
    mut holds: impl FnMut(&mut Screen) -> bool,
) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let (bytes, held) = {
            let mut state = terminal.state();
            (state.bytes, holds(&mut state.kept))
        };
        if held {
            return;
        }
        assert!(Instant::now() < deadline, "{what:?} never came: {:?}", terminal.state());
        let changed = |state: &crate::process::State<Screen>| state.bytes > bytes;
        let soon = Instant::now() + Duration::from_millis(50);
        terminal.wait(changed, soon, &tollgate_sdk::CancellationToken::new()).await;
    }
}

async fn ended(terminal: &Background<Screen>) {
    let over = |state: &crate::process::State<Screen>| matches!(state.life, Life::Ended { .. });
    let deadline = Instant::now() + Duration::from_secs(20);
    while !matches!(terminal.life(), Life::Ended { .. }) {
        assert!(Instant::now() < deadline, "it never ended: {:?}", terminal.state());
        terminal.settle();
        let soon = Instant::now() + Duration::from_millis(50);
        terminal.wait(over, soon, &tollgate_sdk::CancellationToken::new()).await;
        tokio::task::yield_now().await;
    }
}
