//! Every point of the compatibility checklist has a test, or a reason why it has none.

use std::path::Path;

/// Groups of the checklist and how many points each has.
const GROUPS: [(&str, usize); 8] = [
    ("F", 18),
    ("T", 19),
    ("L", 6),
    ("N", 2),
    ("C", 16),
    ("K", 14),
    ("V", 24),
    ("R", 21),
];

/// Tests, and the points each is the proof of. The names of the points stand in the tests themselves too.
const TESTED: &[(&str, &str)] = &[
    (
        "rpc::files::files_become_trees_and_contexts",
        "F01 F12 F13 T01 T02 T04 T06 T08 T09 T10 T11 T12 L01 L02 L03 L05 C05 C06 C07 C08 C09 C10 C11 C12 C13 C14 C15 C16",
    ),
    (
        "rpc::versions::lines_that_are_no_entries_take_nothing_away",
        "F03 F04 F05 F09 F14 F16",
    ),
    (
        "rpc::versions::older_versions_are_shown_in_todays_form",
        "F06 F07 F08 F11 K14",
    ),
    (
        "rpc::versions::the_state_is_that_of_the_path",
        "C01 C02 C04 N01",
    ),
    ("rpc::moves::what_comes_after_a_move", "T14 T15 T16 T17 V13"),
    (
        "rpc::moves::a_fork_has_what_its_path_has",
        "T05 L04 L06 N02 K01 K02 K03 K04 K05 K06",
    ),
    ("rpc::outside::sessions_go_out_and_come_back", "F10"),
    ("rpc::golden::previews_are_those_of_the_original", "R12"),
    ("rpc::golden::where_the_original_is_not_followed", "F15 F17"),
    ("rpc::trees::trees_have_the_shape_of_the_session", "T03 R07"),
    ("rpc::trees::nodes_have_their_members_in_order", "R08 R09"),
    ("rpc::trees::siblings_stand_oldest_first", "T07"),
    ("rpc::trees::pi_gets_whole_entries", "R10"),
    ("rpc::trees::a_long_chain_is_delivered", "T18 T19"),
    (
        "rpc::navigation::a_move_goes_where_it_should",
        "V01 V02 V03 V04 V05 V12 V15 V20 V21",
    ),
    ("rpc::navigation::the_checks_stand_in_order", "V06 V07 V11"),
    (
        "rpc::navigation::commands_are_answered_while_a_summary_is_made",
        "V09 V14 V16 V22",
    ),
    (
        "rpc::navigation::a_summary_is_aborted_from_anywhere",
        "V08 V18",
    ),
    (
        "rpc::navigation::a_summariser_that_fails_changes_nothing",
        "V17 V19",
    ),
    ("rpc::plans::the_leaf_survives_a_restart", "T13 V24"),
    (
        "navigation::ends::an_orphan_user_message_can_be_reached",
        "V23",
    ),
    ("navigation::summaries::hooks_decide_before", "V10"),
    (
        "rpc::forks::a_fork_is_a_session_of_its_own",
        "K07 K08 K09 K10 K11 K12",
    ),
    ("rpc::forks::entries_are_read_from_a_place_on", "R11"),
    ("rpc::sessions::a_name_is_set", "R13"),
    ("rpc::sessions::a_session_in_use_is_not_deleted", "R14"),
    ("rpc::sessions::sessions_are_listed", "R15"),
    (
        "rpc::forks::texts_and_counts_are_those_of_the_context_or_of_all",
        "R17 R18",
    ),
    (
        "rpc::framing::line_separators_are_text_and_are_escaped",
        "R01",
    ),
    (
        "rpc::framing::the_end_of_the_input_loses_nothing",
        "R02 R19",
    ),
    ("rpc::framing::every_line_is_answered", "R03 R04 R05 R06"),
    ("rpc::examples::published_clients_work", "R20"),
];

const LEFT_OUT: &[(&str, &str)] = &[
    (
        "F02",
        "a store is one file of many sessions: a session file that is not there is not imported, and nothing is made",
    ),
    (
        "F18",
        "the two files belong to another program; tests/imports proves files of their version",
    ),
    (
        "C03",
        "a leaf that is not there cannot be stored; the guards of the file refuse it (tests/attacks)",
    ),
    ("K13", "forks have no hook that could cancel them"),
    (
        "R16",
        "there is no directory of session files; a store that cannot be read is an error, and an empty one an empty list",
    ),
    (
        "R21",
        "timeouts are the clients' own; the summariser is stopped after the longest of them, 300 seconds",
    ),
];

#[test]
fn every_point_has_a_test_or_a_reason() {
    let points: Vec<String> = GROUPS
        .iter()
        .flat_map(|(group, count)| (1..=*count).map(move |number| format!("{group}{number:02}")))
        .collect();
    let mut named: Vec<String> = TESTED
        .iter()
        .flat_map(|(_, points)| points.split(' '))
        .chain(LEFT_OUT.iter().map(|(point, _)| *point))
        .map(str::to_owned)
        .collect();
    named.sort();
    let mut expected = points;
    expected.sort();
    assert_eq!(named, expected);
}

#[test]
fn the_tests_that_are_named_are_there() {
    for (name, _) in TESTED {
        let (module, test) = name.rsplit_once("::").unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests")
            .join(module.replace("::", "/"));
        let source = std::fs::read_to_string(file.with_extension("rs")).unwrap();
        let at = source
            .find(&format!("fn {test}()"))
            .unwrap_or_else(|| panic!("there is no {name}"));
        assert!(
            source[..at].trim_end().ends_with("#[test]"),
            "{name} is no test"
        );
    }
}
