//! How a JSON text is laid out, so that what is added looks like what is there.

use super::{
    quoted,
    spans::{Member, Object},
};

/// Breaks, indentation and separators, as the first member of the whole text has them.
pub(super) struct Layout<'a> {
    /// The break before each member, with one level of indentation; `None`: all on one line.
    indented: Option<(&'a str, &'a str)>,
    /// After a comma where nothing breaks.
    blank: &'a str,
    /// Between a key and its value.
    colon: &'a str,
}

impl<'a> Layout<'a> {
    pub(super) fn of(text: &'a str, top: &Object<'a>) -> Self {
        let lead = |index: usize| {
            let member = top.members().get(index);
            member.and_then(|member: &Member<'a>| text.get(member.lead.clone())).unwrap_or_default()
        };
        let first = lead(0);
        let before = first.split('"').next().unwrap_or_default();
        let indented = before.rfind('\n').map(|at| {
            let unit = before.get(at + 1..).unwrap_or_default();
            let newline = if before.contains("\r\n") { "\r\n" } else { "\n" };
            (newline, unit)
        });
        let colon = first.rsplit('"').next().filter(|colon| colon.contains(':')).unwrap_or(": ");
        let second = lead(1).split('"').next().unwrap_or_default();
        let blank = second.split_once(',').map_or("", |(_, blank)| blank);
        Self { indented, blank, colon }
    }

    /// The break before something at a level.
    pub(super) fn break_at(&self, level: usize) -> String {
        self.indented
            .map_or(String::new(), |(newline, unit)| newline.to_owned() + &unit.repeat(level))
    }

    /// What parts two things at a level.
    pub(super) fn comma(&self, level: usize) -> String {
        let blank =
            if self.indented.is_some() { self.break_at(level) } else { self.blank.to_owned() };
        format!(",{blank}")
    }

    /// A member that follows another one.
    pub(super) fn member(&self, key: &str, value: &str, level: usize) -> String {
        format!("{}{}{}{value}", self.comma(level), quoted(key), self.colon)
    }

    /// An object whose members are at a level.
    pub(super) fn object(&self, members: &[(&str, String)], level: usize) -> String {
        let pairs =
            members.iter().map(|(key, value)| format!("{}{}{value}", quoted(key), self.colon));
        let pairs = pairs.collect::<Vec<_>>().join(&self.comma(level));
        format!("{{{}{pairs}{}}}", self.break_at(level), self.break_at(level - 1))
    }

    /// A source as the list of its lines, which are at a level.
    pub(super) fn lines(&self, source: &str, level: usize) -> String {
        if source.is_empty() {
            return "[]".to_owned();
        }
        let lines = source.split_inclusive('\n').map(quoted);
        let lines = lines.collect::<Vec<_>>().join(&self.comma(level));
        format!("[{}{lines}{}]", self.break_at(level), self.break_at(level - 1))
    }
}
