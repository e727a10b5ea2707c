//! The steps in which one call was resolved, for people.

use super::choose::{Candidate, Choice};
use super::{Group, Walker};
use crate::csharp::project::Project;
use crate::csharp::types::{MemberId, Ty};
use crate::index::Step;
use crate::model::{MethodId, Span};

/// How many candidates are listed.
const LISTED_MAX: usize = 40;

/// What is written down while the call at a place is resolved.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    at: u32,
    steps: Vec<Step>,
}

/// Returns the steps in which a call in a method's body was resolved.
pub fn trace(project: &Project, method: MethodId, call: u32) -> Vec<Step> {
    let calls = super::calls(project, method);
    let (Some(call), Some((id, _))) = (calls.get(call as usize), project.member_of(method)) else {
        return Vec::new();
    };
    let Some(mut walker) = Walker::new(project, id) else {
        return Vec::new();
    };
    walker.trace = Some(Trace {
        at: call.name_span.start,
        steps: Vec::new(),
    });
    walker.member(id);
    walker.trace.map_or_else(Vec::new, |it| it.steps)
}

impl Walker<'_> {
    pub(super) fn trace_group(
        &mut self,
        name: Span,
        group: &Group,
        candidates: &[Candidate],
        choice: &Choice,
    ) {
        if self.trace.as_ref().is_none_or(|it| it.at != name.start) {
            return;
        }
        let mut steps = vec![Step {
            label: "receiver",
            detail: self.project.shown(&group.receiver),
        }];
        for candidate in candidates.iter().take(LISTED_MAX) {
            steps.push(Step {
                label: "candidate",
                detail: self.project.shown_member(candidate.member),
            });
        }
        match choice {
            Choice::One(one) => steps.push(Step {
                label: "chosen",
                detail: self.project.shown_member(one.member),
            }),
            Choice::Several(several) => {
                for it in several.iter().take(LISTED_MAX) {
                    steps.push(Step {
                        label: "fits",
                        detail: self.project.shown_member(it.member),
                    });
                }
            }
            Choice::None => steps.push(Step {
                label: "chosen",
                detail: "none".to_owned(),
            }),
        }
        if let Some(trace) = &mut self.trace {
            trace.steps = steps;
        }
    }
}

impl Project {
    fn shown_member(&self, id: MemberId) -> String {
        let member = self.member(id);
        if let Some(method) = member.method {
            self.methods[method.0 as usize].key()
        } else {
            let params: Vec<String> = member.params.iter().map(|it| self.shown(&it.ty)).collect();
            let owner = &self.ty(member.owner).qualified;
            format!("{owner}#{}({})", self.word(member.name), params.join(","))
        }
    }

    /// Returns a type for people.
    fn shown(&self, ty: &Ty) -> String {
        match ty {
            Ty::Unknown => "unknown".to_owned(),
            Ty::Null => "null".to_owned(),
            Ty::Void => "void".to_owned(),
            Ty::Named(id, args) => {
                let name = &self.ty(*id).qualified;
                if args.is_empty() {
                    name.to_string()
                } else {
                    let args: Vec<String> = args.iter().map(|it| self.shown(it)).collect();
                    format!("{name}<{}>", args.join(", "))
                }
            }
            Ty::Array(element, _) => format!("{}[]", self.shown(element)),
            Ty::Nullable(inner) => format!("{}?", self.shown(inner)),
            Ty::Pointer(inner) => format!("{}*", self.shown(inner)),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|it| self.shown(&it.1)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Anonymous(_) => "an anonymous type".to_owned(),
            Ty::Var(var) => self.word(self.var(*var).name).to_owned(),
            Ty::Missing(name) => format!("{}, which is declared nowhere", self.word(*name)),
        }
    }
}
