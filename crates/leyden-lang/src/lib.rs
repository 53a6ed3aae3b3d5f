//! Programs as data: text in, [`Program`] out, and back.
//!
//! A program is a list of lines, each a call of a primitive (or of an earlier line) on earlier
//! values. This crate reads such programs from arc-dsl's Python files ([`parse_python`]) and from
//! the engine's own text form ([`parse_text`]), prints both ([`print_python`], [`print_text`]), and
//! warns about doubtful lines ([`verify`]). It runs nothing.
//!
//! Errors in a file come back as [`Diagnostic`]s that point at their places:
//!
//! ```
//! use leyden_lang::{parse, render};
//!
//! let source = "def solve_0a1b2c3d(I):\n    x1 = vmiror(I)\n    return x1\n";
//! let errors = parse(source, "solvers.py", None).unwrap_err();
//! assert_eq!(errors[0].message, "unknown name `vmiror`");
//! assert_eq!(errors[0].help.as_deref(), Some("did you mean `vmirror`?"));
//!
//! let report = render(&errors, source, "solvers.py", false);
//! assert!(report.contains("solvers.py:2:10"));
//! ```

mod battery;
mod battery_python;
mod battery_text;
mod battery_tokpidjin;
mod build;
mod diagnostic;
mod expr;
mod functions;
mod guard;
mod merge;
mod names;
mod parse;
mod passes;
mod program;
mod python;
mod text;
mod unsupported;
mod user_names;
mod verify;

pub use battery::{Battery, Merger, Mutation, Node, NodeId, Out, Scripted, Scripts};
pub use battery_python::{MixedDialects, print_battery_python};
pub use battery_text::{
    BATTERY_FORMAT, BatteryFile, BatteryHeader, is_battery, parse_battery, print_battery,
};
pub use battery_tokpidjin::{NotTokpidjin, TokpidjinModules, print_battery_tokpidjin};
pub use diagnostic::{Diagnostic, Severity, render};
pub use expr::{Expr, parse_expr, parse_expr_in};
pub use functions::{
    Function, FunctionAction, FunctionBody, FunctionStep, Functions, Parts, Register, Unresolved,
};
pub use parse::{
    DifferResult, GeneratedBatt, MAX_SOURCE_BYTES, is_generated_batt, parse, parse_file,
    parse_generated_batt, parse_in, parse_python,
};
pub use passes::{RULES, Rule, Rules};
pub use program::{ConstId, Input, Line, Op, Operand, Program, ProgramFile, task_id_in};
pub use python::{print_dialect, print_python, print_python_alone, print_python_file};
pub use text::{is_text_form, parse_text, print_text, print_text_file};
pub use user_names::{Language, UserNames};
pub use verify::verify;
