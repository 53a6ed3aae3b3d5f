#!/usr/bin/env python3
"""Compiles the device interpreter to PTX and cubins, and reports the assembler's verdict. Needs no GPU.

    python tools/make_ptx.py [--packages DIR]                writes interpreter.* into crates/leyden-gpu/kernels
    python tools/make_ptx.py --check [--packages DIR]        compares the files with the results of the source, byte by byte
    python tools/make_ptx.py --resources [--packages DIR]    registers, memory, spills, occupancy by target

A cubin is the machine code of one target, which the driver loads without compiling: P100, T4 and L4 have
one each. All other GPUs load the PTX, which the driver compiles.

NVRTC and ptxas come from two PyPI wheels of fixed versions, unpacked below DIR; a missing one is
installed there with pip. All three ways end with ptxas judging the PTX for the targets of P100, T4 and
L4, and with an error if it does not accept the PTX.

Occupancy is the share of a multiprocessor's warps that can be resident at a time:

    groups    = min(groups a multiprocessor may have,
                    its warps // warps of a group,
                    warps its registers suffice for // warps of a group,
                    its shared memory // (shared memory of a group, rounded up, + what the driver keeps))
    occupancy = groups * warps of a group / its warps

where a warp takes 32 * registers of a thread, rounded up to 256, and the warps that registers suffice for
are rounded down to a multiple of the multiprocessor's parts. A group has 64 lanes, hence two warps; its
shared memory is the need of its program.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KERNELS = Path(__file__).resolve().parent.parent / "crates/leyden-gpu/kernels"
PTX = KERNELS / "interpreter.ptx"
PTX_ARCHITECTURE = "compute_60"
WHEELS = ["nvidia-cuda-nvrtc-cu12==12.0.76", "nvidia-cuda-nvcc-cu12==12.9.86"]
WARPS_OF_A_GROUP = 2
GROUP_KILOBYTES = [4, 8, 16, 32, 43]


@dataclass
class Target:
    """The resources of a multiprocessor."""

    name: str
    card: str
    shared: int
    warps: int
    groups: int
    kept: int
    unit: int
    parts: int
    registers: int = 65536

    @property
    def cubin(self) -> Path:
        return KERNELS / f"interpreter.{self.name}.cubin"


TARGETS = [
    Target("sm_60", "P100", 65536, 64, 32, 0, 256, 2),
    Target("sm_75", "T4", 65536, 32, 16, 0, 256, 4),
    Target("sm_89", "L4", 102400, 48, 24, 1024, 128, 4),
]


def source() -> str:
    """All parts of the kernel, in the order of their names, as src/wire.rs joins them."""
    return "".join(part.read_text() for part in sorted((KERNELS / "interpreter").glob("*.cl")))


def found(directory: Path, pattern: str) -> Path | None:
    return next(iter(sorted(directory.rglob(pattern))), None)


def install(directory: Path) -> None:
    """Installs the wheels below the directory of packages."""
    command = [sys.executable, "-I", "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    if subprocess.run([*command, "--target", str(directory), *WHEELS]).returncode != 0:
        sys.exit(f"pip could not install {' and '.join(WHEELS)}")


def tools(directory: Path) -> tuple[Path, Path]:
    """NVRTC's library and ptxas."""
    if not (found(directory, "libnvrtc.so.*") and found(directory, "ptxas")):
        install(directory)
    library, ptxas = found(directory, "libnvrtc.so.*"), found(directory, "ptxas")
    if not library or not ptxas:
        sys.exit(f"the wheels in {directory} have no libnvrtc.so.* or no ptxas")
    return library, ptxas


def loaded(library: Path) -> ctypes.CDLL:
    """Loads NVRTC, which does not find its companion by itself."""
    for companion in sorted(library.parent.glob("libnvrtc-builtins.so.*")):
        ctypes.CDLL(str(companion), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(library))


def data_of(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    """Reads NVRTC's log or a result."""
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw


def text_of(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    """Reads a text without the zero at its end."""
    return data_of(nvrtc, program, what).rstrip(b"\0")


def compiled(nvrtc: ctypes.CDLL, architecture: str) -> ctypes.c_void_p:
    """Compiles the source for an architecture; exits with NVRTC's log if that fails."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source().encode(), b"interpreter.cu", 0, None, None)
    chosen = [f"--gpu-architecture={architecture}".encode(), b"--std=c++11"]
    options = (ctypes.c_char_p * len(chosen))(*chosen)
    if nvrtc.nvrtcCompileProgram(program, len(chosen), options) != 0:
        sys.exit(text_of(nvrtc, program, "ProgramLog").decode())
    return program


def results(nvrtc: ctypes.CDLL) -> Iterator[tuple[Path, bytes]]:
    """Compiles every file."""
    yield PTX, text_of(nvrtc, compiled(nvrtc, PTX_ARCHITECTURE), "PTX")
    for target in TARGETS:
        yield target.cubin, data_of(nvrtc, compiled(nvrtc, target.name), "CUBIN")


@dataclass
class Kernel:
    """The resources of a kernel, as ptxas reports them."""

    name: str
    registers: int
    spilled: int
    stack: int
    shared: int


def number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    return int(match.group(1)) if match else 0


def assembled(ptxas: Path, ptx: Path, target: Target) -> list[Kernel]:
    """Assembles the kernels for a target; exits with the error if that fails."""
    command = [str(ptxas), "-v", f"-arch={target.name}", "-o", os.devnull, str(ptx)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"ptxas does not accept the PTX for {target.name}:\n{run.stderr}")
    parts = re.split(r"Compiling entry function '(\w+)'", run.stderr)[1:]
    return [kernel_of(name, text) for name, text in zip(parts[::2], parts[1::2])]


def kernel_of(name: str, text: str) -> Kernel:
    return Kernel(
        name,
        registers=number(r"Used (\d+) registers", text),
        spilled=number(r"(\d+) bytes spill stores", text),
        stack=number(r"(\d+) bytes stack frame", text),
        shared=number(r"(\d+) bytes smem", text),
    )


def rounded_up(n: int, unit: int) -> int:
    return -(-n // unit) * unit


def occupancy(target: Target, kernel: Kernel, dynamic: int) -> tuple[int, float]:
    """The groups of a multiprocessor, and their share of its warps."""
    warps = target.registers // rounded_up(32 * kernel.registers, 256)
    warps = warps // target.parts * target.parts
    shared = rounded_up(kernel.shared + dynamic, target.unit) + target.kept
    limits = [target.groups, target.warps // WARPS_OF_A_GROUP, warps // WARPS_OF_A_GROUP, target.shared // shared]
    return min(limits), min(limits) * WARPS_OF_A_GROUP / target.warps


def print_resources(target: Target, kernel: Kernel) -> None:
    print(f"{target.name} ({target.card}), {kernel.name}: {kernel.registers} registers of a thread, {kernel.spilled} bytes")
    print(f"  spilled, {kernel.stack} bytes of stack, {kernel.shared} bytes of fixed shared memory")
    for kilobytes in GROUP_KILOBYTES:
        groups, share = occupancy(target, kernel, kilobytes * 1024)
        print(f"  {kilobytes:3} KB a group: {groups:2} groups of a multiprocessor, occupancy {share:4.0%}")


def write_whole(path: Path, data: bytes) -> None:
    """Writes the whole file or none of it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
        part.write(data)
    os.chmod(part.name, 0o644)
    os.replace(part.name, path)


def compare(path: Path, data: bytes) -> None:
    """Exits if the file has other bytes."""
    if not path.exists() or path.read_bytes() != data:
        sys.exit(f"{path.name} is not what the source gives: run this without --check")


def judge(ptxas: Path, wants_resources: bool) -> None:
    """Makes ptxas judge the file for every target."""
    for target in TARGETS:
        for kernel in assembled(ptxas, PTX, target):
            if wants_resources:
                print_resources(target, kernel)
            else:
                print(f"{target.name}: accepted, {kernel.registers} registers, {kernel.spilled} bytes spilled")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path, default=Path("target/cuda"), metavar="DIR")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--resources", action="store_true")
    args = parser.parse_args()
    library, ptxas = tools(args.packages)
    if not args.resources or args.check:
        handle = compare if args.check else write_whole
        for path, data in results(loaded(library)):
            handle(path, data)
            print(f"{path.name}: {len(data)} bytes, {'fresh' if args.check else 'written'}")
    judge(ptxas, args.resources)


if __name__ == "__main__":
    main()
