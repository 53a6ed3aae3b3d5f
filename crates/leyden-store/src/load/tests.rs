use super::*;

#[test]
fn files_larger_than_the_limit_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    fs::write(&file, b"12345").unwrap();
    assert_eq!(read_up_to(&file, 5).unwrap(), b"12345");
    assert!(matches!(
        read_up_to(&file, 4),
        Err(StoreError::TooLarge { .. })
    ));
}

#[cfg(unix)]
#[test]
fn endless_files_are_refused() {
    let endless = read_up_to(Path::new("/dev/zero"), 1000);
    assert!(matches!(endless, Err(StoreError::TooLarge { .. })));
}

/// The message for a bad task file, without the file's name.
fn message(text: impl AsRef<[u8]>) -> String {
    let error = parse_tasks(Path::new("t.json"), text.as_ref(), None).unwrap_err();
    error
        .to_string()
        .strip_prefix("t.json: ")
        .unwrap()
        .to_owned()
}

/// Checks the message for a bad grid with a mistake `at` characters from its start. The grid is
/// the output of the second demo, at the beginning of the second line.
fn check_grid(grid: &str, at: usize, expected: &str) {
    let good = r#"{"input": [[0]], "output": [[0]]}"#;
    let text = format!(
        r#"{{"train": [{good}, {{"input": [[0]], "output":{}{grid}}}], "test": []}}"#,
        '\n'
    );
    let place = format!("(line 2, column {})", at + 1);
    assert_eq!(message(text), format!("train[1].output{expected} {place}"));
}

#[test]
fn bad_grids_are_named_with_their_place() {
    let ragged = |n| format!("[1]: ragged grid: this row has {n}, the first row has 2");
    check_grid("[[1,2],[3]]", 7, &ragged("1 cell"));
    check_grid("[[1,2],[3,4,5]]", 7, &ragged("3 cells"));
    check_grid("[]", 0, ": the grid has no rows");
    check_grid("[[]]", 1, "[0]: the row has no cells");
    check_grid("[[1],[]]", 5, "[1]: the row has no cells");
    check_grid(
        "null",
        0,
        ": expected a grid (a list of rows), found `null`",
    );
    check_grid(
        "[1,2]",
        1,
        "[0]: expected a row (a list of colours), found `1`",
    );
    check_grid("[[1 2]]", 4, "[0]: expected `,` or `]`, found `2`");
}

#[test]
fn bad_colours_are_named_with_their_place() {
    check_grid(
        "[[1,11]]",
        4,
        "[0][1]: 11 is not a colour; colours are 0 to 9",
    );
    check_grid(
        "[[-1]]",
        2,
        "[0][0]: -1 is not a colour; colours are 0 to 9",
    );
    check_grid(
        "[[1.5]]",
        2,
        "[0][0]: 1.5 is not a colour; colours are whole numbers, 0 to 9",
    );
    check_grid(
        "[[1e0]]",
        2,
        "[0][0]: 1e0 is not a colour; colours are whole numbers, 0 to 9",
    );
    check_grid(
        "[[1,true]]",
        4,
        "[0][1]: expected a colour (0 to 9), found `true`",
    );
    check_grid(
        "[[\"1\"]]",
        2,
        "[0][0]: expected a colour (0 to 9), found a string",
    );
    check_grid(
        "[[[1]]]",
        2,
        "[0][0]: expected a colour (0 to 9), found a list",
    );
    check_grid("[[1,]]", 3, "[0]: a comma too many before `]`");
    check_grid(
        "[[01]]",
        2,
        "[0][0]: expected a colour (0 to 9), found `01`",
    );
    let huge = "9".repeat(1000);
    let quoted = format!(
        "[0][0]: {}… is not a colour; colours are 0 to 9",
        &huge[..40]
    );
    check_grid(&format!("[[{huge}]]"), 2, &quoted);
}

#[test]
fn grids_too_large_say_how_large() {
    let tall = format!("[{}]", vec!["[0]"; 31].join(","));
    check_grid(
        &tall,
        121,
        "[30]: the grid has 31 rows; at most 30 are allowed",
    );
    for (separator, n_cells) in [(",", 31), (", ", 40)] {
        let wide = format!("[[{}]]", vec!["0"; n_cells].join(separator));
        let expected = format!("the row has {n_cells} cells; at most 30 are allowed");
        check_grid(&wide, 1, &format!("[0]: {expected}"));
    }
}

#[test]
fn missing_and_repeated_keys_are_named() {
    assert_eq!(
        message(r#"{"train": []}"#),
        "the key \"test\" is missing (line 1, column 1)"
    );
    assert_eq!(
        message(r#"{"test": []}"#),
        "the key \"train\" is missing (line 1, column 1)"
    );
    assert_eq!(
        message(r#"{"test": [], "train": [{"input": [[0]]}]}"#),
        "train[0]: the key \"output\" is missing (line 1, column 24)"
    );
    assert_eq!(
        message(r#"{"train": [], "test": [{"output": [[0]]}]}"#),
        "test[0]: the key \"input\" is missing (line 1, column 24)"
    );
    assert_eq!(
        message(r#"[{"output": [[0]]}]"#),
        "[0]: the key \"input\" is missing (line 1, column 2)"
    );
    assert_eq!(
        message(r#"{"train": [], "train": [], "test": []}"#),
        "train: the key \"train\" occurs twice (line 1, column 24)"
    );
    assert_eq!(
        message(r#"{"odd id": {"train": []}}"#),
        "[\"odd id\"]: the key \"test\" is missing (line 1, column 12)"
    );
}

#[test]
fn a_task_without_pairs_is_refused() {
    let expected = "the task has no pairs; expected at least one in \"train\" or \"test\"";
    assert_eq!(
        message(r#"{"train": [], "test": []}"#),
        format!("{expected} (line 1, column 1)")
    );
    assert_eq!(
        message(r#"{"a": {"train": [], "test": []}}"#),
        format!("a: {expected} (line 1, column 7)")
    );
}

#[test]
fn broken_json_is_named_with_its_place() {
    assert_eq!(
        message(r#"{"train": [{"input": [[0,"#),
        "train[0].input[0][1]: the file ends too early: a value should follow \
             (line 1, column 26)"
    );
    assert_eq!(
        message(r#"{"train": [], "te"#),
        "the file ends too early: the end of a string should follow \
             (line 1, column 18)"
    );
    assert_eq!(message(""), "the file is empty; expected JSON");
    assert_eq!(
        message(r#"{"train": [], "test": [{"input": [[0]]}]} x"#),
        "there is more text after the end of the JSON document (line 1, column 43)"
    );
    assert_eq!(
        message(b"{\"train\": \xff}"),
        "this is not text in UTF-8, but a binary file or text in another encoding (line 1, column 11)"
    );
    assert_eq!(
        message(r#"{"train": [], "test": [], "x": tru}"#),
        "x: expected a value, found `tru` (line 1, column 32)"
    );
    assert_eq!(
        message(r#"{"train": [], "test": [], "a\q": 1}"#),
        "this is not valid JSON: a bad escape in a string (line 1, column 27)"
    );
    assert_eq!(
        message("{\"tr\nain\": []}"),
        "this is not valid JSON: a control character in a string (line 1, column 5)"
    );
    let deep = format!(r#"{{"train": [], "test": [], "x": {}"#, "[".repeat(100_000));
    assert!(message(deep).contains("lists or objects nested more than 64 deep"));
}

#[test]
fn commas_and_depth_are_named() {
    assert_eq!(
        message(r#"{"train": [], "test": [],}"#),
        "a comma too many before `}` (line 1, column 25)"
    );
    let deep = format!(r#"{{"train": [], "x": {}"#, "[".repeat(100));
    assert!(message(deep).len() < 120);
}

#[test]
fn a_mark_before_the_text_changes_nothing() {
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let file = Path::new("f.json");
    let task = r#"{"train": [{"input": [[0]], "output": [[0]]}], "test": []}"#;
    assert!(parse_tasks(file, &marked(task), None).is_ok());
    assert_eq!(
        parse_solutions(file, &marked(r#"{"a": [[[0]]]}"#))
            .unwrap()
            .len(),
        1
    );
    assert_eq!(parse_grids(file, &marked("[[[1]]]")).unwrap().len(), 1);
    assert_eq!(message(marked("[1")), message("[1"));
}

#[test]
fn other_documents_are_named() {
    let expected = "expected a task, a list of pairs or a map from ids to tasks, found ";
    for (text, found) in [
        (r#"{"a": [[[0]]]}"#, "a map from ids to solutions"),
        (
            r#"{"a": [{"attempt_1": [[0]]}]}"#,
            "a submission; `leyden score` and `leyden submit-check` take submissions",
        ),
        (
            "[[[0]]]",
            "a list of grids; `leyden eval --inputs` takes lists of grids",
        ),
        ("3", "other JSON; `leyden help run` names the forms of data"),
        (
            r#"{"a": {"b": 1}}"#,
            "other JSON; `leyden help run` names the forms of data",
        ),
    ] {
        assert_eq!(message(text), format!("{expected}{found}"));
    }
    assert!(message("{}").starts_with("there are no tasks here; "));
}

#[test]
fn bad_ids_are_named() {
    let expected = "[\"a/b\"]: a task id cannot contain '/' (line 1, column 9)";
    assert_eq!(message(r#"{"a/b": {"train": [], "test": []}}"#), expected);
    let error = parse_tasks(Path::new("a\nb.json"), br#"{"train":[],"test":[]}"#, None);
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("the file's name cannot be the id of its task")
    );
}

#[test]
fn solutions_and_grids_have_their_own_messages() {
    let file = Path::new("s.json");
    let check = |text: &[u8], expected: &str| {
        assert_eq!(
            parse_solutions(file, text).unwrap_err().to_string(),
            expected
        );
    };
    check(
        br#"{"a": [[[0]]], "a": [[[0]]]}"#,
        "s.json: a: the key \"a\" occurs twice (line 1, column 21)",
    );
    check(
        br#"{"a": [[[0]], [[10]]]}"#,
        "s.json: a[1][0][0]: 10 is not a colour; colours are 0 to 9 (line 1, column 17)",
    );
    check(
        b"[]",
        "s.json: expected an object of solutions, found a list (line 1, column 1)",
    );
    check(
        br#"{"a": {"train": [], "test": []}}"#,
        "s.json: expected a map from ids to solutions, found a map from ids to tasks",
    );
    let error = parse_grids(file, br#"{"train": [], "test": []}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "s.json: expected a list of grids, found a task"
    );
    assert_eq!(parse_grids(file, b"[[[1]], [[2]]]").unwrap().len(), 2);
}

#[test]
fn spaces_and_escapes_change_nothing() {
    let compact = r#"{"a b":{"train":[{"input":[[1,2],[3,4]],"output":[[5]]}],"test":[]}}"#;
    let spaced = "\r\n{ \"a\\u0020b\" :\t{ \"train\" : [ { \"input\" : [ [ 1 , 2 ],\n[ 3 ,4 ] ] ,\
                      \"output\": [[ 5]] , \"extra\": [1e5, null, {\"\\\"\": -0.5}] } ] ,\
                      \"test\" : [ ] } }\n";
    let read = |text: &str| parse_tasks(Path::new("f"), text.as_bytes(), None).unwrap();
    assert_eq!(read(compact), read(spaced));
    assert_eq!(read(compact)[0].demos[0].input.cells(), [1, 2, 3, 4]);
}
