//! Tests of `types`.

use super::*;

const STRING: Type = Type::Basic(Basic::String);
const NUMBER: Type = Type::Basic(Basic::Number);
const NULL: Type = Type::Basic(Basic::Null);

fn text(text: &str) -> Type {
    Type::text(text)
}

fn array(of: Type) -> Type {
    Type::Array(Box::new(of))
}

#[test]
fn unions_are_simple() {
    let shape = Type::object;
    for (members, expected) in [
        (vec![], Type::Never),
        (vec![STRING], STRING),
        (vec![STRING, Type::Never], STRING),
        (vec![STRING, Type::Unknown], Type::Unknown),
        (vec![text("a"), STRING, text("b")], STRING),
        (vec![NULL, text("a"), text("a")], Type::Union(vec![text("a"), NULL])),
        (
            vec![Type::truth(true), NULL, Type::truth(false)],
            union([Type::Basic(Basic::Boolean), NULL]),
        ),
        (
            vec![union([STRING, NULL]), union([NUMBER, NULL])],
            Type::Union(vec![STRING, NUMBER, NULL]),
        ),
        (vec![shape(), shape()], shape()),
        (
            vec![array(STRING), array(NUMBER), array(STRING)],
            Type::Union(vec![array(STRING), array(NUMBER)]),
        ),
    ] {
        assert_eq!(union(members.clone()), expected, "{members:?}");
    }
}

#[test]
fn a_union_of_too_many_values_is_their_kinds() {
    let values = |count| union((0..count).map(|it| text(&it.to_string())).chain([NULL]));
    assert!(matches!(values(VALUES_MAX), Type::Union(members) if members.len() == VALUES_MAX + 1));
    assert_eq!(values(VALUES_MAX + 1), Type::Union(vec![STRING, NULL]));
}

/// Both ways round.
#[test]
fn what_is_both_is_the_narrower() {
    for (one, two, expected) in [
        (Type::Unknown, STRING, STRING),
        (Type::Never, STRING, Type::Never),
        (STRING, text("a"), text("a")),
        (STRING, NUMBER, Type::Never),
        (text("a"), text("b"), Type::Never),
        (STRING, array(STRING), Type::Never),
        (union([STRING, NULL]), STRING, STRING),
        (union([text("a"), text("b")]), union([text("b"), text("c")]), text("b")),
        (union([STRING, NUMBER]), union([NUMBER, NULL]), NUMBER),
        (union([array(STRING), NULL]), NULL, NULL),
        (
            union([Type::Named(1), NULL]),
            NULL,
            union([Type::Intersection(vec![Type::Named(1), NULL]), NULL]),
        ),
        (Type::object(), Type::Named(1), Type::Named(1)),
    ] {
        assert_eq!(both(one.clone(), two.clone()), expected, "{one:?} and {two:?}");
        assert_eq!(both(two.clone(), one.clone()), expected, "{two:?} and {one:?}");
    }
}
