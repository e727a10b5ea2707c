//! Describes how a call was resolved, for people.

use super::{Resolver, calls, function_of};
use crate::calls::outcome;
use crate::index::ResolutionStep;
use crate::javascript::facts::{Expr, JavaScriptFacts, SiteId};
use crate::javascript::project::JavaScriptProject;
use crate::javascript::value::{InstanceOrigin, JavaScriptValue, ValueSet};
use crate::model::MethodId;

/// How many candidates are listed.
const CANDIDATES_MAX: usize = 20;

/// Records the steps in which the n-th call of a method was resolved.
pub fn trace(project: &JavaScriptProject, method: MethodId, call: u32) -> Vec<ResolutionStep> {
    let Some((file, function)) = function_of(project, method) else {
        return Vec::new();
    };
    let all = calls(project, method);
    let Some(call) = all.get(call as usize) else {
        return Vec::new();
    };
    let facts = &project.file(file).facts;
    let sites = facts.function(function).sites;
    let found = (sites.0..sites.1).map(SiteId).find(|site_id| {
        let site = facts.site(*site_id);
        site.name_span == call.name_span && site.span == call.span
    });
    let Some(id) = found else { return Vec::new() };
    let mut resolver = Resolver::new(project, file);
    let mut steps = Vec::new();
    if let Expr::Member(object, _) = *facts.expr(facts.site(id).callee) {
        let receiver = resolver.eval.expr(file, object);
        push(&mut steps, "receiver", project, &receiver);
    }
    let callee = resolver.callee_vals(id);
    push(&mut steps, "callee", project, &callee);
    steps.extend(outcome(&project.methods, &call.resolution, CANDIDATES_MAX));
    steps
}

fn push(
    steps: &mut Vec<ResolutionStep>,
    label: &'static str,
    project: &JavaScriptProject,
    value_set: &ValueSet,
) {
    let values = value_set.list.iter();
    steps.extend(
        values.map(|script_value| ResolutionStep::new(label, describe(project, *script_value))),
    );
    if value_set.is_open {
        steps.push(ResolutionStep::new(
            label,
            "other values, which cannot be followed",
        ));
    }
}

/// Describes a value in words.
fn describe(project: &JavaScriptProject, value: JavaScriptValue) -> String {
    let facts = |file| -> &JavaScriptFacts { &project.file(file).facts };
    let class = |file, class| facts(file).word(facts(file).class(class).path).to_owned();
    let function = |file, function| {
        let function_facts = facts(file).function(function);
        format!(
            "{}:{}",
            facts(file).path,
            facts(file).lines.line(function_facts.span.start)
        )
    };
    let made = |maker| match maker {
        InstanceOrigin::Class(file, id) => class(file, id),
        InstanceOrigin::Fn(file, id) => function(file, id),
        InstanceOrigin::Made(file, _) => format!("a class made in {}", facts(file).path),
    };
    match value {
        JavaScriptValue::Nothing => "undefined".to_owned(),
        JavaScriptValue::Fn(file, id) => format!("the function at {}", function(file, id)),
        JavaScriptValue::Class(file, id) => format!("class {}", class(file, id)),
        JavaScriptValue::Instance(maker) => format!("an instance of {}", made(maker)),
        JavaScriptValue::Proto(maker) => format!("the prototype of {}", made(maker)),
        JavaScriptValue::Object(file, _) => format!("an object literal in {}", facts(file).path),
        JavaScriptValue::Module(file) => format!("the module {}", facts(file).path),
        JavaScriptValue::Context(file) => format!("the context of tests in {}", facts(file).path),
        JavaScriptValue::This(file, id) => format!("`this` of {}", function(file, id)),
        JavaScriptValue::New(file, id) => format!("`new this()` of {}", function(file, id)),
        JavaScriptValue::Param(file, id, n) => {
            format!("parameter {} of {}", n + 1, function(file, id))
        }
        JavaScriptValue::Made(file, _) => format!("an object made in {}", facts(file).path),
        JavaScriptValue::Outside(owner) | JavaScriptValue::Runner(owner) => {
            format!("`{}`", project.word(owner))
        }
        JavaScriptValue::Result(_, _, Some(owner)) => {
            format!("a result of `{}`", project.word(owner))
        }
        JavaScriptValue::Result(_, _, None) => "a function that wraps another".to_owned(),
        JavaScriptValue::Text(text) => format!("the text `{}`", project.word(text)),
        JavaScriptValue::Primitive(_) => "a primitive".to_owned(),
        JavaScriptValue::Array(..) | JavaScriptValue::Each(..) | JavaScriptValue::List(..) => {
            "an array".to_owned()
        }
    }
}
