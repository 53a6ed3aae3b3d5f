/* ---- Elements of sets, one after the other, and choices among them ---- */

/* Whether an element has this number. Elements of a patch are numbered by their place in its box. */
FN int has_element(const Machine *m, LOCAL Val *set, int number) {
  if (set->tag == TAG_OBJECTS) return is_first_cell(m, set, number);
  if (set->tag == TAG_LINES) return has_line(set, number);
  if (set->tag == TAG_COLOURS) return set->i >> number & 1;
  if (set->tag == TAG_RANGE) return 1;
  return at(m, set, set->i + number / set->w, set->j + number % set->w) >= 0;
}

/* One more than the largest number that an element can have. */
FN int end_of(LOCAL Val *set) {
  switch (set->tag) {
    case TAG_LINES: return set->h + set->w;
    case TAG_COLOURS: return 16;
    case TAG_RANGE: return set->n;
    default: return set->h * set->w;
  }
}

/* The number of the first element at or after a place, NOTHING for none. */
FN void find_element(const Machine *m, LOCAL Val *set, int start) {
  int k, first = NOTHING, end = end_of(set);
  for (k = start + m->lane; k < end; k += m->lanes)
    if (has_element(m, set, k)) {
      first = k;
      break;
    }
  if (first != NOTHING) ATOMIC_MIN(shared_words(m), first);
}

/* The number of the only element of a set; -1 for all other values. */
FN void find_only(const Machine *m) {
  LOCAL Val *a = argument(m, 0);
  int is_single = is_set(a) && a->n == 1;
  if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = NOTHING;
  } else if (m->phase == 1) {
    if (is_single) find_element(m, a, 0);
  } else if (m->lane == 0) {
    put(target(m), TAG_INT, is_single ? shared_words(m)[0] : -1, 0);
  }
}

FN int only_colour(int mask) {
  int colour = 0;
  while (!(mask >> colour & 1)) colour++;
  return colour;
}

/* first, of a pair, of a cell, or of a set with one element, whose number comes with it. */
FN void take_element(const Machine *m);

FN void take_first(const Machine *m) {
  LOCAL Val *a = argument(m, 0), *v = target(m);
  if (a->tag == TAG_EMPTY)
    stop(m, STATUS_FAULT + FAULT_STOP_ITERATION);
  else if (a->tag == TAG_PAIR || a->tag == TAG_CELL) {
    if (m->phase == 0 && m->lane == 0) put(v, TAG_INT, a->tag == TAG_PAIR ? a->i : a->colour, 0);
  } else if (a->tag == TAG_COLOURS && a->n == 1) {
    if (m->phase == 0 && m->lane == 0) put(v, TAG_INT, only_colour(a->i), 0);
  } else if (argument(m, 1)->i < 0)
    stop(m, STATUS_UNSURE);
  else
    take_element(m);
}

/* Goes on with the next element: the target register holds the number of the last one, and after
 * the last of all the program jumps. The result of going through a tuple is a tuple, so a program goes
 * through tuples only where that makes no difference. */
FN void next_element(const Machine *m) {
  LOCAL Val *set = argument(m, 0), *v = target(m);
  int is_over, is_fine = is_set(set) || set->tag == TAG_COLOURS;
  if (!is_fine && (set->tag != TAG_RANGE || m->code[FLAGS] != TAKES_TUPLES)) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = NOTHING;
  } else if (m->phase == 1) {
    if (set->tag != TAG_EMPTY) find_element(m, set, v->i + 1);
  } else if (m->lane == 0) {
    is_over = shared_words(m)[0] == NOTHING;
    v->i = is_over ? -1 : shared_words(m)[0];
    jump(m, is_over ? m->code[JUMP] : -1);
  }
}

/* The element of a number: an object, a location, a cell of an object. */
FN void take_element(const Machine *m) {
  LOCAL Val *set = argument(m, 0), *number = argument(m, 1), *v = target(m);
  int i, j;
  if (set->tag == TAG_OBJECTS || set->tag == TAG_LINES) {
    make_patch(m, OP_ELEMENT);
  } else if (set->tag == TAG_COLOURS || set->tag == TAG_RANGE) {
    i = set->tag == TAG_RANGE ? set->i + number->i * set->j : number->i;
    if (m->phase == 0 && m->lane == 0) put(v, TAG_INT, i, 0);
  } else if (!is_patch(set) || number->i < 0) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0 && m->lane == 0) {
    i = set->i + number->i / set->w;
    j = set->j + number->i % set->w;
    put(v, set->tag == TAG_OBJECT ? TAG_CELL : TAG_PAIR, i, j);
    if (set->tag == TAG_OBJECT) v->colour = at(m, set, i, j);
  }
}

/* Adds a location to indices, or a colour to colours. */
FN void gather(const Machine *m) {
  LOCAL Val *set = argument(m, 0), *element = argument(m, 1), *v = target(m);
  if (element->tag != TAG_INT) {
    if (set->tag == TAG_COLOURS)
      stop(m, STATUS_UNSURE);
    else
      make_patch(m, OP_GATHER);
  } else if (element->i < 0 || element->i > 15 || (set->tag != TAG_EMPTY && set->tag != TAG_COLOURS)) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0 && m->lane == 0) {
    put_colours(v, (set->tag == TAG_EMPTY ? 0 : set->i) | 1 << element->i);
  }
}

/* The best key so far is a pair: the key and the number of offers; n is the label. */
FN void offer_best(const Machine *m) {
  LOCAL Val *key = argument(m, 0), *label = argument(m, 1), *v = target(m);
  int is_most = m->code[FLAGS] & WANTS_MOST;
  if (key->tag != TAG_INT) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->lane != 0) return;
  if (v->j > 0 && key->i == v->i) {
    if (!(m->code[FLAGS] & FIRST_WINS)) v->j++;
  } else if (v->j == 0 || (is_most ? key->i > v->i : key->i < v->i)) {
    v->i = key->i;
    v->j = 1;
    v->n = label->i;
  }
}

/* The label of the only best element, or the best key, which several may have. */
FN void take_best(const Machine *m) {
  LOCAL Val *best = argument(m, 0);
  int flags = m->code[FLAGS];
  if (best->j == 0 && (flags & FAULT_IF_EMPTY)) {
    stop(m, STATUS_FAULT + FAULT_VALUE_ERROR);
  } else if (best->j == 0 || (best->j > 1 && !(flags & WANTS_KEY))) {
    stop(m, STATUS_UNSURE);
  } else if (m->lane == 0) {
    put(target(m), TAG_INT, flags & WANTS_KEY ? best->i : best->n, 0);
  }
}

FN void clear_marks(const Machine *m) {
  int k;
  for (k = m->lane; k < MARK_WORDS; k += m->lanes) marks(m)[k] = 0;
}

FN void mark(const Machine *m) {
  LOCAL Val *verdict = argument(m, 0), *number = argument(m, 1);
  if (number->i >= 32 * MARK_WORDS)
    stop(m, STATUS_UNSURE);
  else if (m->lane == 0 && truth(verdict))
    marks(m)[number->i >> 5] |= (int)(1u << (number->i & 31));
}

FN void take_marked(const Machine *m) {
  LOCAL Val *set = argument(m, 0);
  if (set->tag == TAG_EMPTY) {
    if (m->lane == 0) put_empty(target(m));
  } else if (set->tag == TAG_COLOURS) {
    if (m->phase == 0 && m->lane == 0) put_colours(target(m), set->i & marks(m)[0]);
  } else if (set->tag == TAG_LINES) {
    if (m->phase == 0) filter_lines(m, OP_MARKED, set, 0);
  } else if (set->tag != TAG_OBJECTS) {
    make_patch(m, OP_MARKED);
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = shared_words(m)[32] = 0;
  } else if (m->phase == 1) {
    write_kept(m, OP_MARKED, set, 0);
  } else if (m->lane == 0) {
    finish_labels(m, set);
  }
}

