//! Reads a trained model from its folder, with the vocabulary that it was trained with.

use std::path::Path;

use burn::tensor::backend::Backend;

use crate::checkpoint::{self, Folder, Head};
use crate::failure::{Failure, Result};
use crate::model::Transformer;
use crate::optimiser;
use crate::vocabulary::Vocabulary;

/// A trained model with its vocabulary.
#[derive(Debug)]
pub struct Trained<B: Backend> {
    pub model: Transformer<B>,
    pub vocabulary: Vocabulary,
    pub head: Head,
}

/// Reads the model of the best validation.
///
/// # Errors
/// When there is none, or model and vocabulary do not fit together.
pub fn open<B: Backend>(path: &Path, device: &B::Device) -> Result<Trained<B>> {
    let folder = Folder::new(path);
    let vocabulary = Vocabulary::open(&folder.vocabulary())?;
    let stored = checkpoint::read(&folder.model())?;
    if stored.head.vocabulary != vocabulary.hash || stored.head.n_pieces != vocabulary.len() {
        return Err(Failure::input(
            &folder.vocabulary(),
            format!(
                "the model was trained with another vocabulary, of {} entries; this one has {}",
                stored.head.n_pieces,
                vocabulary.len()
            ),
        ));
    }
    let model = Transformer::new(&stored.head.config, stored.head.n_pieces, device);
    let model = optimiser::filled(model, stored.parameters).ok_or_else(|| {
        Failure::input(
            &folder.model(),
            "its parameters are not those of its settings",
        )
    })?;
    Ok(Trained {
        model,
        vocabulary,
        head: stored.head,
    })
}
