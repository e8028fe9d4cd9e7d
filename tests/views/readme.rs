//! The data dictionary does not drift from the schema.

use super::seed;
use crate::attacks::engine;

const README: &str = include_str!("../../schema/README.md");

#[test]
fn the_examples_run() {
    let (_bench, db) = seed();
    let mut run = 0;
    for block in README.split("```sql\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        let block = block
            .replace("'…'", "'alpha'")
            .replace("= …", "= 1")
            .replace("<session key>", "1")
            .replace("<branch key>", "4")
            .replace("<seq>", "2");
        for statement in block.split_inclusive(";\n") {
            // A comment may follow the last semicolon of a block's line.
            let statement: String = statement
                .lines()
                .map(|line| line.split("--").next().unwrap_or_default())
                .collect::<Vec<_>>()
                .join("\n");
            for sql in statement.split(';').filter(|sql| !sql.trim().is_empty()) {
                db.execute_batch(sql)
                    .unwrap_or_else(|error| panic!("{error}: {sql}"));
                run += 1;
            }
        }
    }
    assert!(run > 12, "{run} examples were found");
}

#[test]
fn the_tables_name_every_column() {
    let (_bench, db) = seed();
    for (view, columns) in README.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|');
        let view = cells.next()?.trim().trim_end_matches('`');
        let columns = cells.nth(1)?.trim();
        view.ends_with("_list")
            .then_some(())
            .or((view == "active_path" || view == "tree_outline").then_some(()))?;
        Some((view.to_owned(), columns.replace(" (1 = root)", "")))
    }) {
        let actual = engine::rows(
            &db,
            &format!("SELECT group_concat(name, ', ') FROM pragma_table_info('{view}')"),
        );
        assert_eq!(actual.trim_end(), columns, "{view}");
    }
    let columns = engine::rows(
        &db,
        "SELECT tables.name, columns.name FROM pragma_table_list AS tables, pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND tables.name <> 'guards'",
    );
    let unnamed: Vec<&str> = columns
        .lines()
        .filter(|line| {
            let column = line.split('|').nth(1).unwrap_or_default();
            !README
                .split(|c: char| c != '_' && !c.is_alphanumeric())
                .any(|word| word == column)
        })
        .collect();
    assert_eq!(unnamed, Vec::<&str>::new());
    let triggers = engine::rows(&db, "SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    for trigger in triggers.lines() {
        let (table, rest) = trigger.split_once('_').unwrap_or_default();
        let named = README.contains(trigger)
            || README.contains(&format!("{table}_…"))
            || (README.contains(&format!("{table}_guard")) && rest.starts_with("guard"));
        assert!(named || trigger.starts_with("loose_records"), "{trigger}");
    }
}
