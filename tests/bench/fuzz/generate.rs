//! Extreme Java: class members that each strain one part of the front end.

/// Writes one or more members with about `size` of the strain's parts, named after a number.
pub type Strain = fn(size: usize, id: usize) -> String;

pub const STRAINS: &[Strain] = &[
    overloads,
    overloads_of_generics,
    long_chain,
    many_arguments,
    huge_string,
    huge_array,
    lambdas_in_lambdas,
    lambdas_for_overloads,
    generic_calls_in_calls,
    references_in_calls,
    conditionals,
    switches,
    nested_generics,
    nested_classes,
    anonymous_classes,
    type_variables_in_a_circle,
    recursive_bounds,
    classes_in_a_circle,
    interfaces_in_a_circle,
    diamonds,
    builders,
    concatenation,
    blocks,
    many_locals,
    many_tests,
    mutual_calls,
    record_patterns,
    ladder_of_bounds,
    wildcards,
    local_classes,
    arrays_of_arrays,
    annotations,
    outer_objects,
    broken_switches,
    broken_casts,
    broken_lambdas,
    many_anonymous_classes,
    chain_of_classes,
    many_overloads,
];

fn repeated(n: usize, f: impl Fn(usize) -> String) -> String {
    (0..n).map(f).collect()
}

/// Repeats `before` n times, then `middle`, then `after` n times.
fn wrapped(n: usize, before: &str, middle: &str, after: &str) -> String {
    format!("{}{middle}{}", before.repeat(n), after.repeat(n))
}

fn test(id: usize, body: &str) -> String {
    format!("@org.junit.Test public void testStrain{id}() {{ {body} }}\n")
}

fn overloads(size: usize, id: usize) -> String {
    let types = ["int", "Object", "String", "long...", "T", "Comparable<T>"];
    let declared = repeated(size, |n| {
        let ty = types[n % types.len()];
        format!("<T> T over{id}(Object a{n}, C{n} b, {ty} c) {{ return null; }}\n")
    });
    let calls = repeated(size.min(300), |_| {
        format!("over{id}(over{id}(null, null, 1), x, null);")
    });
    declared + &test(id, &calls)
}

fn overloads_of_generics(size: usize, id: usize) -> String {
    let declared = repeated(size.min(400), |n| {
        format!(
            "<A, B extends java.util.List<A>> B gen{id}(java.util.function.Function<A, B> f, {}B... b) \
             {{ return null; }}\n",
            "A a, ".repeat(n % 7).replace("a,", &format!("a{n},")),
        )
    });
    let calls = wrapped(size.min(40), &format!("gen{id}(x -> "), "null", ", null)");
    declared + &test(id, &(calls + ";"))
}

fn long_chain(size: usize, id: usize) -> String {
    let chain = format!("this{};", format!(".link{id}()").repeat(size * 20));
    format!("Self link{id}() {{ return this; }}\n") + &test(id, &chain)
}

fn many_arguments(size: usize, id: usize) -> String {
    let args = vec!["args(1, null)"; size * 10].join(", ");
    format!("Object args(Object... all) {{ return args({args}); }}\n")
        + &test(id, &format!("assertEquals({args}); args({args});"))
}

fn huge_string(size: usize, id: usize) -> String {
    let text = "a\\n\\u0041\u{1F600} ".repeat(size * 20);
    test(id, &format!("assertEquals(\"{text}\", \"{text}\");"))
}

fn huge_array(size: usize, id: usize) -> String {
    let rows = "{1, 2, {3}}, ".repeat(size * 10);
    format!("static final int[][] TABLE{id} = {{ {rows} }};\n")
}

fn lambdas_in_lambdas(size: usize, id: usize) -> String {
    let n = size.min(200);
    let before = repeated(n, |n| format!("java.util.Optional.of(1).map(x{n} -> "));
    test(id, &format!("var v = {before}x0{};", ")".repeat(n)))
}

fn lambdas_for_overloads(size: usize, id: usize) -> String {
    let declared = format!(
        "<T> T run{id}(java.util.function.Function<T, T> f) {{ return null; }}\n\
         <T> T run{id}(java.util.function.Supplier<T> f) {{ return null; }}\n\
         <T> T run{id}(java.util.concurrent.Callable<T> f) {{ return null; }}\n\
         void run{id}(java.util.function.Consumer<String> f) {{ }}\n\
         void run{id}(Runnable f) {{ }}\n"
    );
    let n = size.min(160);
    let one = wrapped(n, &format!("run{id}(() -> "), "null", ")");
    let other = wrapped(n, &format!("run{id}(x -> {{ return "), "x", ";})");
    declared + &test(id, &format!("{one}; {other};"))
}

fn generic_calls_in_calls(size: usize, id: usize) -> String {
    let n = size.min(200);
    let declared = format!(
        "static <T, U extends T> java.util.Map<T, U> pair{id}(T t, U u) {{ return null; }}\n"
    );
    let deep = wrapped(n, &format!("pair{id}("), "1", ", null)");
    let both = (0..n.min(9)).fold("1".to_owned(), |inner, _| {
        format!("pair{id}({inner}, {inner})")
    });
    declared
        + &test(
            id,
            &format!("{deep}; {both}; assertEquals({both}, {deep});"),
        )
}

fn references_in_calls(size: usize, id: usize) -> String {
    let args = vec!["String::valueOf, Object::toString, this::hashCode"; size].join(", ");
    format!("<A, B> A refs{id}(java.util.function.Function<A, B>... f) {{ return null; }}\n")
        + &test(
            id,
            &format!("refs{id}({args}); refs{id}(refs{id}({args}), x -> refs{id}({args}));"),
        )
}

fn conditionals(size: usize, id: usize) -> String {
    let nested = wrapped(size, "a ? (b ? 1 : ", "2", ") : java.util.List.of()");
    let flat = "a ? f(1) : ".repeat(size);
    test(id, &format!("Object o = {nested}; Object p = {flat} null;"))
}

fn switches(size: usize, id: usize) -> String {
    let nested = wrapped(
        size.min(500),
        "switch (a) { case 1 -> ",
        "f();",
        " default -> { yield 1; } }",
    );
    let flat = repeated(size * 5, |n| format!("case {n}: f({n}); break;\n"));
    test(id, &format!("{nested} switch (b) {{ {flat} }}"))
}

fn nested_generics(size: usize, id: usize) -> String {
    let deep = wrapped(size, "java.util.List<", "String", ">");
    let wide = (0..10).fold("String".to_owned(), |inner, _| {
        format!("java.util.Map<{inner}, {inner}>")
    });
    format!(
        "{deep} deep{id}; {wide} wide{id}; {wide} both{id}({wide} a, {deep} b) {{ return a; }}\n"
    ) + &test(
        id,
        &format!("both{id}(wide{id}, deep{id}).get(both{id}(null, deep{id})).get(0);"),
    )
}

fn nested_classes(size: usize, id: usize) -> String {
    let before = repeated(size, |n| {
        format!(
            "class N{id}x{n} extends N{id}x{} {{ int f{n}() {{ return f0(); }}\n",
            n / 2
        )
    });
    before + &"}".repeat(size)
}

fn anonymous_classes(size: usize, id: usize) -> String {
    let nested = wrapped(
        size.min(300),
        "new Object() { Object o = hashCode(); Object f() { return ",
        "f()",
        "; } }.f()",
    );
    let flat = repeated(size, |n| {
        format!("run(new Runnable() {{ int a{n} = g(); public void run() {{ f({n}); }} }});")
    });
    test(id, &format!("Object o = {nested}; {flat}"))
}

fn type_variables_in_a_circle(size: usize, id: usize) -> String {
    let n = size.clamp(1, 500);
    let params: Vec<String> = (0..n)
        .map(|at| format!("T{at} extends T{}", (at + 1) % n))
        .collect();
    format!(
        "<{}> T0 circle{id}(T0 t, T1 u) {{ return t.circle{id}(u, t).circle{id}(t, t); }}\n",
        params.join(", ")
    ) + &test(id, &format!("circle{id}(circle{id}(1, null), \"\").foo();"))
}

fn recursive_bounds(size: usize, id: usize) -> String {
    let bound = wrapped(size.min(60), &format!("R{id}<? extends "), "T", ">");
    format!(
        "static class R{id}<T extends R{id}<T>> implements Comparable<R{id}<? super T>> {{ T self() {{ return null; }} \
         <U extends {bound}> U deep(U u) {{ return u.self().self().deep(u); }} \
         public int compareTo(R{id}<? super T> o) {{ return o.self().compareTo(this); }} }}\n"
    ) + &test(
        id,
        &format!(
            "new R{id}<>().self().self().deep(null).self(); new R{id}().deep(new R{id}()).self();"
        ),
    )
}

fn classes_in_a_circle(size: usize, id: usize) -> String {
    let n = size.clamp(1, 400);
    repeated(n, |at| {
        format!(
            "static class O{id}x{at}<T> extends O{id}x{}<O{id}x{at}<T>> {{ T get{at}() {{ return get0().get1().foo(); }} }}\n",
            (at + 1) % n
        )
    }) + &test(
        id,
        &format!(
            "new O{id}x0<String>().get0().get1().bar(); assertEquals(1, new O{id}x0().get0());"
        ),
    )
}

fn interfaces_in_a_circle(size: usize, id: usize) -> String {
    let n = size.clamp(1, 40);
    let all: Vec<String> = (0..n).map(|at| format!("I{id}x{at}<T>")).collect();
    repeated(n, |at| {
        format!(
            "interface I{id}x{at}<T> extends {} {{ default T all(T t) {{ return all(all(t)); }} }}\n",
            all.join(", ")
        )
    }) + &test(
        id,
        &format!("I{id}x0<String> i = null; i.all(i.all(null)).length(); i.none();"),
    )
}

fn diamonds(size: usize, id: usize) -> String {
    let n = size.min(300);
    repeated(n, |at| {
        let (left, right) = (at.saturating_sub(1), at.saturating_sub(2));
        format!(
            "interface D{id}x{at}<A, B> extends D{id}x{left}<B, A>, D{id}x{right}<A, java.util.List<B>> {{ A m{at}(B b); \
             void same(A a); }}\n"
        )
    }) + &test(
        id,
        &format!(
            "D{id}x{}<String, Integer> d = x -> null; d.same(d.m0(null)); d.m1(d.m2(1));",
            n.saturating_sub(1)
        ),
    )
}

fn builders(size: usize, id: usize) -> String {
    let calls = format!(".with{id}(x -> x.with{id}(y -> y))").repeat(size.min(400));
    format!(
        "static class B{id}<T extends B{id}<T>> {{ <S extends B{id}<T>> T with{id}(java.util.function.Function<T, S> f) \
         {{ return (T) this; }} B{id}<?> build() {{ return this; }} }}\n"
    ) + &test(id, &format!("new B{id}<>(){calls}.build().build();"))
}

fn concatenation(size: usize, id: usize) -> String {
    let right = wrapped(size, "\"a\" + (1 + ", "f()", ")");
    let left = "f() + \"b\" - ".repeat(size * 10);
    test(id, &format!("assertEquals({right}, {left} 1);"))
}

fn blocks(size: usize, id: usize) -> String {
    let deep = wrapped(
        size,
        "if (a) { for (int i = 0; f(i); i++) try { ",
        "f(1);",
        " } finally { } }",
    );
    let chain = "if (f()) { g(); } else ".repeat(size);
    test(id, &format!("{deep} {chain} {{ }}"))
}

fn many_locals(size: usize, id: usize) -> String {
    let locals = repeated(size * 5, |n| format!("var v{n} = v{};", n / 2));
    let uses = repeated(size * 5, |n| format!("f(v{n});"));
    test(id, &(locals + &uses))
}

fn many_tests(size: usize, id: usize) -> String {
    repeated(size, |n| {
        test(
            id * 10_000 + n,
            &format!("setup{id}(); assertEquals({n}, get{id}());"),
        )
    }) + &format!(
        "@org.junit.Before public void setup{id}() {{ get{id}(); }} int get{id}() {{ return get{id}(); }}\n"
    )
}

fn mutual_calls(size: usize, id: usize) -> String {
    let n = size.max(1);
    repeated(n, |at| {
        format!(
            "static <T> T mutual{id}x{at}(T t) {{ return mutual{id}x{}(mutual{id}x{}(t)); }}\n",
            (at + 1) % n,
            (at * 7 + 3) % n
        )
    }) + &test(
        id,
        &format!("assertEquals(mutual{id}x0(1), mutual{id}x0(mutual{id}x0(2)));"),
    )
}

fn record_patterns(size: usize, id: usize) -> String {
    let pattern = wrapped(size.min(500), &format!("P{id}(var a, "), "var b", ")");
    format!("record P{id}(Object l, P{id} r) {{ }}\n")
        + &test(
            id,
            &format!(
                "if (o instanceof {pattern}) b.l(); switch (o) {{ case {pattern} -> b.r().l(); }}"
            ),
        )
}

fn ladder_of_bounds(size: usize, id: usize) -> String {
    let n = size.min(300);
    repeated(n, |at| {
        format!(
            "static class L{id}x{at}<A extends L{id}x{}<A, B>, B extends L{id}x{at}<B, A>> {{ A a; B b; A up(B b) {{ return b.a.b; }} }}\n",
            at + 1
        )
    }) + &test(
        id,
        &format!("L{id}x0<?, ?> l = null; l.up(l.b).up(l.a.b).b.a.up(null);"),
    )
}

fn wildcards(size: usize, id: usize) -> String {
    let ty = wrapped(
        size.min(400),
        "java.util.function.Function<? super ",
        "T",
        ", ? extends T>",
    );
    format!("<T> {ty} wild{id}({ty} f) {{ return wild{id}(wild{id}(f)); }}\n")
        + &test(
            id,
            &format!("wild{id}(wild{id}(null)).apply(null).apply(null);"),
        )
}

fn local_classes(size: usize, id: usize) -> String {
    let nested = repeated(size.min(150), |n| {
        format!(
            "class Y{n} extends Y{} {{ void f() {{ ",
            n.saturating_sub(1)
        )
    });
    let flat = repeated(size, |n| {
        format!(
            "class Z{n} extends Z{} {{ int z{n}() {{ return z0(); }} }} new Z{n}().z{n}();",
            n / 2
        )
    });
    test(
        id,
        &format!("{flat} {nested}f();{}", "} }".repeat(size.min(150))),
    )
}

fn arrays_of_arrays(size: usize, id: usize) -> String {
    let brackets = "[]".repeat(size);
    let index = "[f(0)]".repeat(size);
    format!("int{brackets} array{id}(int{brackets}... a) {{ return array{id}(a){index}; }}\n")
        + &test(
            id,
            &format!("array{id}(new int{index}{brackets}){index}.clone();"),
        )
}

fn annotations(size: usize, id: usize) -> String {
    let nested = wrapped(size, "@A(b = ", "1", ")");
    format!(
        "{nested} {} void noted{id}() {{ }}\n",
        "@Test ".repeat(size)
    )
}

fn outer_objects(size: usize, id: usize) -> String {
    let objects = "StrainTest.this.".repeat(size * 20);
    test(
        id,
        &format!("{objects}f(); {objects}super.f(); new A({objects}this).f();"),
    )
}

fn many_anonymous_classes(size: usize, id: usize) -> String {
    let classes = repeated(size * 20, |n| {
        format!("run(new Runnable() {{ int a{n} = g(); public void run() {{ f({n}); }} }});\n")
    });
    test(id, &classes)
}

fn chain_of_classes(size: usize, id: usize) -> String {
    let declared = repeated(size * 6, |n| {
        let parent = n.saturating_sub(1);
        format!("static class H{id}x{n} extends H{id}x{parent} {{ void down{id}() {{ }} }}\n")
    });
    format!("interface H{id}i {{ void down{id}(); }}\n")
        + &declared.replacen(
            &format!("extends H{id}x0"),
            &format!("implements H{id}i"),
            1,
        )
        + &test(id, &format!("H{id}i h = null; h.down{id}();"))
}

fn many_overloads(size: usize, id: usize) -> String {
    let declared = repeated(size * 10, |n| {
        format!(
            "static class V{id}x{n} {{ }} int visit{id}(V{id}x{n} a, int b) {{ return {n}; }}\n"
        )
    });
    let calls = repeated(size * 10, |n| format!("visit{id}(new V{id}x{n}(), 1);\n"));
    declared + &test(id, &calls)
}

// In a broken text with endless nesting, the parser tries all continuations at each error.

fn broken_switches(size: usize, id: usize) -> String {
    let n = size * 30;
    test(id, &("switch (".repeat(n) + &"a ? b c : ".repeat(n)))
}

fn broken_casts(size: usize, id: usize) -> String {
    test(id, &format!("run{};", "(\"a\", i)".repeat(size * 30)))
}

fn broken_lambdas(size: usize, id: usize) -> String {
    let n = size * 15;
    test(id, &("x -> ".repeat(n) + &"; x -> x -> ".repeat(n / 2)))
}
