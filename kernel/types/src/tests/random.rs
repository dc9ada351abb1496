//! Random schemas, made with a fixed seed: mostly of keywords, so that they mean something, with every
//! kind of value in every place.

use super::check_bounds;

/// Rounds of each kind.
const ROUNDS: u64 = 3_000;
const KEYWORDS: [&str; 36] = [
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
    "enum",
    "const",
    "description",
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "minLength",
    "minItems",
    "maxItems",
    "format",
    "pattern",
    "nullable",
    "patternProperties",
    "then",
    "else",
    "if",
    "not",
    "dependentSchemas",
    "examples",
    "$anchor",
    "$id",
    "unevaluatedProperties",
    "uniqueItems",
];
const TEXTS: [&str; 28] = [
    "object",
    "array",
    "string",
    "integer",
    "number",
    "boolean",
    "null",
    "#",
    "#/$defs/a",
    "#/definitions/b",
    "#/$defs/c",
    "#/properties/a",
    "#/anyOf/0",
    "#a",
    "https://example.com#/$defs/a",
    "*/",
    "\u{2028}",
    "\u{202E}evil",
    "a\"b",
    "\\",
    "```",
    "",
    "a b",
    "__proto__",
    "é",
    "//",
    "\n",
    "a",
];
const NAMES: [&str; 8] = ["a", "b", "c", "a-b", "constructor", "*/", "\u{200B}", "1"];

struct Dice(u64);

impl Dice {
    /// A number below `sides` (xorshift).
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.roll(from.len() as u64)).unwrap()]
    }

    fn text(&mut self) -> String {
        serde_json::to_string(self.pick(&TEXTS)).unwrap()
    }

    /// A schema, mostly.
    fn schema(&mut self, depth: u64) -> String {
        match self.roll(12) {
            0 => self.value(depth),
            1 => "true".to_owned(),
            2 => "false".to_owned(),
            _ => {
                let mut members: Vec<(&str, String)> = Vec::new();
                for _ in 0..self.roll(6) {
                    let keyword = self.pick(&KEYWORDS);
                    if members.iter().all(|(name, _)| *name != keyword) {
                        members.push((keyword, self.said(keyword, depth)));
                    }
                }
                object(&members)
            }
        }
    }

    /// What could stand behind a keyword.
    fn said(&mut self, keyword: &str, depth: u64) -> String {
        if depth == 0 || self.roll(16) == 0 {
            return self.value(depth);
        }
        match keyword {
            "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
                let mut members: Vec<(&str, String)> = Vec::new();
                for _ in 0..self.roll(5) {
                    let name = self.pick(&NAMES);
                    if members.iter().all(|(other, _)| *other != name) {
                        members.push((name, self.schema(depth - 1)));
                    }
                }
                object(&members)
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let schemas: Vec<String> =
                    (0..self.roll(4)).map(|_| self.schema(depth - 1)).collect();
                format!("[{}]", schemas.join(","))
            }
            "items"
            | "additionalProperties"
            | "then"
            | "else"
            | "if"
            | "not"
            | "unevaluatedProperties" => self.schema(depth - 1),
            "required" | "enum" | "examples" => {
                let texts: Vec<String> = (0..self.roll(7)).map(|_| self.text()).collect();
                format!("[{}]", texts.join(","))
            }
            "type" | "$ref" | "description" | "format" | "pattern" | "$anchor" | "$id" => {
                self.text()
            }
            "nullable" | "uniqueItems" => "true".to_owned(),
            _ => self.value(depth),
        }
    }

    /// Any JSON.
    fn value(&mut self, depth: u64) -> String {
        match self.roll(if depth == 0 { 5 } else { 7 }) {
            0 => "null".to_owned(),
            1 => "true".to_owned(),
            2 => self.roll(9).to_string(),
            3 => "-1.5e300".to_owned(),
            4 => self.text(),
            5 => format!("[{},{}]", self.value(depth - 1), self.value(depth - 1)),
            _ => object(&[(self.pick(&NAMES), self.value(depth - 1))]),
        }
    }
}

fn object(members: &[(&str, String)]) -> String {
    let member = |(name, value): &(&str, String)| {
        format!("{}:{value}", serde_json::to_string(name).unwrap())
    };
    format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
}

/// No JSON makes it panic, leave its bounds, or write what is no TypeScript.
#[test]
fn random_schemas_stay_within_bounds() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for _ in 0..ROUNDS {
        let schema = dice.schema(5);
        let (name, description) = (dice.pick(&TEXTS), dice.pick(&TEXTS));
        check_bounds(name, description, schema.as_bytes());
    }
}

/// Nor does a text that is nearly JSON.
#[test]
fn random_bytes_stay_within_bounds() {
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    for _ in 0..ROUNDS {
        let mut schema = dice.schema(4).into_bytes();
        for _ in 0..=dice.roll(3) {
            let at = usize::try_from(dice.roll(schema.len() as u64 + 1)).unwrap();
            schema.insert(at, u8::try_from(dice.roll(256)).unwrap());
        }
        check_bounds("tool", "", &schema);
    }
}
