package focalist;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Manifest;

/** Who defines what: libraries once, the project's own classes anew for each candidate. */
final class Loaders {
    private Loaders() {}

    private static boolean isClass(String name) {
        return name.endsWith(".class");
    }

    private static Enumeration<URL> together(List<URL> first, Enumeration<URL> second) {
        Set<String> seen = new HashSet<String>();
        List<URL> all = new ArrayList<URL>();
        List<URL> both = new ArrayList<URL>(first);
        both.addAll(Collections.list(second));
        for (URL url : both) {
            if (seen.add(url.toString())) {
                all.add(url);
            }
        }
        return Collections.enumeration(all);
    }

    /** The jars. Files of the project are found by it, its classes never. */
    static final class Libraries extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        private final Project project;

        Libraries(URL[] urls, ClassLoader parent, Project project) {
            super(urls, parent);
            this.project = project;
        }

        /** A class with static fields that can change says when it has been initialised. */
        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try {
                if (name.equals(project.begins)) {
                    byte[] bytes = project.begins();
                    return defineClass(name, bytes, 0, bytes.length);
                }
                URL url = project.isWatching ? super.findResource(name.replace('.', '/') + ".class") : null;
                if (url == null || !url.getProtocol().equals("jar")) {
                    return super.findClass(name);
                }
                JarURLConnection from = (JarURLConnection) url.openConnection();
                byte[] bytes;
                try (InputStream in = from.getInputStream()) {
                    bytes = project.statics.watched(name, Project.read(in));
                }
                return bytes == null ? super.findClass(name) : define(name, bytes, from);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        private Class<?> define(String name, byte[] bytes, JarURLConnection from) throws IOException {
            int dot = name.lastIndexOf('.');
            String of = dot < 0 ? "" : name.substring(0, dot);
            Manifest manifest = from.getManifest();
            if (!of.isEmpty() && getPackage(of) == null) {
                try {
                    definePackage(of, manifest == null ? new Manifest() : manifest, from.getJarFileURL());
                } catch (IllegalArgumentException e) {
                    // Another thread was faster, and made the same.
                    manifest = null;
                }
            }
            CodeSource source = new CodeSource(from.getJarFileURL(), from.getCertificates());
            return defineClass(name, bytes, 0, bytes.length, source);
        }

        @Override
        public URL findResource(String name) {
            URL found = super.findResource(name);
            if (found == null && !isClass(name)) {
                List<URL> all = project.resources(name);
                return all.isEmpty() ? null : all.get(0);
            }
            return found;
        }

        @Override
        public Enumeration<URL> findResources(String name) throws IOException {
            Enumeration<URL> found = super.findResources(name);
            return isClass(name) ? found : together(project.resources(name), found);
        }
    }

    /** The project's classes as one candidate has them. */
    static final class Candidate extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        private final Project project;
        private final Project.Round round;
        private final Parts.Part part;
        private final Map<File, ProtectionDomain> domains =
                Collections.synchronizedMap(new HashMap<File, ProtectionDomain>());

        /** Classes that are others than the project's, before anything runs. */
        private final Map<String, byte[]> replaced = new HashMap<String, byte[]>();

        /** Of the candidates that stand in {@code declaring}, only {@code placed} is there; none where that is null. */
        Candidate(Project project, Project.Round round, String declaring, String placed) {
            super(project.isFlat ? project.urls() : new URL[0], project.libraries);
            this.project = project;
            this.round = round;
            this.part = round.parts.find(declaring, placed);
        }

        /** Has a class of the project be another one. */
        void replace(String name, byte[] bytes) {
            replaced.put(name, bytes);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean isOurs = name.equals(project.probes)
                    || round.has(name)
                    || project.origin(name) != null;
            if (!isOurs) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> is = findLoadedClass(name);
                if (is == null) {
                    is = define(name);
                }
                if (resolve) {
                    resolveClass(is);
                }
                return is;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] bytes;
            File folder = project.testFolder;
            try {
                if (name.equals(project.probes)) {
                    bytes = project.probes();
                } else if (round.has(name)) {
                    bytes = round.parts.of(name, round.bytes(name), part);
                } else {
                    byte[] other = replaced.get(name);
                    bytes = other == null ? project.bytes(name) : other;
                    folder = project.origin(name).folder;
                }
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
            definePackageOf(name);
            return defineClass(name, bytes, 0, bytes.length, domain(folder));
        }

        private void definePackageOf(String name) {
            int dot = name.lastIndexOf('.');
            String of = dot < 0 ? "" : name.substring(0, dot);
            if (!of.isEmpty() && getPackage(of) == null) {
                try {
                    definePackage(of, null, null, null, null, null, null, null);
                } catch (IllegalArgumentException e) {
                    // Another thread was faster.
                    return;
                }
            }
        }

        private ProtectionDomain domain(File folder) {
            ProtectionDomain domain = domains.get(folder);
            if (domain == null) {
                try {
                    Certificate[] none = null;
                    CodeSource source = new CodeSource(folder.toURI().toURL(), none);
                    domain = new ProtectionDomain(source, null, this, null);
                } catch (IOException e) {
                    return null;
                }
                domains.put(folder, domain);
            }
            return domain;
        }

        @Override
        public URL getResource(String name) {
            List<URL> found = own(name);
            return found.isEmpty() ? super.getResource(name) : found.get(0);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return together(own(name), super.getResources(name));
        }

        private List<URL> own(String name) {
            List<URL> found = new ArrayList<URL>();
            File anew = new File(round.folder, name);
            if (isClass(name) && anew.isFile()) {
                try {
                    found.add(anew.toURI().toURL());
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
            found.addAll(project.resources(name));
            return found;
        }
    }
}
