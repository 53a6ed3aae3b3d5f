use std::process::Stdio;

use crate::{Sandbox, json};

#[test]
fn all_primitives_are_listed_everywhere() {
    let sandbox = Sandbox::new();
    let all = json(&sandbox.leyden(&["primitives", "--json", "-"]).ok().stdout);
    let names: Vec<&str> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), leyden_dsl::table::N_PRIMITIVES);
    let overview = sandbox.leyden(&["primitives"]).ok().stdout;
    let page = sandbox
        .leyden(&["primitives", "--format", "md"])
        .ok()
        .stdout;
    for name in names {
        assert!(overview.contains(&format!("\n  {name} ")), "{name}");
        let (title, row) = (format!("\n### {name}\n"), format!("\n| `{name}("));
        assert!(page.contains(&title) || page.contains(&row), "{name}");
    }
}

#[test]
fn the_committed_page_is_fresh() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/primitives.md");
    let expected = Sandbox::new()
        .leyden(&["primitives", "--format", "md"])
        .ok()
        .stdout;
    assert!(
        std::fs::read_to_string(page).unwrap() == expected,
        "run `cargo xtask docs`"
    );
}

#[test]
fn one_primitive_is_explained() {
    let sandbox = Sandbox::new();
    let text = sandbox.leyden(&["primitives", "add"]).ok().stdout;
    assert!(
        text.starts_with("add(a: Numerical, b: Numerical) -> Numerical\n"),
        "{text}"
    );
    assert!(text.contains(">>> add((1, 2), 3)\n  (4, 5)\n"), "{text}");
    assert!(
        sandbox
            .leyden(&["primitives", "argmin"])
            .ok()
            .stdout
            .contains("re-arc    gives None")
    );
    let alias = sandbox.leyden(&["primitives", "merge_f"]).ok().stdout;
    assert!(
        alias.contains("tokpidjin also called merge_f, merge_t\n"),
        "{alias}"
    );
    assert_eq!(
        sandbox.leyden(&["primitives", "L2"]).ok().stdout,
        "L2 = -2\n"
    );
    assert_eq!(
        sandbox.leyden(&["primitives", "UNITY"]).ok().stdout,
        "UNITY = (1, 1)\n"
    );
}

#[test]
fn unknown_names_get_a_hint() {
    let sandbox = Sandbox::new();
    sandbox
        .leyden(&["primitives", "objetcs"])
        .refused(&["objetcs", "did you mean objects?"]);
    sandbox
        .leyden(&["primitives", "zzzzzz"])
        .refused(&["zzzzzz", "`leyden primitives` lists all"]);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let sandbox = Sandbox::new();
    for args in [
        &["primitives"][..],
        &["primitives", "--format", "md"],
        &["run", "--data", "demo"],
    ] {
        let mut child = sandbox
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}

#[test]
fn completion_scripts_know_the_commands() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.leyden(&["completions", shell]).ok().stdout;
        assert!(
            script.contains("primitives") && script.contains("exact-order"),
            "{shell}"
        );
    }
}

#[test]
fn help_teaches_with_examples() {
    let sandbox = Sandbox::new();
    for command in [
        "run",
        "eval",
        "get",
        "show",
        "primitives",
        "import",
        "completions",
    ] {
        let help = sandbox.leyden(&[command, "--help"]).ok().stdout;
        assert!(help.contains(&format!("  leyden {command}")), "{help}");
    }
    let version = sandbox.leyden(&["--version"]).ok().stdout;
    assert_eq!(version, format!("leyden {}\n", env!("CARGO_PKG_VERSION")));
}
