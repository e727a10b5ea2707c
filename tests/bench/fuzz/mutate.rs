//! Turns real sources into extreme ones: a project of a few seeds, changed a few times.
//!
//! Case `n` of seed `s` is the same on every machine with the same seeds: only [`Random`] decides.

use focalist::model::Language;
use focalist::syntax::bounded;
use tree_sitter::Parser;

use super::generate;
use super::pipeline::Source;
use super::random::Random;
use super::tongue::{self, Sort, Tongue};

/// Files are cut to about this size, so that many cases run per second; one case in a few hundred may be larger.
const SIZE_MAX: usize = 60_000;
const SIZE_RARELY_MAX: usize = 1_500_000;

/// Changes `sources` a few times.
pub fn mutate(random: &mut Random, tongue: &Tongue, sources: &mut Vec<Source>) {
    let size_max = if random.once_in(400) {
        SIZE_RARELY_MAX
    } else {
        SIZE_MAX
    };
    for _ in 0..=random.below(6) {
        let at = random.below(sources.len());
        let theirs = other(random, sources);
        let Source { path, text } = &sources[at];
        let changed = match random.below(16) {
            0 | 1 => tokens(random, tongue, text, &theirs.text),
            2 => lines(random, text, &theirs.text),
            3 => groups(random, text, &theirs.text),
            4..=6 => nodes(random, &sources[at], &theirs),
            7 | 8 => wrap(random, tongue, &sources[at]),
            9 => rename(random, sources, at),
            10 | 11 => headers(random, sources, at),
            12 | 13 => members(random, tongue, path, text, size_max),
            14 => odd_characters(random, text),
            _ => {
                move_file(random, tongue, sources, at);
                continue;
            }
        };
        sources[at].text = cut(changed, size_max);
    }
}

fn other(random: &mut Random, sources: &[Source]) -> Source {
    let picked = random.pick(sources).cloned();
    picked.expect("a project has a file")
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

/// Draws a number of repetitions, mostly small, sometimes beyond every limit.
fn repetitions(random: &mut Random) -> usize {
    random.of(&[
        1, 1, 2, 2, 3, 5, 8, 20, 60, 150, 159, 160, 161, 170, 500, 1000, 5000,
    ])
}

// --- Text -----------------------------------------------------------------------------------------------------------

/// Finds the ends of words, numbers, layout and signs; strings are cut into those too.
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

fn tokens(random: &mut Random, tongue: &Tongue, text: &str, other: &str) -> String {
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
        3 => format!("{} {}", random.of(tongue.words), &text[from..to]),
        _ => random.of(tongue.words).repeat(repetitions(random)),
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

/// Finds balanced bracket groups.
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
        // A node is inserted into itself.
        _ => (0..random.below(8)).fold(group.to_owned(), |text, _| {
            if text.len() < SIZE_MAX {
                group.replacen(inside, &text, 1)
            } else {
                text
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
        // A letter is replaced in all names, which changes their case, length and script everywhere.
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

struct Piece {
    sort: Sort,
    from: usize,
    to: usize,
}

fn pieces(path: &str, text: &str) -> Vec<Piece> {
    let mut parser = Parser::new();
    parser
        .set_language(&tongue::grammar(path))
        .expect("the grammar fits the library");
    let Some(tree) = bounded::parse(&mut parser, text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let sort = tongue::sort(node);
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

fn nodes(random: &mut Random, Source { path, text }: &Source, other: &Source) -> String {
    let ours = pieces(path, text);
    let Some(piece) = random.pick(&ours) else {
        return other.text.clone();
    };
    let other_text = &other.text;
    let same: Vec<Piece> = pieces(&other.path, other_text)
        .into_iter()
        .filter(|candidate| candidate.sort == piece.sort)
        .collect();
    let old = &text[piece.from..piece.to];
    let new = match random.below(4) {
        0 => String::new(),
        1 => format!("{old} ").repeat(1 + repetitions(random)),
        _ => random.pick(&same).map_or_else(String::new, |piece| {
            other_text[piece.from..piece.to].to_owned()
        }),
    };
    format!("{}{new}{}", &text[..piece.from], &text[piece.to..])
}

fn wrap(random: &mut Random, tongue: &Tongue, Source { path, text }: &Source) -> String {
    let (sort, before, after) = random.of(tongue.wrappings);
    let pieces: Vec<Piece> = pieces(path, text)
        .into_iter()
        .filter(|piece| piece.sort == sort)
        .collect();
    let Some(piece) = random.pick(&pieces) else {
        return text.clone();
    };
    // A text beyond the maximum is cut off at the end, which makes another kind of broken file.
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

/// Lists the names after words that declare something.
fn class_names(sources: &[Source]) -> Vec<String> {
    let mut names = Vec::new();
    for source in sources {
        let mut words = source
            .text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|part| !part.is_empty());
        while let Some(word) = words.next() {
            if [
                "class",
                "interface",
                "enum",
                "record",
                "struct",
                "type",
                "def",
                "func",
                "function",
            ]
            .contains(&word)
            {
                names.extend(words.next().map(str::to_owned));
            }
        }
    }
    names
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|part| part.starts_with(char::is_alphabetic))
        .collect()
}

/// Gives one name to two things, in one file or in all.
fn rename(random: &mut Random, sources: &mut [Source], at: usize) -> String {
    let names = class_names(sources);
    let theirs = other(random, sources).text;
    let ours = sources[at].text.clone();
    let by_class = random.once_in(2);
    let old = if by_class {
        random.pick(&names).cloned()
    } else {
        random.pick(&words(&ours)).map(|&text| text.to_owned())
    };
    let new = if by_class {
        random.pick(&names).cloned()
    } else {
        random.pick(&words(&theirs)).map(|&text| text.to_owned())
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

/// Adds generated members after the opening brace of some body.
fn members(
    random: &mut Random,
    tongue: &Tongue,
    path: &str,
    text: &str,
    size_max: usize,
) -> String {
    if tongue.language != Language::Java {
        return declarations(random, path, text);
    }
    let size = if size_max > SIZE_MAX {
        random.of(&[1000, 3000, 10_000])
    } else {
        random.of(&[1, 2, 3, 8, 20, 60, 150, 300, 1000])
    };
    let strain = random.of(generate::STRAINS);
    let id = random.below(1000);
    let new = strain(size, id);
    let new = if new.len() > size_max {
        // Cut off in the middle, it would be mere noise: nested strains are kept complete by generating smaller ones.
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

/// Repeats a declaration many times, with different names or with the same name.
fn declarations(random: &mut Random, path: &str, text: &str) -> String {
    let mut pieces = pieces(path, text);
    pieces.retain(|piece| piece.sort == Sort::Member);
    let Some(piece) = random.pick(&pieces) else {
        return text.to_owned();
    };
    let old = &text[piece.from..piece.to];
    let names = words(old);
    let name = random.pick(&names).copied().unwrap_or("it");
    let line = text[..piece.from].rfind('\n').map_or(0, |n| n + 1);
    let layout = text[line..piece.from].trim_end_matches(|text: char| !text.is_whitespace());
    let is_one = random.once_in(3);
    let mut new = String::new();
    for at in 0..repetitions(random) {
        new += &if is_one {
            old.to_owned()
        } else {
            replace_word(old, name, &format!("{name}{at}"))
        };
        new.push('\n');
        new += layout;
    }
    format!("{}{new}{}", &text[..piece.from], &text[piece.from..])
}

/// Moves or duplicates a file.
fn move_file(random: &mut Random, tongue: &Tongue, sources: &mut Vec<Source>, at: usize) {
    let mut source = sources[at].clone();
    let name = source
        .path
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_owned();
    let extension = name.rsplit('.').next().unwrap_or_default();
    let bare = name.split('.').next().unwrap_or_default();
    source.path = match random.below(6) {
        0 => name,
        1 => format!("{}/{name}", tongue.tests),
        2 => format!("{}/{name}", tongue.main),
        3 => format!("a/{}/{}", tongue.main, source.path),
        4 => format!(
            "{}/p/{}.{extension}",
            tongue.tests,
            tongue.test_file.replace('*', bare)
        ),
        _ => format!("src/../{}", source.path),
    };
    if random.once_in(2) {
        sources[at] = source;
    } else {
        sources.push(source);
    }
}
