//! From real Java to Java that nobody writes: a project of a few seeds, changed a few times.
//!
//! Case `n` of seed `s` is the same on every machine as long as the seeds are: nothing but [`Random`] decides.

use focalist::lang::bounded;
use tree_sitter::{Node, Parser};

use super::generate;
use super::pipeline::Source;
use super::random::Random;

/// Files are cut to about this size, so that many cases fit into a second; one case in a few hundred may be larger.
const SIZE_MAX: usize = 60_000;
const SIZE_RARELY_MAX: usize = 1_500_000;

/// Changes `sources` a few times.
pub fn mutate(random: &mut Random, sources: &mut Vec<Source>) {
    let size_max = if random.once_in(400) {
        SIZE_RARELY_MAX
    } else {
        SIZE_MAX
    };
    for _ in 0..=random.below(6) {
        let at = random.below(sources.len());
        let theirs = other(random, sources);
        let text = &sources[at].text;
        let changed = match random.below(16) {
            0 | 1 => tokens(random, text, &theirs),
            2 => lines(random, text, &theirs),
            3 => groups(random, text, &theirs),
            4..=6 => nodes(random, text, &theirs),
            7 | 8 => wrap(random, text),
            9 => rename(random, sources, at),
            10 | 11 => headers(random, sources, at),
            12 | 13 => members(random, text, size_max),
            14 => odd_characters(random, text),
            _ => {
                move_file(random, sources, at);
                continue;
            }
        };
        sources[at].text = cut(changed, size_max);
    }
}

fn other(random: &mut Random, sources: &[Source]) -> String {
    random
        .pick(sources)
        .map_or_else(String::new, |it| it.text.clone())
}

fn cut(mut text: String, size_max: usize) -> String {
    text.truncate(floor(&text, size_max));
    text
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A number of repetitions, mostly small, sometimes past every limit.
fn repetitions(random: &mut Random) -> usize {
    random.of(&[
        1, 1, 2, 2, 3, 5, 8, 20, 60, 150, 159, 160, 161, 170, 500, 1000, 5000,
    ])
}

// --- Text -----------------------------------------------------------------------------------------------------------

/// Returns the ends of words, numbers, layout and signs; strings are cut into those too.
fn token_ends(text: &str) -> Vec<usize> {
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            0
        }
    };
    let mut ends = vec![0];
    let mut before = 0;
    for (at, c) in text.char_indices() {
        let now = class(c);
        if at > 0 && (now != before || now == 0) {
            ends.push(at);
        }
        before = now;
    }
    ends.push(text.len());
    ends
}

const HOT: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    ";",
    ",",
    ".",
    "::",
    "->",
    "?",
    ":",
    "@",
    "...",
    "\"",
    "'",
    "\"\"\"",
    "/*",
    "*/",
    "//",
    "class",
    "interface",
    "enum",
    "record",
    "extends",
    "implements",
    "super",
    "this",
    "new",
    "var",
    "static",
    "default",
    "switch",
    "case",
    "yield",
    "instanceof",
    "import static java.util.*;",
    "package p;",
    "sealed",
    "permits",
    "non-sealed",
    "void",
    "int",
    "null",
    "T",
    "@Test",
    "throws",
    "try (",
    "catch (A | B e)",
    "\\u007b",
    "Object",
    "String",
    "java",
    "when",
    "_",
    "goto",
    "$",
    "0x",
    "1e",
    "assertEquals(",
    "super.",
    ".super.",
    ".this.",
    ".new ",
    ".<T>",
    "<>",
    "&",
    "assert",
    "synchronized (",
    "enum E { A { void f() {} }, B }",
    "@interface",
];

fn tokens(random: &mut Random, text: &str, other: &str) -> String {
    let ends = token_ends(text);
    let n_max = random.of(&[1, 3, 10, 100]);
    let n = 1 + random.below(n_max);
    let at = random.below(ends.len());
    let to = (at + n).min(ends.len() - 1);
    let (from, to) = (ends[at.min(to)], ends[to]);
    let new = match random.below(5) {
        0 => String::new(),
        1 => text[from..to].repeat(1 + repetitions(random)),
        2 => {
            let ends = token_ends(other);
            let start = random.below(ends.len());
            let end = (start + n).min(ends.len() - 1);
            other[ends[start.min(end)]..ends[end]].to_owned()
        }
        3 => format!("{} {}", random.of(HOT), &text[from..to]),
        _ => random.of(HOT).repeat(repetitions(random)),
    };
    format!("{}{new}{}", &text[..from], &text[to..])
}

fn lines(random: &mut Random, text: &str, other: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let theirs: Vec<&str> = other.lines().collect();
    if lines.is_empty() {
        return other.to_owned();
    }
    let at = random.below(lines.len());
    let n = (1 + random.below(20)).min(lines.len() - at);
    match random.below(5) {
        0 => drop(lines.drain(at..at + n)),
        1 => {
            let again = lines[at..at + n].repeat(repetitions(random).min(500));
            lines.splice(at..at, again);
        }
        2 => {
            let start = random.below(theirs.len());
            let end = (start + n).min(theirs.len());
            lines.splice(at..at + n, theirs[start..end].iter().copied());
        }
        3 => {
            let to = random.below(lines.len());
            lines.swap(at, to);
        }
        _ => lines.truncate(at),
    }
    lines.join("\n")
}

/// Returns where balanced bracket groups begin and end.
fn bracket_groups(text: &str) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut groups = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' | '<' => open.push((c, at)),
            ')' | '}' | ']' | '>' => {
                if let Some(&(before, start)) = open.last()
                    && matches!(
                        (before, c),
                        ('(', ')') | ('{', '}') | ('[', ']') | ('<', '>')
                    )
                {
                    open.pop();
                    groups.push((start, at + 1));
                }
            }
            _ => {}
        }
    }
    groups
}

fn groups(random: &mut Random, text: &str, other: &str) -> String {
    let Some(&(from, to)) = random.pick(&bracket_groups(text)) else {
        return text.to_owned();
    };
    let group = &text[from..to];
    let inside = &group[1..group.len() - 1];
    let new = match random.below(6) {
        0 => String::new(),
        1 => group.repeat(1 + repetitions(random)),
        2 => {
            let (from, to) = random
                .pick(&bracket_groups(other))
                .copied()
                .unwrap_or((0, 0));
            other[from..to].to_owned()
        }
        3 => {
            let n = repetitions(random);
            let (open, close) = (&group[..1], &group[group.len() - 1..]);
            format!("{}{inside}{}", open.repeat(n), close.repeat(n))
        }
        4 => inside.to_owned(),
        // Itself put into itself.
        _ => (0..random.below(8)).fold(group.to_owned(), |it, _| {
            if it.len() < SIZE_MAX {
                group.replacen(inside, &it, 1)
            } else {
                it
            }
        }),
    };
    format!("{}{new}{}", &text[..from], &text[to..])
}

fn odd_characters(random: &mut Random, text: &str) -> String {
    const ODD: &[&str] = &[
        "\u{feff}",
        "\0",
        "\u{202e}",
        "\u{2066}",
        "\u{200d}",
        "\u{301}",
        "\u{1F600}",
        "\u{10ffff}",
        "\u{fffd}",
        "\\u0000",
        "\\ud800",
        "\\uuuu0041",
        "ß",
        "İ",
        "ǅ",
        "ﬃ",
        "\u{0b}",
        "\u{85}",
        "\u{2028}",
        "\r",
        "\t",
        "\u{a0}",
        "𝒳",
        "Ω_ς",
        "\u{1a}",
        "日本語",
        "ab\u{ad}cd",
    ];
    if random.once_in(3) {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random.below(20) {
            let at = random.below(bytes.len());
            let byte = random.next() as u8;
            if let Some(slot) = bytes.get_mut(at) {
                *slot = byte;
            }
        }
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    if random.once_in(4) {
        // A letter that every name with it shares: names change their case, length and script everywhere.
        let letter = random.of(&["e", "t", "A", "T", "est", "get"]);
        return text.replace(letter, random.of(ODD));
    }
    let mut text = text.to_owned();
    for _ in 0..=random.below(30) {
        let at = floor(&text, random.below(text.len() + 1));
        text.insert_str(at, random.of(ODD));
    }
    text
}

// --- Trees ----------------------------------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Expression,
    Statement,
    Type,
    Member,
    Argument,
}

struct Piece {
    sort: Sort,
    from: usize,
    to: usize,
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_java::LANGUAGE.into())
        .expect("the grammar fits the library");
    let Some(tree) = bounded::parse(&mut parser, text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let sort = sort(node);
        found.extend(sort.map(|sort| Piece {
            sort,
            from: node.start_byte(),
            to: node.end_byte(),
        }));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

fn sort(node: Node<'_>) -> Option<Sort> {
    if !node.is_named() {
        return None;
    }
    let kind = node.kind();
    let is_member = [
        "method_declaration",
        "class_declaration",
        "field_declaration",
        "interface_declaration",
    ]
    .contains(&kind)
        || kind.ends_with("_declaration");
    match kind {
        "argument_list" => Some(Sort::Argument),
        "method_invocation"
        | "identifier"
        | "object_creation_expression"
        | "lambda_expression"
        | "string_literal"
        | "decimal_integer_literal"
        | "parenthesized_expression"
        | "field_access" => Some(Sort::Expression),
        "type_identifier" | "generic_type" | "array_type" | "integral_type" => Some(Sort::Type),
        "block" | "local_variable_declaration" => Some(Sort::Statement),
        _ if kind.ends_with("_expression") => Some(Sort::Expression),
        _ if kind.ends_with("_statement") => Some(Sort::Statement),
        _ if is_member => Some(Sort::Member),
        _ => None,
    }
}

fn nodes(random: &mut Random, text: &str, other: &str) -> String {
    let ours = pieces(text);
    let Some(piece) = random.pick(&ours) else {
        return other.to_owned();
    };
    let same: Vec<Piece> = pieces(other)
        .into_iter()
        .filter(|it| it.sort == piece.sort)
        .collect();
    let old = &text[piece.from..piece.to];
    let new = match random.below(4) {
        0 => String::new(),
        1 => format!("{old} ").repeat(1 + repetitions(random)),
        _ => random
            .pick(&same)
            .map_or_else(String::new, |it| other[it.from..it.to].to_owned()),
    };
    format!("{}{new}{}", &text[..piece.from], &text[piece.to..])
}

type Wrapping = (Sort, &'static str, &'static str);

const WRAPPINGS: &[Wrapping] = &[
    (Sort::Expression, "(", ")"),
    (Sort::Expression, "-", ""),
    (Sort::Expression, "!", ""),
    (Sort::Expression, "(String) ", ""),
    (Sort::Expression, "(T & Runnable) ", ""),
    (Sort::Expression, "f(", ")"),
    (Sort::Expression, "f(null, ", ", 1)"),
    (Sort::Expression, "java.util.Optional.of(", ").map(x -> x)"),
    (Sort::Expression, "java.util.Arrays.asList(", ")"),
    (
        Sort::Expression,
        "java.util.stream.Stream.of(",
        ").map(y -> y.get()).findFirst().get()",
    ),
    (
        Sort::Expression,
        "java.util.Optional.of(1).map(x -> ",
        ").get()",
    ),
    (Sort::Expression, "assertEquals(", ", null)"),
    (Sort::Expression, "assertThrows(E.class, () -> ", ")"),
    (Sort::Expression, "new Object() { Object o = ", "; }.o"),
    (Sort::Expression, "() -> ", ""),
    (Sort::Expression, "x -> { return ", "; }"),
    (Sort::Expression, "a ? ", " : null"),
    (Sort::Expression, "a ? null : ", ""),
    (Sort::Expression, "1 + ", ""),
    (Sort::Expression, "", " + 1"),
    (Sort::Expression, "", ".f()"),
    (Sort::Expression, "", ".f"),
    (Sort::Expression, "", "::f"),
    (Sort::Expression, "", "[0]"),
    (Sort::Expression, "a[", "]"),
    (Sort::Expression, "a = ", ""),
    (Sort::Expression, "new int[] { ", " }"),
    (Sort::Expression, "{ ", " }"),
    (Sort::Expression, "switch (", ") { default -> 1; }"),
    (Sort::Expression, "switch (1) { default -> ", "; }"),
    (Sort::Expression, "new Foo<>(", ")"),
    (Sort::Expression, "verify(mock(", "))"),
    (Sort::Expression, "", " instanceof A a && a.f()"),
    (Sort::Statement, "{ ", " }"),
    (Sort::Statement, "if (a) ", ""),
    (Sort::Statement, "if (a) ", " else { }"),
    (Sort::Statement, "for (;;) ", ""),
    (Sort::Statement, "for (var x : xs) ", ""),
    (Sort::Statement, "do ", " while (f());"),
    (Sort::Statement, "label: ", ""),
    (Sort::Statement, "try { ", " } finally { }"),
    (
        Sort::Statement,
        "try (var r = f()) { ",
        " } catch (A | B e) { e.f(); }",
    ),
    (Sort::Statement, "synchronized (a) { ", " }"),
    (Sort::Statement, "switch (a) { case 1: ", " }"),
    (Sort::Statement, "run(() -> { ", " });"),
    (Sort::Statement, "new Object() { void f() { ", " } };"),
    (Sort::Statement, "class L { void f() { ", " } }"),
    (Sort::Type, "java.util.List<", ">"),
    (Sort::Type, "java.util.Map<String, ", ">"),
    (Sort::Type, "Class<? extends ", ">"),
    (Sort::Type, "Comparable<? super ", ">"),
    (Sort::Type, "", "[]"),
    (Sort::Type, "", ".Inner"),
    (Sort::Type, "", "<T>.Inner"),
    (Sort::Type, "@A ", ""),
    (Sort::Type, "p.q.", ""),
    (Sort::Member, "class W { ", " }"),
    (Sort::Member, "class W extends W { ", " }"),
    (Sort::Member, "interface W<T extends W<T>> { ", " }"),
    (Sort::Member, "enum W { A { ", " } }"),
    (Sort::Member, "Object w = new Object() { ", " };"),
    (Sort::Member, "@A(b = @B) ", ""),
    (Sort::Member, "static { new Object() { ", " }; }"),
    (Sort::Argument, "(f", ", g())"),
    (Sort::Argument, "", ".f()"),
];

fn wrap(random: &mut Random, text: &str) -> String {
    let (sort, before, after) = random.of(WRAPPINGS);
    let pieces: Vec<Piece> = pieces(text)
        .into_iter()
        .filter(|it| it.sort == sort)
        .collect();
    let Some(piece) = random.pick(&pieces) else {
        return text.to_owned();
    };
    // More than a file holds is cut off behind, which is a broken file of its own kind.
    let n = repetitions(random);
    format!(
        "{}{}{}{}{}",
        &text[..piece.from],
        before.repeat(n),
        &text[piece.from..piece.to],
        after.repeat(n),
        &text[piece.to..]
    )
}

// --- Declarations ---------------------------------------------------------------------------------------------------

/// Returns the names after `class`, `interface`, `enum` and `record`.
fn class_names(sources: &[Source]) -> Vec<String> {
    let mut names = Vec::new();
    for source in sources {
        let mut words = source
            .text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|it| !it.is_empty());
        while let Some(word) = words.next() {
            if ["class", "interface", "enum", "record"].contains(&word) {
                names.extend(words.next().map(str::to_owned));
            }
        }
    }
    names
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|it| it.starts_with(char::is_alphabetic))
        .collect()
}

/// Gives one name to two things, in one file or in all.
fn rename(random: &mut Random, sources: &mut [Source], at: usize) -> String {
    let names = class_names(sources);
    let theirs = other(random, sources);
    let ours = sources[at].text.clone();
    let by_class = random.once_in(2);
    let old = if by_class {
        random.pick(&names).cloned()
    } else {
        random.pick(&words(&ours)).map(|&it| it.to_owned())
    };
    let new = if by_class {
        random.pick(&names).cloned()
    } else {
        random.pick(&words(&theirs)).map(|&it| it.to_owned())
    };
    let (Some(old), Some(new)) = (old, new) else {
        return ours;
    };
    if random.once_in(2) {
        for source in sources.iter_mut() {
            source.text = replace_word(&source.text, &old, &new);
        }
        return sources[at].text.clone();
    }
    replace_word(&ours, &old, &new)
}

fn replace_word(text: &str, old: &str, new: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find(old) {
        let end = found + old.len();
        let is_whole = !rest[..found].ends_with(is_part) && !rest[end..].starts_with(is_part);
        result.push_str(&rest[..found]);
        result.push_str(if is_whole { new } else { old });
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

/// Rewrites what follows the name of some classes: type parameters and supertypes that lead round in circles.
fn headers(random: &mut Random, sources: &[Source], at: usize) -> String {
    let names = class_names(sources);
    let Some(hub) = random.pick(&names).cloned() else {
        return sources[at].text.clone();
    };
    let mut result = String::new();
    let mut rest = sources[at].text.as_str();
    let often = 1 + random.below(4);
    while let Some(found) = ["class ", "interface "]
        .iter()
        .filter_map(|word| rest.find(word).map(|at| at + word.len()))
        .min()
    {
        let name_len = rest[found..]
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len() - found);
        let name = &rest[found..found + name_len];
        let is_class = rest[..found].ends_with("class ");
        result.push_str(&rest[..found + name_len]);
        rest = &rest[found + name_len..];
        if let Some(brace) = rest.find('{')
            && brace < 400
            && random.once_in(often)
        {
            let target = if random.once_in(2) {
                &hub
            } else {
                random.pick(&names).unwrap_or(&hub)
            };
            let third = random.pick(&names).unwrap_or(&hub);
            result.push_str(&header(random, name, target, third, is_class));
            rest = &rest[brace..];
        }
    }
    result.push_str(rest);
    result
}

fn header(random: &mut Random, name: &str, a: &str, b: &str, is_class: bool) -> String {
    let params = match random.below(9) {
        0 => format!("<T extends {name}<T>>"),
        1 => format!("<T extends {a}<T>, U extends {b}<U, T>>"),
        2 => "<T extends U, U extends T>".to_owned(),
        3 => "<T extends T>".to_owned(),
        4 => format!("<T extends Comparable<? super T> & {a}<T>>"),
        5 => format!("<{a}, {b} extends {a}>"),
        6 => format!("<T extends {a}<{b}<T>>>"),
        _ => String::new(),
    };
    let args = random.of(&["", "", "<T>", "<U, T>", "<?>", "<? super T>", "<T[]>", "<>"]);
    let own = format!("<{name}{args}>");
    let args = if random.once_in(4) {
        own.as_str()
    } else {
        args
    };
    match (is_class, random.below(4)) {
        (true, 0) => format!("{params} extends {name}{args} "),
        (true, 1) => format!("{params} extends {a}{args} implements {b}{args}, {a} "),
        (true, _) => format!("{params} extends {a}.{b}{args} "),
        (false, 0) => format!("{params} extends {name}{args}, {a}{args}, {b} "),
        (false, _) => format!("{params} extends {a}{args} "),
    }
}

/// Adds members made for the purpose after the opening brace of some body.
fn members(random: &mut Random, text: &str, size_max: usize) -> String {
    let size = if size_max > SIZE_MAX {
        random.of(&[1000, 3000, 10_000])
    } else {
        random.of(&[1, 2, 3, 8, 20, 60, 150, 300, 1000])
    };
    let strain = random.of(generate::STRAINS);
    let id = random.below(1000);
    let new = strain(size, id);
    let new = if new.len() > size_max {
        // Cut off in the middle it would be mere noise: nested strains are kept whole by asking for less.
        strain(100, id)
    } else {
        new
    };
    let bodies: Vec<usize> = text
        .match_indices('{')
        .map(|(at, _)| at + 1)
        .take(1 + random.below(6))
        .collect();
    match bodies.last() {
        Some(&at) => format!("{}\n{new}{}", &text[..at], &text[at..]),
        None => format!("class Strain {{ {new} }}\n{text}"),
    }
}

/// Puts a file elsewhere, or a second time.
fn move_file(random: &mut Random, sources: &mut Vec<Source>, at: usize) {
    let mut source = sources[at].clone();
    let name = source
        .path
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_owned();
    source.path = match random.below(6) {
        0 => name,
        1 => format!("src/test/java/{name}"),
        2 => format!("src/main/java/{name}"),
        3 => format!("a/src/main/java/{}", source.path),
        4 => format!(
            "src/test/java/p/{}Test.java",
            name.trim_end_matches(".java")
        ),
        _ => format!("src/../{}", source.path),
    };
    if random.once_in(2) {
        sources[at] = source;
    } else {
        sources.push(source);
    }
}
