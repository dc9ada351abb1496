//! Takes all files of a workspace as they are now.
//!
//! Invariant: each file is looked at before it is read, so that a change while reading shows at the next
//! look ([`Stamps`]).

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use tollgate_core::digest::Digest;

use super::{Places, stamps::Stamps};
use crate::{
    law, managed,
    read::{self, Content},
    trust::{self, Trust},
};

/// Everything that a reading depends on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Files {
    pub(super) permissions: Content,
    pub(super) hooks: Content,
    pub(super) managed: Vec<(PathBuf, Content)>,
    pub(super) trust: Content,
    /// By the folder that holds the law, the workspace's first.
    pub(super) laws: Vec<(PathBuf, Content)>,
    pub(super) git: bool,
    pub(super) owner: Option<u32>,
    pub(super) project_hooks: Content,
    /// Programs of the project that its hooks name, within the project; only if the hooks count.
    pub(super) programs: Vec<(PathBuf, Option<Digest>)>,
    pub(super) project_mcp: Content,
}

impl Files {
    /// Takes everything. `roots`: without links, the workspace first. `now`: not later than it is.
    pub(super) fn take(places: &Places, roots: &[PathBuf], now: SystemTime) -> (Self, Stamps) {
        let workspace = roots.first().map(PathBuf::as_path).unwrap_or(Path::new(""));
        let mut stamps = Stamps::new(now);
        let mut seen = |path: PathBuf| {
            stamps.look(&path);
            path
        };
        seen(workspace.to_owned());
        let permissions = read::user_file(&seen(places.permissions.clone()));
        let hooks = read::user_file(&seen(places.hooks.clone()));
        let trust = read::user_file(&seen(places.trust.clone()));
        let managed = places.managed.iter().enumerate().map(|(at, path)| {
            // Who may write to the folder may exchange the file.
            path.parent().map(Path::to_owned).map(&mut seen);
            let content = managed::take(&seen(path.clone()), at == 0);
            (path.clone(), content)
        });
        let managed = managed.collect();
        let (laws, git) = laws(roots, &mut seen);
        let project_hooks = read::file(&seen(workspace.join(trust::HOOKS)), |_| Ok(()));
        let project_mcp = read::file(&seen(workspace.join(trust::MCP)), |_| Ok(()));
        let mut programs = Vec::new();
        if let Content::Text(text) = &project_hooks
            && let Ok(trust) = Trust::of(&places.trust, &trust)
            && trust.counts(workspace, Path::new(trust::HOOKS), Digest::of(text.as_bytes()))
        {
            for name in trust::programs(workspace, text.as_bytes()).unwrap_or_default() {
                let bytes = read::take(&seen(workspace.join(&name)), |_| Ok(()));
                // One that is not there cannot run, and its hook gives no verdict.
                if let Some(bytes) = bytes.transpose() {
                    programs.push((name, bytes.ok().map(|bytes| Digest::of(&bytes))));
                }
            }
        }
        let owner = fs::metadata(workspace).ok().map(|found| found.uid());
        let files = Self {
            permissions,
            hooks,
            managed,
            trust,
            laws,
            git,
            owner,
            project_hooks,
            programs,
            project_mcp,
        };
        (files, stamps)
    }

    /// A digest over the name and the content of every file that there is.
    pub(super) fn digest(&self, places: &Places) -> Digest {
        let one = |path: &Path, content: &Content| match content {
            Content::Absent => None,
            Content::Text(text) => Some((path.to_owned(), Digest::of(text.as_bytes()))),
            Content::Unusable(why) => Some((path.to_owned(), Digest::of(why.as_bytes()))),
        };
        let mut all = vec![
            one(&places.permissions, &self.permissions),
            one(&places.hooks, &self.hooks),
            one(&places.trust, &self.trust),
            one(Path::new(trust::HOOKS), &self.project_hooks),
        ];
        all.extend(self.managed.iter().map(|(path, content)| one(path, content)));
        all.extend(self.laws.iter().map(|(root, content)| one(&law::file_of(root), content)));
        let lines = all.into_iter().flatten().flat_map(|(path, digest)| {
            let name = path.into_os_string().into_encoded_bytes();
            [name, vec![0], digest.0.to_vec()].concat()
        });
        Digest::of(&lines.collect::<Vec<u8>>())
    }
}

/// The laws of all roots, each folder once, and whether the workspace lies in a repository.
fn laws(
    roots: &[PathBuf],
    seen: &mut impl FnMut(PathBuf) -> PathBuf,
) -> (Vec<(PathBuf, Content)>, bool) {
    let mut laws: Vec<(PathBuf, Content)> = Vec::new();
    let mut git = None;
    for root in roots {
        for folder in root.ancestors() {
            seen(folder.join(".git"));
        }
        let (folders, is_git) = law::roots(root);
        git.get_or_insert(is_git);
        for folder in folders {
            if laws.iter().all(|(known, _)| *known != folder) {
                seen(folder.join(".tollgate"));
                seen(law::file_of(&folder));
                let content = law::take(&folder);
                laws.push((folder, content));
            }
        }
    }
    (laws, git.unwrap_or(false))
}
