package focalist;

import java.io.File;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Predicate;

/** Runs candidates one after the other, each with its own classes, and puts back what they change. */
final class Runs {
    /** Loaders that somebody holds on to fill the memory. */
    private static final int RENEWED_MAX = 32;

    private final Project project;
    private final World world;
    /** Whether all processes that are seen are of this JVM. */
    private final boolean isWalled;
    private final Map<String, Methods.Found> focals = new HashMap<String, Methods.Found>();
    /** Held from a candidate's end until our answer is out: what it has left running ends the JVM no sooner. */
    private final Semaphore answering = new Semaphore(1);
    private int nRenewed;

    Runs(Map<?, ?> config) throws IOException {
        project = new Project(config);
        isWalled = Boolean.TRUE.equals(config.get("isWalled"));
        world = new World(
                (Map<?, ?>) config.get("properties"), Worker.strings(config.get("scratch")));
        // A candidate may forbid to load it.
        Trouble.told(new Error(), "");
        Thread hook = new Thread(answering::acquireUninterruptibly, "focalist-answering");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** What the answer to a run was is said. What its libraries keep is theirs alone. */
    void answered() throws IOException {
        if (project.isWatching && project.statics.areChanged()) {
            nRenewed++;
            project.renew();
        }
        if (answering.availablePermits() == 0) {
            answering.release();
        }
    }

    /** What tests find, and get back when another one has changed it. */
    private static final class World {
        private final Properties properties = new Properties();
        private final Locale locale = Locale.getDefault();
        private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
        private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
        private final TimeZone zone = TimeZone.getDefault();
        private final PrintStream out = Streams.sink();
        private final PrintStream err = Streams.sink();
        private final Set<String> files = new HashSet<String>();
        private final File[] folders;

        /** What appears in a folder of {@code scratch} is removed after each run. */
        World(Map<?, ?> more, List<String> scratch) {
            for (String name : System.getProperties().stringPropertyNames()) {
                properties.setProperty(name, System.getProperty(name));
            }
            for (Map.Entry<?, ?> entry : more.entrySet()) {
                properties.setProperty((String) entry.getKey(), (String) entry.getValue());
            }
            // Both are ours alone, with a sandbox and without.
            properties.setProperty("java.io.tmpdir", System.getenv("TMPDIR"));
            properties.setProperty("user.home", System.getenv("HOME"));
            List<File> all = new ArrayList<File>();
            all.add(new File(System.getenv("TMPDIR")));
            all.add(new File(System.getenv("HOME")));
            for (String path : scratch) {
                all.add(new File(path));
            }
            folders = all.toArray(new File[0]);
            for (File folder : folders) {
                for (File file : list(folder)) {
                    files.add(file.getPath());
                }
            }
            restore(false);
        }

        private static File[] list(File folder) {
            File[] files = folder.listFiles();
            return files == null ? new File[0] : files;
        }

        void restore(boolean keepsFiles) {
            System.setProperties((Properties) properties.clone());
            Locale.setDefault(locale);
            Locale.setDefault(Locale.Category.DISPLAY, display);
            Locale.setDefault(Locale.Category.FORMAT, format);
            TimeZone.setDefault((TimeZone) zone.clone());
            System.setIn(Streams.empty());
            System.setOut(out);
            System.setErr(err);
            Thread.setDefaultUncaughtExceptionHandler(null);
            if (keepsFiles) {
                return;
            }
            for (File folder : folders) {
                open(folder);
                folder.mkdirs();
                for (File file : list(folder)) {
                    String name = file.getName();
                    boolean isOfJvm = name.startsWith("hsperfdata_")
                            || name.startsWith(".java_pid")
                            || name.startsWith(".attach_pid");
                    if (!isOfJvm && !files.contains(file.getPath())) {
                        remove(file);
                    }
                }
            }
        }

        private static void open(File folder) {
            folder.setExecutable(true);
            folder.setReadable(true);
            folder.setWritable(true);
        }

        private static void remove(File file) {
            Path path = file.toPath();
            if (!Files.isSymbolicLink(path) && Files.isDirectory(path)) {
                open(file);
                for (File inside : list(file)) {
                    remove(inside);
                }
            }
            file.delete();
        }
    }

    /** One run, on a thread of its own. */
    private final class Run implements Runnable {
        final Map<?, ?> request;
        final Loaders.Candidate loader;
        final Map<String, Object> told = new LinkedHashMap<String, Object>();
        /** Fields of the candidate's own counts: found before it may forbid that. */
        Field data;
        Field counts;
        Field order;
        Field refused;
        Field blocks;
        /** Nothing where nobody asks about faults. */
        final Faults faults;
        volatile boolean isMemory;
        volatile boolean isDone;
        /** When the test began and was over, by {@link System#nanoTime}; equal where it did not begin. */
        volatile long began;
        volatile long ended;

        Run(Map<?, ?> request) throws IOException {
            this.request = request;
            Project.Round round = project.round((String) request.get("folder"));
            loader = new Loaders.Candidate(
                    project,
                    round,
                    (String) request.get("declaring"),
                    (String) request.get("placed"));
            Map<?, ?> asked = (Map<?, ?>) request.get("fault");
            faults = asked == null ? null : new Faults(asked);
        }

        @Override
        public void run() {
            Throwable thrown = null;
            try {
                Class<?> probes = Class.forName(project.probes, true, loader);
                counts = probes.getField("counts");
                order = probes.getField("order");
                refused = probes.getField("isRefused");
                data = probes.getField("DATA");
                blocks = probes.getField("blocks");
                if (faults != null) {
                    blocks.set(null, new boolean[faults.size()]);
                }
                probes.getField("isShared").set(null, !Boolean.TRUE.equals(request.get("isAlone")));
                if (Boolean.TRUE.equals(request.get("isTruth"))) {
                    probes.getMethod("record", Predicate.class)
                            .invoke(null, (Predicate<String>) project::isMain);
                }
                thrown = test();
            } catch (Throwable e) {
                thrown = e;
            }
            // Nobody else has it but who ends the JVM, and then it is too late.
            answering.tryAcquire();
            try {
                tell(thrown);
            } catch (Throwable e) {
                told.put("status", "failing");
                told.put("why", new LinkedHashMap<String, Object>());
                isMemory = isMemory || e instanceof OutOfMemoryError;
            }
            isDone = true;
        }

        private Throwable test() throws Exception {
            String name = (String) request.get("method");
            String host = (String) request.get("host");
            Class<?> at;
            try {
                // Its own initialisers run when the runner comes to it.
                at = Class.forName(host, false, loader);
            } catch (ClassNotFoundException e) {
                return e;
            }
            List<String> names = new ArrayList<String>();
            List<Method> methods = new ArrayList<Method>();
            List<String> asked = Worker.strings(request.get("order"));
            Class<?> declaring = loader.loadClass((String) request.get("declaring"));
            for (String it : asked.isEmpty() ? Collections.singletonList(name) : asked) {
                Method method = find(at, it, declaring);
                if (method != null) {
                    names.add(it);
                    methods.add(method);
                }
            }
            if (methods.isEmpty()) {
                told.put("skipped", "there is no method `" + name + "`");
                return null;
            }
            ClassLoader runners = project.isFlat ? loader : project.libraries;
            Class<?> kind = Class.forName((String) request.get("runner"), true, runners);
            @SuppressWarnings("unchecked")
            Function<Object[], Map<String, Object>> runner =
                    (Function<Object[], Map<String, Object>>)
                            kind.getDeclaredConstructor().newInstance();
            String outer = (String) request.get("outer");
            Class<?> around = outer == null ? null : Class.forName(outer, false, loader);
            Object[] asks = {at, names, methods, around};
            began = System.nanoTime();
            Map<String, Object> said;
            try {
                said = runner.apply(asks);
            } finally {
                ended = System.nanoTime();
            }
            told.put("n", ((Number) said.get("n")).longValue());
            if (!asked.isEmpty()) {
                told.put("each", said.get("each"));
            }
            if (said.get("skipped") != null) {
                told.put("skipped", Worker.cut(String.valueOf(said.get("skipped")), 4000));
            }
            return (Throwable) said.get("failure");
        }

        private Method find(Class<?> host, String name, Class<?> declaring) {
            Method found = null;
            for (Method it : declaring.getDeclaredMethods()) {
                boolean is = it.getName().equals(name) && !it.isSynthetic();
                // The one that is a test, where there are more.
                boolean isBetter = found == null
                        || found.getAnnotations().length < it.getAnnotations().length;
                if (is && isBetter) {
                    found = it;
                }
            }
            return found;
        }

        private void tell(Throwable thrown) {
            Object n = told.get("n");
            if (thrown != null) {
                told.put("status", "failing");
                isMemory = Trouble.isMemory(thrown);
                told.put("isAssertion", Trouble.isAssertion(thrown));
                told.put("isNoClass", Trouble.isNoClass(thrown));
                told.put("why", Trouble.told(thrown, (String) request.get("topLevel")));
            } else if (n == null || (Long) n <= 0) {
                told.put("status", "not_executed");
            } else {
                told.put("status", "passing");
            }
        }
    }

    Map<String, Object> run(Map<?, ?> request) throws Exception {
        if (Boolean.TRUE.equals(request.get("isTwice"))) {
            run(request, true);
        }
        return run(request, false);
    }

    private Map<String, Object> run(Map<?, ?> request, boolean keepsFiles) throws Exception {
        long asked = System.nanoTime();
        if (!Boolean.TRUE.equals(request.get("isAlone"))) {
            project.watch();
        }
        ThreadGroup group = new ThreadGroup("main");
        Traces before = new Traces(isWalled);
        Map<?, ?> focal = (Map<?, ?>) request.get("focal");
        if (focal != null) {
            find(focal);
        }
        Run run = new Run(request);
        if (run.faults != null && !run.faults.prepare(project, run.loader)) {
            return ended(request, "not_viable", 0);
        }
        Thread thread = new Thread(group, run, "main");
        thread.setContextClassLoader(run.loader);
        Object guard = System.getSecurityManager();
        long start = System.nanoTime();
        thread.start();
        boolean isInTime = true;
        while (thread.isAlive() && isInTime) {
            try {
                if (run.faults == null) {
                    thread.join();
                } else {
                    isInTime = run.faults.isInTime(thread, start);
                }
            } catch (InterruptedException e) {
                // A candidate cannot end the wait for it.
                Thread.interrupted();
            }
        }
        long over = System.nanoTime();
        long ms = (over - start) / 1000000;
        if (!isInTime) {
            // Nobody ends its thread but the end of this JVM, which waits for our answer.
            answering.tryAcquire();
            Map<String, Object> late = ended(request, "timed_out", ms);
            late.put("isRetired", true);
            return late;
        }
        boolean isGuarded = System.getSecurityManager() != guard;
        boolean isRestored = isRestored(keepsFiles);
        Map<String, Object> answer = new LinkedHashMap<String, Object>();
        answer.put("kind", "done");
        answer.put("id", request.get("id"));
        answer.put("ms", ms);
        answer.putAll(run.told);
        // There is one of each for all of the JVM.
        boolean isOpen = FileDescriptor.in.valid()
                && FileDescriptor.out.valid()
                && FileDescriptor.err.valid();
        boolean isRetired =
                run.isMemory
                        || isGuarded
                        || !run.isDone
                        || !isOpen
                        || !isRestored
                        || before.areLeft();
        long counting = System.nanoTime();
        if (run.data != null) {
            int[] counts = (int[]) run.counts.get(null);
            answer.put("isRefused", run.refused.get(null));
            isRetired = isRetired || project.methods.isLasting(counts);
            try {
                covered(run, request, answer);
            } catch (SecurityException | LinkageError e) {
                // It forbids to read what is needed to count: that much is not known then.
                isRetired = true;
            }
        }
        // A test that did not begin has been loaded all the time.
        boolean hasBegun = run.began != run.ended;
        List<Object> steps = new ArrayList<Object>();
        steps.add((hasBegun ? run.began : over) - asked);
        steps.add(run.ended - run.began);
        steps.add(System.nanoTime() - counting);
        answer.put("steps", steps);
        answer.put("isMemory", run.isMemory);
        answer.put("isGuarded", isGuarded);
        answer.put("isRetired", isRetired || nRenewed >= RENEWED_MAX || isFull());
        return answer;
    }

    private static Map<String, Object> ended(Map<?, ?> request, String status, long ms) {
        Map<String, Object> answer = new LinkedHashMap<String, Object>();
        answer.put("kind", "done");
        answer.put("id", request.get("id"));
        answer.put("ms", ms);
        answer.put("status", status);
        return answer;
    }

    /** Puts back what the candidate has changed; who forbids that has this JVM to itself. */
    private boolean isRestored(boolean keepsFiles) {
        try {
            world.restore(keepsFiles);
            return true;
        } catch (RuntimeException e) {
            return false;
        } catch (Error e) {
            return false;
        }
    }

    @SuppressWarnings("unchecked")
    private void covered(Run run, Map<?, ?> request, Map<String, Object> answer) throws Exception {
        Map<String, Object[]> data =
                (Map<String, Object[]>) run.data.get(null);
        int[] counts = (int[]) run.counts.get(null);
        if (run.faults != null) {
            run.faults.tell((boolean[]) run.blocks.get(null), answer);
            return;
        }
        Map<String, String> covered = new TreeMap<String, String>();
        for (Map.Entry<String, Object[]> entry : data.entrySet()) {
            boolean[] probes = (boolean[]) entry.getValue()[1];
            if (Coverage.isAny(probes)) {
                covered.put(entry.getKey().replace('/', '.'), Coverage.hex(probes));
            }
        }
        answer.put("covered", covered);
        Map<?, ?> focal = (Map<?, ?>) request.get("focal");
        Methods.Found found = focal == null ? null : find(focal);
        if (found != null && found.isAbstract) {
            answer.put("overrides", Called.overrides(project.methods, found, counts, run.loader));
        }
        if (found != null) {
            answer.put("isCalled", Called.is(project.methods, found, counts, run.loader));
            if (!found.isAbstract) {
                Object[] of = data.get(found.owner.replace('.', '/'));
                boolean[] probes = of == null ? null : ((boolean[]) of[1]).clone();
                answer.put("focal", Coverage.of(project.raw(found.owner), probes, found));
            }
        }
        List<int[]> order = (List<int[]>) run.order.get(null);
        if (order != null) {
            answer.put("entered", entered(order, counts));
        }
    }

    private List<Object> entered(List<int[]> order, int[] counts) {
        List<Object> entered = new ArrayList<Object>();
        Set<Integer> seen = new HashSet<Integer>();
        for (int[] it : order.toArray(new int[0][])) {
            Methods.Hooked method = project.methods.get(it[0]);
            if (method.isMain && seen.add(it[0])) {
                List<Object> row = new ArrayList<Object>();
                row.add(method.owner);
                row.add(method.name);
                row.add(method.desc);
                row.add((long) it[1]);
                row.add((long) counts[it[0]]);
                entered.add(row);
            }
        }
        return entered;
    }

    private Methods.Found find(Map<?, ?> focal) throws IOException {
        String owner = (String) focal.get("class");
        List<String> parameters = Worker.strings(focal.get("parameters"));
        String key = owner + " " + focal.get("name") + parameters + focal.get("line");
        if (!focals.containsKey(key)) {
            byte[] bytes = project.raw(owner);
            focals.put(key, bytes == null ? null : Coverage.find(bytes, focal));
        }
        return focals.get(key);
    }

    /** Whether what candidates have left behind fills the heap. */
    private static boolean isFull() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 2; i++) {
            long used = runtime.totalMemory() - runtime.freeMemory();
            if (used < runtime.maxMemory() / 2) {
                return false;
            }
            if (i == 0) {
                System.gc();
            }
        }
        return true;
    }
}
