//! Turns the calls that the walk of a body found into the calls that callers see, and describes their resolution in
//! words, for every language.

use std::cmp::Reverse;

use crate::index::ResolutionStep;
use crate::lines::LineTable;
use crate::model::{Call, CallKind, CallMarks, CallRole, Method, MethodId, Resolution, Span};
use crate::statements::statement_of;

/// A call as a walk finds it, with further data of its language.
#[derive(Clone, Debug)]
pub struct FoundCall<X> {
    pub kind: CallKind,
    pub name: String,
    pub span: Span,
    pub name_span: Span,
    pub depth: u16,
    pub n_arguments: u16,
    pub marks: CallMarks,
    pub resolution: Resolution,
    pub besides: X,
}

impl<X> FoundCall<X> {
    /// Returns the call that callers see; `parent` is the one around it.
    pub fn call(
        self,
        lines: &LineTable,
        statements: &[Span],
        parent: Option<(u32, CallRole)>,
    ) -> Call {
        Call {
            kind: self.kind,
            name: self.name,
            span: self.span,
            name_span: self.name_span,
            at: lines.position(self.name_span.start),
            end: lines.position(self.span.end),
            parent,
            statement: statement_of(statements, self.name_span),
            depth: self.depth,
            n_arguments: self.n_arguments,
            marks: self.marks,
            resolution: self.resolution,
        }
    }
}

/// Finds for every call the nearest one around it that `holds` it. Of two calls with the same span, the one of the
/// smaller rank counts as the outer one.
pub fn parents<X, K: Ord>(
    found: &[FoundCall<X>],
    rank: impl Fn(&FoundCall<X>) -> K,
    holds: impl Fn(&FoundCall<X>, &FoundCall<X>) -> bool,
) -> Vec<Option<(u32, CallRole)>> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&n| {
        let Span { start, end } = found[n].span;
        (start, Reverse(end), rank(&found[n]))
    });
    let mut parents = vec![None; found.len()];
    let mut open: Vec<usize> = Vec::new();
    for at in order {
        let call = &found[at];
        while open.last().is_some_and(|&top| !holds(&found[top], call)) {
            open.pop();
        }
        if let Some(&top) = open.last() {
            let is_argument = call.span.end > found[top].name_span.start;
            parents[at] = Some((top as u32, role(is_argument)));
        }
        open.push(at);
    }
    parents
}

/// Tells whether a call is the receiver or an argument of the call around it.
pub const fn role(is_argument: bool) -> CallRole {
    if is_argument {
        CallRole::Argument
    } else {
        CallRole::Receiver
    }
}

/// Describes the resolution of a call in words; `methods` are the project's.
pub fn words(methods: &[Method], resolution: &Resolution) -> String {
    let key = |id: &MethodId| methods[id.0 as usize].key();
    match resolution {
        Resolution::Declared(id) => format!("declared {}", key(id)),
        Resolution::Ambiguous(ids) => {
            let keys: Vec<String> = ids.iter().map(key).collect();
            format!("ambiguous {}", keys.join(" | "))
        }
        Resolution::Outside(Some(owner)) => format!("outside {owner}"),
        Resolution::Outside(None) => "outside".to_owned(),
        Resolution::Unknown(reason) => {
            format!("unknown ({}): {}", reason.as_str(), reason.explain())
        }
    }
}

/// Describes the resolution of a call in steps, in languages that choose among values: each method by its key, `n_max`
/// at most where several may be meant.
pub fn outcome(methods: &[Method], resolution: &Resolution, n_max: usize) -> Vec<ResolutionStep> {
    let step = |label, id: &MethodId| ResolutionStep::new(label, methods[id.0 as usize].key());
    match resolution {
        Resolution::Declared(id) => vec![step("chosen", id)],
        Resolution::Ambiguous(ids) => {
            let ids = ids.iter().take(n_max);
            ids.map(|id| step("candidate", id)).collect()
        }
        Resolution::Outside(owner) => {
            vec![ResolutionStep::new(
                "outside",
                owner.clone().unwrap_or_default(),
            )]
        }
        Resolution::Unknown(reason) => vec![ResolutionStep::new("unknown", reason.as_str())],
    }
}

/// The record of the one call that a user asks about: its number or place, and the steps so far.
#[derive(Clone, Debug)]
pub struct Trace {
    pub of: u32,
    pub steps: Vec<ResolutionStep>,
}

impl Trace {
    pub const fn new(of: u32) -> Self {
        let steps = Vec::new();
        Self { of, steps }
    }
}
