package focalist;

import java.io.File;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Which candidates reach into the JVM, told from class files before any of them runs.
 *
 * <p>Followed are calls from a candidate's method to methods of the project by the class that is named in the call: through
 * test classes as far as they go, in main classes no further than two calls, and into libraries not at all.
 */
final class Reach {
    private static final int MAIN_DEPTH_MAX = 2;
    private static final int METHODS_MAX = 2000;

    /** What a method does by itself. */
    private static final class Facts {
        final List<String[]> calls = new ArrayList<String[]>();
        String power;
        /** A class by a name that may be any. */
        String anyClass;
        /** Counts only where it reflects, too. */
        String lever;
        boolean isReflecting;

        /** What main classes do with names that they are given is their trade: whole libraries are about nothing else. */
        String told(boolean isMain) {
            if (power != null || isMain) {
                return power;
            }
            return anyClass == null && isReflecting ? lever : anyClass;
        }
    }

    /** A class file, read. */
    private static final class Known {
        String parent;
        boolean isMain;
        /** It stands in a method. */
        boolean isLocal;
        final Map<String, Facts> methods = new HashMap<String, Facts>();
    }

    private static final class Step {
        final String owner;
        final String method;
        final int depth;

        Step(String owner, String method, int depth) {
            this.owner = owner;
            this.method = method;
            this.depth = depth;
        }
    }

    private final List<File> folders = new ArrayList<File>();
    private final Set<File> main = new HashSet<File>();
    /** Of the project; nothing where it is of somebody else. */
    private final Map<String, Known> classes = new HashMap<String, Known>();

    private Reach(Map<?, ?> request) {
        for (String path : Worker.strings(request.get("classPath"))) {
            File file = new File(path);
            if (file.isDirectory()) {
                folders.add(file);
            }
        }
        for (String path : Worker.strings(request.get("main"))) {
            main.add(new File(path));
        }
    }

    /** Returns what each candidate names that reaches into the JVM, or nothing. */
    static Map<String, Object> of(Map<?, ?> request) throws IOException {
        Reach reach = new Reach(request);
        Map<String, Map<String, Known>> rounds = new HashMap<String, Map<String, Known>>();
        List<Object> powers = new ArrayList<Object>();
        for (Object it : (List<?>) request.get("jobs")) {
            Map<?, ?> job = (Map<?, ?>) it;
            String folder = (String) job.get("folder");
            if (!rounds.containsKey(folder)) {
                rounds.put(folder, new HashMap<String, Known>());
            }
            String declaring = ((String) job.get("declaring")).replace('.', '/');
            String placed = (String) job.get("placed");
            String name = placed == null ? (String) job.get("method") : placed;
            powers.add(reach.from(new File(folder), rounds.get(folder), declaring, name));
        }
        Map<String, Object> answer = new LinkedHashMap<String, Object>();
        answer.put("kind", "reached");
        answer.put("powers", powers);
        return answer;
    }

    private String from(File folder, Map<String, Known> round, String declaring, String method)
            throws IOException {
        ArrayDeque<Step> open = new ArrayDeque<Step>();
        Set<String> seen = new HashSet<String>();
        Known own = known(declaring, folder, round);
        if (own == null) {
            return null;
        }
        for (String it : own.methods.keySet()) {
            if (it.startsWith(method + "(")) {
                open.add(new Step(declaring, it, 0));
            }
        }
        while (!open.isEmpty() && seen.size() < METHODS_MAX) {
            Step step = open.poll();
            Known at = null;
            Facts facts = null;
            for (String owner = step.owner; owner != null && facts == null; owner = at.parent) {
                at = known(owner, folder, round);
                if (at == null) {
                    break;
                }
                facts = at.methods.get(step.method);
            }
            if (facts == null || !seen.add(step.owner + "." + step.method)) {
                continue;
            }
            String told = facts.told(at.isMain);
            if (told != null) {
                return told;
            }
            int depth = step.depth + (at.isMain ? 1 : 0);
            if (depth > MAIN_DEPTH_MAX) {
                continue;
            }
            for (String[] call : facts.calls) {
                Known local = known(call[0], folder, round);
                if ("".equals(call[1]) && (local == null || !local.isLocal)) {
                    continue;
                }
                if (call[1] != null && (local == null || !local.isLocal)) {
                    open.add(new Step(call[0], call[1], depth));
                    continue;
                }
                // Who is made may be called by anybody from then on: an anonymous class by a library.
                Known made = local;
                if (made != null && !made.isMain) {
                    for (String it : made.methods.keySet()) {
                        open.add(new Step(call[0], it, depth));
                    }
                }
            }
        }
        return open.isEmpty() ? null : "more than can be followed";
    }

    private Known known(String name, File folder, Map<String, Known> round) throws IOException {
        if (round.containsKey(name)) {
            return round.get(name);
        }
        File anew = new File(folder, name + ".class");
        if (anew.isFile()) {
            Known known = read(anew, false);
            round.put(name, known);
            return known;
        }
        if (!classes.containsKey(name)) {
            Known known = null;
            for (File it : folders) {
                File file = new File(it, name + ".class");
                if (file.isFile()) {
                    known = read(file, main.contains(it));
                    break;
                }
            }
            classes.put(name, known);
        }
        return classes.get(name);
    }

    private static Known read(File file, boolean isMain) throws IOException {
        final Known known = new Known();
        known.isMain = isMain;
        ClassVisitor visitor = new ClassVisitor(Methods.API) {
            @Override
            public void visit(
                    int version, int access, String name, String sign, String parent, String[] of) {
                known.parent = parent;
            }

            @Override
            public void visitOuterClass(String owner, String method, String desc) {
                known.isLocal = true;
            }

            @Override
            public MethodVisitor visitMethod(
                    int access, String name, String desc, String sign, String[] thrown) {
                Facts facts = new Facts();
                known.methods.put(name + desc, facts);
                return new Reader(facts);
            }
        };
        try {
            new ClassReader(Project.read(file))
                    .accept(visitor, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        } catch (RuntimeException e) {
            // It is of a version that nobody here can read; the JVM may.
            return known;
        }
        return known;
    }

    /** Reads the code of a method. */
    private static final class Reader extends MethodVisitor {
        private final Facts facts;
        /** What the instruction before has put on the stack. */
        private String text;

        Reader(Facts facts) {
            super(Methods.API);
            this.facts = facts;
        }

        private void power(String what) {
            if (facts.power == null) {
                facts.power = what;
            }
        }

        private void uses(String owner) {
            if (Powers.isPower(owner)) {
                power(owner.replace('/', '.'));
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            uses(type.startsWith("[") ? Type.getType(type).getElementType().getInternalName() : type);
            if (opcode == Opcodes.NEW) {
                facts.calls.add(new String[] {type, null});
            }
            text = null;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String desc) {
            uses(owner);
            facts.calls.add(new String[] {owner, ""});
            text = null;
        }

        @Override
        public void visitMethodInsn(
                int opcode, String owner, String name, String desc, boolean isInterface) {
            if (Powers.isPower(owner, name)) {
                power(owner.replace('/', '.') + "." + name);
            }
            reflects(owner, name, desc);
            facts.calls.add(new String[] {owner, name + desc});
            text = null;
        }

        private void reflects(String owner, String name, String desc) {
            boolean isOfClass = owner.equals("java/lang/Class");
            boolean isLoading = isOfClass && name.equals("forName") || name.equals("loadClass");
            // A name that is put together may be any name.
            if (isLoading && text == null && desc.startsWith("(Ljava/lang/String;")) {
                facts.anyClass = "a class by a name that is not written down";
            }
            boolean isArrayOpener = owner.startsWith("java/lang/reflect/")
                    && name.equals("setAccessible")
                    && desc.startsWith("([");
            if (isArrayOpener) {
                power(owner.replace('/', '.') + "." + name);
            }
            facts.isReflecting |= isOfClass && name.startsWith("get") && !name.endsWith("Name")
                    && !name.startsWith("getResource") && !name.equals("getClassLoader")
                    && !name.equals("getPackage") && !name.equals("getProtectionDomain");
            if (isOfClass && (name.equals("getMethods") || name.endsWith("Methods"))) {
                facts.lever = "methods that it does not name";
            }
        }

        @Override
        public void visitLdcInsn(Object value) {
            text = null;
            if (value instanceof String) {
                text = (String) value;
                if (Powers.isText(text)) {
                    power("\"" + Worker.cut(text, 100) + "\"");
                }
                if (Powers.isLeverByName(text)) {
                    facts.lever = text;
                }
            } else if (value instanceof Type && ((Type) value).getSort() == Type.OBJECT) {
                String name = ((Type) value).getInternalName();
                uses(name);
                facts.calls.add(new String[] {name, ""});
                if (Powers.isLever(name)) {
                    facts.lever = name.replace('/', '.');
                }
            } else if (value instanceof Handle) {
                handle((Handle) value);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(
                String name, String desc, Handle bootstrap, Object... arguments) {
            for (Object it : arguments) {
                if (it instanceof Handle) {
                    handle((Handle) it);
                } else if (it instanceof String && Powers.isText((String) it)) {
                    power("\"" + Worker.cut((String) it, 100) + "\"");
                }
            }
            text = null;
        }

        private void handle(Handle handle) {
            if (Powers.isPower(handle.getOwner(), handle.getName())) {
                power(handle.getOwner().replace('/', '.') + "." + handle.getName());
            }
            if (handle.getOwner().startsWith("java/lang/reflect/")
                    && (handle.getName().equals("setAccessible") || handle.getName().equals("invoke"))) {
                power(handle.getOwner().replace('/', '.') + "." + handle.getName());
            }
            reflects(handle.getOwner(), handle.getName(), handle.getDesc());
            facts.calls.add(new String[] {handle.getOwner(), handle.getName() + handle.getDesc()});
        }

        @Override
        public void visitInsn(int opcode) {
            text = null;
        }

        @Override
        public void visitVarInsn(int opcode, int at) {
            text = null;
        }
    }
}
