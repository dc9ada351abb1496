//! `list_dir`, and `File` with action `list`.
//!
//! With `path` it showed one level; with `dir_path` two, from an entry on.

use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety, Spec,
    Tool,
};

use super::{OLD, name, no_action, one_of};
use crate::{
    failed::Failed,
    list::{self, Asked},
    outcome::blocking,
};

/// Lists a directory.
#[derive(Debug)]
pub(super) struct ListDir<const FAMILY: bool>;

/// Its arguments; of the names on one line one is given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(super) struct ListDirInput {
    /// "list", in a call of `File`.
    action: Option<String>,
    /// The directory; the working directory if none is named.
    path: Option<String>,
    /// The same.
    file_path: Option<String>,
    /// The same, two levels deep.
    dir_path: Option<String>,
    /// The first entry to show, from 1.
    #[schemars(range(min = 1))]
    offset: Option<usize>,
    /// How many entries to show.
    #[schemars(range(min = 1))]
    limit: Option<usize>,
    /// Levels to show.
    #[schemars(range(min = 1))]
    depth: Option<usize>,
}

impl ListDirInput {
    fn asked(&self, family: bool) -> Result<Asked, Failed> {
        no_action(family, self.action.as_ref())?;
        let names = [&self.path, &self.file_path, &self.dir_path];
        let path = one_of("path, file_path, dir_path", names.map(Option::as_ref))?;
        let usual = if self.dir_path.is_some() { 2 } else { 1 };
        Ok(Asked {
            path: path.filter(|path| !path.is_empty()).map_or_else(|| ".".to_owned(), Clone::clone),
            depth: self.depth.unwrap_or(usual),
            skip: self.offset.unwrap_or(1).saturating_sub(1),
            limit: self.limit,
            left_out: Vec::new(),
        })
    }
}

impl<const FAMILY: bool> Tool for ListDir<FAMILY> {
    type Input = ListDirInput;
    const NAME: &'static str = name(FAMILY, "list_dir");
    const DESCRIPTION: &'static str = OLD;

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ)
    }

    async fn prepare(
        &self,
        input: &ListDirInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        Ok(list::prepare(&input.asked(FAMILY)?, context).await?)
    }

    async fn call(&self, input: ListDirInput, call: Call) -> Result<Reply, Failure> {
        let asked = input.asked(FAMILY)?;
        let work = move || {
            list::run(&asked, &call.context, &call.scope, &|| call.cancelled.is_cancelled())
        };
        Ok(blocking(work).await?)
    }
}

#[cfg(test)]
mod tests;
