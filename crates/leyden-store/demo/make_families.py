"""Makes families.json, a task for each family of rules that `leyden solve` should find: `python3 make_families.py`
rewrites it with equal bytes every time.

As in make.py, each task is a pair of functions: `draw_*` draws an input, `rule_*` makes its output. Every task has
three demonstrations and a test.
"""

import json
import os

from make import AROUND, SIDES, blank, bounds, columns, copy, dims, enlarged, flipped_sideways, inside
from make import need, one_task, pieces, put, spots, tallies, where, window

WALL = 5


# ---- tools ----

def colours(rng, n, without=()):
    return rng.sample([c for c in range(1, 10) if c not in without], n)


def random_shape(rng, h, w, n_cells):
    """Side-connected cells that touch all four sides of a box."""
    cells = {(rng.randrange(h), rng.randrange(w))}
    while len(cells) < n_cells:
        i, j = rng.choice(sorted(cells))
        di, dj = rng.choice(SIDES)
        if 0 <= i + di < h and 0 <= j + dj < w:
            cells.add((i + di, j + dj))
    need(bounds(cells) == (0, 0, h - 1, w - 1))
    return sorted(cells)


def is_free(grid, places):
    """Whether these cells and those around them are black and inside."""
    def is_black(i, j):
        return not inside(grid, i, j) or grid[i][j] == 0
    return all(
        inside(grid, i, j) and is_black(i, j) and all(is_black(i + di, j + dj) for di, dj in AROUND)
        for i, j in places
    )


def drop(rng, grid, shape, colour):
    """Puts a shape somewhere, apart from everything else; gives its cells."""
    _, _, h, w = bounds(shape)
    height, width = dims(grid)
    need(h < height and w < width)
    for _ in range(60):
        top, left = rng.randrange(height - h), rng.randrange(width - w)
        places = [(top + i, left + j) for i, j in shape]
        if is_free(grid, places):
            put(grid, places, colour)
            return places
    need(False)


def crop(grid, places):
    top, left, bottom, right = bounds(places)
    return window(grid, top, left, bottom - top + 1, right - left + 1)


def square(n):
    return [(i, j) for i in range(n) for j in range(n)]


def beside(parts, divider):
    """Pictures of one height side by side, with a line of a colour between them."""
    rows = []
    for i in range(len(parts[0])):
        row = []
        for k, part in enumerate(parts):
            row += ([divider] if k else []) + part[i]
        rows.append(row)
    return rows


def between(grid, divider):
    """The pictures between full columns of a colour."""
    parts, part = [], []
    for column in columns(grid):
        if all(v == divider for v in column):
            parts.append(columns(part))
            part = []
        else:
            part.append(column)
    return parts + [columns(part)]


def lit(rng, h, w, colour, share=0.5):
    return [[colour if rng.random() < share else 0 for _ in range(w)] for _ in range(h)]


# ---- panels ----

def draw_panels(rng, k):
    """A wall of windows: each has some lamps of one colour."""
    n_down, n_across = rng.choice([(2, 2), (2, 3), (3, 2), (3, 3)])
    grid = blank(4 * n_down - 1, 4 * n_across - 1, WALL)
    for a in range(n_down):
        for b in range(n_across):
            colour = rng.choice([1, 2, 3, 4, 6, 8])
            n_lamps = rng.choice([1, 2, 3, 5, 6, 7])
            lamps = rng.sample(square(3), n_lamps)
            put(grid, [(4 * a + i, 4 * b + j) for i, j in square(3)], 0)
            put(grid, [(4 * a + i, 4 * b + j) for i, j in lamps], colour)
    return grid


def rule_panels(grid):
    """One cell for each window: its colour if more than half of it is lit, else black."""
    h, w = dims(grid)
    rows = []
    for top in range(0, h, 4):
        row = []
        for left in range(0, w, 4):
            lamps = [v for line in window(grid, top, left, 3, 3) for v in line if v]
            row.append(lamps[0] if len(lamps) > 4 else 0)
        rows.append(row)
    return rows


def draw_vote(rng, k):
    h, w = rng.randint(3, 5), rng.randint(3, 5)
    return beside([lit(rng, h, w, colour) for colour in (1, 2, 4)], WALL)


def rule_vote(grid):
    """Three judges: a cell is light blue where at least two of the three panels are lit."""
    parts = between(grid, WALL)
    h, w = dims(parts[0])
    return [[8 if sum(p[i][j] > 0 for p in parts) >= 2 else 0 for j in range(w)] for i in range(h)]


def draw_alone(rng, k):
    h, w = rng.randint(3, 6), rng.randint(3, 4)
    return beside([lit(rng, h, w, colour, 0.4) for colour in (3, 6, 7)], WALL)


def rule_alone(grid):
    """A cell keeps its colour where exactly one of the three panels is lit."""
    parts = between(grid, WALL)
    h, w = dims(parts[0])
    cell = lambda i, j: [p[i][j] for p in parts if p[i][j]]
    return [[cell(i, j)[0] if len(cell(i, j)) == 1 else 0 for j in range(w)] for i in range(h)]


def draw_shelf(rng, k):
    h, n = rng.randint(3, 4), rng.randint(3, 4)
    parts = []
    for colour in colours(rng, n, {WALL}):
        parts.append(lit(rng, h, 3, colour, rng.random()))
    counts = [sum(map(bool, sum(part, []))) for part in parts]
    need(len(set(counts)) == n and 0 not in counts and counts != sorted(counts))
    return beside(parts, WALL)


def rule_shelf(grid):
    """The panels stand in the order of their lit cells, the emptiest on the left."""
    parts = between(grid, WALL)
    return beside(sorted(parts, key=lambda part: sum(map(bool, sum(part, [])))), WALL)


# ---- objects alone ----

def draw_pile(rng, k):
    grid = blank(12, 12)
    sizes = rng.sample([5, 6, 7, 8, 9], 3)
    for colour, size in zip(colours(rng, 3), sizes):
        drop(rng, grid, random_shape(rng, 3, 3, size), colour)
    return grid


def rule_pile(grid):
    """The objects are stacked by their number of cells, the smallest on top."""
    return sum((crop(grid, piece) for piece in sorted(pieces(grid), key=len)), [])


def draw_stranger(rng, k):
    grid = blank(12, 13)
    common = random_shape(rng, 3, 3, rng.randint(5, 6))
    other = random_shape(rng, 3, 3, len(common))
    mirrored = sorted((i, 2 - j) for i, j in common)
    need(other not in (common, mirrored))
    places = [common] * rng.randint(3, 4)
    chosen = colours(rng, len(places) + 1)
    for shape, colour in zip(places + [other], chosen):
        drop(rng, grid, shape, colour)
    return grid


def rule_stranger(grid):
    """Only the object whose shape no other has is kept, alone in its box."""
    found = pieces(grid)
    shape = lambda piece: [[v > 0 for v in row] for row in crop(grid, piece)]
    alone = [p for p in found if sum(shape(q) == shape(p) for q in found) == 1]
    return crop(grid, alone[0])


def draw_wings(rng, k):
    grid = blank(12, 12)
    sizes = rng.sample([4, 5, 7, 9], 3)
    for colour, size in zip(colours(rng, 3), sizes):
        h, w = (2, 3) if size < 7 else (4, 3)
        drop(rng, grid, random_shape(rng, h, w, size), colour)
    return grid


def rule_wings(grid):
    """The largest object is cut out and gets its mirror image on the right."""
    largest = crop(grid, max(pieces(grid), key=len))
    return [row + mirrored for row, mirrored in zip(largest, flipped_sideways(largest))]


def draw_crowd(rng, k):
    grid = blank(9, 9)
    colour = rng.choice([1, 2, 3, 4, 6])
    for _ in range([3, 1, 4, 2][k] if k < 4 else 5):
        drop(rng, grid, [(0, 0)], colour)
    return grid


def rule_crowd(grid):
    """As many cells as there are, so high and so wide is the square of their colour."""
    n = sum(map(bool, sum(grid, [])))
    return blank(n, n, max(sum(grid, [])))


def draw_lens(rng, k):
    grid = blank(3, 3)
    chosen = colours(rng, [2, 3, 2, 4][k] if k < 4 else 3)
    for place, colour in zip(rng.sample(square(3), len(chosen)), chosen):
        put(grid, [place], colour)
    return grid


def rule_lens(grid):
    """Every cell grows by the number of colours."""
    n = len([c for c in tallies(grid) if c])
    return enlarged(grid, n, n)


def draw_dust(rng, k):
    grid = blank(12, 12)
    for colour in colours(rng, 3):
        h, w = rng.randint(3, 5), rng.randint(3, 4)
        edge = [(i, j) for i in range(h) for j in range(w) if i in (0, h - 1) or j in (0, w - 1)]
        drop(rng, grid, edge, colour)
    for colour in colours(rng, 4):
        drop(rng, grid, [(0, 0)], colour)
    return grid


def rule_dust(grid):
    """Single cells vanish, and frames are filled with their colour."""
    out = blank(*dims(grid))
    for piece in pieces(grid):
        if len(piece) > 1:
            top, left, bottom, right = bounds(piece)
            box = [(i, j) for i in range(top, bottom + 1) for j in range(left, right + 1)]
            put(out, box, grid[piece[0][0]][piece[0][1]])
    return out


# ---- objects and partners ----

def draw_magnets(rng, k):
    grid = blank(11, 12)
    rows = rng.sample([1, 4, 7], 2) if k % 2 else [1, 4, 7]
    for top, colour in zip(sorted(rows), colours(rng, len(rows))):
        left = rng.randint(0, 3)
        put(grid, [(top + i, left + j) for i, j in square(2)], colour)
        put(grid, [(top, rng.randint(left + 5, 11))], colour)
    return grid


def rule_magnets(grid):
    """Every block slides to the right until it touches the magnet of its colour."""
    out = blank(*dims(grid))
    for colour in {v for v in sum(grid, []) if v}:
        small, large = sorted((p for p in pieces(grid) if grid[p[0][0]][p[0][1]] == colour), key=len)
        step = small[0][1] - 1 - bounds(large)[3]
        put(out, small + [(i, j + step) for i, j in large], colour)
    return out


def draw_tags(rng, k):
    grid = blank(13, 11)
    for top, colour in zip((1, 5, 9), colours(rng, 3, {WALL})):
        shape = random_shape(rng, 3, rng.randint(3, 4), rng.randint(6, 8))
        left = rng.randint(3, 6)
        put(grid, [(top + i, left + j) for i, j in shape], WALL)
        put(grid, [(top + rng.randrange(3), 0)], colour)
    return grid


def rule_tags(grid):
    """Every grey object takes the colour of the tag that stands beside it on the left border."""
    out = copy(grid)
    for piece in pieces(grid, WALL):
        top, _, bottom, _ = bounds(piece)
        put(out, piece, max(grid[i][0] for i in range(top, bottom + 1)))
    return out


def draw_podium(rng, k):
    grid = blank(12, 12)
    legend = colours(rng, 3, {WALL})
    put(grid, [(1, j) for j in range(12)], 0)
    for j, colour in enumerate(legend):
        put(grid, [(0, j)], colour)
    below = blank(10, 12)
    for size in rng.sample([3, 5, 6, 8], 3):
        drop(rng, below, random_shape(rng, 3, 3, size) if size > 3 else [(0, 0), (0, 1), (0, 2)], WALL)
    return grid[:2] + below


def rule_podium(grid):
    """The largest object takes the first colour of the legend, the second largest the second, and so on."""
    out = copy(grid)
    for colour, piece in zip(grid[0], sorted(pieces(grid, WALL), key=len, reverse=True)):
        put(out, piece, colour)
    return out


def draw_wires(rng, k):
    grid = blank(12, 12)
    for n, colour in enumerate(colours(rng, 3)):
        lane, near = rng.randrange(12), rng.randint(0, 4)
        far = near + rng.choice([4, 6])
        ends = [(lane, near), (lane, far)] if n % 2 else [(near, lane), (far, lane)]
        need(is_free(grid, ends))
        put(grid, ends, colour)
    cells = [cell for colour in tallies(grid) if colour for cell in dashes(grid, colour)]
    need(len(set(cells)) == len(cells))
    return grid


def dashes(grid, colour):
    (a, b), (c, d) = where(grid, colour)
    if a == c:
        return [(a, j) for j in range(b, d + 1, 2)]
    return [(i, b) for i in range(a, c + 1, 2)]


def rule_wires(grid):
    """A dashed line joins the two cells of each colour."""
    out = copy(grid)
    for colour in tallies(grid):
        if colour:
            put(out, dashes(grid, colour), colour)
    return out


def draw_nests(rng, k):
    grid = blank(12, 12)
    for colour in colours(rng, 3):
        n = rng.choice([4, 5])
        edge = [(i, j) for i, j in square(n) if i in (0, n - 1) or j in (0, n - 1)]
        places = drop(rng, grid, edge, WALL)
        top, left, bottom, right = bounds(places)
        put(grid, [(rng.randint(top + 1, bottom - 1), rng.randint(left + 1, right - 1))], colour)
    return grid


def rule_nests(grid):
    """Every frame takes the colour of the egg inside, and the egg vanishes."""
    out = copy(grid)
    for piece in pieces(grid, WALL):
        top, left, bottom, right = bounds(piece)
        inner = [(i, j) for i in range(top + 1, bottom) for j in range(left + 1, right)]
        put(out, piece, max(grid[i][j] for i, j in inner))
        put(out, inner, 0)
    return out


def draw_home(rng, k):
    left, right = colours(rng, 2)
    grid = blank(9, 11)
    put(grid, [(i, 0) for i in range(9)], left)
    put(grid, [(i, 10) for i in range(9)], right)
    for i in range(9):
        if rng.random() < 0.7:
            put(grid, [(i, rng.randint(2, 8))], rng.choice([left, right]))
    need(len(where(grid, left)) > 10 and len(where(grid, right)) > 10)
    return grid


def rule_home(grid):
    """Every cell flies to the wall of its colour and sticks to it."""
    out = [[row[0]] + [0] * 9 + [row[10]] for row in grid]
    for i, row in enumerate(grid):
        for colour in row[1:10]:
            if colour:
                out[i][1 if colour == row[0] else 9] = colour
    return out


# ---- drawing ----

def draw_flowers(rng, k):
    grid = blank(13, 13)
    taken = blank(13, 13)
    for colour in (2, 3, 2, 3, rng.choice([2, 3])):
        i, j = drop(rng, taken, square(3), 1)[4]
        put(grid, [(i, j)], colour)
    return grid


def rule_flowers(grid):
    """Red seeds grow a yellow plus, green ones a blue cross."""
    out = copy(grid)
    for i, j in where(grid, 2):
        put(out, [(i + di, j + dj) for di, dj in SIDES], 4)
    for i, j in where(grid, 3):
        put(out, [(i + di, j + dj) for di, dj in AROUND[4:]], 1)
    return out


def draw_copies(rng, k):
    grid, taken = blank(13, 13), blank(13, 13)
    ring = colours(rng, 2, {8})
    places = drop(rng, taken, square(3), 1)
    i, j = places[4]
    petals = rng.sample(AROUND, rng.randint(3, 5))
    for n, (di, dj) in enumerate(petals):
        put(grid, [(i + di, j + dj)], ring[n % 2])
    put(grid, [(i, j)], 8)
    for _ in range(rng.randint(2, 3)):
        put(grid, [drop(rng, taken, square(3), 1)[4]], 8)
    return grid


def rule_copies(grid):
    """The picture around one light blue cell is drawn around all of them."""
    out = copy(grid)
    around = lambda i, j: [(di, dj, grid[i + di][j + dj]) for di, dj in AROUND]
    sample = max((around(i, j) for i, j in where(grid, 8)), key=lambda found: sum(v for *_, v in found))
    for i, j in where(grid, 8):
        for di, dj, colour in sample:
            put(out, [(i + di, j + dj)], colour)
    return out


def draw_rivers(rng, k):
    grid = blank(10, 12)
    for i in rng.sample(range(10), 4):
        start = rng.randint(0, 4)
        put(grid, [(i, start)], rng.choice([1, 2, 3, 8]))
        if rng.random() < 0.75:
            put(grid, [(i, rng.randint(start + 2, 11))], WALL)
    need(len(where(grid, WALL)) in (2, 3))
    return grid


def rule_rivers(grid):
    """Every spring flows to the right, up to a grey stone or to the border."""
    out = copy(grid)
    for i, row in enumerate(grid):
        for j, colour in enumerate(row):
            if colour and colour != WALL:
                reach = row.index(WALL) if WALL in row else len(row)
                put(out, [(i, b) for b in range(j, reach)], colour)
    return out


def draw_carpet(rng, k):
    h, w = rng.choice([(2, 3), (3, 2), (3, 3), (2, 4)])
    used = colours(rng, 4)
    tile = [[rng.choice(used) for _ in range(w)] for _ in range(h)]
    need(len({v for row in tile for v in row}) >= 3 and len({tuple(row) for row in tile}) == h)
    grid = [[tile[i % h][j % w] for j in range(12)] for i in range(12)]
    for _ in range(2):
        top, left = rng.randint(0, 8), rng.randint(0, 8)
        put(grid, [(top + i, left + j) for i in range(rng.randint(2, 4)) for j in range(3)], 0)
    return grid


def rule_carpet(grid):
    """The pattern repeats, and the black holes are mended."""
    sizes = ((h, w) for h in range(1, 7) for w in range(1, 7))
    for h, w in sorted(sizes, key=lambda size: size[0] * size[1]):
        tile = {}
        fits = all(
            tile.setdefault((i % h, j % w), grid[i][j]) == grid[i][j] for i, j in spots(grid) if grid[i][j]
        )
        if fits and len(tile) == h * w:
            return [[tile[i % h, j % w] for j in range(12)] for i in range(12)]
    need(False)


def draw_mirror(rng, k):
    used = colours(rng, 4)
    quarter = [[rng.choice(used) for _ in range(5)] for _ in range(5)]
    top = [row + row[::-1] for row in quarter]
    grid = top + copy(top[::-1])
    i, j = rng.randint(0, 2), rng.randint(0, 7)
    put(grid, [(i + a, j + b) for a in range(2) for b in range(3)], 0)
    return grid


def rule_mirror(grid):
    """The picture is symmetric from top to bottom, and the black hole is filled from its mirror image."""
    return [[max(v, grid[-1 - i][j]) if v == 0 else v for j, v in enumerate(row)] for i, row in enumerate(grid)]


def draw_billiard(rng, k):
    h, w = rng.randint(4, 7), rng.randint(11, 15)
    grid = blank(h, w)
    put(grid, [(rng.randrange(1, h), 0)], rng.choice([1, 2, 3, 4]))
    return grid


def rule_billiard(grid):
    """The ball rolls upwards to the right, and bounces off the upper and the lower border."""
    out = copy(grid)
    ball = next((i, row[0]) for i, row in enumerate(grid) if row[0])
    i, step = ball[0], -1
    for j in range(1, dims(grid)[1]):
        if not 0 <= i + step < dims(grid)[0]:
            step = -step
        i += step
        put(out, [(i, j)], ball[1])
    return out


def draw_rooms(rng, k):
    grid = blank(11, 11)
    rows, wide = rng.sample([2, 4, 6, 8], 2), rng.sample([2, 4, 6, 8], 2)
    for i, j in spots(grid):
        if i in rows or j in wide:
            put(grid, [(i, j)], WALL)
    free = where(grid, 0)
    for colour in colours(rng, 3, [WALL]):
        put(grid, [rng.choice(free)], colour)
    paints = [spot for spot in spots(grid) if grid[spot[0]][spot[1]] not in (0, WALL)]
    need(len(paints) == 3 and len({room(grid, spot)[0] for spot in paints}) == 3)
    return grid


def room(grid, place):
    """The cells that are connected with a place without crossing a wall."""
    seen, todo = {place}, [place]
    while todo:
        i, j = todo.pop()
        for di, dj in SIDES:
            there = (i + di, j + dj)
            if inside(grid, *there) and grid[there[0]][there[1]] != WALL and there not in seen:
                seen.add(there)
                todo.append(there)
    return sorted(seen)


def rule_rooms(grid):
    """Paint spreads through its room, up to the grey walls."""
    out = copy(grid)
    for i, j in spots(grid):
        if grid[i][j] not in (0, WALL):
            put(out, room(grid, (i, j)), grid[i][j])
    return out


def draw_tiles(rng, k):
    used = colours(rng, 3) + [0]
    grid = [[rng.choice(used) for _ in range(3)] for _ in range(rng.choice([2, 3]))]
    need(flipped_sideways(grid) != grid and grid[::-1] != grid)
    return grid


def rule_tiles(grid):
    """Three by three copies of the picture, every other one mirrored."""
    wide = [row + row[::-1] + row for row in grid]
    return wide + wide[::-1] + copy(wide)


def draw_reel(rng, k):
    used = colours(rng, 5)
    return [[rng.choice(used) for _ in range(8)] for _ in range(2)]


def rule_reel(grid):
    """The cells in the order of reading, four to a row."""
    cells = [v for row in grid for v in row]
    return [cells[k:k + 4] for k in range(0, len(cells), 4)]


# ---- the data set ----

# Drawing and rule.
TASKS = [
    (draw_panels, rule_panels),
    (draw_vote, rule_vote),
    (draw_alone, rule_alone),
    (draw_shelf, rule_shelf),
    (draw_pile, rule_pile),
    (draw_stranger, rule_stranger),
    (draw_wings, rule_wings),
    (draw_crowd, rule_crowd),
    (draw_lens, rule_lens),
    (draw_dust, rule_dust),
    (draw_magnets, rule_magnets),
    (draw_tags, rule_tags),
    (draw_podium, rule_podium),
    (draw_wires, rule_wires),
    (draw_nests, rule_nests),
    (draw_home, rule_home),
    (draw_flowers, rule_flowers),
    (draw_copies, rule_copies),
    (draw_rivers, rule_rivers),
    (draw_carpet, rule_carpet),
    (draw_mirror, rule_mirror),
    (draw_billiard, rule_billiard),
    (draw_rooms, rule_rooms),
    (draw_tiles, rule_tiles),
    (draw_reel, rule_reel),
]


def data_set():
    lines = []
    for n, (draw, rule) in enumerate(TASKS, 1):
        task_id = f"1e7d1{n:03d}"
        task = one_task(task_id, draw, rule, 3, 1)
        lines.append(f'"{task_id}":' + json.dumps(task, separators=(",", ":")))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "families.json")
    with open(target + ".tmp", "w", encoding="ascii") as file:
        file.write(data_set())
    os.replace(target + ".tmp", target)


if __name__ == "__main__":
    main()
