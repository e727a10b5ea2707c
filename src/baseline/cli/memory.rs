//! The command `memory`: how much a step of training takes by the length of its sources (`Tests4J`, Figure 4.1).

use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use burn::tensor::backend::AutodiffBackend;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::{Settings, tell};
use crate::batch::{Batch, Layout};
use crate::encoded::Sample;
use crate::failure::{Failure, Result};
use crate::model::Transformer;
use crate::noise::Noise;
use crate::optimiser::{self, Adam};

/// Measure the memory that a step of training takes, by the length of the sources
#[derive(Debug, Args)]
pub struct Memory {
    #[command(flatten)]
    settings: Settings,
    /// Numbers of a source; each length is measured by a process of its own
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "128,256,512,768,1024,1536,2048",
        value_parser = clap::value_parser!(u32).range(1..=65_536)
    )]
    lengths: Vec<u32>,
    /// Samples in a batch; the paper's figure has 4
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    batch: u16,
    /// Entries of the vocabulary
    #[arg(long, default_value_t = 16_000, value_parser = clap::value_parser!(u32).range(16..=1_000_000))]
    vocabulary_size: u32,
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Csv,
    Json,
}

/// The memory that one length takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Peak {
    length: u32,
    target: usize,
    batch: u16,
    /// The most memory that the process had resident at any time.
    bytes: u64,
}

/// Measures all lengths, and writes a row for each.
pub fn run<B: AutodiffBackend>(
    asked: &Memory,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<()> {
    if peak_of_process().is_none() {
        let message = "`memory` reads the peak of a process from `/proc`, which is not here";
        return Err(Failure::Nothing(message.to_owned()));
    }
    let mut peaks = Vec::new();
    match asked.lengths[..] {
        [length] => peaks.push(measured::<B>(asked, length)?),
        _ => {
            for (idx, length) in asked.lengths.iter().enumerate() {
                tell(
                    err,
                    &format!("{} of {}: {length}", idx + 1, asked.lengths.len()),
                );
                peaks.push(apart(asked, *length)?);
            }
        }
    }
    let text = rows(&peaks, asked.format);
    out.write_all(text.as_bytes())
        .map_err(Failure::output(Path::new("-")))
}

/// Takes a step on a batch of samples of this length, and returns the peak of the process until then.
fn measured<B: AutodiffBackend>(asked: &Memory, length: u32) -> Result<Peak> {
    let config = asked.settings.config()?;
    let device = B::Device::default();
    // Memory depends on shapes alone, so any number is as good as any other.
    let sample = Sample {
        key: String::new(),
        source: vec![1; length as usize],
        context: Vec::new(),
        target: vec![1; config.target_max],
    };
    let samples = vec![&sample; usize::from(asked.batch)];
    let layout = Layout {
        padding: 0,
        begin: 1,
        prompt: None,
    };
    let model = Transformer::<B>::new(&config, asked.vocabulary_size as usize, &device);
    let batch = Batch::<B>::new(&samples, layout, &device);
    let noise = Noise::new::<B>(&device, config.dropout, 0);
    let loss = model.loss(&batch, &noise);
    let gradients = optimiser::gradients(&model, &loss.backward());
    let model = Adam::default().step::<B, _>(model, gradients, 1.0, config.rate(1));
    let bytes = peak_of_process().unwrap_or_default();
    drop(model);
    Ok(Peak {
        length,
        target: config.target_max,
        batch: asked.batch,
        bytes,
    })
}

/// Lets a process of its own measure one length: the peak of a process never falls, and it keeps the memory that a step
/// freed.
fn apart(asked: &Memory, length: u32) -> Result<Peak> {
    let changes = &asked.settings.changes;
    let config = asked.settings.config()?;
    let program = env::current_exe()
        .map_err(|error| Failure::Nothing(format!("this program is not found: {error}")))?;
    let output = Command::new(program)
        .args(["memory", "--format", "json"])
        .args(["--config", &asked.settings.config])
        .args(["--lengths", &length.to_string()])
        .args(["--batch", &asked.batch.to_string()])
        .args(["--vocabulary-size", &asked.vocabulary_size.to_string()])
        .args(["--target-max", &config.target_max.to_string()])
        .args(["--dropout", &config.dropout.to_string()])
        .args(["--seed", &changes.seed.to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure::Nothing(format!("length {length} was not measured: {error}")))?;
    let found = output.status.success().then_some(&output.stdout[..]);
    let found = found.and_then(|bytes| serde_json::from_slice(bytes).ok());
    found.ok_or_else(|| {
        Failure::Nothing(format!(
            "length {length} was not measured: {}; shorter ones fit (`--lengths`)",
            output.status
        ))
    })
}

/// Returns the most bytes that this process ever had resident, where the system tells.
fn peak_of_process() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    peak_in(&status)
}

fn peak_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let n_kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(n_kib * 1024)
}

fn rows(peaks: &[Peak], format: Format) -> String {
    let head = match format {
        Format::Table => "length  target  batch  memory (MiB)",
        Format::Csv => "length,target,batch,bytes",
        Format::Json => "",
    };
    let mut lines: Vec<String> = Vec::new();
    lines.extend((!head.is_empty()).then(|| head.to_owned()));
    lines.extend(peaks.iter().map(|peak| row(peak, format)));
    lines.push(String::new());
    lines.join("\n")
}

fn row(peak: &Peak, format: Format) -> String {
    let Peak {
        length,
        target,
        batch,
        bytes,
    } = peak;
    match format {
        Format::Table => {
            let n_mib = *bytes as f64 / f64::from(1 << 20);
            format!("{length:>6}  {target:>6}  {batch:>5}  {n_mib:>12.0}")
        }
        Format::Csv => format!("{length},{target},{batch},{bytes}"),
        Format::Json => serde_json::json!(peak).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, Peak, peak_in, rows};

    #[test]
    fn the_peak_is_read_in_bytes() {
        let status = "Name:\tx\nVmPeak:\t  9000 kB\nVmHWM:\t    1532 kB\nVmRSS:\t 12 kB\n";
        assert_eq!(peak_in(status), Some(1532 * 1024));
        assert_eq!(peak_in("VmRSS:\t 12 kB\n"), None);
    }

    #[test]
    fn every_format_has_the_same_rows() {
        let peak = |length, mib: u64| Peak {
            length,
            target: 192,
            batch: 4,
            bytes: mib << 20,
        };
        let peaks = [peak(128, 300), peak(2048, 4096)];
        assert_eq!(
            rows(&peaks, Format::Table),
            "length  target  batch  memory (MiB)\n   128     192      4           300\n  2048     192      4          4096\n"
        );
        assert_eq!(
            rows(&peaks, Format::Csv),
            "length,target,batch,bytes\n128,192,4,314572800\n2048,192,4,4294967296\n"
        );
        let lines = rows(&peaks, Format::Json);
        let read: Vec<Peak> = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("it is a peak"))
            .collect();
        assert_eq!(read, peaks);
    }
}
