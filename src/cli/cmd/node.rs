//! `node`

use clap::Args;

use super::Context;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::{dto, safe, time};

#[derive(Args)]
pub(crate) struct Node {
    /// Name the node by its id or a unique prefix of it
    #[arg(value_name = "NODE")]
    id: String,
}

pub(super) fn run(context: &mut Context, arguments: &Node) -> Outcome<()> {
    let tree = context.session()?;
    let id = tree.find_node(&arguments.id)?;
    let Some(node) = tree.node(&id)? else {
        return Err(Failure::NotFound(format!("the node {id} is gone")));
    };
    let out = &mut context.out;
    if out.json {
        return out.json(&dto::Node::from(&node));
    }
    out.line(format_args!("id        {}", safe::one_line(&node.id)))?;
    out.line(format_args!("kind      {}", safe::one_line(&node.kind)))?;
    if let Some(parent) = node.parent.as_deref().or(node.missing_parent.as_deref()) {
        let missing = if node.parent.is_none() {
            " (never written)"
        } else {
            ""
        };
        out.line(format_args!(
            "parent    {}{missing}",
            safe::one_line(parent)
        ))?;
    }
    if !node.children.is_empty() {
        let children: Vec<String> = node.children.iter().map(|id| safe::one_line(id)).collect();
        out.line(format_args!("children  {}", children.join(" ")))?;
    }
    if let Some(label) = &node.label {
        out.line(format_args!("label     {}", safe::one_line(label)))?;
    }
    out.line(format_args!(
        "created   {}",
        time::shown(node.created_at_ms)
    ))?;
    out.line(safe::lines(node.message.as_str()))
}
