//! Templates: texts with holes, built in or the user's. Sole owner of `minijinja`.
//!
//! The variables of a template are checked against those of its kind of prompt before the first one is made, so that a
//! misspelt name costs no run.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, UndefinedBehavior};

use crate::PromptKind;

/// The flaw of a template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    #[error("line {line}: there is no `{name}`; there are {known}")]
    Unknown {
        line: usize,
        name: String,
        known: String,
    },
    #[error("line {line}: {detail}")]
    Syntax { line: usize, detail: String },
}

impl TemplateError {
    fn of(error: &minijinja::Error) -> Self {
        Self::Syntax {
            line: error.line().unwrap_or(1),
            detail: error
                .detail()
                .map_or_else(|| error.kind().to_string(), str::to_owned),
        }
    }
}

const NAME: &str = "prompt";

/// A template that was read.
pub struct Template {
    environment: Environment<'static>,
    pub source: String,
}

impl Template {
    /// Looks up the text that is built in for a kind; nothing where there is none.
    #[must_use]
    pub const fn built_in(kind: PromptKind) -> Option<&'static str> {
        match kind {
            PromptKind::Assertion => Some(include_str!("templates/assertion.jinja")),
            PromptKind::Test => Some(include_str!("templates/test.jinja")),
            PromptKind::Mera => Some(crate::transfer::PROMPTS[0].1),
            PromptKind::Cloze => Some(include_str!("templates/cloze.jinja")),
            PromptKind::Target => Some(include_str!("templates/target.jinja")),
            PromptKind::Block => Some(include_str!("templates/block.jinja")),
            PromptKind::Template | PromptKind::Encoded | PromptKind::Half => None,
        }
    }

    /// Reads a template for prompts of a kind.
    ///
    /// # Panics
    /// Never: the usual delimiters are different.
    ///
    /// # Errors
    /// When it cannot be read, or uses a variable that such prompts do not have.
    pub fn read(source: &str, kind: PromptKind) -> Result<Self, TemplateError> {
        let mut environment = Environment::new();
        // The last line keeps its end: a model continues behind it.
        let mut syntax = SyntaxConfig::builder();
        syntax.keep_trailing_newline(true);
        environment.set_syntax(syntax.build().expect("the usual delimiters are different"));
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // Code is no HTML.
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment
            .add_template_owned(NAME, source.to_owned())
            .map_err(|error| TemplateError::of(&error))?;
        let template = environment
            .get_template(NAME)
            .map_err(|error| TemplateError::of(&error))?;
        let known = kind.variables();
        let mut unknown: Vec<(usize, String)> = template
            .undeclared_variables(true)
            .into_iter()
            .filter(|name| !is_known(name, known))
            .map(|name| (line_of(source, &name), name))
            .collect();
        unknown.sort();
        if let Some((line, name)) = unknown.into_iter().next() {
            let known = known.iter().map(|known| format!("`{known}`"));
            return Err(TemplateError::Unknown {
                line,
                name,
                known: known.collect::<Vec<_>>().join(", "),
            });
        }
        Ok(Self {
            environment,
            source: source.to_owned(),
        })
    }

    /// Fills the holes of the text.
    ///
    /// # Errors
    /// When a value does not fit its use in the template.
    pub fn render(&self, values: &Value) -> Result<String, TemplateError> {
        self.environment
            .get_template(NAME)
            .and_then(|template| template.render(values))
            .map_err(|error| TemplateError::of(&error))
    }
}

/// Tells whether a name, with its fields behind dots, is known: `focal.header`, or all of `focal`.
fn is_known(name: &str, known: &[&str]) -> bool {
    // Functions that come with the language.
    const BUILT_IN: &[&str] = &["range", "dict", "namespace", "debug", "loop"];
    let is_group = |text: &&str| {
        text.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    known.contains(&name) || BUILT_IN.contains(&name) || known.iter().any(is_group)
}

/// Finds the first line inside a tag that has the name.
fn line_of(source: &str, name: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let has = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let behind = line[at + name.len()..].chars().next();
            !before.is_some_and(|before| is_word(before) || before == '.')
                && !behind.is_some_and(is_word)
        })
    };
    let mut lines = source.lines().zip(1..);
    let tagged = lines
        .by_ref()
        .find(|(line, _)| (line.contains("{{") || line.contains("{%")) && has(line));
    let anywhere = || source.lines().zip(1..).find(|(line, _)| has(line));
    tagged.or_else(anywhere).map_or(1, |tagged| tagged.1)
}

#[cfg(test)]
mod tests {
    use super::Template;
    use crate::PromptKind;

    fn check(source: &str, expected: Result<(), &str>) {
        let read = Template::read(source, PromptKind::Template);
        let found = read.map(drop).map_err(|error| error.to_string());
        match expected {
            Ok(()) => assert_eq!(found, Ok(())),
            Err(start) => {
                let message = found.expect_err("it is wrong");
                assert!(message.starts_with(start), "{message}");
            }
        }
    }

    #[test]
    fn a_variable_that_is_not_there_is_found_with_its_line_before_anything_is_made() {
        check(
            "a\n{{ setup }}\n{{ focl }}",
            Err("line 3: there is no `focl`; there are"),
        );
        check("{% if x %}{% endif %}", Err("line 1: there is no `x`"));
        check(
            "{{ focal.source }}\n\n{{ focal.sauce }}",
            Err("line 3: there is no `focal.sauce`"),
        );
    }

    #[test]
    fn what_is_there_and_what_the_template_makes_itself_may_be_asked_for() {
        check(
            "{% for it in focal_context %}{{ loop.index }} {{ it }}{% endfor %}{% set a = 1 %}{{ a }}",
            Ok(()),
        );
    }

    #[test]
    fn a_broken_template_says_where() {
        check("a\n{{ setup", Err("line 2: "));
    }

    #[test]
    fn the_built_in_templates_ask_for_what_is_there() {
        for kind in PromptKind::ALL {
            if let Some(source) = Template::built_in(*kind) {
                assert!(Template::read(source, *kind).is_ok(), "{}", kind.as_str());
            }
        }
    }
}
