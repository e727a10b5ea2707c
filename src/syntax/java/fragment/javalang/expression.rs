//! Expressions, types and annotations, as javalang reads them.

use super::{JavalangReader, JavalangResult, JavalangStop, JavalangTokenClass};

const ASSIGNMENTS: &[&str] = &[
    "=", "+=", "-=", "*=", "/=", "&=", "|=", "^=", "%=", "<<=", ">>=", ">>>=",
];

fn is_infix(value: &str) -> bool {
    matches!(
        value,
        "||" | "&&"
            | "|"
            | "^"
            | "&"
            | "=="
            | "!="
            | "<"
            | ">"
            | "<="
            | ">="
            | "<<"
            | "+"
            | "-"
            | "*"
            | "/"
            | "%"
            | "instanceof"
    )
}

fn is_prefix(value: &str) -> bool {
    matches!(value, "++" | "--" | "!" | "~" | "+" | "-")
}

impl JavalangReader<'_> {
    pub(super) fn expression(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.conditional()?;
            if ASSIGNMENTS.contains(&javalang_reader.value(0)) {
                javalang_reader.skip()?;
                javalang_reader.expression()?;
            }
            Ok(())
        })
    }

    /// Reads an expression other than an assignment.
    pub(super) fn conditional(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.infix()?;
            if javalang_reader.take("?") {
                javalang_reader.expression()?;
                javalang_reader.accept(":")?;
                return javalang_reader.conditional();
            }
            if javalang_reader.is("->") {
                return javalang_reader.lambda_body();
            }
            if javalang_reader.take("::") {
                return javalang_reader.method_reference();
            }
            Ok(())
        })
    }

    fn infix(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.operand()?;
            while is_infix(javalang_reader.value(0)) {
                if javalang_reader.take("instanceof") {
                    javalang_reader.type_name()?;
                    continue;
                }
                // A shift to the right comes as several tokens.
                if javalang_reader.take(">") {
                    if javalang_reader.take(">") {
                        javalang_reader.take(">");
                    }
                } else {
                    javalang_reader.skip()?;
                }
                javalang_reader.operand()?;
            }
            Ok(())
        })
    }

    fn operand(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            while is_prefix(javalang_reader.value(0)) {
                javalang_reader.skip()?;
            }
            if javalang_reader.is("(")
                && (javalang_reader.attempt(Self::lambda)?
                    || javalang_reader.attempt(|javalang_reader| {
                        javalang_reader.accept("(")?;
                        javalang_reader.type_name()?;
                        javalang_reader.accept(")")?;
                        javalang_reader.operand()
                    })?)
            {
                return Ok(());
            }
            javalang_reader.primary()?;
            loop {
                match javalang_reader.value(0) {
                    "" => {
                        javalang_reader.failed_at = javalang_reader.at;
                        return Err(JavalangStop::Fatal("unexpected end"));
                    }
                    "[" | "." => javalang_reader.selector()?,
                    _ => break,
                }
            }
            while matches!(javalang_reader.value(0), "++" | "--") {
                javalang_reader.skip()?;
            }
            Ok(())
        })
    }

    fn method_reference(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.is("<") {
                javalang_reader.plain_type_arguments()?;
            }
            if javalang_reader.take("new") {
                return Ok(());
            }
            javalang_reader.expression()
        })
    }

    fn lambda(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.is("(")
                && javalang_reader.class(1) == JavalangTokenClass::Identifier
                && javalang_reader.value(2) == ","
            {
                javalang_reader.accept("(")?;
                while !javalang_reader.is(")") {
                    javalang_reader.identifier()?;
                    javalang_reader.take(",");
                }
                javalang_reader.accept(")")?;
            } else {
                javalang_reader.parameters()?;
            }
            javalang_reader.lambda_body()
        })
    }

    fn lambda_body(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("->")?;
            if javalang_reader.is("{") {
                javalang_reader.block()
            } else {
                javalang_reader.expression()
            }
        })
    }

    fn primary(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            match (javalang_reader.class(0), javalang_reader.value(0)) {
                (JavalangTokenClass::Literal, _) => javalang_reader.skip(),
                (_, "(") => javalang_reader.parenthesized(),
                (_, "this") => {
                    javalang_reader.skip()?;
                    if javalang_reader.is("(") {
                        javalang_reader.arguments()?;
                    }
                    Ok(())
                }
                (_, "super") => {
                    javalang_reader.skip()?;
                    if javalang_reader.is("::") {
                        return Ok(());
                    }
                    javalang_reader.super_rest()
                }
                (_, "new") => {
                    javalang_reader.skip()?;
                    javalang_reader.creator()
                }
                (_, "<") => {
                    javalang_reader.plain_type_arguments()?;
                    if javalang_reader.take("this") {
                        javalang_reader.arguments()
                    } else {
                        javalang_reader.generic_call_rest()
                    }
                }
                (JavalangTokenClass::Identifier, _) => {
                    javalang_reader.identifier()?;
                    while javalang_reader.is(".")
                        && javalang_reader.class(1) == JavalangTokenClass::Identifier
                    {
                        javalang_reader.at += 2;
                    }
                    javalang_reader.name_rest()
                }
                (JavalangTokenClass::Basic, _) => {
                    javalang_reader.skip()?;
                    javalang_reader.dimensions();
                    javalang_reader.accept(".")?;
                    javalang_reader.accept("class")
                }
                (_, "void") => {
                    javalang_reader.skip()?;
                    javalang_reader.accept(".")?;
                    javalang_reader.accept("class")
                }
                _ => javalang_reader.fail(),
            }
        })
    }

    /// Reads the rest of an expression after a dotted name.
    fn name_rest(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.take_both("[", "]") {
                javalang_reader.dimensions();
                javalang_reader.accept(".")?;
                javalang_reader.accept("class")
            } else if javalang_reader.is("(") {
                javalang_reader.arguments()
            } else if javalang_reader.take_both(".", "class")
                || javalang_reader.take_both(".", "this")
            {
                Ok(())
            } else if javalang_reader.are(".", "<") {
                javalang_reader.skip()?;
                javalang_reader.generic_call()
            } else if javalang_reader.take_both(".", "new") {
                javalang_reader.inner_creator()
            } else if javalang_reader.are(".", "super") && javalang_reader.value(2) == "(" {
                javalang_reader.at += 2;
                javalang_reader.arguments()
            } else {
                Ok(())
            }
        })
    }

    fn selector(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.take("[") {
                javalang_reader.expression()?;
                return javalang_reader.accept("]");
            }
            javalang_reader.accept(".")?;
            if javalang_reader.is_class(JavalangTokenClass::Identifier) {
                javalang_reader.skip()?;
                if javalang_reader.is("(") {
                    javalang_reader.arguments()?;
                }
                return Ok(());
            }
            if javalang_reader.are("super", "::") {
                return javalang_reader.skip();
            }
            match javalang_reader.value(0) {
                "<" => javalang_reader.generic_call(),
                "this" => javalang_reader.skip(),
                "super" => {
                    javalang_reader.skip()?;
                    javalang_reader.super_rest()
                }
                "new" => {
                    javalang_reader.skip()?;
                    javalang_reader.inner_creator()
                }
                _ => javalang_reader.fail(),
            }
        })
    }

    pub(super) fn parenthesized(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("(")?;
            javalang_reader.expression()?;
            javalang_reader.accept(")")
        })
    }

    pub(super) fn arguments(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("(")?;
            if javalang_reader.take(")") {
                return Ok(());
            }
            javalang_reader.separated(",", Self::expression)?;
            javalang_reader.accept(")")
        })
    }

    fn super_rest(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if !javalang_reader.take(".") {
                return javalang_reader.arguments();
            }
            if javalang_reader.is("<") {
                javalang_reader.plain_type_arguments()?;
            }
            javalang_reader.identifier()?;
            if javalang_reader.is("(") {
                javalang_reader.arguments()?;
            }
            Ok(())
        })
    }

    fn generic_call(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.plain_type_arguments()?;
            javalang_reader.generic_call_rest()
        })
    }

    fn generic_call_rest(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.take("super") {
                return javalang_reader.super_rest();
            }
            javalang_reader.identifier()?;
            javalang_reader.arguments()
        })
    }

    fn creator(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.is_class(JavalangTokenClass::Basic) {
                javalang_reader.skip()?;
                return javalang_reader.array_rest();
            }
            let is_generic = javalang_reader.is("<");
            if is_generic {
                javalang_reader.plain_type_arguments()?;
            }
            loop {
                javalang_reader.identifier()?;
                if javalang_reader.is("<") && !javalang_reader.take_both("<", ">") {
                    javalang_reader.type_arguments()?;
                }
                if !javalang_reader.take(".") {
                    break;
                }
            }
            if !javalang_reader.is("[") {
                return javalang_reader.object_rest();
            }
            if is_generic {
                javalang_reader.fail()
            } else {
                javalang_reader.array_rest()
            }
        })
    }

    fn inner_creator(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.is("<") {
                javalang_reader.plain_type_arguments()?;
            }
            javalang_reader.identifier()?;
            if javalang_reader.is("<") && !javalang_reader.take_both("<", ">") {
                javalang_reader.plain_type_arguments()?;
            }
            javalang_reader.object_rest()
        })
    }

    fn object_rest(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.arguments()?;
            if javalang_reader.is("{") {
                javalang_reader.class_body()?;
            }
            Ok(())
        })
    }

    fn array_rest(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.are("[", "]") {
                javalang_reader.dimensions();
                return javalang_reader.array_initializer();
            }
            while javalang_reader.is("[") && javalang_reader.value(1) != "]" {
                javalang_reader.skip()?;
                javalang_reader.expression()?;
                javalang_reader.accept("]")?;
            }
            javalang_reader.dimensions();
            Ok(())
        })
    }

    pub(super) fn array_initializer(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("{")?;
            if javalang_reader.take(",") {
                return javalang_reader.accept("}");
            }
            if javalang_reader.take("}") {
                return Ok(());
            }
            loop {
                javalang_reader.initializer()?;
                if !javalang_reader.is("}") {
                    javalang_reader.accept(",")?;
                }
                if javalang_reader.take("}") {
                    return Ok(());
                }
            }
        })
    }

    pub(super) fn initializer(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.is("{") {
                javalang_reader.array_initializer()
            } else {
                javalang_reader.expression()
            }
        })
    }

    /// Reads a type with its dimensions.
    pub(super) fn type_name(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            match javalang_reader.class(0) {
                JavalangTokenClass::Basic => javalang_reader.skip()?,
                JavalangTokenClass::Identifier => javalang_reader.class_type()?,
                _ => return javalang_reader.fail(),
            }
            javalang_reader.dimensions();
            Ok(())
        })
    }

    pub(super) fn class_type(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.separated(".", |javalang_reader| {
                javalang_reader.identifier()?;
                if javalang_reader.is("<") {
                    javalang_reader.type_arguments()?;
                }
                Ok(())
            })
        })
    }

    fn type_arguments(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("<")?;
            loop {
                javalang_reader.type_argument()?;
                if javalang_reader.take(">") {
                    return Ok(());
                }
                javalang_reader.accept(",")?;
            }
        })
    }

    fn type_argument(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.take("?") {
                if !matches!(javalang_reader.value(0), "extends" | "super") {
                    return Ok(());
                }
                javalang_reader.skip()?;
            }
            javalang_reader.reference_type()
        })
    }

    /// Reads a class, or an array of anything.
    fn reference_type(&mut self) -> JavalangResult {
        if self.is_class(JavalangTokenClass::Basic) {
            self.skip()?;
            self.accept("[")?;
            self.accept("]")?;
        } else {
            self.class_type()?;
        }
        self.dimensions();
        Ok(())
    }

    /// Reads type arguments without a wildcard.
    fn plain_type_arguments(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("<")?;
            javalang_reader.type_list()?;
            javalang_reader.accept(">")
        })
    }

    pub(super) fn type_list(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.separated(",", Self::reference_type)
        })
    }

    pub(super) fn dimensions(&mut self) {
        while self.take_both("[", "]") {}
    }

    pub(super) fn is_annotation(&self, ahead: usize) -> bool {
        self.class(ahead) == JavalangTokenClass::At && self.value(ahead + 1) != "interface"
    }

    pub(super) fn annotation(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("@")?;
            javalang_reader.qualified()?;
            if !javalang_reader.take("(") {
                return Ok(());
            }
            if !javalang_reader.is(")") {
                javalang_reader.annotation_element()?;
            }
            javalang_reader.accept(")")
        })
    }

    pub(super) fn qualified(&mut self) -> JavalangResult {
        self.separated(".", Self::identifier)
    }

    fn annotation_element(&mut self) -> JavalangResult {
        if !self.is_named("=") {
            return self.element_value();
        }
        self.separated(",", |javalang_reader| {
            javalang_reader.identifier()?;
            javalang_reader.accept("=")?;
            javalang_reader.element_value()
        })
    }

    pub(super) fn element_value(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.is_annotation(0) {
                return javalang_reader.annotation();
            }
            if !javalang_reader.is("{") {
                return javalang_reader.conditional();
            }
            javalang_reader.skip()?;
            if javalang_reader.take("}") {
                return Ok(());
            }
            loop {
                javalang_reader.element_value()?;
                if javalang_reader.is("}") || javalang_reader.are(",", "}") {
                    break;
                }
                javalang_reader.accept(",")?;
            }
            javalang_reader.take(",");
            javalang_reader.accept("}")
        })
    }
}
