//! Python: environments as of a date, and a server that forks a process for each test.
//!
//! [`prepare()`] makes an [`Environment`] of a project; [`run_cases`] runs test files in it. The embedded Python files
//! are documented at their heads.

mod ast;
mod cache;
mod canary;
mod case;
mod cut;
mod engine;
mod environment;
mod facts;
mod faults;
mod history;
mod interpreter;
mod placed;
mod prepare;
mod program;
#[cfg(test)]
mod races;
mod refused;
mod run;
mod server;
mod shakes;
mod tasks;
mod tree;
mod variants;

pub use ast::{AstError, AstParser};
pub use case::{
    CaseExecution, CaseLimit, ChangedFile, FocalExecution, ItemExecution, PythonCase, clean,
};
pub use cut::{TestExcerpt, cut, is_test};
pub use engine::ForkingEngine;
pub use environment::{Environment, Interpreter, PreparationStep, ProjectSuite, RefusedProject};
pub use facts::{BodyFacts, ClassFacts, FileFacts, FunctionFacts, StatementFacts, facts};
pub use prepare::{PythonPrepareOptions, Surroundings, found, prepare, prepared};
pub use run::{CaseRunner, ProcessKind, Statements, run_cases, statements};
pub use tasks::{
    AssertFacts, Definition, FileDefinitions, FilledBlank, FunctionReply, FunctionText,
    OperandFacts, ProblemFacts, TextQuestion, ask, tasks_version,
};
