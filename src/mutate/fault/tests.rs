//! The mutants of each operator, and laws for all mutants.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};

use crate::fault::{Faults, Operators, applied};
use crate::model::{Language, Mutant, MutantPlace, Span};
use crate::syntax;

fn whole(text: &str) -> Span {
    Span::new(0, text.len() as u32)
}

fn mutants(text: &str, operators: &Operators) -> Vec<Mutant> {
    let faults = Faults::new("p/a.py", text).expect("it parses");
    faults.of(whole(text), operators)
}

/// Shows the changed lines of each mutant behind the name of its operator.
fn shown(text: &str, operators: &Operators) -> String {
    let mut shown = String::new();
    for mutant in mutants(text, operators) {
        let changed = applied(text, &mutant).expect("it is of the text");
        let before: Vec<&str> = text.lines().collect();
        let after: Vec<&str> = changed.lines().collect();
        let n_same = before
            .iter()
            .zip(&after)
            .take_while(|(before, after)| before == after)
            .count();
        let n_same_last = before[n_same..]
            .iter()
            .rev()
            .zip(after[n_same..].iter().rev())
            .take_while(|(before, after)| before == after)
            .count();
        let lines = after[n_same..after.len() - n_same_last].join(" / ");
        let (id, line) = (&mutant.mutator, mutant.line);
        shown.push_str(&format!("{line} {id} {}\n", lines.trim()));
    }
    shown
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&shown(text, &Operators::default()));
}

/// A function in which every operator has something to do.
const ALL: &str = r#"@cache
@other("argument")
def f(self, a: "int" = 1, *rest, flag=False) -> "str":
    """Says what it does."""
    from x import y
    count: "int" = 0
    for item in rest:
        if item is None and not flag:
            continue
        elif a < item <= 9 or "x" in item:
            break
        count += -item
    while count:
        count -= 1
    try:
        self.log(f"{a!r:>{count}}", key=1)
    except (KeyError, ValueError) as error:
        self.seen[0] = error
    else:
        raise KeyError("no")
    name = item.lower().split(",", 1)[1:count]
    with self.lock:
        self.size += ~a
    assert name
    def inner(b):
        return b + a * 2
    class Inner:
        number = 1
    return inner(a) if name else [it for it in rest if it > 0x10]
"#;

#[test]
fn every_operator_changes_what_its_name_says() {
    check(
        ALL,
        &expect![[r#"
            1 DDL 
            2 DDL 
            3 CRP def f(self, a: "int" = 2, *rest, flag=False) -> "str":
            3 CRP def f(self, a: "int" = 1, *rest, flag=True) -> "str":
            6 ANR count: "int" = None
            6 CRP count: "int" = 1
            7 ZIL for item in ():
            8 SDL pass /  /  /
            8 COI if not (item is None and not flag):
            8 ROR if item is not None and not flag:
            8 LCR if item is None or not flag:
            8 COD if item is None and flag:
            9 BCR break
            10 COI elif not (a < item <= 9 or "x" in item):
            10 ROR elif a <= item <= 9 or "x" in item:
            10 ROR elif a < item < 9 or "x" in item:
            10 CRP elif a < item <= 10 or "x" in item:
            10 LCR elif a < item <= 9 and "x" in item:
            10 CRP elif a < item <= 9 or "XXxXX" in item:
            10 ROR elif a < item <= 9 or "x" not in item:
            11 BCR continue
            12 ASR count -= -item
            12 AOD count += item
            13 COI while not (count):
            13 ZIL while False:
            14 ASR count += 1
            14 CRP count -= 2
            16 SDL pass
            16 CRP self.log(f"XX{a!r:>{count}}XX", key=1)
            16 ARD self.log(f"{a!r:>{count}}", )
            16 CRP self.log(f"{a!r:>{count}}", key=2)
            18 EHD raise
            18 EXS pass
            18 CRP self.seen[1] = error
            18 ANR self.seen[0] = None
            20 SDL pass
            20 ETR raise ValueError("no")
            20 CRP raise KeyError("XXnoXX")
            21 ANR name = None
            21 SMR name = item.upper().split(",", 1)[1:count]
            21 SMR name = item.lower().rsplit(",", 1)[1:count]
            21 CRP name = item.lower().split("XX,XX", 1)[1:count]
            21 ARD name = item.lower().split(",", None)[1:count]
            21 CRP name = item.lower().split(",", 2)[1:count]
            21 CRP name = item.lower().split(",", 1)[2:count]
            21 SIR name = item.lower().split(",", 1)[:count]
            21 SIR name = item.lower().split(",", 1)[1:]
            22 SDL pass /
            23 SDL pass
            23 ASR self.size -= ~a
            23 LOD self.size += a
            24 SDL pass
            26 RVR return None
            26 AOR return b - a * 2
            26 AOR return b + a / 2
            26 CRP return b + a * 3
            29 CER return [it for it in rest if it > 0x10] if name else inner(a)
            29 RVR return None
            29 ARD return inner(None) if name else [it for it in rest if it > 0x10]
            29 COI return inner(a) if name else [it for it in rest if not (it > 0x10)]
            29 ROR return inner(a) if name else [it for it in rest if it >= 0x10]
            29 CRP return inner(a) if name else [it for it in rest if it > (0x10 + 1)]
        "#]],
    );
}

#[test]
fn every_replacement_is_made_where_that_is_asked_for() {
    let every = Operators {
        is_every: true,
        ..Operators::default()
    };
    let text = "def f(a, b):\n    a += 2\n    return a * b < g(a, k=b, s='t')\n";
    expect![[r"
        2 ASR a *= 2
        2 ASR a -= 2
        2 ASR a = 2
        2 CRP a += 0
        2 CRP a += 1
        2 CRP a += 3
        3 RVR return None
        3 AOR return a + b < g(a, k=b, s='t')
        3 AOR return a / b < g(a, k=b, s='t')
        3 AOR return a // b < g(a, k=b, s='t')
        3 ROR return a * b != g(a, k=b, s='t')
        3 ROR return a * b <= g(a, k=b, s='t')
        3 ROR return a * b == g(a, k=b, s='t')
        3 ROR return a * b > g(a, k=b, s='t')
        3 ROR return a * b >= g(a, k=b, s='t')
        3 ARD return a * b < g(None, k=b, s='t')
        3 ARD return a * b < g(a, s='t')
        3 ARD return a * b < g(a, k=None, s='t')
        3 ARD return a * b < g(a, k=b, )
        3 ARD return a * b < g(a, k=b, s=None)
        3 CRP return a * b < g(a, k=b, s='')
        3 CRP return a * b < g(a, k=b, s='XXtXX')
    "]]
    .assert_eq(&shown(text, &every));
}

#[test]
fn an_operator_that_was_not_asked_for_makes_nothing() {
    let only = Operators {
        names: vec!["ROR".to_owned()],
        is_every: false,
    };
    let text = "def f(a):\n    return a + 1 < 2\n";
    let made = mutants(text, &only);
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].mutator, "ROR");
}

#[test]
fn what_never_runs_or_says_only_what_is_meant_stays() {
    let text = "def f(a: 'int') -> 'str':\n    '''A text.'''\n    if TYPE_CHECKING:\n        g(1)\n    import x\n";
    assert_eq!(shown(text, &Operators::default()), "");
}

#[test]
fn only_the_function_itself_is_changed() {
    let text = "def before(a):\n    return a + 1\n\n\nclass C:\n    @property\n    def f(self):\n        return self.a + 1\n\n    def after(self):\n        return 2\n";
    let start = text.find("@property").expect("it is there");
    let end = text.find("\n\n    def after").expect("it is there");
    let faults = Faults::new("a.py", text).expect("it parses");
    let place = Span::new(start as u32, end as u32);
    let made = faults.of(place, &Operators::default());
    assert!(made.iter().any(|mutant| mutant.mutator == "DDL"));
    for mutant in &made {
        let MutantPlace::Text { start, end, .. } = mutant.place else {
            panic!("it is of a text");
        };
        assert!(place.contains(Span::new(start, end)));
    }
    // The decorators of a function whose place begins behind them are not its own.
    let behind = Span::new(text.find("def f").expect("it is there") as u32, end as u32);
    let made = faults.of(behind, &Operators::default());
    assert!(made.iter().all(|mutant| mutant.mutator != "DDL"));
    assert!(!made.is_empty());
}

#[test]
fn a_place_is_come_to_where_a_line_of_its_statement_runs() {
    let text = "def f(a):\n    if (a >\n            1):\n        return g(\n            2)\n";
    let faults = Faults::new("a.py", text).expect("it parses");
    let around = |word: &str| faults.lines_around(text.find(word).expect("it is there") as u32);
    assert_eq!(around("1)"), (2, 3));
    assert_eq!(around("2)"), (4, 5));
    assert_eq!(around("(a)"), (1, 1));
}

#[test]
fn a_file_with_an_error_has_no_mutants() {
    assert!(Faults::new("a.py", "def f(:\n    return 1\n").is_none());
}

#[test]
fn mutants_are_distinct_in_order_and_the_same_each_time() {
    let tokens = |text: &str| -> Vec<String> {
        let spans = syntax::tokens(Language::Python, text);
        spans.iter().map(|span| span.of(text).to_owned()).collect()
    };
    let every = Operators {
        is_every: true,
        ..Operators::default()
    };
    let made = mutants(ALL, &every);
    assert_eq!(made, mutants(ALL, &every));
    let mut texts = BTreeSet::from([ALL.to_owned()]);
    let mut ids = BTreeSet::new();
    let mut last = 0;
    for mutant in &made {
        let changed = applied(ALL, mutant).expect("it is of the text");
        assert!(Faults::new("a.py", &changed).is_some(), "{changed}");
        assert_ne!(tokens(&changed), tokens(ALL));
        assert!(texts.insert(changed.clone()), "{}", mutant.description);
        assert!(ids.insert(mutant.id));
        let MutantPlace::Text {
            start,
            end,
            replacement,
        } = &mutant.place
        else {
            panic!("it is of a text");
        };
        assert!(*start >= last);
        last = *start;
        // The replaced text, put back, gives the original.
        let before = &ALL[*start as usize..*end as usize];
        let end = *start as usize + replacement.len();
        let back = [&changed[..*start as usize], before, &changed[end..]].concat();
        assert_eq!(back, ALL);
        for kept in [
            "\"\"\"Says what it does.\"\"\"",
            "a: \"int\"",
            "-> \"str\"",
            "number = 1",
        ] {
            assert!(changed.contains(kept), "{}", mutant.description);
        }
    }
}

#[test]
fn what_stands_below_a_change_stays_on_its_lines() {
    let text = "def f(a):\n    if a:\n        return [\n            a,\n        ]  # all\n    g(\n        a\n    )\n    return h([\n        a], a)\n";
    let found = mutants(text, &Operators::default());
    let n_lines = |mutant: &Mutant| {
        let changed = applied(text, mutant).expect("it is of the text");
        changed.matches('\n').count()
    };
    let n_before = text.matches('\n').count();
    let other: Vec<&str> = found
        .iter()
        .filter(|mutant| n_lines(mutant) != n_before)
        .map(|mutant| mutant.description.as_str())
        .collect();
    // Behind this one stands more, which a line break would cut off.
    assert_eq!(other, ["`[ a]` becomes `None`"]);
    assert!(found.len() > 4, "{found:?}");
}
