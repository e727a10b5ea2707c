//! The sequences of a sample: the source that a model reads, and the target that it has to write.
//!
//! The source is one tree: under its root the setup, the focal method and the two contexts, each method a subtree of its
//! own. The target is the assertion part, a list of statements. Both also as plain tokens, the paper's ablation.

use crate::model::Language;
use crate::syntax::cut::Cutter;
use crate::syntax::java::piece::PieceUnit;

use crate::encode::{EncodeError, Encoder};
use crate::sequence::{CLOSED, Sequence};

/// The part that a model reads, or the one that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceSide {
    Source,
    Target,
}

/// Whether the context methods are part of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextMode {
    With,
    Without,
}

/// A piece of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceSection {
    Setup,
    Focal,
    SetupContext,
    FocalContext,
    Assertion,
}

impl SourceSection {
    /// Returns the name of its marker.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Focal => "focal",
            Self::SetupContext => "setup_context",
            Self::FocalContext => "focal_context",
            Self::Assertion => "assertion",
        }
    }

    /// Returns the marker before its tokens.
    #[must_use]
    pub const fn marker(self) -> &'static str {
        match self {
            Self::Setup => "<[setup]>",
            Self::Focal => "<[focal]>",
            Self::SetupContext => "<[setup_context]>",
            Self::FocalContext => "<[focal_context]>",
            Self::Assertion => "<[assertion]>",
        }
    }
}

/// The texts of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources<'t> {
    /// Methods that run before the test.
    pub fixtures: Vec<&'t str>,
    /// Statements.
    pub setup: &'t str,
    pub focal: &'t str,
    pub setup_context: Vec<&'t str>,
    pub focal_context: Vec<&'t str>,
    /// Statements.
    pub assertion: &'t str,
}

/// The root of a source, which is no type of the grammar.
const SOURCE: (&str, &str) = ("<[source]>", "<[/source]>");

/// Appends the source as a tree.
///
/// # Errors
/// When a part is no Java, with that part; nothing is appended then.
pub fn encode_source(
    encoder: &mut Encoder,
    sources: &Sources<'_>,
    context: ContextMode,
    sequence: &mut Sequence,
) -> Result<(), (SourceSection, EncodeError)> {
    let len = sequence.len();
    let written = source(encoder, sources, context, sequence);
    written.inspect_err(|_| sequence.truncate(len))
}

fn source(
    encoder: &mut Encoder,
    sources: &Sources<'_>,
    context: ContextMode,
    sequence: &mut Sequence,
) -> Result<(), (SourceSection, EncodeError)> {
    sequence.push(SOURCE.0);
    sequence.push(SourceSection::Setup.marker());
    let in_setup = |error| (SourceSection::Setup, error);
    for fixture in &sources.fixtures {
        encoder
            .encode_inner(fixture, PieceUnit::Members, sequence)
            .map_err(in_setup)?;
    }
    encoder
        .encode(sources.setup, PieceUnit::Statements, sequence)
        .map_err(in_setup)?;
    sequence.push("<[/setup]>");
    let focal = [sources.focal];
    let methods: &[(SourceSection, &[&str], &str)] = &[
        (SourceSection::Focal, &focal, "<[/focal]>"),
        (
            SourceSection::SetupContext,
            &sources.setup_context,
            "<[/setup_context]>",
        ),
        (
            SourceSection::FocalContext,
            &sources.focal_context,
            "<[/focal_context]>",
        ),
    ];
    for (section, methods, end) in methods {
        if *section != SourceSection::Focal && context == ContextMode::Without {
            break;
        }
        sequence.push(section.marker());
        let len = sequence.len();
        for method in *methods {
            encoder
                .encode_inner(method, PieceUnit::Members, sequence)
                .map_err(|error| (*section, error))?;
        }
        sequence.push(if sequence.len() == len { CLOSED } else { end });
    }
    sequence.push(SOURCE.1);
    Ok(())
}

/// Appends the target as a tree.
///
/// # Errors
/// When it is no list of statements; nothing is appended then.
pub fn encode_target(
    encoder: &mut Encoder,
    sources: &Sources<'_>,
    sequence: &mut Sequence,
) -> Result<(), (SourceSection, EncodeError)> {
    encoder
        .encode(sources.assertion, PieceUnit::Statements, sequence)
        .map_err(|error| (SourceSection::Assertion, error))
}

/// Appends the source as the lexer's tokens, each section behind its marker.
pub fn tokens_of_source(sources: &Sources<'_>, context: ContextMode, sequence: &mut Sequence) {
    let mut cutter = Cutter::new(Language::Java);
    let mut cut = |sequence: &mut Sequence, text: &str| sequence.extend(cutter.tokens(text).iter());
    sequence.push(SourceSection::Setup.marker());
    for fixture in &sources.fixtures {
        cut(sequence, fixture);
    }
    cut(sequence, sources.setup);
    sequence.push(SourceSection::Focal.marker());
    cut(sequence, sources.focal);
    if context == ContextMode::Without {
        return;
    }
    sequence.push(SourceSection::SetupContext.marker());
    for method in &sources.setup_context {
        cut(sequence, method);
    }
    sequence.push(SourceSection::FocalContext.marker());
    for method in &sources.focal_context {
        cut(sequence, method);
    }
}

/// Appends the target as the lexer's tokens.
pub fn tokens_of_target(sources: &Sources<'_>, sequence: &mut Sequence) {
    let mut cutter = Cutter::new(Language::Java);
    sequence.extend(cutter.tokens(sources.assertion).iter());
}
