//! `read_file`, and `File` with action `read`.

use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety, Spec,
    Tool,
};

use super::{OLD, name, needed, no_action, one_of, wrong};
use crate::{failed::Failed, read, window::Wanted};

/// Reads a window of a file.
#[derive(Debug)]
pub(super) struct ReadFile<const FAMILY: bool>;

/// Its arguments; of the names on one line one is given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(super) struct ReadFileInput {
    /// "read", in a call of `File`.
    action: Option<String>,
    /// The file.
    path: Option<String>,
    /// The same.
    file_path: Option<String>,
    /// The first line, from 1.
    start_line: Option<u64>,
    /// The same.
    offset: Option<u64>,
    /// The same.
    line_offset: Option<u64>,
    /// How many lines.
    max_lines: Option<u64>,
    /// The same.
    limit: Option<u64>,
    /// The same.
    n_lines: Option<u64>,
    /// Pages of a PDF, once; it has no effect.
    #[expect(dead_code, reason = "taken, and has no effect")]
    pages: Option<String>,
    /// "slice"; any other way to read is gone.
    mode: Option<String>,
}

impl ReadFileInput {
    fn asked(&self, family: bool) -> Result<(String, Wanted), Failed> {
        no_action(family, self.action.as_ref())?;
        if self.mode.as_ref().is_some_and(|mode| mode != "slice") {
            return Err(wrong("`mode` must be \"slice\"; to read in another way use read or grep"));
        }
        let path = needed("path, file_path", [self.path.as_ref(), self.file_path.as_ref()])?;
        let starts = [&self.start_line, &self.offset, &self.line_offset];
        let counts = [&self.max_lines, &self.limit, &self.n_lines];
        let offset = one_of("start_line, offset, line_offset", starts.map(Option::as_ref))?;
        let limit = one_of("max_lines, limit, n_lines", counts.map(Option::as_ref))?;
        let offset = offset.copied().unwrap_or(1).max(1);
        let limit = limit.copied().map(|limit| limit.max(1));
        Ok((path.clone(), Wanted { offset, limit }))
    }
}

impl<const FAMILY: bool> Tool for ReadFile<FAMILY> {
    type Input = ReadFileInput;
    const NAME: &'static str = name(FAMILY, "read_file");
    const DESCRIPTION: &'static str = OLD;

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ)
    }

    async fn prepare(
        &self,
        input: &ReadFileInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        let (path, _) = input.asked(FAMILY)?;
        Ok(read::prepare(&path, context).await?)
    }

    async fn call(&self, input: ReadFileInput, call: Call) -> Result<Reply, Failure> {
        let (path, wanted) = input.asked(FAMILY)?;
        read::run(path, wanted, call).await
    }
}

#[cfg(test)]
mod tests;
