// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of elaboration share: storage, the evaluator, the tree of instances.
//
// NOTE(order). A child is built where its 'add' stands, before the next statement of its parent runs. So an anonymous
// stream finds the variables around it in its parents' storage, as they are at that moment, and copies nothing.
// NOTE(failure). The first error sets elab.failed; expressions then give zeroes, statements stop, all unwinds.
#ifndef SVMC_HLC_ELABORATE_ELAB_H
#define SVMC_HLC_ELABORATE_ELAB_H

#include "hlc/elaborate/elaborate.h"
#include "support/strbuf.h"

enum {
    ELAB_STEPS_PER_CHILD = 1000, // what one instance counts for in the step limit, so that it bounds memory too
    ELAB_STEPS_PER_ITEM = 100,   // one enqueued item
    ELAB_STEPS_PER_BYTE = 16,    // one printed byte
    ELAB_SCALARS_PER_STEP = 16,  // zeroed or copied
    ELAB_DEFAULT_DEPTH = 100000,
    ELAB_STACK_MARGIN = 4 << 20, // of the C stack: enough for the tallest expression (the parser limits it)
};
#define ELAB_DEFAULT_STEPS UINT64_C(200000000)
#define ELAB_RANDOM_SEED UINT64_C(1182736490827)  // of every generator
#define ELAB_MAX_LIVE_SCALARS (UINT64_C(1) << 27) // of all variables that live at one time

// The storage of one variable.
typedef struct elab_slot {
    const sir_type *type; // NULL: not declared yet; void: a string
    sir_scalar *data;     // its scalars
    uint64_t cap;         // scalars behind data that are the slot's own
    sir_scalar scalar;    // storage of a scalar variable
    const char *text;     // strings
    size_t len;
    uint32_t global; // globals of the program: 1 + the module's constant with this value, 0 if there is none
} elab_slot;

typedef struct elab_inst elab_inst;

// The variables of one instance. parent: of the stream around an anonymous one.
typedef struct elab_env elab_env;
struct elab_env {
    const ast_stream *decl;
    elab_env *parent;
    elab_inst *inst;
    elab_slot *params, *locals, *fields; // by ast_var.index; locals only of composites
    uint64_t random;
};

// A distinct filter with what its init printed, shared by all instances with equal arguments and captures.
typedef struct elab_filter {
    sir_filter *filter;
    const char *args; // of its instances
    const char *text;
    size_t len;
    uint32_t instances; // actors, counted when the graph is made
    uint32_t numbered;
} elab_filter;

typedef struct elab_split {
    bool duplicate, has_weights;
    VEC(uint32_t) weights;
    src_range range;
} elab_split;

typedef struct elab_item {
    const sir_type *type;
    sir_scalar *data;
    src_range range;
} elab_item;

struct elab_inst {
    const ast_stream *decl;
    src_range where; // of the add, body or loop
    elab_inst *parent, *next;
    elab_inst *first, *last; // children
    uint32_t child_count;
    elab_inst *body, *loop;         // feedback loops
    const char *args;               // "(4, 1.5)" or ""
    const sir_type *input, *output; // filters; composites: as written, NULL where not
    elab_filter *shared;            // filters but for readers and writers
    const char *path;               // readers and writers
    elab_split *split, *join;
    VEC(elab_item) items; // enqueued
    uint32_t actor;       // of a filter, reader or writer in the graph
};

typedef struct elab_portal {
    VEC(elab_inst *) receivers;
    const ast_var *var;
} elab_portal;

// Storage of variables in stack order; memory.c.
typedef struct elab_chunk elab_chunk;
typedef struct elab_mark {
    elab_chunk *chunk;
    size_t used;
    uint64_t live;
} elab_mark;

typedef struct elab {
    arena *arena;   // the module's
    arena *scratch; // ends with elaboration
    diag_engine *diags;
    const ast_program *program;
    elaborate_test *test; // what is elaborated, instead of the program; NULL: none
    sir_module *module;
    uint64_t steps, step_limit;
    uint32_t depth, depth_limit;
    const char *stack_end; // the C stack must not grow below
    bool failed;

    const sir_type *scalar_of[TYPE_UNTYPED + 1]; // by lang_type_kind; NULL for what is no scalar
    elab_slot *globals;
    bool globals_open;            // their initialisers and the static init run
    elab_env *env;                // NULL outside streams
    const ast_function *function; // being run; its variables are frame. NULL: in a composite, or in no code at all
    elab_slot *frame;
    const char
        *constant_what; // an expression that must be constant is evaluated: what it is ("array length"); else NULL
    const ast_var *constant_of; // the local whose initialiser is evaluated for that,
    src_range constant_where;   // and where it is used
    bool init_done;             // the filter's init has run: fields it assigned may now be in constants
    uint64_t global_random;
    strbuf *printed; // where prints go

    sir_scalar result; // of the last return
    const sir_type *result_type;
    sir_scalar *result_data; // aggregates
    uint64_t result_cap;

    elab_chunk *chunk; // the storage in use
    uint64_t live;     // scalars in use

    hmap structs;  // ast_struct * -> sir_type
    hmap contents; // packed aggregate constants -> elab_content
    hmap filters;  // packed declaration, arguments and captures -> elab_filter
    hmap filter_names, global_names, mutated, number_files;
    hmap functions; // of helper and native blocks: declaration and types -> sir_function
    VEC(struct elab_pending {
        const ast_function *decl;
        sir_function *function;
    })
    pending;        // of helper blocks
    size_t lowered; // of pending
    VEC(elab_portal) portals;
    strbuf key, content_key; // of the filter and of the aggregate looked up
    elab_inst *top;
} elab;

// ---- error.c ----

// Reports the first error only; gives NULL for further ones, which elab_note accepts. The chain of instances is noted.
diag_record *elab_error(elab *x, src_range r, const char *format, ...) __attribute__((format(printf, 3, 4)));
void elab_note(elab *x, diag_record *r, src_range where, const char *format, ...) __attribute__((format(printf, 4, 5)));
// "LowPass(4)" or "anonymous pipeline".
const char *elab_inst_name(elab *x, const elab_inst *inst);
const char *elab_type_name(elab *x, const sir_type *t);
sir_loc elab_loc(elab *x, src_range r);
// Counts steps; false after the limit, with the error.
bool elab_step(elab *x, uint64_t count, src_range where);
// Enters one more level of streams or calls; false with an error when it is too deep. what: 'LowPass'.
bool elab_enter(elab *x, src_range where, const char *what);
static inline void elab_leave(elab *x)
{
    x->depth--;
}

// ---- deep_stack.c ----

// Calls run(arg, lowest usable address of the C stack) on a stack much larger than a program's usual one.
void elab_on_deep_stack(void (*run)(void *arg, const char *stack_end), void *arg);

// ---- memory.c ----

elab_mark elab_mark_here(const elab *x);
void elab_release(elab *x, elab_mark mark);
void *elab_push(elab *x, size_t bytes); // zeroed
// Scalars, counted against the limits; NULL with an error.
sir_scalar *elab_push_scalars(elab *x, uint64_t count, src_range where);
// Gives the slot a type and zeroed storage, at the top of the stack unless it has enough; false with an error.
bool elab_slot_set(elab *x, elab_slot *slot, const sir_type *t, src_range where);

// ---- eval_type.c ----

// The type with its lengths evaluated; NULL with an error.
const sir_type *elab_type(elab *x, const lang_type *t, src_range where);
static inline const sir_type *elab_scalar_type(const elab *x, const lang_type *t)
{
    return x->scalar_of[t->kind];
}
bool elab_same_type(elab *x, const sir_type *given, const sir_type *wanted, src_range where, const char *what);
uint64_t elab_member_offset(const sir_type *t, uint32_t index);

// ---- eval_expr.c, eval_call.c, eval_text.c, eval_stmt.c ----

typedef struct elab_place {
    const sir_type *type;
    sir_scalar *data; // NULL after an error
    int part;         // 1, 2: the real or imaginary part of a complex
} elab_place;

elab_slot *elab_find(elab *x, const ast_var *v, src_range where); // NULL with an error
sir_scalar elab_scalar(elab *x, const ast_expr *e);
sir_scalar elab_scalar_as(elab *x, const ast_expr *e, const sir_type *t); // converted
elab_place elab_place_of(elab *x, const ast_expr *e);
// An aggregate: its scalars, valid until the enclosing statement ends. data NULL after an error.
elab_place elab_aggregate(elab *x, const ast_expr *e);
bool elab_is_aggregate(const lang_type *t);
sir_scalar elab_load(elab_place p);
void elab_store(elab_place p, sir_scalar v);
// The type in which an operation works, from its operands' types and result; shared with lowering.
const lang_type *elab_operand_type(const ast_expr *e);
const sir_type *elab_math_type(const elab *x, const ast_expr *e);
sir_scalar elab_call(elab *x, const ast_expr *e); // scalar or void result
elab_place elab_call_aggregate(elab *x, const ast_expr *e);
void elab_text(elab *x, strbuf *out, const ast_expr *e); // any printable expression
// Gives the variable its type and initial value.
bool elab_declare(elab *x, elab_slot *slot, const ast_var *v);
bool elab_fill(elab *x, const sir_type *t, sir_scalar *data, const ast_expr *init);

typedef enum elab_flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_STOP } elab_flow;
elab_flow elab_exec(elab *x, const ast_stmt *s);
// The numbers of init_array_1D_*: count scalars to data.
bool elab_read_numbers(elab *x, const ast_expr *call, const char *path, uint64_t count, bool floats, sir_scalar *data);

// ---- value.c ----

typedef struct elab_content {
    uint32_t id;
    uint32_t global; // in module->globals; SIR_NONE while it is not needed there
} elab_content;

elab_content *elab_intern(elab *x, const sir_type *t, const sir_scalar *data);
// A constant of the module with this content, named after the first variable that had it.
uint32_t elab_global(elab *x, const sir_type *t, const sir_scalar *data, const char *name, src_range where);
sir_value elab_value(elab *x, const sir_type *t,
                     const sir_scalar *data); // in the module's arena; zeroes without storage
void elab_key_pointer(elab *x, const void *p);
void elab_key_slot(elab *x, const elab_slot *slot);
const char *elab_args_text(elab *x, const ast_var_list *vars, elab_slot *const *slots, bool named);
// A name that the map has not given out yet: base, base_2, ... (or base_1, base_2 when numbered from the start).
const char *elab_unique(elab *x, hmap *taken, const char *base, bool numbered);

// ---- mutation.c ----

void elab_find_mutations(elab *x);
// Whether code outside init blocks may assign the variable or part of it, directly or through an array argument.
bool elab_mutated(const elab *x, const ast_var *v);

// ---- build.c, filter.c ----

elab_flow elab_exec_graph(elab *x, const ast_stmt *s); // add, body, loop, split, join, enqueue
elab_inst *elab_build_top(elab *x, const ast_stream *decl);
// The filter of an environment whose parameters are set.
elab_filter *elab_specialise(elab *x, elab_env *env, const sir_type *input, const sir_type *output, const char *args);
elab_filter *elab_identity(elab *x, const sir_type *t, src_range where);
// An empty one with a name of its own.
sir_filter *elab_new_filter(elab *x, const char *base, bool numbered, const char *args, src_range where);

// ---- kernel.c ----

// The same of a Brook kernel.
elab_filter *elab_specialise_kernel(elab *x, const elab_env *env, const sir_type *input, const sir_type *output,
                                    const char *args);

// ---- lower.c ----

// The bodies of a filter whose fields are final. helper_rates: of decl->functions, in order.
bool elab_lower_filter(elab *x, sir_filter *f, const uint32_t *param_fields, const sir_function *helper_rates);
// The functions of helper blocks that were called so far.
bool elab_lower_pending(elab *x);

// ---- test.c ----

// The numbers of x->test, for the graph that was made; false with an error.
bool elab_test_values(elab *x);

// ---- graph.c ----

bool elab_make_graph(elab *x);

#endif
