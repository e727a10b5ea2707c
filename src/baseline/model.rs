//! The transformer: an encoder of the source, a decoder of the target, and one embedding for both and for the output.
//!
//! Layers normalise before they compute (pre-norm); positions are sines. While it is trained, dropout acts on
//! embeddings, inside the feed-forward layers, and on the sum that each layer adds.
//!
//! A model may have a prompt: then its own weights stay as they are, and only the generator of the prompt is learned.

use burn::module::{Initializer, Module, Param};
use burn::nn::{LayerNorm, LayerNormConfig, Linear};
use burn::tensor::activation::{log_softmax, relu, softmax};
use burn::tensor::backend::Backend;
use burn::tensor::{Distribution, Int, Tensor, TensorData, module};

use crate::batch::{Batch, Rows};
use crate::config::Config;
use crate::noise::Noise;
use crate::prompt::{Generator, Prompt};

/// Added to the weight of a hidden place: its exponential is zero.
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

    /// Splits a tensor by heads; `more`, `[rows, 1, length or 1, 1]`, is appended to each vector as one number.
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

    /// Computes keys and values. Those of padding are hidden: each key gets one more number, which every query
    /// multiplies by one. That costs less than adding a mask to all weights.
    fn know(&self, input: Tensor<B, 3>, hidden: Option<&Tensor<B, 4>>) -> Known<B> {
        let mut halves = self.key_value.forward(input).chunk(2, 2).into_iter();
        let mut next = || halves.next().expect("two halves were cut");
        Known {
            keys: self.heads(next(), hidden.cloned()),
            values: self.heads(next(), None),
        }
    }

    /// Splits a prompt, `[rows, length, 2 · width]`, into the keys and values that stand in it side by side.
    fn prompted(&self, prompt: &Tensor<B, 3>, hides: bool) -> Known<B> {
        let [n, len, _] = prompt.dims();
        let mut halves = prompt.clone().chunk(2, 2).into_iter();
        let mut next = || halves.next().expect("two halves were cut");
        let seen = hides.then(|| Tensor::zeros([n, 1, len, 1], &prompt.device()));
        Known {
            keys: self.heads(next(), seen),
            values: self.heads(next(), None),
        }
    }

    /// Attends from `input` to `known`; `mask` is added to the weights.
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
    /// The last field: a model with a prompt has the parameters of the one without it first, and then these.
    prompt: Option<Generator<B>>,
    width: usize,
}

/// The encoder's output for some sources, as the decoder needs it.
#[derive(Clone, Debug)]
pub struct Memory<B: Backend> {
    /// Keys and values for each layer of the decoder.
    layers: Vec<Known<B>>,
    /// The prompt of each layer of the decoder, which it knows before it says anything.
    before: Option<Vec<Known<B>>>,
}

impl<B: Backend> Memory<B> {
    /// Returns the rows of these indices, in this order.
    #[must_use]
    pub fn rows(self, rows: &Tensor<B, 1, Int>) -> Self {
        Self {
            layers: of_rows(self.layers, rows),
            before: self.before.map(|before| of_rows(before, rows)),
        }
    }
}

/// The decoder's output so far, as keys and values of its layers.
#[derive(Clone, Debug)]
pub struct Said<B: Backend> {
    layers: Vec<Option<Known<B>>>,
    /// Places of the prompt, which are before all that is said.
    n_before: usize,
    /// Places that were said.
    n: usize,
}

impl<B: Backend> Said<B> {
    /// Returns the rows of these indices, in this order.
    #[must_use]
    pub fn rows(self, rows: &Tensor<B, 1, Int>) -> Self {
        let layers = self
            .layers
            .into_iter()
            .map(|layer| layer.map(|known| known.map(|tensor| tensor.select(0, rows.clone()))));
        Self {
            layers: layers.collect(),
            ..self
        }
    }
}

fn of_rows<B: Backend>(layers: Vec<Known<B>>, rows: &Tensor<B, 1, Int>) -> Vec<Known<B>> {
    let layers = layers
        .into_iter()
        .map(|layer| layer.map(|tensor| tensor.select(0, rows.clone())));
    layers.collect()
}

impl<B: Backend> Transformer<B> {
    /// Makes an untrained model. Where it has a prompt, only that is learned.
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
        let model = Self {
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
            prompt: None,
            width,
        };
        match config.prompt {
            Some(prompt) => Self {
                prompt: Some(Generator::new(
                    prompt,
                    (config.n_encoder_layers + config.n_decoder_layers, width),
                    device,
                )),
                ..model.no_grad()
            },
            None => model,
        }
    }

    /// Returns the prompt that it has, if any.
    #[must_use]
    pub fn prompt(&self) -> Option<Prompt> {
        self.prompt.as_ref().map(|generator| generator.prompt)
    }

    /// Looks up the embeddings of numbers, without their positions.
    fn look_up(&self, ids: Tensor<B, 2, Int>) -> Tensor<B, 3> {
        module::embedding(self.embedding.val(), ids).mul_scalar((self.width as f32).sqrt())
    }

    fn embed(&self, ids: Tensor<B, 2, Int>, start: usize, noise: &Noise) -> Tensor<B, 3> {
        let [_, len] = ids.dims();
        let positions = sines(start, len, self.width, &ids.device());
        noise.drop(self.look_up(ids) + positions)
    }

    /// Makes the prompts of each layer for some rows; nothing where the model has none.
    fn prompts(&self, n_rows: usize, contexts: Option<&Rows<B>>) -> Option<Vec<Tensor<B, 3>>> {
        let generator = self.prompt.as_ref()?;
        let seen = contexts.map(|rows| {
            let seen = if generator.prompt.kind.reads_with_encoder() {
                let hidden = padding(&rows.lens, rows.ids.dims()[1], &rows.ids.device());
                self.encode(rows, (hidden.as_ref(), None), &Noise::None)
            } else {
                self.look_up(rows.ids.clone())
            };
            (seen, rows.lens.as_slice())
        });
        let prompts = generator.make(n_rows, seen);
        Some(prompts.chunk(self.encoder.len() + self.decoder.len(), 2))
    }

    /// Computes the encoder's state at each place of the sources; `hidden` hides their padding.
    fn encode(
        &self,
        sources: &Rows<B>,
        (hidden, prompts): (Option<&Tensor<B, 4>>, Option<&[Tensor<B, 3>]>),
        noise: &Noise,
    ) -> Tensor<B, 3> {
        let mut state = self.embed(sources.ids.clone(), 0, noise);
        for (idx, layer) in self.encoder.iter().enumerate() {
            let input = layer.norm_attention.forward(state.clone());
            let mut known = layer.attention.know(input.clone(), hidden);
            if let Some(prompts) = prompts {
                let before = layer.attention.prompted(&prompts[idx], hidden.is_some());
                known = before.then(known);
            }
            let seen = layer.attention.attend(input, &known, None);
            state = state + noise.drop(seen);
            let input = layer.norm_feed_forward.forward(state.clone());
            let found = layer.feed_forward.forward(input, noise);
            state = state + noise.drop(found);
        }
        self.encoder_norm.forward(state)
    }

    /// Encodes sources, and their contexts where prompts are made of them.
    #[must_use]
    pub fn read(&self, sources: &Rows<B>, contexts: Option<&Rows<B>>, noise: &Noise) -> Memory<B> {
        let [n_rows, len] = sources.ids.dims();
        let hidden = padding(&sources.lens, len, &sources.ids.device());
        let prompts = self.prompts(n_rows, contexts);
        let state = self.encode(sources, (hidden.as_ref(), prompts.as_deref()), noise);
        let crossing =
            |layer: &DecoderLayer<B>| layer.crossing.know(state.clone(), hidden.as_ref());
        Memory {
            layers: self.decoder.iter().map(crossing).collect(),
            before: prompts.map(|layer_prompts| {
                let of_decoder = self
                    .decoder
                    .iter()
                    .zip(&layer_prompts[self.encoder.len()..]);
                of_decoder
                    .map(|(layer, prompt)| layer.attention.prompted(prompt, false))
                    .collect()
            }),
        }
    }

    /// Returns the state of a decoder that has said nothing yet.
    #[must_use]
    pub fn silent(&self, memory: &Memory<B>) -> Said<B> {
        Said {
            layers: match &memory.before {
                Some(before) => before.iter().cloned().map(Some).collect(),
                None => self.decoder.iter().map(|_| None).collect(),
            },
            n_before: self.prompt().map_or(0, |prompt| prompt.length),
            n: 0,
        }
    }

    /// Feeds the next places to the decoder, and returns the state behind each: `[rows, length, width]`.
    pub fn say(
        &self,
        given: Tensor<B, 2, Int>,
        memory: &Memory<B>,
        said: &mut Said<B>,
        noise: &Noise,
    ) -> Tensor<B, 3> {
        let [_, len] = given.dims();
        let device = given.device();
        // A single place sees all that was said; of several, each sees only those before it and itself.
        let mask = (len > 1).then(|| future(said.n_before + said.n, len, &device));
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

    /// Computes the logits of states: `[places, pieces]`.
    #[must_use]
    pub fn logits(&self, states: Tensor<B, 2>) -> Tensor<B, 2> {
        states.matmul(self.embedding.val().transpose())
    }

    /// Computes the sum of the cross entropies of all places of a batch.
    #[must_use]
    pub fn loss(&self, batch: &Batch<B>, noise: &Noise) -> Tensor<B, 1> {
        let memory = self.read(&batch.sources, batch.contexts.as_ref(), noise);
        let mut said = self.silent(&memory);
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

/// Makes a tensor that hides the places behind the ends of rows, `[rows, 1, length, 1]`; nothing where all rows have
/// the full length.
fn padding<B: Backend>(lens: &[usize], len: usize, device: &B::Device) -> Option<Tensor<B, 4>> {
    let of_row = |row: usize| (0..len).map(move |at| if at < row { 0.0 } else { NOWHERE });
    let is_padded = lens.iter().any(|row_len| *row_len < len);
    is_padded.then(|| {
        let hidden: Vec<f32> = lens.iter().copied().flat_map(of_row).collect();
        Tensor::from_data(TensorData::new(hidden, [lens.len(), 1, len, 1]), device)
    })
}

/// Makes a mask that hides from each of `len` places after `start` others the places behind it.
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
