//! The file: opening it, its connections, migrations and transactions. rusqlite is known from here to `ops/`.

mod backup;
mod busy;
mod fault;
mod guard;
pub(crate) mod migrate;
mod open;
mod place;
mod pool;
mod process;
mod row;
mod tx;

pub(crate) use fault::{ExecuteOne, Fault, Outcome};
pub(crate) use guard::{GuardRow, Life, guard_of, taken_guards};
pub(crate) use migrate::expected_schema;
pub use open::Durability;
pub(crate) use open::{OpenMode, OpenOptions};
pub(crate) use process::Process;
pub(crate) use row::{
    BranchRow, SEQ_MASK, branch_by_key, branch_by_name, first_key, id_by_key, key_by_id, key_of,
    last_key, public_id, session_by_id, session_by_key, session_of, shown,
};
pub(crate) use tx::{Db, WriteTx};
