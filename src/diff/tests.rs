//! Rows describe any two texts correctly and quickly.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// Makes the new text from the old one and the added rows, and checks that every row is right.
fn apply(old: &str, new: &str, rows: &[DiffRow]) -> String {
    let (old, new) = (split(old), split(new));
    let mut made = String::new();
    let (mut old_at, mut new_at) = (0, 0);
    for row in rows {
        let of_old = row.old.map(|old| old as usize);
        let of_new = row.new.map(|new| new as usize);
        for (line, at) in [(of_old, &mut old_at), (of_new, &mut new_at)] {
            if let Some(line) = line {
                assert_eq!(line, *at, "a line is left out or told twice");
                *at += 1;
            }
        }
        match (row.kind, of_old, of_new) {
            (RowKind::Same, Some(idx), Some(other)) => {
                assert_eq!(old[idx], new[other]);
                made += old[idx];
            }
            (RowKind::Removed, Some(_), None) => {}
            (RowKind::Added, None, Some(other)) => made += new[other],
            (RowKind::Changed, Some(idx), Some(other)) => {
                assert_ne!(old[idx], new[other]);
                let left = |line: &str, ranges: &[Range<u32>]| {
                    let mut rest = String::new();
                    let mut at = 0;
                    for range in ranges {
                        assert!(range.start >= at && range.start < range.end);
                        rest += &line[at as usize..range.start as usize];
                        at = range.end;
                    }
                    rest + &line[at as usize..]
                };
                let rest = left(old[idx], &row.old_emphasis);
                let other_rest = left(new[other], &row.new_emphasis);
                // White space between two ranges belongs to them.
                let dense = |text: &str| text.split_whitespace().collect::<String>();
                if !row.old_emphasis.is_empty() || !row.new_emphasis.is_empty() {
                    assert_eq!(dense(&rest), dense(&other_rest));
                }
                made += new[other];
            }
            other => panic!("no row is {other:?}"),
        }
    }
    assert_eq!((old_at, new_at), (old.len(), new.len()));
    made
}

fn shown(old: &str, new: &str) -> Vec<String> {
    let rows = lines(old, new);
    assert_eq!(apply(old, new, &rows), new);
    let (old, new) = (split(old), split(new));
    let marked = |line: &str, ranges: &[Range<u32>]| {
        let mut text = String::new();
        let mut at = 0;
        for range in ranges {
            text += &line[at..range.start as usize];
            text += &format!("[{}]", &line[range.start as usize..range.end as usize]);
            at = range.end as usize;
        }
        (text + &line[at..]).escape_debug().to_string()
    };
    unified(&rows)
        .into_iter()
        .map(|(side, idx)| {
            let row = &rows[idx];
            let (line, ranges) = match side {
                DiffSide::New => (row.new.map(|n| new[n as usize]), &row.new_emphasis),
                _ => (row.old.map(|n| old[n as usize]), &row.old_emphasis),
            };
            let line = line.expect("the side is there");
            format!("{}{}", side.sign(), marked(line, ranges))
        })
        .collect()
}

fn check(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(shown(old, new), expected);
}

#[test]
fn words_that_differ_are_told() {
    check(
        "int a = 1;\nreturn a;\n",
        "int a = 2;\nreturn a;\n",
        &["-int a = [1];\\n", "+int a = [2];\\n", " return a;\\n"],
    );
    check(
        "assertEquals(4, stack.size());",
        "assertEquals(5, stack.depth());",
        &[
            "-assertEquals([4], stack.[size]());",
            "+assertEquals([5], stack.[depth]());",
        ],
    );
}

#[test]
fn a_changed_line_finds_its_partner_among_new_ones() {
    check(
        "{\n    total = add(first, second);\n}\n",
        "{\n    // Checked first.\n    check(first);\n    total = sum(first, second);\n}\n",
        &[
            " {\\n",
            "-    total = [add](first, second);\\n",
            "+    // Checked first.\\n",
            "+    check(first);\\n",
            "+    total = [sum](first, second);\\n",
            " }\\n",
        ],
    );
}

#[test]
fn lines_that_have_nothing_in_common_are_no_pair() {
    check(
        "alpha();\n",
        "omega = 1 + 2 + 3\n",
        &["-alpha();\\n", "+omega = 1 + 2 + 3\\n"],
    );
}

#[test]
fn ends_of_lines_are_part_of_them() {
    check(
        "a\r\nb",
        "a\nb\n",
        &["-a[\\r\\n]", "-b", "+a[\\n]", "+b[\\n]"],
    );
    check("a", "a", &[" a"]);
    check("", "a\n", &["+a\\n"]);
    check("a\0b\n", "a\0c\n", &["-a\\0[b]\\n", "+a\\0[c]\\n"]);
    check("", "", &[]);
}

#[test]
fn indentation_alone_is_a_change_of_the_line() {
    check(
        "  if (a) {\n",
        "    if (a) {\n",
        &["-[  ]if (a) {\\n", "+[    ]if (a) {\\n"],
    );
}

#[test]
fn hunks_keep_what_is_around_a_difference() {
    let old = (0..40).fold(String::new(), |text, n| text + &format!("line {n}\n"));
    let new = old
        .replace("line 5\n", "")
        .replace("line 12\n", "line twelve\n");
    let rows = lines(&old, &new.replace("line 39\n", "line 39"));
    assert_eq!(hunks(&rows, 3), [2..16, 36..40]);
    assert_eq!(hunks(&rows, 0), [5..6, 12..13, 39..40]);
    assert_eq!(hunks(&rows, usize::MAX).len(), 1);
    assert!(hunks(&lines(&old, &old), 3).is_empty());
    assert!(is_same(&lines(&old, &old)) && !is_same(&rows));
}

/// Iterates over pseudorandom numbers that are the same in every run.
fn numbers(n: usize) -> impl Iterator<Item = u64> {
    let step = |n: &u64| {
        let first = n ^ n << 13;
        let second = first ^ first >> 7;
        Some(second ^ second << 17)
    };
    std::iter::successors(Some(88_172_645_463_325_252), step).take(n)
}

#[test]
fn hostile_texts_end_quickly() {
    let of = |n: usize, skip: usize, words: u64| -> String {
        let numbers = numbers(n + skip).skip(skip);
        numbers.fold(String::new(), |text, number| {
            text + &format!("w{} w{};\n", number % words, (number >> 20) % words)
        })
    };
    let brackets = "(".repeat(1_000_000);
    let cases: [(&str, String, String); 9] = [
        (
            "5 MB, all different",
            of(600_000, 0, 1000),
            of(600_000, 9, 1000),
        ),
        ("few different lines", of(10_000, 0, 2), of(10_000, 77, 2)),
        (
            "as many as are looked at",
            of(9_999, 0, 40),
            of(9_999, 5, 40),
        ),
        (
            "nothing in common",
            of(9_999, 0, 1 << 40),
            of(9_999, 50, 1 << 41),
        ),
        ("one line of 1 MB", brackets.clone(), brackets.clone() + ")"),
        ("1 MB of names", "a ".repeat(500_000), "b ".repeat(500_000)),
        (
            "many long lines",
            ("(a)".repeat(1300) + "\n").repeat(300),
            ("(b)".repeat(1300) + "\n").repeat(300),
        ),
        ("blank lines", "\n".repeat(200_000), " \n".repeat(200_000)),
        (
            "5 MB of NUL",
            "\0".repeat(5_000_000),
            "\0\n".repeat(2_500_000),
        ),
    ];
    for (name, old, new) in cases {
        let start = Instant::now();
        let rows = lines(&old, &new);
        let took = start.elapsed();
        assert_eq!(apply(&old, &new, &rows), new, "{name}");
        // The limit is for a busy machine, without optimisation.
        assert!(took < Duration::from_secs(20), "{name}: {took:?}");
    }
}

/// Applies a patch as `patch` does: by its line numbers; panics where a line of the context differs.
fn patched(old: &str, patch: &str) -> String {
    let old = split(old);
    let mut made = String::new();
    let mut at = 0;
    let mut lines = patch.split_inclusive('\n').skip(2).peekable();
    while let Some(head) = lines.next() {
        let numbers: Vec<usize> = head
            .split(|head: char| !head.is_ascii_digit())
            .filter_map(|part| part.parse().ok())
            .collect();
        let [start, n_old, _, n_new] = numbers[..] else {
            panic!("{head:?} is no head of a hunk");
        };
        let start = if n_old == 0 { start } else { start - 1 };
        made.extend(old[at..start].iter().copied());
        at = start;
        let (mut old_left, mut new_left) = (n_old, n_new);
        while old_left + new_left > 0 {
            let line = lines.next().expect("the head counts its lines");
            let is_cut = lines.next_if(|line| line.starts_with('\\')).is_some();
            let (sign, line) = line.split_at(1);
            let line = line.strip_suffix('\n').filter(|_| is_cut).unwrap_or(line);
            if sign != "+" {
                assert_eq!(old[at], line);
                at += 1;
                old_left -= 1;
            }
            if sign != "-" {
                made += line;
                new_left -= 1;
            }
        }
    }
    made.extend(old[at..].iter().copied());
    made
}

#[test]
fn a_patch_is_what_diff_writes() {
    let (old, new) = ("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nB\nc\nd\ne\nf\ng\nh\ni");
    let patch = patch((old, new), ("truth", "guess"), &lines(old, new), 1);
    let expected = "--- truth\n+++ guess\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -8,1 +8,2 @@\n h\n+i\n\\ No newline at end of file\n";
    assert_eq!(patch, expected);
    assert_eq!(
        super::patch((old, old), ("a", "b"), &lines(old, old), 3),
        ""
    );
}

fn check_space(old: &str, new: &str, expected: [bool; 3]) {
    let found = [Space::Exact, Space::IgnoreChanges, Space::IgnoreAll]
        .map(|space| is_same(&lines_under(old, new, space)));
    assert_eq!(found, expected, "{old:?} {new:?}");
}

#[test]
fn white_space_counts_as_it_does_for_git() {
    check_space("a b\n", "a  b\n", [false, true, true]);
    check_space("a b\n", "a\tb \n", [false, true, true]);
    check_space("a b\n", "ab\n", [false, false, true]);
    check_space("  a\n", "\ta\n", [false, true, true]);
    check_space("  a\n", "a\n", [false, false, true]);
    check_space("a\r\n", "a\n", [false, true, true]);
    check_space("a", "a\n", [false, true, true]);
    check_space("a\n\n", "a\n", [false, false, false]);
}

#[test]
fn white_space_that_does_not_count_is_not_emphasised() {
    let rows = lines_under("foo (a, 1);\n", "foo( a, 2 );\n", Space::IgnoreAll);
    for emphasis in [&rows[0].old_emphasis, &rows[0].new_emphasis] {
        assert_eq!((emphasis.len(), &emphasis[0]), (1, &(8..9)));
    }
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        "(|int a = 1;|  foo\\(b, 2\\);|}|é\u{0}\t|\\PC{0,5})(\n|\r\n|\r|)",
        0..20,
    )
    .prop_map(|texts| texts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_applied_to_the_old_text_give_the_new(old in text(), new in text()) {
        let rows = lines(&old, &new);
        prop_assert_eq!(apply(&old, &new, &rows), new.clone());
        let n_lines = split(&old).len() + split(&new).len();
        let drawn = unified(&rows);
        let n_both = drawn.iter().filter(|it| it.0 == DiffSide::Both).count();
        prop_assert_eq!(drawn.len() + n_both, n_lines);
        prop_assert!(hunks(&rows, 0).iter().all(|it| rows[it.clone()].iter().all(|it| it.kind != RowKind::Same)));
    }

    #[test]
    fn identical_texts_do_not_differ(it in text()) {
        prop_assert!(is_same(&lines(&it, &it)));
    }

    #[test]
    fn a_patch_applied_to_the_old_text_gives_the_new(old in text(), new in text(), context in 0..5usize) {
        let patch = patch((&old, &new), ("a", "b"), &lines(&old, &new), context);
        prop_assert_eq!(patched(&old, &patch), new);
    }

    #[test]
    fn pieces_are_both_texts(old in text(), new in text(), space in 0..3usize, steps in 0..500u64) {
        let mut steps_left = steps;
        let pieces = inline(&old, &new, Space::ALL[space], &mut steps_left);
        let (mut old_at, mut new_at) = (0, 0);
        for piece in &pieces {
            prop_assert!(!piece.old.is_empty() || !piece.new.is_empty());
            prop_assert_eq!((piece.old.start, piece.new.start), (old_at, new_at));
            (old_at, new_at) = (piece.old.end, piece.new.end);
            if piece.side == DiffSide::Both && space == 0 {
                prop_assert_eq!(&old[piece.old.clone()], &new[piece.new.clone()]);
            }
        }
        prop_assert_eq!((old_at, new_at), (old.len(), new.len()));
    }

    #[test]
    fn what_differs_without_white_space_differs_with_it(old in text(), new in text()) {
        let [exact, changes, all] = [Space::Exact, Space::IgnoreChanges, Space::IgnoreAll]
            .map(|space| is_same(&lines_under(&old, &new, space)));
        prop_assert!(exact <= changes && changes <= all);
        prop_assert_eq!(exact, old == new);
    }
}
