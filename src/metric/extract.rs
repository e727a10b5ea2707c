//! The code in an answer of prose and fences.
//!
//! [`Extraction::Mera`] is the rule of MERA's `UnitTests` task to the letter, so that its numbers can be compared: a fence
//! counts only where three backticks, the task's own word for the language and a line feed follow each other; an answer
//! without such a fence is scored unchanged, prose and fences included.
//!
//! [`Extraction::Lenient`] is ours, for models that do not know that rule:
//! - A fence is a line that begins, or ends behind prose, with three or more backticks or tildes. The first word behind
//!   it is the language, under any common name and in any case (`js`, `C#`, `golang`, `Java`); the rest of the line
//!   does not matter. It closes with as many at a line's end. One that is not closed goes to the answer's end.
//! - Blocks of the language are taken; if there are none, those without a language; if there are none, all. Several are
//!   joined with a line feed. Blocks of nothing but white space are none.
//! - As far as a fence is indented, its lines are moved to the left.
//! - An answer without a fence is taken as it is, less backticks around the whole of it, and less prose in front and
//!   behind: lines of three words or more that begin with a capital letter, end with `:`, `.`, `!` or `?` and hold no sign
//!   of code but between backticks; exclamations; items of lists that read so; behind the code also what heads more. No
//!   line of the five languages looks so.
//!
//! ```text
//! Here is the test:            →  cut
//! This checks that x is set.   →  cut
//! Foo bar;                     →  kept: `;` is a sign of code
//! Assert.that(x).              →  kept: `(`, and less than three words
//! class Foo:                   →  kept: no capital letter, two words
//! It calls `f(1)`. That is it. →  cut
//! - The sum is checked         →  cut
//! ```
//!
//! Both take time linear in the answer.

use std::borrow::Cow;

use crate::model::{Extraction, Language};
use crate::syntax::dialect;

/// The code that was taken from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedCode<'a> {
    pub code: Cow<'a, str>,
    /// Whether the rule found code; otherwise the code is the answer as it is, or less the prose in front.
    pub is_found: bool,
}

impl<'a> ExtractedCode<'a> {
    const fn nothing(answer: &'a str) -> Self {
        Self {
            code: Cow::Borrowed(answer),
            is_found: false,
        }
    }
}

/// Extracts the code in an answer. Never fails and never returns less than the rule finds; an answer in which nothing
/// is found is its own code.
pub fn extract(rule: Extraction, language: Language, answer: &str) -> ExtractedCode<'_> {
    match rule {
        Extraction::None => ExtractedCode::nothing(answer),
        Extraction::Mera => mera(language, answer),
        Extraction::Lenient => lenient(language, answer),
    }
}

const TICKS: &str = "```";

fn joined<'a>(blocks: &[&'a str]) -> Cow<'a, str> {
    match blocks {
        [only] => Cow::Borrowed(only),
        _ => Cow::Owned(blocks.join("\n")),
    }
}

fn mera(language: Language, answer: &str) -> ExtractedCode<'_> {
    let name = dialect(language).mera_fence;
    let mut blocks = Vec::new();
    let mut n_closed = 0;
    let mut unclosed = None;
    let mut at = 0;
    while let Some(open) = find(answer, TICKS, at) {
        let Some((word, start)) = mera_word(answer, open + TICKS.len()) else {
            at = open + 1;
            continue;
        };
        let Some(end) = find(answer, TICKS, start) else {
            // The first one that is not closed goes on to the answer's end.
            unclosed = Some((word, &answer[start..]));
            break;
        };
        n_closed += 1;
        if word == name {
            blocks.push(&answer[start..end]);
        }
        at = end + TICKS.len();
    }
    match unclosed {
        _ if n_closed > 0 => {}
        Some((word, block)) => {
            if word == name {
                blocks.push(block);
            }
        }
        None => blocks = mera_nameless(answer),
    }
    let code = match joined(&blocks) {
        Cow::Borrowed(code) => Cow::Borrowed(code.trim_matches('\n')),
        Cow::Owned(code) => Cow::Owned(code.trim_matches('\n').to_owned()),
    };
    if code.trim().is_empty() {
        return ExtractedCode::nothing(answer);
    }
    ExtractedCode {
        code,
        is_found: true,
    }
}

/// Reads the word between a fence and the end of its line, and the beginning of the next line.
fn mera_word(answer: &str, start: usize) -> Option<(&str, usize)> {
    let rest = answer.get(start..)?;
    let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))?;
    (len > 0 && rest[len..].starts_with('\n')).then(|| (&rest[..len], start + len + 1))
}

/// Lists the blocks between fences without a word.
fn mera_nameless(answer: &str) -> Vec<&str> {
    const OPEN: &str = "```\n";
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(open) = find(answer, OPEN, at) {
        let start = open + OPEN.len();
        let Some(end) = find(answer, TICKS, start) else {
            break;
        };
        blocks.push(&answer[start..end]);
        at = end + TICKS.len();
    }
    blocks
}

fn find(text: &str, wanted: &str, from: usize) -> Option<usize> {
    text.get(from..)?.find(wanted).map(|at| from + at)
}

/// The language that a block's tag names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FenceTag {
    Ours,
    Nobody,
    Other,
}

#[derive(Clone, Copy)]
struct FencedBlock<'a> {
    tag: FenceTag,
    text: &'a str,
    /// White space in front of its fence, in bytes.
    indent: usize,
}

/// A fence that stands open.
struct Fence<'a> {
    sign: char,
    len: usize,
    tag: FenceTag,
    indent: usize,
    /// The text after the fence's line.
    start: &'a str,
}

fn lenient(language: Language, answer: &str) -> ExtractedCode<'_> {
    let blocks = blocks(language, answer);
    for tag in [FenceTag::Ours, FenceTag::Nobody, FenceTag::Other] {
        let texts: Vec<Cow<'_, str>> = blocks
            .iter()
            .filter(|block| block.tag == tag)
            .map(|block| outdented(block.text, block.indent))
            .collect();
        match texts.as_slice() {
            [] => {}
            [Cow::Borrowed(only)] => {
                return ExtractedCode {
                    code: Cow::Borrowed(only),
                    is_found: true,
                };
            }
            _ => {
                return ExtractedCode {
                    code: Cow::Owned(texts.join("\n")),
                    is_found: true,
                };
            }
        }
    }
    if let Some(code) = in_backticks(answer) {
        return ExtractedCode {
            code: Cow::Borrowed(code),
            is_found: true,
        };
    }
    ExtractedCode::nothing(without_prose(answer))
}

/// Lists the blocks with something in them.
fn blocks(language: Language, answer: &str) -> Vec<FencedBlock<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Fence<'_>> = None;
    let mut rest = answer;
    while !rest.is_empty() {
        let (line, next) = rest.split_once('\n').unwrap_or((rest, ""));
        match open.take() {
            None => match opening(language, line) {
                Some(Opening::Fence(fence)) => {
                    open = Some(Fence {
                        start: next,
                        ..fence
                    });
                }
                Some(Opening::Whole(block)) => push(&mut blocks, block),
                None => {}
            },
            Some(fence) => match closing(&fence, line) {
                Some(code_len) => {
                    let len = fence.start.len() - rest.len() + code_len;
                    push(
                        &mut blocks,
                        FencedBlock {
                            tag: fence.tag,
                            text: &fence.start[..len],
                            indent: fence.indent,
                        },
                    );
                }
                None => open = Some(fence),
            },
        }
        rest = next;
    }
    if let Some(fence) = open {
        push(
            &mut blocks,
            FencedBlock {
                tag: fence.tag,
                text: fence.start,
                indent: fence.indent,
            },
        );
    }
    blocks
}

fn push<'a>(blocks: &mut Vec<FencedBlock<'a>>, block: FencedBlock<'a>) {
    if !block.text.trim().is_empty() {
        let text = trim_lines(block.text);
        blocks.push(FencedBlock { text, ..block });
    }
}

enum Opening<'a> {
    Fence(Fence<'a>),
    /// A block that opens and closes on one line.
    Whole(FencedBlock<'a>),
}

/// Reads the opening of a block on a line outside of blocks.
fn opening(language: Language, line: &str) -> Option<Opening<'_>> {
    let at = line.find(TICKS).or_else(|| {
        let trimmed = line.trim_start();
        trimmed
            .starts_with("~~~")
            .then(|| line.len() - trimmed.len())
    })?;
    let before = &line[..at];
    let sign = if line[at..].starts_with('`') {
        '`'
    } else {
        '~'
    };
    let len = line[at..].len() - line[at..].trim_start_matches(sign).len();
    let info = line[at + len..].trim();
    let indent = if before.trim().is_empty() { at } else { 0 };
    if sign == '`' && info.contains('`') {
        // Code and both fences on one line, and nothing else.
        let code = info.strip_suffix(&line[at..at + len])?;
        if !before.trim().is_empty() || code.contains('`') {
            return None;
        }
        let (word, rest) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
        let (tag, text) = match tag_of(language, word) {
            FenceTag::Other if !is_language(word) => (FenceTag::Nobody, code),
            tag => (tag, if tag == FenceTag::Nobody { code } else { rest }),
        };
        return Some(Opening::Whole(FencedBlock {
            tag,
            text,
            indent: 0,
        }));
    }
    let word = info
        .trim_start_matches(['{', '.', ' '])
        .split(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | ',' | ':' | ';' | '='))
        .next()
        .unwrap_or_default();
    let tag = tag_of(language, word);
    // Behind prose only a language or nothing makes a fence of backticks.
    if !before.trim().is_empty()
        && (before.contains('`') || !(word.is_empty() || is_language(word)))
    {
        return None;
    }
    Some(Opening::Fence(Fence {
        sign,
        len,
        tag,
        indent,
        start: "",
    }))
}

/// Measures the code on a line that closes the fence.
fn closing(fence: &Fence<'_>, line: &str) -> Option<usize> {
    let line = line.trim_end();
    let code = line.trim_end_matches(fence.sign);
    let is_alone = code.trim().is_empty();
    // Tildes at the end of a line of code are operators or prose.
    (line.len() - code.len() >= fence.len && (is_alone || fence.sign == '`'))
        .then_some(if is_alone { 0 } else { code.len() })
}

fn tag_of(language: Language, word: &str) -> FenceTag {
    if word.is_empty() {
        return FenceTag::Nobody;
    }
    let mut fences = dialect(language).fences.iter();
    let is_ours = fences.any(|name| name.eq_ignore_ascii_case(word));
    if is_ours {
        FenceTag::Ours
    } else {
        FenceTag::Other
    }
}

fn is_language(word: &str) -> bool {
    let mut languages = Language::ALL.iter();
    languages.any(|language| tag_of(*language, word) == FenceTag::Ours)
}

/// Strips blank lines at the ends of the text.
fn trim_lines(text: &str) -> &str {
    let text = text.trim_end();
    let first = text.len() - text.trim_start().len();
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    &text[start..]
}

/// Removes up to `indent` spaces and tabs in front of each line.
fn outdented(text: &str, indent: usize) -> Cow<'_, str> {
    if indent == 0 {
        return Cow::Borrowed(text);
    }
    let mut moved = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let n_spaces = line
            .bytes()
            .take(indent)
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        moved.push_str(&line[n_spaces..]);
    }
    Cow::Owned(moved)
}

/// Unwraps an answer that one or two backticks enclose as a whole; nothing for any other.
fn in_backticks(answer: &str) -> Option<&str> {
    let answer = answer.trim();
    let inner = answer.trim_matches('`');
    let n_before = answer.len() - answer.trim_start_matches('`').len();
    let n_after = answer.len() - answer.trim_end_matches('`').len();
    let is_enclosed = n_before == n_after && (1..=2).contains(&n_before) && !inner.contains('`');
    (is_enclosed && !inner.trim().is_empty()).then(|| inner.trim())
}

/// Strips the lines of prose in front of and behind the code; returns the whole answer when all is prose.
fn without_prose(answer: &str) -> &str {
    let mut rest = answer;
    let mut is_cut = false;
    while let Some((line, next)) = rest.split_once('\n') {
        if is_prose(line) {
            is_cut = true;
        } else if !line.trim().is_empty() {
            break;
        }
        rest = next;
    }
    if rest.trim().is_empty() || is_prose(rest) {
        return answer;
    }
    let mut code = if is_cut { rest } else { answer };
    loop {
        let text = code.trim_end();
        let start = text.rfind('\n').map_or(0, |at| at + 1);
        let line = &text[start..];
        if start == 0 || !(is_prose(line) || is_heading(line)) {
            return code;
        }
        code = text[..start].trim_end();
    }
}

/// Tells whether a line can only be prose.
fn is_prose(line: &str) -> bool {
    let line = line.trim();
    let (line, is_item) = match item(line) {
        Some(behind) => (behind, true),
        None => (line, false),
    };
    let sentence = match line.strip_suffix([':', '.', '!', '?']) {
        Some(sentence) => sentence,
        None if is_item => line,
        None => return false,
    };
    let n_words = sentence
        .split(' ')
        .filter(|word| !word.is_empty())
        .take(3)
        .count();
    line.starts_with(|first: char| first.is_uppercase() || first == '`' && is_item)
        && (n_words == 3 || line.ends_with('!'))
        && is_plain(sentence)
}

/// Cuts off the sign of an item in a list: `- `, `* `, `1. `; nothing for a line without one.
fn item(line: &str) -> Option<&str> {
    let digits = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let numbered = (digits.len() < line.len()).then_some(digits);
    line.strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))
        .or_else(|| numbered?.strip_prefix(". "))
        .map(|behind| behind.trim_start_matches("**"))
}

/// Tells whether a line behind code heads something else: nothing is left that a label could stand before.
fn is_heading(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['#', ' ']);
    let line = line.trim_matches('*');
    line.starts_with(char::is_uppercase)
        && line
            .strip_suffix(':')
            .is_some_and(|words| !words.is_empty() && is_plain(words))
}

/// Tells whether a text holds no sign of code but between backticks. A sentence may end in it.
fn is_plain(text: &str) -> bool {
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_last = letters.peek().is_none_or(|next| *next == ' ');
        match letter {
            '`' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '.' | ':' | '!' | '?' if is_last => {}
            '*' if letters.next_if_eq(&'*').is_some() => {}
            ' ' | ',' | '\'' | '’' | '-' => {}
            _ if letter.is_alphanumeric() => {}
            _ => return false,
        }
    }
    !is_quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, expected: &str) {
        let found = extract(Extraction::Lenient, Language::Java, answer);
        assert_eq!(found.code, expected, "{answer}");
    }

    #[test]
    fn any_name_of_the_language_marks_a_fence() {
        for name in [
            "java",
            "Java ",
            "JAVA title=x",
            "java\r",
            "{.java}",
            "java:Foo.java",
        ] {
            check(&format!("so\n```{name}\nf();\n```\n"), "f();");
        }
        for (language, name) in [
            (Language::CSharp, "c#"),
            (Language::JavaScript, "javascript"),
            (Language::Go, "golang"),
            (Language::Python, "py"),
        ] {
            let answer = format!("```sh\nrun\n```\n~~~{name}\nx\n~~~");
            assert_eq!(extract(Extraction::Lenient, language, &answer).code, "x");
        }
    }

    #[test]
    fn the_language_goes_before_no_language_and_that_before_others() {
        check(
            "```\na\n```\n```java\nb\n```\n```sh\nc\n```\n```java\nd\n```",
            "b\nd",
        );
        check("```\na\n```\n```sh\nc\n```", "a");
        check("```sh\nc\n```", "c");
        check("```java\n\n```\n```sh\nc\n```", "c");
    }

    #[test]
    fn fences_may_be_open_indented_or_glued_to_text() {
        check("```java\nf();\n  g();", "f();\n  g();");
        check("  ```java\n  f();\n    g();\n  ```", "f();\n  g();");
        check("Here: ```java\nf();```\nDone.", "f();");
        check("````java\n// ```\nf();\n````", "// ```\nf();");
        check("```java f(); ```", "f();");
        check("```f();```", "f();");
        check("```java\r\nf();\r\ng();\r\n```\r\n", "f();\r\ng();");
    }

    #[test]
    fn an_answer_without_a_fence_loses_only_what_is_surely_prose() {
        check("`f();`", "f();");
        check("Here is the test:\n\nf();", "f();");
        check("Foo bar;\nf();", "Foo bar;\nf();");
        check("All of this is prose.", "All of this is prose.");
        check(
            "Sure! Here is the test. It has `f(1);` in it:\n\nf();\n  g();\n\nThis checks that `f(1)` is called.\n",
            "f();\n  g();",
        );
        check(
            "f();\n\n### Explanation:\n- The call `f()` is made\n- **Nothing** else is done.\n1. First there is it\n",
            "f();",
        );
        check("Sure!\nf();\nWould you like more of them?", "f();");
        check("f();\nFoo bar baz(1).", "f();\nFoo bar baz(1).");
        check("f();\n- g();", "f();\n- g();");
        check("Outer:\nfor (;;) {}", "Outer:\nfor (;;) {}");
        check("f();\n// This is all of it.", "f();\n// This is all of it.");
        check("  f();\n", "  f();\n");
        check("", "");
        check("Use ```x``` and\nf();", "Use ```x``` and\nf();");
        assert!(!extract(Extraction::Lenient, Language::Java, "f();").is_found);
    }

    #[test]
    fn no_rule_takes_the_answer_as_it_is() {
        let answer = "```java\nf();\n```";
        assert_eq!(
            extract(Extraction::None, Language::Java, answer),
            ExtractedCode::nothing(answer)
        );
    }

    #[test]
    fn hostile_answers_take_linear_time() {
        let answers = [
            "`".repeat(5_000_000),
            "```\n".repeat(1_000_000),
            "```java\n".repeat(500_000),
            "```a".repeat(1_000_000),
            "~~~\n`".repeat(500_000),
            "Here we go again.\n".repeat(200_000),
        ];
        // For each rule whether code is found, and how long it is. What has no block that holds anything is its own code;
        // a fence that nothing closes goes to the end, less itself and a last line feed.
        let expected = [
            [(false, 5_000_000), (false, 5_000_000)],
            [(false, 4_000_000), (false, 4_000_000)],
            [(false, 4_000_000), (true, 4_000_000 - 8 - 1)],
            [(false, 4_000_000), (false, 4_000_000)],
            [(false, 2_500_000), (true, 2_500_000 - 4)],
            [(false, 3_600_000), (false, 3_600_000)],
        ];
        let found = answers.map(|answer| {
            [Extraction::Mera, Extraction::Lenient].map(|rule| {
                let extracted = extract(rule, Language::Java, &answer);
                (extracted.is_found, extracted.code.len())
            })
        });
        assert_eq!(found, expected);
    }
}
