//! The methods that ran in a test, by their runtime names, and the evidence for candidates in them.

use rustc_hash::FxHashMap;

use crate::model::{CONSTRUCTOR, EnteredMethod, Evidence, Evidences, FileRole, Method, MethodId};

/// The methods of a project that ran while one test ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// In order of their first run, each with whether it ever was the outermost of the project's methods.
    ran: Vec<(MethodId, bool)>,
}

impl Trace {
    /// Iterates over the methods that the test itself made run, maybe through foreign code, in order of their first
    /// run.
    pub fn outermost(&self) -> impl Iterator<Item = MethodId> {
        self.ran.iter().filter(|ran| ran.1).map(|ran| ran.0)
    }

    /// Adds the evidence of the run for a candidate. A declaration without a body cannot run: a method of its name that
    /// ran stands for it.
    pub fn judge(&self, evidence: &mut Evidences, methods: &[Method], candidate: MethodId) {
        let declared = &methods[candidate.0 as usize];
        let is_meant = |id: MethodId| {
            let method = &methods[id.0 as usize];
            id == candidate
                || declared.body.is_none()
                    && method.name == declared.name
                    && method.parameters.len() == declared.parameters.len()
        };
        let mut meant = self.ran.iter().filter(|ran| is_meant(ran.0));
        let ran = meant.clone().find(|pair| pair.1).or_else(|| meant.next());
        evidence.set(Evidence::RanOutermost, ran.is_some_and(|ran| ran.1));
        evidence.set(Evidence::RanInside, ran.is_some_and(|ran| !ran.1));
        evidence.set(
            Evidence::RanLast,
            self.outermost().last().is_some_and(is_meant),
        );
        let is_alone = self.outermost().all(is_meant);
        evidence.set(Evidence::OnlyRan, ran.is_some_and(|ran| ran.1) && is_alone);
        evidence.set(Evidence::DidNotRun, ran.is_none());
    }
}

/// A project's methods by the names of the Java virtual machine.
pub struct RuntimeNames<'m> {
    methods: &'m [Method],
    /// By binary name of the class, then name of the method.
    by_class: FxHashMap<String, FxHashMap<&'m str, Vec<MethodId>>>,
}

impl<'m> RuntimeNames<'m> {
    pub fn of(methods: &'m [Method]) -> Self {
        let mut by_class: FxHashMap<String, FxHashMap<&str, Vec<MethodId>>> = FxHashMap::default();
        for (idx, method) in methods.iter().enumerate() {
            if method.role == FileRole::Main {
                let of_class = by_class.entry(binary_name(method)).or_default();
                let of_name = of_class.entry(method.name.as_str()).or_default();
                of_name.push(MethodId(idx as u32));
            }
        }
        Self { methods, by_class }
    }

    /// Makes a trace of the methods that ran, as far as they are declared in the project; others are left out.
    pub fn trace(&self, entered: &[EnteredMethod]) -> Trace {
        let mut ran: Vec<(MethodId, bool)> = Vec::new();
        for entered_method in entered {
            let Some(method) = self.find(entered_method) else {
                continue;
            };
            let is_outermost = entered_method.depth == 0;
            match ran.iter_mut().find(|pair| pair.0 == method) {
                Some(known) => known.1 |= is_outermost,
                None => ran.push((method, is_outermost)),
            }
        }
        Trace { ran }
    }

    fn find(&self, entered: &EnteredMethod) -> Option<MethodId> {
        let of_class = self.by_class.get(&entered.class)?;
        let several = of_class.get(entered.name.as_str())?;
        let types = entered.parameters()?;
        let fits = |id: &&MethodId| {
            let method = &self.methods[id.0 as usize];
            let own = &method.parameters;
            own[..] == types[..] || method.name == CONSTRUCTOR && types.ends_with(own)
        };
        // A type that the index could not find is as written in the source, so only the number of parameters compares.
        let by_count = |id: &&MethodId| self.methods[id.0 as usize].parameters.len() == types.len();
        let mut alike = several.iter().filter(by_count);
        let only = alike.next().filter(|_| alike.next().is_none());
        several.iter().find(fits).or(only).copied()
    }
}

/// Writes `p.Outer$Inner` for a method of the class `p.Outer.Inner`.
fn binary_name(method: &Method) -> String {
    let package = method.package();
    let nesting = method.nesting().replace('.', "$");
    if package.is_empty() {
        nesting
    } else {
        format!("{package}.{nesting}")
    }
}
