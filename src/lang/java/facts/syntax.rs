//! Lowering of types, as written.

use super::kind::Kind;
use super::lower::JavaLowering;
use super::{Ids, TypeId, TypeParam, TypeSyntax};
use crate::run::Run;
use crate::syntax::java::prim::Prim;

impl JavaLowering<'_> {
    /// Lowers the type under the cursor.
    pub fn type_syntax(&mut self) -> TypeId {
        self.nested(Self::type_here)
            .unwrap_or_else(|| self.add_type(TypeSyntax::Broken))
    }

    fn type_here(&mut self) -> TypeId {
        match self.kind() {
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.word();
                self.add_type(TypeSyntax::Named {
                    name,
                    args: Ids::EMPTY,
                    outer: None,
                })
            }
            Kind::ScopedType | Kind::ScopedIdentifier => self.scoped_type(),
            Kind::GenericType => self.generic_type(),
            Kind::ArrayType => self.array_type(),
            Kind::AnnotatedType => {
                let found = self.last_type();
                found.unwrap_or_else(|| self.add_type(TypeSyntax::Broken))
            }
            Kind::VoidType => self.add_type(TypeSyntax::Void),
            Kind::BooleanType => self.add_type(TypeSyntax::Prim(Prim::Boolean)),
            Kind::IntegralType | Kind::FloatingType => {
                let prim = match self.slice() {
                    "byte" => Prim::Byte,
                    "short" => Prim::Short,
                    "char" => Prim::Char,
                    "long" => Prim::Long,
                    "float" => Prim::Float,
                    "double" => Prim::Double,
                    _ => Prim::Int,
                };
                self.add_type(TypeSyntax::Prim(prim))
            }
            _ => self.add_type(TypeSyntax::Broken),
        }
    }

    /// Lowers the types among the children and returns the last.
    pub fn last_type(&mut self) -> Option<TypeId> {
        self.last(|lower, kind| kind.is_type().then(|| lower.type_syntax()))
    }

    fn scoped_type(&mut self) -> TypeId {
        let mut outer = None;
        let mut last = None;
        self.children(|lower, kind| match kind {
            Kind::TypeIdentifier | Kind::Identifier if outer.is_some() => {
                let name = lower.word();
                last = Some(lower.add_type(TypeSyntax::Named {
                    name,
                    args: Ids::EMPTY,
                    outer,
                }));
            }
            Kind::TypeIdentifier
            | Kind::Identifier
            | Kind::ScopedType
            | Kind::ScopedIdentifier
            | Kind::GenericType => outer = Some(lower.type_syntax()),
            _ => {}
        });
        last.unwrap_or_else(|| self.add_type(TypeSyntax::Broken))
    }

    fn generic_type(&mut self) -> TypeId {
        let mut base = None;
        let mut args = Ids::EMPTY;
        self.children(|lower, kind| match kind {
            Kind::TypeArguments => args = lower.type_arguments(),
            kind if kind.is_type() => base = Some(lower.type_syntax()),
            _ => {}
        });
        let Some(base) = base else {
            return self.add_type(TypeSyntax::Broken);
        };
        if let TypeSyntax::Named { name, outer, .. } = self.facts.type_syntax(base) {
            // The base was made for this type alone: it is completed in place.
            self.facts.type_syntax[base.index()] = if args.is_empty() {
                TypeSyntax::Diamond { name, outer }
            } else {
                TypeSyntax::Named { name, args, outer }
            };
        }
        base
    }

    /// Lowers `<A, B>` under the cursor.
    pub fn type_arguments(&mut self) -> Ids<TypeId> {
        let mark = self.mark();
        self.children(|lower, kind| {
            let id = match kind {
                Kind::Wildcard => lower.wildcard(),
                kind if kind.is_type() => lower.type_syntax(),
                _ => return,
            };
            lower.push(id.index());
        });
        self.list(mark)
    }

    fn wildcard(&mut self) -> TypeId {
        let mut is_super = false;
        let mut bound = None;
        self.children(|lower, kind| match kind {
            Kind::Super => is_super = true,
            kind if kind.is_type() => bound = Some(lower.type_syntax()),
            _ => {}
        });
        self.add_type(match bound {
            None => TypeSyntax::Wild,
            Some(bound) if is_super => TypeSyntax::WildSuper(bound),
            Some(bound) => TypeSyntax::WildExtends(bound),
        })
    }

    fn array_type(&mut self) -> TypeId {
        let mut element = None;
        let mut n_dimensions = 0;
        self.children(|lower, kind| match kind {
            Kind::Dimensions => n_dimensions += lower.n_dimensions(),
            kind if kind.is_type() => element = Some(lower.type_syntax()),
            _ => {}
        });
        let element = element.unwrap_or_else(|| self.add_type(TypeSyntax::Broken));
        self.arrays_of(element, n_dimensions)
    }

    /// Counts the pairs of brackets in the dimensions under the cursor.
    pub fn n_dimensions(&mut self) -> usize {
        self.slice().bytes().filter(|&b| b == b'[').count()
    }

    /// Wraps an element type in that many array dimensions, at most 255, the limit of class files (JVMS 4.3.2).
    pub fn arrays_of(&mut self, mut element: TypeId, n_dimensions: usize) -> TypeId {
        for _ in 0..n_dimensions.min(255) {
            element = self.add_type(TypeSyntax::Array(element));
        }
        element
    }

    /// Lowers the types among the children of the node under the cursor, also those of a type list in it.
    pub fn types_in(&mut self) -> Ids<TypeId> {
        let mark = self.mark();
        self.push_types();
        self.list(mark)
    }

    fn push_types(&mut self) {
        self.children(|lower, kind| {
            if kind == Kind::TypeList {
                lower.push_types();
            } else if kind.is_type() {
                let id = lower.type_syntax();
                lower.push(id.index());
            }
        });
    }

    /// Lowers `<T extends A & B>` under the cursor.
    pub fn type_parameters(&mut self) -> Run {
        let start = self.facts.type_params.len() as u32;
        self.children(|lower, kind| {
            if kind == Kind::TypeParameter {
                let mut name = None;
                let mut bounds = Ids::EMPTY;
                lower.children(|lower, kind| match kind {
                    Kind::TypeIdentifier => name = Some(lower.word()),
                    Kind::TypeBound => bounds = lower.types_in(),
                    _ => {}
                });
                if let Some(name) = name {
                    lower.facts.type_params.push(TypeParam { name, bounds });
                }
            }
        });
        Run::since(start, self.facts.type_params.len())
    }
}
