//! The methods of main code that tests enter, and which of them get faults: `execute --faults --scope covered`.
//!
//! In Java the runtime tells which methods it has entered. In Python a function was entered if a line of its body ran,
//! also while a module was imported; one whose body stands on the line of its head is left out, because that line runs
//! when the function is made. Methods without mutants are not drawn. The methods that a test enters do not depend on
//! others that run beside it, nor does the draw.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::aims::{AimedMethod, AimedTest};
use crate::lang::{self, Outside, SourceText};
use crate::model::{ContentHash, FileRole, MethodKey, MethodPlace, SampleKey, Span};
use crate::options::{Drawing, FaultOptions};
use crate::project::{ExecutionTask, ProjectPlan, focal};
use crate::runner::faults::MutatedMethod;
use crate::runner::{Candidate, CandidateExecution, Engine, Fate, Focal, MethodName, RunnerError};
use crate::sandbox::Root;
use crate::store::FaultedMethod;
use crate::task::Monitor;

/// The version of the rules that choose methods for faults.
const VERSION: u32 = 1;
/// A larger file is not source code.
const N_BYTES_MAX: u64 = 64 << 20;
/// Beginnings of names that the compiler makes; the code of a lambda belongs to the method that makes it.
const NOT_WRITTEN: [&str; 3] = ["lambda$", "access$", "<clinit>"];

/// A test with a hash of all that decides its pairs.
pub type StampedTest<'p> = (&'p Candidate, ContentHash);

/// A Python function whose body is on separate lines.
struct CoveredFunction {
    key: String,
    name: String,
    span: Span,
    name_line: u32,
    /// The first and the last line of the body.
    lines: [u32; 2],
}

/// A file of main code.
struct MainFile {
    text: Arc<str>,
    functions: Vec<CoveredFunction>,
}

/// Runs tests as they are, and returns those that pass with all methods that each enters, the focal one first.
pub fn at_entered<'p>(
    engine: &mut dyn Engine,
    (plan, asked): (&'p ProjectPlan, &[StampedTest<'p>]),
    monitor: &Monitor,
) -> Result<Vec<AimedTest<'p>>, RunnerError> {
    let mut passing: BTreeMap<u64, CandidateExecution> = BTreeMap::new();
    let candidates: Vec<Candidate> = asked.iter().map(|asked| asked.0.clone()).collect();
    if !candidates.is_empty() {
        engine.run(&plan.files, &candidates, monitor, &mut |ran| {
            if matches!(ran.fate, Fate::Ran(outcome) if outcome.passes()) {
                passing.insert(ran.id, ran);
            }
            monitor.step()
        })?;
    }
    // Where the runtime names methods, lines are not needed.
    let is_named = passing
        .values()
        .any(|candidate_execution| !candidate_execution.entered.is_empty());
    let files = if is_named {
        BTreeMap::new()
    } else {
        main_files(plan, passing.values())
    };
    let mut all = Vec::with_capacity(passing.len());
    for (candidate, stamp) in asked {
        let Some(ran) = passing.get(&candidate.id) else {
            continue;
        };
        let task = &plan.tasks[candidate.id as usize];
        let mut entering = EnteredMethods {
            task,
            test_path: &plan.files[candidate.file_idx].path,
            found: Vec::new(),
        };
        entering.add_named(ran);
        entering.add_by_lines(ran, &files);
        entering.add_focal();
        entering.found.sort_by_key(|entry| !entry.1.is_picked);
        let (methods, stored_facts) = entering.found.into_iter().unzip();
        all.push(AimedTest {
            candidate,
            methods,
            stored_facts,
            stamp: Some(*stamp),
        });
    }
    Ok(all)
}

/// The methods that one test enters.
struct EnteredMethods<'t> {
    task: &'t ExecutionTask,
    test_path: &'t str,
    found: Vec<((AimedMethod, MutatedMethod), FaultedMethod)>,
}

impl EnteredMethods<'_> {
    /// Adds the methods that the runtime names.
    fn add_named(&mut self, ran: &CandidateExecution) {
        let written = ran.entered.iter().filter(|entered_method| {
            let mut others = NOT_WRITTEN.iter();
            !others.any(|other| entered_method.name.starts_with(other))
        });
        let sample = &self.task.sample.sample;
        for entered_method in written {
            let name = MethodName {
                class: entered_method.class.clone(),
                name: entered_method.name.clone(),
                descriptor: entered_method.descriptor.clone(),
            };
            let is_focal = ran.focal.as_ref().is_some_and(|focal| {
                (&focal.class, &focal.name, &focal.descriptor)
                    == (&name.class, &name.name, &name.descriptor)
            });
            let parameters = entered_method.parameters().unwrap_or_default().join(",");
            let key = MethodKey {
                class: &as_written(&entered_method.class),
                name: &entered_method.name,
                parameters: &parameters,
                ordinal: 1,
            };
            let focal = sample.focal.as_ref().filter(|_| is_focal);
            let told = FaultedMethod {
                name: key.to_string(),
                // The place of other methods is taken from their first mutant.
                file: focal.map_or_else(String::new, |stored_method| stored_method.path.clone()),
                line: focal.map_or(0, |stored_method| stored_method.name_line),
                is_picked: is_focal || ran.overrides.contains(&name),
                callers: Vec::new(),
            };
            let faulted = MutatedMethod {
                focal: unnamed(&entered_method.name),
                text: "".into(),
                test_path: self.test_path.to_owned(),
                in_place: Some(name.clone()),
            };
            self.found
                .push(((AimedMethod::named(self.test_path, name), faulted), told));
        }
    }

    /// Adds the functions with lines that ran.
    fn add_by_lines(&mut self, ran: &CandidateExecution, files: &BTreeMap<String, MainFile>) {
        let focal = self.task.sample.sample.focal.as_ref();
        for covered in &ran.covered {
            let Some(file) = files.get(&covered.unit) else {
                continue;
            };
            let entered = file.functions.iter().filter(|function| {
                let [first, last] = function.lines;
                (first..=last).any(|line| has(&covered.bits, line))
            });
            for covered_function in entered {
                let path = &covered.unit;
                let told = FaultedMethod {
                    name: covered_function.key.clone(),
                    file: path.clone(),
                    line: covered_function.name_line,
                    is_picked: focal
                        .is_some_and(|of| (&of.path, of.span) == (path, covered_function.span)),
                    callers: Vec::new(),
                };
                let place = MethodPlace {
                    path: path.clone(),
                    span: covered_function.span,
                };
                let faulted = MutatedMethod {
                    focal: Focal {
                        place,
                        line: covered_function.name_line,
                        ..unnamed(&covered_function.name)
                    },
                    text: Arc::clone(&file.text),
                    test_path: self.test_path.to_owned(),
                    in_place: None,
                };
                let method = AimedMethod::at(path, covered_function.span);
                self.found.push(((method, faulted), told));
            }
        }
    }

    /// Adds the focal method where it was not found among the entered ones and has code.
    fn add_focal(&mut self) {
        let method = self.task.sample.sample.focal.as_ref();
        let method = method.filter(|stored_method| stored_method.body.is_some());
        let (Some(method), Some(focal)) = (method, focal(&self.task.sample)) else {
            return;
        };
        if self.found.iter().any(|entry| entry.1.is_picked) {
            return;
        }
        let faulted = MutatedMethod {
            focal,
            text: Arc::clone(&method.text),
            test_path: self.test_path.to_owned(),
            in_place: None,
        };
        let told = FaultedMethod {
            name: method.key(),
            file: method.path.clone(),
            line: method.name_line,
            is_picked: true,
            callers: Vec::new(),
        };
        self.found.push(((AimedMethod::of(method), faulted), told));
    }
}

/// Makes a method whose place does not matter.
fn unnamed(name: &str) -> Focal {
    Focal {
        package: String::new(),
        nesting: Vec::new(),
        name: name.to_owned(),
        parameters: Vec::new(),
        place: MethodPlace {
            path: String::new(),
            span: Span::default(),
        },
        line: 0,
    }
}

/// Converts `p.Outer$Inner` to `p.Outer.Inner`; what has no name of its own keeps its `$1`.
fn as_written(class: &str) -> String {
    let mut written = String::with_capacity(class.len());
    for (nth, part) in class.split('$').enumerate() {
        let is_nameless = part.starts_with(|first: char| first.is_ascii_digit());
        if nth > 0 {
            written.push(if is_nameless { '$' } else { '.' });
        }
        written.push_str(part);
    }
    written
}

/// Reads the files of main code with lines that ran; units that are not files, as in Java, have no functions.
fn main_files<'r>(
    plan: &ProjectPlan,
    rans: impl Iterator<Item = &'r CandidateExecution>,
) -> BTreeMap<String, MainFile> {
    let mut files = BTreeMap::new();
    let Some(sample) = plan.tasks.first().map(|task| &task.sample.sample) else {
        return files;
    };
    // A file that cannot be read has no functions; its tests run as always.
    let Ok(root) = Root::open(&sample.root) else {
        return files;
    };
    let units: BTreeSet<&String> = rans
        .flat_map(|ran| &ran.covered)
        .map(|covered_set| &covered_set.unit)
        .collect();
    let texts = units.into_iter().filter_map(|path| {
        let text = root.read_text(path, N_BYTES_MAX).ok()?;
        Some((path.clone(), Arc::<str>::from(text)))
    });
    let texts: Vec<(String, Arc<str>)> = texts.collect();
    let sources = texts.iter().map(|(path, text)| SourceText { path, text });
    let project = lang::project_of(sample.repo.language, sources, &Outside::default());
    for (path, text) in &texts {
        let file = MainFile {
            text: Arc::clone(text),
            functions: Vec::new(),
        };
        files.insert(path.clone(), file);
    }
    for method in project
        .methods
        .iter()
        .filter(|method| method.role == FileRole::Main)
    {
        let path = &texts[method.file.0 as usize].0;
        let Some(file) = files.get_mut(path) else {
            continue;
        };
        if let Some(lines) = lines_of_body(&file.text, method.body, method.end_line) {
            file.functions.push(CoveredFunction {
                key: method.key(),
                name: method.name.clone(),
                span: method.span,
                name_line: method.name_line,
                lines,
            });
        }
    }
    files
}

/// Draws the methods that get faults among those that a test enters, the focal one first and the others in their order,
/// and counts those drawn from.
pub fn drawn(
    methods: &[FaultedMethod],
    has_mutants: impl Fn(usize) -> bool,
    most: usize,
    lot: impl Fn(&FaultedMethod) -> [u8; 16],
) -> (Vec<usize>, u32) {
    let are_there = (0..methods.len()).filter(|n| methods[*n].is_picked || has_mutants(*n));
    let (focal, mut others): (Vec<usize>, Vec<usize>) =
        are_there.partition(|n| methods[*n].is_picked);
    let n_methods = (focal.len() + others.len()) as u32;
    let n_others = most.saturating_sub(focal.len());
    if n_others < others.len() {
        others.sort_by_cached_key(|other| lot(&methods[*other]));
        others.truncate(n_others);
        others.sort_unstable();
    }
    let drawn = focal.into_iter().take(most).chain(others);
    (drawn.collect(), n_methods)
}

/// Computes the lot of a method for a test: the methods with the least lots are drawn, so that a request for more gives
/// the same ones and others.
pub fn lot(sample: SampleKey, seed: u64, method: &FaultedMethod) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --scope covered, lots");
    hasher.update(&seed.to_le_bytes());
    hasher.update(&sample.0);
    hasher.update(method.name.as_bytes());
    ContentHash::of(&hasher).0
}

/// Stamps the tests of a plan; `ground` hashes a test's own stamp with the engine.
pub fn stamped<'p>(
    plan: &'p ProjectPlan,
    ground: impl Fn(ContentHash) -> ContentHash,
    (asked, drawing): (&FaultOptions, Drawing),
) -> Vec<StampedTest<'p>> {
    let stamped = plan.candidates.iter().map(|candidate| {
        let task = &plan.tasks[candidate.id as usize];
        (candidate, stamp(ground(task.stamp), task, asked, drawing))
    });
    stamped.collect()
}

fn stamp(
    ground: ContentHash,
    task: &ExecutionTask,
    asked: &FaultOptions,
    drawing: Drawing,
) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --faults --scope covered");
    hasher.update(&VERSION.to_le_bytes());
    hasher.update(&ground.0);
    if let Some(focal) = &task.sample.sample.focal {
        hasher.update(focal.path.as_bytes());
        hasher.update(&[0]);
        hasher.update(focal.key().as_bytes());
    }
    let n_sample = asked.n_sample.map_or(0, |n_sample| n_sample as u64);
    for number in [drawing.most as u64, drawing.seed, n_sample] {
        hasher.update(&number.to_le_bytes());
    }
    let names: BTreeSet<&String> = asked.operators.names.iter().collect();
    for name in names {
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
    }
    hasher.update(&[u8::from(asked.operators.is_every)]);
    ContentHash::of(&hasher)
}

/// Finds the first and the last line of a body; nothing for a body on the line of its head.
fn lines_of_body(text: &str, body: Option<Span>, end_line: u32) -> Option<[u32; 2]> {
    let before = text.get(..body?.start as usize)?;
    let is_apart = before.trim_end_matches([' ', '\t']).ends_with('\n');
    let n_before = before.matches('\n').count() as u32;
    is_apart.then_some([n_before + 1, end_line])
}

/// Tells whether a line is in a set of lines, a bit for each.
fn has(bits: &[u8], line: u32) -> bool {
    let byte = bits.get(line as usize / 8);
    byte.is_some_and(|byte| byte >> (line % 8) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(is_picked: bool) -> FaultedMethod {
        FaultedMethod {
            name: String::new(),
            file: String::new(),
            line: 0,
            is_picked,
            callers: Vec::new(),
        }
    }

    /// Each letter is a method: the focal one is `f`, one without mutants `-`. The last ones have the least lots.
    fn check(methods: &str, most: usize, expected: (&[usize], u32)) {
        let all: Vec<FaultedMethod> = (0..)
            .zip(methods.chars())
            .map(|(line, letter)| FaultedMethod {
                line,
                ..method(letter == 'f')
            })
            .collect();
        let has_mutants = |n: usize| methods.as_bytes()[n] != b'-';
        let (found, n) = drawn(&all, has_mutants, most, |faulted_method| {
            [9 - faulted_method.line as u8; 16]
        });
        assert_eq!((found.as_slice(), n), expected, "{methods}");
    }

    #[test]
    fn the_focal_method_is_always_among_those_that_are_drawn() {
        check("fmm", 9, (&[0, 1, 2], 3));
        check("fmm", 2, (&[0, 2], 3));
        check("fmm", 1, (&[0], 3));
        check("fm-", 2, (&[0, 1], 2));
        // Two methods were entered in place of the focal one.
        check("ffm", 2, (&[0, 1], 3));
        check("mm-", 1, (&[1], 2));
    }

    #[test]
    fn a_line_is_in_a_set_by_its_bit() {
        assert!(has(&[0, 0b10], 9));
        assert!(!has(&[0, 0b10], 8));
        assert!(!has(&[0, 0b10], 99));
    }

    #[test]
    fn a_body_on_the_line_of_its_head_has_no_lines_of_its_own() {
        let check = |text: &str, expected: Option<[u32; 2]>| {
            let body = Span::new(
                text.find('r').expect("it is there") as u32,
                text.len() as u32,
            );
            assert_eq!(lines_of_body(text, Some(body), 2), expected, "{text}");
        };
        check("def a():\n    return 1", Some([2, 2]));
        check("def a(): return 1", None);
    }

    #[test]
    fn classes_are_named_as_they_are_written() {
        assert_eq!(as_written("p.Outer$Inner$1"), "p.Outer.Inner$1");
    }
}
