//! The environment of a Java candidate: the class that inherits its test, a separate virtual machine, and a separate
//! call.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::BTreeMap;
use std::time::Duration;

use focalist::model::{Framework, Outcome, Span};
use focalist::runner::java::fast::{Fast, FastOptions};
use focalist::runner::java::maven::{Maven, MavenOptions};
use focalist::runner::{Candidate, Engine, HostFile};
use focalist::task::Monitor;

use crate::java_attacks::{maven, project_with, run};
use crate::maven::outcomes;
use crate::prepare::{TURN, has_tools, options, prepare, site};
use crate::support::Place;

/// A test that subclasses inherit unchanged, or declare again.
const BASE: &str = "package p;
public abstract class BaseTest {
    @org.junit.Test public void shared() { org.junit.Assert.assertEquals(1, first()); }
    abstract int first();
}
";
const AGAIN: &str = "package p;
public class AgainTest extends BaseTest {
    int first() { return 0; }
    @Override @org.junit.Test public void shared() { org.junit.Assert.assertEquals(0, first()); }
}
";
const TAKEN: &str = "package p;
public class TakenTest extends BaseTest {
    int first() { return new Counter().inc(); }
}
";

#[test]
fn both_engines_run_a_test_where_no_class_declares_it_again() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let root = project_with(&place, "hosts", ("", ""));
    for (name, text) in [("Base", BASE), ("Again", AGAIN), ("Taken", TAKEN)] {
        place.write(&format!("hosts/src/test/java/p/{name}Test.java"), text);
    }
    let site = site();
    let build = prepare(&site, &options(root)).build;
    let start = BASE.find("@org").expect("it has a test");
    let end = BASE.find("; }").expect("it has an end") + 3;
    let at = Span::new(start as u32, end as u32);
    let file = HostFile {
        path: "src/test/java/p/BaseTest.java".to_owned(),
        text: BASE.to_owned(),
        tests: vec![at],
    };
    let candidate = |id: u64| Candidate {
        id,
        file_idx: 0,
        at,
        text: format!(
            "@org.junit.Test public void shared() {{ org.junit.Assert.assertEquals(1, first()); int n = {id}; }}"
        ),
        nesting: vec!["BaseTest".to_owned()],
        package: "p".to_owned(),
        name: "shared".to_owned(),
        framework: Framework::JUnit4,
        focal: None,
    };
    // The second one gets another name, which no class below declares.
    let candidates = [candidate(0), candidate(1)];
    let hosts = |engine: &mut dyn Engine| {
        let mut hosts = BTreeMap::new();
        let files = std::slice::from_ref(&file);
        let mut sink = |ran: focalist::runner::CandidateExecution| {
            hosts.insert(ran.id, (ran.host.clone(), outcomes(&[ran])[0]));
            Ok(())
        };
        engine
            .run(files, &candidates, &Monitor::default(), &mut sink)
            .expect("they run");
        hosts.into_values().collect::<Vec<_>>()
    };
    let expected = vec![("p.TakenTest".to_owned(), Outcome::Passing); 2];
    let limit = Duration::from_secs(30);
    let is_alone = false;
    let mut engine = Maven::new(&site, &build, MavenOptions { limit, is_alone });
    assert_eq!(hosts(&mut engine), expected);
    let mut engine = Fast::new(&site, &build, FastOptions::default());
    assert_eq!(hosts(&mut engine), expected);
}

#[test]
fn each_test_that_maven_runs_alone_has_a_call_and_a_tree_of_its_own() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let site = site();
    let root = project_with(&place, "alone", ("", ""));
    let build = prepare(&site, &options(root)).build;
    // Fails where another test has run before.
    let marking = "assertEquals(true, new java.io.File(\"target/mark\").createNewFile());";
    let tests = [("first", marking), ("second", marking)];
    let alone = maven(&site, &build, true, &tests);
    assert_eq!(outcomes(&alone), [Outcome::Passing; 2], "{alone:?}");
    let mut together = outcomes(&maven(&site, &build, false, &tests));
    together.sort_unstable();
    assert_eq!(together, [Outcome::Failing, Outcome::Passing]);
}

#[test]
fn who_reaches_into_its_machine_is_alone_under_a_new_name_too() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let site = site();
    let root = project_with(&place, "powers", ("", ""));
    let build = prepare(&site, &options(root)).build;
    // Threads without a name are numbered, in each virtual machine from 0.
    let starting =
        "for (int n = 0; n < 100; n++) { new Thread(); } assertEquals(1, new Counter().inc());";
    let is_first = "int n = Integer.parseInt(new Thread().getName().substring(7)); assertEquals(\"\" + n, true, n < 100);";
    let reaching =
        format!("{is_first} java.lang.management.ManagementFactory.getRuntimeMXBean().getName();");
    // The name is that of the true test, beside which they stand.
    let tests = [
        ("testInc", starting),
        ("testInc", starting),
        ("testInc", reaching.as_str()),
        ("testInc", is_first),
    ];
    let mut engine = Fast::new(&site, &build, FastOptions::default());
    let ran = run(&mut engine, &tests);
    let (passing, failing) = (Outcome::Passing, Outcome::Failing);
    assert_eq!(
        outcomes(&ran),
        [passing, passing, passing, failing],
        "{ran:?}"
    );
}
