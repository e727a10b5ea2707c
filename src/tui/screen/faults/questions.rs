//! What Faults asks.

use crate::execute::matrix::{self, Matrix};
use crate::model::SampleKey;
use crate::question::source::{Source, Unanswered};
use crate::question::{Question, Slot};

/// The samples of which tests were held against mutants.
#[derive(Debug)]
pub struct AskSamples;

impl Question for AskSamples {
    type Answer = Vec<SampleKey>;
    const SLOT: Slot = Slot("faults.samples");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        Ok(matrix::samples(source.store()?)?)
    }
}

/// The mutants of a sample by its tests; nothing where none was held against any.
#[derive(Debug)]
pub struct AskMatrix(pub SampleKey);

impl Question for AskMatrix {
    type Answer = Option<Box<Matrix>>;
    const SLOT: Slot = Slot("faults.matrix");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        Ok(matrix::matrix(source.store()?, &self.0)?.map(Box::new))
    }
}
