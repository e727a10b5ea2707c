//! Lowers the heads of declarations: types, parameters, attributes, modifiers.

use super::kind::Kind;
use super::lower::{BROKEN, BROKEN_TYPE, CSharpLowering, VAR};
use super::{
    Arg, AttributeDecl, Ids, Name, ParamDecl, ParameterPassing, TupleElement, TypeRef, TypeSyntax,
    flag,
};
use crate::model::Span;
use crate::run::Run;

impl CSharpLowering<'_> {
    pub fn ty(&mut self, node: u32) -> TypeRef {
        self.deeper(|lower| lower.ty_inside(node))
            .unwrap_or(BROKEN_TYPE)
    }

    fn ty_inside(&mut self, node: u32) -> TypeRef {
        let fields = self.fields;
        let syntax = match self.kind(node) {
            Kind::ImplicitType => return VAR,
            Kind::Identifier if self.text(node) == "var" => return VAR,
            Kind::Identifier | Kind::GenericName => self.named(None, node),
            Kind::QualifiedName => {
                let outer = self.child(node, fields.qualifier).map(|n| self.ty(n));
                match self.child(node, fields.name) {
                    Some(name) => self.named(outer, name),
                    None => TypeSyntax::Broken,
                }
            }
            Kind::AliasQualifiedName => {
                let alias = self.child(node, fields.alias);
                let is_global = alias.is_some_and(|alia| self.text(alia) == "global");
                let outer = alias.filter(|_| !is_global).map(|alia| self.ty(alia));
                match self.child(node, fields.name).map(|n| self.named(outer, n)) {
                    Some(TypeSyntax::Named {
                        outer, name, args, ..
                    }) => TypeSyntax::Named {
                        outer,
                        name,
                        args,
                        is_global,
                    },
                    _ => TypeSyntax::Broken,
                }
            }
            Kind::MemberAccess => {
                // A name in an expression that turned out to be the name of a type.
                let outer = self.child(node, fields.expression).map(|n| self.ty(n));
                match self.child(node, fields.name) {
                    Some(name) => self.named(outer, name),
                    None => TypeSyntax::Broken,
                }
            }
            Kind::PredefinedType => TypeSyntax::Predefined(self.word(node)),
            Kind::NullableType => match self.inner(node) {
                Some(inner) => TypeSyntax::Nullable(inner),
                None => TypeSyntax::Broken,
            },
            Kind::ArrayType => {
                let rank = self.child(node, fields.rank);
                let rank = rank.map_or(1, |rank| self.rank(rank));
                match self.inner(node) {
                    Some(inner) => TypeSyntax::Array(inner, rank),
                    None => TypeSyntax::Broken,
                }
            }
            Kind::PointerType => match self.inner(node) {
                Some(inner) => TypeSyntax::Pointer(inner),
                None => TypeSyntax::Broken,
            },
            Kind::RefType | Kind::ScopedType => {
                return self.inner(node).unwrap_or(BROKEN_TYPE);
            }
            Kind::TupleType => {
                let elements: Vec<TupleElement> = self
                    .parts(node)
                    .map(|part| TupleElement {
                        name: self
                            .child(part, fields.name)
                            .map_or(Name::NONE, |n| self.word(n)),
                        ty: self.inner(part).unwrap_or(BROKEN_TYPE),
                    })
                    .collect();
                TypeSyntax::Tuple(Run::add(&mut self.facts.elements, elements))
            }
            _ => return BROKEN_TYPE,
        };
        self.add_type(syntax)
    }

    fn inner(&mut self, node: u32) -> Option<TypeRef> {
        let inner = self.child(node, self.fields.r#type)?;
        Some(self.ty(inner))
    }

    /// Counts the dimensions between brackets, 31 at most.
    pub fn rank(&self, node: u32) -> u8 {
        let n = self.text(node).bytes().filter(|&byte| byte == b',').count();
        n.min(30) as u8 + 1
    }

    fn named(&mut self, outer: Option<TypeRef>, node: u32) -> TypeSyntax {
        let (name, args) = self.simple_name(node);
        TypeSyntax::Named {
            outer,
            name,
            args,
            is_global: false,
        }
    }

    /// Takes apart a name with or without type arguments.
    pub fn simple_name(&mut self, node: u32) -> (Name, Ids<TypeRef>) {
        if self.kind(node) != Kind::GenericName {
            return (self.word(node), Ids::default());
        }
        let mut name = Name::NONE;
        let mut args = Vec::new();
        for child in self.parts(node) {
            match self.kind(child) {
                Kind::Identifier => name = self.word(child),
                Kind::TypeArguments => {
                    for arg in self.parts(child) {
                        args.push(self.ty(arg));
                    }
                    if args.is_empty() {
                        // `List<,>` as `typeof` has it.
                        let n = self.text(child).matches(',').count() + 1;
                        args = vec![BROKEN_TYPE; n.min(100)];
                    }
                }
                _ => {}
            }
        }
        (name, self.list(&args))
    }

    /// Lowers parameters; returns them with the flags that they give to the declaration.
    pub fn parameters(&mut self, node: u32) -> (Run, u32) {
        let mut params: Vec<ParamDecl> = Vec::new();
        let mut flags = 0;
        let mut array: Option<(TypeRef, Name)> = None;
        let mut is_params = false;
        for child in self.children(node) {
            let field = self.field_of(child);
            match self.kind(child) {
                Kind::Parameter => {
                    let (param, is_this) = self.parameter(child);
                    if is_this && params.is_empty() {
                        flags |= flag::EXTENSION;
                    }
                    params.push(param);
                }
                Kind::Params => is_params = true,
                _ if is_params && field == self.fields.r#type => {
                    array = Some((self.ty(child), self.folded(self.span(child))));
                }
                _ if is_params && field == self.fields.name => {
                    if let Some((ty, text)) = array.take() {
                        params.push(ParamDecl {
                            name: self.word(child),
                            ty,
                            text,
                            passing: ParameterPassing::Value,
                            is_optional: true,
                            is_params: true,
                        });
                        flags |= flag::PARAMS;
                    }
                    is_params = false;
                }
                _ => {}
            }
        }
        (Run::add(&mut self.facts.params, params), flags)
    }

    fn parameter(&mut self, node: u32) -> (ParamDecl, bool) {
        let mut passing = ParameterPassing::Value;
        let mut is_this = false;
        let mut param = ParamDecl {
            name: Name::NONE,
            ty: VAR,
            text: Name::NONE,
            passing,
            is_optional: false,
            is_params: false,
        };
        let mut text = None;
        for child in self.children(node) {
            let field = self.field_of(child);
            match self.kind(child) {
                Kind::Modifier => match self.text(child) {
                    "this" => is_this = true,
                    "ref" => passing = ParameterPassing::Ref,
                    "out" => passing = ParameterPassing::Out,
                    "in" => passing = ParameterPassing::In,
                    _ => {}
                },
                Kind::EqualSign => param.is_optional = true,
                _ if field == self.fields.r#type => {
                    param.ty = self.ty(child);
                    text = Some(self.span(child));
                }
                _ if field == self.fields.name => param.name = self.word(child),
                _ => {}
            }
        }
        param.passing = passing;
        if let Some(span) = text {
            param.text = self.folded(span);
            let word = match passing {
                ParameterPassing::Value => "",
                ParameterPassing::Ref => "ref ",
                ParameterPassing::Out => "out ",
                ParameterPassing::In => "in ",
            };
            if !word.is_empty() {
                let text = format!("{word}{}", self.facts.word(param.text));
                param.text = self.facts.names.intern(&text);
            }
        }
        (param, is_this)
    }

    pub fn attributes(&mut self, node: u32) -> Run {
        let mut found = Vec::new();
        for list in self.children(node) {
            if self.kind(list) != Kind::AttributeList {
                continue;
            }
            for attribute in self.parts(list) {
                if self.kind(attribute) != Kind::Attribute {
                    continue;
                }
                let Some(name) = self.child(attribute, self.fields.name) else {
                    continue;
                };
                let ty = self.ty(name);
                let list = self.child_of(attribute, Kind::AttributeArgumentList);
                let first = list.and_then(|list| self.parts(list).next());
                let text = first.map_or(Name::NONE, |first| self.folded(self.span(first)));
                let args = list.map_or(Run::default(), |list| self.attribute_arguments(list));
                found.push(AttributeDecl { ty, args, text });
            }
        }
        Run::add(&mut self.facts.attributes, found)
    }

    fn attribute_arguments(&mut self, list: u32) -> Run {
        let mut args = Vec::new();
        for node in self.parts(list) {
            let mut arg = Arg {
                name: Name::NONE,
                passing: ParameterPassing::Value,
                value: BROKEN,
            };
            for child in self.parts(node) {
                if self.field_of(child) == self.fields.name {
                    arg.name = self.word(child);
                } else {
                    arg.value = self.expr(child);
                }
            }
            args.push(arg);
        }
        Run::add(&mut self.facts.args, args)
    }

    pub fn modifiers(&self, node: u32) -> u32 {
        let mut flags = 0;
        for child in self.children(node) {
            if self.kind(child) != Kind::Modifier {
                continue;
            }
            flags |= match self.text(child) {
                "public" => flag::PUBLIC,
                "private" => flag::PRIVATE,
                "protected" => flag::PROTECTED,
                "internal" => flag::INTERNAL,
                "static" => flag::STATIC,
                "abstract" => flag::ABSTRACT,
                "virtual" => flag::VIRTUAL,
                "override" => flag::OVERRIDE,
                "sealed" => flag::SEALED,
                "partial" => flag::PARTIAL,
                "async" => flag::ASYNC,
                "new" => flag::NEW,
                "readonly" => flag::READONLY,
                "const" => flag::CONST | flag::STATIC,
                "file" => flag::FILE,
                _ => 0,
            };
        }
        flags
    }

    /// Returns the head of a declaration without its attributes and its body.
    pub fn signature(&mut self, node: u32, body_start: Option<u32>) -> Name {
        let start = self
            .children(node)
            .find(|&child| !matches!(self.kind(child), Kind::AttributeList | Kind::Comment))
            .map_or(self.span(node).start, |child| self.span(child).start);
        let end = body_start.unwrap_or(self.span(node).end).max(start);
        let name = self.folded(Span::new(start, end));
        let text = self
            .facts
            .word(name)
            .trim_end_matches([';', ' '])
            .to_owned();
        self.facts.names.intern(&text)
    }
}
