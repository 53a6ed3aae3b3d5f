//! Prints `kernels/interpreter/1_wire.cl`; `cargo xtask docs` writes the file.
#![allow(clippy::print_stdout)]

fn main() {
    print!("{}", leyden_gpu::wire_text());
}
