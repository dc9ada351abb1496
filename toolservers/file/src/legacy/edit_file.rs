//! `edit_file`, and `File` with action `edit`: one replacement, or several as `edits`.

use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety, Spec,
    Tool,
};

use super::{OLD, expected, name, needed, no_action, one_of, wrong};
use crate::{edit, failed::Failed, matching::Edit, outcome::blocking};

/// Replaces text in a file.
#[derive(Debug)]
pub(super) struct EditFile<const FAMILY: bool>;

/// Its arguments; of the names on one line one is given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(super) struct EditFileInput {
    /// "edit", in a call of `File`.
    action: Option<String>,
    /// The file.
    path: Option<String>,
    /// The same.
    file_path: Option<String>,
    /// Text of the file, to the letter.
    search: Option<String>,
    /// The same.
    old_string: Option<String>,
    /// The same.
    old_str: Option<String>,
    /// The same.
    #[serde(rename = "oldText")]
    old_text: Option<String>,
    /// Text to put there.
    replace: Option<String>,
    /// The same.
    new_string: Option<String>,
    /// The same.
    new_str: Option<String>,
    /// The same.
    #[serde(rename = "newText")]
    new_text: Option<String>,
    /// Change every occurrence.
    replace_all: Option<bool>,
    /// Several replacements instead.
    edits: Option<Vec<OldEdit>>,
    /// How loosely text was found, once; it has no effect.
    #[expect(dead_code, reason = "taken, and has no effect")]
    fuzz: Option<u64>,
    /// The digest of the file that is edited, as `sha256:HEX`.
    expected_hash: Option<String>,
}

/// One of several replacements; of the names on one line one is given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
struct OldEdit {
    /// Text of the file, to the letter.
    #[serde(rename = "oldText")]
    old_text: Option<String>,
    /// The same.
    old_string: Option<String>,
    /// Text to put there.
    #[serde(rename = "newText")]
    new_text: Option<String>,
    /// The same.
    new_string: Option<String>,
    /// Change every occurrence.
    replace_all: Option<bool>,
}

/// What a call asks for.
struct Asked {
    path: String,
    edits: Vec<Edit>,
    expected: Option<[u8; 32]>,
}

const OLD_NAMES: &str = "search, old_string, old_str, oldText";
const NEW_NAMES: &str = "replace, new_string, new_str, newText";

impl EditFileInput {
    fn asked(&self, family: bool) -> Result<Asked, Failed> {
        no_action(family, self.action.as_ref())?;
        let path = needed("path, file_path", [self.path.as_ref(), self.file_path.as_ref()])?;
        let olds = [&self.search, &self.old_string, &self.old_str, &self.old_text];
        let news = [&self.replace, &self.new_string, &self.new_str, &self.new_text];
        let (olds, news) = (olds.map(Option::as_ref), news.map(Option::as_ref));
        let edits = match &self.edits {
            Some(edits) if one_of(OLD_NAMES, olds)?.or(one_of(NEW_NAMES, news)?).is_none() => {
                edits.iter().map(OldEdit::edit).collect::<Result<Vec<Edit>, Failed>>()?
            }
            Some(_) => return Err(wrong("give `edits` or one replacement, not both")),
            None => vec![Edit {
                old: needed(OLD_NAMES, olds)?.clone(),
                new: needed(NEW_NAMES, news)?.clone(),
                all: self.replace_all.unwrap_or(false),
            }],
        };
        let expected = expected(self.expected_hash.as_ref())?;
        Ok(Asked { path: path.clone(), edits, expected })
    }
}

impl OldEdit {
    fn edit(&self) -> Result<Edit, Failed> {
        let old = [self.old_text.as_ref(), self.old_string.as_ref()];
        let new = [self.new_text.as_ref(), self.new_string.as_ref()];
        Ok(Edit {
            old: needed("oldText, old_string", old)?.clone(),
            new: needed("newText, new_string", new)?.clone(),
            all: self.replace_all.unwrap_or(false),
        })
    }
}

impl<const FAMILY: bool> Tool for EditFile<FAMILY> {
    type Input = EditFileInput;
    const NAME: &'static str = name(FAMILY, "edit_file");
    const DESCRIPTION: &'static str = OLD;

    fn spec(&self) -> Spec {
        Spec::new(Safety::WRITE)
    }

    async fn prepare(
        &self,
        input: &EditFileInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        let Asked { path, edits, expected } = input.asked(FAMILY)?;
        Ok(edit::prepare(path, edits, expected, context).await?)
    }

    async fn call(&self, input: EditFileInput, call: Call) -> Result<Reply, Failure> {
        let Asked { path, edits, expected } = input.asked(FAMILY)?;
        let work = move || edit::run(&path, &edits, expected, &call.context, &call.scope);
        Ok(blocking(work).await?)
    }
}

#[cfg(test)]
mod tests;
