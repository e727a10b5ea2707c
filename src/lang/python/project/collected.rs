//! Records of what test frameworks collect: why functions are tests, and where fixtures are.

use rustc_hash::FxHashMap;

use crate::model::{FileId, Framework, TestKind};
use crate::python::types::ScopeId;
use crate::symbols::Sym;

/// Why a function is a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectedTest {
    pub framework: Framework,
    pub kind: TestKind,
    pub is_skipped: bool,
    pub is_parametrised: bool,
    /// The class that is collected: the function's own, or one that inherits it.
    pub class: Option<ScopeId>,
}

/// All fixtures of a project.
#[derive(Debug, Default)]
pub struct Fixtures {
    /// By file or class (its scope) and name.
    pub by_scope: FxHashMap<(ScopeId, Sym), ScopeId>,
    /// The `conftest.py` of each folder.
    pub conftests: FxHashMap<Box<str>, FileId>,
    /// Those with `autouse`, which run without being requested, by file or class.
    pub automatic: FxHashMap<ScopeId, Vec<ScopeId>>,
    /// All fixtures of each name.
    pub named: FxHashMap<Sym, Vec<ScopeId>>,
    /// Functions that set a field of the test's class, by the field's name.
    pub class_setters: FxHashMap<Sym, Vec<ScopeId>>,
}
