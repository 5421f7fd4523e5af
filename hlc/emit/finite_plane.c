// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planes on processors with memories of their own: rows of firings that fetch near their place, and the edges of the plane,
// where some of what they fetch is the stream's first or last element.
//
// NOTE(beside). Most such bodies fetch at constant distances along and down the rows:
//
//     next = i[y][x] + i[y - 1][x] + i[y + 1][x] + i[y][x - 1] + i[y][x + 1];
//
// Then a row of firings is given the three rows, each by a pointer, and there is nothing to compute where it fetches. Its
// columns go in blocks of as many as a vector has. For the block at either end what is beside it is copied together with the
// element beyond the edge, so that it fetches as the others do. Where the last blocks do not fit, firings are done again if
// that changes nothing. Without lanes, and where distances are not known, edges are done down the rows, behind all that is
// inside: they are short, and slow one by one.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

static const char *format(finite_graph *g, const char *text, const char *a, const char *b)
{
    return arena_printf(finite_arena(g), text, a, b);
}

static void add(finite_graph *g, text_args *args, const char *text)
{
    VEC_PUSH(finite_arena(g), args, text);
}

static const char *declare(finite_graph *g, uint32_t field)
{
    return emit_declare(&g->x->e, finite_field(g, field)->type, g->info->field_names.data[field]);
}

bool finite_has_plane(const finite_graph *g)
{
    return g->all->local.len > 0 && g->info->near != SIR_NONE && g->variable == NULL;
}

// ---- Which rows are given ----

// Columns of a vector of the processor with the shortest.
static int lanes_of(const finite_graph *g)
{
    enum { LEAST = 4, MOST = 16 };
    uint64_t lanes = MOST;
    for (VEC_EACH(const plan_processor *const, p, &g->all->local)) {
        const uint64_t own = machine_vector_bytes((*p)->processor) / sizeof(float);
        lanes = own < lanes ? own : lanes;
    }
    return lanes < LEAST ? LEAST : (int)lanes;
}

// Columns of a block at an end of a row: whole vectors, and as many as the farthest fetch.
static int64_t edge_of(const finite_graph *g)
{
    const int64_t lanes = lanes_of(g);
    int64_t far = 1;
    for (VEC_EACH(const emit_beside, b, &g->info->beside)) {
        far = -b->least > far ? -b->least : far;
        far = b->most > far ? b->most : far;
    }
    return (far + lanes - 1) / lanes * lanes;
}

static bool is_copied(const emit_beside *b)
{
    return b->least != 0 || b->most != 0;
}

typedef struct looker {
    finite_graph *g;
    bool lost;
} looker;

static void note_beside(void *context, sir_expr *e, bool written)
{
    looker *l = context;
    finite_graph *g = l->g;
    int64_t column, row = 0;
    (void)written;
    if (e->kind != SIR_FETCH || !body_near_offset(g->filter, g->info->near, SIR_NONE, e, &column))
        return;
    l->lost = l->lost || (e->op != 1 && body_row_offset(g->filter, e, &row) == NULL);
    for (VEC_EACH(emit_beside, b, &g->info->beside))
        if (b->field == e->index && b->row == row) {
            b->least = column < b->least ? column : b->least;
            b->most = column > b->most ? column : b->most;
            return;
        }
    const emit_beside first = {.field = e->index, .row = row, .least = column, .most = column};
    VEC_PUSH(finite_arena(g), &g->info->beside, first);
}

static void look_at_stmt(void *context, sir_stmt *s)
{
    looker *l = context;
    l->lost = l->lost || s->kind == SIR_CALL;
    sir_visit_exprs(s, note_beside, l);
}

// Bytes of an element, about.
static int64_t bytes_of(const finite_graph *g, uint32_t field)
{
    int64_t bytes = 0;
    for (const char *leaf = finite_leaves(finite_arena(g), finite_field(g, field)); *leaf != '\0'; leaf++)
        bytes += *leaf == 'd' ? 8 : 4;
    return bytes;
}

void finite_find_beside(finite_graph *g)
{
    enum { MOST_ROWS = 16, MOST_EDGE = 64, MOST_BYTES = 2048 }; // of all streams; the copies are on the stack
    const hlc_config *config = g->x->p->config;
    looker l = {.g = g, .lost = g->all->local.len == 0 || g->info->near == SIR_NONE || g->filter->prework != NULL};
    l.lost = l.lost || g->x->e.check_bounds || (config != NULL && (config->no_lanes || config->interpret_kernels));
    for (VEC_EACH(const sir_field, f, &g->filter->fields))
        l.lost = l.lost || f->role == SIR_REDUCED || f->role == SIR_VARIABLE;
    for (VEC_EACH(const finite_reach, r, &g->reaches))
        l.lost = l.lost || r->dimension != 3;
    if (l.lost)
        return;
    sir_visit_stmts((sir_block *)&g->filter->work->body, look_at_stmt, &l);
    int64_t bytes = 0;
    for (VEC_EACH(emit_beside, b, &g->info->beside)) {
        b->least = b->least > 0 ? 0 : b->least; // what is copied has the block itself
        b->most = b->most < 0 ? 0 : b->most;
        if (is_copied(b))
            bytes += (edge_of(g) + b->most - b->least) * bytes_of(g, b->field);
    }
    if (l.lost || g->info->beside.len > MOST_ROWS || edge_of(g) > MOST_EDGE || bytes > MOST_BYTES)
        memset(&g->info->beside, 0, sizeof g->info->beside);
}

// ---- Rows that are given ----

// What a row of the plane has: its places, and where it begins in each stream.
static void begin_plane_row(finite_graph *g)
{
    program_emitter *x = g->x;
    for (VEC_EACH(const uint32_t, c, &g->coordinates)) {
        const uint32_t dimension = finite_field(g, *c)->dimension;
        if (dimension > 0)
            text_line(x, 2, "const %s = %s%s;", declare(g, *c), dimension > 1 ? "0" : "(int)",
                      dimension > 1 ? "" : g->r);
    }
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (finite_is_walked(p))
            text_line(x, 2, "%s = %s + %s * %s_pitch;", finite_pointer(g, p, p->name), p->plane, g->r, p->name);
}

enum { INSIDE, AT_END };

static const char *plane_name(finite_graph *g)
{
    return finite_name(g, "plane");
}

static const char *rows_name(finite_graph *g, const finite_port *p, int where)
{
    return arena_printf(finite_arena(g), "svm_%s_%s", where == INSIDE ? "rows" : "near", p->name);
}

static const char *copy_name(finite_graph *g, const finite_port *p, const emit_beside *b)
{
    return arena_printf(finite_arena(g), "svm_copy%d_%s", emit_beside_of(g->info, b->field, b->row), p->name);
}

// What the step takes at a column; fetches are at `place` of the rows.
static void given_arguments(finite_graph *g, text_args *args, const char *column, const char *place, int where)
{
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        add(g, args, g->info->field_names.data[*u]);
    for (VEC_EACH(const uint32_t, c, &g->coordinates))
        add(g, args,
            finite_field(g, *c)->dimension == 0 ? format(g, "(int)(%s)%s", column, "") : g->info->field_names.data[*c]);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (p->source->role == SIR_ITERATOR) {
            add(g, args, finite_iterator(g, p, g->r, format(g, "(%s)%s", column, "")));
            continue;
        }
        add(g, args, finite_is_walked(p) ? format(g, "%s + (%s)", p->name, column) : p->name);
        if (p->source->role != SIR_GATHER)
            continue;
        add(g, args, format(g, "&%s%s", p->walk, ""));
        if (emit_has_beside(g->info, p->field))
            add(g, args, rows_name(g, p, where));
    }
    add(g, args, where == INSIDE ? "SVM_BROOK_COLUMN_INSIDE | SVM_BROOK_ROWS_GIVEN" : "SVM_BROOK_ROWS_GIVEN");
    add(g, args, place);
}

static void emit_given_step(finite_graph *g, int indent, const char *column, const char *place, int where)
{
    text_args args = {0};
    given_arguments(g, &args, column, place, where);
    text_call(g->x, indent, format(g, "%s(%s", g->at, ""), &args, ");");
}

// "row", "row - 1".
static const char *row_beside(finite_graph *g, int64_t row)
{
    return row == 0 ? g->r
                    : arena_printf(finite_arena(g), "%s %c %" PRId64, g->r, row < 0 ? '-' : '+', row < 0 ? -row : row);
}

// "const float *const svm_rows_image[] = {image + .., ..};", or of a block at a row's end,
// "const float *const svm_near_image[] = {svm_rows_image[0] + first, svm_copy1_image + 1};"
static void emit_rows(finite_graph *g, int indent, int where)
{
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        strbuf text;
        strbuf_init(&text, finite_arena(g));
        for (VEC_EACH(const emit_beside, b, &g->info->beside)) {
            if (b->field != p->field)
                continue;
            strbuf_add(&text, text.len > 0 ? ", " : "");
            if (where == AT_END && is_copied(b))
                strbuf_printf(&text, "%s + %" PRId64, copy_name(g, p, b), -b->least);
            else if (where == AT_END)
                strbuf_printf(&text, "%s[%d] + first", rows_name(g, p, INSIDE),
                              emit_beside_of(g->info, b->field, b->row));
            else if (p->source->rank == 1)
                strbuf_add(&text, p->name);
            else
                strbuf_printf(&text, "%s + svm_brookRowBeside(&%s, %s)", p->name, p->walk, row_beside(g, b->row));
        }
        if (text.len > 0)
            text_line(g->x, indent, "const %s *const %s[] = {%s};", p->element, rows_name(g, p, where), text.data);
    }
}

static void emit_copies(finite_graph *g, int indent, int64_t edge)
{
    for (VEC_EACH(const emit_beside, b, &g->info->beside)) {
        const finite_port *p = finite_port_of(g, b->field);
        const int number = emit_beside_of(g->info, b->field, b->row);
        if (!is_copied(b))
            continue;
        text_line(g->x, indent, "%s %s[%" PRId64 "];", p->element, copy_name(g, p, b), edge + b->most - b->least);
        text_line(g->x, indent,
                  "svm_brookCopyBeside(%s, %s[%d], sizeof(%s), %" PRId64 ", first, %" PRId64 ", %" PRId64
                  ", %s.extent[3]);",
                  copy_name(g, p, b), rows_name(g, p, INSIDE), number, p->element, edge, -b->least, b->most, p->walk);
    }
}

static void emit_block(finite_graph *g, int indent, int64_t lanes, const char *first, const char *place, int where)
{
    text_line(g->x, indent, "SVM_BROOK_LANES");
    text_line(g->x, indent, "for (int lane = 0; lane < %" PRId64 "; lane++)", lanes);
    emit_given_step(g, indent + 1, format(g, "%s + lane%s", first, ""), place, where);
}

// The rows of a plane: blocks between the ends of a row, what is left of these, and the blocks at the ends.
static void emit_given_rows(finite_graph *g)
{
    program_emitter *x = g->x;
    const int64_t edge = edge_of(g), lanes = lanes_of(g);
    const bool again = finite_is_repeatable(g);
    text_line(x, 1, "const ptrdiff_t last = end - %" PRId64 ";", edge);
    if (g->lanes == 0)
        text_line(x, 1, "const ptrdiff_t rest = svm_brookBlocksEnd(begin, end, %" PRId64 ", %" PRId64 ");", edge,
                  lanes);
    text_line(x, 1, "for (ptrdiff_t %s = firstRow; %s < endRow; %s++) {", g->r, g->r, g->r);
    begin_plane_row(g);
    emit_rows(g, 2, INSIDE);
    if (g->lanes > 0) {
        text_line(x, 2, "ptrdiff_t rest = begin + %" PRId64 ";", edge);
        finite_wide_loop(g, 2, "rest", "last", true);
    } else {
        text_line(x, 2, "for (ptrdiff_t block = begin + %" PRId64 "; block < rest; block += %" PRId64 ") {", edge,
                  lanes);
        emit_block(g, 3, lanes, "block", "block + lane", INSIDE);
        text_line(x, 2, "}");
    }
    if (!again || g->lanes > 0) {
        text_line(x, 2, "SVM_BROOK_INDEPENDENT");
        text_line(x, 2, "for (ptrdiff_t %s = rest; %s < last; %s++)", g->i, g->i, g->i);
        emit_given_step(g, 3, g->i, g->i, INSIDE);
    }
    text_line(x, 2, "for (ptrdiff_t first = begin;;) {");
    emit_copies(g, 3, edge);
    emit_rows(g, 3, AT_END);
    emit_block(g, 3, edge, "first", "lane", AT_END);
    text_line(x, 3, "if (first == last)");
    text_line(x, 4, "break;");
    text_line(x, 3, again && g->lanes == 0 ? "first = first == begin && rest < last ? rest : last;" : "first = last;");
    text_line(x, 2, "}");
    text_line(x, 1, "}");
}

// ---- Edges down the rows ----

// What the step takes at column i of a row of a plane.
static void edge_arguments(finite_graph *g, text_args *args, bool inside)
{
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        add(g, args, g->info->field_names.data[*u]);
    for (VEC_EACH(const uint32_t, c, &g->coordinates)) {
        const uint32_t dimension = finite_field(g, *c)->dimension;
        add(g, args, dimension > 1 ? "0" : format(g, "(int)%s%s", dimension == 0 ? g->i : g->r, ""));
    }
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (p->source->role == SIR_GATHER) {
            add(g, args, p->name);
            add(g, args, format(g, "&%s%s", p->walk, ""));
        } else if (p->source->role == SIR_ITERATOR) {
            add(g, args, finite_iterator(g, p, g->r, g->i));
        } else {
            add(g, args, arena_printf(g->x->e.arena, "%s + (%s * %s_pitch + %s)", p->plane, g->r, p->name, g->i));
        }
    }
    add(g, args, inside ? "SVM_BROOK_ROW_INSIDE" : "0");
    add(g, args, g->i);
}

static void emit_edge_step(finite_graph *g, int indent, bool inside)
{
    text_args step = {0};
    edge_arguments(g, &step, inside);
    text_call(g->x, indent, format(g, "%s(%s", g->at, ""), &step, ");");
}

static void emit_edge_rows(finite_graph *g, int indent, const char *from, const char *to)
{
    text_line(g->x, indent, "SVM_BROOK_INDEPENDENT");
    text_line(g->x, indent, "for (int %s = (int)%s; %s < (int)%s; %s++)", g->r, from, g->r, to, g->r);
    emit_edge_step(g, indent + 1, true);
}

// A column that is too near to an edge: the rows at the plane's ends, and those between them.
static void emit_edge(finite_graph *g)
{
    program_emitter *x = g->x;
    text_line(
        x, 2,
        "for (ptrdiff_t %s = top > firstRow ? firstRow : bottom; %s < endRow; %s = %s + 1 == top ? bottom : %s + 1)",
        g->r, g->r, g->r, g->r, g->r);
    emit_edge_step(g, 3, false);
    if (!finite_is_repeatable(g)) {
        emit_edge_rows(g, 2, "top", "bottom");
        return;
    }
    text_line(x, 2,
              "ptrdiff_t block = top, stop = bottom - top < SVM_BROOK_ROWS ? bottom : bottom - (bottom - top) %% "
              "SVM_BROOK_ROWS;");
    text_line(x, 2, "for (;;) {");
    emit_edge_rows(g, 3, "block", "stop");
    text_line(x, 3, "if (stop == bottom)");
    text_line(x, 4, "break;");
    text_line(x, 3, "block = bottom - SVM_BROOK_ROWS;");
    text_line(x, 3, "stop = bottom;");
    text_line(x, 2, "}");
}

// ---- The function ----

static void plane_parameters(finite_graph *g, text_args *args)
{
    add(g, args, format(g, "const %s *%s", g->kernel, g->self));
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            add(g, args,
                finite_pointer(g, p,
                               p->source->role == SIR_GATHER ? format(g, "restrict %s%s", p->name, "") : p->plane));
}

void finite_plane(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    bool iterates = false;
    for (VEC_EACH(const finite_port, p, &g->ports))
        iterates = iterates || p->source->role == SIR_ITERATOR;
    plane_parameters(g, &args);
    text_line(x, 0, "/* The rows of a plane%s. */",
              g->info->beside.len > 0
                  ? ", block by block; those at the ends of a row have copies of what is beside them"
                  : ", and behind them the columns that are too near to its edges");
    text_line(x, 0, "SVM_BROOK_WHOLE");
    text_call(x, 0, format(g, "static void %s(%s", plane_name(g), ""), &args, ")");
    text_line(x, 0, "{");
    if (iterates)
        text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    text_line(x, 1, "const ptrdiff_t begin = %s->box.column, end = %s->box.columnEnd;", g->self, g->self);
    text_line(x, 1, "const ptrdiff_t firstRow = %s->box.row, endRow = %s->box.rowEnd;", g->self, g->self);
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        text_line(x, 1, "const %s = %s->%s;", declare(g, *u), g->self, g->info->field_names.data[*u]);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (p->source->role == SIR_GATHER || p->source->role == SIR_ITERATOR)
            text_line(x, 1, "const svm_BrookWalk %s = svm_brookPlane(&%s->%s);", p->walk, g->self, p->walk);
        else
            text_line(x, 1, "const ptrdiff_t %s_pitch = svm_brookPitch(&%s->%s);", p->name, g->self, p->walk);
    }
    if (g->info->beside.len > 0) {
        emit_given_rows(g);
        text_line(x, 0, "}\n");
        return;
    }
    finite_keep_inside(g, 1, "begin", "end", "");
    text_line(x, 1, "for (ptrdiff_t %s = firstRow; %s < endRow; %s++) {", g->r, g->r, g->r);
    begin_plane_row(g);
    text_line(x, 2, "ptrdiff_t column = near;");
    finite_inside_loops(g, 2, "column", "far");
    text_line(x, 1, "}");
    text_line(x, 1, "ptrdiff_t top = firstRow, bottom = endRow;");
    for (VEC_EACH(const finite_reach, r, &g->row_reaches))
        text_line(x, 1, "svm_brookKeepInside(&top, &bottom, &%s, 2, %" PRId64 ", %" PRId64 ");",
                  finite_port_of(g, r->field)->walk, r->least, r->most);
    text_line(x, 1, "for (ptrdiff_t %s = near > begin ? begin : far; %s < end; %s = %s + 1 == near ? far : %s + 1) {",
              g->i, g->i, g->i, g->i, g->i);
    emit_edge(g);
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

// What a plane must be for that function to do it: all streams are walked as one plane, element by element; where rows are
// given, they have blocks at both ends, and what is fetched from has all of their columns.
void finite_call_plane(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args plane = {0};
    strbuf b;
    strbuf_init(&b, finite_arena(g));
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_GATHER)
            strbuf_printf(&b, " && svm_brookIsPlane(%s, &%s->%s)", g->space, g->self, p->walk);
    if (g->info->beside.len > 0)
        strbuf_printf(&b, " && %s->box.columnEnd - %s->box.column >= %" PRId64, g->self, g->self,
                      finite_is_repeatable(g) ? edge_of(g) : 2 * edge_of(g));
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (emit_has_beside(g->info, p->field))
            strbuf_printf(&b, " && %s->box.columnEnd <= %s->%s.extent[3]", g->self, g->self, p->walk);
    text_line(x, 1, "const bool apart = %s->form == SVM_BROOK_UNIT%s;", g->space, b.data);
    add(g, &plane, g->self);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            add(g, &plane,
                finite_is_walked(p) ? arena_printf(finite_arena(g), "%s - %s->%s.base", p->name, g->self, p->walk)
                                    : p->name);
    text_line(x, 1, "if (apart) {");
    text_call(x, 2, format(g, "%s(%s", plane_name(g), ""), &plane, ");");
    text_line(x, 2, "return;");
    text_line(x, 1, "}");
}
