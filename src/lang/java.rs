//! The Java front end: facts of a file, the project index, and the resolution of calls.
