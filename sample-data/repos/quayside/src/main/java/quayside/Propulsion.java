package quayside;

/** What moves a boat. */
public enum Propulsion {
    SAIL, ENGINE, OARS;

    public boolean needsFuel() {
        return this == ENGINE;
    }
}
