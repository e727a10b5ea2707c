//! The repositories.

use crate::tests::check_frame;

#[test]
fn the_repositories_look_as_they_did() {
    check_frame("repos", 80, 24, "gp");
    check_frame("repos", 120, 40, "gp");
}
