package focalist.runner;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashMap;
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

/** Runs one method by TestNG. */
public final class TestNg implements Function<Object[], Map<String, Object>> {
    private static final class Listener implements ITestListener, IConfigurationListener {
        final Map<String, Object> told = new HashMap<String, Object>();
        int n;

        private void failed(ITestResult result) {
            Throwable thrown = result.getThrowable();
            if (told.get("failure") == null) {
                told.put("failure", thrown == null ? new Error("it failed") : thrown);
            }
        }

        @Override
        public void onTestStart(ITestResult result) {}

        @Override
        public void onTestSuccess(ITestResult result) {
            n++;
        }

        @Override
        public void onTestFailure(ITestResult result) {
            failed(result);
        }

        @Override
        public void onTestSkipped(ITestResult result) {
            Throwable thrown = result.getThrowable();
            told.put("skipped", thrown == null ? "" : String.valueOf(thrown.getMessage()));
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
        xml.setIncludedMethods(Collections.singletonList(new XmlInclude((String) what[1])));
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
