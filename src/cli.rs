//! The command line: flags in, one verb called, text or JSON out.
