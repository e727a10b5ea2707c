package quayside;

/** A place at the quay. */
public record Berth(int number, int lengthCm) {
}
