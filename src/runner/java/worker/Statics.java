package focalist;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What libraries keep in static fields, as it is when a class has been initialised: after each candidate it is compared, and
 * where it has changed, those who come later get libraries that are loaded anew.
 *
 * <p>Seen are fields that can be set, and collections, maps and atomic values of the JDK in those that cannot. What lies in
 * objects of a library's own is not seen. A field that three candidates change is taken for the library's own affair, such as a
 * cache, and is not looked at any more.
 */
final class Statics {
    private static final int CHANGES_MAX = 3;
    /** Larger collections are known by their sizes. */
    private static final int READ_MAX = 256;

    /** Of libraries that run tests, mock or log: what they keep changes with every test, or is kept by thread. */
    private static final String[] EXCEPT = {
        "ch.qos.logback.", "focalist.", "junit.", "net.bytebuddy.", "org.apache.commons.logging.", "org.apache.log4j.",
        "org.apache.logging.", "org.assertj.core.internal.bytebuddy.", "org.codehaus.groovy.", "org.hamcrest.", "org.junit.",
        "org.mockito.", "org.objenesis.", "org.opentest4j.", "org.slf4j.", "org.testng."
    };

    /** A field, and what it held. */
    private static final class Kept {
        final Field field;
        final Object value;
        final long print;

        Kept(Field field) throws IllegalAccessException {
            this.field = field;
            value = field.get(null);
            print = print(value);
        }

        boolean isChanged() throws IllegalAccessException {
            Object now = field.get(null);
            boolean isSame = field.getType().isPrimitive() ? now.equals(value) : now == value;
            return !isSame || print(now) != print;
        }
    }

    /** What library classes call. */
    private final String begins;
    private final Map<String, Integer> changes = new HashMap<String, Integer>();
    private volatile ClassLoader loader;
    private volatile List<Kept> kept;

    Statics(String begins) {
        this.begins = begins.replace('.', '/');
    }

    /** Begins with libraries that nobody has used. */
    void renew(ClassLoader libraries) {
        loader = libraries;
        kept = Collections.synchronizedList(new ArrayList<Kept>());
    }

    /** Whether what libraries keep is not as it was. */
    boolean areChanged() {
        Set<String> names = new HashSet<String>();
        for (Kept it : kept.toArray(new Kept[0])) {
            String name = it.field.getDeclaringClass().getName() + "." + it.field.getName();
            Integer n = changes.get(name);
            try {
                if ((n == null || n < CHANGES_MAX) && it.isChanged()) {
                    names.add(name);
                }
            } catch (Throwable e) {
                // Somebody else works on it at this moment, or it is code of theirs.
                names.add(name);
            }
        }
        for (String name : names) {
            Integer n = changes.get(name);
            changes.put(name, n == null ? 1 : n + 1);
        }
        return !names.isEmpty();
    }

    /** Keeps what the fields of a class hold. */
    void initialised(ClassLoader by, String name) {
        if (by != loader) {
            return;
        }
        try {
            Class<?> of = Class.forName(name, false, by);
            for (Field field : of.getDeclaredFields()) {
                if (isSeen(field.getModifiers(), field.getType().getName())) {
                    field.setAccessible(true);
                    kept.add(new Kept(field));
                }
            }
        } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
            // What cannot be read is not compared.
            return;
        }
    }

    private static boolean isSeen(int modifiers, String type) {
        boolean isStatic = Modifier.isStatic(modifiers) && (modifiers & Opcodes.ACC_SYNTHETIC) == 0;
        return isStatic && (!Modifier.isFinal(modifiers) || type.startsWith("java.util."));
    }

    /** Returns a number for what a collection holds, by identity. */
    private static long print(Object value) {
        if (value == null || value.getClass().getClassLoader() != null || value instanceof WeakHashMap) {
            return 0;
        }
        long print = 0;
        if (value instanceof Map) {
            Map<?, ?> map = (Map<?, ?>) value;
            print = map.size();
            if (print <= READ_MAX) {
                // A copy would ask keys of somebody else whether they are equal.
                for (Map.Entry<?, ?> it : map.entrySet()) {
                    print += (System.identityHashCode(it.getKey()) + 1L)
                            * (System.identityHashCode(it.getValue()) + 1L);
                }
            }
        } else if (value instanceof Collection) {
            Collection<?> all = (Collection<?>) value;
            print = all.size();
            if (print <= READ_MAX) {
                for (Object it : all.toArray()) {
                    print = 31 * print + System.identityHashCode(it);
                }
            }
        } else if (value instanceof AtomicInteger || value instanceof AtomicLong) {
            print = ((Number) value).longValue();
        } else if (value instanceof AtomicBoolean) {
            print = ((AtomicBoolean) value).get() ? 1 : 0;
        } else if (value instanceof AtomicReference) {
            print = System.identityHashCode(((AtomicReference<?>) value).get());
        }
        return print;
    }

    /** Returns a class that says when it has been initialised; nothing where it has no fields that are seen. */
    byte[] watched(final String name, byte[] bytes) {
        for (String it : EXCEPT) {
            if (name.startsWith(it)) {
                return null;
            }
        }
        try {
            Finder finder = new Finder();
            ClassReader reader = new ClassReader(bytes);
            int skips = ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES;
            reader.accept(finder, skips);
            if (!finder.isSeen || !finder.hasBegin && !finder.isPlain) {
                return null;
            }
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new Adder(writer, name, finder.hasBegin), 0);
            return writer.toByteArray();
        } catch (RuntimeException e) {
            // Of a version that nobody here can read: it is as it is.
            return null;
        }
    }

    /** Finds out whether a class is worth it. */
    private static final class Finder extends ClassVisitor {
        boolean isSeen;
        boolean hasBegin;
        /** Whether an initialiser more changes nothing, such as the number of its serialised form. */
        boolean isPlain;

        Finder() {
            super(Methods.API);
        }

        @Override
        public void visit(
                int version, int access, String name, String sign, String parent, String[] of) {
            boolean isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
            isPlain = !isInterface && "java/lang/Object".equals(parent) && of.length == 0;
        }

        @Override
        public org.objectweb.asm.FieldVisitor visitField(
                int access, String name, String desc, String sign, Object value) {
            String type = desc.startsWith("L") ? desc.substring(1).replace('/', '.') : desc;
            isSeen |= Statics.isSeen(access, type);
            return null;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String desc, String sign, String[] thrown) {
            hasBegin |= name.equals("<clinit>");
            return null;
        }
    }

    /** Puts the call behind a class's initialiser. */
    private final class Adder extends ClassVisitor {
        private final String name;
        private final boolean hasBegin;

        Adder(ClassVisitor next, String name, boolean hasBegin) {
            super(Methods.API, next);
            this.name = name;
            this.hasBegin = hasBegin;
        }

        private void call(MethodVisitor to) {
            to.visitLdcInsn(name);
            to.visitMethodInsn(
                    Opcodes.INVOKESTATIC, begins, "initialised", "(Ljava/lang/String;)V", false);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String desc, String sign, String[] thrown) {
            final MethodVisitor next = super.visitMethod(access, method, desc, sign, thrown);
            if (!method.equals("<clinit>")) {
                return next;
            }
            return new MethodVisitor(Methods.API, next) {
                @Override
                public void visitInsn(int opcode) {
                    if (opcode == Opcodes.RETURN) {
                        call(next);
                    }
                    super.visitInsn(opcode);
                }
            };
        }

        @Override
        public void visitEnd() {
            if (!hasBegin) {
                MethodVisitor begin =
                        super.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
                begin.visitCode();
                call(begin);
                begin.visitInsn(Opcodes.RETURN);
                begin.visitMaxs(1, 0);
                begin.visitEnd();
            }
            super.visitEnd();
        }
    }
}
