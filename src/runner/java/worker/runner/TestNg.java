package focalist.runner;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.testng.IConfigurationListener;
import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestResult;
import org.testng.TestNG;
import org.testng.TestNGException;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlInclude;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/** Runs methods of a class by TestNG: one, or some in an order. */
public final class TestNg implements Function<Object[], Map<String, Object>> {
    private static final class Listener implements ITestListener, IConfigurationListener {
        final Map<String, Object> told = new HashMap<String, Object>();
        final Map<String, String> each = new HashMap<String, String>();
        int n;

        /** Says how a method went, by its worst run; by an empty name how a class went. */
        private void tell(ITestResult result, String how) {
            String name = result.getMethod().isTest() ? result.getMethod().getMethodName() : "";
            String before = each.get(name);
            if (before == null || before.equals("skipped") || how.equals("failed")) {
                each.put(name, how);
            }
        }

        private void failed(ITestResult result) {
            Throwable thrown = result.getThrowable();
            tell(result, "failed");
            if (told.get("failure") == null) {
                told.put("failure", thrown == null ? new Error("it failed") : thrown);
            }
        }

        @Override
        public void onTestStart(ITestResult result) {}

        @Override
        public void onTestSuccess(ITestResult result) {
            n++;
            tell(result, "passed");
        }

        @Override
        public void onTestFailure(ITestResult result) {
            failed(result);
        }

        @Override
        public void onTestSkipped(ITestResult result) {
            Throwable thrown = result.getThrowable();
            told.put("skipped", thrown == null ? "" : String.valueOf(thrown.getMessage()));
            tell(result, "skipped");
        }

        @Override
        public void onTestFailedButWithinSuccessPercentage(ITestResult result) {
            failed(result);
        }

        @Override
        public void onStart(ITestContext context) {}

        @Override
        public void onFinish(ITestContext context) {}

        @Override
        public void onConfigurationSuccess(ITestResult result) {}

        @Override
        public void onConfigurationFailure(ITestResult result) {
            failed(result);
        }

        @Override
        public void onConfigurationSkip(ITestResult result) {}
    }

    @Override
    public Map<String, Object> apply(Object[] what) {
        Class<?> host = (Class<?>) what[0];
        XmlSuite suite = new XmlSuite();
        suite.setName("focalist");
        XmlTest test = new XmlTest(suite);
        test.setName("focalist");
        XmlClass xml = new XmlClass(host);
        List<XmlInclude> included = new ArrayList<XmlInclude>();
        for (Object method : (List<?>) what[1]) {
            included.add(new XmlInclude((String) method, included.size()));
        }
        xml.setIncludedMethods(included);
        test.setXmlClasses(Collections.singletonList(xml));
        TestNG testng = new TestNG(false);
        testng.setVerbose(0);
        testng.setOutputDirectory(System.getProperty("java.io.tmpdir") + "/test-output");
        testng.setXmlSuites(Collections.singletonList(suite));
        Listener listener = new Listener();
        add(testng, listener);
        try {
            testng.run();
        } catch (TestNGException e) {
            // It complains about what is written before any test begins.
            listener.told.put("skipped", String.valueOf(e.getMessage()));
        }
        listener.told.put("n", listener.n);
        listener.told.put("each", listener.each);
        return listener.told;
    }

    /** What it is called with has changed from version to version. */
    private static void add(TestNG testng, Listener listener) {
        Method best = null;
        for (Method it : TestNG.class.getMethods()) {
            boolean fits = it.getName().equals("addListener")
                    && it.getParameterCount() == 1
                    && it.getParameterTypes()[0].isInstance(listener);
            if (!fits) {
                continue;
            }
            Class<?> kind = it.getParameterTypes()[0];
            if (best == null || kind.isAssignableFrom(best.getParameterTypes()[0])) {
                best = it;
            }
        }
        try {
            best.invoke(testng, listener);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
