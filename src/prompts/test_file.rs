//! Prompts for a whole test in languages whose tests stand in no class, or need none: the method under test with its
//! calls, then the test's file without its tests, which the model continues.
//!
//! A prompt that is too long loses the methods around, the most distant first, then the test's file, then its end.
//! Names of tests are nowhere in it.

use crate::around::PromptSurroundings;
use crate::model::Span;
use crate::store::StoredSample;
use crate::template::{Template, TemplateError};
use crate::{Contexts, PromptLimit, Text, UnaskedReason, unit_test};

/// The built-in template.
pub const TEMPLATE: &str = include_str!("templates/test-file.jinja");

/// Writes the prompt for a sample, or explains why there is none.
pub fn text(
    template: &Template,
    (sample, tests, contexts): (&StoredSample, &[Span], Contexts),
    limit: &PromptLimit<'_>,
) -> Result<Result<Text, UnaskedReason>, TemplateError> {
    let Some(focal) = &sample.focal else {
        return Ok(Err(UnaskedReason::NoFocal));
    };
    let none = unit_test::PromptParts::default();
    let mut parts = PromptSurroundings::of(sample, tests, contexts);
    let mut truncated = Vec::new();
    let render =
        |parts: &PromptSurroundings| unit_test::render(template, (sample, parts), focal, &none);
    let mut text = render(&parts)?;
    while !limit.fits(&text) && parts.focal_context.pop().is_some() {
        if truncated.is_empty() {
            truncated.push("focal_context");
        }
        text = render(&parts)?;
    }
    if !limit.fits(&text) && !parts.test_file.is_empty() {
        parts.test_file.clear();
        truncated.push("test_file");
        text = render(&parts)?;
    }
    Ok(Ok(limit.cut(text, truncated)))
}
