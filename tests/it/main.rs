//! The one integration binary; one module per subject.
