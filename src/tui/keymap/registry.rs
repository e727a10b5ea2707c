//! The list of all tables of actions.

use super::KeyAction;
use super::table;
use crate::screen::{
    annotate, clover, compare, consistency, disagree, faults, jobs, results, runs, samples,
};

/// The registry: the tables of single screens and the shared ones. Its order is the order of the help.
pub const TABLES: &[&[KeyAction]] = &[
    results::keys::ACTIONS,
    compare::keys::ACTIONS,
    jobs::keys::ACTIONS,
    annotate::keys::ACTIONS,
    disagree::keys::ACTIONS,
    consistency::keys::ACTIONS,
    clover::keys::ACTIONS,
    faults::keys::ACTIONS,
    table::SHARED,
    samples::keys::ACTIONS,
    runs::keys::ACTIONS,
    table::EVERYWHERE,
];
