//! All methods of a repository under the names that people type: `Counter.inc(int)`, the package where they want it.
//!
//! Decides what a method is found by and in which order. Does not read the index or draw anything.

use std::fmt::Write as _;

use nucleo_matcher::pattern::{Atom, AtomKind};

use super::fuzzy::{Fuzzy, looked_at, sorted, word};
use crate::model::{CONSTRUCTOR, DeclaredMethod, MethodKey, simple_name, simple_type, split_types};

/// Shortens `p.Counter#inc(int)` to `Counter.inc(int)`, `example.com/p#Sum()` to `p.Sum()`, and a constructor to
/// `Counter(int)`: simple names only. A test that has a title is called by it, without parentheses.
#[must_use]
pub fn short_key(key: &str) -> String {
    short_key_in(key, None)
}

/// Shortens a key, with the name that its package gives itself: `chi.NewRouter()` of
/// `github.com/go-chi/chi/v5#NewRouter()`. Without one, the path gives the likely name.
#[must_use]
pub fn short_key_in(key: &str, package: Option<&str>) -> String {
    let mut name = String::new();
    let start = write_name(&mut name, key, package);
    name.split_off(start)
}

/// Shortens a test's key whose name is a title, even of one word: `sum.adds` of `a > sum#adds()`.
#[must_use]
pub fn short_title(key: &str) -> String {
    let short = short_key(key);
    short
        .strip_suffix("()")
        .map_or(short.clone(), str::to_owned)
}

/// Tells whether a text is a part of a path that says a version: `v5`.
fn is_version(part: &str) -> bool {
    let digits = part.strip_prefix('v').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Finds where the name of a package begins and ends in the path that it is imported by; nothing for a class of another
/// kind. The path may go on with a version: `chi` of `github.com/go-chi/chi/v5`, `yaml` of `gopkg.in/yaml.v3`.
fn package_part(class: &str) -> Option<(usize, usize)> {
    let (host, _) = class.split_once('/')?;
    // A file's path has no host at its beginning, and one called `v5` may well be `v5`.
    if !host.contains('.') || class.contains(" > ") {
        return None;
    }
    let whole = match class.rsplit_once('/') {
        Some((before, last)) if is_version(last) => before,
        _ => class,
    };
    let start = whole.rfind('/')? + 1;
    let last = &whole[start..];
    match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => Some((start, start + name.len())),
        // It is a type.
        Some(_) => None,
        None => Some((start, whole.len())),
    }
}

/// Tells whether a method's name is the title of a test, which takes no parentheses.
fn is_title(key: &MethodKey<'_>) -> bool {
    key.parameters.is_empty() && (key.class.contains(" > ") || key.name.contains(' '))
}

/// Finds the offset at which the simple name of a class, group, package or file begins.
fn simple_at(class: &str) -> usize {
    let behind = |sign: &str, from: usize| {
        let found = class[from..].rfind(sign);
        found.map_or(from, |at| from + at + sign.len())
    };
    match behind(" > ", 0) {
        0 => behind(".", behind("/", 0)),
        group => group,
    }
}

/// Adds `p.Counter.inc(int)` of `p.Counter#inc(int)`; returns the offset in it at which the short form begins.
fn write_name(names: &mut String, key: &str, package: Option<&str>) -> usize {
    let read = MethodKey::read(key);
    let MethodKey {
        class,
        name,
        parameters,
        ordinal,
    } = read;
    let before = names.len();
    let short_start = if let Some((start, end)) = package_part(class) {
        names.push_str(&class[..start]);
        names.push_str(package.unwrap_or(&class[start..end]));
        before + start
    } else {
        names.push_str(class);
        before + simple_at(class)
    };
    let is_constructor = !class.is_empty() && (name == CONSTRUCTOR || name == simple_name(class));
    if !is_constructor {
        let dot = if class.is_empty() { "" } else { "." };
        write!(names, "{dot}{name}").expect("a string takes all");
    }
    if !is_title(&read) {
        names.push('(');
        for (idx, parameter) in split_types(parameters).enumerate() {
            let comma = if idx > 0 { ", " } else { "" };
            write!(names, "{comma}{}", simple_type(parameter.trim())).expect("a string takes all");
        }
        names.push(')');
    }
    if ordinal > 1 {
        write!(names, "~{ordinal}").expect("a string takes all");
    }
    short_start - before
}

/// A search for methods: words that must all fit, in any order.
///
/// A word without `(` is not looked for in parameters, which share their letters with everything. One with a dot may
/// also be a part of the qualified name, letter by letter: a package is typed or pasted, not remembered by a few
/// letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodQuery {
    words: Vec<QueryWord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct QueryWord {
    text: String,
    fuzzy: Atom,
    /// Looked for in the qualified name where `fuzzy` does not fit.
    qualified: Option<Atom>,
}

/// The score of a name that is typed whole: more than any letters that merely fit.
const WHOLE_NAME: u32 = 10_000;

impl MethodQuery {
    /// Reads the typed text: also `Counter#inc` and whole keys; only its first 256 characters count.
    #[must_use]
    pub fn new(typed: &str) -> Self {
        let words = words(looked_at(typed)).into_iter().map(|text| QueryWord {
            fuzzy: word(&text, AtomKind::Fuzzy),
            qualified: text.contains('.').then(|| word(&text, AtomKind::Substring)),
            text,
        });
        Self {
            words: words.collect(),
        }
    }

    /// Tells whether everything fits, since nothing was typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Tells whether all that fits this fits `former` too: letters were added at the end.
    fn narrows(&self, former: &Self) -> bool {
        let Some((last, before)) = former.words.split_last() else {
            return false;
        };
        let is_kept = |(word, former): (&QueryWord, &QueryWord)| word.text == former.text;
        let Some(now) = self.words.get(before.len()) else {
            return false;
        };
        let added = now.text.strip_prefix(last.text.as_str());
        // With its first dot a word fits in more places.
        added.is_some_and(|added| last.qualified.is_some() || !added.contains('.'))
            && self.words.iter().zip(before).all(is_kept)
    }
}

/// Splits the typed text into words, in the form that names have.
fn words(typed: &str) -> Vec<String> {
    let key = typed.split_once('#').and_then(|(class, name)| {
        let (_, end) = package_part(class)?;
        Some(format!("{}.{name}", &class[..end]))
    });
    let typed = key
        .as_deref()
        .unwrap_or(typed)
        .replace(&format!("#{CONSTRUCTOR}"), "")
        .replace('#', ".");
    let mut words = Vec::new();
    let mut rest = typed.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '(' || c.is_whitespace());
        let (head, tail) = rest.split_at(end.unwrap_or(rest.len()));
        let mut word = head.to_owned();
        rest = tail;
        if let Some(tail) = tail.strip_prefix('(') {
            let (parameters, tail) = tail
                .split_once(')')
                .map_or((tail, None), |(text, tail)| (text, Some(tail)));
            let parameters: Vec<String> = split_types(parameters)
                .map(|parameter| simple_type(parameter.trim()))
                .collect();
            word = format!("{head}({}", parameters.join(", "));
            if tail.is_some() {
                word.push(')');
            }
            rest = tail.unwrap_or_default();
        }
        words.push(word);
        rest = rest.trim_start();
    }
    words
}

/// A method that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodHit {
    /// Its index in [`Catalogue::methods`].
    pub idx: u32,
    /// A word fits only together with the package or the outer class.
    pub is_qualified: bool,
}

/// The methods of a repository, ready to be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    methods: Vec<DeclaredMethod>,
    /// The names of all, one after the other.
    names: String,
    /// The offset of each name, and of its short form.
    starts: Vec<(u32, u32)>,
}

impl Catalogue {
    /// Takes methods in the order that equals shall have: as [`super::declared`] returns them.
    #[must_use]
    pub fn new(methods: Vec<DeclaredMethod>) -> Self {
        let mut names = String::with_capacity(methods.len() * 64);
        let mut starts = Vec::with_capacity(methods.len());
        for method in &methods {
            let start = names.len();
            let short_start = start + write_name(&mut names, &method.key, None);
            starts.push((start as u32, short_start as u32));
        }
        Self {
            methods,
            names,
            starts,
        }
    }

    #[must_use]
    pub fn methods(&self) -> &[DeclaredMethod] {
        &self.methods
    }

    /// Returns the short form of a method's name: `Counter.inc(int)`.
    #[must_use]
    pub fn short(&self, idx: u32) -> &str {
        let (name, short_start) = self.name(idx);
        &name[short_start..]
    }

    /// Returns a method's qualified name: `p.Counter.inc(int)`.
    #[must_use]
    pub fn qualified(&self, idx: u32) -> &str {
        self.name(idx).0
    }

    /// Returns a method's qualified name, and the offset of the short form in it; empty for an unknown index.
    fn name(&self, idx: u32) -> (&str, usize) {
        let idx = idx as usize;
        let Some((start, short_start)) = self.starts.get(idx) else {
            return ("", 0);
        };
        let next = self.starts.get(idx + 1);
        let end = next.map_or(self.names.len(), |next| next.0 as usize);
        let name = &self.names[*start as usize..end];
        (name, (short_start - start) as usize)
    }

    /// Finds the methods that fit: main code first, those whose short form fits before those that need their package,
    /// then the best, then the shortest, then by key.
    ///
    /// `former` is an earlier query with its hits: where only letters were added since, only those hits are looked at.
    pub fn find(
        &self,
        fuzzy: &mut Fuzzy,
        sought: &MethodQuery,
        former: Option<(&MethodQuery, &[MethodHit])>,
    ) -> Vec<MethodHit> {
        let all = 0..self.methods.len() as u32;
        if sought.is_empty() {
            let found = |idx| MethodHit {
                idx,
                is_qualified: false,
            };
            return all.map(found).collect();
        }
        let former = former.filter(|(former, _)| sought.narrows(former));
        let mut ranks: Vec<u64> = match former {
            Some((_, found)) => found
                .iter()
                .filter_map(|found| self.rank(fuzzy, sought, found.idx))
                .collect(),
            None => all
                .filter_map(|idx| self.rank(fuzzy, sought, idx))
                .collect(),
        };
        ranks.sort_unstable();
        ranks
            .into_iter()
            .map(|rank| MethodHit {
                idx: rank as u32,
                is_qualified: rank >> 62 & 1 == 1,
            })
            .collect()
    }

    /// Ranks a method: the smaller the number the better it fits, its index in the lower half; nothing when it does not
    /// fit.
    fn rank(&self, fuzzy: &mut Fuzzy, sought: &MethodQuery, idx: u32) -> Option<u64> {
        /// The length takes fourteen bits of a rank, below the score and above the index.
        const LENGTH_MAX: usize = (1 << 14) - 1;
        let (name, short_start) = self.name(idx);
        let short = &name[short_start..];
        let (mut score, mut is_qualified) = (0, false);
        for word in &sought.words {
            score += if let Some(score) = fuzzy.score_of(&word.fuzzy, word.part_of(short)) {
                score
            } else {
                is_qualified = true;
                fuzzy.score_of(word.qualified.as_ref()?, name)?
            };
        }
        // A name that is typed whole is meant.
        let method = short.split('(').next().unwrap_or(short);
        let method = method.rsplit('.').next().unwrap_or(method);
        if let [word] = sought.words.as_slice()
            && word.text.eq_ignore_ascii_case(method)
            && short.contains('.')
        {
            score += WHOLE_NAME;
        }
        let worse = u64::from(u16::MAX) - u64::from(score.min(u32::from(u16::MAX)));
        let is_test = self
            .methods
            .get(idx as usize)
            .is_none_or(|method| !method.is_main);
        Some(
            u64::from(is_test) << 63
                | u64::from(is_qualified) << 62
                | worse << 46
                | (short.len().min(LENGTH_MAX) as u64) << 32
                | u64::from(idx),
        )
    }

    /// Finds the characters of a method's short form that fit, counted from 0, rising.
    pub fn positions(&self, fuzzy: &mut Fuzzy, sought: &MethodQuery, found: MethodHit) -> Vec<u32> {
        let (name, short_start) = self.name(found.idx);
        let short = &name[short_start..];
        let n_before = name[..short_start].chars().count() as u32;
        let mut positions = Vec::new();
        for word in &sought.words {
            let fits = fuzzy.positions_of(&word.fuzzy, word.part_of(short), &mut positions);
            if let (None, Some(qualified)) = (fits, &word.qualified) {
                let mut in_name = Vec::new();
                fuzzy.positions_of(qualified, name, &mut in_name);
                positions.extend(in_name.iter().filter_map(|at| at.checked_sub(n_before)));
            }
        }
        sorted(positions)
    }
}

impl QueryWord {
    /// Returns the part of a short form in which the word is looked for: a word without `(` leaves parameters out.
    fn part_of<'n>(&self, short: &'n str) -> &'n str {
        if self.text.contains('(') {
            return short;
        }
        short.split('(').next().unwrap_or(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn catalogue(keys: &[&str]) -> Catalogue {
        let declared = |key: &&str| DeclaredMethod {
            key: (*key).to_owned(),
            path: "C.java".into(),
            name_line: 1,
            is_main: !key.contains("Test"),
        };
        Catalogue::new(keys.iter().map(declared).collect())
    }

    fn check(typed: &str, keys: &[&str], expected: &[&str]) {
        let catalogue = catalogue(keys);
        let found = catalogue.find(&mut Fuzzy::default(), &MethodQuery::new(typed), None);
        let found: Vec<&str> = found
            .iter()
            .map(|method_hit| catalogue.methods()[method_hit.idx as usize].key.as_str())
            .collect();
        assert_eq!(found, expected, "{typed}");
    }

    #[test]
    fn names_are_short_for_people() {
        let check = |key: &str, expected: &str| assert_eq!(short_key(key), expected);
        check("p.Counter#inc(int)", "Counter.inc(int)");
        check("p.A.B#m(java.util.Map.Entry,int[])", "B.m(Entry, int[])");
        check("p.A#m(Func<T, Weight>,int)", "A.m(Func<T, Weight>, int)");
        check("p.A.B#<init>()", "B()");
        check("p.Foo#Foo()", "Foo()");
        check("A#m()", "A.m()");
        check("example.com/m/p.T#M()", "T.M()");
        check("example.com/m/p#F()", "p.F()");
        check("pkg.mod#f()", "mod.f()");
        check("test/a > sum > of 1/2#adds (1, 2)()", "of 1/2.adds (1, 2)");
        check("test/a#adds two numbers()~2", "a.adds two numbers~2");
        check("src/v5#parse()", "v5.parse()");
        check("m", "m()");
        check("", "()");
        assert_eq!(short_title("test/a#adds()"), "a.adds");
    }

    #[test]
    fn a_package_is_called_as_it_calls_itself() {
        let check = |key: &str, package: Option<&str>, expected: &str| {
            assert_eq!(short_key_in(key, package), expected);
        };
        check(
            "github.com/go-chi/chi/v5#NewRouter()",
            None,
            "chi.NewRouter()",
        );
        check(
            "github.com/go-chi/chi/v5.Mux#Use()",
            Some("chi"),
            "Mux.Use()",
        );
        check("gopkg.in/yaml.v3#Marshal(any)", None, "yaml.Marshal(any)");
        check(
            "gopkg.in/yaml.v3.Node#Decode(any)",
            None,
            "Node.Decode(any)",
        );
        check(
            "github.com/mattn/go-isatty#IsTerminal(int)",
            Some("isatty"),
            "isatty.IsTerminal(int)",
        );
        check("github.com/a/v2ray#F()", None, "v2ray.F()");
    }

    #[test]
    fn a_key_that_is_pasted_finds_its_method_whatever_its_package_is_called() {
        let key = "github.com/go-chi/chi/v5#NewRouter()";
        check("github.com/go-chi/chi/v5#NewRouter", &[key], &[key]);
        check("chi.NewRouter", &[key], &[key]);
    }

    const INC: &str = "p.Counter#inc(int)";

    #[test]
    fn a_method_is_found_by_what_people_remember_of_it() {
        let keys = [INC, "p.Clock#tick()", "q.Counter#<init>(java.lang.String)"];
        for typed in [
            "Counter.inc",
            "counterinc",
            "cinc",
            "inc counter",
            "Counter#inc(int)",
            "p.Counter#inc(int)",
            "p.Counter.inc",
            "inc(int)",
        ] {
            check(typed, &keys, &[INC]);
        }
        for typed in [
            "q.Counter#<init>(java.lang.String)",
            "counter(str",
            "q.counter(",
        ] {
            check(typed, &keys, &["q.Counter#<init>(java.lang.String)"]);
        }
        check("nothing", &keys, &[]);
    }

    #[test]
    fn main_code_comes_first_then_the_class_then_the_package() {
        let keys = [
            "p.Counter#inc(int)",
            "q.Counter#inc(int)",
            "q.Counter#inc(long,long)",
            "a.CounterTest#inc()",
        ];
        check("inc", &keys, &keys);
        let keys = ["c.m.A#b()", "p.Clock#move()"];
        check("c.m", &keys, &[keys[1], keys[0]]);
        check("", &keys, &keys);
    }

    #[test]
    fn parameters_are_looked_at_only_when_asked_for() {
        let keys = ["p.A#add(int)", "p.A#add(long,java.lang.String)"];
        check("aint", &keys, &[]);
        check("int", &keys, &[]);
        for typed in [
            "add(lo",
            "add (long",
            "add(long,String)",
            "p.A#add(long,java.lang.String)",
        ] {
            check(typed, &keys, &keys[1..]);
        }
        // Letters of it come in order in `(long, String)` too, but not side by side.
        check("add(i", &keys, &keys);
    }

    #[test]
    fn letters_of_a_package_count_only_side_by_side() {
        let keys = ["org.target.Clock#tick()", "p.Target#get()"];
        check("get", &keys, &keys[1..]);
        check("og.tick", &keys, &[]);
        check("org.t", &keys, &keys[..1]);
        check("target.clock tick", &keys, &keys[..1]);
    }

    #[test]
    fn more_letters_are_looked_for_among_what_fitted_fewer() {
        let catalogue = catalogue(&[INC, "inc.a.B#m()", "p.Counter#dec()", "q.Incubator#open()"]);
        let mut fuzzy = Fuzzy::default();
        for typed in [
            "inc", "inco", "inc c", "incI", "inc.", "inc.a", "in", "i.", "i.b", "i(", "i()",
            "i(j.", "",
        ] {
            for former in ["", "i", "inc", "in c", "inc.", "i.", "i(", "i(j"] {
                let (former, sought) = (MethodQuery::new(former), MethodQuery::new(typed));
                let found = catalogue.find(&mut fuzzy, &former, None);
                assert_eq!(
                    catalogue.find(&mut fuzzy, &sought, Some((&former, &found))),
                    catalogue.find(&mut fuzzy, &sought, None),
                    "{former:?} {sought:?}"
                );
            }
        }
        let is_narrower =
            |typed: &str, former| MethodQuery::new(typed).narrows(&MethodQuery::new(former));
        assert!(
            is_narrower("inc", "in") && is_narrower("inc c", "inc") && is_narrower("p.c", "p.")
        );
        assert!(!is_narrower("in", "inc") && !is_narrower("p.", "p") && !is_narrower("in", ""));
    }

    #[test]
    fn fitting_letters_are_told_in_the_short_form() {
        let catalogue = catalogue(&[INC]);
        let check = |typed: &str, expected: &[u32]| {
            let sought = MethodQuery::new(typed);
            let mut fuzzy = Fuzzy::default();
            let found = catalogue.find(&mut fuzzy, &sought, None);
            let positions = catalogue.positions(&mut fuzzy, &sought, found[0]);
            assert_eq!(positions, expected, "{typed}");
        };
        check("cinc", &[0, 8, 9, 10]);
        check("p.Co inc", &[0, 1, 8, 9, 10]);
        check("inc(", &[8, 9, 10, 11]);
    }

    proptest! {
        #[test]
        fn every_text_can_be_looked_for(typed in "\\PC*|[pcPC.,#() ]{0,400}") {
            let catalogue = catalogue(&[INC, "p.漢#é(int,é)", "#(", ""]);
            let sought = MethodQuery::new(&typed);
            let mut fuzzy = Fuzzy::default();
            for found in catalogue.find(&mut fuzzy, &sought, None) {
                catalogue.positions(&mut fuzzy, &sought, found);
            }
        }
    }
}
