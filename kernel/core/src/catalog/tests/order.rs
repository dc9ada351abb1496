//! Goal: the order of registration changes nothing, whatever is registered (`[CAT-02]`).

use super::{Catalog, Entry, NamePattern, READ, View, entry, form, listed, plugin};

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place + 1));
        }
    }
}

/// `[CAT-02]`, as a property: whatever is registered, in whatever order, gives the same names, clashes,
/// meanings of old names and bytes; and what is added later by others changes no byte that was there.
#[test]
fn the_order_of_registration_changes_nothing() {
    let mut dice = Dice(4711);
    let names = ["read", "bash", "grep", "x", "y", "tool_search", "agent", "a_x"];
    for _ in 0..200 {
        let mut entries = Vec::new();
        for native in names.iter().filter(|_| dice.below(3) > 0).collect::<Vec<_>>() {
            entries.push(entry(native, READ));
        }
        for _ in 0..dice.below(12) {
            let from = ["a", "b", "c-d"][dice.below(3)];
            let name = names[dice.below(names.len())];
            if entries.iter().all(|it| it.server.as_str() != from || it.name.as_str() != name) {
                entries.push(plugin(from, name));
            }
        }
        let old = form("File", names[dice.below(2)], Some("read"));
        entries.extend([old, form("File", "bash", None)]);
        let told = |entries: Vec<Entry>| {
            let catalog = Catalog::new(entries, &[NamePattern::new("a_*").unwrap()]);
            let clashes: Vec<_> =
                catalog.clashes().iter().map(crate::catalog::Clash::sentence).collect();
            let file = catalog.find("File", br#"{"action":"read"}"#).unwrap().means.clone();
            let listed: Vec<_> = listed(&catalog).into_iter().map(str::to_owned).collect();
            let field = View::whole(catalog).tools_field(&crate::catalog::Toolbox::default());
            (listed, clashes, file, field.bytes)
        };
        let first = told(entries.clone());
        for _ in 0..5 {
            dice.shuffle(&mut entries);
            assert_eq!(told(entries.clone()), first);
        }
        let natives = entries.iter().filter(|it| it.is_native()).cloned().collect();
        let always = [NamePattern::new("a_*").unwrap()];
        let alone = View::whole(Catalog::new(natives, &always));
        let alone = alone.tools_field(&crate::catalog::Toolbox::default());
        let beginning = alone.bytes.len() - 1;
        assert_eq!(first.3[..beginning], alone.bytes[..beginning], "others only append");
    }
}
