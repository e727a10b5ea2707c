//! Statements, as javalang reads them.

use super::{JavalangReader, JavalangResult, JavalangStop, JavalangTokenClass};

impl JavalangReader<'_> {
    pub(super) fn block(&mut self) -> JavalangResult {
        self.nested(1, |it| it.braced(Self::block_statement))
    }

    pub(super) fn block_statement(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.is_named(":") || it.is("synchronized") {
                return it.statement();
            }
            let (ahead, has_annotations, is_type) = it.past_modifiers()?;
            if is_type || matches!(it.value(ahead), "class" | "enum" | "interface" | "@") {
                return it.type_declaration();
            }
            if has_annotations || it.class(ahead) == JavalangTokenClass::Basic {
                return it.local_variable();
            }
            if it.class(ahead) != JavalangTokenClass::Identifier {
                return it.statement();
            }
            if it.attempt(Self::local_variable)? {
                return Ok(());
            }
            it.statement()
        })
    }

    /// Looks past annotations and `final`. Says how far that is, whether there were annotations, and whether another
    /// modifier stands there, which only a type has.
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
            // Behind an annotation without parentheses this is one too many, and javalang's.
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
        self.nested(1, |it| {
            it.variable_modifiers()?;
            it.type_name()?;
            it.separated(",", Self::declarator)?;
            it.accept(";")
        })
    }

    fn statement(&mut self) -> JavalangResult {
        self.nested(1, |it| {
            if it.is_named(":") {
                it.at += 2;
                return it.statement();
            }
            match it.value(0) {
                "{" => it.block(),
                ";" => it.skip(),
                "if" => it.if_statement(),
                "switch" => it.switch(),
                "try" => it.try_statement(),
                "while" => {
                    it.skip()?;
                    it.parenthesized()?;
                    it.statement()
                }
                "do" => {
                    it.skip()?;
                    it.statement()?;
                    it.accept("while")?;
                    it.parenthesized()?;
                    it.accept(";")
                }
                "for" => {
                    it.skip()?;
                    it.accept("(")?;
                    it.for_header()?;
                    it.accept(")")?;
                    it.statement()
                }
                "synchronized" => {
                    it.skip()?;
                    it.parenthesized()?;
                    it.block()
                }
                "assert" => {
                    it.skip()?;
                    it.expression()?;
                    if it.take(":") {
                        it.expression()?;
                    }
                    it.accept(";")
                }
                "break" | "continue" => {
                    it.skip()?;
                    if it.is_class(JavalangTokenClass::Identifier) {
                        it.skip()?;
                    }
                    it.accept(";")
                }
                "return" => {
                    it.skip()?;
                    if !it.is(";") {
                        it.expression()?;
                    }
                    it.accept(";")
                }
                "throw" => {
                    it.skip()?;
                    it.expression()?;
                    it.accept(";")
                }
                _ => {
                    it.expression()?;
                    it.accept(";")
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
        self.nested(2, |it| {
            it.accept("catch")?;
            it.accept("(")?;
            it.variable_modifiers()?;
            it.separated("|", Self::qualified)?;
            it.identifier()?;
            it.accept(")")?;
            it.block()
        })
    }

    fn resources(&mut self) -> JavalangResult {
        self.nested(2, |it| {
            it.accept("(")?;
            loop {
                it.variable_modifiers()?;
                it.class_type()?;
                it.dimensions();
                it.identifier()?;
                it.dimensions();
                it.accept("=")?;
                it.expression()?;
                if !it.is(")") {
                    it.accept(";")?;
                }
                if it.take(")") {
                    return Ok(());
                }
            }
        })
    }

    fn switch(&mut self) -> JavalangResult {
        self.accept("switch")?;
        self.parenthesized()?;
        self.accept("{")?;
        self.nested(2, |it| {
            while matches!(it.value(0), "case" | "default") {
                it.switch_group()?;
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
        self.nested(1, |it| {
            if it.attempt(Self::for_variable)? {
                return Ok(());
            }
            if !it.is(";") {
                it.expressions()?;
            }
            it.accept(";")?;
            it.for_rest()
        })
    }

    /// Reads condition and update.
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
        self.nested(2, |it| {
            it.variable_modifiers()?;
            it.type_name()?;
            it.identifier()?;
            it.dimensions();
            if it.take(":") {
                return it.expression();
            }
            if !it.is(";") {
                if it.take("=") {
                    it.initializer()?;
                }
                while it.take(",") {
                    it.declarator()?;
                }
            }
            it.accept(";")?;
            it.for_rest()
        })
    }

    fn expressions(&mut self) -> JavalangResult {
        self.nested(1, |it| it.separated(",", Self::expression))
    }
}
