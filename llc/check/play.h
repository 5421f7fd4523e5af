// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Playing a program: its control code is interpreted with numbers, from main on, and each kernel's function when it is
// run, for what it reads and writes. What blocks hold is unknown; everything else is as in the machine: objects of
// bytes, pointers into them, addresses in memories. What comes out is which bytes of which memory each run reads and
// writes, and which runs and waits come before it (play_order.c), from which the findings are made.
//
// What the program does not say is chosen (play.c): how many steady states it is asked for, how much input there is. A
// play ends early, without a word, at what it cannot follow: a decision by an unknown value, streams, threads.
#ifndef SVMC_LLC_CHECK_PLAY_H
#define SVMC_LLC_CHECK_PLAY_H

#include <setjmp.h>

#include "llc/check/check.h"
#include "llc/check/model.h"

// ---- The text as a tree: what libclang says, asked once ----

typedef enum shape { SHAPE_VOID, SHAPE_INT, SHAPE_REAL, SHAPE_POINTER, SHAPE_RECORD, SHAPE_ARRAY } shape;
typedef struct ctype {
    shape shape;
    bool is_unsigned, is_bool;
    bool to_const;   // pointers: to what is not written
    int64_t size;    // in bytes
    int64_t element; // of what a pointer points to, or an array has
} ctype;

typedef enum code_op {
    CODE_UNKNOWN, // no known value, no effect
    CODE_STUCK,   // what cannot be followed
    CODE_NUMBER,
    CODE_TEXT, // a string
    CODE_LOCAL,
    CODE_GLOBAL,
    CODE_FUNCTION,
    CODE_MEMBER, // of an object; number: its offset
    CODE_ARROW,
    CODE_ELEMENT,
    CODE_DEREF,
    CODE_ADDRESS,
    CODE_DECAY, // an array as the address of its first element
    CODE_CONVERT,
    CODE_LITERAL, // of a struct or array
    CODE_LIST,    // an initialiser
    CODE_PART,    // of a list; number: where
    CODE_UNARY,
    CODE_INCREMENT, // number: by what; prefix
    CODE_BINARY,
    CODE_AND,
    CODE_OR,
    CODE_COMMA,
    CODE_ASSIGN,
    CODE_UPDATE, // += and the like
    CODE_CHOOSE, // ?:
    CODE_CALL,
    CODE_BLOCK, // statements, from here on
    CODE_DECLARE,
    CODE_IF,
    CODE_LOOP, // start, condition, increment, body: each may be NULL
    CODE_SWITCH,
    CODE_CASE,
    CODE_DEFAULT,
    CODE_RETURN,
    CODE_BREAK,
    CODE_CONTINUE
} code_op;

typedef struct code code;
typedef struct callee callee;
struct code {
    code_op op;
    int detail; // operator; CODE_LOOP: the body comes first
    ctype type;
    code **parts;
    size_t count;
    int64_t number;
    const char *text; // CODE_TEXT; NULL: not known
    uint32_t object;  // the same
    struct global *global;
    callee *callee;
    bool prefix;
    CXCursor at;
};

typedef struct global {
    CXCursor cursor;
    const char *name;
    ctype type;
    bool constant;
    bool ready;            // in this play
    const llc_name *named; // memory or processor
    uint32_t object;
    code *initialiser;
} global;

// A function. The first play to call it builds its body.
struct callee {
    CXCursor cursor;
    const char *name;
    bool foreign; // of a header
    bool apart;   // not in the program's own file
    bool built;
    code *body; // NULL: none
    ctype result;
    VEC(ctype) parameters; // they are the first locals
    VEC(int64_t) offsets;
    int64_t frame; // bytes of locals
    uint32_t object;
};

typedef struct tree {
    checker *checker;
    hmap globals, callees;
    // Of the function being built:
    callee *building;
    hmap locals; // offset + 1 by declaration
} tree;

void tree_init(tree *t, checker *c);
callee *tree_callee(tree *t, CXCursor function);
void tree_build(tree *t, callee *f);
code *tree_initialiser(tree *t, global *g); // NULL: none
ctype tree_type(CXType type);

// ---- Values and objects ----

typedef struct val {
    int64_t i; // numbers and pointers; records: where they lie
    bool unknown;
} val;

// A block as it was initialised, or what a parameter points to.
typedef struct view {
    const llc_name *memory; // NULL: a parameter's
    int64_t address, size, element_size;
    const code *at, *caller; // the call that initialised it, and that of the function that this is in
    val name;                // of svm_blockName; 0: none
} view;

typedef enum object_kind { OBJECT_NONE, OBJECT_BYTES, OBJECT_VIEW, OBJECT_FUNCTION } object_kind;
typedef struct object {
    object_kind kind;
    int64_t size;
    uint8_t *bytes, *unknown; // a byte is unknown unless it is 0 there; BYTE_FRESH: nothing was ever stored
    view view;
    callee *function;
    global *global; // OBJECT_BYTES
} object;

// All that a parameter points to, as an access has it: from -VIEW_ALL to VIEW_ALL.
#define VIEW_ALL (INT64_C(1) << 38)

// Bytes of a view that somebody reads or writes.
typedef struct access {
    uint32_t view; // object
    bool write;
    bool loose;    // perhaps less than that
    bool anywhere; // somewhere in the view, which is all that is known
    int64_t begin, end;
} access;
typedef VEC(access) access_list;
typedef VEC(uint32_t) view_ids;

// ---- Runs and their order ----

typedef struct actor actor;
struct actor; // a kernel object: play_order.c
typedef struct run run;
typedef struct shelf shelf; // what is known of a memory's bytes

typedef struct orders {
    hmap actors;        // by address
    VEC(actor *) list;  // the same
    hmap blocks;        // numbers of `live`, plus 1, by address
    VEC(uint32_t) live; // views of the blocks as they were last initialised
    VEC(run *) runs;
    hmap shelves;      // by memory
    access_list noted; // of the run that is being followed
    size_t first_open; // runs before it are over
    size_t most;       // runs of one kernel
    size_t found;
    size_t asked; // states since the last run began
} orders;

// ---- A play ----

typedef struct reader_state {
    int64_t reads; // since the phase began
    int64_t whole; // the most items that were asked for at once
    bool counted;  // the program knows how many are left
    int64_t left;
} reader_state;

typedef struct sequence sequence; // svm_Sequence: play_sequence.c

// Memory that svm_alloc gave, or that svm_free took.
typedef struct piece {
    const llc_name *memory;
    int64_t address, size;
    const code *at;
    bool unmapped; // by svm_unmap: the program has it still
} piece;

// What bytes held before they were changed, while both ways of a decision are followed.
typedef struct undo {
    uint32_t object;
    int64_t offset, size;
    uint8_t *bytes; // and behind them which of them were unknown
} undo;

typedef struct play {
    checker *checker;
    tree tree;
    arena *arena;
    VEC(object) objects;
    VEC(uint32_t) frames; // objects for calls, by depth
    size_t depth;
    val result; // of the function that returns
    uint32_t frame;
    bool in_kernel;
    const run *running;    // whose kernel is being followed; NULL: none
    size_t unsure;         // expressions of which it is not known that they are evaluated, one in the other
    access_list *accesses; // where they are noted in a kernel; NULL: at once
    const code *at;        // call of the API at hand
    const code *where;     // statement of control code, for what it does outside of such calls
    const code *caller;    // call of the function that it is in: in the program's own file
    bool apart;            // that function is not
    hmap memos, offsets;
    CXType block_type; // of svm_Block
    jmp_buf *stuck;
    size_t both;       // decisions of which both ways are being followed, one in the other
    VEC(undo) undos;   // since the outermost of these
    size_t undo_bytes; // of all of them
    size_t memo_depth; // functions followed for a memo, one in the other
    size_t steps, limit;
    VEC(piece) pieces, freed; // freed: by address
    int64_t next_address;
    orders orders;
    // The choices.
    int64_t states;       // asked for in the second call of run; 0: the first play
    int64_t found_states; // how many there were then
    size_t most_runs;     // of a kernel, after which the play ends; 0: any number
    bool ending;          // input ends in this phase
    int claims;           // of files: 0 never granted, 1 always, 2 in turn, 3 never, but of sequences
    size_t claimed;
    bool outside; // control code has called a function of another file
    bool repeats; // there was a sequence
    hmap readers, sequences;
    bool reads; // some reader was asked
    hmap reported;
    check_layout *layout; // only what is set up is wanted, until the program is
} play;

enum { PLAY_DEPTH = 200, MEMO_STEPS = 20000000 };

_Noreturn void play_stop(play *p); // it cannot be followed
val play_call(play *p, callee *f, const val *arguments, size_t count);
val play_eval(play *p, const code *c);
void play_prepare(play *p, const code *c); // an initialiser's object

// ---- play_reach.c ----

// Adds the blocks that a kernel can have found through its structure.
void reach_views(play *p, int64_t kernel, view_ids *views);

// ---- play_memory.c ----

static inline val known(int64_t i)
{
    return (val){i, false};
}
static inline val nothing(void)
{
    return (val){0, true};
}
uint32_t object_new(play *p, int64_t size, bool unknown);
uint32_t object_view(play *p, const view *v);
uint32_t object_function(play *p, callee *f);
int64_t pointer_to(uint32_t object, int64_t offset);
object *pointed(play *p, int64_t pointer, int64_t *offset); // NULL: nothing
val load(play *p, val pointer, ctype type);
void store(play *p, val pointer, ctype type, val v);
// Exchanges what a change left with what was there before; what is there now, in the same form.
void undo_swap(play *p, undo *u);
undo undo_copy(play *p, const undo *of);
void store_number(play *p, int64_t pointer, int64_t size, int64_t number);
void copy_bytes(play *p, val to, val from, val count);
void set_bytes(play *p, val to, val byte, val count);
void forget_bytes(play *p, val to, int64_t count); // negative: to the object's end
void fresh_bytes(play *p, val to, int64_t count);  // the same, of bytes in which nothing was ever stored
bool is_empty(play *p, val at, int64_t count);     // fresh, or zeroes
// In a view: noted. Elsewhere nothing.
void touch(play *p, val pointer, val count, bool write);
// A call of a function of svm/lanes.h that reads or writes memory; false: it is none.
bool play_lanes(play *p, const char *name, const val *arguments, size_t count);
void note_access(play *p, access_list *list, access a);
// Joins what is near to each other, as the elements are that a loop uses with a stride.
void simplify_accesses(access_list *list);
char *text_of(play *p, val pointer); // for messages; NULL: none

// ---- play_api.c ----

// A call of a function that the file does not define.
val play_foreign(play *p, const code *call, callee *f, const val *arguments, size_t count);
int64_t field_offset(play *p, CXType record, const char *field);

// ---- play_rates.c ----

void play_exhaust(play *p, CXType table, const val *arguments);

// ---- play_net.c ----

val play_net_run(play *p, const code *call, int64_t net, CXType type); // svm_netRun

// ---- play_order.c ----

void orders_init(play *p);
void order_block(play *p, view *v);
_Noreturn void order_huge(play *p, const view *v, uint64_t capacity); // a block of more bytes than can be counted
void order_live(play *p, int64_t block, uint32_t id);
void order_missing(play *p, val block, int64_t data);   // is told of, if nothing has initialised it: data is its field
uint32_t order_view_at(const play *p, int64_t address); // of the block there; 0: there is none
void order_kernel(play *p, int64_t kernel, const llc_name *processor, callee *function, const char *name);
void order_transfer(play *p, int64_t kernel, const llc_name *engine, callee *init, int64_t object);
void order_never_blocks(play *p, int64_t kernel);
void order_depend(play *p, int64_t kernel, int64_t on);
void order_run(play *p, int64_t kernel);
void order_wait(play *p, int64_t kernel);
bool order_ask(play *p, int64_t kernel); // for its state; gives whether it has been run, and is over now
void order_destroy(play *p, int64_t kernel);
// What a run of it would use; gives whether it is a transfer.
bool order_look(play *p, int64_t kernel, access_list *into);
void order_repeat(play *p, int64_t kernel, const access_list *accesses); // a run that uses this
void order_freed(play *p, piece gone);
void order_outside(play *p, int64_t kernel, const access *a);            // is told of, if it is outside of its view
size_t order_runs(const play *p);
void order_over(play *p, size_t from, size_t to); // runs of these numbers were waited for
void order_control(play *p, access a);            // the control thread reads or writes now
void order_copy(play *p, access from, access to); // it copies so many bytes
void order_end(play *p);
// What a transfer or kernel does; transfers: play_api.c.
void transfer_accesses(play *p, callee *init, int64_t object, const llc_name *engine, access_list *into);
// The names and memories of its blocks, for messages; NULL: they have none.
const char *transfer_blocks(play *p, callee *init, int64_t object);

// ---- play_sequence.c ----

// Where a place's windows are.
typedef struct sequence_place {
    int64_t data, step; // of the block, as the program has them
    uint32_t view;
    int64_t front; // bytes of the view before the block
} sequence_place;

int64_t sequence_create(play *p, int64_t places);
void sequence_add(play *p, int64_t id, int64_t kernel, int64_t place, int64_t offset);
bool sequence_made(play *p, int64_t id);
int64_t sequence_places(play *p, int64_t id); // how many
void sequence_run(play *p, int64_t id, int64_t times, sequence_place *places);
void sequence_wait(play *p, int64_t id, bool all);

// ---- play.c ----

void play_program(checker *c, CXCursor main_function);
void play_set_up(checker *c, CXCursor main_function, check_layout *out); // check_set_up (check.h)
val play_main(play *p, const val *arguments, size_t count, CXType program);
const char *play_text(play *p, CXCursor expression); // as it is written
src_range play_place(play *p, const code *c);
const char *view_name(play *p, const view *v);

#endif
