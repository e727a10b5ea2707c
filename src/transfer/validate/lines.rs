//! Files of JSON lines: the format of their first line, and the flaws of each line in it.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;

use serde_json::Value;

use super::shapes;
use super::{Check, Halted};
use crate::dataset::{Wrong, flaw_of_line};
use crate::exchange::answers::read_prompt;
use crate::exchange::benchmark::{parse_proposed, parse_split};
use crate::exchange::pairs::{FieldNames, pair, prediction};
use crate::exchange::placed::Placed;
use crate::exchange::records::{Fields, Layout, Record, RecordError, each_record};
use crate::exchange::repo_list::parse_line;
use crate::exchange::review;
use crate::exchange::shape::{Misshapen, Shape};
use crate::model::SampleKey;
use crate::{DatasetFormat, exchange};

/// What a line is.
pub(super) struct Kind {
    /// What people call such a file.
    pub name: &'static str,
    /// The fields that tell it from others.
    tells: &'static [&'static str],
    reads: Reads,
    /// The fields that no two lines have alike; a dot leads into an object.
    unique: &'static [&'static str],
    /// The command that writes it; empty where others do.
    made_by: &'static str,
}

/// How a line is read.
enum Reads {
    Shape(Shape),
    /// As an import reads it.
    Dataset(DatasetFormat),
    Own(fn(&str, u32) -> Result<(), LineFault>),
}

/// The flaw of a line.
#[derive(Debug, thiserror::Error)]
enum LineFault {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{}", _0.detail)]
    Sample(Wrong),
    #[error("{}", _0.what)]
    Shape(Misshapen),
    #[error("the messages do not end with one of `user` and one of `assistant`")]
    Unanswered,
}

/// Every format of lines; the first whose telling fields are all there is it.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "samples",
        tells: &["key", "test", "match"],
        reads: Reads::Dataset(DatasetFormat::Jsonl),
        unique: &["key"],
        made_by: "focalist export --format jsonl",
    },
    Kind {
        name: "tests",
        tells: &["key", "test", "status", "candidates"],
        reads: Reads::Shape(shapes::TEST),
        unique: &["key"],
        made_by: "focalist export --format tests",
    },
    Kind {
        name: "mappings of Methods2Test",
        tells: &["focal_class", "test_case"],
        reads: Reads::Dataset(DatasetFormat::Methods2Test),
        unique: &["key"],
        made_by: "focalist export --format methods2test",
    },
    Kind {
        name: "records of MERA",
        tells: &["instruction", "inputs", "outputs"],
        reads: Reads::Dataset(DatasetFormat::Mera),
        unique: &["meta.id"],
        made_by: "focalist export --format mera",
    },
    Kind {
        name: "origins of MERA's records",
        tells: &["id", "key", "focal", "split"],
        reads: Reads::Shape(shapes::ORIGIN),
        unique: &["id"],
        made_by: "focalist export --format mera",
    },
    Kind {
        name: "training pairs",
        tells: &["prompt", "completion"],
        reads: Reads::Shape(shapes::PAIR),
        unique: &["sample"],
        made_by: "focalist export --format pairs",
    },
    Kind {
        name: "answers",
        tells: &["answered", "text"],
        reads: Reads::Shape(shapes::ANSWER),
        unique: &[],
        made_by: "focalist export --format answers",
    },
    Kind {
        name: "prompts",
        tells: &["id", "messages"],
        reads: Reads::Own(|line, _| Ok(read_prompt(line).map(drop)?)),
        unique: &["id"],
        made_by: "focalist prompts",
    },
    Kind {
        name: "prompts",
        tells: &["id", "prompt"],
        reads: Reads::Own(|line, _| Ok(read_prompt(line).map(drop)?)),
        unique: &["id"],
        made_by: "focalist prompts",
    },
    Kind {
        name: "conversations",
        tells: &["messages"],
        reads: Reads::Own(conversation),
        unique: &[],
        made_by: "focalist export --format chat",
    },
    Kind {
        name: "mutants",
        tells: &["mutant", "outcome"],
        reads: Reads::Shape(shapes::MUTANT),
        unique: &["run", "sample", "attempt", "mutant.id"],
        made_by: "focalist export --format mutants",
    },
    Kind {
        name: "outcomes",
        tells: &["outcome", "sample", "engine"],
        reads: Reads::Shape(shapes::OUTCOME),
        unique: &["run", "sample", "attempt", "engine"],
        made_by: "focalist export --format outcomes",
    },
    Kind {
        name: "pairs to score",
        tells: &["reference", "prediction"],
        reads: Reads::Own(pair_to_score),
        unique: &[],
        made_by: "",
    },
    Kind {
        name: "predictions",
        tells: &["prediction"],
        reads: Reads::Own(predicted),
        unique: &["sample", "attempt"],
        made_by: "",
    },
    Kind {
        name: "verdicts",
        tells: &["kind", "at_ms"],
        reads: Reads::Own(|line, _| Ok(review::read(line.as_bytes()).map(drop)?)),
        unique: &[],
        made_by: "focalist verdicts export",
    },
    Kind {
        name: "snapshots of verdicts",
        tells: &["kind", "content_hash"],
        reads: Reads::Own(|line, _| Ok(review::read(line.as_bytes()).map(drop)?)),
        unique: &[],
        made_by: "focalist verdicts export",
    },
    Kind {
        name: "rows of an index",
        tells: &["table", "row"],
        reads: Reads::Shape(shapes::DUMPED),
        unique: &[],
        made_by: "focalist export --format dump",
    },
    Kind {
        name: "repositories of a benchmark",
        tells: &["repo", "kept"],
        reads: Reads::Shape(shapes::KEPT),
        unique: &["repo"],
        made_by: "focalist benchmark filter --json",
    },
    Kind {
        name: "splits",
        tells: &["split"],
        reads: Reads::Own(|line, _| Ok(parse_split(line).map(drop)?)),
        unique: &["sample", "repo"],
        made_by: "focalist benchmark split --json",
    },
    Kind {
        name: "a list of repositories",
        tells: &["url"],
        reads: Reads::Own(repository),
        unique: &[],
        made_by: "",
    },
    Kind {
        name: "a list of repositories",
        tells: &["path"],
        reads: Reads::Own(repository),
        unique: &[],
        made_by: "",
    },
];

/// Recognises the format of an object; nothing where it has none of ours.
pub(super) fn kind_of(fields: &Fields) -> Option<&'static Kind> {
    let has = |name: &&&str| fields.contains_key(**name);
    KINDS
        .iter()
        .find(|kind| kind.tells.iter().filter(has).count() == kind.tells.len())
}

/// A conversation goes from a question to an answer.
fn conversation(line: &str, number: u32) -> Result<(), LineFault> {
    let value: Value = exchange::parse(line.as_bytes())?;
    let placed = Placed::on_line(number, &value);
    let mut wrong = Vec::new();
    shapes::CHAT.check(&placed, "", &mut wrong);
    if let Some(first) = wrong.into_iter().next() {
        return Err(LineFault::Shape(first));
    }
    let roles: Vec<&str> = value["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it["role"].as_str())
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
pub(super) fn check(check: &mut Check<'_>) -> Result<(), Halted> {
    let mut input = BufReader::new(File::open(check.place())?);
    let mut reading = Reading::default();
    each_record(&mut input, Layout::Json, |record| {
        check.monitor.step()?;
        reading.record(check, record);
        Ok::<_, Halted>(())
    })?;
    if !reading.told(check) {
        check.checked("nothing", Some(0));
        check.flaw(
            None,
            "there is no line in it",
            "write it again, or take it away",
        );
    }
    Ok(())
}

/// The facts about the records of a file so far.
#[derive(Default)]
pub(super) struct Reading {
    kind: Option<&'static Kind>,
    n_records: u64,
    /// What tells each record from the others, as a hash.
    seen: HashSet<[u8; 16]>,
}

impl Reading {
    /// Says which kind of record was read; returns whether there was any.
    pub fn told(&self, check: &mut Check<'_>) -> bool {
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
    pub fn record(&mut self, check: &mut Check<'_>, record: Record) {
        self.n_records += 1;
        let fields = match record.fields {
            Ok(fields) => fields,
            Err(error) => {
                let mend = "a line is one whole JSON object: mend it, or take it away";
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
        if kind.read(check, record.line, &value) && id.is_some_and(|it| !self.seen.insert(it)) {
            let what = format!("the same {} as on a line before", kind.unique.join(", "));
            check.flaw(record.line, what, "keep one of the two lines");
        }
    }
}

/// Makes the identity that tells an object from others of its kind; nothing where that is missing.
fn identity(kind: &Kind, fields: &Fields) -> Option<[u8; 16]> {
    let mut hasher = blake3::Hasher::new();
    let mut is_any = false;
    for name in kind.unique {
        let mut parts = name.split('.');
        let mut value = parts.next().and_then(|it| fields.get(it));
        for part in parts {
            value = value.and_then(|it| it.get(part));
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

impl Kind {
    /// Reports the flaws of an object, and tells whether there are none.
    fn read(&self, check: &mut Check<'_>, line: u32, value: &Value) -> bool {
        let text = || value.to_string();
        let said = match &self.reads {
            Reads::Shape(shape) => {
                let mut wrong = Vec::new();
                shape.check(&Placed::on_line(line, value), "", &mut wrong);
                for it in &wrong {
                    check.flaw(line, it.what.clone(), &it.mend);
                }
                return wrong.is_empty();
            }
            Reads::Dataset(format) => flaw_of_line(*format, &text()).map_err(LineFault::Sample),
            Reads::Own(read) => read(&text(), line),
        };
        // The text that was read is not the one that stands in the file.
        let said = said.map_err(|fault| match fault {
            LineFault::Record(error) => LineFault::Record(error.without_place()),
            other => other,
        });
        if let Err(fault) = &said {
            let mend = match self.made_by {
                "" => "mend the line, or take it away".to_owned(),
                command => format!("mend the line, or write it again with `{command}`"),
            };
            check.flaw(line, fault.to_string(), &mend);
        }
        said.is_ok()
    }
}
