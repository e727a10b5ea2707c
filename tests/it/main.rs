//! The one integration binary; one module per subject.

mod matching; // the matching rules, as Markdown
mod tidy; // the arrows of the house, owners of foreign libraries, sizes and headers of files
