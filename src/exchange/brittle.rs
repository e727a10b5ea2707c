//! The results of tests on code that keeps the contract, as JSON.

use serde::Serialize;

use crate::OrderedFields;
use crate::model::{
    BrittleCounts, Brittleness, Language, SampleKey, Variant, VariantEdit, VariantKind,
};

/// The words of the variants that a test objects to, in their order; an empty list where it objects to none.
pub type WireBrittle = Vec<&'static str>;

/// Lists the variants that a test objects to.
#[must_use]
pub fn brittle(of: &Brittleness) -> WireBrittle {
    of.objects.words()
}

/// The result of `execute --brittle`.
#[derive(Debug, Serialize)]
pub struct WireBrittleRun {
    pub tests: u64,
    pub now: u64,
    pub kept: u64,
    pub unsettled: u64,
    pub failed: u64,
    pub left: u64,
    #[serde(flatten)]
    pub counts: WireBrittleCounts,
    pub unsound: Vec<String>,
    /// Variants that were not applied, and why.
    pub notes: Vec<String>,
}

/// How many tests of a run have run on variants at some time, and how many object to which.
#[derive(Debug, Serialize)]
pub struct WireBrittleCounts {
    pub held: u64,
    pub n_brittle: u64,
    pub by_variant: OrderedFields<WireObjecting>,
}

/// How many tests object to variants of one kind.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WireObjecting {
    pub objecting: u64,
    pub held: u64,
}

impl From<&BrittleCounts> for WireBrittleCounts {
    fn from(counts: &BrittleCounts) -> Self {
        let by_variant = counts.by_kind.iter().map(|(kind, objecting)| {
            let wire = WireObjecting {
                objecting: objecting.n_objecting,
                held: objecting.n_held,
            };
            (kind.as_str(), wire)
        });
        Self {
            held: counts.n_tests,
            n_brittle: counts.n_brittle,
            by_variant: by_variant.collect(),
        }
    }
}

/// The parts that [`WireVariant::new`] takes.
#[derive(Clone, Copy, Debug)]
pub struct VariantLineParts<'a> {
    pub run: &'a str,
    pub sample: SampleKey,
    pub attempt: u32,
    pub variant: &'a Variant,
    pub objects: bool,
    pub is_sound: bool,
    pub by: Option<&'a str>,
}

/// A pair of a test and a variant: a line of `faults --json`.
#[derive(Debug, Serialize)]
pub struct WireVariant<'a> {
    pub run: &'a str,
    pub sample: String,
    pub attempt: u32,
    pub language: &'static str,
    pub variant: WireVariantPlace<'a>,
    pub objects: bool,
    /// A pair with an unsound variant is in no number.
    pub sound: bool,
    pub by: Option<&'a str>,
}

/// The difference in a variant.
#[derive(Debug, Serialize)]
pub struct WireVariantPlace<'a> {
    pub id: String,
    pub name: &'static str,
    pub file: &'a str,
    pub edits: Vec<WireEdit<'a>>,
}

/// Bytes of a file that become the replacement.
#[derive(Debug, Serialize)]
pub struct WireEdit<'a> {
    pub start: u32,
    pub end: u32,
    pub replacement: &'a str,
}

impl<'a> WireVariant<'a> {
    #[must_use]
    pub fn new(of: &VariantLineParts<'a>) -> Self {
        let edit = |variant_edit: &'a VariantEdit| WireEdit {
            start: variant_edit.start,
            end: variant_edit.end,
            replacement: &variant_edit.replacement,
        };
        Self {
            run: of.run,
            sample: of.sample.to_string(),
            attempt: of.attempt,
            language: Language::as_str(of.variant.language),
            variant: WireVariantPlace {
                id: of.variant.id.to_string(),
                name: VariantKind::as_str(of.variant.kind),
                file: &of.variant.file,
                edits: of.variant.edits.iter().map(edit).collect(),
            },
            objects: of.objects,
            sound: of.is_sound,
            by: of.by,
        }
    }
}
