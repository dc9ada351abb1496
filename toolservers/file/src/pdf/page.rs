//! The text of a page: its content read operator by operator (ISO 32000-1, 8.4, 8.10 and 9.4).
//!
//! Not here: lines and blanks (`show`), fonts (`fonts`).

use lopdf::{
    Dictionary, Document, Object, ObjectId,
    content::{Content, Operation},
};

use super::{
    Watch,
    fonts::{Fonts, Named},
    load::{content, inflated, is},
    show::Lines,
};
use crate::limits::{PDF_DEPTH_MAX, PDF_FORMS_MAX, PDF_STREAM_BYTES_MAX, PDF_TEXT_BYTES_MAX};

/// The text of a page; `None` if it cannot be read.
pub(super) fn text<'a>(
    document: &'a Document,
    id: ObjectId,
    fonts: &mut Fonts<'a>,
    watch: &Watch,
) -> Option<String> {
    document.get_dictionary(id).ok()?;
    let bytes = document.get_page_content_with_limit(id, PDF_STREAM_BYTES_MAX).ok()?;
    let content = content(bytes)?;
    let (own, referred) = document.get_page_resources(id).unwrap_or_default();
    let referred = referred.into_iter().filter_map(|id| document.get_dictionary(id).ok());
    let resources: Vec<&Dictionary> = own.into_iter().chain(referred).collect();
    let mut page = Page { document, fonts, watch, lines: Lines::default(), forms: PDF_FORMS_MAX };
    page.content(&content, &resources, 0);
    Some(page.lines.finish())
}

/// A page on its way to a text.
struct Page<'a, 'b> {
    document: &'a Document,
    fonts: &'b mut Fonts<'a>,
    watch: &'b Watch,
    lines: Lines<'a>,
    /// How many more are looked into.
    forms: u32,
}

impl<'a> Page<'a, '_> {
    /// Reads content to its end, to the first fault in it, or until the time is over.
    fn content(&mut self, content: &[u8], resources: &[&'a Dictionary], depth: usize) {
        let mut named = Named::new();
        for dictionary in resources {
            self.fonts.named(dictionary, &mut named);
        }
        for (count, operation) in Content::decode_iter(content).enumerate() {
            let Ok(operation) = operation else { return };
            let is_over = count % 1_024 == 1_023 && self.watch.is_over();
            if is_over || self.lines.bytes() > PDF_TEXT_BYTES_MAX {
                return;
            }
            match operation.operator.as_str() {
                "Do" => self.form(&operation, resources, depth),
                "Tf" => {
                    let font = operation.operands.first().and_then(|name| name.as_name().ok());
                    let font = font.and_then(|name| named.get(name)).cloned();
                    self.lines.font(font, number(&operation, 1));
                }
                _ => operate(&mut self.lines, &operation),
            }
        }
    }

    /// Reads the content of a form in its place.
    fn form(&mut self, operation: &Operation, resources: &[&'a Dictionary], depth: usize) {
        if depth >= PDF_DEPTH_MAX || self.forms == 0 || self.watch.is_over() {
            return;
        }
        let Some(Object::Name(name)) = operation.operands.first() else { return };
        let document = self.document;
        let found = resources.iter().find_map(|resources| {
            let forms = resources.get_deref(b"XObject", document).and_then(Object::as_dict).ok()?;
            forms.get_deref(name, document).and_then(Object::as_stream).ok()
        });
        let Some(form) = found.filter(|form| is(&form.dict, b"Subtype", b"Form")) else { return };
        let Some(content) = inflated(form).and_then(content) else { return };
        self.forms -= 1;
        let own = form.dict.get_deref(b"Resources", document).and_then(Object::as_dict).ok();
        self.lines.save();
        if let Ok(matrix) = form.dict.get_deref(b"Matrix", document).and_then(Object::as_array) {
            self.lines.transform(six(matrix));
        }
        match own {
            Some(own) => self.content(&content, &[own], depth + 1),
            None => self.content(&content, resources, depth + 1),
        }
        self.lines.restore();
    }
}

/// Does what an operator of text or of the state of drawing says; others show no text.
fn operate(lines: &mut Lines<'_>, operation: &Operation) {
    let operands = &operation.operands;
    match operation.operator.as_str() {
        "q" => lines.save(),
        "Q" => lines.restore(),
        "cm" => lines.transform(six(operands)),
        "BT" => lines.begin(),
        "Td" => lines.step(number(operation, 0), number(operation, 1)),
        "TD" => {
            lines.leading(-number(operation, 1));
            lines.step(number(operation, 0), number(operation, 1));
        }
        "Tm" => lines.place(six(operands)),
        "TL" => lines.leading(number(operation, 0)),
        "Tc" => lines.spacing(number(operation, 0)),
        "Tw" => lines.word_spacing(number(operation, 0)),
        "T*" => lines.next_line(),
        "Tj" => show(lines, operands),
        "'" => {
            lines.next_line();
            show(lines, operands);
        }
        "\"" => {
            lines.word_spacing(number(operation, 0));
            lines.spacing(number(operation, 1));
            lines.next_line();
            show(lines, operands);
        }
        "TJ" => {
            if let Some(Object::Array(parts)) = operands.first() {
                show(lines, parts);
            }
        }
        _ => {}
    }
}

/// Shows texts; a number between two moves the second.
fn show(lines: &mut Lines<'_>, parts: &[Object]) {
    for part in parts {
        if let Object::String(codes, _) = part {
            lines.show(codes);
        } else if let Ok(thousandths) = part.as_float() {
            lines.kern(thousandths);
        }
    }
}

fn number(operation: &Operation, at: usize) -> f32 {
    operation.operands.get(at).and_then(|operand| operand.as_float().ok()).unwrap_or(0.0)
}

fn six(operands: &[Object]) -> [f32; 6] {
    let mut numbers = [0.0; 6];
    for (number, operand) in numbers.iter_mut().zip(operands) {
        *number = operand.as_float().unwrap_or(0.0);
    }
    numbers
}
