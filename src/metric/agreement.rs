//! How far raters agree beyond chance, and how sure a share is.
//!
//! Everything is about nominal categories: two ratings are equal or they are not. A rater may leave gaps. What has no
//! value (nothing was rated twice, or no rating could have differed) is absent, not 0.
//!
//! With `r_uc` ratings of category `c` for unit `u`, `r_u` of any, `q` categories in use:
//! - raw: mean over units with two or more ratings of `Σ_c r_uc (r_uc − 1) / (r_u (r_u − 1))`, the share of equal pairs
//!   (Fleiss 1971; irrCAC 0.4's `pa`).
//! - Cohen's kappa: `(p_o − p_e) / (1 − p_e)` with `p_e = Σ_c p_1c p_2c`, over what both rated (Cohen 1960; scikit-learn
//!   1.9 `cohen_kappa_score`).
//! - Fleiss' kappa: the same with `p_e = Σ_c p_c²`, over the units that all raters rated, as it is only defined for those
//!   (Fleiss 1971; statsmodels 0.15 `fleiss_kappa`).
//! - Krippendorff's alpha: `1 − (n − 1) Σ_u Σ_c r_uc (r_u − r_uc) / (r_u − 1) / Σ_c n_c (n − n_c)` over units with two
//!   or more ratings, `n` of them in all (Krippendorff 2011; package `krippendorff` 0.9).
//! - Gwet's AC1: raw with `p_e = Σ_c π_c (1 − π_c) / (q − 1)`, `π_c` the mean over rated units of `r_uc / r_u` (Gwet 2008;
//!   irrCAC).
//! - agreement on a category: `Σ_u r_uc (r_uc − 1) / Σ_u r_uc (r_u − 1)`: of the pairs with one rating in it, those with
//!   both (Cicchetti and Feinstein 1990; for two raters scikit-learn's F1 of the one against the other).

use crate::model::number;

use super::paired::{below, interval, random};

/// A measure of agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coefficient {
    Raw,
    /// Only of two raters.
    Cohen,
    Fleiss,
    Krippendorff,
    Gwet,
}

impl Coefficient {
    /// Every coefficient, in the order of [`Ratings::values`].
    pub const ALL: [Self; 5] = [
        Self::Raw,
        Self::Cohen,
        Self::Fleiss,
        Self::Krippendorff,
        Self::Gwet,
    ];

    /// Returns the word used in files.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Cohen => "cohen_kappa",
            Self::Fleiss => "fleiss_kappa",
            Self::Krippendorff => "krippendorff_alpha",
            Self::Gwet => "gwet_ac1",
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Raw => "raw agreement",
            Self::Cohen => "Cohen's kappa",
            Self::Fleiss => "Fleiss' kappa",
            Self::Krippendorff => "Krippendorff's alpha",
            Self::Gwet => "Gwet's AC1",
        }
    }
}

/// The value of each [`Coefficient`], in the order of `ALL`; absent where it has none. Raw is 0..=1, the others −1..=1.
pub type CoefficientValues = [Option<f64>; 5];

/// The category that each rater gave each unit: a row for each unit, a column for each rater.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ratings {
    n_raters: usize,
    n_categories: usize,
    cells: Vec<Option<u32>>,
}

impl Ratings {
    /// Returns a table without units.
    #[must_use]
    pub fn new(n_raters: usize, n_categories: usize) -> Self {
        Self {
            n_raters,
            n_categories,
            cells: Vec::new(),
        }
    }

    /// Adds a unit, with one cell for each rater; missing cells and unknown categories are gaps.
    pub fn push(&mut self, unit: &[Option<u32>]) {
        let n_categories = self.n_categories;
        let cells = unit.iter().copied().chain(std::iter::repeat(None));
        self.cells.extend(
            cells
                .take(self.n_raters)
                .map(|cell| cell.filter(|cell| (*cell as usize) < n_categories)),
        );
    }

    #[must_use]
    pub fn n_raters(&self) -> usize {
        self.n_raters
    }

    #[must_use]
    pub fn n_units(&self) -> usize {
        self.cells.len().checked_div(self.n_raters).unwrap_or(0)
    }

    /// Returns how many units have at least two ratings: only those say anything about agreement.
    #[must_use]
    pub fn n_overlapping(&self) -> usize {
        let n_ratings = |unit: &&[Option<u32>]| unit.iter().flatten().count();
        self.units().filter(|unit| n_ratings(unit) >= 2).count()
    }

    /// Returns the category that a rater put a unit into; nothing for a gap, and outside the table.
    #[must_use]
    pub fn rating(&self, unit: usize, rater: usize) -> Option<u32> {
        self.units().nth(unit)?.get(rater).copied().flatten()
    }

    fn units(&self) -> impl Iterator<Item = &[Option<u32>]> {
        // A table without raters has no cells either.
        self.cells.chunks_exact(self.n_raters.max(1))
    }

    /// Returns every coefficient.
    #[must_use]
    pub fn values(&self) -> CoefficientValues {
        self.weighed(&vec![1; self.n_units()])
    }

    /// Returns every coefficient of the `number`-th bootstrap sample of the units; a function of seed and number.
    #[must_use]
    pub fn resampled(&self, seed: u64, number: u64) -> CoefficientValues {
        let n_units = self.n_units();
        let mut random = random(seed, number, 2);
        let mut times = vec![0; n_units];
        for _ in 0..n_units {
            times[below(&mut random, n_units as u64) as usize] += 1;
        }
        self.weighed(&times)
    }

    /// Returns a percentile bootstrap interval over units for each coefficient (Efron and Tibshirani 1993, chapter 13);
    /// draws in which a coefficient has no value are left out of its interval.
    #[must_use]
    pub fn intervals(&self, seed: u64, n_resamples: u64, level: f64) -> [Option<(f64, f64)>; 5] {
        let mut drawn: [Vec<f64>; 5] = Default::default();
        for number in 0..n_resamples {
            for (values, value) in drawn.iter_mut().zip(self.resampled(seed, number)) {
                values.extend(value);
            }
        }
        drawn.map(|values| interval(values, level))
    }

    /// Returns how often the first rater said the row and the second the column.
    #[must_use]
    pub fn matrix(&self, first: usize, second: usize) -> Vec<Vec<u64>> {
        let mut matrix = vec![vec![0; self.n_categories]; self.n_categories];
        for unit in self.units() {
            if let (Some(Some(row)), Some(Some(column))) = (unit.get(first), unit.get(second)) {
                matrix[*row as usize][*column as usize] += 1;
            }
        }
        matrix
    }

    /// Returns how far raters agree on each category, 0..=1; nothing for one that is in no pair of ratings.
    #[must_use]
    pub fn by_category(&self) -> Vec<Option<f64>> {
        let mut both = vec![0.0; self.n_categories];
        let mut one = vec![0.0; self.n_categories];
        let mut counts = vec![0.0; self.n_categories];
        for unit in self.units() {
            let n_ratings = count(unit, &mut counts);
            for (category, n) in counts.iter().enumerate().filter(|pair| *pair.1 > 0.0) {
                both[category] += n * (n - 1.0);
                one[category] += n * (n_ratings - 1.0);
            }
        }
        let shares = both.into_iter().zip(one);
        shares.map(|(both, one)| share(both, one)).collect()
    }

    /// Returns the share of each category among all ratings; nothing without ratings.
    #[must_use]
    pub fn shares(&self) -> Option<Vec<f64>> {
        let mut totals = vec![0.0; self.n_categories];
        for category in self.cells.iter().flatten() {
            totals[*category as usize] += 1.0;
        }
        let n_ratings: f64 = totals.iter().sum();
        (n_ratings > 0.0).then(|| totals.into_iter().map(|total| total / n_ratings).collect())
    }

    fn weighed(&self, times: &[u32]) -> CoefficientValues {
        let mut sums = Sums::new(self.n_categories);
        let mut counts = vec![0.0; self.n_categories];
        for (unit, times) in self.units().zip(times) {
            if *times > 0 {
                let n_ratings = count(unit, &mut counts);
                sums.add(unit, &counts, n_ratings, f64::from(*times));
            }
        }
        let cohen = (self.n_raters == 2).then(|| sums.cohen()).flatten();
        [
            sums.raw(),
            cohen,
            sums.fleiss(),
            sums.krippendorff(),
            sums.gwet(),
        ]
    }
}

/// Counts the ratings of a unit by category, and returns how many there are.
fn count(unit: &[Option<u32>], counts: &mut [f64]) -> f64 {
    counts.fill(0.0);
    let mut n_ratings = 0.0;
    for category in unit.iter().flatten() {
        counts[*category as usize] += 1.0;
        n_ratings += 1.0;
    }
    n_ratings
}

fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// `(observed − expected) / (1 − expected)`; nothing when all agreement is expected.
fn beyond_chance(observed: f64, expected: f64) -> Option<f64> {
    // Sums of shares differ from 1 in their last digits.
    (expected < 1.0 - 1e-12).then(|| (observed - expected) / (1.0 - expected))
}

/// The terms of the coefficients, summed over units.
struct Sums {
    /// Units with two or more ratings, and their shares of equal pairs.
    n_paired: f64,
    equal: f64,
    /// Rated units, and their shares of each category.
    n_rated: f64,
    shares: Vec<f64>,
    /// Units that all raters rated, their shares of equal pairs, and their ratings by category.
    n_complete: f64,
    complete_equal: f64,
    complete: Vec<f64>,
    /// Krippendorff's unequal pairs, and ratings by category in paired units.
    unequal: f64,
    pairable: Vec<f64>,
    /// Cohen's table: units that the first two rated, equal ones, and each one's ratings by category.
    n_both: f64,
    both_equal: f64,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Sums {
    fn new(n_categories: usize) -> Self {
        let zeros = || vec![0.0; n_categories];
        Self {
            n_paired: 0.0,
            equal: 0.0,
            n_rated: 0.0,
            shares: zeros(),
            n_complete: 0.0,
            complete_equal: 0.0,
            complete: zeros(),
            unequal: 0.0,
            pairable: zeros(),
            n_both: 0.0,
            both_equal: 0.0,
            first: zeros(),
            second: zeros(),
        }
    }

    fn add(&mut self, unit: &[Option<u32>], counts: &[f64], n_ratings: f64, times: f64) {
        if n_ratings == 0.0 {
            return;
        }
        self.n_rated += times;
        for (sum, n) in self.shares.iter_mut().zip(counts) {
            *sum += times * n / n_ratings;
        }
        if let [Some(first), Some(second), ..] = unit {
            self.n_both += times;
            self.first[*first as usize] += times;
            self.second[*second as usize] += times;
            if first == second {
                self.both_equal += times;
            }
        }
        if n_ratings < 2.0 {
            return;
        }
        let equal_pairs: f64 = counts.iter().map(|n| n * (n - 1.0)).sum();
        let unequal_pairs: f64 = counts.iter().map(|n| n * (n_ratings - n)).sum();
        let equal = equal_pairs / (n_ratings * (n_ratings - 1.0));
        self.n_paired += times;
        self.equal += times * equal;
        self.unequal += times * unequal_pairs / (n_ratings - 1.0);
        for (sum, n) in self.pairable.iter_mut().zip(counts) {
            *sum += times * n;
        }
        if unit.iter().all(Option::is_some) {
            self.n_complete += times;
            self.complete_equal += times * equal;
            for (sum, n) in self.complete.iter_mut().zip(counts) {
                *sum += times * n;
            }
        }
    }

    fn raw(&self) -> Option<f64> {
        share(self.equal, self.n_paired)
    }

    fn cohen(&self) -> Option<f64> {
        let observed = share(self.both_equal, self.n_both)?;
        let pairs = self.first.iter().zip(&self.second);
        let expected: f64 = pairs.map(|(first, second)| first * second).sum();
        beyond_chance(observed, expected / (self.n_both * self.n_both))
    }

    fn fleiss(&self) -> Option<f64> {
        let observed = share(self.complete_equal, self.n_complete)?;
        let n_ratings: f64 = self.complete.iter().sum();
        let squares = self.complete.iter().map(|n| (n / n_ratings).powi(2));
        beyond_chance(observed, squares.sum())
    }

    fn krippendorff(&self) -> Option<f64> {
        let n: f64 = self.pairable.iter().sum();
        let expected: f64 = self
            .pairable
            .iter()
            .map(|pairable| pairable * (n - pairable))
            .sum();
        (expected > 0.0).then(|| 1.0 - (n - 1.0) * self.unequal / expected)
    }

    fn gwet(&self) -> Option<f64> {
        let observed = self.raw()?;
        let n_used = self.shares.iter().filter(|share| **share > 0.0).count();
        if n_used < 2 {
            // All ratings are of one category.
            return None;
        }
        let spread: f64 = self
            .shares
            .iter()
            .map(|share| share / self.n_rated)
            .map(|value| value * (1.0 - value))
            .sum();
        beyond_chance(observed, spread / (n_used - 1) as f64)
    }
}

/// Why a low kappa, or none at all, does not mean that raters disagree.
#[derive(Clone, Debug, PartialEq)]
pub enum Paradox {
    /// All ratings are of one category: the correction for chance has nothing to compare with.
    OneCategory { category: usize },
    /// One category holds at least [`PREVALENT`] of all ratings, and a coefficient that takes agreement on it for chance
    /// is at least [`FAR_BELOW`] lower than AC1, which does not (Feinstein and Cicchetti 1990; Gwet 2008).
    Prevalence {
        category: usize,
        share: f64,
        coefficient: Coefficient,
        value: f64,
        raw: f64,
        ac1: f64,
    },
}

/// The share of one category from which on kappa is compared with AC1.
pub const PREVALENT: f64 = 0.8;

/// How far below AC1 kappa then has to be.
pub const FAR_BELOW: f64 = 0.2;

impl Ratings {
    /// Returns why kappa misleads here, if it does.
    #[must_use]
    pub fn paradox(&self) -> Option<Paradox> {
        let (category, share) = self
            .shares()?
            .into_iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let values = self.values();
        let raw = values[0]?;
        if share >= 1.0 {
            return Some(Paradox::OneCategory { category });
        }
        let ac1 = values[4]?;
        let corrected = [
            Coefficient::Cohen,
            Coefficient::Fleiss,
            Coefficient::Krippendorff,
        ];
        let (coefficient, value) = Coefficient::ALL
            .into_iter()
            .zip(values)
            .filter(|pair| corrected.contains(&pair.0))
            .find_map(|(coefficient, value)| Some((coefficient, value?)))?;
        (share >= PREVALENT && ac1 - value >= FAR_BELOW).then_some(Paradox::Prevalence {
            category,
            share,
            coefficient,
            value,
            raw,
            ac1,
        })
    }
}

impl Paradox {
    /// Returns it as a sentence; `names` are the names of the categories.
    #[must_use]
    pub fn sentence(&self, names: &[impl AsRef<str>]) -> String {
        let name = |category: &usize| names.get(*category).map_or("?", AsRef::as_ref).to_owned();
        match self {
            Self::OneCategory { category } => format!(
                "All ratings are `{}`, so kappa, alpha and AC1 have no value: nothing shows what raters do when they could differ.",
                name(category)
            ),
            Self::Prevalence {
                category,
                share,
                coefficient,
                value,
                raw,
                ac1,
            } => format!(
                "{:.0} % of all ratings are `{}`, so {} takes most of the agreement for chance: it is {} although \
                 {:.1} % of the pairs agree. AC1 ({}) does not; report both.",
                share * 100.0,
                name(category),
                coefficient.title(),
                number(*value, 2),
                raw * 100.0,
                number(*ac1, 2)
            ),
        }
    }
}

/// The 97.5 % quantile of the normal distribution.
const Z_95: f64 = 1.959_963_984_540_054;

/// Returns the bounds between which a share lies with 95 % confidence when `k` of `n` are in it, 0..=1; nothing without
/// observations.
///
/// Wilson's score interval (Wilson 1927; Brown, Cai and `DasGupta` 2001; statsmodels 0.15
/// `proportion_confint(method="wilson")`): `(p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n)`.
#[must_use]
pub fn wilson(k: u64, n: u64) -> Option<(f64, f64)> {
    if n == 0 {
        return None;
    }
    let (k, n) = (k.min(n) as f64, n as f64);
    let p = k / n;
    let z2 = Z_95 * Z_95;
    let scale = 1.0 + z2 / n;
    let centre = (p + z2 / (2.0 * n)) / scale;
    let half = Z_95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt() / scale;
    Some(((centre - half).max(0.0), (centre + half).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(cells: &[(usize, u32, u32)]) -> Ratings {
        let mut ratings = Ratings::new(2, 3);
        for (n, first, second) in cells {
            for _ in 0..*n {
                ratings.push(&[Some(*first), Some(*second)]);
            }
        }
        ratings
    }

    #[test]
    fn nothing_rated_twice_has_no_agreement() {
        let mut ratings = Ratings::new(2, 2);
        assert_eq!(ratings.values(), [None; 5]);
        assert_eq!(ratings.paradox(), None);
        ratings.push(&[Some(0), None]);
        ratings.push(&[None, Some(1)]);
        ratings.push(&[]);
        assert_eq!(ratings.values(), [None; 5]);
        assert_eq!((ratings.n_units(), ratings.n_overlapping()), (3, 0));
        assert_eq!(Ratings::new(0, 0).values(), [None; 5]);
        assert_eq!(ratings.intervals(1, 10, 0.95), [None; 5]);
    }

    #[test]
    fn a_category_that_does_not_exist_is_a_gap() {
        let mut ratings = Ratings::new(2, 2);
        ratings.push(&[Some(9), Some(1), Some(1)]);
        assert_eq!(ratings.n_overlapping(), 0);
    }

    #[test]
    fn the_same_seed_draws_the_same_units() {
        let ratings = two(&[(30, 0, 0), (5, 0, 1), (9, 1, 1), (3, 2, 0)]);
        assert_eq!(ratings.resampled(7, 3), ratings.resampled(7, 3));
        let intervals = ratings.intervals(7, 500, 0.95);
        for (value, interval) in ratings.values().iter().zip(intervals) {
            let (value, (low, high)) = (
                value.expect("all are defined"),
                interval.expect("all are drawn"),
            );
            assert!(low < value && value < high, "{low} {value} {high}");
        }
    }

    #[test]
    fn a_prevalent_category_is_told() {
        let skewed = two(&[(930, 0, 0), (30, 0, 1), (30, 1, 0), (10, 1, 1)]);
        let paradox = skewed.paradox().expect("kappa is low");
        assert_eq!(
            paradox.sentence(&["accept", "no_focal", "pick"]),
            "96 % of all ratings are `accept`, so Cohen's kappa takes most of the agreement for chance: it is 0.22 although \
             94.0 % of the pairs agree. AC1 (0.94) does not; report both."
        );
        let against = two(&[(95, 0, 0), (2, 0, 1), (3, 1, 0)]).paradox();
        let sentence = against.expect("kappa is low").sentence(&["accept", "pick"]);
        assert!(sentence.contains("it is −0.02 although"), "{sentence}");
        assert_eq!(two(&[(40, 0, 0), (9, 0, 1), (45, 1, 1)]).paradox(), None);
        assert_eq!(
            two(&[(4, 1, 1)]).paradox(),
            Some(Paradox::OneCategory { category: 1 })
        );
    }

    #[test]
    fn no_error_in_fifty_nine_bounds_the_rate_and_nothing_bounds_nothing() {
        assert_eq!(wilson(0, 0), None);
        let (low, high) = wilson(0, 59).expect("there are observations");
        assert!(low == 0.0 && high < 0.07, "{low} {high}");
    }
}
