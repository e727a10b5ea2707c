//! C#: its words. It can be scored, not mined.

pub mod dialect;
