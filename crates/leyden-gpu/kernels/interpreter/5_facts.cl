/* ---- Colours and comparisons: reset, gather, decide ---- */

FN void gather_colours(const Machine *m, LOCAL Val *v) {
  LOCAL int *counts = shared_words(m);
  LOCAL uchar *bytes = bytes_of(m, v->slot);
  int k;
  for (k = m->lane; k < v->h * v->w; k += m->lanes)
    if (bytes[k] != ABSENT_BYTE) ATOMIC_ADD(counts + bytes[k], 1);
}

/* The colour with the most or fewest cells, -1 if there are several. */
FN int extreme_colour(LOCAL int *counts, int wants_most) {
  int best = -1, is_tied = 0, colour;
  for (colour = 0; colour < 16; colour++) {
    if (counts[colour] == 0) continue;
    if (best >= 0 && counts[colour] == counts[best]) is_tied = 1;
    if (best < 0 || (wants_most ? counts[colour] > counts[best] : counts[colour] < counts[best])) {
      best = colour;
      is_tied = 0;
    }
  }
  return is_tied ? -1 : best;
}

FN void decide_colours(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  LOCAL int *counts = shared_words(m);
  int best, colour, mask = 0, n = 0;
  for (colour = 0; colour < 16; colour++)
    if (counts[colour]) {
      mask |= 1 << colour;
      n++;
    }
  switch (op) {
    case OP_COLORCOUNT: put(v, TAG_INT, b->i >= 0 && b->i < 16 ? counts[b->i] : 0, 0); break;
    case OP_NUMCOLORS: put(v, TAG_INT, n, 0); break;
    case OP_PALETTE:
      put(v, n ? TAG_COLOURS : TAG_EMPTY, n ? mask : 0, 0);
      v->n = n;
      break;
    default:
      best = extreme_colour(counts, op == OP_MOSTCOLOR);
      if (a->tag == TAG_EMPTY)
        stop(m, STATUS_FAULT + FAULT_VALUE_ERROR);
      else if (best < 0)
        stop(m, STATUS_UNSURE);
      else
        put(v, TAG_INT, best, 0);
  }
}

/* With GRIDS_ONLY, for a background that a primitive needs only after it looks at something else. */
FN void ask_colours(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0);
  int k, has_cells = a->tag == TAG_GRID || a->tag == TAG_OBJECT;
  if ((!has_cells && a->tag != TAG_EMPTY) || (m->code[FLAGS] == GRIDS_ONLY && a->tag != TAG_GRID)) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (op == OP_COLORCOUNT && argument(m, 1)->tag != TAG_INT) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->phase == 0) {
    for (k = m->lane; k < 16; k += m->lanes) shared_words(m)[k] = 0;
  } else if (m->phase == 1) {
    if (has_cells) gather_colours(m, a);
  } else if (m->lane == 0) {
    decide_colours(m, op);
  }
}

/* Equal, unequal, or to be compared cell by cell. */
#define UNEQUAL 0
#define EQUAL 1
#define COMPARE 2
#define INCOMPARABLE 3

FN int compare_heads(LOCAL Val *a, LOCAL Val *b) {
  int a_is_number = a->tag == TAG_INT || a->tag == TAG_BOOL;
  int b_is_number = b->tag == TAG_INT || b->tag == TAG_BOOL;
  if (a_is_number && b_is_number) return a->i == b->i;
  /* They might be equal to values of other tags. */
  if (a->tag == TAG_LINES || b->tag == TAG_LINES || a->tag == TAG_RANGE || b->tag == TAG_RANGE)
    return INCOMPARABLE;
  if (a->tag != b->tag) return UNEQUAL;
  switch (a->tag) {
    case TAG_EMPTY: return EQUAL;
    case TAG_PAIR: return a->i == b->i && a->j == b->j;
    case TAG_CELL: return a->i == b->i && a->j == b->j && a->colour == b->colour;
    case TAG_COLOURS: return a->i == b->i;
    case TAG_GRID: return a->h == b->h && a->w == b->w ? COMPARE : UNEQUAL;
    case TAG_INDICES:
    case TAG_OBJECT:
      if (a->i != b->i || a->j != b->j || a->h != b->h || a->w != b->w) return UNEQUAL;
      return a->n == b->n ? COMPARE : UNEQUAL;
    default: return INCOMPARABLE;
  }
}

FN void compare_values(const Machine *m) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  LOCAL int *differs = shared_words(m);
  int k, heads = compare_heads(a, b);
  if (heads == INCOMPARABLE) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) *differs = heads == UNEQUAL;
  } else if (m->phase == 1 && heads == COMPARE) {
    for (k = m->lane; k < a->h * a->w; k += m->lanes) {
      int i = k / a->w, j = k % a->w;
      int is_same = a->tag == TAG_GRID ? cell(m, a, i, j) == cell(m, b, i, j)
                                       : at(m, a, a->i + i, a->j + j) == at(m, b, b->i + i, b->j + j);
      if (!is_same) ATOMIC_OR(differs, 1);
    }
  } else if (m->phase == 2 && m->lane == 0) {
    put(target(m), TAG_BOOL, !*differs, 0);
  }
}

FN int floor_divided(int a, int b) {
  int quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

FN int has_row(const Machine *m, LOCAL Val *v, int i) {
  int j;
  for (j = v->j; j < v->j + v->w; j++)
    if (at(m, v, i, j) >= 0) return 1;
  return 0;
}

FN int has_column(const Machine *m, LOCAL Val *v, int j) {
  int i;
  for (i = v->i; i < v->i + v->h; i++)
    if (at(m, v, i, j) >= 0) return 1;
  return 0;
}

FN int nearest(const Machine *m, LOCAL Val *v, int i, int j) {
  int k, steps, best = NOTHING;
  for (k = 0; k < v->h * v->w; k++) {
    int row = v->i + k / v->w, column = v->j + k % v->w;
    if (at(m, v, row, column) < 0) continue;
    steps = magnitude(row - i) + magnitude(column - j);
    best = least(best, steps);
  }
  return best;
}

FN void gather_places(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  LOCAL int *words = shared_words(m);
  int k, best = NOTHING, rows = 0, columns = 0;
  if (op == OP_HMATCHING) {
    for (k = a->i + m->lane; k < a->i + a->h; k += m->lanes)
      if (has_row(m, a, k) && has_row(m, b, k)) ATOMIC_OR(words, 1);
    return;
  }
  if (op == OP_VMATCHING) {
    for (k = a->j + m->lane; k < a->j + a->w; k += m->lanes)
      if (has_column(m, a, k) && has_column(m, b, k)) ATOMIC_OR(words, 1);
    return;
  }
  for (k = m->lane; k < a->h * a->w; k += m->lanes) {
    int i = k / a->w, j = k % a->w;
    if (at(m, a, a->i + i, a->j + j) < 0) continue;
    rows += i;
    columns += j;
    if (op != OP_CENTEROFMASS) best = least(best, nearest(m, b, a->i + i, a->j + j));
  }
  ATOMIC_MIN(words + 1, best);
  ATOMIC_ADD(words + 2, rows);
  ATOMIC_ADD(words + 3, columns);
}

FN void decide_places(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *v = target(m);
  LOCAL int *words = shared_words(m);
  switch (op) {
    case OP_HMATCHING:
    case OP_VMATCHING: put(v, TAG_BOOL, words[0], 0); break;
    case OP_MANHATTAN: put(v, TAG_INT, words[1], 0); break;
    case OP_ADJACENT: put(v, TAG_BOOL, words[1] == 1, 0); break;
    default: put(v, TAG_PAIR, a->i + words[2] / a->n, a->j + words[3] / a->n);
  }
}

FN void ask_places(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  int is_alone = op == OP_CENTEROFMASS;
  int is_matching = op == OP_HMATCHING || op == OP_VMATCHING;
  if (is_alone ? !is_patch(a) : !is_patch_or_empty(a) || !is_patch_or_empty(b)) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (!is_alone && (a->tag == TAG_EMPTY || b->tag == TAG_EMPTY)) {
    if (is_matching && m->lane == 0) put(v, TAG_BOOL, 0, 0);
    if (!is_matching) stop(m, STATUS_FAULT + FAULT_VALUE_ERROR);
    return;
  }
  if (!is_alone && !is_matching && a->h * a->w * (wide)(b->h * b->w) > MAX_WORK) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->phase == 0) {
    if (m->lane == 0) {
      shared_words(m)[0] = shared_words(m)[2] = shared_words(m)[3] = 0;
      shared_words(m)[1] = NOTHING;
    }
  } else if (m->phase == 1) {
    gather_places(m, op);
  } else if (m->lane == 0) {
    decide_places(m, op);
  }
}

/* Whether the object equals itself when moved up or to the left, as far as it stays inside. */
FN int fits_moved(const Machine *m, LOCAL Val *v, int up, int left) {
  int k;
  for (k = 0; k < v->h * v->w; k++) {
    int i = k / v->w, j = k % v->w, colour = at(m, v, v->i + i, v->j + j);
    if (colour < 0 || i < up || j < left) continue;
    if (at(m, v, v->i + i - up, v->j + j - left) != colour) return 0;
  }
  return 1;
}

FN void find_period(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0);
  int k, is_vertical = op == OP_VPERIOD, length = is_vertical ? a->h : a->w;
  if (a->tag != TAG_OBJECT && a->tag != TAG_EMPTY) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = length;
  } else if (m->phase == 1) {
    for (k = 1 + m->lane; k < length; k += m->lanes)
      if (fits_moved(m, a, is_vertical ? k : 0, is_vertical ? 0 : k)) {
        ATOMIC_MIN(shared_words(m), k);
        break;
      }
  } else if (m->lane == 0) {
    put(target(m), TAG_INT, shared_words(m)[0], 0);
  }
}

/* ---- gravitate: how far one patch moves until it touches another ---- */

#define MOST_STEPS 42

/* Whether they touch, with no cell in common, when the first is moved. */
FN int touch_moved(const Machine *m, LOCAL Val *a, LOCAL Val *b, int down, int right) {
  int k, touch = 0;
  for (k = 0; k < a->h * a->w; k++) {
    int i = a->i + k / a->w, j = a->j + k % a->w;
    if (at(m, a, i, j) < 0) continue;
    i += down;
    j += right;
    if (at(m, b, i, j) >= 0) return 0;
    touch = touch || at(m, b, i - 1, j) >= 0 || at(m, b, i + 1, j) >= 0 || at(m, b, i, j - 1) >= 0 ||
            at(m, b, i, j + 1) >= 0;
  }
  return touch;
}

FN void gravitate(const Machine *m) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  LOCAL int *words = shared_words(m);
  int k, down, right;
  if (!is_patch_or_empty(a) || !is_patch_or_empty(b)) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (a->tag == TAG_EMPTY || b->tag == TAG_EMPTY) {
    stop(m, STATUS_FAULT + FAULT_VALUE_ERROR);
    return;
  }
  if (a->h * a->w * (wide)(b->h * b->w) > MAX_WORK) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->phase == 0) {
    if (m->lane == 0) {
      words[0] = 0;
      words[1] = MOST_STEPS;
    }
    return;
  }
  if (m->phase == 1) {
    gather_places(m, OP_VMATCHING);
    return;
  }
  down = !words[0] ? 0 : a->i + a->h / 2 < b->i + b->h / 2 ? 1 : -1;
  right = words[0] ? 0 : a->j + a->w / 2 < b->j + b->w / 2 ? 1 : -1;
  if (m->phase == 2) {
    for (k = m->lane; k < MOST_STEPS; k += m->lanes)
      if (touch_moved(m, a, b, k * down, k * right)) {
        ATOMIC_MIN(words + 1, k);
        break;
      }
  } else if (m->lane == 0) {
    put(target(m), TAG_PAIR, words[1] * down, words[1] * right);
  }
}

