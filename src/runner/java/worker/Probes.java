package focalist;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** What the classes of one candidate write to. Every candidate's loader defines it anew. */
public final class Probes {
    /** By class: its id, and its probes. */
    public static final ConcurrentHashMap<String, Object[]> DATA =
            new ConcurrentHashMap<String, Object[]>();

    /** How often each method was entered. */
    public static volatile int[] counts = new int[1 << 14];

    /** Which blocks were reached, where somebody asks. */
    public static volatile boolean[] blocks;

    /** Methods in order of their first time, each with its depth; nothing where nobody asks. */
    public static List<int[]> order;

    /** Which classes are the project's. */
    public static Predicate<String> isProject;

    /** Whether others come after it in this JVM. */
    public static volatile boolean isShared;

    /** Whether it was refused something for that reason. */
    public static volatile boolean isRefused;

    private Probes() {}

    /** Called in place of {@code setAccessible}: what belongs to all is opened by who is alone. */
    public static void open(AccessibleObject member, boolean isOpen) {
        boolean isOwn = member instanceof Member
                && ((Member) member).getDeclaringClass().getClassLoader() == Probes.class.getClassLoader();
        if (isShared && isOpen && !isOwn) {
            isRefused = true;
            throw new SecurityException("not where others come after it");
        }
        member.setAccessible(isOpen);
    }

    /** Called before a method is called by reflection. */
    public static void calling(java.lang.reflect.Method method) {
        if (!isShared || method == null) {
            return;
        }
        String of = method.getDeclaringClass().getName();
        String name = method.getName();
        boolean isOpening = of.startsWith("java.lang.reflect.")
                && (name.equals("setAccessible") || name.equals("trySetAccessible") || name.equals("invoke"));
        boolean isLoading = name.equals("forName") || name.equals("loadClass") || name.equals("defineClass");
        boolean isPower = of.startsWith("sun.") || of.startsWith("jdk.internal.") || of.startsWith("java.lang.invoke.")
                || of.startsWith("java.lang.management.") || of.startsWith("focalist.") || of.startsWith("java.beans.");
        if (isOpening || isLoading || isPower) {
            isRefused = true;
            throw new SecurityException("not where others come after it");
        }
    }

    /** Called by what JaCoCo writes into each class. */
    public static boolean[] get(long id, String name, int n) {
        Object[] data = DATA.get(name);
        if (data == null) {
            DATA.putIfAbsent(name, new Object[] {id, new boolean[n]});
            data = DATA.get(name);
        }
        return (boolean[]) data[1];
    }

    /** Called at the begin of each method. */
    public static void enter(int id) {
        int[] now = counts;
        if (id >= now.length) {
            now = grow(id);
        }
        int n = now[id];
        if (n != Integer.MAX_VALUE) {
            now[id] = n + 1;
        }
        if (n == 0 && order != null) {
            first(id);
        }
    }

    /** Called at the start of blocks that are asked about. */
    public static void block(int number) {
        boolean[] all = blocks;
        if (all != null) {
            all[number] = true;
        }
    }

    private static synchronized int[] grow(int id) {
        int[] now = counts;
        if (id >= now.length) {
            int[] more = new int[2 * id];
            System.arraycopy(now, 0, more, 0, now.length);
            counts = more;
        }
        return counts;
    }

    private static void first(int id) {
        StackTraceElement[] frames = new Throwable().getStackTrace();
        int depth = 0;
        // This method, its caller, and the method itself.
        for (int i = 3; i < frames.length; i++) {
            String method = frames[i].getMethodName();
            boolean isWritten = !method.startsWith("lambda$")
                    && !method.startsWith("access$")
                    && !method.equals("<clinit>")
                    && !method.equals("$jacocoInit");
            if (isWritten && isProject.test(frames[i].getClassName())) {
                depth++;
            }
        }
        synchronized (Probes.class) {
            order.add(new int[] {id, depth});
        }
    }

    /** Begins to write the order down. */
    public static void record(Predicate<String> isProject) {
        Probes.isProject = isProject;
        order = new ArrayList<int[]>();
    }
}
