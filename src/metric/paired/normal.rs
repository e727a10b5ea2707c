//! The normal distribution, which gives probabilities before anything is drawn.

/// Computes the probability that a normal variable is `z` or more standard deviations from its mean, on either side:
/// above 0 and at most 1, 1 where `z` is NaN. Right to seven digits (the Chebyshev fit of Press et al., Numerical
/// Recipes, 6.2: 1.2e-7 of the value, everywhere).
#[must_use]
pub fn normal_p(z: f64) -> f64 {
    if z.is_nan() {
        return 1.0;
    }
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + x / 2.0);
    let series = FIT.iter().rev().fold(0.0, |sum, value| sum * t + value);
    let p = t * (series - x * x).exp();
    p.clamp(f64::MIN_POSITIVE, 1.0)
}

const FIT: [f64; 10] = [
    -1.265_512_23,
    1.000_023_68,
    0.374_091_96,
    0.096_784_18,
    -0.186_288_06,
    0.278_868_07,
    -1.135_203_98,
    1.488_515_87,
    -0.822_152_23,
    0.170_872_77,
];

/// Computes how many standard deviations from the mean on either side leave `p` outside; 0 for 1 and more, about 38 for
/// 0.
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 38.0);
    // Each halves the error; 60 leave less than a double tells apart.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if normal_p(middle) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are from scipy 1.16: `2 * norm.sf(z)`.
    #[test]
    fn probabilities_are_those_of_tables() {
        let check = |z: f64, expected: f64| {
            let p = normal_p(z);
            assert!((p / expected - 1.0).abs() < 2e-7, "{z}: {p} {expected}");
            assert!((normal_quantile(expected) - z.abs()).abs() < 1e-6, "{z}");
        };
        check(0.5, 0.617_075_077_451_973_9);
        check(-1.0, 0.317_310_507_862_914_1);
        check(1.959_963_984_540_054, 0.05);
        check(3.0, 0.002_699_796_063_260_206_6);
        check(8.0, 1.244_192_114_854_356_8e-15);
        assert!((normal_p(0.0) - 1.0).abs() < 1e-6 && normal_p(0.0) <= 1.0);
        assert!((normal_p(f64::NAN) - 1.0).abs() < 1e-12);
        assert!(normal_p(f64::INFINITY) > 0.0);
        assert!(normal_quantile(1.0) < 1e-6);
    }
}
