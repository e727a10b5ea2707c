//! Prompts of tokens: the sequence of the source tree, for models that are trained on it.

use crate::encode::{ContextMode, Encoder, Sequence, Sources, encode_source};

use crate::store::{StoredMethod, StoredSample};
use crate::{Contexts, PromptLimit, Text, UnaskedReason};

/// Joins the tokens with spaces, or tells why there are none. Fixtures are part of the test's setup, as in `encode`,
/// and shown with every context. A prompt that is too long loses its contexts, then its end.
pub fn text(
    encoder: &mut Encoder,
    (sample, contexts): (&StoredSample, Contexts),
    limit: &PromptLimit<'_>,
) -> Result<Text, UnaskedReason> {
    let of = |list, is_shown: bool| if is_shown { methods(list) } else { Vec::new() };
    let sources = Sources {
        fixtures: methods(&sample.fixtures),
        setup: sample.setup(),
        focal: sample.focal.as_ref().map_or("", StoredMethod::source),
        setup_context: of(&sample.setup_context, contexts.has_test()),
        focal_context: of(&sample.focal_context, contexts.has_focal()),
        assertion: "",
    };
    let mut truncated = Vec::new();
    let text = joined(encoder, &sources)?;
    if limit.fits(&text) {
        return Ok(Text { text, truncated });
    }
    let mut text = text;
    let mut less = sources;
    for (name, is_focal) in [("focal_context", true), ("setup_context", false)] {
        let list = if is_focal {
            &mut less.focal_context
        } else {
            &mut less.setup_context
        };
        if list.is_empty() || limit.fits(&text) {
            continue;
        }
        list.clear();
        truncated.push(name);
        text = joined(encoder, &less)?;
    }
    Ok(limit.cut(text, truncated))
}

fn methods(methods: &[StoredMethod]) -> Vec<&str> {
    methods.iter().map(StoredMethod::source).collect()
}

fn joined(encoder: &mut Encoder, sources: &Sources<'_>) -> Result<String, UnaskedReason> {
    let mut sequence = Sequence::new();
    encode_source(encoder, sources, ContextMode::With, &mut sequence)
        .map_err(|(section, error)| UnaskedReason::Unencoded { section, error })?;
    Ok(sequence.iter().collect::<Vec<_>>().join(" "))
}
