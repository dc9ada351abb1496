//! `File` with action `patch`: a patch, or whole files as `replace`.

use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety, Spec,
    Tool,
};

use super::{OLD, expected, name, one_of, wrong};
use crate::{
    apply_patch,
    failed::Failed,
    limits::PATCH_FILES_MAX,
    patch::{self, Action, Section},
};

/// Changes several files at once.
#[derive(Debug)]
pub(super) struct FilePatch;

/// Its arguments; of the names on one line one is given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(super) struct FilePatchInput {
    /// "patch".
    #[expect(dead_code, reason = "it picks this handler, before it is read")]
    action: String,
    /// A patch, or a unified diff; one of hunks alone is for `path`.
    patch: Option<String>,
    /// The only file, if the patch does not name it.
    path: Option<String>,
    /// Whole files instead.
    #[schemars(length(max = 64))]
    replace: Option<Vec<WholeFile>>,
    /// The same.
    #[schemars(length(max = 64))]
    changes: Option<Vec<WholeFile>>,
    /// How loosely lines were found, once; it has no effect.
    #[expect(dead_code, reason = "taken, and has no effect")]
    fuzz: Option<u64>,
    /// Whether a file that does not exist may come to be by lines that are only added.
    create_if_missing: Option<bool>,
    /// The digest of the only file, as `sha256:HEX`.
    expected_hash: Option<String>,
}

/// A file and its content.
#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
struct WholeFile {
    /// The file.
    path: String,
    /// Its whole new content.
    content: String,
}

impl FilePatchInput {
    fn sections(&self) -> Result<Vec<Section>, Failed> {
        let whole = one_of("replace, changes", [self.replace.as_ref(), self.changes.as_ref()])?;
        match (&self.patch, whole) {
            (Some(patch), None) => self.patched(patch),
            (None, Some(files)) if (1..=PATCH_FILES_MAX).contains(&files.len()) => {
                Ok(files.iter().map(WholeFile::section).collect())
            }
            (None, Some(_)) => Err(wrong("`replace` must name 1 to 64 files")),
            (Some(_), Some(_)) | (None, None) => {
                Err(wrong("give either `patch` or `replace` (also `changes`)"))
            }
        }
    }

    fn patched(&self, patch: &str) -> Result<Vec<Section>, Failed> {
        let headed = match &self.path {
            // Hunks alone are for the file that is named beside them.
            Some(path) if patch.trim_start().starts_with("@@") => {
                format!("--- {path}\n+++ {path}\n{}", patch.trim_start())
            }
            Some(_) | None => patch.to_owned(),
        };
        let mut sections = patch::parse(&headed).map_err(|failed| failed.at("/patch"))?;
        if let (Some(path), [only]) = (&self.path, sections.as_mut_slice()) {
            only.path.clone_from(path);
        }
        for section in &mut sections {
            section.may_create = self.create_if_missing.unwrap_or(false);
        }
        Ok(sections)
    }
}

impl WholeFile {
    fn section(&self) -> Section {
        let action = Action::Write(self.content.clone());
        Section { path: self.path.clone(), line: 0, action, may_create: false }
    }
}

impl Tool for FilePatch {
    type Input = FilePatchInput;
    const NAME: &'static str = name(super::FAMILY, "");
    const DESCRIPTION: &'static str = OLD;

    fn spec(&self) -> Spec {
        Spec::new(Safety { destructive: true, ..Safety::WRITE })
    }

    async fn prepare(
        &self,
        input: &FilePatchInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        let expected = expected(input.expected_hash.as_ref())?;
        Ok(apply_patch::prepare(input.sections()?, expected, context).await?)
    }

    async fn call(&self, input: FilePatchInput, call: Call) -> Result<Reply, Failure> {
        let expected = expected(input.expected_hash.as_ref())?;
        apply_patch::apply(input.sections()?, expected, call).await
    }
}

#[cfg(test)]
mod tests;
