//! Candidates that try to change the outcomes of others, with the engine `fast`: through agents, the memory of their
//! JVM, and the state that its candidates share.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use focalist::model::{Framework, MethodPlace, Span};
use focalist::runner::java::fast::{Fast, FastOptions};
use focalist::runner::{Candidate, Engine, Fate, Focal, HostFile};
use focalist::task::Monitor;

use crate::prepare::{has_tools, options, prepare, project, site};

const FALSE: &str = "@Test void counts() { assertEquals(998, shelf.size()); }";
const TRUE: &str = "@Test void counts() { assertEquals(0, shelf.size()); }";
const PATH: &str = "src/test/java/p/ShelfTest.java";

/// Calls any public method as a library of the project would, so that the method's name is not in the calling code.
const CALLER: &str = "class Any { Object call(Object of, String name, Class<?>[] types, Object... with) { \
                      return new InvokerTransformer(name, types, with).transform(of); } \
                      Class<?> named(String name) { Class<?>[] types = {String.class, boolean.class, ClassLoader.class}; \
                      return (Class<?>) call(Object.class, \"for\".concat(\"Name\"), types, name, true, \
                      Thread.currentThread().getContextClassLoader()); } \
                      Method method(Class<?> of, String name, Class<?>... types) { Class<?>[] by = {String.class, Class[].class}; \
                      return (Method) call(of, \"get\".concat(\"Method\"), by, name, types); } \
                      Object on(Method method, Object of, Object... with) { Class<?>[] by = {Object.class, Object[].class}; \
                      return call(method, \"in\".concat(\"voke\"), by, of, with); } \
                      Field field(Class<?> of, String name) { Class<?>[] by = {String.class}; \
                      Field field = (Field) call(of, \"getDeclared\".concat(\"Field\"), by, name); \
                      call(field, \"set\".concat(\"Accessible\"), new Class<?>[] {boolean.class}, true); return field; } } \
                      Any any = new Any();";

/// Answers for all later candidates, with the token from a heap dump.
const ANSWERS: &str = "String text = new String(Files.readAllBytes(dump.toPath()), StandardCharsets.ISO_8859_1); \
                       int at = 64; String before; \
                       do { at = text.indexOf(\"{\\\"kind\\\":\\\"run\\\"\", at + 1); before = text.substring(at - 64, at); } \
                       while (!before.substring(32).matches(\"[0-9a-f]{32}\")); \
                       String token = before.substring(before.matches(\"[0-9a-f]{64}\") ? 0 : 32).substring(0, 32); \
                       try (OutputStream out = new FileOutputStream(\"/pro\".concat(\"c/self/fd/1\"))) { \
                       for (int id = 1; id < 20; id++) { String answer = \"\\n\" + token + \"{\\\"kind\\\":\\\"done\\\",\\\"id\\\":\" + id \
                       + \",\\\"ms\\\":1,\\\"status\\\":\\\"passing\\\",\\\"isCalled\\\":true}\\n\"; \
                       out.write(answer.getBytes(StandardCharsets.US_ASCII)); } }";

fn host_file() -> HostFile {
    let text = fs::read_to_string(project("mocks").join(PATH)).expect("it is there");
    let tests = vec![place(&text)];
    let path = PATH.to_owned();
    HostFile { path, text, tests }
}

fn place(text: &str) -> Span {
    let test = "@Test void counts() { assertEquals(0, shelf.size()); }";
    let start = text.find(test).expect("it is there");
    Span::new(start as u32, (start + test.len()) as u32)
}

fn candidate(id: usize, text: &str, at: Span) -> Candidate {
    Candidate {
        id: id as u64,
        file_idx: 0,
        at,
        text: text.to_owned(),
        nesting: vec!["ShelfTest".to_owned()],
        package: "p".to_owned(),
        name: "counts".to_owned(),
        framework: Framework::JUnit5,
        focal: Some(Focal {
            package: "p".to_owned(),
            nesting: vec!["Shelf".to_owned()],
            name: "size".to_owned(),
            parameters: Vec::new(),
            place: MethodPlace {
                path: "src/main/java/p/Shelf.java".to_owned(),
                span: Span::default(),
            },
            line: 1,
        }),
    }
}

/// Runs candidates in order, and returns the outcome of each, with the exception.
fn outcomes(texts: &[&str]) -> Vec<String> {
    let timeout = Duration::from_secs(30);
    let options = FastOptions {
        timeout,
        ..FastOptions::default()
    };
    outcomes_with(texts, options)
}

fn outcomes_with(texts: &[&str], asked: FastOptions) -> Vec<String> {
    let site = site();
    let build = prepare(&site, &options(project("mocks"))).build;
    let files = [host_file()];
    let at = files[0].tests[0];
    let candidates = texts.iter().enumerate();
    let candidates: Vec<Candidate> = candidates
        .map(|pair| candidate(pair.0, pair.1, at))
        .collect();
    let mut fast = Fast::new(&site, &build, asked);
    let mut outcomes = BTreeMap::new();
    fast.run(&files, &candidates, &Monitor::default(), &mut |ran| {
        let word = match ran.fate {
            Fate::Ran(outcome) => outcome.as_str(),
            Fate::Blocked(blocked) => blocked.as_str(),
        };
        let why = ran.why.map(|outcome_reason| {
            format!(": {:?} {}", outcome_reason.kind, outcome_reason.message)
        });
        let told = if matches!(word, "correct" | "failing")
            && why.as_ref().is_none_or(|why| why.contains("998"))
        {
            word.to_owned()
        } else {
            format!("{word}{}", why.unwrap_or_default())
        };
        assert!(outcomes.insert(ran.id, told).is_none(), "each comes once");
        Ok(())
    })
    .expect("they run");
    outcomes.into_values().collect()
}

/// Checks that a candidate makes no wrong test after it pass, and no right one fail.
fn check_forged(attack: &str) {
    if !has_tools() {
        return;
    }
    let mut texts = vec![TRUE, attack];
    texts.extend([FALSE; 10]);
    texts.extend([TRUE; 4]);
    let mut expected = vec!["failing"; 10];
    expected.extend(["correct"; 4]);
    let outcomes = outcomes(&texts);
    assert_eq!(
        outcomes[2..],
        expected,
        "behind one that is {}",
        outcomes[1]
    );
}

#[test]
fn an_agent_that_a_test_loads_changes_no_outcome_of_others() {
    check_forged(
        "@Test void counts() throws Exception { \
         java.lang.instrument.Instrumentation all = net.bytebuddy.agent.ByteBuddyAgent.install(); \
         Class<?> of = Class.forName(\"org.junit.jupiter.engine.execution.MethodInvocation\"); \
         new net.bytebuddy.ByteBuddy().redefine(of) \
         .method(net.bytebuddy.matcher.ElementMatchers.named(\"proceed\")) \
         .intercept(net.bytebuddy.implementation.StubMethod.INSTANCE).make() \
         .load(of.getClassLoader(), net.bytebuddy.dynamic.loading.ClassReloadingStrategy.of(all)); throw new Error(\"over\"); }",
    );
}

#[test]
fn answers_from_a_dump_of_the_heap_are_those_of_nobody_else() {
    let attack = format!(
        "@Test void counts() throws Exception {{ File dump = new File(System.getProperty(\"java.io.tmpdir\"), \"x.hprof\"); \
         java.lang.management.ManagementFactory.getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class) \
         .dumpHeap(dump.getPath(), true); {ANSWERS} shelf.size(); }}"
    );
    check_forged(&attack);
}

#[test]
fn an_answer_before_its_question_ends_the_worker() {
    // As before, but no name in its code reveals what it does.
    let attack = format!(
        "@Test void counts() throws Exception {{ {CALLER} \
         File dump = new File(System.getProperty(\"java.io.tmpdir\"), \"x.hprof\"); \
         Class<?> of = any.named(\"com.su\".concat(\"n.management.HotSpotDiag\").concat(\"nosticMXBean\")); \
         Class<?> all = any.named(\"java.lan\".concat(\"g.manage\").concat(\"ment.ManagementFactory\")); \
         Object bean = any.on(any.method(all, \"getPlatformMXBean\", Class.class), null, of); \
         any.on(any.method(of, \"dumpHeap\", String.class, boolean.class), bean, dump.getPath(), true); \
         {ANSWERS} shelf.size(); }}"
    );
    check_forged(&attack);
}

#[test]
fn a_canary_tells_of_a_test_that_changes_the_runner() {
    // From now on, Jupiter tests are skipped and counted as passing.
    let attack = format!(
        "@Test void counts() throws Exception {{ {CALLER} \
         Class<?> of = any.named(\"su\".concat(\"n.misc.Uns\").concat(\"afe\")); \
         Object power = any.field(of, \"theUns\".concat(\"afe\")).get(null); \
         Class<?> kind = any.named(\"org.junit.jupiter.engine.execution.InterceptingExecutableInvoker$ReflectiveInterceptorCall\"); \
         Object skips = Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {{kind}}, (proxy, method, with) -> {{ \
         ((org.junit.jupiter.api.extension.InvocationInterceptor.Invocation<?>) with[1]).skip(); return null; }}); \
         Field field = any.field(any.named(\"org.junit.jupiter.engine.descriptor.TestMethodTestDescriptor\"), \"defaultInterceptorCall\"); \
         Object base = any.on(any.method(of, \"staticFieldBase\", Field.class), power, field); \
         Object at = any.on(any.method(of, \"staticFieldOffset\", Field.class), power, field); \
         any.on(any.method(of, \"putObject\", Object.class, long.class, Object.class), power, base, at, skips); shelf.size(); }}"
    );
    check_forged(&attack);
}

#[test]
fn what_libraries_keep_is_not_there_for_the_next_test() {
    if !has_tools() {
        return;
    }
    let texts = [
        "@Test void counts() { org.apache.commons.lang3.builder.ToStringBuilder.setDefaultStyle( \
         org.apache.commons.lang3.builder.ToStringStyle.SIMPLE_STYLE); shelf.size(); }",
        "@Test void counts() { assertSame(org.apache.commons.lang3.builder.ToStringStyle.DEFAULT_STYLE, \
         org.apache.commons.lang3.builder.ToStringBuilder.getDefaultStyle()); shelf.size(); }",
        "@Test void counts() { org.assertj.core.api.Assertions.setMaxElementsForPrinting(3); shelf.size(); }",
        "@Test void counts() { assertEquals(1000, \
         org.assertj.core.presentation.StandardRepresentation.getMaxElementsForPrinting()); shelf.size(); }",
        "@Test void counts() { org.assertj.core.api.Assertions.registerFormatterForType(String.class, it -> \"x\"); shelf.size(); }",
        "@Test void counts() { assertEquals(\"\\\"a\\\"\", \
         new org.assertj.core.presentation.StandardRepresentation().toStringOf(\"a\")); shelf.size(); }",
        "@Test void counts() { org.mockito.Mockito.mockStatic(Shelf.class); org.mockito.Mockito.doReturn(1); new Shelf().size(); }",
        "@Test void counts() { assertEquals(1, Shelf.made()); \
         try (var it = org.mockito.Mockito.mockStatic(Shelf.class)) { assertEquals(0, Shelf.made()); } shelf.size(); }",
    ];
    assert_eq!(outcomes(&texts), ["correct"; 8]);
}

/// Changes that a test makes to the JDK, and tests that only pass without these changes.
const OF_THE_JDK: [(&str, &str); 3] = [
    (
        "javax.imageio.spi.IIORegistry.getDefaultInstance().deregisterAll(javax.imageio.spi.ImageReaderSpi.class);",
        "assertTrue(javax.imageio.ImageIO.getImageReadersByFormatName(\"png\").hasNext());",
    ),
    (
        "java.time.zone.ZoneRulesProvider.registerProvider(new java.time.zone.ZoneRulesProvider() { \
         protected java.util.Set<String> provideZoneIds() { return java.util.Collections.singleton(\"Left/Over\"); } \
         protected java.time.zone.ZoneRules provideRules(String id, boolean isCached) { return null; } \
         protected java.util.NavigableMap<String, java.time.zone.ZoneRules> provideVersions(String id) { return null; } });",
        "assertFalse(java.time.ZoneId.getAvailableZoneIds().contains(\"Left/Over\"));",
    ),
    (
        "java.util.logging.Logger.getLogger(\"\").getHandlers()[0].setLevel(java.util.logging.Level.OFF);",
        "assertEquals(java.util.logging.Level.INFO, java.util.logging.Logger.getLogger(\"\").getHandlers()[0].getLevel());",
    ),
];

#[test]
fn what_the_jdk_keeps_is_not_there_for_the_next_test() {
    if !has_tools() {
        return;
    }
    let all = OF_THE_JDK.iter().flat_map(|pair| [pair.0, pair.1]);
    let texts: Vec<String> = all
        .map(|text| format!("@Test void counts() throws Exception {{ {text} shelf.size(); }}"))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(outcomes(&texts), vec!["correct"; texts.len()]);
}

#[test]
fn a_text_that_the_compiler_never_ends_with_is_not_compilable_and_keeps_nobody_waiting() {
    if !has_tools() {
        return;
    }
    // It tries both sides of each condition with all their possible values.
    let mut value = "1".to_owned();
    for _ in 0..40 {
        value = format!("java.util.Arrays.asList(true ? {value} : null)");
    }
    let endless = format!("@Test void counts() {{ Object all = {value}; shelf.size(); }}");
    let options = FastOptions {
        to_compile: Duration::from_secs(4),
        ..FastOptions::default()
    };
    let found = outcomes_with(&[TRUE, &endless, FALSE, TRUE], options);
    let said = "not_compilable: None the compiler does not come to an end with it";
    assert_eq!(found, ["correct", said, "failing", "correct"]);
}

#[test]
fn mocks_of_final_classes_and_of_static_methods_need_no_agent_that_is_loaded_late() {
    if !has_tools() {
        return;
    }
    let texts = [
        "@Test void counts() { try (var it = org.mockito.Mockito.mockStatic(Shelf.class)) { \
         it.when(Shelf::made).thenReturn(7); assertEquals(7, Shelf.made()); } assertEquals(1, Shelf.made()); shelf.size(); }",
        "@Test void counts() { Shelf mock = org.mockito.Mockito.mock(Shelf.class); \
         org.mockito.Mockito.when(mock.size()).thenReturn(7); assertEquals(7, mock.size()); shelf.size(); }",
        TRUE,
    ];
    assert_eq!(outcomes(&texts), ["correct"; 3]);
}

#[test]
fn who_opens_what_belongs_to_all_is_alone_and_gets_it() {
    if !has_tools() {
        return;
    }
    let texts = [
        // Among others, a test opens private fields of its own project.
        "@Test void counts() throws Exception { Field items = Shelf.class.getDeclaredField(\"items\"); \
         items.setAccessible(true); assertNotNull(items.get(shelf)); shelf.size(); }",
        "@Test void counts() throws Exception { Field style = \
         org.apache.commons.lang3.builder.ToStringBuilder.class.getDeclaredField(\"defaultStyle\"); \
         style.setAccessible(true); style.set(null, null); shelf.size(); }",
        "@Test void counts() { assertNotNull(org.apache.commons.lang3.builder.ToStringBuilder.getDefaultStyle()); shelf.size(); }",
    ];
    assert_eq!(outcomes(&texts), ["correct"; 3]);
}
