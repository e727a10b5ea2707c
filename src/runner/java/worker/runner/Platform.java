package focalist.runner;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs methods of a class by the JUnit Platform: one, or some in an order. */
public final class Platform implements Function<Object[], Map<String, Object>> {
    @Override
    public Map<String, Object> apply(Object[] what) {
        Class<?> host = (Class<?>) what[0];
        List<DiscoverySelector> selectors = new ArrayList<DiscoverySelector>();
        for (Object method : (List<?>) what[2]) {
            selectors.add(selector(host, (Method) method, (Class<?>) what[3]));
        }
        final Map<String, Object> told = new HashMap<String, Object>();
        final Map<String, String> each = new HashMap<String, String>();
        told.put("each", each);
        final int[] n = new int[1];
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                .build();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, new TestExecutionListener() {
            @Override
            public void executionSkipped(TestIdentifier id, String reason) {
                told.put("skipped", String.valueOf(reason));
                tell(each, id, "skipped");
            }

            @Override
            public void executionFinished(TestIdentifier id, TestExecutionResult result) {
                Throwable thrown = result.getThrowable().orElse(null);
                switch (result.getStatus()) {
                    case SUCCESSFUL:
                        n[0] += id.isTest() ? 1 : 0;
                        if (id.isTest()) {
                            tell(each, id, "passed");
                        }
                        break;
                    case ABORTED:
                        tell(each, id, "skipped");
                        told.put("skipped", thrown == null ? "" : String.valueOf(thrown.getMessage()));
                        break;
                    default:
                        // Jupiter's own complaints about a method, before any test begins.
                        if (!id.isTest() && isComplaint(thrown)) {
                            told.put("skipped", String.valueOf(thrown.getMessage()));
                            break;
                        }
                        tell(each, id, "failed");
                        if (told.get("failure") == null) {
                            told.put("failure", thrown == null ? new Error("it failed") : thrown);
                        }
                }
            }
        });
        told.put("n", n[0]);
        return told;
    }

    /** Returns what selects a method, which a nested class has from an abstract one where there is a class below that. */
    private static DiscoverySelector selector(Class<?> host, Method method, Class<?> outer) {
        if (outer != null && !Modifier.isStatic(host.getModifiers())) {
            List<Class<?>> around = new ArrayList<Class<?>>();
            Class<?> next = host.getEnclosingClass();
            for (; next != null && !next.isAssignableFrom(outer); next = next.getEnclosingClass()) {
                around.add(0, next);
            }
            around.add(0, outer);
            try {
                // Before version 1.6 there is none.
                return (DiscoverySelector) DiscoverySelectors.class
                        .getMethod("selectNestedMethod", List.class, Class.class, Method.class)
                        .invoke(null, around, host, method);
            } catch (ReflectiveOperationException e) {
                return DiscoverySelectors.selectMethod(host, method);
            }
        }
        return DiscoverySelectors.selectMethod(host, method);
    }

    /** Says how a method went, by its worst run; by an empty name how a class went. */
    private static void tell(Map<String, String> each, TestIdentifier id, String how) {
        TestSource source = id.getSource().orElse(null);
        String name = source instanceof MethodSource ? ((MethodSource) source).getMethodName() : "";
        String before = each.get(name);
        boolean isWorse = before == null || before.equals("skipped") || how.equals("failed");
        if (isWorse && !(name.isEmpty() && !how.equals("failed"))) {
            each.put(name, how);
        }
    }

    /** By name, as packages have changed from version to version. */
    private static boolean isComplaint(Throwable thrown) {
        String name = thrown == null ? "" : thrown.getClass().getName();
        return name.startsWith("org.junit.")
                && (name.endsWith(".PreconditionViolationException")
                        || name.endsWith(".TemplateInvocationValidationException"));
    }
}
