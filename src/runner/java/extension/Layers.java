package focalist;

import java.util.Map;
import org.eclipse.aether.RepositorySystemSession;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.metadata.Metadata;
import org.eclipse.aether.repository.LocalArtifactRegistration;
import org.eclipse.aether.repository.LocalArtifactRequest;
import org.eclipse.aether.repository.LocalArtifactResult;
import org.eclipse.aether.repository.LocalMetadataRegistration;
import org.eclipse.aether.repository.LocalMetadataRequest;
import org.eclipse.aether.repository.LocalMetadataResult;
import org.eclipse.aether.repository.LocalRepository;
import org.eclipse.aether.repository.LocalRepositoryManager;
import org.eclipse.aether.repository.RemoteRepository;

/** A local repository over one that is only read, and whose files come first: nobody can put others in their place. */
final class Layers implements LocalRepositoryManager {
    private final Extension extension;
    private final LocalRepositoryManager upper;
    private final LocalRepositoryManager lower;

    Layers(Extension extension, LocalRepositoryManager upper, LocalRepositoryManager lower) {
        this.extension = extension;
        this.upper = upper;
        this.lower = lower;
    }

    @Override
    public LocalRepository getRepository() {
        return upper.getRepository();
    }

    @Override
    public String getPathForLocalArtifact(Artifact artifact) {
        return upper.getPathForLocalArtifact(artifact);
    }

    @Override
    public String getPathForRemoteArtifact(Artifact artifact, RemoteRepository repository, String context) {
        return upper.getPathForRemoteArtifact(artifact, repository, context);
    }

    @Override
    public String getPathForLocalMetadata(Metadata metadata) {
        return upper.getPathForLocalMetadata(metadata);
    }

    @Override
    public String getPathForRemoteMetadata(Metadata metadata, RemoteRepository repository, String context) {
        return upper.getPathForRemoteMetadata(metadata, repository, context);
    }

    @Override
    public LocalArtifactResult find(RepositorySystemSession session, LocalArtifactRequest request) {
        LocalArtifactResult below = lower.find(session, request);
        if (below.isAvailable() && !request.getArtifact().isSnapshot()) {
            return below;
        }
        LocalArtifactResult found = upper.find(session, request);
        if (!found.isAvailable() && session.isOffline()) {
            Map<String, Object> line = Extension.line("missing");
            line.put("coordinates", request.getArtifact().toString());
            extension.say(line);
        }
        return found;
    }

    @Override
    public void add(RepositorySystemSession session, LocalArtifactRegistration request) {
        upper.add(session, request);
    }

    @Override
    public LocalMetadataResult find(RepositorySystemSession session, LocalMetadataRequest request) {
        LocalMetadataResult found = upper.find(session, request);
        return found.getFile() != null ? found : lower.find(session, request);
    }

    @Override
    public void add(RepositorySystemSession session, LocalMetadataRegistration request) {
        upper.add(session, request);
    }
}
