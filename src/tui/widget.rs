//! The parts that screens are built from. A widget draws into a buffer; it decides no key and asks no question.

pub mod bar;
pub mod chart;
pub mod chooser;
pub mod code;
pub mod difference;
pub mod finder;
pub mod form;
pub mod frame;
pub mod input;
pub mod list;
pub mod overlay;
pub mod pages;
