package focalist;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pitest.bytecode.analysis.ClassTree;
import org.pitest.classinfo.ClassHash;
import org.pitest.classinfo.ClassName;
import org.pitest.classpath.ClassPath;
import org.pitest.classpath.CodeSource;

/** The byte code of a module, of what it uses, and of the JDK, as PIT asks for it. None of it is loaded. */
final class Code implements CodeSource {
    private final URLClassLoader all;
    /** Class files of main code by the names of their classes. */
    private final Map<String, Path> main = new TreeMap<>();
    private final Map<String, Optional<byte[]>> known = new HashMap<>();

    Code(List<String> classPath, List<String> main) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String it : classPath) {
            urls.add(new File(it).toURI().toURL());
        }
        all = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        for (String it : main) {
            Path folder = Paths.get(it);
            if (!Files.isDirectory(folder)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(folder)) {
                files.filter(file -> file.toString().endsWith(".class")).forEach(file -> {
                    String name = folder.relativize(file).toString().replace('/', '.');
                    this.main.putIfAbsent(name.substring(0, name.length() - ".class".length()), file);
                });
            }
        }
    }

    @Override
    public Optional<byte[]> getBytes(String name) {
        return known.computeIfAbsent(name.replace('/', '.'), this::read);
    }

    boolean isMain(String name) {
        return main.containsKey(name.replace('/', '.'));
    }

    /** Hands over the bytes of each class of main code, one after the other. */
    void eachMain(Consumer<byte[]> to) {
        main.keySet().forEach(name -> read(name).ifPresent(to));
    }

    private Optional<byte[]> read(String name) {
        try {
            if (main.containsKey(name)) {
                return Optional.of(Files.readAllBytes(main.get(name)));
            }
            // Only the bytes: a loader that is asked for a resource defines no class.
            try (InputStream in = all.getResourceAsStream(name.replace('.', '/') + ".class")) {
                return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Stream<ClassTree> codeTrees() {
        return main.keySet().stream().flatMap(name -> {
            try {
                return Stream.of(ClassTree.fromBytes(read(name).orElseThrow()));
            } catch (RuntimeException e) {
                // What cannot be read has no mutants, and says nothing about others.
                return Stream.empty();
            }
        });
    }

    @Override
    public Set<ClassName> getCodeUnderTestNames() {
        return main.keySet().stream().map(ClassName::fromString).collect(Collectors.toSet());
    }

    @Override
    public Optional<byte[]> fetchClassBytes(ClassName name) {
        return getBytes(name.asJavaName());
    }

    @Override
    public Set<ClassName> getTestClassNames() {
        return Collections.emptySet();
    }

    @Override
    public Stream<ClassTree> testTrees() {
        return Stream.empty();
    }

    @Override
    public ClassPath getClassPath() {
        return new ClassPath(Collections.<File>emptyList());
    }

    @Override
    public Optional<ClassName> findTestee(String test) {
        return Optional.empty();
    }

    @Override
    public Optional<ClassHash> fetchClassHash(ClassName name) {
        return Optional.empty();
    }

    @Override
    public Collection<ClassHash> fetchClassHashes(Collection<ClassName> names) {
        return Collections.emptyList();
    }
}
