/* ---- Patches: a frame, whether each of its places is in the patch, then the smallest box ---- */

typedef struct {
  int top, left, h, w, kind;
} Frame;

FN void frame_of(Frame *f, LOCAL Val *v) {
  f->top = v->i;
  f->left = v->j;
  f->h = v->h;
  f->w = v->w;
  f->kind = v->tag;
}

/* Two values span a frame. */
FN void frame_around(Frame *f, LOCAL Val *a, LOCAL Val *b) {
  if (b->tag == TAG_EMPTY) {
    frame_of(f, a);
    return;
  }
  frame_of(f, b);
  if (a->tag == TAG_EMPTY) return;
  f->top = least(a->i, b->i);
  f->left = least(a->j, b->j);
  f->h = most(a->i + a->h, b->i + b->h) - f->top;
  f->w = most(a->j + a->w, b->j + b->w) - f->left;
}

/* The frame of a line from one location to another. Returns -1 if no line joins them, 0 for a row or
 * column, 1 and 2 for the diagonals. */
FN int line_frame(Frame *f, int ai, int aj, int bi, int bj) {
  f->top = least(ai, bi);
  f->left = least(aj, bj);
  f->h = most(ai, bi) - f->top + 1;
  f->w = most(aj, bj) - f->left + 1;
  f->kind = TAG_INDICES;
  if (ai == bi || aj == bj) return 0;
  if (bi - ai == bj - aj) return 1;
  if (bi - ai == aj - bj) return 2;
  f->h = f->w = 0;
  return -1;
}

FN int line_of_shot(LOCAL Val *a, LOCAL Val *b, Frame *f) {
  return line_frame(f, a->i, a->j, a->i + 42 * b->i, a->j + 42 * b->j);
}

/* The box that lies step cells inside that of a patch. */
FN void inset(Frame *f, LOCAL Val *v, int step) {
  int top = v->i + step, left = v->j + step;
  int bottom = v->i + v->h - 1 - step, right = v->j + v->w - 1 - step;
  f->top = least(top, bottom);
  f->left = least(left, right);
  f->h = most(top, bottom) - f->top + 1;
  f->w = most(left, right) - f->left + 1;
  f->kind = TAG_INDICES;
}

/* Whether a line is in the set. Its number is its row, or the height plus its column. */
FN int has_line(LOCAL Val *lines, int number) {
  return (number < lines->h ? lines->i >> number : lines->j >> (number - lines->h)) & 1;
}

FN int is_on_a_line(LOCAL Val *lines, int i, int j) {
  return has_line(lines, i) || has_line(lines, lines->h + j);
}

FN void line_of_grid(Frame *f, LOCAL Val *lines, int number) {
  int is_row = number < lines->h;
  f->top = is_row ? number : 0;
  f->left = is_row ? 0 : number - lines->h;
  f->h = is_row ? 1 : lines->h;
  f->w = is_row ? lines->w : 1;
}

/* Containers of numbers: ranges and colours. */
FN int has_numbers(LOCAL Val *v) {
  return v->tag == TAG_RANGE || v->tag == TAG_COLOURS || v->tag == TAG_EMPTY;
}

FN int is_in(LOCAL Val *v, int x) {
  if (v->tag == TAG_COLOURS) return x >= 0 && x < 16 && (v->i >> x & 1);
  if (v->tag != TAG_RANGE || v->n == 0 || (x - v->i) % v->j != 0) return 0;
  return (x - v->i) / v->j >= 0 && (x - v->i) / v->j < v->n;
}

/* The smallest number, and the count of numbers from it to the largest. */
FN void span_of(LOCAL Val *v, int *first, int *n) {
  int last = v->i + (v->n - 1) * v->j;
  *first = v->tag == TAG_RANGE ? least(v->i, last) : 0;
  *n = v->n == 0 ? 0 : v->tag == TAG_RANGE ? most(v->i, last) - *first + 1 : 16;
}

/* The frame that holds the cells of a result, or the status that ends the program. A frame without
 * rows is the empty set. */
APART int patch_frame(const Machine *m, int op, Frame *f) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  f->top = f->left = f->h = f->w = 0;
  f->kind = TAG_INDICES;
  switch (op) {
    case OP_OFCOLOR:
      if (a->tag != TAG_GRID || b->tag != TAG_INT) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = TAG_INDICES;
      break;
    case OP_ASINDICES:
    case OP_ASOBJECT:
      if (a->tag != TAG_GRID) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = op == OP_ASOBJECT ? TAG_OBJECT : TAG_INDICES;
      break;
    case OP_TOINDICES:
    case OP_BACKDROP:
    case OP_DELTA:
    case OP_BOX:
      if (!is_patch_or_empty(a)) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = TAG_INDICES;
      break;
    case OP_CORNERS:
      if (!is_patch(a)) return STATUS_UNSURE;
      frame_of(f, a);
      f->kind = TAG_INDICES;
      break;
    case OP_INBOX:
    case OP_OUTBOX:
      if (a->tag == TAG_EMPTY) return STATUS_FAULT + FAULT_VALUE_ERROR;
      if (!is_patch(a)) return STATUS_UNSURE;
      inset(f, a, op == OP_INBOX ? 1 : -1);
      break;
    case OP_RECOLOR:
      if (!is_colour(a) || !is_patch_or_empty(b)) return STATUS_UNSURE;
      frame_of(f, b);
      f->kind = TAG_OBJECT;
      break;
    case OP_SHIFT:
      if (a->tag == TAG_EMPTY) break;
      if (!is_patch(a) || !is_near_pair(b)) return STATUS_UNSURE;
      frame_of(f, a);
      f->top += b->i;
      f->left += b->j;
      if (!is_near(f->top) || !is_near(f->left)) return STATUS_UNSURE;
      break;
    case OP_NORMALIZE:
      if (!is_patch_or_empty(a)) return STATUS_UNSURE;
      frame_of(f, a);
      f->top = f->left = 0;
      break;
    case OP_HMIRROR:
    case OP_VMIRROR:
    case OP_DMIRROR:
    case OP_CMIRROR:
      if (!is_patch(a)) return STATUS_UNSURE;
      frame_of(f, a);
      if (op == OP_DMIRROR || op == OP_CMIRROR) {
        f->h = a->w;
        f->w = a->h;
      }
      break;
    case OP_UPSCALE:
      if (a->tag == TAG_EMPTY) break;
      if (a->tag != TAG_OBJECT || b->tag != TAG_INT || b->i < 1 || b->i > 255) return STATUS_UNSURE;
      frame_of(f, a);
      f->h *= b->i;
      f->w *= b->i;
      break;
    case OP_TOOBJECT:
      if (!is_patch_or_empty(a) || b->tag != TAG_GRID) return STATUS_UNSURE;
      f->top = most(a->i, 0);
      f->left = most(a->j, 0);
      f->h = least(a->i + a->h, b->h) - f->top;
      f->w = least(a->j + a->w, b->w) - f->left;
      f->kind = TAG_OBJECT;
      break;
    case OP_COMBINE:
    case OP_UNITE:
      if (!is_patch_or_empty(a) || !is_patch_or_empty(b)) return STATUS_UNSURE;
      if (is_patch(a) && is_patch(b) && a->tag != b->tag) return STATUS_UNSURE;
      frame_around(f, a, b);
      break;
    case OP_DIFFERENCE:
    case OP_INTERSECTION:
      if (!is_patch_or_empty(a) || !is_patch_or_empty(b)) return STATUS_UNSURE;
      frame_of(f, a);
      break;
    case OP_MERGE:
      if (a->tag != TAG_OBJECTS && a->tag != TAG_EMPTY && a->tag != TAG_LINES) return STATUS_UNSURE;
      frame_of(f, a);
      if (a->tag == TAG_LINES) f->top = f->left = 0;
      f->kind = TAG_OBJECT;
      break;
    case OP_MARKED:
      if (!is_patch(a) || a->h * a->w > 32 * MARK_WORDS) return STATUS_UNSURE;
      frame_of(f, a);
      break;
    case OP_GATHER:
      if (!is_near_place(b)) return STATUS_UNSURE;
      f->kind = b->tag == TAG_CELL ? TAG_OBJECT : TAG_INDICES;
      if (a->tag != f->kind && a->tag != TAG_EMPTY) return STATUS_UNSURE;
      if (a->tag != TAG_EMPTY) {
        f->top = least(a->i, b->i);
        f->left = least(a->j, b->j);
        f->h = most(a->i + a->h, b->i + 1) - f->top;
        f->w = most(a->j + a->w, b->j + 1) - f->left;
      } else {
        f->top = b->i;
        f->left = b->j;
        f->h = f->w = 1;
      }
      break;
    case OP_ELEMENT:
      if ((a->tag != TAG_OBJECTS && a->tag != TAG_LINES) || b->tag != TAG_INT) return STATUS_UNSURE;
      frame_of(f, a);
      if (a->tag == TAG_LINES) line_of_grid(f, a, b->i);
      f->kind = TAG_OBJECT;
      break;
    case OP_PRODUCT:
      if (!has_numbers(a) || !has_numbers(b)) return STATUS_UNSURE;
      span_of(a, &f->top, &f->h);
      span_of(b, &f->left, &f->w);
      break;
    case OP_CONNECT:
      if (!is_near_pair(a) || !is_near_pair(b)) return STATUS_UNSURE;
      line_frame(f, a->i, a->j, b->i, b->j);
      break;
    case OP_SHOOT:
      if (!is_near_pair(a) || b->tag != TAG_PAIR) return STATUS_UNSURE;
      if (magnitude(b->i) > 100 || magnitude(b->j) > 100) return STATUS_UNSURE;
      line_of_shot(a, b, f);
      break;
    case OP_VFRONTIER:
    case OP_HFRONTIER:
      if (!is_near_pair(a)) return STATUS_UNSURE;
      f->top = op == OP_HFRONTIER ? a->i : 0;
      f->left = op == OP_HFRONTIER ? 0 : a->j;
      f->h = op == OP_HFRONTIER ? 1 : 30;
      f->w = op == OP_HFRONTIER ? 30 : 1;
      break;
    case OP_NEIGHBORS:
    case OP_DNEIGHBORS:
    case OP_INEIGHBORS:
      if (!is_near_pair(a)) return STATUS_UNSURE;
      f->top = a->i - 1;
      f->left = a->j - 1;
      f->h = f->w = 3;
      break;
    case OP_INITSET:
      if (!is_near_place(a)) return STATUS_UNSURE;
      f->kind = a->tag == TAG_CELL ? TAG_OBJECT : TAG_INDICES;
      f->top = a->i;
      f->left = a->j;
      f->h = f->w = 1;
      break;
    case OP_REMOVE:
      if (a->tag != TAG_PAIR) return STATUS_UNSURE;
      if (b->tag != TAG_INDICES && b->tag != TAG_EMPTY) return STATUS_UNSURE;
      frame_of(f, b);
      f->kind = TAG_INDICES;
      break;
    case OP_OCCURRENCES:
      if (a->tag != TAG_GRID || b->tag != TAG_OBJECT) return STATUS_UNSURE;
      f->h = a->h - b->h + 1;
      f->w = a->w - b->w + 1;
      break;
    default:
      return STATUS_UNSURE;
  }
  if (f->h > 0 && f->w > 0 && (f->h > 4096 || f->w > 4096 || f->h * f->w > MAX_FRAME_CELLS))
    return STATUS_UNSURE;
  return STATUS_RUNNING;
}

FN int occurs(const Machine *m, LOCAL Val *grid, LOCAL Val *object, int i, int j) {
  int k, colour;
  for (k = 0; k < object->h * object->w; k++) {
    int row = k / object->w, column = k % object->w;
    colour = at(m, object, object->i + row, object->j + column);
    if (colour >= 0 && cell(m, grid, i + row, j + column) != colour) return 0;
  }
  return 1;
}

/* Two sets have different colours here, so the result is not an object. */
#define CONFLICT -2

/* The colour of the result at a place of its frame, 0 for indices, -1 for none. */
APART int patch_cell(const Machine *m, int op, const Frame *f, int i, int j) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1);
  int in_a, in_b;
  int last_row = f->top + f->h - 1, last_column = f->left + f->w - 1;
  Frame line;
  switch (op) {
    case OP_OFCOLOR: return cell(m, a, i, j) == b->i ? 0 : -1;
    case OP_ASINDICES:
    case OP_BACKDROP:
    case OP_VFRONTIER:
    case OP_HFRONTIER: return 0;
    case OP_INITSET: return a->tag == TAG_CELL ? a->colour : 0;
    case OP_ASOBJECT: return cell(m, a, i, j);
    case OP_TOINDICES: return at(m, a, i, j) < 0 ? -1 : 0;
    case OP_DELTA: return at(m, a, i, j) < 0 ? 0 : -1;
    case OP_BOX:
    case OP_INBOX:
    case OP_OUTBOX:
      return i == f->top || j == f->left || i == last_row || j == last_column ? 0 : -1;
    case OP_CORNERS:
      return (i == f->top || i == last_row) && (j == f->left || j == last_column) ? 0 : -1;
    case OP_RECOLOR: return at(m, b, i, j) < 0 ? -1 : a->i;
    case OP_SHIFT: return at(m, a, i - b->i, j - b->j);
    case OP_NORMALIZE: return at(m, a, i + a->i, j + a->j);
    case OP_HMIRROR: return at(m, a, 2 * a->i + a->h - 1 - i, j);
    case OP_VMIRROR: return at(m, a, i, 2 * a->j + a->w - 1 - j);
    case OP_DMIRROR: return at(m, a, j - a->j + a->i, i - a->i + a->j);
    case OP_CMIRROR: return at(m, a, a->i + a->h - 1 - (j - a->j), a->j + a->w - 1 - (i - a->i));
    case OP_UPSCALE: return at(m, a, a->i + (i - a->i) / b->i, a->j + (j - a->j) / b->i);
    case OP_TOOBJECT: return at(m, a, i, j) < 0 ? -1 : cell(m, b, i, j);
    case OP_COMBINE:
    case OP_UNITE:
      in_a = at(m, a, i, j);
      in_b = at(m, b, i, j);
      if (in_a >= 0 && in_b >= 0 && in_a != in_b) return CONFLICT;
      return in_a < 0 ? in_b : in_a;
    case OP_DIFFERENCE:
      in_a = at(m, a, i, j);
      return a->tag == b->tag && in_a == at(m, b, i, j) ? -1 : in_a;
    case OP_INTERSECTION:
      in_a = at(m, a, i, j);
      return a->tag == b->tag && in_a == at(m, b, i, j) ? in_a : -1;
    case OP_MERGE:
      if (a->tag == TAG_LINES) return is_on_a_line(a, i, j) ? cell(m, a, i, j) : -1;
      return at(m, a, i, j);
    case OP_PRODUCT: return is_in(a, i) && is_in(b, j) ? 0 : -1;
    case OP_MARKED: return is_marked(m, (i - a->i) * a->w + j - a->j) ? at(m, a, i, j) : -1;
    case OP_GATHER:
      in_a = at(m, a, i, j);
      if (i != b->i || j != b->j) return in_a;
      if (b->tag != TAG_CELL) return 0;
      return in_a >= 0 && in_a != b->colour ? CONFLICT : b->colour;
    case OP_ELEMENT:
      if (a->tag == TAG_LINES) return cell(m, a, i, j);
      return label_at(m, a, (i - a->i) * a->w + j - a->j) == b->i ? at(m, a, i, j) : -1;
    case OP_CONNECT:
    case OP_SHOOT:
      switch (op == OP_SHOOT ? line_of_shot(a, b, &line)
                             : line_frame(&line, a->i, a->j, b->i, b->j)) {
        case 0: return 0;
        case 1: return i - a->i == j - a->j ? 0 : -1;
        case 2: return i - a->i == a->j - j ? 0 : -1;
        default: return -1;
      }
    case OP_NEIGHBORS: return i == a->i && j == a->j ? -1 : 0;
    case OP_DNEIGHBORS: return (i == a->i) != (j == a->j) ? 0 : -1;
    case OP_INEIGHBORS: return i != a->i && j != a->j ? 0 : -1;
    case OP_REMOVE: return i == a->i && j == a->j ? -1 : at(m, b, i, j);
    case OP_OCCURRENCES: return occurs(m, a, b, i, j) ? 0 : -1;
    default: return -1;
  }
}

#define TOP 0
#define LEFT 1
#define BOTTOM 2
#define RIGHT 3
#define COUNT 4
#define CLASH 5
#define PALEST 6
#define DARKEST 7

FN void reset_box(LOCAL int *box) {
  box[TOP] = box[LEFT] = box[PALEST] = NOTHING;
  box[BOTTOM] = box[RIGHT] = box[DARKEST] = -NOTHING;
  box[COUNT] = box[CLASH] = 0;
}

FN void measure_patch(const Machine *m, int op, const Frame *f) {
  LOCAL int *box = shared_words(m);
  int top = NOTHING, left = NOTHING, bottom = -NOTHING, right = -NOTHING;
  int count = 0, palest = NOTHING, darkest = -NOTHING, k;
  for (k = m->lane; k < f->h * f->w; k += m->lanes) {
    int i = f->top + k / f->w, j = f->left + k % f->w;
    int colour = patch_cell(m, op, f, i, j);
    if (colour == CONFLICT) ATOMIC_OR(box + CLASH, 1);
    if (colour < 0) continue;
    count++;
    top = least(top, i);
    left = least(left, j);
    bottom = most(bottom, i);
    right = most(right, j);
    palest = least(palest, colour);
    darkest = most(darkest, colour);
  }
  if (count == 0) return;
  ATOMIC_MIN(box + TOP, top);
  ATOMIC_MIN(box + LEFT, left);
  ATOMIC_MAX(box + BOTTOM, bottom);
  ATOMIC_MAX(box + RIGHT, right);
  ATOMIC_ADD(box + COUNT, count);
  ATOMIC_MIN(box + PALEST, palest);
  ATOMIC_MAX(box + DARKEST, darkest);
}

/* Thirty-two cells of a row as bits. */
FN uint patch_word(const Machine *m, int op, const Frame *f, int i, int j, int n) {
  uint word = 0;
  int k;
  for (k = 0; k < n; k++)
    if (patch_cell(m, op, f, i, j + k) >= 0) word |= 1u << k;
  return word;
}

FN void write_patch(const Machine *m, int op, const Frame *f) {
  LOCAL int *box = shared_words(m);
  LOCAL Val *v = target(m);
  int slot = m->code[SLOT], top = box[TOP], left = box[LEFT], k;
  int h = box[BOTTOM] - top + 1, w = box[RIGHT] - left + 1;
  int is_object = f->kind == TAG_OBJECT, per_row = words_per_row(w);
  if (box[COUNT] == 0 && box[CLASH] == 0) {
    if (m->lane == 0) put_empty(v);
    return;
  }
  if (box[CLASH] || (is_object ? h * w > SLOT_BYTES : h > MAX_BITS_SIDE || w > MAX_BITS_SIDE)) {
    stop(m, STATUS_UNSURE);
    return;
  }
  if (is_object) {
    for (k = m->lane; k < h * w; k += m->lanes) {
      int colour = patch_cell(m, op, f, top + k / w, left + k % w);
      bytes_of(m, slot)[k] = (uchar)(colour < 0 ? ABSENT_BYTE : colour);
    }
  } else {
    for (k = m->lane; k < h * per_row; k += m->lanes) {
      int i = top + k / per_row, first = 32 * (k % per_row);
      words_of(m, slot)[k] = patch_word(m, op, f, i, left + first, least(32, w - first));
    }
  }
  if (m->lane == 0) {
    put(v, f->kind, top, left);
    v->h = h;
    v->w = w;
    v->n = box[COUNT];
    v->slot = slot;
    if (is_object && box[PALEST] == box[DARKEST]) v->colour = box[PALEST];
  }
}

APART void make_patch(const Machine *m, int op) {
  Frame f;
  int status = patch_frame(m, op, &f);
  if (status != STATUS_RUNNING) {
    stop(m, status);
  } else if (m->phase == 0) {
    if (m->lane == 0) reset_box(shared_words(m));
  } else if (m->phase == 1) {
    if (f.h > 0 && f.w > 0) measure_patch(m, op, &f);
  } else {
    write_patch(m, op, &f);
  }
}

/* Primitives that take grids and patches. */
FN void make_either(const Machine *m, int op) {
  if (argument(m, 0)->tag != TAG_GRID)
    make_patch(m, op);
  else if (m->phase == 0)
    make_grid(m, op);
}

