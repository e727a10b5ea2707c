package wordloom;

/** Breaks after every line feed. */
public class LineSplitter extends AbstractSplitter {

    @Override
    protected boolean breaksBetween(int left, int right) {
        return left == '\n';
    }
}
