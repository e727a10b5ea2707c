package focalist;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICoverageVisitor;
import org.jacoco.core.analysis.ILine;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.internal.data.CRC64;

/** What probes say, by JaCoCo's own analysis. */
final class Coverage {
    private Coverage() {}

    /** Returns the method of a class that is asked about, or nothing where it has none that fits. */
    static Methods.Found find(byte[] bytes, Map<?, ?> asked) {
        List<String> parameters = Worker.strings(asked.get("parameters"));
        int line = ((Number) asked.get("line")).intValue();
        return Methods.find(bytes, (String) asked.get("name"), parameters, line);
    }

    /** Returns what is covered of a method, or nothing where JaCoCo does not count it. */
    static Map<String, Object> of(byte[] bytes, boolean[] probes, final Methods.Found method)
            throws IOException {
        ExecutionDataStore store = new ExecutionDataStore();
        if (probes != null) {
            String name = method.owner.replace('.', '/');
            store.put(new ExecutionData(CRC64.classId(bytes), name, probes));
        }
        final List<IMethodCoverage> found = new ArrayList<IMethodCoverage>();
        ICoverageVisitor visitor = new ICoverageVisitor() {
            @Override
            public void visitCoverage(IClassCoverage coverage) {
                for (IMethodCoverage it : coverage.getMethods()) {
                    if (it.getName().equals(method.name) && it.getDesc().equals(method.desc)) {
                        found.add(it);
                    }
                }
            }
        };
        new Analyzer(store, visitor).analyzeClass(bytes, method.owner);
        if (found.isEmpty()) {
            return null;
        }
        IMethodCoverage it = found.get(0);
        Map<String, Object> told = new LinkedHashMap<String, Object>();
        told.put("class", method.owner);
        told.put("name", method.name);
        told.put("descriptor", method.desc);
        told.put("lines", counter(it.getLineCounter()));
        ICounter branches = it.getBranchCounter();
        told.put("branches", branches.getTotalCount() == 0 ? null : counter(branches));
        told.put("instructions", counter(it.getInstructionCounter()));
        List<Object> byLine = new ArrayList<Object>();
        for (int n = it.getFirstLine(); n >= 0 && n <= it.getLastLine(); n++) {
            ILine line = it.getLine(n);
            int status = line.getStatus();
            if (status != ICounter.EMPTY) {
                List<Object> pair = new ArrayList<Object>();
                pair.add((long) n);
                pair.add(status == ICounter.NOT_COVERED ? 0L : status == ICounter.PARTLY_COVERED ? 1L : 2L);
                byLine.add(pair);
            }
        }
        told.put("byLine", byLine);
        return told;
    }

    private static List<Object> counter(ICounter counter) {
        List<Object> pair = new ArrayList<Object>();
        pair.add((long) counter.getMissedCount());
        pair.add((long) counter.getCoveredCount());
        return pair;
    }

    static String hex(boolean[] probes) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < probes.length; i += 8) {
            int b = 0;
            for (int j = i; j < Math.min(i + 8, probes.length); j++) {
                b |= probes[j] ? 1 << (j - i) : 0;
            }
            out.append(Character.forDigit(b >> 4, 16)).append(Character.forDigit(b & 15, 16));
        }
        return out.toString();
    }

    static boolean[] probes(String hex, int n) {
        boolean[] probes = new boolean[n];
        for (int i = 0; i < n && i / 4 < hex.length(); i++) {
            int half = Character.digit(hex.charAt(i / 8 * 2 + (i % 8 < 4 ? 1 : 0)), 16);
            probes[i] = (half >> (i % 4) & 1) != 0;
        }
        return probes;
    }

    static boolean isAny(boolean[] probes) {
        for (boolean it : probes) {
            if (it) {
                return true;
            }
        }
        return false;
    }
}
