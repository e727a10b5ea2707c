package focalist.runner;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs one method by JUnit 4, also where it is of JUnit 3. */
public final class JUnit4 implements Function<Object[], Map<String, Object>> {
    @Override
    public Map<String, Object> apply(Object[] what) {
        Class<?> host = (Class<?>) what[0];
        final String method = (String) what[1];
        final Map<String, Object> told = new HashMap<String, Object>();
        final int[] n = new int[2];
        JUnitCore core = new JUnitCore();
        core.addListener(new RunListener() {
            @Override
            public void testStarted(Description description) {
                n[0]++;
            }

            @Override
            public void testAssumptionFailure(Failure failure) {
                n[1]++;
                told.put("skipped", String.valueOf(failure.getMessage()));
            }

            @Override
            public void testIgnored(Description description) {
                told.put("skipped", "it is ignored");
            }

            @Override
            public void testFailure(Failure failure) {
                Throwable thrown = failure.getException();
                boolean isOfRunner = failure.getDescription().isTest()
                        && "initializationError".equals(failure.getDescription().getMethodName());
                // JUnit's own complaints about a class or a method are plain exceptions.
                boolean isRefused = isOfRunner
                        && (thrown.getClass() == Exception.class
                                || thrown.getClass().getName().startsWith("org.junit.runners."));
                boolean isMissing = thrown.getClass() == Exception.class
                        && String.valueOf(thrown.getMessage()).startsWith("No tests found matching");
                if (isRefused || isMissing) {
                    n[0]--;
                    told.put("skipped", String.valueOf(thrown.getMessage()));
                } else if (told.get("failure") == null) {
                    told.put("failure", thrown);
                }
            }
        });
        core.run(Request.classWithoutSuiteMethod(host).filterWith(new Filter() {
            @Override
            public boolean shouldRun(Description description) {
                if (!description.isTest()) {
                    for (Description child : description.getChildren()) {
                        if (shouldRun(child)) {
                            return true;
                        }
                    }
                    return false;
                }
                String name = description.getMethodName();
                return name != null
                        && (name.equals(method)
                                || name.startsWith(method + "[")
                                || name.startsWith(method + "("));
            }

            @Override
            public String describe() {
                return method;
            }
        }));
        told.put("n", Math.max(n[0], 0) - n[1]);
        return told;
    }
}
