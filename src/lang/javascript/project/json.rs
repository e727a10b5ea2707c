//! Reads JSON as people write it in configurations: with comments and trailing commas.

/// How deep values may be nested.
const DEPTH_MAX: u32 = 60;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// A number, `true`, `null`: nothing that is asked for.
    Other,
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses the value of a text; a broken part ends it.
    pub fn read(text: &str) -> Self {
        let mut reader = JsonReader {
            bytes: text.as_bytes(),
            text,
            at: 0,
        };
        reader.value(0)
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => entries
                .iter()
                .find(|entry| entry.0 == key)
                .map(|entry| &entry.1),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }
}

struct JsonReader<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
}

impl JsonReader<'_> {
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            let rest = &self.bytes[self.at..];
            if byte.is_ascii_whitespace() || byte == b',' || byte == 0xEF {
                self.at += if byte == 0xEF { 3 } else { 1 };
            } else if rest.starts_with(b"//") {
                self.at += rest
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                let end = rest.windows(2).position(|window| window == b"*/");
                self.at += end.map_or(rest.len(), |end| end + 2);
            } else {
                return Some(byte);
            }
        }
    }

    fn value(&mut self, depth: u32) -> Json {
        if depth > DEPTH_MAX {
            self.at = self.bytes.len();
            return Json::Other;
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                while !matches!(self.peek(), None | Some(b']')) {
                    let before = self.at;
                    items.push(self.value(depth + 1));
                    if self.at == before {
                        break;
                    }
                }
                self.at += 1;
                Json::List(items)
            }
            Some(b'"') => Json::Text(self.string()),
            _ => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let is_end =
                    |byte: &u8| matches!(*byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                self.at += rest.iter().position(is_end).unwrap_or(rest.len());
                Json::Other
            }
        }
    }

    fn object(&mut self, depth: u32) -> Json {
        self.at += 1;
        let mut entries = Vec::new();
        while self.peek() == Some(b'"') {
            let key = self.string();
            if self.peek() == Some(b':') {
                self.at += 1;
            }
            entries.push((key, self.value(depth + 1)));
        }
        if self.peek() == Some(b'}') {
            self.at += 1;
        }
        Json::Object(entries)
    }

    fn string(&mut self) -> String {
        self.at += 1;
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        let end = self.at.min(self.bytes.len());
        self.at = end + 1;
        let text = self.text.get(start..end).unwrap_or_default();
        text.replace("\\/", "/")
            .replace("\\\\", "\\")
            .replace("\\\"", "\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read_over() {
        let json =
            Json::read("{ /* a */ \"a\": [\"x\", 1, true,], // b\n \"b\": {\"c\": \"d\\\"\"}, }");
        assert_eq!(json.get("a").map(|json| json.items().len()), Some(3));
        let text = json
            .get("b")
            .and_then(|json| json.get("c"))
            .and_then(Json::text);
        assert_eq!(text, Some("d\""));
    }

    #[test]
    fn what_is_broken_ends() {
        for text in [
            "", "{", "[", "{\"a\"", "{\"a\": ", "\"", "[}", "{]", "\\", "{\"a\\",
        ] {
            Json::read(text);
        }
        assert_eq!(Json::read(&"[".repeat(100_000)).items().len(), 1);
    }
}
