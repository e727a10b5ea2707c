//! Jobs: the screen, the forms, what every screen shows of them, and when they are read again.

use std::path::Path;

use crate::event::{Effect, Notice, UiEvent};
use crate::fixture;
use crate::model::{JobId, JobKind, JobRow, JobState, SampleChanges};
use crate::question::QuestionFailure;
use crate::screen::jobs::fixture as jobs;
use crate::screen::jobs::questions::JobList;
use crate::shot;
use crate::stage::UiStage;
use crate::tests::{
    Answering, SIZES, check_frame, check_frame_of, check_shows, pressed, shown, start,
};
use crate::theme::Depth;
use crate::work::{BackgroundTask, EndedTask, TaskOutcome};

fn with_jobs(keys: &str) -> UiStage<Answering> {
    let start = start(120, 40, "ansi16", Depth::Mono);
    let mut stage = UiStage::new(start, jobs::with_jobs as Answering);
    stage.press(keys).expect("well-formed");
    stage
}

fn check(keys: &str, expected: &[&str]) {
    let text = shown(&with_jobs(keys));
    for part in expected {
        assert!(
            text.contains(part),
            "`{part}` is missing after `{keys}`:\n{text}"
        );
    }
}

/// Returns the effects of some keys, without those to look at the jobs again.
fn wanted(keys: &str) -> Vec<Effect> {
    let wanted = with_jobs(keys).other_effects.into_iter();
    wanted
        .filter(|effect| !matches!(effect, Effect::Tick { .. }))
        .collect()
}

fn started(keys: &str) -> (JobKind, String) {
    let wanted = wanted(keys);
    let [Effect::Work(BackgroundTask::Start(new))] = wanted.as_slice() else {
        panic!("{keys}: {wanted:?}\n{}", shown(&with_jobs(keys)));
    };
    (new.kind, crate::job::command_line(&new.arguments))
}

/// Delivers the answer to a look at the jobs: these rows, and no other change.
fn look(stage: &mut UiStage<Answering>, rows: Vec<JobRow>, version: u64) {
    let list = JobList {
        rows: Some(rows),
        version,
        now_ms: jobs::NOW_MS,
    };
    let ask = stage.app.look_at_jobs();
    stage.send(UiEvent::Reply(ask.answered(Ok(Box::new(list)))));
}

fn end(stage: &mut UiStage<Answering>, task: BackgroundTask, outcome: TaskOutcome) {
    let ended = EndedTask { task, outcome };
    stage.send(UiEvent::Notice(Notice::Ended(Box::new(ended))));
}

#[test]
fn the_jobs_look_as_they_did() {
    for (width, height) in SIZES {
        check_frame_of(jobs::with_jobs, "jobs", (width, height), "gjj");
    }
    check_frame("jobs_empty", 80, 24, "gj");
    for size in [(80, 24), (120, 40)] {
        check_frame_of(jobs::with_execution, "jobs_execute", size, "gj");
    }
    for size in [(80, 24), (120, 40), (200, 50)] {
        check_frame_of(jobs::with_training, "jobs_train", size, "gj");
    }
    check_frame("jobs_form_train", 80, 24, "gjAtrain<cr>");
    check_frame("jobs_form_execute", 80, 24, "gRx");
    check_frame_of(jobs::with_jobs, "jobs_log", (80, 24), "gjj<enter>/kit<cr>");
    check_frame_of(jobs::with_jobs, "jobs_details", (80, 24), "gjjji");
    check_frame_of(jobs::with_jobs, "jobs_form", (80, 24), "gjAmine<cr>");
    check_frame(
        "jobs_form_export",
        60,
        16,
        "gjAexp<cr>out.jsonl<down><down>sta",
    );
}

#[test]
fn a_run_is_executed_from_where_the_runs_are() {
    let execute = |line: &str| (JobKind::Execute, line.to_owned());
    assert_eq!(started("gRx<cr>"), execute("execute -- carbon"));
    assert_eq!(started("gRjx<cr>"), execute("execute -- carbon-ft"));
    assert_eq!(started("gjAexec<cr><cr>"), execute("execute"));
}

#[test]
fn a_training_needs_three_files_and_a_folder() {
    let keys = "gjAtrain<cr>carbon.jsonl";
    check(&format!("{keys}<cr>"), &["train a model", "which file?"]);
    let files = "carbon.jsonl<down>caesium.jsonl<down>carbon.jsonl<down>models<down><down>9<cr>";
    let (kind, line) = started(&format!("gjAtrain<cr>{files}"));
    assert_eq!(kind, JobKind::Train);
    assert_eq!(
        line,
        "train --train=carbon.jsonl --validation=caesium.jsonl --vocabulary=carbon.jsonl --output=models --minutes=9"
    );
}

#[test]
fn a_training_that_is_cancelled_has_time_for_a_checkpoint() {
    let start = start(120, 40, "ansi16", Depth::Mono);
    let mut stage = UiStage::new(start, jobs::with_training as Answering);
    stage.press("gjx").expect("well-formed");
    let text = shown(&stage);
    assert!(text.contains("KILL after 60 s"), "{text}");
}

#[test]
fn an_execution_tells_its_stage_and_candidates_a_second() {
    let mut stage = UiStage::new(
        start(120, 40, "ansi16", Depth::Mono),
        jobs::with_execution as Answering,
    );
    stage.press("gj").expect("well-formed");
    let text = shown(&stage);
    for part in ["executing", "4.5 candidates/s", "122/812"] {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
}

#[test]
fn every_screen_shows_what_runs() {
    for keys in ["", "gs", "gR", "gp", "ga"] {
        check(keys, &["mine 41 64 % · 18 s left +1 · gj"]);
    }
}

#[test]
fn the_log_is_searched_thinned_out_and_zoomed() {
    check("gj/warning<cr>", &["warning: 1 of 1"]);
    check("gj/kit<cr>n", &["kit: 2 of 2"]);
    check("gj/kit<cr>N", &["kit: 2 of 2"]);
    check("gj/xyzzy<cr>", &["xyzzy: not in this log"]);
    let text = shown(&with_jobs("gjL"));
    assert!(
        !text.contains("kit-a: 412") && text.contains("error: no"),
        "{text}"
    );
    check("gjLL", &["kit-a: 412"]);
    assert!(!shown(&with_jobs("gj<enter>")).contains("#38"));
    check("gj<enter><esc>", &["#38"]);
    check("gj<tab>kGgg", &["log #42 eval"]);
    check("gji", &["command", "eval --run=codet5-1", "babbage"]);
}

#[test]
fn jobs_are_cancelled_started_again_and_cleared() {
    assert_eq!(
        wanted("gjjx"),
        [Effect::Work(BackgroundTask::Cancel(JobId(41)))]
    );
    assert_eq!(
        wanted("gjj<c-c>"),
        [Effect::Work(BackgroundTask::Cancel(JobId(41)))]
    );
    check("gjjx", &["job 41 was asked to stop"]);
    assert_eq!(wanted("gjjjx"), []);
    // On other screens, nothing is cancelled silently.
    assert_eq!(wanted("gs<c-c>"), []);
    check("gs<c-c>", &["jobs keep running: gj, then x cancels one"]);
    assert_eq!(wanted("gjjjjr"), []);
    check("gjjjjr", &["run `focalist import", "/home/ada/curated?"]);
    let again = wanted("gjjjjry");
    let [Effect::Work(BackgroundTask::Start(new))] = again.as_slice() else {
        panic!("{again:?}");
    };
    assert_eq!((new.retry_of, new.kind), (Some(JobId(39)), JobKind::Import));
    assert_eq!(new.folder.to_string_lossy(), "/home/ada/curated");
    assert_eq!(wanted("gjr"), []);
    assert_eq!(wanted("gjDn"), []);
    check("gjD", &["forget 5 ended jobs"]);
    assert_eq!(wanted("gjDy"), [Effect::Work(BackgroundTask::Clear)]);
    let copied = wanted("gjy");
    let line = "focalist eval --run=codet5-1 --metrics=default,crystalbleu";
    assert_eq!(copied, [Effect::Copy(line.to_owned())]);
}

#[test]
fn forms_start_jobs_with_what_they_were_called_with_before() {
    let (kind, line) = started("gjAmine<cr><cr>");
    assert_eq!(kind, JobKind::Mine);
    assert_eq!(line, "mine --each -- /home/ada/repositories/of/java");
    let (_, line) = started("gjAexport<cr><cr>");
    assert_eq!(line, "export --output=/home/ada/curated/data.jsonl");
    let (_, line) = started("gjAleakage<cr>repo:gson<cr>");
    assert_eq!(line, "leakage --split=project -- repo:gson");
    let (_, line) = started("gjAeval<cr>carbon-ft<cr>");
    assert_eq!(line, "eval --metrics=default,crystalbleu -- carbon-ft");
    let (_, line) = started("gRiruns/caesium.jsonl<cr>");
    assert_eq!(line, "import --run=caesium -- runs/caesium.jsonl");
    // Quitting asks nothing: jobs go on.
    assert_eq!(wanted("q"), [Effect::Quit]);
}

#[test]
fn runs_are_evaluated_as_jobs() {
    let evaluated = |keys| started(keys).1;
    assert_eq!(evaluated("gRe"), "eval --run=carbon --metrics=default");
    assert_eq!(evaluated("gRE"), "eval --metrics=default");
    assert_eq!(
        evaluated("gRm<c-u>em cry<tab><cr>"),
        "eval --run=carbon --metrics=crystalbleu,em"
    );
}

#[test]
fn a_repository_is_mined_again_as_it_was_and_what_changed_is_told() {
    let (kind, line) = started("gpr");
    assert_eq!(kind, JobKind::Mine);
    assert_eq!(
        line,
        "mine --language=java --matcher=contest,evidence --tests=annotated --abstain-below=0.25 --name=counters -- /home/ada/counters"
    );
    let mut stage = with_jobs("gpr");
    let task = BackgroundTask::start(JobKind::Mine, []);
    end(&mut stage, task, TaskOutcome::Started(JobId(43)));
    assert!(shown(&stage).contains("job 43 started · gj shows it"));
    let message = "counters: 1 changed sample; 1 verdict is stale";
    let mut done = jobs::job(43, JobState::Done, "mine -- counters", message);
    done.changes = Some(SampleChanges {
        n_changed: 1,
        n_stale: 1,
        ..SampleChanges::default()
    });
    look(&mut stage, vec![done], 99);
    let text = shown(&stage);
    assert!(
        text.contains("mined again") && text.contains("Enter: the queue of"),
        "{text}"
    );
    stage.press("<enter>").expect("well-formed");
    assert!(shown(&stage).contains("stale"), "{}", shown(&stage));
}

#[test]
fn the_end_of_a_job_is_said_once_and_takes_no_focus() {
    let mut stage = with_jobs("gsf");
    let done = jobs::job(41, JobState::Failed, "mine -- a", "no\u{1b} such folder");
    look(&mut stage, vec![done.clone()], 99);
    stage.press("repo:x").expect("well-formed");
    assert!(shown(&stage).contains("repo:x"), "{}", shown(&stage));
    stage = with_jobs("gs");
    look(&mut stage, vec![done.clone()], 99);
    let text = shown(&stage);
    assert!(
        text.contains("mine #41 failed: no") && text.contains("1/812"),
        "{text}"
    );
    stage.press("j").expect("well-formed");
    look(&mut stage, vec![done], 100);
    assert!(!shown(&stage).contains("mine #41 failed"));
}

#[test]
fn an_import_that_is_done_is_selected() {
    let mut stage = with_jobs("gR");
    let line = "import --run=carbon-ft -- a.jsonl";
    look(
        &mut stage,
        vec![jobs::job(44, JobState::Running, line, "")],
        98,
    );
    look(
        &mut stage,
        vec![jobs::job(44, JobState::Done, line, "")],
        99,
    );
    assert!(shown(&stage).contains("2/5"), "{}", shown(&stage));
}

#[test]
fn what_cannot_be_started_is_told_with_what_to_do() {
    let mut stage = with_jobs("gR");
    let failed = TaskOutcome::Failed {
        text: "`index.db` is being written by another process".to_owned(),
        hint: "a job writes the index: gj shows it".to_owned(),
    };
    let task = BackgroundTask::Remove {
        run: "carbon".to_owned(),
    };
    end(&mut stage, task.clone(), failed.clone());
    let text = shown(&stage);
    assert!(
        text.contains("that failed") && text.contains("gj shows it"),
        "{text}"
    );
    // A user who types goes on typing.
    stage.press("<esc>i").expect("well-formed");
    end(&mut stage, task, failed);
    assert!(shown(&stage).contains("import predictions"));
}

#[test]
fn one_looks_again_only_while_a_job_lives_or_the_screen_is_shown() {
    let ticks = |stage: &UiStage<Answering>| -> Vec<u64> {
        let ticks = stage.other_effects.iter();
        ticks
            .filter_map(|tick| match tick {
                Effect::Tick { after_ms } => Some(*after_ms),
                _ => None,
            })
            .collect()
    };
    // While no job lives, only the screen of jobs wakes up.
    let mut idle = pressed(120, 40, "gsjgpgRgh");
    assert!(ticks(&idle).is_empty());
    idle.press("gj").expect("well-formed");
    assert_eq!(ticks(&idle), [1_000]);
    idle.send(UiEvent::Notice(Notice::Tick));
    assert_eq!(ticks(&idle), [1_000, 1_000]);
    idle.press("gh").expect("well-formed");
    let before = ticks(&idle).len();
    idle.send(UiEvent::Notice(Notice::Tick));
    assert_eq!(ticks(&idle).len(), before);
    // While a job lives, every screen looks four times a second.
    let mut alive = with_jobs("gs");
    alive.other_effects.clear();
    alive.send(UiEvent::Notice(Notice::Tick));
    assert_eq!(ticks(&alive), [250]);
    // Without a change, nothing is painted again.
    alive.app.take_dirty();
    alive.send(UiEvent::Notice(Notice::Tick));
    assert!(!alive.app.take_dirty());
}

#[test]
fn without_an_index_a_mine_can_be_started() {
    let nothing: Answering = |asked| {
        if asked.needs_index() {
            Err(QuestionFailure::NoIndex)
        } else {
            fixture::answer(asked)
        }
    };
    let mut stage = UiStage::new(start(80, 24, "dark", Depth::True), nothing);
    stage.press("gjAmine<cr>repos/<cr>").expect("well-formed");
    let is_started = |effect: &Effect| matches!(effect, Effect::Work(BackgroundTask::Start(_)));
    assert!(
        stage.other_effects.iter().any(is_started),
        "{}",
        shown(&stage)
    );
    check_shows("gjA", &["new job", "near duplicates"]);
}

/// The times in the fixture stand still; only so can a picture be kept.
#[test]
fn the_picture_of_jobs_shows_what_the_program_shows() {
    let start = start(120, 40, "dark", Depth::True);
    let theme = start.theme.clone();
    let mut stage = UiStage::new(start, jobs::with_jobs as Answering);
    stage.press("gjj").expect("well-formed");
    let svg = shot::svg(&stage.frame(), &theme);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../screenshots/jobs.svg");
    if std::env::var_os("UPDATE_SHOTS").is_some() {
        std::fs::write(&path, svg).expect("the picture can be written");
    } else {
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == svg,
            "`UPDATE_SHOTS=1 cargo test picture` draws it anew"
        );
    }
}
