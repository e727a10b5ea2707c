//! Which methods of the project's main code a test gets to, and in which way: directly, through a helper of test code
//! (one level deep), behind a supertype's call, or through an assertion on objects of their class.

use super::super::trace::Trace;
use super::super::{declared, is_constructor_call};
use super::EvidenceSources;
use super::reached::{ReachWay, ReachedMethod};
use super::usage::Usage;
use crate::model::{
    Call, CallKind, CallMarks, CallRole, FileRole, Method, MethodId, Origin, Resolution,
};

/// Lists every reached method in order of its first call.
pub fn reach(sources: &EvidenceSources<'_>, usage: &Usage) -> Vec<ReachedMethod> {
    let mut found = ReachedMethods {
        methods: sources.methods,
        reached: Vec::new(),
    };
    for (idx, call) in sources.test_case.calls.iter().enumerate() {
        let idx = idx as u32;
        let target = declared(&call.resolution);
        if call.marks.has(CallMarks::BY_NAME)
            && let Resolution::Ambiguous(several) = &call.resolution
        {
            // The call may mean any of them: other evidence decides.
            for method in several {
                if found.is_main(*method) {
                    found.add(*method, idx, ReachWay::Direct);
                }
            }
            continue;
        }
        match target {
            Some(target) if found.is_main(target) => found.add(target, idx, ReachWay::Direct),
            Some(target) if !is_constructor_call(call.kind) => {
                for callee in (sources.callees)(target) {
                    if found.is_main(callee.method) {
                        found.add(callee.method, idx, ReachWay::Helper);
                    }
                }
            }
            _ => {}
        }
        if call.kind == CallKind::Method {
            if let Some(behind) = behind(sources, idx, call)
                && Some(behind) != target
                && found.is_main(behind)
            {
                found.add(behind, idx, ReachWay::RunTime);
            }
            for equals in implicit(sources, usage, idx, call) {
                if found.is_main(equals) {
                    found.add(equals, idx, ReachWay::Implicit);
                }
            }
        }
    }
    // Where the test itself shows what it calls, more candidates would only do harm.
    let says_itself = found
        .reached
        .iter()
        .any(|reached_method| reached_method.has(ReachWay::Direct));
    let ran = sources.trace.filter(|_| !says_itself);
    for method in ran.into_iter().flat_map(Trace::outermost) {
        if found.is_main(method) {
            found.add_uncalled(method);
        }
    }
    for fixture in &sources.test_case.fixtures {
        for callee in (sources.callees)(*fixture) {
            found.mark(callee.method, ReachWay::Fixture);
        }
    }
    for reached_method in &mut found.reached {
        reached_method.is_accessor = sources.index.is_accessor(reached_method.method);
    }
    found.reached
}

struct ReachedMethods<'a> {
    methods: &'a [Method],
    reached: Vec<ReachedMethod>,
}

impl ReachedMethods<'_> {
    /// Tells whether a method is main code, and no constructor that the compiler adds.
    fn is_main(&self, method: MethodId) -> bool {
        let method = &self.methods[method.0 as usize];
        method.role == FileRole::Main
            && (!method.is_constructor() || method.origin != Origin::Compiler)
    }

    fn add(&mut self, method: MethodId, call: u32, way: ReachWay) {
        if let Some(known) = self
            .reached
            .iter_mut()
            .find(|reached_method| reached_method.method == method)
        {
            // A method that is called directly is carried by its own calls alone.
            let is_direct = known.has(ReachWay::Direct);
            if way == ReachWay::Direct && !is_direct {
                known.calls.clear();
            }
            if (way == ReachWay::Direct || !is_direct) && known.calls.last() != Some(&call) {
                known.calls.push(call);
            }
            known.add(way);
            return;
        }
        let mut reached = ReachedMethod::new(method);
        reached.calls.push(call);
        reached.add(way);
        self.reached.push(reached);
    }

    /// Adds a method that no call in sight leads to.
    fn add_uncalled(&mut self, method: MethodId) {
        if self
            .reached
            .iter()
            .all(|reached_method| reached_method.method != method)
        {
            self.reached.push(ReachedMethod::new(method));
        }
    }

    fn mark(&mut self, method: MethodId, way: ReachWay) {
        if let Some(known) = self
            .reached
            .iter_mut()
            .find(|reached_method| reached_method.method == method)
        {
            known.add(way);
        }
    }
}

/// Finds the project's method that runs at a call on an object whose constructor call is in sight.
fn behind(sources: &EvidenceSources<'_>, idx: u32, call: &Call) -> Option<MethodId> {
    let has_body = |id: MethodId| sources.methods[id.0 as usize].body.is_some();
    let is_settled = match &call.resolution {
        Resolution::Declared(id) => has_body(*id),
        Resolution::Outside(_) => false,
        Resolution::Ambiguous(_) | Resolution::Unknown(_) => return None,
    };
    if is_settled {
        return None;
    }
    let maker = receiver_maker(sources, idx)?;
    sources
        .index
        .dispatch(maker, &call.name, call.n_arguments as usize)
}

/// Finds the constructor of the object that a call is made on.
fn receiver_maker(sources: &EvidenceSources<'_>, idx: u32) -> Option<MethodId> {
    let made = sources
        .clues
        .field_constructors
        .iter()
        .find(|(call, _)| *call == idx);
    if let Some((_, maker)) = made {
        return Some(*maker);
    }
    let mut makers = sources
        .clues
        .flows
        .iter()
        .filter(|flow| flow.to == idx && flow.role == CallRole::Receiver)
        .map(|flow| constructor(sources, flow.from));
    let first = makers.next()??;
    makers.all(|maker| maker == Some(first)).then_some(first)
}

/// Finds the project's constructor that a call invokes, if it is one.
fn constructor(sources: &EvidenceSources<'_>, idx: u32) -> Option<MethodId> {
    let call = &sources.test_case.calls[idx as usize];
    match call.resolution {
        Resolution::Declared(id) if call.kind == CallKind::Constructor => Some(id),
        _ => None,
    }
}

/// Finds the language's method of comparison in the classes whose objects an equality assertion compares.
fn implicit(sources: &EvidenceSources<'_>, usage: &Usage, idx: u32, call: &Call) -> Vec<MethodId> {
    let compares = sources.dialect.assertions.equal;
    let Some(equality) = sources.dialect.equality else {
        return Vec::new();
    };
    if !compares.contains(&call.name.as_str()) || !sources.asserting().is_assertion(call) {
        return Vec::new();
    }
    let calls = &sources.test_case.calls;
    let nested = usage.children(idx).iter().copied();
    let flown = sources
        .clues
        .flows
        .iter()
        .filter(|flow| flow.to == idx && flow.role == CallRole::Argument)
        .map(|flow| flow.from);
    let mut found: Vec<MethodId> = nested
        .filter(|child| matches!(calls[*child as usize].parent, Some((_, CallRole::Argument))))
        .chain(flown)
        .filter_map(|from| constructor(sources, from))
        .filter_map(|maker| sources.index.dispatch(maker, equality, 1))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
