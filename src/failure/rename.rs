//! Names that the texts declare themselves: which of the prediction stands for which of the reference.
//!
//! If both sides are one tree except for such names, used one to one, these are the pairs. Else a declaration of the
//! prediction is paired with the first one of the reference that has the same type and value, then with the first one
//! of the same type, so that a rename is not taken for a difference everywhere the name is used. Scopes are not looked
//! at: a name that would clash with another one is left as it is.

use rustc_hash::FxHashMap;

use super::code::{Code, NodeSort, mix};

/// Declarations of a side that are looked at: they are matched with the other side's.
const DECLARED_MAX: usize = 256;

/// A declared variable.
struct DeclaredVariable {
    word: u64,
    /// The hash of the type; `whole` is of type and value.
    ty: u64,
    whole: u64,
}

/// Renames the prediction's own names to the reference's; returns whether any name differed.
pub fn unify(reference: &Code<'_>, prediction: &mut Code<'_>) -> bool {
    let by_reference = declared(reference);
    let by_prediction = declared(prediction);
    let mut renamed = whole(reference, prediction, &by_reference, &by_prediction)
        .unwrap_or_else(|| matched(prediction, &by_reference, &by_prediction));
    renamed.retain(|from, to| from != to);
    let mut is_renamed = !renamed.is_empty();
    for idx in 0..prediction.nodes.len() as u32 {
        if is_variable(prediction, idx)
            && let Some(word) = renamed.get(&prediction.node(idx).word)
        {
            prediction.nodes[idx as usize].word = *word;
        }
    }
    if let (Some(to), Some(from)) = (method_name(reference), method_name(prediction)) {
        let word = reference.node(to).word;
        is_renamed |= prediction.node(from).word != word;
        prediction.nodes[from as usize].word = word;
    }
    if is_renamed {
        prediction.rehash();
    }
    is_renamed
}

/// Finds the name of the method that is all of a text.
fn method_name(code: &Code<'_>) -> Option<u32> {
    let mut children = code.children(0);
    let only = children
        .next()
        .filter(|child| code.sort(*child) == NodeSort::Method)?;
    children
        .next()
        .is_none()
        .then(|| code.child(only, code.fields().name))?
}

/// Tells whether a node is a name in the place of a variable.
pub fn is_variable(code: &Code<'_>, idx: u32) -> bool {
    let node = code.node(idx);
    if node.sort != NodeSort::Name
        || node.field == code.fields().field
        || node.field == code.fields().key
    {
        return false;
    }
    match code.sort(node.parent) {
        NodeSort::Call | NodeSort::Method if code.words.is_untyped => {
            node.field != code.fields().name || is_function(code, idx)
        }
        NodeSort::Call | NodeSort::Method | NodeSort::Annotation => {
            node.field != code.fields().name
        }
        NodeSort::MethodReference => idx == node.parent + 1,
        _ => true,
    }
}

/// Iterates over the nodes of the names that a text declares for variables.
pub fn declarations<'c>(code: &'c Code<'_>) -> impl Iterator<Item = u32> + 'c {
    (1..code.nodes.len() as u32).filter(|idx| {
        let node = code.node(*idx);
        let parent = code.sort(node.parent);
        node.sort == NodeSort::Name
            && match parent {
                NodeSort::Declarator | NodeSort::Parameter | NodeSort::InstanceOf => {
                    node.field == code.fields().name
                }
                NodeSort::Catch | NodeSort::Method if code.words.is_untyped => {
                    node.field == code.fields().name && is_beside_others(code, node.parent)
                }
                NodeSort::Lambda => node.field == code.fields().parameters,
                // A name in a pattern: `String s`.
                _ => false,
            }
    })
}

/// Tells whether a name is of a function in a variable: of one that is called on no object, or defined beside others.
fn is_function(code: &Code<'_>, idx: u32) -> bool {
    let parent = code.node(idx).parent;
    match code.sort(parent) {
        NodeSort::Call => code.child(parent, code.fields().object).is_none(),
        _ => is_beside_others(code, parent),
    }
}

/// Tells whether a function is one that the test defines for itself: neither the test nor a method of a class.
fn is_beside_others(code: &Code<'_>, method: u32) -> bool {
    let around = code.node(code.node(method).parent).parent;
    !code.is_whole(method) && code.kind_name(around) != "class_definition"
}

/// Collects the words of the parameters of tests, whose arguments are found by the name.
fn passed(code: &Code<'_>) -> Vec<u64> {
    let is_passed = |idx: &u32| {
        let parent = code.node(code.node(*idx).parent);
        code.sort(*idx) == NodeSort::Name
            && parent.field == code.fields().parameters
            && parent.sort == NodeSort::Other
    };
    let all = (1..code.nodes.len() as u32).filter(is_passed);
    all.map(|idx| code.node(idx).word).collect()
}

/// Hashes the kind of a value, in place of a type that is not written.
fn sort_of_value(code: &Code<'_>, declarator: u32) -> Option<u64> {
    let value = code.child(declarator, code.fields().value);
    let value = value.filter(|_| code.words.is_untyped);
    value.map(|value| {
        let class = code.children(value).next();
        let class = class.filter(|_| code.sort(value) == NodeSort::New);
        let class = class.map_or(0, |class| code.hash(class));
        mix(code.sort(value) as u64 + 1, class)
    })
}

fn declared(code: &Code<'_>) -> Vec<DeclaredVariable> {
    let passed = passed(code);
    declarations(code)
        .filter(|idx| !passed.contains(&code.node(*idx).word))
        .take(DECLARED_MAX)
        .map(|idx| {
            let node = code.node(idx);
            let sum = |start, parent: u32, is_left_out: &dyn Fn(u32) -> bool| {
                code.children(parent)
                    .filter(|child| !is_left_out(*child))
                    .fold(start, |sum, child| mix(sum, code.hash(child)))
            };
            let (ty, whole) = match code.sort(node.parent) {
                NodeSort::Declarator => {
                    let outer = code.node(node.parent).parent;
                    let ty = sum(1, outer, &|n| code.sort(n) == NodeSort::Declarator);
                    let ty = sort_of_value(code, node.parent).map_or(ty, |sort| mix(ty, sort));
                    (ty, sum(ty, node.parent, &|n| n == idx))
                }
                NodeSort::Lambda => (2, 2),
                // Hashed like a local variable: an exception may also be kept in one.
                _ if code.sort(code.node(node.parent).parent) == NodeSort::Catch => {
                    let types = code.children(node.parent).filter(|child| *child != idx);
                    let ty = types
                        .flat_map(|n| code.children(n))
                        .fold(1, |sum, n| mix(sum, code.hash(n)));
                    (ty, ty)
                }
                _ => {
                    let is_left_out = |n: u32| {
                        n == idx
                            || code.node(n).field == code.fields().body
                            || code.node(n).field == code.fields().value
                    };
                    let ty = sum(3, node.parent, &is_left_out);
                    let value = code.child(node.parent, code.fields().value);
                    (ty, value.map_or(ty, |value| mix(ty, code.hash(value))))
                }
            };
            DeclaredVariable {
                word: node.word,
                ty,
                whole,
            }
        })
        .collect()
}

/// Finds the renames that make both sides equal, if there are any.
fn whole(
    reference: &Code<'_>,
    prediction: &Code<'_>,
    by_reference: &[DeclaredVariable],
    by_prediction: &[DeclaredVariable],
) -> Option<FxHashMap<u64, u64>> {
    if reference.nodes.len() != prediction.nodes.len() {
        return None;
    }
    let mut to: FxHashMap<u64, u64> = FxHashMap::default();
    let mut from: FxHashMap<u64, u64> = FxHashMap::default();
    let is_method = method_name(reference).zip(method_name(prediction));
    for idx in 0..reference.nodes.len() as u32 {
        let (a, b) = (reference.node(idx), prediction.node(idx));
        if a.kind != b.kind || a.field != b.field || a.end != b.end {
            return None;
        }
        if !is_variable(reference, idx) {
            let is_name = is_method == Some((idx, idx));
            if a.word != b.word && !is_name {
                return None;
            }
            continue;
        }
        if *to.entry(b.word).or_insert(a.word) != a.word
            || *from.entry(a.word).or_insert(b.word) != b.word
        {
            return None;
        }
        if a.word != b.word {
            let is_own = by_reference
                .iter()
                .any(|declared_variable| declared_variable.word == a.word)
                && by_prediction
                    .iter()
                    .any(|declared_variable| declared_variable.word == b.word);
            if !is_own {
                return None;
            }
        }
    }
    Some(to)
}

/// Pairs declarations by type and value.
fn matched(
    prediction: &Code<'_>,
    by_reference: &[DeclaredVariable],
    by_prediction: &[DeclaredVariable],
) -> FxHashMap<u64, u64> {
    let mut renamed: FxHashMap<u64, u64> = FxHashMap::default();
    let is_used = |word: u64| {
        (0..prediction.nodes.len() as u32)
            .any(|idx| prediction.node(idx).word == word && is_variable(prediction, idx))
    };
    let free_of_reference: Vec<&DeclaredVariable> = by_reference
        .iter()
        .filter(|declared_variable| {
            by_prediction
                .iter()
                .all(|other| other.word != declared_variable.word)
                && !is_used(declared_variable.word)
        })
        .collect();
    let free: Vec<&DeclaredVariable> = by_prediction
        .iter()
        .filter(|declared_variable| {
            by_reference
                .iter()
                .all(|other| other.word != declared_variable.word)
        })
        .collect();
    let mut taken = vec![false; free_of_reference.len()];
    for key in [
        |declared_variable: &DeclaredVariable| declared_variable.whole,
        |declared_variable: &DeclaredVariable| declared_variable.ty,
    ] {
        for declared_variable in &free {
            if renamed.contains_key(&declared_variable.word) {
                continue;
            }
            let place = free_of_reference
                .iter()
                .zip(&taken)
                .position(|(other, taken)| !taken && key(other) == key(declared_variable));
            if let Some(place) = place {
                taken[place] = true;
                renamed.insert(declared_variable.word, free_of_reference[place].word);
            }
        }
    }
    renamed
}
