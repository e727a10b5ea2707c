//! Dropout (Srivastava et al. 2014, section 4): leaves out numbers in a step of a training.

use std::cell::RefCell;

use burn::tensor::backend::Backend;
use burn::tensor::{Distribution, Tensor, TensorData};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// The rate is rounded to parts of this: each number is decided by 16 random bits.
const PARTS: f64 = 65_536.0;

/// Leaves numbers out, at random, and scales what is kept so that the mean stays.
#[derive(Debug)]
pub enum Noise {
    /// Nothing is left out.
    None,
    /// A share that is drawn here, four numbers at a time: the processor's back end draws one by one, which takes an
    /// eighth of a step.
    Host(f64, RefCell<Pcg64Mcg>),
    /// A share that is drawn on the device.
    Device(f64),
}

impl Noise {
    /// Returns the noise of a step, which follows from the seed; `rate` is the share that is left out.
    #[must_use]
    pub fn new<B: Backend>(device: &B::Device, rate: f64, seed: u64) -> Self {
        if rate == 0.0 {
            return Self::None;
        }
        if B::name(device).contains("flex") {
            return Self::Host(rate, RefCell::new(Pcg64Mcg::seed_from_u64(seed)));
        }
        B::seed(device, seed);
        Self::Device(rate)
    }

    /// Leaves out a share of numbers.
    pub fn drop<B: Backend, const D: usize>(&self, tensor: Tensor<B, D>) -> Tensor<B, D> {
        let device = tensor.device();
        match self {
            Self::None => tensor,
            Self::Host(rate, random) => {
                let dims = tensor.dims();
                let factors = factors(&mut random.borrow_mut(), dims.iter().product(), *rate);
                tensor * Tensor::from_data(TensorData::new(factors, dims), &device)
            }
            Self::Device(rate) => {
                let kept = Distribution::Bernoulli(1.0 - rate);
                let kept = Tensor::random(tensor.shape(), kept, &device);
                (tensor * kept).div_scalar(1.0 - rate)
            }
        }
    }
}

/// Draws the factors of `n` numbers: 0 for the share `rate`, 1 / (1 - `rate`) for the others.
fn factors(random: &mut Pcg64Mcg, n: usize, rate: f64) -> Vec<f32> {
    let left_out = (rate * PARTS) as f32;
    let kept = (1.0 - rate).recip() as f32;
    let mut factors = Vec::with_capacity(n.next_multiple_of(4));
    while factors.len() < n {
        let bits = random.next_u64();
        for at in 0..4 {
            let part = f32::from((bits >> (16 * at)) as u16);
            factors.push(if part < left_out { 0.0 } else { kept });
        }
    }
    factors.truncate(n);
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_left_out_and_the_mean_stays() {
        let draw = |seed| factors(&mut Pcg64Mcg::seed_from_u64(seed), 100_002, 0.2);
        let found = draw(1);
        assert_eq!(found.len(), 100_002);
        let n_out = found.iter().filter(|factor| **factor == 0.0).count() as f64;
        // Within five standard deviations.
        assert!((n_out - 20_000.0).abs() < 5.0 * (100_002.0_f64 * 0.16).sqrt());
        let mean = found.iter().map(|factor| f64::from(*factor)).sum::<f64>() / 100_002.0;
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
        assert!(found == draw(1) && found != draw(2));
    }
}
