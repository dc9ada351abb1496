//! Lines for tests, read about as the shell server reads them: words, quotes, operators, what it cannot
//! know. Not a shell: wrappers are written as what they run (`@sudo rm` is `rm` behind `sudo`).

use std::path::{Path, PathBuf};

use crate::{
    authority::{
        Circumstances, HookSaid, admission,
        policy::{Policy, Workspace},
        rules::Rules,
    },
    call::{Classified, Preparation},
    catalog::{Catalog, Entry, Surface, View},
    safety::{Reach, Safety, Subject, Trust},
    schema,
    stance::{Mode, Posture, Stance},
    testing::{READ, WORKSPACE, entry, raw},
};

/// The home folder of these tests.
pub(crate) const HOME: &str = "/home/u";

/// Programs that are proven to only read when nothing in their words is unknown.
const READERS: &str = "cat ls head tail grep rg wc cd echo true pwd find stat test sort";

/// Everything beside the call.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) policy: Policy,
    pub(crate) posture: Posture,
    pub(crate) cwd: PathBuf,
    pub(crate) can_ask: bool,
    pub(crate) session: Rules,
    pub(crate) hooks: HookSaid,
}

impl Default for World {
    fn default() -> Self {
        let root = PathBuf::from(WORKSPACE);
        let workspace = Workspace {
            roots: vec![root.clone()],
            root: root.clone(),
            trusted: true,
            git: true,
            writes_auto: true,
        };
        let home = Some(PathBuf::from(HOME));
        Self {
            policy: Policy { workspace, home, taint: true, ..Policy::default() },
            posture: Posture::Ask,
            cwd: root,
            can_ask: true,
            session: Rules::default(),
            hooks: HookSaid::Nothing,
        }
    }
}

impl World {
    pub(crate) fn at(&self) -> Circumstances<'_> {
        Circumstances {
            stance: Stance { mode: Mode::Work, posture: self.posture },
            policy: &self.policy,
            session: &self.session,
            hooks: &self.hooks,
            taint: &[],
            cwd: &self.cwd,
            can_ask: self.can_ask,
            now_unix_ms: 1,
        }
    }
}

/// A call of a shell with this line.
pub(crate) fn line(text: &str) -> Classified {
    let subjects = subjects(text);
    let reads = |subject: &Subject| matches!(subject, Subject::Command { read_only: true, .. });
    let safety = if subjects.iter().all(reads) { READ } else { Safety::WORST };
    call(Trust::Trusted, safety, subjects, text)
}

/// A call of a tool with these subjects.
pub(crate) fn call(
    trust: Trust,
    safety: Safety,
    subjects: Vec<Subject>,
    preview: &str,
) -> Classified {
    let entry = Entry { trust, ..entry("tool", Safety::WORST) };
    let resolved = View::whole(Catalog::from_iter([entry])).resolve(raw("tool")).unwrap();
    let work = Stance { mode: Mode::Work, posture: Posture::Ask };
    let eligible = admission::admit(resolved, work, Surface::Full, &Policy::default()).unwrap();
    let preview = preview.to_owned();
    let said = Preparation { safety, subjects, preview, ..Preparation::default() };
    schema::check(eligible).unwrap().classify(said)
}

/// A path subject.
pub(crate) fn path(place: &str, access: crate::safety::Access) -> Subject {
    let absolute = Path::new(WORKSPACE).join(place);
    Subject::Path { relative: None, absolute, access, reach: Reach::Itself }
}

/// The commands of a line.
pub(crate) fn subjects(text: &str) -> Vec<Subject> {
    let mut subjects = Vec::new();
    let mut operator = String::new();
    let mut argv: Vec<String> = Vec::new();
    let mut unknown = false;
    for (word, known) in words(text) {
        let is_operator = matches!(word.as_str(), "|" | "&&" | "||" | ";" | "&" | "{" | "}");
        if is_operator && known {
            finish(&mut subjects, &mut argv, &operator, unknown);
            (operator, unknown) = (word, false);
        } else if let Some(wrapper) = word.strip_prefix('@') {
            wrapper.clone_into(&mut operator);
        } else {
            unknown |= !known || is_unknown(&word);
            argv.push(word);
        }
    }
    finish(&mut subjects, &mut argv, &operator, unknown);
    subjects
}

fn is_unknown(word: &str) -> bool {
    word.contains(['$', '`', '*', '?', '[', '(']) || word.starts_with('~')
}

fn finish(subjects: &mut Vec<Subject>, argv: &mut Vec<String>, operator: &str, opaque: bool) {
    let Some(program) = argv.first() else { return };
    let redirects = matches!(program.as_str(), ">" | "<");
    let writes = argv.iter().any(|word| matches!(word.as_str(), "-delete" | "-exec"));
    let read_only = super::listed(READERS, program) && !writes && !redirects;
    let operator = if redirects { program.clone() } else { operator.to_owned() };
    let inside = argv.iter().find_map(|word| word.split_once("$(").or(word.split_once("<(")));
    let inner = inside.map(|(_, inner)| inner.trim_end_matches([')', '"']).to_owned());
    subjects.push(Subject::Command { argv: std::mem::take(argv), operator, opaque, read_only });
    if let Some(inner) = inner {
        for subject in self::subjects(&inner) {
            let Subject::Command { argv, operator, opaque, read_only } = subject else { continue };
            let operator = if operator.is_empty() { "$(".to_owned() } else { operator };
            subjects.push(Subject::Command { argv, operator, opaque, read_only });
        }
    }
}

/// Words with whether their value is known; in single quotes all is, in double quotes what has no sign.
fn words(text: &str) -> Vec<(String, bool)> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut quote, mut open, mut depth, mut raw) = (None, false, 0, false);
    for c in text.chars() {
        match (quote, c) {
            (None, '\'' | '"') if depth == 0 => (quote, open) = (Some(c), true),
            (Some(q), c) if c == q && depth == 0 => quote = None,
            (None, ' ') if depth == 0 => {
                if open || !word.is_empty() {
                    words.push((std::mem::take(&mut word), !raw));
                }
                (open, raw) = (false, false);
            }
            (_, c) => {
                match c {
                    '(' if word.ends_with(['$', '<']) && quote != Some('\'') => {
                        (depth, raw) = (depth + 1, true);
                    }
                    ')' if depth > 0 => depth -= 1,
                    _ => {}
                }
                word.push(c);
            }
        }
    }
    if open || !word.is_empty() {
        words.push((word, !raw));
    }
    words
}
