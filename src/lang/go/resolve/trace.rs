//! Records what resolution did for one call, as steps for people; nothing for calls that nobody asked about.

use super::{GoWalker, collect};
use crate::calls::{Trace, words};
use crate::go::project::{GoFuncPlace, GoProject};
use crate::go::types::{Basic, FuncId, Ty};
use crate::index::ResolutionStep;

/// Records the steps in which a call of a function's body was resolved; `call` is its index among the body's calls.
pub fn trace(project: &GoProject, id: FuncId, call: u32) -> Vec<ResolutionStep> {
    let body = collect::body(project, id);
    let Some(call) = body.calls.get(call as usize) else {
        return Vec::new();
    };
    let at = call.name_span.start;
    let walker = collect::walked(project, id, |walker| {
        walker.trace = Some(Trace::new(at));
    });
    let mut steps = walker.trace.map_or_else(Vec::new, |trace| trace.steps);
    steps.push(ResolutionStep::new(
        "resolved",
        words(&project.methods, &call.resolution),
    ));
    steps
}

/// How deep types in types are shown: deeper ones are unreadable.
const SHOWN_MAX: u32 = 8;

impl GoWalker<'_> {
    fn note(&mut self, at: u32, label: &'static str, detail: impl FnOnce(&GoProject) -> String) {
        let project = self.project;
        if let Some(trace) = self.trace.as_mut().filter(|trace| trace.of == at) {
            trace
                .steps
                .push(ResolutionStep::new(label, detail(project)));
        }
    }

    /// Records the type of the receiver.
    pub(super) fn note_receiver(&mut self, at: u32, ty: &Ty) {
        self.note(at, "receiver", |project| {
            format!("of type {}", project.show(ty))
        });
    }

    pub(super) fn note_lost(&mut self, at: u32) {
        self.note(at, "receiver", |_| {
            "its type is not known; if it is a call, explain that call first".to_owned()
        });
    }

    /// Records the declaration that was found.
    pub(super) fn note_declared(&mut self, record: u32, id: FuncId) {
        let at = self.records[record as usize].name_at;
        self.note(at, "found", |project| {
            let func = project.func(id);
            let file = project.file(func.file);
            let what = match (func.place, func.receiver) {
                (GoFuncPlace::InterfaceMethod(_), _) => "declared by an interface",
                (_, Some(_)) => "declared on the type, or on one that it embeds",
                (_, None) => "a function",
            };
            let built = if file.facts.is_built {
                ""
            } else {
                ", not built on Linux"
            };
            format!(
                "{} in {}: {what}{built}",
                project.methods[id.0 as usize].key(),
                file.facts.path
            )
        });
    }
}

impl GoProject {
    /// Writes a type for people.
    fn show(&self, ty: &Ty) -> String {
        self.describe_type(ty, SHOWN_MAX)
    }

    fn describe_type(&self, ty: &Ty, depth: u32) -> String {
        let Some(depth) = depth.checked_sub(1) else {
            return "…".to_owned();
        };
        let show = |ty: &Ty| self.describe_type(ty, depth);
        let list = |types: &[Ty]| {
            let types: Vec<String> = types.iter().map(show).collect();
            types.join(", ")
        };
        match ty {
            Ty::Unknown => "unknown".to_owned(),
            Ty::Basic(basic) => basic_name(*basic).to_owned(),
            Ty::Error => "error".to_owned(),
            Ty::Foreign(foreign) if foreign.name.is_empty() => {
                format!("of the library {}", foreign.path)
            }
            Ty::Foreign(foreign) => format!("{}.{}", foreign.path, foreign.name),
            Ty::Named(id, args) if args.is_empty() => self.qualified(*id),
            Ty::Named(id, args) => format!("{}[{}]", self.qualified(*id), list(args)),
            Ty::Param(id) => self.word(self.type_params[id.0 as usize].name).to_string(),
            Ty::Pointer(pointee) => format!("*{}", show(pointee)),
            Ty::Slice(element) => format!("[]{}", show(element)),
            Ty::Array(element) => format!("[n]{}", show(element)),
            Ty::Channel(element) => format!("chan {}", show(element)),
            Ty::Map(map) => format!("map[{}]{}", show(&map.0), show(&map.1)),
            Ty::Func(signature) => format!(
                "func({}) ({})",
                list(&signature.params),
                list(&signature.results)
            ),
            Ty::Struct(_) => "struct{…}".to_owned(),
            Ty::Interface(interface)
                if interface.methods.is_empty() && interface.embedded.is_empty() =>
            {
                "any".to_owned()
            }
            Ty::Interface(_) => "interface{…}".to_owned(),
            Ty::Tuple(parts) => format!("({})", list(parts)),
            Ty::Tilde(underlying_type) => format!("~{}", show(underlying_type)),
            Ty::Union(parts) => list(parts).replace(", ", " | "),
        }
    }
}

const fn basic_name(basic: Basic) -> &'static str {
    match basic {
        Basic::Bool | Basic::UntypedBool => "bool",
        Basic::String | Basic::UntypedString => "string",
        Basic::Int | Basic::UntypedInt => "int",
        Basic::Number => "a number",
        Basic::Float | Basic::UntypedFloat => "float64",
        Basic::Complex | Basic::UntypedComplex => "complex128",
        Basic::Rune | Basic::UntypedRune => "rune",
        Basic::Byte => "byte",
        Basic::Nil => "nil",
    }
}
