"""Compiles the device interpreter to PTX with NVRTC, and asks ptxas what it makes of it.

    python tools/make_ptx.py --nvrtc DIR --out FILE [--check] [--ptxas PROGRAM]

NVRTC comes from the PyPI wheel `nvidia-cuda-nvrtc-cu12` (12.0.76 makes the checked-in file), ptxas
from `nvidia-cuda-nvcc-cu12`; DIR is where the first is unpacked. Neither needs a GPU. `--check`
writes nothing and fails where the file differs from what the source gives now.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

KERNEL = Path(__file__).resolve().parent.parent / "crates/leyden-gpu/kernels/interpreter.cl"
OPTIONS = ["--gpu-architecture=compute_60", "--std=c++11"]
TARGETS = ["sm_60", "sm_75", "sm_89"]


def library(directory: Path) -> ctypes.CDLL:
    """NVRTC, from wherever below the directory it lies."""
    found = sorted(directory.rglob("libnvrtc.so.*"))
    if not found:
        sys.exit(f"no libnvrtc.so.* below {directory}: unpack the wheel nvidia-cuda-nvrtc-cu12 there")
    for companion in sorted(directory.rglob("libnvrtc-builtins.so.*")):
        ctypes.CDLL(str(companion), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(found[0]))


def text_of(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> str:
    """What NVRTC has to say: the log or the PTX."""
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, buffer)
    return buffer.value.decode()


def compile_ptx(nvrtc: ctypes.CDLL, source: str) -> str:
    """The PTX of a source, or the end with NVRTC's log."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"interpreter.cu", 0, None, None)
    options = (ctypes.c_char_p * len(OPTIONS))(*[option.encode() for option in OPTIONS])
    if nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options) != 0:
        sys.exit(text_of(nvrtc, program, "ProgramLog"))
    return text_of(nvrtc, program, "PTX")


def assemble(ptxas: str, ptx: Path) -> None:
    """Prints registers and shared memory for each target, or ends with the complaint."""
    for target in TARGETS:
        command = [ptxas, "-v", f"-arch={target}", "-o", os.devnull, str(ptx)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{target}: {run.stderr}")
        for line in run.stderr.splitlines():
            if "registers" in line:
                print(f"{target}: {line.removeprefix('ptxas info    :').strip()}")


def write_whole(path: Path, text: str) -> None:
    """The whole file or none of it."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as part:
        part.write(text)
    os.chmod(part.name, 0o644)
    os.replace(part.name, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvrtc", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    ptx = compile_ptx(library(args.nvrtc), KERNEL.read_text())
    if not args.check:
        write_whole(args.out, ptx)
    elif not args.out.exists() or args.out.read_text() != ptx:
        sys.exit(f"{args.out} is not what the source gives: run this without --check")
    if args.ptxas:
        assemble(args.ptxas, args.out)
    print(f"{len(ptx)} bytes of PTX")


if __name__ == "__main__":
    main()
