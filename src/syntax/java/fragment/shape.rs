//! The shape of a true part, by its tokens: most whole tests are one method, which can be seen without parsing.

use super::javalang::{JavalangTokenClass, word_class};
use crate::token::Tokens;

/// Tells whether the tokens form one method with a body: modifiers and annotations, a type, a name, parameters, a
/// `throws` clause, and a brace that is closed by the last token. No list of statements begins so, and any such text is
/// a member of a class unless something is wrong within.
pub fn is_method(tokens: Tokens<'_>) -> bool {
    Scan { tokens, at: 0 }.method().is_some()
}

struct Scan<'t> {
    tokens: Tokens<'t>,
    at: usize,
}

impl Scan<'_> {
    fn method(&mut self) -> Option<()> {
        self.modifiers()?;
        if self.is("<") {
            self.angles()?;
        }
        self.a_type()?;
        self.name()?;
        self.is("(").then_some(())?;
        self.brackets()?;
        if self.take("throws") {
            self.a_type()?;
            while self.take(",") {
                self.a_type()?;
            }
        }
        self.is("{").then_some(())?;
        self.brackets()?;
        (self.at == self.tokens.len()).then_some(())
    }

    fn is(&self, token: &str) -> bool {
        self.tokens.get(self.at) == token
    }

    fn take(&mut self, token: &str) -> bool {
        let is_there = self.is(token);
        self.at += usize::from(is_there);
        is_there
    }

    fn modifiers(&mut self) -> Option<()> {
        loop {
            if self.take("@") {
                self.name()?;
                while self.take(".") {
                    self.name()?;
                }
                if self.is("(") {
                    self.brackets()?;
                }
            } else if is_modifier(self.tokens.get(self.at)) {
                self.at += 1;
            } else {
                return Some(());
            }
        }
    }

    fn name(&mut self) -> Option<()> {
        let word = self.tokens.get(self.at);
        let is_name = word.starts_with(|first: char| first.is_alphabetic() || "_$".contains(first))
            && !is_reserved(word);
        self.at += 1;
        is_name.then_some(())
    }

    fn a_type(&mut self) -> Option<()> {
        loop {
            self.name()?;
            if self.is("<") {
                self.angles()?;
            }
            if !self.take(".") {
                break;
            }
        }
        while self.take("[") {
            self.take("]").then_some(())?;
        }
        Some(())
    }

    /// Skips to behind the `>` that closes the `<` here; a shift operator closes several.
    fn angles(&mut self) -> Option<()> {
        let mut n_open = 0_usize;
        while self.at < self.tokens.len() {
            match self.tokens.get(self.at) {
                "<" => n_open += 1,
                closing @ (">" | ">>" | ">>>") => n_open = n_open.checked_sub(closing.len())?,
                ";" | "{" | "}" | "(" | ")" | "=" => return None,
                _ => {}
            }
            self.at += 1;
            if n_open == 0 {
                return Some(());
            }
        }
        None
    }

    /// Skips to behind the bracket that closes the one here; brackets within must be balanced.
    fn brackets(&mut self) -> Option<()> {
        let mut open = Vec::new();
        while self.at < self.tokens.len() {
            let token = self.tokens.get(self.at);
            self.at += 1;
            match token {
                "(" => open.push(")"),
                "[" => open.push("]"),
                "{" => open.push("}"),
                ")" | "]" | "}" => {
                    (open.pop()? == token).then_some(())?;
                    if open.is_empty() {
                        return Some(());
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// Tells whether a word may stand before a method.
fn is_modifier(word: &str) -> bool {
    word_class(word) == JavalangTokenClass::Modifier && !matches!(word, "transient" | "volatile")
}

/// Tells whether a word is neither a type nor a name.
fn is_reserved(word: &str) -> bool {
    match word_class(word) {
        JavalangTokenClass::Modifier => is_modifier(word),
        JavalangTokenClass::Keyword => word != "void",
        class => class == JavalangTokenClass::Literal,
    }
}
