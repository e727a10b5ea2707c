//! The engine for real: small projects of ours, and what hostile predictions come to. They need `bwrap` and a JDK.

mod real;
