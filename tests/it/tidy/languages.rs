//! The places that compare languages above `syntax` and `lang`, and why the facts about a language do not suffice
//! there.
//!
//! A `match` that names every language does not count: the compiler enforces an arm for a sixth.

use super::source::Source;

/// Rooms that may compare languages: the front ends, and the definitions of words.
const FREE: &[&str] = &["syntax", "lang", "model"];

/// For each file, the number of comparisons of a language with a particular one, and the reason. The list may only
/// shrink.
pub const COMPARED: &[(&str, usize, &str)] = &[
    (
        "benchmark/stats.rs",
        1,
        "the benchmark is about Java methods",
    ),
    (
        "consistency/cutting.rs",
        1,
        "a completion ends by indentation, or with a brace",
    ),
    (
        "execute/dry.rs",
        1,
        "an empty function, as it is written in a language that runs",
    ),
    ("execute/generated.rs", 1, "EvoSuite writes tests of Java"),
    ("execute/repair.rs", 1, "a line break is a token of Python"),
    (
        "generate/predict.rs",
        1,
        "ConTest's rule takes one method out of a class of Java",
    ),
    (
        "metric/codebleu/comments.rs",
        1,
        "CodeBLEU takes comments of Python by its tokenizer, others by a pattern",
    ),
    (
        "metric/codebleu/dataflow/rules.rs",
        4,
        "CodeBLEU's own tables differ in four places",
    ),
    (
        "mine/calls.rs",
        1,
        "`calls` of Java is a format that lists invocations only",
    ),
    ("mutate/facts.rs", 1, "Python declares by assigning"),
    (
        "mutate/lib.rs",
        4,
        "what is put around a function or member that stands alone",
    ),
    (
        "mutate/pass/compound.rs",
        3,
        "Go assigns in statements, and to lists",
    ),
    (
        "mutate/pass/condition.rs",
        1,
        "Python's conditions have no parentheses",
    ),
    (
        "mutate/pass/insert.rs",
        1,
        "a block of Python is its indentation",
    ),
    (
        "mutate/pass/rename.rs",
        4,
        "Python and C# pass arguments by name",
    ),
    (
        "prompts/lib.rs",
        1,
        "TestBench's template shows a class of Java in brief",
    ),
    (
        "transfer/dataset/mera.rs",
        1,
        "MERA names the runner of JavaScript's tests",
    ),
    (
        "transfer/mera.rs",
        1,
        "MERA's templates that name a runner are JavaScript's",
    ),
    (
        "transfer/mera/funnel.rs",
        2,
        "MERA's funnel judges Java's methods alone, and Python's twice",
    ),
    (
        "transfer/mera/record.rs",
        1,
        "MERA calls what is in a group of JavaScript a function",
    ),
];

/// Returns the differences from a list like [`COMPARED`].
pub fn compared(sources: &[Source], known: &[(&str, usize, &str)]) -> Vec<String> {
    let mut offences = Vec::new();
    let free = |source: &&Source| !FREE.contains(&source.room.as_str());
    for source in sources.iter().filter(free) {
        let lines = source.code().into_iter().map(|(_, line)| line.trim());
        let n_found = n_comparisons(&lines.collect::<Vec<_>>().join(" "));
        let listed = known.iter().find(|(path, ..)| *path == source.path);
        let n_listed = listed.map_or(0, |(_, n, _)| *n);
        if n_found != n_listed {
            offences.push(format!(
                "src/{}: {n_found} comparisons of languages, {n_listed} in the list: ask the language's record",
                source.path
            ));
        }
    }
    offences
}

fn n_comparisons(code: &str) -> usize {
    let signs = [
        "== Language::",
        "!= Language::",
        "let Language::",
        "let (Language::",
    ];
    let by_sign: usize = signs.iter().map(|sign| code.matches(sign).count()).sum();
    let by_macro = code.match_indices("matches!(").filter(|(at, _)| {
        let mut depth = 0;
        let end = code[*at..].find(|sign| {
            depth += i32::from(sign == '(') - i32::from(sign == ')');
            sign == ')' && depth == 0
        });
        code[*at..*at + end.unwrap_or(0)].contains("Language::")
    });
    by_sign + by_macro.count()
}
