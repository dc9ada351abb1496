//! Names to tools, each in one step however many there are (`[CAT-08]`).

use std::sync::Arc;

use serde_json::Value;

use super::{Entry, spelling};
use crate::name::ToolName;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Named {
    /// One tool.
    Tool(Arc<Entry>),
    /// An old name that meant several: the first that fits the arguments.
    Forms(Vec<Arc<Entry>>),
    /// Several servers claim it, and none has it; the place of the clash.
    Disputed(usize),
}

/// For lookups only: nothing is decided by the order of what is in it.
#[expect(clippy::disallowed_types, reason = "its random order is never seen")]
type Table<T> = std::collections::HashMap<Box<str>, T>;

/// All names, hidden ones too.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    by_name: Table<Named>,
    /// By the spelling that all variants share.
    tools: Spellings,
    /// The same of hidden names: a variant means one of these only where it means no tool.
    hidden: Spellings,
}

type Spellings = Table<Vec<ToolName>>;

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<&Named> {
        self.by_name.get(name)
    }

    /// Makes room for so many tools.
    pub(super) fn reserve(&mut self, tools: usize) {
        self.by_name.reserve(tools);
        self.tools.reserve(tools);
    }

    /// The name that this is a variant of.
    pub(super) fn variant(&self, asked: &str) -> Option<&Named> {
        let of = |spellings: &Spellings| {
            let known = |spelling: &str| {
                spellings.get(spelling).into_iter().flatten().map(ToolName::as_str)
            };
            spelling::variant(asked, known).and_then(|name| self.get(name))
        };
        of(&self.tools).or_else(|| of(&self.hidden))
    }

    pub(super) fn insert(&mut self, name: &ToolName, named: Named) {
        self.by_name.insert(name.as_str().into(), named);
        add(&mut self.tools, name);
    }

    /// Takes in a form of an old name; `false`: a tool has the name.
    pub(super) fn insert_form(&mut self, form: Arc<Entry>) -> bool {
        if let Some(Named::Forms(forms)) = self.by_name.get_mut(form.name.as_str()) {
            forms.push(form);
            return true;
        }
        let free = !self.by_name.contains_key(form.name.as_str());
        if free {
            add(&mut self.hidden, &form.name);
            self.by_name.insert(form.name.as_str().into(), Named::Forms(vec![form]));
        }
        free
    }

    /// Puts the forms of every old name in order: those with a condition first.
    pub(super) fn sort_forms(&mut self) {
        for named in self.by_name.values_mut() {
            if let Named::Forms(forms) = named {
                forms.sort_by(|a, b| {
                    let key = |it: &Entry| {
                        let when =
                            it.when.as_ref().map(|it| (it.argument.clone(), it.value.clone()));
                        (when.is_none(), when, it.means.clone())
                    };
                    key(a).cmp(&key(b))
                });
            }
        }
    }
}

fn add(spellings: &mut Spellings, name: &ToolName) {
    let spelling = spelling::joined(name.as_str());
    spellings.entry(spelling.into()).or_default().push(name.clone());
}

/// The form of an old name that fits the arguments; the one without a condition fits all.
pub(super) fn fitting<'a>(forms: &'a [Arc<Entry>], arguments: &Value) -> Option<&'a Arc<Entry>> {
    forms.iter().find(|form| form.when.as_ref().is_none_or(|when| when.holds(arguments)))
}
