//! focalist builds, checks and judges datasets of unit tests.
//!
//! This page is the map of the house. Each room is a package under `src/`; arrows point down only: the compiler holds
//! them, and `tests/it/tidy.rs` holds the manifests.
//!
//! ```text
//! floor 3   main → { cli | tui }                              faces: never each other
//! floor 2   mine · eval · execute · review · browse · transfer · prompts · generate · leakage · benchmark · consistency · clover · plot · scale  verbs
//!           job · report                                              verbs as processes; what several verbs say, as pages; faces use them
//! floor 1   focal → lang → syntax ← { metric failure encode mutate }   store   exchange   diff   config   chart   runner → sandbox   engines
//! floor 0   model · task · held ← git                         words; progress and cancelling; folders without links; repositories
//! beside    baseline → encode                                 a program of its own that meets focalist in files
//! ```
//!
//! - [`model`] is the glossary: the words that more than one module uses.
//! - [`task`] is the [`Monitor`](task::Monitor): how far work is, and whether it should stop.
//! - [`held`] is a folder by its descriptor, below which no link is followed.
//! - [`git`] reads what a repository says about itself, without git, and starts none of its programs.
//! - [`syntax`] is source text by itself: trees, tokens, words, verdicts of parsers, excerpts; owner of tree-sitter.
//! - [`lang`] turns the sources of a project into facts, an index and resolved calls; sole reader of jars. Only
//!   modules that ask what a name means need it.
//! - [`focal`] decides which method a test is about, where the test is cut, and what its context is.
//! - [`metric`] scores a predicted test against the true one; every text metric of the field, as its source computes
//!   it.
//! - [`failure`] says what a prediction does differently than its reference, by the trees of both.
//! - [`encode`] is Java as the sequence of its tree, for models that read and write syntax, and back.
//! - [`mutate`] changes functions by their syntax trees: equivalent variants, by the nine passes of `CCTest`, and
//!   faults.
//! - [`diff`] is the difference of two texts as rows for people.
//! - [`store`] is the index and the verdicts on disk; sole owner of SQLite.
//! - [`exchange`] is files in and out; the only place that knows how our words look as JSON.
//! - [`chart`] is figures as values, and how they are written: SVG, characters, numbers.
//! - [`config`] is what people set: settings and keys out of TOML, with their places, and what is wrong with them.
//! - [`sandbox`] runs code of others where it can do no harm; the only place that starts such code.
//! - [`runner`] builds projects and runs candidates in them, in the sandbox: one engine a language, behind one trait.
//! - [`mine`], [`eval`], [`execute`], [`review`], [`browse`], [`transfer`], [`prompts`], [`generate`], [`leakage`],
//!   [`benchmark`], [`consistency`], [`clover`], [`plot`], [`scale`]: one module per verb. A verb is a plain blocking
//!   function `verb(&mut Store, &Monitor, Options) -> Result<Report, Error>`; command line, terminal UI and tests call
//!   the same. [`transfer`] looks into [`lang`] and [`focal`] as [`mine`] does: what it imports gets the same tokens
//!   and hashes. [`generate`] alone talks to other machines, and only where it is told to.
//! - [`job`] is a verb that outlives the process that started it: its row, its lock, its log, its turn; owner of
//!   processes and signals to them.
//! - [`report`] writes runs, comparisons and predictions as a page that leaves the house; it strings verbs together
//!   and computes nothing itself.
//! - [`scale`] cuts a list into shards, mines each repository of one in a process of its own, and merges what came of
//!   them.
//! - [`cli`] and [`tui`] are the faces.
//! - `src/baseline` is the program `focalist-baseline`, a model of the sequences of [`encode`]: a workspace of its own,
//!   which `cargo build` does not compile.
//!
//! Engines never fail and do no I/O: they return knowledge with reasons. Only disk, database, outside programs and
//! cancelling are errors. The same input gives the same rows, with one thread or sixteen.

pub use focalist_benchmark as benchmark;
pub use focalist_browse as browse;
pub use focalist_chart as chart;
pub use focalist_cli as cli;
pub use focalist_clover as clover;
pub use focalist_config as config;
pub use focalist_consistency as consistency;
pub use focalist_diff as diff;
pub use focalist_encode as encode;
pub use focalist_eval as eval;
pub use focalist_exchange as exchange;
pub use focalist_execute as execute;
pub use focalist_failure as failure;
pub use focalist_focal as focal;
pub use focalist_generate as generate;
pub use focalist_git as git;
pub use focalist_held as held;
pub use focalist_job as job;
pub use focalist_lang as lang;
pub use focalist_leakage as leakage;
pub use focalist_metric as metric;
pub use focalist_mine as mine;
pub use focalist_model as model;
pub use focalist_mutate as mutate;
pub use focalist_plot as plot;
pub use focalist_prompts as prompts;
pub use focalist_report as report;
pub use focalist_review as review;
pub use focalist_runner as runner;
pub use focalist_sandbox as sandbox;
pub use focalist_scale as scale;
pub use focalist_store as store;
pub use focalist_syntax as syntax;
pub use focalist_task as task;
pub use focalist_transfer as transfer;
pub use focalist_tui as tui;
