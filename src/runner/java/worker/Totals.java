package focalist;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What many candidates together cover of focal methods. No class is loaded for it. */
final class Totals {
    /** More than a class has: a candidate may have told fewer than there are. */
    private static final int PROBES = 1 << 16;

    private Totals() {}

    /** Returns what is covered of each method; nothing of one that is not there, or has no code. */
    static Map<String, Object> of(Map<?, ?> request) throws IOException {
        List<String> classPath = Worker.strings(request.get("classPath"));
        Map<?, ?> covered = (Map<?, ?>) request.get("covered");
        List<Object> all = new ArrayList<Object>();
        for (Object it : (List<?>) request.get("focals")) {
            Map<?, ?> focal = (Map<?, ?>) it;
            byte[] bytes = bytes(classPath, (String) focal.get("class"));
            Methods.Found found = bytes == null ? null : Coverage.find(bytes, focal);
            if (found == null || found.isAbstract) {
                all.add(null);
                continue;
            }
            String hex = (String) covered.get(found.owner);
            boolean[] probes = hex == null ? null : Coverage.probes(hex, Math.max(hex.length() * 4, PROBES));
            all.add(Coverage.of(bytes, probes, found));
        }
        Map<String, Object> answer = new LinkedHashMap<String, Object>();
        answer.put("kind", "measured");
        answer.put("focals", all);
        return answer;
    }

    private static byte[] bytes(List<String> classPath, String name) throws IOException {
        for (String path : classPath) {
            File file = new File(path, name.replace('.', '/') + ".class");
            if (file.isFile()) {
                return Project.read(file);
            }
        }
        return null;
    }
}
