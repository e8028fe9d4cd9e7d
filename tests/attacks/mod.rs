//! The file defends itself: what any program may try with `foreign_keys` off is refused, and leaves no trace.

mod allowed;
pub mod cases;
pub mod engine;

use cases::{Attack, Expect};
use engine::Bench;

/// Switches that a writer may have set; the guards hold under each.
const SWITCHES: &[&str] = &[
    "",
    "PRAGMA recursive_triggers = ON;",
    "PRAGMA reverse_unordered_selects = ON;",
    NO_CHECKS,
];
const NO_CHECKS: &str = "PRAGMA ignore_check_constraints = ON;";
/// What only a CHECK stops is no part of a tree's shape: `integrity_check` names it.
const BY_CHECK: &str = "CHECK constraint";

#[test]
fn attacks_in_process() {
    let bench = Bench::new();
    let before = engine::dump(&bench.seed());
    let mut wrong = Vec::new();
    for prelude in SWITCHES {
        for attack in cases::all() {
            if *prelude == NO_CHECKS && attack.expect == Expect::Stopped(BY_CHECK) {
                continue;
            }
            let copy = bench.copy();
            let errors = engine::run_inside(&copy, prelude, &cases::expand(attack.sql)).join("; ");
            judge(
                attack,
                prelude,
                &errors,
                before == engine::dump(&copy),
                &mut wrong,
            );
        }
    }
    report(&wrong);
}

#[test]
fn attacks_in_the_stock_shell() {
    let bench = Bench::new();
    let before = engine::dump(&bench.seed());
    let mut wrong = Vec::new();
    for attack in cases::all() {
        let copy = bench.copy();
        let Some(errors) = engine::run_in_shell(&copy, &cases::expand(attack.sql)) else {
            println!("skipped: no sqlite3 shell");
            return;
        };
        judge(
            attack,
            "",
            &errors,
            before == engine::dump(&copy),
            &mut wrong,
        );
    }
    report(&wrong);
}

fn judge(attack: &Attack, prelude: &str, errors: &str, unchanged: bool, wrong: &mut Vec<String>) {
    let as_expected = match attack.expect {
        Expect::Stopped(by) => unchanged && errors.contains(by),
        Expect::Harmless => unchanged && errors.is_empty(),
        Expect::Left(_) | Expect::Unseen => !unchanged && errors.is_empty(),
    };
    if !as_expected {
        let trace = if unchanged { "unchanged" } else { "changed" };
        wrong.push(format!(
            "{} {prelude}\n    {}\n    file {trace}; errors: {errors}",
            attack.name, attack.sql
        ));
    }
}

fn report(wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{} attacks went otherwise:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
