//! Lowers the top level of a file: imports, functions, types, variables and constants.

use super::kind::Kind;
use super::lower::GoLowering;
use super::{FuncDecl, GoImport, GoValueSpec, ImportName, TypeDecl};
use crate::model::Span;
use crate::run::Run;

impl GoLowering<'_> {
    pub fn top_level(&mut self, kind: Kind) {
        match kind {
            Kind::Package => self.children(|lower, kind| {
                if kind == Kind::PackageIdentifier {
                    lower.facts.package = Some(lower.word());
                }
            }),
            Kind::Import => self.imports(),
            Kind::Function | Kind::Method => self.function(),
            Kind::TypeDeclaration => self.type_declaration(),
            Kind::Var | Kind::Const => {
                let values = self.values();
                self.facts.package_values.extend(values.start..values.end);
            }
            // Unbalanced braces put whole declarations into one error node.
            Kind::Error => {
                self.nested(|lower| lower.children(Self::top_level));
            }
            _ => {}
        }
    }

    fn imports(&mut self) {
        self.children(|lower, kind| match kind {
            Kind::ImportSpec => lower.import(),
            Kind::ImportSpecList => lower.children(|lower, kind| {
                if kind == Kind::ImportSpec {
                    lower.import();
                }
            }),
            _ => {}
        });
    }

    fn import(&mut self) {
        let mut name = ImportName::Own;
        let mut path = None;
        self.children(|lower, kind| match kind {
            Kind::Dot => name = ImportName::Dot,
            Kind::BlankIdentifier => name = ImportName::Blank,
            Kind::PackageIdentifier => name = ImportName::Alias(lower.word()),
            Kind::String | Kind::RawString => {
                let text = lower.slice();
                path = Some(lower.facts.names.intern(text.trim_matches(['"', '`'])));
            }
            _ => {}
        });
        if let Some(path) = path {
            self.facts.imports.push(GoImport { path, name });
        }
    }

    fn function(&mut self) {
        let span = self.span();
        let (mut name, mut receiver, mut body_span) = (None, None, None);
        let mut type_params = Run::default();
        self.children(|lower, kind| match kind {
            Kind::Identifier | Kind::FieldIdentifier => name = Some((lower.word(), lower.span())),
            Kind::TypeParameterList => type_params = lower.type_params(),
            Kind::ParameterList if lower.field() == lower.grammar.fields.receiver => {
                let params = lower.params();
                receiver = lower.facts.params[params.range()].first().copied();
            }
            Kind::Block => body_span = Some(lower.span()),
            _ => {}
        });
        let Some((name, name_span)) = name else {
            return;
        };
        let header = self.header(Span::new(
            span.start,
            body_span.map_or(span.end, |span| span.start),
        ));
        let signature = self.signature();
        self.facts.funcs.push(FuncDecl {
            name,
            name_span,
            span,
            receiver,
            type_params,
            signature,
            body: None,
            header,
        });
        let index = self.facts.funcs.len() - 1;
        self.in_func = Some(index as u32);
        let body = self.body();
        self.in_func = None;
        self.facts.funcs[index].body = body;
    }

    /// Keeps the text of a header, its white space folded.
    fn header(&mut self, span: Span) -> Run {
        let headers = &mut self.facts.headers;
        let start = headers.len() as u32;
        for word in span.of(self.text).split_whitespace() {
            if headers.len() as u32 > start {
                headers.push(' ');
            }
            headers.push_str(word);
        }
        Run::since(start, headers.len())
    }

    pub fn type_declaration(&mut self) {
        self.children(|lower, kind| {
            if matches!(kind, Kind::TypeSpec | Kind::TypeAlias) {
                lower.type_spec(kind == Kind::TypeAlias);
            }
        });
    }

    fn type_spec(&mut self, is_alias: bool) {
        let around = self.in_type;
        // A type declaration holds no other one, so that its number is the next one, except in broken sources.
        self.in_type = Some(self.facts.types.len() as u32);
        let mut name = None;
        let mut type_params = Run::default();
        let mut ty = None;
        self.children(|lower, kind| {
            if lower.field() == lower.grammar.fields.name && name.is_none() {
                name = Some((lower.word(), lower.span()));
            } else if kind == Kind::TypeParameterList {
                type_params = lower.type_params();
            } else if kind.is_type() {
                ty = Some(lower.type_syntax());
            }
        });
        self.in_type = around;
        if let (Some((name, name_span)), Some(ty)) = (name, ty) {
            self.facts.types.push(TypeDecl {
                name,
                name_span,
                type_params,
                ty,
                is_alias,
                in_func: self.in_func,
                scope_end: self.block_end,
            });
        }
    }

    /// Lowers a `var` or `const` declaration, single or grouped.
    pub fn values(&mut self) -> Run {
        let is_const = self.kind() == Kind::Const;
        let mut all: Vec<GoValueSpec> = Vec::new();
        self.children(|lower, kind| match kind {
            Kind::VarSpec | Kind::ConstSpec => {
                let one = lower.value_spec(is_const, all.last());
                all.push(one);
            }
            Kind::VarSpecList => lower.children(|lower, kind| {
                if kind == Kind::VarSpec {
                    let one = lower.value_spec(is_const, None);
                    all.push(one);
                }
            }),
            _ => {}
        });
        Run::add(&mut self.facts.values, all)
    }

    fn value_spec(&mut self, is_const: bool, before: Option<&GoValueSpec>) -> GoValueSpec {
        let mut names = Vec::new();
        let mut ty = None;
        let mut values = None;
        self.children(|lower, kind| match kind {
            Kind::Identifier if lower.field() == lower.grammar.fields.name => {
                names.push((lower.word(), lower.span()));
            }
            Kind::ExprList => values = Some(lower.exprs_here()),
            kind if kind.is_type() => ty = Some(lower.type_syntax()),
            _ => {}
        });
        let names = Run::add(&mut self.facts.value_names, names);
        match (values, before) {
            (None, Some(before)) if is_const => GoValueSpec {
                names,
                is_written: false,
                ..*before
            },
            _ => GoValueSpec {
                names,
                ty,
                exprs: values.unwrap_or_default(),
                is_const,
                is_written: true,
            },
        }
    }
}
