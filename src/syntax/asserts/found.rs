//! What a walk brings home: what can fail, and the calls that may lead to it.

use super::IdleReason;

/// The findings about a body, before helpers are looked up.
#[derive(Debug, Default)]
pub struct AssertFindings {
    pub asserts: bool,
    /// Whether something checks, rather than only throws as code that is tested does, too.
    pub checks: bool,
    /// Of the first that cannot fail.
    pub idle: Option<IdleReason>,
    /// In the order of the text.
    pub calls: Vec<AssertHelperCall>,
}

/// What a call is called on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelperReceiver {
    /// Nothing, or the test's own object.
    Own,
    /// Something that is written as types are.
    Type(String),
    Other,
}

/// A call that may lead to something that can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertHelperCall {
    pub name: String,
    pub on: HelperReceiver,
    /// Whether its name says so.
    pub speaks: bool,
}
