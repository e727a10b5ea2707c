//! The declarations of a class, member by member, without reading bodies: for texts that show a class in brief.

use crate::model::{Language, Span};
use crate::tree::{Parser, Tree};

/// The kind of a member in an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    Field,
    Constructor,
    Method,
}

/// A field, constructor or method of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineMember {
    pub kind: MemberKind,
    /// Includes annotations, but not the comment before them.
    pub span: Span,
    pub body: Option<Span>,
    pub name: String,
    pub is_public: bool,
    /// Simple names.
    pub annotations: Vec<String>,
    pub n_parameters: usize,
}

impl OutlineMember {
    /// Cuts the body off the declaration.
    #[must_use]
    pub fn signature<'t>(&self, text: &'t str) -> &'t str {
        let end = self.body.map_or(self.span.end, |body| body.start);
        let signature = Span::new(self.span.start, end).of(text);
        signature.trim_end().trim_end_matches(';').trim_end()
    }
}

/// A class with the file around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The spans of whole import declarations.
    pub imports: Vec<Span>,
    /// From the first modifier to the brace.
    pub header: Span,
    /// The simple name of the superclass.
    pub superclass: Option<String>,
    pub members: Vec<OutlineMember>,
}

/// The types that declare members, with the kind of their body.
const TYPES: &[&str] = &[
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
];

/// Outlines the innermost class around a place of a file; nothing where there is none.
#[must_use]
pub fn outline(parser: &mut Parser, text: &str, around: Span) -> Option<Outline> {
    let mut tree = Tree::new();
    parser.parse(Language::Java, text, &mut tree);
    let name = |idx: u32| tree.grammar.kind_name(tree.nodes[idx as usize].kind);
    // Parents come before children.
    let class = (0..tree.nodes.len() as u32).rfind(|&idx| {
        let node = &tree.nodes[idx as usize];
        node.span.contains(around) && node.span != around && TYPES.contains(&name(idx))
    })?;
    let body = tree.child_by_field(class, tree.grammar.field("body"))?;
    let start = tree.nodes[class as usize].span.start;
    let imports = (0..tree.nodes.len() as u32)
        .filter(|&idx| name(idx) == "import_declaration")
        .map(|idx| tree.nodes[idx as usize].span);
    let superclass = tree.child_by_field(class, tree.grammar.field("superclass"));
    let is_interface = name(class) == "interface_declaration";
    let reader = OutlineReader { tree: &tree, text };
    let mut members = Vec::new();
    let bodies = tree
        .children(body)
        .flat_map(|idx| match name(idx) {
            "enum_body_declarations" => tree.children(idx).collect::<Vec<_>>(),
            _ => vec![idx],
        })
        .collect::<Vec<_>>();
    for idx in bodies {
        members.extend(reader.member(idx, is_interface));
    }
    Some(Outline {
        imports: imports.collect(),
        header: Span::new(start, tree.nodes[body as usize].span.start),
        superclass: superclass.map(|idx| {
            let extended = tree.nodes[idx as usize].span.of(text);
            let extended = extended.trim_start_matches("extends").trim();
            let plain = extended.split('<').next().unwrap_or_default();
            plain
                .rsplit('.')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        }),
        members,
    })
}

struct OutlineReader<'t> {
    tree: &'t Tree,
    text: &'t str,
}

impl OutlineReader<'_> {
    fn name(&self, idx: u32) -> &'static str {
        let node = &self.tree.nodes[idx as usize];
        self.tree.grammar.kind_name(node.kind)
    }

    fn child(&self, idx: u32, field: &str) -> Option<u32> {
        self.tree
            .child_by_field(idx, self.tree.grammar.field(field))
    }

    fn text_of(&self, idx: u32) -> &str {
        self.tree.nodes[idx as usize].span.of(self.text)
    }

    fn member(&self, idx: u32, is_interface: bool) -> Option<OutlineMember> {
        let kind = match self.name(idx) {
            "field_declaration" | "constant_declaration" => MemberKind::Field,
            "constructor_declaration" | "compact_constructor_declaration" => {
                MemberKind::Constructor
            }
            "method_declaration" => MemberKind::Method,
            _ => return None,
        };
        let modifiers = self
            .tree
            .children(idx)
            .find(|&child| self.name(child) == "modifiers");
        let words: Vec<u32> =
            modifiers.map_or_else(Vec::new, |modifier| self.tree.children(modifier).collect());
        let has = |word: &str| words.iter().any(|&n| self.text_of(n) == word);
        let annotations = words
            .iter()
            .filter(|&&word| matches!(self.name(word), "marker_annotation" | "annotation"))
            .filter_map(|&word| self.child(word, "name"))
            .map(|n| {
                let name = self.text_of(n);
                name.rsplit('.').next().unwrap_or(name).trim().to_owned()
            });
        let named = match kind {
            MemberKind::Field => self
                .child(idx, "declarator")
                .and_then(|n| self.child(n, "name")),
            MemberKind::Constructor | MemberKind::Method => self.child(idx, "name"),
        };
        let parameters = self.child(idx, "parameters").map_or(0, |list| {
            let children = self.tree.children(list);
            children
                .filter(|&child| {
                    matches!(self.name(child), "formal_parameter" | "spread_parameter")
                })
                .count()
        });
        Some(OutlineMember {
            kind,
            span: self.tree.nodes[idx as usize].span,
            body: self
                .child(idx, "body")
                .map(|n| self.tree.nodes[n as usize].span),
            name: named.map_or_else(String::new, |named| self.text_of(named).to_owned()),
            is_public: has("public") || (is_interface && !has("private")),
            annotations: annotations.collect(),
            n_parameters: parameters,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{MemberKind, Outline, outline};
    use crate::model::Span;
    use crate::tree::Parser;

    const FILE: &str = "package p;\nimport a.B;\n/** Doc. */\npublic class C<T> extends x.D<T> implements E {\n  \
                        /** F. */ public int f = 1;\n  C(int a) { }\n  @Before @z.Q(1) public void g() { int h; }\n  \
                        static class I { void j() { } }\n  abstract int k(A a, B... b);\n}\n";

    fn around(needle: &str) -> Outline {
        let at = FILE.find(needle).expect("the file has it") as u32;
        let place = Span::new(at, at + needle.len() as u32);
        outline(&mut Parser::new(), FILE, place).expect("it is in a class")
    }

    #[test]
    fn a_class_is_its_header_and_its_members() {
        let found = around("C(int a) { }");
        assert_eq!(
            found.header.of(FILE),
            "public class C<T> extends x.D<T> implements E "
        );
        assert_eq!(found.superclass.as_deref(), Some("D"));
        assert_eq!(found.imports[0].of(FILE), "import a.B;");
        let members: Vec<_> = found
            .members
            .iter()
            .map(|member| {
                (
                    member.kind,
                    member.name.as_str(),
                    member.signature(FILE),
                    member.is_public,
                )
            })
            .collect();
        assert_eq!(
            members,
            [
                (MemberKind::Field, "f", "public int f = 1", true),
                (MemberKind::Constructor, "C", "C(int a)", false),
                (
                    MemberKind::Method,
                    "g",
                    "@Before @z.Q(1) public void g()",
                    true
                ),
                (
                    MemberKind::Method,
                    "k",
                    "abstract int k(A a, B... b)",
                    false
                ),
            ]
        );
        assert_eq!(found.members[2].annotations, ["Before", "Q"]);
        assert_eq!(found.members[3].n_parameters, 2);
    }

    #[test]
    fn the_innermost_class_counts() {
        assert_eq!(around("void j()").header.of(FILE), "static class I ");
    }
}
