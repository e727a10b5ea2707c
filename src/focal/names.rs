//! Names as sets of tokens, and how much of one name another covers (ConTest 3.2).
//!
//! This file decides where a name is split; other files decide which names are compared.

/// The distinct tokens of one name, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(Vec<String>);

impl Tokens {
    /// Splits `name` into tokens: on camel case, `_`, `$` and between letters and digits, in lower case, without
    /// `test`.
    pub fn of(name: &str) -> Self {
        Self::of_words(split(name))
    }

    /// Returns the tokens of a name that has been split.
    pub(super) fn of_words(mut tokens: Vec<String>) -> Self {
        tokens.retain(|token| token != "test");
        tokens.sort_unstable();
        tokens.dedup();
        Self(tokens)
    }

    /// Computes `|self ∩ other| / |self|`, ConTest's equation 1: 0..=1, and 0 for a name without tokens.
    pub fn similarity(&self, other: &Self) -> f64 {
        if self.0.is_empty() {
            return 0.0;
        }
        let n_shared = self
            .0
            .iter()
            .filter(|token| other.0.binary_search(token).is_ok())
            .count();
        n_shared as f64 / self.0.len() as f64
    }

    /// Tells whether a word is one of the tokens.
    pub fn has(&self, word: &str) -> bool {
        self.0
            .binary_search_by(|text| text.as_str().cmp(word))
            .is_ok()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// The part that a character plays in a split.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    Upper,
    Lower,
    Digit,
    Separator,
}

fn class(character: char) -> CharacterClass {
    if character.is_ascii_lowercase() {
        CharacterClass::Lower
    } else if character.is_numeric() {
        CharacterClass::Digit
    } else if character.is_uppercase() {
        CharacterClass::Upper
    } else if character.is_alphabetic() {
        CharacterClass::Lower
    } else {
        CharacterClass::Separator
    }
}

/// Splits `name` into tokens in order, in lower case, with repetitions.
pub(super) fn split(name: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut token = String::new();
    let mut previous = None;
    let mut characters = name.chars().map(|c| (c, class(c))).peekable();
    while let Some((character, current)) = characters.next() {
        let breaks = match (previous, current) {
            (_, CharacterClass::Separator) => true,
            (Some(CharacterClass::Upper), CharacterClass::Upper) => characters
                .peek()
                .is_some_and(|character| character.1 == CharacterClass::Lower),
            // The upper-case letter belongs to the letters after it; the break was before it.
            (None, _) | (Some(CharacterClass::Upper), CharacterClass::Lower) => false,
            (Some(before), now) => before != now,
        };
        if breaks && !token.is_empty() {
            tokens.push(std::mem::take(&mut token));
        }
        match character {
            _ if current == CharacterClass::Separator => {}
            'a'..='z' | '0'..='9' => token.push(character),
            _ => token.extend(character.to_lowercase()),
        }
        previous = Some(current);
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(name: &str, expected: &[&str]) {
        assert_eq!(split(name), expected, "{name}");
    }

    #[test]
    fn a_name_breaks_at_humps_underscores_and_digits() {
        check("createAllUsers", &["create", "all", "users"]);
        check("create_all_users", &["create", "all", "users"]);
        check("CREATE_ALL_USERS", &["create", "all", "users"]);
        check("parseXMLFile", &["parse", "xml", "file"]);
        check("XMLFile", &["xml", "file"]);
        check("readUTF8", &["read", "utf", "8"]);
        check("utf8ToUtf16be", &["utf", "8", "to", "utf", "16", "be"]);
        check("access$000", &["access", "000"]);
        check("__x__", &["x"]);
        check("ABc", &["a", "bc"]);
        check("größeÄndern", &["größe", "ändern"]);
        check("", &[]);
    }

    #[test]
    fn the_four_spellings_of_the_paper_have_the_same_tokens() {
        let expected = Tokens::of("createAllUsers");
        for name in [
            "create_all_users",
            "CREATE_ALL_USERS",
            "test_createAllUsers",
        ] {
            assert_eq!(Tokens::of(name), expected, "{name}");
        }
    }

    #[test]
    fn similarity_is_the_share_of_the_tests_tokens() {
        let test = Tokens::of("testIncAndReset");
        assert!((test.similarity(&Tokens::of("inc")) - 1.0 / 3.0).abs() < 1e-12);
        assert!((Tokens::of("test").similarity(&Tokens::of("inc"))).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn similarity_stays_in_range_and_is_one_with_itself(a in "[a-zA-Z0-9_$]{0,20}", b in "[a-zA-Z0-9_$]{0,20}") {
            let (a, b) = (Tokens::of(&a), Tokens::of(&b));
            prop_assert!((0.0..=1.0).contains(&a.similarity(&b)));
            let own = a.similarity(&a);
            let expected = if a.0.is_empty() { 0.0 } else { 1.0 };
            prop_assert!((own - expected).abs() < 1e-12);
        }

        #[test]
        fn tokens_keep_every_letter_and_digit(name in "[a-zA-Z0-9_$]{0,30}") {
            let kept: String = name.chars().filter(|it| it.is_alphanumeric()).collect();
            prop_assert_eq!(split(&name).concat(), kept.to_lowercase());
        }
    }
}
