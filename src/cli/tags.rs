//! The command `tags`: what predictions do differently, counted, and what each tag means.

use super::args;
use super::failure::Stop;
use super::inspect::percent;
use super::table::{Align, Table};
use super::{Context, workspace};
use crate::eval::evaluate::runs_named;
use crate::exchange::{WireTagCount, WireTags, write_line};
use crate::model::{RunRow, TAG_RULES, Tag};

pub fn run(context: &mut Context<'_, '_>, asked: &args::Tags) -> Result<(), Stop> {
    if asked.definitions {
        write!(context.streams.out, "{}", definitions())?;
        return Ok(());
    }
    let store = workspace::open(context)?;
    let runs = runs_named(&store, &asked.names)?;
    let mut counted: Vec<(RunRow, Vec<(Tag, u64)>)> = Vec::new();
    for run in runs {
        if store.is_tagged(run.id)? {
            let counts = store.tag_counts(run.id)?;
            counted.push((run, counts));
        } else {
            let name = &run.setting.name;
            context.say(&format!(
                "run `{name}` has no tags yet; `focalist eval` gives them"
            ));
        }
    }
    if asked.json {
        for (run, counts) in &counted {
            let counts = counts.iter().map(|(tag, n)| {
                let count = WireTagCount {
                    n: *n,
                    share: *n as f64 / run.n_scored as f64,
                };
                (tag.as_str(), count)
            });
            let line = WireTags {
                run: &run.setting.name,
                version: crate::eval::TAGS_VERSION,
                n: run.n_scored,
                tags: counts.collect(),
            };
            write_line(context.streams.out, &line)?;
        }
        return Ok(());
    }
    if !counted.is_empty() {
        table(&counted).write(context.streams.out)?;
    }
    Ok(())
}

/// Returns a row for every tag that some run has, and for each run a number and a share.
fn table(counted: &[(RunRow, Vec<(Tag, u64)>)]) -> Table {
    let mut columns = vec![("tag".to_owned(), Align::Left)];
    for (run, _) in counted {
        columns.push((run.setting.name.clone(), Align::Right));
        columns.push((format!("of {}", run.n_scored), Align::Right));
    }
    let mut table = Table::new(&columns);
    for tag in Tag::ALL {
        let numbers: Vec<u64> = counted
            .iter()
            .map(|(_, counts)| counts.iter().find(|it| it.0 == *tag).map_or(0, |it| it.1))
            .collect();
        if numbers.iter().all(|it| *it == 0) {
            continue;
        }
        let cells = numbers
            .iter()
            .zip(counted)
            .flat_map(|(n, (run, _))| [n.to_string(), percent(*n, run.n_scored)]);
        table.row(std::iter::once(tag.as_str().to_owned()).chain(cells));
    }
    table
}

/// Returns the rules and the definition of every tag, as Markdown.
fn definitions() -> String {
    let mut text = String::new();
    for rule in TAG_RULES {
        text.push_str(rule);
        text.push_str("\n\n");
    }
    for tag in Tag::ALL {
        text.push_str(&format!("- `{}`: {}\n", tag.as_str(), tag.definition()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_is_defined_on_one_line() {
        let text = definitions();
        for tag in Tag::ALL {
            let line = format!("- `{}`: {}\n", tag.as_str(), tag.definition());
            assert!(text.contains(&line));
        }
        assert_eq!(text.lines().count(), Tag::ALL.len() + 2 * TAG_RULES.len());
    }
}
