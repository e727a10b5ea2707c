//! The commands `view` and `pick`: the terminal UI where one wants to be, and as a picker for scripts.
//!
//! The request is checked here, so that a slip is an error and not an empty screen.

use crate::Context;
use crate::args::{self, ScreenName};
use crate::browse::{FieldScope, write_filter};
use crate::command::demo::{self, UiRequest};
use crate::command::{config, inspect, workspace};
use crate::config::Session;
use crate::failure::{ExitCode, Failure, Stop};
use crate::store::{Store, run_named};
use crate::table::visible;

/// Opens the terminal UI on a screen.
pub fn view(context: &mut Context<'_, '_>, arguments: &args::View) -> Result<(), Stop> {
    let mut at = Session {
        screen: vec![word(arguments.screen).to_owned()],
        ..Session::default()
    };
    aim(context, arguments, &mut at)?;
    demo::open_asked(context, UiRequest::View(at)).map(drop)
}

/// Opens the list of samples, and prints the keys of those that were picked there; nothing and code 1 when it was left.
pub fn pick(context: &mut Context<'_, '_>, arguments: &args::Pick) -> Result<(), Stop> {
    let args::PickName::Samples = arguments.what;
    let mut at = Session {
        screen: vec![word(ScreenName::Samples).to_owned()],
        ..Session::default()
    };
    let store = workspace::open(context)?;
    drop(store);
    keep_filter(context, ScreenName::Samples, &arguments.filter, &mut at)?;
    let picked = demo::open_asked(context, UiRequest::Pick(at))?;
    if picked.is_empty() {
        return Err(Stop::Nothing);
    }
    for key in picked {
        writeln!(context.streams.out, "{key}")?;
    }
    Ok(())
}

/// Names a screen as sessions do.
const fn word(screen: ScreenName) -> &'static str {
    match screen {
        ScreenName::Home => "home",
        ScreenName::Samples => "samples",
        ScreenName::Sample => "sample",
        ScreenName::Repos => "repos",
        ScreenName::Runs => "runs",
        ScreenName::Results => "results",
        ScreenName::Compare => "compare",
        ScreenName::Annotate => "annotate",
        ScreenName::Disagree => "disagree",
        ScreenName::Jobs => "jobs",
        ScreenName::Consistency => "consistency",
        ScreenName::Clover => "clover",
        ScreenName::Faults => "faults",
    }
}

/// Sets in `at` what the screen shows.
fn aim(
    context: &mut Context<'_, '_>,
    arguments: &args::View,
    at: &mut Session,
) -> Result<(), Stop> {
    let words = arguments.words.as_slice();
    match arguments.screen {
        ScreenName::Home | ScreenName::Disagree | ScreenName::Consistency | ScreenName::Clover => {
            at_most(words, 0, arguments.screen)
        }
        ScreenName::Samples => keep_filter(context, ScreenName::Samples, words, at),
        ScreenName::Sample => {
            at_most(words, 1, arguments.screen)?;
            let Some(digits) = words.first() else {
                let failure = Failure::new(ExitCode::Usage, "`sample` takes a key");
                return Err(failure
                    .with_hint("`focalist samples` lists keys; the first digits are enough")
                    .into());
            };
            let key = inspect::key(&workspace::open(context)?, digits)?.to_string();
            at.screen = vec![
                word(ScreenName::Samples).to_owned(),
                word(ScreenName::Sample).to_owned(),
            ];
            at.opened = Some(key.clone());
            at.sample = Some(key);
            Ok(())
        }
        ScreenName::Faults => {
            at_most(words, 1, arguments.screen)?;
            if let Some(digits) = words.first() {
                let key = inspect::key(&workspace::open(context)?, digits)?;
                at.item = Some(key.to_string());
            }
            Ok(())
        }
        ScreenName::Jobs | ScreenName::Repos => {
            at_most(words, 1, arguments.screen)?;
            at.item = words.first().cloned();
            Ok(())
        }
        ScreenName::Runs => {
            at_most(words, 1, arguments.screen)?;
            if let Some(name) = words.first() {
                let store = workspace::open(context)?;
                known_run(&store, name)?;
            }
            at.item = words.first().cloned();
            Ok(())
        }
        ScreenName::Results => results(context, words, at),
        ScreenName::Compare => compare(context, words, at),
        ScreenName::Annotate => {
            let queue = words.join(" ");
            config::check_queue(&queue, &workspace::folder(context))
                .map_err(|error| Failure::new(ExitCode::Usage, visible(&error)))?;
            if !queue.is_empty() {
                at.filters
                    .insert(word(ScreenName::Annotate).to_owned(), queue);
            }
            Ok(())
        }
    }
}

fn at_most(words: &[String], n: usize, screen: ScreenName) -> Result<(), Stop> {
    let Some(word) = words.get(n) else {
        return Ok(());
    };
    let message = format!("`{}` does not take `{}`", self::word(screen), visible(word));
    Err(Failure::new(ExitCode::Usage, message)
        .with_hint("`focalist view --help` lists what each screen takes")
        .into())
}

/// Keeps the filter that the words make, with saved filters in place of their names.
fn keep_filter(
    context: &mut Context<'_, '_>,
    screen: ScreenName,
    words: &[String],
    at: &mut Session,
) -> Result<(), Stop> {
    let scope = match screen {
        ScreenName::Samples => FieldScope::Samples,
        _ => FieldScope::Run,
    };
    let filter = inspect::filter_in(context, words, scope)?;
    let text = write_filter(&filter);
    if !text.is_empty() {
        at.filters.insert(word(screen).to_owned(), text);
    }
    Ok(())
}

/// Tells whether a word is no name of a run but the beginning of a filter.
fn begins_filter(word: &str) -> bool {
    word.contains([':', '<', '>', '=', '(']) || word.starts_with(['@', '-'])
}

/// Checks that there is a run of this name.
fn known_run(store: &Store, name: &str) -> Result<(), Stop> {
    run_named(&store.runs()?, name)?;
    Ok(())
}

/// Takes the run in front of a filter; without one the screen shows the newest.
fn results(context: &mut Context<'_, '_>, words: &[String], at: &mut Session) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let mut filter = words;
    if let Some((first, rest)) = words.split_first()
        && (store.run(first)?.is_some() || !begins_filter(first))
    {
        known_run(&store, first)?;
        at.run = Some(first.clone());
        filter = rest;
    }
    keep_filter(context, ScreenName::Results, filter, at)
}

/// Takes the runs in front of a filter, the baseline first.
fn compare(context: &mut Context<'_, '_>, words: &[String], at: &mut Session) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let mut n_runs = 0;
    for word in words {
        if store.run(word)?.is_none() && begins_filter(word) {
            break;
        }
        known_run(&store, word)?;
        n_runs += 1;
    }
    if n_runs == 1 {
        let failure = Failure::new(ExitCode::Usage, "one run cannot be compared");
        return Err(failure.with_hint("`focalist runs` lists the runs").into());
    }
    at.compared = words[..n_runs].to_vec();
    keep_filter(context, ScreenName::Compare, &words[n_runs..], at)
}
