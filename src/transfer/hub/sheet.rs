//! The data sheet of a dataset: the questions of Gebru et al., *Datasheets for Datasets* (2021), section 3, in our own words.

use super::{DatasetFacts, PERSONAL, list};

/// The mark of an answer that only a person knows.
const OPEN: &str = "> **To be answered by a person.**";

/// A question and its answer; nothing where only a person knows it.
type SheetQuestion = (&'static str, Option<String>);

impl DatasetFacts<'_> {
    /// Writes the sheet in Markdown: what the index knows is answered, the rest is marked.
    pub(super) fn sheet(&self) -> String {
        let mut text = format!(
            "# Data sheet: {}\n\nVersion {}, {}. Answers come from the index that the dataset was made of; {} marks what it \
             does not know.\n",
            one_line(&self.publication.name),
            one_line(&self.publication.version),
            self.publication.published,
            "“To be answered by a person”",
        );
        for (title, questions) in self.sections() {
            text.push_str(&format!("\n## {title}\n"));
            for (question, answer) in questions {
                let answer = answer.unwrap_or_else(|| OPEN.to_owned());
                text.push_str(&format!("\n**{question}**\n\n{answer}\n"));
            }
        }
        text
    }

    fn sections(&self) -> Vec<(&'static str, Vec<SheetQuestion>)> {
        vec![
            (
                "Motivation",
                vec![
                    ("Why was the dataset made?", None),
                    ("Who made it, and for whom?", None),
                    ("Who paid for it?", None),
                ],
            ),
            ("Composition", self.composition()),
            (
                "Collection",
                vec![
                    ("How were the data collected?", Some(self.collection())),
                    ("How were repositories chosen?", None),
                    ("When were they collected?", None),
                    ("Was anybody asked, told or paid?", None),
                    ("Was there an ethical review?", None),
                ],
            ),
            (
                "Preprocessing and labels",
                vec![
                    (
                        "What was done to the raw data?",
                        Some(self.preprocessing()),
                    ),
                    ("What did machines label?", Some(self.machine())),
                    ("What did people label?", Some(self.annotation())),
                    (
                        "How far do people agree?",
                        Some(self.agreement().unwrap_or_else(|| {
                            "Not known: no sample was judged by two people, and no audit was drawn.".to_owned()
                        })),
                    ),
                    (
                        "Can the raw data be had?",
                        Some("Yes: manifest.json has the address and commit of each repository that has one.".to_owned()),
                    ),
                ],
            ),
            (
                "Uses",
                vec![
                    ("What has it been used for?", None),
                    ("What else could it be used for?", None),
                    ("What should it not be used for?", None),
                    ("What limits it?", Some(bullets(&self.limits()))),
                ],
            ),
            (
                "Distribution",
                vec![
                    (
                        "Under which licences is it?",
                        Some(format!(
                            "Each record names the licence of its repository.\n\n{}",
                            self.license_table()
                        )),
                    ),
                    ("Where, and to whom, is it given?", self.publication.url.clone()),
                    ("Do others restrict it?", None),
                ],
            ),
            (
                "Maintenance",
                vec![
                    ("Who maintains it, and how are they reached?", None),
                    ("Will it be corrected, and how is that said?", None),
                    (
                        "How can an author have their code removed?",
                        None,
                    ),
                ],
            ),
        ]
    }

    fn composition(&self) -> Vec<SheetQuestion> {
        let splits = self.splits.iter();
        let splits: Vec<&str> = splits.map(|split| split.0.as_str()).collect();
        vec![
            (
                "What is a record?",
                Some(
                    "A unit test with its focal method, setup, assertions, fixtures and contexts, and the repository, \
                     commit and licence that it comes from."
                        .to_owned(),
                ),
            ),
            (
                "How many records are there?",
                Some(format!(
                    "{} in {}, from {} repositories, in the splits {}.",
                    self.n_rows,
                    list(&self.languages),
                    self.manifest.n_repositories,
                    list(&splits)
                )),
            ),
            ("Is it all there is, or a part?", Some(self.missing())),
            (
                "Which errors and duplicates are known?",
                Some(
                    "Matches are heuristic. Exact duplicates are one sample; near ones may be in one split, and across \
                     splits where projects share code."
                        .to_owned(),
                ),
            ),
            (
                "Is there anything about people in it?",
                Some(PERSONAL.to_owned()),
            ),
            ("Is there anything offensive in it?", None),
        ]
    }

    fn license_table(&self) -> String {
        let mut table = String::from("| licence | samples | projects |\n| --- | ---: | ---: |\n");
        for (license, (n_samples, n_projects)) in self.licenses {
            let shown = if license.is_empty() {
                "unknown".to_owned()
            } else {
                one_line(license)
            };
            table.push_str(&format!("| {shown} | {n_samples} | {n_projects} |\n"));
        }
        table.pop();
        table
    }
}

fn bullets(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    lines.join("\n")
}

/// Escapes a foreign text so that it ends no line and no cell.
fn one_line(text: &str) -> String {
    text.replace(['|', '\n', '\r'], " ")
}
