package quayside;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.RepeatedTest;

class BookingIdsTest {

    private static final BookingIds IDS = new BookingIds();
    private static final Set<Long> SEEN = new HashSet<>();

    @RepeatedTest(5)
    void nextIdIsNew() {
        long id = IDS.nextId();
        assertTrue(SEEN.add(id));
    }
}
