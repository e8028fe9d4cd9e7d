//! supercode's `.tree.json`: what comes in, and what goes out.

mod corpus;
mod refused;
mod snapshot;
