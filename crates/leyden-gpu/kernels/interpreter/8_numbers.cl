/* ---- Numbers and pairs, by the first lane ---- */

FN int fits(wide x) { return x > -2000000000 && x < 2000000000; }

/* One part of an operation on numbers. */
FN int operate(int op, wide a, wide b, wide *result) {
  switch (op) {
    case OP_ADD: *result = a + b; break;
    case OP_SUBTRACT: *result = a - b; break;
    case OP_MULTIPLY: *result = a * b; break;
    case OP_DIVIDE:
      if (b == 0) return STATUS_FAULT + FAULT_ZERO_DIVISION;
      *result = floor_divided((int)a, (int)b);
      break;
    case OP_INVERT: *result = -a; break;
    case OP_DOUBLE: *result = 2 * a; break;
    case OP_HALVE: *result = floor_divided((int)a, 2); break;
    case OP_INCREMENT: *result = a + 1; break;
    case OP_DECREMENT: *result = a - 1; break;
    case OP_CREMENT: *result = a > 0 ? a + 1 : a < 0 ? a - 1 : 0; break;
    default: *result = a > 0 ? 1 : a < 0 ? -1 : 0;
  }
  return fits(*result) ? STATUS_RUNNING : STATUS_UNSURE;
}

FN int is_number_or_pair(LOCAL Val *v) { return v->tag == TAG_INT || v->tag == TAG_PAIR; }

FN int calculate(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  int is_binary = op <= OP_DIVIDE, status;
  int has_pair = a->tag == TAG_PAIR || (is_binary && b->tag == TAG_PAIR);
  wide first, second = 0;
  if (!is_number_or_pair(a) || (is_binary && !is_number_or_pair(b))) return STATUS_UNSURE;
  status = operate(op, a->i, is_binary ? b->i : 0, &first);
  if (status != STATUS_RUNNING) return status;
  if (has_pair) {
    int other = !is_binary ? 0 : b->tag == TAG_PAIR ? b->j : b->i;
    status = operate(op, a->tag == TAG_PAIR ? a->j : a->i, other, &second);
    if (status != STATUS_RUNNING) return status;
  }
  put(target(m), has_pair ? TAG_PAIR : TAG_INT, (int)first, (int)second);
  return STATUS_RUNNING;
}

FN int judge(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  switch (op) {
    case OP_EVEN:
      if (a->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->i % 2 == 0, 0);
      break;
    case OP_FLIP: put(v, TAG_BOOL, !truth(a), 0); break;
    case OP_GREATER:
      if (a->tag != TAG_INT || b->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->i > b->i, 0);
      break;
    case OP_POSITIVE:
      if (a->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->i > 0, 0);
      break;
    case OP_CONTAINED:
      if (a->tag == TAG_INT && b->tag == TAG_COLOURS)
        put(v, TAG_BOOL, a->i >= 0 && a->i < 16 && (b->i >> a->i & 1), 0);
      else if (a->tag == TAG_INT && b->tag == TAG_RANGE)
        put(v, TAG_BOOL, is_near(a->i) && is_in(b, a->i), 0);
      else if (a->tag == TAG_INT && b->tag == TAG_PAIR)
        put(v, TAG_BOOL, a->i == b->i || a->i == b->j, 0);
      else if (a->tag == TAG_PAIR && (b->tag == TAG_INDICES || b->tag == TAG_EMPTY))
        put(v, TAG_BOOL, is_near_pair(a) && at(m, b, a->i, a->j) >= 0, 0);
      else
        return STATUS_UNSURE;
      break;
    default:
      return STATUS_UNSURE;
  }
  return STATUS_RUNNING;
}

FN int extreme_member(int mask, int wants_most) {
  int colour, best = -1;
  for (colour = 0; colour < 16; colour++)
    if ((mask >> colour & 1) && (best < 0 || wants_most)) best = colour;
  return best;
}

/* The numbers from one up to another. */
FN int put_range(const Machine *m) {
  LOCAL Val *first = argument(m, 0), *end = argument(m, 1), *step = argument(m, 2), *v = target(m);
  int way, n;
  if (first->tag != TAG_INT || end->tag != TAG_INT || step->tag != TAG_INT) return STATUS_UNSURE;
  if (step->i == 0) return STATUS_FAULT + FAULT_VALUE_ERROR;
  if (!is_near(first->i) || !is_near(end->i) || !is_near(step->i)) return STATUS_UNSURE;
  way = step->i > 0 ? end->i - first->i : first->i - end->i;
  n = way <= 0 ? 0 : (way - 1) / magnitude(step->i) + 1;
  if (n > MAX_RANGE) return STATUS_UNSURE;
  put(v, TAG_RANGE, first->i, step->i);
  v->n = n;
  return STATUS_RUNNING;
}

/* Pairs and their parts. */
FN int arrange(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  switch (op) {
    case OP_TOIVEC:
      if (a->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_PAIR, a->i, 0);
      break;
    case OP_TOJVEC:
      if (a->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_PAIR, 0, a->i);
      break;
    case OP_ASTUPLE:
      if (is_colour(a) && is_near_pair(b)) {
        put(v, TAG_CELL, b->i, b->j);
        v->colour = a->i;
        break;
      }
      if (a->tag != TAG_INT || b->tag != TAG_INT) return STATUS_UNSURE;
      put(v, TAG_PAIR, a->i, b->i);
      break;
    case OP_LAST:
      if (a->tag == TAG_PAIR)
        put(v, TAG_INT, a->j, 0);
      else if (a->tag == TAG_CELL)
        put(v, TAG_PAIR, a->i, a->j);
      else if (a->tag == TAG_INDICES && a->n == 1)
        put(v, TAG_PAIR, a->i, a->j);
      else
        return STATUS_UNSURE;
      break;
    case OP_MAXIMUM:
    case OP_MINIMUM:
      if (a->tag == TAG_EMPTY)
        put(v, TAG_INT, 0, 0);
      else if (a->tag == TAG_PAIR)
        put(v, TAG_INT, op == OP_MAXIMUM ? most(a->i, a->j) : least(a->i, a->j), 0);
      else if (a->tag == TAG_COLOURS)
        put(v, TAG_INT, extreme_member(a->i, op == OP_MAXIMUM), 0);
      else
        return STATUS_UNSURE;
      break;
    default:
      return STATUS_UNSURE;
  }
  return STATUS_RUNNING;
}

FN int extent(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *v = target(m);
  int is_grid = a->tag == TAG_GRID;
  if (op == OP_SIZE) {
    if (a->tag == TAG_PAIR)
      put(v, TAG_INT, 2, 0);
    else if (is_grid || is_set(a) || a->tag == TAG_COLOURS || a->tag == TAG_RANGE)
      put(v, TAG_INT, a->n, 0);
    else
      return STATUS_UNSURE;
    return STATUS_RUNNING;
  }
  if (!is_grid && !is_patch_or_empty(a)) return STATUS_UNSURE;
  switch (op) {
    case OP_HEIGHT: put(v, TAG_INT, a->h, 0); break;
    case OP_WIDTH: put(v, TAG_INT, a->w, 0); break;
    case OP_SHAPE: put(v, TAG_PAIR, a->h, a->w); break;
    case OP_PORTRAIT: put(v, TAG_BOOL, a->h > a->w, 0); break;
    case OP_SQUARE: put(v, TAG_BOOL, a->h == a->w && (is_grid || a->h * a->w == a->n), 0); break;
    case OP_VLINE:
      if (is_grid) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->h == a->n && a->w == 1, 0);
      break;
    case OP_HLINE:
      if (is_grid) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->w == a->n && a->h == 1, 0);
      break;
    default:
      return STATUS_UNSURE;
  }
  return STATUS_RUNNING;
}

FN int direction(int from, int to) { return from < to ? 1 : -1; }

FN int locate(const Machine *m, int op) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  int bottom = a->i + a->h - 1, right = a->j + a->w - 1, ia, ja, ib, jb;
  if (op == OP_INDEX) {
    if (a->tag != TAG_GRID || b->tag != TAG_PAIR) return STATUS_UNSURE;
    if (b->i < 0 || b->j < 0 || b->i >= a->h || b->j >= a->w) return STATUS_UNSURE;
    put(v, TAG_INT, cell(m, a, b->i, b->j), 0);
    return STATUS_RUNNING;
  }
  if (op == OP_COLOR) {
    if (a->tag == TAG_EMPTY) return STATUS_FAULT + FAULT_STOP_ITERATION;
    if (a->tag != TAG_OBJECT || a->colour < 0) return STATUS_UNSURE;
    put(v, TAG_INT, a->colour, 0);
    return STATUS_RUNNING;
  }
  if (a->tag == TAG_EMPTY && (op <= OP_RIGHTMOST || op == OP_CENTER))
    return STATUS_FAULT + FAULT_VALUE_ERROR;
  if (!is_patch(a)) return STATUS_UNSURE;
  ia = a->i + a->h / 2;
  ja = a->j + a->w / 2;
  switch (op) {
    case OP_UPPERMOST: put(v, TAG_INT, a->i, 0); break;
    case OP_LOWERMOST: put(v, TAG_INT, bottom, 0); break;
    case OP_LEFTMOST: put(v, TAG_INT, a->j, 0); break;
    case OP_RIGHTMOST: put(v, TAG_INT, right, 0); break;
    case OP_ULCORNER: put(v, TAG_PAIR, a->i, a->j); break;
    case OP_URCORNER: put(v, TAG_PAIR, a->i, right); break;
    case OP_LLCORNER: put(v, TAG_PAIR, bottom, a->j); break;
    case OP_LRCORNER: put(v, TAG_PAIR, bottom, right); break;
    case OP_CENTER: put(v, TAG_PAIR, ia, ja); break;
    case OP_BORDERING:
      if (b->tag != TAG_GRID) return STATUS_UNSURE;
      put(v, TAG_BOOL, a->i == 0 || a->j == 0 || bottom == b->h - 1 || right == b->w - 1, 0);
      break;
    default:
      if (!is_patch(b)) return STATUS_UNSURE;
      ib = b->i + b->h / 2;
      jb = b->j + b->w / 2;
      if (ia == ib)
        put(v, TAG_PAIR, 0, direction(ja, jb));
      else if (ja == jb)
        put(v, TAG_PAIR, direction(ia, ib), 0);
      else
        put(v, TAG_PAIR, direction(ia, ib), direction(ja, jb));
  }
  return STATUS_RUNNING;
}

