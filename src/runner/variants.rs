//! Code that keeps the contract, and whether tests object to it: the questions to an engine of a language, and its
//! answers.
//!
//! The verbs choose the tests, decide whether a variant is sound, and decide what is kept.

use std::sync::Arc;

use crate::faults::MutatedMethod;
use crate::model::{Language, Span, Variant, VariantKind};
use crate::mutate::variant::{self, TestWords};
use crate::task::{Cancelled, Monitor};
use crate::{Candidate, HostFile, RunnerError};

/// A test, and the variants that it is run on.
#[derive(Clone, Debug)]
pub struct VariantTest {
    pub candidate: Candidate,
    pub variants: Vec<Arc<Variant>>,
}

/// The outcome of a test on one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantExecution {
    /// Whether it fails there.
    pub objects: bool,
    /// The class of the first exception that was not caught, where there is one.
    pub by: Option<String>,
}

/// The outcome of a test on its variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOnVariants {
    /// One for each of its variants, in their order; nothing for a variant without an outcome from the engine.
    Each(Vec<Option<VariantExecution>>),
    /// It does not pass on the original code.
    Unsettled,
}

/// Takes the results of a test, by its candidate's number.
pub type VariantSink<'s> = dyn FnMut(u64, TestOnVariants) -> Result<(), Cancelled> + 's;

/// Makes variants of a prepared project, and runs tests on them.
pub trait VariantEngine {
    /// Returns a version: where it is equal, variants and answers are, too.
    fn version(&self) -> String;

    /// Lists notes on kinds that are not applied, after variants were made.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Makes the variants of methods, a list for each in the order of kinds.
    ///
    /// # Errors
    /// Where nothing more can be made.
    fn variants(
        &mut self,
        methods: &[MutatedMethod],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Variant>>, RunnerError>;

    /// Lists the names that a variant of a file with this text takes away.
    fn names<'n>(&'n self, variant: &Variant, text: &'n str) -> Vec<&'n str> {
        let edits = variant.edits.iter();
        let names = edits.filter_map(|edit| text.get(edit.start as usize..edit.end as usize));
        names.collect()
    }

    /// Runs tests on the original code and on their variants, and passes on the results of each test exactly once, in
    /// any order.
    ///
    /// # Errors
    /// Where nothing more can be run; results that were passed on stay valid.
    fn answer(
        &mut self,
        files: &[HostFile],
        tests: &[VariantTest],
        monitor: &Monitor,
        sink: &mut VariantSink<'_>,
    ) -> Result<(), RunnerError>;
}

/// Tells whether a test, by its file and its place there, looks at what each of some variants changes; each is a kind
/// with the names that it takes away. If it does, its failure there says nothing against the variant.
#[must_use]
pub fn looks_at(
    language: Language,
    (text_of_test, test): (&str, Span),
    variants: &[(VariantKind, Vec<&str>)],
) -> Vec<bool> {
    let looking = TestWords::of(language, text_of_test, test);
    let looks = variants
        .iter()
        .map(|(kind, names)| variant::looks_at(&looking, *kind, names));
    looks.collect()
}
