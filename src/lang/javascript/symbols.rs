//! The words that the rules of JavaScript look for.

use crate::symbols::{Sym, Symbols};

macro_rules! known {
    ($($name:ident = $word:literal),* $(,)?) => {
        /// The numbers of words that rules look for.
        #[derive(Clone, Copy, Debug)]
        pub struct JavaScriptSymbols {
            $(pub $name: Sym,)*
        }

        impl JavaScriptSymbols {
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

/// Makes a table of the words that rules look for, and their numbers.
pub fn interned_words() -> (Symbols, JavaScriptSymbols) {
    let mut symbols = Symbols::default();
    let words = JavaScriptSymbols::of(&mut symbols);
    (symbols, words)
}
