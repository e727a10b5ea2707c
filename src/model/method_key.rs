//! The names of methods, in every language: the one place that knows the form of a key and the name of constructors.

use std::fmt;

/// The simple name of every constructor, in all languages.
pub const CONSTRUCTOR: &str = "<init>";

/// The kind of member that a declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MethodKind {
    /// Also a function.
    Method,
    Constructor,
    /// An accessor with a body.
    Property,
    /// An operator or an indexer.
    Operator,
}

impl MethodKind {
    /// Every kind; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::Method,
        Self::Constructor,
        Self::Property,
        Self::Operator,
    ];

    /// Tells the kind by the simple name alone.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        if name == CONSTRUCTOR {
            Self::Constructor
        } else {
            Self::Method
        }
    }

    #[must_use]
    pub const fn is_constructor(self) -> bool {
        matches!(self, Self::Constructor)
    }
}

/// The parts of a method's key: `pkg.Outer.Inner#name(erased,param,types)`, and `~2`, `~3` … behind it where a file
/// declares several of the same.
///
/// It is written by [`fmt::Display`] and read by [`MethodKey::parse`]. A class with a `#` in its name, such as a group of
/// JavaScript tests, reads otherwise than it was written: code that has the parts keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodKey<'k> {
    /// With its package or module, as the language writes it.
    pub class: &'k str,
    /// The simple name; [`CONSTRUCTOR`] for a constructor.
    pub name: &'k str,
    /// Joined with commas.
    pub parameters: &'k str,
    /// 1 for the first of those with equal parts, in order of position.
    pub ordinal: u32,
}

impl<'k> MethodKey<'k> {
    /// Splits a key into its parts; nothing for a text that is no key.
    #[must_use]
    pub fn parse(text: &'k str) -> Option<Self> {
        let (text, ordinal) = split_ordinal(text);
        let (class, rest) = text.split_once('#')?;
        // Titles of tests may hold anything, and their tests take no parameters.
        let (name, parameters) = match rest.strip_suffix("()") {
            Some(name) => (name, ""),
            None => rest.strip_suffix(')')?.split_once('(')?,
        };
        Some(Self {
            class,
            name,
            parameters,
            ordinal,
        })
    }

    /// Splits a key as [`MethodKey::parse`] does; a text that is no key is a name without a class.
    #[must_use]
    pub fn read(text: &'k str) -> Self {
        Self::parse(text).unwrap_or(Self {
            class: "",
            name: text,
            parameters: "",
            ordinal: 1,
        })
    }
}

impl fmt::Display for MethodKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            class,
            name,
            parameters,
            ordinal,
        } = self;
        write!(f, "{class}#{name}({parameters})")?;
        if *ordinal > 1 {
            write!(f, "~{ordinal}")?;
        }
        Ok(())
    }
}

/// Cuts a name down to the part behind the last dot: `Inner` of `pkg.Outer.Inner`, `List` of `java.util.List`.
#[must_use]
pub fn simple_name(qualified: &str) -> &str {
    qualified.rsplit('.').next().unwrap_or(qualified)
}

/// Strips the packages of the names in a type: `Map<String, Key>` of `java.util.Map<java.lang.String, p.Key>`.
#[must_use]
pub fn simple_type(qualified: &str) -> String {
    let is_of_name =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '$' | '`' | '@');
    let mut simple = String::with_capacity(qualified.len());
    let mut rest = qualified;
    while let Some(start) = rest.find(is_of_name) {
        let (between, names) = rest.split_at(start);
        let end = names.find(|letter| !is_of_name(letter));
        let (name, behind) = names.split_at(end.unwrap_or(names.len()));
        simple.push_str(between);
        simple.push_str(simple_name(name));
        rest = behind;
    }
    simple.push_str(rest);
    simple
}

/// Splits a list that is joined with commas into its types, in order: a comma inside of brackets, as in `Map<K,V>`,
/// `int[,]`, `(int,string)` or `func(int, string) error`, belongs to its type. Nothing for an empty list.
pub fn split_types(joined: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(joined).filter(|list| !list.is_empty());
    std::iter::from_fn(move || {
        let list = rest?;
        let (first, behind) = match comma_between(list) {
            Some(at) => (&list[..at], Some(&list[at + 1..])),
            None => (list, None),
        };
        rest = behind;
        Some(first)
    })
}

/// Finds the first comma that no bracket encloses.
fn comma_between(list: &str) -> Option<usize> {
    let mut depth: u32 = 0;
    let bytes = list.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            // The arrows of Go's channels and of function types are no brackets.
            b'<' if bytes.get(at + 1) == Some(&b'-') => {}
            b'>' if at > 0 && matches!(bytes[at - 1], b'-' | b'=') => {}
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Splits off `~2` behind the closing bracket; anything else there is part of the key.
fn split_ordinal(text: &str) -> (&str, u32) {
    text.rsplit_once('~')
        .filter(|(key, digits)| key.ends_with(')') && !digits.starts_with(['0', '+']))
        .and_then(|(key, digits)| Some((key, digits.parse().ok().filter(|n| *n > 1)?)))
        .unwrap_or((text, 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_comma_in_brackets_belongs_to_its_type() {
        let check = |joined: &str, expected: &[&str]| {
            assert_eq!(
                split_types(joined).collect::<Vec<_>>(),
                expected,
                "{joined}"
            );
        };
        check("", &[]);
        check("int", &["int"]);
        check("int,java.util.List", &["int", "java.util.List"]);
        check("Dictionary<string,int>,T", &["Dictionary<string,int>", "T"]);
        check("Func<T, Weight>,int[,]", &["Func<T, Weight>", "int[,]"]);
        check("(int,string),bool", &["(int,string)", "bool"]);
        check("chan<- int,<-chan string", &["chan<- int", "<-chan string"]);
        check(
            "func(int, string) error,map[string]int",
            &["func(int, string) error", "map[string]int"],
        );
        check("(a: A) => B,C", &["(a: A) => B", "C"]);
        check("a>,b", &["a>", "b"]);
    }

    #[test]
    fn a_type_is_shown_without_packages() {
        let check = |qualified: &str, expected: &str| {
            assert_eq!(simple_type(qualified), expected);
        };
        check("int", "int");
        check("java.util.List[]", "List[]");
        check(
            "Dictionary<string,System.Int32>",
            "Dictionary<string,Int32>",
        );
        check("Func<T, N.Weight>", "Func<T, Weight>");
        check("map[string]*http.Request", "map[string]*Request");
    }

    fn check(text: &str, class: &str, name: &str, parameters: &str, ordinal: u32) {
        let expected = MethodKey {
            class,
            name,
            parameters,
            ordinal,
        };
        assert_eq!(MethodKey::parse(text), Some(expected));
        assert_eq!(expected.to_string(), text);
    }

    #[test]
    fn a_key_comes_apart_and_together_again() {
        check(
            "p.Outer.Inner#add(int,long)",
            "p.Outer.Inner",
            "add",
            "int,long",
            1,
        );
        check("p.Counter#<init>()", "p.Counter", "<init>", "", 1);
        check("#main()", "", "main", "", 1);
        check("p.CounterTest#adds()~2", "p.CounterTest", "adds", "", 2);
        check("N.C#M((int,string))~12", "N.C", "M", "(int,string)", 12);
        check("lib/a.Stack##grow()", "lib/a.Stack", "#grow", "", 1);
        check(
            "test/a > sum#adds (1, 2) to ~3 #5()",
            "test/a > sum",
            "adds (1, 2) to ~3 #5",
            "",
            1,
        );
    }

    #[test]
    fn what_is_no_key_has_no_parts() {
        for text in [
            "",
            "inc",
            "p.Counter.inc()",
            "p.Counter#inc",
            "p.Counter#inc)",
            "p.C#inc()~1",
            "p.C#inc()~02",
            "p.C#inc()~x",
        ] {
            assert_eq!(MethodKey::parse(text), None, "{text}");
        }
    }

    #[test]
    fn constructors_are_told_by_their_name() {
        let kind = |text| MethodKind::of_name(MethodKey::read(text).name);
        assert_eq!(kind("p.Counter#<init>(int)"), MethodKind::Constructor);
        assert_eq!(kind("p.Counter#init(int)"), MethodKind::Method);
        for (at, kind) in MethodKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, at, "{kind:?} is not at its place");
        }
    }

    proptest! {
        #[test]
        fn parts_of_any_language_come_back(
            class in "[a-zA-Z_./$ é>-]{0,12}",
            name in "[a-zA-Z_<>\\[\\]#é]{1,8}",
            parameters in "([a-z.]{1,5}(\\[\\])?(,[a-z.]{1,5}){0,2})?",
            ordinal in 1_u32..40,
        ) {
            let key = MethodKey { class: &class, name: &name, parameters: &parameters, ordinal };
            let text = key.to_string();
            prop_assert_eq!(MethodKey::parse(&text), Some(key));
        }
    }
}
