//! Where the tokens of the reference implementations' tokenizers are in the text.
//!
//! Decides nothing about tokens: they come from [`Scratch`], which writes texts anew. The characters that survive in
//! tokens keep their order, so that every token takes as many of the remaining ones as it has.

use std::ops::Range;

use super::{REPLACED_13A, Scratch, is_whitespace};

/// Returns the tokens of `13a`, as [`Scratch::tokens_13a`] or, stripped, [`Scratch::sacrebleu_13a`] has them, each with the
/// bytes of the text that it stands for. They never overlap, and lie on boundaries of characters.
pub fn tokens_13a(
    scratch: &mut Scratch,
    text: &str,
    is_stripped: bool,
) -> Vec<(String, Range<usize>)> {
    let text = if is_stripped {
        text.trim_end_matches(is_whitespace)
    } else {
        text
    };
    let (decoded, places) = decode_13a(text);
    // All that is done to the decoded text is to put spaces between characters, and in place of line breaks.
    let left = decoded.char_indices().filter(|pair| !is_whitespace(pair.1));
    placed(
        scratch.tokens_13a(text),
        left.map(|(at, _)| places[at].clone()),
    )
}

/// Returns rouge-score's tokens as [`Scratch::rouge`] has them, each with the bytes of the text that it stands for.
pub fn tokens_rouge(scratch: &mut Scratch, text: &str) -> Vec<(String, Range<usize>)> {
    let lower = text.char_indices().flat_map(|(at, character)| {
        let place = at..at + character.len_utf8();
        character.to_lowercase().map(move |c| (c, place.clone()))
    });
    let left = lower.filter(|lower| lower.0.is_ascii_lowercase() || lower.0.is_ascii_digit());
    placed(scratch.rouge(text), left.map(|left| left.1))
}

/// Adds the places of its characters to each token; the places of all tokens come one after the other.
fn placed<'t>(
    tokens: impl Iterator<Item = &'t str>,
    mut characters: impl Iterator<Item = Range<usize>>,
) -> Vec<(String, Range<usize>)> {
    let place = |token: &str| {
        let mut places = characters.by_ref().take(token.chars().count());
        let first = places.next().unwrap_or_default();
        let end = places.last().map_or(first.end, |place| place.end);
        (token.to_owned(), first.start..end)
    };
    tokens.map(place).collect()
}

/// Decodes the text as `13a` does, and finds for each byte the bytes of the given text that it stands for.
fn decode_13a(text: &str) -> (String, Vec<Range<usize>>) {
    let mut places = Vec::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        places.extend(std::iter::repeat_n(at..end, end - at));
    }
    let mut text = text.to_owned();
    for (from, to) in REPLACED_13A {
        if !text.contains(from) {
            continue;
        }
        let mut next = String::with_capacity(text.len());
        let mut next_places = Vec::with_capacity(text.len());
        let mut kept = 0;
        for (at, _) in text.match_indices(from) {
            let end = at + from.len();
            next.push_str(&text[kept..at]);
            next_places.extend_from_slice(&places[kept..at]);
            next.push_str(to);
            let place = places[at].start..places[end - 1].end;
            next_places.extend(std::iter::repeat_n(place, to.len()));
            kept = end;
        }
        next.push_str(&text[kept..]);
        next_places.extend_from_slice(&places[kept..]);
        (text, places) = (next, next_places);
    }
    (text, places)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check_13a(text: &str, expected: &[(&str, &str)]) {
        let tokens = tokens_13a(&mut Scratch::default(), text, false);
        let shown: Vec<_> = tokens
            .iter()
            .map(|(token, place)| (token.as_str(), &text[place.clone()]))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn tokens_stand_for_what_they_were_made_of() {
        check_13a(
            "a.b &amp;lt; \u{e9}-\nx",
            &[
                ("a", "a"),
                (".", "."),
                ("b", "b"),
                ("<", "&amp;lt;"),
                ("\u{e9}x", "\u{e9}-\nx"),
            ],
        );
        check_13a("-<skipped>\nx", &[("x", "x")]);
        let text = "x\u{212a}y \u{130}_Z";
        let tokens = tokens_rouge(&mut Scratch::default(), text);
        let shown: Vec<_> = tokens
            .iter()
            .map(|(token, place)| (token.as_str(), &text[place.clone()]))
            .collect();
        assert_eq!(shown, [("xky", "x\u{212a}y"), ("i", "\u{130}"), ("z", "Z")]);
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_the_tokenizers_and_in_order(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "B", ".", ",", "-", "\n", "-\n", "1", " ", "&amp;", "&lt;", "lt;", "amp;", "<skipped>", "<",
                "\u{e9}", "\u{130}", "\u{1c}", "\u{3000}", "\"", "&quot;",
            ]), 0..30),
        ) {
            let text = parts.concat();
            let mut scratch = Scratch::default();
            for (placed, tokens) in [
                (
                    tokens_13a(&mut scratch, &text, false),
                    scratch.tokens_13a(&text).map(str::to_owned).collect::<Vec<_>>(),
                ),
                (
                    tokens_13a(&mut scratch, &text, true),
                    scratch.sacrebleu_13a(&text).map(str::to_owned).collect(),
                ),
                (
                    tokens_rouge(&mut scratch, &text),
                    scratch.rouge(&text).map(str::to_owned).collect(),
                ),
            ] {
                let same: Vec<_> = placed.iter().map(|it| it.0.clone()).collect();
                prop_assert_eq!(same, tokens);
                let mut end = 0;
                for (_, place) in placed {
                    prop_assert!(end <= place.start && place.start < place.end);
                    prop_assert!(text.get(place.clone()).is_some());
                    end = place.end;
                }
            }
        }
    }
}
