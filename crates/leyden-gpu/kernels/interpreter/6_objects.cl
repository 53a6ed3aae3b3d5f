/* ---- Objects as a label image ---- */

FN int root_of(LOCAL int *parents, int k) {
  volatile LOCAL int *seen = parents;
  while (seen[k] != k) k = seen[k];
  return k;
}

/* Hangs the larger root below the smaller, without a lock. If another lane was faster, tries again. */
APART void join(LOCAL int *parents, int a, int b) {
  for (;;) {
    int smaller, larger, before;
    a = root_of(parents, a);
    b = root_of(parents, b);
    if (a == b) return;
    smaller = least(a, b);
    larger = most(a, b);
    before = ATOMIC_MIN(parents + larger, smaller);
    if (before == larger) return;
    a = before;
    b = smaller;
  }
}

FN int belong_together(int flags, int background, int a, int b) {
  if (flags & UNIVALUED) return a == b;
  return a != background && b != background;
}

FN void join_with(const Machine *m, LOCAL Val *grid, int background, int k, int row, int column) {
  int other = row * grid->w + column;
  LOCAL uchar *cells = bytes_of(m, grid->slot);
  if (row < 0 || column < 0 || column >= grid->w) return;
  if (belong_together(m->code[FLAGS], background, cells[k], cells[other]))
    join(m->parents, k, other);
}

FN void join_neighbours(const Machine *m, LOCAL Val *grid, int background) {
  int k;
  for (k = m->lane; k < grid->h * grid->w; k += m->lanes) {
    int i = k / grid->w, j = k % grid->w;
    join_with(m, grid, background, k, i - 1, j);
    join_with(m, grid, background, k, i, j - 1);
    if (m->code[FLAGS] & DIAGONAL) {
      join_with(m, grid, background, k, i - 1, j - 1);
      join_with(m, grid, background, k, i - 1, j + 1);
    }
  }
}

/* Writes a label image and counts its objects. */
FN void write_label(const Machine *m, int place, int label, int colour) {
  int is_there = label >= 0;
  labels_of(m, m->code[SLOT])[place] = (ushort)(is_there ? label << 4 | colour : ABSENT_LABEL);
  if (is_there && label == place) ATOMIC_ADD(shared_words(m) + 32, 1);
}

FN void reset_labels(const Machine *m) {
  int k;
  for (k = m->lane; k < 33; k += m->lanes) shared_words(m)[k] = k < 32 ? NOTHING : 0;
}

FN void finish_labels(const Machine *m, LOCAL Val *like) {
  LOCAL Val *v = target(m);
  int n = shared_words(m)[32], h = like->h, w = like->w;
  put(v, n ? TAG_OBJECTS : TAG_EMPTY, 0, 0);
  if (n == 0) return;
  v->h = h;
  v->w = w;
  v->n = n;
  v->slot = m->code[SLOT];
}

FN void find_objects(const Machine *m) {
  LOCAL Val *grid = argument(m, 0);
  int k, background = -1;
  if (grid->tag != TAG_GRID || grid->h * grid->w > MAX_LABELLED_CELLS) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->code[FLAGS] & WITHOUT_BACKGROUND) background = argument(m, 1)->i;
  if (m->phase == 0) {
    reset_labels(m);
    for (k = m->lane; k < grid->h * grid->w; k += m->lanes) m->parents[k] = k;
  } else if (m->phase == 1) {
    join_neighbours(m, grid, background);
  } else if (m->phase == 2) {
    for (k = m->lane; k < grid->h * grid->w; k += m->lanes) {
      int colour = bytes_of(m, grid->slot)[k];
      write_label(m, k, colour == background ? -1 : root_of(m->parents, k), colour);
    }
  } else if (m->lane == 0) {
    finish_labels(m, grid);
  }
}

FN void part_grid(const Machine *m, int op) {
  LOCAL Val *grid = argument(m, 0);
  LOCAL int *firsts = shared_words(m);
  int k, background = -1;
  if (grid->tag != TAG_GRID || grid->h * grid->w > MAX_LABELLED_CELLS) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (op == OP_FGPARTITION) background = argument(m, 1)->i;
  if (m->phase == 0) {
    reset_labels(m);
  } else if (m->phase == 1) {
    for (k = m->lane; k < grid->h * grid->w; k += m->lanes)
      ATOMIC_MIN(firsts + bytes_of(m, grid->slot)[k], k);
  } else if (m->phase == 2) {
    for (k = m->lane; k < grid->h * grid->w; k += m->lanes) {
      int colour = bytes_of(m, grid->slot)[k];
      write_label(m, k, colour == background ? -1 : firsts[colour], colour);
    }
  } else if (m->lane == 0) {
    finish_labels(m, grid);
  }
}

/* The count for each object: its cells, and whether it has several colours, one of them the wanted
 * one. */
#define HAS_WANTED 0x10000
#define HAS_OTHERS 0x20000
#define CELLS_MASK 0xffff

FN void count_cells(const Machine *m, LOCAL Val *objects, int wanted) {
  int k;
  for (k = m->lane; k < objects->h * objects->w; k += m->lanes) {
    int label = label_at(m, objects, k);
    if (label < 0) continue;
    ATOMIC_ADD(m->parents + label, 1);
    ATOMIC_OR(m->parents + label, colour_in_image(m, objects, k) == wanted ? HAS_WANTED : HAS_OTHERS);
  }
}

FN void clear_parents(const Machine *m) {
  int k;
  for (k = m->lane; k < PARENT_WORDS; k += m->lanes) m->parents[k] = 0;
}

FN int keeps(const Machine *m, int op, int label, int wanted) {
  int facts;
  if (op == OP_MARKED) return is_marked(m, label);
  facts = m->parents[label];
  if (op == OP_SIZEFILTER) return (facts & CELLS_MASK) == wanted;
  return (facts & HAS_WANTED) != 0;
}

FN void write_kept(const Machine *m, int op, LOCAL Val *objects, int wanted) {
  int k, both = HAS_WANTED | HAS_OTHERS;
  for (k = m->lane; k < objects->h * objects->w; k += m->lanes) {
    int label = label_at(m, objects, k);
    int is_kept = label >= 0 && keeps(m, op, label, wanted);
    /* The order of the set decides which of its colours an object shows first. */
    if (op == OP_COLORFILTER && is_kept && (m->parents[label] & both) == both)
      ATOMIC_OR(shared_words(m), 1);
    write_label(m, k, is_kept ? label : -1, is_kept ? colour_in_image(m, objects, k) : 0);
  }
}

/* ---- Rows and columns of one colour; they cross, so they are not a label image ---- */

FN int bits_in(int mask) {
  int n = 0;
  for (; mask; mask &= mask - 1) n++;
  return n;
}

FN void put_colours(LOCAL Val *v, int mask) {
  put(v, mask ? TAG_COLOURS : TAG_EMPTY, mask, 0);
  v->n = bits_in(mask);
}

/* Some of the lines of a grid, which is copied. */
FN void put_lines(const Machine *m, LOCAL Val *grid, int rows, int columns) {
  LOCAL Val *v = target(m);
  int k, slot = m->code[SLOT], h = grid->h, w = grid->w, n = bits_in(rows) + bits_in(columns);
  for (k = m->lane; k < h * w; k += m->lanes) bytes_of(m, slot)[k] = bytes_of(m, grid->slot)[k];
  if (m->lane != 0) return;
  put(v, n ? TAG_LINES : TAG_EMPTY, n ? rows : 0, n ? columns : 0);
  if (n == 0) return;
  v->h = h;
  v->w = w;
  v->n = n;
  v->slot = slot;
}

FN void find_lines(const Machine *m) {
  LOCAL Val *grid = argument(m, 0);
  LOCAL int *masks = shared_words(m);
  int k;
  /* The row and the column of a single cell would be one object. */
  if (grid->tag != TAG_GRID || grid->h > MAX_LINES || grid->w > MAX_LINES || grid->h * grid->w == 1) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) masks[0] = masks[1] = 0;
  } else if (m->phase == 1) {
    for (k = m->lane; k < grid->h; k += m->lanes)
      if (is_uniform(m, grid, k, 0)) ATOMIC_OR(masks, 1 << k);
    for (k = m->lane; k < grid->w; k += m->lanes)
      if (is_uniform(m, grid, k, 1)) ATOMIC_OR(masks + 1, 1 << k);
  } else {
    put_lines(m, grid, masks[0], masks[1]);
  }
}

/* Keeps the lines of a colour, or those with a mark. */
FN void filter_lines(const Machine *m, int op, LOCAL Val *lines, int wanted) {
  int k, rows = 0, columns = 0;
  for (k = 0; k < lines->h + lines->w; k++) {
    int is_row = k < lines->h;
    int colour = is_row ? cell(m, lines, k, 0) : cell(m, lines, 0, k - lines->h);
    if (!has_line(lines, k) || (op == OP_MARKED ? !is_marked(m, k) : colour != wanted)) continue;
    if (is_row)
      rows |= 1 << k;
    else
      columns |= 1 << (k - lines->h);
  }
  put_lines(m, lines, rows, columns);
}

FN void filter_objects(const Machine *m, int op) {
  LOCAL Val *objects = argument(m, 0), *wanted = argument(m, 1);
  if (op == OP_COLORFILTER && objects->tag == TAG_LINES && wanted->tag == TAG_INT) {
    if (m->phase == 0) filter_lines(m, op, objects, wanted->i);
  } else if (wanted->tag != TAG_INT || (objects->tag != TAG_OBJECTS && objects->tag != TAG_EMPTY)) {
    stop(m, STATUS_UNSURE);
  } else if (objects->tag == TAG_EMPTY) {
    if (m->lane == 0) put_empty(target(m));
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = shared_words(m)[32] = 0;
    clear_parents(m);
  } else if (m->phase == 1) {
    count_cells(m, objects, wanted->i);
  } else if (m->phase == 2) {
    write_kept(m, op, objects, wanted->i);
  } else if (m->lane == 0) {
    if (shared_words(m)[0]) stop(m, STATUS_UNSURE);
    finish_labels(m, objects);
  }
}

FN int is_first_cell(const Machine *m, LOCAL Val *objects, int place) {
  return label_at(m, objects, place) == place;
}

/* The cell of a set of objects, or of an object, at a place of another image: its label and colour
 * as one number, -1 for none. Equal objects have the same label, as they begin at the same cell. */
FN int cell_beside(const Machine *m, LOCAL Val *image, LOCAL Val *other, int place) {
  int i = place / image->w, j = place % image->w, colour;
  if (other->tag == TAG_OBJECTS) {
    int label = labels_of(m, other->slot)[i * other->w + j];
    return label == ABSENT_LABEL ? -1 : label;
  }
  colour = at(m, other, i, j);
  return colour;
}

/* Marks the objects of the first set that are not, cell by cell, in the second. */
FN void mark_unlike(const Machine *m, LOCAL Val *a, LOCAL Val *b) {
  int k;
  for (k = m->lane; k < a->h * a->w; k += m->lanes) {
    int in_a = labels_of(m, a->slot)[k], in_b = cell_beside(m, a, b, k);
    int label_in_b = b->tag == TAG_OBJECTS && in_b >= 0 ? in_b >> 4 : -1;
    if (in_a == ABSENT_LABEL) in_a = -1;
    if (b->tag == TAG_OBJECTS && in_a != in_b && label_in_b >= 0) ATOMIC_OR(m->parents + label_in_b, 1);
    if (in_a >= 0 && (b->tag == TAG_OBJECTS ? in_a != in_b : (in_a & 15) != in_b || in_b < 0))
      ATOMIC_OR(m->parents + (in_a >> 4), 1);
  }
}

/* Counts the cells of each object, above the mark. */
FN void count_above_marks(const Machine *m, LOCAL Val *objects) {
  int k;
  for (k = m->lane; k < objects->h * objects->w; k += m->lanes) {
    int label = label_at(m, objects, k);
    if (label >= 0) ATOMIC_ADD(m->parents + label, 2);
  }
}

FN int is_in_other(const Machine *m, LOCAL Val *other, int label) {
  int facts = m->parents[label];
  if (facts & 1) return 0;
  if (other->tag == TAG_OBJECT) return facts >> 1 == other->n;
  return other->tag == TAG_OBJECTS;
}

/* difference, intersection and remove of sets of objects. */
FN void sift_objects(const Machine *m, int op, LOCAL Val *a, LOCAL Val *b) {
  int k, wants_common = op == OP_INTERSECTION;
  int same_frame = b->tag != TAG_OBJECTS || (a->h == b->h && a->w == b->w);
  if (!same_frame || (b->tag != TAG_OBJECTS && b->tag != TAG_OBJECT && b->tag != TAG_EMPTY)) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[32] = 0;
    clear_parents(m);
  } else if (m->phase == 1) {
    mark_unlike(m, a, b);
    count_above_marks(m, a);
  } else if (m->phase == 2) {
    for (k = m->lane; k < a->h * a->w; k += m->lanes) {
      int label = label_at(m, a, k);
      int is_kept = label >= 0 && is_in_other(m, b, label) == wants_common;
      write_label(m, k, is_kept ? label : -1, is_kept ? colour_in_image(m, a, k) : 0);
    }
  } else if (m->lane == 0) {
    finish_labels(m, a);
  }
}

/* The label of the first set at a place, or of the second. A label of both means two objects that
 * begin at one cell; all their cells must be equal. */
FN void join_images(const Machine *m, LOCAL Val *a, LOCAL Val *b) {
  int k, has_a = a->tag == TAG_OBJECTS, has_b = b->tag == TAG_OBJECTS;
  LOCAL Val *like = has_a ? a : b;
  for (k = m->lane; k < like->h * like->w; k += m->lanes) {
    int in_a = has_a ? label_at(m, a, k) : -1, in_b = has_b ? label_at(m, b, k) : -1;
    LOCAL Val *from = in_a >= 0 ? a : b;
    int label = in_a >= 0 ? in_a : in_b;
    int colour = label >= 0 ? colour_in_image(m, from, k) : 0;
    int clashes = in_a >= 0 && in_b >= 0 && (in_a != in_b || colour != colour_in_image(m, b, k));
    if (in_a >= 0 && in_b < 0) clashes = has_b && label_at(m, b, in_a) == in_a;
    if (in_b >= 0 && in_a < 0) clashes = has_a && label_at(m, a, in_b) == in_b;
    if (clashes) ATOMIC_OR(shared_words(m), 1);
    write_label(m, k, label, colour);
  }
}

FN void combine_objects(const Machine *m, LOCAL Val *a, LOCAL Val *b) {
  int has_a = a->tag == TAG_OBJECTS, has_b = b->tag == TAG_OBJECTS;
  int fits = (has_a || a->tag == TAG_EMPTY) && (has_b || b->tag == TAG_EMPTY);
  if (!fits || (has_a && has_b && (a->h != b->h || a->w != b->w))) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    if (m->lane == 0) shared_words(m)[0] = shared_words(m)[32] = 0;
  } else if (m->phase == 1) {
    join_images(m, a, b);
  } else if (m->lane == 0) {
    if (shared_words(m)[0]) stop(m, STATUS_UNSURE);
    finish_labels(m, has_a ? a : b);
  }
}

FN void combine_sets(const Machine *m) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *v = target(m);
  if (a->tag == TAG_OBJECTS || b->tag == TAG_OBJECTS) {
    combine_objects(m, a, b);
  } else if (a->tag != TAG_COLOURS && b->tag != TAG_COLOURS) {
    make_patch(m, OP_COMBINE);
  } else if (!has_numbers(a) || !has_numbers(b) || a->tag == TAG_RANGE || b->tag == TAG_RANGE) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0 && m->lane == 0) {
    put_colours(v, a->i | b->i);
  }
}

/* difference, intersection and remove of colours, patches and sets of objects. */
FN void sift(const Machine *m, int op) {
  int is_remove = op == OP_REMOVE;
  LOCAL Val *a = argument(m, is_remove), *b = argument(m, !is_remove), *v = target(m);
  int mask;
  if (a->tag == TAG_OBJECTS && (is_remove ? b->tag != TAG_OBJECTS : b->tag != TAG_OBJECT)) {
    sift_objects(m, op, a, b);
  } else if (a->tag == TAG_COLOURS) {
    if (is_remove ? b->tag != TAG_INT : b->tag != TAG_COLOURS && b->tag != TAG_EMPTY) {
      stop(m, STATUS_UNSURE);
    } else if (m->phase == 0 && m->lane == 0) {
      mask = is_remove ? (b->i >= 0 && b->i < 16 ? 1 << b->i : 0) : b->tag == TAG_EMPTY ? 0 : b->i;
      mask = op == OP_INTERSECTION ? a->i & mask : a->i & ~mask;
      put_colours(v, mask);
    }
  } else if (m->phase < 3) {
    make_patch(m, op);
  }
}

/* The number of the object with the most or the fewest cells, if there is one such. */
FN void find_extreme(const Machine *m, int op) {
  LOCAL Val *objects = argument(m, 0);
  LOCAL int *words = shared_words(m);
  int k, is_most = op == OP_LARGEST_LABEL;
  if (objects->tag == TAG_EMPTY && m->code[FLAGS]) {
    stop(m, STATUS_FAULT + FAULT_VALUE_ERROR);
    return;
  }
  if (objects->tag != TAG_OBJECTS) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (m->phase == 0) {
    if (m->lane == 0) {
      words[0] = is_most ? -NOTHING : NOTHING;
      words[1] = 0;
    }
    clear_parents(m);
  } else if (m->phase == 1) {
    count_cells(m, objects, 0);
  } else if (m->phase == 2) {
    for (k = m->lane; k < objects->h * objects->w; k += m->lanes) {
      if (!is_first_cell(m, objects, k)) continue;
      if (is_most)
        ATOMIC_MAX(words, m->parents[k] & CELLS_MASK);
      else
        ATOMIC_MIN(words, m->parents[k] & CELLS_MASK);
    }
  } else if (m->phase == 3) {
    for (k = m->lane; k < objects->h * objects->w; k += m->lanes)
      if (is_first_cell(m, objects, k) && (m->parents[k] & CELLS_MASK) == words[0]) {
        ATOMIC_ADD(words + 1, 1);
        words[2] = k;
      }
  } else if (m->lane == 0) {
    if (words[1] != 1) stop(m, STATUS_UNSURE);
    put(target(m), TAG_INT, words[2], 0);
  }
}

