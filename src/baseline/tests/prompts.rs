//! Properties of prompts.

use std::fs;
use std::path::Path;

use burn::backend::Flex;
use burn::module::AutodiffModule;
use clap::ValueEnum;

use super::{Device, alone, hold_gradients, options, said_alone, speaking, tiny, train};
use crate::batch::{Batch, Layout};
use crate::checkpoint::{self, Folder};
use crate::cli::Cpu;
use crate::config::Config;
use crate::encoded::{self, Sample};
use crate::fixture;
use crate::model::Transformer;
use crate::noise::Noise;
use crate::optimiser::{self, Adam};
use crate::predict::Speaker;
use crate::prompt::{Kind, Prompt};
use crate::train::{End, Options};
use crate::trained;

fn config(kind: Kind) -> Config {
    Config {
        prompt: Some(Prompt { kind, length: 3 }),
        ..tiny()
    }
}

/// Builds samples that also have their focal methods as context; the first has none.
fn samples(n: usize, kind: Kind) -> Vec<Sample> {
    let vocabulary = fixture::vocabulary();
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("samples.jsonl");
    fs::write(&path, fixture::encoded(&fixture::pairs_with_context(n))).expect("there is room");
    let read = encoded::read(&path, &vocabulary, config(kind).prompt).expect("it is there");
    read.samples
}

/// Trains a model without context, and returns the options to tune it.
fn tuning(folder: &Path, kind: Kind) -> Options {
    let mut base = options(folder, tiny(), 16);
    base.steps_max = Some(4);
    train(&base).expect("it trains");
    let pairs = fixture::pairs_with_context(16);
    fs::write(&base.train, fixture::encoded(&pairs)).expect("there is room");
    fs::write(&base.validation, fixture::encoded(&pairs[..4])).expect("there is room");
    Options {
        base: Some(base.output.clone()),
        output: folder.join("tuned"),
        config: Config {
            batch_tokens: 256,
            validate_every: 4,
            ..config(kind)
        },
        ..base
    }
}

#[test]
fn only_the_prompt_learns_and_all_of_it() {
    let _alone = alone();
    let vocabulary = fixture::vocabulary();
    let device = Device::default();
    for kind in Kind::value_variants() {
        let config = config(*kind);
        let samples = samples(6, *kind);
        let rows: Vec<&Sample> = samples.iter().collect();
        let model = Transformer::<Cpu>::new(&config, vocabulary.len(), &device);
        let n_own = optimiser::numbers(&Transformer::<Flex>::new(
            &tiny(),
            vocabulary.len(),
            &device,
        ))
        .len();
        let batch = Batch::new(&rows, Layout::new(&vocabulary, config.prompt), &device);
        let gradients = optimiser::gradients(&model, &model.loss(&batch, &Noise::None).backward());
        let before = optimiser::numbers(&model);
        assert!(before.len() > n_own, "{kind:?}");
        let after = Adam::default().step::<Cpu, _>(model, gradients, 1.0, 1e-3);
        for (idx, (before, after)) in before.iter().zip(optimiser::numbers(&after)).enumerate() {
            assert_eq!(*before == after, idx < n_own, "{kind:?} {idx}");
        }
    }
}

#[test]
fn gradients_of_prompts_are_what_differences_say() {
    let _alone = alone();
    let vocabulary = fixture::vocabulary();
    let device = Device::default();
    for kind in Kind::value_variants() {
        let config = config(*kind);
        let samples = samples(3, *kind);
        let rows: Vec<&Sample> = samples.iter().collect();
        let model = Transformer::<Cpu>::new(&config, vocabulary.len(), &device);
        let batch = Batch::new(&rows, Layout::new(&vocabulary, config.prompt), &device);
        hold_gradients(&model, &batch);
    }
}

#[test]
fn padding_of_sources_and_contexts_changes_nothing() {
    let _alone = alone();
    let vocabulary = fixture::vocabulary();
    let device = Device::default();
    for kind in Kind::value_variants() {
        let config = config(*kind);
        let mut samples = samples(5, *kind);
        samples[1].source.truncate(7);
        samples[2].context.truncate(4);
        let model = Transformer::<Cpu>::new(&config, vocabulary.len(), &device).valid();
        let loss = |rows: &[&Sample]| {
            let layout = Layout::new(&vocabulary, config.prompt);
            let batch = Batch::<Flex>::new(rows, layout, &device);
            f64::from(optimiser::scalar(model.loss(&batch, &Noise::None)))
        };
        let rows: Vec<&Sample> = samples.iter().collect();
        let apart: f64 = rows.iter().map(|sample| loss(&[sample])).sum();
        assert!((loss(&rows) - apart).abs() < 1e-4 * apart, "{kind:?}");
    }
}

#[test]
fn a_context_changes_what_is_said_and_nothing_else_reads_it() {
    let _alone = alone();
    let vocabulary = fixture::vocabulary();
    let device = Device::default();
    for kind in Kind::value_variants() {
        let config = config(*kind);
        let model = Transformer::<Flex>::new(&config, vocabulary.len(), &device);
        let mut sample = samples(2, *kind).remove(1);
        assert_eq!(sample.context.is_empty(), !kind.reads_context());
        let loss = |sample: &Sample| {
            let batch =
                Batch::<Flex>::new(&[sample], Layout::new(&vocabulary, config.prompt), &device);
            optimiser::scalar(model.loss(&batch, &Noise::None))
        };
        let before = loss(&sample);
        sample.context = vec![vocabulary.end(); 40];
        assert_eq!(
            before.to_bits() == loss(&sample).to_bits(),
            !kind.reads_context(),
            "{kind:?}"
        );
    }
}

#[test]
fn a_tuning_that_went_on_is_one_that_never_stopped_and_keeps_the_model() {
    let _alone = alone();
    for kind in [Kind::Prefix, Kind::LstmC] {
        let (whole, parts) = (
            tempfile::tempdir().expect("there is room"),
            tempfile::tempdir().expect("there is room"),
        );
        let steps = |folder: &Path, all: &[u64]| {
            let mut options = tuning(folder, kind);
            for n in all {
                options.steps_max = Some(*n);
                assert_eq!(train(&options).expect("it trains").end, End::Steps);
            }
            let path = Folder::new(&options.output).checkpoint();
            checkpoint::read(&path).expect("it is whole")
        };
        let once = steps(whole.path(), &[8]);
        let again = steps(parts.path(), &[3, 8]);
        assert_eq!(once.parameters, again.parameters);
        assert_eq!(once.means, again.means);
        assert_eq!(once.head.progress.best, again.head.progress.best);
        let base = Folder::new(&whole.path().join("model")).model();
        let base = checkpoint::read(&base).expect("it is whole").parameters;
        assert_eq!(base[..], once.parameters[..base.len()]);
    }
}

#[test]
fn a_tuned_model_says_together_what_it_says_alone_and_only_code_when_held() {
    let _alone = alone();
    for kind in Kind::value_variants() {
        let folder = tempfile::tempdir().expect("there is room");
        let mut asked = tuning(folder.path(), *kind);
        asked.steps_max = Some(8);
        train(&asked).expect("it trains");
        let device = Device::default();
        let trained = trained::open::<Flex>(&asked.output, &device).expect("it is whole");
        let samples = samples(4, *kind);
        let rows: Vec<&Sample> = samples.iter().collect();
        said_alone(&trained, &rows);
        let speaker = Speaker::new(&trained.model, &trained.vocabulary, &device);
        for beam in [1, 3] {
            let answers = speaker.answer(&rows, &speaking(beam, true));
            assert!(
                answers
                    .iter()
                    .all(|answer| answer.log_probability.is_finite()),
                "{kind:?}"
            );
        }
    }
}

#[test]
fn the_loss_falls_though_the_model_stays() {
    let _alone = alone();
    for kind in [Kind::Prefix, Kind::Sum, Kind::BertC] {
        let folder = tempfile::tempdir().expect("there is room");
        let mut asked = tuning(folder.path(), kind);
        asked.config.learning_rate = 0.02;
        asked.config.warm_up = 4;
        asked.config.validate_every = 1;
        asked.steps_max = Some(1);
        let first = train(&asked).expect("it trains").progress.best;
        asked.config.validate_every = 20;
        asked.steps_max = Some(40);
        let last = train(&asked).expect("it trains").progress.best;
        let fall = first.expect("it was validated") - last.expect("it was validated");
        assert!(fall > 0.1, "{kind:?} {first:?} {last:?}");
    }
}

#[test]
fn what_cannot_be_tuned_is_said() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("there is room");
    let mut asked = tuning(folder.path(), Kind::Prefix);
    asked.steps_max = Some(1);
    train(&asked).expect("it trains");
    let tune = |model: &Path, output: &str| {
        let mut said = Vec::new();
        let path = |path: &Path| path.as_os_str().to_owned();
        let words = [
            "focalist-baseline".into(),
            "tune".into(),
            path(model),
            "--train".into(),
            path(&asked.train),
            "--validation".into(),
            path(&asked.validation),
            "--prompt".into(),
            "sum-c".into(),
            "--steps".into(),
            "1".into(),
            "--output".into(),
            path(&folder.path().join(output)),
        ];
        let code = crate::cli::run(words, &mut Vec::new(), &mut said);
        (code, String::from_utf8(said).expect("it is text"))
    };
    let (code, said) = tune(&asked.output, "again");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("it has a prompt already"), "{said}");
    let (code, said) = tune(&folder.path().join("nothing"), "of-nothing");
    assert_eq!(code, 3, "{said}");
    let (code, said) = tune(&folder.path().join("model"), "third");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("of them learned"), "{said}");
}
