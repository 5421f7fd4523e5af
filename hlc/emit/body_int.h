// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files hlc/emit/body*.c share.
#ifndef SVMC_HLC_EMIT_BODY_INT_H
#define SVMC_HLC_EMIT_BODY_INT_H

#include "hlc/emit/body.h"

// ---- body_value.c ----
const char *body_identifier(arena *a, const char *wanted); // letters, digits and underscores of it
bool body_is_reserved(const emitter *e, const char *name);
const char *body_type_name(emitter *e, const sir_type *t); // of the innermost element for arrays
// An array as a parameter that no other lies over: "float x[restrict 4][2]".
const char *body_own_array(emitter *e, const sir_type *t, const char *name);
const char *body_member_name(emitter *e, const sir_struct *s, uint32_t index);
const char *body_place(emitter *e, sir_loc loc); // "dir/fm.str:12", NULL if unknown
// The same for comments: the program's own file, whose path the text begins with, without its folders.
const char *body_comment_place(emitter *e, sir_loc loc);
const char *body_site(emitter *e, sir_loc loc);  // "fm.str:12:5", of an error; "" if unknown

// ---- Index arithmetic: c + sum of coefficient * loop variable ----

typedef struct body_term {
    uint32_t local;
    int64_t coefficient;
} body_term;
typedef struct body_affine {
    int64_t constant;
    VEC(body_term) terms; // no local twice, no coefficient 0
} body_affine;

// Least and greatest value of an int expression, where the C expression computes in 64 bits without wrapping.
typedef sir_interval body_interval;

// What the analysis of a function says about one of its tapes.
typedef struct body_tape {
    bool used;      // items are read or written (a pop without a target is no use)
    bool affine;    // the position of every access is an affine form of loop variables; else a counter n_in / n_out is kept
    bool checked;   // the count could not be proved: accesses are checked at run time
    bool exit_checked; // so is the count where the function is left (NOTE(checks))
    int64_t rate;   // declared
    emit_view view;
    int64_t lane_stride;  // elements between neighbouring lanes
    body_affine position; // while statements are emitted
} body_tape;

// NOTE(uses). A function has those parameters, counters and masks that its text names. Whoever writes such a name says so
// when it writes it, into a list that goes along with the text. What is forgotten of the text is forgotten of the list; what
// is built now and written later, or perhaps never, has its part of the list taken out and given back when it is written.
typedef enum body_name {
    BODY_DYNAMIC,
    BODY_IN,
    BODY_IN_COUNT,
    BODY_OUT,
    BODY_OUT_COUNT,
    BODY_ITER,
    BODY_RANDOM,
    BODY_LOG,
    BODY_SENDER,
    BODY_ACTOR,
    BODY_POP_LIMIT,
    BODY_PEEK_LIMIT,
    BODY_PUSH_LIMIT,
    BODY_POPPED_BEFORE,
    BODY_PUSHED_BEFORE,
    BODY_INSIDE,
    BODY_RESULT,
    // With an index: of the filter's field, the function's local (parameters alone are noted), info->given, the mask's number.
    BODY_FIELD,
    BODY_LOCAL,
    BODY_GIVEN,
    BODY_MASK,
} body_name;
typedef struct body_name_use {
    body_name name;
    uint32_t index;
} body_name_use;
typedef VEC(body_name_use) body_use_list;

typedef struct body_local {
    const char *c_name;
    const sir_stmt *home; // the statement that declares it; NULL: at the top of the function
    bool declared_on_top, dead; // dead: written but never read
    bool laned;         // one value a lane: an array indexed by the lane (body_lanes.c)
    bool alone;         // and no vector of these: NOTE(jam) in body_jam.c
    bool vector;        // one value a lane: a vector (lanes.c)
    const sir_stmt *lives_in; // with vectors: sir_lane_homes
    bool is_for;        // at present a loop variable (ptrdiff_t)
    body_interval range; // while is_for
    uint32_t reads, writes;
    uint32_t updates;    // reads that only make the next value: those of "x += 1"
    const sir_expr *init; // of its declaration; its only value where nothing else is written
    const char *forward; // text to use instead: a popped item read where it lies
    body_use_list forward_uses; // of that
} body_local;

// A loop that counts, of a finite filter, while it is done without clamps.
typedef struct body_trips {
    uint32_t value, counter; // locals: what the condition compares, the int that counts with it
    const sir_expr *bound;
    bool or_equal;        // the condition is "value <= bound"
    const sir_stmt *step; // sets the counter, if that is not the value
    VEC(const sir_expr *) inside; // fetches that are inside of their streams in all trips
} body_trips;

// A loop whose trips push so many items each to places side by side, and pop as many each: NOTE(places) in body_places.c. 0: one after
// the other.
typedef struct body_push_places {
    const sir_stmt *loop;
    int each, next;
    int takes, next_take;
    uint32_t number;
    const char *from, *to; // trips from here to before there; NULL: from the first, to the last
} body_push_places;

// Which rates of a firing or function are checked at run time, where positions do not say them (NOTE(checks)).
typedef struct body_rate_checks {
    bool pops, pushes;                 // before each
    bool pops_at_exit, pushes_at_exit; // where the function is left
    bool peeks, all_peeks;             // those that are not proved; or all
} body_rate_checks;

// One function being emitted.
// An item that is loaded before an `if`: its text, and the local that has it.
typedef struct body_early_item {
    const char *text, *name;
} body_early_item;

typedef enum body_states { BODY_STATES_UNKNOWN, BODY_STATES_PLAIN, BODY_STATES_WAIT } body_states;

typedef struct body_context {
    emitter *e;
    emit_filter_info *info; // NULL for functions of helper blocks
    const sir_function *function;
    body_local *locals;
    body_tape in, out;
    bool dynamic;          // items go through svm_dynamicPop and its like, whatever the tapes say
    body_push_places *places; // of the loop at hand; NULL: it is no such loop
    int indent;
    const char **constant_names; // with keep_names: of the filter's constant fields
    hmap *open;         // with -fcheck-...: peeks and subscripts that may be outside; else NULL
    body_rate_checks rates; // those of peeks: of pops and pushes the tapes say what is checked
    bool dry;           // calls pass no more than the language says (body_needs.c)
    uint32_t labels; // given out so far
    const char *continue_label; // where 'continue' goes when the loop has a step that C's own would skip
    int lanes;          // firings computed side by side; 0: one firing
    bool jams;          // these wait: NOTE(jam) in body_jam.c
    bool shares;        // these load the same: NOTE(share) in body_share.c
    bool in_lane_loop;
    bool in_runs;       // in a loop over the lanes of a finite filter that tells where runs are (lane_loop)
    const body_trips *trips; // the loop that is done without clamps; NULL: none
    uint32_t lane;      // with lanes: the number in locals of the lane loops' variable, one behind the function's own
    bool is_trips;      // emit_lanes.trips
    int vectors;        // firings computed side by side in vectors (lanes.c); 0: one firing, or lanes
    const char *in_tile, *out_tile; // with vectors: names of tiles of the items; NULL: they lie right in memory
    int64_t in_columns, in_window;  // of in_tile; from a firing's first item on, those of other branches between them included
    bool late;                      // its rows are turned where they are popped, four at a time
    uint32_t mask;                  // with vectors: of the lanes that are at the present statement; 0: all are
    const sir_stmt *mask_of; // the loop that the mask is of; NULL: of conditions in it, too
    bool first_branch;  // what is pushed here is pushed again by the lanes that are not
    uint32_t masks;     // named so far
    bool looks_up;      // with vectors: some subscript differs between lanes
    bool looks_far;     // and that of an array of many rows
    bool by_table;      // and that of a constant table
    body_use_list uses; // by the text so far
    const sir_stmt *placed_loop; // pushes arrays whose elements are written where they go (body_placed.c); NULL: none does
    const bool *ladder; // per local: goes from trip to trip of the loop at hand (body_ladder.c); NULL: none does
    bool rungs;         // an element was stored alone
    body_states states; // what becomes of the state's numbers is stored so: NOTE(states) in body_ladder.c
    VEC(const sir_stmt *) vouched; // pushes that a check before the `if` around them serves: NOTE(branches) in body_checks.c
    bool shifts;        // loops that move elements of the state are written out (body_shifts.c)
    bool *delays;       // per field: NOTE(alone) there; NULL: nobody has asked so far
    bool flags;         // conditions set a boolean of the state without branches (body_flags.c)
    bool apart;         // trips of the loop at hand do not wait for each other
    VEC(body_early_item) early; // what the `if` at hand peeks at (body_early.c)
    size_t earlies;     // such items so far
    int aside;          // trips of a loop that are done side by side (body_sides.c); 0: no loop's are
    bool aside_adds;    // such a loop adds ints
    VEC(const sir_stmt *) asides; // those loops
    struct body_lookups *lookups; // what loops of the function look up, as far as it was asked for (body_lookup.c)
} body_context;

// ---- body_uses.c ----
// The name's text, of which a use is noted.
const char *body_named(body_context *c, body_name name);
const char *body_field_named(body_context *c, uint32_t field);
const char *body_local_named(body_context *c, uint32_t local);
void body_use(body_context *c, body_name name, uint32_t index);
bool body_uses(const body_context *c, body_name name, uint32_t index); // whether the text so far has it
// A place to which text and uses are forgotten; the text alone, where what was written there is used elsewhere.
typedef struct body_spot {
    size_t text, uses;
} body_spot;
body_spot body_here(const body_context *c);
void body_forget(body_context *c, body_spot to);
void body_forget_text(body_context *c, size_t at);
body_use_list body_take_uses(body_context *c, size_t from);
void body_give_uses(body_context *c, const body_use_list *uses);

// ---- body_trips.c ----
// Whether a loop is worth being done by trips where possible; then the line that counts these is written, and the condition under which it is, is given. NULL: no.
const char *body_find_trips(body_context *c, const sir_stmt *loop, body_trips *t);
// Whether a fetch needs no clamps in the present loop, but of what is near.
bool body_is_inside(const body_context *c, const sir_expr *fetch);

// ---- body.c ----
const char *body_given(body_context *c,
                       const sir_expr *e); // the parameter that stands for a constant, named; NULL: none

// ---- body_rotations.c ----
// Whether it is x, rotated to the left by a count n that is not known.
bool body_is_rotation(const body_context *c, const sir_expr *e, const sir_expr **x, const sir_expr **n);

// ---- body_inverse.c ----
void body_hold_inverses(emitter *e, emit_filter_info *info, uint32_t field);
// Whether a divisor is an element of a constant table that holds neither 0 nor -1.
bool body_divides_well(body_context *c, const sir_expr *divisor);
// The element of the table of inverses beside it (NOTE(inverses)); NULL: there is none.
const char *body_inverse_text(body_context *c, const sir_expr *divisor);

// ---- body_expr.c ----
// Whether the last subscript of a fetch is near the firing's place (body_near_offset).
bool body_is_near(const body_context *c, const sir_expr *fetch);
// Binding strength of C's operators as the printer needs it.
enum { PREC_LOWEST = 0, PREC_COND, PREC_LOR, PREC_LAND, PREC_BITS, PREC_EQUAL, PREC_COMPARE, PREC_SHIFT, PREC_ADD, PREC_MUL, PREC_UNARY, PREC_POSTFIX };
void body_expr(body_context *c, const sir_expr *e, int precedence);
const char *body_expr_text(body_context *c, const sir_expr *e, int precedence);
// The element of a tape at the present position, or of a peek (NULL: none), without the array's name: "[2 * i + 1]".
void body_tape_index(body_context *c, body_tape *tape, const sir_expr *peek);
const char *body_counter(body_context *c, bool input); // how many items were moved, where that is counted
const char *body_affine_text(body_context *c, const body_affine *a);
// Whether the item that is peeked at is surely in the window, whatever branch the firing takes.
bool body_surely_there(body_context *c, const sir_expr *peek);
// The next item is at the position from now on.
void body_advance(body_context *c, bool input);
bool body_affine_of(body_context *c, const sir_expr *e, body_affine *result);
body_interval body_affine_range(const body_context *c, const body_affine *a);
void body_affine_add(body_context *c, body_affine *a, uint32_t local, int64_t coefficient);
int64_t body_const_int(const sir_expr *e); // of a SIR_CONST
// Whether the program may stop or wait in it, so that it is computed even if nobody reads what comes out. NULL: no.
bool body_may_trap(const body_context *c, const sir_expr *e);

// ---- body_needs.c ----
// What a function's callers pass to it beside its own parameters: the actor's name, the most items of the firing's tapes.
typedef struct body_needs {
    bool actor, pop_limit, peek_limit, push_limit;
} body_needs;
// Finds them of a function and of all that it calls: before its text, or a call of it, is written.
void body_find_needs(emitter *e, emit_filter_info *info, const sir_function *f);
body_needs body_needs_of(emitter *e, const sir_function *f); // which were found
// body.c: what the statements of a function need whose calls are dry.
body_needs body_dry_needs(emitter *e, emit_filter_info *info, const sir_function *f);

// ---- body_checks.c ----
// The rule, for whoever emits a function and whoever asks whether it may fail. filter: whose it is, or NULL; dynamic: that has
// dynamic rates.
body_rate_checks body_rate_checks_of(emitter *e, const sir_filter *filter, const sir_function *f, bool dynamic);
// The peeks and subscripts of a function that are not proved; NULL: nobody asks for checks.
hmap *body_find_open(const emitter *e, const sir_function *f, arena *a);
bool body_checks_access(const emitter *e, const body_rate_checks *rates, const hmap *open, const sir_expr *access);
// What is to be checked of a function's tapes. After the tapes are analysed otherwise.
void body_find_checks(body_context *c);
// Whether the access is one that is checked at run time.
bool body_is_checked(const body_context *c, const sir_expr *access);
// "LowPass at fm.str:12:5" for errors that have no name of the actor.
const char *body_where(body_context *c, sir_loc loc);
// Before a pop or push; at every way out; at the beginning, after the text of the body is known.
void body_check_count(body_context *c, bool input, const sir_stmt *s);
// Writes the check of the pushes with which both branches of an `if` begin.
void body_check_branches(body_context *c, const sir_stmt *s);
void body_check_exit(body_context *c);
void body_check_begin(body_context *c);
// "svm_checkPeek(i, ...)": a peek's offset; text is the expression's.
const char *body_checked_offset(body_context *c, const sir_expr *peek, const char *text);
// "svm_checkIndex(i, ...)": a subscript that may be outside; NULL: it is not.
const char *body_checked_index(body_context *c, const sir_expr *e, const char *text, body_interval range);

// ---- body_analyse.c ----
// Items that a block moves, when that is the same on every path.
bool body_block_net(const body_context *c, const sir_block *b, bool input, int64_t *net);
void body_analyse(body_context *c);

// ---- body_lanes.c ----
// How many firings are worth computing side by side; 0: none. After body_analyse.
int body_lane_count(body_context *c);
// Finds the locals that need a value a lane. Before body_function_body.
void body_lanes_prepare(body_context *c);
bool body_lane_expands(body_context *c, const sir_stmt *s);

bool body_declared_in(const body_context *c, const sir_block *b, uint32_t local);

// ---- lanes.c ----
// Finds the locals that are vectors; false: the function cannot be written with vectors.
bool lanes_find_vectors(body_context *c);
// Whether an expression's value may differ between lanes. After lanes_find_vectors.
bool lanes_differ(const body_context *c, const sir_expr *e);
// Whether a subscript of an element or item does.
bool lanes_look_up(const body_context *c, const sir_expr *e);
// What a constant table has as elements, as it is stored, of the table or an element of it; NULL: it is no such.
const sir_type *lanes_table(const body_context *c, const sir_expr *e);
// The parts of a condition, of an if or loop, in order, that && joins. first: the first of them that differs between lanes, where those
// before may decide alone whether there is anything to do: with no other branch.
typedef VEC(const sir_expr *) lanes_parts;
lanes_parts lanes_condition(const body_context *c, const sir_stmt *s, size_t *first);
// Whether firings can be computed side by side in vectors.
bool lanes_can(body_context *c);
// How many firings are worth computing side by side in vectors; 0: none. width: lanes of the machine's registers; worth:
// that it is worth it is known.
int lanes_count(body_context *c, int width, int64_t in_stride, int64_t out_stride, int64_t most, bool worth);

// ---- lanes_text.c ----
// Writes an item of each firing, the one of that number among those of a firing.
void lanes_store(body_context *c, const sir_expr *index, const sir_expr *value);
// Writes a statement if it works on vectors.
bool lanes_stmt(body_context *c, const sir_stmt *s);
// The declaration of a vector at the top of the function.
void lanes_declare_top(body_context *c, uint32_t local);
// Whether items are popped one by one, always and in order, from places that the loops around tell.
bool lanes_pop_in_order(const body_context *c);
// What goes before and behind the function's statements.
void lanes_begin(body_context *c);
void lanes_end(body_context *c);

// ---- body_lookup.c ----
struct body_lookups *body_lookups_new(arena *a);
// Whether the C compiler is to leave a loop one: what its trips look up by data and store would be put together to vectors.
bool body_stays_loop(const body_context *c, const sir_stmt *loop);
// Whether a counted loop is to be unrolled, with the loops in it: what selects its items, or a table's elements in a nest of
// loops, then is constant.
bool body_unrolls(const body_context *c, const sir_stmt *s);
// Whether the loop goes through numbers that take each other's places, or sets an array for one that does: written out, nothing
// moves, and what is looked up is known.
bool body_moves_on(const body_context *c, const sir_stmt *s);
bool body_is_elementary(const sir_expr *e); // a function of svm/elementary.h
// Whether data selects items or elements of arrays.
bool body_looks_up(const body_context *c, const bool *counting);

// ---- body_jam.c ----
// Whether a loop carries something from trip to trip that other firings need not wait for.
bool body_jams(const body_context *c, const sir_stmt *loop);
// Firings side by side, of a function that waits for look-ups; 0: it does not. most: no more are worth it.
int body_jam_count(body_context *c, int64_t most);
bool body_has_loops(const sir_block *b);
// Finds the locals that wait, of a function whose firings are side by side for that.
void body_find_alone(body_context *c);

// ---- body_share.c ----
// Whether a loop stays around loops over firings that share what they load.
bool body_shares(const sir_stmt *loop);
// Firings side by side that do, of a function without state; 0: none. most: no more are worth it.
int body_share_count(body_context *c, int64_t most);

// ---- body_placed.c ----
void body_find_placed(body_context *c); // after all else is known
// Writes a statement that has to do with the array that is placed.
bool body_placed_stmt(body_context *c, const sir_stmt *s);
const char *body_placed_index(body_context *c, const sir_expr *index);

// ---- body_sides.c ----
// The trips of a loop that the C compiler is told to do side by side; 0: it is not told so. After the tapes' positions are
// those of the loop's statements.
int body_trips_aside(body_context *c, const sir_stmt *s);

// ---- body_flags.c ----
// Writes an `if` that makes a boolean of the state true or false, without branches; false: it is no such one.
bool body_flag(body_context *c, const sir_stmt *s);
// The same of one that chooses what a float of the state becomes: NOTE(either).
bool body_either(body_context *c, const sir_stmt *s);
// Whether the condition of an `if` holds once in many firings: NOTE(seldom).
bool body_seldom(const body_context *c, const sir_stmt *s);

// ---- body_ladder.c ----
// Per local, whether what comes of it goes from trip to trip; NULL: nothing does, or vectors are wanted there.
const bool *body_ladder(const body_context *c, const sir_stmt *loop, arena *a);
// Whether an assignment is of a number of the state that waits by itself: NOTE(states).
bool body_waits_alone(body_context *c, const sir_stmt *set);
// The value's text, as it is stored: alone, where it is an element of the state that such a number leaves, or NOTE(states).
const char *body_rung(body_context *c, const sir_stmt *set, const char *value);
// A number's text as one that no vector takes up.
const char *body_alone(const body_context *c, const sir_type *t, const char *value);

// ---- body_inlined.c ----
// Whether C compilers may make vectors of the firings once they are in a loop: NOTE(inlined).
bool body_inlines(const body_context *c);
// Whether the strip has the state's arrays as locals, and the firing is too large to be in it anyway: NOTE(kept).
bool body_keeps_arrays(const body_context *c);
// body_inlined.c: NOTE(twice)
bool body_fires_twice(const body_context *c);

// ---- body_places.c ----
// Writes a dynamic-rate actor's loop that pushes or pops; false: it is no such loop.
bool body_places(body_context *c, const sir_stmt *s);
// Where the next item goes that it pushes, and where the one lies that it pops; NULL: it is pushed, or popped.
const char *body_next_place(body_context *c);
const char *body_next_item(body_context *c);

// ---- body_guarded.c ----
// Whether it can be computed though nobody wants it, at little cost.
bool body_is_harmless(const sir_expr *e);
// An `if`, or a loop, of a dynamic-rate actor that pushes or pops and is done without branches; false: it is none.
// `declare` writes declarations in it, `plain` the loop as it is.
typedef void body_writer(body_context *c, const sir_stmt *s);
bool body_guarded_if(body_context *c, const sir_stmt *s, body_writer *declare);
bool body_guarded_loop(body_context *c, const sir_stmt *s, body_writer *declare, body_writer *plain);

// ---- body_halves.c ----
// A loop that halves a number until it is small; false: it is no such loop.
bool body_halves(body_context *c, const sir_stmt *s);

// ---- body_shifts.c ----
// Writes out a loop that moves elements of small arrays of the state; false: it is no such one.
bool body_shifts(body_context *c, const sir_stmt *loop);
// Whether an element of the state is moved so, and is a float that makes the next one: NOTE(alone).
bool body_is_delayed(body_context *c, const sir_expr *target);
// The text of what a statement adds to a number or takes from it, where that is a product alone: NOTE(alone); NULL: it is none.
const char *body_product_alone(body_context *c, const sir_stmt *set);

// ---- body_bits.c ----
// Writes a loop that makes a number of bits, eight at a time; false: it is no such loop.
bool body_bits(body_context *c, const sir_stmt *loop);

// ---- body_waits.c ----
// Whether firings wait for sums that no vector has, while others of their work are vectors.
bool body_waits(const body_context *c);

// ---- body_rows.c ----
// Trips of a loop to be done at a time, so that none is left over for the C compiler's vectors; 0: as they come.
int64_t body_row_part(const body_context *c, const sir_stmt *loop);
// Whether the trips of a loop do not wait for each other, and read nothing that it writes.
bool body_trips_apart(const body_context *c, const sir_stmt *loop);
bool body_firings_apart(const body_context *c); // likewise firings, of a function without loops
// Whether what the trips of a loop add to is one element each, for which no order but theirs is worth while. NOTE(order)
bool body_adds_in_order(const body_context *c, const sir_stmt *loop);

// ---- body_early.c ----
// Before an `if`, and behind it: writes what its branches peek at. NOTE(early)
void body_early_begin(body_context *c, const sir_stmt *s);
void body_early_end(body_context *c);
// The name of an item that was loaded so; NULL: it was not.
const char *body_early_name(const body_context *c, const char *text);
// Whether both sides of an && or || are better computed in any case. NOTE(both)
bool body_both_sides(body_context *c, const sir_expr *e);

// ---- body_message.c ----
void body_send(body_context *c, const sir_stmt *s);
// Whether an argument of a message is computed: where nobody receives any, only what may stop the program.
bool body_sends_argument(const body_context *c, const sir_stmt *send, const sir_expr *arg);
bool body_is_received(const emitter *e, const sir_filter *f, const sir_function *handler);

// ---- body_stmt.c ----
const char *body_tape_element(body_context *c, bool input); // the next item, or the place of it
void body_block(body_context *c, const sir_block *b);
void body_for(body_context *c, const sir_stmt *s);
void body_function_body(body_context *c); // declarations and statements, without the braces
void body_mark_line(emitter *e, sir_loc loc); // what follows is of that line of the source; no place: of the emitted text
// "+=" when value is target op x and C's compound form means the same; x is then value's second operand.
const char *body_compound_operator(const sir_expr *target, const sir_expr *value);
void body_line(body_context *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- body.c ----
// With keep_names: whether functions have the field in a local of its name, which they load and store.
bool body_is_copied(const emitter *e, const sir_field *f);
// Whether an element is fetched at a constant distance from the place in the row: "$g[.., $x + 3]", of the coordinate `near`. Then the firing function takes
// that place as svm_column, and svm_inside: where no such distance leads out of the row (SVM_BROOK_COLUMN_INSIDE).
bool body_near_offset(const sir_filter *f, uint32_t near, uint32_t lane, const sir_expr *fetch, int64_t *offset); // lane: SIR_NONE, or info->lane
// Likewise the first of two subscripts where that is a constant distance from the place down the rows (SVM_BROOK_ROW_INSIDE): the coordinate; else NULL.
const sir_expr *body_row_offset(const sir_filter *f, const sir_expr *fetch, int64_t *offset);
// Likewise the first of two subscripts: columns lead down the rows, as where a matrix is turned over.
bool body_turned_offset(const sir_filter *f, uint32_t near, uint32_t lane, const sir_expr *fetch, int64_t *offset);
// Of a stream whose elements are stored in other types (finite_stored.c): its "Element", and what loads and stores one.
const char *body_stored_name(emitter *e, const emit_filter_info *info, uint32_t field, const char *what);
void body_store_fields(body_context *c); // before each way out
// What a function touches, calls included.
typedef struct body_effects {
    bool in, out, in_counter, out_counter, iter, random, log, sends;
    bool *fields; // per field of the filter
} body_effects;
const body_effects *body_effects_of(emitter *e, emit_filter_info *info, const sir_function *f);
const char *body_function_name(body_context *c, const sir_function *f);
// Whether the function (or one it calls) writes its array parameter.
bool body_param_written(emitter *e, const sir_function *f, uint32_t param);
// Whether a called function moves the tape, so that the caller must keep a counter.
bool body_calls_tape(emitter *e, const sir_function *f);

#endif
