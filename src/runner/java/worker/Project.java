package focalist;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.IExecutionDataAccessorGenerator;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The classes of a module and of those beside it: where they lie, and their bytes with probes and hooks. */
final class Project {
    /** A class file of the project. */
    static final class Origin {
        final File folder;
        final File file;
        final boolean isMain;

        Origin(File folder, File file, boolean isMain) {
            this.folder = folder;
            this.file = file;
            this.isMain = isMain;
        }
    }

    /** What candidates have in place of {@link Probes}: nobody finds it by its name. */
    final String probes = anyName();
    /** What libraries have in place of {@link Begins}. */
    final String begins = anyName();
    final Statics statics = new Statics(begins);
    /** Whether others come that must not see what libraries keep. */
    volatile boolean isWatching;
    final Methods methods = new Methods(probes.replace('.', '/'));
    /** In the order of the class path. */
    final List<File> folders = new ArrayList<File>();
    final List<URL> jars = new ArrayList<URL>();
    /** Where classes that were compiled anew claim to lie. */
    final File testFolder;
    final boolean isFlat;
    volatile ClassLoader libraries;
    private final ClassLoader platform;
    private final Map<String, Origin> classes = new HashMap<String, Origin>();
    private final Map<String, byte[]> ready = new ConcurrentHashMap<String, byte[]>();
    private final Map<File, Round> rounds = new HashMap<File, Round>();
    private final Instrumenter instrumenter = new Instrumenter(new Access());

    /** The classes of one scaffold. */
    final class Round {
        final File folder;
        private final Map<String, File> files = new HashMap<String, File>();
        private final Map<String, byte[]> hooked = new ConcurrentHashMap<String, byte[]>();
        final Parts parts;

        Round(File folder) throws IOException {
            this.folder = folder;
            index(folder, "", new Each() {
                @Override
                public void is(String name, File file) {
                    files.put(name, file);
                }
            });
            parts = new Parts(new File(folder, "CANDIDATES"));
        }

        boolean has(String name) {
            return files.containsKey(name);
        }

        byte[] bytes(String name) throws IOException {
            byte[] bytes = hooked.get(name);
            if (bytes == null) {
                bytes = hooked(name, read(files.get(name)), false);
                hooked.put(name, bytes);
            }
            return bytes;
        }
    }

    /** Lets JaCoCo's probes be those of the candidate's own loader. */
    private final class Access implements IExecutionDataAccessorGenerator {
        @Override
        public int generateDataAccessor(long id, String name, int n, MethodVisitor out) {
            out.visitLdcInsn(id);
            out.visitLdcInsn(name);
            out.visitLdcInsn(n);
            out.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    probes.replace('.', '/'),
                    "get",
                    "(JLjava/lang/String;I)[Z",
                    false);
            return 4;
        }
    }

    private interface Each {
        void is(String name, File file);
    }

    Project(Map<?, ?> config) throws IOException {
        final Set<String> main = new HashSet<String>(Worker.strings(config.get("main")));
        for (String path : Worker.strings(config.get("classPath"))) {
            final File file = new File(path);
            if (!file.isDirectory()) {
                jars.add(file.toURI().toURL());
                continue;
            }
            folders.add(file);
            final boolean isMain = main.contains(path);
            index(file, "", new Each() {
                @Override
                public void is(String name, File found) {
                    if (!classes.containsKey(name)) {
                        classes.put(name, new Origin(file, found, isMain));
                    }
                }
            });
        }
        for (String path : Worker.strings(config.get("runners"))) {
            jars.add(new File(path).toURI().toURL());
        }
        testFolder = new File((String) config.get("testFolder"));
        isFlat = Boolean.TRUE.equals(config.get("isFlat"));
        platform = platform();
        renew();
    }

    /** Loads libraries anew from now on. */
    void renew() throws IOException {
        ClassLoader anew = isFlat ? platform : new Loaders.Libraries(urls(), platform, this);
        statics.renew(anew);
        libraries = anew;
    }

    /** Has libraries say what has been initialised. */
    void watch() throws ReflectiveOperationException {
        isWatching = !isFlat;
        if (isWatching) {
            final ClassLoader by = libraries;
            Consumer<String> to = name -> statics.initialised(by, name);
            by.loadClass(begins).getField("told").set(null, to);
        }
    }

    /** Returns a name as long as that of {@link Probes}, of two thousand millions. */
    private static String anyName() {
        Random random = new Random(System.nanoTime() ^ new Object().hashCode());
        StringBuilder name = new StringBuilder("focalist.");
        while (name.length() < Probes.class.getName().length()) {
            name.append(Character.forDigit(10 + random.nextInt(26), 36));
        }
        return name.toString();
    }

    /** Returns {@link Probes} under its other name. */
    byte[] probes() throws IOException {
        return renamed(Probes.class, probes);
    }

    /** Returns {@link Begins} under its other name. */
    byte[] begins() throws IOException {
        return renamed(Begins.class, begins);
    }

    private static byte[] renamed(Class<?> of, String name) throws IOException {
        try (InputStream in = Project.class.getResourceAsStream(of.getSimpleName() + ".class")) {
            String bytes = new String(read(in), StandardCharsets.ISO_8859_1);
            String is = of.getName().replace('.', '/');
            return bytes.replace(is, name.replace('.', '/')).getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    URL[] urls() {
        return jars.toArray(new URL[0]);
    }

    private static ClassLoader platform() {
        try {
            return (ClassLoader) ClassLoader.class.getMethod("getPlatformClassLoader").invoke(null);
        } catch (ReflectiveOperationException e) {
            // Java 8 has the one for extensions.
            return ClassLoader.getSystemClassLoader().getParent();
        }
    }

    private static void index(File folder, String before, Each each) {
        File[] files = folder.listFiles();
        if (files == null) {
            return;
        }
        for (File file : files) {
            String name = file.getName();
            if (file.isDirectory()) {
                index(file, before + name + ".", each);
            } else if (name.endsWith(".class")) {
                each.is(before + name.substring(0, name.length() - 6), file);
            }
        }
    }

    Origin origin(String name) {
        return classes.get(name);
    }

    boolean isMain(String name) {
        Origin origin = classes.get(name);
        return origin != null && origin.isMain;
    }

    synchronized Round round(String folder) throws IOException {
        File file = new File(folder);
        Round round = rounds.get(file);
        if (round == null) {
            round = new Round(file);
            rounds.put(file, round);
        }
        return round;
    }

    byte[] bytes(String name) throws IOException {
        byte[] bytes = ready.get(name);
        if (bytes == null) {
            Origin origin = classes.get(name);
            bytes = read(origin.file);
            if (origin.isMain) {
                try {
                    bytes = instrumenter.instrument(bytes, name);
                } catch (IOException e) {
                    // Too large with probes, or of an unknown version: it runs, and is not measured.
                    bytes = read(origin.file);
                }
            }
            bytes = hooked(name, bytes, origin.isMain);
            ready.put(name, bytes);
        }
        return bytes;
    }

    byte[] hooked(String name, byte[] bytes, boolean isMain) {
        try {
            return methods.hook(name, bytes, isMain);
        } catch (RuntimeException e) {
            // Too large, or nothing that can be read: it is as it is.
            return bytes;
        }
    }

    byte[] raw(String name) throws IOException {
        Origin origin = classes.get(name);
        return origin == null ? null : read(origin.file);
    }

    /** Finds a file that is no class in the project's folders. */
    List<URL> resources(String name) {
        List<URL> found = new ArrayList<URL>();
        for (File folder : folders) {
            File file = new File(folder, name);
            if (file.exists()) {
                try {
                    found.add(file.toURI().toURL());
                } catch (MalformedURLException e) {
                    continue;
                }
            }
        }
        return found;
    }

    static byte[] read(File file) throws IOException {
        byte[] bytes = new byte[(int) file.length()];
        try (DataInputStream in = new DataInputStream(new FileInputStream(file))) {
            in.readFully(bytes);
        }
        return bytes;
    }

    static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[4096];
        for (int n = in.read(part); n >= 0; n = in.read(part)) {
            out.write(part, 0, n);
        }
        return out.toByteArray();
    }
}
