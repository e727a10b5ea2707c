//! Where a test falls into setup and assertion code (MINING.md rules 13 to 17).
//!
//! The cut lies after the top-level statement that holds the last focal call, or before it when that call sits in an
//! assertion.

use super::assertion::Asserting;
use crate::model::{
    Call, CallKind, Candidate, Cut, Flag, Flags, Method, MethodId, Resolution, Span, TestCase,
};

/// The two parts, and what is worth knowing about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutOutcome {
    pub parts: Cut,
    pub flags: Flags,
}

/// Parts a test at the last call of the focal method; where the test does not call it itself, at the last call that
/// leads to it (a helper's, or the assertion that runs it).
pub fn cut(test_case: &TestCase, focal: &Candidate, asserting: Asserting<'_>) -> CutOutcome {
    let calls = &test_case.calls;
    let mut focal_calls = focal_calls(calls, focal.method, asserting.methods);
    if focal_calls.is_empty() {
        focal_calls.clone_from(&focal.calls);
    }
    let assertion_calls: Vec<u32> = (0..calls.len() as u32)
        .filter(|idx| calls[*idx as usize].kind == CallKind::Method)
        .filter(|idx| asserting.is_check(&calls[*idx as usize]))
        .collect();
    let last = focal_calls.last().map(|idx| *idx as usize);
    let is_asserted =
        |idx: usize| asserting.is_check(&calls[idx]) || asserting.is_inside(calls, idx);
    let is_cut_by_assertion = last.is_some_and(is_asserted);
    let n_setup = last.map_or(0, |idx| {
        let statement = calls[idx].statement.map_or(0, |it| it as usize);
        statement + usize::from(!is_cut_by_assertion)
    });
    let n_setup = n_setup.min(test_case.statements.len());
    let (setup, rest) = test_case.statements.split_at(n_setup);
    let assertion = hull(rest);
    let setup_part = hull(setup).map(|part| match assertion {
        // What stands before the assertion is setup, with comments and layout: nothing lies between the parts.
        Some(assertion) if is_cut_by_assertion => Span::new(part.start, assertion.start),
        _ => part,
    });
    let in_rest = |idx: &u32| {
        calls[*idx as usize]
            .statement
            .is_some_and(|statement| statement as usize >= n_setup)
    };
    let mut flags = Flags::default();
    flags.set(Flag::SeveralFocalCalls, focal_calls.len() > 1);
    flags.set(Flag::FocalInAssertion, focal_calls.iter().any(in_rest));
    flags.set(Flag::EmptySetup, setup.is_empty());
    flags.set(
        Flag::NoAssertionCall,
        !rest.is_empty() && !assertion_calls.iter().any(in_rest),
    );
    flags.set(Flag::AssertionInSetup, !assertion_calls.iter().all(in_rest));
    flags.set(
        Flag::FocalInLambda,
        last.is_some_and(|idx| calls[idx].depth > 0),
    );
    CutOutcome {
        parts: Cut {
            setup: setup_part,
            assertion,
            focal_calls,
            assertion_calls,
        },
        flags,
    }
}

/// Returns the calls in the setup part.
pub fn setup_calls<'t>(test_case: &'t TestCase, parts: &Cut) -> impl Iterator<Item = &'t Call> {
    let setup = parts.setup.unwrap_or_default();
    test_case
        .calls
        .iter()
        .filter(move |call| setup.contains(call.name_span))
}

/// Returns the calls of, and references to, the focal declaration; by name where a call is unresolved (rule 13).
fn focal_calls(calls: &[Call], focal: MethodId, methods: &[Method]) -> Vec<u32> {
    let name = &methods[focal.0 as usize].name;
    calls
        .iter()
        .enumerate()
        .filter(|(_, call)| match &call.resolution {
            Resolution::Declared(method) => *method == focal,
            Resolution::Ambiguous(several) => several.contains(&focal),
            Resolution::Unknown(_) => call.name == *name,
            Resolution::Outside(_) => false,
        })
        .map(|(idx, _)| idx as u32)
        .collect()
}

/// Returns the span from the first to the last of `statements`, if there is one.
fn hull(statements: &[Span]) -> Option<Span> {
    let (first, last) = (statements.first()?, statements.last()?);
    Some(Span::new(first.start, last.end))
}
