//! Reads any shell line with tree-sitter-bash: all its simple commands and redirected files.
//!
//! Commands are found wherever they stand: lists, pipes, substitutions, subshells, functions, loops,
//! here-documents that feed a shell, scripts inside words, wrappers. What cannot be told is given as
//! opaque; a line with a part that does not parse is so as a whole, besides what was found in it.
//!
//! The parser reads some lines otherwise than bash (`> f a b` takes three targets), which is put
//! right here where rules depend on it. Read-only is therefore not decided on this tree alone
//! (`grammar`, `readonly`).
//!
//! Not here: subjects and previews (`subjects`).

use std::{collections::HashMap, ops::ControlFlow, time::Instant};

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use crate::{
    heredoc,
    limits::{EVALUATED_BYTES_MAX, PARSE_TIME_MAX, SCRIPTS_DEEP_MAX},
    skipped,
    subjects::bounded,
    words::{Word, read_word, whole_word},
    wrappers::{self, Inner},
};

mod joined;
#[cfg(test)]
mod tests;

/// A simple command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Command {
    /// Program and arguments.
    pub(crate) words: Vec<Word>,
    /// The operator before it, or the wrapper that runs it.
    pub(crate) operator: String,
    /// Something of it cannot be told without running the line.
    pub(crate) opaque: bool,
    /// It stands in the line itself, not in a script or behind a wrapper.
    pub(crate) direct: bool,
    /// It is the head of a loop, `for NAME in WORD…`: no command, but it sets a variable and names files.
    pub(crate) loops: bool,
}

/// A file that is opened by a redirection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Target {
    /// Its name.
    pub(crate) word: Word,
    /// Whether it is opened for writing.
    pub(crate) write: bool,
}

/// What was found in a line.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// In the order they are written, wrappers before what they run.
    pub(crate) commands: Vec<Command>,
    /// In the order they are written.
    pub(crate) targets: Vec<Target>,
    /// Whether all of it parsed, scripts in it included.
    pub(crate) whole: bool,
}

/// Reads a line.
pub(crate) fn parse(line: &str) -> Parsed {
    let mut parsed = Parsed { whole: true, ..Parsed::default() };
    parsed.script(line, "", 0);
    for line in joined::lines(line) {
        let mut other = Parsed { whole: true, ..Parsed::default() };
        other.script(&line, "", 0);
        parsed.add_other(other);
    }
    parsed
}

/// Operators that a command can stand after.
const OPERATORS: &[&str] =
    &["&&", "||", ";", "|", "|&", "&", "\n", "$(", "`", "<(", ">(", "(", "{", "!", ";;", "${ "];

impl Parsed {
    /// Reads a script, in the line itself (`depth` 0) or inside one of its words.
    fn script(&mut self, text: &str, operator: &str, depth: usize) {
        let tree = if depth > SCRIPTS_DEEP_MAX { None } else { tree_of(text) };
        let Some(tree) = tree else {
            return self.opaque(text, operator);
        };
        if tree.root_node().has_error() {
            self.opaque(text, operator);
        }
        let mut walk = Walk {
            text,
            depth,
            operator: operator.to_owned(),
            more_words: HashMap::new(),
            parsed: self,
        };
        walk.walk(&tree);
        if let Some(hidden) = skipped::first(text, &tree) {
            self.opaque(bounded(hidden, EVALUATED_BYTES_MAX), operator);
        }
    }

    /// Adds what another reading of the line found. Where the two differ, it is not certain which is right.
    fn add_other(&mut self, other: Self) {
        let words = |parsed: &Self| -> Vec<Vec<Word>> {
            parsed.commands.iter().map(|command| command.words.clone()).collect()
        };
        if words(self) == words(&other) && self.targets == other.targets {
            return;
        }
        self.whole = false;
        let commands = other.commands.into_iter();
        self.commands.extend(commands.map(|command| Command { direct: false, ..command }));
        self.targets.extend(other.targets);
    }

    fn opaque(&mut self, text: &str, operator: &str) {
        self.whole = false;
        self.commands.push(Command {
            words: vec![Word::unknown(text)],
            operator: operator.to_owned(),
            opaque: true,
            direct: false,
            loops: false,
        });
    }

    /// Adds the head of a loop as if it was a command: `for PATH in x` changes what the loop's commands
    /// are, and `for f in FILE` names what they touch.
    fn looped(&mut self, words: Vec<Word>, operator: &str) {
        self.commands.push(Command {
            opaque: words.iter().any(|word| word.argument().is_none()),
            words,
            operator: operator.to_owned(),
            direct: false,
            loops: true,
        });
    }

    /// Adds a command and what it runs.
    fn command(
        &mut self,
        words: Vec<Word>,
        operator: &str,
        opaque: bool,
        depth: usize,
        direct: bool,
    ) {
        let inner = wrappers::inner(&words);
        let unknown = words.iter().any(|word| word.argument().is_none());
        let opaque = opaque || unknown || inner.contains(&Inner::Elsewhere);
        let name = words.first().map(|word| wrappers::base_name(&word.text).to_owned());
        let name = name.unwrap_or_default();
        let operator = operator.to_owned();
        self.commands.push(Command { words, operator, opaque, direct, loops: false });
        for inner in inner {
            match inner {
                Inner::Command(words, opaque) if depth <= SCRIPTS_DEEP_MAX => {
                    self.command(words, &name, opaque, depth + 1, false);
                }
                Inner::Command(words, _) => {
                    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                    self.opaque(&texts.join(" "), &name);
                }
                Inner::Script(text) => self.script(&text, &name, depth + 1),
                Inner::Elsewhere => {}
            }
        }
    }
}

/// Parses, within a bound of time.
fn tree_of(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let began = Instant::now();
    let mut watch = |_: &ParseState| {
        if began.elapsed() > PARSE_TIME_MAX {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let bytes = text.as_bytes();
    let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// A word at its place.
struct Written {
    word: Word,
    /// Whether a line end stands before it and ends what is before that: this parser takes a line end before
    /// a backslash for the word's beginning.
    apart: bool,
}

/// One walk over a tree. Not recursive: a line may nest as deeply as it is long.
struct Walk<'a> {
    text: &'a str,
    depth: usize,
    operator: String,
    /// Words that stand among a command's redirections, by the command's node.
    more_words: HashMap<usize, Vec<Written>>,
    parsed: &'a mut Parsed,
}

impl<'a> Walk<'a> {
    fn walk(&mut self, tree: &Tree) {
        let mut cursor = tree.walk();
        // The nodes around the cursor, each with the operator before it. Asking a node for its
        // parent instead would look for it from the root each time.
        let mut around: Vec<(Node<'_>, String)> = Vec::new();
        loop {
            let node = cursor.node();
            self.enter(node, around.last().map(|(parent, _)| *parent));
            if self.evaluates(node, &around) {
                let text = bounded(self.text_of(node), EVALUATED_BYTES_MAX);
                self.parsed.opaque(text, &self.operator);
            }
            if cursor.goto_first_child() {
                around.push((node, self.operator.clone()));
                continue;
            }
            while !cursor.goto_next_sibling() {
                let Some((parent, operator)) = around.pop() else { return };
                cursor.goto_parent();
                // What follows a list stands after the list's last operator; what follows a
                // substitution stands after the operator before it.
                if ends_operators(parent.kind()) {
                    self.operator = operator;
                }
            }
        }
    }

    fn enter(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        match node.kind() {
            "command" => self.simple(node, parent),
            "declaration_command" | "unset_command" => {
                let words = self.written(children(node));
                self.add_all(node, words);
            }
            "test_command" => {
                let words = self.words_of_text(node);
                self.add(node, words);
            }
            "variable_assignment" if !is(parent, "declaration_command") => {
                // Rules see it as a command of its own: it can change what others do.
                let word = self.word(node);
                self.add(node, vec![word]);
            }
            "heredoc_redirect" => self.here_document(node),
            "for_statement" => self.looped(node),
            "redirected_statement" => self.redirected(node),
            "file_redirect" => self.target(node),
            kind if !node.is_named() && OPERATORS.contains(&kind) => {
                kind.clone_into(&mut self.operator);
            }
            _ => {}
        }
    }

    /// Whether a node computes something outside the words of a command, where nothing else would
    /// tell of it: `((x))` and `${a[x]}` run what the value of `x` says (SH-05).
    fn evaluates(&self, node: Node<'_>, around: &[(Node<'_>, String)]) -> bool {
        let text = self.text_of(node);
        match node.kind() {
            "c_style_for_statement" => true,
            // The parser takes some of these for subshells.
            "compound_statement" | "subshell" => text.starts_with("(("),
            "command_substitution" => text.starts_with("$(("),
            "arithmetic_expansion" => !in_words(around),
            "expansion" => whole_word(text).is_err() && !in_words(around),
            _ => false,
        }
    }

    fn add(&mut self, node: Node<'_>, words: Vec<Word>) {
        if !words.is_empty() {
            let operator = self.operator_before(node).to_owned();
            self.parsed.command(words, &operator, false, self.depth, self.depth == 0);
        }
    }

    /// Adds commands of which the parser made one, and says whether one is a shell that reads its script.
    fn add_all(&mut self, node: Node<'_>, words: Vec<Written>) -> bool {
        let mut reads_script = false;
        let mut command: Vec<Word> = Vec::new();
        for Written { word, apart } in words {
            if apart && !command.is_empty() {
                reads_script |= wrappers::reads_script_from_input(&command);
                self.add(node, std::mem::take(&mut command));
                "\n".clone_into(&mut self.operator);
            }
            command.push(word);
        }
        reads_script |= wrappers::reads_script_from_input(&command);
        self.add(node, command);
        reads_script
    }

    /// A here-document that bash may read otherwise is known as a whole only.
    fn here_document(&mut self, redirect: Node<'_>) {
        let part = |kind| children(redirect).find(|child| child.kind() == kind);
        let ends = part("heredoc_start").zip(part("heredoc_end"));
        let tabs = part("<<-").is_some();
        let alike = ends.is_some_and(|(start, end)| {
            heredoc::is_plain(self.text, start.byte_range(), end.byte_range(), tabs)
        });
        if !alike {
            self.parsed.opaque(bounded(self.text_of(redirect), EVALUATED_BYTES_MAX), "<<");
        }
    }

    /// `for NAME in WORD…`, and `select`, without their body.
    fn looped(&mut self, node: Node<'_>) {
        let head =
            children(node).take_while(|child| !matches!(child.kind(), "do_group" | ";" | "\n"));
        let words = head.map(|child| self.word(child)).collect();
        let operator = self.operator_before(node).to_owned();
        self.parsed.looped(words, &operator);
    }

    /// A line end that separates commands is no node of the tree.
    fn operator_before(&self, node: Node<'_>) -> &str {
        let before = self.text.get(..node.start_byte()).unwrap_or_default();
        let written = before.trim_end();
        let blank = before.get(written.len()..).unwrap_or_default();
        let separates = !written.is_empty() && !written.ends_with(['&', '|', ';', '(', '{', '`']);
        if separates && blank.contains('\n') { "\n" } else { &self.operator }
    }

    /// A program with its arguments.
    fn simple(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        let mut words = Vec::new();
        for (child, written) in children(node).zip(self.written(children(node))) {
            match child.kind() {
                "variable_assignment" | "subshell" => {}
                "file_redirect" => words.extend(self.targets_of(child).into_iter().skip(1)),
                "herestring_redirect" | "heredoc_redirect" => {}
                _ => words.push(written),
            }
        }
        words.extend(self.more_words.remove(&node.id()).unwrap_or_default());
        let reads_script = self.add_all(node, words);
        if reads_script {
            self.scripts_given_to(node, parent);
        }
    }

    /// Here-strings and here-documents of a command that is a shell.
    fn scripts_given_to(&mut self, command: Node<'_>, parent: Option<Node<'_>>) {
        let around = parent.filter(|_| is(parent, "redirected_statement"));
        for redirect in children(command).chain(around.into_iter().flat_map(children)) {
            for part in children(redirect) {
                let script = match (redirect.kind(), part.kind()) {
                    ("heredoc_redirect", "heredoc_body") => self.text_of(part).to_owned(),
                    ("herestring_redirect", kind) if kind != "<<<" => self.word(part).text,
                    _ => continue,
                };
                self.parsed.script(&script, "<<", self.depth + 1);
            }
        }
    }

    /// Bash takes one word after a redirection and goes on with the command; this parser takes all.
    fn redirected(&mut self, node: Node<'_>) {
        let mut words = Vec::new();
        for redirect in children(node) {
            match redirect.kind() {
                "file_redirect" => words.extend(self.targets_of(redirect).into_iter().skip(1)),
                "heredoc_redirect" => {
                    let mut cursor = redirect.walk();
                    let arguments: Vec<Node<'_>> =
                        redirect.children_by_field_name("argument", &mut cursor).collect();
                    words.extend(self.written(arguments.into_iter()));
                }
                _ => {}
            }
        }
        match node.child_by_field_name("body") {
            Some(body) if body.kind() == "command" => {
                self.more_words.insert(body.id(), words);
            }
            _ => {
                self.add_all(node, words);
            }
        }
    }

    fn target(&mut self, redirect: Node<'_>) {
        let mut operators = children(redirect).filter(|child| !child.is_named());
        let operator = operators.next().map(|operator| operator.kind()).unwrap_or_default();
        let Some(Written { word, .. }) = self.targets_of(redirect).into_iter().next() else {
            return;
        };
        let descriptor = word.text == "-" || word.text.chars().all(|c| c.is_ascii_digit());
        if !(operator.ends_with('&') && descriptor) {
            self.parsed.targets.push(Target { word, write: !operator.starts_with('<') });
        }
    }

    fn targets_of(&self, redirect: Node<'_>) -> Vec<Written> {
        let mut cursor = redirect.walk();
        let targets: Vec<Node<'_>> =
            redirect.children_by_field_name("destination", &mut cursor).collect();
        self.written(targets.into_iter())
    }

    /// The words of nodes that follow one another.
    fn written<'b>(&self, nodes: impl Iterator<Item = Node<'b>>) -> Vec<Written> {
        let mut end = None;
        let one = |node: Node<'b>| {
            let text = self.text_of(node);
            let bare = text.trim_start_matches(['\n', ' ', '\t']);
            let gap = end.and_then(|end| self.text.get(end..node.start_byte()));
            let apart = bare.len() < text.len()
                || gap.is_some_and(|gap| gap.replace("\\\n", "").contains('\n'));
            end = Some(node.end_byte());
            Written { word: whole_word(bare).unwrap_or_else(|_| Word::unknown(bare)), apart }
        };
        nodes.map(one).collect()
    }

    fn word(&self, node: Node<'_>) -> Word {
        let text = self.text_of(node);
        whole_word(text).unwrap_or_else(|_| Word::unknown(text))
    }

    /// The words of a node that is written like a command, such as `[ -f x ]`.
    fn words_of_text(&self, node: Node<'_>) -> Vec<Word> {
        let text = self.text_of(node);
        let mut words = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let Ok((word, after)) = read_word(rest) else { return vec![Word::unknown(text)] };
            if after.len() == rest.len() {
                return vec![Word::unknown(text)];
            }
            words.push(word);
            rest = after.trim_start_matches([' ', '\t']);
        }
        words
    }

    fn text_of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let all: Vec<Node<'_>> = node.children(&mut cursor).collect();
    all.into_iter()
}

fn is(node: Option<Node<'_>>, kind: &str) -> bool {
    node.is_some_and(|node| node.kind() == kind)
}

/// Whether what stands inside these nodes, the innermost last, is part of a word that is told.
fn in_words(around: &[(Node<'_>, String)]) -> bool {
    let tells = |(node, _): &(Node<'_>, String)| match node.kind() {
        "command" | "declaration_command" | "unset_command" | "test_command" => Some(true),
        "variable_assignment" | "file_redirect" => Some(true),
        // What is in these is told of with them.
        "arithmetic_expansion" | "expansion" | "binary_expression" | "unary_expression" => {
            Some(true)
        }
        "string" | "concatenation" | "command_name" => None,
        _ => Some(false),
    };
    around.iter().rev().find_map(tells).unwrap_or(false)
}

/// Whether the operators inside a node mean nothing after it.
fn ends_operators(kind: &str) -> bool {
    matches!(
        kind,
        "command_substitution"
            | "process_substitution"
            | "subshell"
            | "string"
            | "command"
            | "heredoc_body"
    )
}
