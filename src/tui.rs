//! The terminal UI: `update(Event) -> Vec<Effect>` and a pure `draw`.
