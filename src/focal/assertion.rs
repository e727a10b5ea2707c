//! Which calls are assertions (MINING.md rules 6 and 14).
//!
//! By declaring class where it is known, by name only where it is not. Does not say what an assertion checks.

use crate::lang::java::is_assertion_name;
use crate::model::{Call, Method, Resolution};

/// Packages and classes of the libraries whose calls check, stub or verify; a prefix ends at a dot or at the name's end.
const LIBRARIES: &[&str] = &[
    "com.google.common.truth",
    "io.restassured",
    "junit.framework",
    "net.javacrumbs.jsonunit",
    "org.assertj",
    "org.easymock",
    "org.fest.assertions",
    "org.fest.assertions.api",
    "org.hamcrest",
    "org.jmock",
    "org.junit",
    "org.mockito",
    "org.opentest4j",
    "org.powermock",
    "org.skyscreamer.jsonassert",
    "org.springframework.test.util.AssertionErrors",
    "org.testng",
    "org.xmlunit",
    "reactor.test",
];

/// Returns whether a class belongs to an assertion, matcher or mocking library.
pub fn is_library_class(class: &str) -> bool {
    LIBRARIES.iter().any(|library| {
        class
            .strip_prefix(library)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Returns whether `call` is an assertion: of a library, of an unknown declaration with such a name, or the project's
/// own helper named `assert…`.
pub fn is_assertion(call: &Call, methods: &[Method]) -> bool {
    match &call.resolution {
        Resolution::Outside(Some(owner)) => is_library_class(owner),
        Resolution::Outside(None) | Resolution::Unknown(_) => is_assertion_name(&call.name),
        Resolution::Declared(_) | Resolution::Ambiguous(_) => super::declared(&call.resolution)
            .is_some_and(|method| methods[method.0 as usize].name.starts_with("assert")),
    }
}

/// Returns whether the call at `idx` sits in an assertion: as an argument, in the receiver chain, or in a lambda there.
pub fn is_inside_assertion(calls: &[Call], idx: usize, methods: &[Method]) -> bool {
    let mut parent = calls[idx].parent;
    while let Some((holder, _)) = parent {
        let call = &calls[holder as usize];
        if is_assertion(call, methods) {
            return true;
        }
        parent = call.parent;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_known_by_whole_segments_of_its_package() {
        assert!(is_library_class("org.junit.Assert"));
        assert!(is_library_class("org.junit.jupiter.api.Assertions"));
        assert!(is_library_class("junit.framework.TestCase"));
        assert!(!is_library_class("org.junitpioneer.Foo"));
        assert!(!is_library_class("java.util.List"));
    }

    #[test]
    fn names_speak_only_for_the_four_families() {
        for name in [
            "assertEquals",
            "assert_that",
            "fail",
            "assumeTrue",
            "verify",
            "verifyNoMoreInteractions",
        ] {
            assert!(is_assertion_name(name), "{name}");
        }
        for name in ["failover", "checkThat", "expect"] {
            assert!(!is_assertion_name(name), "{name}");
        }
    }
}
