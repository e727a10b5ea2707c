//! Java: projects that Maven builds, and the engines that run their tests.

mod build;
pub mod fast;
pub mod host;
pub mod member;
pub mod scaffold;

pub use build::{Build, Javac, Jdk, Maven, Module, Surefire, Unbuilt};
