//! The facts about a test beside its calls: its fixtures, its assertions, and the bodies in its body.

use super::eval::Eval;
use super::project::{JavaScriptProject, Test};
use super::resolve::{calls, function_of};
use super::value::JavaScriptValue;
use crate::model::{
    FileId, Flag, Flags, Framework, MethodId, NestedBlock, Span, TestCase, TestKind,
};

/// How many nested bodies, and how many assertions, of one test are listed.
const PARTS_MAX: usize = 5_000;

pub fn test_case(project: &JavaScriptProject, method: MethodId) -> TestCase {
    let found = function_of(project, method);
    let test = project.test(method);
    let (statements, body) = found.map_or_else(Default::default, |(file, function)| {
        let function_facts = project.file(file).facts.function(function);
        (function_facts.statements.clone(), function_facts.body)
    });
    let file = found.map(|found| found.0);
    let (assertions, blocks) = match (file, body) {
        (Some(file), Some(body)) => (assertions(project, file, body), blocks(project, file, body)),
        _ => (Vec::new(), Vec::new()),
    };
    let is_generated = file.is_some_and(|file_id| project.file(file_id).facts.is_generated);
    TestCase {
        method,
        framework: test.map_or(Framework::Unknown, |test| test.framework),
        kind: if test.is_some_and(|test| test.is_parametrised) {
            TestKind::ParameterizedTest
        } else {
            TestKind::Test
        },
        statements,
        calls: calls(project, method),
        fixtures: test.map_or_else(Vec::new, |test| test.fixtures.clone()),
        group: test.map_or_else(String::new, |test| test.group.clone()),
        flags: flags(test, is_generated),
        assertions,
        blocks,
    }
}

fn flags(test: Option<&Test>, is_generated: bool) -> Flags {
    let mut flags = Flags::default();
    flags.set(
        Flag::Parametrised,
        test.is_some_and(|test| test.is_parametrised),
    );
    flags.set(Flag::Skipped, test.is_some_and(|test| test.is_skipped));
    flags.set(Flag::Generated, is_generated);
    flags
}

/// Finds whole chains such as `expect(x).to.be.true`, unless they are the project's own.
fn assertions(project: &JavaScriptProject, file: FileId, body: Span) -> Vec<Span> {
    let facts = &project.file(file).facts;
    let mut eval = Eval::new(project);
    let first = facts
        .chains
        .partition_point(|chain| chain.span.start < body.start);
    let inside = facts.chains[first..]
        .iter()
        .take_while(|chain| chain.span.start < body.end)
        .take(PARTS_MAX);
    let mut spans = Vec::new();
    for chain in inside {
        eval.refresh();
        let values = eval.expr(file, chain.value);
        let is_foreign = values.list.iter().all(|value| {
            matches!(
                value,
                JavaScriptValue::Outside(_)
                    | JavaScriptValue::Result(_, _, Some(_))
                    | JavaScriptValue::Nothing
                    | JavaScriptValue::Runner(_)
            )
        });
        if is_foreign {
            spans.push(chain.span);
        }
    }
    spans
}

fn blocks(project: &JavaScriptProject, file: FileId, body: Span) -> Vec<NestedBlock> {
    let facts = &project.file(file).facts;
    let first = facts
        .blocks
        .partition_point(|block| block.span.start < body.start);
    facts.blocks[first..]
        .iter()
        .take_while(|block| block.span.start < body.end)
        .filter(|block| body.contains(block.span) && block.span != body)
        .take(PARTS_MAX)
        .map(|block| NestedBlock {
            span: block.span,
            statements: block.statements.clone(),
            is_function: block.is_function,
        })
        .collect()
}
