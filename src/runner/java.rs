//! Java: projects that Maven builds, and the engines that run their tests.

mod build;
mod events;
pub mod fast;
pub mod faults;
mod generated;
pub mod host;
mod invoke;
mod kit;
mod log;
pub mod maven;
pub mod member;
mod plugins;
mod pom;
mod prepare;
#[cfg(test)]
mod races;
pub mod scaffold;
mod settings;
mod text;
mod tools;

pub use build::{Build, Javac, Jdk, Maven, Module, Surefire, UnbuiltModule};
pub use generated::{EvoSuite, GeneratedTest, Unit};
pub use prepare::{PrepareOptions, PreparedBuild, asked_java, is_gradle, prepare};
pub use tools::Machine;
