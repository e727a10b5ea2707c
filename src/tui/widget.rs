//! What screens are built from. A widget draws into a buffer; it decides no key and asks no question.

pub mod bar;
pub mod chooser;
pub mod code;
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "the screens that show differences come with their own changes"
    )
)]
pub mod difference;

pub mod finder;
pub mod form;
pub mod frame;
pub mod input;
pub mod list;
pub mod overlay;
pub mod pages;
