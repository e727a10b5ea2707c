package focalist;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is told of something thrown. Its own methods are foreign code, and may throw. */
final class Trouble {
    private static final int TEXT_CHARS_MAX = 4096;
    private static final int FRAMES_MAX = 24;
    private static final int CAUSES_MAX = 8;

    private Trouble() {}

    static String message(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            return message == null ? "" : message;
        } catch (Throwable e) {
            return "(its message cannot be read: " + e.getClass().getName() + ")";
        }
    }

    private static Throwable cause(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable e) {
            return null;
        }
    }

    private static StackTraceElement[] frames(Throwable thrown) {
        try {
            return thrown.getStackTrace();
        } catch (Throwable e) {
            return new StackTraceElement[0];
        }
    }

    static List<Throwable> chain(Throwable thrown) {
        Set<Throwable> seen =
                Collections.newSetFromMap(new IdentityHashMap<Throwable, Boolean>());
        List<Throwable> chain = new ArrayList<Throwable>();
        for (Throwable it = thrown;
                it != null && chain.size() < CAUSES_MAX && seen.add(it);
                it = cause(it)) {
            chain.add(it);
        }
        return chain;
    }

    static boolean isMemory(Throwable thrown) {
        for (Throwable it : chain(thrown)) {
            if (it instanceof OutOfMemoryError) {
                return true;
            }
        }
        return false;
    }

    /** Whether a test says by it that something is not as it should be. JUnit 3 by itself has an error of its own for that. */
    static boolean isAssertion(Throwable thrown) {
        for (Class<?> it = thrown.getClass(); it != null; it = it.getSuperclass()) {
            String name = it.getName();
            if (name.equals("java.lang.AssertionError") || name.equals("junit.framework.AssertionFailedError")) {
                return true;
            }
        }
        return false;
    }

    /** Whether a class did not verify, or is none. */
    static boolean isNoClass(Throwable thrown) {
        for (Throwable it : chain(thrown)) {
            if (it instanceof VerifyError || it instanceof ClassFormatError) {
                return true;
            }
        }
        return false;
    }

    static String text(Throwable thrown) {
        StringBuilder out = new StringBuilder();
        String before = "";
        for (Throwable it : chain(thrown)) {
            out.append(before).append(it.getClass().getName());
            String message = message(it);
            if (!message.isEmpty()) {
                out.append(": ").append(Worker.cut(message, TEXT_CHARS_MAX / 4));
            }
            out.append('\n');
            int n = 0;
            for (StackTraceElement frame : frames(it)) {
                if (n++ >= FRAMES_MAX || frame.getClassName().startsWith("focalist.")) {
                    break;
                }
                out.append("\tat ").append(frame).append('\n');
            }
            before = "Caused by: ";
        }
        return Worker.cut(out.toString(), TEXT_CHARS_MAX);
    }

    /** Says all of it; lines are those of frames in the file of a class. */
    static Map<String, Object> told(Throwable thrown, String topLevel) {
        Map<String, Object> told = new LinkedHashMap<String, Object>();
        told.put("type", thrown.getClass().getName());
        told.put("message", Worker.cut(message(thrown), TEXT_CHARS_MAX));
        told.put("trace", text(thrown));
        List<Object> lines = new ArrayList<Object>();
        for (Throwable it : chain(thrown)) {
            for (StackTraceElement frame : frames(it)) {
                String name = frame.getClassName();
                boolean isThere = name.equals(topLevel) || name.startsWith(topLevel + "$");
                if (isThere && frame.getLineNumber() > 0 && lines.size() < 64) {
                    lines.add((long) frame.getLineNumber());
                }
            }
        }
        told.put("lines", lines);
        return told;
    }
}
