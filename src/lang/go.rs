//! Go: its words. It can be scored, not mined.

pub mod dialect;
mod facts;
