package focalist;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InnerClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Other names for the private members of a nest, which is a class with all around it and inside it. A member stays where
 * somebody else may know its name: a text of main code, an annotation, whoever serialises, or what is not Java.
 */
final class Privates {
    /** What nests are like with other names. */
    static final class Renamed {
        /** The names that are no more. */
        final Set<String> names = new TreeSet<>();
        /** The classes that are changed, by their names. */
        final Map<String, byte[]> classes = new LinkedHashMap<>();
    }

    static final String KIND = "private";

    private static final Set<String> SERIALISING = Set.of(
            "readObject", "writeObject", "readResolve", "writeReplace", "readObjectNoData", "serialVersionUID", "serialPersistentFields");

    /** Methods of {@link Class} that tell of private members. */
    private static final Set<String> TELLING =
            Set.of("getDeclaredField", "getDeclaredFields", "getDeclaredMethod", "getDeclaredMethods");

    private static final String ANOTHER = "_renamed";

    private final Code code;
    private final Map<String, Renamed> known = new HashMap<>();
    /** Words in texts of main code; nothing before somebody asks. */
    private Set<String> texts;
    /** Names in main code that ours could be. */
    private final Set<String> taken = new HashSet<>();

    Privates(Code code) {
        this.code = code;
    }

    /** Returns the nest of a class with other names, or null where none has another one. */
    Renamed of(String name) {
        String host = host(name);
        if (host == null) {
            return null;
        }
        Renamed renamed = known.computeIfAbsent(host, this::renamed);
        return renamed.names.isEmpty() ? null : renamed;
    }

    private Renamed renamed(String host) {
        Renamed made = new Renamed();
        List<ClassNode> nest = nest(host);
        Map<String, String> names = new HashMap<>();
        if (nest.stream().noneMatch(Privates::seesNames)) {
            read();
            nest.stream().filter(this::isOwn).forEach(it -> choose(it, names, made.names));
        }
        if (names.isEmpty()) {
            return made;
        }
        Remapper remapper = new Remapper() {
            @Override
            public String mapMethodName(String owner, String name, String desc) {
                return names.getOrDefault(key(owner, name, desc), name);
            }

            @Override
            public String mapFieldName(String owner, String name, String desc) {
                return names.getOrDefault(key(owner, name, desc), name);
            }
        };
        for (ClassNode it : nest) {
            ClassWriter before = new ClassWriter(0);
            it.accept(before);
            ClassWriter after = new ClassWriter(0);
            it.accept(new ClassRemapper(after, remapper));
            byte[] bytes = after.toByteArray();
            if (!Arrays.equals(before.toByteArray(), bytes)) {
                made.classes.put(it.name.replace('/', '.'), bytes);
            }
        }
        return made;
    }

    private static String key(String owner, String name, String desc) {
        return owner + " " + name + " " + desc;
    }

    /** Gives members of a class other names, as far as nobody else knows them. */
    private void choose(ClassNode node, Map<String, String> names, Set<String> gone) {
        for (FieldNode it : node.fields) {
            boolean isPlain = isEmpty(it.visibleAnnotations) && isEmpty(it.invisibleAnnotations);
            if (isPlain && isOurs(it.access, it.name)) {
                names.put(key(node.name, it.name, it.desc), another(it.name));
                gone.add(it.name);
            }
        }
        for (MethodNode it : node.methods) {
            boolean isPlain = isEmpty(it.visibleAnnotations)
                    && isEmpty(it.invisibleAnnotations)
                    && it.visibleParameterAnnotations == null
                    && it.invisibleParameterAnnotations == null;
            if (isPlain && isOurs(it.access, it.name)) {
                names.put(key(node.name, it.name, it.desc), another(it.name));
                gone.add(it.name);
            }
        }
    }

    private boolean isOurs(int access, String name) {
        return (access & Opcodes.ACC_PRIVATE) != 0
                && (access & Opcodes.ACC_SYNTHETIC) == 0
                && !name.startsWith("<")
                && !SERIALISING.contains(name)
                && !texts.contains(name);
    }

    private String another(String name) {
        String other = name + ANOTHER;
        while (taken.contains(other)) {
            other += "_";
        }
        return other;
    }

    /** Returns whether a class has its members for itself. */
    private boolean isOwn(ClassNode node) {
        boolean isMarked = !isEmpty(node.visibleAnnotations)
                && node.visibleAnnotations.stream().anyMatch(it -> !it.desc.startsWith("Ljava/lang/"));
        // What is not Java finds fields by their names, too.
        boolean isNative = node.methods.stream().anyMatch(it -> (it.access & Opcodes.ACC_NATIVE) != 0);
        boolean isRecord = "java/lang/Record".equals(node.superName);
        // A module has no class above it, and no members.
        return node.superName != null && !isMarked && !isNative && !isRecord && !isSerialised(node);
    }

    /** Returns whether objects of a class may be written with the names of their fields, or whether nobody knows. */
    private boolean isSerialised(ClassNode node) {
        Deque<String> open = new ArrayDeque<>(node.interfaces);
        open.push(node.superName);
        Set<String> seen = new HashSet<>();
        boolean isSerialised = false;
        while (!open.isEmpty()) {
            String name = open.pop();
            if (name.equals("java/lang/Enum")) {
                // Of an enum, the constant's name alone is written.
                return false;
            }
            if (name.equals("java/lang/Object") || !seen.add(name)) {
                continue;
            }
            byte[] bytes = code.getBytes(name).orElse(null);
            isSerialised |= bytes == null || name.equals("java/io/Serializable");
            if (bytes != null) {
                ClassReader reader = new ClassReader(bytes);
                open.addAll(List.of(reader.getInterfaces()));
                if (reader.getSuperName() != null) {
                    open.push(reader.getSuperName());
                }
            }
        }
        return isSerialised;
    }

    /** Returns whether a class may see members by names that are not written there. */
    private static boolean seesNames(ClassNode node) {
        for (MethodNode method : node.methods) {
            for (AbstractInsnNode it : method.instructions) {
                if (!(it instanceof MethodInsnNode)) {
                    continue;
                }
                MethodInsnNode call = (MethodInsnNode) it;
                boolean isTelling = call.owner.equals("java/lang/Class") && TELLING.contains(call.name);
                boolean isFinding = call.owner.equals("java/lang/invoke/MethodHandles$Lookup")
                        && call.name.startsWith("find");
                // As `reflectionToString` and `reflectionEquals` of Commons Lang.
                if (isTelling || isFinding || call.name.startsWith("reflection")) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the outermost class around a class, or null where one of them is not of main code. */
    private String host(String name) {
        Set<String> seen = new HashSet<>();
        String host = name;
        while (code.isMain(host) && seen.add(host)) {
            ClassNode node = node(host, ClassReader.SKIP_CODE);
            String outer = node.nestHostClass == null ? outer(node) : node.nestHostClass;
            if (outer == null) {
                return host;
            }
            host = outer;
        }
        return null;
    }

    private static String outer(ClassNode node) {
        for (InnerClassNode it : node.innerClasses) {
            if (it.name.equals(node.name) && it.outerName != null) {
                return it.outerName;
            }
        }
        return node.outerClass;
    }

    /** Returns a host with all classes inside it; before Java 11 these are those that it and they name. */
    private List<ClassNode> nest(String host) {
        List<ClassNode> nest = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(host));
        while (!open.isEmpty()) {
            String name = open.pop();
            if (!seen.add(name) || !host.equals(host(name))) {
                continue;
            }
            ClassNode node = node(name, 0);
            nest.add(node);
            node.innerClasses.forEach(it -> open.push(it.name));
            if (node.nestMembers != null) {
                node.nestMembers.forEach(open::push);
            }
        }
        return nest;
    }

    private ClassNode node(String name, int how) {
        ClassNode node = new ClassNode(Methods.API);
        new ClassReader(code.getBytes(name).orElseThrow()).accept(node, how);
        return node;
    }

    /** Reads the texts of main code, once. */
    private void read() {
        if (texts != null) {
            return;
        }
        texts = new HashSet<>();
        code.eachMain(bytes -> {
            try {
                constants(bytes);
                annotations(bytes);
            } catch (IOException | RuntimeException e) {
                // What cannot be read is not loaded either, and knows no names.
                return;
            }
        });
    }

    private void constants(byte[] bytes) throws IOException {
        ClassReader reader = new ClassReader(bytes);
        char[] buffer = new char[reader.getMaxStringLength()];
        for (int i = 1; i < reader.getItemCount(); i++) {
            int at = reader.getItem(i);
            // The second place of a long number is none.
            int tag = at == 0 ? 0 : reader.readByte(at - 1);
            if (tag == 8) {
                add(reader.readUTF8(at, buffer));
            } else if (tag == 1) {
                int length = reader.readUnsignedShort(at) + 2;
                String name = new DataInputStream(new ByteArrayInputStream(bytes, at, length)).readUTF();
                if (name.contains(ANOTHER)) {
                    taken.add(name);
                }
            }
        }
    }

    private void annotations(byte[] bytes) {
        ClassNode node = new ClassNode(Methods.API);
        new ClassReader(bytes).accept(node, ClassReader.SKIP_CODE);
        add(node.visibleAnnotations);
        for (FieldNode it : node.fields) {
            add(it.visibleAnnotations);
        }
        for (MethodNode it : node.methods) {
            add(it.visibleAnnotations);
            add(it.annotationDefault);
            if (it.visibleParameterAnnotations != null) {
                for (List<AnnotationNode> of : it.visibleParameterAnnotations) {
                    add(of);
                }
            }
        }
    }

    /** Adds a text, all texts of a list, or those of an annotation. */
    private void add(Object value) {
        if (value instanceof String) {
            words((String) value);
        } else if (value instanceof List) {
            ((List<?>) value).forEach(this::add);
        } else if (value instanceof AnnotationNode) {
            List<Object> pairs = ((AnnotationNode) value).values;
            for (int i = 1; pairs != null && i < pairs.size(); i += 2) {
                add(pairs.get(i));
            }
        }
    }

    /** Adds the names in a text; one with white space is said to people. */
    private void words(String text) {
        if (text.chars().noneMatch(Character::isWhitespace)) {
            texts.addAll(List.of(text.split("[^\\p{L}\\p{N}_$]+")));
        }
    }

    private static boolean isEmpty(List<?> all) {
        return all == null || all.isEmpty();
    }
}
