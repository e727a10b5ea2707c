package focalist;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Compiles scaffolds, all of a round in one task, each into a folder of its own. */
final class Compiler {
    private static final int MESSAGE_CHARS_MAX = 2000;

    private final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    /** Kept from task to task: opening the jars takes most of a small task's time. */
    private final Map<List<String>, StandardJavaFileManager> managers =
            new HashMap<List<String>, StandardJavaFileManager>();

    private StandardJavaFileManager manager(List<String> classPath) throws IOException {
        StandardJavaFileManager manager = managers.get(classPath);
        if (manager == null) {
            manager = javac.getStandardFileManager(null, Locale.ENGLISH, StandardCharsets.UTF_8);
            List<File> files = new ArrayList<File>();
            for (String path : classPath) {
                files.add(new File(path));
            }
            manager.setLocation(StandardLocation.CLASS_PATH, files);
            // Sources beside classes are not what was built.
            manager.setLocation(
                    StandardLocation.SOURCE_PATH, new ArrayList<File>());
            managers.put(classPath, manager);
        }
        return manager;
    }

    /** Writes down which source each class is of: a manager of our own would be in the way of {@code --release}. */
    private static final class Sorter implements TaskListener {
        final Map<String, String> sources = new LinkedHashMap<String, String>();
        /** Names of methods by class, of which is asked whether the class has them from above. */
        private final Map<?, ?> names;
        /** Those that it has, with their classes. */
        final List<Object> inherited = new ArrayList<Object>();
        JavacTask task;

        Sorter(Map<?, ?> names) {
            this.names = names;
        }

        @Override
        public void started(TaskEvent event) {}

        private void inherited(TypeElement type) {
            String name = task.getElements().getBinaryName(type).toString();
            List<String> wanted = Worker.strings(names.get(name));
            if (!wanted.isEmpty()) {
                Set<String> found = new TreeSet<String>();
                above(type, new HashSet<Object>(), found);
                found.retainAll(wanted);
                for (String it : found) {
                    inherited.add(Arrays.asList(name, it));
                }
            }
            for (TypeElement nested : ElementFilter.typesIn(type.getEnclosedElements())) {
                inherited(nested);
            }
        }

        /** Adds the names of all methods of the types above one that are not private to them. */
        private void above(TypeElement type, Set<Object> seen, Set<String> names) {
            for (TypeMirror mirror : task.getTypes().directSupertypes(type.asType())) {
                Element parent = task.getTypes().asElement(mirror);
                if (!(parent instanceof TypeElement) || !seen.add(parent)) {
                    continue;
                }
                for (Element it : ElementFilter.methodsIn(parent.getEnclosedElements())) {
                    if (!it.getModifiers().contains(Modifier.PRIVATE)) {
                        names.add(it.getSimpleName().toString());
                    }
                }
                above((TypeElement) parent, seen, names);
            }
        }

        @Override
        public void finished(TaskEvent event) {
            if (event.getKind() == TaskEvent.Kind.ANALYZE && event.getTypeElement() != null) {
                inherited(event.getTypeElement());
            }
            if (event.getKind() == TaskEvent.Kind.GENERATE && event.getTypeElement() != null) {
                String name = task.getElements().getBinaryName(event.getTypeElement()).toString();
                sources.put(name, event.getSourceFile().toUri().getPath());
            }
        }
    }

    /** One class around one candidate, in memory. */
    private static final class Wrapped extends SimpleJavaFileObject {
        final int idx;
        private final String text;

        Wrapped(int idx, String text) {
            super(URI.create("mem:///C" + idx + ".java"), Kind.SOURCE);
            this.idx = idx;
            this.text = "class T {" + text + "\n}";
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Returns what is wrong with each text that is not one method to this compiler. */
    Map<String, Object> parse(Map<?, ?> request) throws IOException {
        List<String> options = Worker.strings(request.get("options"));
        List<Wrapped> files = new ArrayList<Wrapped>();
        for (String text : Worker.strings(request.get("texts"))) {
            files.add(new Wrapped(files.size(), text));
        }
        List<Object> errors = new ArrayList<Object>();
        parse(options, files, files, errors);
        return answer("parsed", errors);
    }

    /** Adds what is wrong with some of the files. Where the compiler gives up on one, it says nothing of any. */
    private void parse(
            List<String> options, List<Wrapped> all, List<Wrapped> files, List<Object> errors)
            throws IOException {
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<JavaFileObject>();
        StandardJavaFileManager manager = manager(new ArrayList<String>());
        JavacTask task = (JavacTask)
                javac.getTask(new StringWriter(), manager, said, options, null, files);
        List<CompilationUnitTree> units = new ArrayList<CompilationUnitTree>();
        for (CompilationUnitTree unit : task.parse()) {
            units.add(unit);
        }
        if (units.size() < files.size()) {
            int middle = files.size() / 2;
            if (middle == 0) {
                errors.add(error(files.get(0).idx, 1, "crash", "the compiler gives up on it"));
            } else {
                parse(options, all, files.subList(0, middle), errors);
                parse(options, all, files.subList(middle, files.size()), errors);
            }
            return;
        }
        for (CompilationUnitTree unit : units) {
            int idx = unwrapped(unit.getSourceFile(), all).idx;
            if (!isOneMethod(unit)) {
                errors.add(error(idx, 1, "not.one.method", "it is not one method"));
            }
        }
        for (Diagnostic<? extends JavaFileObject> it : said.getDiagnostics()) {
            if (it.getKind() == Diagnostic.Kind.ERROR && it.getSource() != null) {
                int idx = unwrapped(it.getSource(), all).idx;
                errors.add(0, error(idx, it.getLineNumber(), it.getCode(), message(it)));
            }
        }
    }

    private static Wrapped unwrapped(JavaFileObject file, List<Wrapped> files) {
        String name = file.toUri().getPath();
        return files.get(Integer.parseInt(name.substring(2, name.length() - 5)));
    }

    private static boolean isOneMethod(CompilationUnitTree unit) {
        if (unit.getTypeDecls().size() != 1 || !unit.getImports().isEmpty()) {
            return false;
        }
        Tree only = unit.getTypeDecls().get(0);
        if (!(only instanceof ClassTree) || ((ClassTree) only).getMembers().size() != 1) {
            return false;
        }
        Tree member = ((ClassTree) only).getMembers().get(0);
        // A constructor has no type.
        return member instanceof MethodTree && ((MethodTree) member).getReturnType() != null;
    }

    Map<String, Object> compile(Map<?, ?> request) throws IOException {
        StandardJavaFileManager manager = manager(Worker.strings(request.get("classPath")));
        List<File> sources = new ArrayList<File>();
        Map<String, Integer> places = new HashMap<String, Integer>();
        Map<String, File> folders = new HashMap<String, File>();
        for (Object it : (List<?>) request.get("files")) {
            Map<?, ?> file = (Map<?, ?>) it;
            File source = new File((String) file.get("source"));
            places.put(source.toURI().getPath(), sources.size());
            folders.put(source.toURI().getPath(), new File((String) file.get("out")));
            sources.add(source);
        }
        File out = Files.createTempDirectory(new File(".").toPath(), "out").toFile();
        List<File> outs = new ArrayList<File>();
        outs.add(out);
        manager.setLocation(StandardLocation.CLASS_OUTPUT, outs);
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<JavaFileObject>();
        List<Object> errors = new ArrayList<Object>();
        StringWriter rest = new StringWriter();
        Sorter sorter = new Sorter((Map<?, ?>) request.get("names"));
        boolean isDone;
        try {
            sorter.task = (JavacTask) javac.getTask(
                    rest,
                    manager,
                    said,
                    Worker.strings(request.get("options")),
                    null,
                    manager.getJavaFileObjectsFromFiles(sources));
            sorter.task.setTaskListener(sorter);
            isDone = sorter.task.call();
        } catch (RuntimeException e) {
            errors.add(error(-1, 0, "crash", String.valueOf(e)));
            isDone = false;
        }
        for (Map.Entry<String, String> it : sorter.sources.entrySet()) {
            String name = it.getKey().replace('.', '/') + ".class";
            File from = new File(out, name);
            File folder = folders.get(it.getValue());
            if (from.isFile() && folder != null) {
                File to = new File(folder, name);
                to.getParentFile().mkdirs();
                Files.move(from.toPath(), to.toPath(), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        for (Diagnostic<? extends JavaFileObject> it : said.getDiagnostics()) {
            if (it.getKind() != Diagnostic.Kind.ERROR) {
                continue;
            }
            Integer idx = it.getSource() == null
                    ? null
                    : places.get(it.getSource().toUri().getPath());
            errors.add(error(idx == null ? -1 : idx, it.getLineNumber(), it.getCode(), message(it)));
        }
        if (!isDone && errors.isEmpty()) {
            errors.add(error(-1, 0, "crash", rest.toString()));
        }
        Map<String, Object> answer = answer("compiled", errors);
        answer.put("inherited", sorter.inherited);
        return answer;
    }

    private static Map<String, Object> answer(String kind, List<Object> errors) {
        Map<String, Object> answer = new LinkedHashMap<String, Object>();
        answer.put("kind", kind);
        answer.put("errors", errors);
        return answer;
    }

    private static String message(Diagnostic<?> it) {
        return it.getMessage(Locale.ENGLISH);
    }

    private static Map<String, Object> error(int idx, long line, String code, String message) {
        Map<String, Object> error = new LinkedHashMap<String, Object>();
        error.put("file", (long) idx);
        error.put("line", Math.max(line, 0));
        error.put("code", String.valueOf(code));
        error.put("message", Worker.cut(message, MESSAGE_CHARS_MAX));
        return error;
    }
}
