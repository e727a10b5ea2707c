//! Pairs the elements of two lists: equal ones first, then the most similar between them.

use std::ops::Range;

/// Tables are no greater than this; longer lists are paired from both ends and, between, one after the other.
const CELLS_MAX: usize = 250_000;

/// A place in the first list and its partner in the second one, or one of them alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    pub reference: Option<usize>,
    pub prediction: Option<usize>,
}

/// Pairs two lists of keys in their order. Of equal keys as many as can be are paired (longest common subsequence);
/// between them as many as the shorter list has, so that the costs are least.
pub fn pair(
    reference: &[u64],
    prediction: &[u64],
    cost: impl Fn(usize, usize) -> u32,
) -> Vec<Pairing> {
    let mut paired = Vec::new();
    let (mut r, mut p) = (0, 0);
    let anchors = common(reference, prediction);
    let ends = (reference.len(), prediction.len());
    for (next_r, next_p) in anchors.into_iter().chain([ends]) {
        between(r..next_r, p..next_p, &cost, &mut paired);
        if (next_r, next_p) != ends {
            paired.push(Pairing {
                reference: Some(next_r),
                prediction: Some(next_p),
            });
        }
        (r, p) = (next_r + 1, next_p + 1);
    }
    paired
}

/// Finds the places of a longest common subsequence.
fn common(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let n_first = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&a[n_first..], &b[n_first..]);
    let equal_last = |(a, b): &(&u64, &u64)| a == b;
    let n_last = rest_a
        .iter()
        .rev()
        .zip(rest_b.iter().rev())
        .take_while(equal_last)
        .count();
    let mut places: Vec<(usize, usize)> = (0..n_first).map(|n| (n, n)).collect();
    let (a_mid, b_mid) = (
        &rest_a[..rest_a.len() - n_last],
        &rest_b[..rest_b.len() - n_last],
    );
    let width = b_mid.len() + 1;
    if !a_mid.is_empty() && !b_mid.is_empty() && a_mid.len().saturating_mul(width) <= CELLS_MAX {
        // lengths[i * width + j] is the length for the lists from i and j on.
        let mut lengths = vec![0_u32; (a_mid.len() + 1) * width];
        for i in (0..a_mid.len()).rev() {
            for j in (0..b_mid.len()).rev() {
                lengths[i * width + j] = if a_mid[i] == b_mid[j] {
                    lengths[(i + 1) * width + j + 1] + 1
                } else {
                    lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < a_mid.len() && j < b_mid.len() {
            if a_mid[i] == b_mid[j] {
                places.push((n_first + i, n_first + j));
                i += 1;
                j += 1;
            } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    places.extend((0..n_last).map(|n| (a.len() - n_last + n, b.len() - n_last + n)));
    places
}

/// Pairs all of the shorter range with some of the longer one, at the least cost; of equal costs the first places.
fn between(
    reference: Range<usize>,
    prediction: Range<usize>,
    cost: &impl Fn(usize, usize) -> u32,
    paired: &mut Vec<Pairing>,
) {
    let is_reference_short = reference.len() <= prediction.len();
    let (short, long) = if is_reference_short {
        (reference.clone(), prediction.clone())
    } else {
        (prediction.clone(), reference.clone())
    };
    let cost_of = |short: usize, long: usize| {
        if is_reference_short {
            cost(short, long)
        } else {
            cost(long, short)
        }
    };
    let chosen = cheapest(short.clone(), long.clone(), cost_of);
    let mut next = 0;
    for place in long {
        let partner = chosen
            .get(next)
            .filter(|n| **n == place)
            .map(|_| short.start + next);
        next += usize::from(partner.is_some());
        paired.push(if is_reference_short {
            Pairing {
                reference: partner,
                prediction: Some(place),
            }
        } else {
            Pairing {
                reference: Some(place),
                prediction: partner,
            }
        });
    }
}

/// Assigns to each of the shorter range its partner in the longer one.
fn cheapest(
    short: Range<usize>,
    long: Range<usize>,
    cost: impl Fn(usize, usize) -> u32,
) -> Vec<usize> {
    let (n, m) = (short.len(), long.len());
    if n == m || n == 0 || n.saturating_mul(m) > CELLS_MAX {
        return long.take(n).collect();
    }
    // costs[i * (m + 1) + j]: the first i of the shorter among the first j of the longer.
    let width = m + 1;
    let mut costs = vec![u32::MAX; (n + 1) * width];
    costs[..width].fill(0);
    for i in 1..=n {
        for j in i..=m {
            let with = costs[(i - 1) * width + j - 1]
                .saturating_add(cost(short.start + i - 1, long.start + j - 1));
            costs[i * width + j] = with.min(costs[i * width + j - 1]);
        }
    }
    let mut chosen = Vec::with_capacity(n);
    let (mut i, mut j) = (n, m);
    while i > 0 {
        // The first place that is as cheap.
        while j > i && costs[i * width + j - 1] == costs[i * width + j] {
            j -= 1;
        }
        chosen.push(long.start + j - 1);
        i -= 1;
        j -= 1;
    }
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reference: &[u64], prediction: &[u64], expected: &[(Option<usize>, Option<usize>)]) {
        let cost = |r: usize, p: usize| reference[r].abs_diff(prediction[p]) as u32;
        let paired: Vec<_> = pair(reference, prediction, cost)
            .into_iter()
            .map(|pairing| (pairing.reference, pairing.prediction))
            .collect();
        assert_eq!(paired, expected);
    }

    #[test]
    fn equal_ones_are_paired_first() {
        check(
            &[1, 2],
            &[2, 3],
            &[(Some(0), None), (Some(1), Some(0)), (None, Some(1))],
        );
    }

    #[test]
    fn between_equal_ones_the_most_alike_are_paired() {
        check(
            &[1, 10, 20],
            &[9],
            &[(Some(0), None), (Some(1), Some(0)), (Some(2), None)],
        );
        check(&[5], &[6], &[(Some(0), Some(0))]);
        check(&[], &[6], &[(None, Some(0))]);
        check(&[], &[], &[]);
    }
}
