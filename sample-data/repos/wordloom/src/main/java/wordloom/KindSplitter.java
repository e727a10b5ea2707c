package wordloom;

/** Breaks where one kind of character ends; symbols stand alone. */
public class KindSplitter extends AbstractSplitter {

    @Override
    protected boolean breaksBetween(int left, int right) {
        TokenKind kind = TokenKind.of(left);
        return kind == TokenKind.SYMBOL || !kind.accepts(right);
    }
}
