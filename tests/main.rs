//! The one integration-test binary: each module says what it promises.

mod attacks;
mod changes;
mod check;
#[cfg(feature = "cli")]
mod cli;
mod context;
mod durability;
mod exports;
mod fork;
mod going_on;
mod imports;
mod model;
mod navigation;
mod peer;
mod plans;
mod process;
#[cfg(feature = "rpc")]
mod rpc;
mod scale;
mod store;
mod support;
mod tree_json;
mod turns;
mod undo;
mod views;
