//! Matching blocks as Python's `difflib.SequenceMatcher` finds them.
//!
//! Decides its `ratio()`: Ratcliff and Obershelp 1988, take the longest matching block, then the same left and right of
//! it. Facts of CPython 3.11 that the number depends on: of equal blocks the one that starts first in the first
//! sequence, then in the second; and in a second sequence of 200 symbols or more, a symbol that makes up more than one
//! percent of it (and one) starts no block, it only extends one (`autojunk`).

use crate::ngram::Trie;

/// The most comparisons of positions that one pair may cost; one or two seconds.
pub const STEPS_MAX: u64 = 1 << 28;

/// From this length on, popular symbols start no block.
const AUTOJUNK_LENGTH_MIN: usize = 200;

/// Finds matching blocks; keeps its buffers from pair to pair.
#[derive(Clone, Default)]
pub struct Matcher {
    numbers: Trie,
    /// Per position of the first sequence, the number of its symbol in the second; 0 if it starts no block.
    symbols: Vec<u32>,
    /// Where the positions of a symbol begin; they end where those of the next begin.
    starts: Vec<usize>,
    /// The positions in the second sequence, by symbol, ascending.
    positions: Vec<u32>,
    /// Per position in the second sequence, and one more: the length of the block that ends right before it, in the
    /// row before and in this row. Zero between searches.
    ending_before: Vec<u32>,
    ending_here: Vec<u32>,
    /// The ranges that are still to be searched.
    ranges: Vec<Ranges>,
    n_steps_left: u64,
}

/// A part of each sequence, both with their ends left out.
#[derive(Clone, Copy)]
struct Ranges {
    first: (usize, usize),
    second: (usize, usize),
}

/// Symbols that both sequences have, one after the other: where they begin in each, and how many they are.
pub(crate) struct MatchingBlock {
    pub first: usize,
    pub second: usize,
    pub length: usize,
}

impl Matcher {
    /// Computes 2M / T, M symbols in matching blocks and T in both sequences; 1 if both are empty. `None` beyond
    /// [`STEPS_MAX`].
    pub fn ratio(&mut self, first: &[u32], second: &[u32]) -> Option<f64> {
        self.ratio_within(STEPS_MAX, first, second)
    }

    fn ratio_within(&mut self, n_steps: u64, first: &[u32], second: &[u32]) -> Option<f64> {
        let n_total = first.len() + second.len();
        if n_total == 0 {
            return Some(1.0);
        }
        let mut n_matching = 0;
        self.each_block(n_steps, (first, second), |block| n_matching += block.length)?;
        Some(2.0 * n_matching as f64 / n_total as f64)
    }

    /// Hands the matching blocks to `show`, in no order; `None` when that takes more than `n_steps`.
    pub(crate) fn each_block(
        &mut self,
        n_steps: u64,
        (first, second): (&[u32], &[u32]),
        mut show: impl FnMut(&MatchingBlock),
    ) -> Option<()> {
        self.index(first, second);
        self.n_steps_left = n_steps;
        self.ranges.clear();
        self.ranges.push(Ranges {
            first: (0, first.len()),
            second: (0, second.len()),
        });
        while let Some(ranges) = self.ranges.pop() {
            let block = self.longest(first, second, ranges)?;
            if block.length == 0 {
                continue;
            }
            show(&block);
            let before = Ranges {
                first: (ranges.first.0, block.first),
                second: (ranges.second.0, block.second),
            };
            let after = Ranges {
                first: (block.first + block.length, ranges.first.1),
                second: (block.second + block.length, ranges.second.1),
            };
            for part in [before, after] {
                if part.first.0 < part.first.1 && part.second.0 < part.second.1 {
                    self.ranges.push(part);
                }
            }
        }
        Some(())
    }

    fn index(&mut self, first: &[u32], second: &[u32]) {
        self.numbers.reset(second.len().min(256));
        self.starts.clear();
        self.starts.resize(2, 0);
        // Counts first, in the place after the symbol's own; then sums; then positions move each start to its end.
        for &symbol in second {
            let number = self.numbers.child_or_insert(0, symbol) as usize;
            if number + 1 == self.starts.len() {
                self.starts.push(0);
            }
            self.starts[number + 1] += 1;
        }
        let n_popular = if second.len() >= AUTOJUNK_LENGTH_MIN {
            second.len() / 100 + 1
        } else {
            usize::MAX
        };
        let is_popular = |starts: &[usize], number: u32| {
            let number = number as usize;
            starts[number + 1] - starts[number] > n_popular
        };
        for idx in 1..self.starts.len() {
            self.starts[idx] += self.starts[idx - 1];
        }
        for lengths in [&mut self.ending_before, &mut self.ending_here] {
            if lengths.len() <= second.len() {
                lengths.resize(second.len() + 1, 0);
            }
        }
        self.symbols.clear();
        self.symbols.extend(first.iter().map(|&symbol| {
            let number = self.numbers.child(0, symbol);
            number
                .filter(|number| !is_popular(&self.starts, *number))
                .unwrap_or(0)
        }));
        self.positions.clear();
        self.positions.resize(second.len(), 0);
        for (position, &symbol) in second.iter().enumerate() {
            let number = self.numbers.child_or_insert(0, symbol) as usize;
            self.positions[self.starts[number]] = position as u32;
            self.starts[number] += 1;
        }
        // Each start is now where the next one was: move them back.
        self.starts.pop();
        self.starts.insert(0, 0);
    }

    /// Finds the longest block within the ranges, of length 0 if there is none; `None` when the steps are used up.
    fn longest(&mut self, first: &[u32], second: &[u32], ranges: Ranges) -> Option<MatchingBlock> {
        let mut best = MatchingBlock {
            first: ranges.first.0,
            second: ranges.second.0,
            length: 0,
        };
        let (mut before, mut here) = (&mut self.ending_before, &mut self.ending_here);
        let mut set_before = &[][..];
        let mut n_steps_left = Some(self.n_steps_left);
        for row in ranges.first.0..ranges.first.1 {
            let number = self.symbols[row] as usize;
            let all = &self.positions[self.starts[number]..self.starts[number + 1]];
            let from = all.partition_point(|n| (*n as usize) < ranges.second.0);
            let mut n_set = 0;
            for &position in &all[from..] {
                let position = position as usize;
                if position >= ranges.second.1 {
                    break;
                }
                let length = before[position] + 1;
                here[position + 1] = length;
                n_set += 1;
                if length as usize > best.length {
                    best = MatchingBlock {
                        first: row + 1 - length as usize,
                        second: position + 1 - length as usize,
                        length: length as usize,
                    };
                }
            }
            forget(before, set_before);
            (before, here) = (here, before);
            set_before = &all[from..from + n_set];
            n_steps_left =
                n_steps_left.and_then(|n_steps_left| n_steps_left.checked_sub(1 + n_set as u64));
            if n_steps_left.is_none() {
                break;
            }
        }
        forget(before, set_before);
        self.n_steps_left = n_steps_left?;
        // A symbol that starts no block may still extend one.
        while best.first > ranges.first.0
            && best.second > ranges.second.0
            && first[best.first - 1] == second[best.second - 1]
        {
            best.first -= 1;
            best.second -= 1;
            best.length += 1;
        }
        while best.first + best.length < ranges.first.1
            && best.second + best.length < ranges.second.1
            && first[best.first + best.length] == second[best.second + best.length]
        {
            best.length += 1;
        }
        Some(best)
    }
}

/// Clears the lengths behind these positions.
fn forget(lengths: &mut [u32], positions: &[u32]) {
    for position in positions {
        lengths[*position as usize + 1] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_up_when_its_steps_are_used() {
        // Every block is one symbol, the first of the rest: each of the 1,000 searches goes through the rest.
        let first: Vec<u32> = (1..1001).collect();
        let second: Vec<u32> = first.iter().flat_map(|n| [*n, 0]).collect();
        let mut matcher = Matcher::default();
        assert_eq!(matcher.ratio_within(100_000, &first, &second), None);
        let ratio = matcher.ratio(&first, &second);
        assert_eq!(ratio, Some(2.0 / 3.0));
    }

    #[test]
    fn of_equal_blocks_the_first_is_taken() {
        // 1 2 matches twice in the second sequence; only the first place leaves 3 behind it.
        let ratio = Matcher::default().ratio(&[1, 2, 3], &[1, 2, 9, 3, 1, 2]);
        assert_eq!(ratio, Some(6.0 / 9.0));
    }
}
