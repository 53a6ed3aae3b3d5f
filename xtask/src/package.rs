//! The Python package. `cargo xtask wheel` builds it for others. `cargo xtask python` tests it as
//! others get it: built into a wheel and installed into a separate environment, away from the
//! sources.
#![allow(clippy::print_stdout)]

use std::env::JoinPathsError;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ci::{absolute, cache, finished, scratch};
use crate::{Outcome, root};

/// The largest size of a wheel, in bytes.
const MOST_BYTES: u64 = 15_000_000;
/// The oldest system that a wheel is for.
const PLATFORM: &str = "manylinux2014";
/// The PyPI package that has re-arc's Python.
const RE_ARC: &str = "reasoning-gym==0.1.25";
const USAGE: &str = "usage: cargo xtask wheel [DIR]";

/// Builds the wheel for others, by default into `dist`.
pub(crate) fn wheel(args: &[&str]) -> Outcome {
    let out = match args {
        [] => root().join("dist"),
        [dir] if !dir.starts_with('-') => PathBuf::from(dir),
        _ => return Err(USAGE.into()),
    };
    let environment = Environment::with(&["maturin[zig]>=1.9,<2"], "maker")?;
    // Zig's linker knows the symbols of old systems, so that the wheel runs on them. The wheel
    // supports devices: it looks for their libraries when it runs.
    let args = [
        "--profile",
        "dist",
        "--zig",
        "--compatibility",
        PLATFORM,
        "--features",
        "opencl,cuda",
    ];
    let built = environment.build(&args, &scratch().join("dist"))?;
    // The directory may hold other files; the wheel goes beside them.
    fs::create_dir_all(&out)?;
    let wheel = out.join(built.file_name().ok_or("a wheel without a name")?);
    fs::copy(&built, &wheel)?;
    let n_bytes = fs::metadata(&wheel)?.len();
    println!("{} {:.1} MB", wheel.display(), n_bytes as f64 / 1e6);
    if n_bytes < MOST_BYTES {
        Ok(())
    } else {
        Err(format!("it should weigh less than {MOST_BYTES} bytes").into())
    }
}

/// Packs every crate that can be published, and builds each from its package alone.
pub(crate) fn crates() -> Outcome {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["package", "--workspace"]).current_dir(root());
    for unpublished in ["leyden-benches", "leyden-py", "xtask"] {
        command.args(["--exclude", unpublished]);
    }
    finished(command)
}

/// Builds a wheel of the tested profile, installs it and runs the package's tests on it.
pub(crate) fn test(args: &[&str]) -> Outcome {
    let requirements = root().join("python/tests/requirements.txt");
    let environment = Environment::with(&["-r", text(&requirements)?], "python")?;
    // The profile of the commands' tests, so that little is built again.
    let wheels = scratch().join("wheels");
    let wheel = environment.build(&["--profile", "dev"], &wheels)?;
    environment.pip(&["--force-reinstall", "--no-deps", text(&wheel)?])?;
    let peers = absolute(&scratch().join("peers"))?;
    environment.pip(&["--no-deps", "--target", text(&peers)?, "--upgrade", RE_ARC])?;
    let mut command = environment.python();
    command
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .arg(root().join("python/tests"))
        .args(args)
        .current_dir(scratch())
        .env("LEYDEN_WHEEL", wheel)
        .env("LEYDEN_REASONING_GYM", peers.join("reasoning_gym"))
        .env("LEYDEN_CACHE", absolute(&cache())?);
    finished(command)
}

/// A virtual environment below the build's directory.
struct Environment {
    dir: PathBuf,
}

impl Environment {
    /// Makes an environment with these packages, unless it exists.
    fn with(packages: &[&str], name: &str) -> Result<Environment, Box<dyn std::error::Error>> {
        let dir = absolute(&scratch().join("env").join(name))?;
        let environment = Environment { dir };
        if !environment.program("python").exists() {
            let mut command = Command::new("python3");
            // Isolated: `-m` would look in the working directory first.
            command.args(["-I", "-m", "venv"]).arg(&environment.dir);
            finished(command)?;
        }
        environment.pip(packages)?;
        Ok(environment)
    }

    fn program(&self, name: &str) -> PathBuf {
        self.dir.join("bin").join(name)
    }

    fn first_on_path(&self) -> Result<OsString, JoinPathsError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let others = std::env::split_paths(&path);
        std::env::join_paths(std::iter::once(self.dir.join("bin")).chain(others))
    }

    fn python(&self) -> Command {
        Command::new(self.program("python"))
    }

    fn pip(&self, packages: &[&str]) -> Outcome {
        let mut command = self.python();
        command.args([
            "-I",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        command.args(packages);
        finished(command)
    }

    /// Builds a wheel as the only file of `out`, a directory of this chore.
    fn build(&self, args: &[&str], out: &Path) -> Result<PathBuf, Box<dyn std::error::Error>> {
        _ = fs::remove_dir_all(out);
        let mut command = Command::new(self.program("maturin"));
        command
            .arg("build")
            .args(args)
            .arg("--out")
            .arg(absolute(out)?);
        command.current_dir(root()).env("LEYDEN_TEST_NETWORK", "1");
        // Maturin asks the first Python that it finds for Zig.
        command.env("PATH", self.first_on_path()?);
        finished(command)?;
        let mut files = fs::read_dir(out)?;
        let wheel = files.next().ok_or("maturin left no wheel")??;
        Ok(absolute(&wheel.path())?)
    }
}

fn text(path: &Path) -> Result<&str, String> {
    path.to_str()
        .ok_or_else(|| format!("{path:?} is not UTF-8"))
}
