//! Goal: whatever stands in a file, it is read or refused, and no reader falls over it (`[THR-02]`).

use std::path::Path;

use crate::{
    hooks, law, managed, permissions,
    testing::{Dice, World},
    trust::Trust,
};

const SAMPLES: &[&str] = &[
    "allow = [\"bash(cargo test *)\", \"read(~/notes/**)\"]\n[[rule]]\naction = \"deny\"\ntool = \"bash\"\ncommand = [\"git\", \"push\"]\npath = \"src/**\"\naccess = \"write\"\nhost = \"*.a.com\"\nexpires = 2027-01-31\n",
    "[[hook]]\nevent = \"tool_call_before\"\ncommand = [\"x\"]\nmatch = { tool = [\"a\", \"b*\"], mode = \"plan\" }\ntimeout_s = 5\n",
    "postures = [\"ask\"]\nservers = [\"a\"]\nhosts = [\"a.com\"]\nmodels_forbidden = [\"x\"]\nreceipts = \"/r\"\n",
    "[[protect]]\npaths = [\"a/**\", \"{b,c}/*.x\"]\naction = \"ask\"\nreason = \"r\"\n",
    "{\"version\": 1, \"workspaces\": {\"/w\": {\"owner\": 0, \"files\": {\".mcp.json\": null}}}}",
];
const PIECES: &[&str] = &[
    "[[",
    "]]",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "*",
    "**",
    "?",
    "~",
    "~/",
    "..",
    "/",
    "//",
    ".",
    ",",
    "=",
    "\n",
    "\r",
    "\u{0}",
    "\u{7f}",
    "\u{feff}",
    "\u{202e}",
    "é",
    "'''",
    "\"\"\"",
    "(",
    ")",
    ":",
    "-",
    "!",
    "1e999",
    "-0",
    "0x",
    "9999-99-99",
    "T",
    "[a-",
    "[z-a]",
    "{{{{",
    "\\u0000",
    "\\uD800",
];

/// A sample in which some places were changed.
fn mutated(dice: &mut Dice) -> String {
    let mut chars: Vec<char> = dice.pick(SAMPLES).chars().collect();
    for _ in 0..=dice.below(4) {
        let at = dice.below(chars.len() + 1);
        let until = (at + dice.below(6)).min(chars.len());
        match dice.below(4) {
            0 => drop(chars.drain(at..until)),
            1 => chars.truncate(at),
            _ => drop(chars.splice(at..until, dice.pick(PIECES).chars())),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn no_text_makes_a_reader_fall_over() {
    let world = World::new();
    let (file, home) = (Path::new("/w/.tollgate/f.toml"), Some(Path::new("/home/ada")));
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let mut good = 0;
    for round in 0..4_000 {
        let text = mutated(&mut dice);
        let read = [
            permissions::parse(file, &text, home).is_ok(),
            hooks::parse(file, &text, home).is_ok(),
            managed::parse(file, &text, home).is_ok(),
            law::parse(file, &text, Some(Path::new("/w[x]"))).is_ok(),
        ];
        good += usize::from(read.contains(&true));
        if round % 16 == 0 {
            world.put("trust.json", &text);
            drop(Trust::load(&world.at("trust.json")));
        }
    }
    assert!(good > 100, "{good} of the texts are still good ones");
}
