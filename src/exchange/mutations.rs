//! Functions and their variants as lines of `focalist mutate` (`docs/mutate.md`).

use serde::Serialize;
use serde::ser::{SerializeTuple, Serializer};

use crate::model::{Language, Span};

/// The function that variants were made of.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SeedLine<'a> {
    pub id: &'a str,
    #[serde(serialize_with = "word")]
    pub language: Language,
    pub file: &'a str,
    pub function: &'a str,
    pub start_line: u32,
    pub end_line: u32,
    pub source: &'a str,
    /// Its data set, where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<&'a str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for this")]
fn word<S: Serializer>(language: &Language, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(language.as_str())
}

#[derive(Clone, Copy, Debug)]
pub struct VariantLine<'a> {
    pub seed: SeedLine<'a>,
    pub pass: &'a str,
    pub source: &'a str,
    /// Bytes of the seed's source, and their replacement.
    pub edits: &'a [(Span, &'a str)],
    /// The first line of the second half, in the seed and here.
    pub cut: Option<(u32, u32)>,
    pub is_strict: bool,
    pub distance: f64,
}

#[derive(Serialize)]
struct MutationLine<'a> {
    seed: SeedLine<'a>,
    pass: &'a str,
    source: &'a str,
    edits: Vec<EditValue<'a>>,
    cut: Option<CutValue>,
    strict: bool,
    distance: f64,
}

struct EditValue<'a>(Span, &'a str);

impl Serialize for EditValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(3)?;
        tuple.serialize_element(&self.0.start)?;
        tuple.serialize_element(&self.0.end)?;
        tuple.serialize_element(self.1)?;
        tuple.end()
    }
}

#[derive(Serialize)]
struct CutValue {
    seed: u32,
    variant: u32,
}

#[derive(Serialize)]
struct LeftOutLine<'a> {
    seed: SeedLine<'a>,
    pass: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'a str>,
    reason: &'a str,
    strict: bool,
}

/// Writes the JSON object of a variant, without a line end.
///
/// # Panics
/// Never: text and numbers always make JSON.
#[must_use]
pub fn variant_line(variant: &VariantLine<'_>) -> String {
    let line = MutationLine {
        seed: variant.seed,
        pass: variant.pass,
        source: variant.source,
        edits: variant
            .edits
            .iter()
            .map(|(span, text)| EditValue(*span, text))
            .collect(),
        cut: variant
            .cut
            .map(|(seed, variant)| CutValue { seed, variant }),
        strict: variant.is_strict,
        distance: variant.distance,
    };
    serde_json::to_string(&line).expect("text and numbers always make JSON")
}

/// Writes the JSON object with the reason why a function has no variant, or none of one pass.
///
/// # Panics
/// Never: text and numbers always make JSON.
#[must_use]
pub fn left_out_line(
    seed: SeedLine<'_>,
    left_out: Option<&str>,
    reason: &str,
    is_strict: bool,
) -> String {
    let line = LeftOutLine {
        seed,
        pass: None,
        left_out,
        reason,
        strict: is_strict,
    };
    serde_json::to_string(&line).expect("text and numbers always make JSON")
}
