//! Types of single values: `const`, `enum`.

use super::Reader;
use crate::{
    json::{Json, Object},
    limits::DEPTH_MAX,
    types::{Basic, Property, Rest, Shape, Tuple, Type, both, union},
};

impl<'a> Reader<'a> {
    /// The values that all parts allow; nothing if no part has a list of values.
    pub(super) fn values(&mut self, parts: &[&'a Object], depth: usize) -> Option<Type> {
        let mut allowed: Option<Type> = None;
        for part in parts {
            let several = part.get("enum").and_then(Json::list);
            let one = part.get("const").map(std::slice::from_ref);
            for values in several.into_iter().chain(one) {
                self.pay(values.len() / 8);
                let values: Vec<Type> = values.iter().map(|it| self.value(it, depth)).collect();
                let values = union(values);
                allowed = Some(match allowed {
                    Some(before) => both(before, values),
                    None => values,
                });
            }
        }
        allowed
    }

    /// The type of one value.
    fn value(&mut self, value: &Json, depth: usize) -> Type {
        if depth > DEPTH_MAX {
            self.is_whole = false;
            return Type::Unknown;
        }
        match value {
            Json::Null => Type::Basic(Basic::Null),
            Json::Bool(is) => Type::truth(*is),
            Json::Number(number) => Type::number(number),
            Json::Text(text) => {
                self.pay(text.len() / 64);
                Type::text(text)
            }
            Json::List(list) => {
                self.pay(list.len());
                let places: Vec<Type> = list.iter().map(|it| self.value(it, depth + 1)).collect();
                Type::Tuple(Tuple { required: places.len(), places, rest: None })
            }
            Json::Object(object) => {
                self.pay(object.len());
                let properties = object.iter().map(|(name, value)| Property {
                    name: name.to_owned(),
                    optional: false,
                    ty: self.value(value, depth + 1),
                    doc: String::new(),
                });
                Type::Shape(Shape { properties: properties.collect(), rest: Rest::Unsaid })
            }
        }
    }
}
