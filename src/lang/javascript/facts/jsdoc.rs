//! Reads the types in comments: `@type`, `@param`, `@returns`, `@extends`, `@typedef`, in JavaScript only.

use super::lower::JavaScriptLowering;
use super::{ImportedBinding, Name, Primitive, ScopeId, Type, TypeDecl, TypeId};
use crate::model::Span;

/// How deep types in comments may be nested.
const DEPTH_MAX: u32 = 12;

/// The types in a comment on the code after it.
#[derive(Clone, Debug, Default)]
pub struct JsdocTypes {
    pub ty: Option<TypeId>,
    pub returns: Option<TypeId>,
    pub params: Vec<(Name, TypeId)>,
    pub extends: Option<TypeId>,
}

impl JavaScriptLowering<'_> {
    /// Keeps a comment with tags for the code after it, and declares its `@typedef`s.
    pub fn comment(&mut self, span: Span) {
        if self.is_typescript {
            return;
        }
        let text = span.of(self.text);
        if !text.starts_with("/**") || !text.contains('@') {
            return;
        }
        if text.contains("@typedef") {
            self.typedefs(text);
        }
        let rest = self.text.get(span.end as usize..).unwrap_or_default();
        let n_blanks = rest.len() - rest.trim_start().len();
        self.comments.insert(span.end + n_blanks as u32, span);
    }

    /// Reads the types in the comment before a place; a comment is read once.
    pub fn jsdoc_before(&mut self, at: u32) -> Option<JsdocTypes> {
        let span = self.comments.remove(&at)?;
        let text = span.of(self.text);
        let mut jsdoc_types = JsdocTypes::default();
        for tag in text.split('@').skip(1) {
            let word_end = tag
                .find(|c: char| !c.is_alphanumeric())
                .unwrap_or(tag.len());
            let (word, rest) = tag.split_at(word_end);
            let rest = rest.trim_start();
            match word {
                "type" => jsdoc_types.ty = self.braced(rest).map(|pair| pair.0),
                "return" | "returns" => jsdoc_types.returns = self.braced(rest).map(|pair| pair.0),
                "extends" | "augments" => {
                    jsdoc_types.extends = match self.braced(rest) {
                        Some((ty, _)) => Some(ty),
                        None => rest
                            .split_whitespace()
                            .next()
                            .map(|word| self.type_text(word)),
                    };
                }
                "param" | "arg" | "argument" => {
                    if let Some((ty, rest)) = self.braced(rest) {
                        let rest = rest.trim_start().trim_start_matches('[');
                        let end = rest
                            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
                            .unwrap_or(rest.len());
                        if end > 0 && !rest[end..].starts_with('.') {
                            let name = self.intern(&rest[..end]);
                            jsdoc_types.params.push((name, ty));
                        }
                    }
                }
                _ => {}
            }
        }
        Some(jsdoc_types)
    }

    /// Declares types such as `@typedef {import("./command.js").Command} Command`.
    fn typedefs(&mut self, text: &str) {
        for tag in text.split("@typedef").skip(1) {
            if let Some((ty, rest)) = self.braced(tag.trim_start()) {
                let end = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$');
                let name = rest.trim_start().split(end).next().unwrap_or_default();
                let name = self.intern(name);
                self.facts
                    .type_names
                    .entry((ScopeId(0), name))
                    .or_insert(TypeDecl::Alias(ty));
            }
        }
    }

    /// Reads `{T}`, and returns the type and the rest of the text.
    fn braced<'s>(&mut self, text: &'s str) -> Option<(TypeId, &'s str)> {
        let inner = text.strip_prefix('{')?;
        let mut depth = 1;
        let end = inner.char_indices().take(500).find_map(|(at, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        })?;
        Some((self.type_text(&inner[..end]), &inner[end + 1..]))
    }

    fn type_text(&mut self, text: &str) -> TypeId {
        let mut reader = JsdocTypeReader {
            rest: text,
            depth: 0,
        };
        self.union(&mut reader)
    }

    fn union(&mut self, reader: &mut JsdocTypeReader<'_>) -> TypeId {
        let mut parts = vec![self.postfix(reader)];
        while parts.len() < 32 && reader.eats("|") {
            parts.push(self.postfix(reader));
        }
        match parts[..] {
            [one] => one,
            _ => self.add_type(Type::Union(parts.into())),
        }
    }

    fn postfix(&mut self, reader: &mut JsdocTypeReader<'_>) -> TypeId {
        while reader.eats("?") || reader.eats("!") || reader.eats("...") {}
        if reader.depth >= DEPTH_MAX {
            reader.rest = "";
            return TypeId(0);
        }
        reader.depth += 1;
        let mut ty = self.primary(reader);
        while reader.eats("[]") {
            ty = self.add_type(Type::Array(ty));
        }
        reader.depth -= 1;
        while reader.eats("=") || reader.eats("!") || reader.eats("?") {}
        ty
    }

    fn primary(&mut self, reader: &mut JsdocTypeReader<'_>) -> TypeId {
        if reader.eats("(") {
            let inner = self.union(reader);
            reader.eats(")");
            return inner;
        }
        let from = if reader.eats("import(") {
            let Some((from, rest)) = reader.rest.split_once(')') else {
                return TypeId(0);
            };
            reader.rest = rest.strip_prefix('.').unwrap_or(rest);
            Some(self.intern(from.trim().trim_matches(['\'', '"'])))
        } else {
            reader.eats("module:");
            None
        };
        let word = reader.word().to_owned();
        if word.is_empty() {
            reader.rest = "";
            return TypeId(0);
        }
        let mut args = Vec::new();
        if reader.eats(".<") || reader.eats("<") {
            loop {
                args.push(self.union(reader));
                if args.len() > 8 || !reader.eats(",") {
                    break;
                }
            }
            reader.eats(">");
        }
        let ty = match (word.as_str(), &args[..]) {
            ("string" | "String", _) => Type::Primitive(Primitive::String),
            ("number" | "Number" | "bigint", _) => Type::Primitive(Primitive::Number),
            ("boolean" | "Boolean" | "bool", _) => Type::Primitive(Primitive::Boolean),
            ("void" | "undefined" | "null", _) => Type::Nothing,
            ("Array", &[element]) => Type::Array(element),
            ("any" | "object" | "Object" | "Function" | "function" | "unknown" | "*", _) => {
                Type::Unknown
            }
            _ => Type::Named {
                path: self.type_path(&word, from),
                args: args.into(),
                scope: self.scope,
            },
        };
        self.add_type(ty)
    }

    fn type_path(&mut self, word: &str, from: Option<Name>) -> Box<[Name]> {
        let mut parts = word.split('.').take(8);
        let Some(from) = from else {
            return parts.map(|part| self.intern(part)).collect();
        };
        // An import in a type gets a name that nothing else has.
        let first = parts.next().unwrap_or_default();
        let imported = self.intern(first);
        let name = format!("import({}).{first}", self.facts.word(from));
        let name = self.intern(&name);
        let what = match first {
            "default" => ImportedBinding::Default,
            _ => ImportedBinding::Named(imported),
        };
        let import = self.add_import(from, what);
        self.facts
            .type_names
            .insert((ScopeId(0), name), TypeDecl::Import(import));
        let rest = parts.map(|part| self.facts.names.intern(part));
        std::iter::once(name).chain(rest).collect()
    }
}

struct JsdocTypeReader<'s> {
    rest: &'s str,
    depth: u32,
}

impl<'s> JsdocTypeReader<'s> {
    fn eats(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &'s str {
        self.rest = self.rest.trim_start();
        let is_word =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '~' | '/' | '*');
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        // A dot before `<` belongs to the sign.
        let (word, rest) = self.rest.split_at(end);
        match word.strip_suffix('.') {
            Some(word) if rest.starts_with('<') => {
                self.rest = rest;
                word
            }
            _ => {
                self.rest = rest;
                word
            }
        }
    }
}
