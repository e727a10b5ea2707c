//! Finds what a test's body holds beside calls: statements that assert, and bodies inside it.

use super::facts::{Expr, ExprId, Lambda, PythonFacts, Stmt, StmtId};
use crate::model::{NestedBlock, Span};
use crate::run::Run;

/// Tells whether a function of this name, called in a `with`, expects its body to fail, warn, log or query.
fn is_expecting(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    matches!(
        last,
        "raises"
            | "warns"
            | "deprecated_call"
            | "assert_raises"
            | "assert_warns"
            | "assert_produces_warning"
            | "raises_regex"
    ) || last.starts_with("assertRaises")
        || last.starts_with("assertWarns")
        || last.starts_with("assertLogs")
        || last.starts_with("assertNoLogs")
        || last.starts_with("assertNumQueries")
}

/// Finds the spans of asserting statements that are more than a call, and all bodies inside, in order.
pub fn of_body(facts: &PythonFacts, body: Run) -> (Vec<Span>, Vec<NestedBlock>) {
    let mut walk = PythonSpanWalk {
        facts,
        assertions: Vec::new(),
        blocks: Vec::new(),
    };
    walk.block(body);
    let PythonSpanWalk {
        mut assertions,
        mut blocks,
        ..
    } = walk;
    for lambda in lambdas_in(facts, body) {
        let span = facts.span(lambda.body);
        blocks.push(NestedBlock {
            span,
            statements: vec![span],
            is_function: true,
        });
    }
    assertions.sort_unstable();
    blocks.sort_by_key(|block| (block.span.start, std::cmp::Reverse(block.span.end)));
    (assertions, blocks)
}

struct PythonSpanWalk<'f> {
    facts: &'f PythonFacts,
    assertions: Vec<Span>,
    blocks: Vec<NestedBlock>,
}

impl PythonSpanWalk<'_> {
    fn block(&mut self, block: Run) {
        for at in block.range() {
            self.stmt(self.facts.blocks[at]);
        }
    }

    /// Records a body inside the test's, and walks it.
    fn inner(&mut self, block: Run, is_function: bool) {
        let ids = self.facts.block(block);
        let statements: Vec<Span> = ids.iter().map(|id| self.facts.stmt_span(*id)).collect();
        if let (Some(first), Some(last)) = (statements.first(), statements.last()) {
            self.blocks.push(NestedBlock {
                span: Span::new(first.start, last.end),
                statements,
                is_function,
            });
        }
        self.block(block);
    }

    fn stmt(&mut self, id: StmtId) {
        let stmt = self.facts.stmt(id);
        match stmt {
            Stmt::Assert(_) => self.assertions.push(self.facts.stmt_span(id)),
            Stmt::With { items, .. } => {
                let mut items = self.facts.items[items.range()].iter();
                if items.any(|with_item| self.is_expecting(with_item.value)) {
                    self.assertions.push(self.facts.stmt_span(id));
                }
            }
            Stmt::Define(local) => self.inner(self.facts.scope(local).body, true),
            _ => {}
        }
        for body in self.facts.bodies(stmt) {
            self.inner(body, false);
        }
    }

    fn is_expecting(&self, value: ExprId) -> bool {
        let Expr::Call { function, .. } = self.facts.expr(value) else {
            return false;
        };
        self.facts
            .dotted(function)
            .is_some_and(|text| is_expecting(&text))
    }
}

/// Collects the lambdas that stand in a body, in no order.
fn lambdas_in(facts: &PythonFacts, body: Run) -> Vec<Lambda> {
    let ids = facts.block(body);
    let (Some(first), Some(last)) = (ids.first(), ids.last()) else {
        return Vec::new();
    };
    let span = Span::new(facts.stmt_span(*first).start, facts.stmt_span(*last).end);
    let start = facts
        .lambda_starts
        .partition_point(|lambda_start| lambda_start.0 < span.start);
    facts.lambda_starts[start..]
        .iter()
        .take_while(|lambda_start| lambda_start.0 < span.end)
        .map(|lambda_start| facts.lambdas[lambda_start.1 as usize])
        .collect()
}
