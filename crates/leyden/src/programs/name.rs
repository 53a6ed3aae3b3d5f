//! Names and dialects that follow from a program's path, if its text does not tell them.

use std::collections::BTreeMap;
use std::path::Path;

use leyden_dsl::table::Dialect;
use leyden_lang::{Input, Op, Operand, Program, task_id_in};

/// A task's id is in a file's name or at most this many directories above it:
/// `solve_<task>/<score>/<time>/<md5>.py`.
const MOST_PARENTS: usize = 3;

/// Names of functions that tell only the kind of program.
const KINDS: [&str; 3] = ["solve", "differ", "verify"];

/// Does a line start a program that belongs to a task?
pub(super) fn names_a_task(line: &str) -> bool {
    head(line).is_some_and(|(name, _)| task_id_in(name).is_some())
}

/// Is the text a single program, by its own name or by the name of its file?
pub(super) fn is_lone_program(text: &str, path: &Path) -> bool {
    let mut heads = text.lines().filter_map(head);
    let (Some((name, parameters)), None) = (heads.next(), heads.next()) else {
        return false;
    };
    let kind = name.split('_').next().unwrap_or_default();
    takes_inputs(parameters)
        && (KINDS.contains(&kind) || is_md5(&stem(path)) || task_in_path(path).is_some())
}

/// The name and the parameters of a program that starts on this line.
fn head(line: &str) -> Option<(&str, &str)> {
    let head = line
        .strip_prefix("def ")
        .or_else(|| line.strip_prefix("program "))?;
    let (name, rest) = head.split_once('(')?;
    Some((name.trim(), rest.split(')').next().unwrap_or_default()))
}

fn takes_inputs(parameters: &str) -> bool {
    let names = parameters.split(',').map(|parameter| {
        let name = parameter.split(':').next().unwrap_or_default();
        name.trim()
    });
    names.into_iter().all(|name| Input::by_name(name).is_some())
}

/// Is it an MD5 hash, as tokpidjin names its files?
pub(super) fn is_md5(stem: &str) -> bool {
    stem.len() == 32 && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A file's name as part of a program's name.
fn stem(path: &Path) -> String {
    word(&path.file_stem().unwrap_or_default().to_string_lossy())
}

fn word(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    text.chars().map(plain).collect()
}

/// The task that a path names: in the file's name, or in the name of a directory nearby.
pub(super) fn task_in_path(path: &Path) -> Option<String> {
    let parents = path.ancestors().skip(1).take(MOST_PARENTS);
    let parents = parents.map(|parent| parent.file_name().unwrap_or_default());
    let words = parents.map(|name| word(&name.to_string_lossy()));
    let mut words = [stem(path)].into_iter().chain(words);
    words.find_map(|word| task_id_in(&word).map(str::to_owned))
}

/// The name for the only program of a file. The program keeps its own name if the path adds
/// nothing.
fn wanted_name(own: &str, path: &Path) -> String {
    let stem = stem(path);
    let task = task_in_path(path).filter(|_| own != "differ");
    match task {
        Some(task) => format!("{own}_{task}"),
        None if is_md5(&stem) => format!("{own}_{stem}"),
        None => own.to_owned(),
    }
}

/// Names programs after their paths: each is the only one of its file, and its own name has no
/// task. If several programs want one name, each of them also gets the beginning of its file's
/// name.
pub(super) fn name_by_path<'p>(
    lone: impl Iterator<Item = (&'p mut Program, &'p Path)>,
    mut taken: BTreeMap<String, usize>,
) {
    let lone: Vec<_> = lone
        .map(|(program, path)| {
            let wanted = wanted_name(&program.name, path);
            (program, path, wanted)
        })
        .collect();
    for (program, _, wanted) in &lone {
        if let Some(count) = taken.get_mut(&program.name) {
            *count -= 1;
        }
        *taken.entry(wanted.clone()).or_default() += 1;
    }
    for (program, path, wanted) in lone {
        program.name = match taken.get(&wanted) {
            Some(1) => wanted,
            _ => {
                let name = with_stem(&wanted, path, &taken);
                taken.insert(name.clone(), 1);
                name
            }
        };
    }
}

/// A free name that begins like the wanted one.
fn with_stem(wanted: &str, path: &Path, taken: &BTreeMap<String, usize>) -> String {
    let stem = stem(path);
    let short = if is_md5(&stem) { &stem[..8] } else { &stem };
    let counted = (2..).map(|k| format!("{wanted}_{stem}_{k}"));
    let names = [short, &stem].map(|stem| format!("{wanted}_{stem}"));
    let mut names = names.into_iter().chain(counted);
    let is_free = |name: &String| taken.get(name).is_none_or(|count| *count == 0);
    names.find(is_free).unwrap_or_else(|| wanted.to_owned())
}

/// Could a program be tokpidjin's although its names do not show it? It takes `(S, I, C)`, and that
/// dialect has every name that it uses.
pub(super) fn could_be_tokpidjins(program: &Program) -> bool {
    let mut operands = program.ops().flat_map(Op::operands);
    program.dialect == Dialect::ArcDsl
        && program.inputs == [Input::S, Input::I, Input::C]
        && operands.all(|operand| match operand {
            Operand::Prim(prim) => prim.entry().is_in(Dialect::Tokpidjin),
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_start_programs_are_recognised() {
        assert!(names_a_task("def solve_007bbfb7(I):"));
        assert!(names_a_task("def verify_007bbfb7(I: Grid) -> Grid:"));
        assert!(names_a_task("program solve_007bbfb7(I) arc-dsl"));
        assert!(!names_a_task("def vmirror(piece):"));
        assert!(!names_a_task("    def solve_007bbfb7(I):"));
        assert!(!names_a_task("x = 007bbfb7"));
    }

    #[test]
    fn lone_programs_are_told_from_other_modules() {
        let is_lone = |text: &str, path: &str| is_lone_program(text, Path::new(path));
        assert!(is_lone("def solve(I):\n", "a.py"));
        assert!(is_lone("def flip(S, I: Grid, C):\n", "007bbfb7.py"));
        assert!(is_lone(
            "def f(I):\n",
            "0123456789abcdef0123456789abcdef.py"
        ));
        assert!(!is_lone("def flip(I):\n", "a.py"));
        assert!(!is_lone("def solve(grid):\n", "007bbfb7.py"));
        assert!(!is_lone("def solve(I):\ndef g(I):\n", "007bbfb7.py"));
        assert!(!is_lone("x = 1\n", "007bbfb7.py"));
    }

    #[test]
    fn paths_speak_of_tasks() {
        let task = |path: &str| task_in_path(Path::new(path));
        assert_eq!(task("007bbfb7.py").as_deref(), Some("007bbfb7"));
        assert_eq!(task("solve_007bbfb7.py").as_deref(), Some("007bbfb7"));
        assert_eq!(task("007bbfb7-v2.py").as_deref(), Some("007bbfb7"));
        let store = "solver_dir/solve_007bbfb7/4000/11/aa.py";
        assert_eq!(task(store).as_deref(), Some("007bbfb7"));
        assert_eq!(task("007bbfb7/a/b/c/d.py"), None);
        assert_eq!(task("mine.py"), None);
    }

    #[test]
    fn programs_are_named_after_their_paths() {
        let md5 = "0123456789abcdef0123456789abcdef";
        let paths = [
            "solver_dir/solve_00000001/4000/9/aaaaaaaa0123456789abcdef01234567.py",
            "solver_dir/solve_00000001/2000/9/bbbbbbbb0123456789abcdef01234567.py",
            "solver_dir/solve_00000001/1000/9/bbbbbbbb0123456789abcdef01234567.py",
            "00000002.py",
            &format!("solver_md5/{md5}.py"),
            "flip.py",
        ];
        let source = "def solve(I):\n    return I\n";
        let program = || leyden_lang::parse(source, "a.py", None).unwrap().remove(0);
        let mut programs: Vec<Program> = paths.iter().map(|_| program()).collect();
        let taken = BTreeMap::from([("solve".to_owned(), paths.len())]);
        name_by_path(programs.iter_mut().zip(paths.map(Path::new)), taken);
        let names: Vec<&str> = programs.iter().map(|it| it.name.as_str()).collect();
        let long = "solve_00000001_bbbbbbbb0123456789abcdef01234567";
        let expected = [
            "solve_00000001_aaaaaaaa",
            "solve_00000001_bbbbbbbb",
            long,
            "solve_00000002",
            &format!("solve_{md5}"),
            "solve",
        ];
        assert_eq!(names, expected);
    }
}
