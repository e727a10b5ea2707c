//! The distinct words of one file, for every language.

use std::hash::Hasher;

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
    text: String,
    ends: Vec<u32>,
    /// Numbers of words by their hashes, each in the first free place from there on; 0 in a free one. A power of two, and
    /// at most half are taken.
    slots: Vec<u32>,
}

const SLOTS_MIN: usize = 64;

impl Default for Names {
    fn default() -> Self {
        Self {
            text: String::new(),
            ends: vec![0],
            slots: Vec::new(),
        }
    }
}

impl Names {
    /// Interns a word: returns its number, a new one for a new word.
    pub fn intern(&mut self, word: &str) -> Name {
        if word.is_empty() {
            return Name::NONE;
        }
        if 2 * self.ends.len() > self.slots.len() {
            self.grow();
        }
        let slot = self.slot_of(word);
        if self.slots[slot] == 0 {
            self.slots[slot] = self.ends.len() as u32;
            self.text.push_str(word);
            self.ends.push(self.text.len() as u32);
        }
        Name(self.slots[slot])
    }

    /// Frees the tables that only reading needs, and [`find`](Self::find).
    pub fn finish(&mut self) {
        self.slots = Vec::new();
    }

    pub fn find(&self, word: &str) -> Option<Name> {
        if self.slots.is_empty() {
            return None;
        }
        let number = self.slots[self.slot_of(word)];
        (number != 0).then_some(Name(number))
    }

    /// Returns where a word is, or the free place where it belongs.
    fn slot_of(&self, word: &str) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write(word.as_bytes());
        let mask = self.slots.len() - 1;
        let mut slot = hasher.finish() as usize & mask;
        while self.slots[slot] != 0 && self.get(Name(self.slots[slot])) != word {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let n_slots = (4 * self.slots.len()).max(SLOTS_MIN);
        self.slots.clear();
        self.slots.resize(n_slots, 0);
        for number in 1..self.ends.len() as u32 {
            let slot = self.slot_of(self.get(Name(number)));
            self.slots[slot] = number;
        }
    }

    pub fn get(&self, name: Name) -> &str {
        let start = match name.index() {
            0 => 0,
            index => self.ends[index - 1],
        };
        &self.text[start as usize..self.ends[name.index()] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|index| self.get(Name(index)))
    }
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
