//! `write_file`, and `File` with action `write`.

use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety, Spec,
    Tool,
};

use super::{OLD, expected, name, needed, no_action};
use crate::{failed::Failed, outcome::blocking, write};

/// Creates or replaces a whole file.
#[derive(Debug)]
pub(super) struct WriteFile<const FAMILY: bool>;

/// Its arguments; of the names on one line one is given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(super) struct WriteFileInput {
    /// "write", in a call of `File`.
    action: Option<String>,
    /// The file.
    path: Option<String>,
    /// The same.
    file_path: Option<String>,
    /// The whole new content.
    content: String,
    /// The digest of the file that is replaced, as `sha256:HEX`.
    expected_hash: Option<String>,
}

/// What a call asks for.
struct Asked {
    path: String,
    expected: Option<[u8; 32]>,
}

impl WriteFileInput {
    fn asked(&self, family: bool) -> Result<Asked, Failed> {
        no_action(family, self.action.as_ref())?;
        let path = needed("path, file_path", [self.path.as_ref(), self.file_path.as_ref()])?;
        Ok(Asked { path: path.clone(), expected: expected(self.expected_hash.as_ref())? })
    }
}

impl<const FAMILY: bool> Tool for WriteFile<FAMILY> {
    type Input = WriteFileInput;
    const NAME: &'static str = name(FAMILY, "write_file");
    const DESCRIPTION: &'static str = OLD;

    fn spec(&self) -> Spec {
        Spec::new(Safety { destructive: true, ..Safety::WRITE })
    }

    async fn prepare(
        &self,
        input: &WriteFileInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        let Asked { path, expected } = input.asked(FAMILY)?;
        Ok(write::prepare(path, input.content.clone(), expected, context).await?)
    }

    async fn call(&self, input: WriteFileInput, call: Call) -> Result<Reply, Failure> {
        let Asked { path, expected } = input.asked(FAMILY)?;
        let work = move || write::run(&path, &input.content, expected, &call.context, &call.scope);
        Ok(blocking(work).await?)
    }
}

#[cfg(test)]
mod tests;
