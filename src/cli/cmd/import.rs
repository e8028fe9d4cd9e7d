//! `import`

use std::path::{Path, PathBuf};

use clap::Args;
use session_tree::Store;
use session_tree::interchange::{Format, ImportOptions, ImportReport};

use super::Context;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::fresh::Fresh;
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Import {
    /// Read these session files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Refuse a file that is damaged instead of taking what is whole
    #[arg(long)]
    strict: bool,
    /// Read them as this format instead of finding it out
    #[arg(long)]
    format: Option<String>,
}

/// Each file is taken or refused by itself. The exit code is that of the first one that was refused.
pub(super) fn run(context: &mut Context, arguments: &Import) -> Outcome<Exit> {
    let format: Option<Format> = arguments.format.as_deref().map(str::parse).transpose()?;
    let options = ImportOptions::new().strict(arguments.strict).format(format);
    let place = context.place()?;
    place.prepare()?;
    // A store that is not there yet is made only if something is put into it.
    let fresh = Fresh::unless_there(&place.path)?;
    let store = match &fresh {
        Some(fresh) => context.creator_at(fresh.path())?,
        None => context.creator()?,
    };
    let taken = take_all(context, &store, &arguments.paths, &options)?;
    drop(store);
    if let Some(fresh) = fresh
        && !taken.paths.is_empty()
        && !fresh.publish(&place.path)?
    {
        // Somebody else made the store meanwhile: what was taken goes into theirs.
        let store = context.creator()?;
        for path in taken.paths {
            store.import(path, &options)?;
        }
    }
    match taken.refused {
        None => Ok(Exit::Done),
        Some(failure) => Err(failure),
    }
}

struct Taken<'a> {
    paths: Vec<&'a Path>,
    refused: Option<Failure>,
}

fn take_all<'a>(
    context: &mut Context,
    store: &Store,
    paths: &'a [PathBuf],
    options: &ImportOptions,
) -> Outcome<Taken<'a>> {
    let mut taken = Taken {
        paths: Vec::new(),
        refused: None,
    };
    for path in paths {
        match store.import(path, options) {
            Ok(report) => {
                taken.paths.push(path);
                tell(context, path, &report)?;
            }
            Err(error) if taken.refused.is_none() => taken.refused = Some(error.into()),
            Err(error) => {
                let refused = Failure::from(error);
                refused.report(context.out.json);
            }
        }
    }
    Ok(taken)
}

fn tell(context: &mut Context, path: &Path, report: &ImportReport) -> Outcome<()> {
    let shown = path.to_string_lossy();
    if !report.damaged.is_empty() {
        context.note(&format!(
            "warning: {} damaged part(s) of {shown} could not be taken; the rest was",
            report.damaged.len()
        ));
    }
    if context.out.json {
        return context.out.json(report);
    }
    let out = &mut context.out;
    out.line(format_args!(
        "{}  {}  {} new node(s), {} known  from {}",
        safe::one_line(&report.session),
        report.format,
        report.nodes_added,
        report.nodes_known,
        safe::one_line(&shown)
    ))?;
    for damage in &report.damaged {
        out.line(format_args!(
            "  line {}, byte {}: {}",
            damage.line,
            damage.byte_offset,
            safe::one_line(&damage.reason)
        ))?;
    }
    for note in &report.notes {
        out.line(format_args!("  {}", safe::one_line(&note.text)))?;
    }
    Ok(())
}
