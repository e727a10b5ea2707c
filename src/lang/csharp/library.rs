//! Built-in signatures of the framework and of test libraries, written in C# and read like sources.
//!
//! With them types are inferred through calls that leave the project; none of their members is a method of the project.
//! A type that the sources declare under the same full name takes the place of the built-in one.

use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::facts::{self, CSharpFacts};
use super::types::{Ty, TypeId};
use crate::symbols::Sym;

/// Reads the built-in files, once per process.
pub fn files() -> &'static [Arc<CSharpFacts>] {
    static FILES: LazyLock<Vec<Arc<CSharpFacts>>> = LazyLock::new(|| {
        let fluent = include_str!("library/fluent.cs");
        let awesome = fluent.replace("FluentAssertions", "AwesomeAssertions");
        [
            ("fluent.cs", fluent),
            ("awesome.cs", &awesome),
            ("system.cs", include_str!("library/system.cs")),
            ("collections.cs", include_str!("library/collections.cs")),
            ("io.cs", include_str!("library/io.cs")),
            ("testing.cs", include_str!("library/testing.cs")),
        ]
        .into_iter()
        .map(|(path, text)| Arc::new(facts::parse_library(path, text)))
        .collect()
    });
    &FILES
}

/// Keywords that are types, each with its declaration's name.
pub const PREDEFINED: &[(&str, &str)] = &[
    ("bool", "Boolean"),
    ("byte", "Byte"),
    ("char", "Char"),
    ("decimal", "Decimal"),
    ("double", "Double"),
    ("float", "Single"),
    ("int", "Int32"),
    ("long", "Int64"),
    ("nint", "IntPtr"),
    ("nuint", "UIntPtr"),
    ("object", "Object"),
    ("sbyte", "SByte"),
    ("short", "Int16"),
    ("string", "String"),
    ("uint", "UInt32"),
    ("ulong", "UInt64"),
    ("ushort", "UInt16"),
];

macro_rules! known {
    ($($field:ident = $namespace:literal, $name:literal, $arity:literal;)*) => {
        /// Types that the language itself names, and words that stand for members.
        #[derive(Debug, Default)]
        pub struct CSharpKnownTypes {
            predefined: FxHashMap<Sym, TypeId>,
            void: Sym,
            /// `<init>`, the name that stands for constructors.
            pub init: Sym,
            /// `this[]`, the name that stands for indexers.
            pub indexer: Sym,
            $(pub $field: TypeId,)*
        }

        impl CSharpKnownTypes {
            /// Looks up every one of the types with `find`.
            pub fn new(
                intern: &mut dyn FnMut(&str) -> Sym,
                find: &dyn Fn(&str, &str, u32) -> Option<TypeId>,
            ) -> Self {
                let mut known = Self {
                    void: intern("void"),
                    init: intern("<init>"),
                    indexer: intern("this[]"),
                    $($field: find($namespace, $name, $arity).unwrap_or_default(),)*
                    predefined: FxHashMap::default(),
                };
                for (word, name) in PREDEFINED {
                    if let Some(id) = find("System", name, 0) {
                        known.predefined.insert(intern(word), id);
                    }
                }
                known
            }
        }
    };
}

known! {
    object = "System", "Object", 0;
    string = "System", "String", 0;
    char = "System", "Char", 0;
    bool = "System", "Boolean", 0;
    sbyte = "System", "SByte", 0;
    byte = "System", "Byte", 0;
    short = "System", "Int16", 0;
    ushort = "System", "UInt16", 0;
    int = "System", "Int32", 0;
    uint = "System", "UInt32", 0;
    long = "System", "Int64", 0;
    ulong = "System", "UInt64", 0;
    nint = "System", "IntPtr", 0;
    nuint = "System", "UIntPtr", 0;
    float = "System", "Single", 0;
    double = "System", "Double", 0;
    decimal = "System", "Decimal", 0;
    r#enum = "System", "Enum", 0;
    value_type = "System", "ValueType", 0;
    delegate = "System", "MulticastDelegate", 0;
    r#type = "System", "Type", 0;
    nullable = "System", "Nullable", 1;
    array = "System", "ArrayOf", 1;
    span = "System", "Span", 1;
    read_only_span = "System", "ReadOnlySpan", 1;
    index = "System", "Index", 0;
    range = "System", "Range", 0;
    formattable = "System", "FormattableString", 0;
    enumerable_of = "System.Collections.Generic", "IEnumerable", 1;
    async_enumerable = "System.Collections.Generic", "IAsyncEnumerable", 1;
    task = "System.Threading.Tasks", "Task", 0;
    task_of = "System.Threading.Tasks", "Task", 1;
    value_task = "System.Threading.Tasks", "ValueTask", 0;
    value_task_of = "System.Threading.Tasks", "ValueTask", 1;
    expression = "System.Linq.Expressions", "Expression", 1;
}

impl CSharpKnownTypes {
    /// Looks up the type that a keyword such as `int` names.
    pub fn predefined(&self, word: Sym) -> Ty {
        if word == self.void {
            return Ty::Void;
        }
        self.predefined
            .get(&word)
            .map_or(Ty::Unknown, |&id| Ty::named(id))
    }

    /// Returns the class whose members arrays have.
    pub fn array_as(&self, element: &Ty) -> Ty {
        Ty::Named(self.array, [element.clone()].into())
    }

    /// Ranks a number among those that widen to each other, the narrowest first; none for other types.
    pub fn number(&self, id: TypeId) -> Option<u8> {
        let numbers = [
            self.sbyte,
            self.byte,
            self.short,
            self.ushort,
            self.char,
            self.int,
            self.uint,
            self.nint,
            self.nuint,
            self.long,
            self.ulong,
            self.float,
            self.double,
            self.decimal,
        ];
        numbers
            .iter()
            .position(|&number| number == id)
            .map(|number| number as u8)
    }

    /// Returns the range of the `int` constants that convert to an integer type to which other `int` values do not;
    /// nothing for other types.
    pub fn holds(&self, id: TypeId) -> Option<RangeInclusive<i64>> {
        let ranges = [
            (self.sbyte, i64::from(i8::MIN)..=i64::from(i8::MAX)),
            (self.byte, 0..=i64::from(u8::MAX)),
            (self.short, i64::from(i16::MIN)..=i64::from(i16::MAX)),
            (self.ushort, 0..=i64::from(u16::MAX)),
            (self.uint, 0..=i64::MAX),
            (self.nuint, 0..=i64::MAX),
            (self.ulong, 0..=i64::MAX),
        ];
        ranges
            .into_iter()
            .find(|range| range.0 == id)
            .map(|range| range.1)
    }

    /// Tells whether a number type converts implicitly to another one.
    pub fn widens(&self, from: TypeId, to: TypeId) -> bool {
        if from == self.float {
            return to == self.double;
        }
        // In bits; a native number has some more than 32.
        let signed = [
            (self.sbyte, 8),
            (self.short, 16),
            (self.int, 32),
            (self.nint, 33),
            (self.long, 64),
        ];
        let unsigned = [
            (self.byte, 8),
            (self.ushort, 16),
            (self.char, 16),
            (self.uint, 32),
            (self.nuint, 33),
            (self.ulong, 64),
        ];
        let bits = |numbers: &[(TypeId, u8)], id| {
            let mut numbers = numbers.iter();
            numbers.find(|number| number.0 == id).map(|number| number.1)
        };
        match (
            bits(&signed, from),
            bits(&unsigned, from),
            bits(&signed, to),
            bits(&unsigned, to),
        ) {
            (None, None, ..) => false,
            (Some(from), _, Some(to), _) => from < to,
            (_, Some(from), Some(to), _) => 2 * from <= to,
            (_, Some(n), _, Some(m)) => {
                to != self.char && (n < m || (from == self.char && to == self.ushort))
            }
            _ => [self.float, self.double, self.decimal].contains(&to),
        }
    }
}
