//! Which calls of a step may run side by side (`[KERN-03]`): neighbours that are all concurrency-safe
//! by their manifests, at most `max` together; every other call alone. Order is kept.

use tollgate_core::catalog::Catalog;

/// The sizes of the groups, in order; their sum is the number of names.
#[must_use]
pub fn plan<'a>(catalog: &Catalog, names: impl Iterator<Item = &'a str>, max: usize) -> Vec<usize> {
    let mut groups: Vec<(usize, bool)> = Vec::new();
    for name in names {
        // A name that is no tool's runs nothing, but its answer keeps its place.
        let safe = catalog
            .get(name)
            .is_some_and(|entry| entry.safety.believed(entry.trust).concurrency_safe);
        match groups.last_mut() {
            Some((size, true)) if safe && *size < max.max(1) => *size += 1,
            Some(_) | None => groups.push((1, safe)),
        }
    }
    groups.into_iter().map(|(size, _)| size).collect()
}

#[cfg(test)]
mod tests;
