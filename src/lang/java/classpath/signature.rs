//! Signatures and descriptors of class files (JVMS 4.3 and 4.7.9.1) as types.
//!
//! Arguments of an enclosing class are left out: `Outer<T>.Inner<U>` is `Outer.Inner<U>`. The file may be hostile, so
//! depth and number of types are limited.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::syntax::java::jdk::{SignatureType, TypeArgument, TypeParameter};
use crate::syntax::java::prim::Prim;

/// How deep types may nest; an array has at most 255 dimensions, type arguments nest a handful deep.
const DEPTH_MAX: usize = 255;

/// The greatest number of classes around the innermost one.
const NESTED_MAX: usize = 64;

/// The greatest total size of a class's signatures, shared ones counted as often as they are used. The largest classes
/// of real libraries have a third of this.
const SIZE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The greatest number of parameters of a method, and of type parameters of a declaration.
const PARAMETERS_MAX: usize = 255;

type Type = SignatureType<Arc<str>>;
type Parameter = TypeParameter<Arc<str>>;

/// Words of one class file, each kept once, and the size of signatures that may still be read.
#[derive(Debug)]
pub(super) struct SignatureWords<'s> {
    known: FxHashMap<&'s str, Arc<str>>,
    classes: FxHashMap<&'s str, Arc<str>>,
    size_bytes_left: usize,
}

impl<'s> SignatureWords<'s> {
    pub(super) fn new() -> Self {
        Self {
            known: FxHashMap::default(),
            classes: FxHashMap::default(),
            size_bytes_left: SIZE_BYTES_MAX,
        }
    }

    pub(super) fn word(&mut self, word: &'s str) -> Arc<str> {
        Arc::clone(self.known.entry(word).or_insert_with(|| word.into()))
    }

    fn class(&mut self, binary: &'s str) -> Arc<str> {
        let classes = self.classes.entry(binary);
        Arc::clone(classes.or_insert_with(|| super::key(binary).into()))
    }

    pub(super) fn plain(&mut self, binary: &'s str) -> Type {
        SignatureType::Class {
            name: self.class(binary),
            arguments: Vec::new(),
        }
    }
}

/// A method's part of a signature.
#[derive(Debug)]
pub(super) struct MethodSignature {
    pub type_parameters: Vec<Parameter>,
    pub parameters: Vec<Type>,
    pub return_type: Type,
}

/// Reads `<T:…>Lsuper;Linterface;…`; nothing if it is broken.
pub(super) fn class<'s>(
    text: &'s str,
    words: &mut SignatureWords<'s>,
) -> Option<(Vec<Parameter>, Vec<Type>)> {
    let mut reader = SignatureReader::new(text, words)?;
    let type_parameters = reader.type_parameters()?;
    let mut supertypes = Vec::new();
    while reader.at < text.len() {
        supertypes.push(reader.ty(0)?);
    }
    Some((type_parameters, supertypes))
}

/// Reads `<T:…>(parameters)result^thrown`, of which the thrown types are skipped, or a descriptor; nothing if it is
/// broken.
pub(super) fn method<'s>(text: &'s str, words: &mut SignatureWords<'s>) -> Option<MethodSignature> {
    let mut reader = SignatureReader::new(text, words)?;
    let type_parameters = reader.type_parameters()?;
    reader.has(b'(').then_some(())?;
    let mut parameters = Vec::new();
    while !reader.has(b')') {
        parameters.push(reader.ty(0)?);
        (parameters.len() <= PARAMETERS_MAX).then_some(())?;
    }
    let return_type = if reader.has(b'V') {
        SignatureType::Void
    } else {
        reader.ty(0)?
    };
    (reader.at == text.len() || reader.has(b'^')).then_some(MethodSignature {
        type_parameters,
        parameters,
        return_type,
    })
}

/// Reads the type of a field; nothing if it is broken.
pub(super) fn field<'s>(text: &'s str, words: &mut SignatureWords<'s>) -> Option<Type> {
    let mut reader = SignatureReader::new(text, words)?;
    reader.ty(0).filter(|_| reader.at == text.len())
}

struct SignatureReader<'s, 'w> {
    text: &'s str,
    at: usize,
    words: &'w mut SignatureWords<'s>,
}

impl<'s, 'w> SignatureReader<'s, 'w> {
    fn new(text: &'s str, words: &'w mut SignatureWords<'s>) -> Option<Self> {
        words.size_bytes_left = words.size_bytes_left.checked_sub(text.len())?;
        Some(Self { text, at: 0, words })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn has(&mut self, expected: u8) -> bool {
        let has = self.peek() == Some(expected);
        self.at += usize::from(has);
        has
    }

    /// Takes the text up to the next of these ASCII characters.
    fn until(&mut self, stops: &[u8]) -> Option<&'s str> {
        let text = self.text;
        let rest = &text.as_bytes()[self.at..];
        let len = rest.iter().position(|byte| stops.contains(byte))?;
        let found = &text[self.at..self.at + len];
        self.at += len;
        (!found.is_empty()).then_some(found)
    }

    fn type_parameters(&mut self) -> Option<Vec<Parameter>> {
        let mut parameters = Vec::new();
        if !self.has(b'<') {
            return Some(parameters);
        }
        while !self.has(b'>') {
            let name = self.until(b":<>;/.")?;
            (self.peek() == Some(b':')).then_some(())?;
            let name = self.words.word(name);
            let mut bounds = Vec::new();
            while self.has(b':') {
                // No class bound, only interfaces.
                if self.peek() != Some(b':') {
                    bounds.push(self.ty(0)?);
                }
            }
            if let [SignatureType::Class { name, arguments }] = &bounds[..]
                && arguments.is_empty()
                && **name == *"java.lang.Object"
            {
                bounds.clear();
            }
            parameters.push(TypeParameter { name, bounds });
            (parameters.len() <= PARAMETERS_MAX).then_some(())?;
        }
        Some(parameters)
    }

    fn ty(&mut self, depth: usize) -> Option<Type> {
        if depth > DEPTH_MAX {
            return None;
        }
        let tag = self.peek()?;
        self.at += 1;
        let prim = match tag {
            b'Z' => Prim::Boolean,
            b'B' => Prim::Byte,
            b'S' => Prim::Short,
            b'C' => Prim::Char,
            b'I' => Prim::Int,
            b'J' => Prim::Long,
            b'F' => Prim::Float,
            b'D' => Prim::Double,
            b'[' => return Some(SignatureType::Array(Box::new(self.ty(depth + 1)?))),
            b'T' => {
                let name = self.until(b";")?;
                self.at += 1;
                return Some(SignatureType::Variable(self.words.word(name)));
            }
            b'L' => return self.class_type(depth),
            _ => return None,
        };
        Some(SignatureType::Primitive(prim))
    }

    fn class_type(&mut self, depth: usize) -> Option<Type> {
        let name = self.until(b"<;.")?;
        let mut name = self.words.class(name);
        let mut arguments = Vec::new();
        let mut n_nested = 0;
        while !self.has(b';') {
            if self.has(b'.') {
                n_nested += 1;
                (n_nested <= NESTED_MAX).then_some(())?;
                name = format!("{name}.{}", super::key(self.until(b"<;.")?)).into();
            }
            arguments.clear();
            if self.has(b'<') {
                while !self.has(b'>') {
                    arguments.push(self.argument(depth)?);
                }
            } else if !matches!(self.peek(), Some(b';' | b'.')) {
                return None;
            }
        }
        Some(SignatureType::Class { name, arguments })
    }

    fn argument(&mut self, depth: usize) -> Option<TypeArgument<Arc<str>>> {
        Some(if self.has(b'*') {
            TypeArgument::Any
        } else if self.has(b'+') {
            TypeArgument::Extends(self.ty(depth + 1)?)
        } else if self.has(b'-') {
            TypeArgument::Super(self.ty(depth + 1)?)
        } else {
            TypeArgument::Exact(self.ty(depth + 1)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a type as source code does, classes by their last name.
    fn show(ty: &Type) -> String {
        let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
        match ty {
            SignatureType::Void => "void".to_owned(),
            SignatureType::Primitive(prim) => prim.as_str().to_owned(),
            SignatureType::Variable(name) => name.to_string(),
            SignatureType::Array(element) => format!("{}[]", show(element)),
            SignatureType::Class { name, arguments } if arguments.is_empty() => last(name),
            SignatureType::Class { name, arguments } => {
                let arguments: Vec<String> = arguments
                    .iter()
                    .map(|argument| match argument {
                        TypeArgument::Any => "?".to_owned(),
                        TypeArgument::Extends(ty) => format!("? extends {}", show(ty)),
                        TypeArgument::Super(ty) => format!("? super {}", show(ty)),
                        TypeArgument::Exact(ty) => show(ty),
                    })
                    .collect();
                format!("{}<{}>", last(name), arguments.join(", "))
            }
        }
    }

    fn show_method(text: &str) -> String {
        let Some(method) = method(text, &mut SignatureWords::new()) else {
            return "broken".to_owned();
        };
        let show_all = |types: &[Type]| types.iter().map(show).collect::<Vec<_>>().join(", ");
        let parameters: Vec<String> = method
            .type_parameters
            .iter()
            .map(|type_parameter| {
                format!(
                    "{}: {}",
                    type_parameter.name,
                    show_all(&type_parameter.bounds)
                )
            })
            .collect();
        format!(
            "<{}> {} ({})",
            parameters.join("; "),
            show(&method.return_type),
            show_all(&method.parameters)
        )
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(show_method(text), expected, "{text}");
    }

    #[test]
    fn descriptors_and_generic_signatures_are_read() {
        check("()V", "<> void ()");
        check(
            "(I[[JLjava/lang/String;)Z",
            "<> boolean (int, long[][], String)",
        );
        check(
            "<T:Ljava/lang/Object;U::Ljava/lang/Comparable<-TT;>;>(TT;[TU;)Ljava/util/Map<TT;+TU;>;^TX;",
            "<T: ; U: Comparable<? super T>> Map<T, ? extends U> (T, U[])",
        );
        check(
            "(Lp/Outer<TK;>.Inner<*>;)Lp/Outer$Nested;",
            "<> Nested (Inner<?>)",
        );
    }

    #[test]
    fn broken_signatures_are_nothing() {
        for text in [
            "", "(", "()", "(V)V", "()Lp/C", "()Lp/C<", "()Lp/C<>", "()L;", "<T>()V", "<T:()V",
            "()T;", "()VV", "(Q)V", "<:>()V", "()Lp/C<I", "()[",
        ] {
            check(text, "broken");
        }
    }

    #[test]
    fn depth_and_length_are_limited() {
        check(&format!("(){}I", "[".repeat(60_000)), "broken");
        let nested = format!("(){}I{}", "LC<".repeat(20_000), ">;".repeat(20_000));
        check(&nested, "broken");
        check(&format!("({})V", "I".repeat(256)), "broken");
        let mut words = SignatureWords::new();
        let text = format!("({})V", "I".repeat(255));
        let n_read = (0..100_000)
            .take_while(|_| method(&text, &mut words).is_some())
            .count();
        assert_eq!(n_read, SIZE_BYTES_MAX / text.len());
    }
}
