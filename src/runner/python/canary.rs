//! Our own tests between foreign ones: one that must fail, and one that must pass. A server that answers otherwise was
//! changed by an earlier test, so none of its answers since the last good canaries is believed. Decides how such a test
//! looks and when its turn comes; the caller acts on a wrong answer.
//!
//! A test that has changed the server must not be able to tell ours from others. So ours has the path of a test that
//! ran before, a test name and imports from that file, and a body of words and numbers; order and places are drawn. The
//! draws come from a seed, so that a run can be repeated; the seed is made from all texts of the run, while a test
//! knows only its own.

use std::collections::BTreeSet;

use super::case::PythonCase;

/// Their turn comes after at least this number of cases, and at most twice as many. A file that is collected for many
/// cases is run to its end first.
const N_BETWEEN: u64 = 40;
/// Up to forty more, so that a test cannot count to their turn.
const N_MORE: u64 = 41;
/// After this time it is their turn in any case: outcomes wait for them.
const SECONDS_MAX: f64 = 30.0;
const NAME: &str = "test_value";
const WORDS: [&str; 4] = ["name", "left", "other", "text"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedFate {
    Fail,
    Pass,
}

/// Draws numbers from a seed.
#[derive(Clone, Debug)]
struct Draws {
    seed: blake3::Hash,
    n_drawn: u64,
}

/// The canaries that are drawn for one worker.
#[derive(Clone, Debug)]
pub struct Canaries {
    draws: Draws,
    n_left: u64,
    seconds_left: f64,
}

impl Canaries {
    /// Draws the canaries of one worker of a run.
    #[must_use]
    pub fn new(cases: &[PythonCase], worker: usize) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(worker as u64).to_le_bytes());
        for code in cases.iter().filter_map(|case| case.code.as_deref()) {
            hasher.update(&(code.len() as u64).to_le_bytes());
            hasher.update(code.as_bytes());
        }
        let draws = Draws {
            seed: hasher.finalize(),
            n_drawn: 0,
        };
        let mut canaries = Self {
            draws,
            n_left: 0,
            seconds_left: 0.0,
        };
        canaries.begin();
        canaries
    }

    /// Begins to count anew.
    pub fn begin(&mut self) {
        self.n_left = N_BETWEEN + self.draws.below(N_MORE);
        self.seconds_left = SECONDS_MAX;
    }

    /// Counts a case that has run.
    pub fn count(&mut self, seconds: f64) {
        self.n_left = self.n_left.saturating_sub(1);
        self.seconds_left -= seconds;
    }

    /// Tells whether the canaries' turn has come.
    pub fn are_due(&self) -> bool {
        self.n_left == 0 || self.seconds_left <= 0.0
    }

    /// Draws whether to do something that is done once in `n` times.
    pub fn is_turn_of(&mut self, n: u64) -> bool {
        self.draws.below(n) == 0
    }

    /// Makes both in a drawn order, each like one of the cases that ran; nothing where none has.
    pub fn pair(&mut self, ran: &[&PythonCase]) -> Vec<(ExpectedFate, PythonCase)> {
        if ran.is_empty() {
            return Vec::new();
        }
        let order = match self.draws.below(2) {
            0 => [ExpectedFate::Fail, ExpectedFate::Pass],
            _ => [ExpectedFate::Pass, ExpectedFate::Fail],
        };
        let pair = order.map(|must| {
            let like = ran[self.draws.below(ran.len() as u64) as usize];
            (must, self.like(like, must))
        });
        pair.into()
    }

    /// Makes a canary at the place of a case, with its imports.
    fn like(&mut self, case: &PythonCase, must: ExpectedFate) -> PythonCase {
        let code = case.code.as_deref().unwrap_or_default();
        let imports: Vec<&str> = code.lines().filter(|line| is_import(line)).collect();
        self.at(case, &imports, must)
    }

    /// Makes a canary without imports: an imported module may change how tests are collected.
    pub fn plain(&mut self, canary: &PythonCase, must: ExpectedFate) -> PythonCase {
        self.at(canary, &[], must)
    }

    fn at(&mut self, case: &PythonCase, imports: &[&str], must: ExpectedFate) -> PythonCase {
        let code = case.code.as_deref().unwrap_or_default();
        let names: Vec<&str> = code.lines().filter_map(name_of).collect();
        // A project may name its tests differently; they mostly stand last.
        let last = || {
            code.lines()
                .rev()
                .find_map(|line| line.strip_prefix("def "))
        };
        let last = || last()?.split(|c| !is_of_word(c)).next();
        let name = self.draws.one_of(&names).or_else(last).unwrap_or(NAME);
        let words: BTreeSet<&str> = code.split(|code: char| !is_of_word(code)).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| is_word(word)).collect();
        let body = self.body(&words, must);
        let imports: String = imports.iter().flat_map(|import| [import, "\n"]).collect();
        PythonCase {
            code: Some(format!("{imports}\n\ndef {name}():\n{body}")),
            // A canary judges the server, so it runs on the unchanged project.
            changed: None,
            is_watched: false,
            limit: None,
            grafted: None,
            ..case.clone()
        }
    }

    fn body(&mut self, words: &[&str], must: ExpectedFate) -> String {
        let word = self.draws.one_of(words).unwrap_or(WORDS[0]);
        let other = self.draws.one_of(&WORDS).unwrap_or(word);
        let first = 1 + self.draws.below(90);
        let second = 1 + self.draws.below(9);
        // The distance from the right value; 0 for a canary that must pass.
        let off = match must {
            ExpectedFate::Fail => 1 + self.draws.below(9),
            ExpectedFate::Pass => 0,
        };
        match self.draws.below(4) {
            0 => format!(
                "    assert {first} + {second} == {}\n",
                first + second + off
            ),
            1 => {
                let n = word.len() as u64 + off;
                format!("    {other} = \"{word}\"\n    assert len({other}) == {n}\n")
            }
            2 => format!(
                "    {other} = [{first}, {second}]\n    {other}.append({first})\n    assert {other}[-1] == {}\n",
                first + off
            ),
            _ => format!(
                "    {other} = {{\"{word}\": {first}}}\n    assert {other}[\"{word}\"] == {}\n",
                first + off
            ),
        }
    }
}

impl Draws {
    /// Draws a number below another.
    fn below(&mut self, n: u64) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.seed.as_bytes());
        hasher.update(&self.n_drawn.to_le_bytes());
        self.n_drawn += 1;
        let bytes: [u8; 8] = *hasher
            .finalize()
            .as_bytes()
            .first_chunk()
            .expect("a hash is longer");
        u64::from_le_bytes(bytes) % n
    }

    fn one_of<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        let n = u64::try_from(words.len()).ok().filter(|n| *n > 0)?;
        Some(words[self.below(n) as usize])
    }
}

/// Tells whether a line is an import and nothing more.
fn is_import(line: &str) -> bool {
    let is_plain = line.starts_with("import ") || line.starts_with("from ");
    let is_name = |c: char| is_of_word(c) || matches!(c, '.' | ',' | ' ' | '*');
    // Imports from `__future__` would have to stand first.
    is_plain && !line.contains("__future__") && line.trim_end().chars().all(is_name)
}

/// Reads the name of a test that begins on a line.
fn name_of(line: &str) -> Option<&str> {
    let rest = line.trim_start();
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let rest = rest.strip_prefix("def ")?;
    let name = rest.split(|rest| !is_of_word(rest)).next()?;
    name.starts_with("test").then_some(name)
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_word(word: &str) -> bool {
    (3..=20).contains(&word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "from __future__ import annotations\nimport os, sys\nfrom count import (\n    Counter,\n)\nfrom count import load\nimport evil; evil.run()\n\nclass TestIt:\n    def test_up(self):\n        assert Counter().up() == 1\n";

    fn case() -> PythonCase {
        PythonCase {
            path: "tests/tmp_1.py".to_owned(),
            code: Some(CODE.to_owned()),
            stands_for_file: true,
            focal: Some(("count/counter.py".to_owned(), 3)),
            changed: None,
            is_watched: false,
            limit: None,
            shaken: None,
            lone: None,
            grafted: None,
        }
    }

    #[test]
    fn a_canary_looks_like_a_case_that_ran() {
        let case = case();
        let mut canaries = Canaries::new(&[], 0);
        for (_, canary) in canaries.pair(&[&case]) {
            let code = canary.code.as_deref().unwrap_or_default();
            let begin = "import os, sys\nfrom count import load\n\n\ndef test_up():\n    ";
            assert!(code.starts_with(begin), "{code}");
            let code = canary.code.clone();
            let expected = PythonCase {
                code,
                ..case.clone()
            };
            assert_eq!(canary, expected);
        }
    }

    #[test]
    fn a_project_may_call_its_tests_otherwise() {
        let code = "def helper():\n    pass\n\ndef check_up():\n    helper()\n";
        let case = PythonCase {
            code: Some(code.to_owned()),
            ..case()
        };
        for (_, canary) in Canaries::new(&[], 0).pair(&[&case]) {
            let code = canary.code.unwrap_or_default();
            assert!(code.starts_with("\n\ndef check_up():\n"), "{code}");
        }
    }

    #[test]
    fn both_come_in_either_order_with_bodies_of_every_kind() {
        let case = case();
        let mut canaries = Canaries::new(&[], 0);
        let (mut orders, mut codes) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..40 {
            let pair = canaries.pair(&[&case]);
            let musts: Vec<ExpectedFate> = pair.iter().map(|pair| pair.0).collect();
            assert!(musts.contains(&ExpectedFate::Fail) && musts.contains(&ExpectedFate::Pass));
            orders.insert(musts[0] == ExpectedFate::Fail);
            codes.extend(pair.into_iter().filter_map(|pair| pair.1.code));
        }
        assert_eq!(orders.len(), 2);
        assert!(codes.len() > 60, "{} of 80 are different", codes.len());
    }

    #[test]
    fn their_turn_comes_after_a_drawn_number_of_cases_or_a_while() {
        let turns = |seed: &str| {
            let code = Some(seed.to_owned());
            let mut canaries = Canaries::new(&[PythonCase { code, ..case() }], 0);
            let n = (1..999).find(|_| {
                canaries.count(0.01);
                canaries.are_due()
            });
            n.expect("it comes")
        };
        let n: BTreeSet<u64> = ["a", "b", "c", "d"].map(turns).into();
        assert!(
            n.len() > 1 && n.iter().all(|n| (40..81).contains(n)),
            "{n:?}"
        );
        assert_eq!(turns("a"), turns("a"));
        let mut canaries = Canaries::new(&[], 0);
        canaries.count(29.0);
        assert!(!canaries.are_due());
        canaries.count(2.0);
        assert!(canaries.are_due());
        canaries.begin();
        canaries.count(29.0);
        assert!(!canaries.are_due());
    }
}
