//! A tool's call as TypeScript on several lines, with what its schema says in words: whole, or not at all.
//!
//! ```text
//! type tree_Node = { … };                       // types: of definitions that need a name
//! /** Shows a tree. */                          // member: what stands in `tools`
//! show(args: { root: tree_Node }): Promise<Result>;
//! ```

use std::fmt;

use crate::{
    json::Json,
    limits::{DESCRIPTION_BYTES_MAX, TYPES_BYTES_MAX},
    plan::{Names, break_loops, plan},
    print::{LONG, Printer, Shown},
    read::{Docs, read},
    text::{comment, is_identifier, plain, quoted, within},
    types::{Rest, Type},
};

/// What a call gives `[CODE-09]`: of a result that is too large, `content` is its beginning.
const RESULT: &str = "\
type Result<T = unknown> = {
  content: T;
  metadata: Record<string, unknown>;
  truncated: null | { original_bytes: number; sha256: string; artifact: string; preview_bytes: number };
};
";

/// The declaration of one tool; displayed, its types and then its member.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Declaration {
    /// Statements `type tool_Name = …;` for definitions that are used more than once or recursive, each
    /// on lines of its own; often empty.
    pub types: String,
    /// The member of `tools`: `/** … */` and `name(args: { … }): Promise<Result>;`. With `tools` before
    /// it, it is how the tool is called: a name that is no identifier stands as `["a-b"]`.
    pub member: String,
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.types)?;
        f.write_str(&self.member)
    }
}

/// The declaration of a tool, from the texts of its JSON Schemas: for arguments, and for the content of
/// its results if it has one.
///
/// Nothing if it would be larger than [`TYPES_BYTES_MAX`], or the schema needs more than the limits
/// allow: no type is ever cut. A schema that is no JSON is `unknown`.
#[must_use]
pub fn declaration(
    name: &str,
    description: &str,
    input: &[u8],
    output: Option<&[u8]>,
) -> Option<Declaration> {
    let mut names = Names::new(name);
    let mut types = String::new();
    let arguments = schema(input, "Args", &mut names, &mut types, arguments)?;
    let result = match output {
        Some(output) => {
            let content = schema(output, "Content", &mut names, &mut types, content)?;
            format!("Result<{content}>")
        }
        None => "Result".to_owned(),
    };
    let said = plain(within(description, 4 * DESCRIPTION_BYTES_MAX), DESCRIPTION_BYTES_MAX);
    let said = if said.is_empty() { said } else { format!("{}\n", comment(&said)) };
    let callee = if is_identifier(name) { name.to_owned() } else { format!("[{}]", quoted(name)) };
    let member = format!("{said}{callee}({arguments}): Promise<{result}>;\n");
    (types.len() + member.len() <= TYPES_BYTES_MAX).then_some(Declaration { types, member })
}

/// Declarations of several tools as one text that is valid TypeScript: `Result`, the types, and
/// `declare const tools: { … };`.
#[must_use]
pub fn module(declarations: &[Declaration]) -> String {
    let mut text = RESULT.to_owned();
    text.extend(declarations.iter().map(|it| it.types.as_str()));
    text.push_str("declare const tools: {\n");
    for line in declarations.iter().flat_map(|it| it.member.lines()) {
        text.push_str("  ");
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("};\n");
    text
}

/// Reads one schema, puts its named types after `types`, and writes its own type with `write`.
fn schema(
    text: &[u8],
    name: &str,
    names: &mut Names,
    types: &mut String,
    write: fn(&Printer<'_>, &Type) -> String,
) -> Option<String> {
    let mut definitions = match Json::parse(text) {
        Some(schema) => {
            let read = read(&schema, name, Docs::Read);
            read.is_whole.then_some(read.list)?
        }
        None => vec![(name.to_owned(), Type::Unknown)],
    };
    break_loops(&mut definitions);
    let shown = plan(&definitions, names);
    let printer = Printer { style: &LONG, definitions: &definitions, shown: &shown };
    for (shown, (_, ty)) in shown.iter().zip(&definitions) {
        if let Shown::Name(name) = shown {
            types.extend(["type ", name, " = ", &printer.lines(ty, 0), ";\n"]);
        }
        if types.len() > TYPES_BYTES_MAX {
            return None;
        }
    }
    Some(write(&printer, &Type::Named(0)))
}

/// The arguments: nothing for a tool that takes none, with a question mark where all may be left out.
fn arguments(printer: &Printer<'_>, root: &Type) -> String {
    let own = printer.definitions.first().map_or(root, |(_, ty)| ty);
    let mut all_optional = *own == Type::Unknown;
    if let Type::Shape(shape) = own {
        if shape.properties.is_empty() && !matches!(shape.rest, Rest::Of(..)) {
            return String::new();
        }
        all_optional = shape.properties.iter().all(|it| it.optional);
    }
    format!("args{}: {}", if all_optional { "?" } else { "" }, printer.lines(root, 0))
}

fn content(printer: &Printer<'_>, root: &Type) -> String {
    printer.lines(root, 0)
}

#[cfg(test)]
mod tests;
