package focalist;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.maven.RepositoryUtils;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.version.DefaultPluginVersionRequest;
import org.apache.maven.plugin.version.PluginVersionResolver;
import org.apache.maven.project.MavenProject;
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
    private final Extension extension;
    private final MavenSession session;
    private final RepositorySystemSession world;
    private final RepositorySystem repositories;
    private final PluginVersionResolver versions;
    /** The modules themselves, which nobody has to download; a plugin may need a former version of one. */
    private final Set<String> own = new HashSet<>();

    Fetch(Extension extension, MavenSession session, RepositorySystem repositories, PluginVersionResolver versions) {
        this.extension = extension;
        this.session = session;
        this.world = session.getRepositorySession();
        this.repositories = repositories;
        this.versions = versions;
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
                    unresolved(String.valueOf(error.getMessage()));
                }
            }
        }
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
     * before, and of the usual ones those whose version it names.
     */
    private static List<Plugin> plugins(MavenProject project) {
        List<Plugin> found = new ArrayList<>(project.getBuild().getPlugins());
        found.removeIf(it -> !USUAL.contains(it.getKey()) && !isEarly(it));
        if (project.getPluginManagement() != null) {
            for (Plugin it : project.getPluginManagement().getPlugins()) {
                if (USUAL.contains(it.getKey()) && project.getPlugin(it.getKey()) == null) {
                    found.add(it);
                }
            }
        }
        // What Maven itself brings without a version, it has one for that models do not tell.
        found.removeIf(it -> it.getVersion() == null && OF_LIFECYCLE.contains(it.getKey()));
        return found;
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
            unresolved(String.valueOf(error.getMessage()));
            root = error.getResult() == null ? null : error.getResult().getRoot();
        }
        if (root == null) {
            return;
        }
        try {
            repositories.resolveDependencies(world, new DependencyRequest(root, (node, parents) -> {
                Artifact it = node.getArtifact();
                return it == null
                        || !own.contains(it.getGroupId() + ":" + it.getArtifactId() + ":" + it.getBaseVersion());
            }));
        } catch (DependencyResolutionException error) {
            unresolved(String.valueOf(error.getMessage()));
        }
    }

    private void unresolved(String message) {
        Map<String, Object> line = Extension.line("unresolved");
        line.put("message", message);
        extension.say(line);
    }
}
