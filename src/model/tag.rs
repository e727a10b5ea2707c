//! Differences of a prediction from its reference: the closed set of tags, each with the definition that people and the
//! machine follow. `failure` decides how the machine finds them.

use std::fmt;

/// The rules for all definitions; they are read first.
pub const TAG_RULES: &[&str] = &[
    "Prediction and reference are compared as code: layout and comments are ignored. Several tags may apply; `other` \
     is given only where none does.",
    "An assertion is a call whose name begins with assert, assume or verify or is fail, AssertJ's `then(x)` and \
     Mockito's `then(mock).should()` (but no `then` that the test's file declares, or imports from elsewhere), an \
     `assert` statement, a test annotation's `expected`, or `expect` of a rule. A chain such as \
     `assertThat(x).isNotNull().isEqualTo(1)` is one assertion for each check, and the same as two chains.",
    "In Python an assertion is an `assert` statement, a call of unittest, pytest, a mock or nose that asserts, \
     `with` and what is expected of its block (`pytest.raises(X)`), or any call named as an assertion; `match` and \
     the pattern of `assertRaisesRegex` are an assertion of their own. Of two sides the constant is the expected \
     value, else what is called so, else the second one. Literals are compared by value, keyword arguments in any \
     order.",
    "In Go an assertion is an `if` that does nothing but fail the test (`if got != want { t.Errorf(…) }`; each \
     side of `||` by itself), a call of testify, gomega, is, quicktest, gocheck or goconvey, or what a mock \
     expects; `cmp.Diff` that must be empty is an equality. In JavaScript it is a chain that begins with `expect` \
     or has `should` in it, a call of `assert`, or one on what ava, tap, tape and QUnit hand over; `toBe`, `===` \
     and `strictEqual` compare which object it is, `toEqual` and `deepEqual` what is in it, `==` and \
     `assert.equal` after conversion, and of a literal the first two are one. In C# it is a call on a class \
     called `Assert`, with NUnit's constraints, a chain behind `Should()`, one of Shouldly, or what Moq, \
     NSubstitute and FakeItEasy verify. In all three any other function named as an assertion is one.",
    "Assertions are paired in their order: first those that check the same, then, between those, the most alike; as \
     many as can be are paired, and the others are missing or extra.",
    "The tags from `wrong_expected` on to `different_structure` name what differs in a pair of assertions, or in a pair \
     of other statements. They say where (expected, actual) and what (literal, variable, …), so that most differences \
     have one tag of each sort.",
];

/// A difference of a prediction; several may apply to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tag {
    Exact,
    EqualRenamed,
    EqualSwapped,
    EqualRewritten,
    DifferentMessage,
    OtherOrder,
    DifferentAssertion,
    MissingAssertion,
    ExtraAssertion,
    DifferentStatement,
    WrongExpected,
    WrongActual,
    WrongLiteral,
    WrongVariable,
    WrongReceiver,
    WrongMethod,
    WrongArgument,
    WrongOperator,
    WrongType,
    DifferentStructure,
    UnknownName,
    Repeated,
    Truncated,
    Unparsable,
    Other,
}

impl Tag {
    /// Every tag; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::Exact,
        Self::EqualRenamed,
        Self::EqualSwapped,
        Self::EqualRewritten,
        Self::DifferentMessage,
        Self::OtherOrder,
        Self::DifferentAssertion,
        Self::MissingAssertion,
        Self::ExtraAssertion,
        Self::DifferentStatement,
        Self::WrongExpected,
        Self::WrongActual,
        Self::WrongLiteral,
        Self::WrongVariable,
        Self::WrongReceiver,
        Self::WrongMethod,
        Self::WrongArgument,
        Self::WrongOperator,
        Self::WrongType,
        Self::DifferentStructure,
        Self::UnknownName,
        Self::Repeated,
        Self::Truncated,
        Self::Unparsable,
        Self::Other,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::EqualRenamed => "equal_renamed",
            Self::EqualSwapped => "equal_swapped",
            Self::EqualRewritten => "equal_rewritten",
            Self::DifferentMessage => "different_message",
            Self::OtherOrder => "other_order",
            Self::DifferentAssertion => "different_assertion",
            Self::MissingAssertion => "missing_assertion",
            Self::ExtraAssertion => "extra_assertion",
            Self::DifferentStatement => "different_statement",
            Self::WrongExpected => "wrong_expected",
            Self::WrongActual => "wrong_actual",
            Self::WrongLiteral => "wrong_literal",
            Self::WrongVariable => "wrong_variable",
            Self::WrongReceiver => "wrong_receiver",
            Self::WrongMethod => "wrong_method",
            Self::WrongArgument => "wrong_argument",
            Self::WrongOperator => "wrong_operator",
            Self::WrongType => "wrong_type",
            Self::DifferentStructure => "different_structure",
            Self::UnknownName => "unknown_name",
            Self::Repeated => "repeated",
            Self::Truncated => "truncated",
            Self::Unparsable => "unparsable",
            Self::Other => "other",
        }
    }

    /// Looks up the tag that [`Tag::as_str`] writes as `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tag| tag.as_str() == word)
    }

    /// Returns the tag in at most ten columns.
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::EqualRenamed => "=renamed",
            Self::EqualSwapped => "=swapped",
            Self::EqualRewritten => "=rewritten",
            Self::DifferentMessage => "message",
            Self::OtherOrder => "order",
            Self::DifferentAssertion => "assertion",
            Self::MissingAssertion => "missing",
            Self::ExtraAssertion => "extra",
            Self::DifferentStatement => "statement",
            Self::WrongExpected => "expected",
            Self::WrongActual => "actual",
            Self::WrongLiteral => "literal",
            Self::WrongVariable => "variable",
            Self::WrongReceiver => "receiver",
            Self::WrongMethod => "method",
            Self::WrongArgument => "argument",
            Self::WrongOperator => "operator",
            Self::WrongType => "type",
            Self::DifferentStructure => "structure",
            Self::UnknownName => "unknown",
            Self::Repeated => "repeated",
            Self::Truncated => "truncated",
            Self::Unparsable => "unparsable",
            Self::Other => "other",
        }
    }

    /// Defines in one or two sentences when the tag applies, under [`TAG_RULES`].
    #[must_use]
    pub const fn definition(self) -> &'static str {
        match self {
            Self::Exact => {
                "Both texts are the same but for layout and comments. Only `truncated`, `unparsable`, `unknown_name` and \
                 `repeated` may stand beside it."
            }
            Self::EqualRenamed => {
                "Both become the same when names that the texts themselves declare (local variables, parameters of \
                 lambdas) are renamed one to one; every other difference has a tag `equal_…` or `different_message`. \
                 The name of the test method counts as such a name."
            }
            Self::EqualSwapped => {
                "Both become the same when the two sides of an equality change places (`assertEquals(a, b)` and \
                 `assertEquals(b, a)`); every other difference has a tag `equal_…` or `different_message`."
            }
            Self::EqualRewritten => {
                "Both become the same when an assertion is written as another one that checks the same \
                 (`assertTrue(a.equals(b))`, `assertThat(b).isEqualTo(a)` and `assertEquals(a, b)`; `assertFalse(a)` and \
                 `assertTrue(!a)`; with and without `Assert.`, `this.`, `final`, `throws`, other modifiers or spare \
                 parentheses; `never()` and `times(0)`); every other difference has a tag `equal_…` or \
                 `different_message`."
            }
            Self::DifferentMessage => {
                "In a pair of assertions that otherwise check the same, the text shown on failure is different, or only \
                 one side has one. The text is then no wrong literal."
            }
            Self::OtherOrder => {
                "Both have the same statements, each as often, in another order. No tag of a pair, and nothing missing or \
                 extra, is given beside it."
            }
            Self::DifferentAssertion => {
                "A pair of assertions checks in different ways: equality and truth, null and not null, thrown and \
                 returned, with `verify` another number of times, an exception expected by a call, by `try` with \
                 `fail()`, by a rule or by an annotation. Of such a pair nothing more is said, but where both sides expect \
                 an exception, the code that should throw is compared among the other statements; two ways of writing \
                 one check are no difference."
            }
            Self::MissingAssertion => {
                "The reference has an assertion that is left over when assertions are paired."
            }
            Self::ExtraAssertion => {
                "The prediction has an assertion that is left over when assertions are paired."
            }
            Self::DifferentStatement => {
                "Apart from assertions, the statements differ: one is missing, extra, or not the same as its counterpart. \
                 The head of a test method counts as one, without its name, modifiers and `throws`; what differs in a \
                 pair of others is named by further tags."
            }
            Self::UnknownName => {
                "The prediction uses a method, type, variable or constant that occurs nowhere in the sample (reference, \
                 test, fixtures, focal method, contexts, and their files), that it does not declare itself, and that \
                 neither the language's library nor an assertion, matcher or mocking library has."
            }
            Self::Repeated => {
                "The prediction has the same statement three times in a row or more often, and the reference has no \
                 statement so often in a row."
            }
            Self::Truncated => {
                "The prediction breaks off: at its end a bracket, a text or a comment is still open (a round or square \
                 bracket only where it does not end with `;` or `}`) or the last statement has no end, or it is as long as \
                 the model could write."
            }
            Self::Unparsable => {
                "The prediction is not code where the reference stands: it does not parse as statements, or as a method \
                 where the reference is one. Beside it stand only `exact` and `truncated`."
            }
            Self::Other => "None of the other tags applies.",
            _ => self.difference(),
        }
    }

    /// Returns the definition of a tag that names the place or the kind of the difference in a pair.
    const fn difference(self) -> &'static str {
        match self {
            Self::WrongExpected => {
                "In a pair that checks in the same way, the expected value is different: the value that is compared with, \
                 the exception that must be thrown, a matcher's argument. A tolerance is not an expected value."
            }
            Self::WrongActual => {
                "In a pair that checks in the same way, the checked side is different: the expression whose value is \
                 compared, the code that must throw, the call that is verified."
            }
            Self::WrongLiteral => {
                "A literal (number, text, character, `true`, `false`, `null`) stands where the reference has another \
                 literal, be it in the expected value, the actual one, an argument or elsewhere. A sign belongs to the \
                 number; texts of messages do not count."
            }
            Self::WrongVariable => {
                "A variable, field or constant stands where the reference has another one. As the object that a method \
                 is called on it is a wrong receiver instead."
            }
            Self::WrongReceiver => {
                "The same method is called on another object or class, or on none: `b.size()` or `size()` for \
                 `a.size()`. Where the object is the result of a call on both sides, the difference in that call \
                 counts instead."
            }
            Self::WrongMethod => {
                "On the same object or class another method is called (`a.last()` for `a.first()`), or one more or \
                 less follows: `a.first().name()` for `a.first()`. Fixed names of assertions do not count."
            }
            Self::WrongArgument => {
                "A method, or the constructor of a class, is called with a different number of arguments, or with \
                 different ones, and the difference in an argument is named too. The arguments of assertions \
                 themselves do not count."
            }
            Self::WrongOperator => {
                "The same is computed with another operator, or with one more or less before it: `a >= b` for `a > b`, \
                 `!a` for `a`."
            }
            Self::WrongType => {
                "A type stands where the reference has another one: after `new` or `instanceof`, in a cast, a class \
                 literal, a declaration, or between angle brackets."
            }
            Self::DifferentStructure => {
                "Somewhere in a pair, expressions stand against each other that are not of one sort (a literal and a \
                 call, a variable and a sum), or that share no part. None of the tags from `wrong_literal` to `wrong_type` \
                 names that difference."
            }
            _ => "",
        }
    }

    /// Tells whether the tag says that both sides check the same: where a prediction has only such tags, a metric below
    /// 1 is wrong.
    #[must_use]
    pub const fn is_equal(self) -> bool {
        matches!(
            self,
            Self::Exact
                | Self::EqualRenamed
                | Self::EqualSwapped
                | Self::EqualRewritten
                | Self::DifferentMessage
        )
    }
}

/// A set of tags: bit `n` is `Tag::ALL[n]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tags(pub u32);

impl Tags {
    /// Adds a tag.
    pub const fn insert(&mut self, tag: Tag) {
        self.0 |= 1 << (tag as u8);
    }

    /// Removes a tag.
    pub const fn remove(&mut self, tag: Tag) {
        self.0 &= !(1 << (tag as u8));
    }

    #[must_use]
    pub const fn contains(self, tag: Tag) -> bool {
        self.0 & (1 << (tag as u8)) != 0
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the tags in the order of [`Tag::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Tag> {
        Tag::ALL
            .iter()
            .copied()
            .filter(move |tag| self.contains(*tag))
    }

    /// Finds two tags that by their definitions cannot hold of one prediction, the first that excludes and the first
    /// that it excludes; nothing where there are none.
    #[must_use]
    pub fn contradiction(self) -> Option<(Tag, Tag)> {
        let beside_exact = [
            Tag::Truncated,
            Tag::Unparsable,
            Tag::UnknownName,
            Tag::Repeated,
        ];
        let excluded = |alone: Tag, beside: &[Tag]| {
            let mut others = self
                .iter()
                .filter(|tag| *tag != alone && !beside.contains(tag));
            let other = others.next().filter(|_| self.contains(alone));
            other.map(|tag| (alone, tag))
        };
        excluded(Tag::Exact, &beside_exact).or_else(|| excluded(Tag::Other, &[]))
    }

    /// Tells whether there are tags, and all say that both sides check the same.
    #[must_use]
    pub fn is_equal(self) -> bool {
        !self.is_empty() && self.iter().all(Tag::is_equal)
    }
}

impl FromIterator<Tag> for Tags {
    fn from_iter<I: IntoIterator<Item = Tag>>(tags: I) -> Self {
        let mut set = Self::default();
        for tag in tags {
            set.insert(tag);
        }
        set
    }
}

impl fmt::Display for Tags {
    /// Writes `wrong_literal, wrong_expected`; nothing for an empty set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, tag) in self.iter().enumerate() {
            if idx > 0 {
                f.write_str(", ")?;
            }
            f.write_str(tag.as_str())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_its_place_in_the_list() {
        for (idx, tag) in Tag::ALL.iter().enumerate() {
            assert_eq!(*tag as usize, idx);
            assert_eq!(Tag::parse(tag.as_str()), Some(*tag));
            assert!(tag.short().len() <= 10, "{}", tag.short());
            assert_eq!(Tags(1 << idx).iter().collect::<Vec<_>>(), [*tag]);
        }
        assert!(Tag::ALL.len() <= 32);
    }

    #[test]
    fn definitions_are_sentences_and_no_two_are_alike() {
        for (idx, tag) in Tag::ALL.iter().enumerate() {
            let definition = tag.definition();
            assert!(definition.ends_with('.'), "{definition}");
            assert!(!definition.contains("  "), "{definition}");
            assert!(
                Tag::ALL[..idx]
                    .iter()
                    .all(|it| it.definition() != definition && it.short() != tag.short())
            );
        }
    }

    #[test]
    fn a_set_reads_as_a_list() {
        let tags: Tags = [Tag::WrongExpected, Tag::Exact, Tag::WrongExpected]
            .into_iter()
            .collect();
        assert_eq!(tags.to_string(), "exact, wrong_expected");
        assert!(tags.contains(Tag::Exact) && !tags.contains(Tag::Other));
        assert!(!tags.is_equal() && !Tags::default().is_equal());
        assert_eq!(Tags::default().to_string(), "");
        let mut tags = tags;
        tags.remove(Tag::WrongExpected);
        assert!(tags.is_equal());
    }
}
