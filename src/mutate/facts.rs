//! What a whole file says that matters to each of its functions: who passes arguments by name, which names of the
//! language it gives another meaning, what printing an object runs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;
use super::examples::Examples;
use super::words::{Words, words};
use crate::model::Language;

/// What a file says that matters to each of its functions.
pub struct File<'c> {
    pub code: &'c Code<'c>,
    pub language: Language,
    pub path: &'c str,
    pub words: &'static Words,
    /// Every word of the text.
    pub names: FxHashSet<&'c str>,
    /// Names of arguments that calls pass by name, with the names of what is called.
    pub keywords: FxHashMap<&'c str, Vec<&'c str>>,
    /// What is called with arguments that nobody can see.
    pub open_calls: FxHashSet<&'c str>,
    /// Whether some of these calls are of what nobody knows.
    pub has_blind_calls: bool,
    /// Names that stand somewhere otherwise than to be called, defined or imported: what they mean may be called by
    /// another name.
    pub mentioned: FxHashSet<&'c str>,
    /// Names that are given a value otherwise than by a definition or an import: nobody knows what is called by them.
    pub assigned: FxHashSet<&'c str>,
    /// Names that the file binds or imports, where that changes what a name of the language means.
    pub rebound: FxHashSet<&'c str>,
    /// Names that how objects are printed depends on.
    pub printing: FxHashSet<&'c str>,
    /// By the name of a field, how often it is declared, and its type.
    pub fields: FxHashMap<&'c str, (u32, Option<u32>)>,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

impl<'c> File<'c> {
    pub fn new(code: &'c Code<'c>, language: Language, path: &'c str) -> Self {
        let mut file = Self {
            code,
            language,
            path,
            words: words(language),
            names: code.text.split(|c| !is_word(c)).collect(),
            keywords: FxHashMap::default(),
            open_calls: FxHashSet::default(),
            has_blind_calls: false,
            mentioned: FxHashSet::default(),
            assigned: FxHashSet::default(),
            rebound: FxHashSet::default(),
            printing: FxHashSet::default(),
            fields: FxHashMap::default(),
        };
        read(&mut file);
        file
    }

    /// Returns a name that the file does not have: the name itself, or with the first number that is free.
    pub fn fresh(&self, base: &str) -> String {
        if !self.names.contains(base) {
            return base.to_owned();
        }
        let numbered = base.strip_suffix('1').unwrap_or(base);
        // One more than there are names is enough.
        (2..=self.names.len() + 2)
            .map(|number| format!("{numbered}{number}"))
            .find(|it| !self.names.contains(it.as_str()))
            .expect("there are more numbers than names")
    }
}

/// Fills in what is read in one walk over the file.
fn read(file: &mut File<'_>) {
    match file.language {
        Language::Python => python(file),
        Language::Java | Language::CSharp => fields(file),
        Language::Go | Language::JavaScript => {}
    }
    if file.language != Language::Python {
        declared(file);
    }
}

/// Returns the last name of what is called: `c` of `a.b.c(…)`; empty where that has no name.
fn callee<'c>(code: &'c Code<'c>, call: u32) -> &'c str {
    let function = code.child(call, "function");
    let name = function.map(|it| code.child(it, "attribute").unwrap_or(it));
    let name = name.filter(|it| code.kind(*it) == "identifier");
    name.map_or("", |it| code.source(it))
}

fn python(file: &mut File<'_>) {
    let code = file.code;
    let mut by_name: FxHashMap<&str, u32> = FxHashMap::default();
    let (mut printers, mut forwarding) = (Vec::new(), Vec::new());
    for idx in 0..code.tree.nodes.len() as u32 {
        match code.kind(idx) {
            "keyword_argument" => {
                let list = code.parent(idx);
                let called = callee(code, code.parent(list));
                if let Some(name) = code.child(idx, "name") {
                    let name = code.source(name);
                    file.keywords.entry(name).or_default().push(called);
                }
            }
            "dictionary_splat" => {
                let list = code.parent(idx);
                if code.kind(list) == "argument_list" {
                    let call = code.parent(list);
                    forwarding.push(callee(code, call));
                    // `partial(f, **named)`.
                    let passed = code.named(list).filter(|it| code.kind(*it) == "identifier");
                    file.open_calls.extend(passed.map(|it| code.source(it)));
                }
            }
            "function_definition" => {
                if let Some(name) = code.child(idx, "name") {
                    let name = code.source(name);
                    file.rebound.insert(name);
                    by_name.insert(name, idx);
                    if matches!(name, "__str__" | "__repr__" | "__format__")
                        || name.starts_with("_repr")
                    {
                        printers.push(idx);
                    }
                }
            }
            "wildcard_import" => {
                file.rebound.insert("*");
            }
            "identifier" => name(file, idx),
            // Of a string that is nothing but a name: `getattr(self, "a")`.
            "string_content" if !is_of_exports(code, idx) => {
                file.mentioned.insert(code.source(idx));
            }
            _ => {}
        }
    }
    file.has_blind_calls =
        (forwarding.iter()).any(|it| it.is_empty() || file.assigned.contains(it));
    file.open_calls.extend(forwarding);
    let examples = Examples::new(code.text);
    for (name, called) in examples.keywords {
        file.keywords.entry(name).or_default().push(called);
    }
    file.mentioned.extend(examples.mentioned);
    file.open_calls.extend(examples.open);
    file.printing = reached(code, &by_name, printers);
}

/// Notes what a name is there for.
fn name(file: &mut File<'_>, idx: u32) {
    let code = file.code;
    let (name, parent) = (code.source(idx), code.parent(idx));
    let (kind, field) = (code.kind(parent), code.field(idx));
    let above = code.parent(parent);
    let is_import = kind == "dotted_name"
        && (code.kind(above).starts_with("import")
            || code.kind(above) == "future_import_statement");
    let is_definition = matches!(kind, "class_definition" | "function_definition");
    let is_given = match kind {
        "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => {
            field == "left"
        }
        "aliased_import" => field == "alias",
        // What a pattern binds, or the first part of another name.
        "dotted_name" => !is_import,
        "attribute" => {
            let is_target = code.field(parent) == "left"
                || matches!(code.kind(above), "pattern_list" | "tuple_pattern");
            field == "attribute" && is_target
        }
        "pattern_list"
        | "tuple_pattern"
        | "list_pattern"
        | "list_splat_pattern"
        | "dictionary_splat_pattern"
        | "parameters"
        | "default_parameter"
        | "typed_parameter"
        | "typed_default_parameter"
        | "lambda_parameters"
        | "as_pattern_target"
        | "global_statement"
        | "named_expression" => true,
        _ => false,
    };
    if is_given {
        file.assigned.insert(name);
    }
    // An attribute hides no name of the language.
    if is_import || is_definition || (is_given && kind != "attribute") {
        file.rebound.insert(name);
    }
    let is_called = match kind {
        "call" => field == "function",
        "attribute" => field == "attribute" && code.field(parent) == "function",
        "keyword_argument" => field == "name",
        _ => (is_definition && field == "name") || is_import,
    };
    if !is_called {
        file.mentioned.insert(name);
    }
}

/// Returns whether a string is one of the names that a file gives to those who import all of it.
fn is_of_exports(code: &Code<'_>, idx: u32) -> bool {
    let statement = code
        .above(idx)
        .find(|it| code.kind(*it).ends_with("assignment"));
    statement
        .and_then(|it| code.child(it, "left"))
        .is_some_and(|it| code.source(it) == "__all__")
}

/// Returns all names of functions that are mentioned from these on.
fn reached<'c>(
    code: &'c Code<'c>,
    by_name: &FxHashMap<&'c str, u32>,
    mut open: Vec<u32>,
) -> FxHashSet<&'c str> {
    let mut seen = FxHashSet::default();
    while let Some(function) = open.pop() {
        for idx in code.below(function) {
            if code.kind(idx) == "identifier" && seen.insert(code.source(idx)) {
                open.extend(by_name.get(code.source(idx)).copied());
            }
        }
    }
    seen
}

fn fields(file: &mut File<'_>) {
    let code = file.code;
    for idx in 0..code.tree.nodes.len() as u32 {
        let kind = code.kind(idx);
        if kind == "variable_declarator" {
            let above = code.parent(idx);
            let (holder, typed) = match code.kind(above) {
                "field_declaration" => (above, code.child(above, "type")),
                "variable_declaration" if code.kind(code.parent(above)) == "field_declaration" => {
                    (above, code.child(above, "type"))
                }
                _ => continue,
            };
            let has_dimensions = code.child(idx, "dimensions").is_some();
            if let Some(name) = code.child(idx, "name") {
                let entry = file.fields.entry(code.source(name)).or_insert((0, None));
                entry.0 += 1;
                entry.1 = typed.filter(|_| !has_dimensions && holder > 0);
            }
        }
        // `b: 1`.
        if kind == "argument"
            && let Some(name) = code.child(idx, "name")
        {
            file.keywords.entry(code.source(name)).or_default().push("");
        }
    }
}

/// Finds the names that are declared: a file that has its own `System` or `console` prints with them.
fn declared(file: &mut File<'_>) {
    let code = file.code;
    for idx in 0..code.tree.nodes.len() as u32 {
        let is_name = matches!(code.field(idx), "name" | "left" | "alias")
            || matches!(
                code.kind(code.parent(idx)),
                "formal_parameters"
                    | "inferred_parameters"
                    | "import_specifier"
                    | "import_clause"
                    | "expression_list"
                    | "array_pattern"
                    | "object_pattern"
            );
        if is_name && code.is_leaf(idx) {
            // A method's own name hides nothing.
            let is_call = matches!(
                code.kind(code.parent(idx)),
                "method_invocation" | "member_access_expression" | "import_declaration"
            );
            if !is_call {
                file.rebound.insert(code.source(idx));
            }
        }
    }
}
