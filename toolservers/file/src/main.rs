//! The tool server `file`: what can be seen and changed of files beneath the roots of a session.
//!
//! In reading order: `roots` and `resolve` say where a path leads and open it; `text` and `ending`
//! know encodings and line endings; `window`, `pass` and `view` see a part of a text of any size,
//! `reading` that of a file, `artifact` that of an artifact; `picture` is what is shown of an image, `pdf`
//! and `notebook` make a text (`made`) of a document; `walk` goes through directories, for
//! `listing`, `finding` and `searching`; `matching` and `near` find what an edit means, `hunks` what a
//! `patch` means; `replace` puts new content in place, `patching` that of several files; `cells` changes
//! a notebook; `transfer` puts an entry elsewhere, `trash` keeps what is deleted, `twins` finds the other
//! names of a file. The tools are `read`, `write`, `edit`, `list`, `find`, `grep`, `apply_patch`, `move`
//! (`moving`), `delete`, `restore` and `notebook_edit`; `legacy` has their old names.
//!
//! Not here: whether a call may run. The kernel decides; the SDK checks its grant.

mod limits;

mod failed;
mod kind;
mod names;
mod nearest;
mod resolve;
mod roots;
mod twins;

mod ending;
mod index;
mod magic;
mod pass;
mod text;
mod view;
mod window;

mod globs;
mod walk;

mod finding;
mod listing;
mod searching;

mod artifact;
mod made;
mod notebook;
mod notices;
mod pdf;
mod picture;
mod reading;
mod unchanged;

mod fold;
mod matching;
mod near;

mod attributes;
mod diff;
mod itself;
mod rename;
mod replace;
mod snapshot;
mod strays;
mod transfer;
mod trash;
mod tree;

mod editing;
mod previews;
mod writing;

mod hunks;
mod patch;
mod patching;

mod cells;

mod apply_patch;
mod delete;
mod edit;
mod find;
mod grep;
mod legacy;
mod list;
mod moving;
mod notebook_edit;
mod outcome;
mod read;
mod restore;
mod settings;
mod write;

use std::sync::Arc;

use tollgate_confine::server::confine;
use tollgate_sdk::Server;

use trash::Trash;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = Server::start("file", env!("CARGO_PKG_VERSION"))?;
    let server = server.tool(read::Read).tool(write::Write).tool(edit::Edit);
    let server = server.tool(list::List).tool(find::Find).tool(grep::Grep);
    let trash = server.state_dir().map(|state| Arc::new(Trash::new(state)));
    let server = server.tool(apply_patch::ApplyPatch).tool(notebook_edit::NotebookEdit);
    let server = server.tool(moving::Move);
    let server = server.tool(delete::Delete(trash.clone())).tool(restore::Restore(trash));
    let plan = server.settings::<settings::Settings>()?.plan(&server);
    legacy::register(server).confined(move || confine(&plan)).serve().await?;
    Ok(())
}

#[cfg(test)]
mod races;
#[cfg(test)]
mod testing;
