//! Light stemming of English words: plurals, `-ing`, `-ed`, `-ion`, `-er`, a last `e`, doubled letters.
//!
//! A stem is a key, not a word: `creating`, `created`, `create` and `creation` all have `creat`. Words that
//! are not plain ASCII letters are their own stems.
//!
//! Not here: synonyms (`synonyms.rs`).

/// Cuts `word` (lower case) down to its stem.
pub(crate) fn stem(word: &mut String) {
    if word.len() <= 3 || !word.bytes().all(|it| it.is_ascii_lowercase()) {
        return;
    }
    plural(word);
    ending(word);
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
    if word.len() > 3 && word.ends_with('y') {
        word.pop();
        word.push('i');
    }
    undouble(word);
}

fn plural(word: &mut String) {
    if word.ends_with("ies") && word.len() > 4 {
        cut(word, 3);
        word.push('y');
    } else if ["sses", "shes", "ches", "xes", "zes"].iter().any(|it| word.ends_with(it)) {
        cut(word, 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|it| word.ends_with(it)) {
        cut(word, 1);
    }
}

fn ending(word: &mut String) {
    // Each with how many letters must be left.
    const ENDINGS: [(&str, usize); 6] =
        [("ing", 3), ("ed", 3), ("ly", 4), ("er", 5), ("or", 5), ("ion", 5)];
    for (end, left) in ENDINGS {
        let Some(base) = word.strip_suffix(end) else { continue };
        let is_right = match end {
            "ion" => base.ends_with(['t', 's']),
            "ed" => !base.ends_with('e') && has_vowel(base),
            _ => has_vowel(base),
        };
        if base.len() >= left && is_right {
            cut(word, end.len());
        }
        return;
    }
}

fn has_vowel(text: &str) -> bool {
    text.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

fn undouble(word: &mut String) {
    let mut last = word.bytes().rev();
    if let (Some(one), Some(two)) = (last.next(), last.next())
        && one == two
        && word.len() > 3
    {
        word.pop();
    }
}

fn cut(word: &mut String, letters: usize) {
    word.truncate(word.len().saturating_sub(letters));
}

#[cfg(test)]
mod tests;
