//! The engines whose outcomes count for a run: for each language, the one that ran the run last.
//!
//! A prediction has one language, so at most one of its outcomes counts; the results of a run are read over all these
//! engines.

use std::collections::BTreeMap;

use rusqlite::params;

use crate::model::{EngineName, ExecutionSetting, Language, LanguageFunnel};

use super::codec::{decode, row_id};
use super::confirmed::CONFIRMED;
use super::executions::grouped;
use super::outcome_condition::{LANGUAGE, is_shown};
use super::{Store, StoreError};

/// The separator between values of different engines.
const BETWEEN: &str = " + ";

impl Store {
    /// Reads how a run was last executed, over all its languages: for each, the setting of its last engine.
    pub fn execution_setting(&self, run: i64) -> Result<Option<ExecutionSetting>, StoreError> {
        Ok(joined(&last_of_each_language(
            self.execution_settings(run)?,
        )))
    }

    /// Reads how a run was last executed with each engine, in order of the engines' names.
    pub fn execution_settings(&self, run: i64) -> Result<Vec<ExecutionSetting>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT engine, version, options, sandbox, executed_at FROM run_executions WHERE run = ?1 ORDER BY engine",
            )?;
            let settings = statement.query_map([run], |row| {
                Ok(ExecutionSetting {
                    engine: row.get(0)?,
                    version: row.get(1)?,
                    options: row.get(2)?,
                    sandbox: row.get(3)?,
                    executed_at: row.get(4)?,
                })
            })?;
            Ok(settings.collect::<Result<_, _>>()?)
        })
    }

    /// Counts the samples and predictions of a run by language, in order of languages. Samples that have left the index
    /// count under no language.
    pub fn run_languages(&self, run: i64) -> Result<Vec<(Language, [u64; 2])>, StoreError> {
        let of = |language_funnel: LanguageFunnel| {
            Some((
                language_funnel.language?,
                [language_funnel.n_samples, language_funnel.n_predictions],
            ))
        };
        let all = self.language_funnels(run, "")?;
        Ok(all.into_iter().filter_map(of).collect())
    }

    /// Counts how far a run's candidates came with these engines, by language; those whose samples have left the index
    /// come last.
    pub fn language_funnels(
        &self,
        run: i64,
        engine: &str,
    ) -> Result<Vec<LanguageFunnel>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {LANGUAGE}, p.attempt = 0, e.outcome, e.blocked, e.duplicate_of IS NOT NULL, e.is_called,
                    e.asserts, {CONFIRMED}, COUNT(*)
                 FROM predictions p LEFT JOIN executions e ON e.prediction = p.id AND {}
                 WHERE p.id >= ?1 AND p.id < ?1 + (SELECT n_predictions FROM runs WHERE id = ?2)
                 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8",
                is_shown("e.engine", 3)
            ))?;
            let mut rows = statement.query(params![row_id(run, 0), run, engine])?;
            let mut found: BTreeMap<usize, LanguageFunnel> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let language: Option<i64> = row.get(0)?;
                let language = language.map(|language| decode(Language::ALL, language)).transpose()?;
                let place = language.map_or(Language::ALL.len(), |language| language as usize);
                let language_funnel = found.entry(place).or_insert_with(|| LanguageFunnel {
                    language,
                    engine: language
                        .and_then(|language| EngineName::of_language(engine, language))
                        .unwrap_or_default()
                        .to_owned(),
                    ..LanguageFunnel::default()
                });
                let n = u64::from(row.get::<_, u32>(8)?);
                language_funnel.n_predictions += n;
                language_funnel.n_samples += n * u64::from(row.get::<_, bool>(1)?);
                let execution = grouped(row, 2)?;
                if execution.outcome.is_some() || execution.blocked.is_some() {
                    language_funnel.funnel.add(&execution, n);
                }
            }
            Ok(found.into_values().collect())
        })
    }
}

/// Keeps for each language the engine that ran last, in order of languages, followed by unknown engines.
fn last_of_each_language(mut settings: Vec<ExecutionSetting>) -> Vec<ExecutionSetting> {
    let language = |execution_setting: &ExecutionSetting| {
        EngineName::named(&execution_setting.engine).map(EngineName::language)
    };
    settings.sort_by(|a, b| {
        let rank = |execution_setting| {
            language(execution_setting).map_or(Language::ALL.len(), |language| language as usize)
        };
        let by_time = b.executed_at.cmp(&a.executed_at);
        rank(a).cmp(&rank(b)).then(by_time)
    });
    settings.dedup_by(|later, kept| language(later).is_some() && language(later) == language(kept));
    settings
}

/// Combines settings; values that all of them share are written once.
fn joined(settings: &[ExecutionSetting]) -> Option<ExecutionSetting> {
    let executed_at = settings.iter().map(|setting| setting.executed_at).max()?;
    let engines: Vec<&str> = settings
        .iter()
        .map(|setting| setting.engine.as_str())
        .collect();
    let several = |of: fn(&ExecutionSetting) -> &str| {
        let mut values: Vec<&str> = settings.iter().map(of).collect();
        values.sort_unstable();
        values.dedup();
        values.join(BETWEEN)
    };
    Some(ExecutionSetting {
        engine: EngineName::joined(&engines),
        version: several(|execution_setting| &execution_setting.version),
        options: several(|execution_setting| &execution_setting.options),
        sandbox: several(|execution_setting| &execution_setting.sandbox),
        executed_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(engine: &str, executed_at: i64) -> ExecutionSetting {
        ExecutionSetting {
            engine: engine.to_owned(),
            version: "1".to_owned(),
            options: "timeout=10000".to_owned(),
            sandbox: "bwrap".to_owned(),
            executed_at,
        }
    }

    #[test]
    fn each_language_is_shown_as_its_last_engine_left_it() {
        let check = |settings: &[(&str, i64)], expected: Option<&str>| {
            let settings = settings
                .iter()
                .map(|pair| setting(pair.0, pair.1))
                .collect();
            let shown = joined(&last_of_each_language(settings));
            assert_eq!(
                shown
                    .as_ref()
                    .map(|execution_setting| execution_setting.engine.as_str()),
                expected
            );
            // A value that all share is written once.
            assert!(
                shown.is_none_or(|execution_setting| execution_setting.options == "timeout=10000")
            );
        };
        check(&[], None);
        check(&[("maven", 2)], Some("maven"));
        check(
            &[("fast", 3), ("fork", 1), ("fresh", 2), ("maven", 2)],
            Some("fast+fresh"),
        );
        check(&[("fork", 1), ("none", 1)], Some("fork+none"));
    }
}
