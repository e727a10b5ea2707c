// Writes the table of library types that `src/syntax/java/jdk.rs` embeds. Run by hand, never by the build; README.md
// beside this file has the commands.
//
// Reads class files with a parser of its own, so no class is loaded and no dependency needs to be present. Only facts
// are taken: names, flags and generic signatures of what is public or protected. The same JDK and the same jars give
// the same bytes: everything is sorted, and members stay in the order of their class file.
//
// The layout is described in `src/syntax/java/jdk/read.rs`; FORMAT changes with it.

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

public class Generate {
    static final int FORMAT = 2;

    /** Modules whose exported packages are taken whole. */
    static final List<String> MODULES = List.of(
            "java.base", "java.compiler", "java.datatransfer", "java.desktop", "java.instrument", "java.logging",
            "java.management", "java.naming", "java.net.http", "java.prefs", "java.rmi", "java.scripting",
            "java.security.jgss", "java.security.sasl", "java.sql", "java.sql.rowset", "java.transaction.xa",
            "java.xml", "java.xml.crypto");

    /** Of large modules and libraries, the packages that tests and the code under test touch; of others, all. */
    static final Map<String, Set<String>> PARTS = Map.of(
            "java.desktop", Set.of(
                    "java.awt", "java.awt.event", "java.awt.geom", "java.awt.image", "java.beans", "javax.imageio",
                    "javax.swing", "javax.swing.event", "javax.swing.table", "javax.swing.text", "javax.swing.tree"),
            "jackson-databind", Set.of(
                    "com.fasterxml.jackson.databind", "com.fasterxml.jackson.databind.annotation",
                    "com.fasterxml.jackson.databind.exc", "com.fasterxml.jackson.databind.module",
                    "com.fasterxml.jackson.databind.node"),
            "spring", Set.of(
                    "org.springframework.beans", "org.springframework.beans.factory",
                    "org.springframework.beans.factory.annotation", "org.springframework.context",
                    "org.springframework.context.annotation", "org.springframework.core",
                    "org.springframework.core.convert", "org.springframework.core.convert.converter",
                    "org.springframework.core.env", "org.springframework.core.io", "org.springframework.dao",
                    "org.springframework.data.domain", "org.springframework.data.jpa.domain",
                    "org.springframework.data.jpa.repository", "org.springframework.data.repository",
                    "org.springframework.format", "org.springframework.http", "org.springframework.http.client",
                    "org.springframework.http.converter", "org.springframework.jdbc.core", "org.springframework.lang",
                    "org.springframework.mock.env", "org.springframework.mock.web",
                    "org.springframework.stereotype", "org.springframework.test.context",
                    "org.springframework.test.context.junit.jupiter", "org.springframework.test.context.junit4",
                    "org.springframework.test.util", "org.springframework.test.web.client",
                    "org.springframework.test.web.client.match", "org.springframework.test.web.client.response",
                    "org.springframework.test.web.servlet", "org.springframework.test.web.servlet.request",
                    "org.springframework.test.web.servlet.result", "org.springframework.test.web.servlet.setup",
                    "org.springframework.transaction", "org.springframework.transaction.annotation",
                    "org.springframework.transaction.support", "org.springframework.ui", "org.springframework.util",
                    "org.springframework.validation", "org.springframework.web.bind",
                    "org.springframework.web.bind.annotation", "org.springframework.web.client",
                    "org.springframework.web.context", "org.springframework.web.context.request",
                    "org.springframework.web.multipart", "org.springframework.web.servlet",
                    "org.springframework.web.util"));

    /** Packages of libraries that are nobody's to call. */
    static final Pattern HIDDEN = Pattern.compile(
            ".*\\b(internal|shaded|shadow|thirdparty|repackaged)\\b.*|org\\.assertj\\.core\\.error.*");

    // Flags of the table: the low bits that types, fields and methods share.
    static final int PUBLIC = 1, PROTECTED = 2, STATIC = 8, ABSTRACT = 16, FINAL = 32, DEFAULT = 64, VARARGS = 128,
            ENUM_CONSTANT = 256;

    static final int ACC_PUBLIC = 1, ACC_PROTECTED = 4, ACC_STATIC = 8, ACC_FINAL = 16, ACC_VARARGS = 0x80,
            ACC_INTERFACE = 0x200, ACC_ABSTRACT = 0x400, ACC_SYNTHETIC = 0x1000, ACC_ANNOTATION = 0x2000,
            ACC_ENUM = 0x4000;

    interface Bytes {
        InputStream open() throws IOException;
    }

    record Source(String name, String version) {}

    record Nested(String outer, String name, int access) {}

    record Member(int access, String name, String signature, boolean isGeneric) {}

    static class Type {
        String binary;
        Source source;
        int access;
        String superclass;
        List<String> interfaces = new ArrayList<>();
        String signature;
        boolean isRecord;
        Map<String, Nested> nested = new LinkedHashMap<>();
        List<Member> fields = new ArrayList<>();
        List<Member> methods = new ArrayList<>();

        Nested self() {
            return nested.get(binary);
        }

        int flags() {
            int access = self() == null ? this.access : self().access;
            boolean isInterface = (access & ACC_INTERFACE) != 0;
            return visibility(access)
                    | (self() != null && (access & ACC_STATIC) != 0 ? STATIC : 0)
                    | ((access & ACC_ABSTRACT) != 0 || isInterface ? ABSTRACT : 0)
                    | ((access & ACC_FINAL) != 0 ? FINAL : 0);
        }

        String packageName() {
            int slash = binary.lastIndexOf('/');
            return slash < 0 ? "" : binary.substring(0, slash).replace('/', '.');
        }
    }

    static int visibility(int access) {
        return (access & ACC_PUBLIC) != 0 ? PUBLIC : (access & ACC_PROTECTED) != 0 ? PROTECTED : 0;
    }

    // ---- what is there -------------------------------------------------------------------------------------------

    final Map<String, Bytes> files = new TreeMap<>();
    final Map<String, Source> sourceOf = new HashMap<>();
    final Set<String> complete = new TreeSet<>();
    final Map<String, Type> parsed = new HashMap<>();
    final List<Source> sources = new ArrayList<>();

    void addJdk() throws IOException {
        Source source = new Source("jdk", System.getProperty("java.version"));
        sources.add(source);
        var jrt = FileSystems.getFileSystem(URI.create("jrt:/"));
        for (String module : MODULES) {
            ModuleDescriptor descriptor = ModuleFinder.ofSystem().find(module).orElseThrow().descriptor();
            for (var exports : descriptor.exports()) {
                if (!exports.isQualified() && isWanted(module, exports.source())) {
                    complete.add(exports.source());
                }
            }
            Path root = jrt.getPath("modules", module);
            try (var walk = Files.walk(root)) {
                walk.filter(path -> path.toString().endsWith(".class")).forEach(path -> {
                    add(root.relativize(path).toString(), source, () -> Files.newInputStream(path));
                });
            }
        }
    }

    void addJar(Path path) throws IOException {
        Matcher matcher = Pattern.compile("(.+?)-(\\d.*)\\.jar").matcher(path.getFileName().toString());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("expected NAME-VERSION.jar: " + path);
        }
        Source source = new Source(matcher.group(1), matcher.group(2));
        sources.add(source);
        ZipFile zip = new ZipFile(path.toFile());
        for (ZipEntry entry : Collections.list(zip.entries())) {
            String name = entry.getName();
            if (name.endsWith(".class") && !name.startsWith("META-INF/")) {
                add(name, source, () -> zip.getInputStream(entry));
                String packageName = name.substring(0, Math.max(0, name.lastIndexOf('/'))).replace('/', '.');
                if (isWanted(source.name, packageName)) {
                    complete.add(packageName);
                }
            }
        }
    }

    static boolean isWanted(String from, String packageName) {
        Set<String> part = PARTS.get(from.startsWith("spring-") ? "spring" : from);
        return part == null ? !HIDDEN.matcher(packageName).matches() : part.contains(packageName);
    }

    void add(String file, Source source, Bytes bytes) {
        String binary = file.substring(0, file.length() - ".class".length());
        if (!binary.endsWith("-info") && files.putIfAbsent(binary, bytes) == null) {
            sourceOf.put(binary, source);
        }
    }

    /** Returns the class of that binary name, or null for one of a library that was not given. */
    Type type(String binary) {
        return parsed.computeIfAbsent(binary, key -> {
            Bytes bytes = files.get(key);
            if (bytes == null) {
                return null;
            }
            try (InputStream in = bytes.open()) {
                Type type = parse(new DataInputStream(in));
                type.source = sourceOf.get(key);
                return type;
            } catch (IOException error) {
                throw new IllegalStateException(key, error);
            }
        });
    }

    // ---- class files (JVMS chapter 4) ----------------------------------------------------------------------------

    static Type parse(DataInputStream in) throws IOException {
        in.readInt();
        in.readInt();
        Object[] pool = new Object[in.readUnsignedShort()];
        for (int i = 1; i < pool.length; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> pool[i] = in.readUTF();
                case 7 -> pool[i] = in.readUnsignedShort();
                case 3, 4, 9, 10, 11, 12, 17, 18 -> in.readInt();
                case 5, 6 -> {
                    in.readLong();
                    i++;
                }
                case 8, 16, 19, 20 -> in.readUnsignedShort();
                case 15 -> in.skipNBytes(3);
                default -> throw new IOException("constant of kind " + tag);
            }
        }
        Type type = new Type();
        type.access = in.readUnsignedShort();
        type.binary = className(pool, in.readUnsignedShort());
        type.superclass = className(pool, in.readUnsignedShort());
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            type.interfaces.add(className(pool, in.readUnsignedShort()));
        }
        readMembers(in, pool, type.fields);
        readMembers(in, pool, type.methods);
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            String name = (String) pool[in.readUnsignedShort()];
            int length = in.readInt();
            switch (name) {
                case "Signature" -> type.signature = (String) pool[in.readUnsignedShort()];
                case "Record" -> {
                    type.isRecord = true;
                    in.skipNBytes(length);
                }
                case "InnerClasses" -> {
                    for (int m = in.readUnsignedShort(); m > 0; m--) {
                        String inner = className(pool, in.readUnsignedShort());
                        String outer = className(pool, in.readUnsignedShort());
                        String simple = (String) pool[in.readUnsignedShort()];
                        type.nested.put(inner, new Nested(outer, simple, in.readUnsignedShort()));
                    }
                }
                default -> in.skipNBytes(length);
            }
        }
        return type;
    }

    static String className(Object[] pool, int index) {
        return index == 0 ? null : (String) pool[(Integer) pool[index]];
    }

    static void readMembers(DataInputStream in, Object[] pool, List<Member> into) throws IOException {
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            int access = in.readUnsignedShort();
            String name = (String) pool[in.readUnsignedShort()];
            String signature = (String) pool[in.readUnsignedShort()];
            boolean isGeneric = false;
            for (int m = in.readUnsignedShort(); m > 0; m--) {
                String attribute = (String) pool[in.readUnsignedShort()];
                int length = in.readInt();
                if (attribute.equals("Signature")) {
                    signature = (String) pool[in.readUnsignedShort()];
                    isGeneric = true;
                } else {
                    in.skipNBytes(length);
                }
            }
            into.add(new Member(access, name, signature, isGeneric));
        }
    }

    // ---- what is taken -------------------------------------------------------------------------------------------

    /**
     * Returns the types of the table: what other packages can name in the complete packages, and every supertype of
     * those, visible or not (StringBuilder has `length()` from a class that is not public).
     */
    Collection<Type> select() {
        Map<String, Type> taken = new TreeMap<>();
        for (String binary : files.keySet()) {
            if (complete.contains(binary.substring(0, Math.max(0, binary.lastIndexOf('/'))).replace('/', '.'))) {
                Type type = type(binary);
                if (isVisible(type)) {
                    take(type, taken);
                }
            }
        }
        return taken.values();
    }

    boolean isVisible(Type type) {
        Nested self = type.self();
        if (self == null) {
            return (type.access & ACC_PUBLIC) != 0 && (type.access & ACC_SYNTHETIC) == 0;
        }
        return self.outer != null && self.name != null && visibility(self.access) != 0
                && (self.access & ACC_SYNTHETIC) == 0
                && type(self.outer) != null && isVisible(type(self.outer));
    }

    void take(Type type, Map<String, Type> taken) {
        if (taken.putIfAbsent(type.binary, type) != null) {
            return;
        }
        List<String> supertypes = new ArrayList<>(type.interfaces);
        if (type.superclass != null) {
            supertypes.add(type.superclass);
        }
        for (String supertype : supertypes) {
            if (type(supertype) != null) {
                take(type(supertype), taken);
            }
        }
    }

    /** Returns the name as source code writes it in full: `java/util/Map$Entry` is `java.util.Map.Entry`. */
    String qualified(String binary, Type user) {
        Nested nested = user.nested.get(binary);
        if (nested == null && type(binary) != null) {
            nested = type(binary).self();
        }
        if (nested == null || nested.outer == null || nested.name == null) {
            return binary.replace('/', '.');
        }
        return qualified(nested.outer, user) + "." + nested.name;
    }

    // ---- writing -------------------------------------------------------------------------------------------------

    /** Numbers to be written; strings get theirs when all of a package have been counted. */
    static class Numbers {
        final List<Object> parts = new ArrayList<>();

        void number(int value) {
            parts.add(value);
        }

        void string(String value) {
            parts.add(value);
        }

        byte[] bytes(Map<String, Integer> numbers) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (Object part : parts) {
                varint(out, part instanceof String string ? numbers.get(string) : (Integer) part);
            }
            return out.toByteArray();
        }
    }

    static void varint(ByteArrayOutputStream out, int value) {
        while (value >= 0x80) {
            out.write(value & 0x7f | 0x80);
            value >>>= 7;
        }
        out.write(value);
    }

    /** Writes signatures (JVMS 4.7.9.1) as numbers. */
    class Signature {
        final String text;
        final Type user;
        int at;

        Signature(String text, Type user) {
            this.text = text;
            this.user = user;
        }

        boolean has(char expected) {
            if (at < text.length() && text.charAt(at) == expected) {
                at++;
                return true;
            }
            return false;
        }

        String until(String stops) {
            int start = at;
            while (stops.indexOf(text.charAt(at)) < 0) {
                at++;
            }
            return text.substring(start, at);
        }

        void typeParameters(Numbers out) {
            if (!has('<')) {
                out.number(0);
                return;
            }
            int n = 0;
            Numbers parameters = new Numbers();
            while (!has('>')) {
                parameters.string(until(":"));
                Numbers bounds = new Numbers();
                int nBounds = 0;
                boolean isObject = false;
                while (has(':')) {
                    if (text.charAt(at) == ':') {
                        continue; // no class bound, only interfaces
                    }
                    isObject = text.startsWith("Ljava/lang/Object;", at);
                    type(bounds);
                    nBounds++;
                }
                if (nBounds == 1 && isObject) {
                    parameters.number(0);
                } else {
                    parameters.number(nBounds);
                    parameters.parts.addAll(bounds.parts);
                }
                n++;
            }
            out.number(n);
            out.parts.addAll(parameters.parts);
        }

        void type(Numbers out) {
            char tag = text.charAt(at++);
            switch (tag) {
                case '[' -> {
                    out.number(9);
                    type(out);
                }
                case 'T' -> {
                    out.number(10);
                    out.string(until(";"));
                    at++;
                }
                case 'L' -> classType(out);
                default -> out.number("VZBSCIJFD".indexOf(tag));
            }
        }

        /** The arguments of an enclosing class are left out: `Outer<T>.Inner<U>` is `Outer.Inner<U>`. */
        void classType(Numbers out) {
            StringBuilder binary = new StringBuilder(until("<;."));
            Numbers arguments = new Numbers();
            int n = 0;
            while (!has(';')) {
                if (has('.')) {
                    binary.append('$').append(until("<;."));
                }
                arguments = new Numbers();
                n = 0;
                if (has('<')) {
                    for (; !has('>'); n++) {
                        argument(arguments);
                    }
                }
            }
            out.number(n == 0 ? 11 : 12);
            out.string(qualified(binary.toString(), user));
            if (n > 0) {
                out.number(n);
                out.parts.addAll(arguments.parts);
            }
        }

        void argument(Numbers out) {
            if (has('*')) {
                out.number(13);
            } else if (has('+')) {
                out.number(14);
                type(out);
            } else if (has('-')) {
                out.number(15);
                type(out);
            } else {
                type(out);
            }
        }
    }

    Numbers record(Type type, Map<String, List<String>> memberTypes) {
        Numbers out = new Numbers();
        boolean isInterface = (type.access & ACC_INTERFACE) != 0;
        String signature = type.signature;
        if (signature == null) {
            StringBuilder plain = new StringBuilder();
            if (type.superclass != null) {
                plain.append('L').append(type.superclass).append(';');
            }
            type.interfaces.forEach(name -> plain.append('L').append(name).append(';'));
            signature = plain.toString();
        }
        Signature reader = new Signature(signature, type);
        reader.typeParameters(out);
        Numbers supertypes = new Numbers();
        int n = 0;
        for (boolean isFirst = true; reader.at < signature.length(); isFirst = false) {
            Numbers supertype = new Numbers();
            reader.type(supertype);
            if (!(isFirst && isInterface)) { // in class files an interface extends Object
                supertypes.parts.addAll(supertype.parts);
                n++;
            }
        }
        out.number(n);
        out.parts.addAll(supertypes.parts);

        List<String> members = memberTypes.getOrDefault(type.binary, List.of());
        out.number(members.size());
        members.forEach(out::string);

        List<Member> fields = type.fields.stream().filter(Generate::isVisible).toList();
        out.number(fields.size());
        for (Member field : fields) {
            out.number(memberFlags(field.access) | ((field.access & ACC_ENUM) != 0 ? ENUM_CONSTANT : 0));
            out.string(field.name);
            new Signature(field.signature, type).type(out);
        }
        List<Member> methods = type.methods.stream()
                .filter(method -> isVisible(method) && !method.name.equals("<clinit>")).toList();
        out.number(methods.size());
        for (Member method : methods) {
            method(method, type, out);
        }
        return out;
    }

    void method(Member method, Type type, Numbers out) {
        boolean isAbstract = (method.access & ACC_ABSTRACT) != 0;
        boolean isStatic = (method.access & ACC_STATIC) != 0;
        boolean isInterface = (type.access & ACC_INTERFACE) != 0;
        out.number(memberFlags(method.access)
                | (isAbstract ? ABSTRACT : 0)
                | ((method.access & ACC_VARARGS) != 0 ? VARARGS : 0)
                | (isInterface && !isAbstract && !isStatic ? DEFAULT : 0));
        out.string(method.name);
        Signature reader = new Signature(method.signature, type);
        reader.typeParameters(out);
        reader.has('(');
        Numbers parameters = new Numbers();
        int n = 0;
        // A constructor of an inner class gets the enclosing object first; generic signatures do not show it.
        boolean isInner = type.self() != null && (type.self().access & ACC_STATIC) == 0;
        boolean isOuterNext = isInner && method.name.equals("<init>") && !method.isGeneric;
        while (!reader.has(')')) {
            Numbers parameter = new Numbers();
            reader.type(parameter);
            if (!isOuterNext) {
                parameters.parts.addAll(parameter.parts);
                n++;
            }
            isOuterNext = false;
        }
        out.number(n);
        out.parts.addAll(parameters.parts);
        reader.type(out);
    }

    static boolean isVisible(Member member) {
        return visibility(member.access) != 0 && (member.access & ACC_SYNTHETIC) == 0;
    }

    static int memberFlags(int access) {
        return visibility(access) | ((access & ACC_STATIC) != 0 ? STATIC : 0) | ((access & ACC_FINAL) != 0 ? FINAL : 0);
    }

    static int kind(Type type) {
        if ((type.access & ACC_ANNOTATION) != 0) {
            return 4;
        }
        if ((type.access & ACC_INTERFACE) != 0) {
            return 1;
        }
        return (type.access & ACC_ENUM) != 0 ? 2 : type.isRecord ? 3 : 0;
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    byte[] table() throws IOException, InterruptedException {
        Collection<Type> types = select();
        Map<String, List<String>> memberTypes = new HashMap<>();
        Map<String, List<Type>> packages = new TreeMap<>();
        for (Type type : types) {
            if (type.self() != null && type.self().outer != null && isVisible(type)) {
                memberTypes.computeIfAbsent(type.self().outer, key -> new ArrayList<>()).add(type.self().name);
            }
            packages.computeIfAbsent(type.packageName(), key -> new ArrayList<>()).add(type);
        }

        ByteArrayOutputStream names = new ByteArrayOutputStream();
        packages.forEach((name, members) -> {
            string(names, name);
            varint(names, members.size());
            members.forEach(type -> string(names, qualified(type.binary, type)));
        });
        Path dictionary = Files.createTempFile("names", null);
        Files.write(dictionary, names.toByteArray());

        ByteArrayOutputStream index = new ByteArrayOutputStream();
        varint(index, sources.size());
        for (Source source : sources) {
            string(index, source.name);
            string(index, source.version);
        }
        ByteArrayOutputStream blocks = new ByteArrayOutputStream();
        varint(index, packages.size());
        for (var entry : packages.entrySet()) {
            byte[] block = block(entry.getValue(), memberTypes);
            byte[] packed = pack(block, dictionary);
            blocks.writeBytes(packed);
            varint(index, complete.contains(entry.getKey()) ? 1 : 0);
            varint(index, packed.length);
            varint(index, block.length);
            for (Type type : entry.getValue()) {
                varint(index, kind(type));
                varint(index, type.flags());
                varint(index, sources.indexOf(type.source));
            }
        }

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        varint(out, FORMAT);
        for (byte[] part : List.of(names.toByteArray(), index.toByteArray())) {
            byte[] packed = pack(part, null);
            varint(out, packed.length);
            varint(out, part.length);
            out.writeBytes(packed);
        }
        out.writeBytes(blocks.toByteArray());
        Files.delete(dictionary);
        System.err.printf("%d types in %d packages: %d bytes%n", types.size(), packages.size(), out.size());
        return out.toByteArray();
    }

    /** Returns the strings and records of one package. */
    byte[] block(List<Type> types, Map<String, List<String>> memberTypes) {
        List<Numbers> records = new ArrayList<>();
        Map<String, Integer> counts = new TreeMap<>();
        for (Type type : types) {
            Numbers record = record(type, memberTypes);
            records.add(record);
            for (Object part : record.parts) {
                if (part instanceof String string) {
                    counts.merge(string, 1, Integer::sum);
                }
            }
        }
        List<String> strings = new ArrayList<>(counts.keySet());
        strings.sort(Comparator.comparing((String string) -> -counts.get(string))); // stable: then by text
        Map<String, Integer> numbers = new HashMap<>();
        strings.forEach(string -> numbers.put(string, numbers.size()));

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        varint(out, strings.size());
        strings.forEach(string -> string(out, string));
        for (Numbers record : records) {
            byte[] bytes = record.bytes(numbers);
            varint(out, bytes.length);
            out.writeBytes(bytes);
        }
        return out.toByteArray();
    }

    static void string(ByteArrayOutputStream out, String string) {
        byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
        varint(out, bytes.length);
        out.writeBytes(bytes);
    }

    static byte[] pack(byte[] bytes, Path dictionary) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("zstd", "-19", "-q", "-c", "--no-check"));
        if (dictionary != null) {
            command.addAll(List.of("-D", dictionary.toString()));
        }
        Path file = Files.createTempFile("block", null);
        Files.write(file, bytes);
        command.add(file.toString());
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        byte[] packed = process.getInputStream().readAllBytes();
        if (process.waitFor() != 0) {
            throw new IOException("zstd failed");
        }
        Files.delete(file);
        return packed;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length < 1) {
            System.err.println("usage: java Generate.java TABLE [JAR...]");
            System.exit(2);
        }
        Generate generate = new Generate();
        generate.addJdk();
        for (String jar : List.of(args).subList(1, args.length)) {
            generate.addJar(Path.of(jar));
        }
        Files.write(Path.of(args[0]), generate.table());
    }
}
