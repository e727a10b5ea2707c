//! Evaluates the exports and imports of modules.

use super::Eval;
use crate::javascript::facts::{ExportedBinding, ImportId, ImportedBinding, Name, TypeDecl};
use crate::javascript::value::{JavaScriptValue, ValueSet};
use crate::model::FileId;
use crate::symbols::Sym;

/// How many modules are searched for one name.
const MODULES_MAX: usize = 400;

/// Names that tell more than the name of the library does.
const NAMED: &[&str] = &[
    "expect",
    "jest",
    "vi",
    "assert",
    "should",
    "expectTypeOf",
    "assertType",
    "expectAsync",
];

/// The meaning of an exported name.
#[derive(Clone, Copy)]
pub enum Export {
    Value(FileId, crate::javascript::facts::ExprId),
    Type(FileId, TypeDecl),
    Module(FileId),
    /// All that a module of `CommonJS` exports.
    Whole(FileId),
    Outside(Sym),
    Known(JavaScriptValue),
}

impl Eval<'_> {
    pub fn import(&mut self, file: FileId, import: ImportId) -> ValueSet {
        match self.imported(file, import, &mut Vec::new()) {
            Some(export) => self.export_value(export),
            None => ValueSet::unknown(),
        }
    }

    fn export_value(&mut self, export: Export) -> ValueSet {
        match export {
            Export::Value(file, value) => self.expr(file, value),
            Export::Type(file, TypeDecl::Class(class)) => {
                ValueSet::one(JavaScriptValue::Class(file, class))
            }
            Export::Type(..) => ValueSet::unknown(),
            Export::Module(file) => ValueSet::one(JavaScriptValue::Module(file)),
            Export::Whole(file) => self.exports_of(file),
            Export::Outside(owner) => ValueSet::one(JavaScriptValue::Outside(owner)),
            Export::Known(value) => ValueSet::one(value),
        }
    }

    /// Follows an import to its meaning; nothing where a path leads nowhere.
    pub fn imported(
        &mut self,
        file: FileId,
        import: ImportId,
        seen: &mut Vec<(FileId, Sym)>,
    ) -> Option<Export> {
        let import_facts = self.facts(file).imports[import.index()];
        let Some(target) = self.file(file).imports[import.index()] else {
            let specifier = self.facts(file).word(import_facts.from);
            // A path that leads nowhere is code that is not there, no library.
            let is_path = specifier.starts_with('.') || specifier.starts_with('/');
            let owner = match import_facts.what {
                // Runners bring their own assertions and mocks.
                ImportedBinding::Named(name) if NAMED.contains(&self.facts(file).word(name)) => {
                    name
                }
                _ => import_facts.from,
            };
            return (!is_path).then(|| Export::Outside(self.file(file).sym(owner)));
        };
        match import_facts.what {
            ImportedBinding::Namespace if self.is_esm(target) => Some(Export::Module(target)),
            ImportedBinding::Namespace | ImportedBinding::Whole => Some(Export::Whole(target)),
            ImportedBinding::Default => {
                let default = self.project.words.default;
                self.exported(target, default, seen)
                    .or_else(|| (!self.is_esm(target)).then_some(Export::Whole(target)))
            }
            ImportedBinding::Named(name) => {
                let sym = self.file(file).sym(name);
                self.exported(target, sym, seen)
            }
        }
    }

    pub fn is_esm(&self, file: FileId) -> bool {
        let file = self.file(file);
        !file.exports.is_empty() || !file.stars.is_empty()
    }

    /// Finds the export of a module under a name; rings of `export *` come to an end.
    pub fn exported(
        &mut self,
        file: FileId,
        sym: Sym,
        seen: &mut Vec<(FileId, Sym)>,
    ) -> Option<Export> {
        if seen.len() > MODULES_MAX || seen.contains(&(file, sym)) {
            return None;
        }
        seen.push((file, sym));
        let script = self.file(file);
        let mut ty = None;
        for what in script.exports.get(&sym).map_or(&[][..], Vec::as_slice) {
            match *what {
                ExportedBinding::Value(value) => return Some(Export::Value(file, value)),
                ExportedBinding::From(import) => {
                    return self.deeper(|eval| eval.imported(file, import, seen))?;
                }
                ExportedBinding::Type(decl) => ty = Some(Export::Type(file, decl)),
            }
        }
        if ty.is_some() {
            return ty;
        }
        if sym != self.project.words.default {
            for star in script.stars.iter().copied().flatten() {
                let found = self.deeper(|eval| eval.exported(star, sym, seen)).flatten();
                if found.is_some() {
                    return found;
                }
            }
        }
        if self.is_esm(file) {
            return None;
        }
        let values = self.commonjs_member(file, sym)?;
        values.list.first().copied().map(Export::Known)
    }

    /// Evaluates a name that a module of `CommonJS` exports.
    fn commonjs_member(&mut self, file: FileId, sym: Sym) -> Option<ValueSet> {
        let words = self.project.words;
        let mut exports = self.exports_of(file);
        if sym == words.default && self.assigned(JavaScriptValue::Module(file), sym).is_empty() {
            return Some(exports);
        }
        exports
            .list
            .retain(|script_value| *script_value != JavaScriptValue::Module(file));
        let own = self.assigned(JavaScriptValue::Module(file), sym);
        let mut values = ValueSet::default();
        for found in &own {
            values.add(&self.found(found, &exports));
        }
        if values.holds_only_nothing() && !exports.list.is_empty() {
            let found = self.get(&exports, sym);
            if !found.holds_only_nothing() {
                return Some(found);
            }
        }
        (!own.is_empty()).then_some(values)
    }

    /// Evaluates `module.exports` of a file.
    pub fn exports_of(&mut self, file: FileId) -> ValueSet {
        let replaced = &self.file(file).replaced;
        let mut values = ValueSet::default();
        for &value in replaced.iter().rev().take(4) {
            values.add(&self.expr(file, value));
        }
        let values = values.without_nothing();
        if values.list.is_empty() {
            return ValueSet::one(JavaScriptValue::Module(file));
        }
        values
    }

    /// Evaluates `require("…")` or `import("…")`.
    pub fn whole_module(&mut self, file: FileId, from: Name, is_import: bool) -> ValueSet {
        let specifier = self.facts(file).word(from);
        match self.project.module(file, specifier) {
            Some(target) if is_import || self.is_esm(target) => {
                ValueSet::one(JavaScriptValue::Module(target))
            }
            Some(target) => self.exports_of(target),
            None if specifier.starts_with('.') => ValueSet::unknown(),
            None => ValueSet::one(JavaScriptValue::Outside(self.file(file).sym(from))),
        }
    }

    /// Evaluates a member of a module that code holds as a whole.
    pub fn module_member(&mut self, file: FileId, sym: Sym) -> Option<ValueSet> {
        if let Some(export) = self.exported(file, sym, &mut Vec::new()) {
            return Some(self.export_value(export));
        }
        let words = &self.project.words;
        if !self.is_esm(file) {
            return None;
        }
        // Transpilers give the default export's members to those who require the module.
        if sym != words.default
            && let Some(export) = self.exported(file, words.default, &mut Vec::new())
        {
            let default = self.export_value(export);
            let values = self.get(&default, sym);
            return (!values.holds_only_nothing()).then_some(values);
        }
        None
    }
}
