//! Which method a test is about: candidates and evidence, and the rules that decide between them.
