//! Fuzzy matching of typed text over names: methods, actions, any list.
//!
//! Decides which names fit, how well, and by which letters. Blanks separate words, and all of them must fit, in any
//! order; the letters of a word must come in its order, with anything between them. Small letters find capitals too, a
//! word with a capital only itself. Scores come from nucleo-matcher 0.3: beginnings of words, humps of `camelCase` and
//! letters side by side count more, gaps less.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Nobody types more, but a user may paste it; scores are counted in sixteen bits.
const NEEDLE_CHARS_MAX: usize = 256;

/// Cuts the typed text to the part that is looked at: 256 characters.
pub(super) fn looked_at(typed: &str) -> &str {
    let end = typed.char_indices().nth(NEEDLE_CHARS_MAX);
    &typed[..end.map_or(typed.len(), |(offset, _)| offset)]
}

/// Makes a word to be matched in one of nucleo's ways; blanks in it are letters like others.
pub(super) fn word(text: &str, kind: AtomKind) -> Atom {
    Atom::new(text, CaseMatching::Smart, Normalization::Never, kind, false)
}

/// The words of a search.
#[derive(Clone, Debug)]
pub struct Needle(Vec<Atom>);

impl Needle {
    /// Reads the typed text; only its first 256 characters count.
    #[must_use]
    pub fn new(typed: &str) -> Self {
        let words = looked_at(typed).split_whitespace();
        Self(words.map(|text| word(text, AtomKind::Fuzzy)).collect())
    }

    /// Tells whether everything fits, since nothing was typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Something that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its index among the ranked names.
    pub idx: usize,
    /// The higher the better; 0 where nothing is looked for.
    pub score: u32,
}

/// The memory that matching needs; made once, as it takes 135 KB.
#[derive(Clone, Debug)]
pub struct Fuzzy {
    matcher: Matcher,
    chars: Vec<char>,
}

impl Default for Fuzzy {
    fn default() -> Self {
        Self {
            matcher: Matcher::new(Config::DEFAULT),
            chars: Vec::new(),
        }
    }
}

impl Fuzzy {
    /// Scores how well a name fits, and returns nothing when it does not.
    pub fn score(&mut self, needle: &Needle, name: &str) -> Option<u32> {
        let scores = needle.0.iter().map(|word| self.score_of(word, name));
        scores.sum()
    }

    /// Lists the names that fit, the best first; of equals the one that came first.
    pub fn rank<'n>(
        &mut self,
        needle: &Needle,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Vec<Hit> {
        let names = names.into_iter().enumerate();
        let mut hits: Vec<Hit> = names
            .filter_map(|(idx, name)| {
                let score = self.score(needle, name)?;
                Some(Hit { idx, score })
            })
            .collect();
        hits.sort_unstable_by_key(|hit| (std::cmp::Reverse(hit.score), hit.idx));
        hits
    }

    /// Finds the characters of a name that fit, counted from 0, rising; none when it does not fit.
    pub fn positions(&mut self, needle: &Needle, name: &str) -> Vec<u32> {
        let mut positions = Vec::new();
        for word in &needle.0 {
            if self.positions_of(word, name, &mut positions).is_none() {
                return Vec::new();
            }
        }
        sorted(positions)
    }

    /// Scores how well one word fits.
    pub(super) fn score_of(&mut self, word: &Atom, name: &str) -> Option<u32> {
        let name = Utf32Str::new(name, &mut self.chars);
        word.score(name, &mut self.matcher).map(u32::from)
    }

    /// Adds the characters that fit one word, if it fits.
    pub(super) fn positions_of(
        &mut self,
        word: &Atom,
        name: &str,
        positions: &mut Vec<u32>,
    ) -> Option<u32> {
        let name = Utf32Str::new(name, &mut self.chars);
        let score = word.indices(name, &mut self.matcher, positions);
        score.map(u32::from)
    }
}

/// Words are matched one by one and may share letters.
pub(super) fn sorted(mut positions: Vec<u32>) -> Vec<u32> {
    positions.sort_unstable();
    positions.dedup();
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(typed: &str, names: &[&str], expected: &[&str]) {
        let hits = Fuzzy::default().rank(&Needle::new(typed), names.iter().copied());
        let found: Vec<&str> = hits.iter().map(|hit| names[hit.idx]).collect();
        assert_eq!(found, expected, "{typed}");
    }

    fn check_letters(typed: &str, name: &str, expected: &str) {
        let positions = Fuzzy::default().positions(&Needle::new(typed), name);
        let marked: String = name
            .chars()
            .zip(0..)
            .map(|(char, at)| if positions.contains(&at) { char } else { '·' })
            .collect();
        assert_eq!(marked, expected, "{typed}");
    }

    #[test]
    fn letters_in_order_fit_with_anything_between_them() {
        check("cinc", &["Counter.inc", "Clock.tick"], &["Counter.inc"]);
        check("incc", &["Counter.inc"], &[]);
        check_letters("cinc", "Counter.inc(int)", "C·······inc·····");
    }

    #[test]
    fn small_letters_find_capitals_and_capitals_only_themselves() {
        check("tojson", &["toJson", "tojson"], &["toJson", "tojson"]);
        check("toJ", &["toJson", "tojson"], &["toJson"]);
        check("É", &["É", "é"], &["É"]);
        check("é", &["É", "é"], &["É", "é"]);
    }

    #[test]
    fn words_fit_in_any_order() {
        check(
            "inc counter",
            &["Counter.inc", "Clock.inc"],
            &["Counter.inc"],
        );
        check_letters("inc cou", "Counter.inc", "Cou·····inc");
    }

    #[test]
    fn beginnings_of_words_come_before_letters_in_the_middle() {
        check(
            "set",
            &["offset", "reset", "A.set", "assetOf"],
            &["A.set", "offset", "reset", "assetOf"],
        );
    }

    #[test]
    fn equals_stay_in_their_order_and_nothing_typed_finds_all() {
        check("a", &["a.b", "a.c", "a.b"], &["a.b", "a.c", "a.b"]);
        check("  ", &["x", "", "y"], &["x", "", "y"]);
        assert!(Needle::new(" ").is_empty());
    }

    proptest! {
        #[test]
        fn every_text_can_be_looked_for_in_every_text(
            typed in "\\PC*|[aA .\\\\]{0,600}",
            name in "\\PC*|[aA.]{0,3000}",
        ) {
            let mut fuzzy = Fuzzy::default();
            let needle = Needle::new(&typed);
            let fits = fuzzy.score(&needle, &name).is_some();
            let positions = fuzzy.positions(&needle, &name);
            prop_assert_eq!(fits && !needle.is_empty(), !positions.is_empty());
            prop_assert!(positions.is_sorted());
        }
    }
}
