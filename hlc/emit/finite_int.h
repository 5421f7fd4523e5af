// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files hlc/emit/finite*.c share: finite filters as functions that a host program calls (svm/brook.h).
#ifndef SVMC_HLC_EMIT_FINITE_INT_H
#define SVMC_HLC_EMIT_FINITE_INT_H

#include "hlc/emit/program_int.h"
#include "hlc/plan/resources.h"

// Where all subscripts are that a firing has in one dimension of a gathered stream: at a coordinate and so far beside it.
typedef struct finite_near {
    uint32_t coordinate; // field; SIR_NONE: anywhere
    int64_t least, most;
    bool known;   // some subscript was seen
    bool by_rows; // at what finite_row says
} finite_near;

// The slowest subscript of all fetches from a gathered stream's port: an expression in uniforms and places that are the same
// in a row (finite_rows.c).
typedef struct finite_row {
    uint32_t field; // the port's
    uint32_t of;    // the field of the source, which it is or is a copy of
    const sir_expr *row;
    int64_t down; // of a column (finite_turned.c): so many rows below the place
} finite_row;
typedef VEC(finite_row) finite_rows;

// A parameter that is a stream.
typedef struct finite_port {
    uint32_t field;
    const sir_field *source;
    const char *name;         // C name: of parameters, blocks, pointers
    const char *stream;       // of the parameter whose stream it is: `name`, but for ports of finite_rows.c
    const char *walk, *value; // of its svm_BrookWalk; of the firing's element
    const char *plane;        // of the pointer to a plane's first element, where `name` is to a row's
    const char *element;      // C type of an element as it is stored
    const char *load, *store; // functions, of elements that are stored in other types than the firing's; else NULL
    bool used;                // the firing function takes it
    bool loaded;              // an output whose old element matters
    const finite_near *near;  // of a gathered stream, the slowest dimension first; NULL: anywhere in that
    const char *near_table;   // its name in the text
} finite_port;

typedef struct finite_emitter finite_emitter;

// An element that prework of a reduction fetches from anywhere, and which it is given in one form: a field behind those of
// the filter. `place` gives where it is fetched from.
typedef struct finite_fetched {
    uint32_t field, from; // the gathered stream's
    emit_signature place;
} finite_fetched;

// How far along rows a gathered stream is fetched from near the firing's place; or down them (dimension 2), where columns
// lead there.
typedef struct finite_reach {
    uint32_t field;
    int dimension; // 3: along
    int64_t least, most;
} finite_reach;
typedef VEC(finite_reach) finite_reaches;

// One finite filter.
typedef struct finite_graph {
    program_emitter *x;
    finite_emitter *all;
    const sir_filter *filter;
    uint32_t own;       // fields of the source; behind them are copies
    finite_rows rows;   // ports that are gathered from by rows
    finite_rows turned; // those of which columns are turned over
    emit_filter_info *info;
    emit_signature fire, wide, fewer;    // wide: of several columns at once; fewer: of some, behind those
    emit_signature map;                  // of a reduction with a prework: that
    emit_signature given_map;            // which gets what it fetches, one behind the other
    VEC(finite_fetched) fetched;         // none: there is no such function
    int lanes, fewer_lanes;              // so many; 0: there is no such function
    emit_signature tile;                 // of several rows and columns at once (finite_tiles.c)
    int tile_lanes;                      // columns; 0: there is no such function
    VEC(const uint32_t *) tile_fields;   // per row: what each field is in its filter
    VEC(uint32_t) takes;                 // gathered streams that it takes elements of, from anywhere
    bool whole;                          // where floats have places as they are
    const char *name;                    // base of its names
    const char *kernel, *run, *at, *row; // kernel struct, kernel function, one firing, a row of firings
    const char *ports_table, *table, *runs;
    const char *turn, *turned_row;                         // of a run, and a row of it, given columns turned over
    const char *rowwise, *any_row, *twice, *find, *rounds; // of calls that may wait for the next; NULL: they do not
    const char *past_run, *past_few; // of a run whose outputs go past the caches; of a few columns
    const char *tiles;               // of as many rows of a run as go together
    finite_reaches reaches;          // of gathered streams
    finite_reaches row_reaches;      // of fetches that are near, down the rows of a plane
    double operations;               // of a firing, about
    bool is_able;                    // local processors can run it
    bool past;                       // outputs may go past the caches
    VEC(finite_port) ports;
    VEC(uint32_t) uniforms, coordinates;   // fields
    VEC(uint32_t) insides;                 // likewise: streams of which only the shapes matter
    finite_port mapped;                    // of a reduction with a prework: what that makes; name NULL: there is none
    const finite_port *reduced, *variable; // NULL: none
    hmap taken;                            // C names of fields and what is beside them
    // Names of locals.
    const char *self, *space, *r, *i;
} finite_graph;

struct finite_emitter {
    program_emitter x;
    const plan_resources *resources;
    VEC(const plan_processor *) local;  // whose kernels work in memories of their own
    VEC(const plan_processor *) direct; // that reach the shared memory: for what is not done in strips
    const char *places;                 // the table of local ones
    const char *home;                   // where streams stay from call to call; NULL: nowhere
    VEC(finite_graph *) graphs;
};

// The memory of streams, as an expression within functions.
static inline const char *finite_memory(const finite_graph *g)
{
    return text_memory(g->x, g->all->resources->shared->element.name);
}

static inline arena *finite_arena(const finite_graph *g)
{
    return g->x->e.arena;
}

static inline const sir_field *finite_field(const finite_graph *g, uint32_t field)
{
    return &g->filter->fields.data[field];
}

// The C name of a field; of a function or table beside the kernel.
static inline const char *finite_field_name(const finite_graph *g, uint32_t field)
{
    return g->info->field_names.data[field];
}

static inline const char *finite_name(const finite_graph *g, const char *suffix)
{
    return arena_printf(finite_arena(g), "%s_%s", g->info->c_name, suffix);
}

static inline bool finite_is_output(const finite_port *p)
{
    return p->source->role == SIR_OUTPUT;
}

// What a stream has instead of its own elements; NULL: nothing.
typedef const char *finite_given(finite_graph *g, const finite_port *p);

// finite_kernel.c: firings, rows, kernels.
void finite_kernel(finite_graph *g);
// What it shares with kernels of reductions.
void finite_fire(finite_graph *g, int indent, const emit_signature *fire, const char *accumulator);
void finite_begin_run(finite_graph *g);
void finite_row_parameters(finite_graph *g, text_args *args);
// "near" and "far": columns from one to another that fetch inside; `walks` is before the names of walks.
void finite_keep_inside(finite_graph *g, int indent, const char *from, const char *to, const char *walks);
const finite_port *finite_port_of(const finite_graph *g, uint32_t field);
void finite_swap_lanes(finite_graph *g); // wide and fewer change places
// Whether a firing may be done again: no element that it reads is one that it writes (a gathered stream never is).
bool finite_is_repeatable(const finite_graph *g);
// Firings of a row of which all that is near is inside of it: as many as there are functions of several columns for, which
// moves `from` on; all.
void finite_wide_loop(finite_graph *g, int indent, const char *from, const char *to, bool inside);
void finite_inside_loops(finite_graph *g, int indent, const char *from, const char *to);
// A function of so many firings of a row from column `begin` on, which the C compiler knows the number of; whether there is one.
bool finite_has_few(const finite_graph *g);
void finite_few(finite_graph *g, const char *name, const char *columns, finite_given *given);
// finite_plane.c: rows of a plane with what they fetch near them, in local memories.
bool finite_has_plane(const finite_graph *g);
void finite_find_beside(finite_graph *g); // before its functions are written
void finite_plane(finite_graph *g);       // the function; its call, where a run is a plane
void finite_call_plane(finite_graph *g);
void finite_silence_unused(finite_graph *g);
// finite_reduce.c: kernels of reductions without a prework.
void finite_reduce(finite_graph *g);
// The function by which vectors do a fold, and what it takes behind the elements; NULL: there is none.
typedef struct finite_fold {
    const char *function, *more;
    bool sum;
} finite_fold;
finite_fold finite_vector_fold(const finite_graph *g, const finite_port *in);
// The end of a loop through the rows of a block, of which there are `count`: i2, i1 and i0 are the next one's place.
void finite_end_rows(finite_graph *g, int indent);
// finite_text.c: what functions take that work on streams, and what they are called with.
bool finite_is_walked(const finite_port *p);            // element by element, with the firings
const finite_port *finite_input(const finite_graph *g); // the first; NULL: there is none
const char *finite_row_of(finite_graph *g, const finite_port *p, const char *row); // where a row of firings begins
void finite_add_parameters(finite_graph *g, text_args *args); // the run, and a pointer to each stream; those
void finite_add_arguments(finite_graph *g, text_args *args);
// What a row of firings is called with: `given` tells what a stream has instead of its own row. NULL: none, that.
void finite_add_row(finite_graph *g, text_args *args, const char *row, finite_given *given);
// finite_mapped.c: the kernel of a reduction with a prework; the functions by which it fetches for many firings at a time.
void finite_fetches(finite_graph *g);
void finite_mapped(finite_graph *g);
// finite_stored.c: the letters of svm_BrookType, and how elements are loaded and stored.
const char *finite_leaves(arena *a, const sir_field *f);
const char *finite_leaves_of(arena *a, const sir_type *t);
void finite_stored_functions(program_emitter *x, const emit_filter_info *info);      // those that the filter needs
const char *finite_pointer(finite_graph *g, const finite_port *p, const char *name); // its declaration
const char *finite_load(finite_graph *g, const finite_port *p, const char *pointer); // the value there
const char *finite_store(finite_graph *g, const finite_port *p, const char *pointer, const char *value); // a statement
const char *finite_iterator(finite_graph *g, const finite_port *p, const char *row, const char *place);  // its value
// finite_control.c: the tables and functions that the host program calls.
void finite_control(finite_graph *g);
const char *finite_prototype(finite_graph *g, bool partial);
// Leaves a function of streams inside if shapes do not allow for it; false: there are none, and it returns nothing.
bool finite_leave_unless_fused(finite_graph *g);
// Whether all calls of a fused reduction are done one by one: in local memories, each has strips of its own.
bool finite_is_never_one(const finite_graph *g);
void finite_begin_function(finite_graph *g, bool partial); // up to its brace
const char *finite_function_name(finite_graph *g, const char *suffix);
void finite_tables(finite_graph *g);
void finite_whole_reduction(finite_graph *g); // a reduction to a value, as one to a stream
bool finite_has_one(const finite_graph *g);   // a reduction without other parameters
const char *finite_uniform_parameter(finite_graph *g, uint32_t field);
// finite_strips.c: on processors with memories of their own.
void finite_places(finite_emitter *all);
size_t finite_alignment(const finite_emitter *all);
uint64_t finite_local_bytes(const finite_emitter *all);
bool finite_has_strips(const finite_graph *g);
const char *finite_cost(const finite_graph *g); // "{2.5, 0.4, 1000, 0.2}": an svm_BrookCost
void finite_strips(finite_graph *g);
const char *finite_spread_call(finite_graph *g); // whether all is done
// What it shares with reductions: blocks of streams that stay in local memories while a call goes on, and the like.
uint64_t finite_block_alignment(const finite_emitter *all);
void finite_gather_blocks(finite_graph *g); // declarations; how they are made, loaded, and waited for
void finite_begin_make(finite_graph *g);    // of the function that makes strips: up to the kernel of "strip->run"
void finite_make_load(finite_graph *g, const finite_port *p); // its block, and what moves it in before the run
void finite_load_gathers(finite_graph *g);
void finite_wait_gathers(finite_graph *g);
void finite_first_block(finite_graph *g, int indent, const finite_port *p, const char *local, const char *there);
void finite_set_run(finite_graph *g, int indent); // walks, uniforms and space of "strip->run"
void finite_begin_spread(finite_graph *g);        // the function's head
// finite_stay.c: streams that stay in the only local memory from call to call.
void finite_home(finite_emitter *all);
bool finite_can_stay(const finite_graph *g);
void finite_stay(finite_graph *g);
void finite_empty(finite_graph *g); // of calls whose streams do not stay
// finite_folds.c: reductions there.
void finite_folds(finite_graph *g);
// finite_interpreted.c: the same functions, which call the interpreter.
void finite_interpreted_module(finite_emitter *all);
void finite_interpreted(finite_graph *g);
// finite_lanes.c: the firing function of several columns, if there is a good one.
void finite_lanes(finite_graph *g);
// What a function's loops name.
typedef struct finite_in_loops {
    bool *local; // per local
    int outputs;
} finite_in_loops;
// The function of several columns of a filter that fires in several rows. room: for floats that loops carry. false: it is too
// little.
bool finite_widen_rows(finite_graph *g, emit_filter_info *info, const sir_function *work, finite_in_loops in_loops,
                       uint64_t room);
// finite_parts.c: the firing function with locals for members of outputs; itself if there is nothing to do.
const sir_function *finite_parted(sir_module *m, const sir_filter *f);
// finite_takes.c: the work function with each fetch that `is_far` in a declaration of its own, before the statement that has
// it. NULL: there is nothing to do, or something is in the way.
typedef bool finite_far(const void *context, const sir_expr *fetch);
typedef bool finite_place(const void *context, uint32_t field); // a place in the row; no function: there are none
typedef struct finite_taken {
    bool *local;  // of each: it is one of those declarations'
    size_t count; // of those
    bool whole;   // it is so as long as floats have places as they are (svm_brookIsWhole)
} finite_taken;
const sir_function *finite_take(sir_module *m, const sir_function *work, finite_far *is_far, finite_place *is_place,
                                const void *context, finite_taken *taken);
// finite_near.c: where a gathered stream is read; NULL: anywhere in its slowest dimension.
const finite_near *finite_near_of(arena *a, const sir_filter *f, uint32_t field);
// The same of a port that is gathered from by rows.
const finite_near *finite_near_by_rows(arena *a, const sir_filter *f, uint32_t field);
// Elements that a firing pushes at most, or, where that is not known, about.
int finite_most_pushed(const finite_graph *g);
// finite_rows.c: fields of which the row tells where they are gathered from, with a copy for each expression but one.
finite_rows finite_split_rows(sir_module *m, sir_filter *f);
// The same for columns that are turned over.
finite_rows finite_split_turned(sir_module *m, sir_filter *f);
const char *finite_row_call(finite_graph *g, const finite_row *r, const char *name); // of a function that it writes
void finite_rows_function(finite_graph *g); // finds those rows before a call; its call
void finite_call_rows(finite_graph *g);
// finite_turned.c: rows of firings for which what lies down columns is turned over.
void finite_find_turned(finite_graph *g); // empties `turned` where that cannot be
bool finite_is_turned(const finite_graph *g, const finite_port *p);
void finite_turned(finite_graph *g); // the function of a run; its call
void finite_call_turned(finite_graph *g);
// finite_tiles.c: rows that go together.
void finite_find_tiles(finite_graph *g, const sir_function *work);
void finite_tiles(finite_graph *g, bool repeatable); // the function of a run
const char *finite_tiles_call(finite_graph *g);      // gives the row to go on from
// finite_rounds.c: calls that may wait for the next one.
bool finite_may_wait(const finite_emitter *all, const sir_filter *f); // if it gathers by rows
void finite_find_rounds(finite_graph *g);                             // names what there will be
void finite_rounds(finite_graph *g);                                  // the tables
void finite_wait(finite_graph *g, const char *run); // leaves the function if the call waits, or has been done otherwise
// finite_past.c: outputs that are larger than the caches.
void finite_find_past(finite_graph *g, bool wanted);
void finite_past(finite_graph *g); // the function of a run; its call
void finite_call_past(finite_graph *g);
// finite_writes.c: whether every firing writes all of an output, and reads nothing of it before.
bool finite_is_written(const sir_filter *f, uint32_t field);

#endif
