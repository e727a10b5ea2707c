package focalist;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** The methods that have a hook at their entry, numbered as they are first seen. */
final class Methods {
    static final int API = Opcodes.ASM9;

    /** A method with a hook. */
    static final class Hooked {
        final String owner;
        final String name;
        final String desc;
        final boolean isMain;
        /** Whether it does what outlives it, and nobody can put back. */
        volatile boolean isLasting;

        Hooked(String owner, String name, String desc, boolean isMain) {
            this.owner = owner;
            this.name = name;
            this.desc = desc;
            this.isMain = isMain;
        }
    }

    /** What changes a JVM for good, by class: names of methods; none means all of them. */
    private static final Map<String, List<String>> LASTING = new HashMap<String, List<String>>();

    private static void lasts(String owner, String... names) {
        LASTING.put(owner, Arrays.asList(names));
    }

    static {
        lasts("java/io/ObjectInputFilter$Config", "setSerialFilter", "setSerialFilterFactory");
        lasts("java/net/DatagramSocket", "setDatagramSocketImplFactory");
        lasts("java/time/zone/ZoneRulesProvider", "registerProvider");
        lasts("java/util/logging/Handler", "setEncoding", "setErrorManager", "setFilter", "setFormatter", "setLevel");
        lasts("javax/imageio/spi/IIORegistry");
        lasts("javax/imageio/ImageIO", "setCacheDirectory", "setUseCache");
        lasts("javax/naming/spi/NamingManager", "setInitialContextFactoryBuilder", "setObjectFactoryBuilder");
        lasts("java/lang/Runtime", "addShutdownHook");
        lasts("java/lang/System", "setSecurityManager");
        lasts("java/lang/ref/Cleaner", "create", "register");
        lasts("java/net/Authenticator", "setDefault");
        lasts("java/net/CookieHandler", "setDefault");
        lasts("java/net/HttpURLConnection", "setFollowRedirects");
        lasts("java/net/ProxySelector", "setDefault");
        lasts("java/net/ResponseCache", "setDefault");
        lasts("java/net/ServerSocket", "setSocketFactory");
        lasts("java/net/Socket", "setSocketImplFactory");
        lasts("java/net/URL", "setURLStreamHandlerFactory");
        lasts("java/net/URLConnection", "setContentHandlerFactory", "setDefaultAllowUserInteraction", "setDefaultUseCaches", "setFileNameMap");
        lasts("java/security/Policy", "setPolicy");
        lasts(
                "java/security/Security",
                "addProvider",
                "insertProviderAt",
                "removeProvider",
                "setProperty");
        lasts(
                "java/sql/DriverManager",
                "deregisterDriver",
                "registerDriver",
                "setLogStream",
                "setLogWriter",
                "setLoginTimeout");
        lasts("java/util/logging/LogManager", "readConfiguration", "reset");
        lasts(
                "java/util/logging/Logger",
                "addHandler",
                "removeHandler",
                "setFilter",
                "setLevel",
                "setParent",
                "setUseParentHandlers");
        lasts("javax/net/ssl/HttpsURLConnection", "setDefaultHostnameVerifier", "setDefaultSSLSocketFactory");
        lasts("javax/net/ssl/SSLContext", "setDefault");
        lasts("sun/misc/Unsafe");
    }

    /** Replaces the name of {@link Probes}, which tests are not to know; it is as long as that. */
    private final String probes;
    private final List<Hooked> hooked = new ArrayList<Hooked>();
    private final Map<String, Integer> ids = new HashMap<String, Integer>();
    /** By class and name: descriptors of bridges. */
    private final Map<String, List<String>> bridges = new HashMap<String, List<String>>();

    Methods(String probes) {
        this.probes = probes;
    }

    /** Says of methods of a name, or of whose lambda it is, that they do something lasting. */
    private synchronized void last(String owner, String name) {
        String[] parts = name.split("\\$");
        String of = name.startsWith("lambda$") && parts.length == 3 ? parts[1] : name;
        for (Hooked it : hooked) {
            if (it.owner.equals(owner) && it.name.equals(of)) {
                it.isLasting = true;
            }
        }
    }

    /** Whether one of the methods that were entered does something lasting. */
    synchronized boolean isLasting(int[] counts) {
        for (int id = 0; id < Math.min(counts.length, hooked.size()); id++) {
            if (counts[id] > 0 && hooked.get(id).isLasting) {
                return true;
            }
        }
        return false;
    }

    synchronized Hooked get(int id) {
        return hooked.get(id);
    }

    synchronized int size() {
        return hooked.size();
    }

    private synchronized int id(String owner, String name, String desc, boolean isMain) {
        String key = (isMain ? "m " : "t ") + owner + " " + name + desc;
        Integer id = ids.get(key);
        if (id == null) {
            id = hooked.size();
            ids.put(key, id);
            hooked.add(new Hooked(owner, name, desc, isMain));
        }
        return id;
    }

    private synchronized void bridge(String owner, String name, String desc) {
        String key = owner + " " + name;
        List<String> all = bridges.get(key);
        if (all == null) {
            all = new ArrayList<String>();
            bridges.put(key, all);
        }
        all.add(desc);
    }

    /** Whether a class declares a bridge with the arguments of a descriptor: what it leads to overrides these. */
    synchronized boolean hasBridge(String owner, String name, String desc) {
        List<String> all = bridges.get(owner + " " + name);
        if (all != null) {
            for (String it : all) {
                if (arguments(it).equals(arguments(desc))) {
                    return true;
                }
            }
        }
        return false;
    }

    static String arguments(String desc) {
        return desc.substring(0, desc.indexOf(')') + 1);
    }

    /** Returns a class with a hook at the entry of each method that somebody wrote. */
    byte[] hook(final String owner, byte[] bytes, final boolean isMain) {
        final Set<String> lasting = new HashSet<String>();
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(
                new ClassVisitor(API, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String desc, String sign, String[] thrown) {
                        MethodVisitor next =
                                super.visitMethod(access, name, desc, sign, thrown);
                        if ((access & Opcodes.ACC_BRIDGE) != 0) {
                            bridge(owner, name, desc);
                        }
                        if (!isMain && name.equals("finalize") && desc.equals("()V")) {
                            lasting.add("<init>");
                        }
                        next = new Lasting(next, name, lasting, isMain);
                        int none = Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE | Opcodes.ACC_SYNTHETIC;
                        if ((access & none) != 0 || name.equals("<clinit>")) {
                            return next;
                        }
                        final int id = id(owner, name, desc, isMain);
                        return new MethodVisitor(API, next) {
                            @Override
                            public void visitCode() {
                                super.visitCode();
                                super.visitLdcInsn(id);
                                super.visitMethodInsn(
                                        Opcodes.INVOKESTATIC,
                                        probes,
                                        "enter",
                                        "(I)V",
                                        false);
                            }
                        };
                    }
                },
                0);
        for (String name : lasting) {
            last(owner, name);
        }
        return writer.toByteArray();
    }

    /** Notes whether a method calls what lasts, and has us look when it opens what is private. */
    private final class Lasting extends MethodVisitor {
        private final String method;
        private final Set<String> lasting;
        private final boolean isMain;

        Lasting(MethodVisitor next, String method, Set<String> lasting, boolean isMain) {
            super(API, next);
            this.isMain = isMain;
            this.method = method;
            this.lasting = lasting;
        }

        @Override
        public void visitMethodInsn(
                int opcode, String owner, String name, String desc, boolean isInterface) {
            List<String> names = LASTING.get(owner);
            if (names != null && (names.isEmpty() || names.contains(name))) {
                lasting.add(method);
            }
            boolean isOpening = !isMain && opcode == Opcodes.INVOKEVIRTUAL
                    && owner.startsWith("java/lang/reflect/")
                    && name.equals("setAccessible");
            if (!isMain && owner.equals("java/lang/reflect/Method") && name.equals("invoke")) {
                super.visitInsn(Opcodes.DUP2_X1);
                super.visitInsn(Opcodes.POP2);
                super.visitInsn(Opcodes.DUP);
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC, probes, "calling", "(Ljava/lang/reflect/Method;)V", false);
                super.visitInsn(Opcodes.DUP_X2);
                super.visitInsn(Opcodes.POP);
            }
            if (isOpening) {
                String with = "(Ljava/lang/reflect/AccessibleObject;Z)V";
                super.visitMethodInsn(Opcodes.INVOKESTATIC, probes, "open", with, false);
            } else {
                super.visitMethodInsn(opcode, owner, name, desc, isInterface);
            }
        }
    }

    /** A focal method, found in its class. */
    static final class Found {
        String owner;
        String name;
        String desc;
        boolean isAbstract;
        private int rank = -1;
        private int distance;
    }

    /**
     * Returns the method of a class that fits a name, erased parameters and a line best: names of types as they are written
     * qualified, else simple ones, else their number. Constructors may have more parameters in front than are written.
     */
    static Found find(
            byte[] bytes, final String wanted, final List<String> parameters, final int line) {
        final Found best = new Found();
        ClassReader reader = new ClassReader(bytes);
        best.owner = reader.getClassName().replace('/', '.');
        reader.accept(
                new ClassVisitor(API) {
                    @Override
                    public MethodVisitor visitMethod(
                            final int access,
                            final String name,
                            final String desc,
                            String sign,
                            String[] thrown) {
                        if (!name.equals(wanted) || (access & Opcodes.ACC_SYNTHETIC) != 0) {
                            return null;
                        }
                        final int rank = rank(name, desc, parameters);
                        if (rank < 0) {
                            return null;
                        }
                        return new MethodVisitor(API) {
                            int first = Integer.MAX_VALUE;

                            @Override
                            public void visitLineNumber(int at, org.objectweb.asm.Label start) {
                                first = Math.min(first, at);
                            }

                            @Override
                            public void visitEnd() {
                                int distance = first == Integer.MAX_VALUE
                                        ? 0
                                        : Math.abs(first - line);
                                boolean isBetter = rank > best.rank
                                        || (rank == best.rank && distance < best.distance);
                                if (isBetter) {
                                    best.rank = rank;
                                    best.distance = distance;
                                    best.name = name;
                                    best.desc = desc;
                                    best.isAbstract = (access & Opcodes.ACC_ABSTRACT) != 0;
                                }
                            }
                        };
                    }
                },
                ClassReader.SKIP_FRAMES);
        return best.name == null ? null : best;
    }

    private static int rank(String name, String desc, List<String> parameters) {
        Type[] types = Type.getArgumentTypes(desc);
        int more = types.length - parameters.size();
        // An inner class has its outer object in front, an enum its name and number.
        if (more < 0 || more > 0 && (!name.equals("<init>") || more > 2)) {
            return -1;
        }
        int rank = 2;
        for (int i = 0; i < parameters.size(); i++) {
            String is = types[i + more].getClassName().replace('$', '.');
            String wanted = parameters.get(i).replace('$', '.').replace("...", "[]");
            if (!is.equals(wanted)) {
                rank = Math.min(rank, simple(is).equals(simple(wanted)) ? 1 : 0);
            }
        }
        return rank * 4 + (2 - more);
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
