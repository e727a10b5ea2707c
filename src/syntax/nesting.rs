//! How deep source may be nested for code that walks its tree by recursion.

/// Nesting of expressions, statements, types and patterns beyond which source is not read: people nest far less, and
/// the recursion must fit on the stack of a thread.
///
/// There is one limit for all languages. The fixtures of every language nest thousands of levels on the stack of a
/// test's thread, without optimization, where frames are largest.
pub const NESTING_MAX: u32 = 160;

/// Runs `f` one level deeper in a walk that counts its levels in `depth`; nothing where that is beyond [`NESTING_MAX`].
pub fn deeper<W, R>(
    walk: &mut W,
    depth: impl Fn(&mut W) -> &mut u32,
    f: impl FnOnce(&mut W) -> R,
) -> Option<R> {
    if *depth(walk) >= NESTING_MAX {
        return None;
    }
    *depth(walk) += 1;
    let value = f(walk);
    *depth(walk) -= 1;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::{NESTING_MAX, deeper};

    /// Goes down as far as allowed, and returns how far that is.
    fn deepest(depth: &mut u32) -> u32 {
        let here = *depth;
        deeper(depth, |n| n, deepest).unwrap_or(here)
    }

    #[test]
    fn a_walk_ends_at_the_limit_and_comes_back_to_where_it_began() {
        let mut depth = 0;
        assert_eq!(deepest(&mut depth), NESTING_MAX);
        assert_eq!(depth, 0);
    }
}
