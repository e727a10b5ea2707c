//! Which samples are computed together, and in which order: batches of samples of about the same length, up to a number
//! of tokens.
//!
//! The order of an epoch follows from the seed and the epoch's number alone, so a place in it is two numbers.

use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor, TensorData};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::encoded::Sample;
use crate::prompt::Prompt;
use crate::vocabulary::Vocabulary;

/// Draws a number below `n`; 0 for `n` = 0.
fn below(random: &mut Pcg64Mcg, n: usize) -> usize {
    (random.next_u64() % n.max(1) as u64) as usize
}

fn shuffle<T>(random: &mut Pcg64Mcg, items: &mut [T]) {
    for idx in (1..items.len()).rev() {
        items.swap(idx, below(random, idx + 1));
    }
}

/// Deals the samples of an epoch into batches, lists of their indices: none has more than `batch_tokens` numbers,
/// padding counted, unless it is one sample.
#[must_use]
pub fn epoch(samples: &[Sample], batch_tokens: usize, seed: u64, number: u64) -> Vec<Vec<usize>> {
    let mut random = Pcg64Mcg::seed_from_u64(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut order: Vec<usize> = (0..samples.len()).collect();
    shuffle(&mut random, &mut order);
    // Lengths are sorted in steps of an eighth: neighbours are alike, and still differ from epoch to epoch.
    let step = |len: usize| {
        let n_doubled = len.max(1).ilog2();
        (n_doubled, (8 * len) >> n_doubled)
    };
    order.sort_by_key(|sample_idx| {
        (
            step(samples[*sample_idx].source.len()),
            step(samples[*sample_idx].target.len()),
        )
    });
    let mut batches = in_order(samples, &order, batch_tokens);
    shuffle(&mut random, &mut batches);
    batches
}

/// Cuts samples into batches of at most `batch_tokens` numbers, padding counted, in the order given.
#[must_use]
pub fn in_order(samples: &[Sample], order: &[usize], batch_tokens: usize) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let (mut source, mut target) = (0, 0);
    for idx in order {
        let sample = &samples[*idx];
        let (wider, longer) = (
            source.max(sample.source.len()),
            target.max(sample.target.len()),
        );
        match batches.last_mut() {
            Some(batch) if (batch.len() + 1) * (wider + longer) <= batch_tokens => {
                batch.push(*idx);
                (source, target) = (wider, longer);
            }
            _ => {
                batches.push(vec![*idx]);
                (source, target) = (sample.source.len(), sample.target.len());
            }
        }
    }
    batches
}

/// Samples as tensors.
#[derive(Debug)]
pub struct Batch<B: Backend> {
    pub sources: Rows<B>,
    /// The chunks of all samples, where prompts are made of contexts.
    pub contexts: Option<Rows<B>>,
    /// The input of the decoder: begin, then the target without its end.
    pub given: Tensor<B, 2, Int>,
    /// The places of `given` that are not padding, counted through all rows, and the number that is expected at each.
    pub places: Tensor<B, 1, Int>,
    pub expected: Tensor<B, 1, Int>,
    pub n_expected: usize,
    /// Numbers of sources and targets without padding.
    pub n_tokens: usize,
}

/// How samples become tensors: the numbers for padding and begin, and the prompt of the model.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub padding: u32,
    pub begin: u32,
    pub prompt: Option<Prompt>,
}

impl Layout {
    /// Returns the layout for models of this vocabulary and prompt.
    #[must_use]
    pub const fn new(vocabulary: &Vocabulary, prompt: Option<Prompt>) -> Self {
        Self {
            padding: vocabulary.padding(),
            begin: vocabulary.begin(),
            prompt,
        }
    }

    /// Returns the chunks of contexts, where prompts are made of them.
    #[must_use]
    pub fn contexts<B: Backend>(&self, contexts: &[&[u32]], device: &B::Device) -> Option<Rows<B>> {
        let prompt = self.prompt.filter(|prompt| prompt.kind.reads_context())?;
        let chunks: Vec<&[u32]> = contexts
            .iter()
            .flat_map(|context| prompt.chunks(context))
            .collect();
        Some(Rows::new(&chunks, self.padding, device))
    }
}

/// Rows of numbers, padded to one length.
#[derive(Clone, Debug)]
pub struct Rows<B: Backend> {
    /// `[rows, length]`
    pub ids: Tensor<B, 2, Int>,
    /// How long each is without padding.
    pub lens: Vec<usize>,
}

impl<B: Backend> Rows<B> {
    /// Makes tensors of rows.
    #[must_use]
    pub fn new(rows: &[&[u32]], padding: u32, device: &B::Device) -> Self {
        let lens: Vec<usize> = rows.iter().map(|row| row.len()).collect();
        let width = lens.iter().copied().max().unwrap_or(0).max(1);
        let mut ids: Vec<i32> = Vec::with_capacity(width * rows.len());
        for row in rows {
            ids.extend(row.iter().map(|id| id.cast_signed()));
            ids.resize(ids.len() + width - row.len(), padding.cast_signed());
        }
        Self {
            ids: Tensor::from_data(TensorData::new(ids, [rows.len(), width]), device),
            lens,
        }
    }
}

impl<B: Backend> Batch<B> {
    /// Makes tensors of samples.
    #[must_use]
    pub fn new(samples: &[&Sample], layout: Layout, device: &B::Device) -> Self {
        let sources: Vec<&[u32]> = samples
            .iter()
            .map(|sample| sample.source.as_slice())
            .collect();
        let contexts: Vec<&[u32]> = samples
            .iter()
            .map(|sample| sample.context.as_slice())
            .collect();
        let width = samples
            .iter()
            .map(|sample| sample.target.len())
            .max()
            .unwrap_or(1);
        let mut given = Vec::with_capacity(width * samples.len());
        let (mut places, mut expected) = (Vec::new(), Vec::new());
        for (row, sample) in samples.iter().enumerate() {
            let target = &sample.target;
            given.push(layout.begin.cast_signed());
            given.extend(target[..target.len() - 1].iter().map(|id| id.cast_signed()));
            given.resize((row + 1) * width, layout.padding.cast_signed());
            places.extend(
                (0..target.len()).map(|column| ((row * width + column) as u32).cast_signed()),
            );
            expected.extend(target.iter().map(|id| id.cast_signed()));
        }
        let n_expected = expected.len();
        Self {
            sources: Rows::new(&sources, layout.padding, device),
            contexts: layout.contexts(&contexts, device),
            given: Tensor::from_data(TensorData::new(given, [samples.len(), width]), device),
            places: Tensor::from_data(TensorData::new(places, [n_expected]), device),
            expected: Tensor::from_data(TensorData::new(expected, [n_expected]), device),
            n_expected,
            n_tokens: n_expected + sources.iter().map(|source| source.len()).sum::<usize>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::epoch;
    use crate::encoded::Sample;

    fn samples() -> Vec<Sample> {
        (0..100)
            .map(|n| Sample {
                key: n.to_string(),
                source: vec![0; 1 + n * 7 % 90],
                context: Vec::new(),
                target: vec![0; 1 + n % 13],
            })
            .collect()
    }

    #[test]
    fn an_epoch_has_every_sample_once_and_batches_are_not_too_large() {
        let samples = samples();
        let batches = epoch(&samples, 256, 1, 0);
        let mut all: Vec<usize> = batches.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..samples.len()).collect::<Vec<_>>());
        for batch in &batches {
            let source = batch
                .iter()
                .map(|sample_idx| samples[*sample_idx].source.len())
                .max();
            let target = batch
                .iter()
                .map(|sample_idx| samples[*sample_idx].target.len())
                .max();
            let n = batch.len() * (source.unwrap_or(0) + target.unwrap_or(0));
            assert!(n <= 256 || batch.len() == 1, "{n}");
        }
    }

    #[test]
    fn the_order_follows_from_seed_and_epoch() {
        let samples = samples();
        assert_eq!(epoch(&samples, 256, 1, 2), epoch(&samples, 256, 1, 2));
        assert_ne!(epoch(&samples, 256, 1, 2), epoch(&samples, 256, 1, 3));
        assert_ne!(epoch(&samples, 256, 1, 2), epoch(&samples, 256, 2, 2));
    }
}
