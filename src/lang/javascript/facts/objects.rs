//! Lowering of object literals, enums and namespaces: the holders of members by name.

use super::kind::{Field, Kind};
use super::lower::{ChildNode, FunctionIdentity, JavaScriptLowering, in_field};
use super::node::Node;
use super::{
    BindingKind, Expr, ExprId, JavaScriptMember, MemberKey, MemberKind, Name, ObjId, Object, Owner,
    Primitive,
};

impl<'t> JavaScriptLowering<'t> {
    pub fn object(&mut self, node: Node<'t>, hint: Option<FunctionIdentity>) -> ObjId {
        let id = ObjId(self.facts.objects.len() as u32);
        self.facts.objects.push(Object::default());
        let path = hint.map_or(self.path, |function_identity| function_identity.inner);
        for kid in self.kids(node) {
            let member = match kid.kind {
                Kind::Pair => self.pair(kid, id, path),
                Kind::MethodDefinition => self.object_method(kid, id, path),
                Kind::Shorthand => {
                    let name = self.word(kid.node);
                    let value = self.expr(kid);
                    Some(field(name, Some(value), kid))
                }
                Kind::Spread => {
                    let inner = self.kids(kid.node).into_iter().next();
                    inner.map(|child_node| {
                        let value = self.expr(child_node);
                        JavaScriptMember {
                            kind: MemberKind::Spread,
                            ..field(Name(0), Some(value), kid)
                        }
                    })
                }
                _ => None,
            };
            if let Some(member) = member {
                self.facts.objects[id.index()].members.push(member);
            }
        }
        id
    }

    fn pair(&mut self, kid: ChildNode<'t>, object: ObjId, path: Name) -> Option<JavaScriptMember> {
        let kids = self.kids(kid.node);
        let key_kid = in_field(&kids, Field::key)?;
        let value_kid = in_field(&kids, Field::value)?;
        let jsdoc_types = self.jsdoc_before(kid.node.start_byte() as u32);
        let key = self.key(key_kid)?;
        let (name, is_computed) = self.key_name(key, key_kid);
        let hint = FunctionIdentity {
            owner: Owner::Object(object),
            span: Some(kid.node.span()),
            ..self.hint_in(path, name, key_kid.node.span())
        };
        let value = self.expr_with(value_kid, Some(hint));
        self.tell(value, jsdoc_types);
        Some(JavaScriptMember {
            is_computed,
            ..field(name, Some(value), key_kid)
        })
    }

    fn object_method(
        &mut self,
        kid: ChildNode<'t>,
        object: ObjId,
        path: Name,
    ) -> Option<JavaScriptMember> {
        let jsdoc_types = self.jsdoc_before(kid.node.start_byte() as u32);
        let method = self.method(kid.node, path, Owner::Object(object))?;
        if let (Some(jsdoc_types), Some(function)) = (jsdoc_types, method.function) {
            self.tell_function(function, &jsdoc_types);
        }
        Some(method)
    }

    /// Names a key, `[expr]` for a computed one, and tells whether it is computed.
    pub fn key_name(&mut self, key: MemberKey, kid: ChildNode<'t>) -> (Name, bool) {
        match key {
            MemberKey::Named(name) => (name, false),
            MemberKey::Computed(_) => {
                let folded = super::expressions::folded(self.slice(kid.node));
                (self.intern(&folded), true)
            }
        }
    }

    /// Lowers a method of a class or an object.
    pub fn method(&mut self, node: Node<'t>, path: Name, owner: Owner) -> Option<JavaScriptMember> {
        let kids = self.kids(node);
        let key_kid = in_field(&kids, Field::name)?;
        let has = |kind| {
            kids.iter()
                .any(|kid| kid.kind == kind && kid.node.start_byte() < key_kid.node.start_byte())
        };
        let is_static = has(Kind::WordStatic);
        let key = self.key(key_kid)?;
        let (name, is_computed) = self.key_name(key, key_kid);
        let is_class = matches!(owner, Owner::Class(..));
        let kind = if has(Kind::WordGet) {
            MemberKind::Getter
        } else if has(Kind::WordSet) {
            MemberKind::Setter
        } else if is_class && !is_static && self.facts.word(name) == "constructor" {
            MemberKind::Constructor
        } else {
            MemberKind::Method
        };
        let owner = match owner {
            Owner::Class(class, _) => Owner::Class(class, is_static),
            other => other,
        };
        let hint = FunctionIdentity {
            owner,
            span: Some(node.span()),
            ..self.hint_in(path, name, key_kid.node.span())
        };
        let function = self.apart(|lower| lower.function_of(node, Some(hint), kind));
        self.facts.functions[function.index()].is_static = is_static;
        Some(JavaScriptMember {
            kind,
            is_static,
            is_computed,
            function: Some(function),
            ..JavaScriptMember::at(name, key_kid.node.start_byte())
        })
    }

    /// Lowers `enum E { A, B }` to an object whose members are numbers.
    pub fn enumeration(&mut self, node: Node<'t>) {
        let id = ObjId(self.facts.objects.len() as u32);
        self.facts.objects.push(Object::default());
        let mut name = None;
        for kid in self.kids(node) {
            match kid.field {
                Field::name => name = Some(self.word(kid.node)),
                Field::body => {
                    for entry in self.kids(kid.node) {
                        let key = match entry.kind {
                            Kind::EnumAssignment => self.kid(entry.node, Field::name),
                            _ => Some(entry),
                        };
                        let Some(key) = key else { continue };
                        let Some(MemberKey::Named(word)) = self.key(key) else {
                            continue;
                        };
                        let value = self.expr_at(Expr::Primitive(Primitive::Number), entry.node);
                        let member = field(word, Some(value), key);
                        self.facts.objects[id.index()].members.push(member);
                    }
                }
                _ => {}
            }
        }
        if let Some(name) = name {
            self.declare_value(name, Expr::Object(id), node);
        }
    }

    /// Lowers `namespace N {…}` to an object that holds its exports.
    pub fn namespace(&mut self, kid: ChildNode<'t>, _is_exported: bool) {
        let node = kid.node;
        let kids = self.kids(node);
        let Some(name_kid) = in_field(&kids, Field::name) else {
            return;
        };
        if name_kid.kind == Kind::String {
            // `declare module "x"` describes another module.
            return;
        }
        let name = self.word(name_kid.node);
        let Some(body) = in_field(&kids, Field::body) else {
            return;
        };
        let around = self.path;
        self.path = self.joined(around, name);
        let n_exports = self.facts.exports.len();
        self.scoped(node.span(), |lower| {
            lower.body(body.node, false);
        });
        self.path = around;
        let exports = self.facts.exports.split_off(n_exports);
        let id = ObjId(self.facts.objects.len() as u32);
        let members = exports
            .into_iter()
            .filter_map(|export| match export.what {
                super::ExportedBinding::Value(value) => {
                    Some(field(export.name, Some(value), name_kid))
                }
                _ => None,
            })
            .collect();
        self.facts.objects.push(Object { members });
        self.declare_value(name, Expr::Object(id), node);
    }

    pub fn declare_value(&mut self, name: Name, value: Expr, node: Node<'t>) -> ExprId {
        let value = self.expr_at(value, node);
        let binding = self.declare(self.scope, name, BindingKind::Const);
        self.give(binding, value, node.start_byte() as u32);
        value
    }
}

fn field(name: Name, value: Option<ExprId>, kid: ChildNode<'_>) -> JavaScriptMember {
    JavaScriptMember {
        value,
        ..JavaScriptMember::at(name, kid.node.start_byte())
    }
}
