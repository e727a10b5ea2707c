//! Where the time of `execute` went, as it is printed.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use crate::exchange::outcomes::WireStepTime;
use crate::model::number;
use crate::table::{NumberStyle, TextTable, visible};
use crate::task::{EngineStep, EngineTimes, StepTime};

/// The row under the others.
const TOTAL: &str = "total";

/// Writes a table for each engine.
pub fn write(out: &mut dyn Write, engines: &[EngineTimes]) -> std::io::Result<()> {
    let numbers = NumberStyle::People;
    let seconds = |time: Duration| number(time.as_secs_f64(), 2);
    for engine in engines {
        writeln!(out, "\ntime, engine {}", engine.engine)?;
        let mut table = TextTable::of(&[""], &["wall (s)", "CPU (s)", "share (%)", "times"]);
        let none = || numbers.none().to_owned();
        for step in &engine.steps {
            let share = step.wall.as_secs_f64() / engine.total.as_secs_f64();
            table.row([
                step.step.as_str().to_owned(),
                seconds(step.wall),
                step.cpu.map_or_else(none, seconds),
                numbers.share(Some(share).filter(|value| value.is_finite())),
                n_of(step).map_or_else(none, |n| n.to_string()),
            ]);
        }
        let whole = numbers.share(Some(1.0));
        table.row([
            TOTAL.to_owned(),
            seconds(engine.total),
            none(),
            whole,
            none(),
        ]);
        table.write(out)?;
        write_apart(out, &engine.apart)?;
    }
    Ok(())
}

fn write_apart(out: &mut dyn Write, apart: &[(String, u64)]) -> std::io::Result<()> {
    if apart.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "mutants that a run imported, because none could be put in place:"
    )?;
    let mut table = TextTable::of(&["why"], &["times"]);
    for (why, n) in apart {
        table.row([visible(why), n.to_string()]);
    }
    table.write(out)
}

/// Counts the runs that could not be made in place, by the reason.
pub fn wire_apart(engines: &[EngineTimes]) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for (why, n) in engines.iter().flat_map(|engine| &engine.apart) {
        *found.entry(why.clone()).or_default() += n;
    }
    found
}

/// Counts how often a step was done; nothing for [`EngineStep::Other`].
fn n_of(time: &StepTime) -> Option<u64> {
    (time.step != EngineStep::Other).then_some(time.n)
}

pub fn wire(engines: &[EngineTimes]) -> Vec<WireStepTime> {
    let mut rows = Vec::new();
    for engine in engines {
        let row = |step, wall: Duration, cpu: Option<Duration>, n| WireStepTime {
            engine: engine.engine,
            step,
            wall_s: wall.as_secs_f64(),
            cpu_s: cpu.map(|duration| duration.as_secs_f64()),
            n,
        };
        let steps = engine.steps.iter();
        rows.extend(steps.map(|step| row(step.step.as_str(), step.wall, step.cpu, step.n)));
        rows.push(row(TOTAL, engine.total, None, 0));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times() -> EngineTimes {
        let step = |step, ms, cpu, n| StepTime {
            step,
            wall: Duration::from_millis(ms),
            cpu,
            n,
        };
        EngineTimes {
            engine: "fast",
            total: Duration::from_secs(8),
            steps: vec![
                step(
                    EngineStep::Compile,
                    2_000,
                    Some(Duration::from_millis(3_250)),
                    3,
                ),
                step(EngineStep::Test, 5_000, None, 1_234),
                step(EngineStep::Other, 1_000, None, 0),
            ],
            apart: vec![("it starts processes".into(), 12)],
        }
    }

    #[test]
    fn a_table_tells_shares_that_come_to_the_whole() {
        let mut out = Vec::new();
        write(&mut out, &[times()]).expect("memory takes it");
        let text = String::from_utf8(out).expect("it is text");
        let expected = "
time, engine fast
         wall (s)  CPU (s)  share (%)  times
compile      2.00     3.25      25.00      3
test         5.00        –      62.50  1,234
other        1.00        –      12.50      –
total        8.00        –     100.00      –
mutants that a run imported, because none could be put in place:
why                  times
it starts processes     12
";
        assert_eq!(text, expected);
    }

    #[test]
    fn rows_for_programs_end_with_the_total_that_the_others_come_to() {
        let rows = wire(&[times()]);
        let steps: Vec<&str> = rows.iter().map(|row| row.step).collect();
        assert_eq!(steps, ["compile", "test", "other", "total"]);
        let sum: f64 = rows[..3].iter().map(|row| row.wall_s).sum();
        assert!((sum - rows[3].wall_s).abs() < 1e-9);
        assert_eq!((rows[0].cpu_s, rows[1].cpu_s), (Some(3.25), None));
    }
}
