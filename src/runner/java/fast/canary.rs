//! Our own tests among the candidates: one that must fail and one that must pass, in the same files, under the same
//! names.
//!
//! Where one has the other outcome, a candidate has changed the JVM that judges. Canaries are in no row, count or time.
//! They do not detect a candidate that changes the outcome of one certain test only, or that recognises canaries by
//! their code.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;

use crate::candidate::Candidate;
use crate::model::Framework;

use super::round::FileCandidates;
use super::talk::{Job, JobReply};

/// How many answers wait for a canary; the number is drawn anew each time.
const N_WINDOW: RangeInclusive<u64> = 80..=160;
/// How many files of a round have canaries: more than one, because the fixtures of a class may fail.
const N_FILES: usize = 2;

/// A canary that is compiled.
#[derive(Clone)]
pub struct Canary {
    pub job: Job,
    pub must_pass: bool,
    state: CanaryState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CanaryState {
    New,
    /// It had the expected outcome in a worker that had run nothing else, or nothing since a good canary.
    Proven,
    /// It does not have the expected outcome even there.
    Unsound,
}

/// The canaries of a round.
#[derive(Clone, Default)]
pub struct Canaries {
    all: Vec<Canary>,
}

impl Canaries {
    pub fn push(&mut self, job: Job, must_pass: bool) {
        let state = CanaryState::New;
        self.all.push(Canary {
            job,
            must_pass,
            state,
        });
    }

    pub fn job(&self, canary: usize) -> &Job {
        &self.all[canary].job
    }

    /// Tells whether an answer is the expected one.
    pub fn is_right(&self, canary: usize, done: &JobReply) -> bool {
        let expected = if self.all[canary].must_pass {
            "passing"
        } else {
            "failing"
        };
        done.status == expected
    }

    pub fn prove(&mut self, canary: usize, is_right: bool) {
        self.all[canary].state = if is_right {
            CanaryState::Proven
        } else {
            CanaryState::Unsound
        };
    }

    /// Lists the canaries that were not tried yet; a worker that is still good tests them.
    pub fn unproven(&self) -> Vec<usize> {
        self.of(|canary| canary.state == CanaryState::New)
    }

    /// Draws the canaries for a worker: one that must fail and one that must pass, in any order. Nothing where there is
    /// none.
    pub fn draw(&self) -> Vec<usize> {
        let mut drawn = Vec::new();
        for must_pass in [true, false] {
            let all = self
                .of(|canary| canary.state == CanaryState::Proven && canary.must_pass == must_pass);
            if !all.is_empty() {
                drawn.push(all[draw(0..=all.len() as u64 - 1) as usize]);
            }
        }
        if draw(0..=1) == 0 {
            drawn.reverse();
        }
        drawn
    }

    fn of(&self, is_wanted: impl Fn(&Canary) -> bool) -> Vec<usize> {
        let all = self.all.iter().enumerate();
        all.filter(|pair| is_wanted(pair.1))
            .map(|pair| pair.0)
            .collect()
    }
}

/// Draws the number of answers that wait for the next canary.
pub fn n_window() -> usize {
    draw(N_WINDOW) as usize
}

/// Draws a number that no code in a JVM can foretell.
fn draw(range: RangeInclusive<u64>) -> u64 {
    let n = range.end() - range.start() + 1;
    range.start() + RandomState::new().hash_one(0) % n
}

/// Makes two candidates for each file: one that must fail, and one that must pass. They look like the first candidate
/// of the file, by name, class and place.
pub fn candidates(all: &[&Candidate]) -> BTreeMap<usize, [Candidate; 2]> {
    let mut by_file = BTreeMap::new();
    for candidate in all {
        by_file.entry(candidate.file_idx).or_insert_with(|| {
            [false, true].map(|must_pass| Candidate {
                text: text(candidate, must_pass),
                ..(*candidate).clone()
            })
        });
    }
    by_file
}

/// Lists the files of a round that get canaries.
pub fn files(pieces: &[FileCandidates]) -> Vec<usize> {
    #[cfg(test)]
    if !crate::overhead::has_canaries() {
        return Vec::new();
    }
    let mut files: Vec<usize> = pieces.iter().map(|piece| piece.file_idx).collect();
    while files.len() > N_FILES {
        files.swap_remove(draw(0..=files.len() as u64 - 1) as usize);
    }
    files
}

fn text(like: &Candidate, must_pass: bool) -> String {
    let (annotation, asserts) = match like.framework {
        Framework::JUnit5 => (
            "@org.junit.jupiter.api.Test ",
            "org.junit.jupiter.api.Assertions",
        ),
        Framework::TestNg => ("@org.testng.annotations.Test ", "org.testng.Assert"),
        Framework::JUnit3 => ("", "junit.framework.Assert"),
        _ => ("@org.junit.Test ", "org.junit.Assert"),
    };
    let n = draw(2..=999);
    let other = if must_pass { n } else { n + draw(1..=9) };
    // The compared values are not known to the compiler or to a reader of constants.
    let body = match draw(0..=2) {
        0 => format!("{asserts}.assertEquals(n, {other});"),
        1 => format!("{asserts}.assertTrue(n == {other});"),
        _ => format!("if (n != {other}) {{ throw new AssertionError(\"\" + n); }}"),
    };
    // JUnit 3 recognises tests by their names.
    let is_named = like.framework != Framework::JUnit3 || like.name.starts_with("test");
    let name = format!("{}{}", if is_named { "" } else { "test" }, like.name);
    format!("{annotation}public void {name}() {{ int n = Integer.parseInt(\"{n}\"); {body} }}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(status: &str) -> JobReply {
        let text = format!(r#"{{"id":1,"ms":1,"status":"{status}"}}"#);
        serde_json::from_str(&text).expect("it is an answer")
    }

    fn job() -> Job {
        Job {
            id: 1,
            folder: String::new(),
            host: String::new(),
            declaring: String::new(),
            top_level: String::new(),
            method: String::new(),
            placed: None,
            outer: None,
            runner: "",
            focal: None,
            is_truth: false,
            fault: None,
            order: Vec::new(),
            is_twice: false,
        }
    }

    #[test]
    fn only_what_is_proven_is_asked() {
        let mut canaries = Canaries::default();
        for must_pass in [false, true, false] {
            canaries.push(job(), must_pass);
        }
        assert_eq!(canaries.unproven(), [0, 1, 2]);
        assert!(canaries.draw().is_empty());
        for (canary, status) in [(0, "not_executed"), (1, "passing"), (2, "failing")] {
            let is_right = canaries.is_right(canary, &done(status));
            canaries.prove(canary, is_right);
        }
        let mut drawn = canaries.draw();
        drawn.sort_unstable();
        assert_eq!(drawn, [1, 2]);
    }
}
