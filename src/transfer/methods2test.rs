//! A stored sample in the shape of the dataset `microsoft/methods2test`.

use crate::exchange::{WireClass, WireFunction, WireFunctionHead, WireMapping, WireRepository};
use crate::model::{Language, Span};
use crate::store::{StoredMethod, StoredSample};

use super::RepoNumbers;

/// The language of the dataset.
pub const LANGUAGE: Language = Language::Java;

/// Returns the mapping, or nothing for a sample without a focal method. `repos` numbers the index's repositories.
pub(super) fn mapping<'a>(
    sample: &'a StoredSample,
    repos: &RepoNumbers,
) -> Option<WireMapping<'a>> {
    let focal = sample.focal.as_ref()?;
    let repo = &sample.repo;
    let methods = sample
        .focal_class
        .iter()
        .map(|method| head(method, false))
        .collect();
    Some(WireMapping {
        repository: WireRepository {
            repo_id: *repos.get(&repo.identity)?,
            url: repo.url.as_deref(),
            language: repo.language.as_str(),
            is_fork: repo.is_fork,
            fork_count: None,
            stargazer_count: repo.stars,
        },
        focal_class: class(focal, Some(methods)),
        focal_method: function(focal, false),
        test_class: class(&sample.test, None),
        test_case: function(&sample.test, true),
        split: super::lines::split(sample),
        key: sample.row.key.to_string(),
    })
}

fn class(method: &StoredMethod, methods: Option<Vec<WireFunctionHead>>) -> WireClass<'_> {
    WireClass {
        identifier: simple_class(method),
        superclass: None,
        interfaces: None,
        fields: None,
        methods,
        file: &method.path,
    }
}

fn function(method: &StoredMethod, testcase: bool) -> WireFunction<'_> {
    WireFunction {
        head: head(method, testcase),
        body: method.source(),
        invocations: None,
    }
}

fn head(method: &StoredMethod, testcase: bool) -> WireFunctionHead {
    // The source up to the body has the annotations; without a body the stored header must do.
    let header = match method.body {
        Some(body) => Span::new(method.span.start, body.start).of(&method.text),
        None => &method.signature,
    };
    WireFunctionHead::parse(header, simple_class(method), &method.name, testcase)
}

fn simple_class(method: &StoredMethod) -> &str {
    method.class.rsplit('.').next().unwrap_or(&method.class)
}
