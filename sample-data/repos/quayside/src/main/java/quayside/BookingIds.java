package quayside;

import java.util.concurrent.atomic.AtomicLong;

/** Hands out numbers, each one once. */
public class BookingIds {

    private final AtomicLong last = new AtomicLong(1000);

    public long nextId() {
        return last.incrementAndGet();
    }
}
