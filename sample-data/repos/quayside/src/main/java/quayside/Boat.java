package quayside;

/** A boat as the harbour master sees it. */
public record Boat(String name, int lengthCm, Propulsion propulsion) {

    public static Boat sailing(String name, int lengthCm) {
        return new Boat(name, lengthCm, Propulsion.SAIL);
    }

    public boolean fits(Berth berth) {
        return lengthCm <= berth.lengthCm();
    }
}
