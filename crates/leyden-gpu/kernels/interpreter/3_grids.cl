/* ---- Grids: the size of the result, then its cells one by one ---- */

/* The start of a part. The second argument is the number of parts, the third the index of this one. */
FN int piece_start(const Machine *m, int length) {
  int n = argument(m, 1)->i, step = length / n + (length % n != 0);
  return step * argument(m, 2)->i;
}

/* h x w, or the status that ends the program. */
APART int grid_size(const Machine *m, int op, int *h, int *w) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *c = argument(m, 2), *d = argument(m, 3);
  LOCAL Val *grid = op == OP_SUBGRID ? b : a;
  if (op == OP_CANVAS) {
    if (!is_colour(a) || b->tag != TAG_PAIR) return STATUS_UNSURE;
    *h = b->i;
    *w = b->j;
    return STATUS_RUNNING;
  }
  if (grid->tag != TAG_GRID) return STATUS_UNSURE;
  *h = grid->h;
  *w = grid->w;
  switch (op) {
    case OP_DMIRROR:
    case OP_CMIRROR:
    case OP_ROT90:
    case OP_ROT270:
      *h = grid->w;
      *w = grid->h;
      break;
    case OP_UPSCALE:
    case OP_HUPSCALE:
    case OP_VUPSCALE:
    case OP_DOWNSCALE:
      if (b->tag != TAG_INT || b->i < 1 || b->i > 255) return STATUS_UNSURE;
      if (op == OP_DOWNSCALE) {
        *h = (grid->h + b->i - 1) / b->i;
        *w = (grid->w + b->i - 1) / b->i;
        break;
      }
      if (op != OP_HUPSCALE) *h = grid->h * b->i;
      if (op != OP_VUPSCALE) *w = grid->w * b->i;
      break;
    case OP_CROP:
      if (!is_near_pair(b) || !is_near_pair(c) || b->i < 0 || b->j < 0) return STATUS_UNSURE;
      *h = least(grid->h - b->i, c->i);
      *w = least(grid->w - b->j, c->j);
      break;
    case OP_SUBGRID:
      if (!is_patch(a) || a->i < 0 || a->j < 0) return STATUS_UNSURE;
      *h = least(grid->h - a->i, a->h);
      *w = least(grid->w - a->j, a->w);
      break;
    case OP_HPIECE:
      *w = least(grid->w / b->i, grid->w - piece_start(m, grid->w));
      break;
    case OP_VPIECE:
      *h = least(grid->h / b->i, grid->h - piece_start(m, grid->h));
      break;
    case OP_HCONCAT:
      if (b->tag != TAG_GRID) return STATUS_UNSURE;
      *h = least(a->h, b->h);
      *w = a->w + b->w;
      break;
    case OP_VCONCAT:
      if (b->tag != TAG_GRID || a->w != b->w) return STATUS_UNSURE;
      *h = a->h + b->h;
      break;
    case OP_TOPHALF:
    case OP_BOTTOMHALF:
      *h = grid->h / 2;
      break;
    case OP_LEFTHALF:
    case OP_RIGHTHALF:
      *w = grid->w / 2;
      break;
    case OP_TRIM:
      *h = grid->h - 2;
      *w = grid->w - 2;
      break;
    case OP_REPLACE:
      if (b->tag != TAG_INT || !is_colour(c)) return STATUS_UNSURE;
      break;
    case OP_SWITCH:
      if (!is_colour(b) || !is_colour(c)) return STATUS_UNSURE;
      break;
    case OP_FILL:
      if (!is_colour(b) || !is_patch_or_empty(c)) return STATUS_UNSURE;
      break;
    case OP_UNDERFILL:
      if (!is_colour(b) || !is_patch_or_empty(c) || !is_colour(d)) return STATUS_UNSURE;
      break;
    case OP_PAINT:
      if (b->tag != TAG_OBJECT && b->tag != TAG_EMPTY) return STATUS_UNSURE;
      break;
    case OP_UNDERPAINT:
      if ((b->tag != TAG_OBJECT && b->tag != TAG_EMPTY) || !is_colour(c)) return STATUS_UNSURE;
      break;
    case OP_CELLWISE:
      if (b->tag != TAG_GRID || b->h < a->h || b->w < a->w || !is_colour(c)) return STATUS_UNSURE;
      break;
    default:
      break;
  }
  return STATUS_RUNNING;
}

APART int grid_cell(const Machine *m, int op, int h, int w, int i, int j) {
  LOCAL Val *a = argument(m, 0), *b = argument(m, 1), *c = argument(m, 2), *d = argument(m, 3);
  int shown, painted;
  switch (op) {
    case OP_HMIRROR: return cell(m, a, h - 1 - i, j);
    case OP_VMIRROR: return cell(m, a, i, w - 1 - j);
    case OP_DMIRROR: return cell(m, a, j, i);
    case OP_CMIRROR: return cell(m, a, w - 1 - j, h - 1 - i);
    case OP_ROT90: return cell(m, a, w - 1 - j, i);
    case OP_ROT180: return cell(m, a, h - 1 - i, w - 1 - j);
    case OP_ROT270: return cell(m, a, j, h - 1 - i);
    case OP_UPSCALE: return cell(m, a, i / b->i, j / b->i);
    case OP_HUPSCALE: return cell(m, a, i, j / b->i);
    case OP_VUPSCALE: return cell(m, a, i / b->i, j);
    case OP_DOWNSCALE: return cell(m, a, i * b->i, j * b->i);
    case OP_CROP: return cell(m, a, i + b->i, j + b->j);
    case OP_SUBGRID: return cell(m, b, i + a->i, j + a->j);
    case OP_HCONCAT: return j < a->w ? cell(m, a, i, j) : cell(m, b, i, j - a->w);
    case OP_VCONCAT: return i < a->h ? cell(m, a, i, j) : cell(m, b, i - a->h, j);
    case OP_TOPHALF:
    case OP_LEFTHALF: return cell(m, a, i, j);
    case OP_BOTTOMHALF: return cell(m, a, i + a->h - h, j);
    case OP_RIGHTHALF: return cell(m, a, i, j + a->w - w);
    case OP_HPIECE: return cell(m, a, i, j + piece_start(m, a->w));
    case OP_VPIECE: return cell(m, a, i + piece_start(m, a->h), j);
    case OP_TRIM: return cell(m, a, i + 1, j + 1);
    case OP_CANVAS: return a->i;
    case OP_REPLACE:
      shown = cell(m, a, i, j);
      return shown == b->i ? c->i : shown;
    case OP_SWITCH:
      shown = cell(m, a, i, j);
      return shown == c->i ? b->i : shown == b->i ? c->i : shown;
    case OP_FILL: return at(m, c, i, j) < 0 ? cell(m, a, i, j) : b->i;
    case OP_UNDERFILL:
      shown = cell(m, a, i, j);
      return shown == d->i && at(m, c, i, j) >= 0 ? b->i : shown;
    case OP_PAINT:
      painted = at(m, b, i, j);
      return painted < 0 ? cell(m, a, i, j) : painted;
    case OP_UNDERPAINT:
      shown = cell(m, a, i, j);
      painted = at(m, b, i, j);
      return shown == c->i && painted >= 0 ? painted : shown;
    case OP_CELLWISE:
      shown = cell(m, a, i, j);
      return shown == cell(m, b, i, j) ? shown : c->i;
    default: return 0;
  }
}

FN void make_grid(const Machine *m, int op) {
  LOCAL Val *v = target(m);
  LOCAL uchar *cells = bytes_of(m, m->code[SLOT]);
  int h, w, k, status = grid_size(m, op, &h, &w);
  if (status != STATUS_RUNNING) {
    stop(m, status);
    return;
  }
  if (h < 1 || w < 1 || h > 255 || w > 255 || h * w > MAX_GRID_CELLS) {
    stop(m, STATUS_UNSURE);
    return;
  }
  for (k = m->lane; k < h * w; k += m->lanes)
    cells[k] = (uchar)grid_cell(m, op, h, w, k / w, k % w);
  if (m->lane == 0) {
    put(v, TAG_GRID, 0, 0);
    v->h = h;
    v->w = w;
    v->n = h;
    v->slot = m->code[SLOT];
  }
}

/* ---- compress: the table marks the lines of one colour, then the lines that stay ---- */

#define COLUMN_FLAGS 256
#define KEPT_ROWS 512
#define KEPT_COLUMNS 768

FN int is_uniform(const Machine *m, LOCAL Val *grid, int line, int is_column) {
  int k, n = is_column ? grid->h : grid->w;
  int first = is_column ? cell(m, grid, 0, line) : cell(m, grid, line, 0);
  for (k = 1; k < n; k++)
    if ((is_column ? cell(m, grid, k, line) : cell(m, grid, line, k)) != first) return 0;
  return 1;
}

FN int list_kept(LOCAL int *flags, LOCAL int *kept, int n) {
  int k, n_kept = 0;
  for (k = 0; k < n; k++)
    if (!flags[k]) kept[n_kept++] = k;
  return n_kept;
}

FN void write_compressed(const Machine *m, LOCAL Val *grid, int h, int w) {
  LOCAL Val *v = target(m);
  int k;
  for (k = m->lane; k < h * w; k += m->lanes)
    bytes_of(m, m->code[SLOT])[k] =
        (uchar)cell(m, grid, m->parents[KEPT_ROWS + k / w], m->parents[KEPT_COLUMNS + k % w]);
  if (m->lane == 0) {
    put(v, TAG_GRID, 0, 0);
    v->h = v->n = h;
    v->w = w;
    v->slot = m->code[SLOT];
  }
}

FN void compress_grid(const Machine *m) {
  LOCAL Val *grid = argument(m, 0);
  LOCAL int *sides = shared_words(m);
  int k;
  if (grid->tag != TAG_GRID) {
    stop(m, STATUS_UNSURE);
  } else if (m->phase == 0) {
    for (k = m->lane; k < grid->h; k += m->lanes) m->parents[k] = is_uniform(m, grid, k, 0);
    for (k = m->lane; k < grid->w; k += m->lanes)
      m->parents[COLUMN_FLAGS + k] = is_uniform(m, grid, k, 1);
  } else if (m->phase == 1) {
    if (m->lane == 0) {
      sides[0] = list_kept(m->parents, m->parents + KEPT_ROWS, grid->h);
      sides[1] = list_kept(m->parents + COLUMN_FLAGS, m->parents + KEPT_COLUMNS, grid->w);
      if (sides[0] == 0 || sides[1] == 0) stop(m, STATUS_UNSURE);
    }
  } else {
    write_compressed(m, grid, sides[0], sides[1]);
  }
}

