//! Files of prompts: twenty templates with named placeholders, as TOML.
//!
//! Decides which placeholders there are and which templates must have which, and says on which line one is missing or
//! unknown. Which record gets which template is `transfer`'s.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::MeraInputs;

/// How many templates a file has; half of them speak of the framework.
pub const N_PROMPTS: usize = 20;

/// The placeholders that templates can have.
pub const PLACEHOLDERS: &[&str] = &[
    "focal_func",
    "focal_func_context",
    "test_func_type",
    "test_func_context",
    "language",
    "focal_file_path",
    "test_file_path",
    FRAMEWORK,
];

/// The placeholders that every template has to have.
const NEEDED: &[&str] = PLACEHOLDERS.split_at(PLACEHOLDERS.len() - 1).0;

/// The placeholder of templates with a framework alone.
const FRAMEWORK: &str = "test_framework";

/// A set of templates in one language of people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeraPrompts {
    /// `ru` or `en`, say.
    pub language: String,
    /// The words for a test that is a function, and for one that is a method.
    pub word_function: String,
    pub word_method: String,
    /// In order, [`N_PROMPTS`] of them.
    pub list: Vec<MeraPrompt>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeraPrompt {
    pub text: String,
    /// Whether it names the framework.
    pub has_framework: bool,
}

/// A flaw in a file of prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeraPromptError {
    /// From 1; absent when it is about the whole file.
    pub line: Option<usize>,
    /// A lower-case fragment.
    pub detail: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFile {
    language: String,
    words: WireWords,
    #[serde(default)]
    prompt: Vec<WirePrompt>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireWords {
    function: String,
    method: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePrompt {
    text: Spanned<String>,
    framework: bool,
}

impl MeraPrompts {
    /// Reads a file of prompts.
    ///
    /// # Errors
    /// It is not TOML of this form; there are not twenty templates, ten of them with a framework; or a placeholder is
    /// unknown or missing.
    pub fn parse(source: &str) -> Result<Self, MeraPromptError> {
        let file: WireFile = toml::from_str(source).map_err(|error| MeraPromptError {
            line: error.span().map(|span| line_of(source, span.start)),
            detail: error.message().to_owned(),
        })?;
        let whole = |detail: String| MeraPromptError { line: None, detail };
        if file.prompt.len() != N_PROMPTS {
            let n_prompts = file.prompt.len();
            return Err(whole(format!("{n_prompts} prompts, expected {N_PROMPTS}")));
        }
        let n_framework = file
            .prompt
            .iter()
            .filter(|wire_prompt| wire_prompt.framework)
            .count();
        if n_framework * 2 != N_PROMPTS {
            return Err(whole(format!(
                "{n_framework} prompts with `framework = true`, expected {}",
                N_PROMPTS / 2
            )));
        }
        for prompt in &file.prompt {
            check(source, prompt)?;
        }
        let list = file.prompt.into_iter().map(|wire_prompt| MeraPrompt {
            text: wire_prompt.text.into_inner(),
            has_framework: wire_prompt.framework,
        });
        Ok(Self {
            language: file.language,
            word_function: file.words.function,
            word_method: file.words.method,
            list: list.collect(),
        })
    }
}

fn line_of(source: &str, at: usize) -> usize {
    1 + source
        .bytes()
        .take(at)
        .filter(|byte| *byte == b'\n')
        .count()
}

fn check(source: &str, prompt: &WirePrompt) -> Result<(), MeraPromptError> {
    let (span, template) = (prompt.text.span(), prompt.text.get_ref());
    let error = |at: usize, detail: String| MeraPromptError {
        line: Some(line_in(source, &span, &template[..at])),
        detail,
    };
    let pieces = pieces(template).map_err(|at| {
        let brace = &template[at..=at];
        let detail = format!("a lone `{brace}`: as a character it is written twice");
        error(at, detail)
    })?;
    let mut holes = Vec::new();
    for piece in pieces {
        let TemplatePiece::Hole(at, name) = piece else {
            continue;
        };
        let is_known = NEEDED.contains(&name) || (prompt.framework && name == FRAMEWORK);
        if !is_known {
            let detail = match name {
                FRAMEWORK => "`{test_framework}` in a prompt without `framework = true`".to_owned(),
                _ => format!("unknown placeholder `{{{name}}}`"),
            };
            return Err(error(at, detail));
        }
        holes.push(name);
    }
    let needed = NEEDED.iter().chain(prompt.framework.then_some(&FRAMEWORK));
    for name in needed {
        if !holes.contains(name) {
            return Err(MeraPromptError {
                line: Some(line_of(source, span.start)),
                detail: format!("no `{{{name}}}` in the prompt"),
            });
        }
    }
    Ok(())
}

/// Finds the line on which a value goes on after `before`; its first one where the value is written on one line.
fn line_in(source: &str, span: &Range<usize>, before: &str) -> usize {
    let first = line_of(source, span.start);
    let raw = source.get(span.clone()).unwrap_or_default();
    let Some(inside) = raw
        .strip_prefix("'''")
        .or_else(|| raw.strip_prefix("\"\"\""))
    else {
        return first;
    };
    // A line feed right behind the quotes is no part of the value.
    let is_below = inside.starts_with('\n') || inside.starts_with("\r\n");
    let n_before = before.matches('\n').count();
    (first + usize::from(is_below) + n_before).min(line_of(source, span.end))
}

/// A piece of a template.
enum TemplatePiece<'t> {
    Text(&'t str),
    Brace(char),
    /// With the place of its brace.
    Hole(usize, &'t str),
}

/// Splits a template into its pieces.
///
/// # Errors
/// The place of a brace that neither is doubled nor belongs to a placeholder.
fn pieces(template: &str) -> Result<Vec<TemplatePiece<'_>>, usize> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let place = template.len() - rest.len() + at;
        pieces.push(TemplatePiece::Text(&rest[..at]));
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(brace) {
            pieces.push(TemplatePiece::Brace(if brace == "{" { '{' } else { '}' }));
            rest = after;
        } else if brace == "{" {
            let (name, after) = after.split_once('}').ok_or(place)?;
            if name.contains(['{', '\n']) {
                return Err(place);
            }
            pieces.push(TemplatePiece::Hole(place, name));
            rest = after;
        } else {
            return Err(place);
        }
    }
    pieces.push(TemplatePiece::Text(rest));
    Ok(pieces)
}

/// Writes the prompt that a model sees: the template with its placeholders filled in, without white space around it.
/// Values are not expanded again. A template that cannot be taken apart is shown as it is.
#[must_use]
pub fn mera_template(template: &str, inputs: &MeraInputs) -> String {
    let Ok(pieces) = pieces(template) else {
        return template.trim().to_owned();
    };
    let mut text = String::new();
    for piece in pieces {
        match piece {
            TemplatePiece::Text(piece) => text.push_str(piece),
            TemplatePiece::Brace(brace) => text.push(brace),
            TemplatePiece::Hole(_, name) => text.push_str(value(inputs, name)),
        }
    }
    text.trim().to_owned()
}

fn value<'i>(inputs: &'i MeraInputs, name: &str) -> &'i str {
    match name {
        "focal_func" => &inputs.focal_func,
        "focal_func_context" => &inputs.focal_func_context,
        "test_func_type" => &inputs.test_func_type,
        "test_func_context" => &inputs.test_func_context,
        "language" => &inputs.language,
        "focal_file_path" => &inputs.focal_file_path,
        "test_file_path" => &inputs.test_file_path,
        FRAMEWORK => &inputs.test_framework,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "{focal_func} {focal_func_context}\n{test_func_type} {test_func_context} {language}\n\
                       {focal_file_path} {test_file_path}";

    /// Returns a file whose first prompt without a framework has this text.
    fn file(first: &str) -> String {
        let mut text =
            "language = \"en\"\nwords.function = \"f\"\nwords.method = \"m\"\n".to_owned();
        for idx in 0..N_PROMPTS {
            let framework = idx % 2 == 1;
            let ours = if idx == 0 { first } else { ALL };
            let more = if framework { "{test_framework}" } else { "" };
            text.push_str(&format!(
                "[[prompt]]\nframework = {framework}\ntext = '''\n{ours}{more}'''\n"
            ));
        }
        text
    }

    fn check(first: &str, expected: Result<(), (usize, &str)>) {
        let read = MeraPrompts::parse(&file(first));
        let seen = read.map(|_| ()).map_err(|error| (error.line, error.detail));
        let expected = expected.map_err(|(line, detail)| (Some(line), detail.to_owned()));
        assert_eq!(seen, expected, "{first}");
    }

    #[test]
    fn an_unknown_or_missing_placeholder_is_told_with_its_line() {
        check(ALL, Ok(()));
        check(&format!("{ALL} {{{{x}}}}"), Ok(()));
        check(
            &format!("{ALL}\n\n{{focal}}"),
            Err((11, "unknown placeholder `{focal}`")),
        );
        check(
            &ALL.replace("{language}", ""),
            Err((6, "no `{language}` in the prompt")),
        );
        check(
            &format!("{ALL}\n{{test_framework}}"),
            Err((
                10,
                "`{test_framework}` in a prompt without `framework = true`",
            )),
        );
        check(
            &format!("{{{{ {ALL}\n}}"),
            Err((10, "a lone `}`: as a character it is written twice")),
        );
        check(
            &format!("{ALL}\n{{"),
            Err((10, "a lone `{`: as a character it is written twice")),
        );
    }

    #[test]
    fn a_file_of_another_form_is_refused() {
        let check = |text: &str, line: Option<usize>, begin: &str| {
            let error = MeraPrompts::parse(text).expect_err("it is refused");
            assert_eq!(error.line, line, "{}", error.detail);
            assert!(error.detail.starts_with(begin), "{}", error.detail);
        };
        let whole = file(ALL);
        check("language = 1", Some(1), "invalid type");
        check(
            "language = \"en\"\nwords.function = \"f\"\nwords.method = \"m\"",
            None,
            "0 prompts, expected 20",
        );
        check(
            &whole.replacen("framework = true", "framework = false", 1),
            None,
            "9 prompts with `framework = true`",
        );
        check(&format!("x = 1\n{whole}"), Some(1), "unknown field `x`");
    }

    #[test]
    fn values_are_not_expanded_again() {
        let inputs = MeraInputs {
            focal_func: "{language} {{".to_owned(),
            language: "go".to_owned(),
            ..MeraInputs::default()
        };
        let text = mera_template("\n{focal_func} {{x}} {language}\n\n", &inputs);
        assert_eq!(text, "{language} {{ {x} go");
    }
}
