//! Tokens as numbers: a vocabulary, and the tokenizers of the reference implementations.
//!
//! Decides what a token is for the metrics that bring their own tokenizer, and which number it gets; not what a token of
//! a programming language is.

pub(super) mod places;

use std::borrow::Cow;
use std::hash::Hasher;

use rustc_hash::FxHasher;

/// More slots than this, and twice what the fixed words need, are given back by [`Vocabulary::clear`].
const KEPT_SLOTS_MAX: usize = 1 << 16;

#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u32,
    /// A token's number plus 1; 0 in an empty slot.
    place: u32,
}

/// Token texts as numbers from 0, in the order of their first appearance.
///
/// Some words may be fixed: they keep their numbers when [`Vocabulary::clear`] forgets the others, as it does between
/// pairs. So the shared n-grams of [`super::crystalbleu`] have numbers that hold for every pair, and no text is hashed
/// twice. Numbers are dense: the largest is [`Vocabulary::len`] − 1.
#[derive(Clone, Default)]
pub struct Vocabulary {
    /// Open addressing with linear probing, a power of two, at most half full.
    slots: Vec<Slot>,
    /// The texts of all tokens, one after the other.
    text: String,
    words: Vec<VocabularyWord>,
    n_fixed: usize,
}

#[derive(Clone, Copy)]
struct VocabularyWord {
    /// Where the token ends in the text; it begins where the one before ends.
    end: usize,
    hash: u32,
    slot: u32,
}

impl Vocabulary {
    /// Makes a vocabulary whose fixed words are these, numbered from 0; a word said twice counts once.
    pub fn with_fixed<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut vocabulary = Self::default();
        for word in words {
            vocabulary.number(word);
        }
        vocabulary.n_fixed = vocabulary.len();
        vocabulary
    }

    /// Returns how many tokens have a number.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Finds the number of a token, a new one if it has none.
    pub fn number(&mut self, token: &str) -> u32 {
        if 2 * (self.words.len() + 1) > self.slots.len() {
            self.rebuild((2 * self.slots.len()).max(256));
        }
        let hash = hash(token);
        let idx = self.find(token, hash);
        if self.slots[idx].place == 0 {
            self.text.push_str(token);
            self.words.push(VocabularyWord {
                end: self.text.len(),
                hash,
                slot: idx as u32,
            });
            self.slots[idx] = Slot {
                hash,
                place: self.words.len() as u32,
            };
        }
        self.slots[idx].place - 1
    }

    /// Replaces the content of `numbers` by the numbers of the tokens.
    pub fn number_all<'t>(
        &mut self,
        tokens: impl IntoIterator<Item = &'t str>,
        numbers: &mut Vec<u32>,
    ) {
        numbers.clear();
        numbers.extend(tokens.into_iter().map(|token| self.number(token)));
    }

    /// Finds the number of a token, if it has one.
    pub fn get(&self, token: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let idx = self.find(token, hash(token));
        self.slots[idx].place.checked_sub(1)
    }

    /// Looks up the text of the token with this number; empty if there is none.
    pub fn token(&self, number: u32) -> &str {
        let number = number as usize;
        let Some(word) = self.words.get(number) else {
            return "";
        };
        &self.text[self.start(number)..word.end]
    }

    /// Forgets all tokens but the fixed ones, in time linear in the number of forgotten ones.
    pub fn clear(&mut self) {
        // The fixed tokens came first, so none of them was put behind a slot that is emptied here.
        for word in &self.words[self.n_fixed..] {
            self.slots[word.slot as usize] = Slot::default();
        }
        self.words.truncate(self.n_fixed);
        self.text.truncate(self.start(self.n_fixed));
        let n_kept = KEPT_SLOTS_MAX.max(4 * self.n_fixed.next_power_of_two());
        if self.slots.len() > n_kept {
            self.text.shrink_to_fit();
            self.words.shrink_to_fit();
            self.rebuild(n_kept);
        }
    }

    fn start(&self, number: usize) -> usize {
        number.checked_sub(1).map_or(0, |n| self.words[n].end)
    }

    /// Finds the slot of a token, or the empty one where it belongs. Half of the slots are empty, so there is one.
    #[inline]
    fn find(&self, token: &str, hash: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut idx = hash as usize & mask;
        loop {
            let slot = self.slots[idx];
            if slot.place == 0 || (slot.hash == hash && self.token(slot.place - 1) == token) {
                return idx;
            }
            idx = (idx + 1) & mask;
        }
    }

    #[cold]
    fn rebuild(&mut self, n_slots: usize) {
        let n_slots = n_slots.next_power_of_two();
        let mask = n_slots - 1;
        self.slots = vec![Slot::default(); n_slots];
        for (number, word) in self.words.iter_mut().enumerate() {
            let mut idx = word.hash as usize & mask;
            while self.slots[idx].place != 0 {
                idx = (idx + 1) & mask;
            }
            word.slot = idx as u32;
            self.slots[idx] = Slot {
                hash: word.hash,
                place: number as u32 + 1,
            };
        }
    }
}

fn hash(token: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(token.as_bytes());
    let hash = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 32) as u32
}

/// Tells whether Python's `str.split`, `str.strip` and `\s` take the character for white space: Unicode's white space
/// and the four information separators.
pub fn is_whitespace(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Splits as Python's `str.split()`.
pub fn split_whitespace(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_whitespace).filter(|part| !part.is_empty())
}

/// Runs the tokenizers; keeps its buffers from text to text.
#[derive(Clone, Default)]
pub struct Scratch {
    /// UTF-8: inserted and removed parts are ASCII, and never within a character.
    text: Vec<u8>,
    next: Vec<u8>,
    lower: String,
}

impl Scratch {
    /// Cuts a text by the `13a` tokenizer (mteval-v13a; sacrebleu 2.6.0, Hugging Face `evaluate` a7dd338), which BLEU
    /// of raw strings uses.
    ///
    /// It drops `<skipped>` and hyphens at line ends, decodes four HTML entities, sets off ASCII punctuation, periods and
    /// commas where no digit is near, and hyphens after digits. sacrebleu strips white space from the end of the text
    /// first: [`Scratch::sacrebleu_13a`].
    #[expect(
        clippy::missing_panics_doc,
        reason = "what was put together from UTF-8 and ASCII is UTF-8"
    )]
    pub fn tokens_13a(&mut self, text: &str) -> impl Iterator<Item = &str> {
        let text = decode_13a(text);
        self.text.clear();
        self.text.push(b' ');
        for byte in text.bytes() {
            match byte {
                b'\n' => self.text.push(b' '),
                b'\'' | b',' | b'-' | b'.' => self.text.push(byte),
                mark if mark.is_ascii_punctuation() => self.text.extend([b' ', mark, b' ']),
                other => self.text.push(other),
            }
        }
        self.text.push(b' ');
        // A rule does not look again at characters that it has matched: in `a..` the first period belongs to `a`, and
        // only the second may precede the next match.
        if self.text.iter().any(|byte| is_point(*byte)) {
            self.pairs(
                |first, second| is_point(second) && !first.is_ascii_digit(),
                |first, second| [first, b' ', second, b' '],
            );
            self.pairs(
                |first, second| is_point(first) && !second.is_ascii_digit(),
                |first, second| [b' ', first, b' ', second],
            );
        }
        if self.text.contains(&b'-') {
            self.pairs(
                |first, second| second == b'-' && first.is_ascii_digit(),
                |first, second| [first, b' ', second, b' '],
            );
        }
        let text = str::from_utf8(&self.text).expect("only ASCII was put between characters");
        split_whitespace(text)
    }

    /// Cuts a raw string into the tokens that sacrebleu's BLEU sees.
    pub fn sacrebleu_13a(&mut self, text: &str) -> impl Iterator<Item = &str> {
        self.tokens_13a(text.trim_end_matches(is_whitespace))
    }

    /// Cuts a text by rouge-score 0.1.2 without stemming: lower case, and only the letters a to z and digits;
    /// everything else separates.
    ///
    /// On code it erases every operator, bracket and quote.
    pub fn rouge(&mut self, text: &str) -> impl Iterator<Item = &str> {
        self.lower.clear();
        if text.is_ascii() {
            self.lower.push_str(text);
            self.lower.make_ascii_lowercase();
        } else {
            // Some letters beyond ASCII are ASCII in lower case: the Kelvin sign, the dotted I.
            self.lower.extend(text.chars().flat_map(char::to_lowercase));
        }
        self.lower
            .split(|lower: char| !(lower.is_ascii_lowercase() || lower.is_ascii_digit()))
            .filter(|part| !part.is_empty())
    }

    /// Rewrites every two neighbours that fit, from the left, none of them in two pairs.
    fn pairs(&mut self, fit: impl Fn(u8, u8) -> bool, write: impl Fn(u8, u8) -> [u8; 4]) {
        self.next.clear();
        let mut rest = self.text.as_slice();
        while let [first, tail @ ..] = rest {
            match tail {
                [second, tail @ ..] if fit(*first, *second) => {
                    self.next.extend(write(*first, *second));
                    rest = tail;
                }
                _ => {
                    self.next.push(*first);
                    rest = tail;
                }
            }
        }
        std::mem::swap(&mut self.text, &mut self.next);
    }
}

/// The texts that `13a` replaces before it looks at characters. One after the other, as in mteval: `&amp;lt;` becomes
/// `<`.
/// The line breaks that are left become spaces later, which makes no difference to these.
const REPLACED_13A: [(&str, &str); 6] = [
    ("<skipped>", ""),
    ("-\n", ""),
    ("&quot;", "\""),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
];

fn decode_13a(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for (from, to) in REPLACED_13A {
        if text.contains(from) {
            text = Cow::Owned(text.replace(from, to));
        }
    }
    text
}

fn is_point(byte: u8) -> bool {
    matches!(byte, b'.' | b',')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check_13a(text: &str, expected: &[&str]) {
        let mut scratch = Scratch::default();
        assert_eq!(scratch.tokens_13a(text).collect::<Vec<_>>(), expected);
    }

    fn check_rouge(text: &str, expected: &[&str]) {
        let mut scratch = Scratch::default();
        assert_eq!(scratch.rouge(text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn code_falls_apart_at_punctuation() {
        check_13a(
            "MAX_VALUE == 1;",
            &["MAX", "_", "VALUE", "=", "=", "1", ";"],
        );
        check_13a("don't", &["don't"]);
    }

    #[test]
    fn points_and_hyphens_look_at_digits() {
        check_13a(
            "1,000.5 x,y a.b",
            &["1,000.5", "x", ",", "y", "a", ".", "b"],
        );
        check_13a("3-4 a-b", &["3", "-", "4", "a-b"]);
        check_13a("a..", &["a", ".", "."]);
        check_13a("...", &[".", ".", "."]);
    }

    #[test]
    fn entities_are_decoded_one_after_the_other() {
        check_13a(
            "&amp;lt; &lt;skipped&gt; <skipped>",
            &["<", "<", "skipped", ">"],
        );
    }

    #[test]
    fn a_hyphen_at_a_line_end_joins_unless_it_ends_the_text() {
        let mut scratch = Scratch::default();
        check_13a("ab-\ncd-\n", &["abcd"]);
        let tokens: Vec<&str> = scratch.sacrebleu_13a("ab-\ncd-\n").collect();
        assert_eq!(tokens, ["abcd-"]);
    }

    #[test]
    fn rouges_tokens_are_lower_case_letters_and_digits() {
        check_rouge("assertEquals(1, x_y);", &["assertequals", "1", "x", "y"]);
        check_rouge("a!=b", &["a", "b"]);
        // The Kelvin sign and the dotted capital I become ASCII in lower case; an accent separates.
        check_rouge("\u{212a} \u{130}x caf\u{e9}s", &["k", "i", "x", "caf", "s"]);
    }

    #[test]
    fn white_space_is_pythons() {
        let words: Vec<&str> = split_whitespace("a\u{1c}b\u{a0}c\u{85}d\u{200b}e\0f").collect();
        assert_eq!(words, ["a", "b", "c", "d\u{200b}e\0f"]);
    }

    #[test]
    fn fixed_words_keep_their_numbers() {
        let mut vocabulary = Vocabulary::with_fixed(["(", ")", "("]);
        assert_eq!(vocabulary.number("x"), 2);
        vocabulary.clear();
        assert_eq!((vocabulary.number("y"), vocabulary.get("x")), (2, None));
        assert_eq!(vocabulary.number(")"), 1);
        assert_eq!(
            (
                vocabulary.token(1),
                vocabulary.token(2),
                vocabulary.token(3)
            ),
            (")", "y", "")
        );
        assert_eq!(Vocabulary::default().get("x"), None);
    }

    #[test]
    fn a_large_text_leaves_no_trace() {
        let mut vocabulary = Vocabulary::with_fixed(["fixed"]);
        for idx in 0..200_000 {
            assert_eq!(vocabulary.number(&format!("word{idx}")), idx + 1);
        }
        vocabulary.clear();
        assert_eq!(vocabulary.len(), 1);
        assert_eq!(vocabulary.slots.len(), KEPT_SLOTS_MAX);
        assert_eq!(vocabulary.get("word7"), None);
        assert_eq!(vocabulary.get("fixed"), Some(0));
    }

    #[test]
    fn five_megabytes_are_split() {
        let mut scratch = Scratch::default();
        for part in ["a.", "-\n", "&amp;", "\0", "1,", "\u{1f600}", "<skipped>"] {
            let text = part.repeat(5_000_000 / part.len());
            let n_tokens = scratch.tokens_13a(&text).count();
            assert!(n_tokens <= text.len());
            assert!(scratch.rouge(&text).count() <= text.len());
        }
    }

    proptest! {
        #[test]
        fn equal_words_have_equal_numbers(words in prop::collection::vec("[a-c]{0,3}", 0..600)) {
            let mut vocabulary = Vocabulary::with_fixed(["a", "bb"]);
            for _ in 0..2 {
                vocabulary.clear();
                let mut numbers = Vec::new();
                vocabulary.number_all(words.iter().map(String::as_str), &mut numbers);
                for (word, number) in words.iter().zip(&numbers) {
                    prop_assert_eq!(vocabulary.token(*number), word);
                    prop_assert_eq!(vocabulary.get(word), Some(*number));
                }
                let n_distinct = vocabulary.words.len();
                prop_assert!((0..n_distinct as u32).all(|it| vocabulary.get(vocabulary.token(it)) == Some(it)));
            }
        }

        #[test]
        fn tokens_hold_no_white_space_and_are_never_empty(text in "\\PC{0,60}") {
            let mut scratch = Scratch::default();
            for token in scratch.tokens_13a(&text) {
                prop_assert!(!token.is_empty() && !token.contains(is_whitespace));
            }
            for token in scratch.rouge(&text) {
                prop_assert!(token.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit()));
            }
        }
    }
}
