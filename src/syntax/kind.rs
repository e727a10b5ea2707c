//! How a part of the front end names the node kinds it asks about.
//!
//! Decides nothing of which they are: each part has an enum of its own, as small as its questions.

/// Makes the enum `Kind` from `Variant = "name in the grammar"`, with `Other` for every other name, and `kind_of`, which
/// finds the kind of a name. Variants are in the order they are written in, `Other` last.
#[macro_export]
macro_rules! kinds {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// A node kind that is asked about here; everything else is `Other`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($variant,)*
            Other,
        }

        fn kind_of(name: &str) -> Kind {
            match name {
                $($name => Kind::$variant,)*
                _ => Kind::Other,
            }
        }
    };
}
