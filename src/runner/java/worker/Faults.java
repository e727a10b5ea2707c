package focalist;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a run is asked about faults: which blocks of some methods it comes to, or how it ends with others in the place of some
 * classes.
 */
final class Faults {
    /** How often it is looked whether a test has used up its time. */
    static final long LOOK_MS = 20;

    private final Map<?, ?> asked;
    /** Files of classes that are others than the project's, by their names. */
    private final Map<String, String> changed = new LinkedHashMap<String, String>();
    private final Map<String, Blocks> blocks = new LinkedHashMap<String, Blocks>();
    /** How many blocks have a number. */
    private int n;
    /** Of the test's thread; none for what is no mutant. */
    private final long cpuMs;

    Faults(Map<?, ?> asked) {
        this.asked = asked;
        for (Map.Entry<?, ?> it : ((Map<?, ?>) asked.get("changed")).entrySet()) {
            changed.put((String) it.getKey(), (String) it.getValue());
        }
        Object limit = asked.get("cpuMs");
        cpuMs = limit == null ? Long.MAX_VALUE : ((Number) limit).longValue();
    }

    /** Puts what is changed into the loader of a run; returns whether it can be loaded. */
    boolean prepare(Project project, Loaders.Candidate loader) throws IOException {
        Map<String, Set<String>> methods = methods();
        Set<String> names = new LinkedHashSet<String>(methods.keySet());
        names.addAll(changed.keySet());
        for (String name : names) {
            String file = changed.get(name);
            byte[] bytes = file == null ? project.raw(name) : Project.read(new File(file));
            if (bytes == null) {
                continue;
            }
            if (methods.containsKey(name)) {
                bytes = probed(name, bytes, methods.get(name), project.probes.replace('.', '/'));
            }
            loader.replace(name, project.hooked(name, bytes, true));
        }
        return changed.isEmpty() || isViable(names, loader);
    }

    private byte[] probed(String name, byte[] bytes, Set<String> methods, String probes) {
        Blocks of = new Blocks(probes, n);
        try {
            byte[] probed = changed.isEmpty() ? of.probe(bytes, methods) : of.probeEntry(bytes, methods);
            blocks.put(name, of);
            n = of.end();
            return probed;
        } catch (RuntimeException e) {
            // Too large with probes: it is not known what is reached, and nothing is concluded from that.
            return bytes;
        }
    }

    /** By class: names of methods with their descriptors. */
    private Map<String, Set<String>> methods() {
        Map<String, Set<String>> all = new LinkedHashMap<String, Set<String>>();
        for (Object it : (List<?>) asked.get("methods")) {
            List<String> pair = Worker.strings(it);
            if (!all.containsKey(pair.get(0))) {
                all.put(pair.get(0), new LinkedHashSet<String>());
            }
            all.get(pair.get(0)).add(pair.get(1));
        }
        return all;
    }

    /** Who asks a class for its methods has it verified, and none of its code run. */
    private static boolean isViable(Set<String> names, ClassLoader loader) {
        for (String name : names) {
            try {
                Class.forName(name, false, loader).getDeclaredMethods();
            } catch (VerifyError e) {
                return false;
            } catch (ClassFormatError e) {
                return false;
            } catch (ClassNotFoundException e) {
                return false;
            } catch (LinkageError e) {
                // It names what is not there, as it did before it was changed.
                continue;
            }
        }
        return true;
    }

    /** How many blocks have a probe. */
    int size() {
        return n;
    }

    /** Waits a moment for the end of a test; returns whether it has not used up its time. */
    boolean isInTime(Thread thread, long start) throws InterruptedException {
        thread.join(cpuMs == Long.MAX_VALUE ? 0 : LOOK_MS);
        // Nobody uses more than there was.
        boolean isDoubtful = (System.nanoTime() - start) / 1000000 > cpuMs;
        if (!thread.isAlive() || !isDoubtful) {
            return true;
        }
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()) / 1000000 <= cpuMs;
    }

    /** Says which blocks were reached. */
    void tell(boolean[] reached, Map<String, Object> answer) {
        List<Object> all = new ArrayList<Object>();
        boolean isEntered = false;
        for (Map.Entry<String, Blocks> entry : blocks.entrySet()) {
            for (Blocks.Probed it : entry.getValue().methods) {
                List<Object> starts = new ArrayList<Object>();
                for (int i = 0; i < it.starts.size(); i++) {
                    boolean isReached = reached[it.first + i];
                    isEntered = isEntered || isReached;
                    List<Object> pair = new ArrayList<Object>();
                    pair.add(it.starts.get(i));
                    pair.add(isReached);
                    starts.add(pair);
                }
                Map<String, Object> told = new LinkedHashMap<String, Object>();
                told.put("class", entry.getKey());
                told.put("method", it.method);
                told.put("blocks", starts);
                all.add(told);
            }
        }
        answer.put("reached", all);
        answer.put("isEntered", isEntered || blocks.isEmpty());
    }
}
