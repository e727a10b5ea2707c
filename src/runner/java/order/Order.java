package focalist;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Turns round the order in which hash tables of the JDK are gone through: writes its own classes with all bits of hashes turned
 * into a folder, or looks whether the JVM that it runs in has such ones. Two keys of different places in a table always come
 * in the other order; keys of one place stay as they came.
 */
public final class Order {
    private static final int API = Opcodes.ASM9;

    private Order() {}

    /** Writes to the folder that is named; where none is, looks. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 0) {
            look();
            return;
        }
        File out = new File(arguments[0]);
        write(out, "java/util/HashMap", "hash(Ljava/lang/Object;)I", -1);
        // A hash below zero means something else there.
        write(out, "java/util/concurrent/ConcurrentHashMap", "spread(I)I", Integer.MAX_VALUE);
    }

    private static void write(File out, String name, final String wanted, final int turned) throws IOException {
        final int[] found = {0};
        byte[] bytes;
        try (InputStream in = Object.class.getResourceAsStream("/" + name + ".class")) {
            bytes = in.readAllBytes();
        }
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(
                new ClassVisitor(API, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String desc, String sign, String[] thrown) {
                        MethodVisitor next = super.visitMethod(access, name, desc, sign, thrown);
                        if (!wanted.equals(name + desc)) {
                            return next;
                        }
                        return new MethodVisitor(API, next) {
                            @Override
                            public void visitInsn(int code) {
                                if (code == Opcodes.IRETURN) {
                                    found[0]++;
                                    super.visitLdcInsn(turned);
                                    super.visitInsn(Opcodes.IXOR);
                                }
                                super.visitInsn(code);
                            }
                        };
                    }
                },
                0);
        if (found[0] == 0) {
            throw new IllegalStateException(name + " has no " + wanted);
        }
        File file = new File(out, name + ".class");
        Files.createDirectories(file.getParentFile().toPath());
        Files.write(file.toPath(), writer.toByteArray());
    }

    private static void look() {
        List<String> usual = Arrays.asList("a", "b", "c", "d");
        List<String> turned = Arrays.asList("d", "c", "b", "a");
        ConcurrentHashMap<String, String> shared = new ConcurrentHashMap<>();
        for (String it : usual) {
            shared.put(it, it);
        }
        List<Object> found = Arrays.asList(new ArrayList<>(new HashSet<>(usual)), new ArrayList<>(shared.keySet()));
        if (!found.equals(Arrays.asList(turned, turned))) {
            throw new IllegalStateException("sets are still gone through as in " + found);
        }
        HashMap<Object, Integer> large = new HashMap<>();
        large.put(null, -1);
        for (int i = 0; i < 10000; i++) {
            // Some of the same place, enough for a tree.
            large.put((long) i << 20, i);
            shared.put("k" + i, "");
        }
        for (int i = 0; i < 10000; i++) {
            if (large.get((long) i << 20) != i || shared.remove("k" + i) == null) {
                throw new IllegalStateException("a key is lost");
            }
        }
        if (large.remove(null) != -1 || shared.size() != usual.size()) {
            throw new IllegalStateException("a key is lost");
        }
    }
}
