package focalist;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Names of what reaches into a JVM: its memory, its classes, its channels, or the code of others.
 *
 * <p>A test that names one of them has a JVM of its own. Names that are put together while it runs are not seen here.
 */
final class Powers {
    /** Beginnings of names of classes, as the machine has them. */
    private static final List<String> CLASSES = Arrays.asList(
            "com/sun/",
            "focalist/",
            "java/beans/Expression",
            "java/beans/Statement",
            "java/beans/XMLDecoder",
            "java/io/FileDescriptor",
            "java/lang/ProcessBuilder",
            "java/lang/foreign/",
            "java/lang/instrument/",
            "java/lang/invoke/MethodHandles",
            "java/lang/management/",
            "java/lang/ModuleLayer",
            "java/net/URLClassLoader",
            "java/rmi/",
            "javax/tools/",
            "javassist/",
            "javax/management/",
            "javax/script/",
            "jdk/incubator/",
            "jdk/internal/",
            "jdk/jfr/",
            "jdk/management/",
            "net/bytebuddy/",
            "net/sf/cglib/",
            "org/apache/commons/lang3/reflect/",
            "org/joor/",
            "org/junit/platform/commons/support/",
            "org/junit/platform/commons/util/",
            "org/mockito/internal/",
            "org/mockito/plugins/",
            "org/powermock/",
            "org/springframework/cglib/",
            "org/springframework/test/util/ReflectionTestUtils",
            "org/springframework/util/ReflectionUtils",
            "sun/");

    /** Those of the JDK's own names that everybody may use. */
    private static final List<String> HARMLESS = Arrays.asList(
            "com/sun/net/httpserver/", "java/lang/invoke/MethodHandles$Lookup$ClassOption");

    private static final Set<String> METHODS = new HashSet<String>(Arrays.asList(
            "java/lang/ClassLoader.defineClass",
            "java/lang/Runtime.exec",
            "java/lang/Runtime.exit",
            "java/lang/Runtime.halt",
            "java/lang/Runtime.load",
            "java/lang/Runtime.loadLibrary",
            "java/lang/System.exit",
            "java/lang/System.load",
            "java/lang/System.loadLibrary",
            "java/lang/System.setSecurityManager",
            "java/lang/Thread.getAllStackTraces",
            "java/lang/ThreadGroup.enumerate"));

    /** What is got hold of by reflection to do the rest by reflection. */
    private static final Set<String> LEVERS = new HashSet<String>(Arrays.asList(
            "java/lang/Class",
            "java/lang/ClassLoader",
            "java/lang/Module",
            "java/lang/Runtime",
            "java/lang/System",
            "java/lang/Thread",
            "java/lang/invoke/MethodHandles$Lookup",
            "java/lang/reflect/AccessibleObject",
            "java/lang/reflect/Constructor",
            "java/lang/reflect/Field",
            "java/lang/reflect/Method"));

    private static final Set<String> LEVERS_BY_NAME = new HashSet<String>(Arrays.asList(
            "addOpens",
            "defineClass",
            "exec",
            "exit",
            "forName",
            "halt",
            "invoke",
            "load",
            "loadClass",
            "loadLibrary",
            "override",
            "setAccessible",
            "setSecurityManager",
            "trySetAccessible"));

    /** In texts: folders of the kernel, and names of classes as one writes them to load them. */
    private static final Pattern TEXT = Pattern.compile("(^|/)proc(/|$)"
            + "|\\b(focalist|jdk\\.internal|jdk\\.incubator|jdk\\.jfr|sun\\.\\w|com\\.sun\\.(?!net\\.httpserver))"
            + "|java\\.lang\\.(foreign|instrument|management)|javax\\.management|net\\.bytebuddy|org\\.mockito\\.internal"
            + "|[uU]nsafe\\b|HotSpotDiagnostic");

    private Powers() {}

    /** Whether a class may be used by its name. */
    static boolean isPower(String owner) {
        for (String it : HARMLESS) {
            if (owner.startsWith(it)) {
                return false;
            }
        }
        for (String it : CLASSES) {
            if (owner.startsWith(it)) {
                return true;
            }
        }
        return false;
    }

    static boolean isPower(String owner, String name) {
        boolean isOpener = owner.startsWith("java/lang/reflect/")
                // The one for a single member is watched as it is called.
                && name.equals("trySetAccessible");
        return isPower(owner) || isOpener || name.equals("defineClass")
                || name.equals("<init>") && owner.endsWith("ClassLoader") || METHODS.contains(owner + "." + name);
    }

    static boolean isText(String text) {
        return TEXT.matcher(text).find();
    }

    static boolean isLever(String owner) {
        return LEVERS.contains(owner);
    }

    static boolean isLeverByName(String text) {
        return LEVERS_BY_NAME.contains(text);
    }
}
