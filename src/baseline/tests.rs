//! Properties of a model and its training, tested with the smallest model.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use burn::backend::Flex;
use burn::module::AutodiffModule;

use crate::batch::{Batch, Layout, Rows};
use crate::checkpoint::{self, Folder};
use crate::cli::Cpu;
use crate::config::Config;
use crate::encode::Decoder;
use crate::encoded::{self, Line, Sample};
use crate::failure::Failure;
use crate::fixture;
use crate::grammar::{Proof, prove};
use crate::model::Transformer;
use crate::noise::Noise;
use crate::optimiser::{self, Adam, floats};
use crate::predict::{Options as Speaking, Speaker};
use crate::train::{self, End, Options, Report};
use crate::trained::{self, Trained};
use crate::vocabulary::Vocabulary;

mod prompts;

type Device = burn_flex::FlexDevice;

/// The back end has one source of random numbers for the whole program, so tests train one after another.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tiny() -> Config {
    Config::named("tiny").expect("it is a size")
}

fn samples(n: usize, vocabulary: &Vocabulary) -> Vec<Sample> {
    let lines = fixture::pairs(n).into_iter().enumerate();
    lines
        .map(|(idx, (source, target))| {
            let line = Line {
                sample: idx.to_string(),
                source,
                target,
            };
            encoded::sample(&line, vocabulary, None)
        })
        .collect()
}

/// Writes samples and a vocabulary into a folder, and returns the options to train with them.
fn options(folder: &Path, config: Config, n: usize) -> Options {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("there is room");
        path
    };
    let pairs = fixture::pairs(n);
    Options {
        train: write("train.jsonl", &fixture::encoded(&pairs)),
        validation: write("validation.jsonl", &fixture::encoded(&pairs[..n / 4])),
        vocabulary: write("vocabulary.json", fixture::vocabulary_file()),
        base: None,
        output: folder.join("model"),
        config,
        resume: true,
        time_max: None,
        steps_max: None,
        seed: 1,
        validation_max: 100,
        stop: Arc::default(),
    }
}

fn train(options: &Options) -> Result<Report, Failure> {
    train::train::<Cpu>(options, &Device::default(), &mut |_| {})
}

#[test]
fn a_training_that_is_stopped_leaves_a_checkpoint_to_go_on_from() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("there is room");
    let mut asked = options(folder.path(), tiny(), 16);
    asked.stop.store(true, Ordering::Relaxed);
    let stopped = train(&asked).expect("it ends well");
    assert_eq!((stopped.end, stopped.progress.step), (End::Asked, 0));
    let path = Folder::new(&asked.output).checkpoint();
    checkpoint::read(&path).expect("it is whole");
    asked.stop = Arc::default();
    asked.steps_max = Some(2);
    let gone_on = train(&asked).expect("it trains");
    assert_eq!((gone_on.end, gone_on.progress.step), (End::Steps, 2));
}

#[test]
fn gradients_reach_every_parameter_and_all_change_in_one_step() {
    let _alone = alone();
    let vocabulary = fixture::vocabulary();
    let device = Device::default();
    let samples = samples(8, &vocabulary);
    let rows: Vec<&Sample> = samples.iter().collect();
    let model = Transformer::<Cpu>::new(&tiny(), vocabulary.len(), &device);
    let batch = Batch::new(&rows, Layout::new(&vocabulary, None), &device);
    let gradients = optimiser::gradients(&model, &model.loss(&batch, &Noise::None).backward());
    assert!(gradients.iter().all(Option::is_some));
    let before = optimiser::numbers(&model);
    let after = Adam::default().step::<Cpu, _>(model, gradients, 1.0, 1e-3);
    for (before, after) in before.iter().zip(optimiser::numbers(&after)) {
        assert_ne!(*before, after);
    }
}

#[test]
fn gradients_are_what_differences_say() {
    let _alone = alone();
    let vocabulary = fixture::vocabulary();
    let device = Device::default();
    let samples = samples(4, &vocabulary);
    let rows: Vec<&Sample> = samples.iter().collect();
    let model = Transformer::<Cpu>::new(&tiny(), vocabulary.len(), &device);
    let batch = Batch::new(&rows, Layout::new(&vocabulary, None), &device);
    hold_gradients(&model, &batch);
}

/// Compares the gradients of all parameters with differences of the loss.
fn hold_gradients(model: &Transformer<Cpu>, batch: &Batch<Cpu>) {
    let gradients = optimiser::gradients(model, &model.loss(batch, &Noise::None).backward());
    let numbers = optimiser::numbers(model);
    let loss = |numbers: Vec<Vec<f32>>| {
        let model = optimiser::filled(model.clone(), numbers).expect("it is the same model");
        f64::from(optimiser::scalar(model.loss(batch, &Noise::None).inner()))
    };
    let whole = loss(numbers.clone());
    for (idx, gradient) in gradients.into_iter().enumerate() {
        let Some(gradient) = gradient.map(floats) else {
            continue;
        };
        // Along the gradient itself the loss rises by its length.
        let length = gradient
            .iter()
            .map(|value| f64::from(*value).powi(2))
            .sum::<f64>()
            .sqrt();
        // The loss is a sum in single precision: a step along a short gradient has to change it by many times the
        // rounding error.
        let rounding = f64::from(f32::EPSILON) * whole;
        let reach = f64::max(0.02, 150.0 * rounding / length);
        let moved = |sign: f64| {
            let mut numbers = numbers.clone();
            for (number, slope) in numbers[idx].iter_mut().zip(&gradient) {
                *number += (sign * reach * f64::from(*slope) / length) as f32;
            }
            loss(numbers)
        };
        let slope = (moved(1.0) - moved(-1.0)) / (2.0 * reach);
        assert!(
            (slope / length - 1.0).abs() < 0.05,
            "{idx}: {slope} {length} within {reach}"
        );
    }
}

#[test]
fn padding_changes_nothing() {
    let _alone = alone();
    let vocabulary = fixture::vocabulary();
    let device = Device::default();
    let mut samples = samples(6, &vocabulary);
    samples[0].source.truncate(9);
    samples[1].target.truncate(4);
    let model = Transformer::<Cpu>::new(&tiny(), vocabulary.len(), &device).valid();
    let loss = |rows: &[&Sample]| {
        let batch = Batch::<Flex>::new(rows, Layout::new(&vocabulary, None), &device);
        f64::from(optimiser::scalar(model.loss(&batch, &Noise::None)))
    };
    let rows: Vec<&Sample> = samples.iter().collect();
    let apart: f64 = rows.iter().map(|sample| loss(&[sample])).sum();
    assert!((loss(&rows) - apart).abs() < 1e-4 * apart);
}

#[test]
fn a_training_that_went_on_is_one_that_never_stopped() {
    let _alone = alone();
    let (whole, parts) = (
        tempfile::tempdir().expect("there is room"),
        tempfile::tempdir().expect("there is room"),
    );
    let config = Config {
        dropout: 0.2,
        batch_tokens: 256,
        validate_every: 4,
        ..tiny()
    };
    let steps = |folder: &Path, n| {
        let mut options = options(folder, config.clone(), 16);
        options.steps_max = Some(n);
        train(&options).expect("it trains")
    };
    steps(whole.path(), 12);
    for n in [3, 7, 12] {
        assert_eq!(steps(parts.path(), n).end, End::Steps);
    }
    let stored = |folder: &Path| {
        let path = Folder::new(&folder.join("model")).checkpoint();
        checkpoint::read(&path).expect("it is whole")
    };
    let (whole, parts) = (stored(whole.path()), stored(parts.path()));
    assert_eq!(whole.parameters, parts.parameters);
    assert_eq!(whole.means, parts.means);
    assert_eq!(whole.head.progress.best, parts.head.progress.best);
    assert_eq!(whole.head.progress.n_tokens, parts.head.progress.n_tokens);
}

#[test]
fn what_cannot_be_trained_with_is_said() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("there is room");
    let check = |options: &Options, code: u8, words: &str| {
        let failure = train(options).expect_err("it cannot work");
        assert_eq!(failure.code(), code, "{failure}");
        assert!(failure.to_string().contains(words), "{failure}");
    };
    let mut asked = options(folder.path(), tiny(), 16);
    asked.steps_max = Some(2);
    let taken = Folder::new(&asked.output).lock().expect("it is free");
    check(&asked, 75, "another training");
    drop(taken);
    assert_eq!(train(&asked).expect("it trains").end, End::Steps);
    asked.resume = false;
    check(&asked, 2, "--resume");
    asked.resume = true;
    asked.seed = 2;
    check(&asked, 3, "other seed");
    asked.seed = 1;
    let path = Folder::new(&asked.output).checkpoint();
    let bytes = fs::read(&path).expect("it is there");
    fs::write(&path, &bytes[..bytes.len() / 2]).expect("there is room");
    check(&asked, 3, "cut off");
    fs::write(&path, bytes).expect("there is room");
    fs::write(&asked.train, "").expect("there is room");
    check(&asked, 1, "no samples");
    fs::write(&asked.train, "nonsense\n").expect("there is room");
    check(&asked, 1, "no samples");
    // A model and a vocabulary that do not belong together.
    let file = fixture::vocabulary_file().replace("-1000.0", "-1001.0");
    fs::write(Folder::new(&asked.output).vocabulary(), file).expect("there is room");
    let failure = trained::open::<Flex>(&asked.output, &Device::default());
    let failure = failure.expect_err("they do not fit").to_string();
    assert!(failure.contains("another vocabulary"), "{failure}");
}

#[test]
fn samples_that_are_too_long_are_counted() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("there is room");
    let mut asked = options(folder.path(), tiny(), 16);
    asked.steps_max = Some(1);
    let long = fixture::pairs(1).remove(0);
    let long = (vec![long.0; 100].concat(), long.1);
    let mut pairs = fixture::pairs(16);
    pairs.push(long);
    fs::write(&asked.train, fixture::encoded(&pairs)).expect("there is room");
    let report = train(&asked).expect("it trains");
    assert_eq!((report.n_too_long, report.n_train), (1, 16));
}

#[test]
fn a_loss_that_is_no_number_ends_at_the_last_checkpoint() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("there is room");
    let mut asked = options(folder.path(), tiny(), 16);
    asked.steps_max = Some(1);
    train(&asked).expect("it trains");
    let path = Folder::new(&asked.output).checkpoint();
    let mut stored = checkpoint::read(&path).expect("it is whole");
    stored.parameters[0][0] = f32::NAN;
    stored.parameters[0].fill(f32::NAN);
    checkpoint::write(&path, &stored.head, &[&stored.parameters, &stored.means])
        .expect("there is room");
    asked.steps_max = Some(4);
    let failure = train(&asked).expect_err("it is no number");
    assert_eq!(failure.code(), 1);
    assert!(failure.to_string().contains("stopped"), "{failure}");
    let log = fs::read_to_string(Folder::new(&asked.output).log()).expect("it is there");
    assert!(log.contains("not_finite"));
}

fn speaking(beam: usize, is_held: bool) -> Speaking {
    Speaking {
        beam,
        is_held,
        target_max: 40,
        source_max: 256,
    }
}

#[test]
fn a_model_that_knows_nothing_says_only_code_when_held() {
    let _alone = alone();
    let vocabulary = fixture::vocabulary();
    let device = Device::default();
    let model = Transformer::<Flex>::new(&tiny(), vocabulary.len(), &device);
    let speaker = Speaker::new(&model, &vocabulary, &device);
    let samples = samples(12, &vocabulary);
    let asked: Vec<&Sample> = samples.iter().collect();
    let mut decoder = Decoder::new();
    for beam in [1, 3] {
        for answer in speaker.answer(&asked, &speaking(beam, true)) {
            let tokens = vocabulary.join(&answer.ids);
            assert_eq!(
                prove(&mut decoder, &vocabulary, &answer.ids),
                Proof::Code,
                "{tokens:?}"
            );
        }
    }
}

#[test]
fn a_model_that_has_learned_a_little_says_only_code_when_held() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("there is room");
    let mut decoder = Decoder::new();
    let mut n_whole = 0;
    for n_steps in [8, 40, 80] {
        let mut asked = options(folder.path(), tiny(), 32);
        asked.config.validate_every = 8;
        asked.steps_max = Some(n_steps);
        train(&asked).expect("it trains");
        let device = Device::default();
        let trained = trained::open::<Flex>(&asked.output, &device).expect("it is whole");
        let vocabulary = &trained.vocabulary;
        let speaker = Speaker::new(&trained.model, vocabulary, &device);
        let samples = samples(32, vocabulary);
        let asked: Vec<&Sample> = samples.iter().collect();
        for beam in [1, 3] {
            let answers = speaker.answer(&asked, &speaking(beam, true));
            for (sample, answer) in samples.iter().zip(answers) {
                let tokens = vocabulary.join(&answer.ids);
                let proof = prove(&mut decoder, vocabulary, &answer.ids);
                assert_eq!(proof, Proof::Code, "{tokens:?}");
                if !answer.is_whole {
                    continue;
                }
                n_whole += 1;
                // Whether generated at once or in several attempts, its probability is the model's probability of the
                // whole answer.
                let mut sample = sample.clone();
                sample.target = answer.ids;
                sample.target.push(vocabulary.end());
                let batch = Batch::<Flex>::new(&[&sample], Layout::new(vocabulary, None), &device);
                let loss = f64::from(optimiser::scalar(trained.model.loss(&batch, &Noise::None)));
                let difference = (loss + answer.log_probability).abs();
                assert!(difference < 1e-3 * loss.max(1.0), "{difference} {loss}");
            }
        }
    }
    // Not every answer was completed by removing statements.
    assert!(n_whole > 0);
}

#[test]
fn what_is_said_together_is_said_alone_and_after_saving() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("there is room");
    let mut asked = options(folder.path(), tiny(), 32);
    asked.steps_max = Some(30);
    train(&asked).expect("it trains");
    let device = Device::default();
    let trained = trained::open::<Flex>(&asked.output, &device).expect("it is whole");
    let again = trained::open::<Flex>(&asked.output, &device).expect("it is whole");
    assert_eq!(
        optimiser::numbers(&trained.model),
        optimiser::numbers(&again.model)
    );
    let samples = samples(8, &trained.vocabulary);
    let asked: Vec<&Sample> = samples.iter().collect();
    said_alone(&trained, &asked);
}

/// Compares answers generated in a batch with those generated alone, and with a simple greedy search.
fn said_alone(trained: &Trained<Flex>, samples: &[&Sample]) {
    let speaker = Speaker::new(&trained.model, &trained.vocabulary, &Device::default());
    let together = speaker.answer(samples, &speaking(1, false));
    for (sample, answer) in samples.iter().zip(together) {
        let alone = speaker.answer(&[sample], &speaking(1, false)).remove(0);
        assert_eq!(alone.ids, answer.ids);
        assert_eq!(
            greedy(&trained.model, &trained.vocabulary, sample),
            answer.ids
        );
    }
}

/// Generates the likeliest piece, one after another, and recomputes everything for each.
fn greedy(model: &Transformer<Flex>, vocabulary: &Vocabulary, sample: &Sample) -> Vec<u32> {
    let device = Device::default();
    let layout = Layout::new(vocabulary, model.prompt());
    let rows = |row: &[u32]| Rows::new(&[row], layout.padding, &device);
    let mut ids: Vec<u32> = Vec::new();
    while ids.len() < 40 {
        let contexts = layout.contexts(&[&sample.context], &device);
        let memory = model.read(&rows(&sample.source), contexts.as_ref(), &Noise::None);
        let mut given = vec![vocabulary.begin()];
        given.extend(&ids);
        let mut said = model.silent(&memory);
        let states = model.say(rows(&given).ids, &memory, &mut said, &Noise::None);
        let [_, len, width] = states.dims();
        let logits = floats(model.logits(states.narrow(1, len - 1, 1).reshape([1, width])));
        let best = (0..logits.len() as u32)
            .filter(|id| ![vocabulary.padding(), vocabulary.begin()].contains(id))
            .max_by(|a, b| logits[*a as usize].total_cmp(&logits[*b as usize]))
            .expect("there are pieces");
        if best == vocabulary.end() {
            break;
        }
        ids.push(best);
    }
    ids
}

/// Trains until samples are memorised: slow, see `docs/baseline.md`.
#[test]
fn sixty_four_samples_are_learned_by_heart() {
    if std::env::var_os("FOCALIST_SLOW").is_none() {
        return;
    }
    let _alone = alone();
    let folder = tempfile::tempdir().expect("there is room");
    let mut asked = options(folder.path(), tiny(), 64);
    asked.config.validate_every = 10_000;
    asked.steps_max = Some(500);
    train(&asked).expect("it trains");
    let device = Device::default();
    let trained = trained::open::<Flex>(&asked.output, &device).expect("it is whole");
    let speaker = Speaker::new(&trained.model, &trained.vocabulary, &device);
    let samples = samples(64, &trained.vocabulary);
    let asked: Vec<&Sample> = samples.iter().collect();
    let answers = speaker.answer(&asked, &speaking(1, false));
    let n_exact = samples
        .iter()
        .zip(&answers)
        .filter(|(sample, answer)| {
            answer.is_whole && sample.target.split_last().map(|pair| pair.1) == Some(&answer.ids)
        })
        .count();
    assert_eq!(n_exact, 64);
}

#[test]
fn a_served_model_answers_prompts_with_code() {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    let _alone = alone();
    let folder = tempfile::tempdir().expect("there is room");
    let mut asked = options(folder.path(), tiny(), 16);
    asked.steps_max = Some(2);
    train(&asked).expect("it trains");
    let device = Device::default();
    let trained = trained::open::<Flex>(&asked.output, &device).expect("it is whole");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let place = listener.local_addr().expect("it is bound");
    let source = fixture::pairs(1).remove(0).0.join(" ");
    let question = serde_json::json!({"model": "tiny", "prompt": [source, ""], "max_tokens": 30});
    let ask = |method: &str, path: &str, body: &str| {
        let mut stream = TcpStream::connect(place).expect("somebody listens");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("somebody reads");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .expect("somebody answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("it is HTTP");
        let status: u16 = head[9..12].parse().expect("it is a status");
        let body: serde_json::Value = serde_json::from_str(body).expect("it is JSON");
        (status, body)
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let options = speaking(1, true);
            crate::serve::serve(&listener, ("tiny", &trained), &options, &device, Some(5))
                .expect("it listens");
        });
        let (status, models) = ask("GET", "/v1/models", "");
        assert_eq!((status, &models["data"][0]["id"]), (200, &"tiny".into()));
        let (status, answer) = ask("POST", "/v1/completions", &question.to_string());
        assert_eq!(status, 200, "{answer}");
        let choices = answer["choices"].as_array().expect("it is a list");
        assert_eq!(choices.len(), 2);
        for choice in choices {
            let text = choice["text"].as_str().expect("it is a text");
            // An answer that is not code would be printed as its tokens.
            assert!(!text.contains("<["), "{text}");
        }
        assert_eq!(ask("POST", "/v1/completions", "nonsense").0, 400);
        assert_eq!(ask("DELETE", "/v1/models", "").0, 405);
        assert_eq!(ask("GET", "/", "").0, 404);
    });
}
