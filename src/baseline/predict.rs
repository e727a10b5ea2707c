//! A model's answers to sources, one piece after the other: always the likeliest piece (greedy), or the likeliest of
//! several beginnings (beam).
//!
//! Keys and values of the pieces so far are kept. A row that has ended is taken out of the batch.

use std::collections::{HashMap, HashSet};

use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor, TensorData};

use crate::batch::{Layout, Rows};
use crate::encode::Decoder;
use crate::encoded::Sample;
use crate::grammar::{self, Deeds, Held, Proof};
use crate::model::{Memory, Said, Transformer};
use crate::noise::Noise;
use crate::optimiser::floats;
use crate::prompt::Prompt;
use crate::vocabulary::Vocabulary;

/// The maximum number of times that a sequence that is not code is generated again.
const ATTEMPTS: usize = 12;

/// The options of the search for answers.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The number of beginnings that are kept; 1 is greedy.
    pub beam: usize,
    pub is_held: bool,
    /// The maximum number of numbers in an answer.
    pub target_max: usize,
    /// Longer sources are cut to this length.
    pub source_max: usize,
}

/// A model's answer to one source.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Without the end.
    pub ids: Vec<u32>,
    /// The logarithm of its probability by the model alone, without the numbers that were appended to close it.
    pub log_probability: f64,
    /// Whether it came to its end.
    pub is_whole: bool,
    /// The number of times that it was generated again.
    pub n_again: usize,
    pub is_source_cut: bool,
}

/// A model ready to speak.
#[derive(Debug)]
pub struct Speaker<'m, B: Backend> {
    model: &'m Transformer<B>,
    vocabulary: &'m Vocabulary,
    layout: Layout,
    deeds: Deeds,
    device: B::Device,
}

/// One sequence in the making.
#[derive(Clone, Debug)]
struct Row {
    sample_idx: usize,
    ids: Vec<u32>,
    /// The logarithm of the probability of each number, given those before it.
    logs: Vec<f64>,
    held: Option<Held>,
}

impl Row {
    const fn new(sample_idx: usize, held: Option<Held>) -> Self {
        Self {
            sample_idx,
            ids: Vec::new(),
            logs: Vec::new(),
            held,
        }
    }

    fn log_probability(&self) -> f64 {
        self.logs.iter().sum()
    }

    fn then(&self, id: u32, log_probability: f64, vocabulary: &Vocabulary) -> Self {
        let mut next = self.clone();
        next.ids.push(id);
        next.logs.push(log_probability);
        if let Some(held) = &mut next.held {
            held.take(id, vocabulary);
        }
        next
    }
}

/// A finished sequence, and whether it ended by itself.
type Ended = (Row, bool);

impl<'m, B: Backend> Speaker<'m, B> {
    #[must_use]
    pub fn new(model: &'m Transformer<B>, vocabulary: &'m Vocabulary, device: &B::Device) -> Self {
        Self {
            model,
            vocabulary,
            layout: Layout::new(vocabulary, model.prompt()),
            deeds: Deeds::new(vocabulary),
            device: device.clone(),
        }
    }

    /// Returns the prompt that the model has, if any.
    #[must_use]
    pub const fn prompt(&self) -> Option<Prompt> {
        self.layout.prompt
    }

    /// Answers each sample, all computed together; their targets are not read.
    #[must_use]
    pub fn answer(&self, samples: &[&Sample], options: &Options) -> Vec<Answer> {
        let sources: Vec<&[u32]> = samples
            .iter()
            .map(|sample| &sample.source[..sample.source.len().min(options.source_max)])
            .collect();
        let contexts: Vec<&[u32]> = samples
            .iter()
            .map(|sample| sample.context.as_slice())
            .collect();
        let memory = self.model.read(
            &Rows::new(&sources, self.layout.padding, &self.device),
            self.layout.contexts(&contexts, &self.device).as_ref(),
            &Noise::None,
        );
        let mut ended = self.search(memory.clone(), samples.len(), options);
        let mut decoder = Decoder::new();
        let mut answers = Vec::with_capacity(samples.len());
        for (idx, sample) in samples.iter().enumerate() {
            let mut found: Vec<Ended> = ended
                .extract_if(.., |sequence| sequence.0.sample_idx == idx)
                .collect();
            found.sort_by(|a, b| {
                let key = |sequence: &Ended| (sequence.1, normalised(&sequence.0));
                key(b)
                    .partial_cmp(&key(a))
                    .unwrap_or(std::cmp::Ordering::Equal)
            });
            let mut n_again = 0;
            if options.is_held {
                let is_code = |sequence: &Ended, decoder: &mut Decoder| {
                    sequence.1
                        && grammar::prove(decoder, self.vocabulary, &sequence.0.ids) == Proof::Code
                };
                if let Some(at) = found
                    .iter()
                    .position(|sequence| is_code(sequence, &mut decoder))
                {
                    found.swap(0, at);
                } else {
                    let of_one = Tensor::from_data(
                        TensorData::new(vec![(idx as u32).cast_signed()], [1]),
                        &self.device,
                    );
                    let memory = memory.clone().rows(&of_one);
                    let begun = found.drain(..).next();
                    let (row, n) = self.insist(&memory, begun, options, &mut decoder);
                    n_again = n;
                    found.push(row);
                }
            }
            let (row, is_whole) = found
                .into_iter()
                .next()
                .unwrap_or_else(|| (Row::new(idx, None), false));
            answers.push(Answer {
                log_probability: row.log_probability(),
                ids: row.ids,
                is_whole,
                n_again,
                is_source_cut: sample.source.len() > options.source_max,
            });
        }
        answers
    }

    /// Searches the sequences that end, at most `beam` for each sample.
    fn search(&self, memory: Memory<B>, n_samples: usize, options: &Options) -> Vec<Ended> {
        let held = || options.is_held.then(Held::default);
        let mut rows: Vec<Row> = (0..n_samples)
            .map(|sample_idx| Row::new(sample_idx, held()))
            .collect();
        let mut memory = memory;
        let mut said = self.model.silent(&memory);
        let mut ended: Vec<Ended> = Vec::new();
        let mut n_ended = vec![0; n_samples];
        let beam = options.beam.max(1);
        while !rows.is_empty() {
            let last: Vec<[u32; 1]> = rows
                .iter()
                .map(|row| [row.ids.last().copied().unwrap_or(self.vocabulary.begin())])
                .collect();
            let last: Vec<&[u32]> = last.iter().map(<[u32; 1]>::as_slice).collect();
            let logits = self.next(&last, &memory, &mut said);
            let mut candidates: Vec<(usize, Row)> = Vec::new();
            for (parent, row) in rows.iter().enumerate() {
                for (id, log) in self.best(&logits[parent], row.held.as_ref(), beam) {
                    candidates.push((parent, row.then(id, log, self.vocabulary)));
                }
            }
            candidates.sort_by(|a, b| {
                (a.1.sample_idx.cmp(&b.1.sample_idx))
                    .then(b.1.log_probability().total_cmp(&a.1.log_probability()))
            });
            let mut parents: Vec<i32> = Vec::new();
            rows.clear();
            let mut n_kept = vec![0; n_samples];
            for (parent, mut row) in candidates {
                let sample_idx = row.sample_idx;
                if n_ended[sample_idx] >= beam || n_kept[sample_idx] >= beam {
                    continue;
                }
                if row.ids.last() == Some(&self.vocabulary.end()) {
                    row.ids.pop();
                    n_ended[sample_idx] += 1;
                    ended.push((row, true));
                } else if row.ids.len() >= options.target_max {
                    n_ended[sample_idx] += 1;
                    ended.push((row, false));
                } else {
                    n_kept[sample_idx] += 1;
                    parents.push((parent as u32).cast_signed());
                    rows.push(row);
                }
            }
            let is_same = parents.len() == last.len()
                && parents
                    .iter()
                    .enumerate()
                    .all(|(idx, parent)| (idx as u32).cast_signed() == *parent);
            if !is_same && !rows.is_empty() {
                let n = parents.len();
                let parents: Tensor<B, 1, Int> =
                    Tensor::from_data(TensorData::new(parents, [n]), &self.device);
                memory = memory.rows(&parents);
                said = said.rows(&parents);
            }
        }
        ended
    }

    /// Computes the logits behind the last given number, a list for each row.
    fn next(&self, given: &[&[u32]], memory: &Memory<B>, said: &mut Said<B>) -> Vec<Vec<f32>> {
        let given = Rows::new(given, self.layout.padding, &self.device);
        let states = self.model.say(given.ids, memory, said, &Noise::None);
        let [n, len, width] = states.dims();
        let last = states.narrow(1, len - 1, 1).reshape([n, width]);
        let logits = floats(self.model.logits(last));
        logits
            .chunks_exact(self.vocabulary.len())
            .map(<[f32]>::to_vec)
            .collect()
    }

    /// Returns the likeliest numbers that may follow, with the logarithms of their probabilities.
    fn best(&self, logits: &[f32], held: Option<&Held>, n: usize) -> Vec<(u32, f64)> {
        self.best_but(logits, held, n, &HashSet::new())
    }

    fn best_but(
        &self,
        logits: &[f32],
        held: Option<&Held>,
        n: usize,
        banned: &HashSet<u32>,
    ) -> Vec<(u32, f64)> {
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = logits
            .iter()
            .map(|logit| f64::from(logit - most).exp())
            .sum();
        let mut allowed = Vec::new();
        if let Some(held) = held {
            held.allow(&self.deeds, self.vocabulary, &mut allowed);
        }
        let mut best: Vec<(u32, f32)> = Vec::with_capacity(n + 1);
        for (id, logit) in logits.iter().enumerate() {
            let id = id as u32;
            let is_allowed = allowed.get(id as usize).copied().unwrap_or(true);
            let is_enough = best.len() == n && best.last().is_some_and(|entry| entry.1 >= *logit);
            if is_enough || !is_allowed || banned.contains(&id) || self.is_no_word(id) {
                continue;
            }
            let at = best.partition_point(|entry| entry.1 >= *logit);
            best.insert(at, (id, *logit));
            best.truncate(n);
        }
        best.into_iter()
            .map(|(id, logit)| (id, f64::from(logit - most) - sum.ln()))
            .collect()
    }

    fn is_no_word(&self, id: u32) -> bool {
        id == self.vocabulary.padding() || id == self.vocabulary.begin()
    }

    /// Repeats a sequence until it is code: a number that the decoder refuses is banned at its place. Where that fails,
    /// the longest beginning of whole statements is returned. The second value counts the repetitions.
    fn insist(
        &self,
        memory: &Memory<B>,
        begun: Option<Ended>,
        options: &Options,
        decoder: &mut Decoder,
    ) -> (Ended, usize) {
        let mut banned: HashMap<Vec<u32>, HashSet<u32>> = HashMap::new();
        let mut row =
            begun.map_or_else(|| Row::new(0, Some(Held::default())), |sequence| sequence.0);
        let mut longest = Row::new(row.sample_idx, None);
        let mut n_again = 0;
        loop {
            let at = match grammar::prove(decoder, self.vocabulary, &row.ids) {
                Proof::Code => return ((row, true), n_again),
                Proof::Refused(at) => at,
            };
            let kept = grammar::statements(decoder, self.vocabulary, &row.ids);
            if kept.len() > longest.ids.len() {
                let n_said = (kept.len() - 1).min(row.logs.len());
                longest.logs = row.logs[..n_said].to_vec();
                longest.ids = kept;
            }
            // A sequence that ends too early was cut off: no number is wrong, so nothing can be banned.
            if at >= row.ids.len() || n_again == ATTEMPTS {
                break;
            }
            let refused = row.ids[at];
            row.ids.truncate(at);
            row.logs.truncate(at);
            banned.entry(row.ids.clone()).or_default().insert(refused);
            match self.go_on(memory, &row, &banned, options) {
                Some(next) => row = next,
                None => break,
            }
            n_again += 1;
        }
        ((longest, false), n_again)
    }

    /// Goes on greedily behind a beginning, without the banned numbers; nothing where no number may follow.
    fn go_on(
        &self,
        memory: &Memory<B>,
        begun: &Row,
        banned: &HashMap<Vec<u32>, HashSet<u32>>,
        options: &Options,
    ) -> Option<Row> {
        let none = HashSet::new();
        let mut row = Row::new(0, Some(Held::default()));
        for (id, log) in begun.ids.iter().zip(&begun.logs) {
            row = row.then(*id, *log, self.vocabulary);
        }
        let mut given = vec![self.vocabulary.begin()];
        given.extend(&begun.ids);
        let mut said = self.model.silent(memory);
        while row.ids.len() < options.target_max {
            let logits = self.next(&[&given], memory, &mut said);
            let banned = banned.get(&row.ids).unwrap_or(&none);
            let best = self.best_but(logits.first()?, row.held.as_ref(), 1, banned);
            let (id, log) = *best.first()?;
            if id == self.vocabulary.end() {
                row.logs.push(log);
                return Some(row);
            }
            row = row.then(id, log, self.vocabulary);
            given = vec![id];
        }
        Some(row)
    }
}

/// Computes the mean logarithm of the probability of a row's numbers, so that long answers have the same chance as
/// short ones.
fn normalised(row: &Row) -> f64 {
    row.log_probability() / (row.ids.len() + 1) as f64
}
