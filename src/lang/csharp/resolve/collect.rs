//! Turns the records of a walk into the calls of one method, in order, each with the one around it.

use std::cmp::Reverse;

use super::{CSharpFoundCall, CSharpWalker};
use crate::calls;
use crate::csharp::facts::ExprId;
use crate::csharp::project::CSharpProject;
use crate::model::{Call, MethodId};

/// Resolves every call in a method's body, in order of the name tokens.
pub fn calls(project: &CSharpProject, method: MethodId) -> Vec<Call> {
    walked(project, method).map_or_else(Vec::new, |pair| pair.0)
}

/// Lists the expressions of a method's calls, in their order.
pub fn flows_of(project: &CSharpProject, method: MethodId) -> Vec<ExprId> {
    walked(project, method).map_or_else(Vec::new, |pair| pair.1)
}

fn walked(project: &CSharpProject, method: MethodId) -> Option<(Vec<Call>, Vec<ExprId>)> {
    let (id, member) = project.member_of(method)?;
    let mut walker = CSharpWalker::new(project, id)?;
    walker.member(id);
    let mut found = walker.found;
    found.sort_by_key(|found_call| (found_call.name_span.start, found_call.span.end));
    found.dedup_by(|b, a| a.name_span == b.name_span && a.name == b.name && a.span == b.span);
    let file = project.file(member.file);
    let facts = &file.facts;
    let statements = match project.member_decl(member) {
        Some(decl) => &facts.statements[decl.statements.range()],
        None => &[],
    };
    // Of two with one span the later name is the outer one: the receiver's comes before.
    let rank = |found_call: &CSharpFoundCall| Reverse(found_call.name_span.start);
    let parents = calls::parents(&found, rank, |top, found_call| {
        top.span.contains(found_call.span)
    });
    let exprs = found.iter().map(|found_call| found_call.besides).collect();
    let calls = found.into_iter().zip(parents);
    let calls = calls.map(|(found_call, parent)| found_call.call(&facts.lines, statements, parent));
    Some((calls.collect(), exprs))
}
