//! Bands of probabilities: the share of hits is compared with the predicted probability band by band.

/// Where bands begin; the last one ends at 1 and holds it. Narrow where most matches are.
const BOUNDS: [f64; 9] = [0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/// Iterates over the bands of probabilities: where each begins, and where it ends.
pub fn bands() -> impl Iterator<Item = (f64, f64)> {
    let ends = BOUNDS.iter().copied().skip(1).chain([1.0]);
    BOUNDS.iter().copied().zip(ends)
}

/// Tells whether a band holds a probability; its end belongs to the next band, except 1.
#[must_use]
pub fn holds((from, to): (f64, f64), probability: f64) -> bool {
    probability >= from && (probability < to || to >= 1.0)
}
