# A program of each class: without loops, with loops, refused.


def solve_00000001(I):
    O = vmirror(I)
    return O


def solve_00000002(I):
    x1 = objects(I, T, F, T)
    x2 = mfilter(x1, square)
    O = fill(I, ONE, x2)
    return O


def solve_00000003(I):
    x1 = dedupe(I)
    O = vmirror(x1)
    return O
