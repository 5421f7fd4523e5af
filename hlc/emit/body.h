// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies to C: types, constant tables, and the firing functions of filters. hlc/emit/program.h puts kernels, control code and the instance around them.
//
// A firing function takes pointers to the first item of its window and of its output, so that item k of the firing is in[k] (or in[map(k)] through a view),
// and its state by pointer to scalars that the strip loop keeps in locals (design.md section 6):
//
//     SVM_FIRE(stateful, peek(1), pop(1), push(1))
//     static inline void Integrator_fire(const float *restrict in, float *restrict out, float *sum, float *history)
//
// Parameters come in the order of emit_signature: in, out, the fields used (scalars and structs by pointer, arrays by pointer to their first element), given constants, iter, random, log.
#ifndef SVMC_HLC_EMIT_BODY_H
#define SVMC_HLC_EMIT_BODY_H

#include "hlc/ir/sir.h"

// How the items of one firing lie in a buffer: item k is at element sum(digit_i(k) * stride_i), k written in the mixed radix of the digits, least significant first.
// The last radix is 0: unbounded. No digits: contiguous.
typedef struct emit_digit {
    int64_t radix, stride;
} emit_digit;
typedef struct emit_view {
    const emit_digit *digits;
    size_t count;
} emit_view;

typedef struct emit_signature {
    const char *name;
    bool in, out, iter, random, log, dynamic; // dynamic: instead of in and out, the first parameter
    bool actor;  // the last parameter: its name, for errors
    int aside;   // trips of a loop go side by side; 0: no loop's do
    bool adds;   // one that adds ints
    bool rungs;  // what a loop leaves in the state is stored alone
    bool states; // and so are some of its numbers
    bool inlined; // so that C compilers make vectors of firings
    bool kept;   // inlined, so that arrays of the state are registers
    bool twice;  // a dynamic-rate actor's, short enough to be in two places
    bool shifts; // loops that move elements of the state are written out
    bool waits;  // for sums, beside which its vectors are short
    bool flags;  // conditions set a boolean of the state without branches
    bool scalar; // firings look up by data: the C compiler is told not to vectorise over them
    VEC(uint32_t) fields; // mutable fields used, by index into filter->fields, ascending
    VEC(uint32_t) given;  // constants that it is given, behind these: of info->of->given
    bool sends; // it counts its firings in a svm_Sender, behind the log
} emit_signature;

// A loop inside others whose trips go side by side: NOTE(inside) in program_across.c.
typedef struct emit_around {
    const sir_stmt *loop;
    int64_t step; // items by which the first trip's window moves on
} emit_around;
typedef struct emit_inner {
    const sir_stmt *loop;
    int lanes;
    int64_t in_stride;
    VEC(emit_around) around;
    emit_signature fire; // so many trips
} emit_inner;

// Bytes of the state's arrays up to which they are locals of a strip: NOTE(own) in program_strip.c.
enum { EMIT_OWN_BYTES = 512 };

// Firings at most that share what they load: NOTE(share) in body_share.c.
enum { EMIT_SHARED = 3 };

typedef struct emitter {
    arena *arena;
    strbuf *out;
    const sir_module *module;
    source_set *sources;
    bool line_directives; // a mark before every statement (with -g): NOTE(lines) in hlc/emit/body_stmt.c
    bool inverts;         // quotients by elements of constant tables are products: NOTE(inverses)
    bool cached;          // the processor has caches: arrays of lanes may be larger than the first
    bool permutes;        // the processor that runs the program permutes bytes of four registers of 64
    bool gathers;         // and loads vectors of scattered elements fast
    bool wide_registers;  // the processor that runs the program has four times the room of the machine's for sums
    int64_t vector_floats; // that a vector register of it holds; 0: not known
    int most_trips;       // of loops that are done side by side; 0: none are
    int64_t value_room;   // 4-byte values that registers hold beside what is computed of them; 0: not known
    int64_t shared_room[EMIT_SHARED]; // 4-byte sums of each of one firing, two and so on that registers hold beside what they
                                      // share; 0: none
    bool wide_rows;       // its vectors are so long that what rows leave over counts: NOTE(rows) in hlc/emit/body_rows.c
    bool fast_math;       // the C compiler may put sums into another order
    bool keep_names;      // every local and field of the source is one of C (with -O0 -g)
    bool alike_last;      // a line on a filter that fires as another does was the last text
    bool stops;           // what was emitted may stop the program
    bool check_rates, check_bounds; // -fcheck-rates, -fcheck-bounds: NOTE(checks) in hlc/emit/body_checks.c
    hmap c_names;         // every file-scope name given out; private, as all below
    hmap local_names;     // that locals of control code have
    hmap struct_names;    // C name of each struct
    hmap member_names;    // and of each member that was named
    const char **global_names; // C name of each constant of the module, after emit_globals
    VEC(struct emit_held) held; // tables, in the order of their places in the program's text
    size_t *global_held;        // of each constant of the module
    strbuf *program;            // the whole text: where `out` is another, tables are written at once
    hmap effects;         // what each function touches, by address
    hmap needs;           // what each function needs of its callers, by address
    struct emit_messages *messages; // that the program sends; NULL: none
    VEC(emit_inner) inside;
    VEC(struct emit_helper { const sir_function *function; const char *c_name; }) module_helpers; // of helper and native blocks
} emitter;

// Turns checks on.
void emitter_check(emitter *e, bool rates, bool bounds);
// Whether an expression divides ints by what may be zero: elements of a constant table without a zero are not. filter: of which
// it is, or NULL.
bool emit_may_divide_by_zero(const sir_filter *filter, const sir_expr *e);
void emitter_init(emitter *e, arena *a, strbuf *out, const sir_module *m, source_set *sources);
// A file-scope C identifier near to the wanted name that is neither a C keyword, a name of the SVM headers or libm, nor given before.
const char *emit_unique_name(emitter *e, const char *wanted);
// Typedefs of the module's structs (in order of need), then the constants of the module as static const tables.
void emit_types(emitter *e);
// "typedef struct { int a, b; float x[3]; } Name;" of declarations "int a", "int b", "float x[3]"; kind: "struct" or "union".
typedef VEC(const char *) emit_declarations;
void emit_struct_type(emitter *e, const char *kind, const emit_declarations *members, const char *name);
void emit_globals(emitter *e);
const char *emit_global(emitter *e, uint32_t global); // the name, for text that is emitted
// The functions of helper blocks (as static functions) and prototypes of native ones. After emit_globals.
void emit_module_functions(emitter *e);
// "P_f" of "P.f": the symbol of a native function, the name wanted for a helper block's.
const char *emit_module_function_name(arena *a, const sir_function *f);
// The C type of a value, "float", "svm_Complex", "Pair", and a declarator of it: emit_declare(e, "float[4][2]", "x") gives "float x[4][2]".
const char *emit_declare(emitter *e, const sir_type *t, const char *name);
// The same of an item on a channel, where a bit is a byte if all are 0 or 1, and of a pointer to such: "float *name",
// "float (*name)[9]"; qualifier e.g. "const" or "" is put before.
const char *emit_declare_item(emitter *e, const sir_type *t, const char *name);
const char *emit_declare_pointer(emitter *e, const sir_type *t, const char *qualifier, const char *pointer_qualifier, const char *name);
// The two parts of the latter: "float", and "*name" or "(*name)[9]".
const char *emit_item_name(emitter *e, const sir_type *t);
const char *emit_pointer_declarator(emitter *e, const sir_type *t, const char *name);
// An initialiser: "1.5f", "{1.0f, 2.0f}", "{0}". Wrapped at 120 columns with the given indent.
void emit_value(emitter *e, const sir_value *v, int indent);
// The macro that stands behind the name of a constant.
const char *emit_table_marks(const sir_type *t);
// The call that prints a text to a log, without a semicolon.
const char *emit_print_text(emitter *e, const char *log, const char *text, size_t len);
void emit_scalar(strbuf *out, const sir_type *t, sir_scalar v); // exact: floats in the shortest form that reads back, inf and nan as macros

// NOTE(held). A constant table is written when all text is there, and then only if some text names it: passes may have made
// other code of all that did. Its place is where the program's text ended when it was made.
typedef struct emit_held {
    size_t at;
    const char *text;
    bool used;
} emit_held;
size_t emit_hold(emitter *e, const char *text); // the table's number; 0: it is written
void emit_use_held(emitter *e, size_t number);
void emit_held_tables(emitter *e); // puts those that are used into their places; at the end

// A constant that filters which share functions have each their own of (NOTE(given) in hlc/emit/alike.c): a parameter.
typedef struct emit_given {
    const char *name;
    const sir_type *type;
} emit_given;

// A fetch whose lanes lie side by side in their row, where the row is so long.
typedef struct emit_lane_run {
    const sir_expr *fetch;
    const sir_expr *first; // the first lane's subscript along the row
} emit_lane_run;

// So many lanes take theirs at a time, at least.
enum { EMIT_TAKEN = 16 };

// A fetch whose lanes may lie anywhere: an expression that is a place instead of the element there, and the statement by
// which all lanes take theirs (finite_takes.c).
typedef struct emit_lane_take {
    const sir_expr *place; // in the form of the fetch
    const sir_stmt *stmt;
    uint32_t places, taken; // local arrays
    // NOTE(turned) in finite_takes.c: a condition, of the array of the order and the fetch as it is of one firing, that stands
    // for whether the elements could not be taken by it; NULL: there is no such order. And the place that it is of.
    const sir_expr *fails;
    uint32_t turned, coordinate;
} emit_lane_take;

// A row beside the firing's in which a finite filter fetches near its place, and how far along it: `row` rows below.
typedef struct emit_beside {
    uint32_t field; // the gathered stream's
    int64_t row, least, most;
} emit_beside;

// One C field of a filter's state: fields that are not constant. Constant fields become static const tables (aggregates) or are folded (scalars).
typedef struct emit_filter_info {
    const sir_filter *filter;
    const char *c_name;          // base of all its names
    VEC(const char *) field_names; // per field: member name in the state struct, or the table's name for a constant aggregate
    VEC(size_t) held; // per field: the table's number
    // NOTE(inverses). An int times 1 / d in double, rounded away from zero, is cut off to the exact quotient by d: it is off by
    // less than 2^-20 / d, always away from zero, and no quotient that is not whole lies nearer to the next int than 1 / d. So
    // tables of divisors, none of them 0 or -1, have tables of these beside them, and the C compiler makes vectors of the
    // products.
    VEC(const char *) inverse_names; // per field; NULL: none
    VEC(size_t) inverse_held;
    const char *state_type;      // "LowPass_State"; NULL when there is no mutable field
    // Of a finite filter: the coordinate along rows by which it fetches what is near in them (body_near_offset); SIR_NONE: none.
    uint32_t near;
    VEC(emit_beside) beside; // all those rows, where its kernel may be given each of them (finite_plane.c); else none
    int lanes;     // of a finite filter that fires so many columns at once (finite_lanes.c); 0: one
    uint32_t lane; // and the local that counts them
    int rows;      // of so many rows at once (finite_tiles.c), and that function is called in one place; 0: one
    VEC(emit_lane_run) runs;
    VEC(emit_lane_take) takes;
    VEC(const sir_stmt *) independent; // loops over lanes of which the C compiler is told that their rounds do not depend on each other
    bool dynamic;                   // it has a dynamic rate: its functions get no pointers to items, but a svm_DynamicEnds that gives and takes them
    VEC(struct emit_helper) helpers;
    VEC(struct emit_helper) handlers; // of messages that its actors are sent
    struct emit_filter_info *of; // whose functions it has: itself, or the first of those that are alike
    VEC(emit_given) given;       // of that
    hmap given_of;               // by expression (its address): emit_given
    VEC(const char *) values;    // what the filter gives for each
} emit_filter_info;

// The run of a fetch (finite_lanes.c); NULL: it has none.
const emit_lane_run *emit_lane_run_of(const emit_filter_info *info, const sir_expr *fetch);
// What an expression, or a statement, is of: NULL: none.
const emit_lane_take *emit_lane_take_of(const emit_filter_info *info, const void *part);

// Which of a field's rows it is; -1: none. row: of a stream of one row 0. And whether a field has any.
int emit_beside_of(const emit_filter_info *info, uint32_t field, int64_t row);
bool emit_has_beside(const emit_filter_info *info, uint32_t field);

// The filter's comment, constant tables, state struct (scalars first) and helper functions. Once a filter.
emit_filter_info *emit_filter(emitter *e, const sir_filter *f);
// Of one whose functions are those of another: its comment, and the tables that it gives (per field).
emit_filter_info *emit_filter_alike(emitter *e, const sir_filter *f, emit_filter_info *of, const bool *given);

// The types of messages' arguments, when some actors are sent messages: after emit_types. receivers: their filters, and
// whether messages from outside the program go to them, of which each handler may be one.
typedef struct emit_receiver {
    const sir_filter *filter;
    bool outside;
} emit_receiver;
typedef VEC(emit_receiver) emit_receivers;
void emit_message_types(emitter *e, const emit_receivers *receivers);
// The type of a message's arguments; NULL: it has none. And the number by which a handler is asked for, -1: it never is.
const char *emit_message_type(const emitter *e, const sir_function *handler);
int emit_message_number(const emitter *e, const char *handler);
const char *emit_message_union(const emitter *e); // a type that holds the arguments of any of them; NULL: none has any

// True when some function moves a tape through a call: then its input and output must be contiguous (empty views).
bool emit_needs_contiguous(emitter *e, const sir_filter *f);

// One firing function (work or prework) for the given layouts of its input and output. Called once for every (function, in, out) that is needed.
emit_signature emit_fire_function(emitter *e, emit_filter_info *info, const sir_function *f, const char *name, emit_view in, emit_view out);

// Items between those of neighbouring lanes from which on C compilers have no shuffles, and take them one by one.
enum { EMIT_FAR = 9 };

// NOTE(lanes). A firing whose sum runs through a loop cannot be vectorised along the loop without changing the sum. Several firings side by side can: each lane keeps its own
// order of additions, so results stay the same bit for bit. One firing function computes `lanes` of them, lane l reading and writing at a constant distance from lane l - 1.
// NOTE(vectors). Where a loop cannot be vectorised for another reason, or the function has local arrays, conditions that
// differ from lane to lane and the like, vectors are types of svm/lanes.h: what differs from lane to lane is a vector, the
// rest stays scalar; conditions choose; items that lie apart are turned in tiles at both ends of the function.
typedef struct emit_lanes {
    int count; // firings that are worth it; 0: none (state, prints, no such loop, ...)
    bool vectors;
    bool jams; // no vectors, but they wait together
    bool shares; // nor here, but they load the same
    bool trips;  // they are trips of a firing that calls them, which is counted itself
    bool late;   // items that lie apart are turned where they are popped, four at a time, if that can be
    int64_t in_stride, out_stride;
} emit_lanes;
// width: lanes of the machine's registers; most: no more are worth it.
emit_lanes emit_lane_count(emitter *e, emit_filter_info *info, const sir_function *f, emit_view in, emit_view out,
                           int width, int64_t in_stride, int64_t out_stride, int64_t most);
// The same of firings that share what they load: NOTE(share) in body_share.c.
emit_lanes emit_share_count(emitter *e, emit_filter_info *info, const sir_function *f, emit_view in, emit_view out,
                            int64_t in_stride, int64_t out_stride, int64_t most);
// Whether they can be vectors of svm/lanes.h at all, with items of one firing as the views say.
bool emit_can_lanes(emitter *e, emit_filter_info *info, const sir_function *f, emit_view in, emit_view out);
// Whether firings of a filter without state can be vectors at all, equal items of different ones side by side: rows lie
// as the view says.
bool emit_can_vectors(emitter *e, const sir_filter *f, emit_view rows);
emit_signature emit_fire_lanes(emitter *e, emit_filter_info *info, const sir_function *f, const char *name,
                               emit_view in, emit_view out, const emit_lanes *lanes);
// Whether firings look up by data, fields that count being none: per field, or NULL.
bool emit_looks_up(emitter *e, emit_filter_info *info, const sir_function *f, const bool *counting);
// The name of a constant field's table, for text that is emitted.
const char *emit_field_table(emitter *e, const emit_filter_info *info, uint32_t field);
// The parameter for a given constant.
const char *emit_given_parameter(emitter *e, const emit_given *g);
// A function of the filter's fields that returns a value, as the only statement of f says; the fields are its parameters.
emit_signature emit_value_function(emitter *e, emit_filter_info *info, const sir_function *f, const char *name);
// The state struct's initial value as a C initialiser.
void emit_state_init(emitter *e, const emit_filter_info *info, int indent);

#endif
