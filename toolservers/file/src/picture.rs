//! An image as a model takes it: checked, and scaled down if it is too wide or does not fit a result.
//!
//! Every image is decoded once, also one that is shown as it is: a provider that cannot read an image
//! refuses the conversation that it stands in. Of an animation the first frame is decoded.
//!
//! Invariants: what is shown has at most [`IMAGE_BYTES_MAX`] bytes and [`IMAGE_SIDE_MAX`] pixels a side
//! (test `what_is_shown_fits`); the header decides before memory is taken
//! (test `a_bomb_is_refused_by_its_header`).
//!
//! Not here: which files are images (`magic`), what is said about one (`read`).

use std::{
    io::Cursor,
    panic::{AssertUnwindSafe, catch_unwind},
};

use image::{
    DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, ImageError, ImageFormat,
    ImageReader, ImageResult, Limits, Rgb, RgbImage,
    codecs::{jpeg::JpegEncoder, png::PngEncoder},
    imageops::FilterType,
    metadata::Orientation,
};
use sha2::{Digest, Sha256};

use crate::{
    failed::{Class, Failed},
    limits::{
        IMAGE_BYTES_MAX, IMAGE_DECODED_BYTES_MAX, IMAGE_DECODED_SIDE_MAX, IMAGE_PIXELS_MAX,
        IMAGE_SIDE_MAX, IMAGE_TRIES_MAX,
    },
};

/// An image and where it comes from.
#[derive(Debug)]
pub(crate) struct Picture {
    /// What the model gets.
    pub(crate) shown: Encoded,
    /// Bytes, media type and size of the source; equal to `shown` if it is not scaled.
    pub(crate) bytes: u64,
    pub(crate) media_type: &'static str,
    /// Width and height, in pixels.
    pub(crate) size: (u32, u32),
    /// SHA-256 of the source.
    pub(crate) sha256: [u8; 32],
    /// What a reader of a scaled image must know beside its size.
    pub(crate) notices: Vec<&'static str>,
}

impl Picture {
    /// Whether the model gets something else than the source.
    pub(crate) fn is_scaled(&self) -> bool {
        !self.notices.is_empty()
    }
}

/// Bytes of an image.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) media_type: &'static str,
    pub(crate) data: Vec<u8>,
    /// Width and height, in pixels.
    pub(crate) size: (u32, u32),
}

/// Looks at the bytes of an image, whose kind their start told. `stopped` is asked between the steps.
///
/// # Errors
/// `unreadable` for a broken image, `too_large` for more pixels than are decoded, `cancelled`.
pub(crate) fn picture(
    shown: &str,
    media_type: &'static str,
    data: Vec<u8>,
    stopped: &dyn Fn() -> bool,
) -> Result<Picture, Failed> {
    let checked = || {
        if stopped() {
            Err(Failed::new(Class::Cancelled, "looking at the image was stopped"))
        } else {
            Ok(())
        }
    };
    checked()?;
    // The decoders are well kept, but a panic of one must stay an image that cannot be read.
    let decoded = catch_unwind(AssertUnwindSafe(|| decode(media_type, &data)));
    let decoded = decoded.unwrap_or_else(|_| Err(Fault::Broken("its decoder failed".to_owned())));
    let Decoded { image, size, orientation } =
        decoded.map_err(|fault| fault.told(shown, media_type, data.len()))?;
    checked()?;
    let (bytes, sha256) = (data.len() as u64, Sha256::digest(&data).into());
    if data.len() <= IMAGE_BYTES_MAX && size.0.max(size.1) <= IMAGE_SIDE_MAX {
        let shown = Encoded { media_type, data, size };
        return Ok(Picture { shown, bytes, media_type, size, sha256, notices: Vec::new() });
    }
    let mut notices = vec!["scaled down to what models take"];
    if matches!(media_type, "image/gif" | "image/webp") && is_animated(media_type, &data) {
        notices.push("only the first frame of the animation is shown");
    }
    drop(data);
    let mut image = image;
    if orientation != Orientation::NoTransforms {
        image.apply_orientation(orientation);
        notices.push("turned upright, as its EXIF data say");
    }
    let is_drawn = media_type != "image/jpeg";
    let Some(encoded) = fitting(&image, is_drawn, stopped) else {
        checked()?;
        let message = format!("{shown} cannot be scaled down to {IMAGE_BYTES_MAX} bytes");
        return Err(Failed::new(Class::TooLarge, message));
    };
    Ok(Picture { shown: encoded, bytes, media_type, size, sha256, notices })
}

/// Why an image is not decoded.
enum Fault {
    Broken(String),
    TooLarge(String),
}

impl Fault {
    fn told(self, shown: &str, media_type: &str, bytes: usize) -> Failed {
        match self {
            Self::Broken(why) => Failed::new(
                Class::Unreadable,
                format!(
                    "{shown} begins as an image ({media_type}) but cannot be shown: {why} ({bytes} bytes); \
                     it is damaged or was not written to its end"
                ),
            ),
            Self::TooLarge(why) => Failed::new(
                Class::TooLarge,
                format!(
                    "{shown} is an image ({media_type}) that cannot be shown: {why}. Make a smaller copy first"
                ),
            ),
        }
    }
}

/// An image in memory.
struct Decoded {
    image: DynamicImage,
    /// As the file has it, before it is turned.
    size: (u32, u32),
    orientation: Orientation,
}

fn decode(media_type: &str, data: &[u8]) -> Result<Decoded, Fault> {
    let format = ImageFormat::from_mime_type(media_type);
    let format = format.ok_or_else(|| Fault::Broken("its kind is not known".to_owned()))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(IMAGE_DECODED_SIDE_MAX);
    limits.max_image_height = Some(IMAGE_DECODED_SIDE_MAX);
    limits.max_alloc = Some(IMAGE_DECODED_BYTES_MAX);
    let mut reader = ImageReader::with_format(Cursor::new(data), format);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(fault)?;
    let size @ (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if pixels > IMAGE_PIXELS_MAX || decoder.total_bytes() > IMAGE_DECODED_BYTES_MAX {
        let why = format!(
            "it has {width}×{height} pixels; at most {IMAGE_PIXELS_MAX} of them, in {IMAGE_DECODED_BYTES_MAX} bytes, \
             are decoded"
        );
        return Err(Fault::TooLarge(why));
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let image = DynamicImage::from_decoder(decoder).map_err(fault)?;
    Ok(Decoded { image, size, orientation })
}

fn fault(error: ImageError) -> Fault {
    match error {
        ImageError::Limits(error) => Fault::TooLarge(error.to_string()),
        error @ (ImageError::Decoding(_)
        | ImageError::Encoding(_)
        | ImageError::Parameter(_)
        | ImageError::Unsupported(_)
        | ImageError::IoError(_)) => Fault::Broken(error.to_string()),
    }
}

/// The image as large as it fits; `None` if it does not, or if stopped.
///
/// What was drawn keeps its sharp edges as PNG where there is room, else becomes JPEG like a photograph.
fn fitting(image: &DynamicImage, is_drawn: bool, stopped: &dyn Fn() -> bool) -> Option<Encoded> {
    let mut side = image.width().max(image.height()).min(IMAGE_SIDE_MAX);
    for _ in 0..IMAGE_TRIES_MAX {
        let small = scaled(image, side);
        let size = (small.width(), small.height());
        let png = if is_drawn { png(&small).ok() } else { None };
        let mut tries = png.into_iter().map(|data| ("image/png", data)).chain(
            [85, 60]
                .into_iter()
                .filter_map(|quality| Some(("image/jpeg", jpeg(&small, quality).ok()?))),
        );
        if let Some((media_type, data)) = tries.find(|(_, data)| data.len() <= IMAGE_BYTES_MAX) {
            return Some(Encoded { media_type, data, size });
        }
        if stopped() {
            return None;
        }
        side = (side * 3 / 4).max(1);
    }
    None
}

/// The image with its long side of at most so many pixels.
fn scaled(image: &DynamicImage, side: u32) -> DynamicImage {
    let long = image.width().max(image.height());
    if long <= side {
        return image.clone();
    }
    // Averaging first is fast and takes no memory; the filter is for what is left.
    let double = side.saturating_mul(2);
    if long > double {
        return image.thumbnail(double, double).resize(side, side, FilterType::CatmullRom);
    }
    image.resize(side, side, FilterType::CatmullRom)
}

fn png(image: &DynamicImage) -> ImageResult<Vec<u8>> {
    let mut data = Vec::new();
    let (width, height) = (image.width(), image.height());
    let encoder = PngEncoder::new(&mut data);
    if image.color().has_alpha() {
        encoder.write_image(&image.to_rgba8(), width, height, ExtendedColorType::Rgba8)?;
    } else {
        encoder.write_image(&image.to_rgb8(), width, height, ExtendedColorType::Rgb8)?;
    }
    Ok(data)
}

fn jpeg(image: &DynamicImage, quality: u8) -> ImageResult<Vec<u8>> {
    let mut data = Vec::new();
    let pixels = if image.color().has_alpha() { on_white(image) } else { image.to_rgb8() };
    JpegEncoder::new_with_quality(&mut data, quality).encode_image(&pixels)?;
    Ok(data)
}

/// What is transparent becomes white, as a page is; JPEG has no transparency.
fn on_white(image: &DynamicImage) -> RgbImage {
    let pixels = image.to_rgba8();
    RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let [red, green, blue, alpha] = pixels.get_pixel(x, y).0;
        let over = |colour: u8| {
            let mixed = u16::from(colour) * u16::from(alpha) + 255 * (255 - u16::from(alpha));
            u8::try_from(mixed / 255).unwrap_or(u8::MAX)
        };
        Rgb([over(red), over(green), over(blue)])
    })
}

/// Whether an image moves, by marks that an animation has (GIF: a second frame's control block; WebP: a
/// chunk `ANIM`). Only for a notice.
fn is_animated(media_type: &str, data: &[u8]) -> bool {
    match media_type {
        "image/gif" => memchr::memmem::find_iter(data, b"\x21\xF9\x04").nth(1).is_some(),
        _ => memchr::memmem::find(data, b"ANIM").is_some_and(|at| at < 64),
    }
}

#[cfg(test)]
mod tests;
