//! Whether a piece of source parses, in any language: a prediction is a list of statements or a declaration, seldom a
//! whole file.
//!
//! [`Judge::is_sound`] stops the parser at the first error. [`Judge::verdict`] also says where and why, and for that
//! the parser must look for the least repair, which takes many times as long. Both come to the same answer. Rules of a
//! compiler beyond the grammar are checked in the folder of the language (`java::fragment`, `python::strict`).

use crate::csharp::half;
use crate::java::fragment;
use crate::model::{Language, ParseMode};
use crate::python::strict;
use crate::tree::{Parser, Tree};
use crate::verdict::{ParseOutcome, PieceShape};

/// Judges pieces of source; keeps parsers and buffers from one to the next. One per thread.
#[derive(Default)]
pub struct Judge {
    java: fragment::Judge,
    parser: Parser,
    tree: Tree,
}

impl Judge {
    /// Makes a judge with parsers of its own.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a judge that also takes syntax newer than the version of a language that verdicts are about: for texts
    /// that go on to a compiler, which knows its own version.
    #[must_use]
    pub fn newest() -> Self {
        Self {
            java: fragment::Judge::newest(),
            ..Self::default()
        }
    }

    /// Parses any text as such a piece, and judges it.
    pub fn verdict(
        &mut self,
        text: &str,
        shape: PieceShape,
        by: (Language, ParseMode),
    ) -> ParseOutcome {
        match by {
            (Language::Java, mode) => self.java.verdict(text, shape, mode),
            (language, _) => {
                let mut tree = std::mem::take(&mut self.tree);
                self.parser.parse(language, text, &mut tree);
                let verdict = self.verdict_of_tree(language, (text, &tree));
                self.tree = tree;
                verdict
            }
        }
    }

    /// Judges a parsed piece in a language other than Java; parses it once more, rewritten, only where its tree has
    /// errors.
    fn verdict_of_tree(&mut self, language: Language, (text, tree): (&str, &Tree)) -> ParseOutcome {
        match language {
            Language::Python => return strict::verdict(tree, text),
            Language::Go if tree.has_error() => {
                // The grammar wants the last statement of a file to be ended; in a function, where a piece comes
                // from, the closing brace ends it.
                let ended = [text, "\n"].concat();
                self.parser.parse(Language::Go, &ended, &mut self.tree);
                return ParseOutcome::of_tree(&self.tree, text);
            }
            Language::CSharp if tree.has_error() => {
                if let Some(whole) = half::without_halves(text) {
                    self.parser.parse(Language::CSharp, &whole, &mut self.tree);
                    return ParseOutcome::of_tree(&self.tree, text);
                }
            }
            // A piece has no name that would tell TypeScript from JavaScript.
            Language::JavaScript if tree.has_error() && self.parser.is_sound_typed(text) => {
                return ParseOutcome::Ok;
            }
            _ => {}
        }
        ParseOutcome::of_tree(tree, text)
    }

    /// Tells whether a text parses as such a piece: whether its verdict is ok.
    pub fn is_sound(&mut self, text: &str, shape: PieceShape, by: (Language, ParseMode)) -> bool {
        match by {
            (Language::Java, mode) => self.java.is_sound(text, shape, mode),
            (Language::Python, _) => {
                self.parser.is_sound(Language::Python, text) && {
                    self.parser.parse(Language::Python, text, &mut self.tree);
                    strict::is_sound(&self.tree, text)
                }
            }
            (Language::Go, _) => {
                let is_sound = self.parser.is_sound(Language::Go, text);
                is_sound || self.parser.is_sound(Language::Go, &[text, "\n"].concat())
            }
            (Language::CSharp, _) => {
                let is_sound = self.parser.is_sound(Language::CSharp, text);
                is_sound
                    || half::without_halves(text).is_some_and(|without_half| {
                        self.parser.is_sound(Language::CSharp, &without_half)
                    })
            }
            (Language::JavaScript, _) => {
                let is_sound = self.parser.is_sound(Language::JavaScript, text);
                is_sound || self.parser.is_sound_typed(text)
            }
        }
    }

    /// Judges a prediction by the shape of the reference, and returns that shape, too.
    pub fn verdict_like(
        &mut self,
        reference: &str,
        prediction: &str,
        by: (Language, ParseMode),
    ) -> (PieceShape, ParseOutcome) {
        match by {
            (Language::Java, mode) => self.java.verdict_like(reference, prediction, mode),
            by => {
                let shape = PieceShape::Statements;
                let verdict = self.verdict(prediction, shape, by);
                (shape, self.settled(reference, prediction, (by, verdict)))
            }
        }
    }

    /// Makes the tree of a text by itself, and returns whether it could: it can only for a sound text of Java that was
    /// judged last, and not always then.
    pub fn tree_of(&self, text: &str, tree: &mut Tree) -> bool {
        self.java.tree_of(text, tree)
    }

    /// Judges a parsed prediction in a language other than Java by the shape of its reference.
    pub fn verdict_like_of_tree(
        &mut self,
        reference: &str,
        (prediction, tree): (&str, &Tree),
        by: (Language, ParseMode),
    ) -> ParseOutcome {
        let verdict = self.verdict_of_tree(by.0, (prediction, tree));
        self.settled(reference, prediction, (by, verdict))
    }

    /// Accepts a piece of C# that is one expression, where the reference is one, too.
    fn settled(
        &mut self,
        reference: &str,
        prediction: &str,
        (by, verdict): ((Language, ParseMode), ParseOutcome),
    ) -> ParseOutcome {
        let is_sound = by.0 == Language::CSharp
            && !verdict.is_ok()
            && self.is_expression(reference, by)
            && self.is_sound(&ended(prediction), PieceShape::Statements, by);
        if is_sound { ParseOutcome::Ok } else { verdict }
    }
}

impl Judge {
    /// Tells whether a text of C# is the expression behind the arrow of an expression-bodied method: the semicolon
    /// behind it is the method's.
    fn is_expression(&mut self, text: &str, by: (Language, ParseMode)) -> bool {
        let shape = PieceShape::Statements;
        !self.is_sound(text, shape, by) && self.is_sound(&ended(text), shape, by)
    }
}

/// Tells whether the tree of the bare piece decides the verdict; in Java the tree of the piece in a class does.
#[must_use]
pub const fn is_judged_by_tree(language: Language) -> bool {
    match language {
        Language::Java => false,
        Language::Python | Language::Go | Language::JavaScript | Language::CSharp => true,
    }
}

/// Ends a text by a semicolon, also behind a comment.
fn ended(text: &str) -> String {
    [text, "\n;"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, expected: bool) {
        let by = (language, ParseMode::Strict);
        let mut judge = Judge::new();
        let verdict = judge.verdict(text, PieceShape::Statements, by);
        assert_eq!(verdict.is_ok(), expected, "{text}: {verdict:?}");
        assert_eq!(
            judge.is_sound(text, PieceShape::Statements, by),
            expected,
            "{text}"
        );
    }

    fn check_go(text: &str, expected: bool) {
        check(Language::Go, text, expected);
    }

    #[test]
    fn a_part_of_csharp_may_have_one_half_of_a_condition() {
        let check = |text: &str, expected: bool| check(Language::CSharp, text, expected);
        check("Set();\n#if NET\n    value.ShouldBe(1);", true);
        check("value.ShouldBe(1);\n#endif\nother.ShouldBe(2);", true);
        check("#if NET\nvalue.ShouldBe(;", false);
    }

    #[test]
    fn a_part_of_csharp_may_be_one_expression_where_the_true_part_is() {
        let check = |reference: &str, text: &str, expected: bool| {
            let by = (Language::CSharp, ParseMode::Strict);
            let (_, verdict) = Judge::new().verdict_like(reference, text, by);
            assert_eq!(
                verdict.is_ok(),
                expected,
                "{reference}: {text}: {verdict:?}"
            );
        };
        let expression = "Assert.Equal(1, map.Get())";
        check(expression, expression, true);
        check(expression, "map.Get().ShouldBe(1) // at last", true);
        check(expression, "Assert.Equal(1, map.Get());", true);
        check(expression, "Assert.Equal(1, map.Get(", false);
        check(expression, "I'm sorry, I cannot help.", false);
        // A body that is a block ends its statements itself.
        check("Assert.Equal(1, map.Get());", expression, false);
    }

    #[test]
    fn a_part_of_javascript_may_be_typescript() {
        let check = |text: &str, expected: bool| check(Language::JavaScript, text, expected);
        check(
            "expect((merged.inner as Schema).type).toBe('number');",
            true,
        );
        check("expect(cast.all![0]).toBe(obj.all[0]);", true);
        check("expect((<Schema>merged).type).toBe('number');", true);
        check("const all = issues.map((it: any) => it.path);", true);
        check("expect(render(<App title='a' />)).toBe(1);", true);
        check("expect((merged as ).type)", false);
        check("I'm sorry, I cannot help.", false);
    }

    #[test]
    fn statements_of_go_need_no_line_behind_them() {
        for text in [
            "t.Fatal(\"no\")",
            "if got != want {\n\t\tt.Fatalf(\"got %v\", got)\n\t}",
            "if err != nil {\n\t\tt.Fatal(err)\n\t}\n\n\tfor _, it := range all {\n\t\tt.Error(it)\n\t}",
            "switch {\n\tcase got == 1:\n\t\tt.Error(1)\n\t}",
            "return",
            "check(t) // it grows",
            "func TestA(t *testing.T) {\n\tcheck(t)\n}",
        ] {
            check_go(text, true);
        }
        for text in [
            "}",
            "if got != want {",
            "t.Fatal(",
            "t.Fatal(1))",
            "sorry, I cannot",
        ] {
            check_go(text, false);
        }
    }
}
