//! CodeBLEU: n-grams, weighted n-grams, syntax and data flow.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Mera,
    K4black,
}
#[derive(Default)]
pub struct Scratch;
#[derive(Default)]
pub struct Scores;
pub fn corpus_k4black(total: &super::total::Total) -> f64 {
    total.mean()
}
