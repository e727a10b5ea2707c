//! The entry point: puts the two faces together, hands the arguments to the command line and ends the process with its
//! code.

use std::io::{self, BufReader, BufWriter, IsTerminal};

use focalist::cli::{self, Streams, UiClosing, UiHooks, UiOpening};
use focalist::tui;

fn main() -> std::process::ExitCode {
    // Not locked: other commands read the same stream by themselves.
    let mut input = BufReader::new(io::stdin());
    let mut out = BufWriter::new(io::stdout());
    let mut err = io::stderr();
    let code = cli::run(
        std::env::args_os(),
        &mut Streams {
            input_is_terminal: io::stdin().is_terminal(),
            input: &mut input,
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: err.is_terminal(),
            out: &mut out,
            err: &mut err,
            open_ui: &mut open_ui,
            ui: UiHooks {
                keys: tui::keys,
                keys_markdown: tui::keys_markdown,
                check: tui::check,
                look: tui::look_around,
                themes: tui::themes,
                known_themes: tui::known_themes,
            },
        },
    );
    std::process::ExitCode::from(code as u8)
}

fn open_ui(opening: UiOpening) -> Result<UiClosing, String> {
    let options = tui::Options {
        workspace: opening.workspace,
        config: opening.config,
        theme: opening.theme,
        mouse: opening.mouse,
        reviewing: opening.reviewing,
        is_reviewing: opening.is_reviewing,
        verbs: cli::verbs(),
        global: opening.global,
        at: opening.at,
        is_picking: opening.is_picking,
        ..tui::Options::default()
    };
    tui::run(options)
        .map(|outcome| UiClosing {
            signal: outcome.signal,
            picked: outcome.picked,
        })
        .map_err(|error| error.to_string())
}
