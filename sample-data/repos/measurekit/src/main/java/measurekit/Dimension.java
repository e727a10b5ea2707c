package measurekit;

/** What a unit measures. */
public enum Dimension {
    LENGTH, MASS, VOLUME, TIME
}
