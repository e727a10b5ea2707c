//! The cut of a test into setup and assertion code (MINING.md rules 13 to 17, LANGUAGES.md L28).
//!
//! The cut lies after the top-level statement that holds the last focal call, or before it when that call sits in an
//! assertion. Where both lie in one statement, in a body inside it, the cut is made in that body.

use super::assertion::AssertionClassifier;
use crate::model::{
    Call, CallKind, CallMarks, Candidate, Cut, Flag, Flags, Method, MethodId, NestedBlock,
    Resolution, Span, TestCase,
};

/// The two parts, and notes on the cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutOutcome {
    pub parts: Cut,
    pub flags: Flags,
}

/// Parts a test at the last call of the focal method; where the test does not call it itself, at the last call that
/// leads to it (a helper's, or the assertion that runs it).
pub fn cut(
    test_case: &TestCase,
    focal: &Candidate,
    asserting: AssertionClassifier<'_>,
) -> CutOutcome {
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
        |idx: usize| asserting.is_check(&calls[idx]) || asserting.is_inside(test_case, idx);
    let found = CutBasis {
        test_case,
        assertion_calls: &assertion_calls,
    };
    let place = last
        .and_then(|idx| found.nested(idx, &is_asserted))
        .unwrap_or_else(|| found.top_level(last, &is_asserted));
    let is_after = |call: &Call| call.statement.is_some() && place.at <= call.name_span.start;
    let in_rest = |idx: &u32| is_after(&calls[*idx as usize]);
    let is_span_after = |span: &Span| place.at <= span.start;
    let n_spans_after = (test_case.assertions.iter())
        .filter(|assertion| is_span_after(assertion))
        .count();
    let mut flags = Flags::default();
    flags.set(Flag::SeveralFocalCalls, focal_calls.len() > 1);
    flags.set(Flag::FocalInAssertion, focal_calls.iter().any(in_rest));
    flags.set(Flag::EmptySetup, place.setup.is_none());
    flags.set(
        Flag::NoAssertionCall,
        place.assertion.is_some() && n_spans_after == 0 && !assertion_calls.iter().any(in_rest),
    );
    flags.set(
        Flag::AssertionInSetup,
        n_spans_after < test_case.assertions.len() || !assertion_calls.iter().all(in_rest),
    );
    flags.set(
        Flag::FocalInLambda,
        last.is_some_and(|idx| calls[idx].depth > 0),
    );
    flags.set(Flag::CutNested, place.is_nested);
    let marked = |marks| {
        let mut focal = focal_calls.iter();
        focal.any(|idx| calls[*idx as usize].marks.has(marks))
    };
    flags.set(Flag::ByName, marked(CallMarks::BY_NAME));
    flags.set(Flag::Wrapped, marked(CallMarks::WRAPPED));
    flags.set(Flag::Computed, marked(CallMarks::COMPUTED));
    CutOutcome {
        parts: Cut {
            setup: place.setup,
            assertion: place.assertion,
            focal_calls,
            assertion_calls,
        },
        flags,
    }
}

/// Where a test is cut.
struct CutPlace {
    setup: Option<Span>,
    assertion: Option<Span>,
    /// The offset at which the assertion part begins; `u32::MAX` when there is none.
    at: u32,
    is_nested: bool,
}

/// The facts that a cut is decided from.
struct CutBasis<'t> {
    test_case: &'t TestCase,
    assertion_calls: &'t [u32],
}

impl CutBasis<'_> {
    /// Cuts between the statements of the test's body.
    fn top_level(&self, last: Option<usize>, is_asserted: &dyn Fn(usize) -> bool) -> CutPlace {
        let statements = &self.test_case.statements;
        let is_before = last.is_some_and(is_asserted);
        let n_setup = last.map_or(0, |idx| {
            let statement = self.test_case.calls[idx].statement;
            statement.map_or(0, |statement| statement as usize) + usize::from(!is_before)
        });
        let (setup, rest) = statements.split_at(n_setup.min(statements.len()));
        let assertion = hull(rest);
        CutPlace {
            setup: hull(setup).map(|part| up_to(part, assertion, is_before)),
            assertion,
            at: assertion.map_or(u32::MAX, |span| span.start),
            is_nested: false,
        }
    }

    /// Cuts between the statements of the innermost body that holds both the last focal call and an assertion, or
    /// before those of a function that is handed to the focal call and asserts. Not where only the code behind that
    /// body checks something.
    fn nested(&self, last: usize, is_asserted: &dyn Fn(usize) -> bool) -> Option<CutPlace> {
        let test_case = self.test_case;
        let call = &test_case.calls[last];
        let statement = test_case.statements.get(call.statement? as usize)?;
        let inner = (test_case.blocks.iter()).filter(|block| statement.contains(block.span));
        let asserts = |block: &NestedBlock| self.checks(&|span| block.span.contains(span));
        let mut handed = inner
            .clone()
            .filter(|nested_block| nested_block.is_function);
        let handed = handed
            .find(|nested_block| call.span.contains(nested_block.span) && asserts(nested_block));
        let (block, n_setup, is_before) = if let Some(block) = handed {
            (block, 0, false)
        } else {
            // Blocks come outside first: the last that fits is the innermost.
            let mut around = inner.filter(|nested_block| {
                nested_block.span.contains(call.name_span) && asserts(nested_block)
            });
            let block = around.next_back()?;
            let holds = |span: &&Span| span.contains(call.name_span);
            let at = block
                .statements
                .iter()
                .position(|statement| holds(&statement))?;
            let is_around =
                |span: &&Span| span.contains(call.name_span) && !block.span.contains(**span);
            if test_case
                .assertions
                .iter()
                .any(|assertion| is_around(&assertion))
            {
                return None;
            }
            let is_before = is_asserted(last);
            (block, at + usize::from(!is_before), is_before)
        };
        let rest = block.statements.get(n_setup..).unwrap_or_default();
        // The part ends with the body: code behind it would close brackets that the setup opens.
        let assertion = hull(rest);
        let is_behind = |span: Span| span.start >= statement.end;
        if !self.checks(&|span| assertion.is_some_and(|part| part.contains(span)))
            && self.checks(&is_behind)
        {
            return None;
        }
        let start = test_case.statements.first()?.start;
        let before = match n_setup.checked_sub(1) {
            Some(idx) => block.statements.get(idx)?.end,
            // Code that leads into the body is setup: a loop's head, the focal call that takes the function.
            None => assertion.map_or(block.span.start, |span| span.start),
        };
        let setup = Span::new(start, before);
        Some(CutPlace {
            setup: Some(up_to(setup, assertion, is_before)),
            assertion,
            at: assertion.map_or(u32::MAX, |span| span.start),
            is_nested: true,
        })
    }

    /// Tells whether a check lies in a place for which `is_there` holds.
    fn checks(&self, is_there: &dyn Fn(Span) -> bool) -> bool {
        let calls = &self.test_case.calls;
        let mut called = self.assertion_calls.iter();
        let mut spans = self.test_case.assertions.iter();
        spans.any(|span| is_there(*span))
            || called.any(|idx| is_there(calls[*idx as usize].name_span))
    }
}

/// Ends the setup part: where an assertion holds the focal call, everything before it is setup, comments and layout
/// too, so that nothing lies between the parts.
fn up_to(part: Span, assertion: Option<Span>, is_before: bool) -> Span {
    match assertion {
        Some(assertion) if is_before => Span::new(part.start, assertion.start),
        _ => part,
    }
}

/// Iterates over the calls in the setup part, in order.
pub fn setup_calls<'t>(test_case: &'t TestCase, parts: &Cut) -> impl Iterator<Item = &'t Call> {
    let setup = parts.setup.unwrap_or_default();
    test_case
        .calls
        .iter()
        .filter(move |call| setup.contains(call.name_span))
}

/// Lists the calls of, and references to, the focal declaration; by name where a call is unresolved (rule 13).
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

/// Spans the first to the last of `statements`, if there is one.
fn hull(statements: &[Span]) -> Option<Span> {
    let (first, last) = (statements.first()?, statements.last()?);
    Some(Span::new(first.start, last.end))
}
