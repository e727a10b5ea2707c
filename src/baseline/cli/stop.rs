//! How a training is asked to end with a checkpoint: ^C, a signal to terminate, or the end of stdin.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};

use crate::failure::{Failure, Result};

/// Returns a flag that is set at the first such signal, and at the end of stdin where that is asked for. The second
/// signal ends the program at once: the last checkpoint stays whole.
pub fn flag(until_eof: bool) -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order matters: at the first signal the flag is not set yet, so the first handler does nothing and the
        // second one sets it.
        register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))
            .and_then(|_| register(signal, Arc::clone(&stop)))
            .map_err(|error| Failure::Nothing(format!("cannot watch signals: {error}")))?;
    }
    if until_eof {
        let stop = Arc::clone(&stop);
        // The thread ends with the program.
        thread::spawn(move || raise_at_end(io::stdin().lock(), &stop));
    }
    Ok(stop)
}

fn raise_at_end(mut input: impl Read, stop: &AtomicBool) {
    // An input that cannot be read any more has ended, too.
    let _ = io::copy(&mut input, &mut io::sink());
    stop.store(true, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_flag_goes_up_when_nobody_writes_any_more() {
        let (reader, mut writer) = io::pipe().expect("there is a pipe");
        let stop = Arc::new(AtomicBool::new(false));
        let raised = Arc::clone(&stop);
        let reading = thread::spawn(move || raise_at_end(reader, &raised));
        writer.write_all(b"words are no end").expect("it is read");
        assert!(!stop.load(Ordering::Relaxed));
        drop(writer);
        reading.join().expect("it does not panic");
        assert!(stop.load(Ordering::Relaxed));
    }
}
