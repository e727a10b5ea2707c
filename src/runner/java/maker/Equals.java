package focalist;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Finds mutants of a class that say what the original or one before them says (Trivial Compiler Equivalence: Papadakis and
 * others, 2015). Classes are compared by what is written in them, with their lines; the order of their constants, the size of their stacks
 * and the types at their jumps follow from that, and PIT writes these otherwise than compilers do.
 */
final class Equals {
    private final Set<ByteBuffer> seen = new HashSet<>();

    Equals(byte[] original) {
        has(() -> original);
    }

    /** Returns whether a class with the same content was there before; what cannot be read is like no other one. */
    boolean has(Supplier<byte[]> made) {
        try {
            return !seen.add(essence(made.get()));
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            return false;
        }
    }

    private static ByteBuffer essence(byte[] bytes) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(bytes).accept(new WithoutSizes(writer), ClassReader.SKIP_FRAMES);
        try {
            // A thousand mutants of a large class would not find room themselves.
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(writer.toByteArray()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class WithoutSizes extends ClassVisitor {
        WithoutSizes(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitMaxs(int maxStack, int maxLocals) {
                    super.visitMaxs(0, 0);
                }
            };
        }
    }
}
