//! `tree`

use super::Context;
use crate::cli::draw::{self, Ends};
use crate::cli::dto::Outline;
use crate::cli::failure::Outcome;

/// Drawn, or with `--json` one node a line; both depth first and as they are read.
pub(super) fn run(context: &mut Context) -> Outcome<()> {
    let tree = context.session()?;
    let branches = tree.branches()?;
    if !context.out.json {
        return draw::tree(&mut context.out, &tree, &branches);
    }
    let ends = Ends::new(&branches);
    for step in tree.walk()? {
        let node = step?.node;
        let ends = ends.at(&node.id);
        context.out.json(&Outline::new(&node, ends))?;
    }
    Ok(())
}
