//! Java: projects that Maven builds, and the engines that run their tests.

mod build;
mod events;
mod invoke;
mod kit;
mod log;
mod plugins;
mod pom;
mod prepare;
mod tools;

pub use build::{Build, Javac, Jdk, Maven, Module, Surefire, Unbuilt};
pub use prepare::{PrepareOptions, Prepared, prepare};
pub use tools::Machine;
