//! The words of a file as numbers.

use rustc_hash::FxHashMap;

use super::Name;

/// A table of distinct words; 0 is the empty one.
#[derive(Debug)]
pub struct Names {
    words: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Self {
            words: Vec::new(),
            numbers: FxHashMap::default(),
        };
        names.intern("");
        names
    }
}

impl Names {
    pub fn intern(&mut self, word: &str) -> Name {
        if let Some(&number) = self.numbers.get(word) {
            return Name(number);
        }
        let number = self.words.len() as u32;
        self.words.push(word.into());
        self.numbers.insert(word.into(), number);
        Name(number)
    }

    pub fn get(&self, name: Name) -> &str {
        &self.words[name.index()]
    }

    pub fn find(&self, word: &str) -> Option<Name> {
        self.numbers.get(word).copied().map(Name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|it| &**it)
    }
}
