//! Other names for the private members of a file: what begins with one underscore, with all its uses in the file.
//!
//! A name stays where anybody else may know it: another file of main code has the word, a text of this file has it, a class
//! above is of another file, or something in the file looks members up by name. The words of tests do not count: these
//! variants are to find the tests that know a private name.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::Code;
use crate::facts::MutationFile;
use crate::model::VariantEdit;

use super::{ForeignWords, edit, words};

/// Names that the language or its library gives a meaning.
const RESERVED: &[&str] = &[
    "_replace",
    "_asdict",
    "_make",
    "_fields",
    "_field_defaults",
    "_fields_",
    "_pack_",
    "_anonymous_",
    "_length_",
    "_type_",
    "_getframe",
    "_exit",
    "_meta",
    "_missing_",
    "_ignore_",
    "_order_",
    "_generate_next_value_",
];

/// Names of code that sees members by their names, or stores them with their names.
const BY_NAME: &[&str] = &[
    "vars",
    "dir",
    "globals",
    "locals",
    "eval",
    "exec",
    "inspect",
    "__dict__",
    "__getattr__",
    "pickle",
    "cPickle",
    "dill",
    "marshal",
    "shelve",
    "joblib",
    "copyreg",
];

/// Functions that take the name of a member, and the index of that argument.
const TAKING: &[(&str, usize)] = &[
    ("getattr", 1),
    ("setattr", 1),
    ("hasattr", 1),
    ("delattr", 1),
    ("attrgetter", 0),
    ("methodcaller", 0),
];

/// Classes that know nothing of a private member of those below them.
const PLAIN: &[&str] = &[
    "object",
    "ABC",
    "abc.ABC",
    "Generic",
    "typing.Generic",
    "BaseException",
    "Exception",
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "IndexError",
    "KeyError",
    "LookupError",
    "NotImplementedError",
    "OSError",
    "RuntimeError",
    "TypeError",
    "ValueError",
    "Warning",
];

/// Methods with which a class decides itself what its members are, or how they are kept.
const DECIDING: &[&str] = &[
    "__slots__",
    "__getstate__",
    "__setstate__",
    "__reduce__",
    "__reduce_ex__",
    "__getattribute__",
    "__setattr__",
    "__delattr__",
    "__init_subclass__",
    "__set_name__",
];

/// Decorators of classes that look at no member.
const HARMLESS: &[&str] = &["total_ordering", "final", "runtime_checkable"];

/// The facts about one name.
#[derive(Default)]
struct Name {
    /// The nodes with this name.
    uses: Vec<u32>,
    is_of_module: bool,
    /// Classes of the file that bind it.
    classes: Vec<u32>,
    /// It is looked up on an object that may be of any class.
    is_of_object: bool,
    is_barred: bool,
}

/// Makes the edits that give the private members of a file other names.
pub fn edits(file: &MutationFile<'_>, elsewhere: &ForeignWords<'_>) -> Vec<VariantEdit> {
    let code = file.code;
    if sees_names(code) {
        return Vec::new();
    }
    let named = in_texts(code);
    let good = good_classes(file);
    let mut edits = Vec::new();
    let mut all: Vec<(&str, Name)> = names(code).into_iter().collect();
    all.sort_by_key(|pair| pair.0);
    for (name, known) in all {
        let is_bound = known.is_of_module || !known.classes.is_empty();
        let is_safe = known.classes.iter().all(|class| good.contains(class));
        // On an object that is no instance of a class here, it is another member.
        let is_foreign = known.is_of_object && known.classes.is_empty();
        let is_known = known.is_barred
            || RESERVED.contains(&name)
            || named.contains(name)
            || elsewhere.has(name);
        if is_bound && is_safe && !is_foreign && !is_known {
            let other = other_name(file, elsewhere, name);
            let uses = known.uses.iter();
            edits.extend(uses.map(|uses| edit(code.span(*uses), other.clone())));
        }
    }
    edits
}

/// Makes a name that neither the file nor another one has.
fn other_name(file: &MutationFile<'_>, elsewhere: &ForeignWords<'_>, name: &str) -> String {
    let mut other = file.fresh(&format!("{name}_renamed"));
    while elsewhere.has(&other) {
        other.push('_');
    }
    other
}

/// Tells whether something in a file may see members by names that are not written there.
fn sees_names(code: &Code<'_>) -> bool {
    (0..code.tree.nodes.len() as u32).any(|idx| match code.kind(idx) {
        "identifier" => BY_NAME.contains(&code.source(idx)),
        "call" => takes_unknown_name(code, idx),
        _ => false,
    })
}

/// Tells whether a call takes the name of a member that is no plain text.
fn takes_unknown_name(code: &Code<'_>, call: u32) -> bool {
    let called = code.child(call, "function").map(|n| code.source(n));
    let called = called.unwrap_or_default().rsplit('.').next();
    let Some((_, at)) = TAKING.iter().find(|pair| Some(pair.0) == called) else {
        return false;
    };
    let arguments = code.child(call, "arguments");
    let name = arguments.and_then(|argument| code.named(argument).nth(*at));
    name.is_none_or(|name| code.kind(name) != "string" || code.holds(name, &["interpolation"]))
}

/// Collects the words of all texts of a file except its documentation.
fn in_texts<'c>(code: &Code<'c>) -> FxHashSet<&'c str> {
    let mut found = FxHashSet::default();
    for idx in 0..code.tree.nodes.len() as u32 {
        let is_text = code.kind(idx) == "string_content";
        if is_text && code.kind(code.parent(code.parent(idx))) != "expression_statement" {
            found.extend(words(code.source(idx)));
        }
    }
    found
}

/// Collects the names of a file that begin with one underscore.
fn names<'c>(code: &Code<'c>) -> FxHashMap<&'c str, Name> {
    let mut all: FxHashMap<&str, Name> = FxHashMap::default();
    for idx in 0..code.tree.nodes.len() as u32 {
        let name = code.source(idx);
        let is_private = code.kind(idx) == "identifier"
            && name.starts_with('_')
            && !name.starts_with("__")
            && name.len() > 2
            && name.is_ascii();
        if is_private {
            let known = all.entry(name).or_default();
            known.uses.push(idx);
            read(code, idx, known);
        }
    }
    all
}

/// Reads one use of a name.
fn read(code: &Code<'_>, idx: u32, known: &mut Name) {
    let parent = code.parent(idx);
    let field = code.field(idx);
    match code.kind(parent) {
        "function_definition" | "class_definition" if field == "name" => {
            bind(code, parent, known);
        }
        "assignment" if field == "left" => bind(code, code.parent(parent), known),
        "attribute" if field == "attribute" => member(code, parent, known),
        "keyword_argument" | "default_parameter" | "typed_default_parameter" => {
            known.is_barred |= field == "name";
        }
        "parameters"
        | "lambda_parameters"
        | "typed_parameter"
        | "dotted_name"
        | "aliased_import"
        | "keyword_pattern"
        | "class_pattern"
        | "case_pattern"
        | "list_splat_pattern"
        | "dictionary_splat_pattern" => known.is_barred = true,
        "interpolation" => {
            // `f"{_name=}"` prints the name.
            known.is_barred |= code.children(parent).any(|child| code.source(child) == "=");
        }
        _ => {}
    }
}

/// Records whether a statement that gives a name a value stands in the module or in which class.
fn bind(code: &Code<'_>, statement: u32, known: &mut Name) {
    let mut block = code.parent(statement);
    if code.kind(block) == "decorated_definition" {
        block = code.parent(block);
    }
    match code.kind(block) {
        "module" => known.is_of_module = true,
        "block" => match code.kind(code.parent(block)) {
            "class_definition" => known.classes.push(code.parent(block)),
            // In a function, the name is its own; below a condition, the module's or a class's, and that is not looked into.
            "function_definition" => {}
            _ => known.is_barred = true,
        },
        _ => {}
    }
}

/// Reads `object.name`.
fn member(code: &Code<'_>, attribute: u32, known: &mut Name) {
    let object = code.child(attribute, "object").map(|n| code.source(n));
    let is_self = object.is_some_and(|text| matches!(text, "self" | "cls"));
    if !is_self {
        known.is_of_object = true;
        return;
    }
    let statement = code.parent(attribute);
    let is_given = code.field(attribute) == "left"
        && matches!(code.kind(statement), "assignment" | "augmented_assignment");
    if is_given {
        let mut above = code.above(attribute);
        let class = above.find(|n| code.kind(*n) == "class_definition");
        known.classes.extend(class);
    } else {
        // On `self` alone, it may be a member of a class above.
        known.is_of_object = true;
    }
}

/// Finds the classes whose private members no other code knows: all above them are of this file, or plain.
fn good_classes(file: &MutationFile<'_>) -> FxHashSet<u32> {
    let code = file.code;
    let classes: Vec<u32> = (0..code.tree.nodes.len() as u32)
        .filter(|idx| code.kind(*idx) == "class_definition")
        .collect();
    let name = |class: u32| code.child(class, "name").map(|n| code.source(n));
    let mut good: FxHashSet<u32> = classes
        .iter()
        .copied()
        .filter(|class| decides_nothing(code, *class))
        .collect();
    loop {
        let is_above_good = |class: u32| {
            let above = code.child(class, "superclasses");
            above.into_iter().flat_map(|n| code.named(n)).all(|n| {
                let source = code.source(n).split('[').next().unwrap_or_default();
                if code.kind(n) == "keyword_argument" {
                    let value = code.child(n, "value").map(|n| code.source(n));
                    return value.is_some_and(|value| value.ends_with("ABCMeta"));
                }
                let of_file: Vec<u32> = classes
                    .iter()
                    .copied()
                    .filter(|class| name(*class) == Some(source))
                    .collect();
                if of_file.is_empty() {
                    (PLAIN.contains(&source) && !file.rebound.contains(source)) || is_abc(source)
                } else {
                    of_file.iter().all(|n| good.contains(n))
                }
            })
        };
        let bad: Vec<u32> = good
            .iter()
            .copied()
            .filter(|good| !is_above_good(*good))
            .collect();
        if bad.is_empty() {
            return good;
        }
        for n in bad {
            good.remove(&n);
        }
    }
}

/// Tells whether a name is `ABC` or `Generic`, which count only where the file imports them.
fn is_abc(name: &str) -> bool {
    matches!(name, "ABC" | "abc.ABC" | "Generic" | "typing.Generic")
}

/// Tells whether a class leaves its members to the language.
fn decides_nothing(code: &Code<'_>, class: u32) -> bool {
    let decides = code
        .below(class)
        .any(|n| code.kind(n) == "identifier" && DECIDING.contains(&code.source(n)));
    let outer = code.parent(class);
    let is_plain = |decorator: u32| {
        let name = code.source(decorator).trim_start_matches('@').trim();
        HARMLESS.contains(&name.rsplit('.').next().unwrap_or_default())
    };
    let is_decorated = code.kind(outer) == "decorated_definition"
        && code
            .children(outer)
            .any(|child| code.kind(child) == "decorator" && !is_plain(child));
    !decides && !is_decorated
}
