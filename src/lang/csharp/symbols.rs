//! Words of the whole project as numbers.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::types::Sym;

/// A table of distinct words; the first is no word.
#[derive(Clone, Debug)]
pub struct Symbols {
    words: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, Sym>,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut symbols = Self {
            words: Vec::new(),
            numbers: FxHashMap::default(),
        };
        symbols.intern("");
        symbols
    }
}

impl Symbols {
    /// Returns the number of a word, a new one for a new word.
    pub fn intern(&mut self, word: &str) -> Sym {
        if let Some(&sym) = self.numbers.get(word) {
            return sym;
        }
        let sym = Sym(self.words.len() as u32);
        let word: Arc<str> = word.into();
        self.words.push(Arc::clone(&word));
        self.numbers.insert(word, sym);
        sym
    }

    /// Returns the number of a word that is in the table.
    pub fn find(&self, word: &str) -> Option<Sym> {
        self.numbers.get(word).copied()
    }

    pub fn get(&self, sym: Sym) -> &str {
        &self.words[sym.0 as usize]
    }
}
