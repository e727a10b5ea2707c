package wordloom;

import java.util.List;
import java.util.Properties;

import org.junit.Before;
import org.junit.BeforeClass;

/** What the tests of tokens share. */
public abstract class LoomTestBase {

    protected static Properties samples;
    protected Tokenizer tokenizer;

    @BeforeClass
    public static void loadSamples() {
        samples = new Properties();
        samples.setProperty("song", "Row, row, row your boat");
        samples.setProperty("sum", "7 and 35 make 42");
    }

    @Before
    public void makeTokenizer() {
        tokenizer = Tokenizer.builder().skip(TokenKind.SPACE).lowerCase().build();
    }

    protected static String sample(String name) {
        return samples.getProperty(name);
    }

    protected static List<String> texts(List<Token> tokens) {
        return tokens.stream().map(Token::text).toList();
    }
}
