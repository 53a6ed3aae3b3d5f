"""Loads a Python original of the DSL and runs it under fixed conditions.

Shared by make_vectors.py, crossrun.py and bench_cpython.py. It knows three things:

* the JSON encoding of DSL values (int, bool, null; tuple = array; frozenset = {"set": [...]} in
  iteration order; a primitive = {"fn": name}, any other callable = {"fn": "<lambda>"}; a number with a
  point, which only tokpidjin has, = {"float": "inf"});
* how to call something at the stack depth where `power(f, 999)` works and `power(f, 1000)` does
  not, which is the depth of a solver that a plain script calls;
* whether an outcome depends on memory addresses. CPython hashes functions and
  None by address, so the order of a set that holds them is not part of the language. The probe is
  a second copy of the dialect in which every callable handed to a program is a `functools.partial`
  subclass and every None an object of our own, both with hashes that we choose. If a run never
  asks for such a hash, its outcome cannot depend on one. If it does, it is run again under several
  choices; an outcome that stays equal under all of them is taken as defined.
"""

import functools
import importlib.util
import itertools
import json
import pathlib
import signal
import sys

DIALECTS = ("arc-dsl", "re-arc")
COMBINATORS = ("compose", "chain", "matcher", "rbind", "lbind", "power", "fork")
NONE_MAKERS = ("index", "argmax", "argmin", "position")
DEEP = 60_000


class Timeout(BaseException):
    """Raised by the interval timer; no DSL function can catch it."""


class TooBig(Exception):
    """A value has more elements than the caller wants to write."""


class Hashes:
    """The chosen hashes of a probe, and whether the run asked for any of them."""

    def __init__(self):
        self.restart(0)

    def restart(self, seed):
        self.seed = seed
        self.asked = 0
        self.serial = itertools.count(1000)

    def of(self, serial):
        self.asked += 1
        mixed = (serial * 0x9E3779B97F4A7C15 + self.seed * 0xD1B54A32D192ED03) & (2**64 - 1)
        mixed = ((mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        return (mixed ^ (mixed >> 32)) & (2**60 - 1)


class Nothing:
    """Stands for None in a probe."""

    def __init__(self, hashes):
        self.hashes = hashes

    def __bool__(self):
        return False

    def __eq__(self, other):
        return other is self or other is None

    def __hash__(self):
        # The low bits choose the slot in a small table, so the seeds go through all of them.
        return self.hashes.of(7) & ~31 | self.hashes.seed & 31


class Function(functools.partial):
    """Replaces a function in a probe: equal calls and `__code__`, a hash of our choice."""

    def __hash__(self):
        return self.hashes.of(self.serial)

    def __eq__(self, other):
        return self is other


def wrap(function, code, hashes, serial):
    wrapped = Function(function)
    wrapped.__code__ = code
    wrapped.hashes = hashes
    wrapped.serial = serial
    return wrapped


def load_module(name, path):
    """A fresh module from `path`, whose neighbours may be imported while it loads."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


class Dialect:
    """One copy of a dialect: `names` for programs, `primitives` by name."""

    def __init__(self, name, directory):
        directory = pathlib.Path(directory)
        self.name = name
        self.module = load_module("original_" + name.replace("-", "_"), directory / "dsl.py")
        defined = vars(self.module)
        self.primitives = {
            key: value
            for key, value in defined.items()
            if getattr(value, "__module__", None) == self.module.__name__ and hasattr(value, "__code__")
        }
        self.names = {key: value for key, value in defined.items() if not key.startswith("__")}
        if (directory / "constants.py").exists():
            constants = load_module("original_constants", directory / "constants.py")
            self.names.update((k, v) for k, v in vars(constants).items() if not k.startswith("__"))
        self.index_names()

    def index_names(self):
        self.name_of = {id(value): key for key, value in self.primitives.items()}

    def callable_name(self, value):
        return self.name_of.get(id(value), "<lambda>")

    def programs(self, path):
        """The functions of a program file, by name, in the order of the file."""
        lines = pathlib.Path(path).read_text().split("\n")
        text = "\n".join("" if is_import(line) else line for line in lines)
        namespace = dict(self.names)
        before = set(namespace)
        exec(compile(text, str(path), "exec"), namespace)
        return {
            key: value
            for key, value in namespace.items()
            if key not in before and hasattr(value, "__code__")
        }


def is_import(line):
    return line.startswith(("from ", "import "))


class Probe(Dialect):
    """A copy of a dialect whose callables and Nones have hashes of our choice."""

    def __init__(self, name, directory):
        super().__init__(name, directory)
        self.hashes = Hashes()
        self.nothing = Nothing(self.hashes)
        raw = dict(self.primitives)
        for key in COMBINATORS:
            setattr(self.module, key, self.closing(raw[key]))
        for key in NONE_MAKERS:
            setattr(self.module, key, self.no_none(raw[key]))
        self.primitives = {
            key: wrap(getattr(self.module, key), value.__code__, self.hashes, serial)
            for serial, (key, value) in enumerate(raw.items(), 10)
        }
        self.names.update(self.primitives)
        self.index_names()

    def closing(self, combinator):
        def closed(*arguments, **named):
            made = combinator(*arguments, **named)
            if isinstance(made, Function) or not callable(made):
                return made
            return wrap(made, made.__code__, self.hashes, next(self.hashes.serial))

        return closed

    def no_none(self, primitive):
        def replaced(*arguments, **named):
            made = primitive(*arguments, **named)
            return self.nothing if made is None else made

        return replaced


class Encoder:
    """Turns a DSL value into its JSON form, up to `limit` elements."""

    def __init__(self, dialect, limit=None):
        self.dialect = dialect
        self.limit = limit
        self.count = 0

    def encode(self, value):
        self.count += 1
        if self.limit is not None and self.count > self.limit:
            raise TooBig()
        if value is None or isinstance(value, Nothing):
            return None
        if isinstance(value, int):
            return value
        if isinstance(value, float):
            return {"float": repr(value)}
        if isinstance(value, tuple):
            return [self.encode(element) for element in value]
        if isinstance(value, frozenset):
            return {"set": [self.encode(element) for element in value]}
        if callable(value):
            return {"fn": self.dialect.callable_name(value)}
        raise TypeError(f"not a value of the DSL: {type(value).__name__}")


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def encode_deep(dialect, value, limit=None):
    """Encodes without regard to the recursion limit in force for programs."""
    saved = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEP)
    try:
        return Encoder(dialect, limit).encode(value)
    finally:
        sys.setrecursionlimit(saved)


def as_grid(rows):
    return tuple(tuple(row) for row in rows)


def is_grid(value):
    """A non-empty tuple of non-empty tuples of ints (bools are not ints here)."""
    if not isinstance(value, tuple) or not value:
        return False
    rows_are_fine = all(isinstance(row, tuple) and row for row in value)
    return rows_are_fine and all(type(cell) is int for row in value for cell in row)


def calibrated(works):
    """The recursion limit under which `works(999, limit)` is true and `works(1000, limit)` is not.

    `works(n, limit)` sets the limit and tries `power(identity, n)`. It must be called from the same
    number of frames as the later calls are, so this function stands in for their caller.
    """
    for limit in range(1000, 1200):
        if works(999, limit):
            assert not works(1000, limit)
            return limit
    raise RuntimeError("no recursion limit fits")


def on_timer(_signal, _frame):
    raise Timeout()


def install_timer():
    """Starts a timer of CPU time, not wall time, so that a busy machine changes nothing."""
    signal.signal(signal.SIGPROF, on_timer)


def arm(seconds):
    # The timer repeats, because an exception raised inside a destructor would be swallowed. It does not repeat soon,
    # because freeing the values of a run takes time too.
    signal.setitimer(signal.ITIMER_PROF, seconds, 2.0)


def disarm():
    signal.setitimer(signal.ITIMER_PROF, 0, 0)
