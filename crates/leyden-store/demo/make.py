"""Makes tasks.json, the demo data set: `python3 make.py` rewrites it with equal bytes every time.

Each task is a pair of functions: `draw_*` draws an input, `rule_*` makes its output.
The rules are plain Python on purpose: they and the programs in solvers.py check each other.
"""

import json
import os
import random
from collections import Counter

SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))
AROUND = SIDES + ((-1, -1), (-1, 1), (1, -1), (1, 1))


class Crowded(Exception):
    """The draw did not work out; draw again."""


# ---- grids ----

def blank(h, w, colour=0):
    return [[colour] * w for _ in range(h)]


def copy(grid):
    return [row[:] for row in grid]


def dims(grid):
    return len(grid), len(grid[0])


def spots(grid):
    h, w = dims(grid)
    return [(i, j) for i in range(h) for j in range(w)]


def where(grid, colour):
    return [(i, j) for i, j in spots(grid) if grid[i][j] == colour]


def inside(grid, i, j):
    return 0 <= i < len(grid) and 0 <= j < len(grid[0])


def put(grid, places, colour, only_black=False):
    for i, j in places:
        if inside(grid, i, j) and not (only_black and grid[i][j]):
            grid[i][j] = colour
    return grid


def columns(grid):
    return [list(column) for column in zip(*grid)]


def window(grid, top, left, h, w):
    return [row[left:left + w] for row in grid[top:top + h]]


def flipped_sideways(grid):
    return [row[::-1] for row in grid]


def enlarged(grid, down, across):
    return [[v for v in row for _ in range(across)] for row in grid for _ in range(down)]


def tallies(grid):
    return Counter(v for row in grid for v in row)


def need(condition):
    if not condition:
        raise Crowded


def need_black_ground(grid):
    need(2 * tallies(grid)[0] > len(grid) * len(grid[0]))
    return grid


# ---- pieces ----

def bounds(places):
    rows, cols = [i for i, _ in places], [j for _, j in places]
    return min(rows), min(cols), max(rows), max(cols)


def pieces(grid, wanted=None, many_coloured=False):
    """Side-connected pieces; without `wanted` all that is not black."""
    seen, found = set(), []
    for start in spots(grid):
        colour = grid[start[0]][start[1]]
        if start in seen or (colour != wanted if wanted is not None else colour == 0):
            continue
        piece, stack = [], [start]
        seen.add(start)
        while stack:
            i, j = stack.pop()
            piece.append((i, j))
            for di, dj in SIDES:
                a, b = i + di, j + dj
                if inside(grid, a, b) and (a, b) not in seen:
                    if grid[a][b] == colour or (many_coloured and grid[a][b]):
                        seen.add((a, b))
                        stack.append((a, b))
        found.append(sorted(piece))
    return found


def cut(grid, piece):
    top, left, bottom, right = bounds(piece)
    return window(grid, top, left, bottom - top + 1, right - left + 1)


def blob(rng, n, colour, limit=4):
    """A random side-connected piece of n cells, at most limit by limit."""
    cells = [(0, 0)]
    while len(cells) < n:
        i, j = rng.choice(cells)
        di, dj = rng.choice(SIDES)
        if (i + di, j + dj) not in cells:
            cells.append((i + di, j + dj))
    top, left, bottom, right = bounds(cells)
    need(bottom - top < limit and right - left < limit)
    return put(blank(bottom - top + 1, right - left + 1), [(i - top, j - left) for i, j in cells], colour)


def is_free(grid, top, left, h, w, gap):
    around = [(i, j) for i in range(top - gap, top + h + gap) for j in range(left - gap, left + w + gap)]
    return all(grid[i][j] == 0 for i, j in around if inside(grid, i, j))


def drop(rng, grid, piece, gap=1, edge=0):
    """Puts a piece at a random place, gap cells away from all others."""
    h, w = dims(piece)
    rows, cols = len(grid) - h - 2 * edge + 1, len(grid[0]) - w - 2 * edge + 1
    need(rows > 0 and cols > 0)
    for _ in range(60):
        top, left = edge + rng.randrange(rows), edge + rng.randrange(cols)
        if is_free(grid, top, left, h, w, gap):
            put_piece(grid, piece, top, left)
            return top, left
    raise Crowded


def put_piece(grid, piece, top, left):
    for i, j in spots(piece):
        if piece[i][j]:
            grid[top + i][left + j] = piece[i][j]


def noise(rng, h, w, colours):
    return [[rng.choice(colours) for _ in range(w)] for _ in range(h)]


def sprinkle(rng, grid, n, colours):
    for i, j in rng.sample(where(grid, 0), n):
        grid[i][j] = rng.choice(colours)
    return grid


def sized(rng, low, high):
    return rng.randint(low, high), rng.randint(low, high)


# ---- 01 charging the jars ----

def draw_jars(rng, k):
    grid = blank(*sized(rng, 11, 14))
    side = rng.randint(3, 5)
    drop(rng, grid, jar(side, side), edge=1)
    drop(rng, grid, jar(rng.randint(3, 4), rng.randint(5, 6)), edge=1)
    drop(rng, grid, leaking(rng, jar(rng.randint(4, 5), rng.randint(4, 5))), edge=1)
    if k % 2:
        drop(rng, grid, jar(3, 3), edge=1)
    return grid


def jar(h, w):
    grid = blank(h, w, 1)
    return put(grid, [(i, j) for i in range(1, h - 1) for j in range(1, w - 1)], 0)


def leaking(rng, grid):
    h, w = dims(grid)
    i, j = rng.choice([(0, 1), (h - 1, 1), (1, 0), (1, w - 1)])
    grid[i][j] = 0
    return grid


def rule_jars(grid):
    out = copy(grid)
    for piece in pieces(grid, wanted=0):
        top, left, bottom, right = bounds(piece)
        if top > 0 and left > 0 and bottom < len(grid) - 1 and right < len(grid[0]) - 1:
            put(out, piece, 4 if bottom - top == right - left else 8)
    return out


# ---- 02 twin electrodes ----

def draw_electrodes(rng, k):
    grid = blank(*sized(rng, 8, 12))
    for colour in rng.sample([1, 2, 3, 6, 7, 8], min(2 + k, 4)):
        line = electrode_line(rng, grid)
        need(all(grid[i][j] == 0 for i, j in line))
        put(grid, line, 4)
        put(grid, (line[0], line[-1]), colour)
    return put(grid, where(grid, 4), 0)


def electrode_line(rng, grid):
    length = rng.randint(4, 7)
    i, j = rng.choice(spots(grid))
    di, dj = rng.choice(((0, 1), (1, 0)))
    line = [(i + n * di, j + n * dj) for n in range(length)]
    need(inside(grid, *line[-1]))
    return line


def rule_electrodes(grid):
    out = copy(grid)
    for colour in tallies(grid):
        if colour:
            top, left, bottom, right = bounds(where(grid, colour))
            line = [(i, j) for i in range(top, bottom + 1) for j in range(left, right + 1)]
            put(out, line, 4, only_black=True)
    return out


# ---- 03 iron filings ----

def draw_filings(rng, k):
    grid = blank(*sized(rng, 5, 8))
    return sprinkle(rng, grid, len(grid) * len(grid[0]) // 3, rng.sample(range(1, 10), 3))


def rule_filings(grid):
    fallen = []
    for column in columns(grid):
        filings = [v for v in column if v]
        fallen.append([0] * (len(column) - len(filings)) + filings)
    return columns(fallen)


# ---- 04 tally sheet ----

def draw_tally(rng, k):
    grid = blank(*sized(rng, 7, 9))
    n = 3 + k % 2
    for colour, count in zip(rng.sample(range(1, 10), n), rng.sample(range(1, 8), n)):
        sprinkle(rng, grid, count, [colour])
    return need_black_ground(grid)


def rule_tally(grid):
    counts = sorted((n, colour) for colour, n in tallies(grid).items() if colour)
    longest = counts[-1][0]
    return [[colour] * n + [0] * (longest - n) for n, colour in counts]


# ---- 05 two kinds of rays ----

def draw_rays(rng, k):
    grid = blank(*sized(rng, 9, 12))
    for n, (i, j) in enumerate(rng.sample(spots(grid), 3 + k % 2)):
        grid[i][j] = 2 - n % 2
    beams = [ray(grid, place) for colour in (1, 2) for place in where(grid, colour)]
    need(all(len(beam) > 2 for beam in beams))
    need(len({place for beam in beams for place in beam}) == sum(map(len, beams)))
    return grid


def ray(grid, place):
    i, j = place
    down = -1 if grid[i][j] == 2 else 1
    line = [(i + n * down, j + n) for n in range(30)]
    return [spot for spot in line if inside(grid, *spot)]


def rule_rays(grid):
    out = copy(grid)
    for colour in (1, 2):
        for place in where(grid, colour):
            put(out, ray(grid, place), colour)
    return out


# ---- 06 the torn plate ----

def draw_plate(rng, k):
    h, w = sized(rng, 8, 11)
    grid = noise(rng, h, w, rng.sample(range(1, 10), 3))
    for i, j in spots(grid):
        grid[h - 1 - i][w - 1 - j] = grid[i][j]
    hole_h, hole_w = rng.randint(2, 4), rng.randint(2, 4)
    top, left = rng.randint(0, h - hole_h), rng.randint(0, w - hole_w)
    hole = [(top + i, left + j) for i in range(hole_h) for j in range(hole_w)]
    need(not any((h - 1 - i, w - 1 - j) in hole for i, j in hole))
    return put(grid, hole, 0)


def rule_plate(grid):
    h, w = dims(grid)
    top, left, bottom, right = bounds(where(grid, 0))
    return [[grid[h - 1 - i][w - 1 - j] for j in range(left, right + 1)] for i in range(top, bottom + 1)]


# ---- 07 the lens ----

def draw_lens(rng, k):
    grid = blank(*sized(rng, 7, 10))
    colours = rng.sample(range(1, 10), 2 + k % 2)
    specimen = blob(rng, 5 + k % 2, colours[0])
    for i, j in where(specimen, colours[0]):
        specimen[i][j] = rng.choice(colours)
    need(all(where(specimen, colour) for colour in colours))
    drop(rng, grid, specimen)
    return grid


def rule_lens(grid):
    specimen = cut(grid, [(i, j) for i, j in spots(grid) if grid[i][j]])
    factor = len(set(tallies(grid)) - {0})
    return enlarged(specimen, factor, factor)


# ---- 08 positive and negative ----

def draw_negative(rng, k):
    grid = noise(rng, rng.randint(3, 4), rng.randint(3, 5), rng.sample(range(10), 2))
    counts = sorted(tallies(grid).values())
    need(len(counts) == 2 and counts[0] < counts[1])
    need(flipped_sideways(grid) != grid)
    return grid


def rule_negative(grid):
    a, b = tallies(grid)
    both = [row + [b if v == a else a for v in row] for row in grid]
    return both + both[::-1]


# ---- 09 two foils ----

def draw_foils(rng, k):
    h, w = rng.randint(3, 6), rng.randint(4, 7)
    colours = rng.sample([1, 2, 3, 4, 6, 7, 8, 9], 2)
    upper = noise(rng, h, w, [0] + colours)
    lower = [[v if rng.random() < 0.5 else rng.choice([0] + colours) for v in row] for row in upper]
    return upper + [[5] * w] + lower


def rule_foils(grid):
    half = len(grid) // 2
    upper, lower = grid[:half], grid[half + 1:]
    return [[a if a == b else 0 for a, b in zip(*rows)] for rows in zip(upper, lower)]


# ---- 10 cutting the wires ----

def draw_wires(rng, k):
    wire, *colours = rng.sample(range(1, 10), 3)
    grid = noise(rng, rng.randint(4, 6), rng.randint(4, 6), [0] + colours)
    need(all(len(set(line)) > 1 for line in grid + columns(grid)))
    for _ in range(1 + k % 2):
        grid.insert(rng.randint(1, len(grid) - 1), [wire] * len(grid[0]))
    at = rng.randint(1, len(grid[0]) - 1)
    return [row[:at] + [wire] + row[at:] for row in grid]


def rule_wires(grid):
    rows = [i for i, row in enumerate(grid) if len(set(row)) > 1]
    cols = [j for j, column in enumerate(columns(grid)) if len(set(column)) > 1]
    return [[grid[i][j] for j in cols] for i in rows]


# ---- 11 pith balls ----

def draw_pith(rng, k):
    grid = blank(*sized(rng, 8, 11))
    rod = rng.randint(3, len(grid) - 4)
    grid[rod] = [1] * len(grid[0])
    for j in rng.sample(range(len(grid[0])), 4 + k % 2):
        grid[rng.choice([i for i in range(len(grid)) if i != rod])][j] = 8
    need(all(len(piece) == 1 for piece in pieces(grid, wanted=8)))
    top, _, bottom, _ = bounds(where(grid, 8))
    need(top < rod - 1 and rod + 1 < bottom)
    return columns(grid) if k % 2 else grid


def rule_pith(grid):
    if any(len(set(row)) == 1 and row[0] == 1 for row in grid):
        return columns([drawn_to_rod(column) for column in columns(grid)])
    return [drawn_to_rod(row) for row in grid]


def drawn_to_rod(line):
    rod = line.index(1)
    out = [1 if n == rod else 0 for n in range(len(line))]
    for n, v in enumerate(line):
        if v == 8:
            out[rod - 1 if n < rod else rod + 1] = 8
    return out


# ---- 12 corona ----

def draw_corona(rng, k):
    grid = blank(*sized(rng, 11, 14))
    for n in range(3 + k % 2):
        short = rng.randint(1, 2)
        plate = blank(short, short + rng.randint(1, 2), 5)
        drop(rng, grid, columns(plate) if n % 2 else plate, gap=2, edge=1)
    return grid


def rule_corona(grid):
    out = copy(grid)
    for piece in pieces(grid):
        top, left, bottom, right = bounds(piece)
        glow = 4 if bottom - top > right - left else 8
        around = [(i, j) for i in range(top - 1, bottom + 2) for j in range(left - 1, right + 2)]
        put(out, around, glow, only_black=True)
    return out


# ---- 13 short circuit ----

def draw_short(rng, k):
    grid = sprinkle(rng, blank(*sized(rng, 7, 10)), 12, [1])
    sprinkle(rng, grid, 3 + k % 2, [2])
    hit = tallies(rule_short(grid))
    need(hit[4] > 2 and hit[1] > 2)
    return grid


def rule_short(grid):
    out = copy(grid)
    reds = set(where(grid, 2))
    for i, j in where(grid, 1):
        if any((i + di, j + dj) in reds for di, dj in AROUND):
            out[i][j] = 4
    return out


# ---- 14 find the fuse ----

def draw_fuse(rng, k):
    colours = rng.sample([1, 2, 3, 4, 6, 7], 2 + k % 2)
    grid = noise(rng, *sized(rng, 9, 12), colours + [0, 0])
    fuse = noise(rng, 2, 2, colours)
    need(len(tallies(fuse)) > 1)
    put_piece(grid, fuse, 0, 0)
    put(grid, [(2, 0), (2, 1), (2, 2), (1, 2), (0, 2)], 5)
    for _ in range(2 + k % 2):
        put_piece(grid, fuse, rng.randint(3, len(grid) - 2), rng.randint(3, len(grid[0]) - 2))
    found = fuses(grid)
    covered = {(i + a, j + b) for i, j in found for a in (0, 1) for b in (0, 1)}
    need(len(found) > 1 and len(covered) == 4 * len(found))
    return grid


def fuses(grid):
    fuse = window(grid, 0, 0, 2, 2)
    return [(i, j) for i, j in spots(grid) if (i, j) != (0, 0) and window(grid, i, j, 2, 2) == fuse]


def rule_fuse(grid):
    out = copy(grid)
    for i, j in fuses(grid):
        put(out, [(i, j), (i, j + 1), (i + 1, j), (i + 1, j + 1)], 8)
    return out


# ---- 15 alternating current ----

def draw_wallpaper(rng, k):
    p, q = rng.randint(2, 4), rng.randint(2, 4)
    tile = noise(rng, p, q, rng.sample(range(10), 3))
    h, w = 2 * p + rng.randint(1, p), 2 * q + rng.randint(1, q)
    grid = [[tile[i % p][j % q] for j in range(w)] for i in range(h)]
    need(rule_wallpaper(grid) == tile)
    return grid


def rule_wallpaper(grid):
    return window(grid, 0, 0, period(grid), period(columns(grid)))


def period(lines):
    return next(p for p in range(1, len(lines) + 1) if lines[p:] == lines[:len(lines) - p])


# ---- 16 the red switch ----

def draw_red_switch(rng, k):
    grid = noise(rng, rng.randint(3, 5), rng.randint(3, 6), [0, 0] + rng.sample([1, 3, 4, 6, 7, 8], 2))
    if k % 2 == 0:
        i, j = rng.choice(spots(grid))
        grid[i][j] = 2
    turned, mirrored = clockwise(grid), flipped_sideways(grid)
    need(len({str(g) for g in (grid, turned, mirrored)}) == 3)
    return grid


def clockwise(grid):
    return columns(grid[::-1])


def rule_red_switch(grid):
    return clockwise(grid) if where(grid, 2) else flipped_sideways(grid)


# ---- 17 the faulty insulator ----

def draw_insulator(rng, k):
    grid = blank(*sized(rng, 10, 13))
    good, faulty = blob(rng, 5, 1), blob(rng, 5, 1)
    need(good != faulty)
    for piece in [good] * (3 + k % 2) + [faulty]:
        drop(rng, grid, in_colour(piece, rng.choice([1, 2, 3, 6, 8])))
    return grid


def in_colour(piece, colour):
    return [[colour if v else 0 for v in row] for row in piece]


def rule_insulator(grid):
    found = [cut(grid, piece) for piece in pieces(grid)]
    shapes = [in_colour(piece, 1) for piece in found]
    return next(piece for piece, shape in zip(found, shapes) if shapes.count(shape) == 1)


# ---- 18 switchboard ----

def draw_switchboard(rng, k):
    grid = blank(*sized(rng, 6, 10))
    put(grid, [(i, 0) for i in rng.sample(range(1, len(grid)), 2 + k % 2)], 1)
    return put(grid, [(0, j) for j in rng.sample(range(1, len(grid[0])), 2 + k // 2)], 2)


def rule_switchboard(grid):
    return put(copy(grid), [(i, j) for i, _ in where(grid, 1) for _, j in where(grid, 2)], 4)


# ---- 19 weights by rank ----

def draw_weights(rng, k):
    grid = blank(*sized(rng, 9, 12))
    for n in rng.sample(range(1, 9), 3 + k % 2):
        drop(rng, grid, blob(rng, n, 5))
    return grid


def rule_weights(grid):
    out = copy(grid)
    for rank, piece in enumerate(sorted(pieces(grid), key=len)):
        put(out, piece, rank + 1)
    return out


# ---- 20 rivets ----

def draw_rivets(rng, k):
    grid = blank(*sized(rng, 11, 14))
    for colour in rng.sample([1, 3, 5, 6, 8], 2 + k % 2):
        drop(rng, grid, blank(rng.choice([3, 5]), rng.choice([3, 5]), colour))
    return need_black_ground(grid)


def rule_rivets(grid):
    out = copy(grid)
    for piece in pieces(grid):
        top, left, bottom, right = bounds(piece)
        put(out, [(i, j) for i in (top, bottom) for j in (left, right)], 4)
        put(out, [((top + bottom) // 2, (left + right) // 2)], 2)
    return out


# ---- 21 warp and weft ----

def draw_weft(rng, k):
    grid = blank(*sized(rng, 10, 13))
    standing, lying = [(2, 3), (1, 4), (3, 1), (4, 2), (3, 3)][k]
    for _ in range(standing):
        drop(rng, grid, blank(rng.randint(2, 4), 1, 2))
    for _ in range(lying):
        drop(rng, grid, blank(1, rng.randint(2, 4), 1))
    return grid


def rule_weft(grid):
    return blank(len(pieces(grid, wanted=2)), len(pieces(grid, wanted=1)), 4)


# ---- 22 out of the frame ----

def draw_frame(rng, k):
    frame, *colours = rng.sample(range(1, 10), 4)
    picture = noise(rng, rng.randint(2, 5), rng.randint(3, 5), colours)
    inner = [[frame] + row + [frame] for row in enlarged(picture, 2, 2)]
    edge = [frame] * len(inner[0])
    return [edge[:]] + inner + [edge[:]]


def rule_frame(grid):
    return [row[1:-1:2] for row in grid[1:-1:2]]


# ---- 23 the brightest window ----

def draw_windows(rng, k):
    h, w = rng.randint(3, 5), rng.randint(3, 4)
    panes = [noise(rng, h, w, [0, 0, 1, 4]) for _ in range(3)]
    bright = sorted(tallies(pane)[4] for pane in panes)
    need(bright[0] > 0 and bright[2] > bright[1])
    need(tallies(panes[(k + 1) % 3])[4] == bright[2])
    return side_by_side(panes)


def side_by_side(panes):
    return [a + [5] + b + [5] + c for a, b, c in zip(*panes)]


def three_panes(grid):
    w = len(grid[0]) // 3
    return [window(grid, 0, n * (w + 1), len(grid), w) for n in range(3)]


def rule_windows(grid):
    return max(three_panes(grid), key=lambda pane: tallies(pane)[4])


# ---- 24 red ivy ----

def draw_ivy(rng, k):
    h, w = sized(rng, 8, 11)
    grid = blank(h, w)
    for j in rng.sample(range(k % 2, w, 2), 3 + k % 2):
        grid[rng.randint(h // 2, h - 1)][j] = 2
    sprinkle(rng, grid, 8, [5])
    grown = tallies(rule_ivy(grid))[2] / tallies(grid)[2]
    need(2.4 < grown < 3.8)
    return grid


def rule_ivy(grid):
    out = copy(grid)
    for i, j in where(grid, 2):
        for step in range(1, 4):
            if i < step or out[i - step][j] == 5:
                break
            out[i - step][j] = 2
    return out


# ---- 25 two mirrors ----

def draw_mirrors(rng, k):
    grid = noise(rng, rng.randint(2, 4), rng.randint(3, 6), [0] + rng.sample(range(1, 10), 3))
    need(flipped_sideways(grid) != grid and grid[::-1] != grid)
    return grid


def rule_mirrors(grid):
    return flipped_sideways(grid) + grid[::-1]


# ---- 26 free passages ----

def draw_passages(rng, k):
    h, w = sized(rng, 8, 12)
    free_rows, free_cols = rng.sample(range(h), 1 + k % 2), rng.sample(range(w), 2 - k % 2)
    grid = noise(rng, h, w, [0, 0, rng.randint(5, 9)])
    put(grid, [(i, j) for i, j in spots(grid) if i in free_rows or j in free_cols], 0)
    need(len(empty(grid)) == len(free_rows) and len(empty(columns(grid))) == len(free_cols))
    return grid


def empty(lines):
    return [n for n, line in enumerate(lines) if not any(line)]


def rule_passages(grid):
    rows, cols = empty(grid), empty(columns(grid))
    return put(copy(grid), [(i, j) for i, j in spots(grid) if i in rows or j in cols], 3)


# ---- 27 lighthouse ----

def draw_lighthouse(rng, k):
    grid = sprinkle(rng, blank(*sized(rng, 8, 12)), 14, [5])
    lamps = rng.sample(where(grid, 0), 1 + k % 2)
    need(all(0 < i < len(grid) - 1 and 0 < j < len(grid[0]) - 1 for i, j in lamps))
    need(all(len(set(line)) == len(line) for line in zip(*lamps)))
    return put(grid, lamps, 2)


def rule_lighthouse(grid):
    out = copy(grid)
    for i, j in where(grid, 2):
        beams = [(a, b) for a, b in spots(grid) if a == i or b == j]
        put(out, beams, 1, only_black=True)
    return out


# ---- 28 the balanced plate ----

def draw_balance(rng, k):
    h, w = rng.randint(3, 5), rng.randint(3, 5)
    colours = [0] + rng.sample([1, 2, 3, 4, 6, 7, 8, 9], 2)
    panes = [noise(rng, h, w, colours) for _ in range(3)]
    panes[k % 3] = [[row[min(j, w - 1 - j)] for j in range(w)] for row in panes[k % 3]]
    need([flipped_sideways(pane) == pane for pane in panes] == [n == k % 3 for n in range(3)])
    return side_by_side(panes)


def rule_balance(grid):
    return next(pane for pane in three_panes(grid) if flipped_sideways(pane) == pane)


# ---- 29 contact ----

def draw_contact(rng, k):
    h, w = sized(rng, 9, 12)
    grid = blank(h, w)
    rod = rng.randint(3, h - 4)
    for n in range(5):
        drop(rng, grid, blob(rng, rng.randint(2, 4), 5, limit=3))
    need(not any(grid[rod]))
    put(grid, [(rod, j) for j in range(1, w - 1)], 3)
    touching = len(pieces(rule_contact(grid), wanted=4))
    need(touching in (2, 3))
    return columns(grid) if k % 2 else grid


def rule_contact(grid):
    out, rod = copy(grid), set(where(grid, 3))
    for piece in pieces(grid, wanted=5):
        if any((i + di, j + dj) in rod for i, j in piece for di, dj in SIDES):
            put(out, piece, 4)
    return out


# ---- 30 cells in series ----

def draw_series(rng, k):
    grid = blank(*sized(rng, 8, 11))
    cell = noise(rng, rng.randint(2, 3), 2, rng.sample(range(1, 10), 3))
    need(len(tallies(cell)) > 1)
    for _ in range([2, 3, 4, 3][k]):
        drop(rng, grid, cell)
    return grid


def rule_series(grid):
    cells = pieces(grid, many_coloured=True)
    return enlarged(cut(grid, cells[0]), len(cells), len(cells))


# ---- 31 majority vote ----

def draw_vote(rng, k):
    grid = noise(rng, rng.randint(3, 4), rng.randint(3, 5), [8] + rng.sample(range(1, 8), 2))
    counts = tallies(grid)
    (first, most), (second, next_most) = counts.most_common(2)
    tie_wanted = k in (1, 2, 4)
    need((most == next_most) == tie_wanted and counts[8])
    need(8 in (first, second) if tie_wanted else first != 8)
    return grid


def rule_vote(grid):
    counts = tallies(grid)
    most = max(counts.values())
    winner = 8 if counts[8] == most else counts.most_common(1)[0][0]
    return blank(*dims(grid), winner)


# ---- 32 compass needle ----

def draw_compass(rng, k):
    grid = blank(*sized(rng, 8, 12))
    i, j = rng.choice(spots(grid))
    di, dj = [(0, -1), (1, 1), (1, 0), (-1, 1), (-1, 0), (1, -1)][k]
    far = rng.randint(2, 4)
    need(inside(grid, i + (far + 2) * di, j + (far + 2) * dj))
    grid[i][j], grid[i + far * di][j + far * dj] = 2, 1
    return grid


def rule_compass(grid):
    out, (i, j), (a, b) = copy(grid), where(grid, 2)[0], where(grid, 1)[0]
    far = max(abs(a - i), abs(b - j))
    di, dj = (a - i) // far, (b - j) // far
    return put(out, [(i + n * di, j + n * dj) for n in range(30)], 4, only_black=True)


# ---- 33 tramway ----

def draw_trams(rng, k):
    h, w = rng.randint(6, 9), rng.randint(10, 12)
    grid, colours = blank(h, w), rng.sample(range(1, 10), 4)
    for colour, i in zip(colours, sorted(rng.sample(range(h), 3 + k % 2))):
        length = rng.randint(1, 4)
        left = rng.randint(0, w - 2 * length)
        put(grid, [(i, left + n) for n in range(length)], colour)
    need(len({len(piece) for piece in pieces(grid)}) > 2)
    return grid


def rule_trams(grid):
    out = blank(*dims(grid))
    for piece in pieces(grid):
        i, j = piece[0]
        put(out, [(i, b + len(piece)) for _, b in piece], grid[i][j])
    return out


# ---- 34 tiled floor ----

def draw_floor(rng, k):
    grid = blank(*sized(rng, 5, 9))
    for _ in range(1 + k % 2):
        drop(rng, grid, blob(rng, rng.randint(3, 6), rng.randint(5, 9)))
    return grid


def rule_floor(grid):
    return put(copy(grid), [(i, j) for i, j in where(grid, 0) if (i + j) % 2 == 0], 1)


# ---- 35 crystal growth ----

def draw_crystal(rng, k):
    n = rng.randint(6, 10)
    grid = blank(n, n)
    above = [(i, j) for i, j in spots(grid) if i < j]
    put(grid, [(i, i) for i in range(n)], 5)
    colours = rng.sample([1, 2, 3, 4, 6, 7, 8, 9], 2)
    for i, j in rng.sample(above, n):
        grid[i][j] = rng.choice(colours)
    return grid


def rule_crystal(grid):
    return [[grid[min(i, j)][max(i, j)] for j in range(len(grid))] for i in range(len(grid))]


# ---- 36 in the lamp's light ----

def draw_lamp(rng, k):
    grid = blank(*sized(rng, 9, 13))
    for _ in range(4 + k % 2):
        drop(rng, grid, blob(rng, rng.randint(3, 5), 1))
    lamp = blank(1, 1, 2)
    drop(rng, grid, lamp)
    lit = len(pieces(rule_lamp(grid), wanted=4))
    need(lit in (1, 2, 3) and tallies(rule_lamp(grid))[1])
    need(k != 1 or lit > 1)
    return grid


def rule_lamp(grid):
    out, row = copy(grid), where(grid, 2)[0][0]
    for piece in pieces(grid, wanted=1):
        if any(i == row for i, _ in piece):
            put(out, piece, 4)
    return out


# ---- 37 the warped lens ----

def draw_warped(rng, k):
    picture = noise(rng, rng.randint(3, 4), rng.randint(3, 4), [0] + rng.sample(range(1, 10), 2))
    need(without_repeats(picture) == picture and without_repeats(columns(picture)) == columns(picture))
    rows = [row for row in picture for _ in range(rng.randint(1, 3))]
    return columns([column for column in columns(rows) for _ in range(rng.randint(1, 3))])


def without_repeats(lines):
    kept = []
    for line in lines:
        if line not in kept:
            kept.append(line)
    return kept


def rule_warped(grid):
    return columns(without_repeats(columns(without_repeats(grid))))


# ---- 38 chimes ----

def draw_chimes(rng, k):
    grid = noise(rng, rng.randint(2, 3), rng.randint(3, 6), [0, 0] + rng.sample([1, 2, 3, 6, 7, 8], 2))
    return put(grid, rng.sample(spots(grid), [2, 3, 4, 5][k]), 4)


def rule_chimes(grid):
    return [row[:] for _ in where(grid, 4) for row in grid]


# ---- 39 rubber sheet ----

def draw_rubber(rng, k):
    h, w = sorted(rng.sample(range(2, 7), 2))
    grid = noise(rng, h, w, rng.sample(range(10), 3))
    return columns(grid) if k % 2 else grid


def rule_rubber(grid):
    h, w = dims(grid)
    return enlarged(grid, 2, 1) if h > w else enlarged(grid, 1, 2)


# ---- 40 packing crates ----

def draw_crates(rng, k):
    grid = blank(*sized(rng, 10, 13))
    for colour in rng.sample([1, 2, 3, 4, 6, 7], 3 + k % 2):
        drop(rng, grid, blob(rng, rng.randint(4, 7), colour))
    return grid


def rule_crates(grid):
    out = copy(grid)
    for piece in pieces(grid):
        top, left, bottom, right = bounds(piece)
        crate = [(i, j) for i in range(top, bottom + 1) for j in range(left, right + 1)]
        put(out, crate, 8, only_black=True)
    return out


# ---- 41 the nearest ----

def draw_nearest(rng, k):
    grid = blank(*sized(rng, 8, 12))
    for _ in range(3 + k % 2):
        drop(rng, grid, blob(rng, rng.randint(2, 4), 5))
    drop(rng, grid, [[2]])
    ways = sorted(way(grid, piece) for piece in pieces(grid, wanted=5))
    need(ways[0] + 1 < ways[1])
    return grid


def way(grid, piece):
    a, b = where(grid, 2)[0]
    return min(abs(i - a) + abs(j - b) for i, j in piece)


def rule_nearest(grid):
    return put(copy(grid), min(pieces(grid, wanted=5), key=lambda piece: way(grid, piece)), 4)


# ---- 42 crossed wires ----

def draw_crossed(rng, k):
    a, b = rng.sample(range(1, 10), 2)
    h, w = rng.randint(3, 6), rng.randint(2, 5)
    left, right = noise(rng, h, w, [0, a]), noise(rng, h, w, [0, b])
    return [x + y for x, y in zip(left, right)]


def rule_crossed(grid):
    half = len(grid[0]) // 2
    return [row[half:] + row[:half] for row in grid]


# ---- 43 coil in coil ----

def draw_coils(rng, k):
    grid = blank(*sized(rng, 12, 14))
    for n in range(2):
        drop(rng, grid, blank(rng.randint(4, 6), rng.randint(4, 6), 5))
    return need_black_ground(grid)


def rule_coils(grid):
    out = copy(grid)
    for piece in pieces(grid):
        top, left, bottom, right = bounds(piece)
        for i, j in piece:
            depth = min(i - top, bottom - i, j - left, right - j)
            out[i][j] = (8, 3, 5)[min(depth, 2)]
    return out


# ---- 44 volts times amperes ----

def draw_power(rng, k):
    reds, blues = [(2, 3), (3, 1), (4, 2), (3, 4)][k]
    grid = sprinkle(rng, blank(*sized(rng, 3, 6)), reds, [2])
    return sprinkle(rng, grid, blues, [1])


def rule_power(grid):
    return [[4] * (len(where(grid, 2)) * len(where(grid, 1)))]


# ---- 45 tidy corner ----

def draw_tidy(rng, k):
    grid, colours = blank(*sized(rng, 6, 10)), rng.sample(range(1, 10), 2)
    piece = blob(rng, rng.randint(4, 6), colours[0])
    for i, j in where(piece, colours[0]):
        piece[i][j] = rng.choice(colours)
    drop(rng, grid, piece)
    return need_black_ground(grid)


def rule_tidy(grid):
    out = blank(*dims(grid))
    put_piece(out, cut(grid, [(i, j) for i, j in spots(grid) if grid[i][j]]), 0, 0)
    return out


# ---- 46 dusting ----

def draw_dusting(rng, k):
    grid = blank(*sized(rng, 9, 12))
    for colour in rng.sample(range(1, 10), 2 + k % 2):
        drop(rng, grid, blob(rng, rng.randint(4, 6), colour))
    for _ in range(5):
        drop(rng, grid, [[rng.randint(1, 9)]])
    return grid


def rule_dusting(grid):
    out = copy(grid)
    for piece in pieces(grid):
        if len(piece) == 1:
            put(out, piece, 0)
    return out


# ---- 47 paint pot ----

def draw_pot(rng, k):
    grid = blank(*sized(rng, 7, 10))
    grid[0][0] = [1, 2, 8, 6][k]
    for n in range(2 + k % 2):
        drop(rng, grid, blob(rng, rng.randint(3, 6), 5))
    drop(rng, grid, blob(rng, 4, 3))
    return grid


def rule_pot(grid):
    return put(copy(grid), where(grid, 5), grid[0][0])


# ---- 48 twins ----

def draw_twins(rng, k):
    h, w = rng.randint(2, 4), rng.randint(4, 6)
    colours = [0] + rng.sample([1, 2, 3, 4, 6, 7, 8, 9], 2)
    twin, other = noise(rng, h, w, colours), noise(rng, h, w, colours)
    need(twin != other)
    plates = [copy(twin), copy(twin)]
    plates.insert(k % 3, other)
    bar = [[5] * w]
    return plates[0] + bar + plates[1] + bar + plates[2]


def rule_twins(grid):
    h = len(grid) // 3
    plates = [grid[n * (h + 1):n * (h + 1) + h] for n in range(3)]
    return next(plate for plate in plates if plates.count(plate) == 2)


# ---- 49 nail board ----

def draw_nails(rng, k):
    grid = blank(*sized(rng, 5, 9))
    for _ in range(1 + k % 2):
        drop(rng, grid, blob(rng, rng.randint(3, 5), rng.randint(5, 9)))
    return need_black_ground(grid)


def rule_nails(grid):
    nails = [(i, j) for i, j in spots(grid) if i % 2 == 0 and j % 2 == 0]
    return put(copy(grid), nails, 3, only_black=True)


# ---- 50 reading the spectrum ----

def draw_spectrum(rng, k):
    h, w = rng.randint(6, 9), rng.randint(9, 12)
    grid, colours = blank(h, w), rng.sample(range(1, 10), 3 + k % 3)
    for colour in colours:
        drop(rng, grid, blob(rng, rng.randint(2, 4), colour, limit=3))
    lefts = [bounds(piece)[1] for piece in pieces(grid)]
    need(len(set(lefts)) == len(lefts))
    return grid


def rule_spectrum(grid):
    return [[grid[piece[0][0]][piece[0][1]] for piece in sorted(pieces(grid), key=lambda piece: bounds(piece)[1])]]


# ---- the data set ----

# (draw, rule, demo pairs, test pairs); the ids are 1e7d0001, 1e7d0002 … in this order.
TASKS = [
    (draw_jars, rule_jars, 3, 1),
    (draw_electrodes, rule_electrodes, 3, 1),
    (draw_filings, rule_filings, 3, 1),
    (draw_tally, rule_tally, 3, 1),
    (draw_rays, rule_rays, 3, 1),
    (draw_plate, rule_plate, 3, 1),
    (draw_lens, rule_lens, 4, 1),
    (draw_negative, rule_negative, 3, 1),
    (draw_foils, rule_foils, 4, 1),
    (draw_wires, rule_wires, 3, 1),
    (draw_pith, rule_pith, 3, 2),
    (draw_corona, rule_corona, 3, 1),
    (draw_short, rule_short, 3, 1),
    (draw_fuse, rule_fuse, 3, 1),
    (draw_wallpaper, rule_wallpaper, 3, 1),
    (draw_red_switch, rule_red_switch, 4, 2),
    (draw_insulator, rule_insulator, 3, 1),
    (draw_switchboard, rule_switchboard, 3, 1),
    (draw_weights, rule_weights, 4, 1),
    (draw_rivets, rule_rivets, 3, 1),
    (draw_weft, rule_weft, 4, 1),
    (draw_frame, rule_frame, 3, 1),
    (draw_windows, rule_windows, 4, 1),
    (draw_ivy, rule_ivy, 3, 1),
    (draw_mirrors, rule_mirrors, 3, 1),
    (draw_passages, rule_passages, 3, 1),
    (draw_lighthouse, rule_lighthouse, 3, 1),
    (draw_balance, rule_balance, 4, 1),
    (draw_contact, rule_contact, 3, 1),
    (draw_series, rule_series, 3, 1),
    (draw_vote, rule_vote, 4, 1),
    (draw_compass, rule_compass, 4, 2),
    (draw_trams, rule_trams, 3, 1),
    (draw_floor, rule_floor, 3, 1),
    (draw_crystal, rule_crystal, 3, 1),
    (draw_lamp, rule_lamp, 3, 1),
    (draw_warped, rule_warped, 3, 1),
    (draw_chimes, rule_chimes, 3, 1),
    (draw_rubber, rule_rubber, 4, 2),
    (draw_crates, rule_crates, 3, 1),
    (draw_nearest, rule_nearest, 3, 1),
    (draw_crossed, rule_crossed, 3, 1),
    (draw_coils, rule_coils, 3, 1),
    (draw_power, rule_power, 3, 1),
    (draw_tidy, rule_tidy, 3, 1),
    (draw_dusting, rule_dusting, 3, 1),
    (draw_pot, rule_pot, 3, 1),
    (draw_twins, rule_twins, 3, 1),
    (draw_nails, rule_nails, 3, 1),
    (draw_spectrum, rule_spectrum, 3, 1),
]


def one_pair(rng, draw, rule, k, earlier):
    """The k-th pair of a task: drawn again until it works out, differs from the earlier ones and changes something."""
    for _ in range(100_000):
        try:
            grid = draw(rng, k)
        except Crowded:
            continue
        pair = {"input": grid, "output": rule(grid)}
        if pair not in earlier and pair["input"] != pair["output"]:
            return pair
    raise RuntimeError(f"{draw.__name__}: no pair {k} found")


def one_task(task_id, draw, rule, n_train, n_test):
    rng = random.Random("leyden " + task_id)
    pairs = []
    for k in range(n_train + n_test):
        pairs.append(one_pair(rng, draw, rule, k, pairs))
    return {"train": pairs[:n_train], "test": pairs[n_train:]}


def data_set():
    ids = [f"1e7d{n:04d}" for n in range(1, len(TASKS) + 1)]
    lines = [f'"{i}":' + json.dumps(one_task(i, *task), separators=(",", ":")) for i, task in zip(ids, TASKS)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tasks.json")
    with open(target + ".tmp", "w", encoding="ascii") as file:
        file.write(data_set())
    os.replace(target + ".tmp", target)


if __name__ == "__main__":
    main()
