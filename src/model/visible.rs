//! Text of strangers, shown so that nothing in it does anything: neither to a terminal nor to the direction of text.

/// Makes control and direction-changing characters of `text` visible as escapes.
#[must_use]
pub fn visible(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars()
        .map(|c| {
            if is_hidden(c) {
                format!("⟨{:04X}⟩", c as u32)
            } else {
                c.to_string()
            }
        })
        .collect()
}

/// Makes everything hidden in source text visible, except tabs and line ends, which become `\n`.
#[must_use]
pub fn visible_source(text: &str) -> String {
    text.split('\n')
        .map(|line| {
            line.strip_suffix('\r')
                .unwrap_or(line)
                .split('\t')
                .map(visible)
                .collect::<Vec<_>>()
                .join("\t")
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_shown_and_not_done() {
        assert_eq!(visible("a\u{1b}[31m\u{202e}b"), "a⟨001B⟩[31m⟨202E⟩b");
        assert_eq!(visible_source("a\tb\r\nc\u{7}"), "a\tb\nc⟨0007⟩");
    }
}
