from .dsl import *


def verify_1e7d0002(I: Grid) -> Grid:
    x0 = fgpartition(I)
    x1 = fork(connect, ulcorner, lrcorner)
    x2 = mapply(x1, x0)
    x3 = underfill(I, FOUR, x2)
    return x3


def verify_1e7d0006(I: Grid) -> Grid:
    x0 = ofcolor(I, ZERO)
    x1 = rot180(I)
    x2 = subgrid(x0, x1)
    return x2


def verify_1e7d0047(I: Grid) -> Grid:
    x0 = index(I, ORIGIN)
    x1 = replace(I, FIVE, x0)
    return x1


def verify_1e7d0009(I: Grid) -> Grid:
    x0 = tophalf(I)
    x1 = bottomhalf(I)
    x2 = cellwise(x0, x1, ZERO)
    return x2


def verify_1e7d0010(I: Grid) -> Grid:
    x0 = compress(I)
    return x0
