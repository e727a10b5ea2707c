//! Tests that object to contract-preserving variants, planted in a Java project: each is found with the kinds that it
//! objects to, and no other test objects.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::prepare::{self, TURN, project};
use crate::python::run_with;
use crate::support::copy;

/// The results of a run of a project's true tests.
struct Brittle {
    told: Value,
    /// The kinds that each test objects to, by the names of tests.
    found: BTreeMap<String, Value>,
}

impl Brittle {
    /// Mines a project in an empty workspace, and runs its true tests on variants.
    fn of(path: &Path, workspace: &Path) -> Self {
        let path = path.to_str().expect("our paths are text");
        said(workspace, &["mine", path, "--name", "brittle"]);
        let told = said(workspace, &ASKED).remove(0)["brittle"].clone();
        let samples = said(workspace, &["export", "--all"]);
        let names = samples.iter();
        let names = names.map(|name| (text(&name["key"]), text(&name["test"]["method"])));
        let names: BTreeMap<String, String> = names.collect();
        let outcomes = ["export", "--format", "outcomes", "--run", "truth"];
        let outcomes = said(workspace, &outcomes).into_iter();
        let found = outcomes.map(|outcome| {
            (
                names[&text(&outcome["sample"])].clone(),
                outcome["brittle"].clone(),
            )
        });
        let found = found.collect();
        Self { told, found }
    }

    fn objects_to(&self, test: &str) -> &Value {
        &self.found[test]
    }
}

/// The command whose output is tested.
const ASKED: [&str; 4] = ["execute", "--truth", "--brittle", "--json"];

fn said(workspace: &Path, arguments: &[&str]) -> Vec<Value> {
    let ran = run_with(&prepare::cache(), workspace, (arguments, ""));
    ran.success().lines()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[test]
fn planted_brittle_java_tests_are_found_with_what_they_object_to() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let brittle = Brittle::of(&project("brittle"), place.path());
    let told = &brittle.told;
    let counts = (&told["now"], &told["unsettled"], &told["failed"]);
    assert_eq!(counts, (&json!(20), &json!(0), &json!(0)), "{told}");
    let notes = json!(["`locals` is not applied in Java"]);
    assert_eq!(told["notes"], notes);

    let expected: [(&str, &[&str]); 20] = [
        ("withdrawSays", &["message"]),
        ("withdrawRefuses", &[]),
        ("announcePrints", &["log"]),
        ("announceReturns", &[]),
        ("recordLogs", &["log"]),
        ("settleCounts", &[]),
        // Its method checks the length of its own message.
        ("codeCounts", &[]),
        ("areaReads", &["private"]),
        ("areaCalls", &["private"]),
        ("areaCounts", &[]),
        // Of the names that it knows, one is in a text, and the other belongs to an annotated member.
        ("volumeReads", &[]),
        // Serialised members keep their names.
        ("gramsReads", &[]),
        // Its class is marked, has a native method, asks for members by name, or has the name in an annotation.
        ("gradedReads", &[]),
        ("deepReads", &[]),
        ("broadReads", &[]),
        ("thickReads", &[]),
        ("uniqueInOrder", &["order"]),
        ("uniqueHolds", &[]),
        ("lengthsSays", &["order"]),
        ("lengthsKnows", &[]),
    ];
    let expected = expected.map(|(test, kinds)| (test.to_owned(), json!(kinds)));
    assert_eq!(brittle.found, BTreeMap::from(expected));
    let by_variant = json!({
        "message": {"objecting": 1, "held": 3},
        "log": {"objecting": 2, "held": 4},
        "private": {"objecting": 2, "held": 11},
        "order": {"objecting": 2, "held": 20},
    });
    assert_eq!(told["by_variant"], by_variant, "{told}");
    let unsound = told["unsound"].as_array().expect("a list");
    assert_eq!(unsound.len(), 1, "{unsound:?}");

    let again = said(place.path(), &ASKED).remove(0);
    assert_eq!(again["brittle"]["kept"], json!(20), "{again}");
    assert_eq!(again["brittle"]["by_variant"], by_variant);
    let listed = said(place.path(), &["samples", "brittle:log", "--json"]);
    assert_eq!(listed.len(), 2);
}

#[test]
fn private_members_of_a_nest_have_other_names_in_all_of_its_classes() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let root = place.path().join("nest");
    copy(&project("brittle"), &root);
    // Since Java 11, a class itself uses private members of those around it.
    let own = "<argLine>--patch-module=java.sql=/none</argLine></properties>";
    let pom = fs::read_to_string(root.join("pom.xml")).expect("it is there");
    let pom = pom.replace(">8</maven.compiler", ">17</maven.compiler");
    let pom = pom.replace("</properties>", own);
    assert!(pom.contains(">17<") && pom.contains(own), "{pom}");
    write(&root, "pom.xml", &pom);
    write(&root, "src/main/java/p/Pair.java", RECORD);
    write(&root, "src/test/java/p/PairTest.java", OF_RECORD);
    let brittle = Brittle::of(&root, &place.path().join("workspace"));
    assert_eq!(brittle.told["failed"], json!(0), "{}", brittle.told);
    for test in ["areaReads", "areaCalls"] {
        assert_eq!(*brittle.objects_to(test), json!(["private"]), "{test}");
    }
    for test in ["areaCounts", "volumeReads", "gramsReads", "sumReads"] {
        assert_eq!(*brittle.objects_to(test), json!([]), "{test}");
    }
    // A JVM accepts replacements of its own classes from one module only.
    let notes = json!([
        "`locals` is not applied in Java",
        "`order` is not applied: the project has a `--patch-module` of its own",
    ]);
    assert_eq!(brittle.told["notes"], notes);
    assert_eq!(*brittle.objects_to("uniqueInOrder"), json!([]));
}

#[test]
fn a_method_without_code_has_the_variants_of_what_each_test_entered_in_its_place() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let root = place.path().join("shapes");
    copy(&project("shapes"), &root);
    write(&root, "src/main/java/p/Shape.java", SHAPE);
    write(&root, "src/test/java/p/ShapeTest.java", OF_SHAPE);
    let workspace = place.path().join("workspace");
    let brittle = Brittle::of(&root, &workspace);
    let told = &brittle.told;
    let expected: [(&str, &[&str]); 6] = [
        ("areaOfSquareSays", &["message"]),
        ("areaOfSquareRefuses", &[]),
        ("areaOfBarPrints", &["log"]),
        ("areaOfBarReturns", &[]),
        ("areaOfBoth", &["message", "log"]),
        ("areaOfNone", &[]),
    ];
    let expected = expected.map(|(test, kinds)| (test.to_owned(), json!(kinds)));
    assert_eq!(brittle.found, BTreeMap::from(expected), "{told}");
    // A test that enters one of them does not enter the other.
    for (kind, n_objecting, n_held) in [("message", 2, 3), ("log", 2, 3), ("order", 0, 6)] {
        let counts = json!({"objecting": n_objecting, "held": n_held});
        assert_eq!(told["by_variant"][kind], counts, "{told}");
    }
    assert_eq!(told["unsound"], json!([]), "{told}");
    let again = said(&workspace, &ASKED).remove(0);
    let counts = (&again["brittle"]["now"], &again["brittle"]["kept"]);
    assert_eq!(counts, (&json!(0), &json!(6)), "{again}");
}

const SHAPE: &str = r#"package p;
public interface Shape {
    int area(int side);

    class Square implements Shape {
        public int area(int side) {
            if (side < 0) {
                throw new IllegalArgumentException("no side is that short");
            }
            return side * side;
        }
    }

    class Bar implements Shape {
        public int area(int side) {
            System.out.println("a bar");
            return side + 1;
        }
    }
}
"#;

const OF_SHAPE: &str = r#"package p;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.Test;
public class ShapeTest {
    private static String said(Shape shape) {
        PrintStream before = System.out;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out));
        try {
            shape.area(2);
        } finally {
            System.setOut(before);
        }
        return out.toString();
    }

    @Test
    public void areaOfSquareSays() {
        Shape shape = Given.first();
        try {
            shape.area(-1);
            fail();
        } catch (IllegalArgumentException e) {
            assertEquals("no side is that short", e.getMessage());
        }
    }

    @Test(expected = IllegalArgumentException.class)
    public void areaOfSquareRefuses() {
        Shape shape = Given.first();
        assertEquals(0, shape.area(-1));
    }

    @Test
    public void areaOfBarPrints() {
        Shape shape = Given.second();
        assertEquals(4, shape.area(3));
        assertTrue(said(shape).contains("a bar"));
    }

    @Test
    public void areaOfBarReturns() {
        Shape shape = Given.second();
        assertEquals(3, shape.area(2));
    }

    @Test
    public void areaOfBoth() {
        Shape shape = Given.first();
        String message = "";
        try {
            shape.area(-1);
        } catch (IllegalArgumentException e) {
            message = e.getMessage();
        }
        shape = Given.second();
        assertEquals(3, shape.area(2));
        String said = said(shape);
        assertEquals("no side is that short", message);
        assertTrue(said.contains("a bar"));
    }

    @Test
    public void areaOfNone() {
        Shape shape = side -> 7;
        assertEquals(7, shape.area(3));
    }
}
"#;

const RECORD: &str = "package p; public record Pair(int left, int right) { public int sum() { return left + right; } }";

const OF_RECORD: &str = "package p;
public class PairTest {
    @org.junit.Test
    public void sumReads() throws Exception {
        org.junit.Assert.assertEquals(3, new Pair(1, 2).sum());
        Pair.class.getDeclaredField(\"left\");
    }
}
";

fn write(root: &Path, path: &str, text: &str) {
    fs::write(root.join(path), text).expect("it is written");
}
