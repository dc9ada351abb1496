//! One pass over a text, block after block: decoded, judged, and seen through a window.
//!
//! Invariant: memory is the window's and a block's, however long the text is (test
//! `a_huge_file_costs_its_window`).

use encoding_rs::Decoder;

use crate::{
    ending::Endings,
    limits::BLOCK_BYTES,
    text::{Form, Sniffer},
    view::TextView,
    window::{Scan, Wanted},
};

/// One pass over a text, or over its end.
pub(crate) struct Pass {
    scan: Scan,
    /// Bytes of UTF-16 become UTF-8, in `text`, before they are scanned.
    utf16: Option<(Form, Decoder)>,
    text: String,
    sniffer: Sniffer,
    endings: Endings,
    last: u8,
    is_ended: bool,
}

impl Pass {
    /// A pass over the text that begins with `head`, from `start` on: a line, from 1, and the byte
    /// where it starts.
    pub(crate) fn new(wanted: Wanted, head: &[u8], start: (u64, u64)) -> Self {
        let utf16 = Form::marked(head)
            .and_then(|form| Some((form, form.encoding.other()?.new_decoder_with_bom_removal())));
        let mut sniffer = Sniffer::default();
        if start.1 > 0 {
            sniffer.feed(head);
            sniffer.cut();
        }
        Self {
            scan: Scan::new(wanted, start.0, start.1),
            utf16,
            text: String::new(),
            sniffer,
            endings: Endings::default(),
            last: 0,
            is_ended: false,
        }
    }

    /// Takes the next bytes: [`BLOCK_BYTES`], or fewer at the end.
    pub(crate) fn feed(&mut self, block: &[u8]) {
        self.is_ended = block.len() < BLOCK_BYTES;
        let text = match &mut self.utf16 {
            None => {
                self.sniffer.feed(block);
                block
            }
            Some((_, decoder)) => {
                let most = decoder.max_utf8_buffer_length(block.len());
                self.text.clear();
                self.text.reserve(most.unwrap_or(4 * BLOCK_BYTES));
                let (_, _, _) = decoder.decode_to_string(block, &mut self.text, self.is_ended);
                self.text.as_bytes()
            }
        };
        self.endings.count(text, self.last);
        self.last = text.last().copied().unwrap_or(self.last);
        self.scan.feed(text);
    }

    /// Whether the window begins later, so that what comes may be passed over.
    pub(crate) fn is_before_window(&self) -> bool {
        self.scan.is_before_window()
    }

    /// Passes over bytes without breaks; they are NULs, which are no fault of any encoding.
    pub(crate) fn skip_hole(&mut self, bytes: u64) {
        if bytes > 0 {
            self.sniffer.cut();
            self.last = 0;
            self.scan.skip_hole(bytes);
        }
    }

    /// Whether nothing that comes can change the window, nor whether the text goes on after it.
    pub(crate) fn is_done(&self) -> bool {
        self.scan.is_done()
    }

    /// Whether the text went by to its end.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// The line that the next byte belongs to, from 1, and where it starts in the text.
    pub(crate) fn line_start(&self) -> (u64, u64) {
        self.scan.line_start()
    }

    /// Lines of the whole text, once it went by to its end.
    pub(crate) fn total(&self) -> Option<u64> {
        self.is_ended.then(|| self.scan.total())
    }

    /// What was seen of a text of `size` bytes; `total` is its count of lines, if it is known.
    pub(crate) fn finish(mut self, size: u64, total: Option<u64>) -> TextView {
        if !self.is_ended {
            self.sniffer.cut();
        }
        let form = self.utf16.map_or_else(|| self.sniffer.form(), |(form, _)| form);
        TextView {
            shown: self.scan.show(form),
            form,
            endings: self.endings,
            total,
            size,
            sha256: None,
            is_torn: false,
            made: None,
            notice: None,
        }
    }
}
