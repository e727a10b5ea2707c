//! The verb `browse`: what the faces show of an index, and the filter language.
