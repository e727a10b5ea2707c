//! The user's editor: which one it is, and how it gets the line.

use std::path::Path;

use crate::own::{self, ProgramError};

/// The form in which an editor takes the line to open a file at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineArgumentStyle {
    /// `vi +12 file`
    Plus,
    /// `hx file:12`
    Colon,
    /// `code --goto file:12`
    Goto,
}

const MANNERS: &[(&str, LineArgumentStyle)] = &[
    ("hx", LineArgumentStyle::Colon),
    ("helix", LineArgumentStyle::Colon),
    ("subl", LineArgumentStyle::Colon),
    ("zed", LineArgumentStyle::Colon),
    ("code", LineArgumentStyle::Goto),
    ("codium", LineArgumentStyle::Goto),
    ("cursor", LineArgumentStyle::Goto),
];

/// The editor where none is set.
pub const DEFAULT: &str = "vi";

/// Finds the variable that names the user's editor, with its value.
pub fn chosen(variable: &dyn Fn(&str) -> Option<String>) -> Option<(&'static str, String)> {
    ["VISUAL", "EDITOR"].into_iter().find_map(|name| {
        let value = variable(name).filter(|value| !value.trim().is_empty())?;
        Some((name, value))
    })
}

/// Splits an editor's command into program and arguments: `editor` is the value of `$VISUAL` or `$EDITOR`, which may
/// hold arguments.
fn command_line(editor: &str, path: &Path, line: u32) -> Option<(String, Vec<String>)> {
    let mut words = editor.split_whitespace().map(str::to_owned);
    let program = words.next()?;
    let name = Path::new(&program).file_stem()?.to_str()?;
    let manner = MANNERS.iter().find(|(text, _)| *text == name);
    let manner = manner.map_or(LineArgumentStyle::Plus, |(_, manner)| *manner);
    let mut arguments: Vec<String> = words.collect();
    let path = path.display().to_string();
    match manner {
        LineArgumentStyle::Plus => arguments.extend([format!("+{line}"), path]),
        LineArgumentStyle::Colon => arguments.push(format!("{path}:{line}")),
        LineArgumentStyle::Goto => {
            arguments.extend(["--goto".to_owned(), format!("{path}:{line}")]);
        }
    }
    Some((program, arguments))
}

/// Opens the editor and waits for its end. The terminal must have been given back, and no other thread may read from
/// it.
///
/// # Errors
/// The file is gone, or the editor cannot be started or fails.
pub fn open(
    variable: &dyn Fn(&str) -> Option<String>,
    path: &Path,
    line: u32,
) -> Result<(), ProgramError> {
    if !path.exists() {
        let path = path.display().to_string();
        return Err(ProgramError::Gone { path });
    }
    let editor = chosen(variable).map_or_else(|| DEFAULT.to_owned(), |(_, editor)| editor);
    let Some((program, arguments)) = command_line(&editor, path, line) else {
        return Err(ProgramError::NoProgram { words: editor });
    };
    own::run(&program, &arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(editor: &str, expected: &[&str]) {
        let (program, arguments) =
            command_line(editor, Path::new("src/A.java"), 12).expect("a program is named");
        let words: Vec<String> = [program].into_iter().chain(arguments).collect();
        assert_eq!(words, expected);
    }

    #[test]
    fn every_editor_is_told_the_line_in_its_own_way() {
        check("vi", &["vi", "+12", "src/A.java"]);
        check("emacs -nw", &["emacs", "-nw", "+12", "src/A.java"]);
        check(
            "/usr/bin/code --wait",
            &["/usr/bin/code", "--wait", "--goto", "src/A.java:12"],
        );
        check("hx", &["hx", "src/A.java:12"]);
    }

    #[test]
    fn a_file_that_is_gone_opens_no_editor() {
        let nothing = |_: &str| None;
        assert_eq!(
            open(&nothing, Path::new("no/such/file.java"), 1),
            Err(ProgramError::Gone {
                path: "no/such/file.java".to_owned()
            })
        );
    }
}
