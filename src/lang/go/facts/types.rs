//! Lowering of types, as written.

use super::kind::Kind;
use super::lower::GoLowering;
use super::{
    Expr, ExprId, GoFieldDecl, Interface, InterfaceMethod, Name, Op, Param, Signature, SignatureId,
    TypeId, TypeParam, TypeSyntax,
};
use crate::ids::add;
use crate::run::Run;

impl GoLowering<'_> {
    /// Lowers the type under the cursor.
    pub fn type_syntax(&mut self) -> TypeId {
        let syntax = self.nested(Self::type_here).unwrap_or(TypeSyntax::Broken);
        self.add_type(syntax)
    }

    fn type_here(&mut self) -> TypeSyntax {
        match self.kind() {
            Kind::TypeIdentifier | Kind::Identifier => {
                let at = self.span().start;
                TypeSyntax::Name(self.word(), at)
            }
            Kind::QualifiedType => self.qualified_type(),
            Kind::GenericType => self.generic_type(),
            Kind::PointerType => TypeSyntax::Pointer(self.inner_type()),
            Kind::SliceType => TypeSyntax::Slice(self.inner_type()),
            Kind::ArrayType | Kind::ImplicitArrayType => TypeSyntax::Array(self.element_type()),
            Kind::ChannelType => TypeSyntax::Channel(self.inner_type()),
            Kind::NegatedType => TypeSyntax::Tilde(self.inner_type()),
            Kind::MapType => self.map_type(),
            Kind::FunctionType => TypeSyntax::Function(self.signature()),
            Kind::StructType => TypeSyntax::Struct(self.fields()),
            Kind::InterfaceType => self.interface(),
            Kind::ParenthesizedType => {
                let inner = self.inner_type();
                self.facts.type_syntax(inner)
            }
            Kind::TypeElem | Kind::TypeConstraint => self.type_elem(),
            _ => TypeSyntax::Broken,
        }
    }

    fn broken_type(&mut self) -> TypeId {
        self.add_type(TypeSyntax::Broken)
    }

    /// Lowers the last type among the children.
    fn inner_type(&mut self) -> TypeId {
        let found = self.last(|lower, kind| kind.is_type().then(|| lower.type_syntax()));
        found.unwrap_or_else(|| self.broken_type())
    }

    /// Lowers the type of an array's elements; its length may look like a type too.
    fn element_type(&mut self) -> TypeId {
        let found = self.last(|lower, _| {
            let is_element = lower.field() == lower.grammar.fields.element;
            is_element.then(|| lower.type_syntax())
        });
        found.unwrap_or_else(|| self.broken_type())
    }

    fn qualified_type(&mut self) -> TypeSyntax {
        let mut package = None;
        let mut name = None;
        self.children(|lower, kind| match kind {
            Kind::PackageIdentifier => package = Some(lower.word()),
            Kind::TypeIdentifier => name = Some(lower.word()),
            _ => {}
        });
        match (package, name) {
            (Some(package), Some(name)) => TypeSyntax::Qualified(package, name),
            _ => TypeSyntax::Broken,
        }
    }

    fn generic_type(&mut self) -> TypeSyntax {
        let mut base = None;
        let mut args = Run::default();
        self.children(|lower, kind| match kind {
            Kind::TypeArguments => args = lower.types_in(),
            kind if kind.is_type() => base = Some(lower.type_syntax()),
            _ => {}
        });
        base.map_or(TypeSyntax::Broken, |base| TypeSyntax::Generic(base, args))
    }

    /// Lowers the types among the children.
    pub fn types_in(&mut self) -> Run {
        let mark = self.mark();
        self.children(|lower, kind| {
            if kind.is_type() || matches!(kind, Kind::TypeElem | Kind::TypeConstraint) {
                let id = lower.type_syntax();
                lower.push(id.0);
            }
        });
        self.type_list(mark)
    }

    fn map_type(&mut self) -> TypeSyntax {
        let mut key = None;
        let mut value = None;
        self.children(|lower, kind| {
            if !kind.is_type() {
                return;
            }
            let ty = lower.type_syntax();
            if lower.field() == lower.grammar.fields.key {
                key = Some(ty);
            } else {
                value = Some(ty);
            }
        });
        match (key, value) {
            (Some(key), Some(value)) => TypeSyntax::Map(key, value),
            _ => TypeSyntax::Broken,
        }
    }

    /// Lowers `A | ~B` under the cursor; a single type is itself.
    fn type_elem(&mut self) -> TypeSyntax {
        let run = self.types_in();
        match self.facts.types(run) {
            [only] => self.facts.type_syntax(*only),
            _ => TypeSyntax::Union(run),
        }
    }

    /// Lowers parameters and results among the children: a function's, a method's, a function type's.
    pub fn signature(&mut self) -> SignatureId {
        let mut params = Run::default();
        let mut results = Run::default();
        self.children(|lower, kind| {
            let field = lower.field();
            if field == lower.grammar.fields.parameters {
                params = lower.params();
            } else if field == lower.grammar.fields.result {
                results = if kind == Kind::ParameterList {
                    lower.params()
                } else {
                    let ty = lower.type_syntax();
                    Run::add(&mut lower.facts.params, [Param::unnamed(ty)])
                };
            }
        });
        SignatureId(add(
            &mut self.facts.signatures,
            Signature { params, results },
        ))
    }

    /// Lowers the parameter list under the cursor.
    pub fn params(&mut self) -> Run {
        let mut params = Vec::new();
        self.children(|lower, kind| {
            let is_variadic = kind == Kind::VariadicParameter;
            if !is_variadic && kind != Kind::ParameterDeclaration {
                return;
            }
            let mut names: Vec<(Name, u32, &str)> = Vec::new();
            let mut ty = None;
            let mut key = None;
            lower.children(|lower, kind| {
                if lower.field() == lower.grammar.fields.name && kind == Kind::Identifier {
                    names.push((lower.word(), lower.span().start, lower.slice()));
                } else if kind.is_type() {
                    if names.last().is_some_and(|name| name.2 == "map") {
                        key = Some(lower.length_as_type());
                    }
                    ty = Some(lower.type_syntax());
                }
            });
            let ty = ty.unwrap_or_else(|| lower.broken_type());
            if let Some((_, _, word @ ("func" | "chan" | "map"))) = names.last() {
                let repaired = lower.misread_type(word, ty, key);
                names.pop();
                for (name, at, _) in names {
                    let ty = lower.add_type(TypeSyntax::Name(name, at));
                    params.push(Param {
                        is_variadic,
                        ..Param::unnamed(ty)
                    });
                }
                params.push(Param {
                    is_variadic,
                    ..Param::unnamed(repaired)
                });
                return;
            }
            let ty = if is_variadic {
                lower.add_type(TypeSyntax::Slice(ty))
            } else {
                ty
            };
            let param = |name| Param {
                name,
                ty,
                is_variadic,
            };
            if names.is_empty() {
                params.push(param(None));
            }
            params.extend(names.into_iter().map(|(name, ..)| param(Some(name))));
        });
        Run::add(&mut self.facts.params, params)
    }

    /// Makes the type of `A, func(B)`, which the grammar reads as two names, `A` and `func`, of the type `(B)`; it
    /// misreads `A, chan B` and `A, map[K]B` in the same way.
    fn misread_type(&mut self, word: &str, ty: TypeId, key: Option<TypeId>) -> TypeId {
        let repaired = match (word, key, self.facts.type_syntax(ty)) {
            ("func", ..) => {
                let params = Run::add(&mut self.facts.params, [Param::unnamed(ty)]);
                let signature = Signature {
                    params,
                    results: Run::default(),
                };
                let id = add(&mut self.facts.signatures, signature);
                TypeSyntax::Function(id)
            }
            ("chan", ..) => TypeSyntax::Channel(ty),
            (_, Some(key), TypeSyntax::Array(element)) => TypeSyntax::Map(key, element),
            _ => TypeSyntax::Broken,
        };
        self.add_type(repaired)
    }

    /// Lowers the length of the array type under the cursor as a type of its own.
    fn length_as_type(&mut self) -> TypeId {
        let length = self.last(|lower, kind| {
            let is_length = lower.is_named() && lower.field() != lower.grammar.fields.element;
            (is_length && kind != Kind::Error).then(|| lower.expr())
        });
        let ty = match length.map(|expr_id| self.facts.expr(expr_id)) {
            Some(Expr::Name(name, at)) => TypeSyntax::Name(name, at),
            Some(Expr::Selector(operand, name, _)) => match self.facts.expr(operand) {
                Expr::Name(package, _) => TypeSyntax::Qualified(package, name),
                _ => TypeSyntax::Broken,
            },
            _ => TypeSyntax::Broken,
        };
        self.add_type(ty)
    }

    /// Lowers `[K comparable, V any]` under the cursor.
    pub fn type_params(&mut self) -> Run {
        let mut params = Vec::new();
        self.children(|lower, kind| {
            if kind != Kind::TypeParameter {
                return;
            }
            let mut names = Vec::new();
            let mut constraint = None;
            lower.children(|lower, kind| match kind {
                Kind::Identifier => names.push(lower.word()),
                Kind::TypeConstraint | Kind::TypeElem => constraint = Some(lower.type_syntax()),
                _ => {}
            });
            let constraint = constraint.unwrap_or_else(|| lower.broken_type());
            params.extend(names.into_iter().map(|name| TypeParam { name, constraint }));
        });
        Run::add(&mut self.facts.type_params, params)
    }

    fn fields(&mut self) -> Run {
        let mut fields = Vec::new();
        self.children(|lower, kind| {
            if kind == Kind::FieldDeclarationList {
                lower.children(|lower, kind| {
                    if kind == Kind::FieldDeclaration {
                        lower.field_declaration(&mut fields);
                    }
                });
            }
        });
        Run::add(&mut self.facts.fields, fields)
    }

    fn field_declaration(&mut self, fields: &mut Vec<GoFieldDecl>) {
        let mut names = Vec::new();
        let mut is_pointer = false;
        let mut ty = None;
        self.children(|lower, kind| match kind {
            Kind::FieldIdentifier => names.push(lower.word()),
            Kind::SignStar => is_pointer = true,
            kind if kind.is_type() => ty = Some(lower.type_syntax()),
            _ => {}
        });
        let Some(ty) = ty else { return };
        if names.is_empty() {
            let Some(name) = self.base_name(ty) else {
                return;
            };
            let ty = if is_pointer {
                self.add_type(TypeSyntax::Pointer(ty))
            } else {
                ty
            };
            fields.push(GoFieldDecl {
                name,
                ty,
                is_embedded: true,
            });
        }
        let named = |name| GoFieldDecl {
            name,
            ty,
            is_embedded: false,
        };
        fields.extend(names.into_iter().map(named));
    }

    /// Finds the name under which a type is embedded.
    fn base_name(&self, ty: TypeId) -> Option<Name> {
        match self.facts.type_syntax(ty) {
            TypeSyntax::Name(name, _) | TypeSyntax::Qualified(_, name) => Some(name),
            TypeSyntax::Generic(base, _) | TypeSyntax::Pointer(base) => {
                match self.facts.type_syntax(base) {
                    TypeSyntax::Name(name, _) | TypeSyntax::Qualified(_, name) => Some(name),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn interface(&mut self) -> TypeSyntax {
        let mut methods = Vec::new();
        let mark = self.mark();
        self.children(|lower, kind| match kind {
            Kind::MethodElem => methods.extend(lower.interface_method()),
            kind if kind.is_type() || matches!(kind, Kind::TypeElem | Kind::TypeConstraint) => {
                let id = lower.type_syntax();
                lower.push(id.0);
            }
            _ => {}
        });
        let embedded = self.type_list(mark);
        let methods = Run::add(&mut self.facts.interface_methods, methods);
        TypeSyntax::Interface(add(
            &mut self.facts.interfaces,
            Interface { methods, embedded },
        ))
    }

    fn interface_method(&mut self) -> Option<InterfaceMethod> {
        let span = self.span();
        let name = self.last(|lower, kind| {
            (kind == Kind::FieldIdentifier).then(|| (lower.word(), lower.span()))
        });
        let (name, name_span) = name?;
        let signature = self.signature();
        let (in_type, in_func) = (self.in_type, self.in_func);
        Some(InterfaceMethod {
            name,
            name_span,
            span,
            signature,
            in_type,
            in_func,
        })
    }

    /// Lowers a type where a value might stand: names stay names, because only their declarations tell.
    pub fn type_expr(&mut self) -> ExprId {
        let expr = self.nested(Self::type_expr_here).unwrap_or(Expr::Broken);
        self.add_expr(expr)
    }

    fn type_expr_here(&mut self) -> Expr {
        match self.kind() {
            Kind::TypeIdentifier => {
                let at = self.span().start;
                Expr::Name(self.word(), at)
            }
            Kind::QualifiedType => self.qualified_expr(),
            Kind::GenericType => {
                let mut base = None;
                let mut args = Run::default();
                self.children(|lower, kind| match kind {
                    Kind::TypeArguments => args = lower.type_exprs_in(),
                    kind if kind.is_type() => base = Some(lower.type_expr()),
                    _ => {}
                });
                base.map_or(Expr::Broken, |base| Expr::Index(base, args))
            }
            Kind::PointerType => {
                let inner = self.inner_type_expr();
                Expr::Unary(Op::Deref, inner)
            }
            Kind::ParenthesizedType | Kind::TypeElem => {
                let inner = self.inner_type_expr();
                self.facts.expr(inner)
            }
            _ => Expr::Type(self.type_syntax()),
        }
    }

    fn qualified_expr(&mut self) -> Expr {
        let mut package = None;
        let mut name = None;
        self.children(|lower, kind| match kind {
            Kind::PackageIdentifier => {
                let at = lower.span().start;
                let word = lower.word();
                package = Some(lower.add_expr(Expr::Name(word, at)));
            }
            Kind::TypeIdentifier => name = Some((lower.word(), lower.span().start)),
            _ => {}
        });
        match (package, name) {
            (Some(package), Some((name, at))) => Expr::Selector(package, name, at),
            _ => Expr::Broken,
        }
    }

    fn inner_type_expr(&mut self) -> ExprId {
        let found = self.last(|lower, kind| kind.is_type().then(|| lower.type_expr()));
        found.unwrap_or_else(|| self.add_expr(Expr::Broken))
    }

    /// Lowers the types among the children, as [`GoLowering::type_expr`] does.
    pub fn type_exprs_in(&mut self) -> Run {
        let mark = self.mark();
        self.children(|lower, kind| {
            if kind.is_type() || kind == Kind::TypeElem {
                let id = lower.type_expr();
                lower.push(id.0);
            }
        });
        self.expr_list(mark)
    }
}
