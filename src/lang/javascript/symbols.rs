//! Words of the whole project as numbers.

use rustc_hash::FxHashMap;

use super::value::Sym;

macro_rules! known {
    ($($name:ident = $word:literal),* $(,)?) => {
        /// Words that rules speak of.
        #[derive(Clone, Copy, Debug)]
        pub struct Known {
            $(pub $name: Sym,)*
        }

        impl Known {
            fn of(symbols: &mut Symbols) -> Self {
                Self { $($name: symbols.intern($word),)* }
            }
        }
    };
}

known! {
    empty = "", default = "default", prototype = "prototype", constructor = "constructor", exports = "exports",
    module = "module", then = "then", call = "call", apply = "apply", bind = "bind",
    context = "context", proto = "__proto__", object = "Object", array = "Array", string = "String", number = "Number",
    boolean = "Boolean", regexp = "RegExp", function = "Function", promise = "Promise",
    should = "should",
}

/// A table of distinct words.
#[derive(Debug, Default)]
pub struct Symbols {
    words: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, Sym>,
}

impl Symbols {
    pub fn new() -> (Self, Known) {
        let mut symbols = Self::default();
        let known = Known::of(&mut symbols);
        (symbols, known)
    }

    pub fn intern(&mut self, word: &str) -> Sym {
        if let Some(&sym) = self.numbers.get(word) {
            return sym;
        }
        let sym = Sym(self.words.len() as u32);
        self.words.push(word.into());
        self.numbers.insert(word.into(), sym);
        sym
    }

    pub fn find(&self, word: &str) -> Option<Sym> {
        self.numbers.get(word).copied()
    }

    pub fn get(&self, sym: Sym) -> &str {
        &self.words[sym.0 as usize]
    }
}
