//! Walks composite and function literals.

use super::GoWalker;
use crate::go::facts::{CompositeItem, Expr, ExprId};
use crate::go::types::Ty;
use crate::symbols::Sym;
use std::sync::Arc;

impl<'p> GoWalker<'p> {
    /// Walks `T{…}`; `wanted` is the type where none is written.
    pub(super) fn composite(&mut self, at: u32, wanted: Option<&Ty>) -> Ty {
        let composite = self.facts.composites[at as usize];
        let ty = match composite.ty {
            Some(ty) => {
                let value = self.value(ty);
                self.type_of(&value)
            }
            None => wanted.cloned().unwrap_or(Ty::Unknown),
        };
        if self.is_typing {
            return ty;
        }
        // `[]*T{{…}}` leaves out `&T`.
        let made = match &ty {
            Ty::Pointer(inner) if composite.ty.is_none() => self.project.value_underlying(inner),
            ty => self.project.value_underlying(ty),
        };
        let items: &'p [CompositeItem] = &self.facts.items[composite.items.range()];
        match made {
            Ty::Struct(structure) => {
                for (index, item) in items.iter().enumerate() {
                    let field = match item.key.map(|key| self.facts.expr(key)) {
                        Some(Expr::Name(name, _)) => {
                            let name: Sym = self.file.sym(name);
                            structure.fields.iter().find(|field| field.name == name)
                        }
                        Some(_) => None,
                        None => structure.fields.get(index),
                    };
                    self.item(item.value, field.map(|field| &field.ty));
                }
            }
            Ty::Slice(element) | Ty::Array(element) => {
                for item in items {
                    if let Some(key) = item.key {
                        self.expr(key);
                    }
                    self.item(item.value, Some(&element));
                }
            }
            Ty::Map(map) => {
                for item in items {
                    if let Some(key) = item.key {
                        self.item(key, Some(&map.0));
                    }
                    self.item(item.value, Some(&map.1));
                }
            }
            _ => {
                for item in items {
                    // A plain name may be a field and no value.
                    if let Some(key) = item
                        .key
                        .filter(|expr_id| !matches!(self.facts.expr(*expr_id), Expr::Name(..)))
                    {
                        self.item(key, None);
                    }
                    self.item(item.value, None);
                }
            }
        }
        ty
    }

    fn item(&mut self, id: ExprId, wanted: Option<&Ty>) {
        match self.facts.expr(id) {
            Expr::Composite(at) if self.facts.composites[at as usize].ty.is_none() => {
                self.composite(at, wanted);
            }
            _ => {
                self.expr(id);
            }
        }
    }

    /// Walks `func(…) { … }`.
    pub(super) fn function_literal(&mut self, at: u32) -> Ty {
        let literal = self.facts.literals[at as usize];
        let signature = self.project.signature(literal.signature, self.scope());
        if !self.is_typing {
            self.depth += 1;
            let frames = std::mem::take(&mut self.frames);
            self.scoped(|walker| {
                walker.declare_params(literal.signature, &signature.params, &signature.results);
                walker.note_block(literal.body, true);
                walker.statements(literal.body, None);
            });
            self.frames = frames;
            self.depth -= 1;
        }
        Ty::Func(Arc::new(signature))
    }
}
