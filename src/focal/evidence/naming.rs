//! The evidence in the names of the test, of its class and of the candidates.

use super::super::names::{self, Tokens};
use super::EvidenceSources;
use crate::model::{Evidence, Evidences, Method, MethodId};

/// Words that a test's name may begin with before it says what it tests.
const FILLERS: &[&str] = &[
    "should", "can", "will", "must", "does", "it", "when", "given", "verify", "check",
];

/// The names around one test.
pub struct TestNaming {
    /// The test's words in order, without `test`.
    words: Vec<String>,
    test: Tokens,
    stems: Vec<String>,
    /// Words of the innermost class's name.
    class: Tokens,
    /// Words of all classes' names around the test.
    classes: Tokens,
    package: String,
    /// Possible simple names of the class under test.
    under_test: Vec<String>,
    /// The stem of the file under test, derived from the test file's; nothing where file names do not tell.
    file_under_test: Option<String>,
    group: Tokens,
}

/// The words of a method's names. They are kept, because many tests reach the same methods.
#[derive(Debug)]
pub struct MethodWords {
    /// The words of the name that is compared.
    pub shown: Tokens,
    /// The same words, in order and with repetitions.
    in_order: Vec<String>,
    class: Tokens,
    /// The words of the types of its parameters.
    parameters: Vec<Tokens>,
}

impl MethodWords {
    pub fn of(method: &Method) -> Self {
        let in_order = names::split(shown_name(method));
        let parameters = method.parameters.iter();
        Self {
            shown: Tokens::of_words(in_order.clone()),
            in_order,
            class: Tokens::of(method.simple_class()),
            parameters: parameters
                .map(|parameter| Tokens::of(simple_name(parameter)))
                .collect(),
        }
    }
}

impl TestNaming {
    pub fn of(sources: &EvidenceSources<'_>) -> Self {
        let test = &sources.methods[sources.test_case.method.0 as usize];
        let names = &sources.dialect.names;
        let (suffixes, prefixes) = (names.test_suffixes, names.test_prefixes);
        let mut words = names::split(&test.name);
        words.retain(|word| word != "test");
        let group = sources.test_case.group.as_str();
        let nesting = match test.nesting() {
            "" => group,
            nesting => nesting,
        };
        let mut under_test: Vec<String> = nesting
            .split('.')
            .flat_map(|name| [bare(name, suffixes, prefixes), bare(name, suffixes, &[])])
            .collect();
        under_test.dedup();
        Self {
            stems: words.iter().map(|word| stem(word).to_owned()).collect(),
            test: Tokens::of_words(words.clone()),
            words,
            class: Tokens::of(group),
            classes: Tokens::of(&nesting.replace('.', "_")),
            package: test.package().to_owned(),
            file_under_test: file_under_test(
                stem_of(&sources.paths[test.file.0 as usize]),
                names.file_affixes,
            ),
            group: group_of(group, suffixes, prefixes),
            under_test,
        }
    }

    /// Computes the similarity of a name with the test's and with its class's.
    pub fn scores(&self, tokens: &Tokens) -> (f64, f64) {
        (self.test.similarity(tokens), self.class.similarity(tokens))
    }

    /// Counts the words of a name that occur in the test's name.
    pub fn n_shared(&self, tokens: &Tokens) -> usize {
        tokens.iter().filter(|token| self.test.has(token)).count()
    }

    /// Adds the evidence of the names for a method.
    pub fn judge(
        &self,
        evidence: &mut Evidences,
        sources: &EvidenceSources<'_>,
        id: MethodId,
        words: &MethodWords,
    ) {
        let method = &sources.methods[id.0 as usize];
        let tokens = &words.shown;
        let n_tokens = tokens.iter().count();
        let n_shared = self.n_shared(tokens);
        let is_covered = n_tokens > 0 && n_shared == n_tokens;
        evidence.set(Evidence::NameIsTest, n_tokens > 0 && *tokens == self.test);
        evidence.set(Evidence::NameCovered, is_covered);
        evidence.set(
            Evidence::NameStemmed,
            n_tokens > 0
                && tokens
                    .iter()
                    .all(|token| self.stems.iter().any(|text| text == stem(token))),
        );
        evidence.set(Evidence::NameHalf, self.test.similarity(tokens) >= 0.5);
        evidence.set(Evidence::NameShared, n_shared > 0);
        evidence.set(Evidence::NameLonger, is_covered && n_tokens >= 2);
        evidence.set(
            Evidence::NameMostly,
            n_shared >= 2 && n_shared * 3 >= n_tokens * 2,
        );
        let first = &words.in_order;
        let verb = |words: &[String]| {
            let verb = words.iter().find(|word| !FILLERS.contains(&word.as_str()));
            verb.map(|word| stem(word).to_owned())
        };
        evidence.set(
            Evidence::VerbFirst,
            !method.is_constructor()
                && verb(first).is_some_and(|text| Some(text) == verb(&self.words)),
        );
        evidence.set(
            Evidence::NameFirst,
            !first.is_empty() && self.words.starts_with(first),
        );
        evidence.set(Evidence::GroupNamed, n_tokens > 0 && *tokens == self.group);
        let file = stem_of(&sources.paths[method.file.0 as usize]);
        let is_file = |text: &String| text.eq_ignore_ascii_case(file);
        evidence.set(
            Evidence::FileNamed,
            self.file_under_test.as_ref().is_some_and(is_file),
        );
        evidence.set(
            Evidence::NameInClass,
            n_tokens > 0 && tokens.iter().all(|token| self.classes.has(token)),
        );
        let is_constructor = method.is_constructor();
        let constructing = sources.dialect.names.constructing;
        evidence.set(
            Evidence::ConstructorNamed,
            is_constructor && constructing.iter().any(|word| self.test.has(word)),
        );
        let class = &words.class;
        let has_class = class.iter().next().is_some();
        evidence.set(
            Evidence::ClassInName,
            has_class && class.iter().all(|token| self.test.has(token)),
        );
        evidence.set(
            Evidence::ClassNamed,
            has_class && class.iter().all(|token| self.classes.has(token)),
        );
        evidence.set(
            Evidence::ParametersNamed,
            words.parameters.iter().any(|parameter| {
                parameter.iter().next().is_some()
                    && parameter
                        .iter()
                        .all(|text| self.test.has(text) && !tokens.has(text))
            }),
        );
        evidence.set(Evidence::SamePackage, method.package() == self.package);
        let is_under_test = |name: &str| self.under_test.iter().any(|text| text == name);
        let is_class = is_under_test(method.simple_class());
        evidence.set(Evidence::ClassUnderTest, is_class);
        evidence.set(
            Evidence::ClassNested,
            !is_class && method.nesting().split('.').any(is_under_test),
        );
        evidence.set(
            Evidence::ClassInherited,
            !is_class
                && !is_constructor
                && self
                    .under_test
                    .iter()
                    .any(|name| sources.index.is_inherited_by(id, (&self.package, name))),
        );
    }
}

/// Strips a file's name of its folders and its last extension.
fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Guesses the stem of the file that a test's file is named after, in lower case: `x` for `x_test`, `test_x`, `x.spec`.
fn file_under_test(stem: &str, affixes: &[&str]) -> Option<String> {
    let stem = stem.to_lowercase();
    let mut affixes = affixes.iter();
    affixes.find_map(|affix| {
        let rest = stem
            .strip_prefix(affix)
            .or_else(|| stem.strip_suffix(affix))?;
        (!rest.is_empty()).then(|| rest.to_owned())
    })
}

/// Splits a group's name into words, without those that mark a test.
fn group_of(group: &str, suffixes: &[&str], prefixes: &[&str]) -> Tokens {
    Tokens::of(&bare(group, suffixes, prefixes))
}

/// Chooses the name to compare: a constructor's is its class's.
pub fn shown_name(method: &Method) -> &str {
    if method.is_constructor() {
        method.simple_class()
    } else {
        &method.name
    }
}

/// Strips a class's name of the first suffix and the first prefix that fit.
fn bare(name: &str, suffixes: &[&str], prefixes: &[&str]) -> String {
    let name = suffixes
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    let name = prefixes
        .iter()
        .find_map(|prefix| {
            name.strip_prefix(prefix)
                .filter(|rest| rest.starts_with(char::is_uppercase))
        })
        .unwrap_or(name);
    name.to_owned()
}

/// Cuts a type down to its last name, without array brackets.
fn simple_name(ty: &str) -> &str {
    let ty = ty.trim_end_matches("[]");
    ty.rsplit('.').next().unwrap_or(ty)
}

/// Strips an English ending, so that `parses`, `parsed`, `parsing` and `parse` are the same.
fn stem(word: &str) -> &str {
    ["ing", "ies", "es", "ed", "er", "or", "s", "e", "y"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() >= 3))
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;
    use crate::syntax::dialect;

    #[test]
    fn a_test_class_is_named_after_the_class_under_test() {
        for (name, expected) in [
            ("CounterTest", "Counter"),
            ("TestCounter", "Counter"),
            ("CounterTests", "Counter"),
            ("CounterTestCase", "Counter"),
            ("CounterIT", "Counter"),
            ("CounterUnitTest", "Counter"),
            ("Counter", "Counter"),
            ("Testament", "Testament"),
        ] {
            let words = &dialect(Language::Java).names;
            let bare = bare(name, words.test_suffixes, words.test_prefixes);
            assert_eq!(bare, expected, "{name}");
        }
    }

    #[test]
    fn endings_do_not_part_words_of_one_family() {
        for word in ["parse", "parses", "parsed", "parsing", "parser"] {
            assert_eq!(stem(word), "pars", "{word}");
        }
        assert_eq!(stem("get"), "get");
    }
}
