from dsl import *
from constants import *


def solve_1e7d0002(I):
    x1 = fgpartition(I)
    x2 = fork(connect, ulcorner, lrcorner)
    x3 = mapply(x2, x1)
    O = underfill(I, FOUR, x3)
    return O


def solve_1e7d0006(I):
    x1 = ofcolor(I, ZERO)
    x2 = rot180(I)
    O = subgrid(x1, x2)
    return O


def solve_1e7d0047(I):
    x1 = index(I, ORIGIN)
    O = replace(I, FIVE, x1)
    return O


def solve_1e7d0009(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    O = cellwise(x1, x2, ZERO)
    return O


def solve_1e7d0010(I):
    O = compress(I)
    return O
