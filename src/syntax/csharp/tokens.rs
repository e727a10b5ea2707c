//! The tokens of a piece of C#. A member that cannot stand at the top of a file, such as a constructor or a property,
//! is cut as in a class: standing alone it is an error to the grammar, and skipped text is no token.

use crate::model::{Language, Span};
use crate::tree;

const HEAD: &str = "class _ {\n";
const TAIL: &str = "\n}";

/// Cuts a text into tokens; one that is broken in a class, too, has those that the parser finds in it alone.
pub fn tokens(text: &str) -> Vec<Span> {
    let (tokens, is_sound) = tree::read_tokens(Language::CSharp, text);
    if is_sound {
        return tokens;
    }
    in_class(text).unwrap_or(tokens)
}

/// Cuts members of a class into tokens; nothing where the text is no such members.
fn in_class(text: &str) -> Option<Vec<Span>> {
    let class = [HEAD, text, TAIL].concat();
    let (tokens, is_sound) = tree::read_tokens(Language::CSharp, &class);
    let start = HEAD.len() as u32;
    let end = (HEAD.len() + text.len()) as u32;
    let inside = tokens.iter();
    let inside = inside.filter(|token| start <= token.start && token.end <= end);
    is_sound.then(|| {
        inside
            .map(|token| Span::new(token.start - start, token.end - start))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::tokens;

    fn check(text: &str, expected: &str) {
        let found: Vec<&str> = tokens(text).iter().map(|token| token.of(text)).collect();
        assert_eq!(found.join("␣"), expected);
    }

    #[test]
    fn members_have_the_tokens_that_they_have_in_a_class() {
        check(
            "public A(B<int> c) : base(c) { } // d",
            "public␣A␣(␣B␣<␣int␣>␣c␣)␣:␣base␣(␣c␣)␣{␣}",
        );
        check(
            "internal A(B[] c) { D(c); }",
            "internal␣A␣(␣B␣[␣]␣c␣)␣{␣D␣(␣c␣)␣;␣}",
        );
        check(
            "public int this[int a] => 0;",
            "public␣int␣this␣[␣int␣a␣]␣=>␣0␣;",
        );
        check("void A.B() { } // c", "void␣A␣.␣B␣(␣)␣{␣}");
        check("public List<A> B => c;", "public␣List␣<␣A␣>␣B␣=>␣c␣;");
    }

    #[test]
    fn statements_stand_for_themselves() {
        check("var a = \"b c\";", "var␣a␣=␣\"b c\"␣;");
        check("", "");
    }

    #[test]
    fn what_is_broken_in_a_class_too_has_what_the_parser_makes_of_it() {
        check("a(", "a␣(");
    }
}
