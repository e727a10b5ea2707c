package focalist;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * Probes where the blocks of methods start. What JaCoCo counts comes too late: a call that throws is not counted, and a
 * test may be about just that.
 */
final class Blocks {
    /** A method with its blocks. */
    static final class Probed {
        final String method;
        /** How many instructions stand before each block. */
        final List<Long> starts = new ArrayList<Long>();
        /** The number of its first block among all of the run. */
        final int first;

        Probed(String method, int first) {
            this.method = method;
            this.first = first;
        }
    }

    /** What the probes call. */
    private final String probes;
    final List<Probed> methods = new ArrayList<Probed>();
    private int n;

    /** {@code first} is the number of the first block. */
    Blocks(String probes, int first) {
        this.probes = probes;
        this.n = first;
    }

    /** The number behind that of the last block. */
    int end() {
        return n;
    }

    /** Returns a class with a probe at each block of some methods, which are names with descriptors. */
    byte[] probe(byte[] bytes, Set<String> wanted) {
        return probe(bytes, wanted, false);
    }

    /** Returns a class with a probe at the entry of some methods. */
    byte[] probeEntry(byte[] bytes, Set<String> wanted) {
        return probe(bytes, wanted, true);
    }

    private byte[] probe(byte[] bytes, Set<String> wanted, boolean isEntryOnly) {
        ClassReader reader = new ClassReader(bytes);
        ClassNode node = new ClassNode(Methods.API);
        reader.accept(node, 0);
        for (MethodNode method : node.methods) {
            if (wanted.contains(method.name + method.desc) && method.instructions.size() > 0) {
                Probed probed = new Probed(method.name + method.desc, n);
                probe(method, probed, isEntryOnly);
                methods.add(probed);
            }
        }
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        return writer.toByteArray();
    }

    private void probe(MethodNode method, Probed probed, boolean isEntryOnly) {
        Set<AbstractInsnNode> targets = targets(method);
        long place = 0;
        boolean isStart = true;
        for (AbstractInsnNode it : method.instructions.toArray()) {
            isStart = isStart || targets.contains(it);
            if (it.getOpcode() < 0) {
                continue;
            }
            if (isStart && (place == 0 || !isEntryOnly)) {
                probed.starts.add(place);
                insert(method.instructions, it, n++);
            }
            isStart = isEnd(it);
            place++;
        }
    }

    private void insert(InsnList all, AbstractInsnNode at, int number) {
        InsnList probe = new InsnList();
        probe.add(number <= Short.MAX_VALUE ? new IntInsnNode(Opcodes.SIPUSH, number) : new LdcInsnNode(number));
        probe.add(new MethodInsnNode(Opcodes.INVOKESTATIC, probes, "block", "(I)V", false));
        // Frames name an object that is not yet initialised by the place of its NEW: nothing comes between that and its label.
        if (at.getOpcode() == Opcodes.NEW) {
            all.insert(at, probe);
        } else {
            all.insertBefore(at, probe);
        }
    }

    private static Set<AbstractInsnNode> targets(MethodNode method) {
        Set<AbstractInsnNode> targets = new HashSet<AbstractInsnNode>();
        for (AbstractInsnNode it : method.instructions.toArray()) {
            if (it instanceof JumpInsnNode) {
                targets.add(((JumpInsnNode) it).label);
            } else if (it instanceof TableSwitchInsnNode) {
                targets.add(((TableSwitchInsnNode) it).dflt);
                targets.addAll(((TableSwitchInsnNode) it).labels);
            } else if (it instanceof LookupSwitchInsnNode) {
                targets.add(((LookupSwitchInsnNode) it).dflt);
                targets.addAll(((LookupSwitchInsnNode) it).labels);
            }
        }
        for (TryCatchBlockNode it : method.tryCatchBlocks) {
            targets.add(it.handler);
        }
        return targets;
    }

    private static boolean isEnd(AbstractInsnNode it) {
        int code = it.getOpcode();
        boolean isReturn = code >= Opcodes.IRETURN && code <= Opcodes.RETURN;
        return isReturn
                || code == Opcodes.ATHROW
                || code == Opcodes.RET
                || it instanceof JumpInsnNode
                || it instanceof TableSwitchInsnNode
                || it instanceof LookupSwitchInsnNode;
    }
}
