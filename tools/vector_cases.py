"""Generators of arguments for make_vectors.py.

Everything here produces arguments in their JSON form (see make_vectors.py), never Python values of
a dialect, so one case serves both dialects. A `Gen` carries the frame of a case: the size of the
picture and its few colours, so that grids, patches and colours of one case belong together.
"""

ENORMOUS = [2**61 - 1, 2**61, -(2**61), 2**62, 2**40, -(2**40), 2**31, 65536]


def fn(name):
    return {"fn": name}


def call(name, *arguments):
    return {"call": [name, *arguments]}


def bind_right(name, fixed):
    return call("rbind", fn(name), fixed)


def bind_left(name, fixed):
    return call("lbind", fn(name), fixed)


# One line per primitive: the tags of its arguments, or the name of a scenario that makes all of them.
SIGNATURES = {
    "identity": "any", "add": "num num", "subtract": "num num", "multiply": "num num",
    "divide": "num num", "invert": "num", "even": "int", "double": "num", "halve": "num",
    "flip": "truthy", "equality": "@equality", "contained": "@contained", "combine": "@combine",
    "intersection": "@two_sets", "difference": "@difference", "dedupe": "repeating", "order": "@keyed",
    "repeat": "any count", "greater": "@greater", "size": "container", "merge": "nested",
    "maximum": "orderable", "minimum": "orderable", "valmax": "@keyed", "valmin": "@keyed",
    "argmax": "@keyed", "argmin": "@keyed", "mostcommon": "repeating", "leastcommon": "repeating",
    "initset": "any", "both": "truthy truthy", "either": "truthy truthy", "increment": "num",
    "decrement": "num", "crement": "num", "sign": "num", "positive": "int", "toivec": "int",
    "tojvec": "int", "sfilter": "@filtered", "mfilter": "@nested_filtered", "extract": "@filtered",
    "totuple": "container", "first": "container", "last": "container", "insert": "@insert",
    "remove": "@remove", "other": "@other", "interval": "int int step", "astuple": "any any",
    "product": "container container", "pair": "tuple tuple", "branch": "truthy any any",
    "compose": "@compose", "chain": "@chain", "matcher": "@matcher", "rbind": "@rbind",
    "lbind": "@lbind", "power": "@power", "fork": "@fork", "apply": "@applied", "rapply": "@rapply",
    "mapply": "@mapplied", "papply": "@papplied", "mpapply": "@mpapplied", "prapply": "@prapplied",
    "mostcolor": "element", "leastcolor": "element", "height": "piece", "width": "piece",
    "shape": "piece", "portrait": "piece", "colorcount": "element colour",
    "colorfilter": "objects colour", "sizefilter": "nested count", "asindices": "grid",
    "ofcolor": "grid colour", "ulcorner": "patch", "urcorner": "patch", "llcorner": "patch",
    "lrcorner": "patch", "crop": "grid loc dims", "toindices": "patch", "recolor": "colour patch",
    "shift": "patch step2", "normalize": "patch", "dneighbors": "loc", "ineighbors": "loc",
    "neighbors": "loc", "objects": "@objects", "partition": "grid", "fgpartition": "grid",
    "uppermost": "patch", "lowermost": "patch", "leftmost": "patch", "rightmost": "patch",
    "square": "piece", "vline": "thin", "hline": "thin", "hmatching": "patch patch",
    "vmatching": "patch patch", "manhattan": "patch patch", "adjacent": "@near", "bordering": "patch grid",
    "centerofmass": "patch", "palette": "element", "numcolors": "element", "color": "object",
    "toobject": "patch grid", "asobject": "grid", "rot90": "grid", "rot180": "grid", "rot270": "grid",
    "hmirror": "piece", "vmirror": "piece", "dmirror": "piece", "cmirror": "piece",
    "fill": "grid colour patch", "paint": "grid object", "underfill": "grid colour patch",
    "underpaint": "grid object", "hupscale": "grid factor", "vupscale": "grid factor",
    "upscale": "element factor", "downscale": "grid factor", "hconcat": "grid grid",
    "vconcat": "grid grid", "subgrid": "patch grid", "hsplit": "grid parts", "vsplit": "grid parts",
    "cellwise": "@cellwise", "replace": "grid colour colour", "switch": "grid colour colour",
    "center": "patch", "position": "patch patch", "index": "grid loc", "canvas": "colour dims",
    "corners": "patch", "connect": "@connect", "cover": "grid patch", "trim": "grid",
    "move": "grid object step2", "tophalf": "grid", "bottomhalf": "grid", "lefthalf": "grid",
    "righthalf": "grid", "vfrontier": "loc", "hfrontier": "loc", "backdrop": "patch", "delta": "patch",
    "gravitate": "@near", "inbox": "patch", "outbox": "patch", "box": "patch", "shoot": "loc step2",
    "occurrences": "@occurrences", "frontiers": "striped", "compress": "striped",
    "hperiod": "@periodic", "vperiod": "@periodic",
}

# Functions of one argument by the kind they take: (function, kind of the result).
UNARY = {
    "int": [
        (fn("identity"), "int"), (fn("increment"), "int"), (fn("double"), "int"), (fn("halve"), "int"),
        (fn("invert"), "int"), (fn("sign"), "int"), (fn("crement"), "int"), (fn("even"), "bool"),
        (fn("positive"), "bool"), (fn("toivec"), "pair"), (fn("tojvec"), "pair"), (fn("initset"), "ints"),
        (bind_right("add", 3), "int"), (bind_left("subtract", 5), "int"), (bind_right("multiply", -1), "int"),
        (bind_right("divide", 3), "int"), (bind_right("multiply", [2, 3]), "pair"),
        (bind_left("astuple", 4), "pair"), (bind_right("astuple", 0), "pair"), (bind_right("repeat", 2), "tuple"),
        (bind_right("greater", 2), "bool"), (call("matcher", fn("identity"), 3), "bool"),
        (call("compose", fn("flip"), fn("even")), "bool"), (call("power", fn("increment"), 5), "int"),
        (call("fork", fn("astuple"), fn("identity"), fn("double")), "pair"),
        (call("chain", fn("dneighbors"), fn("toivec"), fn("double")), "indices"),
        (call("compose", fn("hfrontier"), fn("toivec")), "indices"),
        (call("lbind", call("lbind", fn("interval"), 0), 9), "any"),
        (bind_right("contained", {"set": [1, 2, 8]}), "bool"),
    ],
    "pair": [
        (fn("first"), "int"), (fn("last"), "int"), (fn("maximum"), "int"), (fn("identity"), "pair"),
        (fn("invert"), "pair"), (fn("double"), "pair"), (fn("dneighbors"), "indices"),
        (fn("ineighbors"), "indices"), (fn("neighbors"), "indices"), (fn("hfrontier"), "indices"),
        (fn("vfrontier"), "indices"), (fn("initset"), "indices"), (fn("size"), "int"), (fn("increment"), "pair"),
        (bind_right("add", [1, 1]), "pair"), (bind_right("shoot", [0, 1]), "indices"),
        (bind_left("connect", [2, 2]), "indices"), (bind_left("canvas", 3), "grid"),
        (call("matcher", fn("first"), 0), "bool"), (call("fork", fn("equality"), fn("first"), fn("last")), "bool"),
        (call("fork", fn("greater"), fn("first"), fn("last")), "bool"), (call("fork", fn("add"), fn("first"), fn("last")), "int"),
        (call("fork", fn("multiply"), fn("first"), fn("last")), "int"), (call("compose", fn("even"), fn("last")), "bool"),
        (bind_left("index", [[1, 2, 3], [4, 5, 6]]), "any"), (bind_left("astuple", 3), "cell"),
        (bind_left("shift", {"set": [[0, 0], [0, 1], [1, 0]]}), "indices"),
        (bind_left("shift", {"set": [[2, [0, 0]], [3, [1, 1]]]}), "object"),
    ],
    "cell": [
        (fn("first"), "int"), (fn("last"), "pair"), (fn("initset"), "object"), (fn("identity"), "cell"),
        (call("compose", fn("first"), fn("last")), "int"), (call("compose", fn("last"), fn("last")), "int"),
        (call("compose", fn("neighbors"), fn("last")), "indices"), (call("matcher", fn("first"), 2), "bool"),
        (call("chain", fn("even"), fn("first"), fn("last")), "bool"),
        (call("fork", fn("recolor"), fn("first"), call("compose", fn("initset"), fn("last"))), "object"),
    ],
    "object": [
        (fn("size"), "int"), (fn("color"), "int"), (fn("height"), "int"), (fn("width"), "int"),
        (fn("uppermost"), "int"), (fn("leftmost"), "int"), (fn("numcolors"), "int"), (fn("mostcolor"), "int"),
        (fn("hline"), "bool"), (fn("vline"), "bool"), (fn("square"), "bool"), (fn("portrait"), "bool"),
        (fn("normalize"), "object"), (fn("toindices"), "indices"), (fn("ulcorner"), "pair"), (fn("center"), "pair"),
        (fn("backdrop"), "indices"), (fn("outbox"), "indices"), (fn("delta"), "indices"), (fn("box"), "indices"),
        (fn("palette"), "ints"), (fn("hmirror"), "object"), (fn("first"), "cell"), (fn("shape"), "pair"),
        (fn("identity"), "object"), (bind_right("shift", [1, 2]), "object"), (bind_left("recolor", 5), "object"),
        (bind_right("upscale", 2), "object"), (call("matcher", fn("color"), 2), "bool"),
        (call("matcher", fn("size"), 1), "bool"), (call("compose", fn("invert"), fn("size")), "int"),
        (call("fork", fn("add"), fn("height"), fn("width")), "int"), (call("compose", fn("flip"), fn("square")), "bool"),
        (call("chain", fn("positive"), fn("decrement"), fn("size")), "bool"),
        (call("fork", fn("difference"), fn("backdrop"), fn("toindices")), "indices"),
        (call("fork", fn("combine"), fn("hmirror"), fn("vmirror")), "object"),
    ],
    "indices": [
        (fn("size"), "int"), (fn("height"), "int"), (fn("ulcorner"), "pair"), (fn("lrcorner"), "pair"),
        (fn("backdrop"), "indices"), (fn("outbox"), "indices"), (fn("inbox"), "indices"), (fn("corners"), "indices"),
        (fn("first"), "pair"), (fn("vmirror"), "indices"), (fn("square"), "bool"), (fn("hline"), "bool"),
        (bind_left("recolor", 4), "object"), (bind_right("shift", [-1, 1]), "indices"), (fn("centerofmass"), "pair"),
        (bind_left("apply", fn("first")), "ints"), (bind_left("mapply", fn("neighbors")), "indices"),
        (bind_right("order", fn("identity")), "any"), (fn("identity"), "indices"),
    ],
    "grid": [
        (fn("height"), "int"), (fn("numcolors"), "int"), (fn("mostcolor"), "int"), (fn("size"), "int"),
        (fn("hmirror"), "grid"), (fn("vmirror"), "grid"), (fn("rot90"), "grid"), (fn("tophalf"), "grid"),
        (fn("trim"), "grid"), (fn("dmirror"), "grid"), (fn("asindices"), "indices"), (fn("palette"), "ints"),
        (fn("asobject"), "object"), (fn("shape"), "pair"), (fn("square"), "bool"), (fn("portrait"), "bool"),
        (bind_right("ofcolor", 0), "indices"), (bind_right("colorcount", 0), "int"), (bind_right("upscale", 2), "grid"),
        (call("rbind", call("rbind", call("rbind", fn("objects"), True), False), True), "objects"),
        (call("matcher", fn("height"), 3), "bool"), (fn("compress"), "grid"), (fn("identity"), "grid"),
    ],
    "ints": [
        (fn("size"), "int"), (fn("maximum"), "int"), (fn("minimum"), "int"), (fn("first"), "int"),
        (bind_left("remove", 0), "ints"), (bind_left("insert", 8), "ints"), (bind_right("contained", {"set": []}), "bool"),
        (bind_left("apply", fn("double")), "ints"), (fn("identity"), "ints"), (call("matcher", fn("size"), 2), "bool"),
    ],
    "tuple": [
        (fn("size"), "int"), (fn("maximum"), "int"), (fn("first"), "int"), (fn("last"), "int"), (fn("dedupe"), "tuple"),
        (fn("mostcommon"), "int"), (bind_left("apply", fn("increment")), "tuple"), (fn("identity"), "tuple"),
        (bind_right("sfilter", fn("even")), "tuple"), (call("matcher", fn("size"), 2), "bool"),
    ],
    "objects": [
        (fn("size"), "int"), (fn("merge"), "object"), (fn("first"), "object"), (bind_right("argmax", fn("size")), "object"),
        (bind_right("colorfilter", 1), "objects"), (bind_right("sizefilter", 1), "objects"),
        (bind_left("mapply", fn("toindices")), "indices"), (bind_left("apply", fn("color")), "ints"),
    ],
    "bool": [(fn("flip"), "bool"), (fn("identity"), "bool"), (fn("increment"), "int"), (fn("initset"), "ints")],
}
UNARY["any"] = [(fn("identity"), "any"), (fn("initset"), "any"), (bind_right("astuple", 1), "any"), (bind_right("equality", 1), "bool")]

# Functions of two arguments: (function, kinds of the arguments, kind of the result).
BINARY = [
    (fn("add"), "int", "int", "int"), (fn("subtract"), "int", "int", "int"), (fn("multiply"), "int", "int", "int"),
    (fn("greater"), "int", "int", "bool"), (fn("astuple"), "int", "int", "pair"), (fn("equality"), "int", "int", "bool"),
    (fn("add"), "pair", "pair", "pair"), (fn("add"), "int", "pair", "pair"), (fn("connect"), "pair", "pair", "indices"),
    (fn("shoot"), "pair", "pair", "indices"), (fn("astuple"), "int", "pair", "cell"), (fn("combine"), "pair", "pair", "tuple"),
    (fn("combine"), "indices", "indices", "indices"), (fn("difference"), "object", "object", "object"),
    (fn("intersection"), "indices", "indices", "indices"), (fn("recolor"), "int", "indices", "object"),
    (fn("recolor"), "int", "object", "object"), (fn("shift"), "object", "pair", "object"),
    (fn("shift"), "indices", "pair", "indices"), (fn("manhattan"), "object", "indices", "int"),
    (fn("position"), "object", "object", "pair"), (fn("ofcolor"), "grid", "int", "indices"),
    (fn("hconcat"), "grid", "grid", "grid"), (fn("vconcat"), "grid", "grid", "grid"), (fn("canvas"), "int", "pair", "grid"),
    (fn("index"), "grid", "pair", "any"), (fn("insert"), "pair", "indices", "indices"), (fn("paint"), "grid", "object", "grid"),
    (fn("colorcount"), "object", "int", "int"), (fn("repeat"), "pair", "int", "any"), (fn("colorfilter"), "objects", "int", "objects"),
    (call("rbind", fn("interval"), 1), "int", "int", "tuple"), (call("lbind", fn("branch"), True), "int", "pair", "int"),
    (call("rbind", fn("fill"), {"set": [[0, 0], [1, 1]]}), "grid", "int", "grid"),
]

SETS = ("ints", "indices", "object", "objects")
CONTAINERS = SETS + ("pair", "tuple", "grid", "cell")
KINDS = ("int", "pair", "cell", "object", "indices", "grid", "ints", "tuple")


def length_of(argument):
    return len(argument["set"]) if isinstance(argument, dict) and "set" in argument else 0


class Gen:
    """Makes arguments; `odd` asks for degenerate relatives of a tag's values."""

    def __init__(self, rng):
        self.r = rng
        self.begin(False)

    def begin(self, odd):
        """A new case with its own frame."""
        self.odd = odd
        r = self.r
        self.h, self.w = r.choice([(1, 1), (1, r.randint(2, 7)), (r.randint(2, 7), 1)]) if r.random() < 0.15 else (r.randint(2, 7), r.randint(2, 7))
        if r.random() < 0.06:
            self.h, self.w = r.randint(9, 14), r.randint(9, 14)
        self.palette = r.sample(range(10), r.choice([1, 2, 2, 3, 3, 4]))

    def chance(self, share):
        return self.r.random() < share

    def twist(self, share=0.6):
        """Whether this argument is to be a degenerate one."""
        return self.odd and self.chance(share)

    # ---- plain values

    def colour(self):
        if self.twist():
            return self.r.choice([-1, -2, 10, 200, True, False, 11, None, self.r.choice(ENORMOUS)])
        return self.r.choice(self.palette) if self.chance(0.8) else self.r.randrange(10)

    def int(self):
        if self.twist():
            return self.r.choice([True, False, 0, -1, -2, 1000, *ENORMOUS])
        return self.r.randint(-3, 12) if self.chance(0.85) else self.r.randint(-60, 200)

    def pair(self):
        if self.twist():
            return self.odd_pair()
        return [self.int(), self.int()]

    def odd_pair(self):
        r, small = self.r, self.r.randint(-2, 5)
        plain = [[small], [], [small, 2, 3], [True, small], [small, False], [0, 0], [-1, -2], [100, -100]]
        nested = [[[1, 2], small], [small, [1, 2]], [[1, 2], [3, 4]], [{"set": [1, 2, 3]}, {"set": [2, 8, 0]}], [None, small]]
        return r.choice(plain if self.chance(0.7) else nested)

    def num(self):
        return self.int() if self.chance(0.5) else self.pair()

    def truth(self):
        if self.twist():
            return self.r.choice([0, 1, 5, None, [], [0], {"set": []}, {"set": [False]}, fn("flip"), -1])
        return self.chance(0.5)

    def truthy(self):
        return self.truth() if self.odd or self.chance(0.3) else self.any()

    def count(self):
        return self.r.choice([0, -1, True, False, 40, -3]) if self.twist() else self.r.randint(0, 5)

    def factor(self):
        return self.r.choice([0, -1, True, False, -2, 7]) if self.twist(0.5) else self.r.choice([1, 2, 2, 3, 3, 4])

    def parts(self):
        return self.r.choice([1, 7, 9, -1, -2, True, self.w + 1]) if self.twist(0.5) else self.r.choice([1, 2, 2, 3, 3, 4])

    def step(self):
        return self.r.choice([-1, -2, True, 100]) if self.twist(0.5) else self.r.choice([1, 1, 2, 3, -1])

    def step2(self):
        if self.twist(0.5):
            return self.odd_pair()
        small = [self.r.randint(-1, 1), self.r.randint(-1, 1)]
        return small if self.chance(0.6) else [self.r.randint(-4, 4), self.r.randint(-4, 4)]

    def loc(self):
        if self.twist():
            return self.odd_pair()
        return [self.r.randint(0, self.h - 1), self.r.randint(0, self.w - 1)] if self.chance(0.8) else [self.r.randint(-3, 12), self.r.randint(-3, 12)]

    def dims(self):
        return self.odd_pair() if self.twist() else [self.r.randint(1, 5), self.r.randint(1, 5)]

    # ---- grids

    def grid(self):
        if self.twist(0.75):
            return self.odd_grid()
        if self.chance(0.02):
            return self.large_grid()
        h, w = (self.h, self.w) if self.chance(0.85) else (self.r.randint(1, 6), self.r.randint(1, 6))
        return self.picture(h, w)

    def picture(self, h, w):
        """Noise, or rectangles on a background."""
        if self.chance(0.4):
            return [[self.r.choice(self.palette) for _ in range(w)] for _ in range(h)]
        rows = [[self.palette[0]] * w for _ in range(h)]
        for _ in range(self.r.randint(0, 4)):
            self.add_rectangle(rows, h, w)
        return rows

    def add_rectangle(self, rows, h, w):
        colour = self.colour_plain()
        top, left = self.r.randrange(h), self.r.randrange(w)
        for i in range(top, min(h, top + self.r.randint(1, 3))):
            for j in range(left, min(w, left + self.r.randint(1, 3))):
                rows[i][j] = colour

    def colour_plain(self):
        return self.r.choice(self.palette) if self.chance(0.7) else self.r.randrange(10)

    def large_grid(self):
        size = self.r.choice([(30, 30), (30, 17), (1, 30), (20, 20)])
        return self.picture(*size)

    def odd_grid(self):
        kind = self.r.randrange(10)
        if kind == 0:
            return self.r.choice([[], [[]], [[], []], [[1], []], [[], [1, 2]]])
        if kind in (1, 2):
            return self.ragged()
        if kind == 3:
            return [[self.r.choice([-1, 10, 200, -2, 8, 0]) for _ in range(self.w)] for _ in range(self.h)]
        if kind == 4:
            return [[self.r.choice([True, False, 0, 1, 2]) for _ in range(self.w)] for _ in range(self.h)]
        if kind == 5:
            return [[self.r.choice([8, 0, 16, 9, 1, 24, -1, -2]) for _ in range(self.w)] for _ in range(self.h)]
        if kind == 6:
            return [[self.r.choice([[1, 2], 0, [0, 0]]) for _ in range(2)] for _ in range(2)]
        if kind == 7:
            return [[self.r.choice([None, 0, 1]) for _ in range(self.w)] for _ in range(min(self.h, 3))]
        return self.r.choice([[[0]], [[5, 5, 5]], [[3], [3], [4]], [self.r.choice(self.palette) for _ in range(3)]]) if kind == 8 else self.picture(1, self.w)

    def ragged(self):
        rows = self.picture(self.h + 1, self.w + 1)
        return [row[: self.r.randint(0, self.w + 1)] for row in rows]

    def striped(self):
        """A grid with whole rows and columns of one colour."""
        if self.twist():
            return self.odd_grid()
        rows = self.picture(self.h, self.w)
        for i in self.r.sample(range(self.h), self.r.randint(0, min(2, self.h))):
            rows[i] = [self.palette[-1]] * self.w
        for j in self.r.sample(range(self.w), self.r.randint(0, min(2, self.w))):
            for row in rows:
                row[j] = self.palette[-1]
        return rows

    # ---- sets

    def set_of(self, elements):
        """A set of these elements; now and then one with a history in its table."""
        if not self.chance(0.15):
            return {"set": elements}
        plain, extra = {"set": elements}, {"set": self.r.sample(elements, min(len(elements), 2))}
        if elements and self.chance(0.3):
            return call("first", call("subtract", [{"set": elements + elements[:1]}, 0], [extra, 0]))
        return self.r.choice([
            call("difference", plain, extra), call("combine", plain, extra), call("combine", extra, plain),
            call("intersection", plain, plain), call("merge", {"set": [plain, extra]}),
            call("intersection", {"set": elements[::-1]}, plain), call("totuple", plain) if self.odd else plain,
            call("remove", elements[0] if elements else 0, plain), call("insert", elements[-1] if elements else [0, 0], plain),
        ])

    def place(self):
        """A place in the frame or close to it."""
        if self.chance(0.85):
            return [self.r.randrange(self.h), self.r.randrange(self.w)]
        return [self.r.randint(-2, self.h + 1), self.r.randint(-2, self.w + 1)]

    def places(self):
        """A rectangle, a line or scattered places."""
        shape = self.r.randrange(4)
        (i, j), n, m = self.place(), self.r.randint(1, 3), self.r.randint(1, 4)
        if shape == 0:
            return [[i + a, j + b] for a in range(n) for b in range(m)]
        if shape == 1:
            return [[i, j + b] for b in range(m)] if self.chance(0.5) else [[i + b, j] for b in range(m)]
        if shape == 2:
            return [[i + a, j + a] for a in range(n)]
        return [self.place() for _ in range(self.r.randint(1, 8))]

    def indices(self):
        return self.odd_indices() if self.twist(0.7) else self.set_of(self.places())

    def odd_indices(self):
        wide = [[self.r.randint(-100, 100), self.r.randint(-100, 100)] for _ in range(self.r.randint(1, 5))]
        return self.r.choice([
            {"set": []}, {"set": []}, [], {"set": wide}, {"set": [[-1, -2], [-2, -1], [-1, -1], [-2, -2]]},
            self.places(), {"set": [[0, 0, 0], [1, 1, 1]]}, {"set": [[0]]}, {"set": [[True, False], [2, True]]},
            {"set": [[2**61 - 1, 0], [0, 0]]}, {"set": self.places() + [[3, [1, 1]]]}, {"set": [[]]},
        ])

    def cells(self):
        colour = self.colour_plain()
        many = self.chance(0.35)
        return [[self.colour_plain() if many else colour, place] for place in self.places()]

    def object(self):
        if self.twist(0.7):
            return self.odd_object()
        cells = self.cells()
        if self.chance(0.2):
            cells += [[self.colour_plain(), place] for _, place in cells]
        return self.set_of(cells)

    def odd_object(self):
        odd_colours = [[self.r.choice([-1, 10, 200, True, False, None]), place] for place in self.places()]
        wide = [[self.colour_plain(), [self.r.randint(-60, 60), self.r.randint(-60, 60)]] for _ in range(4)]
        return self.r.choice([
            {"set": []}, {"set": []}, self.cells(), {"set": odd_colours}, {"set": wide}, {"set": [[5, [-1, -1]]]},
            {"set": [[1, [0, 0]], [True, [0, 0]], [2, [0, 0]]]}, {"set": self.cells() + self.places()},
            {"set": [[3, [0, 0, 0]]]}, {"set": [[3, [0]]]}, {"set": [[[1, 2], [0, 1]]]}, {"set": self.places() + self.cells()},
        ])

    def objects(self):
        if self.twist():
            return self.r.choice([{"set": []}, [], {"set": [{"set": []}]}, [self.object(), self.object()], {"set": [self.indices()]}])
        made = [self.object_plain() for _ in range(self.r.randint(1, 5))]
        return {"set": made}

    def object_plain(self):
        return {"set": self.cells()}

    def patch(self):
        return self.object() if self.chance(0.5) else self.indices()

    def thin(self):
        """Lines, and things that are nearly lines."""
        if self.odd:
            return self.patch()
        (i, j), n = self.place(), self.r.randint(1, 5)
        places = [[i, j + k] for k in range(n)] if self.chance(0.5) else [[i + k, j] for k in range(n)]
        places += [self.place()] if self.chance(0.3) else []
        return self.set_of(places if self.chance(0.5) else [[self.palette[0], place] for place in places])

    def piece(self):
        return self.grid() if self.chance(0.45) else self.patch()

    def element(self):
        return self.grid() if self.chance(0.6) else self.object()

    def ints(self):
        if self.twist():
            return self.odd_ints()
        return self.set_of([self.r.choice([self.r.randrange(10), self.r.randint(-5, 40)]) for _ in range(self.r.randint(1, 9))])

    def odd_ints(self):
        return self.r.choice([
            {"set": []}, {"set": [8, 0]}, {"set": [0, 8]}, {"set": [9, 1, 16, 8, 0, 24]}, {"set": [-1, -2]}, {"set": [-2, -1]},
            {"set": [True, 0, 2]}, {"set": [1, True]}, {"set": [True, 1, False, 0]}, {"set": self.r.sample(ENORMOUS, 4) + [0]},
            {"set": [2**61 - 1, 0, 2**61, 1]}, {"set": self.r.sample(range(-50, 300), 30)}, {"set": [None]}, {"set": [None, 3]},
            {"set": [self.r.choice([8, 16, 24, 32, 40]) + k for k in range(7)]},
        ])

    def tuple(self):
        if self.twist():
            return self.r.choice([[], [3], [True, 1, 0], [[1, 2], 3], [None, 1], [-1, -2, -1], [[], []], [{"set": []}, {"set": [1]}]])
        return [self.int() for _ in range(self.r.randint(1, 7))]

    # ---- values by kind, containers

    def cell(self):
        return [self.colour(), self.loc()]

    def bool(self):
        return self.chance(0.5)

    def value(self, kind):
        return getattr(self, kind)()

    def any(self):
        if self.twist():
            return self.r.choice([None, [], {"set": []}, True, fn("add"), bind_right("add", 2), {"set": [None]}, [None], [[]], self.r.choice(ENORMOUS), {"set": [{"set": []}]}])
        return self.value(self.r.choice(KINDS + ("objects", "bool")))

    def elements(self, kind):
        return [self.value(kind) for _ in range(self.r.randint(1, 3 if kind in ("grid", "object", "indices") else 6))]

    def container_of(self, kind, as_set=None):
        elements = self.elements(kind)
        if self.twist(0.4):
            elements = self.r.choice([[], elements[:1], elements + elements])
        as_set = self.chance(0.6) if as_set is None else as_set
        return self.set_of(elements) if as_set else elements

    def container(self):
        if self.twist(0.5):
            return self.r.choice([{"set": []}, [], [[]], {"set": [[]]}, {"set": [3]}, self.odd_ints(), self.odd_grid(), self.mixed()])
        return self.container_of(self.r.choice(KINDS))

    def mixed(self):
        """Elements of several kinds in one container."""
        elements = [self.value(self.r.choice(("int", "pair", "cell", "bool", "indices"))) for _ in range(4)]
        return {"set": elements} if self.chance(0.6) else elements

    def nested(self):
        if self.twist(0.5):
            return self.r.choice([{"set": []}, [], [[], []], {"set": [{"set": []}]}, {"set": [[], [1]]}, [{"set": [1, 2]}, [3]], {"set": [[1, 1], {"set": [1, 8, 0]}]}, [[[1], [2]], [[3]]]])
        return self.container_of(self.r.choice(("ints", "indices", "object", "pair", "tuple", "grid", "object", "indices")))

    def orderable(self):
        if self.twist():
            return self.r.choice([{"set": []}, [], self.odd_ints(), [[1, 2], [1]], {"set": [{"set": [1]}, {"set": [1, 2]}, {"set": [3]}]}, {"set": [True, 0]}, [True, 1], [1, True], [[1, 2], [1, 2, 3]]])
        return self.container_of(self.r.choice(("int", "int", "pair", "colour")))

    def repeating(self):
        """A tuple with repeated elements."""
        if self.twist():
            return self.r.choice([[], [3], [True, 1, 1, 0, False], [8, 0, 8, 0], [0, 8, 8, 0], [-1, -2, -2, -1], {"set": [1, 2]}, [[1], [1], []], [None, None, 1], {"set": []}, self.odd_grid()])
        pool = self.elements(self.r.choice(("int", "pair", "colour", "indices", "object", "tuple")))
        return [self.r.choice(pool) for _ in range(self.r.randint(1, 9))]

    # ---- functions

    def unary(self, kind, wanted=None):
        fitting = [entry for entry in UNARY[kind] if wanted is None or entry[1] in wanted]
        return self.r.choice(fitting or UNARY[kind])

    def key(self, kind):
        return self.unary(kind, ("int", "pair"))[0] if self.chance(0.9) else self.unary(kind)[0]

    def kind_with(self, wanted):
        return self.r.choice([kind for kind in KINDS if any(entry[1] in wanted for entry in UNARY[kind])])

    def fn(self):
        return self.r.choice([entry[0] for entry in UNARY[self.r.choice(KINDS)]])

    # ---- scenarios: all arguments of a case (and the arguments for calling the result)

    def equality(self):
        a = self.any()
        return [a, self.r.choice([a, a, self.any(), {"ref": 0}])]

    def contained(self):
        kind = self.r.choice(KINDS)
        container = self.container_of(kind) if self.chance(0.8) else self.mixed()
        elements = container if isinstance(container, list) else container.get("set", [])
        return [self.r.choice(elements) if elements and self.chance(0.5) else self.value(kind), container]

    def combine(self):
        kind = self.r.choice(KINDS)
        return [self.container_of(kind), self.container_of(kind)] if not self.twist(0.5) else [self.container(), self.container()]

    def two_sets(self):
        kind = self.r.choice(("int", "pair", "cell", "ints", "indices"))
        a = self.container_of(kind, True)
        shared = a["set"] if "set" in a else []
        b = self.set_of(self.r.sample(shared, len(shared) // 2) + self.elements(kind))
        return self.r.choice([[a, b], [b, a], [a, b], [a, {"ref": 0}], [a, a]])

    def difference(self):
        if self.twist(0.4):
            return [self.container(), self.container()]
        a, b = self.two_sets()
        return self.r.choice([[a, b], [a, b], [call("totuple", a), b if b != {"ref": 0} else a]])

    def keyed(self):
        kind = self.r.choice(KINDS)
        container = self.container_of(kind)
        if self.twist(0.5):
            container = self.r.choice([{"set": []}, [], {"set": [{"set": []}]}, self.mixed()])
        return [container, self.key(kind)]

    def greater(self):
        kind = self.r.choice(("int", "int", "int", "pair", "tuple", "ints"))
        return [self.value(kind), self.value(kind)]

    def filtered(self):
        kind = self.kind_with(("bool",))
        container = self.container_of(kind)
        if self.twist(0.3):
            container = self.r.choice([{"set": []}, []])
        condition = self.unary(kind, ("bool",))[0] if self.chance(0.8) else self.unary(kind)[0]
        return [container, condition]

    def nested_filtered(self):
        kind = self.r.choice([kind for kind in CONTAINERS if any(e[1] == "bool" for e in UNARY[kind])])
        condition = self.unary(kind, ("bool",))[0] if self.chance(0.85) else self.unary(kind)[0]
        return [self.container_of(kind), condition]

    def insert(self):
        kind = self.r.choice(KINDS)
        return [self.value(kind), self.container_of(kind, True)]

    def remove(self):
        value, container = self.contained()
        return [value, container]

    def other(self):
        value, container = self.contained()
        return [container, value]

    def calls(self, kind):
        """Argument lists to call a result with."""
        lists = [[self.value(kind)] for _ in range(self.r.randint(1, 3))]
        if self.chance(0.2):
            lists.append(self.r.choice([[], [1, 2], [None], [self.any()]]))
        return lists

    def compose(self):
        kind = self.r.choice(KINDS)
        inner, middle = self.unary(kind)
        return [self.unary(middle)[0], inner], self.calls(kind)

    def chain(self):
        kind = self.r.choice(KINDS)
        f, second = self.unary(kind)
        g, third = self.unary(second)
        return [self.unary(third)[0], g, f], self.calls(kind)

    def matcher(self):
        kind = self.r.choice(KINDS)
        function, result = self.unary(kind)
        return [function, self.value(result)], self.calls(kind)

    def arguments_of(self, name):
        """Arguments for a primitive with a plain signature."""
        return [self.value(tag) for tag in SIGNATURES[name].split()]

    def plain_primitive(self, arities):
        names = [n for n, tags in SIGNATURES.items() if not tags.startswith("@") and len(tags.split()) in arities]
        return self.r.choice(names)

    def rbind(self):
        if self.chance(0.15):
            return [call("rbind", fn("interval"), self.int()), self.int()], [[self.int()], [1, 2], [1, 2, 3]]
        name = self.plain_primitive((1,) if self.twist(0.4) else (2, 2, 3))
        arguments = self.arguments_of(name)
        return [fn(name), arguments[-1]], [arguments[:-1] or [1, 2, 3], arguments] if self.chance(0.3) else [arguments[:-1]]

    def lbind(self):
        if self.chance(0.15):
            return [fn("objects"), self.grid()], [[True, True, False], [False, False, True], [True]]
        name = self.plain_primitive((1,) if self.twist(0.4) else (2, 2, 3))
        arguments = self.arguments_of(name)
        return [fn(name), arguments[0]], [arguments[1:] or [1, 2, 3], arguments] if self.chance(0.3) else [arguments[1:]]

    def power(self):
        kind = self.r.choice(("int", "pair", "object", "indices", "grid", "tuple"))
        function = self.unary(kind, (kind,))[0]
        n = self.r.choice([0, -1, 1, True, False, 50, 998, 999, 1000, 1001]) if self.odd else self.r.randint(1, 9)
        if n == 999 or n == 1000 or n == 998:
            deep = call("compose", fn("increment"), fn("decrement"))
            kind, function = "int", self.r.choice([fn("identity"), fn("increment"), fn("sign"), deep])
        return [function, n], self.calls(kind)

    def fork(self):
        outer, left, right, _ = self.r.choice(BINARY)
        kinds = [k for k in KINDS if any(e[1] == left for e in UNARY[k]) and any(e[1] == right for e in UNARY[k])]
        if not kinds:
            return self.fork()
        kind = self.r.choice(kinds)
        return [outer, self.unary(kind, (left,))[0], self.unary(kind, (right,))[0]], self.calls(kind)

    def applied(self):
        kind = self.r.choice(KINDS)
        return [self.unary(kind)[0], self.container_of(kind)]

    def rapply(self):
        kind = self.r.choice(KINDS)
        functions = [self.unary(kind)[0] for _ in range(self.r.randint(1, 4))]
        if self.twist(0.3):
            functions = []
        return [{"set": functions} if self.chance(0.4) else functions, self.value(kind)]

    def mapplied(self):
        kind = self.kind_with(CONTAINERS)
        return [self.unary(kind, CONTAINERS)[0], self.container_of(kind)]

    def papplied(self, wanted=None):
        fitting = [entry for entry in BINARY if wanted is None or entry[3] in wanted]
        function, left, right, _ = self.r.choice(fitting)
        return [function, self.container_of(left, False), self.container_of(right, False)]

    def mpapplied(self):
        return self.papplied(CONTAINERS)

    def prapplied(self):
        function, left, right, _ = self.r.choice(BINARY)
        return [function, self.container_of(left), self.container_of(right)]

    def objects_of_grid(self):
        flags = [self.truth() for _ in range(3)] if self.twist(0.3) else [self.bool() for _ in range(3)]
        return [self.grid(), *flags]

    def near(self):
        """Two patches a few steps apart."""
        a, b = self.patch(), self.patch()
        if self.odd or not self.chance(0.7):
            return [a, b]
        (i, j), d = self.place(), self.r.randint(1, 6)
        there = [i + d, j] if self.chance(0.5) else [i, j + d]
        return [{"set": [[i, j], [i, j - 1]]}, self.set_of([there, [there[0] + 1, there[1]]])]

    def cellwise(self):
        a = self.grid()
        b = [[self.r.choice([v, v, self.colour_plain()]) for v in row] if isinstance(row, list) else row for row in a]
        return [a, self.grid() if self.twist(0.4) else b, self.colour()]

    def connect(self):
        if self.twist():
            return [self.pair(), self.pair()]
        (i, j), d = self.place(), self.r.randint(-6, 6)
        return [[i, j], self.r.choice([[i + d, j], [i, j + d], [i + d, j + d], [i + d, j - d], [i + d, j + 2]])]

    def occurrences(self):
        grid = self.grid()
        if self.twist(0.6) or not grid or not all(grid) or not all(isinstance(row, list) for row in grid):
            return [grid, self.object()]
        return [grid, {"set": self.piece_of(grid)}]

    def piece_of(self, grid):
        """Cells that do occur in the grid, moved elsewhere."""
        h, w = len(grid), min(map(len, grid))
        i, j, n, m = self.r.randrange(h), self.r.randrange(w), self.r.randint(1, 2), self.r.randint(1, 3)
        moved = self.r.randint(-2, 5)
        return [[grid[a][b], [a + moved, b]] for a in range(i, min(h, i + n)) for b in range(j, min(w, j + m))]

    def periodic(self):
        if self.twist():
            return [self.r.choice([self.object(), self.indices()])]
        p, q, h, w = self.r.randint(1, 3), self.r.randint(1, 3), self.r.randint(1, 7), self.r.randint(1, 7)
        tile = [[self.colour_plain() for _ in range(q)] for _ in range(p)]
        i0, j0 = self.place()
        cells = [[tile[i % p][j % q], [i0 + i, j0 + j]] for i in range(h) for j in range(w)]
        return [{"set": [cell for cell in cells if self.chance(0.95)]}]

    # ---- whole cases

    def case(self, name, odd):
        """(arguments, calls or None) for a primitive."""
        self.begin(odd)
        signature = SIGNATURES[name]
        if not signature.startswith("@"):
            return self.arguments_of(name), None
        made = self.objects_of_grid() if name == "objects" else getattr(self, signature[1:])()
        return made if isinstance(made, tuple) else (made, None)

    def broken_case(self, name):
        """A case with something wrong: a foreign argument, or one too few or too many."""
        arguments, calls = self.case(name, self.chance(0.3))
        arguments = list(arguments)
        if self.chance(0.12):
            return (arguments[:-1] if self.chance(0.5) else arguments + [self.int()]), calls
        arguments[self.r.randrange(len(arguments))] = self.foreign()
        return arguments, calls

    def foreign(self):
        kind = self.r.choice(("nothing", "number", "function", "empty", "value", "value", "value"))
        if kind == "nothing":
            return None
        if kind == "number":
            return self.r.choice([0, 3, -1, True, 10**12])
        if kind == "function":
            return self.r.choice([fn("identity"), fn("add"), bind_right("add", 1), call("compose", fn("first"), fn("last"))])
        if kind == "empty":
            return self.r.choice([[], {"set": []}, [[]], [None], {"set": [[]]}])
        return self.value(self.r.choice(KINDS + ("objects", "mixed", "odd_pair", "odd_grid")))
