//! The pictures in `screenshots/`: real frames of the sample data, never edited by hand.
//!
//! `UPDATE_SHOTS=1 cargo test screenshots` redraws them; without it, a stale picture is a failure. Those of the README
//! and the docs also exist as PNGs, converted from the SVGs with `rsvg-convert`; `png.hashes` records the SVGs, so that
//! stale PNGs are detected, too.

use std::env;
use std::fs;
use std::io::{BufRead, Cursor};
use std::path::Path;
use std::process::Command;

use focalist::cli;
use focalist::eval::crystal::CrystalOptions;
use focalist::eval::evaluate::{EvalOptions, evaluate};
use focalist::eval::import::{ImportOptions, PredictionFormat, import};
use focalist::metric::metrics_of;
use focalist::model::{
    EventKind, Extraction, Filter, Join, JudgedSample, Judgement, Language, Matcher, ParseMode,
    RunSetting, SampleKey, Target,
};
use focalist::review::{self, VerdictChoice};
use focalist::store::{Store, StoreAccess, Verdicts};
use focalist::task::Monitor;
use focalist::tui::{self, Depth, Shot, Theme, shot};
use rusqlite::Connection;

use crate::support::{Place, copy, sample_data};

/// Opens the sample with the most to show: fixtures, a setup with mocks, several candidates.
const BOOKING: &str = "gs/bookKeeps<cr><enter>";

/// Opens the evidence for its candidates.
const WHY: &str = "gs/bookKeeps<cr><enter>i";

/// Compares all runs with one, best run first.
const RUNS: &str = "gR,bjjcgg";

/// Compares the worst run with the best, greatest loss first.
const RESULTS: &str = "grRcaes<cr>bzero<cr>,djj";
const VALUE: &str = "grRcaes<cr>bzero<cr>,djji";
const TAGS: &str = "grRcaes<cr>bzero<cr>,djjt<down><down>";
const GROUPS: &str = "grRcaes<cr>bzero<cr>Ftag<cr>";

/// Fills in the form without starting anything.
const IMPORT: &str = "gRipredictions/carbon-beam.jsonl<down><down>Carbon<down><down><down><right>";

struct Picture {
    name: &'static str,
    size: (u16, u16),
    theme: &'static str,
    keys: &'static str,
}

const fn picture(
    name: &'static str,
    size: (u16, u16),
    theme: &'static str,
    keys: &'static str,
) -> Picture {
    Picture {
        name,
        size,
        theme,
        keys,
    }
}

const PICTURES: &[Picture] = &[
    picture("home", (120, 40), "dark", ""),
    picture("samples", (120, 40), "dark", "gs/bookKeeps<cr>"),
    picture("sample", (120, 40), "dark", BOOKING),
    picture("sample-wide", (200, 50), "light", BOOKING),
    picture("sample-small", (80, 24), "ansi16", BOOKING),
    picture("filter", (120, 40), "dark", "gsfstatus:abstained -fra<tab>"),
    picture(
        "unmapped",
        (120, 40),
        "light",
        "gsfstatus:abstained<cr><enter>",
    ),
    picture("why", (120, 40), "dark", WHY),
    picture("help", (80, 24), "dark", "gs?"),
    picture("repos", (120, 40), "dark", "gp"),
    picture("runs", (120, 40), "dark", RUNS),
    picture("runs-small", (80, 24), "light", RUNS),
    picture("import", (120, 40), "dark", IMPORT),
    picture("annotate", (120, 40), "dark", "ga"),
    picture("annotate-small", (80, 24), "ansi16", "ga"),
    picture("annotate-wide", (200, 50), "light", "ga"),
    picture("find", (120, 40), "dark", "gapsplit"),
    picture("disagree", (120, 40), "dark", "gd"),
    picture("results", (120, 40), "dark", RESULTS),
    picture("results-small", (80, 24), "ansi16", RESULTS),
    picture("results-wide", (200, 50), "light", RESULTS),
    picture("why-this-value", (120, 40), "dark", VALUE),
    picture("tags", (120, 40), "dark", TAGS),
    picture("groups", (120, 40), "light", GROUPS),
    picture("compare", (120, 40), "dark", "gc"),
    picture("compare-small", (80, 24), "ansi16", "gc"),
    picture("compare-wide", (200, 50), "light", "gc"),
    picture("palette", (120, 40), "dark", "grRcaes<cr>:sort"),
    picture("chart", (120, 40), "dark", "gxsplits<cr>"),
];

/// Pictures of the sample data in other languages than Java.
const LANGUAGES: &[Picture] = &[
    picture(
        "sample-python",
        (120, 40),
        "dark",
        "gs/harvest_writes<cr><enter>",
    ),
    picture(
        "sample-go",
        (120, 40),
        "dark",
        "gs/TestKiln_Fire<cr><enter>",
    ),
];

/// The pictures in the README and the docs.
const PNGS: &[&str] = &[
    "home",
    "samples",
    "sample",
    "sample-python",
    "sample-go",
    "why",
    "runs",
    "annotate",
    "disagree",
    "results",
    "why-this-value",
    "compare",
    "jobs",
    "palette",
];

/// Returns one line per PNG with the hash of its current SVG.
fn png_hashes(folder: &Path) -> String {
    let line = |name: &&str| {
        let svg = fs::read(folder.join(format!("{name}.svg"))).expect("the SVG is there");
        format!("{} {name}", blake3::hash(&svg))
    };
    PNGS.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn every_png_is_made_from_its_svg() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    let hashes = folder.join("png.hashes");
    let wanted = png_hashes(&folder);
    let is_stale = fs::read_to_string(&hashes).unwrap_or_default() != wanted;
    if is_stale && env::var_os("UPDATE_PNGS").is_some() {
        for name in PNGS {
            let status = Command::new("rsvg-convert")
                .arg(folder.join(format!("{name}.svg")))
                .arg("--output")
                .arg(folder.join(format!("{name}.png")))
                .status()
                .expect("`rsvg-convert` is installed");
            assert!(status.success());
        }
        fs::write(&hashes, wanted).expect("the list can be written");
        return;
    }
    assert!(
        !is_stale,
        "PNGs are stale; `UPDATE_PNGS=1 cargo test every_png` makes them anew"
    );
}

/// A run for the pictures: every n-th answer is wrong, every m-th is cut off in the middle.
struct Model {
    run: &'static str,
    name: &'static str,
    wrong_each: usize,
    cut_each: usize,
}

const MODELS: &[Model] = &[
    Model {
        run: "carbon-zero",
        name: "Carbon",
        wrong_each: 2,
        cut_each: 3,
    },
    Model {
        run: "carbon-tuned",
        name: "Carbon",
        wrong_each: 4,
        cut_each: 12,
    },
    Model {
        run: "caesium-350m",
        name: "Caesium",
        wrong_each: 3,
        cut_each: 7,
    },
];

/// Adds evaluated runs to the place, and one that is not evaluated.
fn with_runs(place: &Place) {
    let mut store =
        Store::open(&place.path(".focalist"), StoreAccess::Write).expect("it was mined");
    let filter = Filter::default();
    let keys = store.keys(&filter).expect("the index reads");
    let read = store.references(&keys, Target::Assertion, Matcher::DEFAULT);
    let references = read.expect("the index reads");
    let mut load = |run: &str, model: Option<&str>, lines: String| {
        let options = ImportOptions {
            setting: RunSetting {
                name: run.to_owned(),
                model: model.map(str::to_owned),
                target: Target::Assertion,
                matcher: Matcher::DEFAULT,
                language: Language::Java,
                extraction: Extraction::None,
                parse_mode: ParseMode::Strict,
                length_max: None,
                source: format!("predictions/{run}.jsonl"),
                imported_at: 1_777_883_400,
            },
            form: PredictionFormat::of_file("predictions.jsonl"),
            ids: None,
            join: Join::default(),
            aligned_with: None,
            is_encoded: false,
            is_replacing: false,
            is_strict: false,
        };
        let input: Box<dyn BufRead> = Box::new(Cursor::new(lines));
        let mut files = [(format!("predictions/{run}.jsonl"), input)];
        import(&mut store, &Monitor::default(), &options, &mut files).expect("it is imported");
    };
    for model in MODELS {
        let answers = keys.iter().zip(&references).enumerate();
        let lines = answers.filter_map(|(idx, (key, reference))| {
            let text = reference.as_ref()?.text.as_deref()?;
            let wrong = text.replacen("assertEquals", "assertSame", 1);
            let whole = if idx % model.wrong_each == 0 {
                &wrong
            } else {
                text
            };
            let half = (0..=whole.len() / 2).rfind(|at| whole.is_char_boundary(*at));
            let answer = match half {
                Some(half) if idx % model.cut_each == 1 => &whole[..half],
                _ => whole,
            };
            let record = serde_json::json!({ "sample": key.to_string(), "prediction": answer });
            Some(format!("{record}\n"))
        });
        load(model.run, Some(model.name), lines.collect());
    }
    let broken = format!(
        "{{\"sample\": \"{}\", \"prediction\": \"fail();\"}}\nno json\n",
        keys[0]
    );
    let options = EvalOptions {
        runs: MODELS.iter().map(|model| model.run.to_owned()).collect(),
        metrics: metrics_of(["default"]).expect("there is such a group"),
        weights: [0.25; 4],
        crystal: CrystalOptions::default(),
        force: false,
        ast: None,
    };
    load("new-prompt", None, broken);
    evaluate(&mut store, &Monitor::default(), &options).expect("the runs are evaluated");
}

/// Adds verdicts of two annotators, who differ on some samples.
fn with_verdicts(place: &Place) {
    let folder = place.path(".focalist");
    let store = Store::open(&folder, StoreAccess::Read).expect("it was mined");
    let keys = store.keys(&Filter::default()).expect("the index reads");
    let mut verdicts = Verdicts::open(&folder, StoreAccess::Create).expect("a new file opens");
    let mut say = |annotator: &str, nth: u32, key: &SampleKey, judgement: Judgement| {
        // Where the matcher abstained, agreeing with it says so.
        let states = store.states(&[*key]).expect("the index reads");
        let is_mapped = states[0]
            .as_ref()
            .is_some_and(|state| state.focal.is_some());
        let judgement = match judgement {
            Judgement::Accept if !is_mapped => Judgement::NoFocal,
            judgement => judgement,
        };
        let judged = review::judged(&store, key, &VerdictChoice::Plain(judgement));
        let judged = JudgedSample {
            dwell_ms: Some(1_400 + 2_300 * (nth % 4)),
            queue: Some("mined".to_owned()),
            ..judged.expect("the sample is there")
        };
        let now_ms = 1_777_883_400_000 + 7_000 * i64::from(nth);
        verdicts
            .append(annotator, now_ms, vec![EventKind::Judged(judged)])
            .expect("a verdict is written");
    };
    for (nth, key) in (0..24).zip(&keys) {
        let judgement = match nth % 8 {
            3 => Judgement::NoneOfThese,
            6 => Judgement::NoFocal,
            _ => Judgement::Accept,
        };
        say("ada", nth, key, judgement);
        let judgement = match nth % 9 {
            3 | 7 => Judgement::NoFocal,
            _ => Judgement::Accept,
        };
        say("eva", nth, key, judgement);
    }
}

/// Creates a place with the sample data beside its workspace, mined two hours ago: a screen shows the folder and the
/// time.
fn of_the_pictures() -> Place {
    let place = Place::new();
    let repos = place.path("repos");
    copy(Path::new(&sample_data("repos")), &repos);
    let repos = repos.to_string_lossy();
    let matchers = "contest,evidence,methods2test";
    place
        .run(&["mine", "--each", &repos, "--matcher", matchers])
        .success();
    let jobs = Connection::open(place.path(".focalist/jobs.db")).expect("mining was a job");
    jobs.execute(
        "UPDATE jobs SET ended_ms = ended_ms - ?1",
        [2 * 60 * 60 * 1000],
    )
    .expect("the job is there");
    with_runs(&place);
    with_verdicts(&place);
    place
}

#[test]
fn every_screenshot_shows_what_the_program_shows() {
    let place = of_the_pictures();
    let stale = [
        stale(&place, PICTURES),
        stale(&Place::with_languages(), LANGUAGES),
    ]
    .concat();
    assert!(
        stale.is_empty(),
        "stale: {}; `UPDATE_SHOTS=1 cargo test screenshots` draws them anew",
        stale.join(", ")
    );
}

/// Draws pictures of a place's index; returns those that differ from the stored ones, unless they are to be redrawn.
fn stale(place: &Place, pictures: &[Picture]) -> Vec<&'static str> {
    let store =
        Store::open(&place.path(".focalist"), StoreAccess::Read).expect("the index was made");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    let update = env::var_os("UPDATE_SHOTS").is_some();
    let mut stale = Vec::new();
    for picture in pictures {
        let theme = Theme::named(picture.theme).expect("a theme of the binary");
        let (width, height) = picture.size;
        let shot = Shot {
            annotator: Some("ada"),
            width,
            height,
            theme: picture.theme,
            depth: Depth::True,
            keys: picture.keys,
            verbs: cli::verbs(),
        };
        let frame = tui::render(&store, shot).expect("theme and keys exist");
        let svg = shot::svg(&frame, &theme);
        let path = folder.join(format!("{}.svg", picture.name));
        if update {
            fs::create_dir_all(&folder).expect("the folder can be made");
            fs::write(&path, svg).expect("the picture can be written");
        } else if fs::read_to_string(&path).unwrap_or_default() != svg {
            stale.push(picture.name);
        }
    }
    stale
}

#[test]
fn the_index_is_read_as_the_screens_ask() {
    let place = Place::with_sample_data();
    let store =
        Store::open(&place.path(".focalist"), StoreAccess::Read).expect("the index was made");
    let check = |keys, expected: &str| {
        let shot = Shot {
            annotator: Some("ada"),
            width: 120,
            height: 40,
            theme: "dark",
            depth: Depth::Mono,
            keys,
            verbs: cli::verbs(),
        };
        let frame = tui::render(&store, shot).expect("theme and keys exist");
        let mut text = String::new();
        for cell in &frame.content {
            text.push_str(cell.symbol());
        }
        assert!(text.contains(expected), "`{expected}` after `{keys}`");
    };
    check("gsG", "69/69");
    check("gsGgg", "1/69");
    check("gsfstatus:abstained<cr>G", "15/15");
    check("gs/hyphenate<cr>", "HyphenatorTest.hyphenateLongWords");
    check("gs/nextId<cr>,w", "1/69");
    check(
        "gs/nextId<cr>f status:ok<cr>",
        "test · BookingIdsTest.nextIdIsNew",
    );
    check("gs/nextId<cr>N", "test · BookingIdsTest.nextIdIsNew");
    check("gs/nowhere<cr>", "nowhere: no test of that name");
    check("gsfrepo:nowhere<cr>", "no test passes the filter");
    // From the section `next` to the funnel.
    check("<tab>j<enter>", "1/51");
    check("<tab>jjjjj<enter>", "1/36");
}
