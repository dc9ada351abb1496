//! Images and PDFs for tests, made on the spot.

use lopdf::{Dictionary, Document, Stream, dictionary};

/// A PNG of this size with some lines in it.
pub(crate) fn drawn(width: u32, height: u32) -> Vec<u8> {
    let image = image::RgbImage::from_fn(width, height, |x, y| {
        let shade = u8::try_from((x / 7 + y / 5) % 200).unwrap();
        image::Rgb([shade, 255 - shade, 90])
    });
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

/// A PDF with these pages, of lines of text in Helvetica.
pub(crate) fn pdf(pages: &[&str]) -> Vec<u8> {
    let contents = pages.iter().map(|page| {
        let lines: Vec<String> = page.lines().map(|line| format!("({line}) Tj T*")).collect();
        format!("BT /F1 12 Tf 14 TL 72 700 Td {} ET", lines.join(" "))
    });
    pdf_of(&contents.collect::<Vec<_>>())
}

/// A PDF whose pages have these contents; the font `F1` is Helvetica.
pub(crate) fn pdf_of(contents: &[String]) -> Vec<u8> {
    let mut document = Document::with_version("1.4");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let resources = document.add_object(dictionary! {
        "Font" => dictionary! { "F1" => font },
    });
    let mut kids = Vec::new();
    for content in contents {
        let stream = Stream::new(Dictionary::new(), content.as_bytes().to_vec());
        let content = document.add_object(stream);
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => tree, "Contents" => content, "Resources" => resources,
        });
        kids.push(page.into());
    }
    let count = i64::try_from(kids.len()).unwrap();
    document
        .objects
        .insert(tree, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}
