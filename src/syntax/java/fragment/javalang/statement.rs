//! Statements, as javalang reads them.

use super::{JavalangReader, JavalangResult, JavalangStop, JavalangTokenClass};

impl JavalangReader<'_> {
    pub(super) fn block(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.braced(Self::block_statement)
        })
    }

    pub(super) fn block_statement(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.is_named(":") || javalang_reader.is("synchronized") {
                return javalang_reader.statement();
            }
            let (ahead, has_annotations, is_type) = javalang_reader.past_modifiers()?;
            if is_type
                || matches!(
                    javalang_reader.value(ahead),
                    "class" | "enum" | "interface" | "@"
                )
            {
                return javalang_reader.type_declaration();
            }
            if has_annotations || javalang_reader.class(ahead) == JavalangTokenClass::Basic {
                return javalang_reader.local_variable();
            }
            if javalang_reader.class(ahead) != JavalangTokenClass::Identifier {
                return javalang_reader.statement();
            }
            if javalang_reader.attempt(Self::local_variable)? {
                return Ok(());
            }
            javalang_reader.statement()
        })
    }

    /// Looks past annotations and `final`. Returns how many tokens these take, whether there were annotations, and
    /// whether another modifier follows, which only a type has.
    fn past_modifiers(&mut self) -> JavalangResult<(usize, bool, bool)> {
        let mut ahead = 0;
        let mut has_annotations = false;
        loop {
            if self.class(ahead) == JavalangTokenClass::Modifier {
                if self.value(ahead) != "final" {
                    return Ok((ahead, has_annotations, true));
                }
            } else if self.is_annotation(ahead) {
                has_annotations = true;
                ahead += 2;
                while self.value(ahead) == "." {
                    ahead += 2;
                }
                if self.value(ahead) == "(" {
                    ahead = self.past_parentheses(ahead)?;
                    continue;
                }
            } else {
                return Ok((ahead, has_annotations, false));
            }
            // After an annotation without parentheses this is one token too far, as in javalang.
            ahead += 1;
        }
    }

    fn past_parentheses(&mut self, open: usize) -> JavalangResult<usize> {
        let mut ahead = open + 1;
        let mut n_open = 1;
        while n_open > 0 {
            match self.value(ahead) {
                "(" => n_open += 1,
                ")" => n_open -= 1,
                "" => {
                    self.failed_at = self.at + open;
                    return Err(JavalangStop::Fatal("`(` of an annotation is not closed"));
                }
                _ => {}
            }
            ahead += 1;
        }
        Ok(ahead)
    }

    fn local_variable(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.variable_modifiers()?;
            javalang_reader.type_name()?;
            javalang_reader.separated(",", Self::declarator)?;
            javalang_reader.accept(";")
        })
    }

    fn statement(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.is_named(":") {
                javalang_reader.at += 2;
                return javalang_reader.statement();
            }
            match javalang_reader.value(0) {
                "{" => javalang_reader.block(),
                ";" => javalang_reader.skip(),
                "if" => javalang_reader.if_statement(),
                "switch" => javalang_reader.switch(),
                "try" => javalang_reader.try_statement(),
                "while" => {
                    javalang_reader.skip()?;
                    javalang_reader.parenthesized()?;
                    javalang_reader.statement()
                }
                "do" => {
                    javalang_reader.skip()?;
                    javalang_reader.statement()?;
                    javalang_reader.accept("while")?;
                    javalang_reader.parenthesized()?;
                    javalang_reader.accept(";")
                }
                "for" => {
                    javalang_reader.skip()?;
                    javalang_reader.accept("(")?;
                    javalang_reader.for_header()?;
                    javalang_reader.accept(")")?;
                    javalang_reader.statement()
                }
                "synchronized" => {
                    javalang_reader.skip()?;
                    javalang_reader.parenthesized()?;
                    javalang_reader.block()
                }
                "assert" => {
                    javalang_reader.skip()?;
                    javalang_reader.expression()?;
                    if javalang_reader.take(":") {
                        javalang_reader.expression()?;
                    }
                    javalang_reader.accept(";")
                }
                "break" | "continue" => {
                    javalang_reader.skip()?;
                    if javalang_reader.is_class(JavalangTokenClass::Identifier) {
                        javalang_reader.skip()?;
                    }
                    javalang_reader.accept(";")
                }
                "return" => {
                    javalang_reader.skip()?;
                    if !javalang_reader.is(";") {
                        javalang_reader.expression()?;
                    }
                    javalang_reader.accept(";")
                }
                "throw" => {
                    javalang_reader.skip()?;
                    javalang_reader.expression()?;
                    javalang_reader.accept(";")
                }
                _ => {
                    javalang_reader.expression()?;
                    javalang_reader.accept(";")
                }
            }
        })
    }

    fn if_statement(&mut self) -> JavalangResult {
        self.accept("if")?;
        self.parenthesized()?;
        self.statement()?;
        if self.take("else") {
            self.statement()?;
        }
        Ok(())
    }

    fn try_statement(&mut self) -> JavalangResult {
        self.accept("try")?;
        let has_resources = !self.is("{");
        if has_resources {
            self.resources()?;
        }
        self.block()?;
        let mut has_more = has_resources;
        while self.is("catch") {
            has_more = true;
            self.catch()?;
        }
        if self.take("finally") {
            has_more = true;
            self.block()?;
        }
        if has_more { Ok(()) } else { self.fail() }
    }

    fn catch(&mut self) -> JavalangResult {
        self.nested(2, |javalang_reader| {
            javalang_reader.accept("catch")?;
            javalang_reader.accept("(")?;
            javalang_reader.variable_modifiers()?;
            javalang_reader.separated("|", Self::qualified)?;
            javalang_reader.identifier()?;
            javalang_reader.accept(")")?;
            javalang_reader.block()
        })
    }

    fn resources(&mut self) -> JavalangResult {
        self.nested(2, |javalang_reader| {
            javalang_reader.accept("(")?;
            loop {
                javalang_reader.variable_modifiers()?;
                javalang_reader.class_type()?;
                javalang_reader.dimensions();
                javalang_reader.identifier()?;
                javalang_reader.dimensions();
                javalang_reader.accept("=")?;
                javalang_reader.expression()?;
                if !javalang_reader.is(")") {
                    javalang_reader.accept(";")?;
                }
                if javalang_reader.take(")") {
                    return Ok(());
                }
            }
        })
    }

    fn switch(&mut self) -> JavalangResult {
        self.accept("switch")?;
        self.parenthesized()?;
        self.accept("{")?;
        self.nested(2, |javalang_reader| {
            while matches!(javalang_reader.value(0), "case" | "default") {
                javalang_reader.switch_group()?;
            }
            Ok(())
        })?;
        self.accept("}")
    }

    fn switch_group(&mut self) -> JavalangResult {
        while matches!(self.value(0), "case" | "default") {
            if self.take("case") {
                if self.is_named(":") {
                    self.skip()?;
                } else {
                    self.expression()?;
                }
            } else {
                self.skip()?;
            }
            self.accept(":")?;
        }
        while !matches!(self.value(0), "case" | "default" | "}") {
            self.block_statement()?;
        }
        Ok(())
    }

    fn for_header(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            if javalang_reader.attempt(Self::for_variable)? {
                return Ok(());
            }
            if !javalang_reader.is(";") {
                javalang_reader.expressions()?;
            }
            javalang_reader.accept(";")?;
            javalang_reader.for_rest()
        })
    }

    /// Reads the condition and the updates of a `for`.
    fn for_rest(&mut self) -> JavalangResult {
        if !self.is(";") {
            self.expression()?;
        }
        self.accept(";")?;
        if !self.is(")") {
            self.expressions()?;
        }
        Ok(())
    }

    fn for_variable(&mut self) -> JavalangResult {
        self.nested(2, |javalang_reader| {
            javalang_reader.variable_modifiers()?;
            javalang_reader.type_name()?;
            javalang_reader.identifier()?;
            javalang_reader.dimensions();
            if javalang_reader.take(":") {
                return javalang_reader.expression();
            }
            if !javalang_reader.is(";") {
                if javalang_reader.take("=") {
                    javalang_reader.initializer()?;
                }
                while javalang_reader.take(",") {
                    javalang_reader.declarator()?;
                }
            }
            javalang_reader.accept(";")?;
            javalang_reader.for_rest()
        })
    }

    fn expressions(&mut self) -> JavalangResult {
        self.nested(1, |javalang_reader| {
            javalang_reader.separated(",", Self::expression)
        })
    }
}
