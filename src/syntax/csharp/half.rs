//! Directives that a piece of C# cuts in half: an assertion part may begin or end between `#if` and `#endif`.

/// Blanks the conditional directives whose other half lies outside of the text; nothing where every one of them is
/// whole.
pub fn without_halves(text: &str) -> Option<String> {
    let mut open: Vec<Vec<usize>> = Vec::new();
    let mut halves = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match directive(line) {
            Some("if") => open.push(vec![at]),
            Some("elif" | "else") => match open.last_mut() {
                Some(lines) => lines.push(at),
                None => halves.push(at),
            },
            Some("endif") if open.pop().is_none() => halves.push(at),
            _ => {}
        }
        at += line.len();
    }
    halves.extend(open.into_iter().flatten());
    if halves.is_empty() {
        return None;
    }
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let is_half = halves.contains(&at);
        at += line.len();
        if !is_half {
            return line.to_owned();
        }
        // By as many bytes, so that offsets stay the same.
        let end = line.trim_end_matches(['\r', '\n']).len();
        " ".repeat(end) + &line[end..]
    });
    Some(lines.collect())
}

/// Names the directive on a line.
fn directive(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let end = rest.find(|letter: char| !letter.is_ascii_alphabetic());
    Some(&rest[..end.unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use super::without_halves;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(without_halves(text).as_deref(), expected);
    }

    #[test]
    fn what_has_both_halves_stays() {
        check("a();\n#if NET\nb();\n#else\nc();\n#endif\n", None);
        check("#region x\n#pragma warning disable\n", None);
    }

    #[test]
    fn a_half_becomes_blanks() {
        check("a();\n#if NET\nb();", Some("a();\n       \nb();"));
        check(
            "a();\r\n # endif\r\n#if X\n#endif",
            Some("a();\r\n        \r\n#if X\n#endif"),
        );
        check("#else\nb();\n#endif", Some("     \nb();\n      "));
    }
}
