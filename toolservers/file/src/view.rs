//! What `read` sees, of a file or of an artifact: a window of a text, or an image.
//!
//! Not here: where the bytes come from (`reading`, `artifact`), how a text goes by (`pass`), how an image is
//! scaled (`picture`), how a document becomes a text (`made`).

use crate::{
    ending::Endings,
    failed::{Class, Failed},
    limits::WHOLE_BYTES_MAX,
    made::Told,
    picture::Picture,
    text::Form,
    window::{Shown, Wanted},
};

/// What is seen.
#[derive(Debug)]
pub(crate) enum View {
    /// Lines of a text.
    Text(TextView),
    /// An image.
    Image(Picture),
}

impl View {
    /// Lines of a text, if the window begins in it.
    ///
    /// # Errors
    /// `past_end` with the count of lines.
    pub(crate) fn text(text: TextView, wanted: Wanted, shown: &str) -> Result<Self, Failed> {
        let Some(total) = text.total.filter(|total| wanted.offset > (*total).max(1)) else {
            return Ok(Self::Text(text));
        };
        let lines = if total == 1 { "1 line".to_owned() } else { format!("{total} lines") };
        let message = format!("offset {} is past the end: {shown} has {lines}", wanted.offset);
        Err(Failed::new(Class::PastEnd, message))
    }
}

/// Lines of a text, and what is known of the whole.
#[derive(Debug)]
pub(crate) struct TextView {
    pub(crate) shown: Shown,
    pub(crate) form: Form,
    /// Of all that was read.
    pub(crate) endings: Endings,
    /// Lines of the whole; `None`: not counted.
    pub(crate) total: Option<u64>,
    /// Bytes of the whole.
    pub(crate) size: u64,
    /// SHA-256 of the whole file; `None`: too large, changed while it was read, or no file.
    pub(crate) sha256: Option<[u8; 32]>,
    /// Whether the file was changed while it was read.
    pub(crate) is_torn: bool,
    /// What is said of a text that was made of a document; `None`: it is the file's own.
    pub(crate) made: Option<Told>,
    /// What else a reader must know.
    pub(crate) notice: Option<String>,
}

/// The refusal of what is not text.
pub(crate) fn binary(shown: &str, kind: &str, size: u64) -> Failed {
    let message =
        format!("{shown} is not text but {kind}, {size} bytes; it cannot be shown or edited");
    Failed::new(Class::Binary, message)
}

/// Whether an image or a document of this many bytes is read: it is held in memory whole.
///
/// # Errors
/// `too_large`.
pub(crate) fn check_whole(shown: &str, kind: &str, size: u64) -> Result<(), Failed> {
    if size <= WHOLE_BYTES_MAX {
        return Ok(());
    }
    let message = format!(
        "{shown} is {kind} of {size} bytes; at most {WHOLE_BYTES_MAX} bytes can be read. Make a smaller copy \
         first, or take a part of it with bash"
    );
    Err(Failed::new(Class::TooLarge, message))
}
