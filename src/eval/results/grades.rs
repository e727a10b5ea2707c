//! What the tests of a run are worth, side by side: outcomes, coverage, faults found, objections to correct code,
//! stability.
//!
//! Each number is over first answers, so that it is a mean over samples with an interval: a share has Wilson's, a mean
//! the normal one. An answer that was run in the place of others counts for each of them.

use crate::by::GroupBy;
use crate::interval::{Mean, mean_of, share};
use crate::model::{Execution, FaultCounts, Outcome};

use super::super::EvalError;
use super::super::executed::Yield;
use super::ResultList;
use super::columns::ColumnReader;
use super::groups::{grouping, placed};

/// The grades of all samples of a run, or of the samples of a repository.
#[derive(Clone, Debug, PartialEq)]
pub struct Grades {
    /// Nothing for all samples.
    pub repo: Option<String>,
    pub n_samples: u64,
    /// Over the answers with an outcome.
    pub passing: Option<Mean>,
    pub correct: Option<Mean>,
    /// The share of the focal method's lines that an answer covers, 0 where it does not pass; of those with an outcome,
    /// and coverage where they pass.
    pub lines: Option<Mean>,
    /// The mutation score; of the answers that were held against viable mutants of their focal method.
    pub mutation: Option<Mean>,
    /// The share that objects to code that keeps the contract; of those that were held against any.
    pub brittle: Option<Mean>,
    /// Over the answers that were shaken.
    pub unstable: Option<Mean>,
}

/// The counts and values behind [`Grades`], added up.
#[derive(Clone, Default)]
struct GradeSum {
    n_samples: u64,
    passing: ShareSum,
    correct: ShareSum,
    lines: Vec<f64>,
    mutation: Vec<f64>,
    brittle: ShareSum,
    unstable: ShareSum,
}

#[derive(Clone, Copy, Default)]
struct ShareSum {
    n_so: u64,
    n: u64,
}

impl ShareSum {
    fn add(&mut self, is_so: bool) {
        self.n += 1;
        self.n_so += u64::from(is_so);
    }

    fn mean(self) -> Option<Mean> {
        share(self.n_so, self.n)
    }
}

impl GradeSum {
    fn add(&mut self, execution: Option<Execution>, faults: Option<FaultCounts>) {
        self.n_samples += 1;
        let Some(execution) = execution else {
            return;
        };
        if let Some(outcome) = execution.counted() {
            self.passing.add(outcome.passes());
            self.correct.add(outcome == Outcome::Correct);
        }
        self.lines.extend(Yield::Lines.of(&execution, None));
        self.mutation.extend(faults.and_then(FaultCounts::score));
        if let Some(brittleness) = execution.brittleness {
            self.brittle.add(!brittleness.objects.is_empty());
        }
        if let Some(stability) = execution.stability {
            self.unstable.add(stability.reason().is_some());
        }
    }

    fn grades(&self, repo: Option<String>) -> Grades {
        Grades {
            repo,
            n_samples: self.n_samples,
            passing: self.passing.mean(),
            correct: self.correct.mean(),
            lines: mean_of(&self.lines),
            mutation: mean_of(&self.mutation),
            brittle: self.brittle.mean(),
            unstable: self.unstable.mean(),
        }
    }
}

/// Grades a list: all its samples, then each repository, the largest first, where there are several.
pub fn of_list(reader: &ColumnReader<'_>, list: &ResultList) -> Result<Vec<Grades>, EvalError> {
    let grouping = grouping(reader, GroupBy::Repo)?;
    let repos = placed(reader, list, (GroupBy::Repo, &grouping))?;
    let attempts = reader.attempts()?;
    let (executions, faults) = (reader.executions()?, reader.faults()?);
    let mut all = GradeSum::default();
    let mut sums = vec![GradeSum::default(); grouping.n_groups()];
    for ordinal in &list.ordinals {
        let idx = *ordinal as usize;
        if attempts[idx] > 0 {
            continue;
        }
        let counts = faults.get(ordinal).copied();
        all.add(executions[idx], counts);
        for place in grouping.places.of(*ordinal) {
            sums[place].add(executions[idx], counts);
        }
    }
    let mut grades = vec![all.grades(None)];
    if repos.len() > 1 {
        let of_repos = repos.into_iter();
        grades.extend(of_repos.map(|(place, group)| sums[place].grades(Some(group.name))));
    }
    Ok(grades)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(outcome: Outcome) -> Execution {
        Execution {
            outcome: Some(outcome),
            lines: Some(crate::model::CoverageCounter {
                missed: 1,
                covered: 3,
            }),
            ..Execution::default()
        }
    }

    #[test]
    fn each_number_is_over_the_answers_that_it_is_known_of() {
        let mut sum = GradeSum::default();
        sum.add(Some(ran(Outcome::Correct)), None);
        sum.add(Some(ran(Outcome::Failing)), None);
        sum.add(Some(Execution::default()), None);
        sum.add(None, None);
        let grades = sum.grades(None);
        let value = |mean: Option<Mean>| mean.map(|mean| (mean.n, mean.value));
        assert_eq!(grades.n_samples, 4);
        assert_eq!(value(grades.passing), Some((2, 0.5)));
        assert_eq!(value(grades.correct), Some((2, 0.5)));
        assert_eq!(value(grades.lines), Some((2, 0.375)), "0 where it fails");
        assert_eq!(
            (grades.mutation, grades.brittle, grades.unstable),
            (None, None, None)
        );
    }
}
