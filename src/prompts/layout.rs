//! Code that is shown elsewhere than it stands: moved to the left, or to where members of a class stand.

use crate::model::Span;
use crate::store::StoredMethod;

/// Indents code that begins at a place of its file, so that its first line has this indentation.
pub fn moved((text, span): (&str, Span), code: &str, indent: &str) -> String {
    let before = text.get(..span.start as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let width = line.len() - line.trim_start().len();
    let mut moved = String::with_capacity(code.len() + 64);
    for (idx, line) in code.lines().enumerate() {
        if idx > 0 {
            moved.push('\n');
        }
        let space = line.len() - line.trim_start().len();
        let kept = if idx == 0 {
            line
        } else {
            &line[space.min(width)..]
        };
        if !kept.trim().is_empty() {
            moved.push_str(indent);
            moved.push_str(kept.trim_end());
        }
    }
    moved
}

/// Removes the indentation of a declaration.
pub fn declaration(method: &StoredMethod) -> String {
    moved((&method.text, method.span), method.source(), "")
}

#[cfg(test)]
mod tests {
    use super::moved;
    use crate::model::Span;

    #[test]
    fn code_is_moved_as_a_whole() {
        let text = "class A {\n\t\tvoid f() {\n\t\t\tg();\n\n\t\t}\n}";
        let start = text.find("void").expect("it is there") as u32;
        let end = text.rfind("\n}").expect("it is there") as u32;
        let span = Span::new(start, end);
        assert_eq!(
            moved((text, span), span.of(text), "    "),
            "    void f() {\n    \tg();\n\n    }"
        );
        assert_eq!(
            moved((text, span), span.of(text), ""),
            "void f() {\n\tg();\n\n}"
        );
    }
}
