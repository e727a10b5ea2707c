//! Samples as sequences of tokens, for models: what `encode` writes, and how long sequences are.
//!
//! Samples and their order are chosen as for `export`. Samples that cannot be encoded are counted and reported: those
//! of other languages than Java, and those with a part that does not parse.

use std::io::Write;
use std::sync::atomic::Ordering;

use crate::encode::{
    ContextMode, Encoder, Sequence, SequenceSide, SourceSection, Sources, Vocabulary,
    encode_source, encode_target, tokens_of_source, tokens_of_target,
};

use crate::ExportError;
use crate::exchange::{WireEncoded, WireLengths, WireQuantiles, write_line};
use crate::model::{
    Direction, Filter, Problem, Reason, SampleKey, SampleScope, SampleSort, SortField, SortKey,
};
use crate::store::{Extent, Store, StoredMethod, StoredSample};
use crate::task::{Monitor, Phase};

/// The form of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceForm {
    Tree,
    /// The lexer's tokens.
    Tokens,
}

pub struct EncodeOptions<'v> {
    pub filter: Filter,
    pub scope: SampleScope,
    pub form: SequenceForm,
    pub context: ContextMode,
    /// Only this part.
    pub part: Option<SequenceSide>,
    /// Values are written in its pieces.
    pub vocabulary: Option<&'v Vocabulary>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodeReport {
    pub n_written: u64,
    /// Samples of other languages.
    pub n_other_language: u64,
    /// A sample each: it has a part that does not parse.
    pub problems: Vec<Problem>,
}

/// A sample as sequences.
struct EncodedSample {
    key: SampleKey,
    source: Option<Sequence>,
    target: Option<Sequence>,
}

/// Writes a line for each sample. The same index gives the same bytes.
pub fn encode(
    store: &Store,
    monitor: &Monitor,
    options: &EncodeOptions<'_>,
    out: &mut dyn Write,
) -> Result<EncodeReport, ExportError> {
    monitor.enter(Phase::Writing);
    let report = each_encoded(store, monitor, options, |encoded| {
        let line = WireEncoded {
            sample: encoded.key.to_string(),
            source: encoded
                .source
                .as_ref()
                .map(|sequence| sequence.iter().collect()),
            target: encoded
                .target
                .as_ref()
                .map(|sequence| sequence.iter().collect()),
        };
        write_line(out, &line)?;
        Ok(())
    })?;
    out.flush()?;
    Ok(report)
}

/// Measures the sequences that [`encode`] would write.
pub fn lengths(
    store: &Store,
    monitor: &Monitor,
    options: &EncodeOptions<'_>,
    limit: usize,
) -> Result<WireLengths, ExportError> {
    let (mut sources, mut targets, mut n_over) = (Vec::new(), Vec::new(), 0);
    monitor.enter(Phase::Measuring);
    let report = each_encoded(store, monitor, options, |encoded| {
        let source = encoded.source.as_ref().map(Sequence::len);
        let target = encoded.target.as_ref().map(Sequence::len);
        n_over += usize::from(source.max(target).is_some_and(|n| n > limit));
        sources.extend(source);
        targets.extend(target);
        Ok(())
    })?;
    Ok(WireLengths {
        n: report.n_written as usize,
        n_not_encoded: report.problems.len() as u64,
        n_other_language: report.n_other_language,
        limit,
        n_over,
        source: quantiles(sources, limit),
        target: quantiles(targets, limit),
    })
}

/// Computes the quantiles by the nearest rank; nothing without lengths.
fn quantiles(mut lengths: Vec<usize>, limit: usize) -> Option<WireQuantiles> {
    lengths.sort_unstable();
    let (min, max) = (*lengths.first()?, *lengths.last()?);
    let at = |percent: usize| lengths[(percent * lengths.len()).div_ceil(100).max(1) - 1];
    Some(WireQuantiles {
        mean: lengths.iter().sum::<usize>() as f64 / lengths.len() as f64,
        min,
        p25: at(25),
        p50: at(50),
        p75: at(75),
        p90: at(90),
        p95: at(95),
        p99: at(99),
        max,
        n_over: lengths.iter().filter(|length| **length > limit).count(),
    })
}

fn each_encoded(
    store: &Store,
    monitor: &Monitor,
    options: &EncodeOptions<'_>,
    mut each: impl FnMut(EncodedSample) -> Result<(), ExportError>,
) -> Result<EncodeReport, ExportError> {
    let mut filter = options.filter.clone().within(options.scope);
    filter.sort.push(SortKey {
        field: SortField::Sample(SampleSort::Repo),
        direction: Direction::Ascending,
    });
    let mut encoder = Encoder::new();
    let mut report = EncodeReport::default();
    store.each_sample(&filter, Extent::Sample, |sample: StoredSample| {
        monitor.step()?;
        let Some(focal) = &sample.focal else {
            return Ok(());
        };
        if !crate::encode::knows(sample.repo.language) {
            report.n_other_language += 1;
            return Ok(());
        }
        match encoded(&mut encoder, &sample, focal, options) {
            Ok(encoded) => {
                each(encoded)?;
                report.n_written += 1;
                monitor.n_samples.fetch_add(1, Ordering::Relaxed);
            }
            Err((section, detail)) => report.problems.push(Problem {
                path: sample.row.key.to_string(),
                line: None,
                reason: Reason::Syntax,
                detail: format!("{}: {detail}", section.as_str()),
            }),
        }
        Ok::<_, ExportError>(())
    })?;
    Ok(report)
}

fn encoded(
    encoder: &mut Encoder,
    sample: &StoredSample,
    focal: &StoredMethod,
    options: &EncodeOptions<'_>,
) -> Result<EncodedSample, (SourceSection, String)> {
    let sources = Sources {
        fixtures: methods(&sample.fixtures),
        setup: sample.setup(),
        focal: focal.source(),
        setup_context: methods(&sample.setup_context),
        focal_context: methods(&sample.focal_context),
        assertion: sample.assertion(),
    };
    let told = |(section, error): (SourceSection, crate::encode::EncodeError)| {
        (section, error.to_string())
    };
    let mut source = None;
    if options.part != Some(SequenceSide::Target) {
        let mut sequence = Sequence::new();
        match options.form {
            SequenceForm::Tree => {
                encode_source(encoder, &sources, options.context, &mut sequence).map_err(told)?;
            }
            SequenceForm::Tokens => tokens_of_source(&sources, options.context, &mut sequence),
        }
        source = Some(in_pieces(sequence, options.vocabulary));
    }
    let mut target = None;
    if options.part != Some(SequenceSide::Source) {
        let mut sequence = Sequence::new();
        match options.form {
            SequenceForm::Tree => encode_target(encoder, &sources, &mut sequence).map_err(told)?,
            SequenceForm::Tokens => tokens_of_target(&sources, &mut sequence),
        }
        target = Some(in_pieces(sequence, options.vocabulary));
    }
    Ok(EncodedSample {
        key: sample.row.key,
        source,
        target,
    })
}

fn methods(methods: &[StoredMethod]) -> Vec<&str> {
    methods.iter().map(StoredMethod::source).collect()
}

fn in_pieces(sequence: Sequence, vocabulary: Option<&Vocabulary>) -> Sequence {
    let Some(vocabulary) = vocabulary else {
        return sequence;
    };
    let mut pieces = Sequence::new();
    vocabulary.split(sequence.iter(), &mut pieces);
    pieces
}

#[cfg(test)]
mod tests {
    use super::quantiles;

    #[test]
    fn quantiles_are_lengths_that_are_there() {
        let found = quantiles((1..=200).collect(), 150).expect("there are some");
        assert_eq!(
            (found.p25, found.p50, found.p99, found.max),
            (50, 100, 198, 200)
        );
        assert_eq!(found.n_over, 50);
        assert_eq!(quantiles(Vec::new(), 1), None);
        assert_eq!(
            quantiles(vec![7], 1).map(|quantile| (quantile.p25, quantile.p99)),
            Some((7, 7))
        );
    }
}
