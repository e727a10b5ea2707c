package focalist;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.maven.artifact.repository.ArtifactRepository;
import org.apache.maven.execution.MavenExecutionRequest;
import org.apache.maven.model.Profile;
import org.apache.maven.model.Repository;
import org.apache.maven.settings.Mirror;
import org.apache.maven.settings.Server;
import org.eclipse.aether.repository.MirrorSelector;
import org.eclipse.aether.repository.RemoteRepository;

/**
 * Gives another name to each repository that a pom calls as the user's settings call a server, unless these settings pair the
 * name with the same place. Maven sends passwords, headers and keys by names alone, so it has none for it then.
 */
final class Strangers implements MirrorSelector {
    private final Set<String> servers = new HashSet<>();
    /** Names with places. */
    private final Set<String> own = new HashSet<>();
    private final MirrorSelector before;

    Strangers(MavenExecutionRequest request, MirrorSelector before) {
        this.before = before;
        for (Server it : request.getServers()) {
            servers.add(it.getId());
        }
        List<ArtifactRepository> repositories = new ArrayList<>(request.getRemoteRepositories());
        repositories.addAll(request.getPluginArtifactRepositories());
        for (ArtifactRepository it : repositories) {
            own.add(pair(it.getId(), it.getUrl()));
        }
        for (Mirror it : request.getMirrors()) {
            own.add(pair(it.getId(), it.getUrl()));
        }
        for (Profile profile : request.getProfiles()) {
            List<Repository> all = new ArrayList<>(profile.getRepositories());
            all.addAll(profile.getPluginRepositories());
            for (Repository it : all) {
                own.add(pair(it.getId(), it.getUrl()));
            }
        }
    }

    private static String pair(String id, String url) {
        String place = String.valueOf(url);
        while (place.endsWith("/")) {
            place = place.substring(0, place.length() - 1);
        }
        return id + " " + place;
    }

    @Override
    public RemoteRepository getMirror(RemoteRepository repository) {
        RemoteRepository mirror = before == null ? null : before.getMirror(repository);
        String id = repository.getId();
        if (mirror != null || !servers.contains(id) || own.contains(pair(id, repository.getUrl()))) {
            return mirror;
        }
        while (servers.contains(id)) {
            id += "-of-a-pom";
        }
        // Only for what has another name the rest is taken over as it is.
        return new RemoteRepository.Builder(repository)
                .setId(id)
                .setAuthentication(null)
                .setMirroredRepositories(Arrays.asList(repository))
                .build();
    }
}
