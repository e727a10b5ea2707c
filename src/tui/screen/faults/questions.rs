//! What Faults asks.

use crate::execute::matrix::{self, Matrix};
use crate::model::{ContentHash, SampleKey};
use crate::question::source::{Source, Unanswered};
use crate::question::{Question, Slot};
use crate::store::Killer;

/// The samples with tests that were held against mutants.
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

/// A test that kills a mutant, of whichever sample; comes back with what was to be marked.
#[derive(Debug)]
pub struct AskKiller {
    pub key: SampleKey,
    pub mutant: ContentHash,
}

impl Question for AskKiller {
    type Answer = (SampleKey, ContentHash, Option<Killer>);
    const SLOT: Slot = Slot("faults.killer");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let killer = source.store()?.killer(&self.mutant)?;
        Ok((self.key, self.mutant, killer))
    }
}

/// The first of these samples whose true test notices a mutant that an answer misses: the name of a run and the number
/// of its answer.
#[derive(Debug)]
pub struct AskMissed {
    pub samples: Vec<SampleKey>,
    pub test: (String, u32),
}

impl Question for AskMissed {
    type Answer = Option<SampleKey>;
    const SLOT: Slot = Slot("faults.missed");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let (run, attempt) = &self.test;
        let test = (run.as_str(), *attempt);
        Ok(matrix::first_missed(source.store()?, &self.samples, test)?)
    }
}
