package quayside;

import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** Turns requests into calls of the service, and what comes of them into responses. */
public class BookingController {

    /** A status as on the web, and a text. */
    public record Response(int status, String body) {
    }

    private final BookingService service;

    public BookingController(BookingService service) {
        this.service = service;
    }

    /** Handles a line such as {@code BOOK Petrel 850 12 2031-05-01 2031-05-04} or {@code CANCEL 1001}. */
    public Response handle(String line) {
        if (line == null || line.isBlank()) {
            return new Response(400, "empty request");
        }
        String[] words = line.trim().split("\\s+");
        return switch (words[0]) {
            case "BOOK" -> words.length == 6
                    ? handle(Map.of("boat", words[1], "length", words[2], "berth", words[3],
                            "arrival", words[4], "departure", words[5]))
                    : new Response(400, "BOOK boat length berth arrival departure");
            case "CANCEL" -> words.length == 2 ? cancel(words[1]) : new Response(400, "CANCEL id");
            default -> new Response(404, "no such command: " + words[0]);
        };
    }

    /** Handles a form that books a sailing boat. */
    public Response handle(Map<String, String> form) {
        try {
            Boat boat = Boat.sailing(form.get("boat"), Integer.parseInt(form.get("length")));
            Berth berth = new Berth(Integer.parseInt(form.get("berth")), 1200);
            Period period = Period.of(form.get("arrival"), form.get("departure"));
            return new Response(201, Long.toString(service.book(boat, berth, period).getId()));
        } catch (BerthTakenException taken) {
            return new Response(409, taken.getMessage());
        } catch (RuntimeException malformed) {
            return new Response(400, "cannot read the form");
        }
    }

    private Response cancel(String id) {
        try {
            service.cancel(Long.parseLong(id));
            return new Response(204, "");
        } catch (NoSuchElementException missing) {
            return new Response(404, missing.getMessage());
        }
    }

    /** One line a booking, as the harbour master prints it. */
    public String render(List<Booking> bookings) {
        StringBuilder page = new StringBuilder();
        for (Booking booking : bookings) {
            page.append(row(booking)).append('\n');
        }
        return page.toString();
    }

    private static String row(Booking booking) {
        return String.format("%3d  %-10s %2d nights", booking.getBerth().number(),
                booking.getBoat().name(), booking.getPeriod().nights());
    }
}
