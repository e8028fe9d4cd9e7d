//! The tests of the main package that need nothing but the schema, on the oldest SQLite that it is written for.

#[path = "../../attacks/mod.rs"]
mod attacks;
#[path = "../../views/mod.rs"]
mod views;

#[test]
fn this_is_the_floor() {
    assert_eq!(rusqlite::version(), "3.37.0");
}
