//! The commands that look at sources without an index: `calls` and `explain`.

use std::io::Write;

use crate::args;
use crate::command::mining::{class_path, in_pool, matchers, tell_problems};
use crate::command::why;
use crate::failure::Stop;
use crate::mine::explain::{CallPlace, ExplainedCall, Explanation};
use crate::mine::why::EvidenceAccount;
use crate::mine::{self, MiningOptions};
use crate::model::{Decision, Evidences, Matcher, UnmappedReason};
use crate::table::visible_source;
use crate::{Context, progress};

pub fn calls(context: &mut Context<'_, '_>, arguments: &args::Calls) -> Result<(), Stop> {
    let class_path = &class_path(&arguments.class_path);
    let problems = progress::run(context, |context, monitor| {
        let out = &mut context.streams.out;
        // The pool's work must be `Send`, our writer is not: lines are handed over chunk by chunk.
        let (sender, receiver) = crossbeam_channel::bounded::<Vec<u8>>(4);
        std::thread::scope(|scope| {
            let work = scope.spawn(move || {
                in_pool(arguments.jobs, move || {
                    mine::calls::calls(
                        &arguments.path,
                        arguments.language,
                        class_path,
                        monitor,
                        |lines| {
                            // The receiver is gone: the pipe is closed.
                            sender.send(lines.to_vec()).map_err(|_| Stop::ClosedPipe)
                        },
                    )
                })
            });
            let written = receiver.iter().try_for_each(|lines| out.write_all(&lines));
            drop(receiver);
            let problems = work
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            written?;
            problems
        })
    })?;
    tell_problems(context, &problems, "focalist problems");
    context.end(problems.len())
}

pub fn explain(context: &mut Context<'_, '_>, arguments: &args::Explain) -> Result<(), Stop> {
    let options = MiningOptions {
        languages: arguments.language,
        classpath: class_path(&arguments.class_path),
        matchers: matchers(&arguments.matcher),
        ..MiningOptions::default()
    };
    if let Some(place) = arguments.call {
        return explain_call(context, arguments, place, &options);
    }
    let (explained, problems) = progress::run(context, |_, monitor| {
        in_pool(None, || {
            Ok(mine::explain::explain(
                &arguments.path,
                &arguments.test,
                &options,
                monitor,
            )?)
        })
    })?;
    for explanation in &explained {
        context
            .streams
            .out
            .write_all(text(explanation).as_bytes())?;
    }
    tell_problems(context, &problems, "focalist problems");
    context.end(problems.len())
}

fn explain_call(
    context: &mut Context<'_, '_>,
    arguments: &args::Explain,
    place: CallPlace,
    options: &MiningOptions,
) -> Result<(), Stop> {
    let (explained, problems) = progress::run(context, |_, monitor| {
        in_pool(None, || {
            let test = (arguments.path.as_path(), arguments.test.as_str());
            Ok(mine::explain::explain_call(test, place, options, monitor)?)
        })
    })?;
    for explained_steps in &explained {
        let mut text = format!(
            "call        {}\n            {}\n            {}:{}:{}  in {}\n",
            explained_steps.name,
            explained_steps.source,
            explained_steps.file,
            explained_steps.line,
            explained_steps.column,
            explained_steps.test_key
        );
        for step in &explained_steps.steps {
            text += &format!("{:<11} {}\n", step.label, step.detail);
        }
        writeln!(context.streams.out, "{}", visible_source(&text))?;
    }
    tell_problems(context, &problems, "focalist problems");
    context.end(problems.len())
}

fn text(explanation: &Explanation) -> String {
    let mut text = format!(
        "test        {}\n            {}:{}  {} {}\n",
        explanation.test_key,
        explanation.file,
        explanation.line,
        explanation.framework,
        explanation.kind
    );
    text += &format!("name        {{{}}}\n", explanation.name_tokens.join(", "));
    text += &format!("class       {{{}}}\n", explanation.class_tokens.join(", "));
    text += &list("fixtures", &explanation.fixtures);
    text += "calls       ▶ focal call  A assertion  c candidate\n";
    for call in &explanation.calls {
        text += &call_line(call);
    }
    text += &candidates(explanation);
    text += &format!("decision    {}\n", decision(explanation));
    if let Some(implementation) = &explanation.implementation {
        text +=
            &format!("            without a body; the only implementation is {implementation}\n");
    }
    text += &part("setup", explanation.setup.as_deref());
    text += &part("assertion", explanation.assertion.as_deref());
    text += &list("setup context", &explanation.setup_context);
    text += &list("focal context", &explanation.focal_context);
    let flags: Vec<&str> = explanation
        .decided
        .flags
        .iter()
        .map(crate::model::Flag::as_str)
        .collect();
    text += &format!("flags       {}\n", or_none(&flags.join(", ")));
    text += &format!("tokens      {}\n", explanation.decided.n_tokens);
    text += &format!("status      {}\n\n", explanation.decided.status.as_str());
    text
}

fn candidates(explanation: &Explanation) -> String {
    let focal_match = &explanation.decided.focal_match;
    let mut text = format!("{}\n", why::heading(focal_match.matcher));
    let evidence: Vec<Evidences> = focal_match
        .candidates
        .iter()
        .map(|candidate| candidate.evidence)
        .collect();
    let candidates = focal_match
        .candidates
        .iter()
        .zip(&explanation.candidate_keys);
    for (idx, (candidate, key)) in candidates.enumerate() {
        text += &match focal_match.matcher {
            Matcher::Evidence => format!(
                "            {:.2}  {key}\n{}",
                candidate.weight,
                why::account(
                    &EvidenceAccount::of(explanation.language, &evidence, idx),
                    &" ".repeat(18)
                )
            ),
            Matcher::Contest => format!(
                "            {:.2}  {:.2}  {}\n",
                candidate.score, candidate.class_score, candidate.name
            ),
            Matcher::Methods2Test | Matcher::Mera => format!("            {key}\n"),
        };
    }
    text
}

fn call_line(call: &ExplainedCall) -> String {
    format!(
        "  {}{}{} {:>5}:{:<3} {}\n               → {}\n",
        if call.is_focal { '▶' } else { ' ' },
        if call.is_assertion { 'A' } else { ' ' },
        if call.is_candidate { 'c' } else { ' ' },
        call.line,
        call.column,
        call.source,
        call.resolution,
    )
}

fn decision(explanation: &Explanation) -> String {
    let focal_match = &explanation.decided.focal_match;
    match focal_match.decision {
        Decision::Picked { stage, weight, .. } => {
            let picked = explanation.focal.clone().unwrap_or_default();
            let by = match stage {
                crate::model::Stage::TestName => "the test's name",
                crate::model::Stage::ClassName => "the class's name",
                crate::model::Stage::Evidence => "the weight of the evidence",
                crate::model::Stage::Name => "the test's name, which is the method's",
                crate::model::Stage::UniqueCall => "the only call into the focal class",
                crate::model::Stage::LastCall => "the last call into main code",
            };
            format!("{picked}, by {by}, {weight:.2}")
        }
        Decision::None(reason) => match reason {
            UnmappedReason::NoCandidate => "none: the test calls no method of the project's main code",
            UnmappedReason::Below => {
                "none: no candidate scores above 0.1 by the test's name, and the class's name does not decide"
            }
            UnmappedReason::Tie => "none: several candidates are equally good",
            UnmappedReason::NoSource => "none: the pick is made by the compiler or a generator",
            UnmappedReason::Abstained => "none: no candidate is probable enough",
        }
        .to_owned(),
    }
}

fn part(name: &str, source: Option<&str>) -> String {
    let Some(source) = source else {
        return format!("{name:<11} (empty)\n");
    };
    let mut text = format!("{name}\n");
    for line in source.lines() {
        text += &format!("            {}\n", line.trim_end());
    }
    text
}

fn list(name: &str, items: &[String]) -> String {
    if items.is_empty() {
        return format!("{name:<11} (none)\n");
    }
    let mut text = format!("{name}\n");
    for item in items {
        text += &format!("            {item}\n");
    }
    text
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "(none)" } else { text }
}
