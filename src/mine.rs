//! The verb `mine`: from folders of sources to rows of the index.
