//! Which methods get faults for a test: its focal one, or every one that it may be about.
//!
//! Decides also which candidates stand behind others. How mutants are made and run is not decided here.

use std::sync::Arc;

use crate::Error;
use crate::model::{Language, Matcher, Span};
use crate::project::{Plan, focal, focal_of};
use crate::runner::Candidate;
use crate::runner::faults::Faulted;
use crate::store::{CandidateMethod, Extent, PlacedSample, Store, StoredMethod};
use crate::syntax;

/// A method: its file and its place.
pub type Method = (String, Span);

/// A test, and the methods that get faults for it.
pub struct Aimed<'p> {
    pub candidate: &'p Candidate,
    pub methods: Vec<(Method, Faulted)>,
    /// What is kept of each method; nothing where that is the focal one.
    pub told: Vec<CandidateMethod>,
}

/// Returns the tests of a plan with their focal methods.
pub fn at_focal_methods(plan: &Plan) -> Vec<Aimed<'_>> {
    let mut aimed = Vec::new();
    for candidate in &plan.candidates {
        let task = &plan.tasks[candidate.id as usize];
        let (Some(focal), Some(method)) = (focal(&task.sample), &task.sample.sample.focal) else {
            continue;
        };
        let faulted = Faulted {
            text: Arc::clone(&method.text),
            test_path: plan.files[candidate.file_idx].path.clone(),
            focal,
        };
        let place = (method.path.clone(), method.span);
        aimed.push(Aimed {
            candidate,
            methods: vec![(place, faulted)],
            told: Vec::new(),
        });
    }
    aimed
}

/// Returns the tests of a plan with their candidates.
pub fn at_candidates<'p>(
    store: &Store,
    matcher: Matcher,
    plan: &'p Plan,
) -> Result<Vec<Aimed<'p>>, Error> {
    let mut all = Vec::new();
    for candidate in &plan.candidates {
        let task = &plan.tasks[candidate.id as usize];
        let key = task.sample.sample.row.key;
        let found = store.placed_samples(&[key], matcher, Extent::WithCandidates)?;
        let Some(placed) = found.into_iter().next().flatten() else {
            continue;
        };
        let language = placed.sample.repo.language;
        let test_path = &plan.files[candidate.file_idx].path;
        let methods = placed.sample.candidates.iter().map(|it| {
            let method = &it.method;
            let faulted = Faulted {
                focal: focal_of(method, n_package(&placed, method), language),
                text: Arc::clone(&method.text),
                test_path: test_path.clone(),
            };
            ((method.path.clone(), method.span), faulted)
        });
        all.push(Aimed {
            candidate,
            methods: methods.collect(),
            told: told(&placed),
        });
    }
    Ok(all)
}

/// Returns how many bytes of a candidate's class are its package. The index has it of the focal method; nobody asks for
/// another one but in Java, where the file says it.
fn n_package(placed: &PlacedSample, method: &StoredMethod) -> u32 {
    let focal = placed.sample.focal.as_ref();
    let is_beside = focal.is_some_and(|it| it.path == method.path);
    if is_beside {
        placed.n_package_of_focal
    } else {
        0
    }
}

fn told(placed: &PlacedSample) -> Vec<CandidateMethod> {
    let sample = &placed.sample;
    let methods: Vec<&StoredMethod> = sample.candidates.iter().map(|it| &it.method).collect();
    let calls: Vec<Vec<&str>> = methods
        .iter()
        .map(|it| called(sample.repo.language, it))
        .collect();
    let told = sample.candidates.iter().enumerate().map(|(rank, it)| {
        let callers = (0_u32..).zip(&calls).filter(|(other, called)| {
            *other as usize != rank && called.contains(&it.method.name.as_str())
        });
        CandidateMethod {
            name: it.method.key(),
            file: it.method.path.clone(),
            line: it.method.name_line,
            is_picked: it.is_picked,
            callers: callers.map(|it| it.0).collect(),
        }
    });
    told.collect()
}

/// Returns the names that a method's body calls, as they are written.
fn called(language: Language, method: &StoredMethod) -> Vec<&str> {
    let Some(body) = method.body else {
        return Vec::new();
    };
    let text = body.of(&method.text);
    let tokens = syntax::tokens(language, text);
    let calls = tokens.windows(2).filter(|pair| pair[1].of(text) == "(");
    calls.map(|pair| pair[0].of(text)).collect()
}
