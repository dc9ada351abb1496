//! [`Sessions`]: which sessions are open here; opening, finding and closing them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Semaphore, mpsc};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tollgate_core::{
    name::SessionId,
    stance::{Mode, Posture, Stance},
};
use tollgate_engine::{
    approval::desk::Desk,
    error::KernelError,
    event::EVENTS_WAITING,
    kernel::Kernel,
    session::SessionOptions,
    store::{
        StoreError,
        session::{self, Head, SessionKind, SessionRecord},
    },
};
use tonic::{Code, Status};

use crate::{
    hub::Hub,
    limits::{CALLS_MAX, SESSIONS_MAX, STREAMS_MAX},
    open::Open,
    server::Defaults,
    status,
};

/// What every RPC needs.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// Which has them.
    pub(crate) kernel: Arc<Kernel>,
    /// Everything that runs beside the RPCs.
    pub(crate) tasks: TaskTracker,
    /// Places for streams.
    pub(crate) streams: Arc<Semaphore>,
    /// Places for calls.
    pub(crate) calls: Semaphore,
    defaults: Defaults,
    open: Mutex<BTreeMap<SessionId, Arc<Open>>>,
    /// One is opened at a time, so that a session is not opened twice.
    opening: tokio::sync::Mutex<()>,
    stopping: CancellationToken,
}

/// How a client wants a session; checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Goes on with this one.
    pub(crate) resume: Option<SessionId>,
    /// Absolute.
    pub(crate) workspace: Option<PathBuf>,
    /// What may be done.
    pub(crate) mode: Option<Mode>,
    /// Who decides.
    pub(crate) posture: Option<Posture>,
    /// As `--model`.
    pub(crate) model: Option<String>,
}

impl Asked {
    fn over(&self, stance: Stance) -> Stance {
        Stance {
            mode: self.mode.unwrap_or(stance.mode),
            posture: self.posture.unwrap_or(stance.posture),
        }
    }
}

impl Sessions {
    /// No session yet.
    pub(crate) fn new(
        kernel: Arc<Kernel>,
        defaults: Defaults,
        stopping: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            kernel,
            tasks: TaskTracker::new(),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            calls: Semaphore::new(CALLS_MAX),
            defaults,
            open: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
            stopping,
        })
    }

    /// The session of this id, if it is open.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Open>, Status> {
        if self.stopping.is_cancelled() {
            return Err(status::stopping());
        }
        self.lock().get(id).cloned().ok_or_else(|| status::not_open(id))
    }

    /// Opens a session, or gives the one that is open.
    ///
    /// # Cancel safety
    /// None: run it in a task.
    pub(crate) async fn open(&self, asked: Asked) -> Result<SessionId, Status> {
        self.check_workspace(asked.workspace.as_deref())?;
        let _one = self.opening.lock().await;
        if self.stopping.is_cancelled() {
            return Err(status::stopping());
        }
        let there = asked.resume.as_ref().and_then(|id| self.lock().get(id).cloned());
        if let Some(open) = there {
            return again(&open, &asked).await;
        }
        self.make_room().await?;
        let left = match &asked.resume {
            Some(id) => Some(self.left(id.clone()).await?),
            None => None,
        };
        let options = self.options(asked, left);
        let model = options.model.clone();
        let desk = Desk::new("no client that answers is connected to this session");
        let (events, told) = mpsc::channel(EVENTS_WAITING);
        let closing = CancellationToken::new();
        let (hub, feed) = Hub::new(told, closing.clone());
        self.tasks.spawn(Arc::clone(&hub).run(feed));
        let approver = Arc::clone(&desk);
        let session = Box::pin(self.kernel.open(options, approver, events)).await;
        let session = session.map_err(|error| status::of_kernel(&error))?;
        let id = session.id().clone();
        let open = Arc::new(Open::new(session, model, desk, hub, closing));
        self.lock().insert(id.clone(), open);
        Ok(id)
    }

    fn options(&self, asked: Asked, left: Option<Head>) -> SessionOptions {
        let Defaults { workspace, add_dirs, stance, model } = self.defaults.clone();
        // A session that goes on is as tight as it was left, unless the client says otherwise.
        let usual = left.as_ref().map_or(stance, |left| stance.tighter_of(left.stance));
        let before = left.map(|left| left.model).filter(|model| !model.is_empty());
        SessionOptions {
            kind: SessionKind::Serve,
            stance: asked.over(usual),
            resume: asked.resume,
            workspace,
            add_dirs,
            model: asked.model.or(before).or(model),
            record_requests: None,
        }
    }

    fn check_workspace(&self, asked: Option<&Path>) -> Result<(), Status> {
        let Some(asked) = asked else { return Ok(()) };
        let ours = &self.defaults.workspace;
        // A path that is not there is not ours.
        if asked == ours || asked.canonicalize().is_ok_and(|asked| asked == *ours) {
            return Ok(());
        }
        Err(status::invalid(format!(
            "workspace: this kernel serves {}; leave the field empty, or start another `tollgate serve` \
             there",
            ours.display()
        )))
    }

    /// How a session was left: its head, with the stance of its end.
    async fn left(&self, id: SessionId) -> Result<Head, Status> {
        let kernel = Arc::clone(&self.kernel);
        let name = id.clone();
        let read = tokio::task::spawn_blocking(move || {
            let mut head: Option<Head> = None;
            session::read(kernel.state(), &id, |_, record| match (record, &mut head) {
                (SessionRecord::Session(found), None) => head = Some(found),
                (SessionRecord::Stance(stance), Some(head)) => head.stance = stance,
                _ => {}
            })?;
            Ok(head)
        });
        let read =
            read.await.map_err(|_| status::status(Code::Internal, "FAULT", "reading failed"))?;
        let head = read
            .map_err(|error| status::of_kernel(&KernelError::Store(StoreError::Session(error))))?;
        let head = head.ok_or_else(|| {
            let text = format!("session {name} has lost its first record and cannot go on");
            status::status(Code::DataLoss, "DAMAGED", text)
        })?;
        if head.workspace != self.defaults.workspace {
            let text = format!(
                "session {name} belongs to {}, and this kernel serves {}",
                head.workspace.display(),
                self.defaults.workspace.display()
            );
            return Err(status::status(Code::FailedPrecondition, "WORKSPACE", text));
        }
        Ok(head)
    }

    /// Closes the session that is unused for longest when there is no room for another.
    async fn make_room(&self) -> Result<(), Status> {
        let unused = {
            let mut open = self.lock();
            if open.len() < SESSIONS_MAX {
                return Ok(());
            }
            let idle = open.iter().filter_map(|(id, it)| Some((it.idle_since()?, id.clone())));
            let oldest = idle.min();
            oldest.and_then(|(_, id)| open.remove(&id))
        };
        let unused = unused.ok_or_else(|| {
            status::exhausted(format!(
                "{SESSIONS_MAX} sessions are open and in use; close one, or end its streams"
            ))
        })?;
        unused.close().await.map_err(|error| status::of_kernel(&error))
    }

    /// Closes one session.
    ///
    /// # Cancel safety
    /// None: run it in a task.
    pub(crate) async fn close(&self, id: &str) -> Result<(), Status> {
        let open = self.lock().remove(id);
        let open = open.ok_or_else(|| status::not_open(id))?;
        open.close().await.map_err(|error| status::of_kernel(&error))
    }

    /// Closes all of them.
    pub(crate) async fn close_all(&self) {
        // One that is being opened is waited for.
        let _none = self.opening.lock().await;
        let all = std::mem::take(&mut *self.lock());
        let closing = all.values().map(|open| async {
            if let Err(error) = open.close().await {
                tracing::error!(session = %open.cx.id, error = status::chain(&error), "a session did not close well");
            }
        });
        futures::future::join_all(closing).await;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Arc<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that is open already, for another client of it.
async fn again(open: &Open, asked: &Asked) -> Result<SessionId, Status> {
    if asked.model.is_some() && asked.model != open.model {
        let text = format!(
            "session {} is open with the model '{}'; close it to open it with another",
            open.cx.id,
            open.model.as_deref().unwrap_or_default()
        );
        return Err(status::status(Code::FailedPrecondition, "MODEL", text));
    }
    let before = open.cx.stance();
    let stance = asked.over(before);
    if stance != before {
        let set = open.cx.set_stance(stance).await;
        set.map_err(|error| status::of_kernel(&error))?;
    }
    Ok(open.cx.id.clone())
}
