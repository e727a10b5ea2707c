package focalist;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * Code that keeps the contract: other words in messages of exceptions, nothing printed or logged. What is not certain stays as
 * it is.
 */
final class Variants {
    static final String MESSAGE = "message";
    static final String LOG = "log";

    /** What is filled in, then words; a letter alone is none. */
    private static final Pattern PIECES =
            Pattern.compile("\\{[^}]*}|%(?:\\d+\\$)?[-#+ 0,(]*\\d*(?:\\.\\d+)?(?:[tT])?[a-zA-Z%]|(\\p{L}{2,})");

    private static final Set<String> LOGGERS = Set.of(
            "org/slf4j/Logger",
            "java/util/logging/Logger",
            "java/lang/System$Logger",
            "org/apache/logging/log4j/Logger",
            "org/apache/log4j/Logger",
            "org/apache/log4j/Category",
            "org/apache/commons/logging/Log",
            "ch/qos/logback/classic/Logger",
            "org/jboss/logging/Logger");

    private static final Set<String> SAYING = Set.of(
            "trace", "debug", "info", "warn", "error", "fatal", "severe", "warning", "config", "fine", "finer", "finest", "log");

    private static final Set<String> PRINTING = Set.of("print", "println", "printf", "format");

    private final Code code;

    Variants(Code code) {
        this.code = code;
    }

    /** Returns a class in which some methods, which are names with descriptors, are otherwise; null where none is. */
    byte[] change(byte[] bytes, Set<String> wanted, String kind) {
        ClassReader reader = new ClassReader(bytes);
        ClassNode node = new ClassNode(Methods.API);
        reader.accept(node, 0);
        boolean isChanged = false;
        for (MethodNode method : node.methods) {
            if (wanted.contains(method.name + method.desc) && method.instructions.size() > 0) {
                isChanged |= change(node.name, method, kind);
            }
        }
        if (!isChanged) {
            return null;
        }
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        return writer.toByteArray();
    }

    private boolean change(String owner, MethodNode method, String kind) {
        Frame<SourceValue>[] frames;
        try {
            frames = new Analyzer<>(new SourceInterpreter()).analyze(owner, method);
        } catch (AnalyzerException e) {
            // Nobody knows what flows where.
            return false;
        }
        AbstractInsnNode[] all = method.instructions.toArray();
        boolean isChanged = false;
        for (int i = 0; i < all.length; i++) {
            // A frame that is not there is of code that never runs.
            if (!(all[i] instanceof MethodInsnNode) || frames[i] == null) {
                continue;
            }
            MethodInsnNode call = (MethodInsnNode) all[i];
            isChanged |= kind.equals(MESSAGE)
                    ? isThrown(call) && reword(method, frames, call, frames[i])
                    : says(call, frames[i]) && remove(method.instructions, call);
        }
        return isChanged;
    }

    private boolean isThrown(MethodInsnNode call) {
        if (call.getOpcode() != Opcodes.INVOKESPECIAL || !call.name.equals("<init>")) {
            return false;
        }
        String name = call.owner;
        while (name != null && !name.equals("java/lang/Throwable")) {
            byte[] bytes = code.getBytes(name).orElse(null);
            name = bytes == null ? null : new ClassReader(bytes).getSuperName();
        }
        return name != null;
    }

    /** Gives the texts among the arguments of a call other words. */
    private static boolean reword(
            MethodNode method, Frame<SourceValue>[] frames, MethodInsnNode call, Frame<SourceValue> frame) {
        Type[] types = Type.getArgumentTypes(call.desc);
        boolean isChanged = false;
        for (int i = 0; i < types.length; i++) {
            SourceValue value = frame.getStack(frame.getStackSize() - types.length + i);
            List<Piece> pieces = new ArrayList<>();
            pieces(method, frames, value, pieces, 0);
            int n = 0;
            for (Piece it : pieces) {
                n += words(it.text);
            }
            if (n < 2) {
                continue;
            }
            boolean isFirst = true;
            for (Piece it : pieces) {
                it.to.apply(reworded(it.text, isFirst));
                isFirst = isFirst && words(it.text) == 0;
            }
            isChanged = true;
        }
        return isChanged;
    }

    /** A text that is a part of a message, and how it is replaced. */
    private static final class Piece {
        final String text;
        final Function<String, Void> to;

        Piece(String text, Function<String, Void> to) {
            this.text = text;
            this.to = to;
        }
    }

    /** Finds the texts that a value is made of: a constant, several put together, or a format. */
    private static void pieces(
            MethodNode method, Frame<SourceValue>[] frames, SourceValue value, List<Piece> pieces, int depth) {
        if (value.insns.size() != 1 || depth > 100) {
            return;
        }
        AbstractInsnNode from = value.insns.iterator().next();
        if (from instanceof LdcInsnNode) {
            LdcInsnNode constant = (LdcInsnNode) from;
            if (constant.cst instanceof String) {
                pieces.add(new Piece((String) constant.cst, it -> {
                    constant.cst = it;
                    return null;
                }));
            }
            return;
        }
        if (from instanceof InvokeDynamicInsnNode) {
            Object[] arguments = ((InvokeDynamicInsnNode) from).bsmArgs;
            boolean isConcat = ((InvokeDynamicInsnNode) from).name.equals("makeConcatWithConstants");
            if (isConcat && arguments[0] instanceof String) {
                pieces.add(new Piece((String) arguments[0], it -> {
                    arguments[0] = it;
                    return null;
                }));
            }
            return;
        }
        if (!(from instanceof MethodInsnNode)) {
            return;
        }
        MethodInsnNode call = (MethodInsnNode) from;
        Frame<SourceValue> frame = frames[method.instructions.indexOf(call)];
        int top = frame.getStackSize() - 1;
        boolean isBuilder =
                call.owner.equals("java/lang/StringBuilder") || call.owner.equals("java/lang/StringBuffer");
        if (isBuilder && call.name.equals("toString")) {
            pieces(method, frames, frame.getStack(top), pieces, depth + 1);
        } else if (isBuilder && call.name.equals("append") && Type.getArgumentTypes(call.desc).length == 1) {
            pieces(method, frames, frame.getStack(top - 1), pieces, depth + 1);
            pieces(method, frames, frame.getStack(top), pieces, depth + 1);
        } else if (call.owner.equals("java/lang/String") && call.name.equals("format")) {
            int at = call.desc.startsWith("(Ljava/lang/String;") ? 1 : 0;
            pieces(method, frames, frame.getStack(top - at), pieces, depth + 1);
        }
    }

    static int words(String text) {
        int n = 0;
        for (Matcher it = PIECES.matcher(text); it.find();) {
            n += it.group(1) == null ? 0 : 1;
        }
        return n;
    }

    static String reworded(String text, boolean isFirst) {
        StringBuilder made = new StringBuilder();
        int at = 0;
        for (Matcher it = PIECES.matcher(text); it.find();) {
            made.append(text, at, it.start());
            boolean isWord = it.group(1) != null;
            made.append(!isWord ? it.group() : isFirst ? "reworded" : "text");
            isFirst = isFirst && !isWord;
            at = it.end();
        }
        return made.append(text.substring(at)).toString();
    }

    private static boolean says(MethodInsnNode call, Frame<SourceValue> frame) {
        if (call.getOpcode() == Opcodes.INVOKESTATIC) {
            return false;
        }
        if (LOGGERS.contains(call.owner)) {
            return SAYING.contains(call.name) && Type.getReturnType(call.desc) == Type.VOID_TYPE;
        }
        if (!call.owner.equals("java/io/PrintStream") || !PRINTING.contains(call.name)) {
            return false;
        }
        int n = Type.getArgumentTypes(call.desc).length;
        SourceValue stream = frame.getStack(frame.getStackSize() - 1 - n);
        for (AbstractInsnNode it : stream.insns) {
            boolean isField = it instanceof FieldInsnNode && it.getOpcode() == Opcodes.GETSTATIC;
            if (!isField || !((FieldInsnNode) it).owner.equals("java/lang/System")) {
                return false;
            }
        }
        return !stream.insns.isEmpty();
    }

    /** Drops the arguments, which are there by then; what returns the stream leaves that. */
    private static boolean remove(InsnList all, MethodInsnNode call) {
        Type[] types = Type.getArgumentTypes(call.desc);
        for (int i = types.length - 1; i >= 0; i--) {
            all.insertBefore(call, new InsnNode(types[i].getSize() == 2 ? Opcodes.POP2 : Opcodes.POP));
        }
        if (Type.getReturnType(call.desc) == Type.VOID_TYPE) {
            all.insertBefore(call, new InsnNode(Opcodes.POP));
        }
        all.remove(call);
        return true;
    }
}
