package focalist;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The candidates that share the classes of a scaffold. For each of them the classes are as if it stood there alone, in the
 * place of the true test: the other candidates are not there, nor is the true test, and it has its own name.
 */
final class Parts {
    /** One candidate. */
    static final class Part {
        final String declaring;
        /** Its name in the scaffold. */
        final String placed;
        /** The name that it runs under. */
        final String own;
        /** The true test that is not there when it runs; null for none. */
        final String without;

        Part(String[] words) {
            declaring = words[0];
            placed = words[1];
            own = words[2];
            without = words.length > 3 && !words[3].isEmpty() ? words[3] : null;
        }
    }

    /** By class and name in the scaffold. */
    private final Map<String, Map<String, Part>> all = new HashMap<String, Map<String, Part>>();

    /** Reads a list with a candidate a line. */
    Parts(File list) throws IOException {
        for (String line : Files.readAllLines(list.toPath(), StandardCharsets.UTF_8)) {
            Part part = new Part(line.split(" "));
            if (!all.containsKey(part.declaring)) {
                all.put(part.declaring, new HashMap<String, Part>());
            }
            all.get(part.declaring).put(part.placed, part);
        }
    }

    /** Returns a candidate; null for a name that none has, as for the true test. */
    Part find(String declaring, String placed) {
        Map<String, Part> here = all.get(declaring);
        return here == null || placed == null ? null : here.get(placed);
    }

    /** Returns a class of the scaffold as a candidate has it, or a true test where the candidate is null. */
    byte[] of(String name, byte[] bytes, final Part part) {
        final Set<String> gone = new HashSet<String>();
        if (all.containsKey(name)) {
            gone.addAll(all.get(name).keySet());
        }
        boolean isHost = part != null && name.equals(part.declaring);
        if (isHost) {
            gone.remove(part.placed);
            if (part.without != null) {
                gone.add(part.without);
            }
        }
        // Classes in its body say which method is around them.
        final boolean isNear = part != null
                && !part.own.equals(part.placed)
                && (isHost || name.startsWith(part.declaring + "$"));
        if (gone.isEmpty() && !isNear) {
            return bytes;
        }
        final boolean isRenamed = isHost;
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Methods.API, writer) {
                    @Override
                    public void visitOuterClass(String owner, String method, String desc) {
                        boolean isIn = isNear
                                && owner.replace('/', '.').equals(part.declaring)
                                && part.placed.equals(method);
                        super.visitOuterClass(owner, isIn ? part.own : method, desc);
                    }

                    @Override
                    public MethodVisitor visitMethod(
                            int access, String method, String desc, String sign, String[] thrown) {
                        // A bridge leads to whatever has the true test's name.
                        if (gone.contains(method) && (access & Opcodes.ACC_BRIDGE) == 0) {
                            return null;
                        }
                        boolean is = isRenamed && method.equals(part.placed);
                        return super.visitMethod(access, is ? part.own : method, desc, sign, thrown);
                    }
                },
                0);
        return writer.toByteArray();
    }
}
