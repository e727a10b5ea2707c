//! Near duplicates among many token lists: sets of shingles, their signatures, and which pairs are worth a comparison.
//!
//! - A text is the set of its shingles, the runs of k tokens in a row; resemblance is Jaccard's coefficient
//!   `J = |A ∩ B| / |A ∪ B|` of two sets (Broder 1997, "On the resemblance and containment of documents", section 2).
//! - A signature holds, for each of n hash functions, the smallest hash of the set. Two agree at one place with
//!   probability J, so the share of equal places estimates J with the standard error `√(J (1 − J) / n)` (section 3).
//! - Signatures are cut into b bands of r rows; pairs that agree on all rows of some band are candidates, which a pair is
//!   with probability `1 − (1 − J^r)^b` (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4.2).
//!
//! Decides nothing about which texts are compared, or what counts as near. Shingles and hash functions are the same on
//! every machine. A shingle is known by 64 bits: two different ones are taken for one with probability 2⁻⁶⁴.

/// Spreads 64 bits over 64 bits; one to one (Steele, Lea and Flood 2014, `SplitMix64`, with Stafford's constants no. 13).
const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The golden ratio, which sets the seeds apart.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes a token by FNV-1a, spread.
fn token_hash(token: &str) -> u64 {
    let fnv = token
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    mix(fnv)
}

/// The set of a text's shingles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles(
    /// Sorted, each once.
    Vec<u64>,
);

impl Shingles {
    /// Makes the set of runs of `k` tokens, at least 1. Fewer tokens than that are one shingle; none are the empty set.
    /// Needs eight bytes a token, and time linear in the text except for sorting them.
    #[must_use]
    pub fn of<'t>(k: usize, tokens: impl IntoIterator<Item = &'t str>) -> Self {
        let tokens: Vec<u64> = tokens.into_iter().map(token_hash).collect();
        if tokens.is_empty() {
            return Self::default();
        }
        let k = k.clamp(1, tokens.len());
        let hash_of = |run: &[u64]| {
            run.iter().fold(STEP, |hash, token| {
                mix(hash.wrapping_add(STEP) ^ token.rotate_left(32))
            })
        };
        let mut shingles: Vec<u64> = tokens.windows(k).map(hash_of).collect();
        shingles.sort_unstable();
        shingles.dedup();
        Self(shingles)
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes sixteen bytes that equal sets share, and no others.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        for shingle in &self.0 {
            hasher.update(&shingle.to_le_bytes());
        }
        let mut bytes = [0; 16];
        hasher.finalize_xof().fill(&mut bytes);
        bytes
    }

    /// Computes Jaccard's coefficient, 0..=1; two empty sets are equal, which is 1. Linear in the longer set.
    #[must_use]
    pub fn jaccard(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.0.as_slice(), other.0.as_slice());
        let mut n_common = 0_usize;
        while let ([first, rest_a @ ..], [second, rest_b @ ..]) = (a, b) {
            if first <= second {
                a = rest_a;
            }
            if second <= first {
                b = rest_b;
            }
            n_common += usize::from(first == second);
        }
        let n_any = self.len() + other.len() - n_common;
        if n_any == 0 {
            1.0
        } else {
            n_common as f64 / n_any as f64
        }
    }
}

/// Jaccard's coefficient as two signatures tell it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// 0..=1.
    pub value: f64,
    /// `√(value (1 − value) / n)`; 0 where all places agree or none does.
    pub standard_error: f64,
}

impl Estimate {
    /// Estimates the coefficient from `n_equal` equal places of `n`; 0 of none.
    #[must_use]
    pub fn new(n_equal: usize, n: usize) -> Self {
        let value = n_equal as f64 / n.max(1) as f64;
        Self {
            value,
            standard_error: standard_error(value, n),
        }
    }
}

/// Computes the standard error of an estimate from `n` places where the coefficient is `similarity`.
#[must_use]
pub fn standard_error(similarity: f64, n: usize) -> f64 {
    (similarity * (1.0 - similarity) / n.max(1) as f64).sqrt()
}

/// Counts at how many places two signatures agree.
#[must_use]
pub fn n_equal(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum::<u32>() as usize
}

/// Signatures of the same length, numbered from 0: four bytes a place.
#[derive(Clone, Debug)]
pub struct Signatures {
    seeds: Vec<u64>,
    places: Vec<u32>,
}

impl Signatures {
    /// Makes a list of signatures with `n` places, at least 1.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let seeds = (1..=n.max(1) as u64).map(|at| mix(at.wrapping_mul(STEP)));
        Self {
            seeds: seeds.collect(),
            places: Vec::new(),
        }
    }

    /// Returns the number of places, which all signatures share.
    #[must_use]
    pub const fn n_places(&self) -> usize {
        self.seeds.len()
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.places.len() / self.seeds.len()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Signs a set; the signature of the empty set agrees with none but itself.
    #[must_use]
    pub fn sign(&self, shingles: &Shingles) -> Vec<u32> {
        let smallest = |seed: &u64| {
            let hashes = shingles.0.iter().map(|n| mix(n ^ seed) >> 32);
            hashes.min().map_or(u32::MAX, |hash| hash as u32)
        };
        self.seeds.iter().map(smallest).collect()
    }

    /// Adds the signature of a set.
    pub fn push(&mut self, shingles: &Shingles) {
        let signature = self.sign(shingles);
        self.places.extend(signature);
    }

    /// Returns the `idx`-th signature; an empty one behind the last.
    #[must_use]
    pub fn get(&self, idx: usize) -> &[u32] {
        let n = self.seeds.len();
        self.places.get(idx * n..(idx + 1) * n).unwrap_or_default()
    }

    /// Estimates how near two of them are.
    #[must_use]
    pub fn estimate(&self, a: usize, b: usize) -> Estimate {
        Estimate::new(n_equal(self.get(a), self.get(b)), self.n_places())
    }
}

/// How signatures are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bands {
    pub n_bands: usize,
    pub n_rows: usize,
}

impl Bands {
    /// Finds the longest bands of `n_places` that miss a pair of similarity `threshold` with a probability of at most
    /// `miss_max`; bands of one row where none do.
    #[must_use]
    pub fn for_threshold(n_places: usize, threshold: f64, miss_max: f64) -> Self {
        (1..=n_places)
            .rev()
            .map(|n_rows| Self {
                n_bands: n_places / n_rows,
                n_rows,
            })
            .find(|bands| 1.0 - bands.probability(threshold) <= miss_max)
            .unwrap_or(Self {
                n_bands: n_places,
                n_rows: 1,
            })
    }

    /// Computes how likely a pair of this similarity is a candidate: `1 − (1 − s^r)^b`.
    #[must_use]
    pub fn probability(self, similarity: f64) -> f64 {
        // Multiplied out, so that the last digit is the same on every machine.
        let power = |base: f64, n| std::iter::repeat_n(base, n).product::<f64>();
        1.0 - power(1.0 - power(similarity, self.n_rows), self.n_bands)
    }

    /// Hands every pair `a < b` to `each` that agrees on band number `band` and on none before it, so that all bands
    /// together give each pair once. Returns how many pairs were left out: of the signatures that agree on a band, each
    /// meets only the `n_neighbours_max` that follow, so that a million copies do not make 10¹² pairs.
    pub fn candidates(
        self,
        band: usize,
        signatures: &Signatures,
        n_neighbours_max: usize,
        mut each: impl FnMut(u32, u32),
    ) -> u64 {
        let rows = |idx: u32, band: usize| {
            let signature = signatures.get(idx as usize);
            signature
                .get(band * self.n_rows..(band + 1) * self.n_rows)
                .unwrap_or_default()
        };
        let key = |idx: u32| {
            let places = rows(idx, band).iter();
            places.fold(STEP, |hash, place| mix(hash ^ u64::from(*place)))
        };
        let mut keyed: Vec<(u64, u32)> = (0..signatures.len() as u32)
            .map(|idx| (key(idx), idx))
            .collect();
        keyed.sort_unstable();
        let mut n_left_out = 0;
        for bucket in keyed.chunk_by(|a, b| a.0 == b.0) {
            for (at, (_, a)) in bucket.iter().enumerate() {
                let following = &bucket[at + 1..];
                n_left_out += following.len().saturating_sub(n_neighbours_max) as u64;
                for (_, b) in following.iter().take(n_neighbours_max) {
                    let is_new = (0..band).all(|before| rows(*a, before) != rows(*b, before));
                    if is_new {
                        each(*a, *b);
                    }
                }
            }
        }
        n_left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The set of the numbers from `first` on.
    fn numbers(first: u64, n: u64) -> Shingles {
        let words: Vec<String> = (first..first + n).map(|n| n.to_string()).collect();
        Shingles::of(1, words.iter().map(String::as_str))
    }

    fn words(k: usize, text: &str) -> Shingles {
        Shingles::of(k, text.split_whitespace())
    }

    #[test]
    fn jaccard_counts_common_shingles() {
        let check = |k, a: &str, b: &str, expected: f64| {
            let (a, b) = (words(k, a), words(k, b));
            assert!((a.jaccard(&b) - expected).abs() < 1e-12);
            assert!((b.jaccard(&a) - expected).abs() < 1e-12);
        };
        check(1, "a b c", "b c d", 0.5);
        check(1, "a b c", "c b a", 1.0);
        check(2, "a b c", "c b a", 0.0);
        check(2, "a b c d", "a b c e", 0.5);
        check(3, "a b", "a b", 1.0);
        check(3, "a b", "a b c", 0.0);
        check(1, "a a a", "a", 1.0);
        check(3, "", "", 1.0);
        check(3, "", "a", 0.0);
        check(0, "a b", "b a", 1.0);
    }

    #[test]
    fn equal_sets_have_one_fingerprint() {
        assert_eq!(
            words(1, "a b c").fingerprint(),
            words(1, "c b a a").fingerprint()
        );
        assert_ne!(
            words(2, "a b c").fingerprint(),
            words(2, "c b a").fingerprint()
        );
    }

    #[test]
    fn an_estimate_lies_near_the_exact_value() {
        for (n_common, n_own) in [(100, 0), (90, 10), (80, 20), (50, 50), (20, 80), (0, 100)] {
            let mut signatures = Signatures::new(1_000);
            signatures.push(&numbers(0, n_common + n_own));
            signatures.push(&numbers(n_own, n_common + n_own));
            let exact = numbers(0, n_common + n_own).jaccard(&numbers(n_own, n_common + n_own));
            let estimate = signatures.estimate(0, 1);
            let error = (estimate.value - exact).abs();
            assert!(
                error <= 4.0 * standard_error(exact, 1_000),
                "{exact}: {estimate:?}"
            );
        }
    }

    #[test]
    fn identical_sets_are_1_and_disjoint_ones_0() {
        let mut signatures = Signatures::new(64);
        signatures.push(&numbers(0, 50));
        signatures.push(&numbers(0, 50));
        signatures.push(&numbers(100, 50));
        signatures.push(&Shingles::default());
        assert_eq!(signatures.len(), 4);
        let estimate = |a, b| signatures.estimate(a, b);
        assert_eq!(estimate(0, 1), Estimate::new(64, 64));
        assert_eq!(estimate(0, 2), Estimate::new(0, 64));
        assert_eq!(estimate(0, 3), Estimate::new(0, 64));
        assert!(signatures.get(4).is_empty());
    }

    #[test]
    fn the_order_of_shingles_does_not_matter() {
        let signatures = Signatures::new(32);
        let (a, b) = (words(1, "x y z w"), words(1, "w z y x y"));
        assert_eq!(signatures.sign(&a), signatures.sign(&b));
    }

    #[test]
    fn bands_are_as_long_as_the_promise_allows() {
        let check = |threshold, n_bands, n_rows| {
            let bands = Bands::for_threshold(100, threshold, 1e-3);
            assert_eq!((bands.n_bands, bands.n_rows), (n_bands, n_rows));
            assert!(1.0 - bands.probability(threshold) <= 1e-3);
        };
        check(0.8, 20, 5);
        check(0.5, 50, 2);
        check(1.0, 1, 100);
        let bands = Bands::for_threshold(100, 0.01, 1e-3);
        assert_eq!((bands.n_bands, bands.n_rows), (100, 1));
    }

    /// Collects the candidate pairs of all bands, each with at most this number of neighbours.
    fn pairs(bands: Bands, signatures: &Signatures, n_neighbours_max: usize) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for band in 0..bands.n_bands {
            bands.candidates(band, signatures, n_neighbours_max, |a, b| {
                pairs.push((a, b));
            });
        }
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn planted_near_duplicates_are_found_as_often_as_promised() {
        // 400 pairs far from each other; within a pair, `n_common` of 100 numbers are shared.
        for n_common in [60, 75, 89] {
            let mut signatures = Signatures::new(40);
            for n in 0..400 {
                signatures.push(&numbers(n * 1_000, 100));
                signatures.push(&numbers(n * 1_000 + 100 - n_common, 100));
            }
            let similarity = n_common as f64 / (200 - n_common) as f64;
            let bands = Bands {
                n_bands: 8,
                n_rows: 5,
            };
            let found = pairs(bands, &signatures, 100);
            let n_planted = found
                .iter()
                .filter(|(a, b)| a % 2 == 0 && *b == a + 1)
                .count();
            let promised = bands.probability(similarity);
            let error = 4.0 * standard_error(promised, 400) * 400.0;
            let off = (n_planted as f64 - 400.0 * promised).abs();
            assert!(
                off <= error.max(1.0),
                "{similarity}: {n_planted} of 400, promised {promised}"
            );
        }
    }

    #[test]
    fn each_pair_comes_once_whatever_the_order_of_texts() {
        let sets: Vec<Shingles> = (0..30).map(|n| numbers(n * 5, 100)).collect();
        let bands = Bands::for_threshold(64, 0.8, 1e-3);
        let found = |order: &[usize]| {
            let mut signatures = Signatures::new(64);
            for n in order {
                signatures.push(&sets[*n]);
            }
            let pairs = pairs(bands, &signatures, 1_000);
            let mut named: Vec<(usize, usize)> = pairs
                .iter()
                .map(|(a, b)| (order[*a as usize], order[*b as usize]))
                .map(|(a, b)| (a.min(b), a.max(b)))
                .collect();
            named.sort_unstable();
            named
        };
        let forward: Vec<usize> = (0..30).collect();
        let backward: Vec<usize> = (0..30).rev().collect();
        let pairs = found(&forward);
        assert_eq!(pairs, found(&backward));
        assert!(pairs.windows(2).all(|window| window[0] != window[1]));
        assert!((0..29).all(|n| pairs.contains(&(n, n + 1))));
    }

    #[test]
    fn copies_do_not_make_pairs_without_a_bound() {
        let mut signatures = Signatures::new(16);
        for _ in 0..1_000 {
            signatures.push(&numbers(0, 10));
        }
        let bands = Bands {
            n_bands: 4,
            n_rows: 4,
        };
        let mut n_pairs = 0_u64;
        let n_left_out = bands.candidates(0, &signatures, 10, |_, _| n_pairs += 1);
        assert_eq!(n_pairs + n_left_out, 1_000 * 999 / 2);
        assert!(n_pairs <= 10_000);
        bands.candidates(1, &signatures, 10, |_, _| n_pairs += 1_000_000);
        assert!(n_pairs <= 10_000, "the first band has given them");
    }

    #[test]
    fn any_text_has_shingles() {
        let long = "a\0\u{10ffff}".repeat(300_000);
        assert_eq!(Shingles::of(3, [long.as_str()]).len(), 1);
        let many = "x ( ".repeat(500_000);
        assert_eq!(words(3, &many).len(), 2);
        assert!(Shingles::of(usize::MAX, ["", "a"]).len() == 1);
    }
}
