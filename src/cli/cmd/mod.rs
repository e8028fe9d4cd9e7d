//! The verbs, one file each.

mod append;
mod archive;
mod backup;
mod branch;
mod branches;
mod changes;
mod check;
mod context;
mod delete;
mod demo;
mod diff;
mod export;
mod fork;
mod has_branches;
mod import;
mod label;
mod leaves;
mod log;
mod navigate;
mod new;
mod node;
mod path;
mod release;
mod rename;
mod render;
mod rewind;
#[cfg(feature = "rpc")]
mod rpc;
mod sessions;
mod splice;
mod stats;
mod summarize;
mod switch;
mod tree;
mod undo;
mod who;

use clap::Subcommand;

use super::context::Context;
use super::exit::Exit;
use super::failure::Outcome;

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// List the sessions, the one with the newest node first
    Sessions,
    /// Bring in session files of other programs; what is known already is not brought in again
    Import(import::Import),
    /// Write the session in a format of other programs
    Export(export::Export),
    /// Make a session and print its id
    New(new::New),
    /// Draw the whole tree: * marks the active branch
    Tree,
    /// Print the messages from the root to a leaf
    Log(log::Log),
    /// Print what the model should see: compaction, edits and summaries applied
    Context(context::Show),
    /// Print one node
    Node(node::Node),
    /// Append a node to a branch and print its id
    Append(append::Append),
    /// Move the active branch to a node and keep the old leaf under a name
    Rewind(rewind::Rewind),
    /// Go to a node as a person does: before a user's message, and with a summary of what is left behind
    Navigate(navigate::Navigate),
    /// Make a branch at a node and switch to it
    Branch(branch::Branch),
    /// Take the newest move back; no node goes
    Undo(undo::Undo),
    /// Make the move that was undone last again
    Redo(undo::Undo),
    /// Make another branch active
    Switch(switch::Switch),
    /// Set or clear a node's label
    Label(label::Label),
    /// List the branches
    Branches,
    /// Answer whether there is more than one branch
    HasBranches,
    /// Store a text that stands for a branch
    Summarize(summarize::Summarize),
    /// Print a branch as text, one line a message
    Render(render::Render),
    /// Print the ids of a path's nodes, root first
    Path(path::Path),
    /// List the nodes without children
    Leaves,
    /// Show which nodes only one of two branches has
    Diff(diff::Diff),
    /// Count messages, tokens and cost
    Stats(stats::Stats),
    /// Print the active messages and what stands for every other branch
    Splice,
    /// Set or clear the session's title
    Rename(rename::Rename),
    /// Put the session or a branch out of sight, or back
    Archive(archive::Archive),
    /// Delete a session for good
    Delete(delete::Delete),
    /// Copy a path into a new session and print its id
    Fork(fork::Fork),
    /// Print what happened in the session, in order, whoever did it
    Changes(changes::Changes),
    /// List who is in a turn or navigation
    Who,
    /// Free the session from the turn or navigation it is in, whoever holds it
    Release,
    /// Show it all on a bundled session, in a new file in the temporary directory
    Demo,
    /// Look for damage in the file and in every tree
    Check(check::Check),
    /// Copy the store to a new file, while it is in use
    Backup(backup::Backup),
    /// Serve the store to other programs: JSON lines on stdin and stdout
    #[cfg(feature = "rpc")]
    Rpc(rpc::Rpc),
}

/// Runs one verb.
pub(crate) fn run(context: &mut Context, verb: Verb) -> Outcome<Exit> {
    match verb {
        Verb::HasBranches => return has_branches::run(context),
        Verb::Undo(arguments) => return undo::undo(context, &arguments),
        Verb::Redo(arguments) => return undo::redo(context, &arguments),
        Verb::Import(arguments) => return import::run(context, &arguments),
        Verb::Check(arguments) => return check::run(context, &arguments),
        Verb::Release => return release::run(context),
        Verb::Sessions => sessions::run(context),
        Verb::Export(arguments) => export::run(context, &arguments),
        Verb::New(arguments) => new::run(context, arguments),
        Verb::Tree => tree::run(context),
        Verb::Log(arguments) => log::run(context, arguments),
        Verb::Context(arguments) => context::run(context, arguments),
        Verb::Stats(arguments) => stats::run(context, &arguments),
        Verb::Node(arguments) => node::run(context, &arguments),
        Verb::Append(arguments) => append::run(context, arguments),
        Verb::Rewind(arguments) => rewind::run(context, &arguments),
        Verb::Navigate(arguments) => navigate::run(context, arguments),
        Verb::Branch(arguments) => branch::run(context, &arguments),
        Verb::Switch(arguments) => switch::run(context, &arguments),
        Verb::Label(arguments) => label::run(context, &arguments),
        Verb::Branches => branches::run(context),
        Verb::Summarize(arguments) => summarize::run(context, arguments),
        Verb::Render(arguments) => render::run(context, arguments),
        Verb::Path(arguments) => path::run(context, arguments),
        Verb::Leaves => leaves::run(context),
        Verb::Diff(arguments) => diff::run(context, &arguments),
        Verb::Splice => splice::run(context),
        Verb::Rename(arguments) => rename::run(context, &arguments),
        Verb::Archive(arguments) => archive::run(context, &arguments),
        Verb::Delete(arguments) => delete::run(context, &arguments),
        Verb::Fork(arguments) => fork::run(context, &arguments),
        Verb::Changes(arguments) => changes::run(context, &arguments),
        Verb::Who => who::run(context),
        Verb::Demo => demo::run(context),
        Verb::Backup(arguments) => backup::run(context, &arguments),
        #[cfg(feature = "rpc")]
        Verb::Rpc(arguments) => rpc::run(context, arguments),
    }
    .map(|()| Exit::Done)
}
