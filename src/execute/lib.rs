//! The verb `execute`: predictions are run, and what became of them is kept.
//!
//! Decides which predictions are candidates, what is done to their text before, which of them are the same, and what is
//! stored. How a project is built and a candidate run is `runner`'s.

use focalist_exchange as exchange;
use focalist_lang as lang;
use focalist_model as model;
use focalist_store as store;

pub mod repair;
pub mod told;
