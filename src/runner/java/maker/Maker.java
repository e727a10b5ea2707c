package focalist;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.pitest.bytecode.analysis.ClassTree;
import org.pitest.classinfo.ClassName;
import org.pitest.mutationtest.EngineArguments;
import org.pitest.mutationtest.build.MutationInterceptor;
import org.pitest.mutationtest.config.PluginServices;
import org.pitest.mutationtest.config.ReportOptions;
import org.pitest.mutationtest.config.SettingsFactory;
import org.pitest.mutationtest.engine.Location;
import org.pitest.mutationtest.engine.Mutater;
import org.pitest.mutationtest.engine.MutationDetails;
import org.pitest.mutationtest.engine.gregor.config.GregorEngineFactory;

/**
 * Finds the mutants of methods, and writes their bytes: PIT's engine, and what PIT leaves out. No code of the project is
 * run, and this JVM is gone before any is.
 */
public final class Maker {
    private final Code code;
    private final Mutater mutater;
    private final MutationInterceptor interceptor;
    private final File out;
    /** Code that keeps the contract is asked for, in the place of mutants. */
    private final boolean isVaried;
    private final Privates privates;
    /** Files of classes that were written, by nest. */
    private final Map<Privates.Renamed, Map<String, Object>> nests = new HashMap<>();
    private int nWritten;

    private Maker(Map<?, ?> request) throws IOException {
        code = new Code(strings(request.get("classPath")), strings(request.get("main")));
        out = request.get("out") == null ? null : new File((String) request.get("out"));
        privates = new Privates(code);
        isVaried = Boolean.TRUE.equals(request.get("variants"));
        mutater = new GregorEngineFactory()
                .createEngine(EngineArguments.arguments())
                .createMutator(code);
        ReportOptions options = new ReportOptions();
        // Otherwise the filter that merges copies of `finally` does nothing, and says nothing.
        options.setDetectInlinedCode(true);
        interceptor = new SettingsFactory(options, PluginServices.makeForLoader(Maker.class.getClassLoader()))
                .getInterceptor()
                .createInterceptor(options, null, code, null, code);
        interceptor.initialise(code);
    }

    /** Reads one line of JSON, and writes another one to the file that is named. */
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<?, ?> request = (Map<?, ?>) Json.read(in.readLine());
        // PIT prints what it notices.
        System.setOut(new PrintStream(System.err, true));
        Maker maker = new Maker(request);
        List<Object> classes = new ArrayList<>();
        for (Object it : (List<?>) request.get("classes")) {
            Map<?, ?> asked = (Map<?, ?>) it;
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("class", asked.get("class"));
            try {
                maker.make(asked, told);
            } catch (RuntimeException | LinkageError | StackOverflowError e) {
                // Byte code that PIT does not read is the trouble of its class alone.
                told.keySet().retainAll(Set.of("class"));
                told.put("failed", String.valueOf(e));
            }
            classes.add(told);
        }
        Files.writeString(new File(arguments[0]).toPath(), Json.write(Map.of("classes", classes)));
    }

    private void make(Map<?, ?> asked, Map<String, Object> told) throws IOException {
        String name = (String) asked.get("class");
        byte[] bytes = code.getBytes(name).orElse(null);
        if (bytes == null) {
            told.put("failed", "there is no such class");
            return;
        }
        ClassTree tree = ClassTree.fromBytes(bytes);
        Map<String, MethodNode> methods = new HashMap<>();
        for (MethodNode it : tree.rawNode().methods) {
            methods.put(it.name + it.desc, it);
        }
        List<Object> found = new ArrayList<>();
        Set<String> wanted = new LinkedHashSet<>();
        Set<String> roots = new LinkedHashSet<>();
        for (Object it : (List<?>) asked.get("focals")) {
            Methods.Found focal = find(bytes, (Map<?, ?>) it);
            found.add(focal == null ? null : scope(tree, methods, focal, wanted));
            if (focal != null) {
                roots.add(focal.name + focal.desc);
            }
        }
        for (Object it : (List<?>) asked.get("methods")) {
            wanted.add((String) it);
            roots.add((String) it);
        }
        told.put("source", tree.rawNode().sourceFile);
        told.put("focals", found);
        if (isVaried) {
            told.put("mutants", variants(bytes, tree, methods, roots));
            return;
        }
        List<MutationDetails> all = new ArrayList<>(all(name, tree));
        List<MethodNode> order = tree.rawNode().methods;
        // Filters give them back in the order of a hash table.
        all.sort(Comparator.<MutationDetails>comparingInt(it -> {
                    Location at = it.getId().getLocation();
                    return order.indexOf(methods.get(at.getMethodName() + at.getMethodDesc()));
                })
                .thenComparingInt(it -> Collections.min(it.getId().getIndexes()))
                .thenComparing(MutationDetails::getMutator)
                .thenComparing(MutationDetails::getDescription));
        List<Object> mutants = new ArrayList<>();
        // Who has bytes written knows which mutants these are of.
        Equals equals = out == null ? new Equals(bytes) : null;
        for (MutationDetails it : all) {
            Location at = it.getId().getLocation();
            MethodNode method = methods.get(at.getMethodName() + at.getMethodDesc());
            if (method != null && wanted.contains(method.name + method.desc)) {
                Map<String, Object> mutant = mutant(it, method);
                mutant.put("equal", equals != null && equals.has(() -> mutater.getMutation(it.getId()).getBytes()));
                mutants.add(mutant);
            }
        }
        told.put("mutants", mutants);
    }

    /** Returns the variants of methods, each with its lambdas, as if they were mutants of these. */
    private List<Object> variants(
            byte[] bytes, ClassTree tree, Map<String, MethodNode> methods, Set<String> roots) throws IOException {
        String name = tree.rawNode().name.replace('/', '.');
        List<Object> all = new ArrayList<>();
        for (String root : roots) {
            MethodNode method = methods.get(root);
            if (method == null) {
                continue;
            }
            Set<String> scope = new LinkedHashSet<>();
            lambdas(tree.rawNode().name, methods, method, scope);
            for (String kind : List.of(Variants.MESSAGE, Variants.LOG)) {
                byte[] changed = new Variants(code).change(bytes, scope, kind);
                if (changed != null) {
                    Map<String, Object> told = variant(method, kind);
                    // Whoever enters the method may come to it.
                    told.put("at", List.of(0L));
                    told.put("description", kind);
                    told.put("classes", out == null ? Map.of() : Map.of(name, written(changed)));
                    all.add(told);
                }
            }
            Privates.Renamed renamed = privates.of(tree.rawNode().name);
            if (renamed != null) {
                Map<String, Object> told = variant(method, Privates.KIND);
                told.put("at", List.of());
                told.put("description", String.join(" ", renamed.names));
                told.put("classes", out == null ? Map.of() : written(renamed));
                all.add(told);
            }
        }
        return all;
    }

    private static Map<String, Object> variant(MethodNode method, String kind) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("method", method.name);
        told.put("descriptor", method.desc);
        told.put("indexes", List.of());
        told.put("mutator", "variant:" + kind);
        told.put("line", 1L);
        return told;
    }

    /** Writes all classes of a nest, once for all methods that ask for it. */
    private Map<String, Object> written(Privates.Renamed renamed) throws IOException {
        Map<String, Object> files = nests.get(renamed);
        if (files == null) {
            files = new LinkedHashMap<>();
            for (Map.Entry<String, byte[]> it : renamed.classes.entrySet()) {
                files.put(it.getKey(), written(it.getValue()));
            }
            nests.put(renamed, files);
        }
        return files;
    }

    private String written(byte[] bytes) throws IOException {
        File file = new File(out, nWritten++ + ".class");
        Files.write(file.toPath(), bytes);
        return file.getPath();
    }

    private static Methods.Found find(byte[] bytes, Map<?, ?> focal) {
        if (focal.get("descriptor") != null) {
            Methods.Found exact = new Methods.Found();
            exact.name = (String) focal.get("name");
            exact.desc = (String) focal.get("descriptor");
            return exact;
        }
        int line = ((Number) focal.get("line")).intValue();
        return Methods.find(bytes, (String) focal.get("name"), strings(focal.get("parameters")), line);
    }

    /** The filters see the whole class: some compare methods with each other. */
    private Collection<MutationDetails> all(String name, ClassTree tree) {
        List<MutationDetails> all = mutater.findMutations(ClassName.fromString(name));
        if (all.isEmpty()) {
            return all;
        }
        interceptor.begin(tree);
        try {
            return interceptor.intercept(all, mutater);
        } finally {
            interceptor.end();
        }
    }

    private Map<String, Object> scope(
            ClassTree tree, Map<String, MethodNode> methods, Methods.Found focal, Set<String> wanted) {
        Set<String> scope = new LinkedHashSet<>();
        lambdas(tree.rawNode().name, methods, methods.get(focal.name + focal.desc), scope);
        wanted.addAll(scope);
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("methods", new ArrayList<Object>(scope));
        return told;
    }

    /** A lambda is of the method whose instruction names it. Its own name does not say of which overload it is. */
    private static void lambdas(
            String owner, Map<String, MethodNode> methods, MethodNode method, Set<String> scope) {
        if (method == null || !scope.add(method.name + method.desc)) {
            return;
        }
        for (AbstractInsnNode it : method.instructions) {
            if (!(it instanceof InvokeDynamicInsnNode)) {
                continue;
            }
            for (Object argument : ((InvokeDynamicInsnNode) it).bsmArgs) {
                if (argument instanceof Handle && ((Handle) argument).getOwner().equals(owner)) {
                    Handle to = (Handle) argument;
                    MethodNode body = methods.get(to.getName() + to.getDesc());
                    // Who wrote `this::other` has written a method of its own.
                    if (body != null && (body.access & Opcodes.ACC_SYNTHETIC) != 0) {
                        lambdas(owner, methods, body, scope);
                    }
                }
            }
        }
    }

    private Map<String, Object> mutant(MutationDetails it, MethodNode method) throws IOException {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("method", method.name);
        told.put("descriptor", method.desc);
        told.put("indexes", it.getId().getIndexes().stream().map(Integer::longValue).collect(Collectors.toList()));
        told.put("at", it.getId().getIndexes().stream().map(n -> place(method, n)).collect(Collectors.toList()));
        told.put("mutator", it.getMutator());
        told.put("line", (long) it.getLineNumber());
        told.put("description", it.getDescription());
        if (out != null) {
            String file = written(mutater.getMutation(it.getId()).getBytes());
            told.put("classes", Map.of(it.getClassName().asJavaName(), file));
        }
        return told;
    }

    /** Returns how many instructions that do something stand before the one that PIT counts as the nth, from one. */
    private static long place(MethodNode method, int index) {
        InsnList all = method.instructions;
        long n = 0;
        for (int i = 0; i < Math.min(index - 1, all.size()); i++) {
            n += all.get(i).getOpcode() >= 0 ? 1 : 0;
        }
        return n;
    }

    private static List<String> strings(Object list) {
        return ((List<?>) list).stream().map(String.class::cast).collect(Collectors.toList());
    }
}
