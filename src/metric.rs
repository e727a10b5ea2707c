//! Text metrics: how near a predicted test is to the true one.
//!
//! Engines only: no files, no threads, no clock. Values are in 0..=1, also where the reference prints 0 to 100.

pub mod bleu;
pub mod codebleu;
pub mod crystalbleu;
pub mod edit;
pub mod exact;
pub mod extract;
pub mod ngram;
pub mod paired;
pub mod rouge;
pub mod tokens;
pub mod total;
