package focalist;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** Whether a focal method was entered. */
final class Called {
    private Called() {}

    /** Whether the method itself was entered or, where there is nothing to enter, one that overrides it. */
    static boolean is(Methods methods, Methods.Found focal, int[] counts, ClassLoader loader) {
        for (int id = 0; id < Math.min(counts.length, methods.size()); id++) {
            if (counts[id] > 0 && isIt(methods, focal, id, loader)) {
                return true;
            }
        }
        return false;
    }

    /** Returns methods of main code that were entered and override a method that has no code, in order of their names. */
    static List<Object> overrides(Methods methods, Methods.Found focal, int[] counts, ClassLoader loader) {
        TreeMap<String, Object> found = new TreeMap<String, Object>();
        for (int id = 0; id < Math.min(counts.length, methods.size()); id++) {
            Methods.Hooked it = methods.get(id);
            if (counts[id] > 0 && it.isMain && isIt(methods, focal, id, loader)) {
                String key = it.owner + " " + it.name + it.desc;
                found.put(key, Arrays.asList(it.owner, it.name, it.desc));
            }
        }
        return new ArrayList<Object>(found.values());
    }

    /** Whether to enter a method is to enter the focal method. */
    static boolean isIt(Methods methods, Methods.Found focal, int id, ClassLoader loader) {
        Methods.Hooked method = methods.get(id);
        if (!method.name.equals(focal.name)) {
            return false;
        }
        if (!focal.isAbstract) {
            return method.owner.equals(focal.owner) && method.desc.equals(focal.desc);
        }
        boolean isLike = Methods.arguments(method.desc).equals(Methods.arguments(focal.desc))
                || methods.hasBridge(method.owner, method.name, focal.desc);
        try {
            return isLike
                    && Class.forName(focal.owner, false, loader)
                            .isAssignableFrom(Class.forName(method.owner, false, loader));
        } catch (ClassNotFoundException | LinkageError e) {
            // A class of another candidate, whose number is ours by chance only.
            return false;
        }
    }
}
