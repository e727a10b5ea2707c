//! C#: facts of a file, the project index, and the resolution of calls.

pub mod dialect;
mod facts;
mod msbuild;
mod preprocess;
