package focalist;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/** What tests find as standard streams: nothing to read, and a sink that forgets what is too much and cannot be closed. */
final class Streams {
    private static final int KEPT_MAX = 64 * 1024;

    private Streams() {}

    static InputStream empty() {
        return new ByteArrayInputStream(new byte[0]);
    }

    static PrintStream sink() {
        return new PrintStream(new Sink(), false) {
            @Override
            public void close() {
                // The next test writes to it, too.
            }
        };
    }

    private static final class Sink extends OutputStream {
        private int n;

        @Override
        public synchronized void write(int b) {
            n = Math.min(n + 1, KEPT_MAX);
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            n = (int) Math.min((long) n + length, KEPT_MAX);
        }
    }
}
