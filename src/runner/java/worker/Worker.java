package focalist;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compiles or runs candidates, one question after the other, each one line of JSON.
 *
 * <p>All further questions begin with a token that the first line told, and with a nonce of their own; answers begin with the
 * same two. Both are in no field of any object. Nothing else that is written to the same streams counts, and an answer with
 * another nonce ends this JVM.
 */
public final class Worker {
    private Worker() {}

    public static void main(String[] arguments) throws Exception {
        OutputStream out = realOut();
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<?, ?> start = (Map<?, ?>) Json.read(in.readLine());
        String token = (String) start.get("token");
        Compiler compiler = null;
        Runs runs = null;
        if (start.get("project") == null) {
            compiler = new Compiler();
        } else {
            runs = new Runs((Map<?, ?>) start.get("project"));
        }
        Map<String, Object> ready = new LinkedHashMap<String, Object>();
        ready.put("kind", "ready");
        say(out, token + start.get("nonce"), ready);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            // Tests can write to our input, too.
            if (!line.startsWith(token)) {
                continue;
            }
            int n = Math.min(2 * token.length(), line.length());
            Map<String, Object> answer;
            try {
                Map<?, ?> request = (Map<?, ?>) Json.read(line.substring(n));
                String kind = String.valueOf(request.get("kind"));
                if (kind.equals("compile")) {
                    answer = compiler.compile(request);
                } else if (kind.equals("parse")) {
                    answer = compiler.parse(request);
                } else if (kind.equals("reach")) {
                    answer = Reach.of(request);
                } else if (kind.equals("run")) {
                    answer = runs.run(request);
                } else if (kind.equals("measure")) {
                    answer = Totals.of(request);
                } else {
                    break;
                }
            } catch (Throwable e) {
                answer = new LinkedHashMap<String, Object>();
                answer.put("kind", "error");
                answer.put("message", cut(Trouble.text(e), 4000));
            }
            say(out, line.substring(0, n), answer);
            if (runs != null) {
                runs.answered();
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** Opens stdout anew: who closes its descriptor does not close ours. */
    private static OutputStream realOut() {
        try {
            return new FileOutputStream("/proc/self/fd/1");
        } catch (IOException e) {
            return new FileOutputStream(FileDescriptor.out);
        }
    }

    private static void say(OutputStream out, String before, Object answer) throws IOException {
        // Somebody may have begun a line.
        String line = "\n" + before + Json.write(answer) + "\n";
        out.write(line.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    static List<String> strings(Object list) {
        List<String> strings = new ArrayList<String>();
        if (list != null) {
            for (Object it : (List<?>) list) {
                strings.add((String) it);
            }
        }
        return strings;
    }

    static String cut(String text, int max) {
        return text.length() <= max ? text : text.substring(0, max);
    }
}
