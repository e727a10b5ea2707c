package focalist;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;

/** What was there before a candidate, so that one sees what it has left running or open: threads, processes, sockets. */
final class Traces {
    private static final int LOOKS = 20;
    private static final int MS_BETWEEN = 2;
    /** The column of a socket's number in the kernel's tables. */
    private static final int INODE = 9;

    private final boolean isWalled;
    private final Set<Thread> threads = threads();
    private final Set<String> processes;
    private final Set<String> sockets = sockets();

    /** Without walls processes of others are seen, too, and are not looked at. */
    Traces(boolean isWalled) {
        this.isWalled = isWalled;
        processes = processes();
    }

    /** Whether something lives that was not there before, a moment after the end; threads of the JDK do not count. */
    boolean areLeft() {
        try {
            return isAnythingLeft();
        } catch (SecurityException e) {
            // Who forbids to look may have left anything.
            return true;
        }
    }

    private boolean isAnythingLeft() {
        for (int i = 0; i < LOOKS; i++) {
            if (!isAnyAlive()) {
                return isAnySocketOpen();
            }
            try {
                Thread.sleep(MS_BETWEEN);
            } catch (InterruptedException e) {
                Thread.interrupted();
            }
        }
        return true;
    }

    private boolean isAnyAlive() {
        for (Thread thread : threads()) {
            if (!threads.contains(thread) && !isOfJdk(thread)) {
                return true;
            }
        }
        return !processes.containsAll(processes());
    }

    /** Whether there is a new socket that others can reach: the JDK keeps one of another kind for itself. */
    private boolean isAnySocketOpen() {
        Set<String> numbers = sockets();
        numbers.removeAll(sockets);
        return !numbers.isEmpty() && isAnyOfNetwork(numbers);
    }

    /** The numbers of all sockets. Where they lie among the open files tells nothing: looking takes a place, too. */
    private static Set<String> sockets() {
        Set<String> numbers = new HashSet<String>();
        for (String name : names("/proc/self/fd")) {
            try {
                File link = new File("/proc/self/fd", name);
                String to = Files.readSymbolicLink(link.toPath()).toString();
                if (to.startsWith("socket:[")) {
                    numbers.add(to.substring("socket:[".length(), to.length() - 1));
                }
            } catch (IOException e) {
                // It was that of looking.
                continue;
            }
        }
        return numbers;
    }

    private static boolean isAnyOfNetwork(Set<String> numbers) {
        for (String kind : new String[] {"tcp", "tcp6", "udp", "udp6"}) {
            try {
                for (String line : Files.readAllLines(Paths.get("/proc/self/net", kind))) {
                    String[] words = line.trim().split("\\s+");
                    if (words.length > INODE && numbers.contains(words[INODE])) {
                        return true;
                    }
                }
            } catch (IOException e) {
                // This kind is not there.
                continue;
            }
        }
        return false;
    }

    private Set<String> processes() {
        Set<String> found = isWalled ? names("/proc") : new HashSet<String>();
        found.removeIf(it -> !Character.isDigit(it.charAt(0)));
        return found;
    }

    private static Set<String> names(String folder) {
        Set<String> names = new HashSet<String>();
        String[] all = new File(folder).list();
        for (String it : all == null ? new String[0] : all) {
            names.add(it);
        }
        return names;
    }

    private static Set<Thread> threads() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] all = new Thread[root.activeCount() + 64];
        int n = root.enumerate(all, true);
        Set<Thread> threads = new HashSet<Thread>();
        for (int i = 0; i < n; i++) {
            threads.add(all[i]);
        }
        return threads;
    }

    private static boolean isOfJdk(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        if (group == null || !thread.isAlive()) {
            return true;
        }
        boolean isSystem = group.getParent() == null || group.getName().equals("InnocuousThreadGroup");
        // Who collects what tests have registered runs their code.
        boolean isCleaner = thread.getName().startsWith("Cleaner-");
        // The common pool's threads end when they have nothing to do for a while.
        boolean isIdle = thread.getName().startsWith("ForkJoinPool.commonPool-worker-")
                && ForkJoinPool.commonPool().isQuiescent();
        return isSystem && !isCleaner || isIdle;
    }
}
