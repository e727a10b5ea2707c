//! Words of a whole project as numbers, for every language.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ids::ids;
use crate::names::Names;

ids! {
    /// A word of the whole project: a number of its [`Symbols`].
    Sym,
}

/// A table of distinct words.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    words: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, Sym>,
}

impl Symbols {
    /// Interns a word: returns its number, a new one for a new word.
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

    /// Interns a file's words, in their order.
    pub fn intern_all(&mut self, names: &Names) -> Vec<Sym> {
        names.iter().map(|word| self.intern(word)).collect()
    }

    /// Finds the number of a word that is in the table.
    pub fn find(&self, word: &str) -> Option<Sym> {
        self.numbers.get(word).copied()
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn get(&self, sym: Sym) -> &Arc<str> {
        &self.words[sym.0 as usize]
    }
}

/// Finds the rows of a word in a table that is sorted by words.
pub fn named<T>(table: &[(Sym, T)], name: Sym) -> &[(Sym, T)] {
    let start = table.partition_point(|(sym, _)| *sym < name);
    let len = table[start..].partition_point(|(sym, _)| *sym == name);
    &table[start..start + len]
}
