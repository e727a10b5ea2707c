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
        self.nested(1, |it| {
            it.conditional()?;
            if ASSIGNMENTS.contains(&it.value(0)) {
                it.skip()?;
                it.expression()?;
            }
            Ok(())
        })
    }

    /// Reads all but assignments.
    pub(super) fn conditional(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.infix()?;
            if it.take("?") {
                it.expression()?;
                it.accept(":")?;
                return it.conditional();
            }
            if it.is("->") {
                return it.lambda_body();
            }
            if it.take("::") {
                return it.method_reference();
            }
            Ok(())
        })
    }

    fn infix(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.operand()?;
            while is_infix(it.value(0)) {
                if it.take("instanceof") {
                    it.type_name()?;
                    continue;
                }
                // A shift to the right comes as several tokens.
                if it.take(">") {
                    if it.take(">") {
                        it.take(">");
                    }
                } else {
                    it.skip()?;
                }
                it.operand()?;
            }
            Ok(())
        })
    }

    fn operand(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            while is_prefix(it.value(0)) {
                it.skip()?;
            }
            if it.is("(")
                && (it.attempt(Self::lambda)?
                    || it.attempt(|it| {
                        it.accept("(")?;
                        it.type_name()?;
                        it.accept(")")?;
                        it.operand()
                    })?)
            {
                return Ok(());
            }
            it.primary()?;
            loop {
                match it.value(0) {
                    "" => {
                        it.failed_at = it.at;
                        return Err(JavalangStop::Fatal("unexpected end"));
                    }
                    "[" | "." => it.selector()?,
                    _ => break,
                }
            }
            while matches!(it.value(0), "++" | "--") {
                it.skip()?;
            }
            Ok(())
        })
    }

    fn method_reference(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.is("<") {
                it.plain_type_arguments()?;
            }
            if it.take("new") {
                return Ok(());
            }
            it.expression()
        })
    }

    fn lambda(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.is("(") && it.class(1) == JavalangTokenClass::Identifier && it.value(2) == "," {
                it.accept("(")?;
                while !it.is(")") {
                    it.identifier()?;
                    it.take(",");
                }
                it.accept(")")?;
            } else {
                it.parameters()?;
            }
            it.lambda_body()
        })
    }

    fn lambda_body(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.accept("->")?;
            if it.is("{") {
                it.block()
            } else {
                it.expression()
            }
        })
    }

    fn primary(&mut self) -> JavalangResult {
        self.nested(1, |it| match (it.class(0), it.value(0)) {
            (JavalangTokenClass::Literal, _) => it.skip(),
            (_, "(") => it.parenthesized(),
            (_, "this") => {
                it.skip()?;
                if it.is("(") {
                    it.arguments()?;
                }
                Ok(())
            }
            (_, "super") => {
                it.skip()?;
                if it.is("::") {
                    return Ok(());
                }
                it.super_rest()
            }
            (_, "new") => {
                it.skip()?;
                it.creator()
            }
            (_, "<") => {
                it.plain_type_arguments()?;
                if it.take("this") {
                    it.arguments()
                } else {
                    it.generic_call_rest()
                }
            }
            (JavalangTokenClass::Identifier, _) => {
                it.identifier()?;
                while it.is(".") && it.class(1) == JavalangTokenClass::Identifier {
                    it.at += 2;
                }
                it.name_rest()
            }
            (JavalangTokenClass::Basic, _) => {
                it.skip()?;
                it.dimensions();
                it.accept(".")?;
                it.accept("class")
            }
            (_, "void") => {
                it.skip()?;
                it.accept(".")?;
                it.accept("class")
            }
            _ => it.fail(),
        })
    }

    /// Reads what stands behind a dotted name.
    fn name_rest(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.take_both("[", "]") {
                it.dimensions();
                it.accept(".")?;
                it.accept("class")
            } else if it.is("(") {
                it.arguments()
            } else if it.take_both(".", "class") || it.take_both(".", "this") {
                Ok(())
            } else if it.are(".", "<") {
                it.skip()?;
                it.generic_call()
            } else if it.take_both(".", "new") {
                it.inner_creator()
            } else if it.are(".", "super") && it.value(2) == "(" {
                it.at += 2;
                it.arguments()
            } else {
                Ok(())
            }
        })
    }

    fn selector(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.take("[") {
                it.expression()?;
                return it.accept("]");
            }
            it.accept(".")?;
            if it.is_class(JavalangTokenClass::Identifier) {
                it.skip()?;
                if it.is("(") {
                    it.arguments()?;
                }
                return Ok(());
            }
            if it.are("super", "::") {
                return it.skip();
            }
            match it.value(0) {
                "<" => it.generic_call(),
                "this" => it.skip(),
                "super" => {
                    it.skip()?;
                    it.super_rest()
                }
                "new" => {
                    it.skip()?;
                    it.inner_creator()
                }
                _ => it.fail(),
            }
        })
    }

    pub(super) fn parenthesized(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.accept("(")?;
            it.expression()?;
            it.accept(")")
        })
    }

    pub(super) fn arguments(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.accept("(")?;
            if it.take(")") {
                return Ok(());
            }
            it.separated(",", Self::expression)?;
            it.accept(")")
        })
    }

    fn super_rest(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if !it.take(".") {
                return it.arguments();
            }
            if it.is("<") {
                it.plain_type_arguments()?;
            }
            it.identifier()?;
            if it.is("(") {
                it.arguments()?;
            }
            Ok(())
        })
    }

    fn generic_call(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.plain_type_arguments()?;
            it.generic_call_rest()
        })
    }

    fn generic_call_rest(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.take("super") {
                return it.super_rest();
            }
            it.identifier()?;
            it.arguments()
        })
    }

    fn creator(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.is_class(JavalangTokenClass::Basic) {
                it.skip()?;
                return it.array_rest();
            }
            let is_generic = it.is("<");
            if is_generic {
                it.plain_type_arguments()?;
            }
            loop {
                it.identifier()?;
                if it.is("<") && !it.take_both("<", ">") {
                    it.type_arguments()?;
                }
                if !it.take(".") {
                    break;
                }
            }
            if !it.is("[") {
                return it.object_rest();
            }
            if is_generic {
                it.fail()
            } else {
                it.array_rest()
            }
        })
    }

    fn inner_creator(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.is("<") {
                it.plain_type_arguments()?;
            }
            it.identifier()?;
            if it.is("<") && !it.take_both("<", ">") {
                it.plain_type_arguments()?;
            }
            it.object_rest()
        })
    }

    fn object_rest(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.arguments()?;
            if it.is("{") {
                it.class_body()?;
            }
            Ok(())
        })
    }

    fn array_rest(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.are("[", "]") {
                it.dimensions();
                return it.array_initializer();
            }
            while it.is("[") && it.value(1) != "]" {
                it.skip()?;
                it.expression()?;
                it.accept("]")?;
            }
            it.dimensions();
            Ok(())
        })
    }

    pub(super) fn array_initializer(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.accept("{")?;
            if it.take(",") {
                return it.accept("}");
            }
            if it.take("}") {
                return Ok(());
            }
            loop {
                it.initializer()?;
                if !it.is("}") {
                    it.accept(",")?;
                }
                if it.take("}") {
                    return Ok(());
                }
            }
        })
    }

    pub(super) fn initializer(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.is("{") {
                it.array_initializer()
            } else {
                it.expression()
            }
        })
    }

    /// Reads a type with its dimensions.
    pub(super) fn type_name(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            match it.class(0) {
                JavalangTokenClass::Basic => it.skip()?,
                JavalangTokenClass::Identifier => it.class_type()?,
                _ => return it.fail(),
            }
            it.dimensions();
            Ok(())
        })
    }

    pub(super) fn class_type(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.separated(".", |it| {
                it.identifier()?;
                if it.is("<") {
                    it.type_arguments()?;
                }
                Ok(())
            })
        })
    }

    fn type_arguments(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.accept("<")?;
            loop {
                it.type_argument()?;
                if it.take(">") {
                    return Ok(());
                }
                it.accept(",")?;
            }
        })
    }

    fn type_argument(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.take("?") {
                if !matches!(it.value(0), "extends" | "super") {
                    return Ok(());
                }
                it.skip()?;
            }
            it.reference_type()
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
        self.nested(1, |it| {
            it.accept("<")?;
            it.type_list()?;
            it.accept(">")
        })
    }

    pub(super) fn type_list(&mut self) -> JavalangResult {
        self.nested(1, |it| it.separated(",", Self::reference_type))
    }

    pub(super) fn dimensions(&mut self) {
        while self.take_both("[", "]") {}
    }

    pub(super) fn is_annotation(&self, ahead: usize) -> bool {
        self.class(ahead) == JavalangTokenClass::At && self.value(ahead + 1) != "interface"
    }

    pub(super) fn annotation(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.accept("@")?;
            it.qualified()?;
            if !it.take("(") {
                return Ok(());
            }
            if !it.is(")") {
                it.annotation_element()?;
            }
            it.accept(")")
        })
    }

    pub(super) fn qualified(&mut self) -> JavalangResult {
        self.separated(".", Self::identifier)
    }

    fn annotation_element(&mut self) -> JavalangResult {
        if !self.is_named("=") {
            return self.element_value();
        }
        self.separated(",", |it| {
            it.identifier()?;
            it.accept("=")?;
            it.element_value()
        })
    }

    pub(super) fn element_value(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.is_annotation(0) {
                return it.annotation();
            }
            if !it.is("{") {
                return it.conditional();
            }
            it.skip()?;
            if it.take("}") {
                return Ok(());
            }
            loop {
                it.element_value()?;
                if it.is("}") || it.are(",", "}") {
                    break;
                }
                it.accept(",")?;
            }
            it.take(",");
            it.accept("}")
        })
    }
}
