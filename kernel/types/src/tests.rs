//! The zoo: shapes of schemas as generators write them, with the text that they give; and that nothing
//! else gives more than the bounds allow.
//!
//! A block of `zoo/*.txt` is `=== NAME: what it shows`, maybe `# DESCRIPTION`, the schema, maybe
//! `+++ output` and a schema of results, then after `---` the signature and after `---` the declaration.

mod hostile;
mod lexed;
mod random;

use crate::{
    declaration,
    limits::{SIGNATURE_BYTES_MAX, TYPES_BYTES_MAX},
    module, signature,
};

/// One block of the zoo.
struct Animal<'a> {
    name: &'a str,
    description: &'a str,
    input: &'a str,
    output: Option<&'a str>,
    signature: &'a str,
    declaration: &'a str,
}

fn animals(zoo: &str) -> Vec<Animal<'_>> {
    let blocks = zoo.trim_end().strip_prefix("=== ").unwrap().split("\n\n=== ");
    blocks.map(animal).collect()
}

fn animal(block: &str) -> Animal<'_> {
    let mut parts = block.splitn(3, "\n---\n");
    let (given, signature) = (parts.next().unwrap(), parts.next().expect(block));
    let declaration = parts.next().expect(block);
    let (title, schemas) = given.split_once('\n').expect(block);
    let (name, _) = title.rsplit_once(": ").expect(block);
    let (description, schemas) =
        schemas.strip_prefix("# ").map_or(("", schemas), |rest| rest.split_once('\n').unwrap());
    let (input, output) = schemas
        .split_once("\n+++ output\n")
        .map_or((schemas, None), |(input, output)| (input, Some(output)));
    Animal { name, description, input, output, signature, declaration }
}

#[track_caller]
fn check(zoo: &str) {
    for Animal { name, description, input, output, signature: one_line, declaration: lines } in
        animals(zoo)
    {
        assert_eq!(signature(name, input.as_bytes()), one_line, "{name}");
        let output = output.map(str::as_bytes);
        let declared = declaration(name, description, input.as_bytes(), output).expect(name);
        assert_eq!(declared.to_string().trim_end(), lines, "{name}");
        lexed::check(&module(&[declared]));
    }
}

/// [CAT-11] [CODE-14] What a person would write for a schema that a person wrote.
#[test]
fn schemas_written_by_hand() {
    check(include_str!("../zoo/hand.txt"));
}

/// [CODE-14] What generators of schemas write in practice.
#[test]
fn schemas_of_generators() {
    check(include_str!("../zoo/generators.txt"));
}

/// [CODE-14] Every keyword that shapes a type.
#[test]
fn shapes() {
    check(include_str!("../zoo/shapes.txt"));
}

/// Names and prose that would be code, or would hide; keywords of the wrong kind.
#[test]
fn hostile_texts() {
    check(include_str!("../zoo/hostile.txt"));
}

/// What holds for every text that calls itself a schema.
#[track_caller]
fn check_bounds(name: &str, description: &str, schema: &[u8]) {
    let one_line = signature(name, schema);
    assert!(one_line.len() <= SIGNATURE_BYTES_MAX, "{}: {one_line}", one_line.len());
    assert!(!one_line.contains(['\n', '\r', '\u{2028}', '\u{202E}', '\0']), "{one_line:?}");
    lexed::check(&one_line.replace('…', ""));
    assert_eq!(one_line, signature(name, schema), "the same again");
    let Some(declared) = declaration(name, description, schema, Some(schema)) else { return };
    assert!(declared.to_string().len() <= TYPES_BYTES_MAX, "{declared}");
    lexed::check(&module(std::slice::from_ref(&declared)));
    assert_eq!(Some(declared), declaration(name, description, schema, Some(schema)));
}

/// [CAT-11] The card's bound is the one that is promised.
#[test]
fn bounds_are_those_of_the_specification() {
    assert_eq!((SIGNATURE_BYTES_MAX, TYPES_BYTES_MAX), (240, 16_384));
}
