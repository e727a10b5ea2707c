//! Turns the records of a walk into the calls of a body.

use super::{GoCallRecord, GoWalker};
use crate::go::project::GoProject;
use crate::go::types::FuncId;
use crate::index::Flow;
use crate::model::{Call, CallRole, NestedBlock, Resolution, Span};
use crate::statements::statement_of;

/// The findings of a walk over a function's body.
#[derive(Debug, Default)]
pub struct Body {
    /// In order of the name tokens.
    pub calls: Vec<Call>,
    /// In order of their beginnings.
    pub assertions: Vec<Span>,
    pub blocks: Vec<NestedBlock>,
    pub is_parametrised: bool,
    /// In order of `to`, then `from`.
    pub flows: Vec<Flow>,
}

/// Walks the body of a function and resolves every call in it; nothing is found where there is no body.
pub fn body(project: &GoProject, id: FuncId) -> Body {
    let walker = walked(project, id, |_| {});
    let statements = project.statements(id);
    let mut assertions = walker.assertions.clone();
    assertions.sort_unstable();
    let number = numbers(&walker);
    Body {
        calls: calls(&walker, &statements, &number),
        flows: flows(&walker, &number),
        assertions,
        blocks: walker.blocks,
        is_parametrised: walker.is_parametrised,
    }
}

pub(super) fn walked<'p>(
    project: &'p GoProject,
    id: FuncId,
    prepare: impl FnOnce(&mut GoWalker<'p>),
) -> GoWalker<'p> {
    let mut walker = GoWalker::new(project, project.func(id).file);
    prepare(&mut walker);
    walker.function(id);
    walker
}

/// Numbers the records that are calls; `u32::MAX` for those that turned out to be none.
fn numbers(walker: &GoWalker<'_>) -> Vec<u32> {
    let records = &walker.records;
    let mut number = vec![u32::MAX; records.len()];
    for (index, at) in order(walker).into_iter().enumerate() {
        number[at as usize] = index as u32;
    }
    number
}

fn order(walker: &GoWalker<'_>) -> Vec<u32> {
    let records = &walker.records;
    let mut order: Vec<u32> = (0..records.len() as u32)
        .filter(|at| records[*at as usize].resolution.is_some())
        .collect();
    order.sort_by_key(|at| records[*at as usize].name_at);
    order
}

fn flows(walker: &GoWalker<'_>, number: &[u32]) -> Vec<Flow> {
    let of = |at: u32| Some(number[at as usize]).filter(|n| *n != u32::MAX);
    let flows = walker.flows.iter().filter_map(|(from, to, role)| {
        let (to, role) = match of(*to) {
            Some(to) => (to, *role),
            // A conversion or a built-in hands on to the call around it.
            None => parent_of(&walker.records, &walker.records[*to as usize], number)?,
        };
        Some(Flow {
            from: of(*from)?,
            to,
            role,
        })
    });
    let mut flows: Vec<Flow> = flows.collect();
    flows.sort_by_key(|flow| (flow.to, flow.from, flow.role == CallRole::Argument));
    flows.dedup();
    flows
}

fn calls(walker: &GoWalker<'_>, statements: &[Span], number: &[u32]) -> Vec<Call> {
    let records = &walker.records;
    let order = order(walker);
    let lines = &walker.facts.lines;
    let made = order.iter().filter_map(|at| {
        let record = &records[*at as usize];
        let name_span = walker.name_span(record);
        Some(Call {
            kind: record.kind,
            name: walker.project.word(record.name).to_string(),
            span: record.span,
            name_span,
            at: lines.position(name_span.start),
            end: lines.position(record.span.end),
            parent: parent_of(records, record, number),
            statement: statement_of(statements, name_span),
            depth: record.depth,
            n_arguments: record.n_arguments,
            marks: record.marks,
            resolution: record.resolution.clone()?,
        })
    });
    made.collect()
}

/// Finds the nearest call around a record; records that turned out to be no calls are skipped.
fn parent_of(
    records: &[GoCallRecord],
    record: &GoCallRecord,
    number: &[u32],
) -> Option<(u32, CallRole)> {
    let mut next = record.parent;
    while let Some((at, role)) = next {
        match number[at as usize] {
            u32::MAX => next = records[at as usize].parent,
            index => return Some((index, role)),
        }
    }
    None
}

impl GoProject {
    /// Lists the spans of the statements in a function's body.
    pub fn statements(&self, id: FuncId) -> Vec<Span> {
        match self.func_decl(id) {
            Some((file, decl)) => decl
                .body
                .map_or_else(Vec::new, |block_id| file.facts.spans_of(block_id)),
            None => Vec::new(),
        }
    }
}

/// Returns the declaration that a call means, where it is certain.
pub fn declared(call: &Call) -> Option<FuncId> {
    match call.resolution {
        Resolution::Declared(id) => Some(FuncId(id.0)),
        _ => None,
    }
}
