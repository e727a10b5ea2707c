//! Reads the text of one method: where its name and its annotations are, and which methods it calls.
//!
//! Tells whether a text is one method and nothing else; all other checks are left to the compiler.

use crate::model::{Language, ParseMode, Span};
use crate::syntax::judge::Judge;
use crate::syntax::make_readable;
use crate::syntax::tree::{Node, Parser, Tree};
use crate::syntax::verdict::{ParseOutcome, PieceShape};

/// The text before a member that makes it parse, on the same line.
const BEFORE: &str = "class T {";

/// A method's declaration that parses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedMethod {
    pub text: String,
    pub name: Span,
    /// The annotations of the method itself, in order, without those of its parameters.
    pub annotations: Vec<Span>,
    /// The head before its body, without annotations of its own: tokens with spaces between them.
    pub head: String,
    /// Names of methods that it calls on nothing or on `this`, or names behind `::`; sorted, each once. Where it
    /// declares types, also those that are called on `super`.
    pub calls: Vec<String>,
    /// Whether its body declares types, named or anonymous, which the compiler numbers within the class.
    pub has_types: bool,
}

impl ParsedMethod {
    /// Returns the name that it declares.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.of(&self.text)
    }

    /// Returns a copy without `@Override`; all else keeps its place.
    #[must_use]
    pub fn overriding_nothing(&self) -> Self {
        let mut member = self.clone();
        for span in self
            .annotations
            .iter()
            .filter(|annotation| self.is_override(**annotation))
        {
            let lines = span.of(&self.text).split('\n');
            let blank: Vec<String> = lines.map(|line| " ".repeat(line.len())).collect();
            let range = span.start as usize..span.end as usize;
            member.text.replace_range(range, &blank.join("\n"));
        }
        member
    }

    /// Returns its text under another name and with the line ends of Unix. Where a test's arguments come from a method
    /// or field of its own name, its annotation gets that name.
    #[must_use]
    pub fn renamed(&self, name: &str) -> String {
        let own = self.name();
        let mut text = self.text.clone();
        text.replace_range(self.name.start as usize..self.name.end as usize, name);
        if name != own {
            // From the last one to the first, so that earlier places stay valid.
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

    /// Tells whether it is annotated with `@Override`.
    #[must_use]
    pub fn overrides(&self) -> bool {
        self.annotations
            .iter()
            .any(|annotation| self.is_override(*annotation))
    }

    fn is_override(&self, annotation: Span) -> bool {
        let name = annotation.of(&self.text).trim_start_matches('@');
        name.rsplit('.')
            .next()
            .is_some_and(|part| part.trim() == "Override")
    }

    /// Strips the annotations from the text; its lines are kept.
    #[must_use]
    pub fn stripped(&self) -> String {
        let mut stripped = String::with_capacity(self.text.len());
        let mut at = 0;
        for span in &self.annotations {
            stripped += &self.text[at..span.start as usize];
            stripped.extend(span.of(&self.text).chars().filter(|c| *c == '\n'));
            at = span.end as usize;
        }
        unix_lines(&(stripped + &self.text[at..]))
    }
}

/// Returns the name of an annotation of Jupiter that takes a test's arguments from the method or the field of the
/// test's own name; nothing for any other annotation.
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
    /// The line, from 1.
    pub line: u32,
    pub message: String,
}

/// Reads methods; keeps its parsers from one to the next.
pub struct MethodReader {
    judge: Judge,
    parser: Parser,
    tree: Tree,
}

impl Default for MethodReader {
    fn default() -> Self {
        Self::new()
    }
}

impl MethodReader {
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
    pub fn member(&mut self, text: &str) -> Result<ParsedMethod, NoMember> {
        let by = (Language::Java, ParseMode::Strict);
        if let ParseOutcome::Error { line, detail, .. } =
            self.judge.verdict(text, PieceShape::Member, by)
        {
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
            .map(|n| inside(&tree.nodes[n as usize]))
            .unwrap_or_default();
        let annotations = annotations(tree, method)
            .map(|annotation| inside(&tree.nodes[annotation as usize]))
            .collect();
        let has_types = n_bodies(tree) > 1;
        let mut calls: Vec<String> = called(tree, &wrapped, has_types)
            .map(|at| at.of(&wrapped).to_owned())
            .collect();
        calls.sort_unstable();
        calls.dedup();
        Ok(ParsedMethod {
            text: text.to_owned(),
            name,
            annotations,
            head: head(tree, &wrapped, method),
            calls,
            has_types,
        })
    }

    /// Finds the node of the only method in the only class.
    fn only_method(&self) -> Option<u32> {
        let tree = &self.tree;
        if tree.has_error() {
            return None;
        }
        let class = only(tree, 0).filter(|n| kind(tree, *n) == "class_declaration")?;
        let body = tree.child_by_field(class, tree.grammar.field("body"))?;
        only(tree, body).filter(|n| kind(tree, *n) == "method_declaration")
    }

    /// Lists the names of methods that a file declares, and of those that it calls as [`ParsedMethod::calls`] has it,
    /// outside of some spans; each sorted.
    pub fn names_outside(&mut self, text: &str, holes: &[Span]) -> Vec<String> {
        let all = self.names(text).into_iter();
        let outside = all.filter(|(_, at)| !holes.iter().any(|hole| hole.contains(*at)));
        let mut names: Vec<String> = outside.map(|outside| outside.0).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Lists the same names with their places, in no particular order.
    pub fn names(&mut self, text: &str) -> Vec<(String, Span)> {
        self.parser.parse(Language::Java, text, &mut self.tree);
        let tree = &self.tree;
        let name = tree.grammar.field("name");
        let nodes = (0_u32..).zip(&tree.nodes);
        let declared = nodes
            .filter(|(idx, _)| kind(tree, *idx) == "method_declaration")
            .filter_map(|(idx, _)| tree.child_by_field(idx, name))
            .map(|idx| tree.nodes[idx as usize].span);
        let all = declared.chain(called(tree, text, true));
        all.map(|at| (at.of(text).to_owned(), at)).collect()
    }

    /// Returns, for each place in a file, where the members of the innermost type around it end; the place's own end
    /// where there is no such type.
    pub fn ends(&mut self, text: &str, places: &[Span]) -> Vec<u32> {
        self.parser.parse(Language::Java, text, &mut self.tree);
        let tree = &self.tree;
        let nodes = (0_u32..).zip(&tree.nodes);
        let bodies: Vec<(Span, u32)> = nodes
            .filter_map(|(idx, node)| match kind(tree, idx) {
                // The closing brace is not part of the node.
                "enum_body_declarations" => Some((node.span, node.span.end)),
                "class_body" | "interface_body" | "annotation_type_body" => {
                    Some((node.span, node.span.end.saturating_sub(1)))
                }
                _ => None,
            })
            .collect();
        let end = |place: &Span| {
            let around = bodies.iter().filter(|body| body.0.contains(*place));
            let innermost = around.min_by_key(|pair| pair.0.end - pair.0.start);
            innermost.map_or(place.end, |innermost| innermost.1.max(place.end))
        };
        places.iter().map(end).collect()
    }
}

pub(super) fn kind(tree: &Tree, idx: u32) -> &'static str {
    tree.grammar.kind_name(tree.nodes[idx as usize].kind)
}

/// Finds a node's only child that the grammar names, comments aside.
fn only(tree: &Tree, parent: u32) -> Option<u32> {
    let mut children = tree.children(parent).filter(|child| {
        let node = &tree.nodes[*child as usize];
        node.is_named() && !node.is_extra()
    });
    let first = children.next()?;
    children.next().is_none().then_some(first)
}

pub(super) fn annotations(tree: &Tree, method: u32) -> impl Iterator<Item = u32> + '_ {
    let modifiers = tree
        .children(method)
        .find(|child| kind(tree, *child) == "modifiers");
    let all = modifiers
        .into_iter()
        .flat_map(|modifier| tree.children(modifier));
    all.filter(|n| matches!(kind(tree, *n), "annotation" | "marker_annotation"))
}

/// Counts the bodies of declared types.
fn n_bodies(tree: &Tree) -> usize {
    let kinds = (0..tree.nodes.len() as u32).map(|n| kind(tree, n));
    let bodies = [
        "class_body",
        "interface_body",
        "enum_body",
        "annotation_type_body",
    ];
    kinds.filter(|kind| bodies.contains(kind)).count()
}

/// Returns a method's head: the tokens before its body, without its annotations.
fn head(tree: &Tree, text: &str, method: u32) -> String {
    let span = |idx: u32| tree.nodes[idx as usize].span;
    let body = tree.child_by_field(method, tree.grammar.field("body"));
    let end = body.map_or(span(method).end, |body| span(body).start);
    let annotations: Vec<Span> = annotations(tree, method).map(span).collect();
    let is_head = |idx: &u32| {
        let (node, at) = (&tree.nodes[*idx as usize], span(*idx));
        tree.is_leaf(*idx)
            && !node.is_extra()
            && span(method).contains(at)
            && at.end <= end
            && !annotations.iter().any(|annotation| annotation.contains(at))
    };
    let leaves = (0..tree.nodes.len() as u32).filter(is_head);
    let tokens: Vec<&str> = leaves.map(|leaf| span(leaf).of(text)).collect();
    tokens.join(" ")
}

/// Finds the places of methods' names that may be the class's own: called on nothing, on `this`, perhaps on `super`, or
/// behind `::`.
fn called<'t>(tree: &'t Tree, text: &'t str, has_super: bool) -> impl Iterator<Item = Span> + 't {
    let (name, object) = (tree.grammar.field("name"), tree.grammar.field("object"));
    let span = |idx: u32| tree.nodes[idx as usize].span;
    (0..tree.nodes.len() as u32).filter_map(move |idx| match kind(tree, idx) {
        "method_invocation" => {
            let on = tree
                .child_by_field(idx, object)
                .map_or("this", |n| span(n).of(text));
            let is_own =
                on == "this" || on.rsplit('.').next() == Some("this") || has_super && on == "super";
            tree.child_by_field(idx, name).filter(|_| is_own).map(span)
        }
        "method_reference" => tree.children(idx).last().map(span),
        _ => None,
    })
}

/// Ends the lines of a text by a single character: javac counts a lone `\r` as an end, too.
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
        let member = MethodReader::new().member(text);
        let got = member
            .as_ref()
            .map(ParsedMethod::name)
            .map_err(|no_member| no_member.line);
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
        let member = MethodReader::new()
            .member("@A(\"a\") void a() {\r\n a(); this.b(); c(); d.e(); }")
            .expect("it parses");
        assert_eq!(
            member.renamed("a__2"),
            "@A(\"a\") void a__2() {\n a(); this.b(); c(); d.e(); }"
        );
        assert_eq!(member.calls, ["a", "b", "c"]);
    }

    #[test]
    fn what_may_be_a_method_of_the_class_itself_is_a_call() {
        let text = "void a() { A.this.b(); super.c(); d(e::f, A::g, H::new); i.j(); }";
        let member = MethodReader::new().member(text).expect("it parses");
        assert_eq!(member.calls, ["b", "d", "f", "g", "new"]);
        let member =
            MethodReader::new().member("void a() { class A extends B { { super.c(); } } }");
        assert_eq!(
            member.map(|parsed_method| parsed_method.calls),
            Ok(vec!["c".to_owned()])
        );
    }

    #[test]
    fn a_head_is_what_is_before_the_body() {
        let text = "@Test(a = 1) public\n/* why */ <T> void a(@B final T b) throws C { d(); }";
        let member = MethodReader::new().member(text).expect("it parses");
        assert_eq!(
            member.head,
            "public < T > void a ( @ B final T b ) throws C"
        );
    }

    #[test]
    fn what_overrides_can_be_left_out() {
        let member = MethodReader::new()
            .member("@Override @Test void a() {}")
            .expect("it parses");
        let other = member.overriding_nothing();
        assert_eq!(other.renamed("b"), "          @Test void b() {}");
        assert!(member.overrides());
    }

    #[test]
    fn types_in_a_body_are_seen() {
        let check = |text: &str, expected: bool| {
            let member = MethodReader::new().member(text).expect("it parses");
            assert_eq!(member.has_types, expected, "{text}");
        };
        check("void a() { b(() -> { c(); }); }", false);
        check("void a() { class B {} }", true);
        check("void a() { enum B { C } }", true);
        check("void a() { new B() {}; }", true);
    }

    #[test]
    fn members_of_a_type_end_before_its_brace() {
        let text = "class A { void a() {} class B { void b() {} } enum C { D; void c() {} } }";
        let place = |name: &str| {
            let start = text.find(&format!("void {name}")).expect("it is there");
            Span::new(start as u32, (start + "void a() {}".len()) as u32)
        };
        let ends = MethodReader::new().ends(text, &["a", "b", "c"].map(place));
        let rests: Vec<&str> = ends
            .iter()
            .map(|end| text[*end as usize..].trim())
            .collect();
        assert_eq!(rests, ["}", "} enum C { D; void c() {} } }", "} }"]);
    }

    #[test]
    fn annotations_go_and_lines_stay() {
        let member = MethodReader::new()
            .member("@Test(\n  x = 1\n) @B\npublic void a(@C int b) {}")
            .expect("it parses");
        assert_eq!(member.stripped(), "\n\n \npublic void a(@C int b) {}");
    }
}
