//! The one integration-test binary: each module says what it promises.

mod attacks;
#[cfg(feature = "cli")]
mod cli;
mod store;
mod support;
mod views;
