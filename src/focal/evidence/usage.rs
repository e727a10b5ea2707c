//! How a test uses what it calls: stubbed or verified, in an assertion or before it, discarded, or only preparing.

use rustc_hash::FxHashSet;

use super::reached::{ReachWay, ReachedMethod};
use super::{EvidenceSources, variables};
use crate::model::{Call, CallRole, Evidence, Evidences, Span, TestCase};

/// The facts about the test's calls, computed once for all candidates.
pub struct Usage {
    children: Vec<Vec<u32>>,
    stubbed: Vec<bool>,
    checks: Vec<bool>,
    asserted: Vec<bool>,
    /// The call that an exception is expected from, where a `fail()` or the test's annotation says so.
    expects_exception: Option<u32>,
    /// The statement of the first assertion.
    first_check: Option<u32>,
    /// The assertions that are not calls; sorted.
    spans: Vec<Span>,
}

impl Usage {
    pub fn of(sources: &EvidenceSources<'_>) -> Self {
        let calls = &sources.test_case.calls;
        let mut children = vec![Vec::new(); calls.len()];
        for (idx, call) in calls.iter().enumerate() {
            if let Some((parent, _)) = call.parent {
                children[parent as usize].push(idx as u32);
            }
        }
        let checks: Vec<bool> = calls
            .iter()
            .map(|call| sources.asserting().is_check(call))
            .collect();
        let stubbed = (0..calls.len())
            .map(|idx| is_stubbed(sources, &children, idx))
            .collect();
        let mut usage = Self {
            children,
            stubbed,
            asserted: vec![false; calls.len()],
            expects_exception: None,
            first_check: first_check(sources.test_case, &checks),
            checks,
            spans: sources.test_case.assertions.clone(),
        };
        usage.follow_flows(sources);
        usage.expects_exception = Self::find_expected(sources);
        usage
    }

    /// Returns the calls directly inside a call.
    pub fn children(&self, idx: u32) -> &[u32] {
        &self.children[idx as usize]
    }

    /// Marks the calls whose value reaches an assertion through variables, also by way of other calls.
    fn follow_flows(&mut self, sources: &EvidenceSources<'_>) {
        let calls = &sources.test_case.calls;
        let mut reaching = variables::asserted(sources.test_case, sources.text);
        // Backwards: a value that reaches a call that reaches an assertion does so too.
        let mut changed = true;
        while changed {
            changed = false;
            for flow in sources.clues.flows.iter().rev() {
                let to = flow.to as usize;
                let lands = self.is_checked(calls, to) || reaching[to];
                if lands && !reaching[flow.from as usize] {
                    reaching[flow.from as usize] = true;
                    changed = true;
                }
            }
        }
        self.asserted = reaching;
    }

    /// Tells whether a call is an assertion or is inside one.
    fn is_checked(&self, calls: &[Call], idx: usize) -> bool {
        self.checks[idx] || self.is_inside_check(calls, idx)
    }

    fn is_inside_check(&self, calls: &[Call], idx: usize) -> bool {
        ancestors(calls, idx).any(|(n, _)| self.checks[n])
            || self
                .spans
                .iter()
                .any(|span| span.contains(calls[idx].name_span))
    }

    /// Finds the last outermost call of main code before a `fail()`, or in a test that is annotated to throw.
    fn find_expected(sources: &EvidenceSources<'_>) -> Option<u32> {
        let calls = &sources.test_case.calls;
        let is_main = |idx: &u32| {
            super::super::declared(&calls[*idx as usize].resolution).is_some_and(|id| {
                sources.methods[id.0 as usize].role == crate::model::FileRole::Main
            }) && ancestors(calls, *idx as usize).next().is_none()
        };
        let failing = sources.dialect.assertions.failing;
        let fail = calls.iter().position(|call| {
            failing.contains(&call.name.as_str()) && sources.asserting().is_assertion(call)
        });
        if let Some(fail) = fail {
            return (0..fail as u32)
                .rev()
                .filter(|idx| calls[*idx as usize].statement == calls[fail].statement)
                .find(is_main);
        }
        let test = &sources.methods[sources.test_case.method.0 as usize];
        let header = sources
            .text
            .get(test.span.start as usize..test.body?.start as usize)?;
        let expects_exception = sources.dialect.expects_exception;
        expects_exception(header)
            .then(|| (0..calls.len() as u32).rev().find(is_main))
            .flatten()
    }

    /// Adds the evidence of the use of one reached method.
    pub fn judge(
        &self,
        evidence: &mut Evidences,
        sources: &EvidenceSources<'_>,
        reached_method: &ReachedMethod,
        all: &[ReachedMethod],
    ) {
        let calls = &sources.test_case.calls;
        let live = || {
            reached_method
                .calls
                .iter()
                .copied()
                .filter(|idx| !self.stubbed[*idx as usize])
        };
        let any = |is: &dyn Fn(u32) -> bool| live().any(is);
        evidence.set(Evidence::Stubbed, live().next().is_none());
        evidence.set(
            Evidence::InAssertion,
            any(&|idx| self.is_inside_check(calls, idx as usize)),
        );
        let is_asserted = |idx: u32| {
            self.asserted[idx as usize]
                || ancestors(calls, idx as usize).any(|(up, _)| self.asserted[up])
        };
        evidence.set(Evidence::Asserted, any(&is_asserted));
        evidence.set(
            Evidence::Thrower,
            any(&|idx| {
                Some(idx) == self.expects_exception
                    || is_last_in_thrower(sources, &self.children, idx as usize)
                    || is_last_in_throwing_block(sources, idx)
            }),
        );
        evidence.set(
            Evidence::Inspects,
            live().next().is_some() && self.is_inspecting(calls, reached_method, all),
        );
        // A method that only inspects a result does not turn the method that returned the result into preparation.
        let others: FxHashSet<u32> = all
            .iter()
            .filter(|other| other.method != reached_method.method && other.has(ReachWay::Direct))
            .filter(|other| !self.is_inspecting(calls, other, all))
            .flat_map(|other| other.calls.iter().copied())
            .filter(|idx| !self.stubbed[*idx as usize] && !self.checks[*idx as usize])
            .collect();
        let prepares = |idx: u32| {
            ancestors(calls, idx as usize).any(|(up, _)| others.contains(&(up as u32)))
                || sources
                    .clues
                    .flows
                    .iter()
                    .any(|flow| flow.from == idx && others.contains(&flow.to))
        };
        evidence.set(
            Evidence::Prepares,
            live().next().is_some() && live().all(prepares),
        );
        evidence.set(
            Evidence::Discarded,
            live().next().is_some() && live().all(|idx| is_discarded(sources, idx)),
        );
        evidence.set(Evidence::Repeated, live().count() > 1);
        let before = self.last_main(sources, all, self.first_check);
        let last = self.last_main(sources, all, None);
        evidence.set(
            Evidence::LastBefore,
            self.first_check.is_some()
                && before.is_some_and(|idx| reached_method.calls.contains(&idx)),
        );
        evidence.set(
            Evidence::LastCall,
            last.is_some_and(|idx| reached_method.calls.contains(&idx)),
        );
    }

    /// Tells whether a method is called inside assertions only (or writes nothing but a field that is read there), and
    /// another one outside of them before.
    fn is_inspecting(
        &self,
        calls: &[Call],
        reached_method: &ReachedMethod,
        all: &[ReachedMethod],
    ) -> bool {
        let is_outside =
            |idx: &u32| !self.stubbed[*idx as usize] && !self.is_inside_check(calls, *idx as usize);
        if reached_method.calls.iter().any(is_outside) && !reached_method.is_accessor {
            return false;
        }
        let Some(first) = reached_method.calls.first() else {
            return false;
        };
        all.iter()
            .filter(|other| other.method != reached_method.method && other.has(ReachWay::Direct))
            .filter(|other| !other.is_accessor)
            .any(|other| other.calls.iter().any(|idx| idx < first && is_outside(idx)))
    }

    /// Finds the last outermost call of a reached method, in a statement before the given one.
    fn last_main(
        &self,
        sources: &EvidenceSources<'_>,
        all: &[ReachedMethod],
        before: Option<u32>,
    ) -> Option<u32> {
        let calls = &sources.test_case.calls;
        let is_early = |idx: u32| {
            before.is_none_or(|before| {
                calls[idx as usize]
                    .statement
                    .is_some_and(|statement| statement < before)
            })
        };
        let held = |idx: u32| {
            all.iter()
                .any(|reached_method| reached_method.calls.contains(&idx))
        };
        all.iter()
            .flat_map(|reached_method| reached_method.calls.iter().copied())
            .filter(|idx| !self.stubbed[*idx as usize] && is_early(*idx))
            .filter(|idx| !ancestors(calls, *idx as usize).any(|(up, _)| held(up as u32)))
            .max()
    }
}

/// Returns the calls around a call, nearest first, each with the role of the call below it.
fn ancestors(calls: &[Call], idx: usize) -> impl Iterator<Item = (usize, CallRole)> {
    let mut next = calls[idx].parent;
    std::iter::from_fn(move || {
        let (parent, role) = next?;
        next = calls[parent as usize].parent;
        Some((parent as usize, role))
    })
}

/// Tells whether a call only names another call, in stubbing or verifying.
fn is_stubbed(sources: &EvidenceSources<'_>, children: &[Vec<u32>], idx: usize) -> bool {
    let calls = &sources.test_case.calls;
    let stubbing = sources.dialect.mocks.stubbing;
    let is_stubbing = |call: &Call| {
        sources.asserting().is_mocking(call) && stubbing.contains(&call.name.as_str())
    };
    let on_a_verifier = children[idx].iter().any(|child| {
        let child = &calls[*child as usize];
        matches!(child.parent, Some((_, CallRole::Receiver))) && is_stubbing(child)
    });
    on_a_verifier
        || ancestors(calls, idx)
            .any(|(up, role)| role == CallRole::Argument && is_stubbing(&calls[up]))
}

/// Tells whether a call is the outermost one of the code that is expected to throw, and its last.
fn is_last_in_thrower(sources: &EvidenceSources<'_>, children: &[Vec<u32>], idx: usize) -> bool {
    let calls = &sources.test_case.calls;
    let Some((parent, CallRole::Argument)) = calls[idx].parent else {
        return false;
    };
    let throwing = sources.dialect.assertions.throwing;
    let mut around = std::iter::once(parent as usize).chain(chain_above(calls, parent as usize));
    around.any(|n| throwing.contains(&calls[n].name.as_str()))
        && children[parent as usize].iter().rfind(|child| {
            matches!(
                calls[**child as usize].parent,
                Some((_, CallRole::Argument))
            )
        }) == Some(&(idx as u32))
}

/// Iterates over the calls that have a call in their receiver, nearest first: `toThrow` in `expect(f).not.toThrow()`
/// for `expect`.
fn chain_above(calls: &[Call], idx: usize) -> impl Iterator<Item = usize> {
    let above = ancestors(calls, idx).take_while(|(_, role)| *role == CallRole::Receiver);
    above.map(|(n, _)| n)
}

/// Tells whether a call is the last outermost one in a block in which something must throw.
fn is_last_in_throwing_block(sources: &EvidenceSources<'_>, idx: u32) -> bool {
    let test_case = sources.test_case;
    let calls = &test_case.calls;
    let throwing = sources.dialect.assertions.throwing;
    let own = calls[idx as usize].name_span;
    let mut around = test_case
        .assertions
        .iter()
        .filter(|assertion| assertion.contains(own));
    around.any(|span| {
        let inside =
            || (calls.iter().enumerate()).filter(|(_, call)| span.contains(call.name_span));
        let mut heads = inside();
        let head = heads.find(|(_, call)| throwing.contains(&call.name.as_str()));
        let is_of_head = |at: usize| {
            head.is_some_and(|(head, _)| {
                at == head || ancestors(calls, at).any(|(up, _)| up == head)
            })
        };
        let is_outermost =
            |at: usize| !ancestors(calls, at).any(|(up, _)| span.contains(calls[up].name_span));
        let mut last = inside().filter(|(at, _)| !is_of_head(*at) && is_outermost(*at));
        head.is_some() && last.next_back().is_some_and(|(at, _)| at as u32 == idx)
    })
}

/// Finds the statement of the first assertion, be it a call or not.
fn first_check(test_case: &TestCase, checks: &[bool]) -> Option<u32> {
    let of_call = (test_case.calls.iter().zip(checks))
        .find(|(_, is_check)| **is_check)
        .and_then(|(call, _)| call.statement);
    let of_span = test_case.assertions.first().and_then(|span| {
        let mut statements = test_case.statements.iter();
        statements.position(|statement| statement.contains(*span))
    });
    of_call
        .into_iter()
        .chain(of_span.map(|of_span| of_span as u32))
        .min()
}

/// Tells whether a call is a statement of its own.
fn is_discarded(sources: &EvidenceSources<'_>, idx: u32) -> bool {
    let span = sources.test_case.calls[idx as usize].span;
    let before = sources.text.get(..span.start as usize).unwrap_or("");
    let after = sources.text.get(span.end as usize..).unwrap_or("");
    let is_between_signs =
        before.trim_end().ends_with([';', '{', '}']) && after.trim_start().starts_with(';');
    is_between_signs || sources.dialect.lines_end_statements && is_line(before, after)
}

/// Tells whether nothing else stands on the lines between two pieces of text, except the signs between statements.
fn is_line(before: &str, after: &str) -> bool {
    let first = before.rsplit('\n').next().unwrap_or(before).trim();
    let last = after.split('\n').next().unwrap_or(after).trim();
    matches!(first, "" | "{" | "}" | ";") && matches!(last, "" | "}" | ";")
}
