//! The transformer: an encoder of the source, a decoder of the target, one embedding for both and for what comes out.
//!
//! Layers normalise before they compute (pre-norm); positions are sines. Dropout is on embeddings, inside the feed-forward
//! layers, and on what each layer adds, while it is trained.

use burn::module::{Initializer, Module, Param};
use burn::nn::{LayerNorm, LayerNormConfig, Linear};
use burn::tensor::activation::{log_softmax, relu, softmax};
use burn::tensor::backend::Backend;
use burn::tensor::{Distribution, Int, Tensor, TensorData, module};

use crate::batch::Batch;
use crate::config::Config;
use crate::noise::Noise;

/// What is added where nothing is to be looked at: its exponential is zero.
const NOWHERE: f32 = -1e9;

fn linear<B: Backend>(n_in: usize, n_out: usize, device: &B::Device) -> Linear<B> {
    Linear {
        weight: Initializer::XavierUniform { gain: 1.0 }.init_with(
            [n_in, n_out],
            Some(n_in),
            Some(n_out),
            device,
        ),
        bias: Some(Initializer::Zeros.init([n_out], device)),
    }
}

/// Keys and values of one attention: `[rows, heads, length, width of a head]`.
#[derive(Clone, Debug)]
pub struct Known<B: Backend> {
    keys: Tensor<B, 4>,
    values: Tensor<B, 4>,
}

impl<B: Backend> Known<B> {
    fn map(self, change: impl Fn(Tensor<B, 4>) -> Tensor<B, 4>) -> Self {
        Self {
            keys: change(self.keys),
            values: change(self.values),
        }
    }

    fn then(self, next: Self) -> Self {
        Self {
            keys: Tensor::cat(vec![self.keys, next.keys], 2),
            values: Tensor::cat(vec![self.values, next.values], 2),
        }
    }
}

#[derive(Module, Debug)]
struct Attention<B: Backend> {
    query: Linear<B>,
    key_value: Linear<B>,
    out: Linear<B>,
    n_heads: usize,
}

impl<B: Backend> Attention<B> {
    fn new(config: &Config, device: &B::Device) -> Self {
        let width = config.width;
        Self {
            query: linear(width, width, device),
            key_value: linear(width, 2 * width, device),
            out: linear(width, width, device),
            n_heads: config.n_heads,
        }
    }

    /// Returns what each head sees, with one number more behind it: `[rows, 1, length or 1, 1]`.
    fn heads(&self, tensor: Tensor<B, 3>, more: Option<Tensor<B, 4>>) -> Tensor<B, 4> {
        let [n, len, width] = tensor.dims();
        let heads = tensor.reshape([n, len, self.n_heads, width / self.n_heads]);
        let heads = match more {
            Some(more) => {
                let more = more.swap_dims(1, 2).expand([n, len, self.n_heads, 1]);
                Tensor::cat(vec![heads, more], 3)
            }
            None => heads,
        };
        heads.swap_dims(1, 2)
    }

    /// Makes keys and values. Those that are padding are hidden: each key gets a number behind it that every query
    /// multiplies by one, which costs less than to add a mask to all weights.
    fn know(&self, input: Tensor<B, 3>, hidden: Option<&Tensor<B, 4>>) -> Known<B> {
        let mut halves = self.key_value.forward(input).chunk(2, 2).into_iter();
        let mut next = || halves.next().expect("two halves were cut");
        Known {
            keys: self.heads(next(), hidden.cloned()),
            values: self.heads(next(), None),
        }
    }

    /// Looks at what is known; `mask` is added to the weights.
    fn attend(
        &self,
        input: Tensor<B, 3>,
        known: &Known<B>,
        mask: Option<&Tensor<B, 4>>,
    ) -> Tensor<B, 3> {
        let [n, len, width] = input.dims();
        let head = width / self.n_heads;
        let hides = known.keys.dims()[3] > head;
        let ones = hides.then(|| Tensor::ones([n, 1, len, 1], &input.device()));
        let query = self.query.forward(input).div_scalar((head as f32).sqrt());
        let query = self.heads(query, ones);
        let mut weights = query.matmul(known.keys.clone().transpose());
        if let Some(mask) = mask {
            weights = weights + mask.clone();
        }
        let seen = softmax(weights, 3).matmul(known.values.clone());
        self.out
            .forward(seen.swap_dims(1, 2).reshape([n, len, width]))
    }
}

#[derive(Module, Debug)]
struct FeedForward<B: Backend> {
    inner: Linear<B>,
    outer: Linear<B>,
}

impl<B: Backend> FeedForward<B> {
    fn new(config: &Config, device: &B::Device) -> Self {
        Self {
            inner: linear(config.width, config.width_inner, device),
            outer: linear(config.width_inner, config.width, device),
        }
    }

    fn forward(&self, input: Tensor<B, 3>, noise: &Noise) -> Tensor<B, 3> {
        let inner = noise.drop(relu(self.inner.forward(input)));
        self.outer.forward(inner)
    }
}

#[derive(Module, Debug)]
struct EncoderLayer<B: Backend> {
    attention: Attention<B>,
    feed_forward: FeedForward<B>,
    norm_attention: LayerNorm<B>,
    norm_feed_forward: LayerNorm<B>,
}

#[derive(Module, Debug)]
struct DecoderLayer<B: Backend> {
    attention: Attention<B>,
    crossing: Attention<B>,
    feed_forward: FeedForward<B>,
    norm_attention: LayerNorm<B>,
    norm_crossing: LayerNorm<B>,
    norm_feed_forward: LayerNorm<B>,
}

/// The whole model.
#[derive(Module, Debug)]
pub struct Transformer<B: Backend> {
    embedding: Param<Tensor<B, 2>>,
    encoder: Vec<EncoderLayer<B>>,
    encoder_norm: LayerNorm<B>,
    decoder: Vec<DecoderLayer<B>>,
    decoder_norm: LayerNorm<B>,
    width: usize,
}

/// What the encoder has made of sources.
#[derive(Clone, Debug)]
pub struct Memory<B: Backend> {
    /// Of each layer of the decoder.
    layers: Vec<Known<B>>,
}

impl<B: Backend> Memory<B> {
    /// Returns the rows of these indices, in this order.
    #[must_use]
    pub fn rows(self, rows: &Tensor<B, 1, Int>) -> Self {
        Self {
            layers: of_rows(self.layers, rows),
        }
    }
}

/// What the decoder has said so far, as keys and values of its layers.
#[derive(Clone, Debug)]
pub struct Said<B: Backend> {
    layers: Vec<Option<Known<B>>>,
    /// `[rows, 1, 1, length]`, where rows are of different lengths.
    pub n: usize,
}

impl<B: Backend> Said<B> {
    /// Returns the rows of these indices, in this order.
    #[must_use]
    pub fn rows(self, rows: &Tensor<B, 1, Int>) -> Self {
        let layers = self
            .layers
            .into_iter()
            .map(|layer| layer.map(|it| it.map(|tensor| tensor.select(0, rows.clone()))));
        Self {
            layers: layers.collect(),
            n: self.n,
        }
    }

    /// Returns the first `n` places.
    #[must_use]
    pub fn first(self, n: usize) -> Self {
        let layers = self.layers.into_iter().map(|layer| {
            layer
                .filter(|_| n > 0)
                .map(|it| it.map(|tensor| tensor.narrow(2, 0, n)))
        });
        Self {
            layers: layers.collect(),
            n,
        }
    }
}

fn of_rows<B: Backend>(layers: Vec<Known<B>>, rows: &Tensor<B, 1, Int>) -> Vec<Known<B>> {
    let layers = layers
        .into_iter()
        .map(|it| it.map(|tensor| tensor.select(0, rows.clone())));
    layers.collect()
}

impl<B: Backend> Transformer<B> {
    /// Makes a model that knows nothing.
    #[must_use]
    pub fn new(config: &Config, n_pieces: usize, device: &B::Device) -> Self {
        let width = config.width;
        let norm = || LayerNormConfig::new(width).init(device);
        let deviation = (width as f64).powf(-0.5);
        let embedding = Tensor::random(
            [n_pieces, width],
            Distribution::Normal(0.0, deviation),
            device,
        );
        Self {
            embedding: Param::from_tensor(embedding),
            encoder: (0..config.n_encoder_layers)
                .map(|_| EncoderLayer {
                    attention: Attention::new(config, device),
                    feed_forward: FeedForward::new(config, device),
                    norm_attention: norm(),
                    norm_feed_forward: norm(),
                })
                .collect(),
            encoder_norm: norm(),
            decoder: (0..config.n_decoder_layers)
                .map(|_| DecoderLayer {
                    attention: Attention::new(config, device),
                    crossing: Attention::new(config, device),
                    feed_forward: FeedForward::new(config, device),
                    norm_attention: norm(),
                    norm_crossing: norm(),
                    norm_feed_forward: norm(),
                })
                .collect(),
            decoder_norm: norm(),
            width,
        }
    }

    fn embed(&self, ids: Tensor<B, 2, Int>, start: usize, noise: &Noise) -> Tensor<B, 3> {
        let [_, len] = ids.dims();
        let positions = sines(start, len, self.width, &ids.device());
        let scale = (self.width as f32).sqrt();
        let embedded = module::embedding(self.embedding.val(), ids).mul_scalar(scale);
        noise.drop(embedded + positions)
    }

    /// Reads sources; `lens` are their lengths without padding.
    #[must_use]
    pub fn read(&self, source: Tensor<B, 2, Int>, lens: &[usize], noise: &Noise) -> Memory<B> {
        let [_, len] = source.dims();
        let hidden = padding(lens, len, &source.device());
        let mut state = self.embed(source, 0, noise);
        for layer in &self.encoder {
            let input = layer.norm_attention.forward(state.clone());
            let known = layer.attention.know(input.clone(), hidden.as_ref());
            let seen = layer.attention.attend(input, &known, None);
            state = state + noise.drop(seen);
            let input = layer.norm_feed_forward.forward(state.clone());
            let found = layer.feed_forward.forward(input, noise);
            state = state + noise.drop(found);
        }
        let state = self.encoder_norm.forward(state);
        Memory {
            layers: self
                .decoder
                .iter()
                .map(|it| it.crossing.know(state.clone(), hidden.as_ref()))
                .collect(),
        }
    }

    /// Returns a decoder's state that has said nothing.
    #[must_use]
    pub fn silent(&self) -> Said<B> {
        Said {
            layers: self.decoder.iter().map(|_| None).collect(),
            n: 0,
        }
    }

    /// Says the next places, and returns the states behind each: `[rows, length, width]`.
    pub fn say(
        &self,
        given: Tensor<B, 2, Int>,
        memory: &Memory<B>,
        said: &mut Said<B>,
        noise: &Noise,
    ) -> Tensor<B, 3> {
        let [_, len] = given.dims();
        let device = given.device();
        // One place sees all that was said; of several, each only what is before it.
        let mask = (len > 1).then(|| future(said.n, len, &device));
        let mut state = self.embed(given, said.n, noise);
        for (idx, layer) in self.decoder.iter().enumerate() {
            let input = layer.norm_attention.forward(state.clone());
            let next = layer.attention.know(input.clone(), None);
            let known = match said.layers[idx].take() {
                Some(known) => known.then(next),
                None => next,
            };
            let seen = layer.attention.attend(input, &known, mask.as_ref());
            said.layers[idx] = Some(known);
            state = state + noise.drop(seen);
            let input = layer.norm_crossing.forward(state.clone());
            let seen = layer.crossing.attend(input, &memory.layers[idx], None);
            state = state + noise.drop(seen);
            let input = layer.norm_feed_forward.forward(state.clone());
            let found = layer.feed_forward.forward(input, noise);
            state = state + noise.drop(found);
        }
        said.n += len;
        self.decoder_norm.forward(state)
    }

    /// Returns the logits of states: `[places, pieces]`.
    #[must_use]
    pub fn logits(&self, states: Tensor<B, 2>) -> Tensor<B, 2> {
        states.matmul(self.embedding.val().transpose())
    }

    /// Returns the sum of the cross entropies of all places of a batch.
    #[must_use]
    pub fn loss(&self, batch: &Batch<B>, noise: &Noise) -> Tensor<B, 1> {
        let memory = self.read(batch.source.clone(), &batch.source_lens, noise);
        let mut said = self.silent();
        let states = self.say(batch.given.clone(), &memory, &mut said, noise);
        let [n, len, width] = states.dims();
        let states = states
            .reshape([n * len, width])
            .select(0, batch.places.clone());
        let logs = log_softmax(self.logits(states), 1);
        let expected = batch.expected.clone().reshape([batch.n_expected, 1]);
        logs.gather(1, expected).sum().neg()
    }
}

/// Returns what hides the places behind rows' ends, `[rows, 1, length, 1]`; nothing where none are.
fn padding<B: Backend>(lens: &[usize], len: usize, device: &B::Device) -> Option<Tensor<B, 4>> {
    let of_row = |row: usize| (0..len).map(move |at| if at < row { 0.0 } else { NOWHERE });
    let is_padded = lens.iter().any(|it| *it < len);
    is_padded.then(|| {
        let hidden: Vec<f32> = lens.iter().copied().flat_map(of_row).collect();
        Tensor::from_data(TensorData::new(hidden, [lens.len(), 1, len, 1]), device)
    })
}

/// Returns what hides the places behind each of `len` places that follow `start` ones.
fn future<B: Backend>(start: usize, len: usize, device: &B::Device) -> Tensor<B, 4> {
    let mask: Vec<f32> = (0..len)
        .flat_map(|row| {
            (0..start + len).map(move |at| if at <= start + row { 0.0 } else { NOWHERE })
        })
        .collect();
    Tensor::from_data(TensorData::new(mask, [1, 1, len, start + len]), device)
}

/// Returns sines and cosines of positions from `start` on (Vaswani et al. 2017, section 3.5).
fn sines<B: Backend>(start: usize, len: usize, width: usize, device: &B::Device) -> Tensor<B, 3> {
    let values: Vec<f32> = (start..start + len)
        .flat_map(|at| {
            (0..width).map(move |idx| {
                let exponent = (idx / 2 * 2) as f64 / width as f64;
                let angle = at as f64 / 10_000_f64.powf(exponent);
                (if idx % 2 == 0 {
                    angle.sin()
                } else {
                    angle.cos()
                }) as f32
            })
        })
        .collect();
    Tensor::from_data(TensorData::new(values, [1, len, width]), device)
}
