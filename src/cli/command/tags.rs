//! The commands `tags` and `tag`: what predictions do differently, counted; what each tag means; and what people say in
//! the machine's place.

use crate::Context;
use crate::args::{self, TableName};
use crate::command::inspect;
use crate::command::judgement_words::tag_words;
use crate::command::review as people;
use crate::command::workspace;
use crate::eval::evaluate::runs_named;
use crate::eval::results::{self, ResultsOptions};
use crate::exchange::{
    WireCorrected, WireTagAccord, WireTagAgreement, WireTagCount, WireTags, write_line, write_lines,
};
use crate::failure::{ExitCode, Failure, Stop};
use crate::job;
use crate::model::{RunRow, TAG_RULES, Tag, Tags, grouped, number};
use crate::print::PrintSection;
use crate::review::{self, Share, TagAgreement, VerdictAuthor};
use crate::store::{Store, StoreAccess};
use crate::table::{Align, TextTable, percent, visible};

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Tags) -> Result<(), Stop> {
    if arguments.definitions {
        write!(context.streams.out, "{}", definitions())?;
        return Ok(());
    }
    let store = workspace::open(context)?;
    let runs = runs_named(&store, &arguments.names)?;
    if arguments.agreement {
        return agreement(context, &store, &runs, arguments.json);
    }
    let mut counted: Vec<RunTagCounts> = Vec::new();
    for run in runs {
        if store.is_tagged(run.id)? {
            let counts = store.tag_counts(run.id)?;
            counted.push((run, counts));
        } else {
            let name = &run.setting.name;
            context.say(&format!(
                "run `{name}` has no tags yet; `focalist eval` assigns them"
            ));
        }
    }
    Ok(context.print(
        TableName::of(arguments.json),
        |out| write_lines(out, counted.iter().map(wire_counted)),
        |_| (!counted.is_empty()).then(|| table(&counted)),
    )?)
}

/// A run with how many of its answers have each tag.
type RunTagCounts = (RunRow, Vec<(Tag, u64)>);

fn wire_counted((run, counts): &RunTagCounts) -> WireTags<'_> {
    let counts = counts.iter().map(|(tag, n)| {
        let count = WireTagCount {
            n: *n,
            share: *n as f64 / run.n_scored as f64,
        };
        (tag.as_str(), count)
    });
    WireTags {
        run: &run.setting.name,
        version: crate::eval::TAGS_VERSION,
        n: run.n_scored,
        tags: counts.collect(),
    }
}

/// Builds a row for every tag that some run has, with a number and a share for each run.
fn table(counted: &[RunTagCounts]) -> TextTable {
    let heads = counted.iter().flat_map(|(run, _)| {
        let of = format!("of {}", grouped(run.n_scored));
        [run.setting.name.clone(), of]
    });
    let mut table = TextTable::of(&["tag"], &heads.collect::<Vec<_>>());
    for tag in Tag::ALL {
        let numbers: Vec<u64> = counted
            .iter()
            .map(|(_, counts)| {
                counts
                    .iter()
                    .find(|count| count.0 == *tag)
                    .map_or(0, |count| count.1)
            })
            .collect();
        if numbers.iter().all(|number| *number == 0) {
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

/// The seed of the bootstrap samples: any fixed number gives the same interval on every call.
const SEED: u64 = 7;
/// Bootstrap samples of an interval, as many as elsewhere in the tables.
const N_RESAMPLES: u64 = 1_000;

fn agreement(
    context: &mut Context<'_, '_>,
    store: &Store,
    runs: &[RunRow],
    is_json: bool,
) -> Result<(), Stop> {
    let verdicts = people::open(context, StoreAccess::Read)?;
    let agreed = review::tag_agreement(store, &verdicts, runs, SEED, N_RESAMPLES)?;
    context.print(
        TableName::of(is_json),
        |out| write_line(out, &wire(&agreed)),
        |_| sections(&agreed),
    )?;
    if is_json {
        return Ok(());
    }
    if agreed.n_stale > 0 {
        let n_stale = agreed.n_stale;
        context.say(&format!(
            "{n_stale} left out: the prediction or its reference has changed since"
        ));
    }
    if agreed.n == 0 {
        context.say("no tags have been given yet: `focalist tag RUN KEY TAG…`, or `t` on Results");
    }
    Ok(())
}

/// Tabulates the accord on each tag, on all of them, and the changes by people to the numbers of each run.
fn sections(agreed: &TagAgreement) -> Vec<PrintSection> {
    if agreed.n == 0 {
        return Vec::new();
    }
    let (precision, recall) = agreed.micro();
    let all = [
        format!("rulings         {}", agreed.n),
        format!("same tags       {}", share_words(agreed.exact)),
        format!("precision       {}", share_words(precision)),
        format!("recall          {}", share_words(recall)),
    ];
    let mut sections = vec![accords(agreed).into(), PrintSection::words(all.join("\n"))];
    sections.extend(agreed.corrected.iter().map(|corrected_shares| {
        let lines = [
            format!(
                "{}: checks the same as the reference",
                visible(&corrected_shares.run)
            ),
            format!(
                "  the machine   {}",
                share_words(corrected_shares.by_machine)
            ),
            format!(
                "  with people   {}",
                share_words(corrected_shares.with_people)
            ),
            format!(
                "  of those ruled on {}",
                share_words(corrected_shares.of_ruled)
            ),
        ];
        PrintSection::words(lines.join("\n"))
    }));
    sections
}

/// Writes a share with its base and its interval.
fn share_words(share: Share) -> String {
    match (share.value(), share.interval()) {
        (Some(value), Some((low, high))) => format!(
            "{value:.3}  [{low:.3}, {high:.3}]  {} of {}",
            grouped(share.k),
            grouped(share.n)
        ),
        _ => "–".to_owned(),
    }
}

fn accords(agreed: &TagAgreement) -> TextTable {
    let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| number(value, 3));
    let mut table = TextTable::new(&[
        ("tag", Align::Left),
        ("both", Align::Right),
        ("machine only", Align::Right),
        ("people only", Align::Right),
        ("precision", Align::Right),
        ("recall", Align::Right),
        ("F1", Align::Right),
        ("kappa", Align::Right),
        ("95 %", Align::Left),
    ]);
    for tag_accord in &agreed.by_tag {
        let interval = tag_accord.interval.map_or_else(String::new, |(low, high)| {
            format!("[{}, {}]", number(low, 3), number(high, 3))
        });
        table.row([
            tag_accord.tag.as_str().to_owned(),
            tag_accord.n_both.to_string(),
            tag_accord.n_machine_only.to_string(),
            tag_accord.n_people_only.to_string(),
            shown(tag_accord.precision().value()),
            shown(tag_accord.recall().value()),
            shown(tag_accord.f1()),
            shown(tag_accord.kappa),
            interval,
        ]);
    }
    table
}

fn wire(agreed: &TagAgreement) -> WireTagAgreement<'_> {
    let tags = agreed.by_tag.iter().map(|tag_accord| {
        let accord = WireTagAccord {
            both: tag_accord.n_both,
            machine_only: tag_accord.n_machine_only,
            people_only: tag_accord.n_people_only,
            precision: tag_accord.precision().value(),
            recall: tag_accord.recall().value(),
            f1: tag_accord.f1(),
            kappa: tag_accord.kappa,
            low: tag_accord.interval.map(|interval| interval.0),
            high: tag_accord.interval.map(|interval| interval.1),
        };
        (tag_accord.tag.as_str(), accord)
    });
    let runs = agreed
        .corrected
        .iter()
        .map(|corrected_shares| WireCorrected {
            run: &corrected_shares.run,
            by_machine: people::wire_share(corrected_shares.by_machine),
            with_people: people::wire_share(corrected_shares.with_people),
            of_ruled: people::wire_share(corrected_shares.of_ruled),
        });
    let (precision, recall) = agreed.micro();
    WireTagAgreement {
        version: crate::eval::TAGS_VERSION,
        n: agreed.n,
        n_stale: agreed.n_stale,
        exact: people::wire_share(agreed.exact),
        precision: people::wire_share(precision),
        recall: people::wire_share(recall),
        tags: tags.collect(),
        runs: runs.collect(),
    }
}

/// Stores what a prediction does differently, by the word of an annotator.
pub fn tag(context: &mut Context<'_, '_>, arguments: &args::Tag) -> Result<(), Stop> {
    // Wrong tags are reported first: an option among the tags would be taken for one.
    meant(&arguments.tags, PreviousTags::default())?;
    let annotator = people::annotator(context, arguments.annotator.name.as_deref())?;
    let store = workspace::open(context)?;
    let key = inspect::key(&store, &arguments.key)?;
    let options = ResultsOptions {
        run: Some(arguments.run.clone()),
        ..ResultsOptions::default()
    };
    let view = results::view(&store, &options)?;
    let ordinal = store.result_ordinal(view.run.id, &key, arguments.attempt)?;
    let detail = match ordinal {
        Some(ordinal) => results::detail(&store, &view, ordinal)?,
        None => None,
    };
    let Some(detail) = detail else {
        let run = visible(&arguments.run);
        let message = format!("run `{run}` has no answer {} to {key}", arguments.attempt);
        return Err(Failure::new(ExitCode::Input, message).into());
    };
    let machine = detail.row.tags;
    let mut verdicts = people::open(context, StoreAccess::Create)?;
    let tag_history = review::tags_of(&store, &verdicts, &view.run, &key, arguments.attempt)?;
    let mut own = tag_history
        .iter()
        .filter(|ruled_prediction| ruled_prediction.ruling.annotator == annotator);
    // Tags of other texts say nothing of these.
    let own = own.find(|ruled_prediction| ruled_prediction.now.is_some());
    let held = own.map_or(machine, |ruled_prediction| {
        ruled_prediction.ruling.tagged.tags
    });
    let tags = meant(&arguments.tags, PreviousTags { machine, held })?;
    let version = crate::eval::TAGS_VERSION;
    let run = &view.run.setting.name;
    let tagged = review::tagged(run, &detail, version, tags, arguments.note.clone());
    let Some(tagged) = tagged else {
        let message = format!("{key} has no reference: there is nothing to compare with");
        return Err(Failure::new(ExitCode::Input, message).into());
    };
    let by = VerdictAuthor {
        annotator: &annotator,
        now_ms: job::now_ms(),
    };
    review::tag(&mut verdicts, by, tagged)?;
    people::tell_backup(context, &mut verdicts);
    context.say(&format!(
        "{} says of {key} in {}: {} (the machine: {})",
        visible(&annotator),
        visible(run),
        tag_words(tags),
        tag_words(machine)
    ));
    Ok(())
}

/// The tags of a prediction before an annotator changes them.
#[derive(Clone, Copy, Default)]
struct PreviousTags {
    machine: Tags,
    /// The tags that the same person gave last, else the machine's.
    held: Tags,
}

/// Parses the tags in the words: a whole set, or those that held with some more or less.
fn meant(words: &[String], before: PreviousTags) -> Result<Tags, Stop> {
    let usage = |message: String, hint: &'static str| -> Stop {
        Failure::new(ExitCode::Usage, message)
            .with_hint(hint)
            .into()
    };
    match words {
        [word] if word == "none" => return Ok(Tags::default()),
        [word] if word == "equal" => return Ok(before.machine.called_equal()),
        _ => {}
    }
    let is_change = |word: &String| word.starts_with(['+', '-']);
    let n_changes = words.iter().filter(|word| is_change(word)).count();
    if n_changes != 0 && n_changes != words.len() {
        let message = "some tags have a sign and others do not".to_owned();
        return Err(usage(
            message,
            "give all tags, or changes to the current ones; options come before the tags",
        ));
    }
    let mut tags = if n_changes > 0 {
        before.held
    } else {
        Tags::default()
    };
    for word in words {
        let name = word.trim_start_matches(['+', '-']).replace('-', "_");
        let Some(tag) = Tag::parse(&name) else {
            return Err(usage(
                format!("no tag `{}`", visible(word)),
                "`focalist tags --definitions` lists them",
            ));
        };
        if word.starts_with('-') {
            tags.remove(tag);
        } else {
            tags.insert(tag);
        }
    }
    if let Some((alone, other)) = tags.contradiction() {
        return Err(usage(
            format!("`{}` excludes `{}`", alone.as_str(), other.as_str()),
            "`focalist tags --definitions` says which tags exclude each other",
        ));
    }
    Ok(tags)
}

/// Writes the rules and the definition of every tag, as Markdown.
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
    fn words_are_a_whole_set_or_changes_to_those_that_held() {
        let machine: Tags = [Tag::WrongLiteral, Tag::WrongExpected]
            .into_iter()
            .collect();
        let check_after = |held: Tags, words: &[&str], expected: Option<&str>| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let tags = meant(&words, PreviousTags { machine, held }).ok();
            assert_eq!(tags.map(Tags::words).as_deref(), expected, "{words:?}");
        };
        let check = |words: &[&str], expected| check_after(machine, words, expected);
        check(&["wrong_variable"], Some("wrong_variable"));
        check(&["truncated", "exact"], Some("exact truncated"));
        check(&["wrong-variable", "exact"], None);
        check(&["other", "wrong_literal"], None);
        check(
            &["-wrong_literal", "+wrong_type"],
            Some("wrong_expected wrong_type"),
        );
        check(&["none"], Some(""));
        check(&["equal"], Some("equal_rewritten"));
        check(&["+wrong_type", "exact"], None);
        check(&["wrong"], None);
        let own = [Tag::Repeated].into_iter().collect();
        check_after(own, &["+truncated"], Some("repeated truncated"));
        check_after(own, &["equal"], Some("equal_rewritten"));
    }

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
