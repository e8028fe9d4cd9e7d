//! supercode's `.tree.json`: what comes in, and what goes out.

mod corpus;
mod mangled;
mod refused;
mod snapshot;
