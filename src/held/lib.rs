//! Folders that strangers could have filled, and files in them, reached without following a link.
//!
//! Decides how a path below such a folder is walked, read, written and removed. Which folders those are, and what lies
//! in them, is for others: the sandbox's are what foreign code can write, the workspace's are what a clone brings
//! along.

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests make the files that they look at, and nobody else writes there"
    )
)]

mod root;

pub use root::{EntryKind, Root};
