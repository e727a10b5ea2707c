//! Chooses the methods that get faults for a test: its focal one, or every one that it may be about.
//!
//! Also decides which candidates are reached through others. How mutants are made and run is not decided here.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ExecuteError;
use crate::model::{ContentHash, Language, Matcher, Span};
use crate::project::{ProjectPlan, focal, focal_of};
use crate::runner::faults::MutatedMethod;
use crate::runner::{Candidate, Engine, MethodName, RunnerError};
use crate::store::{Extent, FaultedMethod, PlacedSample, Store, StoredMethod};
use crate::syntax;
use crate::task::Monitor;

/// The names by which a method calls its own object.
const OWN: [&str; 3] = ["self", "cls", "this"];

/// A method: its file and its place, and the method that is changed in its place where it has no code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AimedMethod {
    path: String,
    span: Span,
    in_place: Option<MethodName>,
}

impl AimedMethod {
    pub fn of(method: &StoredMethod) -> Self {
        Self::at(&method.path, method.span)
    }

    pub fn at(path: &str, span: Span) -> Self {
        Self {
            path: path.to_owned(),
            span,
            in_place: None,
        }
    }

    /// Makes a method that is known by its name alone, in the module of a test file.
    pub fn named(test_path: &str, name: MethodName) -> Self {
        Self {
            path: test_path.to_owned(),
            span: Span::default(),
            in_place: Some(name),
        }
    }
}

/// The methods that tests entered in place of methods without code, by the numbers of their candidates.
pub type OverridesByTest = BTreeMap<u64, Vec<MethodName>>;

/// A test, and the methods that get faults for it.
pub struct AimedTest<'p> {
    pub candidate: &'p Candidate,
    pub methods: Vec<(AimedMethod, MutatedMethod)>,
    /// The stored facts about each method; nothing where it is the focal one.
    pub stored_facts: Vec<FaultedMethod>,
    /// A hash of all that decides the pairs, where the mutants do not decide them.
    pub stamp: Option<ContentHash>,
}

/// Runs the tests of a plan whose focal methods have no code, and returns the methods that each entered in their place.
pub fn in_place(
    engine: &mut dyn Engine,
    plan: &ProjectPlan,
    monitor: &Monitor,
) -> Result<OverridesByTest, RunnerError> {
    let mut found = OverridesByTest::new();
    let candidates = plan.candidates.iter().filter(|candidate| {
        let task = &plan.tasks[candidate.id as usize];
        let focal = task.sample.sample.focal.as_ref();
        focal.is_some_and(|stored_method| stored_method.body.is_none())
    });
    let candidates: Vec<Candidate> = candidates.cloned().collect();
    if candidates.is_empty() {
        return Ok(found);
    }
    engine.run(&plan.files, &candidates, monitor, &mut |ran| {
        found.insert(ran.id, ran.overrides);
        monitor.step()
    })?;
    Ok(found)
}

/// Pairs the tests of a plan with their focal methods, or with the methods they entered in place of these.
pub fn at_focal_methods<'p>(
    plan: &'p ProjectPlan,
    in_place: &OverridesByTest,
) -> Vec<AimedTest<'p>> {
    let mut aimed = Vec::new();
    for candidate in &plan.candidates {
        let task = &plan.tasks[candidate.id as usize];
        let (Some(focal), Some(method)) = (focal(&task.sample), &task.sample.sample.focal) else {
            continue;
        };
        let faulted = MutatedMethod {
            text: Arc::clone(&method.text),
            test_path: plan.files[candidate.file_idx].path.clone(),
            focal,
            in_place: None,
        };
        let place = AimedMethod::of(method);
        let methods = match in_place.get(&candidate.id) {
            None => vec![(place, faulted)],
            Some(entered) => entered
                .iter()
                .map(|method_name| replaced(&place, &faulted, method_name))
                .collect(),
        };
        aimed.push(AimedTest {
            candidate,
            methods,
            stored_facts: Vec::new(),
            stamp: None,
        });
    }
    aimed
}

/// Chooses the method that is changed in place of one without code.
fn replaced(
    method: &AimedMethod,
    faulted: &MutatedMethod,
    entered: &MethodName,
) -> (AimedMethod, MutatedMethod) {
    let in_place = Some(entered.clone());
    let place = AimedMethod {
        in_place: in_place.clone(),
        ..method.clone()
    };
    let faulted = MutatedMethod {
        in_place,
        ..faulted.clone()
    };
    (place, faulted)
}

/// Pairs the tests of a plan with their candidates.
pub fn at_candidates<'p>(
    store: &Store,
    matcher: Matcher,
    plan: &'p ProjectPlan,
) -> Result<Vec<AimedTest<'p>>, ExecuteError> {
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
        let methods = placed.sample.candidates.iter().map(|candidate| {
            let method = &candidate.method;
            let faulted = MutatedMethod {
                focal: focal_of(method, n_package(&placed, method), language),
                text: Arc::clone(&method.text),
                test_path: test_path.clone(),
                in_place: None,
            };
            (AimedMethod::of(method), faulted)
        });
        all.push(AimedTest {
            candidate,
            methods: methods.collect(),
            stored_facts: stored_facts(&placed),
            stamp: None,
        });
    }
    Ok(all)
}

/// Returns the length in bytes of the package in a candidate's class. The index has it for classes in the focal
/// method's file; it is needed for others only in Java, where the file itself says it, so 0 does.
fn n_package(placed: &PlacedSample, method: &StoredMethod) -> u32 {
    let focal = placed.sample.focal.as_ref();
    let is_beside = focal.is_some_and(|stored_method| stored_method.path == method.path);
    if is_beside {
        placed.n_package_of_focal
    } else {
        0
    }
}

fn stored_facts(placed: &PlacedSample) -> Vec<FaultedMethod> {
    let sample = &placed.sample;
    let methods: Vec<&StoredMethod> = sample
        .candidates
        .iter()
        .map(|candidate| &candidate.method)
        .collect();
    let calls: Vec<Vec<WrittenCall<'_>>> = methods
        .iter()
        .map(|method| called(sample.repo.language, method))
        .collect();
    let told = sample
        .candidates
        .iter()
        .enumerate()
        .map(|(rank, stored_candidate)| {
            let callers = (0_u32..).zip(methods.iter().zip(&calls));
            let callers = callers.filter(|(other, (caller, called))| {
                let is_other = *other as usize != rank;
                is_other
                    && called
                        .iter()
                        .any(|call| call.may_mean(&stored_candidate.method, caller))
            });
            FaultedMethod {
                name: stored_candidate.method.key(),
                file: stored_candidate.method.path.clone(),
                line: stored_candidate.method.name_line,
                is_picked: stored_candidate.is_picked,
                callers: callers.map(|caller| caller.0).collect(),
            }
        });
    told.collect()
}

/// A call in a method's body, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WrittenCall<'t> {
    name: &'t str,
    /// Nothing stands before the name, or the calling method's own object does.
    is_own: bool,
}

impl WrittenCall<'_> {
    /// Tells whether it may call this method. An object other than the method's own is taken for one of another class,
    /// as wrappers call methods of the same name.
    fn may_mean(self, method: &StoredMethod, caller: &StoredMethod) -> bool {
        let is_beside = method.is_of_class && method.class == caller.class;
        self.name == method.name && (self.is_own || !is_beside)
    }
}

/// Lists the calls in a method's body.
fn called(language: Language, method: &StoredMethod) -> Vec<WrittenCall<'_>> {
    let Some(body) = method.body else {
        return Vec::new();
    };
    calls(language, body.of(&method.text))
}

fn calls(language: Language, text: &str) -> Vec<WrittenCall<'_>> {
    let tokens = syntax::tokens(language, text);
    let words: Vec<&str> = tokens.iter().map(|token| token.of(text)).collect();
    let names = (1..words.len()).filter(|at| words[*at] == "(");
    let calls = names.map(|at| {
        let before = match words[..at - 1] {
            [.., object, "."] => Some(object),
            _ => None,
        };
        WrittenCall {
            name: words[at - 1],
            is_own: before.is_none_or(|before| OWN.contains(&before)),
        }
    });
    calls.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MethodKind;

    fn method(class: &str, name: &str, is_of_class: bool) -> StoredMethod {
        StoredMethod {
            class: class.to_owned(),
            name: name.to_owned(),
            parameters: String::new(),
            ordinal: 0,
            kind: MethodKind::Method,
            is_of_class,
            signature: String::new(),
            path: "p.py".to_owned(),
            span: Span::new(0, 0),
            body: None,
            start_line: 1,
            end_line: 1,
            name_line: 1,
            text: "".into(),
        }
    }

    #[test]
    fn another_object_in_the_same_class_is_taken_for_one_of_another_class() {
        let loads = method("p.Serializer", "loads", true);
        let check = |is_own: bool, caller: &StoredMethod, expected: bool| {
            let name = "loads";
            let call = WrittenCall { name, is_own };
            assert_eq!(call.may_mean(&loads, caller), expected, "{caller:?}");
        };
        let beside = method("p.Serializer", "load_payload", true);
        check(true, &beside, true);
        check(false, &beside, false);
        check(false, &method("p.Session", "read", true), true);
        let function = method("p", "loads", false);
        let call = WrittenCall {
            name: "loads",
            is_own: false,
        };
        assert!(call.may_mean(&function, &method("p", "read", false)));
        assert!(!call.may_mean(&beside, &loads), "another name");
    }

    #[test]
    fn a_call_is_of_its_own_object_unless_another_one_stands_before_it() {
        let check = |language, text, expected: &[(&str, bool)]| {
            let found = calls(language, text).into_iter();
            let found: Vec<(&str, bool)> = found
                .map(|written_call| (written_call.name, written_call.is_own))
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        let python = "return self.add(one(2), other.add(3)) + super().add(4)";
        check(
            Language::Python,
            python,
            &[
                ("add", true),
                ("one", true),
                ("add", false),
                ("super", true),
                ("add", false),
            ],
        );
        let java = "{ add(1); this.add(2); list.add(3); /* add(4) */ }";
        check(
            Language::Java,
            java,
            &[("add", true), ("add", true), ("add", false)],
        );
    }
}
