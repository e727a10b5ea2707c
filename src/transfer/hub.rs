//! The files beside the data of a published dataset: `croissant.json`, `CITATION.cff`, `eval.yaml` and `datasheet.md`.
//!
//! All state the same facts: from the manifest, the funnel and the verdicts. The data sheet asks for the facts that
//! only a person can know; none of them is made up.

mod sheet;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::exchange::croissant::{Croissant, CroissantVersion, DataFile};
use crate::exchange::hub_results::{HubEvaluation, tasks_yaml};
use crate::exchange::{WireManifest, write_pretty};
use crate::model::{Funnel, Status, agreeing, counted};

/// The facts about a dataset that its index does not know.
#[derive(Clone, Debug)]
pub struct Publication {
    pub name: String,
    /// Such as `1.0.0`.
    pub version: String,
    /// A day, as `2026-01-31`.
    pub published: String,
    pub authors: Vec<String>,
    pub url: Option<String>,
    pub croissant: CroissantVersion,
    pub annotation: DatasetAnnotation,
    /// How models are ranked on it; without that, it has no `eval.yaml`.
    pub evaluated: Option<HubEvaluation>,
}

impl Default for Publication {
    /// Makes a first version without authors of its own, published when the first of these programs was.
    fn default() -> Self {
        Self {
            name: "unit-tests".to_owned(),
            version: "1.0.0".to_owned(),
            published: "2026-01-01".to_owned(),
            authors: vec!["Contributors to unit-tests".to_owned()],
            url: None,
            croissant: CroissantVersion::default(),
            annotation: DatasetAnnotation::default(),
            evaluated: None,
        }
    }
}

/// The judgements of people about the samples' matches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatasetAnnotation {
    pub n_annotators: u64,
    pub n_samples: u64,
    /// By two or more.
    pub n_overlapping: u64,
    /// Krippendorff's alpha for nominal data, with its 95 % interval.
    pub alpha: Option<f64>,
    pub alpha_interval: Option<(f64, f64)>,
    pub audits: Vec<AuditFinding>,
}

/// The result of an audit of the matches.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditFinding {
    pub name: String,
    pub n_judged: u64,
    /// Shares, 0..=1, with Wilson's 95 % intervals.
    pub precision: Option<(f64, (f64, f64))>,
    pub coverage: Option<(f64, (f64, f64))>,
}

/// The facts that the files beside the data are written from.
#[derive(Debug)]
pub(crate) struct DatasetFacts<'f> {
    pub publication: &'f Publication,
    pub manifest: &'f WireManifest,
    pub funnel: &'f Funnel,
    /// Samples and projects by licence; an unknown one is empty.
    pub licenses: &'f BTreeMap<String, (u64, u64)>,
    /// The programming languages.
    pub languages: Vec<&'static str>,
    pub splits: Vec<(String, Vec<DataFile>)>,
    pub n_rows: u64,
    pub n_near: u64,
    pub n_unstable: u64,
    pub n_unlicensed: u64,
}

/// Describes a file in a folder by hash and size.
pub(crate) fn data_file(folder: &Path, path: String) -> io::Result<DataFile> {
    let mut file = File::open(folder.join(&path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut n_bytes = 0;
    loop {
        let n_read = file.read(&mut buffer)?;
        if n_read == 0 {
            break;
        }
        hash.update(&buffer[..n_read]);
        n_bytes += n_read as u64;
    }
    let mut sha256 = String::new();
    for byte in hash.finalize() {
        let _ = write!(sha256, "{byte:02x}");
    }
    Ok(DataFile {
        path,
        sha256,
        n_bytes,
    })
}

impl DatasetFacts<'_> {
    /// Writes the files beside the data.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut file = File::create(folder.join("croissant.json"))?;
        write_pretty(&mut file, &self.croissant())?;
        fs::write(folder.join("CITATION.cff"), self.citation_file())?;
        if let Some(tasks) = self.tasks() {
            fs::write(folder.join("eval.yaml"), tasks)?;
        }
        fs::write(folder.join("datasheet.md"), self.sheet())
    }

    fn croissant(&self) -> serde_json::Value {
        let publication = self.publication;
        let spdx = |id: &String| match id.as_str() {
            "" => "unknown".to_owned(),
            id if is_spdx(id) => format!("https://spdx.org/licenses/{id}.html"),
            other => other.to_owned(),
        };
        let keywords = ["unit tests", "test generation", "source code"];
        let keywords = keywords.iter().chain(&self.languages);
        let croissant = Croissant {
            version: publication.croissant,
            name: &publication.name,
            description: &self.description(),
            release: &publication.version,
            published: &publication.published,
            url: publication.url.as_deref(),
            authors: &publication.authors,
            citation: &self.bibtex(),
            licenses: self.licenses.keys().map(spdx).collect(),
            keywords: keywords.map(|keyword| (*keyword).to_owned()).collect(),
            splits: &self.splits,
            rai: self.responsible(),
        };
        croissant.document()
    }

    /// Writes the text of `eval.yaml`, which makes the dataset a benchmark on its split `test`, or on its last one
    /// without a split of that name.
    fn tasks(&self) -> Option<String> {
        let publication = self.publication;
        let mut names = self.splits.iter().map(|split| split.0.as_str());
        let split = names
            .clone()
            .find(|name| *name == "test")
            .or_else(|| names.next_back())?;
        let evaluated = publication.evaluated.as_ref()?;
        let about = (publication.name.as_str(), &*self.description());
        Some(tasks_yaml(about, evaluated, split))
    }

    fn description(&self) -> String {
        format!(
            "{} unit tests with the methods that they test, in {}, from {} repositories. A record has the test, its focal \
             method, setup, assertions and contexts, and the repository, commit and licence that it comes from.",
            self.n_rows,
            list(&self.languages),
            self.manifest.n_repositories
        )
    }

    /// Lists the properties of the vocabulary for responsible AI.
    fn responsible(&self) -> Vec<(&'static str, Vec<String>)> {
        let one = |text: String| vec![text];
        let mut all = vec![
            ("dataCollection", one(self.collection())),
            (
                "dataCollectionType",
                vec!["Software Collection".to_owned(), "Web Scraping".to_owned()],
            ),
            ("dataCollectionMissingData", one(self.missing())),
            ("dataPreprocessingProtocol", one(self.preprocessing())),
            ("dataAnnotationProtocol", one(self.annotation())),
            ("machineAnnotationTools", one(self.machine())),
            ("dataLimitations", self.limits()),
            ("personalSensitiveInformation", one(PERSONAL.to_owned())),
        ];
        if let Some(analysis) = self.agreement() {
            all.push(("dataAnnotationAnalysis", one(analysis)));
        }
        all
    }

    fn collection(&self) -> String {
        let manifest = self.manifest;
        format!(
            "focalist {} read {} files of {} repositories, whose commits, licences and hashes are in manifest.json, and \
             found {} tests. Nothing was built or run for that.",
            manifest.focalist, manifest.n_files, manifest.n_repositories, manifest.n_tests
        )
    }

    /// Describes the tests that are no records, and why.
    fn missing(&self) -> String {
        let funnel = self.funnel;
        let dropped: Vec<String> = funnel
            .by_status
            .iter()
            .filter(|by_status| by_status.1 > 0 && by_status.0 != Status::Ok)
            .map(|(status, n)| format!("{n} {}", status.as_str()))
            .collect();
        let mut text = format!(
            "Of {} tests, {} have a focal method and {} are within the limit of size.",
            funnel.n_tests, funnel.n_mapped, funnel.n_within_size
        );
        if !dropped.is_empty() {
            text.push_str(&format!(" Without one, by reason: {}.", dropped.join(", ")));
        }
        let n_problems: u64 = funnel.problems.iter().map(|problem| problem.1).sum();
        if n_problems > 0 {
            text.push_str(&format!(" {n_problems} files could not be read as code."));
        }
        if self.n_unlicensed > 0 {
            text.push_str(&format!(
                " {} samples were left out by their licence.",
                self.n_unlicensed
            ));
        }
        if self.n_near > 0 {
            text.push_str(&format!(
                " {} samples of held-out splits were left out because they are too similar to one of training.",
                self.n_near
            ));
        }
        if self.n_unstable > 0 {
            text.push_str(&format!(
                " {} samples were left out because their tests are unstable.",
                self.n_unstable
            ));
        }
        text
    }

    fn preprocessing(&self) -> String {
        let seed = self.manifest.seed;
        let seed = seed.map_or_else(|| "none".to_owned(), |seed| seed.to_string());
        format!(
            "Sources are as they are in the repositories. Each test is cut into setup and assertions at its focal call; \
             methods that either part calls are its contexts. Exact duplicates are one sample. Splits are drawn with the \
             seed {seed}."
        )
    }

    fn machine(&self) -> String {
        let matchers = self.manifest.matchers.iter();
        let matchers: Vec<String> = matchers
            .map(|matcher| format!("{} {}", matcher.name, matcher.version))
            .collect();
        format!(
            "focalist {} matches tests to focal methods by static analysis; matchers: {}.",
            self.manifest.focalist,
            matchers.join(", ")
        )
    }

    fn annotation(&self) -> String {
        let annotation = &self.publication.annotation;
        if annotation.n_samples == 0 {
            return "No person has judged the matches: they are the matcher's.".to_owned();
        }
        format!(
            "{} {} judged the matches of {}, {} of them by two or more, each against the test, its candidates and their \
             sources; the column `verdict` has the result.",
            annotation.n_annotators,
            agreeing(annotation.n_annotators, "person", "people"),
            counted(annotation.n_samples, "sample"),
            annotation.n_overlapping
        )
    }

    /// Describes how far people agree, and the results of audits; nothing where there is neither.
    fn agreement(&self) -> Option<String> {
        let annotation = &self.publication.annotation;
        let mut said = Vec::new();
        if let Some(alpha) = annotation.alpha {
            let interval = annotation.alpha_interval;
            let interval = interval.map_or_else(String::new, |(low, high)| {
                format!(", 95 % interval {low:.2} to {high:.2}")
            });
            said.push(format!(
                "Krippendorff's alpha {alpha:.2} over {} samples that two or more judged{interval}.",
                annotation.n_overlapping
            ));
        }
        let share = |entry: Option<(f64, (f64, f64))>| {
            entry.map_or_else(
                || "not known".to_owned(),
                |(value, (low, high))| {
                    let [value, low, high] = [value, low, high].map(|value| value * 100.0);
                    format!("{value:.1} % (95 % interval {low:.1} to {high:.1})")
                },
            )
        };
        said.extend(annotation.audits.iter().map(|audit| {
            format!(
                "Audit {} of {} drawn and judged tests: precision {}, coverage {}.",
                audit.name,
                audit.n_judged,
                share(audit.precision),
                share(audit.coverage)
            )
        }));
        (!said.is_empty()).then(|| said.join(" "))
    }

    fn limits(&self) -> Vec<String> {
        let mut limits = vec![
            "Matches of tests to focal methods are heuristic; a test may exercise more than one method.".to_owned(),
            "Repositories are those that were mined, and no random sample of all software.".to_owned(),
            "Models that were trained on public repositories may have seen these tests.".to_owned(),
        ];
        if self.licenses.contains_key("") {
            limits.push("The licence of some repositories is unknown.".to_owned());
        }
        limits
    }

    /// Writes a reference to the dataset.
    fn bibtex(&self) -> String {
        let publication = self.publication;
        let year = publication.published.get(..4).unwrap_or_default();
        let text = |text: &str| text.replace(['{', '}', '\\'], "");
        let authors: Vec<String> = publication
            .authors
            .iter()
            .map(|author| format!("{{{}}}", text(author)))
            .collect();
        let key: String = publication
            .name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let url = publication.url.as_deref();
        let url = url.map_or_else(String::new, |url| format!(", url = {{{}}}", text(url)));
        format!(
            "@misc{{{key}{year}, title = {{{}}}, author = {{{}}}, year = {{{year}}}, version = {{{}}}{url}}}",
            text(&publication.name),
            authors.join(" and "),
            text(&publication.version)
        )
    }

    /// Writes how the dataset wants to be cited, in Citation File Format 1.2.0.
    fn citation_file(&self) -> String {
        let publication = self.publication;
        let mut text = format!(
            "cff-version: 1.2.0\nmessage: If you use this dataset, please cite it as below.\ntype: dataset\n\
             title: {}\nversion: {}\ndate-released: {}\nauthors:\n",
            yaml(&publication.name),
            yaml(&publication.version),
            yaml(&publication.published),
        );
        for author in &publication.authors {
            text.push_str(&format!("  - name: {}\n", yaml(author)));
        }
        if let Some(url) = &publication.url {
            text.push_str(&format!("url: {}\n", yaml(url)));
        }
        text.push_str(&format!("abstract: {}\n", yaml(&self.description())));
        // The format knows SPDX identifiers alone.
        let licenses = self.licenses.keys().filter(|key| is_spdx(key));
        let licenses: Vec<String> = licenses.map(|license| format!("  - {license}\n")).collect();
        if !licenses.is_empty() {
            text.push_str(&format!("license:\n{}", licenses.concat()));
        }
        text.push_str("keywords:\n  - unit tests\n  - test generation\n");
        text
    }
}

/// A statement about personal data in the dataset.
const PERSONAL: &str = "Sources are as their authors published them, with the names and addresses that comments and strings may hold. Commits have their hash, without author. Annotators are not named.";

/// Tells whether a licence's name looks like an SPDX identifier, as no foreign text does by chance.
fn is_spdx(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 40
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-.+".contains(&byte))
        && !id.starts_with("LicenseRef")
        && id != "NOASSERTION"
}

/// Writes a text as a double-quoted scalar, which may hold anything.
fn yaml(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Joins names to a list in a sentence.
fn list(names: &[&str]) -> String {
    match names {
        [] => "no language".to_owned(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}
