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
        self.nested(1, |javalang_reader| {
            javalang_reader.modifiers()?;
            if javalang_reader.is_type() {
                javalang_reader.type_rest()
            } else {
                javalang_reader.fail()
            }
        })
    }

    fn is_type(&self) -> bool {
        matches!(self.value(0), "class" | "enum" | "interface") || self.are("@", "interface")
    }

    fn type_rest(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            let keyword = javalang_reader.value(0);
            javalang_reader.skip()?;
            if keyword == "@" {
                javalang_reader.skip()?;
            }
            javalang_reader.identifier()?;
            match keyword {
                "class" => {
                    javalang_reader.optional_type_parameters()?;
                    if javalang_reader.take("extends") {
                        javalang_reader.type_name()?;
                    }
                    if javalang_reader.take("implements") {
                        javalang_reader.type_list()?;
                    }
                    javalang_reader.class_body()
                }
                "enum" => {
                    if javalang_reader.take("implements") {
                        javalang_reader.type_list()?;
                    }
                    javalang_reader.enum_body()
                }
                "interface" => {
                    javalang_reader.optional_type_parameters()?;
                    if javalang_reader.take("extends") {
                        javalang_reader.type_list()?;
                    }
                    javalang_reader.interface_body()
                }
                _ => javalang_reader.annotation_body(),
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
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("<")?;
            loop {
                javalang_reader.identifier()?;
                if javalang_reader.take("extends") {
                    javalang_reader.class_type()?;
                    while javalang_reader.take("&") {
                        javalang_reader.class_type()?;
                    }
                }
                if javalang_reader.take(">") {
                    return Ok(());
                }
                javalang_reader.accept(",")?;
            }
        })
    }

    pub(super) fn class_body(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.braced(Self::class_member)
        })
    }

    fn class_member(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.take(";") {
                return Ok(());
            }
            if javalang_reader.are("static", "{") {
                javalang_reader.skip()?;
            }
            if javalang_reader.is("{") {
                javalang_reader.block()
            } else {
                javalang_reader.member()
            }
        })
    }

    /// Reads one member of a class that is no initializer.
    pub(super) fn member(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.modifiers()?;
            if javalang_reader.is_type() {
                return javalang_reader.type_rest();
            }
            if javalang_reader.is("<") {
                javalang_reader.type_parameters()?;
                if javalang_reader.is_named("(") {
                    javalang_reader.skip()?;
                    return javalang_reader.constructor_rest();
                }
                if javalang_reader.take("void") {
                    javalang_reader.identifier()?;
                    return javalang_reader.method_rest(false);
                }
                javalang_reader.type_name()?;
                javalang_reader.identifier()?;
                return javalang_reader.method_rest(true);
            }
            if javalang_reader.take("void") {
                javalang_reader.identifier()?;
                return javalang_reader.method_rest(false);
            }
            if javalang_reader.is_named("(") {
                javalang_reader.skip()?;
                return javalang_reader.constructor_rest();
            }
            javalang_reader.type_name()?;
            javalang_reader.identifier()?;
            if javalang_reader.is("(") {
                return javalang_reader.method_rest(true);
            }
            javalang_reader.declarator_rest()?;
            while javalang_reader.take(",") {
                javalang_reader.declarator()?;
            }
            javalang_reader.accept(";")
        })
    }

    fn constructor_rest(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.parameters()?;
            javalang_reader.throws()?;
            javalang_reader.block()
        })
    }

    fn method_rest(&mut self, has_dimensions: bool) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.parameters()?;
            if has_dimensions {
                javalang_reader.dimensions();
            }
            javalang_reader.throws()?;
            if javalang_reader.is("{") {
                javalang_reader.block()
            } else {
                javalang_reader.accept(";")
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
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("(")?;
            if javalang_reader.take(")") {
                return Ok(());
            }
            loop {
                javalang_reader.variable_modifiers()?;
                javalang_reader.type_name()?;
                let is_last = javalang_reader.take("...");
                javalang_reader.identifier()?;
                javalang_reader.dimensions();
                if is_last || !javalang_reader.take(",") {
                    return javalang_reader.accept(")");
                }
            }
        })
    }

    pub(super) fn declarator(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.identifier()?;
            javalang_reader.declarator_rest()
        })
    }

    fn declarator_rest(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.dimensions();
            if javalang_reader.take("=") {
                javalang_reader.initializer()?;
            }
            Ok(())
        })
    }

    fn enum_body(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.accept("{")?;
            if !javalang_reader.take(",") {
                while !matches!(javalang_reader.value(0), ";" | "}") {
                    javalang_reader.enum_constant()?;
                    if !javalang_reader.take(",") {
                        break;
                    }
                }
            }
            if javalang_reader.take(";") {
                return javalang_reader.closed(Self::class_member);
            }
            javalang_reader.accept("}")
        })
    }

    fn enum_constant(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.is_class(JavalangTokenClass::At) {
                javalang_reader.annotation()?;
                while javalang_reader.is_annotation(0) {
                    javalang_reader.annotation()?;
                }
            }
            javalang_reader.identifier()?;
            if javalang_reader.is("(") {
                javalang_reader.arguments()?;
            }
            if javalang_reader.is("{") {
                javalang_reader.class_body()?;
            }
            Ok(())
        })
    }

    fn interface_body(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.braced(|javalang_reader| {
                if javalang_reader.take(";") {
                    return Ok(());
                }
                javalang_reader.interface_member()
            })
        })
    }

    fn interface_member(&mut self) -> JavalangResult {
        self.nested(2, |javalang_reader| {
            javalang_reader.modifiers()?;
            if javalang_reader.is_type() {
                return javalang_reader.type_rest();
            }
            if javalang_reader.is("<") {
                javalang_reader.type_parameters()?;
                if !javalang_reader.take("void") {
                    javalang_reader.type_name()?;
                }
                javalang_reader.identifier()?;
                return javalang_reader.method_rest(true);
            }
            if javalang_reader.take("void") {
                javalang_reader.identifier()?;
                return javalang_reader.method_rest(false);
            }
            javalang_reader.type_name()?;
            javalang_reader.identifier()?;
            if javalang_reader.is("(") {
                return javalang_reader.method_rest(true);
            }
            javalang_reader.constants_rest()?;
            javalang_reader.accept(";")
        })
    }

    /// Reads constants after the name of the first; each has a value.
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
        self.nested(1, |javalang_reader| {
            javalang_reader.braced(Self::annotation_member)
        })
    }

    fn annotation_member(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.modifiers()?;
            if javalang_reader.is_type() {
                return javalang_reader.type_rest();
            }
            javalang_reader.type_name()?;
            javalang_reader.identifier()?;
            if javalang_reader.take("(") {
                javalang_reader.accept(")")?;
                javalang_reader.dimensions();
                if javalang_reader.take("default") {
                    javalang_reader.element_value()?;
                }
            } else {
                javalang_reader.constants_rest()?;
            }
            javalang_reader.accept(";")
        })
    }
}
