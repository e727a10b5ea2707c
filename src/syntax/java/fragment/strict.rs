//! The strict verdict: accepts what tree-sitter-java 0.23.5 does, except what the parser of a Java 17 compiler rejects.
//!
//! The grammar is known to be too wide: any expression is a statement there, reserved words are names, literals have no
//! range, imports stand among statements. Each check below is a rule of the language or of javac's parser; one walk
//! over the tree does them all, in order of the text, and the first that fails is the verdict.

use tree_sitter::{Node, Tree, TreeCursor};

use super::javalang::{JavalangTokenClass, word_class};
use super::kind::{FragmentGrammar, GRAMMAR, Kind};
use super::{Flaw, FlawQuestion, Judge, PieceShape, literal, quoted, readable};
use crate::bounded;
use crate::tree::NodeField;

const STATEMENTS: (&str, &str) = ("class T { void t() throws Throwable {\n", "\n}}");
const MEMBER: (&str, &str) = ("class T {\n", "\n}");

/// Returns what stands around a piece where it is parsed.
pub(super) const fn wrapper(shape: PieceShape) -> (&'static str, &'static str) {
    match shape {
        PieceShape::Statements => STATEMENTS,
        PieceShape::Member => MEMBER,
    }
}

/// A node around the one under the cursor.
#[derive(Clone, Copy, Debug)]
pub struct StrictFrame {
    kind: Kind,
    /// Bits that its children have set; their meaning depends on the kind: modifiers, a type `var`, a parameter with
    /// dots.
    seen: u32,
    /// The span of the name, for a type.
    name: (usize, usize),
}

/// There is a `...` among parameters, or a `var` before local variables.
const SEEN: u32 = 1;
/// There is a variable in the declaration.
const DECLARATOR: u32 = 2;
/// The type has the modifier `sealed`.
const SEALED: u32 = 4;
/// A lambda has parameters with `var`, or with another type.
const WITH_VAR: u32 = 8;
const WITH_TYPE: u32 = 16;
/// The created object has an explicit outer object.
const OUTER: u32 = 32;

impl Judge {
    pub(super) fn strict(
        &mut self,
        text: &str,
        shape: PieceShape,
        asked: FlawQuestion,
    ) -> Option<Flaw> {
        let has_escapes = text.contains("\\u");
        if has_escapes {
            // The compiler decodes escapes before it cuts tokens, so that `\u0022` ends a string.
            return match self.lexer.decoded(text) {
                Err(error) => Some(Flaw::new(error.position as usize, error.what.to_string())),
                Ok(None) => self.strict_decoded(text, shape, asked),
                Ok(Some(decoded)) => {
                    let decoded = decoded.to_owned();
                    let flaw = self.strict_decoded(&decoded, shape, asked);
                    flaw.map(|flaw| {
                        // Finding the error has overwritten the lexer's buffers.
                        let _ = self.lexer.decoded(text).map(|_| ());
                        Flaw {
                            at: self.lexer.original(flaw.at) as usize,
                            ..flaw
                        }
                    })
                }
            };
        }
        self.strict_decoded(text, shape, asked)
    }

    fn strict_decoded(
        &mut self,
        text: &str,
        shape: PieceShape,
        asked: FlawQuestion,
    ) -> Option<Flaw> {
        self.sound = None;
        if let Some(flaw) = readable::odd(text) {
            return Some(flaw);
        }
        let (before, after) = wrapper(shape);
        self.wrapped.clear();
        self.wrapped.push_str(before);
        self.wrapped.push_str(text);
        self.wrapped.push_str(after);
        readable::make(&mut self.wrapped, before.len(), text.len());
        let tree = match asked {
            FlawQuestion::Flaw => bounded::parse(&mut self.parser, &self.wrapped),
            FlawQuestion::Whether => bounded::parse_sound(&mut self.parser, &self.wrapped),
        };
        let Some(tree) = tree else {
            return Some(Flaw::new(0, "too broken to parse"));
        };
        let root = tree.root_node();
        let flaw = if root.has_error() {
            Some(self.syntax(text, root, before.len()))
        } else {
            self.frames.clear();
            let mut walk = StrictWalk {
                text: &self.wrapped,
                grammar: &GRAMMAR,
                cursor: root.walk(),
                frames: &mut self.frames,
                is_newest: self.is_newest,
            };
            walk.flaw()
                .or_else(|| escape(&tree, shape, self.wrapped.len()))
        };
        let Some(mut flaw) = flaw else {
            self.sound = Some((tree, shape));
            return None;
        };
        flaw.at = flaw.at.saturating_sub(before.len()).min(text.len());
        Some(flaw)
    }

    /// Describes the parser's first error, with offsets in the wrapped text.
    fn syntax(&mut self, text: &str, root: Node<'_>, before: usize) -> Flaw {
        // The lexer describes an unclosed literal or comment better.
        if let Err(error) = self.lexer.lex(text)
            && !is_allowed_escape(text, error.position as usize)
        {
            return Flaw::new(before + error.position as usize, error.what.to_string());
        }
        let node = first_error(root);
        let at = node.start_byte();
        if at < before || at > before + text.len() {
            return self.unbalanced(text, before);
        }
        if node.is_missing() {
            return Flaw::new(at, format!("{} expected", quoted(node.kind())));
        }
        // From the text as it was given: the wrapped one has been made readable.
        let end = node.end_byte().clamp(at, before + text.len());
        let found = text.get(at - before..end - before).unwrap_or_default();
        let line = found.trim_start().lines().next().unwrap_or_default();
        if line.is_empty() {
            return Flaw::new(at, "unexpected end");
        }
        Flaw::new(at, format!("syntax error at {}", quoted(line)))
    }

    /// Names the bracket without a partner, when the error is not in the piece but around it.
    fn unbalanced(&mut self, text: &str, before: usize) -> Flaw {
        let (tokens, _) = self.lexer.tokens(text);
        let mut open: Vec<(&str, usize)> = Vec::new();
        for token in tokens.iter() {
            // The tokens of a piece that is decoded twice lie in another text; their offset is limited to the piece.
            let offset = (token.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
            let at = before + offset.min(text.len());
            let opening = match token {
                "(" | "[" | "{" => {
                    open.push((token, at));
                    continue;
                }
                ")" => "(",
                "]" => "[",
                "}" => "{",
                _ => continue,
            };
            match open.pop() {
                Some((token, _)) if token == opening => {}
                Some((unclosed, at)) => {
                    return Flaw::new(at, format!("{} is not closed", quoted(unclosed)));
                }
                None => return Flaw::new(at, format!("{} is not opened", quoted(token))),
            }
        }
        match open.pop() {
            Some((unclosed, at)) => Flaw::new(at, format!("{} is not closed", quoted(unclosed))),
            None => Flaw::new(before + text.len(), "unexpected end"),
        }
    }
}

/// Tells whether the lexer stopped at an escape that is newer than its rules.
fn is_allowed_escape(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    rest.starts_with("\\s") || rest.starts_with("\\\n") || rest.starts_with("\\\r")
}

/// Finds the deepest of the first errors: the first node that is missing, or an error without errors in it.
fn first_error(root: Node<'_>) -> Node<'_> {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_missing() || !cursor.goto_first_child() {
            return node;
        }
        while !cursor.node().has_error() {
            if !cursor.goto_next_sibling() {
                return node;
            }
        }
    }
}

/// Returns a flaw when the piece has closed its wrapper and opened something else.
fn escape(tree: &Tree, shape: PieceShape, len: usize) -> Option<Flaw> {
    let grammar = &*GRAMMAR;
    let escaped = |at| Flaw::new(at, "text continues after the closing brace");
    let class = tree.root_node().named_child(0)?;
    if class.end_byte() != len {
        return Some(escaped(class.end_byte()));
    }
    let body = class.child_by_field_id(grammar.fields.body.0)?;
    let mut cursor = body.walk();
    if shape == PieceShape::Member {
        return None;
    }
    let mut members = body.children(&mut cursor).filter(|child| {
        !grammar.kind_of_id(child.kind_id()).is_comment() && !matches!(child.kind(), "{" | "}")
    });
    let member = members.next()?;
    if let Some(second) = members.next() {
        return Some(escaped(second.start_byte()));
    }
    (member.end_byte() != len - 1).then(|| escaped(member.end_byte()))
}

struct StrictWalk<'t> {
    text: &'t str,
    grammar: &'static FragmentGrammar,
    cursor: TreeCursor<'t>,
    frames: &'t mut Vec<StrictFrame>,
    is_newest: bool,
}

/// A node under the cursor.
#[derive(Clone, Copy)]
struct CursorNode<'t> {
    kind: Kind,
    is_named: bool,
    node: Node<'t>,
}

impl CursorNode<'_> {
    fn start(self) -> usize {
        self.node.start_byte()
    }

    fn end(self) -> usize {
        self.node.end_byte()
    }
}

impl<'t> StrictWalk<'t> {
    /// Walks the tree without recursion; returns the first flaw.
    fn flaw(&mut self) -> Option<Flaw> {
        loop {
            let node = self.cursor.node();
            let id = node.kind_id();
            let here = CursorNode {
                kind: self.grammar.kind_of_id(id),
                is_named: self.grammar.tree.is_named(id),
                node,
            };
            // Most of the nodes are brackets and the like.
            if (here.is_named || here.kind != Kind::Other)
                && let Some(flaw) = self.check(here)
            {
                return Some(flaw);
            }
            // Strings are checked as text.
            if here.kind != Kind::StringLiteral && self.cursor.goto_first_child() {
                self.frames.push(StrictFrame {
                    kind: here.kind,
                    seen: 0,
                    name: (0, 0),
                });
                continue;
            }
            while !self.cursor.goto_next_sibling() {
                if !self.cursor.goto_parent() {
                    return None;
                }
                self.frames.pop();
            }
        }
    }

    /// Returns the kind of the node `n_levels` up; 1 is the parent.
    fn up(&self, n_levels: usize) -> Kind {
        self.frame(n_levels)
            .map_or(Kind::Other, |strict_frame| strict_frame.kind)
    }

    fn frame(&self, n_levels: usize) -> Option<&StrictFrame> {
        let idx = self.frames.len().checked_sub(n_levels)?;
        self.frames.get(idx)
    }

    fn see(&mut self, n_levels: usize, what: u32) {
        if let Some(idx) = self.frames.len().checked_sub(n_levels)
            && let Some(frame) = self.frames.get_mut(idx)
        {
            frame.seen |= what;
        }
    }

    fn has_seen(&self, n_levels: usize, what: u32) -> bool {
        self.frame(n_levels)
            .is_some_and(|strict_frame| strict_frame.seen & what != 0)
    }

    fn slice(&self, here: CursorNode<'_>) -> &'t str {
        self.text.get(here.start()..here.end()).unwrap_or_default()
    }

    fn field(&self) -> NodeField {
        NodeField::of_id(self.cursor.field_id())
    }

    fn check(&mut self, here: CursorNode<'t>) -> Option<Flaw> {
        let parent = self.up(1);
        match parent {
            Kind::Modifiers => return self.modifier(here),
            Kind::ExpressionStatement if here.is_named && !here.kind.is_comment() => {
                self.statement(here)
            }
            Kind::For => self.header(here),
            Kind::If | Kind::While | Kind::DoStatement | Kind::EnhancedFor | Kind::Labeled => {
                body(here)
            }
            _ => None,
        }
        .or_else(|| self.node(here))
    }

    fn node(&mut self, here: CursorNode<'t>) -> Option<Flaw> {
        let node = here.node;
        let flaw = |detail: &str| Some(Flaw::new(here.start(), detail));
        match here.kind {
            Kind::Identifier => self.name(here),
            Kind::TypeIdentifier => self.type_name(here),
            Kind::Import => flaw("import among statements"),
            Kind::Package => flaw("package among statements"),
            Kind::Module => flaw("module among statements"),
            kind if self.is_newest && kind.is_newer() => None,
            Kind::Pattern | Kind::Guard => flaw("pattern in a `case`, which Java 17 does not have"),
            Kind::RecordPattern => flaw("record pattern, which Java 17 does not have"),
            Kind::Template => flaw("string template"),
            Kind::Underscore => flaw("`_` is not a name"),
            Kind::Void => match self.up(1) {
                // Among type arguments, the type checker rejects it.
                Kind::MethodDeclaration
                | Kind::ClassLiteral
                | Kind::TypeArguments
                | Kind::Other => None,
                _ => flaw("`void` is not a type here"),
            },
            Kind::Integral | Kind::Floating | Kind::Boolean
                if self.up(1) == Kind::ObjectCreation =>
            {
                flaw("`new` of a primitive type")
            }
            Kind::GenericType if self.up(1) == Kind::ClassLiteral => {
                flaw("`.class` after a type with arguments")
            }
            Kind::Dot if self.up(1) == Kind::ObjectCreation => {
                self.see(1, OUTER);
                None
            }
            Kind::ScopedType => {
                let is_inner = match self.up(1) {
                    Kind::ObjectCreation => self.has_seen(1, OUTER),
                    Kind::GenericType if self.up(2) == Kind::ObjectCreation => {
                        self.has_seen(2, OUTER)
                    }
                    _ => false,
                };
                is_inner.then(|| Flaw::new(here.start(), "inner class must be a simple name"))
            }
            Kind::Permits if here.is_named && !self.has_seen(1, SEALED) => {
                flaw("`permits` without `sealed`")
            }
            Kind::Instanceof => final_without_name(node, self.grammar)
                .map(|at| Flaw::new(at, "`final` without a name")),
            Kind::FieldDeclaration
                if self.up(2) == Kind::RecordDeclaration && !is_static(node, self.grammar) =>
            {
                flaw("field of a record that is not static")
            }
            Kind::TypeArguments if node.child_count() == 2 => {
                let is_diamond = self.up(1) == Kind::GenericType
                    && self.up(2) == Kind::ObjectCreation
                    || self.up(1) == Kind::Other;
                if is_diamond {
                    None
                } else {
                    flaw("`<>` without `new`")
                }
            }
            Kind::SpreadParameter | Kind::FormalParameter
                if self.up(1) == Kind::FormalParameters =>
            {
                self.parameter(here)
            }
            Kind::VariableDeclarator if self.up(1) == Kind::LocalVariable => {
                if self.has_seen(1, SEEN) && self.has_seen(1, DECLARATOR) {
                    return flaw("`var` with several variables");
                }
                self.see(1, DECLARATOR);
                None
            }
            Kind::Dimensions if self.up(1) == Kind::VariableDeclarator => match self.up(2) {
                Kind::LocalVariable if self.has_seen(2, SEEN) => flaw("`var` of an array"),
                Kind::SpreadParameter => flaw("dimensions behind a parameter with `...`"),
                _ => None,
            },
            Kind::CompactConstructor if self.up(2) != Kind::RecordDeclaration => {
                flaw("block with a name")
            }
            _ => self.literal(here),
        }
    }

    /// Tells whether the node `n_levels` up holds statements.
    fn is_local(&self, n_levels: usize) -> bool {
        let kind = self.up(n_levels);
        matches!(
            kind,
            Kind::Block | Kind::SwitchGroup | Kind::ConstructorBody | Kind::Labeled
        )
    }

    fn literal(&self, here: CursorNode<'_>) -> Option<Flaw> {
        let text = self.slice(here);
        let (offset, what) = match here.kind {
            Kind::DecimalInt | Kind::HexInt | Kind::OctalInt | Kind::BinaryInt => {
                // A short decimal number is always in range.
                if text.len() < 9 && !text.starts_with('0') {
                    return None;
                }
                let is_negated = self.up(1) == Kind::Unary
                    && self.text.as_bytes()[..here.start()]
                        .trim_ascii_end()
                        .ends_with(b"-");
                (0, literal::integer(text, is_negated)?)
            }
            Kind::DecimalFloat => (0, literal::decimal_float(text)?),
            Kind::HexFloat => (0, literal::hex_float(text)?),
            Kind::CharLiteral => literal::character(text)?,
            Kind::StringLiteral => literal::string(text)?,
            _ => return None,
        };
        let at = here.start() + offset;
        let shown = self.text.get(at..here.end()).unwrap_or_default();
        Some(Flaw::new(at, format!("{what} at {}", quoted(shown))))
    }

    /// Checks the expression of a statement.
    fn statement(&mut self, here: CursorNode<'_>) -> Option<Flaw> {
        if self.up(2) == Kind::SwitchRule {
            // After `->` in a `switch` expression any expression is the value; in a `switch` statement it must be an
            // expression statement, and none is a `switch`.
            let is_statement = self.is_switch_statement(4);
            if !is_statement {
                return None;
            }
            if here.kind == Kind::Switch {
                return Some(Flaw::new(
                    here.start(),
                    "`switch` in a rule without a block",
                ));
            }
        }
        (!here.kind.is_statement_expression()).then(|| self.no_statement(here))
    }

    fn parameter(&mut self, here: CursorNode<'t>) -> Option<Flaw> {
        if self.has_seen(1, SEEN) {
            return Some(Flaw::new(here.start(), "parameter behind `...`"));
        }
        if here.kind == Kind::SpreadParameter {
            self.see(1, SEEN);
        }
        if self.up(2) == Kind::Lambda {
            let ty = here.node.child_by_field_id(self.grammar.fields.r#type.0);
            let is_var = ty.is_some_and(|ty| self.text.get(ty.byte_range()) == Some("var"));
            self.see(1, if is_var { WITH_VAR } else { WITH_TYPE });
            if self.has_seen(1, WITH_VAR) && self.has_seen(1, WITH_TYPE) {
                return Some(Flaw::new(here.start(), "`var` for only some parameters"));
            }
        }
        None
    }

    fn no_statement(&self, here: CursorNode<'_>) -> Flaw {
        Flaw::new(
            here.start(),
            format!("{} is not a statement", quoted(self.slice(here))),
        )
    }

    /// Tells whether the `switch` `n_levels` up is a statement, by the node around it.
    fn is_switch_statement(&self, n_levels: usize) -> bool {
        match self.up(n_levels + 1) {
            Kind::ExpressionStatement => self.up(n_levels + 2) != Kind::SwitchRule,
            Kind::If | Kind::While | Kind::DoStatement | Kind::EnhancedFor | Kind::For => true,
            _ => self.is_local(n_levels + 1),
        }
    }

    /// Checks the header and the body of a `for`.
    fn header(&mut self, here: CursorNode<'_>) -> Option<Flaw> {
        if !here.is_named || here.kind.is_comment() {
            return None;
        }
        let field = self.field();
        if field == self.grammar.fields.body {
            return body(here);
        }
        let is_plain = here.kind == Kind::LocalVariable
            || field == self.grammar.fields.condition
            || here.kind.is_statement_expression() && here.kind != Kind::Switch;
        (!is_plain).then(|| self.no_statement(here))
    }

    fn name(&mut self, here: CursorNode<'_>) -> Option<Flaw> {
        let word = self.slice(here);
        if is_reserved(word) && !(self.is_newest && word == "_") {
            return Some(Flaw::new(
                here.start(),
                format!("{} is a reserved word", quoted(word)),
            ));
        }
        let parent = self.up(1);
        if parent.is_type_declaration() && self.field() == self.grammar.fields.name {
            if is_restricted(word) {
                return Some(Flaw::new(
                    here.start(),
                    format!("{} is not allowed as the name of a type", quoted(word)),
                ));
            }
            let idx = self.frames.len() - 1;
            self.frames[idx].name = (here.start(), here.end());
        }
        if parent == Kind::ConstructorDeclaration && self.field() == self.grammar.fields.name {
            let owner = (2..=4)
                .filter_map(|n_levels| self.frame(n_levels))
                .find(|frame| !frame.kind.is_type_body() && frame.kind != Kind::EnumBody);
            let owner = owner
                .and_then(|strict_frame| self.text.get(strict_frame.name.0..strict_frame.name.1));
            if owner != Some(word) {
                return Some(Flaw::new(
                    here.start(),
                    format!("method {} without a return type", quoted(word)),
                ));
            }
        }
        None
    }

    fn type_name(&mut self, here: CursorNode<'_>) -> Option<Flaw> {
        let word = self.slice(here);
        if is_reserved(word) {
            return Some(Flaw::new(
                here.start(),
                format!("{} is a reserved word", quoted(word)),
            ));
        }
        if word != "var" {
            return None;
        }
        match self.up(1) {
            Kind::LocalVariable => {
                self.see(1, SEEN);
                None
            }
            Kind::EnhancedFor
            | Kind::Resource
            | Kind::ScopedType
            | Kind::ObjectCreation
            | Kind::ClassLiteral
            | Kind::MethodReference => None,
            Kind::FormalParameter if self.up(3) == Kind::Lambda => None,
            _ if self.is_newest && self.up(3) == Kind::RecordPattern => None,
            _ => Some(Flaw::new(here.start(), "`var` is not a type here")),
        }
    }

    /// Checks a child of the modifiers.
    fn modifier(&mut self, here: CursorNode<'_>) -> Option<Flaw> {
        let bit = 1_u32
            << (here.kind as u32)
                .saturating_sub(Kind::Public as u32)
                .min(31);
        if here.is_named || (here.kind as u32) < Kind::Public as u32 || here.kind == Kind::Other {
            return None;
        }
        let word = self.slice(here);
        if self.has_seen(1, bit) {
            return Some(Flaw::new(
                here.start(),
                format!("{} is repeated", quoted(word)),
            ));
        }
        self.see(1, bit);
        if here.kind == Kind::Sealed {
            self.see(2, SEALED);
        }
        let declared = self.up(2);
        let is_allowed = match declared {
            Kind::LocalVariable
            | Kind::Resource
            | Kind::CatchParameter
            | Kind::EnhancedFor
            | Kind::FormalParameter
            | Kind::SpreadParameter => here.kind == Kind::Final,
            kind if kind.is_type_declaration() && !self.up(3).is_type_body() => {
                matches!(here.kind, Kind::Final | Kind::Abstract | Kind::Strictfp)
            }
            _ => true,
        };
        (!is_allowed).then(|| {
            Flaw::new(
                here.start(),
                format!("{} is not allowed as a modifier here", quoted(word)),
            )
        })
    }
}

/// Checks a statement that is the whole body of another.
fn body(here: CursorNode<'_>) -> Option<Flaw> {
    let is_declaration = here.kind.is_type_declaration() || here.kind == Kind::LocalVariable;
    is_declaration.then(|| Flaw::new(here.start(), "declaration without a block around it"))
}

/// Finds where `final` stands in `x instanceof final T`.
fn final_without_name(node: Node<'_>, grammar: &FragmentGrammar) -> Option<usize> {
    if node.child_by_field_id(grammar.fields.name.0).is_some() {
        return None;
    }
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .find(|child| grammar.kind_of_id(child.kind_id()) == Kind::Final)
        .map(|child| child.start_byte())
}

fn is_static(declaration: Node<'_>, grammar: &FragmentGrammar) -> bool {
    let is = |node: Node<'_>, kind| grammar.kind_of_id(node.kind_id()) == kind;
    declaration.child(0).is_some_and(|first| {
        let mut cursor = first.walk();
        is(first, Kind::Modifiers)
            && first
                .children(&mut cursor)
                .any(|child| is(child, Kind::Static))
    })
}

/// Tells whether a word is never a name (JLS 3.9).
fn is_reserved(word: &str) -> bool {
    let first = word.as_bytes().first().copied().unwrap_or(0);
    if !(first.is_ascii_lowercase() || first == b'_') || word.len() > 12 {
        return false;
    }
    word == "_" || word_class(word) != JavalangTokenClass::Identifier
}

/// Tells whether a word is a name, but not of a type.
fn is_restricted(word: &str) -> bool {
    matches!(word, "var" | "yield" | "record" | "sealed" | "permits")
}
