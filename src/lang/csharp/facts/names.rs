//! The distinct words of one file.

use rustc_hash::FxHashMap;

use super::Name;

/// A table of words; the first is no word.
#[derive(Debug)]
pub struct Names {
    words: Vec<Box<str>>,
    /// Only while the file is read.
    numbers: FxHashMap<Box<str>, Name>,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            words: vec!["".into()],
            numbers: FxHashMap::default(),
        }
    }
}

impl Names {
    pub fn intern(&mut self, word: &str) -> Name {
        if word.is_empty() {
            return Name::NONE;
        }
        if let Some(&name) = self.numbers.get(word) {
            return name;
        }
        let name = Name(self.words.len() as u32);
        self.words.push(word.into());
        self.numbers.insert(word.into(), name);
        name
    }

    /// Lets go of what only reading needs.
    pub fn finish(&mut self) {
        self.numbers = FxHashMap::default();
    }

    pub fn get(&self, name: Name) -> &str {
        &self.words[name.0 as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|it| &**it)
    }
}
