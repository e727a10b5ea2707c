//! To be written.

use super::{Builder, Scopes};
use crate::code::Code;

pub fn read<'c>(code: &'c Code<'c>, function: u32) -> Scopes<'c> {
    let mut builder = Builder::new(code);
    builder.bar_all("not read yet");
    builder.finish(function, &[])
}
