//! The types below each type, for every language.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

/// Number of types below one at which the search stops; the largest hierarchies of real projects have some hundred.
const BELOW_MAX: usize = 5_000;

/// The types right below each type.
#[derive(Debug)]
pub struct Hierarchy<T> {
    below: FxHashMap<T, Vec<T>>,
}

impl<T> Default for Hierarchy<T> {
    fn default() -> Self {
        Self {
            below: FxHashMap::default(),
        }
    }
}

impl<T: Copy + Eq + Hash> Hierarchy<T> {
    /// Adds a type right below another, after those that are already there.
    pub fn add(&mut self, base: T, id: T) {
        self.below.entry(base).or_default().push(id);
    }

    /// Lists the types right below one, in the order in which they were added.
    pub fn right_below(&self, id: T) -> &[T] {
        self.below.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Collects the types below one, at any distance, each once and without the type itself: the nearest first, until
    /// there are `BELOW_MAX`. Circles are harmless.
    pub fn all_below(&self, id: T) -> Vec<T> {
        let mut below = vec![id];
        let mut seen = FxHashSet::from_iter([id]);
        let mut at = 0;
        while at < below.len() && below.len() < BELOW_MAX {
            let next = self.right_below(below[at]).iter();
            below.extend(next.filter(|next| seen.insert(**next)));
            at += 1;
        }
        below.remove(0);
        below
    }
}

#[cfg(test)]
mod tests {
    use super::{BELOW_MAX, Hierarchy};

    fn hierarchy(pairs: impl IntoIterator<Item = (u32, u32)>) -> Hierarchy<u32> {
        let mut hierarchy = Hierarchy::default();
        for (base, id) in pairs {
            hierarchy.add(base, id);
        }
        hierarchy
    }

    #[test]
    fn the_nearest_types_come_first_and_each_once() {
        let diamond = hierarchy([(1, 3), (1, 2), (2, 4), (3, 4), (4, 5), (7, 8)]);
        assert_eq!(diamond.right_below(1), [3, 2]);
        assert_eq!(diamond.all_below(1), [3, 2, 4, 5]);
        assert_eq!(diamond.all_below(5), []);
    }

    #[test]
    fn a_type_never_lies_below_itself() {
        let circle = hierarchy([(1, 2), (2, 1), (3, 3)]);
        assert_eq!(circle.all_below(1), [2]);
        assert_eq!(circle.all_below(3), []);
    }

    #[test]
    fn no_more_than_some_thousand_levels_are_gone_down() {
        let chain = hierarchy((0..20_000).map(|n| (n, n + 1)));
        assert_eq!(chain.all_below(0).len(), BELOW_MAX - 1);
    }
}
