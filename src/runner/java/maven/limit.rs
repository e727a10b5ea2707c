//! The time limits that Tests4J writes into tests (section 3.4): JUnit 4 and TestNG have them in their annotation, Jupiter
//! has one of its own.

use std::time::Duration;

use crate::model::Framework;

/// Returns a test with its limit, on the same lines; as it is where it has one, or where none can be put.
pub fn limited(text: &str, framework: Framework, limit: Duration) -> String {
    let (name, value) = match framework {
        Framework::JUnit4 => ("timeout", limit.as_millis()),
        Framework::TestNg => ("timeOut", limit.as_millis()),
        Framework::JUnit5 => {
            if text.contains("Timeout") {
                return text.to_owned();
            }
            let seconds = limit.as_secs().max(1);
            return format!("@org.junit.jupiter.api.Timeout({seconds}) {text}");
        }
        _ => return text.to_owned(),
    };
    let Some(end) = test_annotation(text) else {
        return text.to_owned();
    };
    let rest = text[end..].trim_start();
    let Some(arguments) = rest.strip_prefix('(') else {
        return format!("{}({name} = {value}){}", &text[..end], &text[end..]);
    };
    let at = text.len() - arguments.len();
    if has_limit(arguments, name) {
        return text.to_owned();
    }
    let comma = if arguments.trim_start().starts_with(')') {
        ""
    } else {
        ", "
    };
    format!("{}{name} = {value}{comma}{arguments}", &text[..at])
}

/// Returns where the first `@Test` ends, qualified or not.
fn test_annotation(text: &str) -> Option<usize> {
    let names = ["@Test", "@org.junit.Test", "@org.testng.annotations.Test"];
    let found = names.iter().flat_map(|it| text.match_indices(it));
    let ends = found.map(|(at, it)| at + it.len());
    let is_whole = |end: &usize| {
        !text[*end..].starts_with(|it: char| it.is_alphanumeric() || "_.".contains(it))
    };
    ends.filter(is_whole).min()
}

/// Returns whether arguments begin that name a limit before the body does.
fn has_limit(arguments: &str, name: &str) -> bool {
    let head = arguments.split('{').next().unwrap_or_default();
    head.match_indices(name).any(|(at, _)| {
        let rest = head[at + name.len()..].trim_start();
        rest.starts_with('=') && !rest.starts_with("==")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(framework: Framework, text: &str, expected: &str) {
        assert_eq!(limited(text, framework, Duration::from_secs(10)), expected);
    }

    #[test]
    fn junit_4_has_it_in_its_annotation() {
        let check = |text, expected| check(Framework::JUnit4, text, expected);
        check(
            "@Test\npublic void a() {}",
            "@Test(timeout = 10000)\npublic void a() {}",
        );
        check("@Test() void a() {}", "@Test(timeout = 10000) void a() {}");
        check(
            "@Test(expected = E.class) void a() {}",
            "@Test(timeout = 10000, expected = E.class) void a() {}",
        );
        check(
            "@Test(timeout = 5) void a() {}",
            "@Test(timeout = 5) void a() {}",
        );
        check(
            "@org.junit.Test void a() {}",
            "@org.junit.Test(timeout = 10000) void a() {}",
        );
        check("@TestFactory void a() {}", "@TestFactory void a() {}");
    }

    #[test]
    fn test_ng_writes_it_otherwise() {
        let text = "@Test(groups = \"a\") void a() {}";
        let expected = "@Test(timeOut = 10000, groups = \"a\") void a() {}";
        check(Framework::TestNg, text, expected);
    }

    #[test]
    fn jupiter_has_an_annotation_of_its_own() {
        let check = |text, expected| check(Framework::JUnit5, text, expected);
        check(
            "@Test void a() {}",
            "@org.junit.jupiter.api.Timeout(10) @Test void a() {}",
        );
        check(
            "@Timeout(1) @Test void a() {}",
            "@Timeout(1) @Test void a() {}",
        );
    }

    #[test]
    fn junit_3_has_none() {
        check(
            Framework::JUnit3,
            "public void testA() {}",
            "public void testA() {}",
        );
    }
}
