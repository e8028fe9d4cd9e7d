//! Files: importing, exporting, backups, and looking for damage.

use super::{Answer, Connection, Nothing};
use crate::check::{CheckOptions, Problem};
use crate::interchange::{
    ImportOptions, ImportReport, Layout, SpliceLayout, export_chat, export_pi, export_splice,
    export_tree_json, save,
};
use crate::rpc::failure::{Failure, code};
use crate::rpc::files;
use crate::rpc::types::answers::{
    Cancelled, Checked, Exported, Imported, ProblemDto, SessionId, SnapshotDto,
};
use crate::rpc::types::requests::{
    Backup, Check, Export, ExportFormat, ExportHtml, FromSnapshot, Import, ImportJsonl, OnSession,
    Search,
};
use crate::rpc::write::Raw;

/// Problems that are listed.
const MOST_PROBLEMS: usize = 1_000;

pub(in crate::rpc) fn import_jsonl(
    connection: &mut Connection,
    request: ImportJsonl,
) -> Answer<Cancelled> {
    let path = files::existing(&connection.server, &request.input_path)?;
    let report = connection.store.import(path, &ImportOptions::new())?;
    let tree = connection.store.open_session(&report.session)?;
    connection.enter(tree);
    Ok(Cancelled { cancelled: false })
}

pub(in crate::rpc) fn import(connection: &mut Connection, request: Import) -> Answer<Imported> {
    let path = files::existing(&connection.server, &request.path)?;
    let options = ImportOptions::new().strict(request.strict);
    Ok(imported(&connection.store.import(path, &options)?))
}

fn imported(report: &ImportReport) -> Imported {
    Imported {
        session: report.session.to_string(),
        format: report.format.as_str().to_owned(),
        created: report.created,
        nodes_added: report.nodes_added,
        nodes_known: report.nodes_known,
        damaged: report.damaged.len() as u64,
    }
}

pub(in crate::rpc) fn from_snapshot(
    connection: &mut Connection,
    request: FromSnapshot,
) -> Answer<SessionId> {
    let tree = connection.store.from_snapshot(request.snapshot.text())?;
    let session = tree.id().to_string();
    Ok(SessionId { session })
}

pub(in crate::rpc) fn snapshot(
    connection: &mut Connection,
    request: OnSession,
) -> Answer<SnapshotDto> {
    let tree = connection.tree(request.session.as_deref())?;
    let snapshot = tree.snapshot()?;
    Ok(SnapshotDto {
        not_held: snapshot.not_held().to_vec(),
        snapshot: Raw::new(&snapshot.to_json(Layout::Compact)),
    })
}

pub(in crate::rpc) fn export(connection: &mut Connection, request: Export) -> Answer<Exported> {
    let tree = connection.tree(request.session.as_deref())?;
    let path = files::new_file(&connection.server, &request.path)?;
    let branch = request.branch.as_deref();
    let report = save(path, |out| match request.format {
        ExportFormat::Pi => export_pi(&tree, out),
        ExportFormat::TreeJson => export_tree_json(&tree, Layout::AsRead, out),
        ExportFormat::Chat => export_chat(&tree, branch, out),
        ExportFormat::Splice => export_splice(&tree, SpliceLayout::Json, out),
    })?;
    Ok(Exported {
        lines: report.lines,
        is_unchanged: report.is_unchanged,
        not_held: report.not_held,
    })
}

pub(in crate::rpc) fn backup(connection: &mut Connection, request: Backup) -> Answer<Nothing> {
    let path = files::new_file(&connection.server, &request.path)?;
    connection.store.backup(path)?;
    Ok(Nothing)
}

pub(in crate::rpc) fn check(connection: &mut Connection, request: Check) -> Answer<Checked> {
    let mut options = CheckOptions::new().limit(MOST_PROBLEMS);
    if let Some(session) = &request.session {
        let id = connection
            .server
            .session_of_path(session)
            .unwrap_or(session);
        options = options.session(id);
    }
    let report = connection.store.check(options)?;
    Ok(Checked {
        is_healthy: report.is_healthy(),
        omitted: report.omitted,
        sessions: report.sessions,
        nodes: report.nodes,
        branches: report.branches,
        problems: report.problems.into_iter().map(problem).collect(),
    })
}

fn problem(problem: Problem) -> ProblemDto {
    ProblemDto {
        code: problem.code.as_str().to_owned(),
        session: problem.session,
        node_id: problem.node,
        branch: problem.branch,
        text: problem.text,
    }
}

pub(in crate::rpc) fn export_html(_: &mut Connection, _: ExportHtml) -> Answer<Nothing> {
    Err(not_built("export_html"))
}

pub(in crate::rpc) fn search(_: &mut Connection, _: Search) -> Answer<Nothing> {
    Err(not_built("search"))
}

fn not_built(command: &str) -> Failure {
    Failure {
        is_exact: true,
        ..Failure::new(
            code::NOT_BUILT,
            format!("`{command}` is not built yet in this version"),
        )
    }
}
