//! The entry point: hands the arguments to the command line and ends the process with its code.

use std::io::{self, BufWriter, IsTerminal};

use focalist::cli::{self, Streams};

fn main() -> std::process::ExitCode {
    let mut out = BufWriter::new(io::stdout());
    let mut err = io::stderr();
    let code = cli::run(
        std::env::args_os(),
        &mut Streams {
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: err.is_terminal(),
            out: &mut out,
            err: &mut err,
        },
    );
    std::process::ExitCode::from(code as u8)
}
