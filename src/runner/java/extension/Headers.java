package focalist;

import org.apache.maven.execution.MavenExecutionRequest;
import org.apache.maven.settings.Server;
import org.codehaus.plexus.configuration.PlexusConfiguration;
import org.eclipse.aether.DefaultRepositorySystemSession;

/**
 * Keeps headers that the user's settings give to a repository from being carried on to where that one sends: a password is for
 * one host, but what downloads would say the headers to any. So no such repository is followed elsewhere.
 */
final class Headers {
    private static final String CONFIGURATION = "aether.connector.wagon.config.";
    private static final String FOLLOWS = "aether.connector.http.followRedirects.";

    private Headers() {}

    static void keep(MavenExecutionRequest request, DefaultRepositorySystemSession world) {
        for (Server it : request.getServers()) {
            Object known = world.getConfigProperties().get(CONFIGURATION + it.getId());
            if (!(known instanceof PlexusConfiguration) || !hasHeaders((PlexusConfiguration) known)) {
                continue;
            }
            world.setConfigProperty(FOLLOWS + it.getId(), false);
            PlexusConfiguration http = ((PlexusConfiguration) known).getChild("httpConfiguration", true);
            stay(http.getChild("all", true));
            for (String method : new String[] {"get", "head"}) {
                PlexusConfiguration own = http.getChild(method, false);
                if (own != null) {
                    stay(own);
                }
            }
        }
    }

    private static boolean hasHeaders(PlexusConfiguration node) {
        if (node.getName().equals("httpHeaders") || node.getName().equals("headers")) {
            return true;
        }
        for (int idx = 0; idx < node.getChildCount(); idx++) {
            if (hasHeaders(node.getChild(idx))) {
                return true;
            }
        }
        return false;
    }

    private static void stay(PlexusConfiguration method) {
        PlexusConfiguration property = method.getChild("params", true);
        int last = property.getChildCount();
        property.addChild("property", null);
        property = property.getChild(last);
        property.addChild("name", "http.protocol.handle-redirects");
        property.addChild("value", "%b,false");
    }
}
