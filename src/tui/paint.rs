//! Syntax colours: from code to roles, on a thread of its own.
//!
//! Decides which role a piece of source has. Knows no theme and no screen: the answer is the same for every theme and
//! width, and is kept by the hash of the text. Loading the grammar takes long enough to be seen, so panes show plain
//! text until the answer is there.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::model::Language;
use crate::theme::Role;

/// For each line, its pieces as (start byte, end byte, role), sorted; all else is plain.
pub type LineStyles = Vec<Vec<(u32, u32, Role)>>;

/// A text to paint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaintJob {
    pub id: u64,
    /// Without a language everything is plain.
    pub language: Option<Language>,
    pub text: String,
}

/// Longer lines stay plain: minified or generated code would cost more than its colours are worth.
const LINE_BYTES_MAX: usize = 4096;

/// From scope to role; the first entry that is a prefix wins.
const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("constant.character.escape", Role::Escape),
    ("string", Role::String),
    ("constant.numeric", Role::Number),
    ("constant.language", Role::Constant),
    ("constant.other", Role::Constant),
    ("variable.annotation", Role::Annotation),
    ("punctuation.definition.annotation", Role::Annotation),
    ("meta.annotation.identifier", Role::Annotation),
    ("keyword.operator", Role::Operator),
    ("keyword", Role::Keyword),
    ("storage.modifier", Role::Keyword),
    ("storage.type.primitive", Role::Keyword),
    ("storage.type.void", Role::Keyword),
    ("variable.language", Role::Keyword),
    ("storage.type", Role::Type),
    ("support.class", Role::Type),
    ("support.type", Role::Type),
    ("entity.name.class", Role::Type),
    ("entity.other.inherited-class", Role::Type),
    ("entity.name.function", Role::Function),
    ("variable.function", Role::Function),
    ("support.function", Role::Function),
];

/// The grammars, ready to use.
#[derive(Debug)]
pub struct Painter {
    syntaxes: SyntaxSet,
    roles: Vec<(Scope, Role)>,
}

impl Default for Painter {
    fn default() -> Self {
        let roles = ROLES.iter().map(|(scope, role)| {
            let scope = Scope::new(scope).expect("a test builds every scope of the table");
            (scope, *role)
        });
        Self {
            syntaxes: SyntaxSet::load_defaults_newlines(),
            roles: roles.collect(),
        }
    }
}

impl Painter {
    /// Returns the grammars of the process; the first call loads them, which takes long enough to be seen.
    pub fn shared() -> &'static Self {
        static PAINTER: OnceLock<Painter> = OnceLock::new();
        PAINTER.get_or_init(Self::default)
    }

    /// Computes the roles in a method's source.
    #[must_use]
    pub fn paint(&self, job: &PaintJob) -> LineStyles {
        let grammar = job.language.map(grammar);
        let syntax = grammar.and_then(|(name, _)| self.syntaxes.find_syntax_by_name(name));
        let (Some(syntax), Some((_, before))) = (syntax, grammar) else {
            return Vec::new();
        };
        let mut state = self.behind(before, syntax);
        let mut stack = ScopeStack::new();
        job.text
            .split('\n')
            .map(|line| self.paint_line(&mut state, &mut stack, line))
            .collect()
    }

    /// Parses a line to get the grammar's state behind it.
    fn behind(&self, line: &str, syntax: &SyntaxReference) -> ParseState {
        let mut state = ParseState::new(syntax);
        // An error is a fault of the grammar: then everything stays plain.
        let _ = state.parse_line(line, &self.syntaxes);
        state
    }

    fn paint_line(
        &self,
        state: &mut ParseState,
        stack: &mut ScopeStack,
        line: &str,
    ) -> Vec<(u32, u32, Role)> {
        if line.len() > LINE_BYTES_MAX {
            return Vec::new();
        }
        let Ok(parsed) = state.parse_line(&format!("{line}\n"), &self.syntaxes) else {
            return Vec::new();
        };
        let mut spans: Vec<(u32, u32, Role)> = Vec::new();
        let mut start = 0;
        let mut push = |from: usize, to: usize, role: Option<Role>| {
            let to = to.min(line.len());
            let Some(role) = role.filter(|_| from < to) else {
                return;
            };
            match spans.last_mut() {
                Some(last) if last.1 == from as u32 && last.2 == role => last.1 = to as u32,
                _ => spans.push((from as u32, to as u32, role)),
            }
        };
        for (offset, operation) in &parsed {
            push(start, *offset, self.role(stack));
            start = *offset;
            // A surplus pop is a fault of the grammar; the rest of the line is still worth colouring.
            let _ = stack.apply(operation);
        }
        push(start, line.len(), self.role(stack));
        spans
    }

    fn role(&self, stack: &ScopeStack) -> Option<Role> {
        let mut scopes = stack.as_slice().iter().rev();
        let found = scopes.find_map(|scope| {
            let mut roles = self.roles.iter();
            roles.find(|(prefix, _)| prefix.is_prefix_of(*scope))
        });
        found.map(|(_, role)| *role)
    }
}

/// Names a language's grammar, and the text before a method on its own, which is no file: the grammar must believe that
/// a class is open.
const fn grammar(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Java => ("Java", "class C {\n"),
        Language::Python => ("Python", ""),
        Language::Go => ("Go", ""),
        // The set has no grammar of TypeScript: its types stay plain.
        Language::JavaScript => ("JavaScript", ""),
        Language::CSharp => ("C#", "class C {\n"),
    }
}

/// Painted texts, by the hash of the text; the older half goes when the cache is full.
#[derive(Debug, Default)]
pub struct Cache {
    painted: FxHashMap<u64, Option<Arc<LineStyles>>>,
    order: Vec<u64>,
}

const CACHE_MAX: usize = 256;

impl Cache {
    /// Notes that `id` is wanted; tells whether it must be painted, because nobody has asked for it yet.
    pub fn want(&mut self, id: u64) -> bool {
        if self.painted.contains_key(&id) {
            return false;
        }
        if self.order.len() >= CACHE_MAX {
            for old in self.order.drain(..CACHE_MAX / 2) {
                self.painted.remove(&old);
            }
        }
        self.order.push(id);
        self.painted.insert(id, None);
        true
    }

    /// Keeps an answer; one that has left the cache meanwhile is dropped.
    pub fn keep(&mut self, id: u64, painted: LineStyles) {
        if let Some(slot) = self.painted.get_mut(&id) {
            *slot = Some(Arc::new(painted));
        }
    }

    #[must_use]
    pub fn get(&self, id: u64) -> Option<&LineStyles> {
        self.painted.get(&id)?.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(language: Language, text: &str, expected: &Expect) {
        let job = PaintJob {
            id: 0,
            language: Some(language),
            text: text.to_owned(),
        };
        let painted = Painter::shared().paint(&job);
        let mut shown = String::new();
        for (line, spans) in text.split('\n').zip(&painted) {
            for (start, end, role) in spans {
                let piece = line[*start as usize..*end as usize].trim();
                if !piece.is_empty() {
                    shown.extend([piece, " ", role.as_str(), "\n"]);
                }
            }
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_method_on_its_own_is_coloured_as_in_a_class() {
        check(
            Language::Java,
            "@Test\npublic void adds() throws Exception {\n  List<String> a = new Foo(1, \"x\\n\").bar(); // why\n  assertEquals(null, a);\n}",
            &expect![[r#"
                @Test syntax-annotation
                public syntax-keyword
                void syntax-keyword
                adds syntax-function
                throws syntax-keyword
                Exception syntax-type
                List syntax-type
                String syntax-type
                = syntax-operator
                new syntax-keyword
                Foo syntax-type
                1 syntax-number
                "x syntax-string
                \n syntax-escape
                " syntax-string
                bar syntax-function
                // why syntax-comment
                assertEquals syntax-function
                null syntax-constant
            "#]],
        );
    }

    #[test]
    fn every_language_has_a_grammar_that_knows_its_functions() {
        let check = |language, text: &str| {
            let job = PaintJob {
                id: 0,
                language: Some(language),
                text: text.to_owned(),
            };
            let painted = Painter::shared().paint(&job);
            let roles: Vec<Role> = painted.iter().flatten().map(|(.., role)| *role).collect();
            assert!(roles.contains(&Role::Number), "{language:?}: {roles:?}");
            assert!(roles.contains(&Role::Comment), "{language:?}: {roles:?}");
            assert!(roles.contains(&Role::Keyword), "{language:?}: {roles:?}");
        };
        check(Language::Java, "int one() { return 1; } // one");
        check(Language::Python, "def one():\n    return 1  # one");
        check(Language::Go, "func one() int { return 1 } // one");
        check(
            Language::JavaScript,
            "it('adds', () => { return 1; }); // one",
        );
        check(Language::CSharp, "public int One() { return 1; } // one");
    }

    #[test]
    fn a_full_cache_forgets_the_oldest() {
        let mut cache = Cache::default();
        for id in 0..=CACHE_MAX as u64 {
            assert!(cache.want(id));
        }
        cache.keep(0, Vec::new());
        assert!(cache.get(0).is_none());
        cache.keep(CACHE_MAX as u64, Vec::new());
        assert!(cache.get(CACHE_MAX as u64).is_some());
    }
}
