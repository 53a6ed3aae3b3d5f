#!/usr/bin/env python3
"""Opens exported profiles in their programs.

    cargo run -p leyden-profile --example made_up -- DIR
    tools/check_readers.py DIR

Python's own modules read csv and JSON, as the old notebooks' loop does. pprof goes through a decoder of the public
schema written here and through `go tool pprof` if Go is installed (`--go` insists on it). speedscope's own web app opens
speedscope JSON and collapsed stacks, headless Chromium the HTML reports and the flame graph. Missing programs
are installed by name: speedscope and playwright-core by npm, chromium (and Go with `--go`) by apt-get.
The tool names every failed check; the exit code is 1 if there is one. Screenshots stay in DIR.
"""
import argparse
import contextlib
import csv
import gzip
import io
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NODE_PACKAGES = ["speedscope", "playwright-core"]
# The texts that every viewer must show for the made-up profile.
SYMBOLS = ["objects", "bordering", "solve_00d62c1b", "2: x1 = objects(I, T, F, F)", "start-up"]
HTML = ["dsl.html", "batch.html", "framework.html", "pipeline.html", "lines.html"]
PLAIN = ["compare.html"]

failures = []


def check(what, holds, detail=""):
    print(f"{'ok    ' if holds else 'FAILED'}  {what}{'' if holds or not detail else f': {detail}'}")
    if not holds:
        failures.append(what)


def check_json(directory):
    data = json.loads((directory / "profile.json").read_text())
    check("JSON: names its format", data["format"] == "leyden-profile/1")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for rec in data['aggregate']['recommendations']:
            print(f"{rec['function']}: {rec['gpu_priority']} ({rec['percent_of_total']:.1f}%)")
    lines = printed.getvalue().splitlines()
    check("JSON: it has a verdict", data["verdict"].endswith("."))
    check("JSON: failed tasks can be joined", isinstance(", ".join(data["aggregate"]["failed_tasks"]), str))
    check("JSON: the old notebooks' loop runs", bool(lines) and ": HIGH (" in lines[0], str(lines))
    total = sum(row["self_ns"] for row in data["primitives"])
    check("JSON: primitives add up", abs(total - data["totals"]["execute_ns"]) <= 0.02 * total)
    return data


def check_csv(directory, data):
    def rows(name):
        with open(directory / f"{name}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, strict=True))
    for name in ["primitives", "tasks", "samples", "lines", "layers", "phases", "projections"]:
        found = rows(name)
        whole = all(None not in row and None not in row.values() for row in found)
        check(f"csv: {name} has {len(found)} full rows", bool(found) and whole)
    by_name = {row["primitive"]: int(row["self_ns"]) for row in rows("primitives")}
    check("csv: primitives as in the JSON", by_name == {row["name"]: row["self_ns"] for row in data["primitives"]})
    check("csv: source lines as in the JSON", [row["text"] for row in rows("lines")] == [row["text"] for row in data["lines"]])


def fields(message):
    """The fields of an encoded message: number and value, which is a number or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            yield number, varint()
        elif kind == 2:
            size = varint()
            yield number, message[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {kind}")


def packed(values):
    """Reads repeated numbers, packed or not."""
    found = []
    for value in values:
        if isinstance(value, int):
            found.append(value)
            continue
        number = shift = 0
        for byte in value:
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                found.append(number)
                number = shift = 0
    return found


def check_pprof(directory, data):
    raw = gzip.decompress((directory / "profile.pb.gz").read_bytes())
    strings, functions, locations, samples, types = [], {}, {}, [], []
    for number, value in fields(raw):
        if number == 6:
            strings.append(value.decode())
        elif number == 5:
            function = dict(fields(value))
            functions[function[1]] = function
        elif number == 4:
            location = dict(fields(value))
            locations[location[1]] = dict(fields(location[4]))
        elif number == 2:
            pairs = list(fields(value))
            samples.append((packed(v for k, v in pairs if k == 1), packed(v for k, v in pairs if k == 2)))
        elif number == 1:
            types.append(dict(fields(value)))
    check("pprof: the first string is empty", strings[:1] == [""])
    check("pprof: values are named", [strings[t[1]] for t in types] == ["calls", "time"])
    total = sum(path["self_ns"] for path in data["stacks"]["paths"])
    check("pprof: times add up", sum(values[1] for _, values in samples) == total)
    names = {strings[functions[locations[place][1]][2]] for places, _ in samples for place in places}
    for symbol in SYMBOLS:
        check(f"pprof: has {symbol}", symbol in names, str(sorted(names)))
    roots = {strings[functions[locations[places[-1]][1]][2]] for places, _ in samples}
    check("pprof: layers are outermost", {"execute", "start-up"} <= roots, str(roots))


def check_go(directory, insists):
    go = shutil.which("go")
    if go is None and insists:
        install("golang-go")
        go = shutil.which("go")
    if go is None:
        print("skipped  go tool pprof: Go is not installed (--go installs it)")
        return
    run = subprocess.run([go, "tool", "pprof", "-top", "-unit=ns", str(directory / "profile.pb.gz")], capture_output=True, text=True)
    check("go tool pprof reads it", run.returncode == 0, run.stderr)
    for symbol in SYMBOLS[:3]:
        check(f"go tool pprof: lists {symbol}", symbol in run.stdout, run.stdout)


def install(package):
    subprocess.run(["apt-get", "update", "-qq"], check=True)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], check=True)


def chromium():
    for name in ["chromium", "chromium-browser", "google-chrome"]:
        if shutil.which(name):
            return shutil.which(name)
    install("chromium")
    return shutil.which("chromium") or sys.exit("chromium could not be installed")


def check_browser(directory, modules):
    if shutil.which("npm") is None:
        sys.exit("npm is missing: Node is needed for speedscope's web app")
    if not all((modules / "node_modules" / package).exists() for package in NODE_PACKAGES):
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(modules), *NODE_PACKAGES], check=True)
    expected = directory / "expected.json"
    expected.write_text(json.dumps({
        "symbols": SYMBOLS,
        "speedscope": ["profile.speedscope.json", "profile.collapsed.txt"],
        "html": HTML,
        "plain": PLAIN,
        "flame": "profile.svg",
    }))
    script = Path(__file__).with_suffix(".mjs")
    run = subprocess.run(["node", str(script), str(directory), str(modules), chromium(), str(expected)])
    check("in the browser all is well", run.returncode == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="what the example made_up wrote")
    parser.add_argument("--modules", type=Path, help="where npm may keep its packages; else a temporary directory")
    parser.add_argument("--go", action="store_true", help="insist on go tool pprof")
    parser.add_argument("--no-browser", action="store_true", help="only csv, JSON and pprof")
    arguments = parser.parse_args()
    directory = arguments.directory.resolve()
    data = check_json(directory)
    check_csv(directory, data)
    check_pprof(directory, data)
    check_go(directory, arguments.go)
    if not arguments.no_browser:
        with tempfile.TemporaryDirectory() as scratch:
            modules = (arguments.modules or Path(scratch)).resolve()
            modules.mkdir(parents=True, exist_ok=True)
            check_browser(directory, modules)
    if failures:
        sys.exit(f"{len(failures)} checks failed:\n" + "\n".join(failures))
    print("every reader reads")


if __name__ == "__main__":
    main()
