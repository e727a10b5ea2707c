//! Passwords in addresses from a user's settings: cut out where foreign code will read them.

/// Strips name and password before the host from every address in a text, with or without a scheme.
#[must_use]
pub fn without_passwords(text: &str) -> String {
    let is_between =
        |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '<' | '>');
    let mut cut = String::with_capacity(text.len());
    for piece in text.split_inclusive(is_between) {
        let end = piece.trim_end_matches(is_between).len();
        let (word, rest) = piece.split_at(end);
        cut.push_str(&of_word(word));
        cut.push_str(rest);
    }
    cut
}

fn of_word(word: &str) -> String {
    let (start, has_scheme) = match (word.find("://"), word.find('=')) {
        (Some(at), _) => (at + 3, true),
        (None, Some(at)) => (at + 1, false),
        (None, None) => (0, false),
    };
    let (before, address) = word.split_at(start);
    let end = address.find(['/', '?', '#']).unwrap_or(address.len());
    match address[..end].rfind('@') {
        Some(at) if has_scheme || address[..at].contains(':') => {
            format!("{before}{}", &address[at + 1..])
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_without_what_opens_it() {
        for (text, expected) in [
            ("https://ada:se=cret@x.y/simple", "https://x.y/simple"),
            ("http://token@x.y:80?a=b@c", "http://x.y:80?a=b@c"),
            ("proxy = ada:secret@x.y:80\n", "proxy = x.y:80\n"),
            ("proxy=ada:secret@x.y:80", "proxy=x.y:80"),
            (
                "url = \"https://ada:p@q@x.y/\" # ours\n",
                "url = \"https://x.y/\" # ours\n",
            ),
            (
                "<url>https://ada:secret@x.y</url>",
                "<url>https://x.y</url>",
            ),
            ("https://x.y/a@b ada@x.y", "https://x.y/a@b ada@x.y"),
        ] {
            assert_eq!(without_passwords(text), expected);
        }
    }
}
