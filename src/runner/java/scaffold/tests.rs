//! Scaffolds of small files, and properties that hold for all scaffolds.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::beside::{self, Manner, ScaffoldGround};
use super::*;

/// Reads a file with tests between `«` and `»`.
fn file(marked: &str) -> HostFile {
    let (mut text, mut tests, mut start) = (String::new(), Vec::new(), 0);
    for c in marked.chars() {
        match c {
            '«' => start = text.len() as u32,
            '»' => tests.push(Span::new(start, text.len() as u32)),
            c => text.push(c),
        }
    }
    HostFile {
        path: "T.java".to_owned(),
        text,
        tests,
    }
}

fn members(texts: &[&str]) -> Vec<ParsedMethod> {
    let mut reader = MethodReader::new();
    let read = |text: &&str| reader.member(text).expect("it is a method");
    texts.iter().map(read).collect()
}

fn check(marked: &str, candidates: &[(usize, &str)], removed: TestRemoval, expected: &Expect) {
    let file = file(marked);
    let texts: Vec<&str> = candidates.iter().map(|candidate| candidate.1).collect();
    let members = members(&texts);
    let inserts: Vec<Insert<'_>> = candidates
        .iter()
        .zip(&members)
        .map(|((test, _), member)| Insert {
            at: file.tests[*test],
            what: InsertContent::Candidate(member),
        })
        .collect();
    // Editors and expected texts drop white space at the end of lines.
    let made = scaffold(&file, &inserts, removed).text;
    let lines: Vec<&str> = made.split('\n').map(str::trim_end).collect();
    expected.assert_eq(&lines.join("\n"));
}

const FILE: &str = "\
class T {
  «@Test
  void a() {
    x();
  }»

  «@Test void b() {}» int n;
  void help() { n++; }
}
";

#[test]
fn a_candidate_stands_where_its_test_stood_and_the_other_tests_stay() {
    check(
        FILE,
        &[(0, "@Test void c() { y(); }")],
        TestRemoval::Replaced,
        &expect![[r"
            class T {
              @Test void c() { y(); }




              @Test void b() {} int n;
              void help() { n++; }
            }
        "]],
    );
}

#[test]
fn what_shares_a_line_with_a_test_does_not_with_a_candidate() {
    check(
        FILE,
        &[(1, "@Test void c() {} // end"), (1, "@Test void d() {}")],
        TestRemoval::Replaced,
        &expect![[r"
            class T {
              @Test
              void a() {
                x();
              }

              @Test void c() {} // end
            @Test void d() {}
             int n;
              void help() { n++; }
            }
        "]],
    );
}

#[test]
fn taken_names_get_numbers() {
    check(
        FILE,
        &[
            (0, "void help() {}"),
            (0, "void c() { e(); }"),
            (0, "void c() {}"),
            (0, "void e() { assertThat(e()); }"),
            (0, "void x() {}"),
        ],
        TestRemoval::Replaced,
        &expect![[r"
            class T {
              void help__2() {}
            void c() { e(); }
            void c__2() {}
            void e__2() { assertThat(e()); }
            void x() {}

              @Test void b() {} int n;
              void help() { n++; }
            }
        "]],
    );
}

#[test]
fn who_gets_another_name_keeps_its_arguments() {
    check(
        FILE,
        &[
            (0, "@ParameterizedTest @MethodSource void help(int n) {}"),
            (0, "@p.MethodSource() void help(long n) {}"),
            (0, "@MethodSource(\"c\") void help(char n) {}"),
        ],
        TestRemoval::Replaced,
        &expect![[r#"
            class T {
              @ParameterizedTest @MethodSource("help") void help__2(int n) {}
            @p.MethodSource("help") void help__3(long n) {}
            @MethodSource("c") void help__4(char n) {}


              @Test void b() {} int n;
              void help() { n++; }
            }
        "#]],
    );
}

#[test]
fn removed_tests_come_back_without_annotations() {
    check(
        FILE,
        &[(0, "@Test void b() { y(); }")],
        TestRemoval::Stripped,
        &expect![[r"
            class T {

              void a() {
                x();
              }
            @Test void b__2() { y(); }

               void b() {} int n;
              void help() { n++; }
            }
        "]],
    );
}

#[test]
fn a_candidate_in_a_nested_class_stands_there() {
    check(
        "class T {\n class N {\n  «@Test void a() {}»\n }\n}",
        &[(0, "@Test void b() {}")],
        TestRemoval::Replaced,
        &expect![[r"
            class T {
             class N {
              @Test void b() {}
             }
            }"]],
    );
}

#[test]
fn the_true_test_at_its_place_changes_nothing() {
    let file = file(&FILE.replace('\n', "\r\n"));
    let inserts = [("a", 0), ("b", 1)].map(|(name, idx)| Insert {
        at: file.tests[idx],
        what: InsertContent::Truth(name),
    });
    let scaffold = scaffold(&file, &inserts, TestRemoval::Replaced);
    assert_eq!(scaffold.text, unix_lines(&file.text));
    assert_eq!(scaffold.owner(4), Some((0, 3)));
    assert_eq!(scaffold.owner(7), Some((1, 1)));
    assert_eq!(scaffold.owner(8), None);
}

/// Puts candidates beside the tests of a file, and lists the names under which the candidates run.
fn beside(marked: &str, candidates: &[(usize, &str)], manner: Manner) -> String {
    let file = file(marked);
    let texts: Vec<&str> = candidates.iter().map(|candidate| candidate.1).collect();
    let members = members(&texts);
    let inserts: Vec<Insert<'_>> = candidates
        .iter()
        .zip(&members)
        .map(|((test, _), member)| Insert {
            at: file.tests[*test],
            what: InsertContent::Candidate(member),
        })
        .collect();
    let ground = ScaffoldGround::read(&mut MethodReader::new(), &file, &BTreeSet::new());
    let (scaffold, parts) = ground.with(&inserts, manner);
    let mut lines: Vec<String> = scaffold
        .text
        .split('\n')
        .map(|part| part.trim_end().to_owned())
        .collect();
    for (part, placed) in parts.iter().zip(&scaffold.placed) {
        let without = part.without.as_deref().unwrap_or("nothing");
        lines.push(format!(
            "{} is {} without {without}",
            placed.name, part.name
        ));
    }
    lines.join("\n")
}

#[test]
fn candidates_are_beside_the_tests_under_names_that_nobody_says() {
    let made = beside(
        FILE,
        &[
            (0, "@Test void a() { y(); }"),
            (0, "@Test void a() { z(\"a__3\"); }"),
            (1, "@Test void help() {} // end"),
            (1, "@Test void x() {}"),
        ],
        Manner::Together,
    );
    expect![[r#"
        class T {
          @Test
          void a() {
            x();
          }

          @Test void b() {} int n;
          void help() { n++; }

        @Test void a__2() { y(); }
        @Test void a__4() { z("a__3"); }
        @Test void help__2() {} // end
        @Test void x__2() {}
        }

        a__2 is a without a
        a__4 is a without a
        help__2 is help__2 without b
        x__2 is x__2 without b"#]]
    .assert_eq(&made);
}

#[test]
fn a_true_test_that_the_file_calls_stays() {
    let file = "class T {\n  «@Test void a() {}»\n  void both() { this.a(); }\n}";
    let made = beside(
        file,
        &[(0, "void a() {}"), (0, "void c() {}")],
        Manner::Together,
    );
    expect![[r"
        class T {
          @Test void a() {}
          void both() { this.a(); }

        void a__2() {}
        void c__2() {}
        }
        a__2 is a__2 without nothing
        c__2 is c without nothing"]]
    .assert_eq(&made);
}

#[test]
fn a_candidate_that_is_apart_has_its_own_name() {
    let made = beside(FILE, &[(0, "@Test void a() { a(); }")], Manner::Instead);
    expect![[r"
        class T {





          @Test void b() {} int n;
          void help() { n++; }

        @Test void a() { a(); }
        }

        a is a without nothing"]]
    .assert_eq(&made);
    let made = beside(FILE, &[(0, "@Test void a() { a(); }")], Manner::Beside);
    assert!(made.ends_with("\na__2 is a__2 without nothing"), "{made}");
}

#[test]
fn who_says_its_own_name_or_that_of_its_test_or_overrides_is_apart() {
    let file = file(FILE);
    let ground = ScaffoldGround::read(&mut MethodReader::new(), &file, &BTreeSet::new());
    let check = |text: &str, expected: bool| {
        let member = &members(&[text])[0];
        assert_eq!(ground.is_apart(file.tests[0], member), expected, "{text}");
    };
    check("@Test void c() { d(); this.b(); }", false);
    check("@Test void c() { c(); }", true);
    check("@Test void c() { run(this::a); }", true);
    check("@Test @java.lang.Override public void c() {}", true);
}

#[test]
fn who_is_declared_as_the_true_test_takes_its_place_below_another_class() {
    let marked = "class T extends S {\n  «@Override @Test public void a() {}»\n}";
    let file = file(marked);
    let at = file.tests[0];
    let ground = ScaffoldGround::read(&mut MethodReader::new(), &file, &BTreeSet::new());
    let check = |text: &str, is_apart: bool, is_apart_below: bool| {
        let member = &members(&[text])[0];
        let below = ground.is_apart_below(at, member, |ground| ground == "a");
        let found = (ground.is_apart(at, member), below);
        assert_eq!(found, (is_apart, is_apart_below), "{text}");
    };
    check(
        "@Override @Test public void a() { super.a(); }",
        false,
        false,
    );
    check("@Test public void a() {}", false, false);
    check("@Test void a() {}", false, true);
    check("@Test public void b() {}", false, false);
    check("@Override @Test public void b() {}", true, false);
    let made = beside(
        marked,
        &[(0, "@Override @Test public void a() {}")],
        Manner::Together,
    );
    expect![[r"
        class T extends S {
          @Override @Test public void a() {}

                  @Test public void a__2() {}
        }
        a__2 is a without a"]]
    .assert_eq(&made);
}

#[test]
fn a_true_test_that_a_class_above_has_too_stays_beside_other_names() {
    let part = |name: &str| beside::ScaffoldPart {
        name: name.to_owned(),
        without: Some("a".to_owned()),
    };
    let check = |name: &str, above: &str, expected: Option<&str>| {
        let mut part = part(name);
        part.keep_from_above(|part| part == above);
        assert_eq!(part.without.as_deref(), expected, "{name} {above}");
    };
    check("b", "a", None);
    check("b", "b", Some("a"));
    check("a", "a", Some("a"));
}

#[test]
fn candidates_in_nested_classes_move_what_is_behind_and_it_is_found() {
    let file =
        file("class T {\n class N {\n  «@Test void a() {}»\n }\n\n «@Test void b() {\n }»\n}");
    let members = members(&["@Test\nvoid c() {}"]);
    let ground = ScaffoldGround::read(&mut MethodReader::new(), &file, &BTreeSet::new());
    let inserts = [
        Insert {
            at: file.tests[1],
            what: InsertContent::Truth("b"),
        },
        Insert {
            at: file.tests[0],
            what: InsertContent::Candidate(&members[0]),
        },
    ];
    let (scaffold, _) = ground.with(&inserts, Manner::Together);
    let lines: Vec<&str> = scaffold.text.split('\n').collect();
    let first = |idx: usize| lines[scaffold.placed[idx].lines.start as usize - 1].trim();
    assert_eq!((first(0), first(1)), ("@Test void b() {", "@Test"));
    let last = scaffold.placed[0].lines.end - 1;
    assert_eq!(scaffold.owner(last), Some((0, 2)));
}

#[test]
fn a_file_without_its_tests_keeps_its_lines() {
    let file = file(FILE);
    let mut reader = MethodReader::new();
    let none = BTreeSet::new();
    let ground = ScaffoldGround::without_tests(&mut reader, (&file, &none), Some(file.tests[1]));
    let (scaffold, _) = ground.with(&[], Manner::Together);
    let lines: Vec<&str> = scaffold.text.split('\n').map(str::trim_end).collect();
    let expected = "class T {\n\n\n\n\n\n  @Test void b() {} int n;\n  void help() { n++; }\n}\n";
    assert_eq!(lines.join("\n"), expected);
}

/// A piece of a class: a helper of some lines, or a test with candidates of some lines.
#[derive(Clone, Debug)]
enum ClassPiece {
    Helper(usize),
    Test(usize, Vec<usize>),
}

fn part() -> impl Strategy<Value = ClassPiece> {
    prop_oneof![
        (0..4_usize).prop_map(ClassPiece::Helper),
        (0..6_usize, prop::collection::vec(0..6_usize, 0..4))
            .prop_map(|(n, c)| ClassPiece::Test(n, c)),
    ]
}

fn method(name: &str, n_lines: usize) -> String {
    let line = |n: usize| format!("  g(\"{name} {n}\");\n");
    let body = (0..n_lines).map(line).collect::<Vec<_>>().concat();
    format!("void {name}() {{\n{body}}}")
}

proptest! {
    #[test]
    fn lines_are_kept_and_found_again(parts in prop::collection::vec(part(), 0..8), strip: bool) {
        let mut marked = "class T {\n".to_owned();
        let mut texts: Vec<(usize, String)> = Vec::new();
        let mut n_tests = 0;
        for (idx, part) in parts.iter().enumerate() {
            match part {
                ClassPiece::Helper(n) => marked += &format!("{}\n", method(&format!("h{idx}"), *n)),
                ClassPiece::Test(n, candidates) => {
                    marked += &format!("  «@Test {}»\n", method(&format!("t{idx}"), *n));
                    for (at, n) in candidates.iter().enumerate() {
                        texts.push((n_tests, format!("@Test {}", method(&format!("c{at}"), *n))));
                    }
                    n_tests += 1;
                }
            }
        }
        marked += "}\n";
        let file = file(&marked);
        let borrowed: Vec<&str> = texts.iter().map(|it| it.1.as_str()).collect();
        let members = members(&borrowed);
        let inserts: Vec<Insert<'_>> = texts.iter().zip(&members).map(|((test, _), member)| Insert {
            at: file.tests[*test],
            what: InsertContent::Candidate(member),
        }).collect();
        let removed = if strip { TestRemoval::Stripped } else { TestRemoval::Replaced };
        let made = scaffold(&file, &inserts, removed);
        let lines: Vec<&str> = made.text.lines().collect();
        // Every line of a candidate is attributed to that candidate.
        for (idx, placed) in made.placed.iter().enumerate() {
            let renamed = members[idx].renamed(&placed.name);
            for (n, text) in (1_u32..).zip(renamed.lines()) {
                let line = placed.lines.start + n - 1;
                prop_assert_eq!(lines[line as usize - 1].trim(), text.trim());
                prop_assert_eq!(made.owner(line), Some((idx, n)));
            }
        }
        let mut names: Vec<&str> = made.placed.iter().map(|it| it.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        prop_assert_eq!(names.len(), made.placed.len());
        // Code that is neither a test nor a candidate is kept, in the same order.
        let is_other = |line: &&&str| line.contains("\"h") || line.contains(" h");
        let originals: Vec<&str> = file.text.lines().collect();
        let before: Vec<&&str> = originals.iter().filter(is_other).collect();
        let after: Vec<&&str> = lines.iter().filter(is_other).collect();
        prop_assert_eq!(before, after);
        // If the candidates fit into the space of the tests, that code keeps its line numbers.
        let fits = parts.iter().all(|it| match it {
            ClassPiece::Helper(_) => true,
            ClassPiece::Test(n, all) => all.iter().map(|it| it + 2).sum::<usize>() <= n + 2,
        });
        if fits && !strip {
            prop_assert_eq!(originals.len(), lines.len());
            for (before, after) in originals.iter().zip(&lines).filter(|(it, _)| is_other(it)) {
                prop_assert_eq!(before, after);
            }
        }
    }
}
