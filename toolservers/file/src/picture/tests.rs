//! Goal: what a model gets of an image is whole, fits, and says what it is. [FILE-03]

use image::{DynamicImage, Rgba, RgbaImage, codecs::gif::GifEncoder};

use super::*;
use crate::testing::{Numbers, drawn};

fn look(media_type: &'static str, data: Vec<u8>) -> Result<Picture, Failed> {
    picture("f", media_type, data, &|| false)
}

/// An image that compresses badly.
fn noise(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut numbers = Numbers::new(5);
    let mut byte = || u8::try_from(numbers.below(256)).unwrap();
    let image = RgbImage::from_fn(width, height, |_, _| Rgb([byte(), byte(), byte()]));
    encoded(&image.into(), format)
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut data = Cursor::new(Vec::new());
    image.write_to(&mut data, format).unwrap();
    data.into_inner()
}

#[track_caller]
fn fails(media_type: &'static str, data: Vec<u8>, class: Class, part: &str) {
    let failed = look(media_type, data).unwrap_err();
    assert_eq!(failed.class, class, "{}", failed.message);
    assert!(failed.message.contains(part), "{}", failed.message);
}

#[test]
fn an_image_that_fits_is_shown_byte_for_byte() {
    let image = image::load_from_memory(&drawn(40, 30)).unwrap();
    for (format, media_type) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::WebP, "image/webp"),
    ] {
        let data = encoded(&image, format);
        let seen = look(media_type, data.clone()).unwrap();
        assert!(!seen.is_scaled() && seen.shown.data == data, "{media_type}");
        assert_eq!(
            (seen.size, seen.shown.size, seen.bytes),
            ((40, 30), (40, 30), data.len() as u64)
        );
    }
}

#[test]
fn what_is_shown_fits() {
    for (data, media_type, size) in [
        (drawn(4_000, 1_000), "image/png", (4_000, 1_000)),
        (drawn(300, 3_000), "image/png", (300, 3_000)),
        (noise(700, 500, ImageFormat::Png), "image/png", (700, 500)),
        (noise(1_600, 1_200, ImageFormat::Jpeg), "image/jpeg", (1_600, 1_200)),
        (drawn(20_000, 2), "image/png", (20_000, 2)),
    ] {
        let seen = look(media_type, data).unwrap();
        assert_eq!((seen.size, seen.media_type), (size, media_type));
        assert!(seen.is_scaled());
        let shown = &seen.shown;
        assert!(shown.data.len() <= IMAGE_BYTES_MAX, "{size:?}: {}", shown.data.len());
        assert!(shown.size.0.max(shown.size.1) <= IMAGE_SIDE_MAX, "{size:?}: {:?}", shown.size);
        // It is what it says, in the same shape.
        let again = look(shown.media_type, shown.data.clone()).unwrap();
        assert_eq!(again.size, shown.size);
        let ratio = |(width, height): (u32, u32)| f64::from(width) / f64::from(height);
        let alike = ratio(shown.size) / ratio(size);
        assert!(size.1 < 10 || (0.98..1.02).contains(&alike), "{size:?} {:?}", shown.size);
    }
}

/// Lines stay sharp where there is room.
#[test]
fn a_drawing_stays_without_loss() {
    let flat = encoded(&DynamicImage::new_rgb8(3_000, 2_000), ImageFormat::Png);
    let seen = look("image/png", flat).unwrap();
    assert_eq!((seen.shown.media_type, seen.shown.size), ("image/png", (1_568, 1_045)));
}

#[test]
fn what_is_transparent_becomes_white_in_a_jpeg() {
    let image = RgbaImage::from_pixel(10, 10, Rgba([0, 0, 0, 0]));
    assert_eq!(on_white(&image.into()).get_pixel(3, 3).0, [255, 255, 255]);
}

#[test]
fn of_an_animation_the_first_frame_is_scaled() {
    let mut data = Vec::new();
    let mut encoder = GifEncoder::new(&mut data);
    for shade in [10, 200] {
        let frame = RgbaImage::from_pixel(1_800, 40, Rgba([shade, shade, shade, 255]));
        encoder.encode_frame(image::Frame::new(frame)).unwrap();
    }
    drop(encoder);
    let seen = look("image/gif", data).unwrap();
    assert!(seen.notices.iter().any(|notice| notice.contains("first frame")), "{:?}", seen.notices);
    assert_eq!(seen.shown.size.0, 1_568);
}

/// The rest of a damaged image would be refused by a provider with the whole conversation.
#[test]
fn broken_images_are_refused() {
    let png = drawn(64, 64);
    fails("image/png", png[..png.len() / 2].to_vec(), Class::Unreadable, "damaged");
    fails(
        "image/png",
        b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03".to_vec(),
        Class::Unreadable,
        "begins as",
    );
    fails("image/gif", b"GIF89a\x01\0".to_vec(), Class::Unreadable, "image/gif");
    fails("image/webp", b"RIFF\x10\0\0\0WEBPVP8 ".to_vec(), Class::Unreadable, "image/webp");
    fails("image/jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0".to_vec(), Class::Unreadable, "image/jpeg");
    let image = image::load_from_memory(&png).unwrap();
    for (format, media_type) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::WebP, "image/webp"),
    ] {
        let data = encoded(&image, format);
        // At each end an answer; what is shown of a photograph without its end is an image at least.
        for end in (12..data.len()).step_by(data.len() / 40 + 1) {
            if let Err(failed) = look(media_type, data[..end].to_vec()) {
                assert!(matches!(failed.class, Class::Unreadable | Class::TooLarge));
            }
        }
    }
}

/// A header that claims more than memory is there for; its few bytes are never inflated.
#[test]
fn a_bomb_is_refused_by_its_header() {
    let with_size = |width: u32, height: u32| {
        let mut png = drawn(8, 8);
        png[16..20].copy_from_slice(&width.to_be_bytes());
        png[20..24].copy_from_slice(&height.to_be_bytes());
        let crc = crc32(&png[12..29]);
        png[29..33].copy_from_slice(&crc.to_be_bytes());
        png
    };
    for (width, height) in [(50_000, 50_000), (u32::MAX >> 1, 1), (10_000, 5_001)] {
        fails("image/png", with_size(width, height), Class::TooLarge, "cannot be shown");
    }
    let mut gif =
        b"GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\x02\x02L\x01\0;".to_vec();
    fails("image/gif", std::mem::take(&mut gif), Class::TooLarge, "cannot be shown");
}

#[test]
fn a_stopped_call_looks_no_further() {
    let failed = picture("f", "image/png", drawn(10, 10), &|| true).unwrap_err();
    assert_eq!(failed.class, Class::Cancelled);
}

/// CRC-32 of a PNG chunk.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}
