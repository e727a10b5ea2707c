//! Lowering of functions, classes and their parameters.

use super::kind::Kind as K;
use super::lower::{OpenScope, PythonLowering};
use super::{BindingOrigin, ExprId, Param, ParamKind, PythonScope, ScopeKind, flag};
use crate::model::Span;
use crate::run::Run;

impl PythonLowering<'_> {
    /// Lowers a function or a class, decorated or not; returns its number.
    pub fn definition(&mut self, idx: u32) -> Option<u32> {
        let mut decorators = Vec::new();
        let mut at = idx;
        if self.kind(idx) == K::Decorated {
            for child in self.named(idx) {
                if self.kind(child) == K::Decorator
                    && let Some(value) = self.named(child).next()
                {
                    decorators.push(self.expr(value));
                }
            }
            at = self.child(idx, self.fields().definition)?;
        }
        let kind = match self.kind(at) {
            K::FunctionDefinition => ScopeKind::Function,
            K::ClassDefinition => ScopeKind::Class,
            _ => return None,
        };
        self.scope(kind, (idx, at), &decorators)
    }

    fn scope(
        &mut self,
        kind: ScopeKind,
        (whole, idx): (u32, u32),
        decorators: &[ExprId],
    ) -> Option<u32> {
        let fields = self.fields();
        let name_idx = self.child(idx, fields.name)?;
        let body_idx = self.child(idx, fields.body);
        let name = self.word_of(name_idx);
        let decorators = self.push_list(decorators);
        let mut flags = 0;
        if kind == ScopeKind::Function && self.has_token(idx, "async") {
            flags |= flag::ASYNC;
        }
        let parent = self.here().index;
        if self.here().n_conditions > 0 {
            flags |= flag::CONDITIONAL;
        }
        let params = self.child(idx, fields.parameters);
        let params = params.map_or_else(Run::default, |param| self.parameters(param));
        let returns = self.child(idx, fields.return_type);
        let returns = returns.map(|n| self.annotation(n));
        let bases = self.child(idx, fields.superclasses);
        let bases = bases.map_or_else(Run::default, |base| self.arguments(base));
        let span = self.span_of(whole);
        let start = self.span_of(idx).start;
        let colon = self
            .tree
            .children(idx)
            .find(|child| self.text_of(*child) == ":");
        let header_end = colon.map_or(self.span_of(name_idx).end, |colon| {
            self.span_of(colon).start
        });
        let header = Span::new(start, header_end.max(start)).of(self.text);
        let words: Vec<&str> = header.split_whitespace().collect();
        self.facts.headers.push(words.join(" ").into());
        let number = self.facts.scopes.len() as u32;
        self.bind(name, BindingOrigin::Define(number));
        self.facts.scopes.push(PythonScope {
            kind,
            flags,
            name,
            parent,
            name_span: self.span_of(name_idx),
            span,
            body_span: body_idx.map(|body_idx| self.span_of(body_idx)),
            decorators,
            params,
            returns,
            bases,
            body: Run::default(),
        });
        let is_method = kind == ScopeKind::Function && self.here().kind == ScopeKind::Class;
        let receiver = self.facts.params[params.range()]
            .first()
            .map(|param| param.name);
        self.open.push(OpenScope {
            index: number,
            kind,
            receiver: receiver.filter(|_| is_method),
            outer: Vec::new(),
            n_conditions: 0,
        });
        for at in params.range() {
            let name = self.facts.params[at].name;
            if kind == ScopeKind::Function {
                self.bind(name, BindingOrigin::Param);
            }
        }
        let body = body_idx.map_or_else(Run::default, |body_idx| self.block(body_idx));
        self.facts.scopes[number as usize].body = body;
        self.open.pop();
        Some(number)
    }

    pub fn parameters(&mut self, idx: u32) -> Run {
        let mut params = Vec::new();
        let mut kind = ParamKind::Plain;
        for child in self.named(idx) {
            match self.kind(child) {
                K::KeywordSeparator => kind = ParamKind::Named,
                K::PositionalSeparator | K::Error => {}
                _ => {
                    if let Some(param) = self.parameter(child, kind) {
                        if param.kind == ParamKind::Star {
                            kind = ParamKind::Named;
                        }
                        params.push(param);
                    }
                }
            }
        }
        Run::add(&mut self.facts.params, params)
    }

    fn parameter(&mut self, idx: u32, plain: ParamKind) -> Option<Param> {
        let fields = self.fields();
        let (name_idx, kind) = match self.kind(idx) {
            K::Identifier => (idx, plain),
            K::DefaultParameter | K::TypedDefaultParameter => {
                (self.child(idx, fields.name)?, plain)
            }
            K::TypedParameter => self.starred(self.named(idx).next()?, plain)?,
            K::ListSplatPattern | K::DictionarySplatPattern => self.starred(idx, plain)?,
            _ => return None,
        };
        if self.kind(name_idx) != K::Identifier {
            return None;
        }
        let annotation = self.child(idx, fields.r#type).map(|n| self.annotation(n));
        let default = self.child(idx, fields.value).map(|n| self.expr(n));
        Some(Param {
            name: self.word_of(name_idx),
            kind,
            annotation,
            default,
        })
    }

    fn starred(&self, idx: u32, plain: ParamKind) -> Option<(u32, ParamKind)> {
        match self.kind(idx) {
            K::ListSplatPattern => Some((self.named(idx).next()?, ParamKind::Star)),
            K::DictionarySplatPattern => Some((self.named(idx).next()?, ParamKind::DoubleStar)),
            _ => Some((idx, plain)),
        }
    }
}
