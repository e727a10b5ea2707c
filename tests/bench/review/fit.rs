//! The share of an index's samples whose test and focal method fit on the screen without scrolling.

use std::collections::BTreeMap;
use std::path::Path;

use focalist::browse;
use focalist::store::{Store, StoreAccess};
use focalist::tui::{self, VisibleSample};

use super::console::print;

/// The required share at 120 by 40.
const SHARE_MIN: f64 = 0.8;
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 50)];

#[derive(Clone, Copy, Default)]
struct Share {
    n: u64,
    n_whole: u64,
}

impl Share {
    fn add(&mut self, fitted: &VisibleSample) {
        self.n += 1;
        self.n_whole += u64::from(fitted.is_whole());
    }

    fn value(self) -> f64 {
        self.n_whole as f64 / self.n as f64
    }
}

/// Prints the shares of an index at three sizes, and facts about the other samples.
pub fn report(workspace: &Path) {
    let inside = workspace.join(".focalist");
    let folder = if inside.is_dir() { &inside } else { workspace };
    let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
    for (filter, words) in [
        ("status:ok", "samples"),
        ("weight>=0", "mapped tests"),
        ("", "all tests"),
    ] {
        for size in SIZES {
            one(&store, filter, words, size);
        }
    }
}

fn one(store: &Store, filter: &str, words: &str, size: (u16, u16)) {
    let filter = browse::parse_filter(filter).expect("the filter is one");
    let mut all = Share::default();
    let mut by_candidates: BTreeMap<usize, Share> = BTreeMap::new();
    let mut cut = [0_u64; 3];
    let mut sought = [Share::default(); 3];
    let mut n_missing: Vec<usize> = Vec::new();
    let fitted = tui::fit(store, &filter, size, |visible_sample| {
        all.add(&visible_sample);
        for (share, is_seen) in sought.iter_mut().zip([
            visible_sample.call,
            visible_sample.assertion,
            Some(visible_sample.has_digits),
        ]) {
            share.n += u64::from(is_seen.is_some());
            share.n_whole += u64::from(is_seen == Some(true));
        }
        by_candidates
            .entry(visible_sample.n_candidates.min(8))
            .or_default()
            .add(&visible_sample);
        match (
            visible_sample.test.0 < visible_sample.test.1,
            visible_sample.focal.0 < visible_sample.focal.1,
        ) {
            (true, true) => cut[2] += 1,
            (true, false) => cut[0] += 1,
            (false, true) => cut[1] += 1,
            (false, false) => return,
        }
        n_missing.push(
            visible_sample.test.1 - visible_sample.test.0 + visible_sample.focal.1
                - visible_sample.focal.0,
        );
    });
    fitted.expect("the index is read");
    let (width, height) = size;
    let budget = match (size, all.value() >= SHARE_MIN) {
        ((120, 40), true) => " (≥ 80 %: ok)",
        ((120, 40), false) => " (≥ 80 %: UNDER)",
        _ => "",
    };
    print(&format!(
        "{width} × {height}: {:.1} % of {} {words} whole{budget}",
        all.value() * 100.0,
        all.n
    ));
    let [call, assertion, digits] = sought.map(|share| share.value() * 100.0);
    print(&format!(
        "    on the screen at once: the focal call {call:.1} %, the assertion part {assertion:.1} %, candidates 1 to 9 {digits:.1} %"
    ));
    let parts: Vec<String> = by_candidates
        .iter()
        .map(|(n, share)| format!("{n}: {:.1} % of {}", share.value() * 100.0, share.n))
        .collect();
    print(&format!(
        "    by candidates (8: or more)  {}",
        parts.join(", ")
    ));
    n_missing.sort_unstable();
    let quantile = |percent: usize| n_missing.get(n_missing.len() * percent / 100).copied();
    print(&format!(
        "    cut: the test in {}, the focal method in {}, both in {}; lines hidden: p25 {:?}, p50 {:?}, p90 {:?}",
        cut[0],
        cut[1],
        cut[2],
        quantile(25).unwrap_or(0),
        quantile(50).unwrap_or(0),
        quantile(90).unwrap_or(0)
    ));
}
