//! The methods that setup code or the focal method reach (MINING.md rules 19 to 22).
//!
//! Calls and references are followed from method to method within two files: the test's and the focal method's.

use rustc_hash::FxHashSet;

use crate::model::{Call, CallKind, FileId, Method, MethodId, Origin, Resolution};

/// The method that one call leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callee {
    pub method: MethodId,
    pub is_constructor: bool,
}

impl Callee {
    /// Resolves `call` to the declaration that it certainly means; an ambiguous call leads nowhere.
    pub fn of(call: &Call) -> Option<Self> {
        match call.resolution {
            Resolution::Declared(method) => Some(Self {
                method,
                is_constructor: super::is_constructor_call(call.kind)
                    || (call.kind == CallKind::Reference && call.is_of_constructor()),
            }),
            _ => None,
        }
    }
}

/// The limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct ContextScope {
    pub test: MethodId,
    pub focal: MethodId,
    /// The files in which a context method must be declared.
    pub files: [FileId; 2],
    pub constructors: bool,
}

/// Collects the methods that `seeds` reach, nearest first, then in order of file and position. Neither the test nor the
/// focal method is among them, nor are methods that only they call.
pub fn reach<'c>(
    scope: &ContextScope,
    methods: &[Method],
    seeds: impl Iterator<Item = Callee>,
    callees: impl Fn(MethodId) -> &'c [Callee],
) -> Vec<MethodId> {
    let mut seen: FxHashSet<MethodId> = [scope.test, scope.focal].into_iter().collect();
    let mut admit = |callee: Callee| {
        let method = &methods[callee.method.0 as usize];
        scope.files.contains(&method.file)
            && method.origin == Origin::Source
            && (scope.constructors || !callee.is_constructor)
            && seen.insert(callee.method)
    };
    let mut reached = Vec::new();
    let mut level: Vec<MethodId> = seeds
        .filter(|callee| admit(*callee))
        .map(|callee| callee.method)
        .collect();
    while !level.is_empty() {
        level.sort_unstable();
        let next = level
            .iter()
            .flat_map(|method| callees(*method))
            .filter(|callee| admit(**callee))
            .map(|callee| callee.method)
            .collect();
        reached.append(&mut level);
        level = next;
    }
    reached
}
