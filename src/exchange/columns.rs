//! Samples as columns: the lines of `--format jsonl` as Parquet files, and rows of any Parquet file as objects.
//!
//! Decides how nested values lie in columns: a value, how deep it is there, and at which depth it repeats (Dremel). All
//! may be null for readers that expect so. `transfer` chooses the samples.

mod shred;

use std::fs::File;
use std::path::Path;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArrayType, DoubleType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::record::Field;
use parquet::schema::types::ColumnPath;
use serde::Serialize;
use serde_json::{Map, Number, Value};

use self::shred::{ColumnValues, KindLayout, ShreddedColumn, shred};
use super::records::{RecordError, at};
use super::split_files::{ParquetError, SplitFiles};
use crate::model::SampleKey;

/// The type of a column.
#[derive(Clone, Copy, Debug)]
pub enum ColumnType {
    Text,
    Integer,
    Real,
    Truth,
    Struct(&'static [(&'static str, ColumnType)]),
    List(&'static ColumnType),
}

use ColumnType::{Integer, List, Real, Struct, Text, Truth};

const METHOD: ColumnType = Struct(&[
    ("file", Text),
    ("class", Text),
    ("method", Text),
    ("signature", Text),
    ("parameters", List(&Text)),
    ("start_line", Integer),
    ("end_line", Integer),
    ("source", Text),
]);

/// The columns of a sample, as [`WireSample`](super::WireSample) names them.
pub const SAMPLE: &[(&str, ColumnType)] = &[
    ("key", Text),
    ("language", Text),
    (
        "repo",
        Struct(&[
            ("name", Text),
            ("url", Text),
            ("commit", Text),
            ("license", Text),
        ]),
    ),
    ("split", Struct(&[("random", Text), ("project", Text)])),
    (
        "test",
        Struct(&[
            ("file", Text),
            ("class", Text),
            ("method", Text),
            ("signature", Text),
            ("framework", Text),
            ("start_line", Integer),
            ("end_line", Integer),
            ("source", Text),
        ]),
    ),
    ("fixtures", List(&METHOD)),
    ("setup", Text),
    ("assertion", Text),
    ("focal", METHOD),
    (
        "match",
        Struct(&[
            ("matcher", Text),
            ("stage", Text),
            ("weight", Real),
            (
                "candidates",
                List(&Struct(&[
                    ("name", Text),
                    ("key", Text),
                    ("score", Real),
                    ("evidence", List(&Text)),
                ])),
            ),
        ]),
    ),
    ("setup_context", List(&METHOD)),
    ("focal_context", List(&METHOD)),
    ("flags", List(&Text)),
    (
        "verdict",
        Struct(&[
            ("right", Truth),
            ("judgement", Text),
            ("picked", Text),
            ("annotators", Integer),
            ("reason", Text),
            ("provisional", Real),
        ]),
    ),
];

impl ColumnType {
    /// Adds the column as the schema's language has it.
    fn declare(self, name: &str, schema: &mut String) {
        match self {
            Text => schema.push_str(&format!("optional binary {name} (UTF8); ")),
            Integer => schema.push_str(&format!("optional int32 {name}; ")),
            Real => schema.push_str(&format!("optional double {name}; ")),
            Truth => schema.push_str(&format!("optional boolean {name}; ")),
            Struct(fields) => {
                schema.push_str(&format!("optional group {name} {{ "));
                for (name, kind) in fields {
                    kind.declare(name, schema);
                }
                schema.push_str("} ");
            }
            List(element) => {
                schema.push_str(&format!(
                    "optional group {name} (LIST) {{ repeated group list {{ "
                ));
                element.declare("element", schema);
                schema.push_str("} } ");
            }
        }
    }

    /// Writes the front matter of the column, `dtype: string` or more lines.
    fn feature(self, indent: usize) -> String {
        let space = " ".repeat(indent);
        match self {
            Text => format!("{space}dtype: string\n"),
            Integer => format!("{space}dtype: int32\n"),
            Real => format!("{space}dtype: float64\n"),
            Truth => format!("{space}dtype: bool\n"),
            Struct(fields) => format!("{space}struct:\n{}", features(fields, indent)),
            List(Struct(fields)) => format!("{space}list:\n{}", features(fields, indent)),
            List(_) => format!("{space}list: string\n"),
        }
    }
}

fn features(fields: &[(&str, ColumnType)], indent: usize) -> String {
    let feature = |(name, kind): &(&str, ColumnType)| {
        let space = " ".repeat(indent);
        format!("{space}- name: {name}\n{}", kind.feature(indent + 2))
    };
    fields.iter().map(feature).collect()
}

/// Writes the features of a sample for a dataset card, indented by two.
#[must_use]
pub fn sample_features() -> String {
    features(SAMPLE, 2)
}

/// How many bytes of samples are kept until they are written as one group of rows.
pub const GROUP_BYTES: u64 = 32 << 20;

/// The files that were written for a split.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnFiles {
    pub n_rows: u64,
    /// The size of the values, without packing.
    pub n_bytes: u64,
    pub n_bytes_packed: u64,
    pub names: Vec<String>,
}

/// Writes the samples of one split.
pub struct ColumnWriter {
    files: SplitFiles,
    rows_per_file: u64,
    n_rows_in_file: u64,
    layout: KindLayout,
    waiting: Vec<ShreddedColumn>,
    n_rows_waiting: u64,
    n_bytes_waiting: u64,
    written: ColumnFiles,
}

impl ColumnWriter {
    /// Begins the files of a split in a folder; none is made before there is a sample.
    ///
    /// # Errors
    /// None but when the schema cannot be read, which a test rules out.
    pub fn new(folder: &Path, split: &str, rows_per_file: u64) -> Result<Self, ParquetError> {
        let mut schema = String::from("message sample { ");
        for (name, kind) in SAMPLE {
            kind.declare(name, &mut schema);
        }
        schema.push('}');
        let key = ColumnPath::from("key");
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_column_bloom_filter_enabled(key.clone(), true)
            // No key comes twice: a dictionary of them would only be in the way.
            .set_column_dictionary_enabled(key, false)
            .build();
        let mut waiting = Vec::new();
        let layout = KindLayout::new(Struct(SAMPLE), &mut waiting);
        Ok(Self {
            files: SplitFiles::new(folder, split, &schema, properties)?,
            rows_per_file: rows_per_file.max(1),
            n_rows_in_file: 0,
            layout,
            waiting,
            n_rows_waiting: 0,
            n_bytes_waiting: 0,
            written: ColumnFiles::default(),
        })
    }

    /// Writes a sample behind the others.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&mut self, sample: &impl Serialize) -> Result<(), ParquetError> {
        if self.n_bytes_waiting > GROUP_BYTES {
            self.flush()?;
        }
        if self.n_rows_in_file + self.n_rows_waiting >= self.rows_per_file {
            self.flush()?;
            self.files.close()?;
            self.n_rows_in_file = 0;
        }
        let n_bytes = shred(sample, &self.layout, &mut self.waiting)
            .map_err(|error| ParquetError::Format(error.to_string()))?;
        self.n_rows_waiting += 1;
        self.n_bytes_waiting += n_bytes;
        self.written.n_rows += 1;
        self.written.n_bytes += n_bytes;
        Ok(())
    }

    /// Returns how many bytes wait for their group to be full.
    #[must_use]
    pub const fn n_bytes_waiting(&self) -> u64 {
        self.n_bytes_waiting
    }

    /// Writes what waits as a group.
    ///
    /// # Errors
    /// The disk's.
    pub fn flush(&mut self) -> Result<(), ParquetError> {
        if self.n_rows_waiting == 0 {
            return Ok(());
        }
        let mut group = self.files.open()?.next_row_group()?;
        for column in &mut self.waiting {
            write_column(&mut group, column)?;
        }
        group.close()?;
        self.n_rows_in_file += self.n_rows_waiting;
        self.n_rows_waiting = 0;
        self.n_bytes_waiting = 0;
        Ok(())
    }

    /// Ends the split and gives its files their names.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(mut self) -> Result<ColumnFiles, ParquetError> {
        self.flush()?;
        (self.written.names, self.written.n_bytes_packed) = self.files.finish()?;
        Ok(self.written)
    }
}

/// Writes what waits in a column, and empties it.
fn write_column(
    group: &mut SerializedRowGroupWriter<'_, File>,
    column: &mut ShreddedColumn,
) -> Result<(), ParquetError> {
    let Some(mut written) = group.next_column()? else {
        return Ok(());
    };
    let (depths, repeats) = (Some(&column.depths[..]), Some(&column.repeats[..]));
    match &mut column.values {
        ColumnValues::Texts(values) => {
            let typed = written.typed::<ByteArrayType>();
            typed.write_batch(&values.take(), depths, repeats)?;
        }
        ColumnValues::Integers(values) => {
            let typed = written.typed::<Int32Type>();
            typed.write_batch(values, depths, repeats)?;
            values.clear();
        }
        ColumnValues::Reals(values) => {
            let typed = written.typed::<DoubleType>();
            typed.write_batch(values, depths, repeats)?;
            values.clear();
        }
        ColumnValues::Truths(values) => {
            let typed = written.typed::<BoolType>();
            typed.write_batch(values, depths, repeats)?;
            values.clear();
        }
    }
    column.depths.clear();
    column.repeats.clear();
    written.close()?;
    Ok(())
}

/// Hands every row of a Parquet file to `each`, in order, without nulls.
///
/// # Errors
/// The file is no Parquet file, the disk's, and those of `each`.
pub fn each_row<E: From<ParquetError>>(
    path: &Path,
    mut each: impl FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    let open = || -> Result<_, ParquetError> { Ok(SerializedFileReader::new(File::open(path)?)?) };
    let reader = open()?;
    let rows = reader.get_row_iter(None).map_err(ParquetError::from)?;
    for row in rows {
        let row = row.map_err(ParquetError::from)?;
        each(value_of(&Field::Group(row)))?;
    }
    Ok(())
}

fn value_of(field: &Field) -> Value {
    let real = |number: f64| Number::from_f64(number).map_or(Value::Null, Value::Number);
    match field {
        Field::Bool(truth) => Value::Bool(*truth),
        Field::Byte(byte) => Value::from(*byte),
        Field::Short(number) => Value::from(*number),
        Field::Int(number) | Field::Date(number) | Field::TimeMillis(number) => {
            Value::from(*number)
        }
        Field::Long(number)
        | Field::TimeMicros(number)
        | Field::TimestampMillis(number)
        | Field::TimestampMicros(number) => Value::from(*number),
        Field::UByte(number) => Value::from(*number),
        Field::UShort(number) => Value::from(*number),
        Field::UInt(number) => Value::from(*number),
        Field::ULong(number) => Value::from(*number),
        Field::Float(number) => real(f64::from(*number)),
        Field::Double(number) => real(*number),
        Field::Str(text) => Value::String(text.clone()),
        // Some writers do not say that their texts are texts.
        Field::Bytes(bytes) => match bytes.as_utf8() {
            Ok(text) => Value::String(text.to_owned()),
            Err(_) => Value::Null,
        },
        Field::Group(row) => {
            let fields = row.get_column_iter();
            let fields = fields.map(|(name, field)| (name.clone(), value_of(field)));
            Value::Object(fields.filter(|field| !field.1.is_null()).collect())
        }
        Field::ListInternal(list) => list.elements().iter().map(value_of).collect(),
        Field::Null | Field::Decimal(_) | Field::Float16(_) | Field::MapInternal(_) => Value::Null,
    }
}

/// Fields of a sample with the columns of a foreign file that hold them; both may be paths with dots. `id` is the
/// dataset's name for the sample, from which its key follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping(pub Vec<(String, String)>);

impl Mapping {
    /// Returns the row as a sample of `--format jsonl`. A missing required value is derived from the rest: a key comes
    /// from the id in its dataset, else a hash of the row.
    ///
    /// # Errors
    /// The row has no test.
    pub fn sample(&self, dataset: &str, row: &Value) -> Result<Value, RecordError> {
        let mut sample = Map::new();
        for (ours, theirs) in &self.0 {
            let found = row.as_object().and_then(|fields| at(fields, theirs));
            if let Some(value) = found {
                put(&mut sample, ours, value.clone());
            }
        }
        let source = text_at(&sample, "test", "source");
        let Some(source) = source.filter(|source| !source.trim().is_empty()) else {
            return Err(RecordError::NoTest);
        };
        let id = match sample.remove("id") {
            Some(Value::String(id)) => Some(id),
            Some(Value::Number(id)) => Some(id.to_string()),
            _ => None,
        };
        if !sample.contains_key("key") {
            let key = match id {
                Some(id) => SampleKey::of_named(dataset, &id),
                None => SampleKey::of_text(&row.to_string()),
            };
            sample.insert("key".to_owned(), key.to_string().into());
        }
        let or = |sample: &mut Map<String, Value>, path: &str, value: Value| {
            let (group, name) = path.split_once('.').unwrap_or((path, ""));
            if sample
                .get(group)
                .and_then(|value| value.get(name))
                .is_none()
            {
                put(sample, path, value);
            }
        };
        let language = sample.get("language").and_then(Value::as_str);
        let (extension, framework) = match language.map(str::to_lowercase).as_deref() {
            Some("python") => ("py", "pytest"),
            Some("go") => ("go", "go"),
            Some("javascript") => ("js", "unknown"),
            Some("csharp") => ("cs", "unknown"),
            _ => ("java", "junit4"),
        };
        complete(&mut sample, ("test", extension), &source, &or);
        or(&mut sample, "test.framework", framework.into());
        or(&mut sample, "repo.name", Value::Null);
        or(&mut sample, "match.matcher", "contest".into());
        if let Some(source) = text_at(&sample, "focal", "source") {
            complete(&mut sample, ("focal", extension), &source, &or);
            or(&mut sample, "focal.parameters", Value::Array(Vec::new()));
            or(&mut sample, "match.stage", "test_name".into());
            or(&mut sample, "match.weight", 1.0.into());
        } else {
            sample.remove("focal");
        }
        Ok(Value::Object(sample))
    }
}

type ColumnFallback<'o> = dyn Fn(&mut Map<String, Value>, &str, Value) + 'o;

/// Fills in the fields of a method that its source tells.
fn complete(
    sample: &mut Map<String, Value>,
    (group, extension): (&str, &str),
    source: &str,
    or: &ColumnFallback<'_>,
) {
    let header = match source.find("def ") {
        // Up to the colon that ends a line.
        Some(at) => source[at..].split(":\n").next().unwrap_or(source),
        None => source.split('{').next().unwrap_or(source),
    };
    // Annotations stand on lines of their own, mostly.
    let header = header.rsplit('@').next().unwrap_or(header).trim();
    let signature = match header.split_once(['\n', ' ']) {
        Some((first, rest)) if source.trim_start().starts_with('@') && !first.contains('(') => rest,
        _ => header,
    };
    let signature = signature.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = signature.split('(').next().unwrap_or_default().trim_end();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let name = before
        .rsplit(|before| !is_word(before))
        .next()
        .unwrap_or_default();
    let name = if name.is_empty() { "unnamed" } else { name };
    let class = if group == "test" { "Test" } else { "Focal" };
    let n_lines = source.trim_end().lines().count().max(1);
    let place = |name: &str| format!("{group}.{name}");
    or(sample, &place("method"), name.into());
    or(sample, &place("class"), class.into());
    or(
        sample,
        &place("file"),
        format!("{class}.{extension}").into(),
    );
    or(sample, &place("signature"), signature.into());
    or(sample, &place("start_line"), 1.into());
    or(sample, &place("end_line"), n_lines.into());
}

fn text_at(sample: &Map<String, Value>, group: &str, name: &str) -> Option<String> {
    let value = sample.get(group)?.get(name)?;
    value.as_str().map(str::to_owned)
}

/// Puts a value at a path, and makes the objects on the way.
fn put(object: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            object.insert(path.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = object
                .entry(first)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
