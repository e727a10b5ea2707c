//! The surroundings in which the terminal UI would open: the terminal, its colours, its clipboard, the editor.
//!
//! Asks the terminal nothing and writes nothing to it. Decides which surroundings are flawed; the command line prints
//! the findings.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use ratatui::layout::Size;

use crate::app::SIZE_MIN;
use crate::editor;
use crate::model::Finding;
use crate::theme::Themes;
use crate::{Depth, Options, appearance, term};

/// The facts about the surroundings, as far as findings need them.
struct TerminalEnvironment<'p> {
    variable: &'p dyn Fn(&str) -> Option<String>,
    size: Option<Size>,
    input_is_terminal: bool,
    out_is_terminal: bool,
    /// Whether a program can be started.
    finds: &'p dyn Fn(&str) -> bool,
}

/// Describes the surroundings as the terminal UI would find them.
#[must_use]
pub fn findings(options: &Options) -> Vec<Finding> {
    let variable = |name: &str| env::var(name).ok();
    let out_is_terminal = io::stdout().is_terminal();
    let place = TerminalEnvironment {
        variable: &variable,
        // Without a terminal, the library would start a program to ask for the size.
        size: out_is_terminal.then(term::size).flatten(),
        input_is_terminal: io::stdin().is_terminal(),
        out_is_terminal,
        finds: &|program| finds(program, env::var_os("PATH").as_deref()),
    };
    place.findings(options)
}

impl TerminalEnvironment<'_> {
    /// Reads a variable; nothing where it is unset or empty.
    fn set(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|text| !text.is_empty())
    }

    fn findings(&self, options: &Options) -> Vec<Finding> {
        let depth = options
            .depth
            .unwrap_or_else(|| Depth::detect(self.variable));
        let mut findings = vec![self.streams(), self.terminal()];
        findings.extend(self.size());
        findings.push(self.colours(depth));
        findings.push(self.theme(options));
        findings.push(self.locale());
        findings.extend(self.between(depth));
        findings.push(self.clipboard());
        findings.push(self.editor());
        findings
    }

    fn streams(&self) -> Finding {
        let name = "streams";
        let say = |is_terminal| {
            if is_terminal {
                "a terminal"
            } else {
                "no terminal"
            }
        };
        let value = format!(
            "stdin {}, stdout {}",
            say(self.input_is_terminal),
            say(self.out_is_terminal)
        );
        if self.input_is_terminal && self.out_is_terminal {
            Finding::good(name, value)
        } else {
            Finding::doubtful(
                name,
                value,
                "the terminal UI cannot open here; commands that print still work",
            )
        }
    }

    fn terminal(&self) -> Finding {
        let name = "TERM";
        match self.set("TERM").as_deref() {
            None => Finding::doubtful(
                name,
                "not set",
                "set it to the type of your terminal, such as `xterm-256color`",
            ),
            Some("dumb") => Finding::doubtful(
                name,
                "dumb",
                "it cannot move its cursor: `focalist review` works line by line here",
            ),
            Some(term) => Finding::good(name, term),
        }
    }

    fn size(&self) -> Option<Finding> {
        let Size { width, height } = self.size?;
        let value = format!("{width} × {height}");
        let Size {
            width: width_min,
            height: height_min,
        } = SIZE_MIN;
        Some(if width < width_min || height < height_min {
            let advice = format!("the terminal UI needs {width_min} × {height_min}");
            Finding::doubtful("size", value, advice)
        } else {
            Finding::good("size", value)
        })
    }

    fn colours(&self, depth: Depth) -> Finding {
        let said = ["NO_COLOR", "COLORTERM"]
            .into_iter()
            .filter_map(|name| Some(format!("{name}={}", self.set(name)?)))
            .collect::<Vec<_>>()
            .join(" ");
        let said = if said.is_empty() {
            "by TERM".to_owned()
        } else {
            said
        };
        let n = match depth {
            Depth::True => "true colours",
            Depth::Indexed => "256",
            Depth::Sixteen => "16",
            Depth::Mono => "none",
        };
        let value = format!("{n} ({said})");
        let name = "colours";
        match depth {
            Depth::True => Finding::good(name, value),
            // The user wants it so.
            Depth::Mono if self.set("NO_COLOR").is_some() => Finding::good(name, value),
            Depth::Mono => Finding::doubtful(name, value, "see TERM"),
            Depth::Indexed | Depth::Sixteen => Finding::doubtful(
                name,
                value,
                "if your terminal shows true colours, say so: `export COLORTERM=truecolor`",
            ),
        }
    }

    fn theme(&self, options: &Options) -> Finding {
        let name = "theme";
        match appearance(options, None, self.variable) {
            Ok((theme, _)) => {
                let (themes, problems) = Themes::of(&options.config.themes);
                let whose = if themes.is_own(&theme.name) {
                    " (yours)"
                } else {
                    ""
                };
                let value = format!("{}{whose}", theme.name);
                match problems.first() {
                    None => Finding::good(name, value),
                    Some(problem) => Finding::doubtful(name, value, problem.to_string()),
                }
            }
            Err(error) => Finding::broken(name, error.to_string(), "see `--theme`"),
        }
    }

    /// By the rule of POSIX (8.2): the first of these that is set and not empty.
    fn locale(&self) -> Finding {
        let found = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| Some((name, self.set(name)?)));
        let advice = "lines and bars may come out as other characters: `export LC_ALL=C.UTF-8`, if the terminal \
                      shows UTF-8";
        let Some((name, locale)) = found else {
            return Finding::doubtful("locale", "not set", advice);
        };
        let value = format!("{name}={locale}");
        let plain = locale.to_ascii_lowercase().replace('-', "");
        if plain.contains("utf8") {
            Finding::good("locale", value)
        } else {
            Finding::doubtful("locale", value, advice)
        }
    }

    fn is_in(&self, variable: &str, terms: &[&str]) -> bool {
        let term = self.set("TERM").unwrap_or_default();
        self.set(variable).is_some() || terms.iter().any(|text| term.starts_with(text))
    }

    fn has_tmux(&self) -> bool {
        self.is_in("TMUX", &["tmux"])
    }

    fn has_screen(&self) -> bool {
        // Inside tmux, `TERM` is `screen`, too, unless it is configured otherwise.
        !self.has_tmux() && self.is_in("STY", &["screen"])
    }

    /// Lists the programs between this one and the terminal, with their effect on colours.
    fn between(&self, depth: Depth) -> Vec<Finding> {
        let mut found = Vec::new();
        let is_full = matches!(depth, Depth::True | Depth::Mono);
        if self.has_tmux() {
            let finding = Finding::good("tmux", "between here and the terminal");
            found.push(if is_full {
                finding
            } else {
                finding.with_advice(
                    "for true colours: `set -as terminal-features ',*:RGB'` in tmux.conf",
                )
            });
        }
        if self.has_screen() {
            found.push(
                Finding::good("screen", "between here and the terminal")
                    .with_advice("GNU screen shows true colours from version 5 on: `truecolor on`"),
            );
        }
        if self.has_ssh() {
            let finding = Finding::good("ssh", "between here and the terminal");
            found.push(if is_full {
                finding
            } else {
                finding.with_advice("`COLORTERM` does not cross ssh by itself: set it on this side")
            });
        }
        found
    }

    fn has_ssh(&self) -> bool {
        self.set("SSH_CONNECTION").is_some() || self.set("SSH_TTY").is_some()
    }

    /// No terminal tells whether it took a copied text, so only this is known beforehand.
    fn clipboard(&self) -> Finding {
        let name = "copying";
        let value = "by OSC 52, if the terminal takes it";
        if self.has_tmux() {
            Finding::doubtful(
                name,
                value,
                "tmux passes copies on only with `set -s set-clipboard on`",
            )
        } else if self.has_screen() {
            Finding::doubtful(
                name,
                "not through GNU screen",
                "it does not pass OSC 52 on; `e` opens the source in your editor",
            )
        } else if self.has_ssh() {
            Finding::good(
                name,
                "by OSC 52 into the clipboard of the machine that you sit at",
            )
        } else {
            Finding::good(name, value)
        }
    }

    fn editor(&self) -> Finding {
        let name = "editor";
        let chosen = editor::chosen(self.variable);
        let (from, command) = match &chosen {
            Some((variable, command)) => (format!("${variable}"), command.as_str()),
            None => (
                "neither $VISUAL nor $EDITOR is set".to_owned(),
                editor::DEFAULT,
            ),
        };
        let value = format!("{command} ({from})");
        let program = command.split_whitespace().next().unwrap_or_default();
        if (self.finds)(program) {
            Finding::good(name, value)
        } else {
            let advice = format!(
                "`{program}` is not on the PATH: set $VISUAL or $EDITOR, then `e` opens sources"
            );
            Finding::doubtful(name, value, advice)
        }
    }
}

/// Tells whether a program can be found: a path as it is, else in the folders of `$PATH`.
fn finds(program: &str, path: Option<&std::ffi::OsStr>) -> bool {
    if program.is_empty() {
        return false;
    }
    if program.contains('/') {
        return is_program(Path::new(program));
    }
    let folders: Vec<PathBuf> = path
        .map(|path| env::split_paths(path).collect())
        .unwrap_or_default();
    folders
        .iter()
        .any(|folder| is_program(&folder.join(program)))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Grade;

    /// The findings under these variables.
    fn found(variables: &[(&str, &str)]) -> Vec<Finding> {
        let variable = |name: &str| {
            let value = variables.iter().find(|(text, _)| *text == name)?.1;
            Some(value.to_owned())
        };
        let place = TerminalEnvironment {
            variable: &variable,
            size: Some(Size::new(120, 40)),
            input_is_terminal: true,
            out_is_terminal: true,
            finds: &|program| program == "vi",
        };
        place.findings(&Options::default())
    }

    fn check(variables: &[(&str, &str)], name: &str, grade: Grade, words: &str) {
        let findings = found(variables);
        let finding = findings.iter().find(|finding| finding.name == name);
        let finding = finding.expect("it is looked at");
        assert_eq!(finding.grade, grade, "{finding:?}");
        let text = format!(
            "{} {}",
            finding.value,
            finding.advice.as_deref().unwrap_or("")
        );
        assert!(text.contains(words), "{finding:?}");
    }

    #[test]
    fn a_terminal_that_has_everything_has_no_flaw() {
        let variables = [
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("LANG", "de_DE.utf8"),
        ];
        let findings = found(&variables);
        assert!(
            findings
                .iter()
                .all(|finding| finding.grade == Grade::Good && finding.advice.is_none()),
            "{findings:?}"
        );
    }

    #[test]
    fn colours_say_why_there_are_so_many() {
        check(
            &[("TERM", "xterm")],
            "colours",
            Grade::Doubtful,
            "16 (by TERM)",
        );
        check(
            &[("TERM", "x-256color")],
            "colours",
            Grade::Doubtful,
            "COLORTERM",
        );
        check(
            &[("NO_COLOR", "1")],
            "colours",
            Grade::Good,
            "none (NO_COLOR=1)",
        );
        check(&[("TERM", "dumb")], "colours", Grade::Doubtful, "none");
        check(&[("TERM", "xterm")], "theme", Grade::Good, "ansi16");
    }

    #[test]
    fn what_lies_between_is_told_with_what_it_means_for_copying() {
        let tmux = [("TERM", "screen-256color"), ("TMUX", "/tmp/x,1,0")];
        check(&tmux, "tmux", Grade::Good, "RGB");
        check(&tmux, "copying", Grade::Doubtful, "set-clipboard on");
        assert!(found(&tmux).iter().all(|finding| finding.name != "screen"));
        let screen = [("TERM", "screen"), ("STY", "1.pts")];
        check(
            &screen,
            "copying",
            Grade::Doubtful,
            "not through GNU screen",
        );
        let ssh = [("TERM", "xterm"), ("SSH_TTY", "/dev/pts/0")];
        check(&ssh, "copying", Grade::Good, "machine that you sit at");
        check(&ssh, "ssh", Grade::Good, "COLORTERM");
    }

    #[test]
    fn the_locale_is_the_first_that_is_set() {
        let mixed = [("LC_ALL", ""), ("LC_CTYPE", "C"), ("LANG", "C.UTF-8")];
        check(&mixed, "locale", Grade::Doubtful, "LC_CTYPE=C");
        check(&[("LC_ALL", "C.UTF-8")], "locale", Grade::Good, "LC_ALL");
        check(&[], "locale", Grade::Doubtful, "not set");
    }

    #[test]
    fn an_editor_that_is_not_there_is_told() {
        check(&[], "editor", Grade::Good, "vi (neither");
        let set = [("EDITOR", "vi"), ("VISUAL", "hx -c x")];
        check(&set, "editor", Grade::Doubtful, "`hx` is not on the PATH");
        assert!(finds("sh", Some("/nowhere:/bin".as_ref())));
        assert!(finds("/bin/sh", None) && !finds("sh", None) && !finds("/bin", None));
    }
}
