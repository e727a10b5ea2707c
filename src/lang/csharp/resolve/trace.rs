//! The steps in which one call was resolved, for people.

use super::choose::{CSharpCandidate, CSharpOverloadChoice};
use super::{CSharpWalker, MethodGroup};
use crate::calls::Trace;
use crate::csharp::project::CSharpProject;
use crate::csharp::types::{MemberId, Ty};
use crate::index::ResolutionStep;
use crate::model::{MethodId, Span};

/// The greatest number of candidates that are listed, so that the steps stay readable.
const LISTED_MAX: usize = 40;

/// Lists the steps in which a call in a method's body was resolved.
pub fn trace(project: &CSharpProject, method: MethodId, call: u32) -> Vec<ResolutionStep> {
    let calls = super::calls(project, method);
    let (Some(call), Some((id, _))) = (calls.get(call as usize), project.member_of(method)) else {
        return Vec::new();
    };
    let Some(mut walker) = CSharpWalker::new(project, id) else {
        return Vec::new();
    };
    walker.trace = Some(Trace::new(call.name_span.start));
    walker.member(id);
    walker.trace.map_or_else(Vec::new, |trace| trace.steps)
}

impl CSharpWalker<'_> {
    pub(super) fn trace_group(
        &mut self,
        name: Span,
        group: &MethodGroup,
        candidates: &[CSharpCandidate],
        choice: &CSharpOverloadChoice,
    ) {
        if self
            .trace
            .as_ref()
            .is_none_or(|trace| trace.of != name.start)
        {
            return;
        }
        let step = |label, member| ResolutionStep::new(label, self.project.shown_member(member));
        let mut steps = vec![ResolutionStep::new(
            "receiver",
            self.project.describe_type(&group.receiver),
        )];
        let listed = candidates.iter().take(LISTED_MAX);
        steps.extend(listed.map(|candidate| step("candidate", candidate.member)));
        match choice {
            CSharpOverloadChoice::One(one) => steps.push(step("chosen", one.member)),
            CSharpOverloadChoice::Several(several) => {
                let listed = several.iter().take(LISTED_MAX);
                steps.extend(
                    listed.map(|applicable_candidate| step("fits", applicable_candidate.member)),
                );
            }
            CSharpOverloadChoice::None => steps.push(ResolutionStep::new("chosen", "none")),
        }
        if let Some(trace) = &mut self.trace {
            trace.steps = steps;
        }
    }
}

impl CSharpProject {
    fn shown_member(&self, id: MemberId) -> String {
        let member = self.member(id);
        if let Some(method) = member.method {
            self.methods[method.0 as usize].key()
        } else {
            let params: Vec<String> = member
                .params
                .iter()
                .map(|param| self.describe_type(&param.ty))
                .collect();
            let owner = &self.ty(member.owner).qualified;
            format!("{owner}#{}({})", self.word(member.name), params.join(","))
        }
    }

    /// Writes a type for people.
    fn describe_type(&self, ty: &Ty) -> String {
        match ty {
            Ty::Unknown => "unknown".to_owned(),
            Ty::Null => "null".to_owned(),
            Ty::Void => "void".to_owned(),
            Ty::Named(id, args) => {
                let name = &self.ty(*id).qualified;
                if args.is_empty() {
                    name.to_string()
                } else {
                    let args: Vec<String> =
                        args.iter().map(|arg| self.describe_type(arg)).collect();
                    format!("{name}<{}>", args.join(", "))
                }
            }
            Ty::Array(element, _) => format!("{}[]", self.describe_type(element)),
            Ty::Nullable(inner) => format!("{}?", self.describe_type(inner)),
            Ty::Pointer(inner) => format!("{}*", self.describe_type(inner)),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| self.describe_type(&part.1))
                    .collect();
                format!("({})", parts.join(", "))
            }
            Ty::Anonymous(_) => "an anonymous type".to_owned(),
            Ty::Var(var) => self.word(self.var(*var).name).to_owned(),
            Ty::Missing(name) => format!("{}, which is declared nowhere", self.word(*name)),
        }
    }
}
