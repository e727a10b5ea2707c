package quayside;

/** Somebody else has the berth for one of the nights. */
public class BerthTakenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public BerthTakenException(Berth berth) {
        super("berth " + berth.number() + " is taken");
    }
}
