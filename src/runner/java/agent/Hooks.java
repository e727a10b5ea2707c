package focalist;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.nio.file.Files;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/** Puts hooks into the project's classes, as the worker does, and knows which method is looked for. */
public final class Hooks implements ClassFileTransformer, IntPredicate {
    private final Methods methods = new Methods("focalist/Entered");
    private final List<File> folders = new ArrayList<File>();
    private final Methods.Found focal;
    /** That the focal method's class was loaded by. */
    private volatile ClassLoader loader;

    public Hooks(List<String> lines) throws IOException {
        String owner = "";
        String name = "";
        int line = 0;
        List<String> parameters = new ArrayList<String>();
        for (String it : lines) {
            String[] fields = it.split("\t", 2);
            String value = fields[1];
            switch (fields[0]) {
                case "folder":
                    folders.add(new File(value));
                    break;
                case "class":
                    owner = value;
                    break;
                case "method":
                    name = value;
                    break;
                case "parameter":
                    parameters.add(value);
                    break;
                case "line":
                    line = Integer.parseInt(value);
                    break;
                default:
                    break;
            }
        }
        File file = file(owner.replace('.', '/'));
        byte[] bytes = file == null ? null : Files.readAllBytes(file.toPath());
        focal = bytes == null ? null : Methods.find(bytes, name, parameters, line);
    }

    private File file(String name) {
        for (File folder : folders) {
            File file = new File(folder, name + ".class");
            if (file.isFile()) {
                return file;
            }
        }
        return null;
    }

    /** Whether a method is the one that is looked for; of no method, whether there is one. */
    @Override
    public boolean test(int id) {
        return focal != null && (id < 0 || Called.isIt(methods, focal, id, loader));
    }

    @Override
    public byte[] transform(
            ClassLoader of, String name, Class<?> before, ProtectionDomain domain, byte[] bytes) {
        if (of == null || name == null || before != null || file(name) == null) {
            return null;
        }
        String owner = name.replace('/', '.');
        if (owner.equals(focal.owner)) {
            loader = of;
        }
        try {
            return methods.hook(owner, bytes, true);
        } catch (RuntimeException e) {
            // Too large, or nothing that can be read: it is as it is.
            return null;
        }
    }
}
