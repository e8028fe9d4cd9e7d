//! `export`

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use session_tree::SessionTree;
use session_tree::interchange::{
    ExportReport, Layout, SpliceLayout, export_chat, export_pi, export_splice, export_tree_json,
    save,
};

use super::Context;
use crate::cli::failure::Outcome;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Export {
    /// Write this format; default: the one the session came from, else pi
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// Write this branch of a linear format instead of the active one
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Lay out tree.json without white space
    #[arg(long, conflicts_with = "pretty")]
    compact: bool,
    /// Lay out tree.json over many lines
    #[arg(long)]
    pretty: bool,
    /// Write to this file, which must not be there yet, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Session file of pi and dreb: the whole tree, byte for byte what was imported
    Pi,
    /// supercode's tree: nodes, branches and summaries
    #[value(name = "tree.json")]
    TreeJson,
    /// One branch as chat messages, one a line
    Chat,
    /// The active branch, and what stands for every other one
    Splice,
}

pub(super) fn run(context: &mut Context, arguments: &Export) -> Outcome<()> {
    let tree = context.session()?;
    let form = match arguments.format {
        Some(form) => form,
        None => match tree.info()?.source_format.as_deref() {
            Some("tree.json") => Form::TreeJson,
            _ => Form::Pi,
        },
    };
    let report = match &arguments.output {
        Some(path) => save(path, |out| write(&tree, form, arguments, out))?,
        None => {
            let out = &mut context.out;
            let done = write(&tree, form, arguments, out);
            // What the output failed with says more than the export's error about it.
            out.take_failure()?;
            done?
        }
    };
    for lost in &report.not_held {
        context.note(&format!("not in the export: {lost}"));
    }
    if let Some(path) = &arguments.output {
        let line = format!(
            "{} line(s) written to {}",
            report.lines,
            safe::one_line(&path.to_string_lossy())
        );
        context.out.answer(&report, line)?;
    }
    Ok(())
}

fn write(
    tree: &SessionTree,
    form: Form,
    arguments: &Export,
    out: &mut dyn Write,
) -> session_tree::Result<ExportReport> {
    let layout = match (arguments.compact, arguments.pretty) {
        (true, _) => Layout::Compact,
        (_, true) => Layout::Pretty,
        _ => Layout::AsRead,
    };
    match form {
        Form::Pi => export_pi(tree, out),
        Form::TreeJson => export_tree_json(tree, layout, out),
        Form::Chat => export_chat(tree, arguments.branch.as_deref(), out),
        Form::Splice => export_splice(tree, SpliceLayout::Json, out),
    }
}
