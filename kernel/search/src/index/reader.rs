//! Reads a document's fields into the index.
//!
//! Not here: what a field weighs (`weights.rs`).

use std::{collections::HashMap, sync::Arc};

use super::{Index, Posting, Term};
use crate::{
    document::Document,
    limits::{ARGUMENTS_MAX, FIELD_BYTES_MAX, FIELD_WORDS_MAX, UNTRUSTED_WORDS_MAX},
    stem, synonyms,
    text::{beginning, words},
    typo::Shape,
    vectors::{Meaning, Vectors},
    weights::WEIGHTS,
    words::WordTable,
};

/// What documents are read with.
pub(super) struct Reader {
    table: Option<Arc<WordTable>>,
    vectors: Option<Vectors>,
    /// Words as they were met, so that each is stemmed and looked up once.
    known: HashMap<Box<str>, Word>,
    /// Of the document that is being read.
    found: Vec<Found>,
    meaning: Meaning,
    /// Words of prose that are part of its meaning so far.
    said: f32,
}

#[derive(Clone, Copy)]
struct Word {
    /// None for a stop word.
    term: Option<u32>,
    /// Its row in the table.
    row: Option<u32>,
}

struct Found {
    term: u32,
    weight: f32,
    in_name: bool,
}

/// A kind of field.
#[derive(Clone, Copy)]
struct Field {
    weight: f32,
    is_name: bool,
    part: Part,
}

/// What a field says of what the tool means.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Part {
    /// All of it.
    Name,
    /// The less, the further back.
    Prose,
    /// Nothing: arguments are about what goes in, a server is about all of its tools.
    None,
}

impl Reader {
    pub(super) fn new(table: Option<Arc<WordTable>>) -> Self {
        let dimensions = table.as_ref().map(|it| it.dimensions());
        Self {
            vectors: table.clone().map(Vectors::new),
            table,
            known: HashMap::new(),
            found: Vec::new(),
            meaning: Meaning::new(dimensions.unwrap_or(0)),
            said: 0.0,
        }
    }

    pub(super) fn vectors(self) -> Option<Vectors> {
        self.vectors
    }

    /// Takes one document in.
    pub(super) fn read(&mut self, index: &mut Index, number: u32, document: &Document<'_>) {
        self.found.clear();
        self.meaning.clear();
        self.said = 0.0;
        self.fields(index, document);
        if let Some(vectors) = &mut self.vectors {
            vectors.push(&self.meaning);
        }
        // The best field of each word.
        self.found.sort_unstable_by(|a, b| a.term.cmp(&b.term).then(b.weight.total_cmp(&a.weight)));
        self.found.dedup_by_key(|it| it.term);
        let length = f32::from(u16::try_from(self.found.len()).unwrap_or(u16::MAX));
        let share = WEIGHTS.length_share;
        let norm = WEIGHTS.saturation * (1.0 - share + share * length / WEIGHTS.length_usual);
        for Found { term, weight, in_name } in self.found.drain(..) {
            let impact = weight * (WEIGHTS.saturation + 1.0) / (weight + norm);
            if let Some(term) = usize::try_from(term).ok().and_then(|it| index.terms.get_mut(it)) {
                term.postings.push(Posting { tool: number, impact, in_name });
            }
        }
    }

    fn fields(&mut self, index: &mut Index, document: &Document<'_>) {
        let w = &WEIGHTS;
        let field = |weight, part| Field { weight, is_name: false, part };
        let said = |weight| field(if document.trusted { weight } else { w.untrusted }, Part::Prose);
        let prose = said(w.prose);
        let name = Field { weight: w.name, is_name: true, part: Part::Name };
        // What a server that is not trusted may say in all.
        let mut left = if document.trusted { usize::MAX } else { UNTRUSTED_WORDS_MAX };
        let mut names = usize::MAX;
        self.field(index, document.name, name, &mut names);
        self.field(index, document.server, field(w.server, Part::None), &mut names);
        self.field(index, document.title, said(w.title), &mut left);
        self.field(index, document.hint, said(w.hint), &mut left);
        self.field(index, document.description, prose, &mut left);
        for (name, description) in document.arguments.iter().take(ARGUMENTS_MAX) {
            self.field(index, name, field(w.argument, Part::None), &mut names);
            let prose = Field { part: Part::None, ..prose };
            self.field(index, description, prose, &mut left);
        }
    }

    fn field(&mut self, index: &mut Index, text: &str, field: Field, left: &mut usize) {
        let mut most = FIELD_WORDS_MAX.min(*left);
        words(beginning(text, FIELD_BYTES_MAX), |word| {
            if most == 0 {
                return;
            }
            most -= 1;
            *left = left.saturating_sub(1);
            let Word { term, row } = self.word(index, word);
            if let Some(term) = term {
                self.found.push(Found { term, weight: field.weight, in_name: field.is_name });
            }
            self.mean(field.part, row);
        });
    }

    fn mean(&mut self, part: Part, row: Option<u32>) {
        let share = match part {
            Part::Name => 1.0,
            Part::Prose => WEIGHTS.meaning_half / (WEIGHTS.meaning_half + self.said),
            Part::None => return,
        };
        if part == Part::Prose {
            self.said += 1.0;
        }
        if let (Some(table), Some(row)) = (&self.table, row) {
            self.meaning.add(table, row, share);
        }
    }

    fn word(&mut self, index: &mut Index, word: &str) -> Word {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let row = self.table.as_ref().and_then(|it| it.row_of(word));
        let term = (!synonyms::is_stop(word)).then(|| term(index, word));
        let made = Word { term, row };
        self.known.insert(word.into(), made);
        made
    }
}

/// The term of a word, made where it is new.
fn term(index: &mut Index, word: &str) -> u32 {
    let mut stem = word.to_owned();
    stem::stem(&mut stem);
    if let Some(known) = index.vocabulary.get(stem.as_str()) {
        return *known;
    }
    let number = u32::try_from(index.terms.len()).unwrap_or(u32::MAX);
    let stem: Box<str> = stem.into();
    let shape = Shape::of(&stem);
    index.terms.push(Term { stem: stem.clone(), shape, postings: Vec::new() });
    index.vocabulary.insert(stem, number);
    number
}
