//! `croissant.json`: what a dataset's files and columns are, for loaders and search engines.
//!
//! The format is Croissant of `MLCommons`, 1.1 or 1.0, with its vocabulary for responsible AI, RAI 1.0. Which facts stand in
//! it is `transfer`'s; how they look in JSON-LD is decided here. A list of structs within a struct has no field: readers
//! extract values by `JSONPath`, and take the first one alone.

use serde_json::{Map, Value, json};

use super::columns::{ColumnType, SAMPLE};

/// The version of the format that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CroissantVersion {
    #[default]
    V1_1,
    V1_0,
}

impl CroissantVersion {
    pub const ALL: &[Self] = &[Self::V1_1, Self::V1_0];

    /// Returns the number, as the command line and the format's own address have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1_1 => "1.1",
            Self::V1_0 => "1.0",
        }
    }
}

/// A file of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFile {
    /// Relative to the folder of `croissant.json`.
    pub path: String,
    /// In hexadecimal digits.
    pub sha256: String,
    pub n_bytes: u64,
}

/// The facts about a dataset.
#[derive(Clone, Debug)]
pub struct Croissant<'d> {
    pub version: CroissantVersion,
    pub name: &'d str,
    pub description: &'d str,
    /// The version of the dataset: `1.0.0`.
    pub release: &'d str,
    /// A day: `2026-01-31`.
    pub published: &'d str,
    pub url: Option<&'d str>,
    pub authors: &'d [String],
    /// A reference in BibTeX.
    pub citation: &'d str,
    /// Addresses, or names where there is none.
    pub licenses: Vec<String>,
    pub keywords: Vec<String>,
    /// By name, in order.
    pub splits: &'d [(String, Vec<DataFile>)],
    /// Properties of the vocabulary for responsible AI, without its prefix.
    pub rai: Vec<(&'static str, Vec<String>)>,
}

impl Croissant<'_> {
    /// Builds the document.
    #[must_use]
    pub fn document(&self) -> Value {
        let authors = self.authors.iter();
        let authors: Vec<Value> = authors
            .map(|name| json!({"@type": "sc:Organization", "name": name}))
            .collect();
        let number = self.version.as_str();
        let mut document = json!({
            "@context": context(self.version),
            "@type": "sc:Dataset",
            "name": self.name,
            "description": self.description,
            "conformsTo": [
                format!("http://mlcommons.org/croissant/{number}"),
                "http://mlcommons.org/croissant/RAI/1.0",
            ],
            "version": self.release,
            "datePublished": self.published,
            "creator": authors,
            "citeAs": self.citation,
            "license": self.licenses,
            "keywords": self.keywords,
            "distribution": self.distribution(),
            "recordSet": self.splits.iter().map(|split| self.records(&split.0)).collect::<Vec<_>>(),
        });
        if let Some(members) = document.as_object_mut() {
            if let Some(url) = self.url {
                members.insert("url".to_owned(), url.into());
            }
            for (name, values) in &self.rai {
                let value = match values.as_slice() {
                    [one] => json!(one),
                    many => json!(many),
                };
                members.insert(format!("rai:{name}"), value);
            }
        }
        document
    }

    /// Lists each file with its hash, and each split as the set of its files.
    fn distribution(&self) -> Vec<Value> {
        let mut all = Vec::new();
        for (split, files) in self.splits {
            for file in files {
                let name = file.path.rsplit('/').next().unwrap_or(&file.path);
                all.push(json!({
                    "@type": "cr:FileObject",
                    "@id": file.path,
                    "name": name,
                    "contentUrl": file.path,
                    "contentSize": format!("{} B", file.n_bytes),
                    "encodingFormat": "application/vnd.apache.parquet",
                    "sha256": file.sha256,
                }));
            }
            all.push(json!({
                "@type": "cr:FileSet",
                "@id": files_of(split),
                "name": files_of(split),
                "encodingFormat": "application/x-parquet",
                "includes": format!("data/{split}-*.parquet"),
            }));
        }
        all
    }

    fn records(&self, split: &str) -> Value {
        let place = FieldPlace {
            version: self.version,
            split,
            column: "",
            is_in_list: false,
        };
        let fields: Vec<Value> = SAMPLE
            .iter()
            .filter_map(|(name, kind)| place.of(name).field(split, name, *kind, ""))
            .collect();
        json!({
            "@type": "cr:RecordSet",
            "@id": split,
            "name": split,
            "description": format!("The samples of the split `{split}`, one test a record."),
            "key": {"@id": format!("{split}/key")},
            "field": fields,
        })
    }
}

fn files_of(split: &str) -> String {
    format!("files-{split}")
}

/// Where a field is.
#[derive(Clone, Copy)]
struct FieldPlace<'p> {
    version: CroissantVersion,
    split: &'p str,
    column: &'p str,
    /// Every value is a list already.
    is_in_list: bool,
}

impl<'p> FieldPlace<'p> {
    fn of(self, column: &'p str) -> Self {
        Self { column, ..self }
    }

    /// Builds a field, and the ones inside it; nothing for one that readers cannot extract. `path` leads to it from its
    /// column, empty for the column itself.
    fn field(self, parent: &str, name: &str, kind: ColumnType, path: &str) -> Option<Value> {
        let id = format!("{parent}/{name}");
        let mut field = Map::new();
        field.insert("@type".to_owned(), "cr:Field".into());
        field.insert("@id".to_owned(), id.as_str().into());
        field.insert("name".to_owned(), name.into());
        let inner = |place: Self, fields: &[(&str, ColumnType)]| -> Vec<Value> {
            let fields = fields.iter();
            fields
                .filter_map(|(name, kind)| {
                    let path = format!("{path}.{name}");
                    place.field(&id, name, *kind, &path)
                })
                .collect()
        };
        match kind {
            ColumnType::Text => self.value(&mut field, "sc:Text", path),
            ColumnType::Integer => self.value(&mut field, "sc:Integer", path),
            ColumnType::Real => self.value(&mut field, "sc:Float", path),
            ColumnType::Truth => self.value(&mut field, "sc:Boolean", path),
            ColumnType::Struct(fields) => {
                field.insert("subField".to_owned(), inner(self, fields).into());
            }
            ColumnType::List(ColumnType::Struct(_)) if !path.is_empty() => return None,
            ColumnType::List(ColumnType::Struct(fields)) => {
                let inside = Self {
                    is_in_list: true,
                    ..self
                };
                self.repeat(&mut field);
                field.insert("subField".to_owned(), inner(inside, fields).into());
            }
            ColumnType::List(_) => {
                self.value(&mut field, "sc:Text", path);
                if !self.is_in_list {
                    self.repeat(&mut field);
                }
            }
        }
        Some(field.into())
    }

    fn value(self, field: &mut Map<String, Value>, kind: &str, path: &str) {
        let mut source = json!({
            "fileSet": {"@id": files_of(self.split)},
            "extract": {"column": self.column},
        });
        if !path.is_empty() {
            source["transform"] = json!({"jsonPath": format!("${path}")});
        }
        field.insert("dataType".to_owned(), kind.into());
        field.insert("source".to_owned(), source);
    }

    fn repeat(self, field: &mut Map<String, Value>) {
        match self.version {
            CroissantVersion::V1_1 => {
                field.insert("isArray".to_owned(), true.into());
                field.insert("arrayShape".to_owned(), "-1".into());
            }
            CroissantVersion::V1_0 => {
                field.insert("repeated".to_owned(), true.into());
            }
        }
    }
}

/// Lists the meanings of names in the document, as the version's specification does.
fn context(version: CroissantVersion) -> Value {
    let mut context = json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/",
        "conformsTo": "dct:conformsTo",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "rai": "http://mlcommons.org/croissant/RAI/",
        "sc": "https://schema.org/",
    });
    let words = [
        "citeAs",
        "column",
        "equivalentProperty",
        "extract",
        "field",
        "fileObject",
        "fileProperty",
        "fileSet",
        "format",
        "includes",
        "isLiveDataset",
        "jsonPath",
        "key",
        "md5",
        "parentField",
        "path",
        "recordSet",
        "references",
        "regex",
        "repeated",
        "replace",
        "samplingRate",
        "separator",
        "source",
        "subField",
        "transform",
    ];
    for word in words {
        context[word] = format!("cr:{word}").into();
    }
    if version == CroissantVersion::V1_1 {
        for word in ["arrayShape", "containedIn", "isArray"] {
            context[word] = format!("cr:{word}").into();
        }
        for word in ["description", "name"] {
            context[word] = json!({"@container": "@language"});
        }
    }
    context
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(version: CroissantVersion) -> Value {
        let file = DataFile {
            path: "data/test-00000-of-00001.parquet".to_owned(),
            sha256: "0".repeat(64),
            n_bytes: 12,
        };
        let splits = [("test".to_owned(), vec![file])];
        let authors = ["A group".to_owned()];
        let croissant = Croissant {
            version,
            name: "unit-tests",
            description: "Tests.",
            release: "1.0.0",
            published: "2026-01-31",
            url: None,
            authors: &authors,
            citation: "@misc{it}",
            licenses: vec!["unknown".to_owned()],
            keywords: Vec::new(),
            splits: &splits,
            rai: vec![("dataLimitations", vec!["one".to_owned(), "two".to_owned()])],
        };
        croissant.document()
    }

    /// Finds a field by its identifier, wherever it is.
    fn field<'v>(value: &'v Value, id: &str) -> Option<&'v Value> {
        if value["@id"] == id && value["@type"] == "cr:Field" {
            return Some(value);
        }
        match value {
            Value::Array(values) => values.iter().find_map(|value| field(value, id)),
            Value::Object(members) => members.values().find_map(|value| field(value, id)),
            _ => None,
        }
    }

    #[test]
    fn values_are_found_by_their_column_and_a_path_in_it() {
        let document = document(CroissantVersion::V1_1);
        let source = |id: &str| &field(&document, id).expect("there is such a field")["source"];
        assert_eq!(source("test/key")["extract"]["column"], "key");
        assert!(source("test/key").get("transform").is_none());
        let method = source("test/focal/method");
        assert_eq!(method["extract"]["column"], "focal");
        assert_eq!(method["transform"]["jsonPath"], "$.method");
        // The first one alone would be read.
        assert!(field(&document, "test/match/candidates").is_none());
        assert_eq!(document["rai:dataLimitations"], json!(["one", "two"]));
    }

    #[test]
    fn lists_are_said_as_the_version_says_them() {
        let new = document(CroissantVersion::V1_1);
        let old = document(CroissantVersion::V1_0);
        for id in ["test/fixtures", "test/focal/parameters"] {
            let (new, old) = (field(&new, id), field(&old, id));
            assert_eq!(new.expect("it is there")["isArray"], true, "{id}");
            assert_eq!(old.expect("it is there")["repeated"], true, "{id}");
        }
        assert!(old["@context"].get("isArray").is_none());
        assert_eq!(old["conformsTo"][0], "http://mlcommons.org/croissant/1.0");
    }
}
