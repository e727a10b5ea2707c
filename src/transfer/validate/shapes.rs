//! The content of our formats, as tables: for each line, document or card that no import of ours reads.

use crate::exchange::shape::ValueShape::{
    Any, Day, Either, Filled, Hex, List, Object, OrNull, Real, Share, Text, Truth, Whole, Words,
};
use crate::exchange::shape::{ObjectMember, ValueShape, may, must};
use crate::model::{
    BlockedReason, Confirmation, FaultOutcome, Flag, Framework, Language, Matcher, Outcome, Shake,
    Stage, Status, TestKind,
};

/// Keys of samples.
pub const KEY: ValueShape = Hex(32);
const TEXT_OR_NULL: ValueShape = OrNull(&Text);
const WHOLE_OR_NULL: ValueShape = OrNull(&Whole);
const LANGUAGE: ValueShape = Words(|| {
    Language::ALL
        .iter()
        .map(|language| language.as_str())
        .collect()
});
const STAGE: ValueShape = Words(|| Stage::ALL.iter().map(|stage| stage.as_str()).collect());
const MATCHER: ValueShape = Words(|| {
    Matcher::ALL
        .iter()
        .map(|matcher| matcher.as_str())
        .collect()
});
const RANGE: ValueShape = OrNull(&List(&Whole));
const KEYED: ValueShape = List(&Object(&[must("key", Filled)]));

/// A line of `--format tests`.
pub const TEST: ValueShape = Object(&[
    must("key", KEY),
    must(
        "test",
        Object(&[
            must("key", Filled),
            must("language", LANGUAGE),
            must("class", Text),
            must("name", Text),
            must("file", Filled),
            must("line", Whole),
            must("start_line", Whole),
            must("end_line", Whole),
            must(
                "kind",
                Words(|| {
                    TestKind::ALL
                        .iter()
                        .map(|test_kind| test_kind.as_str())
                        .collect()
                }),
            ),
            must(
                "framework",
                Words(|| {
                    Framework::ALL
                        .iter()
                        .map(|framework| framework.as_str())
                        .collect()
                }),
            ),
        ]),
    ),
    must(
        "status",
        Words(|| Status::ALL.iter().map(|status| status.as_str()).collect()),
    ),
    must("matcher", MATCHER),
    must("stage", OrNull(&STAGE)),
    must("weight", OrNull(&Share)),
    must(
        "focal",
        OrNull(&Object(&[
            must("key", Filled),
            must("file", Filled),
            must("line", Whole),
        ])),
    ),
    must(
        "candidates",
        List(&Object(&[
            must("name", Text),
            must("key", Filled),
            must("score", Share),
        ])),
    ),
    must("setup_range", RANGE),
    must("assertion_range", RANGE),
    must("setup_context", KEYED),
    must("focal_context", KEYED),
    must(
        "flags",
        List(&Words(|| {
            Flag::ALL.iter().map(|flag| flag.as_str()).collect()
        })),
    ),
]);

/// A line of `--format pairs`.
pub const PAIR: ValueShape = Object(&[
    must("prompt", Filled),
    must("completion", Filled),
    must("sample", KEY),
    must("repo", Text),
    must("language", LANGUAGE),
    must("license", TEXT_OR_NULL),
    must("split", TEXT_OR_NULL),
    must("target", Words(|| vec!["assertion", "test"])),
    must("tokens", Whole),
    must("truncated", List(&Text)),
]);

/// A line of `--format chat`.
pub const CHAT: ValueShape = Object(&[must(
    "messages",
    List(&Object(&[
        must("role", Words(|| vec!["system", "user", "assistant"])),
        must("content", Filled),
    ])),
)]);

/// A line of `--format answers`.
pub const ANSWER: ValueShape = Object(&[
    must("id", Any),
    must("model", Filled),
    must("parameters", Object(&[])),
    must("attempt", Whole),
    must("text", TEXT_OR_NULL),
    must("finish_reason", TEXT_OR_NULL),
    must("answered", Any),
]);

/// A line of `--format outcomes`.
pub const OUTCOME: ValueShape = Object(&[
    must("run", Filled),
    must("sample", KEY),
    must("attempt", Whole),
    must(
        "outcome",
        OrNull(&Words(|| {
            Outcome::ALL
                .iter()
                .map(|outcome| outcome.as_str())
                .collect()
        })),
    ),
    must(
        "blocked",
        OrNull(&Words(|| {
            BlockedReason::ALL
                .iter()
                .map(|blocked_reason| blocked_reason.as_str())
                .collect()
        })),
    ),
    must("repair", Text),
    must("duplicate_of", WHOLE_OR_NULL),
    must("engine", Text),
    must("called", OrNull(&Truth)),
    must("asserts", OrNull(&Truth)),
    must(
        "confirmed",
        OrNull(&Words(|| {
            Confirmation::ALL
                .iter()
                .map(|confirmation| confirmation.as_str())
                .collect()
        })),
    ),
    must(
        "unstable",
        OrNull(&Object(&[
            must("reason", SHAKE),
            must("shakes", List(&SHAKE)),
            must("runs", Whole),
            must("failed", Whole),
        ])),
    ),
    must("ms", WHOLE_OR_NULL),
    must("timeout_ms", Whole),
]);

const SHAKE: ValueShape = Words(|| Shake::ALL.iter().map(|shake| shake.as_str()).collect());

/// A line of `--format mutants`.
pub const MUTANT: ValueShape = Object(&[
    must("run", Filled),
    must("sample", KEY),
    must("attempt", Whole),
    must("language", LANGUAGE),
    must(
        "mutant",
        Object(&[
            must("id", Filled),
            must("file", Filled),
            must("line", Whole),
            must("class", TEXT_OR_NULL),
            must("method", TEXT_OR_NULL),
            must("desc", TEXT_OR_NULL),
            must("indexes", OrNull(&List(&Whole))),
            must("mutator", Filled),
            must("description", Text),
            must("start", WHOLE_OR_NULL),
            must("end", WHOLE_OR_NULL),
            must("replacement", TEXT_OR_NULL),
        ]),
    ),
    must(
        "outcome",
        Words(|| {
            FaultOutcome::ALL
                .iter()
                .map(|fault_outcome| fault_outcome.as_str())
                .collect()
        }),
    ),
    must("by", TEXT_OR_NULL),
    must("ms", WHOLE_OR_NULL),
    may("equivalent_by", List(&Filled)),
]);

/// A line of `--format dump`.
pub const DUMPED: ValueShape = Object(&[
    must("table", Filled),
    may("project", Filled),
    may("language", LANGUAGE),
    must("row", Object(&[])),
]);

/// A line of `ids.jsonl` beside MERA's records.
pub const ORIGIN: ValueShape = Object(&[
    must("id", Whole),
    must("key", KEY),
    must("language", Filled),
    must("repo", Text),
    must("commit", TEXT_OR_NULL),
    must("license", TEXT_OR_NULL),
    must("test", Filled),
    must("focal", Filled),
    must("split", Filled),
]);

/// A line of `benchmark filter --json`.
pub const KEPT: ValueShape = Object(&[
    must("repo", Filled),
    must("kept", Truth),
    must("reason", TEXT_OR_NULL),
    must("unknown", List(&Text)),
    must("n_cases", WHOLE_OR_NULL),
    must("cases", List(&KEY)),
]);

/// `manifest.json` of an index or a dataset.
pub const MANIFEST: ValueShape = Object(&[
    must("focalist", Filled),
    must(
        "matchers",
        List(&Object(&[must("name", MATCHER), must("version", Whole)])),
    ),
    must("seed", WHOLE_OR_NULL),
    may(
        "export",
        Object(&[
            must("splits", Words(|| vec!["project", "random", "own"])),
            must("max_similarity", OrNull(&Share)),
            must("n_near", Whole),
            may("stable", Text),
            may("n_unstable", Whole),
        ]),
    ),
    must("n_repositories", Whole),
    must("n_files", Whole),
    must("n_tests", Whole),
    must("content", Hex(32)),
    must(
        "repositories",
        List(&Object(&[
            must("name", Text),
            must("identity", Filled),
            must("url", TEXT_OR_NULL),
            must("commit", TEXT_OR_NULL),
            must("dirty", OrNull(&Truth)),
            must("license", TEXT_OR_NULL),
            must("language", LANGUAGE),
            must("n_files", Whole),
            must("n_tests", Whole),
            must("content", Hex(32)),
            must("options", Text),
            must("code", Text),
        ])),
    ),
]);

/// `manifest.json` beside MERA's records.
pub const MERA_MANIFEST: ValueShape = Object(&[
    must("focalist", Filled),
    must("format", Words(|| vec!["mera"])),
    must(
        "options",
        Object(&[must("languages", List(&Filled)), must("matcher", MATCHER)]),
    ),
    must(
        "funnel",
        List(&Object(&[must("step", Filled), must("left", Whole)])),
    ),
    must(
        "splits",
        List(&Object(&[
            must("split", Filled),
            must("language", Filled),
            must("records", Whole),
        ])),
    ),
    must("prompts", Filled),
    must("content", Filled),
]);

const TEXTS: ValueShape = Either(&[Filled, List(&Filled)]);

/// One configuration of a card's `dataset_info`.
const INFO: ValueShape = Object(&[
    may("config_name", Filled),
    must("features", List(&Object(&[must("name", Filled)]))),
    must(
        "splits",
        List(&Object(&[
            must("name", Filled),
            must("num_bytes", Whole),
            must("num_examples", Whole),
        ])),
    ),
    may("download_size", Whole),
    may("dataset_size", Whole),
]);

/// The front matter of a dataset's `README.md`.
pub const CARD: ValueShape = Object(&[
    may("language", TEXTS),
    must("license", TEXTS),
    may("tags", List(&Filled)),
    may("task_categories", List(&Filled)),
    may(
        "size_categories",
        List(&Words(|| {
            vec![
                "n<1K",
                "1K<n<10K",
                "10K<n<100K",
                "100K<n<1M",
                "1M<n<10M",
                "10M<n<100M",
                "100M<n<1B",
                "1B<n<10B",
                "10B<n<100B",
                "100B<n<1T",
                "n>1T",
            ]
        })),
    ),
    must(
        "configs",
        List(&Object(&[
            must("config_name", Filled),
            must(
                "data_files",
                List(&Object(&[must("split", Filled), must("path", TEXTS)])),
            ),
        ])),
    ),
    must("dataset_info", Either(&[INFO, List(&INFO)])),
]);

/// `CITATION.cff`; format 1.2.0 needs four members.
pub const CITATION: ValueShape = Object(&[
    must("cff-version", Words(|| vec!["1.2.0"])),
    must("message", Filled),
    must("title", Filled),
    must(
        "authors",
        List(&Object(&[
            may("name", Filled),
            may("family-names", Filled),
            may("given-names", Filled),
            may("orcid", Filled),
        ])),
    ),
    may("type", Words(|| vec!["dataset", "software"])),
    may("version", Either(&[Filled, Real])),
    may("date-released", Day),
    may("url", Filled),
    may("abstract", Filled),
    may("license", TEXTS),
    may("keywords", List(&Filled)),
]);

/// `eval.yaml`, with which a dataset becomes a benchmark of the Hub.
pub const TASKS: ValueShape = Object(&[
    must("name", Filled),
    must("description", Filled),
    must("evaluation_framework", Filled),
    must(
        "tasks",
        List(&Object(&[
            must("id", Filled),
            may("config", Filled),
            may("split", Filled),
        ])),
    ),
]);

/// A file in `.eval_results` of a model.
pub const RESULTS: ValueShape = List(&Object(&[
    must(
        "dataset",
        Object(&[
            must("id", Filled),
            must("task_id", Filled),
            may("revision", Filled),
        ]),
    ),
    must("value", Real),
    may("verifyToken", Filled),
    may("date", Filled),
    may("source", Object(SOURCE)),
    may("evaluation_framework", Filled),
    may("notes", Filled),
]));

const SOURCE: &[ObjectMember] = &[
    must("url", Filled),
    may("name", Filled),
    may("user", Filled),
    may("org", Filled),
];

/// `croissant.json`.
pub const CROISSANT: ValueShape = Object(&[
    must("@context", Any),
    must("@type", Words(|| vec!["sc:Dataset", "Dataset"])),
    must("conformsTo", TEXTS),
    must("name", Filled),
    must("description", Filled),
    must("version", Filled),
    must("datePublished", Day),
    must("creator", Any),
    must("citeAs", Filled),
    must("license", TEXTS),
    may("url", Filled),
    must(
        "distribution",
        List(&Object(&[
            must("@type", Words(|| vec!["cr:FileObject", "cr:FileSet"])),
            must("@id", Filled),
            must("name", Filled),
            must("encodingFormat", TEXTS),
            may("contentUrl", Filled),
            may("sha256", Hex(64)),
            may("includes", TEXTS),
        ])),
    ),
    must(
        "recordSet",
        List(&Object(&[
            must("@type", Words(|| vec!["cr:RecordSet"])),
            must("@id", Filled),
            must("name", Filled),
            must(
                "field",
                List(&Object(&[must("@id", Filled), must("name", Filled)])),
            ),
        ])),
    ),
]);
