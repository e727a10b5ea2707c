//! One method's text, read: where its name and its annotations are, and whom it calls.
//!
//! Says whether a text is one method and nothing else; what else a compiler asks of it is the compiler's.

use crate::lang::judge::Judge;
use crate::lang::make_readable;
use crate::lang::syntax::{Node, Parser, Tree};
use crate::lang::verdict::{Shape, Verdict};
use crate::model::{Language, ParseMode, Span};

/// What is put before a member so that it parses, on the same line.
const BEFORE: &str = "class T {";

/// A method's declaration that parses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub text: String,
    pub name: Span,
    /// Of the method itself, in order; not those of its parameters.
    pub annotations: Vec<Span>,
    /// Names of methods that it calls on nothing, sorted, each once.
    pub calls: Vec<String>,
}

impl Member {
    /// Returns the name that it declares.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.of(&self.text)
    }

    /// Returns the text under another name, with lines that end as Unix has it. Where its arguments come from what has its
    /// own name, that is said.
    #[must_use]
    pub fn renamed(&self, name: &str) -> String {
        let own = self.name();
        let mut text = self.text.clone();
        text.replace_range(self.name.start as usize..self.name.end as usize, name);
        if name != own {
            // From the last one on, so that places before stay.
            for span in self.annotations.iter().rev() {
                if let Some(source) = source_of_own_name(span.of(&self.text))
                    && span.end <= self.name.start
                {
                    let range = span.start as usize..span.end as usize;
                    text.replace_range(range, &format!("@{source}(\"{own}\")"));
                }
            }
        }
        unix_lines(&text)
    }

    /// Returns the text without annotations; its lines are kept.
    #[must_use]
    pub fn stripped(&self) -> String {
        let mut stripped = String::with_capacity(self.text.len());
        let mut at = 0;
        for span in &self.annotations {
            stripped += &self.text[at..span.start as usize];
            stripped.extend(span.of(&self.text).chars().filter(|it| *it == '\n'));
            at = span.end as usize;
        }
        unix_lines(&(stripped + &self.text[at..]))
    }
}

/// Returns the name of an annotation of Jupiter that takes a test's arguments from the method or the field of the test's own
/// name.
fn source_of_own_name(annotation: &str) -> Option<&str> {
    let (name, arguments) = match annotation.split_once('(') {
        Some((name, arguments)) => (name, arguments.trim_end_matches(')')),
        None => (annotation, ""),
    };
    let name = name.trim().trim_start_matches('@');
    let last = name.rsplit('.').next()?.trim();
    let is_one = matches!(last, "MethodSource" | "FieldSource") && arguments.trim().is_empty();
    is_one.then_some(name)
}

/// Why a text is not one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMember {
    /// From 1.
    pub line: u32,
    pub message: String,
}

/// Reads methods; keeps its parsers from one to the next.
pub struct Reader {
    judge: Judge,
    parser: Parser,
    tree: Tree,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    #[must_use]
    pub fn new() -> Self {
        Self {
            judge: Judge::newest(),
            parser: Parser::default(),
            tree: Tree::default(),
        }
    }

    /// Reads a text that should be one method.
    ///
    /// # Errors
    /// Where it does not parse, or is something else, or more.
    pub fn member(&mut self, text: &str) -> Result<Member, NoMember> {
        let by = (Language::Java, ParseMode::Strict);
        if let Verdict::Error { line, detail, .. } = self.judge.verdict(text, Shape::Member, by) {
            return Err(NoMember {
                line,
                message: detail,
            });
        }
        let mut wrapped = format!("{BEFORE}{text}\n}}");
        make_readable(Language::Java, &mut wrapped, (BEFORE.len(), text.len()));
        self.parser.parse(Language::Java, &wrapped, &mut self.tree);
        let method = self.only_method().ok_or_else(|| NoMember {
            line: 1,
            message: "it is not one method".to_owned(),
        })?;
        let inside = |node: &Node| {
            let n_before = BEFORE.len() as u32;
            Span::new(node.span.start - n_before, node.span.end - n_before)
        };
        let tree = &self.tree;
        let name = tree
            .child_by_field(method, tree.grammar.field("name"))
            .map(|it| inside(&tree.nodes[it as usize]))
            .unwrap_or_default();
        let annotations = annotations(tree, method)
            .map(|it| inside(&tree.nodes[it as usize]))
            .collect();
        Ok(Member {
            text: text.to_owned(),
            name,
            annotations,
            calls: calls(tree, &wrapped, |_| true),
        })
    }

    /// Returns the node of the method that is all there is in the class that is all there is.
    fn only_method(&self) -> Option<u32> {
        let tree = &self.tree;
        if tree.has_error() {
            return None;
        }
        let class = only(tree, 0).filter(|it| kind(tree, *it) == "class_declaration")?;
        let body = tree.child_by_field(class, tree.grammar.field("body"))?;
        only(tree, body).filter(|it| kind(tree, *it) == "method_declaration")
    }

    /// Returns names of methods that a file declares, and of those that it calls on nothing, outside of some spans; each
    /// sorted.
    pub fn names_outside(&mut self, text: &str, holes: &[Span]) -> Vec<String> {
        self.parser.parse(Language::Java, text, &mut self.tree);
        let tree = &self.tree;
        let is_outside = |node: &Node| !holes.iter().any(|it| it.contains(node.span));
        let mut names = calls(tree, text, is_outside);
        let name = tree.grammar.field("name");
        let declared = tree
            .nodes
            .iter()
            .zip(0_u32..)
            .filter(|(node, idx)| is_outside(node) && kind(tree, *idx) == "method_declaration");
        names.extend(declared.filter_map(|(_, idx)| {
            let name = tree.child_by_field(idx, name)?;
            Some(tree.nodes[name as usize].span.of(text).to_owned())
        }));
        names.sort_unstable();
        names.dedup();
        names
    }
}

pub(super) fn kind(tree: &Tree, idx: u32) -> &'static str {
    tree.grammar.kind_name(tree.nodes[idx as usize].kind)
}

/// Returns a node's only child that the grammar names, comments aside.
fn only(tree: &Tree, parent: u32) -> Option<u32> {
    let mut children = tree.children(parent).filter(|it| {
        let node = &tree.nodes[*it as usize];
        node.is_named() && !node.is_extra()
    });
    let first = children.next()?;
    children.next().is_none().then_some(first)
}

pub(super) fn annotations(tree: &Tree, method: u32) -> impl Iterator<Item = u32> + '_ {
    let modifiers = tree
        .children(method)
        .find(|it| kind(tree, *it) == "modifiers");
    let all = modifiers.into_iter().flat_map(|it| tree.children(it));
    all.filter(|it| matches!(kind(tree, *it), "annotation" | "marker_annotation"))
}

fn calls(tree: &Tree, text: &str, counts: impl Fn(&Node) -> bool) -> Vec<String> {
    let (name, object) = (tree.grammar.field("name"), tree.grammar.field("object"));
    let mut calls: Vec<String> = (0_u32..)
        .zip(&tree.nodes)
        .filter(|(idx, node)| kind(tree, *idx) == "method_invocation" && counts(node))
        .filter(|(idx, _)| tree.child_by_field(*idx, object).is_none())
        .filter_map(|(idx, _)| {
            let name = tree.child_by_field(idx, name)?;
            Some(tree.nodes[name as usize].span.of(text).to_owned())
        })
        .collect();
    calls.sort_unstable();
    calls.dedup();
    calls
}

/// Returns a text with one character at the end of each line: javac counts a lone `\r` as an end, too.
pub(super) fn unix_lines(text: &str) -> String {
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, u32>) {
        let member = Reader::new().member(text);
        let got = member.as_ref().map(Member::name).map_err(|it| it.line);
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn one_method_and_nothing_else_is_a_member() {
        check("@Test public void a() { b(); }", Ok("a"));
        check("// why\n@Test\nvoid a() throws E {\n}\n// end", Ok("a"));
        check("<T> void a(T t) { class B { void c() {} } }", Ok("a"));
        check("void a() {} void b() {}", Err(1));
        check("int a = 1;", Err(1));
        check("class A { void a() {} }", Err(1));
        check("void a() {} }\nclass B { void b() {}", Err(1));
        check("Sure, here is the test:", Err(1));
        check("void a() {\n  b(;\n}", Err(2));
        check("", Err(1));
    }

    #[test]
    fn a_method_is_renamed_in_its_declaration_only() {
        let member = Reader::new()
            .member("@A(\"a\") void a() {\r\n a(); this.b(); c(); }")
            .expect("it parses");
        assert_eq!(
            member.renamed("a__2"),
            "@A(\"a\") void a__2() {\n a(); this.b(); c(); }"
        );
        assert_eq!(member.calls, ["a", "c"]);
    }

    #[test]
    fn annotations_go_and_lines_stay() {
        let member = Reader::new()
            .member("@Test(\n  x = 1\n) @B\npublic void a(@C int b) {}")
            .expect("it parses");
        assert_eq!(member.stripped(), "\n\n \npublic void a(@C int b) {}");
    }
}
