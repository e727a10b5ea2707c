//! The verb, with engines that decide by text.
