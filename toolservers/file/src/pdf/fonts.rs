//! Fonts of a PDF, as far as a reader of its text needs them: which characters codes stand for, and how
//! wide they are.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use lopdf::{Dictionary, Document, Encoding, Object};
use unicode_width::UnicodeWidthChar;

use super::load::is;
use crate::limits::PDF_FONT_BYTES_MAX;

/// A font.
pub(super) struct Font<'a> {
    encoding: Option<Encoding<'a>>,
    /// The first code with a width, and the widths in thousandths of the size.
    widths: Option<(usize, Vec<f32>)>,
}

impl Font<'_> {
    /// Appends what codes stand for; gives the width in parts of the font's size.
    pub(super) fn show(&self, codes: &[u8], text: &mut String) -> f32 {
        let before = text.len();
        let written = self.encoding.as_ref().map(|encoding| encoding.write_to_string(codes, text));
        if !matches!(written, Some(Ok(()))) {
            text.truncate(before);
            text.extend(codes.iter().map(|code| char::from(*code)));
        }
        match &self.widths {
            Some((first, widths)) => codes
                .iter()
                .map(|code| usize::from(*code).checked_sub(*first).and_then(|at| widths.get(at)))
                .map(|width| width.copied().unwrap_or(500.0) / 1_000.0)
                .sum(),
            None => {
                let shown = text.get(before..).unwrap_or_default();
                shown
                    .chars()
                    .map(|character| if character.width() == Some(2) { 1.0 } else { 0.5 })
                    .sum()
            }
        }
    }
}

/// The fonts of one page or form, by the names that its content has for them.
pub(super) type Named<'a> = BTreeMap<Vec<u8>, Rc<Font<'a>>>;

/// The fonts of a document, each looked at once.
pub(super) struct Fonts<'a> {
    document: &'a Document,
    known: HashMap<*const Dictionary, Rc<Font<'a>>>,
    /// Bytes of tables that may still be read.
    bytes: usize,
}

impl<'a> Fonts<'a> {
    /// Those of a document.
    pub(super) fn new(document: &'a Document) -> Self {
        Self { document, known: HashMap::new(), bytes: PDF_FONT_BYTES_MAX }
    }

    /// The fonts that a dictionary of resources names, put to those that are named already.
    pub(super) fn named(&mut self, resources: &'a Dictionary, named: &mut Named<'a>) {
        let fonts = resources.get_deref(b"Font", self.document).and_then(Object::as_dict);
        let Ok(fonts) = fonts else { return };
        for (name, font) in fonts {
            let font = self.document.dereference(font).and_then(|(_, font)| font.as_dict());
            if let Ok(font) = font
                && !named.contains_key(name)
            {
                named.insert(name.clone(), self.font(font));
            }
        }
    }

    fn font(&mut self, dictionary: &'a Dictionary) -> Rc<Font<'a>> {
        let (document, most) = (self.document, self.bytes);
        let known = self.known.entry(std::ptr::from_ref(dictionary)).or_insert_with(|| {
            let tables = [&b"ToUnicode"[..], b"Encoding"].into_iter().filter_map(|key| {
                let table = dictionary.get_deref(key, document).and_then(Object::as_stream).ok()?;
                let table = table.decompressed_content_with_limit(most);
                Some(table.map_or(most, |table| table.len()))
            });
            self.bytes = most.saturating_sub(tables.sum());
            let encoding = dictionary.get_font_encoding_with_limit(document, most);
            Rc::new(Font { encoding: encoding.ok(), widths: widths(dictionary, document) })
        });
        Rc::clone(known)
    }
}

/// The widths of a font whose codes are one byte each.
fn widths(font: &Dictionary, document: &Document) -> Option<(usize, Vec<f32>)> {
    if is(font, b"Subtype", b"Type0") || is(font, b"Subtype", b"Type3") {
        return None;
    }
    let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).ok()?;
    let widths = font.get_deref(b"Widths", document).and_then(Object::as_array).ok()?;
    let width = |width: &Object| {
        let width = document.dereference(width).and_then(|(_, width)| width.as_float());
        width.unwrap_or(500.0)
    };
    Some((usize::try_from(first).ok()?, widths.iter().take(256).map(width).collect()))
}
