package focalist;

import java.util.function.Consumer;

/** What classes of libraries call when they have been initialised. Every loader of libraries defines it anew. */
public final class Begins {
    /** Who wants to know; nobody at first. */
    public static volatile Consumer<String> told;

    private Begins() {}

    public static void initialised(String name) {
        Consumer<String> to = told;
        if (to != null) {
            to.accept(name);
        }
    }
}
