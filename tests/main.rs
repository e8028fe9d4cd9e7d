//! The one integration-test binary: each module says what it promises.

mod attacks;
mod store;
mod support;
mod views;
