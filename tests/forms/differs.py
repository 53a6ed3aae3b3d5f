from utils import *
from constants import *
from dsl import *


# def differ_palette_missing:
def differ_0c4a1f0e5b1f4dd2a1b3c5d7e9f00112(S, I, C):
    x1 = p_g(I)
    x2 = p_g(C)
    x3 = difference_tuple(x2, x1)
    x4 = size_t(x3)
    x5 = multiply(x4, HUNDRED)
    x6 = get_nth_t(x3, F0)
    x7 = astuple(x5, x6)
    return x7


# def differ_same_shape:
def differ_7d2b90c36e8a4f51b6c8d0e2f4a61728(S, I, C):
    x1 = shape_t(I)
    x2 = shape_t(C)
    x3 = equality(x1, x2)
    x4 = multiply(x3, THOUSAND)
    x5 = astuple(x4, x1)
    return x5
