//! The class path on a small jar (its sources: `tests/fixtures/classpath`) and on broken files.

use super::*;
use crate::java::Libraries;
use crate::model::{Language, MethodId, Resolution};
use crate::{Outside, SourceText, project_of};

static LIB: &[u8] = include_bytes!("../../../../tests/fixtures/classpath/lib.jar");

fn jar(name: &str, bytes: &[u8]) -> Jar {
    Jar {
        name: name.to_owned(),
        bytes: bytes.to_vec(),
    }
}

fn class_file(path: &str) -> Vec<u8> {
    let archive = ZipArchive::from_slice(LIB).expect("the fixture is a jar");
    let record = archive
        .entries()
        .map(|record| record.expect("the fixture is whole"))
        .find(|record| record.file_path().as_bytes() == path.as_bytes())
        .expect("the fixture has the class");
    let entry = archive
        .get_entry(record.wayfinder())
        .expect("the fixture is whole");
    let mut bytes = Vec::new();
    DeflateDecoder::new(entry.data())
        .read_to_end(&mut bytes)
        .expect("the fixture is whole");
    bytes
}

/// Packs files without compressing them.
fn pack(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (path, content) in files {
        let (mut entry, config) = archive
            .new_file(*path)
            .compression_method(CompressionMethod::STORE)
            .start()
            .expect("memory can be written");
        let mut writer = config.wrap(&mut entry);
        std::io::Write::write_all(&mut writer, content).expect("memory can be written");
        let (_, descriptor) = writer.finish().expect("memory can be written");
        entry.finish(descriptor).expect("memory can be written");
    }
    archive.finish().expect("memory can be written");
    bytes
}

/// Resolves the calls of the method `test` of a class in package `p` that imports `lib`, with these jars.
fn calls(jars: Vec<Jar>, body: &str) -> (Vec<String>, Vec<Problem>) {
    let class_path = Arc::new(ClassPath::open(jars));
    let outside = Outside {
        java: Some(Libraries::of(Arc::clone(&class_path))),
        ..Outside::default()
    };
    let text = format!(
        "package p; import lib.*; class Own {{ Own own() {{ return this; }} Own() {{}} void test(Own own) {{ {body} }} }}"
    );
    let source = SourceText {
        path: "src/p/Own.java",
        text: &text,
    };
    let project = project_of(Language::Java, [source], &outside);
    let methods = &project.methods;
    let test = methods
        .iter()
        .position(|method| method.key().contains("#test("))
        .expect("the class has the method");
    let shown = project
        .index
        .calls(MethodId(test as u32))
        .iter()
        .map(|call| match &call.resolution {
            Resolution::Declared(id) => methods[id.0 as usize].key(),
            Resolution::Ambiguous(_) => "ambiguous".to_owned(),
            Resolution::Outside(owner) => format!("outside {}", owner.as_deref().unwrap_or("?")),
            Resolution::Unknown(reason) => format!("unknown {}", reason.as_str()),
        })
        .collect();
    (shown, class_path.problems())
}

/// Checks that a call of a body has this resolution, with the fixture on the class path.
fn check(body: &str, expected: &str) {
    let (found, problems) = calls(vec![jar("lib.jar", LIB)], body);
    assert!(
        found.iter().any(|text| text == expected),
        "{body}\n{found:?}"
    );
    assert_eq!(problems, []);
}

#[test]
fn types_of_the_project_come_back_from_a_library() {
    let own = "p.Own#own()";
    for body in [
        "Box.of(own).get().own();",
        "Box.of(1).map(it -> own).get().own();",
        "Box.of(own).content.own();",
        "Box.of(own).inherited().own();",
        "Box.of(own).entry().getKey().own();",
        "Box.builder().build(own).get().own();",
        "Box.of(own).accept(it -> it.own() != null);",
        "new Box.Pair<>(own, 1).first().own();",
        "lib.Box.Pair<Own, Box<Own>> pair = null; pair.second().get().own();",
    ] {
        check(body, own);
    }
}

#[test]
fn kinds_of_classes_and_members_are_known() {
    check("Box.Size.valueOf(\"SMALL\");", "outside lib.Box.Size");
    check("Box.EMPTY.get().length();", "outside java.lang.String");
    check(
        "Box.sorted(1, 2, 3).get(0).intValue();",
        "outside java.lang.Integer",
    );
    check(
        "Box.Visitor<Own> visitor = it -> true; visitor.twice();",
        "outside lib.Box.Visitor",
    );
    check(
        "Box.Builder b = null; b.new Step(1).back();",
        "outside lib.Box.Builder.Step",
    );
    check(
        "new $Own$Dollar().self().self();",
        "outside lib.$Own$Dollar",
    );
}

#[test]
fn a_class_of_the_path_takes_the_place_of_the_tables() {
    check(
        "org.hamcrest.Matcher<Own> m = null; m.sample().own();",
        "p.Own#own()",
    );
    // A class of the table refers to the same class.
    check(
        "org.hamcrest.CoreMatchers.is(own).sample().own();",
        "p.Own#own()",
    );
}

#[test]
fn the_first_jar_that_has_a_class_wins() {
    let broken = pack(&[("lib/Box.class", b"no class")]);
    let body = "Box.of(own).get().own();";
    let (found, problems) = calls(vec![jar("a.jar", LIB), jar("b.jar", &broken)], body);
    assert!(found.contains(&"p.Own#own()".to_owned()), "{found:?}");
    assert_eq!(problems, []);
    let (found, problems) = calls(vec![jar("b.jar", &broken), jar("a.jar", LIB)], body);
    assert!(!found.contains(&"p.Own#own()".to_owned()), "{found:?}");
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, "b.jar!/lib/Box.class");
    assert_eq!(problems[0].reason, Reason::Syntax);
}

#[test]
fn what_is_no_jar_is_a_problem_and_the_others_go_on() {
    let jars = vec![
        jar("text.jar", b"this is no zip archive"),
        jar("half.jar", &LIB[..LIB.len() / 2]),
        jar("empty.jar", b""),
        jar("lib.jar", LIB),
    ];
    let (found, problems) = calls(jars, "Box.of(own).get().own();");
    assert!(found.contains(&"p.Own#own()".to_owned()), "{found:?}");
    let paths: Vec<&str> = problems
        .iter()
        .map(|problem| problem.path.as_str())
        .collect();
    assert_eq!(paths, ["empty.jar", "half.jar", "text.jar"]);
}

#[test]
fn a_class_file_that_lies_about_its_name_is_a_problem() {
    let bytes = class_file("lib/Other.class");
    let file = pack(&[("lib/Box.class", &bytes)]);
    let (_, problems) = calls(vec![jar("a.jar", &file)], "Box.of(own);");
    assert_eq!(
        problems[0].detail,
        "declares `lib/Other`, not the class that its path names"
    );
}

#[test]
fn a_class_larger_than_the_limit_is_a_problem() {
    let large = vec![0; CLASS_SIZE_BYTES_MAX as usize + 1];
    let file = pack(&[("lib/Box.class", &large)]);
    let (_, problems) = calls(vec![jar("a.jar", &file)], "Box.of(own);");
    assert_eq!(problems[0].reason, Reason::TooLarge);
}

#[test]
fn classes_that_extend_each_other_come_to_an_end() {
    let upper = class_file("lib/Upper.class");
    let at = upper
        .windows(9)
        .position(|window| window == b"lib/Other")
        .expect("the class names its superclass");
    let cyclic = [&upper[..at], b"lib/Lower", &upper[at + 9..]].concat();
    let lower = class_file("lib/Lower.class");
    let file = pack(&[("lib/Upper.class", &cyclic), ("lib/Lower.class", &lower)]);
    let (found, problems) = calls(
        vec![jar("a.jar", &file)],
        "new Lower().down(); new Upper().up();",
    );
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(problems, []);
}

#[test]
fn files_that_nobody_can_name_are_left_out() {
    let bytes = class_file("lib/Other.class");
    let file = pack(&[
        ("META-INF/versions/17/lib/Other.class", &bytes),
        ("module-info.class", &bytes),
        ("lib/package-info.class", &bytes),
        ("lib/Other$1.class", &bytes),
        ("lib/Other$1Local.class", &bytes),
        ("../lib/Other.class", &bytes),
        ("/lib/Other.class", &bytes),
        ("lib/other.txt", &bytes),
        ("lib/Other.class", &bytes),
    ]);
    assert_eq!(ClassPath::open(vec![jar("a.jar", &file)]).n_classes(), 1);
}

#[test]
fn no_broken_class_file_stops_the_program() {
    let whole = class_file("lib/Box.class");
    assert!(file::parse(&whole, "lib/Box").is_ok());
    for end in 0..whole.len() {
        assert!(file::parse(&whole[..end], "lib/Box").is_err(), "{end}");
    }
    // Each byte is wrong once: many of these are still class files.
    for at in 0..whole.len() {
        for wrong in [0, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = wrong;
            drop(file::parse(&bytes, "lib/Box"));
        }
    }
}
