//! What `read` sees, of a file or of an artifact: a window of a text, or an image.
//!
//! Not here: where the bytes come from (`reading`, `artifact`), how a text goes by (`pass`).

use crate::{
    ending::Endings,
    failed::{Class, Failed},
    limits::IMAGE_BYTES_MAX,
    magic,
    text::Form,
    window::{Shown, Wanted},
};

/// What is seen.
#[derive(Debug)]
pub(crate) enum View {
    /// Lines of a text.
    Text(TextView),
    /// A whole image.
    Image {
        media_type: &'static str,
        data: Vec<u8>,
        /// Width and height in pixels, if the header tells.
        pixels: Option<(u32, u32)>,
    },
}

impl View {
    /// An image of these bytes.
    pub(crate) fn image(media_type: &'static str, data: Vec<u8>) -> Self {
        let pixels = magic::dimensions(media_type, &data);
        Self::Image { media_type, data, pixels }
    }

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
}

/// The refusal of what is not text.
pub(crate) fn binary(shown: &str, kind: &str, size: u64) -> Failed {
    let message =
        format!("{shown} is not text but {kind}, {size} bytes; it cannot be shown or edited");
    Failed::new(Class::Binary, message)
}

/// Whether an image of this many bytes can be shown.
///
/// # Errors
/// `too_large`.
pub(crate) fn check_image(shown: &str, media_type: &str, size: u64) -> Result<(), Failed> {
    if size <= IMAGE_BYTES_MAX {
        return Ok(());
    }
    let message = format!(
        "{shown} is an image ({media_type}) of {size} bytes; at most {IMAGE_BYTES_MAX} bytes can be \
         shown. Make a smaller copy first"
    );
    Err(Failed::new(Class::TooLarge, message))
}
