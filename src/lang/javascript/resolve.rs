//! Resolves the calls of a body.

mod callee;
mod trace;

use rustc_hash::FxHashMap;

pub use self::trace::trace;
use super::eval::{Eval, MemberDefinition};
use super::facts::{Expr, FnId, Function, JavaScriptFacts, SiteId, SiteKind};
use super::project::{Decl, JavaScriptProject};
use super::value::ValueSet;
use crate::calls::role;
use crate::model::{
    CONSTRUCTOR, Call, CallKind, CallMarks, CallRole, FileId, MethodId, Resolution, UnknownReason,
};
use crate::statements::statement_of;

/// Finds the function that runs when a method does; nothing for a generated constructor, or a test without a function
/// in sight.
pub fn function_of(project: &JavaScriptProject, method: MethodId) -> Option<(FileId, FnId)> {
    match *project.decls.get(method.0 as usize)? {
        Decl::Function(file, function) => Some((file, function)),
        Decl::Case(file, case) => {
            let function = project.file(file).case_functions[case as usize]?;
            Some((file, function))
        }
        Decl::Default(..) => None,
    }
}

/// Resolves every call in a method's body, in order of the name tokens.
pub fn calls(project: &JavaScriptProject, method: MethodId) -> Vec<Call> {
    let Some((file, function)) = function_of(project, method) else {
        return Vec::new();
    };
    let facts = &project.file(file).facts;
    let function_facts = facts.function(function);
    let mut resolver = Resolver::new(project, file);
    let mut found: Vec<(SiteId, SiteResolution)> = Vec::new();
    // The last come first: of a chain the innermost call has the largest number, and the others need its value.
    for at in (function_facts.sites.0..function_facts.sites.1).rev() {
        let id = SiteId(at);
        if let Some(resolved) = resolver.site(id) {
            found.push((id, resolved));
        }
    }
    found.sort_by_key(|(id, _)| (facts.site(*id).name_span.start, id.0));
    let number: FxHashMap<SiteId, u32> = found
        .iter()
        .enumerate()
        .map(|(n, (id, _))| (*id, n as u32))
        .collect();
    let calls = found
        .into_iter()
        .map(|(id, resolved)| call_of(facts, function_facts, (id, resolved), &number));
    calls.collect()
}

fn call_of(
    facts: &JavaScriptFacts,
    function: &Function,
    (id, resolved): (SiteId, SiteResolution),
    number: &FxHashMap<SiteId, u32>,
) -> Call {
    let site = facts.site(id);
    Call {
        kind: resolved.kind,
        name: match resolved.kind {
            CallKind::Constructor | CallKind::Delegation => CONSTRUCTOR.to_owned(),
            _ => facts.word(site.name).to_owned(),
        },
        span: site.span,
        name_span: site.name_span,
        at: facts.lines.position(site.name_span.start),
        end: facts.lines.position(site.span.end),
        parent: parent_of(facts, id, number),
        statement: statement_of(&function.statements, site.name_span),
        depth: site.depth.saturating_sub(function.depth + 1),
        n_arguments: site.args.len().min(usize::from(u16::MAX)) as u16,
        resolution: resolved.resolution,
        marks: resolved.marks,
    }
}

/// Finds the nearest site around one that turned out to be a call.
fn parent_of(
    facts: &JavaScriptFacts,
    id: SiteId,
    number: &FxHashMap<SiteId, u32>,
) -> Option<(u32, CallRole)> {
    let mut site = facts.site(id);
    for _ in 0..400 {
        let parent = site.parent?;
        if let Some(&n) = number.get(&parent) {
            return Some((n, role(site.is_argument)));
        }
        site = facts.site(parent);
    }
    None
}

/// The call that a site turned out to be.
#[derive(Clone, Debug)]
pub struct SiteResolution {
    pub kind: CallKind,
    pub resolution: Resolution,
    pub marks: CallMarks,
}

impl SiteResolution {
    const fn new(kind: CallKind, resolution: Resolution, marks: CallMarks) -> Self {
        Self {
            kind,
            resolution,
            marks,
        }
    }
}

/// Resolves the sites of one file, one after the other.
pub struct Resolver<'p> {
    pub project: &'p JavaScriptProject,
    pub file: FileId,
    pub eval: Eval<'p>,
}

impl<'p> Resolver<'p> {
    pub fn new(project: &'p JavaScriptProject, file: FileId) -> Self {
        Self {
            project,
            file,
            eval: Eval::new(project),
        }
    }

    fn facts(&self) -> &'p JavaScriptFacts {
        &self.project.file(self.file).facts
    }

    /// Resolves a call site; nothing for sites that are no calls.
    pub fn site(&mut self, id: SiteId) -> Option<SiteResolution> {
        self.eval.refresh();
        let site = self.facts().site(id);
        match site.kind {
            SiteKind::Call => self.call(id),
            SiteKind::New => self.new_object(id),
            SiteKind::Handed => self.handed(id),
            SiteKind::Read => self.read(id),
        }
    }

    fn call(&mut self, id: SiteId) -> Option<SiteResolution> {
        let facts = self.facts();
        let site = facts.site(id);
        let callee = facts.expr(site.callee);
        if let Expr::Super(_) = callee {
            let bases = self.eval.expr(self.file, site.callee);
            let (resolution, marks) = self.constructor(&bases);
            return Some(SiteResolution::new(CallKind::Delegation, resolution, marks));
        }
        if site.name == super::facts::Name(0) {
            return None;
        }
        let (resolution, marks) = self.callee(id);
        let resolution = match resolution {
            Resolution::Unknown(_) if site.is_broken => {
                Resolution::Unknown(UnknownReason::BrokenSyntax)
            }
            other => other,
        };
        Some(SiteResolution::new(CallKind::Method, resolution, marks))
    }

    fn new_object(&mut self, id: SiteId) -> Option<SiteResolution> {
        let site = self.facts().site(id);
        if site.name == super::facts::Name(0) {
            return None;
        }
        let callees = self.eval.expr(self.file, site.callee);
        let (resolution, marks) = self.constructor(&callees);
        Some(SiteResolution::new(
            CallKind::Constructor,
            resolution,
            marks,
        ))
    }

    /// Resolves a function that is handed over, where it is certain which one it is.
    fn handed(&mut self, id: SiteId) -> Option<SiteResolution> {
        if let Some(read) = self.read(id) {
            return Some(read);
        }
        let site = self.facts().site(id);
        let values = self.eval.expr(self.file, site.callee);
        let is_function = values
            .list
            .iter()
            .all(super::value::JavaScriptValue::may_be_function);
        if !is_function || values.list.is_empty() {
            return None;
        }
        let (resolution, mut marks) = self.callables(&values);
        if marks.has(CallMarks::COMPUTED) {
            // A computed name stands for a function where it is called; a member that is read may hold anything.
            return None;
        }
        marks.add(CallMarks::HANDED_OVER);
        matches!(resolution, Resolution::Declared(_)).then_some(SiteResolution::new(
            CallKind::Reference,
            resolution,
            marks,
        ))
    }

    /// Resolves a member that is read, where it is a getter of the project.
    fn read(&mut self, id: SiteId) -> Option<SiteResolution> {
        let facts = self.facts();
        let site = facts.site(id);
        let Expr::Member(object, name) = *facts.expr(site.callee) else {
            return None;
        };
        let sym = self.project.file(self.file).sym(name);
        if !self.project.getters.contains(&sym) {
            return None;
        }
        let objects = self.eval.expr(self.file, object);
        let found = self.eval.lookup(&objects, sym);
        let [MemberDefinition::Getter(file, function)] = found[..] else {
            return None;
        };
        let method = self.project.method_of(file, function)?;
        Some(SiteResolution::new(
            CallKind::Property,
            Resolution::Declared(method),
            CallMarks::NONE,
        ))
    }

    /// Evaluates a site's callee.
    pub fn callee_vals(&mut self, id: SiteId) -> ValueSet {
        let site = self.facts().site(id);
        let values = self.eval.expr(self.file, site.callee);
        self.eval.concrete(&values)
    }
}
