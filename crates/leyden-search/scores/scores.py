# Scoring programs: how close is a candidate to what was expected?
#
# I is the grid that a program gave for a demonstration, C the one that was expected, S all
# demonstration pairs. Each gives (number, witness): 100 is as good as it can be, 0 as bad, and the
# witness is what explains the number. They are programs like any other; a file of your own
# in this form can take their place (`leyden batt --scores FILE`).


# The colours that should be there: which are missing?
def score_colours_missing(S, I, C):
    wanted = palette(C)
    given = palette(I)
    kept = intersection(wanted, given)
    share = divide(multiply(100, size(kept)), size(wanted))
    missing = difference(wanted, given)
    return (share, missing)


# The colours that are there: which should not be?
def score_colours_extra(S, I, C):
    wanted = palette(C)
    given = palette(I)
    kept = intersection(wanted, given)
    share = divide(multiply(100, size(kept)), size(given))
    extra = difference(given, wanted)
    return (share, extra)


# Exactly the right colours?
def score_palette(S, I, C):
    wanted = palette(C)
    given = palette(I)
    number = multiply(100, equality(wanted, given))
    return (number, given)


# Colours that no output of the demonstrations has are out of place.
def score_colours_known(S, I, C):
    outputs = apply(last, S)
    known = combine(palette(C), mapply(palette, outputs))
    given = palette(I)
    strange = difference(given, known)
    n_given = size(given)
    n_known = subtract(n_given, size(strange))
    share = divide(multiply(100, n_known), n_given)
    return (share, strange)


# Which colour is the most frequent one?
def score_background(S, I, C):
    wanted = mostcolor(C)
    given = mostcolor(I)
    number = multiply(100, equality(wanted, given))
    return (number, (given, wanted))


# The smaller height as a share of the larger.
def score_height(S, I, C):
    given = height(I)
    wanted = height(C)
    both_heights = (given, wanted)
    share = divide(multiply(100, minimum(both_heights)), maximum(both_heights))
    return (share, both_heights)


# The smaller width as a share of the larger.
def score_width(S, I, C):
    given = width(I)
    wanted = width(C)
    both_widths = (given, wanted)
    share = divide(multiply(100, minimum(both_widths)), maximum(both_widths))
    return (share, both_widths)


# Exactly the right size? The witness is by how much it is too large.
def score_shape(S, I, C):
    given = shape(I)
    wanted = shape(C)
    number = multiply(100, equality(given, wanted))
    return (number, subtract(given, wanted))


# The share of cells that are right, where the size is. The witness is the cells that are not.
def score_cells(S, I, C):
    given = asobject(I)
    wanted = asobject(C)
    same = intersection(given, wanted)
    share = divide(multiply(100, size(same)), size(wanted))
    number = multiply(share, equality(shape(I), shape(C)))
    wrong = toindices(difference(wanted, given))
    return (number, wrong)


# The share of rows that are right. The witness says of each whether it is.
def score_rows(S, I, C):
    right = papply(equality, I, C)
    n_right = size(sfilter(right, identity))
    n_rows = maximum((height(I), height(C)))
    share = divide(multiply(100, n_right), n_rows)
    return (share, right)


# The share of columns that are right. The witness says of each whether it is.
def score_columns(S, I, C):
    given = dmirror(I)
    wanted = dmirror(C)
    right = papply(equality, given, wanted)
    n_right = size(sfilter(right, identity))
    n_columns = maximum((width(I), width(C)))
    share = divide(multiply(100, n_right), n_columns)
    return (share, right)


# The cells along the edge: how many are right, and which are not?
def score_border(S, I, C):
    edge = box(asindices(C))
    wanted = toobject(edge, C)
    given = toobject(edge, I)
    same = intersection(wanted, given)
    share = divide(multiply(100, size(same)), size(wanted))
    wrong = toindices(difference(wanted, given))
    return (share, wrong)


# The objects that should be there: which are missing?
def score_objects_missing(S, I, C):
    wanted = objects(C, T, F, T)
    given = objects(I, T, F, T)
    missing = difference(wanted, given)
    n_wanted = maximum((1, size(wanted)))
    n_kept = subtract(n_wanted, size(missing))
    share = divide(multiply(100, n_kept), n_wanted)
    return (share, missing)


# The objects that are there: which should not be?
def score_objects_extra(S, I, C):
    wanted = objects(C, T, F, T)
    given = objects(I, T, F, T)
    extra = difference(given, wanted)
    n_given = maximum((1, size(given)))
    n_kept = subtract(n_given, size(extra))
    share = divide(multiply(100, n_kept), n_given)
    return (share, extra)


# How many objects: the smaller number as a share of the larger.
def score_object_count(S, I, C):
    given = size(objects(I, T, F, T))
    wanted = size(objects(C, T, F, T))
    counts = (given, wanted)
    # One more of each, so that none and none are alike.
    share = divide(multiply(100, increment(minimum(counts))), increment(maximum(counts)))
    return (share, counts)


# The objects that should be there, wherever they are: which forms are missing?
def score_forms_missing(S, I, C):
    wanted = apply(normalize, objects(C, T, F, T))
    given = apply(normalize, objects(I, T, F, T))
    missing = difference(wanted, given)
    n_wanted = maximum((1, size(wanted)))
    n_kept = subtract(n_wanted, size(missing))
    share = divide(multiply(100, n_kept), n_wanted)
    return (share, missing)


# Symmetries kept, and none added: top to bottom, left to right, diagonal, half a turn.
def score_symmetry(S, I, C):
    h = equality(I, hmirror(I))
    v = equality(I, vmirror(I))
    d = equality(I, dmirror(I))
    r = equality(I, rot180(I))
    a = equality(h, equality(C, hmirror(C)))
    b = equality(v, equality(C, vmirror(C)))
    c = equality(d, equality(C, dmirror(C)))
    e = equality(r, equality(C, rot180(C)))
    n_alike = add(add(a, b), add(c, e))
    return (multiply(25, n_alike), (h, v, d, r))
