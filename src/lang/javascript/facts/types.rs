//! Lowering of TypeScript's types.

use super::kind::{Field, Kind};
use super::lower::{ChildNode, JavaScriptLowering, in_field};
use super::node::Node;
use super::{Primitive, Type, TypeDecl, TypeId};

impl<'t> JavaScriptLowering<'t> {
    /// Lowers `: T`, or the type itself.
    pub fn annotation(&mut self, node: Node<'t>) -> TypeId {
        let kid = self.as_kid(node);
        if kid.kind != Kind::TypeAnnotation {
            return self.ty(kid);
        }
        let inner = self.kids(node).into_iter().next();
        inner.map_or(TypeId(0), |child_node| self.ty(child_node))
    }

    pub fn ty(&mut self, kid: ChildNode<'t>) -> TypeId {
        self.nested(|lower| {
            let ty = lower.type_here(kid);
            lower.add_type(ty)
        })
        .unwrap_or(TypeId(0))
    }

    fn type_here(&mut self, kid: ChildNode<'t>) -> Type {
        let node = kid.node;
        match kid.kind {
            Kind::TypeIdentifier | Kind::Identifier | Kind::NestedTypeIdentifier => {
                self.named_type(node, Box::default())
            }
            Kind::GenericType => self.generic_type(node),
            Kind::PredefinedType => match self.slice(node) {
                "string" => Type::Primitive(Primitive::String),
                "number" | "bigint" => Type::Primitive(Primitive::Number),
                "boolean" => Type::Primitive(Primitive::Boolean),
                "void" | "never" | "undefined" | "null" => Type::Nothing,
                _ => Type::Unknown,
            },
            Kind::ArrayType => {
                let inner = self.kids(node).into_iter().next();
                Type::Array(inner.map_or(TypeId(0), |child_node| self.ty(child_node)))
            }
            Kind::TupleType => Type::Tuple(self.types_in(node)),
            Kind::UnionType => Type::Union(self.types_in(node)),
            Kind::IntersectionType => Type::Intersection(self.types_in(node)),
            Kind::ParenthesizedType | Kind::ReadonlyType => {
                let inner = self.kids(node).into_iter().next();
                inner.map_or(Type::Unknown, |child_node| {
                    self.nested(|lower| lower.type_here(child_node))
                        .unwrap_or(Type::Unknown)
                })
            }
            Kind::ObjectType => self.object_type(node),
            Kind::FunctionType => Type::Function(self.type_function(node)),
            Kind::ThisType | Kind::This => Type::This,
            Kind::TypeQuery => {
                let inner = self.kids(node);
                let inner = inner
                    .iter()
                    .find(|child_node| child_node.kind != Kind::WordTypeof)
                    .copied();
                let value = inner.map(|child_node| self.apart(|lower| lower.expr(child_node)));
                value.map_or(Type::Unknown, Type::Typeof)
            }
            Kind::LiteralType => {
                let inner = self.kids(node).into_iter().next();
                match inner.map(|child_node| (child_node, child_node.kind)) {
                    Some((child_node, Kind::String)) => {
                        let text = self.literal(child_node);
                        text.map_or(Type::Primitive(Primitive::String), Type::Text)
                    }
                    Some((_, Kind::Number | Kind::Unary)) => Type::Primitive(Primitive::Number),
                    Some((_, Kind::True | Kind::False)) => Type::Primitive(Primitive::Boolean),
                    Some((_, Kind::Null | Kind::Undefined)) => Type::Nothing,
                    _ => Type::Unknown,
                }
            }
            _ => Type::Unknown,
        }
    }

    fn types_in(&mut self, node: Node<'t>) -> Box<[TypeId]> {
        // The grammar nests `A | B | C` to the left, however many there are.
        let mut found = Vec::new();
        let mut next = Some(node);
        let kind = self.grammar.kind(node.kind());
        while let Some(node) = next.take() {
            for kid in self.kids(node).into_iter().rev() {
                if kid.kind == kind && kind != Kind::TupleType {
                    next = Some(kid.node);
                } else {
                    found.push(self.ty(kid));
                }
            }
        }
        found.reverse();
        found.into()
    }

    fn named_type(&mut self, node: Node<'t>, args: Box<[TypeId]>) -> Type {
        let slice = self.slice(node);
        let path = slice
            .split('.')
            .take(8)
            .map(|part| self.intern(part.trim()));
        let path = path.collect();
        Type::Named {
            path,
            args,
            scope: self.scope,
        }
    }

    fn generic_type(&mut self, node: Node<'t>) -> Type {
        let mut name = None;
        let mut args = Vec::new();
        for kid in self.kids(node) {
            match kid.kind {
                Kind::TypeArguments => args = self.type_arguments(kid.node),
                _ => name = Some(kid.node),
            }
        }
        match name {
            Some(name) => self.named_type(name, args.into()),
            None => Type::Unknown,
        }
    }

    /// Lowers `type A<T> = …`.
    pub fn alias(&mut self, node: Node<'t>) {
        let kids = self.kids(node);
        let Some(name) = in_field(&kids, Field::name) else {
            return;
        };
        let name = self.word(name.node);
        let outer = self.scope;
        let around = self.path;
        self.path = self.joined(around, name);
        let mut value = None;
        self.scoped(node.span(), |lower| {
            for kid in kids {
                match kid.field {
                    Field::type_parameters => {
                        lower.type_parameters(kid.node);
                    }
                    Field::value => value = Some(lower.ty(kid)),
                    _ => {}
                }
            }
        });
        self.path = around;
        if let Some(value) = value {
            self.facts
                .type_names
                .insert((outer, name), TypeDecl::Alias(value));
        }
    }
}
