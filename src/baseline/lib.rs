//! ConTest's baseline: a transformer that reads a sample's tree and writes the tree of its assertions.
//!
//! It stands beside the house: focalist neither compiles nor starts it, and they meet only in files, whose format is
//! [`crate::encode`]'s. It reads the output of `focalist encode`; `focalist decode` and `import --decode tree` read the
//! output of `predict`.
//!
//! ```text
//! encoded.jsonl → vocabulary → numbers → batch → model → train → checkpoint
//!                                                  model ← checkpoint → predict → predictions.jsonl
//! ```
//!
//! - [`vocabulary`]: tokens as numbers and back; [`encoded`]: samples as numbers; [`batch`]: numbers as tensors.
//! - [`model`]: the transformer; [`optimiser`]: Adam; [`config`]: sizes and the learning rate.
//! - [`prompt`]: what is learned for a model whose own weights stay.
//! - [`train`]: steps, validations, when it ends; [`checkpoint`]: what it leaves behind.
//! - [`trained`]: a model out of its folder; [`predict`]: what it says; [`grammar`]: and only what can be decoded.
//! - [`serve`]: the same over HTTP. [`cli`]: the command line; [`failure`]: why it ends early.

use focalist_encode as encode;

pub mod batch;
pub mod checkpoint;
pub mod cli;
pub mod config;
pub mod encoded;
pub mod failure;
#[cfg(test)]
mod fixture;
pub mod grammar;
pub mod model;
pub mod noise;
pub mod optimiser;
pub mod predict;
pub mod prompt;
pub mod serve;
#[cfg(test)]
mod tests;
pub mod train;
pub mod trained;
pub mod vocabulary;
