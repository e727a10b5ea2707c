//! Adam; the gradient's length, by which it is cut; and parameters as lists of numbers, for files.

use burn::module::{AutodiffModule, Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Tensor, TensorData};

const DECAY: f32 = 0.9;
const DECAY_OF_SQUARES: f32 = 0.98;
const LEAST: f32 = 1e-9;

/// The two means of each parameter, flat, in the order of the model.
#[derive(Clone, Debug)]
pub struct Adam<B: Backend> {
    means: Vec<Tensor<B, 1>>,
    squares: Vec<Tensor<B, 1>>,
    n_steps: u64,
}

impl<B: Backend> Default for Adam<B> {
    fn default() -> Self {
        Self {
            means: Vec::new(),
            squares: Vec::new(),
            n_steps: 0,
        }
    }
}

struct Collect<'g, B: AutodiffBackend> {
    gradients: &'g B::Gradients,
    flat: Vec<Option<Tensor<B::InnerBackend, 1>>>,
}

impl<B: AutodiffBackend> ModuleVisitor<B> for Collect<'_, B> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<B, D>>) {
        let gradient = param.val().grad(self.gradients);
        self.flat.push(gradient.map(Tensor::flatten_all));
    }
}

trait FlattenAll<B: Backend> {
    fn flatten_all(self) -> Tensor<B, 1>;
}

impl<B: Backend, const D: usize> FlattenAll<B> for Tensor<B, D> {
    fn flatten_all(self) -> Tensor<B, 1> {
        let n = self.shape().num_elements();
        self.reshape([n])
    }
}

struct Change<B: Backend> {
    deltas: std::vec::IntoIter<Option<Tensor<B, 1>>>,
}

impl<B: AutodiffBackend> ModuleMapper<B> for Change<B::InnerBackend> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<B, D>>) -> Param<Tensor<B, D>> {
        let Some(delta) = self.deltas.next().flatten() else {
            return param;
        };
        param.map(|tensor| {
            let tensor = tensor.inner();
            let shape = tensor.shape();
            Tensor::from_inner(tensor - delta.reshape(shape)).require_grad()
        })
    }
}

/// Collects the gradient of each parameter, flat, in the order of the model; `None` where no gradient has reached it.
pub fn gradients<B: AutodiffBackend, M: AutodiffModule<B>>(
    model: &M,
    gradients: &B::Gradients,
) -> Vec<Option<Tensor<B::InnerBackend, 1>>> {
    let mut collect = Collect::<B> {
        gradients,
        flat: Vec::new(),
    };
    model.visit(&mut collect);
    collect.flat
}

/// Computes the length (Euclidean norm) of all gradients together.
#[must_use]
pub fn length<B: Backend>(gradients: &[Option<Tensor<B, 1>>]) -> f64 {
    let squares = gradients
        .iter()
        .flatten()
        .map(|gradient| f64::from(scalar(gradient.clone().square().sum())));
    squares.sum::<f64>().sqrt()
}

/// Returns a tensor's only number.
pub fn scalar<B: Backend>(tensor: Tensor<B, 1>) -> f32 {
    let data = tensor.into_data().convert::<f32>();
    data.as_slice::<f32>()
        .ok()
        .and_then(|values| values.first().copied())
        .unwrap_or(f32::NAN)
}

impl<B: Backend> Adam<B> {
    /// Takes a step against the gradients, each times `scale`.
    pub fn step<A, M>(
        &mut self,
        model: M,
        gradients: Vec<Option<Tensor<B, 1>>>,
        scale: f32,
        rate: f64,
    ) -> M
    where
        A: AutodiffBackend<InnerBackend = B>,
        M: AutodiffModule<A>,
    {
        self.n_steps += 1;
        let n = self.n_steps as f64;
        let correction = 1.0 - f64::from(DECAY).powf(n);
        let correction_of_squares = 1.0 - f64::from(DECAY_OF_SQUARES).powf(n);
        let is_first = self.means.is_empty();
        let mut deltas = Vec::with_capacity(gradients.len());
        for (idx, gradient) in gradients.into_iter().enumerate() {
            let gradient = gradient.map(|tensor| tensor.mul_scalar(scale));
            if is_first {
                let zeros = gradient.as_ref().map_or_else(
                    || Tensor::zeros([0], &B::Device::default()),
                    Tensor::zeros_like,
                );
                self.means.push(zeros.clone());
                self.squares.push(zeros);
            }
            let Some(gradient) = gradient else {
                deltas.push(None);
                continue;
            };
            let mean = self.means[idx].clone().mul_scalar(DECAY)
                + gradient.clone().mul_scalar(1.0 - DECAY);
            let square = self.squares[idx].clone().mul_scalar(DECAY_OF_SQUARES)
                + gradient.square().mul_scalar(1.0 - DECAY_OF_SQUARES);
            let divisor = square
                .clone()
                .div_scalar(correction_of_squares as f32)
                .sqrt()
                .add_scalar(LEAST);
            let delta = (mean.clone() / divisor).mul_scalar((rate / correction) as f32);
            self.means[idx] = mean;
            self.squares[idx] = square;
            deltas.push(Some(delta));
        }
        model.map(&mut Change::<B> {
            deltas: deltas.into_iter(),
        })
    }

    /// Returns the number of steps, and the numbers of both means: first all means, then all means of squares.
    #[must_use]
    pub fn numbers(&self) -> (u64, Vec<Vec<f32>>) {
        let tensors = self.means.iter().chain(&self.squares);
        (
            self.n_steps,
            tensors.map(|tensor| floats(tensor.clone())).collect(),
        )
    }

    /// Restores the optimiser from the result of [`Adam::numbers`].
    #[must_use]
    pub fn of_numbers(n_steps: u64, mut numbers: Vec<Vec<f32>>, device: &B::Device) -> Self {
        let squares = numbers.split_off(numbers.len() / 2);
        let tensor = |values: Vec<f32>| {
            let n = values.len();
            Tensor::from_data(TensorData::new(values, [n]), device)
        };
        Self {
            means: numbers.into_iter().map(tensor).collect(),
            squares: squares.into_iter().map(tensor).collect(),
            n_steps,
        }
    }
}

/// Returns the numbers of a tensor.
pub fn floats<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Vec<f32> {
    let data = tensor.into_data().convert::<f32>();
    data.to_vec::<f32>().unwrap_or_default()
}

struct Numbers(Vec<Vec<f32>>);

impl<B: Backend> ModuleVisitor<B> for Numbers {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<B, D>>) {
        self.0.push(floats(param.val()));
    }
}

/// Returns the numbers of every parameter of a model, in its order.
pub fn numbers<B: Backend, M: Module<B>>(model: &M) -> Vec<Vec<f32>> {
    let mut numbers = Numbers(Vec::new());
    model.visit(&mut numbers);
    numbers.0
}

struct Learned(usize);

impl<B: Backend> ModuleVisitor<B> for Learned {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<B, D>>) {
        if param.val().is_require_grad() {
            self.0 += param.lazy_shape().num_elements();
        }
    }
}

/// Counts the numbers of a model that are learned.
pub fn n_learned<B: Backend, M: Module<B>>(model: &M) -> usize {
    let mut learned = Learned(0);
    model.visit(&mut learned);
    learned.0
}

struct Fill {
    numbers: std::vec::IntoIter<Vec<f32>>,
    fits: bool,
}

impl<B: Backend> ModuleMapper<B> for Fill {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<B, D>>) -> Param<Tensor<B, D>> {
        let Some(numbers) = self.numbers.next() else {
            self.fits = false;
            return param;
        };
        if param.lazy_shape().num_elements() != numbers.len() {
            self.fits = false;
            return param;
        }
        param.map(|tensor| {
            let data = TensorData::new(numbers, tensor.shape());
            let filled = Tensor::from_data(data, &tensor.device());
            if tensor.is_require_grad() {
                filled.require_grad()
            } else {
                filled
            }
        })
    }
}

/// Sets the parameters of a model; nothing where their number or their lengths do not fit.
pub fn filled<B: Backend, M: Module<B>>(model: M, numbers: Vec<Vec<f32>>) -> Option<M> {
    let mut fill = Fill {
        numbers: numbers.into_iter(),
        fits: true,
    };
    let model = model.map(&mut fill);
    (fill.fits && fill.numbers.next().is_none()).then_some(model)
}
