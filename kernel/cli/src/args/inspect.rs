//! `tools list` and `tools payload`.

use clap::Args;

/// `tools list`.
#[derive(Args, Debug)]
pub(crate) struct ListTools {
    /// Also the old names that are understood and never shown to a model
    #[arg(long)]
    pub(crate) all: bool,
}

/// `tools payload`.
#[derive(Args, Debug)]
pub(crate) struct Payload {
    /// The session, running or ended; a beginning of its id is enough [default: the one used last]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The session that was used last
    #[arg(long, conflicts_with = "session")]
    pub(crate) last: bool,
}
