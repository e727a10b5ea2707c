//! Two runs held against each other: bootstrap and permutation, as ratios within one run (machines are noisy).
//!
//! ```text
//! cargo bench --bench compare
//! FOCALIST_BENCH_INDEX=DIR cargo bench --bench compare     # load, select and compare on an index, to which two runs are
//!                                                          # added where it lacks them: give it a copy
//! ```
//!
//! 12,480 pairs with values and BLEU's counts out of a fixed stream of numbers. The baseline adds all pairs up, in order,
//! through [`Total`], as often as pairs are drawn.

#[path = "compare/index.rs"]
mod index;
#[path = "fuzz/random.rs"]
#[expect(dead_code, reason = "some is for other benches alone")]
mod random;
#[path = "results/runs.rs"]
mod runs;

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use focalist::metric::metric;
use focalist::metric::paired::{Column, Paired, Scratch, interval};
use focalist::metric::total::Total;

use random::Random;

const ROUNDS: usize = 7;
const N_PAIRS: usize = 12_480;
/// BLEU's counts of a pair.
const N_PARTS: usize = 15;

fn main() {
    // `cargo test --benches` runs this, too.
    if !env::args().any(|argument| argument == "--bench") {
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
    let mut lines: Vec<(String, Vec<f64>, Vec<f64>)> = Vec::new();
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
        let mean = Paired::of_values(values.clone());
        let mut add = |name: &str, time: f64| {
            let idx = lines.iter().position(|it| it.0 == name).unwrap_or_else(|| {
                lines.push((name.to_owned(), Vec::new(), Vec::new()));
                lines.len() - 1
            });
            lines[idx].1.push(time);
            lines[idx].2.push(time / one_pass);
        };
        add("1,000 passes through Total", one_pass);
        for (name, paired) in [("mean", &mean), ("corpus BLEU", &parts)] {
            for n_draws in [1_000, 10_000] {
                if n_draws > 1_000 && name != "mean" {
                    continue;
                }
                let time = seconds(|| draws(paired, n_draws, Paired::resampled));
                add(&format!("{name}: {n_draws} bootstrap samples"), time);
                let time = seconds(|| draws(paired, n_draws, Paired::permuted));
                add(&format!("{name}: {n_draws} permutations"), time);
            }
            add(
                &format!("{name}: standard error"),
                seconds(|| paired.standard_error()),
            );
        }
        let sample: Vec<f64> = values.iter().take(10_000).map(|it| it[0]).collect();
        add(
            "interval of 10,000 draws",
            seconds(|| interval(sample.clone(), 0.95)),
        );
    }
    for (name, mut times, mut ratios) in lines {
        print(&format!(
            "  {name:<40} {:9.2} ms   {:6.2} × 1,000 passes",
            median(&mut times) * 1e3,
            median(&mut ratios)
        ));
    }
}

fn draws(paired: &Paired, n: u64, draw: fn(&Paired, u64, u64, &mut Scratch) -> f64) -> f64 {
    let mut scratch = Scratch::default();
    (0..n).map(|it| draw(paired, 1, it, &mut scratch)).sum()
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
fn parts() -> Paired {
    let mut random = Random::new(2, 0);
    let mut columns = [
        vec![Column::zeros(N_PAIRS); N_PARTS],
        vec![Column::zeros(N_PAIRS); N_PARTS],
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
    let [first, second] = columns.map(|it| {
        it.into_iter()
            .map(|it| Arc::new(it.packed()))
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
    Paired::of_parts(bleu.corpus, [first, second])
}

/// Returns what this thread has computed, in seconds: where the system tells, without the time in which others had the
/// processor.
fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let (started, computed) = (Instant::now(), computed());
    black_box(work());
    match computed.zip(self::computed()) {
        Some((before, after)) => after - before,
        None => started.elapsed().as_secs_f64(),
    }
}

/// Linux counts it for every thread, in nanoseconds.
fn computed() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub fn print(line: &str) {
    use std::io::Write;
    // A closed pipe ends the report, not the measuring.
    let _closed = writeln!(std::io::stdout(), "{line}");
}
