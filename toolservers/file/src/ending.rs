//! Line endings: counted in a file, taken over by what is put into it.

/// Breaks of a text by kind. A carriage return alone is an ordinary byte.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Endings {
    /// Line feeds after a carriage return.
    pub(crate) crlf: u64,
    /// Line feeds alone.
    pub(crate) lf: u64,
}

impl Endings {
    /// Counts the breaks of a block; `before` is the byte before it.
    pub(crate) fn count(&mut self, block: &[u8], before: u8) {
        for at in memchr::memchr_iter(b'\n', block) {
            let before = at.checked_sub(1).and_then(|at| block.get(at)).unwrap_or(&before);
            if *before == b'\r' {
                self.crlf += 1;
            } else {
                self.lf += 1;
            }
        }
    }

    /// Counts the breaks of a text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut endings = Self::default();
        endings.count(text, 0);
        endings
    }

    /// For metadata: "lf", "crlf", "mixed" or "none".
    pub(crate) fn word(self) -> &'static str {
        match (self.crlf, self.lf) {
            (0, 0) => "none",
            (_, 0) => "crlf",
            (0, _) => "lf",
            (_, _) => "mixed",
        }
    }

    /// Whether most breaks are CRLF.
    pub(crate) fn mostly_crlf(self) -> bool {
        self.crlf > self.lf
    }
}

/// The text with each of its breaks, CRLF or LF, written as `ending(k)` for the k-th from 0.
pub(crate) fn with_endings(text: &str, ending: impl Fn(usize) -> &'static str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut out = String::with_capacity(text.len());
    for (k, line) in text.split('\n').enumerate() {
        if let Some(before) = k.checked_sub(1) {
            out.push_str(ending(before));
        }
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests;
