//! `check`

use clap::Args;
use serde::Serialize;
use session_tree::{CheckOptions, CheckReport, ErrorKind, Problem};

use super::Context;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::safe;

#[derive(Args)]
pub(crate) struct Check {
    /// Leave out what reads every byte: the file's pages and indexes, and the JSON of payloads
    #[arg(long)]
    quick: bool,
    /// Give a branch to each leaf at which none ends; nothing else is changed
    #[arg(long)]
    adopt: bool,
    /// List at most this many problems of one sort, and count the others
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

#[derive(Serialize)]
struct Answer<'a> {
    healthy: bool,
    problems: Vec<Row<'a>>,
    omitted: u64,
    sessions: u64,
    nodes: u64,
    branches: u64,
    adopted: Vec<Adopted<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    code: &'a str,
    damage: bool,
    session: Option<&'a str>,
    node: Option<&'a str>,
    branch: Option<&'a str>,
    text: &'a str,
}

#[derive(Serialize)]
struct Adopted<'a> {
    session: &'a str,
    branch: &'a str,
}

impl<'a> From<&'a Problem> for Row<'a> {
    fn from(problem: &'a Problem) -> Row<'a> {
        Row {
            code: problem.code.as_str(),
            damage: problem.code.is_damage(),
            session: problem.session.as_deref(),
            node: problem.node.as_deref(),
            branch: problem.branch.as_deref(),
            text: &problem.text,
        }
    }
}

pub(super) fn run(context: &mut Context, arguments: &Check) -> Outcome<Exit> {
    match report(context, arguments) {
        Ok(report) => tell(context, &report),
        // A file too damaged to be looked at is the same answer.
        Err(Failure::Store(error)) if error.kind() == ErrorKind::Damaged => {
            let text = error.to_string();
            let row = Row {
                code: "unreadable",
                damage: true,
                session: None,
                node: None,
                branch: None,
                text: &text,
            };
            if context.out.json {
                context.out.json(&Answer {
                    healthy: false,
                    problems: vec![row],
                    omitted: 0,
                    sessions: 0,
                    nodes: 0,
                    branches: 0,
                    adopted: Vec::new(),
                })?;
            } else {
                context.out.line(line(&row))?;
            }
            Ok(Exit::No)
        }
        Err(failure) => Err(failure),
    }
}

fn report(context: &Context, arguments: &Check) -> Outcome<CheckReport> {
    let store = if arguments.adopt {
        context.writer()?
    } else {
        context.reader()?
    };
    let mut options = CheckOptions::new()
        .adopt(arguments.adopt)
        .limit(arguments.limit);
    if arguments.quick {
        options = options.quick();
    }
    if let Some(session) = context.named_session(&store)? {
        options = options.session(session.as_str());
    }
    Ok(store.check(options)?)
}

fn tell(context: &mut Context, report: &CheckReport) -> Outcome<Exit> {
    let healthy = report.is_healthy();
    let rows: Vec<Row<'_>> = report.problems.iter().map(Row::from).collect();
    let out = &mut context.out;
    if out.json {
        out.json(&Answer {
            healthy,
            problems: rows,
            omitted: report.omitted,
            sessions: report.sessions,
            nodes: report.nodes,
            branches: report.branches,
            adopted: report
                .adopted
                .iter()
                .map(|(session, branch)| Adopted { session, branch })
                .collect(),
        })?;
    } else {
        for row in &rows {
            out.line(line(row))?;
        }
        if report.omitted > 0 {
            out.line(format_args!("and {} more like these", report.omitted))?;
        }
        for (session, branch) in &report.adopted {
            out.line(format_args!(
                "session {} has the new branch {}",
                safe::one_line(session),
                safe::one_line(branch)
            ))?;
        }
        let word = if healthy { "no damage" } else { "damaged" };
        out.line(format_args!(
            "{word}: {} session(s), {} node(s), {} branch(es) looked at",
            report.sessions, report.nodes, report.branches
        ))?;
    }
    Ok(if healthy { Exit::Done } else { Exit::No })
}

fn line(row: &Row<'_>) -> String {
    let mut line = format!("{}: {}", row.code, safe::one_line(row.text));
    if let Some(session) = row.session {
        line.push_str(&format!("  (session {})", safe::one_line(session)));
    }
    line
}
