//! A task for each connection: looks at the manifest again when the server says that it is another one
//! (`ManifestChanged`), off the path of any call.
//!
//! A server that says so without end is looked at twice a second.

use std::sync::Arc;

use tokio::time::{Instant, sleep};

use super::{
    Connection, Server,
    limits::{CHANGED_EVERY, DISCOVER_AGAIN_WITHIN},
};

impl Server {
    /// Follows a connection until it is lost. `again`: sources that the process before this one had
    /// connected, and that this one connects first.
    pub(super) fn follow(&self, connection: &Arc<Connection>, again: Vec<String>) {
        let (me, channel) = (self.me.clone(), connection.channel.clone());
        let (changed, lost) = (connection.link.changed(), connection.link.lost());
        let draining = connection.link.draining();
        let work = async move {
            if let Some(server) = me.upgrade().filter(|_| !again.is_empty()) {
                server
                    .connect_again(&channel, &again, Instant::now() + DISCOVER_AGAIN_WITHIN)
                    .await;
            }
            loop {
                changed.notified().await;
                let Some(server) = me.upgrade() else { return };
                server.look_again(&channel).await;
                drop(server);
                sleep(CHANGED_EVERY).await;
            }
        };
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = lost.cancelled() => {}
                // Another process answers for the server from here on.
                () = draining.cancelled() => {}
                () = work => {}
            }
        });
    }
}
