from dsl import *
from constants import *


def solve_1e7d0002(S, I, C):
    x1 = fgpartition(I)
    x2 = rbind(corner, R0)
    x3 = rbind(corner, R3)
    x4 = fork(connect, x2, x3)
    x5 = mapply_f(x4, x1)
    O = underfill(I, YELLOW, x5)
    return O


def solve_1e7d0006(S, I, C):
    x1 = f_ofcolor(I, BLACK)
    x2 = rot180(I)
    O = subgrid(x1, x2)
    return O


def solve_1e7d0047(S, I, C):
    x1 = get_nth_t(I, F0)
    x2 = get_nth_t(x1, F0)
    O = replace(I, GRAY, x2)
    return O


def solve_1e7d0009(S, I, C):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    O = cellwise(x1, x2, BLACK)
    return O


def solve_1e7d0010(S, I, C):
    O = compress(I)
    return O
