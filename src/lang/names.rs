//! The distinct words of one file, for every language.

use std::hash::{BuildHasher, BuildHasherDefault};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

use crate::ids::ids;

ids! {
    /// A word of a file, as a number of its [`Names`]; 0 is no word.
    Name,
}

impl Name {
    pub const NONE: Self = Self(0);

    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// A table of words, one after the other in one string; the first is no word.
#[derive(Debug)]
pub struct Names {
    words: Words,
    /// Finds names by their words without a second copy of the words.
    numbers: HashTable<Name>,
}

#[derive(Debug)]
struct Words {
    text: String,
    ends: Vec<u32>,
}

impl Words {
    fn get(&self, name: Name) -> &str {
        let start = match name.index() {
            0 => 0,
            index => self.ends[index - 1],
        };
        &self.text[start as usize..self.ends[name.index()] as usize]
    }
}

impl Default for Names {
    fn default() -> Self {
        Self {
            words: Words {
                text: String::new(),
                ends: vec![0],
            },
            numbers: HashTable::new(),
        }
    }
}

impl Names {
    /// Interns a word: returns its number, a new one for a new word.
    pub fn intern(&mut self, word: &str) -> Name {
        if word.is_empty() {
            return Name::NONE;
        }
        let words = &mut self.words;
        let entry = self.numbers.entry(
            hash_of(word),
            |name| words.get(*name) == word,
            |name| hash_of(words.get(*name)),
        );
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let name = Name(words.ends.len() as u32);
                entry.insert(name);
                words.text.push_str(word);
                words.ends.push(words.text.len() as u32);
                name
            }
        }
    }

    /// Frees the table by which words are found, which only reading a file needs; then [`find`](Self::find) finds
    /// nothing.
    pub fn finish(&mut self) {
        self.numbers = HashTable::new();
    }

    pub fn find(&self, word: &str) -> Option<Name> {
        let is_word = |name: &Name| self.get(*name) == word;
        self.numbers.find(hash_of(word), is_word).copied()
    }

    pub fn get(&self, name: Name) -> &str {
        self.words.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.words.ends.len() as u32).map(|index| self.get(Name(index)))
    }
}

fn hash_of(word: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(word)
}

#[cfg(test)]
mod tests {
    use super::{Name, Names};

    #[test]
    fn every_word_has_one_number_however_many_there_are() {
        let mut names = Names::default();
        assert_eq!((names.find("a"), names.intern("")), (None, Name::NONE));
        let words: Vec<String> = (0..1_000).map(|n| format!("w{n}")).collect();
        for _ in 0..2 {
            for (word, number) in words.iter().zip(1..) {
                assert_eq!(names.intern(word), Name(number));
                assert_eq!(names.get(Name(number)), word);
            }
        }
        assert_eq!((names.find("w7"), names.find("w")), (Some(Name(8)), None));
        names.finish();
        assert_eq!(names.find("w7"), None);
    }
}
