//! Measures of a Java method: whether it is an accessor, and its cyclomatic complexity (Tests4J 3.3).

use crate::model::{Language, Span};
use crate::syntax::tree::{Parser, Tree};

/// The measures of one method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// Whether `return field;` is its only statement.
    pub is_getter: bool,
    /// Whether `field = parameter;` is its only statement.
    pub is_setter: bool,
    /// 1 and one for each `if`, `for`, `while`, `do`, `case`, `catch`, `?:`, `&&` and `||` in it (`McCabe` 1976 as tools
    /// count it); a `default` is none.
    pub cyclomatic: u32,
}

/// Measures methods; keeps its buffers from one to the next.
#[derive(Default)]
pub struct MethodMeasurer {
    parser: Parser,
    tree: Tree,
}

impl MethodMeasurer {
    /// Measures the declaration of a Java method.
    pub fn measure(&mut self, text: &str) -> Measure {
        self.parser.parse(Language::Java, text, &mut self.tree);
        let method = MeasuredMethod {
            tree: &self.tree,
            text,
        };
        Measure {
            is_getter: method.is_getter(),
            is_setter: method.is_setter(),
            cyclomatic: 1 + method.n_decisions(),
        }
    }
}

struct MeasuredMethod<'a> {
    tree: &'a Tree,
    text: &'a str,
}

impl MeasuredMethod<'_> {
    fn kind(&self, idx: u32) -> &str {
        self.tree
            .grammar
            .kind_name(self.tree.nodes[idx as usize].kind)
    }

    fn of(&self, idx: u32) -> &str {
        let Span { start, end } = self.tree.nodes[idx as usize].span;
        &self.text[start as usize..end as usize]
    }

    fn named(&self, idx: u32) -> Vec<u32> {
        let nodes = &self.tree.nodes;
        let said = |n: &u32| nodes[*n as usize].is_named() && !nodes[*n as usize].is_extra();
        self.tree.children(idx).filter(said).collect()
    }

    fn first(&self, kind: &str) -> Option<u32> {
        (0..self.tree.nodes.len() as u32).find(|idx| self.kind(*idx) == kind)
    }

    fn n_decisions(&self) -> u32 {
        let all = 0..self.tree.nodes.len() as u32;
        let counts = all.filter(|idx| match self.kind(*idx) {
            "if_statement"
            | "for_statement"
            | "enhanced_for_statement"
            | "while_statement"
            | "do_statement"
            | "catch_clause"
            | "ternary_expression" => true,
            "case" | "&&" | "||" => self.tree.is_leaf(*idx),
            _ => false,
        });
        counts.count() as u32
    }

    /// Finds the only statement of the body.
    fn only_statement(&self) -> Option<u32> {
        let method = self.first("method_declaration")?;
        let body = self.named(method).pop()?;
        match (self.kind(body), &self.named(body)[..]) {
            ("block", [one]) => Some(*one),
            _ => None,
        }
    }

    fn parameters(&self) -> Vec<&str> {
        let all = 0..self.tree.nodes.len() as u32;
        let parameters = all.filter(|idx| self.kind(*idx) == "formal_parameter");
        let name = |idx| {
            let named = self.named(idx);
            named.into_iter().rfind(|n| self.kind(*n) == "identifier")
        };
        parameters.filter_map(name).map(|n| self.of(n)).collect()
    }

    /// Tells whether an expression is a field of this object: a name that is no parameter, or one behind `this.`.
    fn is_field(&self, idx: u32) -> bool {
        match self.kind(idx) {
            "identifier" => !self.parameters().contains(&self.of(idx)),
            "field_access" => self
                .named(idx)
                .first()
                .is_some_and(|n| self.kind(*n) == "this"),
            _ => false,
        }
    }

    fn is_getter(&self) -> bool {
        let Some(statement) = self.only_statement() else {
            return false;
        };
        match &self.named(statement)[..] {
            [value] => self.kind(statement) == "return_statement" && self.is_field(*value),
            _ => false,
        }
    }

    fn is_setter(&self) -> bool {
        let Some(statement) = self.only_statement() else {
            return false;
        };
        let [assignment] = self.named(statement)[..] else {
            return false;
        };
        if self.kind(statement) != "expression_statement"
            || self.kind(assignment) != "assignment_expression"
        {
            return false;
        }
        let is_plain = self
            .tree
            .children(assignment)
            .any(|child| self.kind(child) == "=");
        match &self.named(assignment)[..] {
            [field, value] => {
                is_plain
                    && self.is_field(*field)
                    && self.kind(*value) == "identifier"
                    && self.parameters().contains(&self.of(*value))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, is_getter: bool, is_setter: bool, cyclomatic: u32) {
        let expected = Measure {
            is_getter,
            is_setter,
            cyclomatic,
        };
        assert_eq!(MethodMeasurer::default().measure(text), expected, "{text}");
    }

    #[test]
    fn a_getter_returns_a_field_and_does_nothing_else() {
        check("public int size() { return size; }", true, false, 1);
        check("int size() { /* all */ return this.size; }", true, false, 1);
        check("int size() { return other.size; }", false, false, 1);
        check("int same(int it) { return it; }", false, false, 1);
        check("int size() { n++; return size; }", false, false, 1);
        check("int size() { return size(); }", false, false, 1);
        check("abstract int size();", false, false, 1);
    }

    #[test]
    fn a_setter_gives_a_field_its_parameter_and_does_nothing_else() {
        check("void set(int n) { this.n = n; }", false, true, 1);
        check("void set(final int x) { n = x; }", false, true, 1);
        check("void set(int n) { this.n += n; }", false, false, 1);
        check("T set(int n) { this.n = n; return this; }", false, false, 1);
        check("void reset() { n = zero; }", false, false, 1);
        check("void set(int n) { n = n; }", false, false, 1);
    }

    #[test]
    fn every_decision_is_one_way_more() {
        check(
            "void f() { if (a && b || c) {} else if (d) {} }",
            false,
            false,
            5,
        );
        check(
            "void f() { for (;;) {} for (int x : xs) {} while (a) {} do {} while (b); }",
            false,
            false,
            5,
        );
        check(
            "int f() { switch (a) { case 1: case 2: return 1; default: return a ? 1 : 2; } }",
            false,
            false,
            4,
        );
        check(
            "int f() { return switch (a) { case 1, 2 -> 3; default -> 4; }; }",
            false,
            false,
            2,
        );
        check(
            "void f() { try { g(); } catch (A e) {} catch (B | C e) {} finally {} }",
            false,
            false,
            3,
        );
        check("not a method", false, false, 1);
    }
}
