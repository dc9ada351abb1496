//! Which calls of a step may run side by side (`[KERN-03]`): neighbours that are all concurrency-safe
//! by their manifests, at most `max` together; every other call alone. Order is kept.

use tollgate_core::catalog::Catalog;

/// The sizes of the groups, in order; their sum is the number of calls (names and arguments).
#[must_use]
pub fn plan<'a>(
    catalog: &Catalog,
    calls: impl Iterator<Item = (&'a str, &'a [u8])>,
    max: usize,
) -> Vec<usize> {
    let mut groups: Vec<(usize, bool)> = Vec::new();
    for (name, arguments) in calls {
        // A name that is no tool's runs nothing, but its answer keeps its place.
        let safe = catalog
            .find(name, arguments)
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
