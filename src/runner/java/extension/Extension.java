package focalist;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.inject.Inject;
import javax.inject.Named;
import javax.inject.Singleton;

import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.RepositoryUtils;
import org.apache.maven.execution.ExecutionEvent;
import org.apache.maven.execution.ExecutionListener;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.lifecycle.LifeCyclePluginAnalyzer;
import org.apache.maven.model.Build;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.PluginParameterExpressionEvaluator;
import org.apache.maven.plugin.descriptor.MojoDescriptor;
import org.apache.maven.plugin.descriptor.PluginDescriptor;
import org.apache.maven.plugin.version.PluginVersionResolver;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.repository.LocalRepository;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.resolution.DependencyRequest;

/**
 * What stands between a project's build and the tests that are to be run in it is taken out of its models, in memory, and
 * what Maven knows of each module is written down, one JSON object a line.
 *
 * <p>Nothing is decided here that can be decided outside: which plugins stay, and the least version of the language, are
 * properties of the session. It runs in the project's own Maven, so it uses only what every Maven 3 has.
 */
@Named("focalist")
@Singleton
public class Extension extends AbstractMavenLifecycleParticipant {
    static final String COMPILER = "org.apache.maven.plugins:maven-compiler-plugin";
    static final String SUREFIRE = "org.apache.maven.plugins:maven-surefire-plugin";
    private static final List<String> LEVELS =
            Arrays.asList("source", "target", "release", "testSource", "testTarget", "testRelease");
    private static final String JUNIT = "4.13.2";
    private static final Pattern OLD_JUNIT = Pattern.compile("([1-3]|4\\.([0-9]|1[01]))(?![0-9])");
    private static final Pattern LATE = Pattern.compile("@\\{([^}]+)\\}");

    private final RepositorySystem repositories;
    private final PluginVersionResolver versions;
    private final LifeCyclePluginAnalyzer lifecycles;
    private Writer out;

    @Inject
    public Extension(
            RepositorySystem repositories, PluginVersionResolver versions, LifeCyclePluginAnalyzer lifecycles) {
        this.repositories = repositories;
        this.versions = versions;
        this.lifecycles = lifecycles;
    }

    @Override
    public void afterSessionStart(MavenSession session) {
        Properties asked = session.getUserProperties();
        String path = asked.getProperty("focalist.out");
        if (path == null) {
            return;
        }
        try {
            out = new OutputStreamWriter(new FileOutputStream(path, true), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
        DefaultRepositorySystemSession world = (DefaultRepositorySystemSession) session.getRepositorySession();
        String lower = asked.getProperty("focalist.lower", "");
        if (!lower.isEmpty()) {
            LocalRepository place = new LocalRepository(new File(lower), "simple");
            world.setLocalRepositoryManager(new Layers(
                    this, world.getLocalRepositoryManager(), repositories.newLocalRepositoryManager(world, place)));
        }
        String fetch = asked.getProperty("focalist.fetch");
        if (fetch != null) {
            // Extensions that a pom names would be loaded, and run, while it is read.
            session.getRequest().getProjectBuildingRequest().setProcessPlugins(false);
        }
        String from = asked.getProperty("focalist.from");
        if (from != null) {
            Headers.keep(session.getRequest(), world);
        }
        if ("settings".equals(from)) {
            List<RemoteRepository> own =
                    RepositoryUtils.toRepos(session.getRequest().getRemoteRepositories());
            world.setMirrorSelector(new OnlyOwn(own, world.getMirrorSelector()));
        } else if ("poms".equals(from)) {
            world.setMirrorSelector(new Strangers(session.getRequest(), world.getMirrorSelector()));
        }
    }

    @Override
    public void afterProjectsRead(MavenSession session) throws MavenExecutionException {
        Properties asked = session.getUserProperties();
        if (out == null) {
            return;
        }
        if (asked.getProperty("focalist.resolve") != null) {
            resolve(session, asked.getProperty("focalist.resolve"));
        } else if (asked.getProperty("focalist.fetch") != null) {
            new Fetch(this, session, repositories, versions, lifecycles).all();
        }
        if (asked.getProperty("focalist.fetch") != null) {
            // No goal of the project's is to run.
            throw new MavenExecutionException("everything was downloaded", session.getRequest().getPom());
        }
        if (asked.getProperty("focalist.resolve") != null) {
            return;
        }
        for (MavenProject project : session.getProjects()) {
            Map<String, Object> line = event("project", project);
            line.put("packaging", project.getPackaging());
            say(line);
            edit(project, asked);
            if (asked.getProperty("focalist.tests") != null) {
                tests(project, asked);
            }
        }
        ExecutionListener before = session.getRequest().getExecutionListener();
        session.getRequest().setExecutionListener((ExecutionListener) Proxy.newProxyInstance(
                ExecutionListener.class.getClassLoader(), new Class<?>[] {ExecutionListener.class}, new Listener(before)));
    }

    /**
     * Gives the plugin that runs tests an execution for each line of a file, in one module; the others run none. A line has,
     * separated by tabs: id, tests, folder of reports, what stands before the arguments of the JVM, and seconds.
     */
    private void tests(MavenProject project, Properties asked) {
        if (!project.getBasedir().getPath().equals(asked.getProperty("focalist.module"))) {
            project.getProperties().setProperty("skipTests", "true");
            return;
        }
        Plugin surefire = project.getPlugin(SUREFIRE);
        if (surefire == null) {
            return;
        }
        List<String> lines;
        try {
            lines = Files.readAllLines(Paths.get(asked.getProperty("focalist.tests")), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
        for (String line : lines) {
            String[] fields = line.split("\t", -1);
            Xpp3Dom found = configuration(surefire);
            Xpp3Dom configuration = found == null ? new Xpp3Dom("configuration") : new Xpp3Dom(found);
            Xpp3Dom argLine = configuration.getChild("argLine");
            String arguments = argLine == null ? "${argLine}" : argLine.getValue();
            set(configuration, "argLine", (fields[3] + " " + arguments).trim());
            set(configuration, "test", fields[1]);
            set(configuration, "reportsDirectory", fields[2]);
            set(configuration, "forkedProcessTimeoutInSeconds", fields[4]);
            set(configuration, "testFailureIgnore", "true");
            set(configuration, "failIfNoTests", "false");
            set(configuration, "failIfNoSpecifiedTests", "false");
            set(configuration, "trimStackTrace", "false");
            set(configuration, "skip", "false");
            set(configuration, "skipTests", "false");
            set(configuration, "skipExec", "false");
            // Where a pom has no fork, agent and arguments are lost.
            set(configuration, "forkCount", "1");
            set(configuration, "reuseForks", "true");
            for (String it : Arrays.asList("forkMode", "suiteXmlFiles", "rerunFailingTestsCount", "skipAfterFailureCount")) {
                Xpp3Dom child = configuration.getChild(it);
                if (child != null) {
                    remove(configuration, child);
                }
            }
            PluginExecution execution = new PluginExecution();
            execution.setId(fields[0]);
            execution.addGoal("test");
            execution.setConfiguration(configuration);
            surefire.addExecution(execution);
        }
        surefire.flushExecutionMap();
    }

    private static void set(Xpp3Dom configuration, String name, String value) {
        Xpp3Dom child = configuration.getChild(name);
        if (child == null) {
            child = new Xpp3Dom(name);
            configuration.addChild(child);
        }
        child.setValue(value);
    }

    private static void remove(Xpp3Dom parent, Xpp3Dom child) {
        for (int at = 0; at < parent.getChildCount(); at++) {
            if (parent.getChild(at) == child) {
                parent.removeChild(at);
                return;
            }
        }
    }

    /** Resolves each of some coordinates with all that it needs, and says where the jars lie. */
    private void resolve(MavenSession session, String coordinates) {
        Map<String, RemoteRepository> all = new LinkedHashMap<>();
        for (MavenProject project : session.getProjects()) {
            for (RemoteRepository it : project.getRemoteProjectRepositories()) {
                all.put(it.getId() + " " + it.getUrl(), it);
            }
        }
        List<RemoteRepository> remote = new ArrayList<>(all.values());
        for (String it : coordinates.split(",")) {
            Map<String, Object> line = line("resolved");
            line.put("coordinates", it);
            try {
                line.put("paths", resolve(session, it, remote));
            } catch (Exception error) {
                line.put("message", String.valueOf(error.getMessage()));
            }
            say(line);
        }
    }

    List<String> resolve(MavenSession session, String coordinates, List<RemoteRepository> remote)
            throws Exception {
        CollectRequest collect = new CollectRequest(
                new org.eclipse.aether.graph.Dependency(new DefaultArtifact(coordinates), "runtime"), remote);
        List<String> paths = new ArrayList<>();
        DependencyRequest request = new DependencyRequest(collect, null);
        for (ArtifactResult it : repositories
                .resolveDependencies(session.getRepositorySession(), request)
                .getArtifactResults()) {
            paths.add(it.getArtifact().getFile().getPath());
        }
        return paths;
    }

    void edit(MavenProject project, Properties asked) {
        new Edit(project, asked).edit();
    }

    /** Takes out of one module what is in the way. */
    private final class Edit {
        private final MavenProject project;
        private final Properties asked;
        private final Set<String> dropped;
        private final int floor;

        Edit(MavenProject project, Properties asked) {
            this.project = project;
            this.asked = asked;
            this.dropped = words(asked.getProperty("focalist.drop"));
            this.floor = Integer.parseInt(asked.getProperty("focalist.floor", "0"));
        }

        void edit() {
            Build build = project.getBuild();
            for (Plugin plugin : new ArrayList<>(build.getPlugins())) {
                if (dropped.contains(plugin.getKey())) {
                    build.removePlugin(plugin);
                    say("dropped", plugin.getKey());
                } else if (plugin.getKey().equals(COMPILER)) {
                    compiler(plugin);
                    more(plugin);
                } else {
                    goals(plugin);
                }
            }
            build.flushPluginMap();
            levels();
            junit();
            // Who would have set it may be gone, and surefire leaves `@{argLine}` as it is where nobody has.
            if (project.getProperties().getProperty("argLine") == null) {
                project.getProperties().setProperty("argLine", "");
            }
        }

        /** Raises a JUnit that runners do not know any more; what is written for it compiles with the later one. */
        private void junit() {
            for (Dependency it : project.getDependencies()) {
                boolean isJUnit = it.getGroupId().equals("junit") && it.getArtifactId().equals("junit");
                if (isJUnit && it.getVersion() != null && OLD_JUNIT.matcher(it.getVersion()).lookingAt()) {
                    say("raised", "junit:junit from " + it.getVersion() + " to " + JUNIT);
                    it.setVersion(JUNIT);
                }
            }
        }

        /** Drops single goals: `group:artifact:goal`. */
        private void goals(Plugin plugin) {
            for (PluginExecution execution : new ArrayList<>(plugin.getExecutions())) {
                for (String goal : new ArrayList<>(execution.getGoals())) {
                    if (dropped.contains(plugin.getKey() + ":" + goal)) {
                        execution.removeGoal(goal);
                        say("dropped", plugin.getKey() + ":" + goal);
                    }
                }
            }
        }

        private void levels() {
            Properties properties = project.getProperties();
            for (String name : LEVELS) {
                String key = "maven.compiler." + name;
                String value = properties.getProperty(key);
                String raised = value == null ? null : raised(value);
                if (raised != null) {
                    properties.setProperty(key, raised);
                    say("raised", key + " from " + value + " to " + raised);
                }
            }
            // Plugins before 3.6 do not know `release`, and what they take where nobody says anything is too low.
            String release = properties.getProperty("maven.compiler.release");
            String otherwise = release != null ? release.trim() : floor < 9 ? "1." + floor : String.valueOf(floor);
            for (String name : Arrays.asList("source", "target")) {
                String key = "maven.compiler." + name;
                if (properties.getProperty(key) == null && floor > 0) {
                    properties.setProperty(key, otherwise);
                }
            }
        }

        private String raised(String value) {
            String number = value.trim();
            number = number.startsWith("1.") ? number.substring(2) : number;
            try {
                return Integer.parseInt(number) < floor ? String.valueOf(floor) : null;
            } catch (NumberFormatException error) {
                return null;
            }
        }

        private void compiler(Plugin plugin) {
            // Error Prone brings a javac of its own, which does not know the JDK that runs it.
            plugin.getDependencies().removeIf(it -> it.getGroupId().equals("com.google.errorprone")
                    || it.getArtifactId().equals("plexus-compiler-javac-errorprone"));
            compiler((Xpp3Dom) plugin.getConfiguration());
            for (PluginExecution execution : plugin.getExecutions()) {
                compiler((Xpp3Dom) execution.getConfiguration());
            }
        }

        /** Adds arguments, where errors are what is asked for: all of them, not the first hundred. */
        private void more(Plugin plugin) {
            String arguments = asked.getProperty("focalist.javac");
            if (arguments == null) {
                return;
            }
            for (PluginExecution execution : plugin.getExecutions()) {
                Xpp3Dom configuration = (Xpp3Dom) execution.getConfiguration();
                if (configuration == null) {
                    configuration = new Xpp3Dom("configuration");
                    execution.setConfiguration(configuration);
                }
                Xpp3Dom list = configuration.getChild("compilerArgs");
                if (list == null) {
                    list = new Xpp3Dom("compilerArgs");
                    configuration.addChild(list);
                }
                for (String it : arguments.split(",")) {
                    Xpp3Dom argument = new Xpp3Dom("arg");
                    argument.setValue(it);
                    list.addChild(argument);
                }
            }
        }

        private void compiler(Xpp3Dom configuration) {
            if (configuration == null) {
                return;
            }
            levels(configuration);
            for (String name : LEVELS) {
                Xpp3Dom it = configuration.getChild(name);
                String raised = it == null || it.getValue() == null ? null : raised(it.getValue());
                if (raised != null) {
                    say("raised", name + " from " + it.getValue() + " to " + raised);
                    it.setValue(raised);
                }
            }
            Xpp3Dom failing = configuration.getChild("failOnWarning");
            if (failing != null) {
                failing.setValue("false");
            }
            Xpp3Dom id = configuration.getChild("compilerId");
            if (id != null && "javac-with-errorprone".equals(id.getValue())) {
                say("dropped", "the compiler " + id.getValue());
                id.setValue("javac");
            }
            arguments(configuration);
            processors(configuration.getChild("annotationProcessorPaths"), configuration);
        }

        /** Says a release as source and target, too, for plugins before 3.6, which know only these; later ones skip them. */
        private void levels(Xpp3Dom configuration) {
            Xpp3Dom release = configuration.getChild("release");
            if (release == null || release.getValue() == null) {
                return;
            }
            for (String name : Arrays.asList("source", "target")) {
                if (configuration.getChild(name) == null) {
                    Xpp3Dom level = new Xpp3Dom(name);
                    level.setValue(release.getValue());
                    configuration.addChild(level);
                }
            }
        }

        private void arguments(Xpp3Dom configuration) {
            for (String name : Arrays.asList("compilerArgs", "compilerArguments", "testCompilerArguments")) {
                Xpp3Dom list = configuration.getChild(name);
                for (int at = list == null ? -1 : list.getChildCount() - 1; at >= 0; at--) {
                    Xpp3Dom it = list.getChild(at);
                    // In `compilerArguments` the names of elements are arguments.
                    String own = name.equals("compilerArgs") ? it.getValue() : "-" + it.getName();
                    if (isStrict(own)) {
                        say("dropped", "the argument " + own.trim());
                        list.removeChild(at);
                    }
                }
            }
            for (String name : Arrays.asList("compilerArgument", "testCompilerArgument")) {
                Xpp3Dom it = configuration.getChild(name);
                if (it != null && isStrict(it.getValue())) {
                    say("dropped", "the argument " + it.getValue().trim());
                    remove(configuration, it);
                }
            }
        }

        private boolean isStrict(String argument) {
            if (argument == null) {
                return false;
            }
            String it = argument.trim();
            return it.equals("-Werror")
                    || it.startsWith("-Xlint")
                    || it.startsWith("-Xdoclint")
                    || it.startsWith("-Xplugin:ErrorProne")
                    || it.startsWith("-Xep");
        }

        private void processors(Xpp3Dom paths, Xpp3Dom configuration) {
            for (int at = paths == null ? -1 : paths.getChildCount() - 1; at >= 0; at--) {
                Xpp3Dom group = paths.getChild(at).getChild("groupId");
                Xpp3Dom artifact = paths.getChild(at).getChild("artifactId");
                String name = (group == null ? "" : group.getValue()) + ":" + (artifact == null ? "" : artifact.getValue());
                if (name.startsWith("com.google.errorprone:") || name.startsWith("com.uber.nullaway:")) {
                    say("dropped", "the annotation processor " + name);
                    paths.removeChild(at);
                }
            }
            // An empty list would mean: none from the class path.
            if (paths != null && paths.getChildCount() == 0) {
                remove(configuration, paths);
            }
        }

        private void say(String what, String text) {
            Map<String, Object> line = event("edited", project);
            line.put("what", what);
            line.put("text", text);
            Extension.this.say(line);
        }
    }

    /** Passes all on to Maven's own listener, and writes down what becomes of modules. */
    private final class Listener implements InvocationHandler {
        private final ExecutionListener next;

        Listener(ExecutionListener next) {
            this.next = next;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                // Two of ours are never compared.
                return method.invoke(this, arguments);
            }
            hear(method.getName(), (ExecutionEvent) arguments[0]);
            try {
                return next == null ? null : method.invoke(next, arguments);
            } catch (InvocationTargetException error) {
                throw error.getCause();
            }
        }

        private void hear(String name, ExecutionEvent event) {
            try {
                switch (name) {
                    case "mojoSucceeded":
                        MojoExecution mojo = event.getMojoExecution();
                        if (key(mojo).equals(COMPILER) && mojo.getGoal().equals("testCompile")) {
                            module(event.getSession(), event.getProject(), mojo);
                        }
                        break;
                    case "projectFailed":
                    case "mojoFailed":
                        failed(event);
                        break;
                    case "projectSkipped":
                        say(event("skipped", event.getProject()));
                        break;
                    default:
                        break;
                }
            } catch (Exception error) {
                Map<String, Object> line = event("fault", event.getProject());
                line.put("message", String.valueOf(error));
                say(line);
            }
        }

        private void failed(ExecutionEvent event) {
            Map<String, Object> line = event("failed", event.getProject());
            MojoExecution mojo = event.getMojoExecution();
            String plugin = mojo == null ? null : key(mojo);
            StringBuilder message = new StringBuilder();
            Set<Throwable> seen = new HashSet<>();
            for (Throwable it = event.getException(); it != null && seen.add(it); it = it.getCause()) {
                plugin = plugin == null ? plugin(it) : plugin;
                String own = String.valueOf(it.getMessage());
                if (message.indexOf(own) < 0) {
                    message.append(message.length() == 0 ? "" : "\n").append(own);
                }
            }
            line.put("plugin", plugin);
            line.put("goal", mojo == null ? null : mojo.getGoal());
            line.put("message", message.toString());
            say(line);
        }

        /** Returns the plugin that something is thrown about: most of Maven's exceptions have one, and no common type. */
        private String plugin(Throwable thrown) {
            try {
                Object plugin = thrown.getClass().getMethod("getPlugin").invoke(thrown);
                return plugin instanceof Plugin ? ((Plugin) plugin).getKey() : null;
            } catch (ReflectiveOperationException error) {
                return descriptor(thrown);
            }
        }

        private String descriptor(Throwable thrown) {
            try {
                Object it = thrown.getClass().getMethod("getPluginDescriptor").invoke(thrown);
                PluginDescriptor plugin = (PluginDescriptor) it;
                return plugin == null ? null : plugin.getGroupId() + ":" + plugin.getArtifactId();
            } catch (ReflectiveOperationException | ClassCastException error) {
                return null;
            }
        }
    }

    private void module(MavenSession session, MavenProject project, MojoExecution mojo) throws Exception {
        Build build = project.getBuild();
        Map<String, Object> line = event("module", project);
        line.put("execution", mojo.getExecutionId());
        line.put("source_roots", project.getCompileSourceRoots());
        line.put("test_source_roots", project.getTestCompileSourceRoots());
        line.put("output", build.getOutputDirectory());
        line.put("test_output", build.getTestOutputDirectory());
        line.put("test_class_path", project.getTestClasspathElements());
        Evaluation compiler = new Evaluation(session, project, mojo);
        line.put("compiler", compiler.value(mojo.getConfiguration()));
        Plugin surefire = project.getPlugin(SUREFIRE);
        Map<String, Object> configuration = new LinkedHashMap<>();
        if (surefire != null) {
            Object value = new Evaluation(session, project, execution(surefire)).value(configuration(surefire));
            if (value instanceof Map) {
                for (Map.Entry<?, ?> it : ((Map<?, ?>) value).entrySet()) {
                    configuration.put((String) it.getKey(), it.getValue());
                }
            }
            line.put("surefire_version", surefire.getVersion());
            List<String> own = new ArrayList<>();
            for (Dependency it : surefire.getDependencies()) {
                own.add(it.getGroupId() + ":" + it.getArtifactId() + ":" + it.getVersion());
            }
            line.put("surefire_dependencies", own);
        }
        Object argLine = configuration.get("argLine");
        if (argLine == null) {
            argLine = project.getProperties().getProperty("argLine");
        }
        configuration.put("argLine", argLine == null ? null : late(project, argLine.toString()));
        line.put("surefire", configuration);
        say(line);
    }

    /** Returns what is configured for the tests that a build runs by itself. */
    private static Xpp3Dom configuration(Plugin surefire) {
        Xpp3Dom own = (Xpp3Dom) surefire.getConfiguration();
        PluginExecution execution = surefire.getExecutionsAsMap().get("default-test");
        Xpp3Dom first = execution == null ? null : (Xpp3Dom) execution.getConfiguration();
        if (first == null) {
            return own;
        }
        return Xpp3Dom.mergeXpp3Dom(new Xpp3Dom(first), own);
    }

    /** An execution that says of which plugin it is, and no more: expressions ask for it. */
    private static MojoExecution execution(Plugin plugin) {
        PluginDescriptor descriptor = new PluginDescriptor();
        descriptor.setGroupId(plugin.getGroupId());
        descriptor.setArtifactId(plugin.getArtifactId());
        descriptor.setVersion(plugin.getVersion());
        descriptor.setPlugin(plugin);
        MojoDescriptor mojo = new MojoDescriptor();
        mojo.setGoal("test");
        mojo.setPluginDescriptor(descriptor);
        return new MojoExecution(mojo);
    }

    /** Surefire's own expressions `@{name}`, for what earlier plugins set. */
    private static String late(MavenProject project, String text) {
        Matcher matcher = LATE.matcher(text);
        StringBuffer found = new StringBuffer();
        while (matcher.find()) {
            String value = project.getProperties().getProperty(matcher.group(1), "");
            matcher.appendReplacement(found, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(found).toString();
    }

    /** Configuration as a mojo would get it: expressions evaluated, else the default. */
    private static final class Evaluation {
        private final PluginParameterExpressionEvaluator evaluator;
        private final MavenProject project;

        Evaluation(MavenSession session, MavenProject project, MojoExecution mojo) {
            this.evaluator = new PluginParameterExpressionEvaluator(session, mojo);
            this.project = project;
        }

        /** Returns text, a map, a list where names repeat or are those of elements, or null. */
        Object value(Xpp3Dom node) throws Exception {
            if (node == null) {
                return null;
            }
            if (node.getChildCount() == 0) {
                Object value = node.getValue() == null ? null : evaluator.evaluate(node.getValue());
                if (value == null && node.getAttribute("default-value") != null) {
                    value = evaluator.evaluate(node.getAttribute("default-value"));
                }
                return simple(value);
            }
            Set<String> names = new HashSet<>();
            for (Xpp3Dom it : node.getChildren()) {
                names.add(it.getName());
            }
            boolean isList = names.size() < node.getChildCount() || isElement(node.getName(), node.getChild(0).getName());
            Map<String, Object> map = new LinkedHashMap<>();
            List<Object> list = new ArrayList<>();
            for (Xpp3Dom it : node.getChildren()) {
                Object value = value(it);
                list.add(value);
                map.put(it.getName(), value);
            }
            return isList ? list : map;
        }

        /** `includes` has `include`, `compilerArgs` has `arg`. */
        private static boolean isElement(String list, String name) {
            return list.equals(name + "s") || list.equals("compilerArgs") || list.endsWith("Elements")
                    || (name.equals("property") && list.equals("systemProperties"))
                    || (list.equals("includes") || list.equals("excludes"));
        }

        private Object simple(Object value) {
            if (value == null || value instanceof Boolean || value instanceof Number) {
                return value == null ? null : value.toString();
            }
            if (value instanceof Collection || value instanceof Map) {
                return value;
            }
            if (value instanceof String || value instanceof File) {
                return value.toString();
            }
            // A project, a session: nothing that a mojo is told by its configuration.
            return null;
        }
    }

    private static String key(MojoExecution mojo) {
        return mojo.getGroupId() + ":" + mojo.getArtifactId();
    }

    static Set<String> words(String text) {
        return text == null ? new HashSet<>() : new HashSet<>(Arrays.asList(text.split(",")));
    }

    static Map<String, Object> line(String name) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", name);
        return line;
    }

    private static Map<String, Object> event(String name, MavenProject project) {
        Map<String, Object> line = line(name);
        if (project != null) {
            line.put("folder", project.getBasedir() == null ? "" : project.getBasedir().getPath());
            line.put("artifact", project.getGroupId() + ":" + project.getArtifactId() + ":" + project.getVersion());
        }
        return line;
    }

    synchronized void say(Map<String, Object> line) {
        StringBuilder text = new StringBuilder();
        json(text, line);
        try {
            out.write(text.append('\n').toString());
            out.flush();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private static void json(StringBuilder text, Object value) {
        if (value == null) {
            text.append("null");
        } else if (value instanceof Map) {
            text.append('{');
            String between = "";
            for (Map.Entry<?, ?> it : ((Map<?, ?>) value).entrySet()) {
                text.append(between);
                quoted(text, String.valueOf(it.getKey()));
                text.append(':');
                json(text, it.getValue());
                between = ",";
            }
            text.append('}');
        } else if (value instanceof Collection) {
            text.append('[');
            for (Iterator<?> it = ((Collection<?>) value).iterator(); it.hasNext();) {
                json(text, it.next());
                text.append(it.hasNext() ? "," : "");
            }
            text.append(']');
        } else {
            quoted(text, value.toString());
        }
    }

    private static void quoted(StringBuilder text, String value) {
        text.append('"');
        for (int at = 0; at < value.length(); at++) {
            char it = value.charAt(at);
            if (it == '"' || it == '\\') {
                text.append('\\').append(it);
            } else if (it < ' ' || Character.isSurrogate(it) || it > '~') {
                text.append(String.format("\\u%04x", (int) it));
            } else {
                text.append(it);
            }
        }
        text.append('"');
    }
}
