package focalist;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.IntPredicate;

/** What the project's classes call where a method begins. It is of the boot loader, so that all of them find it. */
public final class Entered {
    private static volatile byte[] seen = new byte[1 << 12];

    /** Whether a method is the one that is looked for. */
    static volatile IntPredicate wanted;

    /** Open from the start: whoever calls may not be allowed to open a file. */
    static OutputStream out;

    private Entered() {}

    public static void enter(int id) {
        byte[] now = seen;
        if (id < now.length && now[id] != 0) {
            return;
        }
        first(id);
    }

    /** Threads may come here together: nobody is made to wait for another one that loads classes. */
    private static void first(int id) {
        byte[] now = seen;
        if (id >= now.length) {
            now = java.util.Arrays.copyOf(now, 2 * id);
        }
        now[id] = 1;
        seen = now;
        IntPredicate it = wanted;
        try {
            if (it != null && it.test(id)) {
                wanted = null;
                out.write('!');
                out.flush();
            }
        } catch (IOException | RuntimeException | LinkageError e) {
            // That it was entered is not known then; the test goes on.
            return;
        }
    }
}
