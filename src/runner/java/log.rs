//! Reads errors of Maven and javac out of Maven's log.
//!
//! Errors of javac come in three forms, depending on its version and the way it is called: `[ERROR] F:[L,C] message`,
//! `[ERROR] F:[L,C] error: message`, and javac's own `F:L: error: message`. Maven writes each twice: when it happens,
//! and in its summary.

/// An error of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavacError {
    /// The file as it was given to javac.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 where javac gives none.
    pub column: u32,
    /// With the lines that belong to it, such as `symbol:` and `location:`.
    pub message: String,
}

/// Finds the errors of the compiler in a log, in order, each once.
pub fn compile_errors(log: &str) -> Vec<JavacError> {
    let mut found: Vec<JavacError> = Vec::new();
    // The index of the error to which following lines belong.
    let mut open = None;
    for line in log.lines() {
        if let Some(error) = parse(line) {
            let is_new = !found.iter().any(|other| is_same(other, &error));
            open = is_new.then_some(found.len());
            if is_new {
                found.push(error);
            }
            continue;
        }
        let more = line.strip_prefix("[ERROR]").unwrap_or(line);
        let is_more =
            more.starts_with(' ') && !more.trim().is_empty() && !more.contains("-> [Help");
        match open {
            // Source lines that javac quotes are left out: the line number is enough.
            Some(idx) if is_more && is_detail(more.trim()) => {
                let error: &mut JavacError = &mut found[idx];
                error.message.push('\n');
                error.message.push_str(more.trim());
            }
            Some(_) if is_more => {}
            _ => open = None,
        }
    }
    found
}

/// Tells whether two errors are the same: the summary repeats the first line of each, but not always the following
/// ones.
fn is_same(a: &JavacError, b: &JavacError) -> bool {
    let first = |error: &JavacError| error.message.lines().next().unwrap_or_default().to_owned();
    a.file == b.file
        && a.line == b.line
        && first(a) == first(b)
        && (a.column == b.column || a.column == 0 || b.column == 0)
}

fn is_detail(text: &str) -> bool {
    let begins = [
        "symbol",
        "location",
        "required",
        "found",
        "reason",
        "where ",
        "(",
        "method ",
        "constructor ",
    ];
    begins.iter().any(|begin| text.starts_with(begin))
}

fn parse(line: &str) -> Option<JavacError> {
    let is_maven = line.starts_with("[ERROR]");
    let text = line.strip_prefix("[ERROR]").unwrap_or(line).trim_start();
    let mut places = text.match_indices(":[").map(|match_index| match_index.0);
    if is_maven && let Some(at) = places.find(|at| is_source(&text[..*at])) {
        let (place, message) = text[at + 2..].split_once(']')?;
        let (line, column) = place.split_once(',')?;
        let message = message.trim_start();
        return Some(JavacError {
            file: text[..at].to_owned(),
            line: line.parse().ok()?,
            column: column.trim().parse().ok()?,
            message: message
                .strip_prefix("error:")
                .unwrap_or(message)
                .trim()
                .to_owned(),
        });
    }
    let at = text.find(": error:")?;
    let (file, line) = text[..at].rsplit_once(':')?;
    is_source(file).then_some(())?;
    Some(JavacError {
        file: file.to_owned(),
        line: line.parse().ok()?,
        column: 0,
        message: text[at + ": error:".len()..].trim().to_owned(),
    })
}

fn is_source(path: &str) -> bool {
    [".java", ".kt", ".groovy", ".scala"]
        .iter()
        .any(|text| path.ends_with(text))
}

/// Finds the errors that Maven prints before it begins with any module, the first ones joined; nothing where it says
/// none.
pub fn first_errors(log: &str) -> Option<String> {
    let errors = log.lines().filter_map(|line| {
        let text = line
            .strip_prefix("[ERROR]")
            .or_else(|| line.strip_prefix("[FATAL]"))?;
        let text = text.split(" -> [Help").next()?.trim();
        let begins = ["[Help", "[ERROR] Some problems", "To see the full"];
        let is_said = !text.is_empty() && !begins.iter().any(|begin| text.starts_with(begin));
        is_said.then(|| text.to_owned())
    });
    let mut once: Vec<String> = Vec::new();
    for error in errors.take(40) {
        if !once.contains(&error) && once.len() < 4 {
            once.push(error);
        }
    }
    (!once.is_empty()).then(|| once.join("\n"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn errors_are_read_in_three_forms_and_each_once() {
        let log = "\
[INFO] --- maven-compiler-plugin:3.15.0:testCompile (default-testCompile) @ x ---
[ERROR] COMPILATION ERROR : 
[INFO] -------------------------------------------------------------
[ERROR] /w/src/test/java/p/ATest.java:[7,9] cannot find symbol
  symbol:   method nope()
  location: class p.ATest
[ERROR] /w/src/test/java/p/ATest.java:[9,13] error: incompatible types: String cannot be converted to int
/w/src/test/java/p/BTest.java:3: error: ';' expected
        int x
             ^
[INFO] 3 errors 
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.15.0:testCompile on project x: Compilation failure: Compilation failure: 
[ERROR] /w/src/test/java/p/ATest.java:[7,9] cannot find symbol
[ERROR]   symbol:   method nope()
[ERROR]   location: class p.ATest
[ERROR] /w/src/test/java/p/ATest.java:[9,13] error: incompatible types: String cannot be converted to int
[ERROR] /w/src/test/java/p/BTest.java:[3,14] ';' expected
[ERROR] -> [Help 1]
";
        let found: Vec<String> = compile_errors(log)
            .iter()
            .map(|compile_error| {
                format!(
                    "{}:{}:{} {:?}",
                    compile_error.file,
                    compile_error.line,
                    compile_error.column,
                    compile_error.message
                )
            })
            .collect();
        expect![[r#"
            /w/src/test/java/p/ATest.java:7:9 "cannot find symbol\nsymbol:   method nope()\nlocation: class p.ATest"
            /w/src/test/java/p/ATest.java:9:13 "incompatible types: String cannot be converted to int"
            /w/src/test/java/p/BTest.java:3:0 "';' expected""#]]
        .assert_eq(&found.join("\n"));
    }

    #[test]
    fn a_path_may_hold_what_separates() {
        let found = compile_errors(
            "[ERROR] /w/a:[b c]/A.java:[1,2] x: [y]\n/w/a: error/A.java:4: error: z\n",
        );
        let found: Vec<(&str, u32)> = found
            .iter()
            .map(|error| (error.file.as_str(), error.line))
            .collect();
        assert_eq!(found, [("/w/a:[b c]/A.java", 1), ("/w/a: error/A.java", 4)]);
    }

    #[test]
    fn what_stops_maven_at_once_is_told_in_short() {
        let log = "\
[INFO] Scanning for projects...
[ERROR] [ERROR] Some problems were encountered while processing the POMs:
[FATAL] Non-parseable POM /w/pom.xml: only whitespace content allowed @ line 1, column 1
 @ 
[ERROR] The build could not read 1 project -> [Help 1]
[ERROR]   
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
";
        expect![[r"
            Non-parseable POM /w/pom.xml: only whitespace content allowed @ line 1, column 1
            The build could not read 1 project"]]
        .assert_eq(&first_errors(log).expect("it says some"));
        assert_eq!(first_errors("[INFO] BUILD SUCCESS\n"), None);
    }
}
