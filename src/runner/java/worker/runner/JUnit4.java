package focalist.runner;

import java.lang.annotation.Annotation;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs methods of a class by JUnit 4, also where they are of JUnit 3: one, or some in an order. */
public final class JUnit4 implements Function<Object[], Map<String, Object>> {
    @Override
    public Map<String, Object> apply(Object[] what) {
        Class<?> host = (Class<?>) what[0];
        final List<?> methods = (List<?>) what[1];
        final Map<String, Object> told = new HashMap<String, Object>();
        final Map<String, String> each = new HashMap<String, String>();
        told.put("each", each);
        final int[] n = new int[2];
        JUnitCore core = new JUnitCore();
        core.addListener(new RunListener() {
            @Override
            public void testStarted(Description description) {
                n[0]++;
                if (!each.containsKey(name(description))) {
                    each.put(name(description), "passed");
                }
            }

            @Override
            public void testAssumptionFailure(Failure failure) {
                n[1]++;
                told.put("skipped", String.valueOf(failure.getMessage()));
                each.put(name(failure.getDescription()), "skipped");
            }

            @Override
            public void testIgnored(Description description) {
                told.put("skipped", "it is ignored");
                each.put(name(description), "skipped");
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
                    return;
                }
                each.put(name(failure.getDescription()), "failed");
                if (told.get("failure") == null) {
                    told.put("failure", thrown);
                }
            }
        });
        if (methods.size() > 1 && TestCase.class.isAssignableFrom(host)) {
            core.run(suite(host, methods));
        } else {
            core.run(request(host, methods));
        }
        told.put("n", Math.max(n[0], 0) - n[1]);
        return told;
    }

    /** Returns tests of JUnit 3, whose runner has an order of its own. */
    private static TestSuite suite(Class<?> host, List<?> methods) {
        TestSuite suite = new TestSuite(host.getName());
        for (Object method : methods) {
            suite.addTest(TestSuite.createTest(host.asSubclass(TestCase.class), (String) method));
        }
        return suite;
    }

    private static Request request(Class<?> host, final List<?> methods) {
        Request all = Request.classWithoutSuiteMethod(host);
        Request some = all.filterWith(new Filter() {
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
                for (Object method : methods) {
                    boolean is = name != null
                            && (name.equals(method)
                                    || name.startsWith(method + "[")
                                    || name.startsWith(method + "("));
                    if (is) {
                        return true;
                    }
                }
                return false;
            }

            @Override
            public String describe() {
                return String.valueOf(methods);
            }
        });
        // A class that says itself in which order its tests run is not asked for another one.
        if (methods.size() < 2 || isOrdered(host)) {
            return some;
        }
        return some.sortWith(new Comparator<Description>() {
            @Override
            public int compare(Description a, Description b) {
                return methods.indexOf(name(a)) - methods.indexOf(name(b));
            }
        });
    }

    private static boolean isOrdered(Class<?> host) {
        for (Annotation it : host.getAnnotations()) {
            if (it.annotationType().getName().equals("org.junit.FixMethodOrder")) {
                return true;
            }
        }
        return false;
    }

    /** Returns the method's name without what tells its runs apart; an empty one for a class. */
    private static String name(Description description) {
        String name = description.isTest() ? description.getMethodName() : null;
        return name == null ? "" : name.split("[\\[(]", 2)[0];
    }
}
