//! A method that a test gets to, and in which ways.

use crate::model::MethodId;

/// How a method is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ReachWay {
    Direct,
    Helper,
    RunTime,
    Implicit,
    Fixture,
}

/// A method that the test reaches.
#[derive(Clone, Debug)]
pub struct ReachedMethod {
    pub method: MethodId,
    /// The calls in the test that carry the evidence: of the method itself, or of the helper or assertion that leads to
    /// it; indices into `TestCase::calls`, in order. Empty where it is only known to have run.
    pub calls: Vec<u32>,
    /// Whether it only reads or writes a field.
    pub is_accessor: bool,
    ways: u8,
}

impl ReachedMethod {
    /// Makes one that nothing leads to yet.
    pub const fn new(method: MethodId) -> Self {
        Self {
            method,
            calls: Vec::new(),
            is_accessor: false,
            ways: 0,
        }
    }

    pub const fn add(&mut self, way: ReachWay) {
        self.ways |= 1 << way as u8;
    }

    pub const fn has(&self, way: ReachWay) -> bool {
        self.ways & (1 << way as u8) != 0
    }
}
