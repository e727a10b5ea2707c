//! Files of JSON lines: the format of their first line, and the flaws of each line in it.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;

use serde_json::Value;

use super::shapes;
use super::{FileCheck, ReadHalt};
use crate::dataset::{DatasetFault, flaw_of_line};
use crate::exchange::answers::read_prompt;
use crate::exchange::benchmark::{parse_proposed, parse_split};
use crate::exchange::pairs::{FieldNames, pair, prediction};
use crate::exchange::placed::ValueAtLine;
use crate::exchange::records::{Fields, Record, RecordError, RecordLayout, each_record};
use crate::exchange::repo_list::parse_line;
use crate::exchange::review;
use crate::exchange::shape::{ShapeFault, ValueShape};
use crate::model::SampleKey;
use crate::{DatasetFormat, exchange};

/// A kind of line.
pub(super) struct LineKind {
    /// The name of such a file for people.
    pub name: &'static str,
    /// The fields that tell it from others.
    tells: &'static [&'static str],
    reads: LineSyntax,
    /// The fields that no two lines have alike; a dot leads into an object.
    unique: &'static [&'static str],
    /// The command that writes it; empty where others do.
    made_by: &'static str,
}

/// How a line is read.
enum LineSyntax {
    Shape(ValueShape),
    /// By the reader of an import.
    Dataset(DatasetFormat),
    Own(fn(&str, u32) -> Result<(), LineFault>),
}

/// The flaw of a line.
#[derive(Debug, thiserror::Error)]
enum LineFault {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{}", _0.detail)]
    Sample(DatasetFault),
    #[error("{}", _0.what)]
    Shape(ShapeFault),
    #[error("the messages do not end with one of `user` and one of `assistant`")]
    Unanswered,
}

/// Every format of lines; the first whose telling fields are all there is it.
pub(super) const KINDS: &[LineKind] = &[
    LineKind {
        name: "samples",
        tells: &["key", "test", "match"],
        reads: LineSyntax::Dataset(DatasetFormat::Jsonl),
        unique: &["key"],
        made_by: "focalist export --format jsonl",
    },
    LineKind {
        name: "tests",
        tells: &["key", "test", "status", "candidates"],
        reads: LineSyntax::Shape(shapes::TEST),
        unique: &["key"],
        made_by: "focalist export --format tests",
    },
    LineKind {
        name: "mappings of Methods2Test",
        tells: &["focal_class", "test_case"],
        reads: LineSyntax::Dataset(DatasetFormat::Methods2Test),
        unique: &["key"],
        made_by: "focalist export --format methods2test",
    },
    LineKind {
        name: "records of MERA",
        tells: &["instruction", "inputs", "outputs"],
        reads: LineSyntax::Dataset(DatasetFormat::Mera),
        unique: &["meta.id"],
        made_by: "focalist export --format mera",
    },
    LineKind {
        name: "origins of MERA's records",
        tells: &["id", "key", "focal", "split"],
        reads: LineSyntax::Shape(shapes::ORIGIN),
        unique: &["id"],
        made_by: "focalist export --format mera",
    },
    LineKind {
        name: "training pairs",
        tells: &["prompt", "completion"],
        reads: LineSyntax::Shape(shapes::PAIR),
        unique: &["sample"],
        made_by: "focalist export --format pairs",
    },
    LineKind {
        name: "answers",
        tells: &["answered", "text"],
        reads: LineSyntax::Shape(shapes::ANSWER),
        unique: &[],
        made_by: "focalist export --format answers",
    },
    LineKind {
        name: "prompts",
        tells: &["id", "messages"],
        reads: LineSyntax::Own(|line, _| Ok(read_prompt(line).map(drop)?)),
        unique: &["id"],
        made_by: "focalist prompts",
    },
    LineKind {
        name: "prompts",
        tells: &["id", "prompt"],
        reads: LineSyntax::Own(|line, _| Ok(read_prompt(line).map(drop)?)),
        unique: &["id"],
        made_by: "focalist prompts",
    },
    LineKind {
        name: "conversations",
        tells: &["messages"],
        reads: LineSyntax::Own(conversation),
        unique: &[],
        made_by: "focalist export --format chat",
    },
    LineKind {
        name: "mutants",
        tells: &["mutant", "outcome"],
        reads: LineSyntax::Shape(shapes::MUTANT),
        unique: &["run", "sample", "attempt", "mutant.id"],
        made_by: "focalist export --format mutants",
    },
    LineKind {
        name: "outcomes",
        tells: &["outcome", "sample", "engine"],
        reads: LineSyntax::Shape(shapes::OUTCOME),
        unique: &["run", "sample", "attempt", "engine"],
        made_by: "focalist export --format outcomes",
    },
    LineKind {
        name: "pairs to score",
        tells: &["reference", "prediction"],
        reads: LineSyntax::Own(pair_to_score),
        unique: &[],
        made_by: "",
    },
    LineKind {
        name: "predictions",
        tells: &["prediction"],
        reads: LineSyntax::Own(predicted),
        unique: &["sample", "attempt"],
        made_by: "",
    },
    LineKind {
        name: "verdicts",
        tells: &["kind", "at_ms"],
        reads: LineSyntax::Own(|line, _| Ok(review::read(line.as_bytes()).map(drop)?)),
        unique: &[],
        made_by: "focalist verdicts export",
    },
    LineKind {
        name: "snapshots of verdicts",
        tells: &["kind", "content_hash"],
        reads: LineSyntax::Own(|line, _| Ok(review::read(line.as_bytes()).map(drop)?)),
        unique: &[],
        made_by: "focalist verdicts export",
    },
    LineKind {
        name: "rows of an index",
        tells: &["table", "row"],
        reads: LineSyntax::Shape(shapes::DUMPED),
        unique: &[],
        made_by: "focalist export --format dump",
    },
    LineKind {
        name: "repositories of a benchmark",
        tells: &["repo", "kept"],
        reads: LineSyntax::Shape(shapes::KEPT),
        unique: &["repo"],
        made_by: "focalist benchmark filter --json",
    },
    LineKind {
        name: "splits",
        tells: &["split"],
        reads: LineSyntax::Own(|line, _| Ok(parse_split(line).map(drop)?)),
        unique: &["sample", "repo"],
        made_by: "focalist benchmark split --json",
    },
    LineKind {
        name: "a list of repositories",
        tells: &["url"],
        reads: LineSyntax::Own(repository),
        unique: &[],
        made_by: "",
    },
    LineKind {
        name: "a list of repositories",
        tells: &["path"],
        reads: LineSyntax::Own(repository),
        unique: &[],
        made_by: "",
    },
];

/// Recognises the format of an object; nothing where it has none of ours.
pub(super) fn kind_of(fields: &Fields) -> Option<&'static LineKind> {
    let has = |name: &&&str| fields.contains_key(**name);
    KINDS
        .iter()
        .find(|kind| kind.tells.iter().filter(has).count() == kind.tells.len())
}

/// Checks a conversation, which goes from a question to an answer.
fn conversation(line: &str, number: u32) -> Result<(), LineFault> {
    let value: Value = exchange::parse(line.as_bytes())?;
    let placed = ValueAtLine::on_line(number, &value);
    let mut wrong = Vec::new();
    shapes::CHAT.check(&placed, "", &mut wrong);
    if let Some(first) = wrong.into_iter().next() {
        return Err(LineFault::Shape(first));
    }
    let roles: Vec<&str> = value["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|values| values["role"].as_str())
        .collect();
    match roles.as_slice() {
        [.., "user", "assistant"] => Ok(()),
        _ => Err(LineFault::Unanswered),
    }
}

fn record(line: &str, number: u32) -> Record {
    Record {
        line: number,
        fields: exchange::parse::<Fields>(line.as_bytes()),
    }
}

fn pair_to_score(line: &str, number: u32) -> Result<(), LineFault> {
    let names = FieldNames {
        id: "id".to_owned(),
        reference: "reference".to_owned(),
        ..FieldNames::of_predictions()
    };
    pair(record(line, number), &names)?;
    Ok(())
}

fn predicted(line: &str, number: u32) -> Result<(), LineFault> {
    let read = prediction(record(line, number), &FieldNames::of_predictions(), false)?;
    match read.sample {
        Some(key) if SampleKey::parse(&key).is_none() => Err(RecordError::not_hex("sample").into()),
        _ => Ok(()),
    }
}

fn repository(line: &str, _: u32) -> Result<(), LineFault> {
    parse_line(line)?;
    parse_proposed(line)?;
    Ok(())
}

/// Checks a file of lines.
pub(super) fn check(check: &mut FileCheck<'_>) -> Result<(), ReadHalt> {
    let mut input = BufReader::new(File::open(check.place())?);
    let mut reading = RecordTally::default();
    each_record(&mut input, RecordLayout::Json, |record| {
        check.monitor.step()?;
        reading.record(check, record);
        Ok::<_, ReadHalt>(())
    })?;
    if !reading.report_kind(check) {
        check.checked("nothing", Some(0));
        check.flaw(
            None,
            "there is no line in it",
            "write it again, or remove it",
        );
    }
    Ok(())
}

/// The facts about the records of a file so far.
#[derive(Default)]
pub(super) struct RecordTally {
    kind: Option<&'static LineKind>,
    n_records: u64,
    /// The unique fields of each record, as a hash.
    seen: HashSet<[u8; 16]>,
}

impl RecordTally {
    /// Reports the kind of the records that were read; returns whether there were any.
    pub fn report_kind(&self, check: &mut FileCheck<'_>) -> bool {
        match self.kind {
            Some(kind) => {
                check.checked(kind.name, Some(self.n_records));
                check.known.rows.insert(check.path.clone(), self.n_records);
            }
            None if self.n_records == 0 => return false,
            None => check.result.unknown.push(check.path.clone()),
        }
        true
    }

    /// Looks at one more record.
    pub fn record(&mut self, check: &mut FileCheck<'_>, record: Record) {
        self.n_records += 1;
        let fields = match record.fields {
            Ok(fields) => fields,
            Err(error) => {
                let mend = "a line is one whole JSON object: mend it, or remove it";
                check.flaw(record.line, error.to_string(), mend);
                return;
            }
        };
        let Some(kind) = self.kind.or_else(|| kind_of(&fields)) else {
            return;
        };
        self.kind = Some(kind);
        let id = identity(kind, &fields);
        let value = Value::Object(fields);
        if kind.read(check, record.line, &value) && id.is_some_and(|bytes| !self.seen.insert(bytes))
        {
            let what = format!("the same {} as on a line before", kind.unique.join(", "));
            check.flaw(record.line, what, "keep one of the two lines");
        }
    }
}

/// Makes the identity that tells an object from others of its kind; nothing where that is missing.
fn identity(kind: &LineKind, fields: &Fields) -> Option<[u8; 16]> {
    let mut hasher = blake3::Hasher::new();
    let mut is_any = false;
    for name in kind.unique {
        let mut parts = name.split('.');
        let mut value = parts.next().and_then(|part| fields.get(part));
        for part in parts {
            value = value.and_then(|value| value.get(part));
        }
        let value = value.unwrap_or(&Value::Null);
        is_any |= !value.is_null();
        hasher.update(value.to_string().as_bytes());
        hasher.update(b"\n");
    }
    let mut id = [0; 16];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    is_any.then_some(id)
}

impl LineKind {
    /// Reports the flaws of an object, and tells whether there are none.
    fn read(&self, check: &mut FileCheck<'_>, line: u32, value: &Value) -> bool {
        let text = || value.to_string();
        let said = match &self.reads {
            LineSyntax::Shape(shape) => {
                let mut wrong = Vec::new();
                shape.check(&ValueAtLine::on_line(line, value), "", &mut wrong);
                for shape_fault in &wrong {
                    check.flaw(line, shape_fault.what.clone(), &shape_fault.mend);
                }
                return wrong.is_empty();
            }
            LineSyntax::Dataset(format) => {
                flaw_of_line(*format, &text()).map_err(LineFault::Sample)
            }
            LineSyntax::Own(read) => read(&text(), line),
        };
        // The text that was read is not the one that stands in the file.
        let said = said.map_err(|fault| match fault {
            LineFault::Record(error) => LineFault::Record(error.without_place()),
            other => other,
        });
        if let Err(fault) = &said {
            let mend = match self.made_by {
                "" => "mend the line, or remove it".to_owned(),
                command => format!("mend the line, or write it again with `{command}`"),
            };
            check.flaw(line, fault.to_string(), &mend);
        }
        said.is_ok()
    }
}
