//! Questions about the true test of a sample: its outcome when `execute --truth` ran it, and the share of the mutants
//! of its focal method that it notices. A true test that was never run, or has no viable mutant, has no value.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rusqlite::types::Value;

use crate::model::{
    BrittleIs, Brittleness, Comparison, FaultCounts, FaultOutcome, Outcome, PredictionSort, RanIs,
    SampleKey, Stability, UnstableIs,
};

use rusqlite::Connection;

use super::brittle::{BRITTLENESS, brittleness};
use super::codec::{OF_TEST, code, decode};
use super::equivalent::HELD;
use super::error::StoreFailure;
use super::faults::{WHOLE, add};
use super::stable::{STABILITY, stability};
use super::{Store, StoreError};

/// The word that a run of true tests has in place of the file that it was imported from.
pub const TRUTH_SOURCE: &str = "execute --truth";

/// Writes the tables and conditions of a query for the outcome `e`, in its run `u`, of the true test of the decision
/// `d`.
fn runs_of_decision(joined: &str) -> String {
    let key = format!("(SELECT t.key FROM tests t WHERE t.id = d.id & {OF_TEST})");
    runs(&key, joined)
}

/// Joins the row `f` of a test that ran on all its mutants.
const FAULTED: &str = "JOIN faulted f ON f.prediction =
            COALESCE(e.prediction - (e.prediction & 4294967295) + e.duplicate_of, e.prediction)
            AND f.engine = e.engine AND f.is_settled AND f.is_whole";

/// Joins the row `s` with the stability of such a test.
const SHAKEN: &str = "JOIN shaken s ON s.prediction =
            COALESCE(e.prediction - (e.prediction & 4294967295) + e.duplicate_of, e.prediction)
            AND s.engine = e.engine";

/// Joins the row `v` with the reactions of such a test to code that keeps the contract.
const VARIED: &str = "JOIN varied v ON v.prediction =
            COALESCE(e.prediction - (e.prediction & 4294967295) + e.duplicate_of, e.prediction)
            AND v.engine = e.engine AND v.is_settled";

/// Writes the tables and conditions of a query for the outcome of a sample's true test, with a join.
fn runs(key: &str, joined: &str) -> String {
    format!(
        "predictions p JOIN runs u ON u.id = p.id >> 32 JOIN run_executions w ON w.run = u.id
            JOIN executions e ON e.prediction = p.id AND instr('+' || w.engine || '+', '+' || e.engine || '+') > 0
         {joined} WHERE p.key = {key} AND u.source = '{TRUTH_SOURCE}' AND (p.id & 4294967295) < u.n_predictions"
    )
}

impl Store {
    /// Tells whether any true test ran on all its mutants.
    pub fn has_true_faults(&self) -> Result<bool, StoreError> {
        self.has_of_truth(WHOLE)
    }

    /// Counts the mutants that the true tests of these samples notice; nothing for tests that were not held against
    /// any.
    pub fn true_fault_counts(
        &self,
        keys: &[SampleKey],
    ) -> Result<BTreeMap<SampleKey, FaultCounts>, StoreError> {
        self.counting(|conn| {
            let pairs =
                "LEFT JOIN fault_pairs x ON x.prediction = f.prediction AND x.engine = f.engine";
            let from = runs("?1", &format!("{FAULTED} {pairs}"));
            let mut statement = conn.prepare_cached(&format!(
                "SELECT x.outcome, COUNT(x.mutant), x.mutant IN {HELD} FROM {from} GROUP BY 1, 3"
            ))?;
            let mut counts: BTreeMap<SampleKey, FaultCounts> = BTreeMap::default();
            for key in keys {
                let mut rows = statement.query([&key.0[..]])?;
                while let Some(row) = rows.next()? {
                    let of_test = counts.entry(*key).or_default();
                    if let Some(outcome) = row.get::<_, Option<i64>>(0)? {
                        let outcome = decode(FaultOutcome::ALL, outcome)?;
                        let n: u32 = row.get(1)?;
                        add(of_test, (n, outcome), row.get(2)?);
                    }
                }
            }
            Ok(counts)
        })
    }

    /// Tells whether any true test was shaken.
    pub fn has_true_stabilities(&self) -> Result<bool, StoreError> {
        self.has_of_truth("shaken")
    }

    /// Tells whether any true test ran on code that keeps the contract.
    pub fn has_true_brittlenesses(&self) -> Result<bool, StoreError> {
        self.has_of_truth("varied")
    }

    /// Reads how the true tests of these samples reacted to code that keeps the contract; nothing for tests that were
    /// not held against any.
    pub fn true_brittlenesses(
        &self,
        keys: &[SampleKey],
    ) -> Result<BTreeMap<SampleKey, Brittleness>, StoreError> {
        self.reading(|conn| {
            let sql = format!("SELECT {BRITTLENESS} FROM {}", runs("?1", VARIED));
            let mut statement = conn.prepare_cached(&sql)?;
            let mut found = BTreeMap::new();
            for key in keys {
                let mut rows = statement.query([&key.0[..]])?;
                if let Some(row) = rows.next()?
                    && let Some(brittleness) = brittleness(row)?
                {
                    found.insert(*key, brittleness);
                }
            }
            Ok(found)
        })
    }

    /// Tells whether a table has a row about any true test.
    fn has_of_truth(&self, table: &str) -> Result<bool, StoreError> {
        self.reading(|conn| {
            let sql = format!(
                "SELECT EXISTS (SELECT 1 FROM runs u JOIN {table} x ON x.prediction >= u.id << 32
                AND x.prediction < (u.id + 1) << 32 WHERE u.source = ?1)"
            );
            Ok(conn.query_row(&sql, [TRUTH_SOURCE], |row| row.get(0))?)
        })
    }

    /// Reads the stabilities of the true tests of these samples; nothing for tests that were not shaken.
    pub fn true_stabilities(
        &self,
        keys: &[SampleKey],
    ) -> Result<BTreeMap<SampleKey, Stability>, StoreError> {
        self.reading(|conn| {
            let mut found = BTreeMap::new();
            for key in keys {
                if let Some(stability) = true_stability(conn, key)? {
                    found.insert(*key, stability);
                }
            }
            Ok(found)
        })
    }
}

/// Reads the stability of a sample's true test.
pub(super) fn true_stability(
    conn: &Connection,
    key: &SampleKey,
) -> Result<Option<Stability>, StoreFailure> {
    let sql = format!("SELECT {STABILITY} FROM {}", runs("?1", SHAKEN));
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query([&key.0[..]])?;
    match rows.next()? {
        Some(row) => stability(row),
        None => Ok(None),
    }
}

static RAN: LazyLock<String> =
    LazyLock::new(|| format!("(SELECT MAX(e.outcome) FROM {})", runs_of_decision("")));

/// The mutation score of the true test of the decision `d`.
pub(super) static MUTATION: LazyLock<String> = LazyLock::new(|| {
    ratio(|fault_outcome| {
        !matches!(
            fault_outcome,
            FaultOutcome::NotViable | FaultOutcome::Unstable
        )
    })
});

/// The test strength of that test.
pub(super) static STRENGTH: LazyLock<String> = LazyLock::new(|| {
    ratio(|fault_outcome| {
        !matches!(
            fault_outcome,
            FaultOutcome::NotViable | FaultOutcome::Unstable | FaultOutcome::NotCovered
        )
    })
});

/// Writes the share of detected mutants among the counted ones, as SQL.
fn ratio(is_counted: fn(FaultOutcome) -> bool) -> String {
    let codes = |is_in: &dyn Fn(FaultOutcome) -> bool| {
        let all = FaultOutcome::ALL
            .iter()
            .filter(|fault_outcome| is_in(**fault_outcome));
        let codes: Vec<String> = all
            .map(|fault_outcome| code(FaultOutcome::ALL, *fault_outcome).to_string())
            .collect();
        codes.join(", ")
    };
    let pairs = format!(
        "{FAULTED} JOIN fault_pairs x ON x.prediction = f.prediction AND x.engine = f.engine
            AND x.mutant NOT IN {HELD}"
    );
    format!(
        "(SELECT SUM(x.outcome IN ({})) * 1.0 / NULLIF(SUM(x.outcome IN ({})), 0) FROM {})",
        codes(&FaultOutcome::is_detected),
        codes(&is_counted),
        runs_of_decision(&pairs)
    )
}

/// Names the column that samples are sorted by; nothing for fields that no true test has.
pub(super) fn column(field: PredictionSort) -> Option<&'static str> {
    Some(match field {
        PredictionSort::Ran => RAN.as_str(),
        PredictionSort::Mutation => MUTATION.as_str(),
        PredictionSort::Strength => STRENGTH.as_str(),
        PredictionSort::ReferenceTokens
        | PredictionSort::PredictionTokens
        | PredictionSort::Attempt
        | PredictionSort::Lines
        | PredictionSort::Branches
        | PredictionSort::Milliseconds => return None,
    })
}

/// Compiles a condition on the outcome of the true test of the decision `d`, with the values for its `?`s.
pub(super) fn outcome_condition(wanted: RanIs) -> (String, Vec<Value>) {
    let runs = runs_of_decision("");
    match wanted {
        RanIs::Never => (format!("NOT EXISTS (SELECT 1 FROM {runs})"), Vec::new()),
        RanIs::Blocked => (
            format!("EXISTS (SELECT 1 FROM {runs} AND e.blocked IS NOT NULL)"),
            Vec::new(),
        ),
        RanIs::Outcome(sign, outcome) => {
            let sign = match sign {
                Comparison::Is | Comparison::Exactly => "=",
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
            };
            (
                format!("EXISTS (SELECT 1 FROM {runs} AND e.outcome {sign} ?)"),
                vec![Value::Integer(code(Outcome::ALL, outcome))],
            )
        }
    }
}

/// Compiles a condition on the stability of the true test of the decision `d`, with the values for its `?`s.
pub(super) fn unstable(wanted: UnstableIs) -> (String, Vec<Value>) {
    let shaken = runs_of_decision(SHAKEN);
    let such = |condition: &str| format!("EXISTS (SELECT 1 FROM {shaken}{condition})");
    match wanted {
        UnstableIs::By(shake) => {
            let bit = Value::Integer(1 << shake as u16);
            (such(" AND s.changed & ? <> 0"), vec![bit])
        }
        UnstableIs::Any => (such(" AND s.changed <> 0"), Vec::new()),
        UnstableIs::Stable => (such(" AND s.changed = 0"), Vec::new()),
        UnstableIs::Never => (format!("NOT {}", such("")), Vec::new()),
    }
}

/// Compiles a condition on the variants that the true test of the decision `d` objects to, with the values for its
/// `?`s.
pub(super) fn brittle(wanted: BrittleIs) -> (String, Vec<Value>) {
    let varied = runs_of_decision(VARIED);
    let such = |condition: &str| format!("EXISTS (SELECT 1 FROM {varied}{condition})");
    match wanted {
        BrittleIs::To(kind) => {
            let bit = Value::Integer(1 << kind as u8);
            (such(" AND v.objects & ? <> 0"), vec![bit])
        }
        BrittleIs::Any => (such(" AND v.objects <> 0"), Vec::new()),
        BrittleIs::ToNothing => (such(" AND v.objects = 0"), Vec::new()),
        BrittleIs::Never => (format!("NOT {}", such("")), Vec::new()),
    }
}
