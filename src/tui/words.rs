//! Typed lines of words with blanks or commas between them.

use crate::browse::Completion;

/// Splits a line into words, each with the byte at which it begins.
pub fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive([' ', ',']).filter_map(move |part| {
        let at = start;
        start += part.len();
        let word = part.trim_end_matches([' ', ',']);
        (!word.is_empty()).then_some((at, word))
    })
}

/// Finds the `words` that begin with the last word of `before`, each with its help.
#[must_use]
pub fn complete(
    before: &str,
    words: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> Vec<Completion> {
    let start = before.rfind([' ', ',']).map_or(0, |at| at + 1);
    let word = &before[start..];
    words
        .into_iter()
        .filter(|(name, _)| name.starts_with(word))
        .map(|(name, help)| Completion {
            span: start..before.len(),
            text: name.to_owned(),
            help,
        })
        .collect()
}
