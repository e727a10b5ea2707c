package focalist;

import java.util.Arrays;
import java.util.List;
import org.eclipse.aether.repository.MirrorSelector;
import org.eclipse.aether.repository.RemoteRepository;

/** Sends everything that a pom wants from elsewhere to where the user's settings lead. */
final class OnlyOwn implements MirrorSelector {
    private final List<RemoteRepository> own;
    private final MirrorSelector before;

    OnlyOwn(List<RemoteRepository> own, MirrorSelector before) {
        this.own = own;
        this.before = before;
    }

    @Override
    public RemoteRepository getMirror(RemoteRepository repository) {
        RemoteRepository mirror = before == null ? null : before.getMirror(repository);
        for (RemoteRepository it : own) {
            if (mirror != null || it.getId().equals(repository.getId()) && it.getUrl().equals(repository.getUrl())) {
                return mirror;
            }
        }
        return new RemoteRepository.Builder(own.get(0))
                .setMirroredRepositories(Arrays.asList(repository))
                .build();
    }
}
