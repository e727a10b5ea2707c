//! Checks the table's entries for types that every project uses, and that the whole table can be read.

#![expect(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use std::collections::BTreeSet;

use expect_test::{Expect, expect};

use super::{
    LibraryField, LibraryKind, LibraryMethod, LibraryType, SignatureSource, SignatureType, TABLE,
    TypeArgument, TypeParameter, find, flag, knows_package, sources, types_in,
};

fn source(ty: &LibraryType) -> SignatureSource {
    ty.source
        .expect("the table knows where its types come from")
}

fn show_all<T>(elements: &[T], show: impl Fn(&T) -> String) -> String {
    elements.iter().map(show).collect::<Vec<_>>().join(", ")
}

fn show(ty: &SignatureType) -> String {
    match ty {
        SignatureType::Void => "void".to_owned(),
        SignatureType::Primitive(primitive) => format!("{primitive:?}").to_lowercase(),
        SignatureType::Class { name, arguments } => {
            let name = short(name);
            if arguments.is_empty() {
                return name.to_owned();
            }
            format!("{name}<{}>", show_all(arguments, show_argument))
        }
        SignatureType::Variable(name) => (*name).to_owned(),
        SignatureType::Array(element) => format!("{}[]", show(element)),
    }
}

/// Drops the package, so that expectations fit on a line.
fn short(qualified: &str) -> &str {
    let class = qualified.find(|c: char| c.is_uppercase());
    &qualified[class.unwrap_or_default()..]
}

fn show_argument(argument: &TypeArgument) -> String {
    match argument {
        TypeArgument::Any => "?".to_owned(),
        TypeArgument::Extends(bound) => format!("? extends {}", show(bound)),
        TypeArgument::Super(bound) => format!("? super {}", show(bound)),
        TypeArgument::Exact(ty) => show(ty),
    }
}

fn show_parameter(parameter: &TypeParameter) -> String {
    let bounds: Vec<_> = parameter.bounds.iter().map(show).collect();
    if bounds.is_empty() {
        parameter.name.to_owned()
    } else {
        format!("{} extends {}", parameter.name, bounds.join(" & "))
    }
}

fn show_parameters(parameters: &[TypeParameter]) -> String {
    if parameters.is_empty() {
        String::new()
    } else {
        format!("<{}> ", show_all(parameters, show_parameter))
    }
}

fn show_flags(flags: u16) -> String {
    let words = [
        (flag::PUBLIC, "public "),
        (flag::PROTECTED, "protected "),
        (flag::STATIC, "static "),
        (flag::ABSTRACT, "abstract "),
        (flag::FINAL, "final "),
        (flag::DEFAULT, "default "),
        (flag::VARARGS, "varargs "),
        (flag::ENUM_CONSTANT, "constant "),
    ];
    let set = words.iter().filter(|(bit, _)| flags & bit != 0);
    set.map(|(_, word)| *word).collect()
}

fn show_method(method: &LibraryMethod) -> String {
    format!(
        "{}{}{} {}({})",
        show_flags(method.flags),
        show_parameters(&method.type_parameters),
        show(&method.return_type),
        method.name,
        show_all(&method.parameters, show)
    )
}

fn show_field(field: &LibraryField) -> String {
    format!(
        "{}{} {}",
        show_flags(field.flags),
        show(&field.ty),
        field.name
    )
}

fn show_head(ty: &LibraryType) -> String {
    format!(
        "{}{}{:?} {}: {} [{} {}]",
        show_parameters(&ty.type_parameters),
        show_flags(ty.flags),
        ty.kind,
        ty.name,
        show_all(&ty.supertypes, show),
        source(ty).name,
        source(ty).version,
    )
}

fn known(qualified: &str) -> &'static LibraryType {
    find(qualified).expect("the test names a type of the table")
}

/// Shows the head of a `Type`, and the fields and methods behind a `Type#name`.
fn check(names: &[&str], expected: &Expect) {
    let mut lines = Vec::new();
    for name in names {
        match name.split_once('#') {
            None => lines.push(show_head(known(name))),
            Some((ty, member)) => {
                let ty = known(ty);
                lines.extend(ty.field(member).map(show_field));
                lines.extend(ty.methods_named(member).map(show_method));
            }
        }
    }
    expected.assert_eq(&lines.join("\n"));
}

fn check_first_types(package: &str, n: usize, expected: &Expect) {
    expected.assert_eq(&types_in(package).take(n).collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_type_of_the_table_can_be_read() {
    let mut n_methods = 0;
    for name in TABLE.names() {
        let ty = known(name);
        assert_eq!(ty.name, name);
        assert!(name.starts_with(ty.package), "{name}");
        n_methods += ty.methods.len();
    }
    let n_types = TABLE.names().count();
    assert_eq!(TABLE.names().collect::<BTreeSet<_>>().len(), n_types);
    assert!(n_types > 9000, "{n_types}");
    assert!(n_methods > 80_000, "{n_methods}");
}

#[test]
fn every_member_type_and_every_supertype_of_the_jdk_is_in_the_table() {
    let mut missing = BTreeSet::new();
    for name in TABLE.names() {
        let ty = known(name);
        for member in &ty.member_types {
            let member = format!("{name}.{member}");
            if find(&member).and_then(LibraryType::enclosing) != Some(name) {
                missing.insert(member);
            }
        }
        for supertype in &ty.supertypes {
            match supertype {
                SignatureType::Class { name, .. } if find(name).is_some() => {}
                _ if source(ty).name == "jdk" => {
                    missing.insert(show(supertype));
                }
                _ => {}
            }
        }
    }
    expect![[""]].assert_eq(&missing.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_variable_is_declared_by_the_method_or_a_type_around_it() {
    let mut unbound = BTreeSet::new();
    for name in TABLE.names() {
        let ty = known(name);
        let mut scope: BTreeSet<&str> = BTreeSet::new();
        let mut around = Some(ty);
        while let Some(outer) = around {
            scope.extend(
                outer
                    .type_parameters
                    .iter()
                    .map(|type_parameter| type_parameter.name),
            );
            around = outer.enclosing().and_then(find);
        }
        for method in &ty.methods {
            let mut used = Vec::new();
            let types = method.parameters.iter().chain([&method.return_type]);
            types.for_each(|ty| variables(ty, &mut used));
            for variable in used {
                if !scope.contains(variable)
                    && !method
                        .type_parameters
                        .iter()
                        .any(|type_parameter| type_parameter.name == variable)
                {
                    unbound.insert(format!("{name}#{}: {variable}", method.name));
                }
            }
        }
    }
    expect![[""]].assert_eq(&unbound.into_iter().collect::<Vec<_>>().join("\n"));
}

fn variables(ty: &SignatureType, into: &mut Vec<&'static str>) {
    match ty {
        SignatureType::Variable(name) => into.push(name),
        SignatureType::Array(element) => variables(element, into),
        SignatureType::Class { arguments, .. } => {
            for argument in arguments {
                match argument {
                    TypeArgument::Any => {}
                    TypeArgument::Extends(ty)
                    | TypeArgument::Super(ty)
                    | TypeArgument::Exact(ty) => {
                        variables(ty, into);
                    }
                }
            }
        }
        SignatureType::Void | SignatureType::Primitive(_) => {}
    }
}

#[test]
fn an_element_of_a_list_has_the_type_of_its_argument() {
    check(
        &[
            "java.util.List",
            "java.util.List#get",
            "java.util.List#toArray",
        ],
        &expect![[r#"
            <E> public abstract Interface java.util.List: Collection<E> [jdk 17.0.15]
            public abstract E get(int)
            public abstract Object[] toArray()
            public abstract <T> T[] toArray(T[])"#]],
    );
}

#[test]
fn a_nested_type_is_named_with_dots_and_is_a_member() {
    check(
        &[
            "java.util.Map.Entry",
            "java.util.Map#entrySet",
            "java.util.Map.Entry#comparingByKey",
        ],
        &expect![[r#"
            <K, V> public static abstract Interface java.util.Map.Entry:  [jdk 17.0.15]
            public abstract Set<Map.Entry<K, V>> entrySet()
            public static <K extends Comparable<? super K>, V> Comparator<Map.Entry<K, V>> comparingByKey()
            public static <K, V> Comparator<Map.Entry<K, V>> comparingByKey(Comparator<? super K>)"#]],
    );
    assert_eq!(known("java.util.Map").member_types, ["Entry"]);
    assert_eq!(
        known("java.util.Map.Entry").enclosing(),
        Some("java.util.Map")
    );
    assert_eq!(known("java.util.Map").enclosing(), None);
    assert!(!known("java.util.Map.Entry").is_inner());
}

#[test]
fn methods_have_type_parameters_wildcards_and_bounds() {
    check(
        &[
            "java.util.stream.Stream#map",
            "java.util.stream.Stream#collect",
            "java.util.Collections#max",
            "java.util.Comparator#comparing",
            "java.lang.Enum",
        ],
        &expect![[r#"
            public abstract <R> Stream<R> map(Function<? super T, ? extends R>)
            public abstract <R> R collect(Supplier<R>, BiConsumer<R, ? super T>, BiConsumer<R, R>)
            public abstract <R, A> R collect(Collector<? super T, A, R>)
            public static <T extends Object & Comparable<? super T>> T max(Collection<? extends T>)
            public static <T> T max(Collection<? extends T>, Comparator<? super T>)
            public static <T, U> Comparator<T> comparing(Function<? super T, ? extends U>, Comparator<? super U>)
            public static <T, U extends Comparable<? super U>> Comparator<T> comparing(Function<? super T, ? extends U>)
            <E extends Enum<E>> public abstract Class java.lang.Enum: Object, Constable, Comparable<E>, Serializable [jdk 17.0.15]"#]],
    );
}

#[test]
fn functional_interfaces_tell_abstract_from_default_methods() {
    check(
        &[
            "java.util.function.Function#apply",
            "java.util.function.Function#andThen",
        ],
        &expect![[r#"
            public abstract R apply(T)
            public default <V> Function<T, V> andThen(Function<? super R, ? extends V>)"#]],
    );
}

#[test]
fn a_method_of_an_invisible_superclass_is_found_through_it() {
    check(
        &[
            "java.lang.StringBuilder",
            "java.lang.AbstractStringBuilder",
            "java.lang.AbstractStringBuilder#length",
        ],
        &expect![[r#"
            public final Class java.lang.StringBuilder: AbstractStringBuilder, Serializable, Comparable<StringBuilder>, CharSequence [jdk 17.0.15]
            abstract Class java.lang.AbstractStringBuilder: Object, Appendable, CharSequence [jdk 17.0.15]
            public int length()"#]],
    );
    assert!(!types_in("java.lang").any(|name| name == "java.lang.AbstractStringBuilder"));
}

#[test]
fn fields_constructors_and_kinds_are_told_apart() {
    check(
        &[
            "java.lang.System#out",
            "java.util.concurrent.TimeUnit#SECONDS",
            "java.lang.String#CASE_INSENSITIVE_ORDER",
            "java.io.File#<init>",
            "java.lang.FunctionalInterface",
        ],
        &expect![[r#"
            public static final PrintStream out
            public static final constant TimeUnit SECONDS
            public static final Comparator<String> CASE_INSENSITIVE_ORDER
            public void <init>(String)
            public void <init>(String, String)
            public void <init>(File, String)
            public void <init>(URI)
            public abstract Annotation java.lang.FunctionalInterface: Annotation [jdk 17.0.15]"#]],
    );
    assert_eq!(
        known("java.util.concurrent.TimeUnit").kind,
        LibraryKind::Enum
    );
}

#[test]
fn a_constructor_of_an_inner_class_does_not_list_the_enclosing_object() {
    assert!(known("javax.swing.JTable.AccessibleJTable").is_inner());
    check(
        &["javax.swing.JTable.AccessibleJTable#<init>"],
        &expect!["protected void <init>()"],
    );
}

#[test]
fn test_libraries_are_known() {
    check(
        &[
            "org.junit.jupiter.api.Assertions#assertThrows",
            "org.junit.Assert#assertThrows",
            "junit.framework.TestCase",
            "org.testng.Assert#expectThrows",
            "org.mockito.Mockito#mock",
            "org.mockito.Mockito#verify",
            "org.mockito.Mockito#when",
            "org.mockito.ArgumentMatchers#any",
            "org.hamcrest.MatcherAssert#assertThat",
            "org.hamcrest.Matchers#hasItems",
            "org.easymock.EasyMock#createMock",
            "com.google.common.truth.OptionalSubject#hasValue",
            "com.google.common.collect.ImmutableList#copyOf",
        ],
        &expect![[r#"
            public static <T extends Throwable> T assertThrows(Class<T>, Executable)
            public static <T extends Throwable> T assertThrows(Class<T>, Executable, String)
            public static <T extends Throwable> T assertThrows(Class<T>, Executable, Supplier<String>)
            public static <T extends Throwable> T assertThrows(Class<T>, ThrowingRunnable)
            public static <T extends Throwable> T assertThrows(String, Class<T>, ThrowingRunnable)
            public abstract Class junit.framework.TestCase: Assert, Test [junit 4.13.2]
            public static <T extends Throwable> T expectThrows(Class<T>, Assert.ThrowingRunnable)
            public static <T extends Throwable> T expectThrows(String, Class<T>, Assert.ThrowingRunnable)
            public static varargs <T> T mock(T[])
            public static varargs <T> T mock(Answer, T[])
            public static varargs <T> T mock(String, T[])
            public static varargs <T> T mock(MockSettings, T[])
            public static <T> T mock(Class<T>)
            public static <T> T mock(Class<T>, String)
            public static <T> T mock(Class<T>, Answer)
            public static <T> T mock(Class<T>, MockSettings)
            public static <T> T verify(T)
            public static <T> T verify(T, VerificationMode)
            public static <T> OngoingStubbing<T> when(T)
            public static <T> T any()
            public static <T> T any(Class<T>)
            public static <T> void assertThat(T, Matcher<? super T>)
            public static <T> void assertThat(String, T, Matcher<? super T>)
            public static void assertThat(String, boolean)
            public static varargs <T> Matcher<Iterable<T>> hasItems(Matcher<? super T>[])
            public static varargs <T> Matcher<Iterable<T>> hasItems(T[])
            public static <T> T createMock(MockType, Class<?>)
            public static <T> T createMock(String, MockType, Class<?>)
            public static <T> T createMock(Class<?>)
            public static <T> T createMock(String, Class<?>)
            public void hasValue(Object)
            public static <E> ImmutableList<E> copyOf(Iterable<? extends E>)
            public static <E> ImmutableList<E> copyOf(Collection<? extends E>)
            public static <E> ImmutableList<E> copyOf(Iterator<? extends E>)
            public static <E> ImmutableList<E> copyOf(E[])"#]],
    );
    assert!(
        known("org.assertj.core.api.Assertions")
            .methods_named("assertThat")
            .count()
            > 60
    );
}

#[test]
fn common_libraries_are_known() {
    check(
        &[
            "com.fasterxml.jackson.databind.ObjectMapper#convertValue",
            "com.google.gson.Gson#fromJson",
            "org.springframework.http.ResponseEntity#getStatusCode",
            "org.springframework.data.repository.CrudRepository",
            "org.springframework.data.repository.CrudRepository#save",
            "reactor.core.publisher.Mono#block",
            "javax.servlet.http.HttpServletRequest#getSession",
        ],
        &expect![[r#"
            public <T> T convertValue(Object, Class<T>)
            public <T> T convertValue(Object, TypeReference<T>)
            public <T> T convertValue(Object, JavaType)
            public <T> T fromJson(String, Class<T>)
            public <T> T fromJson(String, Type)
            public <T> T fromJson(String, TypeToken<T>)
            public <T> T fromJson(Reader, Class<T>)
            public <T> T fromJson(Reader, Type)
            public <T> T fromJson(Reader, TypeToken<T>)
            public <T> T fromJson(JsonReader, Type)
            public <T> T fromJson(JsonReader, TypeToken<T>)
            public <T> T fromJson(JsonElement, Class<T>)
            public <T> T fromJson(JsonElement, Type)
            public <T> T fromJson(JsonElement, TypeToken<T>)
            public HttpStatusCode getStatusCode()
            <T, ID> public abstract Interface org.springframework.data.repository.CrudRepository: Repository<T, ID> [spring-data-commons 3.4.1]
            public abstract <S extends T> S save(S)
            public T block()
            public T block(Duration)
            public abstract HttpSession getSession(boolean)
            public abstract HttpSession getSession()"#]],
    );
}

#[test]
fn a_type_that_a_later_version_took_out_comes_from_the_older_one() {
    check(
        &[
            "org.mockito.Matchers",
            "org.mockito.Matchers#eq",
            "org.mockito.ArgumentMatchers",
        ],
        &expect![[r#"
            public Class org.mockito.Matchers: Object [mockito-core 1.10.19]
            public static boolean eq(boolean)
            public static byte eq(byte)
            public static char eq(char)
            public static double eq(double)
            public static float eq(float)
            public static int eq(int)
            public static long eq(long)
            public static short eq(short)
            public static <T> T eq(T)
            public Class org.mockito.ArgumentMatchers: Object [mockito-core 5.14.2]"#]],
    );
}

#[test]
fn a_package_is_known_whole_or_not_at_all() {
    assert!(knows_package("java.util"));
    assert!(knows_package("org.junit.jupiter.api"));
    assert!(!knows_package("java"));
    assert!(!knows_package("org.mockito.internal"));
    check_first_types(
        "java.util.function",
        3,
        &expect![[r#"
        java.util.function.BiConsumer
        java.util.function.BiFunction
        java.util.function.BiPredicate"#]],
    );
    assert_eq!(types_in("com.example").count(), 0);
}

#[test]
fn an_unknown_name_is_no_type() {
    for name in [
        "",
        "java",
        "java.util",
        "java.util.Lisst",
        "java.util.Map$Entry",
        "List",
    ] {
        assert!(find(name).is_none(), "{name}");
    }
}

#[test]
fn the_table_says_what_it_was_made_from() {
    let list: Vec<_> = sources()
        .iter()
        .map(|source| format!("{} {}", source.name, source.version))
        .collect();
    expect![[r#"
        jdk 17.0.15
        assertj-core 3.26.3
        awaitility 4.2.2
        commons-codec 1.17.1
        commons-collections4 4.4
        commons-io 2.18.0
        commons-lang 2.6
        commons-lang3 3.17.0
        easymock 5.5.0
        fest-assert 1.4
        gson 2.11.0
        guava 33.3.1-jre
        hamcrest 2.2
        jackson-annotations 2.18.2
        jackson-core 2.18.2
        jackson-databind 2.18.2
        jakarta.jms-api 3.1.0
        jakarta.persistence-api 3.1.0
        jakarta.servlet-api 6.0.0
        jakarta.ws.rs-api 3.1.0
        javax.annotation-api 1.3.2
        javax.inject 1
        javax.jms-api 2.0.1
        javax.persistence-api 2.2
        javax.servlet-api 4.0.1
        javax.ws.rs-api 2.1.1
        joda-time 2.13.0
        jsr305 3.0.2
        junit 4.13.2
        junit-jupiter-api 5.11.4
        junit-jupiter-params 5.11.4
        mockito-core 5.14.2
        mockito-junit-jupiter 5.14.2
        opentest4j 1.3.0
        powermock-api-mockito2 2.0.9
        reactive-streams 1.0.4
        reactor-core 3.7.1
        reactor-test 3.7.1
        slf4j-api 2.0.16
        spring-beans 6.2.1
        spring-context 6.2.1
        spring-core 6.2.1
        spring-data-commons 3.4.1
        spring-data-jpa 3.4.1
        spring-jdbc 6.2.1
        spring-test 6.2.1
        spring-tx 6.2.1
        spring-web 6.2.1
        spring-webmvc 6.2.1
        testng 7.10.2
        truth 1.4.4
        mockito-core 1.10.19"#]]
    .assert_eq(&list.join("\n"));
}
