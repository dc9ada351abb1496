//! What a message proposes when a path names no file.
//!
//! Not here: opening (the roots do it, beneath a descriptor).

use crate::{
    failed::{Class, Failed},
    limits::{NAMES_MAX, NAMES_TOLD_MAX, NEAREST_MAX},
    roots::{Place, shown},
};

/// "No such file", with the nearest names of the deepest directory that exists.
pub(crate) fn not_found(place: &Place) -> Failed {
    let (directory, name) = place.first_missing();
    let names = place.names(&directory, NAMES_MAX);
    let near = nearest(&name, &names);
    let near = near.iter().map(|name| shown(&directory.join(name).display().to_string()));
    let near = near.collect::<Vec<_>>().join(", ");
    let parent = if name == place.name().to_string_lossy() {
        String::new()
    } else {
        format!(
            ": there is no {} to begin with",
            shown(&directory.join(&name).display().to_string())
        )
    };
    let near = if near.is_empty() { near } else { format!(". Nearest names: {near}") };
    Failed::new(Class::NotFound, format!("{} does not exist{parent}{near}", place.shown))
}

/// "A directory", with what it holds.
pub(crate) fn directory(place: &Place) -> Failed {
    let mut names = place.names(&place.relative, NAMES_MAX);
    names.sort();
    let told = names.iter().take(NAMES_TOLD_MAX).map(|name| shown(name)).collect::<Vec<_>>();
    let holds = match names.len().saturating_sub(told.len()) {
        0 if told.is_empty() => "It is empty".to_owned(),
        0 => format!("It holds: {}", told.join(", ")),
        more => format!("It holds: {}, and {more} more", told.join(", ")),
    };
    let message = format!(
        "{} is a directory; to see what is in it use list, or name a file in it. {holds}",
        place.shown
    );
    Failed::new(Class::IsDirectory, message)
}

/// The names that a wanted one was probably meant as, the likeliest first.
fn nearest<'a>(wanted: &str, names: &'a [String]) -> Vec<&'a String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(usize, &String)> = names
        .iter()
        .filter_map(|name| {
            let plain = name.trim_end_matches('/').to_lowercase();
            let shorter = wanted.chars().count().min(plain.chars().count());
            let within = shorter >= 3 && (plain.contains(&wanted) || wanted.contains(&plain));
            let distance = if within { 1 } else { strsim::osa_distance(&wanted, &plain) };
            // Two letters may be wrong, or a third of them; more is another name.
            let letters = wanted.chars().count();
            (distance <= (letters / 3).max(2) && distance < letters).then_some((distance, name))
        })
        .collect();
    scored.sort();
    scored.into_iter().take(NEAREST_MAX).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests;
