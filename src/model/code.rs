//! Declarations and calls as the resolver sees them, in any language.
//!
//! Offsets are bytes of the file; lines and columns are for people and other programs.

use super::method_key::{CONSTRUCTOR, MethodKey, MethodKind, simple_name};

/// A half-open range of bytes in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// Makes the span from `start` to `end`.
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Tells whether `other` lies wholly inside this span.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the part of `text` under this span, or `""` when the span does not fit the text.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }
}

/// A place for people and editors: line and column count from 1, columns count UTF-16 units as javac does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// The index of a file in its project, in order of path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// The index of a method in its project, in order of file and position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodId(pub u32);

/// The side of the project that a file is on (MINING.md rule 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileRole {
    Main,
    Test,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    Public,
    Protected,
    Package,
    Private,
}

/// The author of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A person: there is source to show.
    Source,
    /// The compiler: a default constructor, a record's accessor, `values()`.
    Compiler,
    /// A code generator such as Lombok; the span is the annotated declaration's.
    Generated,
}

/// A declaration of a method or a constructor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// `pkg.Outer.Inner`; anonymous and local classes `pkg.Outer$1`, `pkg.Outer$1Name`. For a function that is of no class
    /// its package, module or file.
    pub class: String,
    /// How many bytes of `class` are the package, module or file; nested classes follow its separator.
    pub n_package: u32,
    /// The simple name; [`CONSTRUCTOR`] for a constructor.
    pub name: String,
    /// Erased, fully qualified types; varargs as `[]`.
    pub parameters: Vec<String>,
    /// 1, or more for a later one in its file with the same class, name and parameters.
    pub ordinal: u32,
    pub kind: MethodKind,
    /// The header as written, white space folded: `public int inc(int by) throws IOException`.
    pub signature: String,
    pub file: FileId,
    /// From the first annotation or modifier to the closing brace or semicolon (documentation left out).
    pub span: Span,
    /// From brace to brace; absent where there is none.
    pub body: Option<Span>,
    pub start_line: u32,
    pub end_line: u32,
    /// The line of the declaration's name.
    pub name_line: u32,
    pub visibility: Visibility,
    pub is_static: bool,
    pub origin: Origin,
    pub role: FileRole,
}

impl Method {
    /// Writes `pkg.Outer.Inner#name(erased,param,types)`: see [`MethodKey`].
    #[must_use]
    pub fn key(&self) -> String {
        let key = MethodKey {
            class: &self.class,
            name: &self.name,
            parameters: &self.parameters.join(","),
            ordinal: self.ordinal,
        };
        key.to_string()
    }

    /// Returns the package, module or file: `pkg` of `pkg.Outer.Inner`.
    #[must_use]
    pub fn package(&self) -> &str {
        self.class.get(..self.n_package as usize).unwrap_or("")
    }

    /// Returns the nested classes, `Outer.Inner` of `pkg.Outer.Inner`; `""` for a function that is of no class.
    #[must_use]
    pub fn nesting(&self) -> &str {
        let nesting = self.class.get(self.n_package as usize..).unwrap_or("");
        match self.n_package {
            0 => nesting,
            _ => nesting.strip_prefix('.').unwrap_or(nesting),
        }
    }

    /// Returns the innermost class's simple name: `Inner` of `pkg.Outer.Inner`; `""` for a function without a class.
    #[must_use]
    pub fn simple_class(&self) -> &str {
        simple_name(self.nesting())
    }

    #[must_use]
    pub fn is_constructor(&self) -> bool {
        self.kind.is_constructor()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// `receiver.name(…)`.
    Method,
    /// `new Type(…)`; the name is [`CONSTRUCTOR`].
    Constructor,
    /// `this(…)`, `super(…)` or an enum constant's call of its constructor; the name is [`CONSTRUCTOR`].
    Delegation,
    /// `Type::name`; no invocation, but it counts as a use (rule 13).
    Reference,
    /// A read of a property that runs code.
    Property,
    /// An operator, an index or a protocol of the language that a class of the project defines: `a + b`, `x[i]`, `len(x)`.
    Operator,
}

/// Further facts about a call; a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallMarks(u8);

impl CallMarks {
    pub const NONE: Self = Self(0);
    /// Resolved by the name alone: the receiver's type is unknown.
    pub const BY_NAME: Self = Self(1);
    /// The called function was wrapped by another one where it was declared.
    pub const WRAPPED: Self = Self(1 << 1);
    /// The called function is declared under a computed name.
    pub const COMPUTED: Self = Self(1 << 2);
    /// A function of the project that is passed to other code, which may call it.
    pub const HANDED_OVER: Self = Self(1 << 3);

    /// Adds all of `marks`.
    pub const fn add(&mut self, marks: Self) {
        self.0 |= marks.0;
    }

    /// Tells whether all of `marks` are set.
    #[must_use]
    pub const fn has(self, marks: Self) -> bool {
        self.0 & marks.0 == marks.0
    }
}

/// How a call sits in the call that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallRole {
    /// In the receiver chain: `inner().outer()`.
    Receiver,
    /// In an argument, also inside a lambda or an anonymous class there.
    Argument,
}

/// One invocation or object creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub kind: CallKind,
    pub name: String,
    /// The whole expression with its receiver.
    pub span: Span,
    /// The name token; for `new p.T(…)` the `T`.
    pub name_span: Span,
    /// Where the name token begins.
    pub at: Position,
    /// Where the expression ends (exclusive).
    pub end: Position,
    /// The nearest call that holds this one, as an index into the same list, and how.
    pub parent: Option<(u32, CallRole)>,
    /// The index of the body's top-level statement that holds the call.
    pub statement: Option<u32>,
    /// How many lambdas and anonymous or local classes lie between the body and the call.
    pub depth: u16,
    pub n_arguments: u16,
    pub marks: CallMarks,
    pub resolution: Resolution,
}

impl Call {
    /// Tells whether the callee is named like a constructor.
    #[must_use]
    pub fn is_of_constructor(&self) -> bool {
        self.name == CONSTRUCTOR
    }
}

/// The declaration that a call means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A declaration of the project.
    Declared(MethodId),
    /// Several declarations of the project fit and nothing known tells them apart.
    Ambiguous(Vec<MethodId>),
    /// Declared outside the project (JDK, JUnit, a library): the fully qualified class where it is known.
    Outside(Option<String>),
    Unknown(UnknownReason),
}

/// Where the resolution of a call ended, for counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResolutionClass {
    /// A declaration of the project's main code.
    Main,
    /// A declaration of the project's test code.
    Test,
    Ambiguous,
    Outside,
    Unknown(UnknownReason),
}

impl ResolutionClass {
    /// Classifies a resolution for the counts; `methods` are the project's, by number.
    #[must_use]
    pub fn of(resolution: &Resolution, methods: &[Method]) -> Self {
        match resolution {
            Resolution::Declared(id) => {
                match methods.get(id.0 as usize).map(|method| method.role) {
                    Some(FileRole::Main) => Self::Main,
                    _ => Self::Test,
                }
            }
            Resolution::Ambiguous(_) => Self::Ambiguous,
            Resolution::Outside(_) => Self::Outside,
            Resolution::Unknown(reason) => Self::Unknown(*reason),
        }
    }
}

/// Why a call could not be resolved; each one is something a person can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnknownReason {
    /// The type of the receiver could not be found.
    ReceiverType,
    /// The receiver's name is declared nowhere that can be seen.
    ReceiverName,
    /// The class (or a superclass that may declare the method) is in no file and no known library.
    ClassNotFound,
    /// The class is known, with all its supertypes, and has no method of that name.
    MethodNotFound,
    /// Methods of that name exist, none takes these arguments.
    NoOverloadFits,
    /// The code around the call does not parse.
    BrokenSyntax,
    /// A limit that keeps hostile input harmless was reached (nesting, chain length, cyclic inheritance).
    TooDeep,
}

impl UnknownReason {
    /// Every reason; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::ReceiverType,
        Self::ReceiverName,
        Self::ClassNotFound,
        Self::MethodNotFound,
        Self::NoOverloadFits,
        Self::BrokenSyntax,
        Self::TooDeep,
    ];

    /// Returns the word used in files and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReceiverType => "receiver_type",
            Self::ReceiverName => "receiver_name",
            Self::ClassNotFound => "class_not_found",
            Self::MethodNotFound => "method_not_found",
            Self::NoOverloadFits => "no_overload_fits",
            Self::BrokenSyntax => "broken_syntax",
            Self::TooDeep => "too_deep",
        }
    }

    /// Explains it for people in one line, without a full stop: its meaning, and a remedy.
    #[must_use]
    pub const fn explain(self) -> &'static str {
        match self {
            Self::ReceiverType => {
                "the receiver's type was lost on the way: `focalist explain PATH TEST --call LINE` shows where"
            }
            Self::ReceiverName => {
                "the receiver is declared nowhere: run the build's code generators, then mine again"
            }
            Self::ClassNotFound => {
                "a class is in no file and no known library: for Java, add its jar with `--classpath`"
            }
            Self::MethodNotFound => {
                "the class has no such method: it may be generated, or from another version of the library"
            }
            Self::NoOverloadFits => {
                "no method of that name takes these arguments: `focalist explain PATH TEST --call LINE` compares them"
            }
            Self::BrokenSyntax => "the code does not parse: `focalist problems` lists the files",
            Self::TooDeep => "nested too deep to follow: most likely generated code",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_word_and_an_advice_of_its_own() {
        for (at, reason) in UnknownReason::ALL.iter().enumerate() {
            assert_eq!(*reason as usize, at, "{reason:?} is not at its place");
            for other in &UnknownReason::ALL[..at] {
                assert_ne!(reason.as_str(), other.as_str());
                assert_ne!(reason.explain(), other.explain());
            }
        }
    }
}
