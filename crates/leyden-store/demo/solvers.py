from dsl import *
from constants import *


# Charging the jars: closed square jars glow yellow, other closed jars light blue, leaking jars stay dark.
def solve_1e7d0001(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = sfilter(x2, x4)
    x6 = merge(x5)
    x7 = fill(I, EIGHT, x6)
    x8 = mfilter(x5, square)
    O = fill(x7, FOUR, x8)
    return O


# Twin electrodes: a yellow spark jumps between two electrodes of one colour.
def solve_1e7d0002(I):
    x1 = fgpartition(I)
    x2 = fork(connect, ulcorner, lrcorner)
    x3 = mapply(x2, x1)
    O = underfill(I, FOUR, x3)
    return O


# Iron filings: every filing falls down its column and keeps its place in the pile.
def solve_1e7d0003(I):
    x1 = dmirror(I)
    x2 = rbind(order, positive)
    x3 = apply(x2, x1)
    O = dmirror(x3)
    return O


# Tally sheet: one bar per colour, as long as the colour has cells, the shortest on top.
def solve_1e7d0004(I):
    x1 = fgpartition(I)
    x2 = order(x1, size)
    x3 = size(x2)
    x4 = interval(ZERO, x3, ONE)
    x5 = apply(toivec, x4)
    x6 = compose(decrement, size)
    x7 = apply(x6, x2)
    x8 = pair(x4, x7)
    x9 = papply(connect, x5, x8)
    x10 = apply(color, x2)
    x11 = mpapply(recolor, x10, x9)
    x12 = valmax(x1, size)
    x13 = astuple(x3, x12)
    x14 = canvas(ZERO, x13)
    O = paint(x14, x11)
    return O


# Two kinds of rays: red sources shine up and to the right, blue ones down and to the right.
def solve_1e7d0005(I):
    x1 = ofcolor(I, TWO)
    x2 = rbind(shoot, UP_RIGHT)
    x3 = mapply(x2, x1)
    x4 = fill(I, TWO, x3)
    x5 = ofcolor(I, ONE)
    x6 = rbind(shoot, UNITY)
    x7 = mapply(x6, x5)
    O = fill(x4, ONE, x7)
    return O


# The torn plate: the plate looks the same after half a turn; what stood in the black hole?
def solve_1e7d0006(I):
    x1 = ofcolor(I, ZERO)
    x2 = rot180(I)
    O = subgrid(x1, x2)
    return O


# The lens: cut out the specimen and enlarge it as many times as it has colours.
def solve_1e7d0007(I):
    x1 = objects(I, univalued=F, diagonal=F, without_bg=T)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    x4 = numcolors(x2)
    O = upscale(x3, x4)
    return O


# Positive and negative: beside the picture its negative, below both their reflection.
def solve_1e7d0008(I):
    x1 = mostcolor(I)
    x2 = leastcolor(I)
    x3 = switch(I, x1, x2)
    x4 = hconcat(I, x3)
    x5 = hmirror(x4)
    O = vconcat(x4, x5)
    return O


# Two foils: what the foil above and the foil below the grey bar agree on.
def solve_1e7d0009(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    O = cellwise(x1, x2, ZERO)
    return O


# Cutting the wires: take out every wire that runs from edge to edge and close the gaps.
def solve_1e7d0010(I):
    O = compress(I)
    return O


# Pith balls: every light blue ball is drawn straight to the blue rod.
def solve_1e7d0011(I):
    x1 = objects(I, univalued=T, diagonal=F, without_bg=T)
    x2 = colorfilter(x1, EIGHT)
    x3 = ofcolor(I, ONE)
    x4 = rbind(gravitate, x3)
    x5 = fork(shift, identity, x4)
    x6 = mapply(x5, x2)
    x7 = merge(x2)
    x8 = cover(I, x7)
    O = paint(x8, x6)
    return O


# Corona: standing plates get a yellow glow, lying plates a light blue one.
def solve_1e7d0012(I):
    x1 = objects(I, T, F, T)
    x2 = sfilter(x1, portrait)
    x3 = difference(x1, x2)
    x4 = mapply(outbox, x2)
    x5 = mapply(outbox, x3)
    x6 = fill(I, FOUR, x4)
    O = fill(x6, EIGHT, x5)
    return O


# Short circuit: a blue cell next to a red one, corners included, turns yellow.
def solve_1e7d0013(I):
    x1 = ofcolor(I, TWO)
    x2 = mapply(neighbors, x1)
    x3 = ofcolor(I, ONE)
    x4 = intersection(x3, x2)
    O = fill(I, FOUR, x4)
    return O


# Find the fuse: every copy of the two by two fuse in the corner is marked light blue.
def solve_1e7d0014(I):
    x1 = crop(I, ORIGIN, TWO_BY_TWO)
    x2 = asobject(x1)
    x3 = occurrences(I, x2)
    x4 = remove(ORIGIN, x3)
    x5 = lbind(shift, x2)
    x6 = mapply(x5, x4)
    O = fill(I, EIGHT, x6)
    return O


# Alternating current: the smallest piece of wallpaper that makes the whole.
def solve_1e7d0015(I):
    x1 = asobject(I)
    x2 = vperiod(x1)
    x3 = hperiod(x1)
    x4 = astuple(x2, x3)
    O = crop(I, ORIGIN, x4)
    return O


# The red switch: with a red cell the panel turns clockwise, without one it is seen in a mirror.
def solve_1e7d0016(I):
    x1 = palette(I)
    x2 = contained(TWO, x1)
    x3 = branch(x2, rot90, vmirror)
    O = x3(I)
    return O


# The faulty insulator: the one piece whose shape no other piece has.
def solve_1e7d0017(I):
    x1 = objects(I, T, F, T)
    x2 = totuple(x1)
    x3 = compose(toindices, normalize)
    x4 = apply(x3, x2)
    x5 = leastcommon(x4)
    x6 = matcher(x3, x5)
    x7 = extract(x2, x6)
    O = subgrid(x7, I)
    return O


# Switchboard: a lamp burns wherever a blue row meets a red column.
def solve_1e7d0018(I):
    x1 = ofcolor(I, ONE)
    x2 = ofcolor(I, TWO)
    x3 = apply(first, x1)
    x4 = apply(last, x2)
    x5 = prapply(astuple, x3, x4)
    O = fill(I, FOUR, x5)
    return O


# Weights by rank: the lightest weight becomes blue, the next red, then green, then yellow.
def solve_1e7d0019(I):
    x1 = objects(I, T, F, T)
    x2 = order(x1, size)
    x3 = size(x2)
    x4 = increment(x3)
    x5 = interval(ONE, x4, ONE)
    x6 = mpapply(recolor, x5, x2)
    O = paint(I, x6)
    return O


# Rivets: every plate gets yellow rivets in its corners and a red one in the middle.
def solve_1e7d0020(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(corners, x1)
    x3 = fill(I, FOUR, x2)
    x4 = apply(center, x1)
    O = fill(x3, TWO, x4)
    return O


# Warp and weft: a yellow cloth as high as there are red rods standing and as wide as blue rods lying.
def solve_1e7d0021(I):
    x1 = objects(I, T, F, T)
    x2 = sfilter(x1, vline)
    x3 = sfilter(x1, hline)
    x4 = size(x2)
    x5 = size(x3)
    x6 = astuple(x4, x5)
    O = canvas(FOUR, x6)
    return O


# Out of the frame: take the picture out of its frame and shrink it to half.
def solve_1e7d0022(I):
    x1 = trim(I)
    O = downscale(x1, TWO)
    return O


# The brightest window: the one of three windows with the most yellow.
def solve_1e7d0023(I):
    x1 = hsplit(I, THREE)
    x2 = rbind(colorcount, FOUR)
    O = argmax(x1, x2)
    return O


# Red ivy: every red shoot grows three cells upwards unless a stone is in its way.
def solve_1e7d0024(I):
    x1 = rbind(ofcolor, TWO)
    x2 = lbind(recolor, TWO)
    x3 = rbind(shift, UP)
    x4 = chain(x3, x2, x1)
    x5 = fork(underpaint, identity, x4)
    x6 = power(x5, THREE)
    O = x6(I)
    return O


# Two mirrors: on top the view in a side mirror, below it the view in a pond.
def solve_1e7d0025(I):
    x1 = astuple(vmirror, hmirror)
    x2 = rapply(x1, I)
    O = merge(x2)
    return O


# Free passages: rows and columns with nothing in them are painted green.
def solve_1e7d0026(I):
    x1 = frontiers(I)
    x2 = colorfilter(x1, ZERO)
    x3 = merge(x2)
    O = fill(I, THREE, x3)
    return O


# Lighthouse: each red lamp shines along its row and its column, behind everything grey.
def solve_1e7d0027(I):
    x1 = ofcolor(I, TWO)
    x2 = fork(combine, hfrontier, vfrontier)
    x3 = mapply(x2, x1)
    O = underfill(I, ONE, x3)
    return O


# The balanced plate: the one of three plates whose left side mirrors its right side.
def solve_1e7d0028(I):
    x1 = hsplit(I, THREE)
    x2 = fork(equality, identity, vmirror)
    O = extract(x1, x2)
    return O


# Contact: grey pieces that touch the green rod begin to glow.
def solve_1e7d0029(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = ofcolor(I, THREE)
    x4 = rbind(adjacent, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, FOUR, x5)
    return O


# Cells in series: one of the equal cells, enlarged as many times as there are cells.
def solve_1e7d0030(I):
    x1 = objects(I, F, F, T)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    x4 = size(x1)
    O = upscale(x3, x4)
    return O


# Majority vote: the most common colour takes all; if votes are equal, light blue wins (set order decides).
def solve_1e7d0031(I):
    x1 = mostcolor(I)
    x2 = shape(I)
    O = canvas(x1, x2)
    return O


# Compass needle: a yellow ray from the red cell towards the blue one and on to the edge.
def solve_1e7d0032(I):
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, ONE)
    x3 = position(x1, x2)
    x4 = center(x1)
    x5 = shoot(x4, x3)
    O = underfill(I, FOUR, x5)
    return O


# Tramway: every tram moves to the right by its own length.
def solve_1e7d0033(I):
    x1 = objects(I, T, F, T)
    x2 = compose(tojvec, width)
    x3 = fork(shift, identity, x2)
    x4 = mapply(x3, x1)
    x5 = merge(x1)
    x6 = cover(I, x5)
    O = paint(x6, x4)
    return O


# Tiled floor: blue tiles on the chessboard's black squares, wherever the floor is bare.
def solve_1e7d0034(I):
    x1 = ofcolor(I, ZERO)
    x2 = fork(add, first, last)
    x3 = compose(even, x2)
    x4 = sfilter(x1, x3)
    O = fill(I, ONE, x4)
    return O


# Crystal growth: what lies above the falling diagonal also grows below it.
def solve_1e7d0035(I):
    x1 = dmirror(I)
    x2 = fgpartition(x1)
    x3 = merge(x2)
    O = paint(I, x3)
    return O


# In the lamp's light: blue pieces that have a cell in the red lamp's row turn yellow.
def solve_1e7d0036(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, ONE)
    x3 = ofcolor(I, TWO)
    x4 = rbind(hmatching, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, FOUR, x5)
    return O


# The warped lens: every repeated row and column is taken out.
def solve_1e7d0037(I):
    x1 = dedupe(I)
    x2 = dmirror(x1)
    x3 = dedupe(x2)
    O = dmirror(x3)
    return O


# Chimes: the strip is stacked as many times as it has yellow cells.
def solve_1e7d0038(I):
    x1 = colorcount(I, FOUR)
    x2 = repeat(I, x1)
    O = merge(x2)
    return O


# Rubber sheet: the sheet is pulled to double its longer side.
def solve_1e7d0039(I):
    x1 = portrait(I)
    x2 = branch(x1, vupscale, hupscale)
    O = x2(I, TWO)
    return O


# Packing crates: the empty space in each piece's box is filled with light blue straw.
def solve_1e7d0040(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(delta, x1)
    O = fill(I, EIGHT, x2)
    return O


# The nearest: of the grey pieces the one nearest to the red lamp lights up.
def solve_1e7d0041(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = ofcolor(I, TWO)
    x4 = rbind(manhattan, x3)
    x5 = argmin(x2, x4)
    O = fill(I, FOUR, x5)
    return O


# Crossed wires: the left and the right half change places.
def solve_1e7d0042(I):
    x1 = righthalf(I)
    x2 = lefthalf(I)
    O = hconcat(x1, x2)
    return O


# Coil in coil: the rim of each plate turns light blue, the ring inside the rim green.
def solve_1e7d0043(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(box, x1)
    x3 = fill(I, EIGHT, x2)
    x4 = mapply(inbox, x1)
    O = fill(x3, THREE, x4)
    return O


# Volts times amperes: a yellow strip as long as red cells times blue cells.
def solve_1e7d0044(I):
    x1 = colorcount(I, TWO)
    x2 = colorcount(I, ONE)
    x3 = multiply(x1, x2)
    x4 = astuple(ONE, x3)
    O = canvas(FOUR, x4)
    return O


# Tidy corner: the instrument is pushed into the upper left corner.
def solve_1e7d0045(I):
    x1 = objects(I, F, F, T)
    x2 = first(x1)
    x3 = ulcorner(x2)
    x4 = invert(x3)
    O = move(I, x2, x4)
    return O


# Dusting: single grains are wiped away, pieces stay.
def solve_1e7d0046(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = merge(x2)
    O = cover(I, x3)
    return O


# Paint pot: everything grey is painted in the colour of the pot in the upper left corner.
def solve_1e7d0047(I):
    x1 = index(I, ORIGIN)
    O = replace(I, FIVE, x1)
    return O


# Twins: the plate that is there twice.
def solve_1e7d0048(I):
    x1 = vsplit(I, THREE)
    O = mostcommon(x1)
    return O


# Nail board: a green nail in every second row and column, wherever the board is bare.
def solve_1e7d0049(I):
    x1 = height(I)
    x2 = width(I)
    x3 = interval(ZERO, x1, TWO)
    x4 = interval(ZERO, x2, TWO)
    x5 = product(x3, x4)
    O = underfill(I, THREE, x5)
    return O


# Reading the spectrum: the colours of the pieces in one line, from left to right.
def solve_1e7d0050(I):
    x1 = objects(I, T, F, T)
    x2 = order(x1, leftmost)
    x3 = apply(color, x2)
    O = repeat(x3, ONE)
    return O
