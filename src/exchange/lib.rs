//! Files in and out; the only place that knows how our words look as JSON.
//!
//! Decides the names and the order of fields. Does not decide which rows are written, or read an index: `transfer`
//! and the command line fill these structures.

#[cfg(test)]
use focalist_lang as lang;
use focalist_model as model;

use std::io::{self, Write};

use serde::Serialize;

pub mod answers;
pub mod benchmark;
pub mod brittle;
pub mod calls;
mod cases;
mod clover;
pub mod columns;
pub mod config;
pub mod consistency;
pub mod coverage;
pub mod croissant;
mod dataset;
mod dump;
mod encoding;
pub mod experiment;
mod explain;
pub mod faults;
pub mod generated;
pub mod hub_results;
mod jobs;
pub mod junit;
mod leakage;
pub mod logs;
mod manifest;
pub mod mera;
mod methods2test;
pub mod mutation_report;
pub mod mutations;
pub mod outcomes;
pub mod pairs;
pub mod people;
pub mod placed;
mod prepared;
mod prompts;
pub mod published;
pub mod records;
pub mod remote;
pub mod repo_list;
pub mod report;
mod results;
pub mod review;
pub mod rows;
mod runs;
mod sample;
pub mod sarif;
mod scores;
pub mod shape;
pub mod shards;
mod split_files;
mod table;
mod tags;
mod training;
pub mod training_pairs;
pub mod usage;
pub mod validated;
mod xml;

pub use cases::{BadCase, WireCase, WireCaseRan, WireItem, read_cases};
pub use clover::{
    AnswerId, BLANK, WireAnswer, WireBlock, WireBudgetTokens, WireClasses, WireCloze,
    WireEvaluated, WireExtracted, WireFormDifference, WireGap, WireGibberish, WireInterval,
    WireModelDifference, WireRan, WireShares, WireTarget, WireTask, WireTaskBlock, WireTaskReport,
    WireTaskTokens,
};
pub use dataset::{
    ReadCandidate, ReadClass, ReadFunction, ReadMapping, ReadMappingHead, ReadMatch, ReadMethod,
    ReadRepo, ReadRepository, ReadSample, ReadSampleHead, ReadSplit, ReadTest, ReadTestHead,
    Scalar, is_json, parse, parse_from,
};
pub use dump::{WireCell, WireDumpedRow};
pub use encoding::{WireDecodeError, WireDecoded, WireEncoded, WireLengths, WireQuantiles};
pub use explain::{WireCost, WireExplanation, WireStep};
pub use jobs::WireJob;
pub use leakage::{
    WireLeakage, WireLeaked, WireNearPair, WireNearSample, WireNeighbour, WirePairCount,
};
pub use manifest::{WireExport, WireManifest, WireMatcher, WireMinedRepo, WireParser};
pub use methods2test::{WireClass, WireFunction, WireFunctionHead, WireMapping, WireRepository};
pub use prepared::{
    WireEnvironment, WirePrepareStep, WirePrepared, WireRefused, WireSuite, WireUnbuilt, WireYield,
};
pub use prompts::{WireHalf, WireHalfMeta, WireMessage, WirePrompt, WirePromptMeta, WireTaskMeta};
pub use results::{
    WireReading, WireReferencePlace, WireResult, WireResultDetail, WireResultGroup, WireTexts,
};
pub use runs::{
    WireApart, WireCompared, WireComparedFaults, WireComparedOutcomes, WireComparedShare,
    WireComparedStep, WireComparedTag, WireComparison, WireDifference, WireMean, WireModelRow,
    WirePaired, WirePairedRun, WireParseAtK, WireRun, WireRunInLanguage, WireScored, WireSlice,
};
pub use sample::{
    WireCandidate, WireContextKey, WireGold, WireMatch, WireMethod, WirePlace, WireRepo,
    WireSample, WireSplit, WireTest, WireTestLine, WireTestPlace,
};
pub use scores::{OrderedFields, WireCorpusScores, WireCrystal, WirePairScores, WireSyntaxError};
pub use split_files::ParquetError;
pub use table::{
    WireCallCounts, WireDeclared, WireDetail, WireFunnel, WireProblem, WireRepoResolutions,
    WireRepoRow, WireResolutions, WireRow,
};
pub use tags::{WireCorrected, WireTagAccord, WireTagAgreement, WireTagCount, WireTags};
pub use training::{WireTrainingStep, training_log};

/// Writes one value as JSON, without a line end.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    out.write_all(&serde_json::to_vec(value)?)
}

/// Writes one value as JSON, and a line feed.
pub fn write_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    out.write_all(&line)
}

/// Writes each value as JSON on a line of its own.
pub fn write_lines(
    out: &mut dyn Write,
    values: impl IntoIterator<Item = impl Serialize>,
) -> io::Result<()> {
    values
        .into_iter()
        .try_for_each(|value| write_line(out, &value))
}

/// Writes one value as indented JSON, for people.
pub fn write_pretty(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    out.write_all(&text)
}
