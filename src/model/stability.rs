//! Whether a test has the same outcome tomorrow: the changes around it that were tried, and those that changed its
//! outcome.
//!
//! The causes follow Luo et al., "An Empirical Analysis of Flaky Tests" (2014), as far as something outside of the test
//! can bring them out.

use std::collections::BTreeMap;

/// Something that is changed around a test, while its code and the project's stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shake {
    /// Nothing: the same is done again.
    Nothing,
    /// No other test of its class runs.
    Alone,
    /// The tests of its class run in another order.
    Order,
    /// Hashes differ, so that collections without an order are iterated in another one.
    Hash,
    /// The time zone.
    Zone,
    /// Language and country.
    Locale,
    /// The clock.
    Date,
    /// It works in another folder, and the one for temporary files still has the files that it left there before.
    Folder,
    /// The variables that a build server sets are set.
    Environment,
    /// A second copy of it runs in the same network.
    Port,
    /// The machine is busy.
    Load,
}

impl Shake {
    /// Every shake, in the order in which they are tried; the index stores positions in this list.
    pub const ALL: &[Self] = &[
        Self::Nothing,
        Self::Alone,
        Self::Order,
        Self::Hash,
        Self::Zone,
        Self::Locale,
        Self::Date,
        Self::Folder,
        Self::Environment,
        Self::Port,
        Self::Load,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Alone => "alone",
            Self::Order => "order",
            Self::Hash => "hash",
            Self::Zone => "zone",
            Self::Locale => "locale",
            Self::Date => "date",
            Self::Folder => "folder",
            Self::Environment => "environment",
            Self::Port => "port",
            Self::Load => "load",
        }
    }

    /// Looks up the shake by its word, in any case of its letters.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|shake| shake.as_str().eq_ignore_ascii_case(word))
    }
}

/// Some shakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shakes(u16);

impl Shakes {
    /// The word for all of them.
    pub const ALL: &'static str = "all";

    /// Makes the set of every shake.
    #[must_use]
    pub fn all() -> Self {
        Shake::ALL.iter().copied().collect()
    }

    /// Makes the set of those that do not depend on how busy the machine is: the ones by which a dataset may be cut
    /// unless others are named.
    #[must_use]
    pub fn lasting() -> Self {
        let all = Shake::ALL.iter().copied();
        all.filter(|shake| *shake != Shake::Load).collect()
    }

    /// Reads a list with commas, or the word for all; nothing where a word is no shake.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case(Self::ALL) {
            return Some(Self::all());
        }
        let words = text.split(',').map(str::trim);
        words.map(Shake::named).collect()
    }

    /// Makes the set of these bits: bit `n` is `Shake::ALL[n]`.
    #[must_use]
    pub const fn of_bits(bits: u16) -> Self {
        Self(bits)
    }

    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    #[must_use]
    pub const fn has(self, shake: Shake) -> bool {
        self.0 & (1 << shake as u16) != 0
    }

    pub const fn insert(&mut self, shake: Shake) {
        self.0 |= 1 << shake as u16;
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns those that are in both.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Iterates over them in the order in which they are tried.
    pub fn iter(self) -> impl Iterator<Item = Shake> {
        Shake::ALL
            .iter()
            .copied()
            .filter(move |shake| self.has(*shake))
    }
}

impl FromIterator<Shake> for Shakes {
    fn from_iter<I: IntoIterator<Item = Shake>>(shakes: I) -> Self {
        let mut all = Self::default();
        for shake in shakes {
            all.insert(shake);
        }
        all
    }
}

impl std::fmt::Display for Shakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (idx, shake) in self.iter().enumerate() {
            if idx > 0 {
                f.write_str(",")?;
            }
            f.write_str(shake.as_str())?;
        }
        Ok(())
    }
}

/// The result of shaking a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stability {
    /// The shakes that were tried.
    pub tried: Shakes,
    /// The shakes of these that change the outcome.
    pub changed: Shakes,
    /// How often the test has run for that.
    pub n_runs: u32,
    /// How many of these runs it did not pass.
    pub n_failed: u32,
}

impl Stability {
    /// Fewer runs settle nothing.
    const FEWEST: u32 = 3;

    /// Returns why the test is unstable: the first shake that changes its outcome, in the order in which shakes are
    /// tried.
    #[must_use]
    pub fn reason(&self) -> Option<Shake> {
        self.changed.iter().next()
    }

    /// Tells whether nothing is open: the test has run as often as a kill must run to be believed, also with nothing
    /// changed, and has passed each time.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        self.tried.has(Shake::Nothing) && self.n_runs >= Self::FEWEST && self.n_failed == 0
    }

    /// Names the shakes that change the outcome, for people: `order, date`; `no` where none does.
    #[must_use]
    pub fn label(&self) -> String {
        if self.changed.is_empty() {
            return "no".to_owned();
        }
        let words: Vec<&str> = self.changed.iter().map(Shake::as_str).collect();
        words.join(", ")
    }
}

/// How many tests were shaken, and how many of these are unstable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StabilityCounts {
    pub n_shaken: u64,
    /// By the reason, in the order in which shakes are tried; none of those that no test has.
    pub by_reason: BTreeMap<Shake, u64>,
}

impl StabilityCounts {
    /// Counts one more test.
    pub fn add(&mut self, stability: &Stability) {
        self.n_shaken += 1;
        if let Some(reason) = stability.reason() {
            *self.by_reason.entry(reason).or_default() += 1;
        }
    }

    /// Counts the tests that are unstable, for any reason.
    #[must_use]
    pub fn n_unstable(&self) -> u64 {
        self.by_reason.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_by_the_first_of_what_changes_their_outcome() {
        let stability = |changed: &str| Stability {
            changed: Shakes::read(changed).unwrap_or_default(),
            ..Stability::default()
        };
        let mut counts = StabilityCounts::default();
        for changed in ["date,order", "order", "zone", ""] {
            counts.add(&stability(changed));
        }
        assert_eq!((counts.n_shaken, counts.n_unstable()), (4, 3));
        let by_reason: Vec<(Shake, u64)> = counts.by_reason.into_iter().collect();
        assert_eq!(by_reason, [(Shake::Order, 2), (Shake::Zone, 1)]);
    }

    #[test]
    fn a_list_of_shakes_is_read_as_it_is_written_and_in_the_order_in_which_they_are_tried() {
        let read = Shakes::read("date, nothing,load").expect("all three are shakes");
        assert_eq!(read.to_string(), "nothing,date,load");
        assert_eq!(Shakes::read(&read.to_string()), Some(read));
        assert_eq!(Shakes::read("all"), Some(Shakes::all()));
        assert_eq!(Shakes::read("nothing,moon"), None);
        assert_eq!(Shakes::of_bits(read.bits()), read);
    }

    #[test]
    fn a_test_is_settled_when_it_was_repeated_and_passed_each_time() {
        let check = |tried: &str, n_runs: u32, n_failed: u32, expected: bool| {
            let stability = Stability {
                tried: Shakes::read(tried).expect("these are shakes"),
                n_runs,
                n_failed,
                ..Stability::default()
            };
            assert_eq!(stability.is_settled(), expected, "{stability:?}");
        };
        check("nothing", 4, 0, true);
        check("all", 20, 0, true);
        // It was only run among others, or in another order.
        check("order", 4, 0, false);
        // The processes of its own did not end, so the cause of its failure is not known.
        check("nothing", 4, 1, false);
        // The shared processes did not end.
        check("nothing", 1, 0, false);
    }

    #[test]
    fn the_first_shake_that_changes_the_outcome_is_the_reason() {
        let stability = Stability {
            changed: [Shake::Date, Shake::Alone].into_iter().collect(),
            ..Stability::default()
        };
        assert_eq!(stability.reason(), Some(Shake::Alone));
        assert_eq!(Stability::default().reason(), None);
        assert!(!Shakes::lasting().has(Shake::Load));
    }
}
