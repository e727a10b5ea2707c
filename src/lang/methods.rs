//! Methods as callers see them, and the marks of those that are tests, for every language.

use rustc_hash::FxHashMap;

use crate::lines::LineTable;
use crate::model::{
    FileId, FileRole, Framework, Method, MethodId, MethodKind, Origin, Span, TestKind, Visibility,
};

/// Makes a public method of main code at a place, without a class, a name, parameters or a body.
pub fn at(file: FileId, lines: &LineTable, span: Span, name_at: u32) -> Method {
    Method {
        class: String::new(),
        n_package: 0,
        name: String::new(),
        parameters: Vec::new(),
        ordinal: 1,
        kind: MethodKind::Method,
        signature: String::new(),
        file,
        span,
        body: None,
        start_line: lines.line(span.start),
        end_line: lines.line(span.end.saturating_sub(1).max(span.start)),
        name_line: lines.line(name_at),
        visibility: Visibility::Public,
        is_static: false,
        origin: Origin::Source,
        role: FileRole::Main,
    }
}

/// Numbers methods of the same class, name and parameters, from 1.
pub fn number<'m>(methods: impl IntoIterator<Item = &'m mut Method>) {
    let mut seen: FxHashMap<(String, String, Vec<String>), u32> = FxHashMap::default();
    for method in methods {
        let key = (method.class.clone(), method.name.clone());
        let n = seen.entry((key.0, key.1, method.parameters.clone()));
        let n = n.or_default();
        *n += 1;
        method.ordinal = *n;
    }
}

/// The mark that makes a method a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestMark {
    pub framework: Framework,
    pub kind: TestKind,
    pub is_parametrised: bool,
    pub is_skipped: bool,
}

impl TestMark {
    pub const fn new(framework: Framework, kind: TestKind) -> Self {
        Self {
            framework,
            kind,
            is_parametrised: false,
            is_skipped: false,
        }
    }

    /// Finds the mark of a method among sorted tests; for a method that is not a test, the mark of a plain test of
    /// `framework`.
    pub fn find(tests: &[(MethodId, Self)], method: MethodId, framework: Framework) -> Self {
        let at = tests.binary_search_by_key(&method, |test| test.0);
        at.map_or(Self::new(framework, TestKind::Test), |at| tests[at].1)
    }
}
