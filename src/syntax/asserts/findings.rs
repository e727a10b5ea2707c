//! The findings of a walk: whether something can fail, and the calls that may lead to it.

use super::IdleReason;

/// The findings about a body, before helpers are looked up.
#[derive(Debug, Default)]
pub struct AssertFindings {
    pub asserts: bool,
    /// Whether something checks, rather than only throws, which tested code may do too.
    pub checks: bool,
    /// Why the first assertion that cannot fail cannot.
    pub idle: Option<IdleReason>,
    /// In the order of the text.
    pub calls: Vec<AssertHelperCall>,
}

/// The receiver of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelperReceiver {
    /// Nothing, or the test's own object.
    Own,
    /// A name that is written as a type's.
    Type(String),
    Other,
}

/// A call that may lead to something that can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertHelperCall {
    pub name: String,
    pub on: HelperReceiver,
    /// Whether its name alone says that it asserts.
    pub speaks: bool,
}
