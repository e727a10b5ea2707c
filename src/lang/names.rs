//! The distinct words of one file, for every language.

use rustc_hash::FxHashMap;

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
    numbers: FxHashMap<Box<str>, Name>,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            text: String::new(),
            ends: vec![0],
            numbers: FxHashMap::default(),
        }
    }
}

impl Names {
    /// Interns a word: returns its number, a new one for a new word.
    pub fn intern(&mut self, word: &str) -> Name {
        if word.is_empty() {
            return Name::NONE;
        }
        if let Some(&name) = self.numbers.get(word) {
            return name;
        }
        let name = Name(self.ends.len() as u32);
        self.text.push_str(word);
        self.ends.push(self.text.len() as u32);
        self.numbers.insert(word.into(), name);
        name
    }

    /// Frees the tables that only reading needs, and [`find`](Self::find).
    pub fn finish(&mut self) {
        self.numbers = FxHashMap::default();
    }

    pub fn find(&self, word: &str) -> Option<Name> {
        self.numbers.get(word).copied()
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
