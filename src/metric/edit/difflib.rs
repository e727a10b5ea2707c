//! Matching blocks as Python's `difflib.SequenceMatcher` finds them.
//!
//! Decides its `ratio()`: Ratcliff and Obershelp 1988, take the longest matching block, then the same left and right of
//! it. Facts of CPython 3.11 that the number depends on: of equal blocks the one that starts first in the first
//! sequence, then in the second; and in a second sequence of 200 symbols or more, a symbol that makes up more than one
//! percent of it (and one) starts no block, it only extends one (`autojunk`).

use crate::metric::ngram::Trie;

/// The most comparisons of positions that one pair may cost; about a second.
pub const STEPS_MAX: u64 = 1 << 30;

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
    /// Blocks that end in the row before, and in this row: last position in the second sequence, length.
    ending_before: Vec<(u32, u32)>,
    ending_here: Vec<(u32, u32)>,
    /// What is still to be searched.
    ranges: Vec<Ranges>,
    n_steps: u64,
}

/// A part of each sequence, both with their ends left out.
#[derive(Clone, Copy)]
struct Ranges {
    first: (usize, usize),
    second: (usize, usize),
}

struct Block {
    first: usize,
    second: usize,
    length: usize,
}

impl Matcher {
    /// Returns 2M / T, M symbols in matching blocks and T in both sequences; 1 if both are empty. `None` beyond
    /// [`STEPS_MAX`].
    pub fn ratio(&mut self, first: &[u32], second: &[u32]) -> Option<f64> {
        let n_total = first.len() + second.len();
        if n_total == 0 {
            return Some(1.0);
        }
        self.index(first, second);
        self.n_steps = 0;
        self.ranges.clear();
        self.ranges.push(Ranges {
            first: (0, first.len()),
            second: (0, second.len()),
        });
        let mut n_matching = 0;
        while let Some(ranges) = self.ranges.pop() {
            let block = self.longest(first, second, ranges)?;
            if block.length == 0 {
                continue;
            }
            n_matching += block.length;
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
        Some(2.0 * n_matching as f64 / n_total as f64)
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
        self.symbols.clear();
        self.symbols.extend(first.iter().map(|&symbol| {
            let number = self.numbers.child(0, symbol);
            number
                .filter(|it| !is_popular(&self.starts, *it))
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

    /// Returns the longest block within the ranges, of length 0 if there is none; `None` when the steps are used up.
    fn longest(&mut self, first: &[u32], second: &[u32], ranges: Ranges) -> Option<Block> {
        let mut best = Block {
            first: ranges.first.0,
            second: ranges.second.0,
            length: 0,
        };
        self.ending_before.clear();
        for row in ranges.first.0..ranges.first.1 {
            self.ending_here.clear();
            let number = self.symbols[row] as usize;
            let all = if number == 0 {
                &[][..]
            } else {
                &self.positions[self.starts[number]..self.starts[number + 1]]
            };
            let from = all.partition_point(|it| (*it as usize) < ranges.second.0);
            let mut before = self.ending_before.iter().peekable();
            for &position in &all[from..] {
                if position as usize >= ranges.second.1 {
                    break;
                }
                while before.next_if(|(end, _)| end + 1 < position).is_some() {}
                let extended = before.next_if(|(end, _)| end + 1 == position);
                let length = extended.map_or(1, |(_, length)| length + 1);
                self.ending_here.push((position, length));
                if length as usize > best.length {
                    best = Block {
                        first: row + 1 - length as usize,
                        second: position as usize + 1 - length as usize,
                        length: length as usize,
                    };
                }
            }
            self.n_steps += 1 + self.ending_here.len() as u64;
            if self.n_steps > STEPS_MAX {
                return None;
            }
            std::mem::swap(&mut self.ending_before, &mut self.ending_here);
        }
        // What starts no block may still extend one.
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
