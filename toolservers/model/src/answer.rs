//! One answer on its way to the kernel: a task that makes events, tied to the stream that is read.
//!
//! Invariants: dropping the stream aborts the task, and with it the HTTP request (test
//! `dropping_the_stream_aborts_the_request`); a stream that is read to its end has exactly one last
//! event, also when the task died (test `a_task_that_dies_leaves_a_failure`).

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::event::{Class, Event, Failed, Outlet};
use crate::limits::EVENTS_WAITING_MAX;

#[cfg(test)]
mod tests;

/// The events of one answer.
#[derive(Debug)]
pub(crate) struct Events {
    events: mpsc::Receiver<Event>,
    has_ended: bool,
    /// Aborts its task when dropped.
    _task: JoinSet<()>,
}

impl Events {
    /// Starts the work that `make` describes. Its errors hold none of the secrets.
    pub(crate) fn start<F>(secrets: Vec<String>, make: impl FnOnce(Outlet) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (sender, events) = mpsc::channel(EVENTS_WAITING_MAX);
        let mut task = JoinSet::new();
        task.spawn(make(Outlet::new(sender, secrets)));
        Self { events, has_ended: false, _task: task }
    }
}

impl Stream for Events {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        match self.events.poll_recv(cx) {
            Poll::Ready(Some(event)) => {
                self.has_ended |= matches!(event, Event::Finished(_) | Event::Failed(_));
                Poll::Ready(Some(event))
            }
            Poll::Ready(None) if !self.has_ended => {
                self.has_ended = true;
                Poll::Ready(Some(Event::Failed(died())))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    }
}

fn died() -> Failed {
    let message = "a fault inside the model server ended this answer; its log says more".to_owned();
    Failed { class: Class::Protocol.into(), message, retryable: false }
}
