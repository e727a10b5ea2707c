//! Comparing two runs: bootstrap and permutation, as ratios within one execution (machines are noisy).
//!
//! ```text
//! cargo bench --bench compare
//! FOCALIST_BENCH_INDEX=DIR cargo bench --bench compare     # load, select and compare on an index, to which two runs
//!                                                          # are added where it lacks them: give it a copy
//! ```
//!
//! 12,480 pairs with values and BLEU's counts from a fixed stream of numbers. The baseline adds up all pairs in order,
//! through [`Total`], as often as pairs are drawn.

#[path = "frame/computed.rs"]
mod computed;
#[path = "frame/console.rs"]
mod console;
#[path = "compare/index.rs"]
mod index;
#[path = "frame/memory.rs"]
mod memory;
#[path = "frame/random.rs"]
#[expect(dead_code, reason = "some is for other benches alone")]
mod random;
#[path = "frame/ratios.rs"]
mod ratios;
#[path = "frame/runs.rs"]
mod runs;

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use focalist::metric::metric;
use focalist::metric::paired::{PairColumn, PairedScores, Scratch, interval};
use focalist::metric::total::Total;

use computed::seconds;
use console::{arguments, print};
use random::Random;
use ratios::Ratios;

const ROUNDS: usize = 7;
const N_PAIRS: usize = 12_480;
/// BLEU's counts of a pair.
const N_PARTS: usize = 15;

fn main() {
    if arguments().is_none() {
        return;
    }
    if let Some(folder) = env::var_os("FOCALIST_BENCH_INDEX") {
        index::run(Path::new(&folder));
        return;
    }
    let (values, parts) = (values(), parts());
    print(&format!(
        "{N_PAIRS} pairs, one thread; medians of {ROUNDS} rounds"
    ));
    let mut ratios = Ratios::default();
    for _ in 0..ROUNDS {
        let one_pass = seconds(|| {
            let mut sum = 0.0;
            for _ in 0..1_000 {
                let mut totals = [Total::default(), Total::default()];
                for pair in &values {
                    totals[0].add_times(black_box(pair[0]), &[], 1.0);
                    totals[1].add_times(black_box(pair[1]), &[], 1.0);
                }
                sum += totals[1].mean() - totals[0].mean();
            }
            sum
        });
        let mean = PairedScores::of_values(values.clone());
        let mut add = |name: &str, time: f64| ratios.add(name, time, one_pass);
        add("1,000 passes through Total", one_pass);
        for (name, paired) in [("mean", &mean), ("corpus BLEU", &parts)] {
            for n_draws in [1_000, 10_000] {
                if n_draws > 1_000 && name != "mean" {
                    continue;
                }
                let time = seconds(|| draws(paired, n_draws, PairedScores::resampled));
                add(&format!("{name}: {n_draws} bootstrap samples"), time);
                let time = seconds(|| draws(paired, n_draws, PairedScores::permuted));
                add(&format!("{name}: {n_draws} permutations"), time);
            }
            add(
                &format!("{name}: standard error"),
                seconds(|| paired.standard_error()),
            );
        }
        let sample: Vec<f64> = values.iter().take(10_000).map(|value| value[0]).collect();
        add(
            "interval of 10,000 draws",
            seconds(|| interval(sample.clone(), 0.95)),
        );
    }
    for (name, seconds, ratio) in ratios.medians() {
        print(&format!(
            "  {name:<40} {:9.2} ms   {ratio:6.2} × 1,000 passes",
            seconds * 1e3
        ));
    }
}

fn draws(
    paired: &PairedScores,
    n: u64,
    draw: fn(&PairedScores, u64, u64, &mut Scratch) -> f64,
) -> f64 {
    let mut scratch = Scratch::default();
    (0..n).map(|n| draw(paired, 1, n, &mut scratch)).sum()
}

fn values() -> Vec<[f64; 2]> {
    let mut random = Random::new(1, 0);
    (0..N_PAIRS)
        .map(|_| {
            let first = random.below(10_000) as f64 / 1e4;
            [first, (first + random.below(1_000) as f64 / 1e4).min(1.0)]
        })
        .collect()
}

/// BLEU's counts: matches, totals and lacks of four orders, then lengths of both sides.
fn parts() -> PairedScores {
    let mut random = Random::new(2, 0);
    let mut columns = [
        vec![PairColumn::zeros(N_PAIRS); N_PARTS],
        vec![PairColumn::zeros(N_PAIRS); N_PARTS],
    ];
    for pair in 0..N_PAIRS {
        let n_reference = 5 + random.below(80);
        for columns in &mut columns {
            let n_tokens = 5 + random.below(80);
            for order in 0..4 {
                let n_grams = n_tokens.saturating_sub(order);
                columns[order].set(pair, random.below(n_grams + 1) as f64);
                columns[4 + order].set(pair, n_grams as f64);
            }
            columns[12].set(pair, n_tokens as f64);
            columns[13].set(pair, n_reference as f64);
            columns[14].set(pair, n_reference as f64);
        }
    }
    let [first, second] = columns.map(|column| {
        column
            .into_iter()
            .map(|pair_column| Arc::new(pair_column.packed()))
            .collect::<Vec<_>>()
    });
    let second = first
        .iter()
        .zip(second)
        .map(|(first, second)| {
            if *first == second {
                first.clone()
            } else {
                second
            }
        })
        .collect();
    let bleu = metric("bleu").expect("there is such a metric");
    PairedScores::of_parts(bleu.corpus, [first, second])
}
