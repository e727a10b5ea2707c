package focalist;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.maven.RepositoryUtils;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.lifecycle.LifeCyclePluginAnalyzer;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.version.DefaultPluginVersionRequest;
import org.apache.maven.plugin.version.PluginVersionResolver;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.RepositorySystemSession;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.collection.DependencyCollectionException;
import org.eclipse.aether.graph.DependencyNode;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.DependencyResolutionException;
import org.eclipse.aether.util.artifact.SubArtifact;

/** Downloads what a build needs, by its models alone. */
final class Fetch {
    /** What a build of any project uses to compile tests. */
    private static final List<String> USUAL = Arrays.asList(Extension.COMPILER, "org.apache.maven.plugins:maven-resources-plugin");
    private static final List<String> OF_LIFECYCLE = Arrays.asList(
            Extension.COMPILER,
            Extension.SUREFIRE,
            "org.apache.maven.plugins:maven-resources-plugin",
            "org.apache.maven.plugins:maven-clean-plugin",
            "org.apache.maven.plugins:maven-jar-plugin",
            "org.apache.maven.plugins:maven-install-plugin",
            "org.apache.maven.plugins:maven-deploy-plugin",
            "org.apache.maven.plugins:maven-site-plugin");
    /** Phases that come after tests have compiled, or never. */
    private static final List<String> AFTER = Arrays.asList(
            "process-test-classes", "test", "prepare-package", "package", "pre-integration-test", "integration-test",
            "post-integration-test", "verify", "install", "deploy", "pre-site", "site", "post-site", "site-deploy",
            "pre-clean", "clean", "post-clean", "none");
    /** What Maven gives every plugin that does not name the package itself. */
    private static final String PLEXUS_UTILS = "org.codehaus.plexus:plexus-utils:1.1";
    /** Coordinates as plugins are told them in one word: group, artifact, version, and perhaps more. */
    private static final Pattern COORDINATES = Pattern.compile("([\\w.-]+):([\\w.-]+):([\\w.-]+)(:[\\w.-]+){0,2}");
    private final Extension extension;
    private final MavenSession session;
    private final RepositorySystemSession world;
    private final RepositorySystem repositories;
    private final PluginVersionResolver versions;
    private final LifeCyclePluginAnalyzer lifecycles;
    /** What was told to be named. */
    private final Set<String> named = new HashSet<>();
    /** The modules themselves, which nobody has to download; a plugin may need a former version of one. */
    private final Set<String> own = new HashSet<>();

    Fetch(
            Extension extension,
            MavenSession session,
            RepositorySystem repositories,
            PluginVersionResolver versions,
            LifeCyclePluginAnalyzer lifecycles) {
        this.extension = extension;
        this.session = session;
        this.world = session.getRepositorySession();
        this.repositories = repositories;
        this.versions = versions;
        this.lifecycles = lifecycles;
        for (MavenProject project : session.getProjects()) {
            own.add(project.getGroupId() + ":" + project.getArtifactId() + ":" + project.getVersion());
        }
    }

    /**
     * Downloads what a build of the projects will need, as far as models tell, and what it was found to need besides. What
     * cannot be had is written down, and is no failure here.
     */
    void all() {
        Properties asked = session.getUserProperties();
        for (MavenProject project : session.getProjects()) {
            // What a pom names as an extension is loaded while it is read, also where it is dropped later.
            List<Plugin> plugins = new ArrayList<>(project.getBuild().getPlugins());
            plugins.removeIf(it -> !it.isExtensions());
            for (org.apache.maven.model.Extension it : project.getBuild().getExtensions()) {
                plugins.add(plugin(it));
            }
            extension.edit(project, asked);
            plugins.addAll(plugins(project));
            names(project, plugins);
            CollectRequest collect = new CollectRequest();
            collect.setRepositories(project.getRemoteProjectRepositories());
            for (Dependency it : project.getDependencies()) {
                collect.addDependency(RepositoryUtils.toDependency(it, world.getArtifactTypeRegistry()));
            }
            if (project.getDependencyManagement() != null) {
                for (Dependency it : project.getDependencyManagement().getDependencies()) {
                    collect.addManagedDependency(RepositoryUtils.toDependency(it, world.getArtifactTypeRegistry()));
                }
            }
            get(collect);
            for (Plugin plugin : plugins) {
                try {
                    get(needs(project, plugin));
                } catch (Exception error) {
                    unresolved(error);
                }
                for (Artifact it : processors(project, plugin)) {
                    get(new CollectRequest(
                            new org.eclipse.aether.graph.Dependency(it, "runtime"), project.getRemoteProjectRepositories()));
                }
            }
        }
        // Maven adds it to each plugin that does not name it itself.
        get(new CollectRequest(
                new org.eclipse.aether.graph.Dependency(new DefaultArtifact(PLEXUS_UTILS), "runtime"),
                session.getCurrentProject().getRemotePluginRepositories()));
        MavenProject first = session.getCurrentProject();
        for (String it : Extension.words(asked.getProperty("focalist.more"))) {
            Artifact artifact = new DefaultArtifact(it);
            for (List<RemoteRepository> remote :
                    Arrays.asList(first.getRemoteProjectRepositories(), first.getRemotePluginRepositories())) {
                get(new CollectRequest(new org.eclipse.aether.graph.Dependency(artifact, "runtime"), remote));
            }
            if (artifact.getExtension().equals("pom")) {
                // Of a plugin the pom is read first, and nothing says what else is missing.
                Artifact jar = new SubArtifact(artifact, "", "jar");
                try {
                    extension.resolve(session, jar.toString(), first.getRemotePluginRepositories());
                } catch (Exception error) {
                    // It was a parent.
                }
            }
        }
        extension.say(Extension.line("fetched"));
    }

    /**
     * Returns the plugins that a build is known to need until its tests have compiled: those of the pom that do something
     * before, and those that Maven calls by itself, in its own version where no pom says another.
     */
    private List<Plugin> plugins(MavenProject project) {
        List<Plugin> found = new ArrayList<>(project.getBuild().getPlugins());
        found.removeIf(it -> !USUAL.contains(it.getKey()) && !isEarly(it));
        Set<Plugin> bound = lifecycles.getPluginsBoundByDefaultToAllLifecycles(project.getPackaging());
        if (bound == null) {
            // An extension says what this packaging is; most of them are much like jars.
            bound = lifecycles.getPluginsBoundByDefaultToAllLifecycles("jar");
        }
        for (Plugin it : bound) {
            name(it.getGroupId(), it.getArtifactId(), it.getVersion());
            Plugin own = project.getPlugin(it.getKey());
            Plugin managed = project.getPluginManagement() == null
                    ? null
                    : project.getPluginManagement().getPluginsAsMap().get(it.getKey());
            if (own == null) {
                own = (managed == null ? it : managed).clone();
            }
            if (own.getVersion() == null) {
                own.setVersion(it.getVersion());
            }
            if (isEarly(it) && !found.contains(own)) {
                found.add(own);
            }
        }
        // What Maven itself brings without a version, it has one for that models do not tell.
        found.removeIf(it -> it.getVersion() == null && OF_LIFECYCLE.contains(it.getKey()));
        return found;
    }

    /** Returns the annotation processors that a plugin is told to load, which are no dependencies. */
    private static List<Artifact> processors(MavenProject project, Plugin plugin) {
        List<Artifact> found = new ArrayList<>();
        for (Xpp3Dom configuration : configurations(plugin)) {
            Xpp3Dom paths = configuration.getChild("annotationProcessorPaths");
            for (Xpp3Dom it : paths == null ? new Xpp3Dom[0] : paths.getChildren()) {
                String group = text(it, "groupId");
                String artifact = text(it, "artifactId");
                String version = text(it, "version");
                if (version.isEmpty()) {
                    version = managed(project, group, artifact);
                }
                if (!group.isEmpty() && !artifact.isEmpty() && !version.isEmpty()) {
                    found.add(new DefaultArtifact(group, artifact, text(it, "classifier"), "jar", version));
                }
            }
        }
        return found;
    }

    private static String managed(MavenProject project, String group, String artifact) {
        List<Dependency> all = new ArrayList<>(project.getDependencies());
        if (project.getDependencyManagement() != null) {
            all.addAll(project.getDependencyManagement().getDependencies());
        }
        for (Dependency it : all) {
            if (it.getGroupId().equals(group) && it.getArtifactId().equals(artifact) && it.getVersion() != null) {
                return it.getVersion();
            }
        }
        return "";
    }

    private static List<Xpp3Dom> configurations(Plugin plugin) {
        List<Object> found = new ArrayList<>();
        found.add(plugin.getConfiguration());
        for (PluginExecution it : plugin.getExecutions()) {
            found.add(it.getConfiguration());
        }
        List<Xpp3Dom> known = new ArrayList<>();
        for (Object it : found) {
            if (it instanceof Xpp3Dom) {
                known.add((Xpp3Dom) it);
            }
        }
        return known;
    }

    private static String text(Xpp3Dom node, String name) {
        Xpp3Dom child = node.getChild(name);
        return child == null || child.getValue() == null ? "" : child.getValue().trim();
    }

    /** Tells what the poms of a project name: a plugin may ask for it later, when code of the project has run. */
    private void names(MavenProject project, List<Plugin> plugins) {
        List<Dependency> dependencies = new ArrayList<>(project.getDependencies());
        if (project.getDependencyManagement() != null) {
            dependencies.addAll(project.getDependencyManagement().getDependencies());
        }
        List<Plugin> all = new ArrayList<>(plugins);
        all.addAll(project.getBuild().getPlugins());
        if (project.getPluginManagement() != null) {
            all.addAll(project.getPluginManagement().getPlugins());
        }
        for (Plugin it : all) {
            name(it.getGroupId(), it.getArtifactId(), it.getVersion());
            dependencies.addAll(it.getDependencies());
            for (Xpp3Dom configuration : configurations(it)) {
                names(configuration);
            }
        }
        for (Dependency it : dependencies) {
            name(it.getGroupId(), it.getArtifactId(), it.getVersion());
        }
    }

    private void names(Xpp3Dom node) {
        name(text(node, "groupId"), text(node, "artifactId"), text(node, "version"));
        String value = node.getValue();
        Matcher matcher = value == null ? null : COORDINATES.matcher(value.trim());
        if (matcher != null && matcher.matches()) {
            name(matcher.group(1), matcher.group(2), matcher.group(3));
        }
        for (Xpp3Dom it : node.getChildren()) {
            names(it);
        }
    }

    private void name(String group, String artifact, String version) {
        if (group == null || group.isEmpty() || artifact == null || artifact.isEmpty()) {
            return;
        }
        String it = group + ":" + artifact + (version == null || version.isEmpty() ? "" : ":" + version);
        if (named.add(it)) {
            Map<String, Object> line = Extension.line("named");
            line.put("coordinates", it);
            extension.say(line);
        }
    }

    private void names(DependencyNode node, Set<DependencyNode> seen) {
        if (!seen.add(node)) {
            return;
        }
        Artifact it = node.getArtifact();
        if (it != null) {
            name(it.getGroupId(), it.getArtifactId(), it.getBaseVersion());
        }
        for (DependencyNode child : node.getChildren()) {
            names(child, seen);
        }
    }

    private static boolean isEarly(Plugin plugin) {
        for (PluginExecution it : plugin.getExecutions()) {
            // Without a phase it is the plugin that knows when.
            if (!it.getGoals().isEmpty() && !AFTER.contains(String.valueOf(it.getPhase()))) {
                return true;
            }
        }
        return false;
    }

    private static Plugin plugin(org.apache.maven.model.Extension extension) {
        Plugin plugin = new Plugin();
        plugin.setGroupId(extension.getGroupId());
        plugin.setArtifactId(extension.getArtifactId());
        plugin.setVersion(extension.getVersion());
        return plugin;
    }

    private CollectRequest needs(MavenProject project, Plugin plugin) throws Exception {
        List<RemoteRepository> remote = project.getRemotePluginRepositories();
        String version = plugin.getVersion();
        if (version == null) {
            version = versions.resolve(new DefaultPluginVersionRequest(plugin, world, remote)).getVersion();
        }
        Artifact artifact = new DefaultArtifact(plugin.getGroupId(), plugin.getArtifactId(), "jar", version);
        CollectRequest collect =
                new CollectRequest(new org.eclipse.aether.graph.Dependency(artifact, "runtime"), remote);
        for (Dependency it : plugin.getDependencies()) {
            collect.addDependency(RepositoryUtils.toDependency(it, world.getArtifactTypeRegistry()));
        }
        return collect;
    }

    private void get(CollectRequest collect) {
        DependencyNode root;
        try {
            root = repositories.collectDependencies(world, collect).getRoot();
        } catch (DependencyCollectionException error) {
            unresolved(error);
            root = error.getResult() == null ? null : error.getResult().getRoot();
        }
        if (root == null) {
            return;
        }
        names(root, Collections.newSetFromMap(new IdentityHashMap<>()));
        try {
            repositories.resolveDependencies(world, new DependencyRequest(root, (node, parents) -> {
                Artifact it = node.getArtifact();
                return it == null
                        || !own.contains(it.getGroupId() + ":" + it.getArtifactId() + ":" + it.getBaseVersion());
            }));
        } catch (DependencyResolutionException error) {
            unresolved(error);
        }
    }

    /** Tells why, from the outermost reason to what has happened, a line each. */
    private void unresolved(Exception error) {
        StringBuilder message = new StringBuilder();
        Set<Throwable> seen = new HashSet<>();
        for (Throwable it = error; it != null && seen.add(it); it = it.getCause()) {
            // What happens to a connection says little without its name: of a host that nobody knows it is the host.
            String name = it instanceof IOException ? it.getClass().getSimpleName() + ": " : "";
            String own = (name + it.getMessage()).replaceAll("\\s+", " ").trim();
            if (it.getMessage() != null && message.indexOf(own) < 0) {
                message.append(message.length() == 0 ? "" : "\n").append(own);
            }
        }
        Map<String, Object> line = Extension.line("unresolved");
        line.put("message", message.toString());
        extension.say(line);
    }
}
