//! Declarations, as javalang reads them.

use super::{JavalangReader, JavalangResult, JavalangTokenClass};

impl JavalangReader<'_> {
    fn modifiers(&mut self) -> JavalangResult {
        loop {
            if self.is_class(JavalangTokenClass::Modifier) {
                self.skip()?;
            } else if self.is_annotation(0) {
                self.annotation()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Reads the modifiers that a variable may have.
    pub(super) fn variable_modifiers(&mut self) -> JavalangResult {
        loop {
            if self.is_annotation(0) {
                self.annotation()?;
            } else if !self.take("final") {
                return Ok(());
            }
        }
    }

    /// Reads a type's declaration among statements.
    pub(super) fn type_declaration(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.modifiers()?;
            if it.is_type() {
                it.type_rest()
            } else {
                it.fail()
            }
        })
    }

    fn is_type(&self) -> bool {
        matches!(self.value(0), "class" | "enum" | "interface") || self.are("@", "interface")
    }

    fn type_rest(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            let keyword = it.value(0);
            it.skip()?;
            if keyword == "@" {
                it.skip()?;
            }
            it.identifier()?;
            match keyword {
                "class" => {
                    it.optional_type_parameters()?;
                    if it.take("extends") {
                        it.type_name()?;
                    }
                    if it.take("implements") {
                        it.type_list()?;
                    }
                    it.class_body()
                }
                "enum" => {
                    if it.take("implements") {
                        it.type_list()?;
                    }
                    it.enum_body()
                }
                "interface" => {
                    it.optional_type_parameters()?;
                    if it.take("extends") {
                        it.type_list()?;
                    }
                    it.interface_body()
                }
                _ => it.annotation_body(),
            }
        })
    }

    fn optional_type_parameters(&mut self) -> JavalangResult {
        if self.is("<") {
            self.type_parameters()?;
        }
        Ok(())
    }

    fn type_parameters(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.accept("<")?;
            loop {
                it.identifier()?;
                if it.take("extends") {
                    it.class_type()?;
                    while it.take("&") {
                        it.class_type()?;
                    }
                }
                if it.take(">") {
                    return Ok(());
                }
                it.accept(",")?;
            }
        })
    }

    pub(super) fn class_body(&mut self) -> JavalangResult {
        self.nested(1, |it| it.braced(Self::class_member))
    }

    fn class_member(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.take(";") {
                return Ok(());
            }
            if it.are("static", "{") {
                it.skip()?;
            }
            if it.is("{") { it.block() } else { it.member() }
        })
    }

    /// Reads one member of a class that is no initializer.
    pub(super) fn member(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.modifiers()?;
            if it.is_type() {
                return it.type_rest();
            }
            if it.is("<") {
                it.type_parameters()?;
                if it.is_named("(") {
                    it.skip()?;
                    return it.constructor_rest();
                }
                if it.take("void") {
                    it.identifier()?;
                    return it.method_rest(false);
                }
                it.type_name()?;
                it.identifier()?;
                return it.method_rest(true);
            }
            if it.take("void") {
                it.identifier()?;
                return it.method_rest(false);
            }
            if it.is_named("(") {
                it.skip()?;
                return it.constructor_rest();
            }
            it.type_name()?;
            it.identifier()?;
            if it.is("(") {
                return it.method_rest(true);
            }
            it.declarator_rest()?;
            while it.take(",") {
                it.declarator()?;
            }
            it.accept(";")
        })
    }

    fn constructor_rest(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.parameters()?;
            it.throws()?;
            it.block()
        })
    }

    fn method_rest(&mut self, has_dimensions: bool) -> JavalangResult {
        self.nested(1, |it| {
            it.parameters()?;
            if has_dimensions {
                it.dimensions();
            }
            it.throws()?;
            if it.is("{") {
                it.block()
            } else {
                it.accept(";")
            }
        })
    }

    fn throws(&mut self) -> JavalangResult {
        if self.take("throws") {
            self.separated(",", Self::qualified)?;
        }
        Ok(())
    }

    pub(super) fn parameters(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.accept("(")?;
            if it.take(")") {
                return Ok(());
            }
            loop {
                it.variable_modifiers()?;
                it.type_name()?;
                let is_last = it.take("...");
                it.identifier()?;
                it.dimensions();
                if is_last || !it.take(",") {
                    return it.accept(")");
                }
            }
        })
    }

    pub(super) fn declarator(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.identifier()?;
            it.declarator_rest()
        })
    }

    fn declarator_rest(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.dimensions();
            if it.take("=") {
                it.initializer()?;
            }
            Ok(())
        })
    }

    fn enum_body(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.accept("{")?;
            if !it.take(",") {
                while !matches!(it.value(0), ";" | "}") {
                    it.enum_constant()?;
                    if !it.take(",") {
                        break;
                    }
                }
            }
            if it.take(";") {
                return it.closed(Self::class_member);
            }
            it.accept("}")
        })
    }

    fn enum_constant(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.is_class(JavalangTokenClass::At) {
                it.annotation()?;
                while it.is_annotation(0) {
                    it.annotation()?;
                }
            }
            it.identifier()?;
            if it.is("(") {
                it.arguments()?;
            }
            if it.is("{") {
                it.class_body()?;
            }
            Ok(())
        })
    }

    fn interface_body(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.braced(|it| {
                if it.take(";") {
                    return Ok(());
                }
                it.interface_member()
            })
        })
    }

    fn interface_member(&mut self) -> JavalangResult {
        self.nested(2, |it| {
            it.modifiers()?;
            if it.is_type() {
                return it.type_rest();
            }
            if it.is("<") {
                it.type_parameters()?;
                if !it.take("void") {
                    it.type_name()?;
                }
                it.identifier()?;
                return it.method_rest(true);
            }
            if it.take("void") {
                it.identifier()?;
                return it.method_rest(false);
            }
            it.type_name()?;
            it.identifier()?;
            if it.is("(") {
                return it.method_rest(true);
            }
            it.constants_rest()?;
            it.accept(";")
        })
    }

    /// Reads constants behind the first one's name; each has a value.
    fn constants_rest(&mut self) -> JavalangResult {
        loop {
            self.dimensions();
            self.accept("=")?;
            self.initializer()?;
            if !self.take(",") {
                return Ok(());
            }
            self.identifier()?;
        }
    }

    fn annotation_body(&mut self) -> JavalangResult {
        self.nested(1, |it| it.braced(Self::annotation_member))
    }

    fn annotation_member(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            it.modifiers()?;
            if it.is_type() {
                return it.type_rest();
            }
            it.type_name()?;
            it.identifier()?;
            if it.take("(") {
                it.accept(")")?;
                it.dimensions();
                if it.take("default") {
                    it.element_value()?;
                }
            } else {
                it.constants_rest()?;
            }
            it.accept(";")
        })
    }
}
