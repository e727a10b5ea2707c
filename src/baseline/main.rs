//! The program `focalist-baseline`.

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let code = baseline::cli::run(
        std::env::args_os(),
        &mut io::stdout().lock(),
        &mut io::stderr().lock(),
    );
    ExitCode::from(code)
}
