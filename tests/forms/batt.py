# Written by hand, in the form of tokpidjin's card.py

from dsl import *
from constants import *
from safe_dsl import _get_safe_default

def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    try:
        t1 = p_g(I)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t1 = _get_safe_default(p_g)
    try:
        t2 = p_g(C)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t2 = _get_safe_default(p_g)
    try:
        t3 = difference_tuple(t2, t1)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t3 = _get_safe_default(difference_tuple)
    try:
        t4 = size_t(t3)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t4 = _get_safe_default(size_t)
    try:
        t5 = astuple(t4, t3)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t5 = _get_safe_default(astuple)
    s.append((5, 'None', 'differ_0c4a1f0e5b1f4dd2a1b3c5d7e9f00112', t5))
    try:
        t6 = f_ofcolor(I, BLACK)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t6 = _get_safe_default(f_ofcolor)
    try:
        t7 = rot180(I)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t7 = _get_safe_default(rot180)
    try:
        t8 = subgrid(t6, t7)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t8 = _get_safe_default(subgrid)
    o.append((8, False, '1e7d0006', t8))
    try:
        t9 = p_g(t8)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t9 = _get_safe_default(p_g)
    try:
        t10 = difference_tuple(t2, t9)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t10 = _get_safe_default(difference_tuple)
    try:
        t11 = size_t(t10)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t11 = _get_safe_default(size_t)
    try:
        t12 = astuple(t11, t10)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t12 = _get_safe_default(astuple)
    s.append((12, '1e7d0006', 'differ_0c4a1f0e5b1f4dd2a1b3c5d7e9f00112', t12))
    try:
        t13 = get_nth_t(I, F0)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t13 = _get_safe_default(get_nth_t)
    try:
        t14 = get_nth_t(t13, F0)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t14 = _get_safe_default(get_nth_t)
    try:
        t15 = replace(I, GRAY, t14)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t15 = _get_safe_default(replace)
    o.append((15, False, '1e7d0047', t15))
    try:
        t16 = t14(I)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t16 = _get_safe_default(t14)
    o.append((16, False, '1e7d0047', t16))
    return o, s
