package quayside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;

import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;
import quayside.BookingController.Response;

class BookingControllerTest {

    private final BookingRepository bookings = new InMemoryBookingRepository();
    private BookingController controller;

    @BeforeEach
    void open() {
        var service = new BookingService(bookings, new SeasonTariff(200), mock(Notifier.class));
        controller = new BookingController(service);
    }

    private static Map<String, String> form(String boat, String berth) {
        return Map.of("boat", boat, "length", "850", "berth", berth,
                "arrival", "2031-05-01", "departure", "2031-05-04");
    }

    @Test
    void handleLineLikeForm() {
        Response first = controller.handle("BOOK Petrel 850 12 2031-05-01 2031-05-04");
        Response second = controller.handle(form("Heron", "12"));
        assertAll(
                () -> assertEquals(201, first.status()),
                () -> assertEquals(409, second.status()),
                () -> assertEquals("berth 12 is taken", second.body()));
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {" ", "BOOK", "CANCEL one two"})
    void handleBadRequests(String line) {
        Response response = controller.handle(line);
        assertThat(response.status()).isEqualTo(400);
    }

    @Test
    void renderEveryBooking() {
        controller.handle(form("Petrel", "12"));
        String page = controller.render(bookings.findByBerth(12));
        assertThat(page).isEqualTo("""
                 12  Petrel      3 nights
                """);
    }

    @Test
    void renderPrintsAPage() {
        controller.handle(form("Tern", "3"));
        System.out.print(controller.render(bookings.findByBerth(3)));
        System.out.println("-- end of page --");
    }
}
