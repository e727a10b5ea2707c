//! Facts about a whole file that matter to each of its functions: calls that pass arguments by name, names of the
//! language that have another meaning there, and the code that printing an object runs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;
use super::words::{MutationGrammar, words};
use crate::model::Language;

/// The facts about a file that matter to each of its functions.
pub struct MutationFile<'c> {
    pub code: &'c Code<'c>,
    pub language: Language,
    pub path: &'c str,
    pub words: &'static MutationGrammar,
    /// Every word of the text.
    pub names: FxHashSet<&'c str>,
    /// Names of arguments that calls pass by name, with the names of the callees.
    pub keywords: FxHashMap<&'c str, Vec<&'c str>>,
    /// The names of functions that are called with arguments that are not visible, as in `f(**named)`; the empty name
    /// where the callee is not visible either.
    pub open_calls: FxHashSet<&'c str>,
    /// Names that the file binds or imports, where that changes what a name of the language means.
    pub rebound: FxHashSet<&'c str>,
    /// Names on which the printing of objects depends.
    pub printing: FxHashSet<&'c str>,
    /// By the name of a field, how often it is declared, and its type.
    pub fields: FxHashMap<&'c str, (u32, Option<u32>)>,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

impl<'c> MutationFile<'c> {
    pub fn new(code: &'c Code<'c>, language: Language, path: &'c str) -> Self {
        let mut file = Self {
            code,
            language,
            path,
            words: words(language),
            names: code.text.split(|c| !is_word(c)).collect(),
            keywords: FxHashMap::default(),
            open_calls: FxHashSet::default(),
            rebound: FxHashSet::default(),
            printing: FxHashSet::default(),
            fields: FxHashMap::default(),
        };
        read(&mut file);
        file
    }

    /// Makes a name that the file does not have: `base` itself, or `base` with the first free number from 2 on.
    pub fn fresh(&self, base: &str) -> String {
        if !self.names.contains(base) {
            return base.to_owned();
        }
        let numbered = base.strip_suffix('1').unwrap_or(base);
        // One more than there are names is enough.
        (2..=self.names.len() + 2)
            .map(|number| format!("{numbered}{number}"))
            .find(|text| !self.names.contains(text.as_str()))
            .expect("there are more numbers than names")
    }
}

/// Fills in the facts that matter in the file's language.
fn read(file: &mut MutationFile<'_>) {
    match file.language {
        Language::Python => python(file),
        Language::Java | Language::CSharp => fields(file),
        Language::Go | Language::JavaScript => {}
    }
    if file.language != Language::Python {
        declared(file);
    }
}

/// Returns the last name of a callee: `c` of `a.b.c(…)`.
fn callee<'c>(code: &'c Code<'c>, call: u32) -> &'c str {
    let function = code.child(call, "function");
    let name = function.map(|function| code.child(function, "attribute").unwrap_or(function));
    name.map_or("", |name| code.source(name))
}

fn python(file: &mut MutationFile<'_>) {
    let code = file.code;
    let mut by_name: FxHashMap<&str, u32> = FxHashMap::default();
    let mut printers = Vec::new();
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
                    let is_named = code.child(call, "function").is_some_and(|function| {
                        matches!(code.kind(function), "identifier" | "attribute")
                    });
                    // `handlers[key](**named)` may call anything.
                    let called = if is_named { callee(code, call) } else { "" };
                    file.open_calls.insert(called);
                    // `partial(f, **named)`.
                    let passed = code.named(list).filter(|n| code.kind(*n) == "identifier");
                    file.open_calls
                        .extend(passed.map(|passed| code.source(passed)));
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
            "identifier" => {
                let parent = code.parent(idx);
                let is_bound = match code.kind(parent) {
                    "assignment" | "augmented_assignment" | "for_statement" => {
                        code.field(idx) == "left"
                    }
                    "aliased_import" => code.field(idx) == "alias",
                    "dotted_name" => {
                        let above = code.kind(code.parent(parent));
                        above.starts_with("import") || above == "future_import_statement"
                    }
                    "pattern_list" | "tuple_pattern" | "parameters" | "default_parameter"
                    | "typed_parameter" | "lambda_parameters" | "class_definition"
                    | "as_pattern_target" | "global_statement" | "named_expression" => true,
                    _ => false,
                };
                if is_bound {
                    file.rebound.insert(code.source(idx));
                }
            }
            _ => {}
        }
    }
    doctests(file);
    file.printing = reached(code, &by_name, printers);
}

/// Collects every name in these functions, and in the functions of the file that they mention, directly or not.
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

/// Records arguments that are passed by name in examples: `>>> f(1, b=2)`, also over several lines.
fn doctests(file: &mut MutationFile<'_>) {
    for line in file.code.text.lines() {
        let line = line.trim_start();
        let Some(line) = line
            .strip_prefix(">>>")
            .or_else(|| line.strip_prefix("..."))
        else {
            continue;
        };
        for (at, _) in line.match_indices('=') {
            if line[at + 1..].starts_with('=') {
                continue;
            }
            let before = line[..at].trim_end();
            let name = before
                .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
                .next()
                .unwrap_or_default();
            let rest = before[..before.len() - name.len()].trim_end();
            if !name.is_empty() && (rest.is_empty() || rest.ends_with(['(', ',', '*'])) {
                // The callee is not looked for, so an assignment in an example counts too.
                file.keywords.entry(name).or_default().push("");
            }
        }
        if line.contains("**") {
            let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            file.open_calls
                .extend(words.filter(|word| !word.is_empty()));
        }
    }
}

fn fields(file: &mut MutationFile<'_>) {
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

/// Records the names that are declared: a file that has its own `System` or `console` prints with them.
fn declared(file: &mut MutationFile<'_>) {
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
