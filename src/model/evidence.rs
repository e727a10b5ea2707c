//! Kinds of evidence that a test is about a method: the table that `evidence` weighs and the screens explain.
//!
//! Every kind either holds for a candidate or does not, so that a decision is a sum that a person can follow.

macro_rules! evidence {
    ($($(#[$doc:meta])* $kind:ident $word:literal $explanation:literal,)*) => {
        /// One kind of evidence about one candidate.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Evidence {
            $($(#[$doc])* #[doc = $explanation] $kind,)*
        }

        impl Evidence {
            /// Every kind, in the order of its bit; the index stores bits, so new ones go to the end.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the word used in files.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $word,)* }
            }

            /// Explains it for people in one line, without a full stop; it reads on from "the method …".
            #[must_use]
            pub const fn explain(self) -> &'static str {
                match self { $(Self::$kind => $explanation,)* }
            }
        }
    };
}

evidence! {
    // How the test reaches the method.
    ByHelper "by_helper" "is called by a helper of the test, one level deep",
    Constructor "constructor" "is a constructor",
    AtRunTime "at_run_time" "runs behind a call through a supertype or a library's type",
    Implicit "implicit" "is called by an assertion on an object of its class",
    InFixture "in_fixture" "is called in a fixture",
    // From names.
    NameIsTest "name_is_test" "has all words of the test's name, and no other",
    NameCovered "name_covered" "has a name whose words all occur in the test's name",
    NameStemmed "name_stemmed" "has a name whose words all occur in the test's name when endings are left out",
    NameHalf "name_half" "has at least half of the words of the test's name",
    NameShared "name_shared" "shares a word with the test's name",
    NameFirst "name_first" "is named at the beginning of the test's name",
    NameMost "name_most" "shares more words with the test's name than any other candidate",
    NameLonger "name_longer" "has a name of two or more words, all in the test's name",
    NameMostly "name_mostly" "shares most words of its own name with the test's name, two or more",
    VerbFirst "verb_first" "begins with the word that the test's name begins with",
    NameInClass "name_in_class" "has a name whose words all occur in the test class's name",
    OnlyInClass "only_in_class" "is the only candidate that the test class's name names",
    ClassInName "class_in_name" "belongs to a class that the test's name names",
    ParametersNamed "parameters_named" "takes parameters that the test's name names",
    ConstructorNamed "constructor_named" "is a constructor, and the test's name speaks of constructing",
    // Where it is declared.
    ClassUnderTest "class_under_test" "belongs to the class that the test class is named after",
    ClassNamed "class_named" "belongs to a class whose words all occur in the test class's name",
    ClassInherited "class_inherited" "is inherited by the class that the test class is named after",
    ClassNested "class_nested" "belongs to a class inside the class under test",
    SamePackage "same_package" "is declared in the test's own package",
    // How it is used.
    InAssertion "in_assertion" "is called inside an assertion",
    Asserted "asserted" "gives a value that reaches an assertion through a variable",
    Thrower "thrower" "is called where an exception is expected",
    LastBefore "last_before" "is the last candidate called before the first assertion",
    LastCall "last_call" "is the last candidate called",
    Stubbed "stubbed" "is only stubbed or verified",
    Discarded "discarded" "is called as a statement; its value is not used",
    Inspects "inspects" "is called in assertions only, after another candidate",
    Prepares "prepares" "only prepares the receiver or an argument of another candidate",
    Repeated "repeated" "is called several times",
    // From the kind of method.
    Accessor "accessor" "only reads or writes a field",
    GetterName "getter_name" "is named like a getter and takes no argument",
    SetterName "setter_name" "is named like a setter or an adder",
    Maker "maker" "is named like a builder's or factory's method",
    Closer "closer" "is named like a life-cycle method (close, start, stop, init …)",
    NoBody "no_body" "has no body",
    ObjectMethod "object_method" "is one of equals, hashCode, toString, compareTo",
    // Compared with the other candidates and the other tests of the class.
    OnlyCandidate "only_candidate" "is the only candidate",
    NoneDirect "none_direct" "is called indirectly, in a test that calls no candidate itself",
    NotOfClass "not_of_class" "is not of the class under test, where another candidate is",
    OnlyOfClass "only_of_class" "is the only candidate of the class under test",
    MostCalledOfClass "most_called_of_class" "is the most called method of the class under test that is not an accessor",
    RareInClass "rare_in_class" "is called by at most a fifth of the test class's tests",
    CommonInClass "common_in_class" "is called by more than half of the test class's tests",
    Rivalled "rivalled" "has a rival whose name is covered too",
    // In other languages than Java: from calls, and from files and groups.
    ByName "by_name" "is found by its name alone: the receiver's type is unknown",
    Property "property" "is a property that runs code",
    Operator "operator" "is an operator, an index or a protocol of the language",
    Wrapped "wrapped" "is wrapped by another function where it is declared",
    HandedOver "handed_over" "is handed over to other code, which may call it",
    FileNamed "file_named" "is declared in the file that the test's file is named after",
    GroupNamed "group_named" "has all words of the test group's name, and no other",
    Driver "driver" "is called by more than a third of the project's tests",
    // From running the test; only for tests that were run.
    RanOutermost "ran_outermost" "ran when the test ran, not inside another method of the project",
    RanInside "ran_inside" "ran when the test ran, but only inside other methods of the project",
    RanLast "ran_last" "is the last method that the test made run for the first time",
    OnlyRan "only_ran" "is the only method of the project that the test itself made run",
    DidNotRun "did_not_run" "did not run when the test ran",
    // Younger than Java's table.
    Echoed "echoed" "has a name that both the test's and the test class's name speak of",
}

/// A set of [`Evidence`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Evidences(pub u64);

impl Evidences {
    /// Adds `kind` when `condition` holds.
    pub fn set(&mut self, kind: Evidence, condition: bool) {
        if condition {
            self.0 |= 1 << (kind as u8);
        }
    }

    #[must_use]
    pub const fn has(self, kind: Evidence) -> bool {
        self.0 & (1 << (kind as u8)) != 0
    }

    /// Removes the kinds for which `is_kept` is false.
    pub fn keep(&mut self, is_kept: impl Fn(Evidence) -> bool) {
        let kept = self.iter().filter(|evidence| is_kept(*evidence));
        self.0 = kept.fold(0, |bits, evidence| bits | 1 << (evidence as u8));
    }

    /// Iterates over the kinds that hold, in the order of [`Evidence::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Evidence> {
        Evidence::ALL
            .iter()
            .copied()
            .filter(move |evidence| self.has(*evidence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_bit_a_word_and_an_explanation_of_its_own() {
        assert!(Evidence::ALL.len() <= 64);
        for (at, kind) in Evidence::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, at);
            for other in &Evidence::ALL[..at] {
                assert_ne!(kind.as_str(), other.as_str());
                assert_ne!(kind.explain(), other.explain());
            }
        }
    }
}
