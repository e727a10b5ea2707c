//! The verb `transfer`: datasets out of an index and into other formats.
