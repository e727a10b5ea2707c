//! JSON and YAML as values that know their lines, so that problems of a file are reported with their places.
//!
//! Both read into the same [`ValueAtLine`]. A name twice in one object, which other readers pass over in silence, is an error here;
//! so are YAML's anchors, tags and second documents, which none of our files has.

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::Value;

/// Deeper values are refused; nothing of ours is nested half as deep.
const DEPTH_MAX: usize = 96;

/// A value, and the line that it begins on.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueAtLine {
    /// From 1.
    pub line: u32,
    pub value: PlacedValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PlacedValue {
    Null,
    Truth(bool),
    Number(f64),
    Text(String),
    List(Vec<ValueAtLine>),
    /// In their order.
    Members(Vec<(String, ValueAtLine)>),
}

/// Why a text has no value, and where that shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedError {
    pub line: u32,
    /// A lower-case fragment.
    pub what: String,
}

impl PlacedError {
    fn new(line: u32, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { line, what }
    }
}

impl ValueAtLine {
    /// Makes a value on one line.
    #[must_use]
    pub fn on_line(line: u32, value: &Value) -> Self {
        let inner = |value: &Value| Self::on_line(line, value);
        let value = match value {
            Value::Null => PlacedValue::Null,
            Value::Bool(truth) => PlacedValue::Truth(*truth),
            Value::Number(number) => PlacedValue::Number(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => PlacedValue::Text(text.clone()),
            Value::Array(list) => PlacedValue::List(list.iter().map(inner).collect()),
            Value::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| (name.clone(), inner(value)));
                PlacedValue::Members(members.collect())
            }
        };
        Self { line, value }
    }

    /// Looks up a member of an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.members()
            .iter()
            .find(|member| member.0 == name)
            .map(|member| &member.1)
    }

    /// Lists the members of an object; none of anything else.
    #[must_use]
    pub fn members(&self) -> &[(String, Self)] {
        match &self.value {
            PlacedValue::Members(members) => members,
            _ => &[],
        }
    }

    /// Lists the elements of a list; none of anything else.
    #[must_use]
    pub fn elements(&self) -> &[Self] {
        match &self.value {
            PlacedValue::List(list) => list,
            _ => &[],
        }
    }

    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            PlacedValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Reads a whole number that is not negative.
    #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
    #[must_use]
    pub fn whole(&self) -> Option<u64> {
        match self.value {
            PlacedValue::Number(number) if number >= 0.0 && number.fract() == 0.0 => {
                Some(number as u64)
            }
            _ => None,
        }
    }

    /// Names the kind of the value, for people.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.value {
            PlacedValue::Null => "null",
            PlacedValue::Truth(_) => "a truth value",
            PlacedValue::Number(_) => "a number",
            PlacedValue::Text(_) => "text",
            PlacedValue::List(_) => "a list",
            PlacedValue::Members(_) => "an object",
        }
    }
}

/// Reads one document of JSON.
///
/// # Errors
/// It is none; a name stands twice in an object.
pub fn json(text: &str) -> Result<ValueAtLine, PlacedError> {
    if let Err(error) = serde_json::from_str::<Value>(text) {
        let message = error.to_string();
        let what = message.split(" at line").next().unwrap_or(&message);
        let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
        return Err(PlacedError::new(line, format!("not JSON: {what}")));
    }
    let mut walk = JsonWalk {
        text,
        at: 0,
        line: 1,
    };
    walk.value()
}

/// Goes through a text that is known to be JSON.
struct JsonWalk<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl JsonWalk<'_> {
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(b' ')
    }

    /// Passes over white space and the signs between values.
    fn skip(&mut self) {
        while self.at < self.text.len() && b" \t\r\n,:".contains(&self.byte()) {
            self.line += u32::from(self.byte() == b'\n');
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<ValueAtLine, PlacedError> {
        self.skip();
        let line = self.line;
        let value = match self.byte() {
            b'{' => PlacedValue::Members(self.object()?),
            b'[' => PlacedValue::List(self.list()?),
            b'"' => PlacedValue::Text(self.string()),
            _ => self.word(),
        };
        Ok(ValueAtLine { line, value })
    }

    fn object(&mut self) -> Result<Vec<(String, ValueAtLine)>, PlacedError> {
        let mut members: Vec<(String, ValueAtLine)> = Vec::new();
        self.at += 1;
        loop {
            self.skip();
            if self.byte() == b'}' {
                self.at += 1;
                return Ok(members);
            }
            let line = self.line;
            let name = self.string();
            if members.iter().any(|member| member.0 == name) {
                return Err(PlacedError::new(line, format!("`{name}` is repeated here")));
            }
            let value = self.value()?;
            members.push((name, value));
        }
    }

    fn list(&mut self) -> Result<Vec<ValueAtLine>, PlacedError> {
        let mut list = Vec::new();
        self.at += 1;
        loop {
            self.skip();
            if self.byte() == b']' {
                self.at += 1;
                return Ok(list);
            }
            list.push(self.value()?);
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while self.at < self.text.len() && self.byte() != b'"' {
            self.at += if self.byte() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        let quoted = self.text.get(start..self.at).unwrap_or("\"\"");
        serde_json::from_str(quoted).unwrap_or_else(|_| quoted.to_owned())
    }

    fn word(&mut self) -> PlacedValue {
        let start = self.at;
        while self.at < self.text.len() && !b" \t\r\n,:]}".contains(&self.byte()) {
            self.at += 1;
        }
        match &self.text[start..self.at] {
            "true" => PlacedValue::Truth(true),
            "false" => PlacedValue::Truth(false),
            "null" => PlacedValue::Null,
            number => PlacedValue::Number(number.parse().unwrap_or(f64::NAN)),
        }
    }
}

/// Reads one document of YAML that begins on this line of its file.
///
/// # Errors
/// It is none; a name stands twice; it has what our files do not have.
pub fn yaml(text: &str, first_line: u32) -> Result<ValueAtLine, PlacedError> {
    let mut walk = YamlWalk {
        parser: Parser::new_from_str(text),
        first_line,
    };
    let mut found = None;
    loop {
        let (event, line) = walk.next()?;
        match event {
            Event::StreamEnd => break,
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            _ if found.is_some() => return Err(PlacedError::new(line, "a second document")),
            event => found = Some(walk.node(event, line, 0)?),
        }
    }
    found.ok_or_else(|| PlacedError::new(first_line, "nothing in it"))
}

struct YamlWalk<'t> {
    parser: Parser<'t, StrInput<'t>>,
    first_line: u32,
}

impl<'t> YamlWalk<'t> {
    fn line(&self, line: usize) -> u32 {
        let line = u32::try_from(line).unwrap_or(u32::MAX).max(1);
        line.saturating_add(self.first_line - 1)
    }

    fn next(&mut self) -> Result<(Event<'t>, u32), PlacedError> {
        match self.parser.next_event() {
            Some(Ok((event, Span { start, .. }))) => Ok((event, self.line(start.line()))),
            Some(Err(error)) => {
                let what = format!("not YAML: {}", error.info());
                Err(PlacedError::new(self.line(error.marker().line()), what))
            }
            None => Ok((Event::StreamEnd, self.first_line)),
        }
    }

    fn node(
        &mut self,
        event: Event<'t>,
        line: u32,
        depth: usize,
    ) -> Result<ValueAtLine, PlacedError> {
        if depth > DEPTH_MAX {
            return Err(PlacedError::new(line, "nested too deep"));
        }
        let plain = |anchor: usize, is_tagged: bool| match (anchor, is_tagged) {
            (0, false) => Ok(()),
            _ => Err(PlacedError::new(line, "an anchor or a tag")),
        };
        let value = match event {
            Event::Scalar(text, style, anchor, tag) => {
                plain(anchor, tag.is_some())?;
                match style {
                    ScalarStyle::Plain => scalar(&text),
                    _ => PlacedValue::Text(text.into_owned()),
                }
            }
            Event::SequenceStart(anchor, tag) => {
                plain(anchor, tag.is_some())?;
                let mut list = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break PlacedValue::List(list),
                        (event, line) => list.push(self.node(event, line, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(anchor, tag) => {
                plain(anchor, tag.is_some())?;
                self.mapping(depth)?
            }
            _ => return Err(PlacedError::new(line, "an alias")),
        };
        Ok(ValueAtLine { line, value })
    }

    fn mapping(&mut self, depth: usize) -> Result<PlacedValue, PlacedError> {
        let mut members: Vec<(String, ValueAtLine)> = Vec::new();
        loop {
            let (name, line) = match self.next()? {
                (Event::MappingEnd, _) => return Ok(PlacedValue::Members(members)),
                (Event::Scalar(name, ..), line) => (name.into_owned(), line),
                (_, line) => return Err(PlacedError::new(line, "a name that is not text")),
            };
            if members.iter().any(|member| member.0 == name) {
                return Err(PlacedError::new(line, format!("`{name}` is repeated here")));
            }
            let (event, line) = self.next()?;
            let value = self.node(event, line, depth + 1)?;
            members.push((name, value));
        }
    }
}

/// Parses a word without quotes as YAML 1.2 does.
fn scalar(text: &str) -> PlacedValue {
    let is_number = || {
        let digits = text.trim_start_matches(['-', '+']);
        digits.starts_with(|digit: char| digit.is_ascii_digit() || digit == '.')
    };
    match text {
        "" | "~" | "null" | "Null" | "NULL" => PlacedValue::Null,
        "true" | "True" | "TRUE" => PlacedValue::Truth(true),
        "false" | "False" | "FALSE" => PlacedValue::Truth(false),
        _ => match text.parse::<f64>() {
            Ok(number) if is_number() => PlacedValue::Number(number),
            _ => PlacedValue::Text(text.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a value with the line of each member.
    fn shown(placed: &ValueAtLine) -> String {
        match &placed.value {
            PlacedValue::Null => "null".to_owned(),
            PlacedValue::Truth(truth) => truth.to_string(),
            PlacedValue::Number(number) => number.to_string(),
            PlacedValue::Text(text) => format!("{text:?}"),
            PlacedValue::List(list) => {
                let list: Vec<String> = list.iter().map(shown).collect();
                format!("[{}]", list.join(" "))
            }
            PlacedValue::Members(members) => {
                let members = members
                    .iter()
                    .map(|(name, at_line)| format!("{name}@{}={}", at_line.line, shown(at_line)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn check(found: Result<ValueAtLine, PlacedError>, expected: Result<&str, (u32, &str)>) {
        let found = found
            .map(|at_line| shown(&at_line))
            .map_err(|error| (error.line, error.what));
        let expected = expected
            .map(str::to_owned)
            .map_err(|(line, what)| (line, what.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn json_knows_its_lines() {
        check(
            json(
                "{\n \"a\": [1, -2.5e1,\n true],\n \"b\\\"\": {\"c\": \"\\ud83d\\ude00 ]}\"},\n\"d\":null}\n",
            ),
            Ok("{a@2=[1 -25 true] b\"@4={c@4=\"😀 ]}\"} d@5=null}"),
        );
        check(json("[]"), Ok("[]"));
        check(
            json("{\"a\": 1,\n\"a\": 2}"),
            Err((2, "`a` is repeated here")),
        );
        check(
            json("{\n\"a\": 1\n"),
            Err((3, "not JSON: EOF while parsing an object")),
        );
    }

    #[test]
    fn yaml_knows_its_lines_and_what_words_mean() {
        let text = "a: 1.2.0\nb:\n- 1\n- 'x: y'\n- ~\nc: {d: true, e: \"\\u00e4\"}\nf: >\n  two\n  lines\ng: 2026-01-31\n";
        check(
            yaml(text, 1),
            Ok(
                "{a@1=\"1.2.0\" b@3=[1 \"x: y\" null] c@6={d@6=true e@6=\"ä\"} f@8=\"two lines\\n\" g@10=\"2026-01-31\"}",
            ),
        );
        check(yaml("a: 1\na: 2", 5), Err((6, "`a` is repeated here")));
        check(yaml("a: &x 1\nb: *x", 1), Err((1, "an anchor or a tag")));
        check(yaml("--- 1\n--- 2\n", 1), Err((2, "a second document")));
        check(yaml("", 3), Err((3, "nothing in it")));
        assert!(yaml("a: [1\nb: }", 1).is_err());
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert!(yaml(&deep, 1).is_err());
    }
}
