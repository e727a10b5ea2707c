//! Prompts for the assertion part, and the user's own: a sample's parts in a template.
//!
//! A prompt that is too long loses the methods around, the most distant first, the focal method's before the setup's;
//! then the fixtures; then its end.

use minijinja::value::Value;

use crate::layout::{declaration, moved};
use crate::store::{StoredMethod, StoredSample};
use crate::template::{Template, TemplateError};
use crate::{PromptLimit, Text, syntax};

/// The variables that templates can use. The assertion part is none of them.
pub const VARIABLES: &[&str] = &[
    "key",
    "language",
    "fence",
    "repo",
    "setup",
    "fixtures",
    "setup_context",
    "focal_context",
    "focal.class",
    "focal.name",
    "focal.signature",
    "focal.source",
    "focal.file",
    "test.class",
    "test.name",
    "test.signature",
    "test.file",
];

/// The parts that can be left out, in this order.
const STEPS: &[&str] = &["focal_context", "setup_context", "fixtures"];

pub fn text(
    template: &Template,
    sample: &StoredSample,
    limit: &PromptLimit<'_>,
) -> Result<Text, TemplateError> {
    let mut lists = [
        sources(&sample.focal_context),
        sources(&sample.setup_context),
        sources(&sample.fixtures),
    ];
    let mut truncated = Vec::new();
    let mut text = render(template, sample, &lists)?;
    for (step, name) in STEPS.iter().enumerate() {
        while !limit.fits(&text) && lists[step].pop().is_some() {
            if truncated.last() != Some(name) {
                truncated.push(*name);
            }
            text = render(template, sample, &lists)?;
        }
    }
    Ok(limit.cut(text, truncated))
}

fn sources(methods: &[StoredMethod]) -> Vec<String> {
    methods.iter().map(declaration).collect()
}

fn render(
    template: &Template,
    sample: &StoredSample,
    [focal_context, setup_context, fixtures]: &[Vec<String>; 3],
) -> Result<String, TemplateError> {
    let dialect = syntax::dialect(sample.repo.language);
    let focal = sample.focal.as_ref();
    let of_focal = |value: fn(&StoredMethod) -> &str| Value::from(focal.map_or("", value));
    let focal = Value::from_pairs([
        ("class", of_focal(|stored_method| &stored_method.class)),
        ("name", of_focal(|stored_method| &stored_method.name)),
        (
            "signature",
            of_focal(|stored_method| &stored_method.signature),
        ),
        (
            "source",
            Value::from(focal.map(declaration).unwrap_or_default()),
        ),
        ("file", of_focal(|stored_method| &stored_method.path)),
    ]);
    let test = Value::from_pairs([
        ("class", Value::from(sample.test.class.as_str())),
        ("name", Value::from(sample.test.name.as_str())),
        ("signature", Value::from(sample.test.signature.as_str())),
        ("file", Value::from(sample.test.path.as_str())),
    ]);
    let place = |span| moved((&sample.test.text, span), sample.setup(), "");
    let setup = sample.cut.setup.map_or_else(String::new, place);
    let list = |texts: &Vec<String>| Value::from(texts.clone());
    template.render(&Value::from_pairs([
        ("key", Value::from(sample.row.key.to_string())),
        ("language", Value::from(dialect.name)),
        ("fence", Value::from(dialect.mera_fence)),
        ("repo", Value::from(sample.repo.name.as_str())),
        ("setup", Value::from(setup)),
        ("fixtures", list(fixtures)),
        ("setup_context", list(setup_context)),
        ("focal_context", list(focal_context)),
        ("focal", focal),
        ("test", test),
    ]))
}
