//! Soft prompts: keys and values that stand before all others in every layer, for a model whose own weights stay.
//!
//! Prefix tuning learns the numbers themselves (Li and Liang 2021, section 4; in every layer and without their network,
//! as in Liu et al. 2022, P-Tuning v2). The generators of context-aware prompt tuning (CAPT, of Tests4J) make them of
//! the context of a sample, which the model itself does not see: a vector of the context goes through a narrow layer
//! with tanh and from there to all layers. That layer has half the model's width, or the full width where each piece of
//! a prompt is made of a chunk of the context: theirs had 512 and 1,024 for a model of width 1,024.

use burn::module::{Initializer, Module, Param};
use burn::nn::{LayerNorm, LayerNormConfig, Linear, Lstm, LstmConfig};
use burn::tensor::activation::tanh;
use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, TensorData};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The most pieces of a context that are read, as many as their BERT takes.
const CONTEXT_MAX: usize = 512;
/// The standard deviation of a prompt's first numbers: with so small ones it hardly changes the model.
const DEVIATION: f64 = 0.02;

/// The source of the numbers of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Numbers that are learned: prefix tuning
    Prefix,
    /// From the sum of the embeddings of the context
    Sum,
    /// From the sum of each chunk, one for each place of the prompt
    SumC,
    /// From what an LSTM has read of the context
    Lstm,
    /// From what an LSTM has read of each chunk
    LstmC,
    /// From the mean of what the model's own encoder, in the place of a BERT, makes of the context
    Bert,
    /// From the mean of what the encoder makes of each chunk
    BertC,
}

impl Kind {
    /// Tells whether prompts are made of the context, which then is not part of the source.
    #[must_use]
    pub const fn reads_context(self) -> bool {
        !matches!(self, Self::Prefix)
    }

    /// Tells whether the model's own encoder reads the context.
    #[must_use]
    pub const fn reads_with_encoder(self) -> bool {
        matches!(self, Self::Bert | Self::BertC)
    }

    const fn is_chunked(self) -> bool {
        matches!(self, Self::SumC | Self::LstmC | Self::BertC)
    }
}

/// A prompt's kind and how many places it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub kind: Kind,
    pub length: usize,
}

impl Prompt {
    /// Returns how many chunks a context is cut into.
    #[must_use]
    pub const fn n_chunks(self) -> usize {
        if self.kind.is_chunked() {
            self.length
        } else {
            1
        }
    }

    /// Returns the chunks of a context; those behind its end are empty.
    pub fn chunks(self, context: &[u32]) -> impl Iterator<Item = &[u32]> {
        let len = (CONTEXT_MAX / self.n_chunks().max(1)).max(1);
        (0..self.n_chunks()).map(move |idx| {
            let rest = context.get(idx * len..).unwrap_or_default();
            &rest[..rest.len().min(len)]
        })
    }
}

/// Makes prompts; nothing else is learned where a model is tuned.
#[derive(Module, Debug)]
pub struct Generator<B: Backend> {
    #[module(skip)]
    pub prompt: Prompt,
    learned: Option<Param<Tensor<B, 2>>>,
    maker: Option<Maker<B>>,
}

/// The layers from the vectors of a context to a prompt.
#[derive(Module, Debug)]
struct Maker<B: Backend> {
    lstm: Option<Lstm<B>>,
    norm: LayerNorm<B>,
    inner: Linear<B>,
    outer: Linear<B>,
}

impl<B: Backend> Generator<B> {
    /// Makes an untrained generator for a model with this number of layers of this width.
    #[must_use]
    pub fn new(prompt: Prompt, (n_layers, width): (usize, usize), device: &B::Device) -> Self {
        let normal = Initializer::Normal {
            mean: 0.0,
            std: DEVIATION,
        };
        let n_numbers = 2 * width * n_layers;
        if !prompt.kind.reads_context() {
            return Self {
                prompt,
                learned: Some(normal.init([prompt.length, n_numbers], device)),
                maker: None,
            };
        }
        let (n_inner, n_made) = if prompt.kind.is_chunked() {
            (width, 1)
        } else {
            (width / 2, prompt.length)
        };
        let is_lstm = matches!(prompt.kind, Kind::Lstm | Kind::LstmC);
        let xavier = Initializer::XavierUniform { gain: 1.0 };
        let linear = |first: Initializer, n_in, n_out| Linear {
            weight: first.init_with([n_in, n_out], Some(n_in), Some(n_out), device),
            bias: Some(Initializer::Zeros.init([n_out], device)),
        };
        Self {
            prompt,
            learned: None,
            maker: Some(Maker {
                lstm: is_lstm.then(|| LstmConfig::new(width, width, true).init(device)),
                norm: LayerNormConfig::new(width).init(device),
                inner: linear(xavier, width, n_inner),
                outer: linear(normal, n_inner, n_made * n_numbers),
            }),
        }
    }

    /// Makes the prompts of rows, `[rows, length, numbers]`: keys and values for each layer of the encoder and the
    /// decoder. `seen` has the vectors of each chunk, `[rows · chunks, length, width]`, and the lengths without
    /// padding; prefix tuning does not use it.
    #[must_use]
    pub fn make(&self, n_rows: usize, seen: Option<(Tensor<B, 3>, &[usize])>) -> Tensor<B, 3> {
        let length = self.prompt.length;
        if let Some(learned) = &self.learned {
            let [_, n_numbers] = learned.shape().dims();
            return learned
                .val()
                .unsqueeze::<3>()
                .expand([n_rows, length, n_numbers]);
        }
        let (Some(maker), Some((seen, lens))) = (&self.maker, seen) else {
            unreachable!("what does not learn numbers makes them of contexts");
        };
        let [n, len, width] = seen.dims();
        let seen = match &maker.lstm {
            Some(lstm) => lstm.forward(seen, None).0,
            None => seen,
        };
        let weights = self.weights(lens, len, &seen.device());
        let vectors = (seen * weights).sum_dim(1).reshape([n, width]);
        let inner = tanh(maker.inner.forward(maker.norm.forward(vectors)));
        let made = maker.outer.forward(inner);
        let n_numbers = made.dims()[1] * n / (n_rows * length);
        made.reshape([n_rows, length, n_numbers])
    }

    /// Computes the weight of each place of a chunk, `[rows, length, 1]`: 1 for a sum, 1 / length for a mean, and for
    /// an LSTM 1 at the last place alone.
    fn weights(&self, lens: &[usize], len: usize, device: &B::Device) -> Tensor<B, 3> {
        let weight = |at: usize, n: usize| match self.prompt.kind {
            _ if at >= n => 0.0,
            Kind::Lstm | Kind::LstmC if at + 1 < n => 0.0,
            Kind::Bert | Kind::BertC => 1.0 / n as f32,
            _ => 1.0,
        };
        let weights: Vec<f32> = lens
            .iter()
            .flat_map(|n| (0..len).map(move |at| weight(at, *n)))
            .collect();
        Tensor::from_data(TensorData::new(weights, [lens.len(), len, 1]), device)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Prompt};

    #[test]
    fn a_context_is_cut_into_as_many_chunks_as_a_prompt_has_places() {
        let context: Vec<u32> = (0..130).collect();
        let chunked = Prompt {
            kind: Kind::SumC,
            length: 10,
        };
        let chunks: Vec<&[u32]> = chunked.chunks(&context).collect();
        assert_eq!(chunks.len(), 10);
        assert_eq!(chunks[0], &context[..51]);
        assert_eq!(chunks[2], &context[102..]);
        assert!(chunks[3..].iter().all(|chunk| chunk.is_empty()));
        let whole = Prompt {
            kind: Kind::Lstm,
            length: 10,
        };
        let long = vec![0; 600];
        assert_eq!(
            whole.chunks(&long).map(<[u32]>::len).collect::<Vec<_>>(),
            [512]
        );
    }
}
