//! The entry point: hands the arguments to the command line and ends the process with its code.

fn main() {}
