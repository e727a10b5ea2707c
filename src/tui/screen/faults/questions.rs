//! The questions of Faults.

use crate::execute::matrix::{self, MutantMatrix};
use crate::model::{ContentHash, SampleKey};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};
use crate::store::KillingTest;

/// The samples whose tests were run against mutants.
#[derive(Debug)]
pub struct FaultSamplesQuestion;

impl Question for FaultSamplesQuestion {
    type Answer = Vec<SampleKey>;
    const SLOT: Slot = Slot("faults.samples");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(matrix::samples(source.store()?)?)
    }
}

/// The matrix of mutants by tests of a sample; nothing where no test was run against mutants.
#[derive(Debug)]
pub struct FaultMatrixQuestion(pub SampleKey);

impl Question for FaultMatrixQuestion {
    type Answer = Option<Box<MutantMatrix>>;
    const SLOT: Slot = Slot("faults.matrix");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(matrix::matrix(source.store()?, &self.0)?.map(Box::new))
    }
}

/// A test, of any sample, that kills a mutant; the answer repeats the sample and the mutant to mark.
#[derive(Debug)]
pub struct KillerQuestion {
    pub key: SampleKey,
    pub mutant: ContentHash,
}

impl Question for KillerQuestion {
    type Answer = (SampleKey, ContentHash, Option<KillingTest>);
    const SLOT: Slot = Slot("faults.killer");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let killer = source.store()?.killer(&self.mutant)?;
        Ok((self.key, self.mutant, killer))
    }
}

/// The first of these samples whose true test notices a mutant that an answer misses. `test` is the name of a run and
/// the number of the attempt.
#[derive(Debug)]
pub struct MissedMutantQuestion {
    pub samples: Vec<SampleKey>,
    pub test: (String, u32),
}

impl Question for MissedMutantQuestion {
    type Answer = Option<SampleKey>;
    const SLOT: Slot = Slot("faults.missed");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (run, attempt) = &self.test;
        let test = (run.as_str(), *attempt);
        Ok(matrix::first_missed(source.store()?, &self.samples, test)?)
    }
}
