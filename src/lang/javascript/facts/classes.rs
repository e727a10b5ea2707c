//! Lowering of classes and interfaces.

use super::kind::{Field, Kind};
use super::lower::{ChildNode, FunctionIdentity, JavaScriptLowering, blank_function, in_field};
use super::node::Node;
use super::{
    BindingKind, ClassId, Expr, ExprId, FnId, JavaScriptClass, JavaScriptMember, MemberKey,
    MemberKind, Name, Owner, Type, TypeDecl,
};
use crate::ids::add;

impl<'t> JavaScriptLowering<'t> {
    /// Lowers `class C {…}` and declares its name.
    pub fn class_declaration(&mut self, node: Node<'t>) -> (Name, ExprId) {
        let class = self.class(node, None);
        let name = self.facts.class(class).name;
        let value = self.expr_at(Expr::Class(class), node);
        if name == Name(0) {
            return (name, value);
        }
        let binding = self.declare(self.scope, name, BindingKind::Class);
        self.give(binding, value, node.start_byte() as u32);
        let scope = self.scope;
        self.facts
            .type_names
            .insert((scope, name), TypeDecl::Class(class));
        (name, value)
    }

    pub fn class(&mut self, node: Node<'t>, hint: Option<FunctionIdentity>) -> ClassId {
        let jsdoc_types = self.jsdoc_before(self.whole(node).start);
        let kids = self.kids(node);
        let own = in_field(&kids, Field::name);
        let name = own.map_or(Name(0), |child_node| self.word(child_node.node));
        let name = hint.map_or(name, |function_identity| {
            if function_identity.is_declared || name == Name(0) {
                function_identity.name
            } else {
                name
            }
        });
        let around = hint.map_or(self.path, |function_identity| function_identity.path);
        let id = self.open_class(node, name, around, false);
        if let Some(own) = own {
            self.facts.classes[id.index()].name_at = own.node.start_byte() as u32;
        }
        let scope = self.push_scope(node.span());
        self.facts.classes[id.index()].scope = scope;
        let place = (self.scope, self.path);
        self.scope = scope;
        self.path = self.facts.class(id).path;
        if let Some(own) = own {
            let name = self.word(own.node);
            if !kids.iter().any(|kid| kid.kind == Kind::Other) && hint.is_some() {
                let value = self.expr_at(Expr::Class(id), node);
                let binding = self.declare(scope, name, BindingKind::Class);
                self.give(binding, value, node.start_byte() as u32);
            }
            self.facts
                .type_names
                .insert((scope, name), TypeDecl::Class(id));
        }
        for kid in kids {
            match kid.kind {
                Kind::TypeParameters => {
                    let n = self.type_parameters(kid.node);
                    self.facts.classes[id.index()].n_type_params = n;
                }
                Kind::ClassHeritage => self.heritage(kid.node, id),
                Kind::ClassBody => self.class_body(kid.node, id),
                Kind::Decorator => {
                    self.decorator(kid.node);
                }
                _ => {}
            }
        }
        (self.scope, self.path) = place;
        if let Some(ty) = jsdoc_types.and_then(|jsdoc_types| jsdoc_types.extends)
            && self.facts.class(id).heritage.is_none()
        {
            self.facts.classes[id.index()].supertypes.push(ty);
        }
        id
    }

    pub fn open_class(
        &mut self,
        node: Node<'t>,
        name: Name,
        around: Name,
        is_interface: bool,
    ) -> ClassId {
        let path = self.joined(around, name);
        let span = self.whole(node);
        add(
            &mut self.facts.classes,
            JavaScriptClass {
                name,
                span,
                name_at: span.start,
                is_interface,
                heritage: None,
                supertypes: Vec::new(),
                members: Vec::new(),
                n_type_params: 0,
                path,
                scope: self.scope,
            },
        )
    }

    fn decorator(&mut self, node: Node<'t>) {
        for kid in self.kids(node) {
            self.apart(|lower| lower.expr(kid));
        }
    }

    fn heritage(&mut self, node: Node<'t>, class: ClassId) {
        for kid in self.kids(node) {
            match kid.kind {
                Kind::ExtendsClause => {
                    for part in self.kids(kid.node) {
                        if part.field == Field::value {
                            let value = self.apart(|lower| lower.expr(part));
                            self.facts.classes[class.index()].heritage = Some(value);
                        }
                    }
                }
                Kind::Implements => {
                    for part in self.kids(kid.node) {
                        let ty = self.ty(part);
                        self.facts.classes[class.index()].supertypes.push(ty);
                    }
                }
                kind if super::statements::is_expression(kind) => {
                    let value = self.apart(|lower| lower.expr(kid));
                    self.facts.classes[class.index()].heritage = Some(value);
                }
                _ => {}
            }
        }
    }

    fn class_body(&mut self, node: Node<'t>, class: ClassId) {
        for kid in self.kids(node) {
            self.nested(|lower| lower.class_member(kid, class));
        }
    }

    fn class_member(&mut self, kid: ChildNode<'t>, class: ClassId) {
        let path = self.path;
        let member = match kid.kind {
            Kind::MethodDefinition => {
                let jsdoc_types = self.jsdoc_before(kid.node.start_byte() as u32);
                let member = self.method(kid.node, path, Owner::Class(class, false));
                if let (Some(jsdoc_types), Some(function)) = (
                    jsdoc_types,
                    member.and_then(|script_member| script_member.function),
                ) {
                    self.tell_function(function, &jsdoc_types);
                }
                member
            }
            Kind::AbstractMethod => self.signature(kid, Owner::Class(class, false)),
            Kind::Field | Kind::PublicField => self.field(kid, class),
            Kind::StaticBlock => {
                self.static_block(kid.node, class);
                None
            }
            Kind::Decorator => {
                self.decorator(kid.node);
                None
            }
            _ => None,
        };
        if let Some(member) = member {
            self.facts.classes[class.index()].members.push(member);
        }
    }

    fn field(&mut self, kid: ChildNode<'t>, class: ClassId) -> Option<JavaScriptMember> {
        let jsdoc_types = self.jsdoc_before(kid.node.start_byte() as u32);
        let kids = self.kids(kid.node);
        for kid in kids.iter().filter(|kid| kid.kind == Kind::Decorator) {
            self.decorator(kid.node);
        }
        let key_kid = kids
            .iter()
            .find(|kid| matches!(kid.field, Field::name | Field::property))
            .copied()?;
        let is_static = kids.iter().any(|kid| {
            kid.kind == Kind::WordStatic && kid.node.start_byte() < key_kid.node.start_byte()
        });
        let key = self.key(key_kid)?;
        let (name, is_computed) = self.key_name(key, key_kid);
        let ty = kids.iter().find(|kid| kid.is_type).copied();
        let mut ty = ty.map(|child_node| self.annotation(child_node.node));
        if ty.is_none() {
            ty = jsdoc_types.as_ref().and_then(|jsdoc_types| jsdoc_types.ty);
        }
        let path = self.path;
        let hint = FunctionIdentity {
            owner: Owner::Class(class, is_static),
            span: Some(kid.node.span()),
            ..self.hint_in(path, name, key_kid.node.span())
        };
        let value = in_field(&kids, Field::value);
        let value = value.map(|child_node| {
            // `this` in it is the instance: it runs as a function of the class would.
            let around = self.function;
            self.function = self.initializer(kid.node, Owner::Class(class, is_static));
            let value = self.apart(|lower| lower.expr_with(child_node, Some(hint)));
            self.function = around;
            value
        });
        if let Some(value) = value {
            self.tell(value, jsdoc_types);
        }
        Some(JavaScriptMember {
            is_static,
            is_computed,
            value,
            ty,
            ..JavaScriptMember::at(name, key_kid.node.start_byte())
        })
    }

    fn initializer(&mut self, node: Node<'t>, owner: Owner) -> FnId {
        let id = FnId(self.facts.functions.len() as u32);
        let mut function = blank_function(node.span());
        function.owner = owner;
        function.parent = self.function;
        function.scope = self.scope;
        function.depth = self.fn_depth;
        self.facts.functions.push(function);
        id
    }

    /// Lowers a method without a body, of an interface or an abstract class.
    fn signature(&mut self, kid: ChildNode<'t>, owner: Owner) -> Option<JavaScriptMember> {
        let kids = self.kids(kid.node);
        let key_kid = in_field(&kids, Field::name)?;
        let path = self.path;
        let mut member = self.method(kid.node, path, owner)?;
        if kids.iter().any(|kid| kid.kind == Kind::WordGet) {
            member.kind = MemberKind::Getter;
        }
        member.name_at = key_kid.node.start_byte() as u32;
        Some(member)
    }

    pub fn interface(&mut self, node: Node<'t>) {
        let kids = self.kids(node);
        let Some(name_kid) = in_field(&kids, Field::name) else {
            return;
        };
        let name = self.word(name_kid.node);
        let around = self.path;
        let known = self.facts.type_names.get(&(self.scope, name)).copied();
        let id = match known {
            // A second declaration of an interface adds to the first.
            Some(TypeDecl::Class(id)) => id,
            _ => self.open_class(node, name, around, true),
        };
        self.facts.classes[id.index()].name_at = name_kid.node.start_byte() as u32;
        let scope = self.scope;
        self.facts
            .type_names
            .insert((scope, name), TypeDecl::Class(id));
        self.scoped(node.span(), |lower| {
            for kid in kids {
                match kid.kind {
                    Kind::TypeParameters => {
                        let n = lower.type_parameters(kid.node);
                        lower.facts.classes[id.index()].n_type_params = n;
                    }
                    Kind::ExtendsType => {
                        for part in lower.kids(kid.node) {
                            let ty = lower.ty(part);
                            lower.facts.classes[id.index()].supertypes.push(ty);
                        }
                    }
                    _ if kid.field == Field::body => lower.interface_body(kid.node, id, name),
                    _ => {}
                }
            }
        });
    }

    /// Lowers an object type: `{ … }`.
    pub fn object_type(&mut self, node: Node<'t>) -> Type {
        let around = self.path;
        let id = self.open_class(node, Name(0), around, true);
        self.interface_body(node, id, Name(0));
        Type::Object(id)
    }

    fn interface_body(&mut self, node: Node<'t>, id: ClassId, name: Name) {
        let around = self.path;
        self.path = self.joined(around, name);
        for kid in self.kids(node) {
            let member = match kid.kind {
                Kind::MethodSignature => {
                    self.nested(|lower| lower.signature(kid, Owner::Class(id, false)))
                }
                Kind::PropertySignature => self.nested(|lower| lower.property_signature(kid)),
                Kind::CallSignature => self.nested(|lower| Some(lower.call_signature(kid))),
                _ => None,
            };
            if let Some(Some(member)) = member {
                self.facts.classes[id.index()].members.push(member);
            }
        }
        self.path = around;
    }

    fn property_signature(&mut self, kid: ChildNode<'t>) -> Option<JavaScriptMember> {
        let kids = self.kids(kid.node);
        let key_kid = in_field(&kids, Field::name)?;
        let MemberKey::Named(name) = self.key(key_kid)? else {
            return None;
        };
        let ty = kids.iter().find(|kid| kid.is_type).copied();
        let ty = ty.map(|child_node| self.annotation(child_node.node));
        Some(JavaScriptMember {
            ty,
            ..JavaScriptMember::at(name, key_kid.node.start_byte())
        })
    }

    /// Lowers a call signature, to a member without a name.
    fn call_signature(&mut self, kid: ChildNode<'t>) -> JavaScriptMember {
        let function = self.type_function(kid.node);
        JavaScriptMember {
            kind: MemberKind::Method,
            function: Some(function),
            ..JavaScriptMember::at(Name(0), kid.node.start_byte())
        }
    }

    /// Lowers `(a: A) => B` to a function without a body.
    pub fn type_function(&mut self, node: Node<'t>) -> FnId {
        let id = FnId(self.facts.functions.len() as u32);
        let mut function = blank_function(node.span());
        function.scope = self.scope;
        function.parent = self.function;
        self.facts.functions.push(function);
        self.scoped(node.span(), |lower| {
            for kid in lower.kids(node) {
                match (kid.field, kid.kind) {
                    (Field::type_parameters, _) => {
                        let n = lower.type_parameters(kid.node);
                        lower.facts.functions[id.index()].n_type_params = n;
                    }
                    (Field::parameters, _) => lower.parameters(id, kid.node),
                    (Field::return_type, _) => {
                        let ty = lower.annotation(kid.node);
                        lower.facts.functions[id.index()].return_type = Some(ty);
                    }
                    _ => {}
                }
            }
        });
        id
    }
}
