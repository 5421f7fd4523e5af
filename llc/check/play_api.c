// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that a playing program calls and the file does not define: the API's, those of the C library that change
// memory, and others, of which nothing is known but what they get.
#include <string.h>

#include "llc/check/play.h"
#include "llc/reader/reader.h"

typedef struct api_call {
    play *play;
    const code *code;
    callee *to;
    const val *values;
    size_t count;
} api_call;

typedef val handler(const api_call *a);
typedef struct api_row {
    const char *name;
    size_t least; // arguments
    bool kernels; // may be called there
    handler *handle;
} api_row;

// ---- Arguments ----

static int64_t number_of(const api_call *a, size_t i)
{
    if (a->values[i].unknown)
        play_stop(a->play);
    return a->values[i].i;
}

// The variable of SVM_MEMORY or SVM_PROCESSOR that an argument points to.
static const llc_name *name_of(const api_call *a, size_t i)
{
    int64_t offset;
    play *p = a->play;
    const object *o = pointed(p, number_of(a, i), &offset);
    global *g = o == NULL ? NULL : o->global;
    for (VEC_EACH(llc_name, n, &p->checker->unit->names))
        if (g != NULL && g->named == NULL && strcmp(n->name, g->name) == 0)
            g->named = n;
    if (g == NULL || g->named == NULL)
        play_stop(p);
    return g->named;
}

static CXType record_of(const api_call *a, size_t i)
{
    CXCursor parameter = clang_Cursor_getArgument(a->to->cursor, (unsigned)i);
    return clang_getCanonicalType(clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(parameter))));
}

int64_t field_offset(play *p, CXType record, const char *field)
{
    const void *key[2] = {record.data[0], field};
    uintptr_t cached = (uintptr_t)hmap_getn(&p->offsets, key, sizeof key);
    if (cached == 0) {
        long long bits = clang_Type_getOffsetOf(record, field);
        if (bits < 0)
            play_stop(p);
        cached = (uintptr_t)bits / 8 + 1;
        hmap_setn(&p->offsets, key, sizeof key, (void *)cached);
    }
    return (int64_t)cached - 1;
}

static const ctype word = {.shape = SHAPE_INT, .size = 8};

static val field_of(const api_call *a, size_t i, const char *field)
{
    CXType record = record_of(a, i);
    return load(a->play, known(number_of(a, i) + field_offset(a->play, record, field)), word);
}

// ---- Memory ----

// So many bytes at a multiple of `unit`, and at no better place.
static int64_t give(play *p, const llc_name *memory, int64_t bytes, int64_t unit)
{
    if (bytes < 0 || bytes > INT64_C(1) << 44 || unit < 1 || unit > INT64_C(1) << 30)
        play_stop(p);
    int64_t apart = INT64_C(1) << 20;
    int64_t address = (p->next_address + apart) / (2 * unit) * (2 * unit) + unit;
    p->next_address = address + bytes;
    VEC_PUSH(p->arena, &p->pieces, ((piece){.memory = memory, .address = address, .size = bytes, .at = p->at}));
    return address;
}

static val handle_alloc(const api_call *a)
{
    const llc_name *memory = name_of(a, 0);
    int64_t bytes = number_of(a, a->count > 2 && strncmp(a->to->name, "svm_map", 7) == 0 ? 2 : 1);
    uint64_t alignment = memory->memory == NULL || memory->memory->alignment < 16 ? 16 : memory->memory->alignment;
    return known(give(a->play, memory, bytes, (int64_t)alignment));
}

static val handle_free(const api_call *a)
{
    play *p = a->play;
    int64_t address = number_of(a, 1);
    for (size_t i = 0; i < p->pieces.len; i++)
        if (p->pieces.data[i].address == address) {
            piece gone = p->pieces.data[i];
            gone.at = p->at;
            gone.unmapped = strncmp(a->to->name, "svm_unmap", 9) == 0;
            order_freed(p, gone);
            p->pieces.data[i] = VEC_LAST(&p->pieces);
            p->pieces.len--;
            break;
        }
    return nothing();
}

static void note_extent(play *p, const view *v)
{
    const machine_memory *memory = v->memory == NULL ? NULL : v->memory->memory;
    if (p->layout == NULL || memory == NULL || v->address < 0)
        return;
    check_extent *found = NULL;
    for (VEC_EACH(check_extent, e, &p->layout->extents))
        if (e->memory == memory)
            found = e;
    if (found == NULL) {
        found = VEC_ADD(p->arena, &p->layout->extents);
        *found = (check_extent){.memory = memory};
    }
    if ((uint64_t)(v->address + v->size) <= found->end)
        return;
    found->end = (uint64_t)(v->address + v->size);
    found->at = play_place(p, v->at);
}

static val handle_block(const api_call *a)
{
    play *p = a->play;
    view v = {.memory = name_of(a, 1),
              .address = number_of(a, 2),
              .element_size = number_of(a, 4),
              .at = p->at,
              .caller = p->caller};
    // As the program has them these numbers have no sign.
    uint64_t size;
    if (__builtin_mul_overflow((uint64_t)number_of(a, 3), (uint64_t)v.element_size, &size) ||
        size > (uint64_t)(INT64_MAX - (v.address < 0 ? 0 : v.address)))
        order_huge(p, &v, (uint64_t)number_of(a, 3));
    v.size = (int64_t)size;
    const bool large = v.size > INT64_C(1) << 36;
    if (!large)
        note_extent(p, &v);
    order_block(p, &v);
    if (large)
        play_stop(p);
    CXType record = record_of(a, 0);
    int64_t block = number_of(a, 0);
    uint32_t id = object_view(p, &v);
    order_live(p, block, id);
    store_number(p, block + field_offset(p, record, "data"), 8, pointer_to(id, 0));
    store_number(p, block + field_offset(p, record, "capacity"), 8, number_of(a, 3));
    store_number(p, block + field_offset(p, record, "elementSize"), 8, v.element_size);
    store_number(p, block + field_offset(p, record, "memory"), 8, number_of(a, 1));
    store_number(p, block + field_offset(p, record, "address"), 8, v.address);
    return nothing();
}

static val handle_block_name(const api_call *a)
{
    int64_t offset;
    val data = field_of(a, 0, "data");
    object *o = data.unknown ? NULL : pointed(a->play, data.i, &offset);
    if (o != NULL && o->kind == OBJECT_VIEW)
        o->view.name = a->values[1];
    return nothing();
}

static void need_block(const api_call *a)
{
    val block = a->values[0];
    order_missing(a->play, block, block.unknown ? 0 : block.i + field_offset(a->play, record_of(a, 0), "data"));
}

static val handle_block_data(const api_call *a)
{
    need_block(a);
    return a->values[0].unknown ? nothing() : field_of(a, 0, "data");
}

static void touch_element(const api_call *a, bool write)
{
    play *p = a->play;
    need_block(a);
    val data = field_of(a, 0, "data"), size = field_of(a, 0, "elementSize"), index = a->values[1];
    if (data.unknown || size.unknown)
        play_stop(p);
    if (index.unknown) {
        touch(p, data, nothing(), write);
        return;
    }
    data.i += index.i * size.i;
    touch(p, data, size, write);
}

static val handle_block_read(const api_call *a)
{
    touch_element(a, false);
    forget_bytes(a->play, a->values[2], -1);
    return nothing();
}

static val handle_block_write(const api_call *a)
{
    touch_element(a, true);
    return nothing();
}

// ---- Kernels ----

static void note_placement(play *p, const char *function, const llc_name *processor)
{
    if (p->layout == NULL || processor->processor == NULL)
        return;
    for (VEC_EACH(const check_placement, seen, &p->layout->placements))
        if (seen->processor == processor->processor && strcmp(seen->function, function) == 0)
            return;
    VEC_PUSH(p->arena, &p->layout->placements, ((check_placement){function, processor->processor}));
}

static val handle_kernel(const api_call *a)
{
    play *p = a->play;
    int64_t offset;
    const object *o = pointed(p, number_of(a, 2), &offset);
    if (o == NULL || o->kind != OBJECT_FUNCTION)
        play_stop(p);
    const char *name = text_of(p, a->values[3]);
    note_placement(p, o->function->name, name_of(a, 1));
    order_kernel(p, number_of(a, 0), name_of(a, 1), o->function, name != NULL ? name : o->function->name);
    return nothing();
}

static val handle_never_blocks(const api_call *a)
{
    order_never_blocks(a->play, number_of(a, 0));
    return nothing();
}

static val handle_depend(const api_call *a)
{
    order_depend(a->play, number_of(a, 0), number_of(a, 1));
    return nothing();
}

static val handle_run(const api_call *a)
{
    order_run(a->play, number_of(a, 0));
    return nothing();
}

static val handle_wait(const api_call *a)
{
    order_wait(a->play, number_of(a, 0));
    return nothing();
}

// svm_KernelState, as far as plays tell it.
enum { STATE_IDLE = 0, STATE_FINISHED = 5 };

static val handle_state(const api_call *a)
{
    return known(order_ask(a->play, number_of(a, 0)) ? STATE_FINISHED : STATE_IDLE);
}

static val handle_wait_multiple(const api_call *a)
{
    int64_t count = number_of(a, 0);
    for (int64_t i = 0; i < count; i++) {
        val kernel = load(a->play, known(number_of(a, 1) + 8 * i), word);
        if (kernel.unknown)
            play_stop(a->play);
        order_wait(a->play, kernel.i);
    }
    return nothing();
}

static val handle_destroy(const api_call *a)
{
    order_destroy(a->play, number_of(a, 0));
    return nothing();
}

// ---- Transfers between blocks ----

static bool is_transfer(const char *name)
{
    return strstr(name, "B2BInit") != NULL &&
           (strncmp(name, "svm_move", 8) == 0 || strncmp(name, "svm_gather", 10) == 0 ||
            strncmp(name, "svm_scatter", 11) == 0);
}

// A field that no parameter gives.
static void set_field(play *p, CXType record, int64_t kernel, const char *field, int64_t number)
{
    if (clang_Type_getOffsetOf(record, field) >= 0)
        store_number(p, kernel + field_offset(p, record, field), 8, number);
}

// The parameters behind the engine have the names of the kernel's fields.
static val handle_transfer(const api_call *a)
{
    play *p = a->play;
    CXType record = record_of(a, 0);
    int64_t kernel = number_of(a, 0);
    forget_bytes(p, known(kernel), clang_Type_getSizeOf(record));
    set_field(p, record, kernel, "offset", 0);
    set_field(p, record, kernel, "records", 1);
    for (size_t i = 2; i < a->count; i++) {
        CXCursor parameter = clang_Cursor_getArgument(a->to->cursor, (unsigned)i);
        const char *field = reader_string(p->checker->session, clang_getCursorSpelling(parameter));
        if (clang_Type_getOffsetOf(record, field) >= 0)
            store(p, known(kernel + clang_Type_getOffsetOf(record, field) / 8), word, a->values[i]);
    }
    order_transfer(p, kernel, name_of(a, 1), a->to, kernel);
    return nothing();
}

typedef struct transfer_side {
    val data;
    int64_t capacity, element_size;
    const view *view;
} transfer_side;

static transfer_side side_of(play *p, CXType record, int64_t kernel, const char *field)
{
    val block = load(p, known(kernel + field_offset(p, record, field)), word);
    CXType of = p->block_type;
    if (block.unknown)
        play_stop(p);
    order_missing(p, block, block.i + field_offset(p, of, "data"));
    transfer_side s = {.data = load(p, known(block.i + field_offset(p, of, "data")), word)};
    int64_t offset;
    const object *o = s.data.unknown ? NULL : pointed(p, s.data.i, &offset);
    if (o == NULL || o->kind != OBJECT_VIEW)
        play_stop(p);
    s.view = &o->view;
    s.element_size = o->view.element_size;
    s.capacity = s.element_size > 0 ? o->view.size / s.element_size : 0;
    return s;
}

static int64_t transfer_number(play *p, CXType record, int64_t kernel, const char *field)
{
    val v = load(p, known(kernel + field_offset(p, record, field)), word);
    if (v.unknown)
        play_stop(p);
    return v.i;
}

static void touch_part(play *p, const transfer_side *s, int64_t from, int64_t count, bool write)
{
    val data = s->data;
    int64_t begin, bytes;
    if (__builtin_mul_overflow(from, s->element_size, &begin) ||
        __builtin_mul_overflow(count, s->element_size, &bytes) || __builtin_add_overflow(data.i, begin, &data.i))
        play_stop(p);
    touch(p, data, known(bytes), write);
}

static void strided(play *p, CXType record, int64_t kernel, const transfer_side *source, const transfer_side *to,
                    bool scatter)
{
    int64_t offset = transfer_number(p, record, kernel, "offset");
    int64_t records = transfer_number(p, record, kernel, "records");
    int64_t stride = transfer_number(p, record, kernel, "stride");
    int64_t repeats = transfer_number(p, record, kernel, "repeats");
    int64_t all, last;
    if (records < 0 || repeats < 0 || repeats > 1 << 20 || __builtin_mul_overflow(records, repeats, &all) ||
        __builtin_mul_overflow(repeats, stride, &last) || __builtin_add_overflow(offset, last, &last))
        play_stop(p);
    touch_part(p, scatter ? source : to, 0, all, !scatter);
    for (int64_t i = 0; i < repeats; i++)
        touch_part(p, scatter ? to : source, offset + i * stride, records, scatter);
}

// Indices and what lies in their order are known; which elements the indices choose is not.
static void indexed(play *p, CXType record, int64_t kernel, const transfer_side *source, const transfer_side *to,
                    bool scatter)
{
    const transfer_side indices = side_of(p, record, kernel, "indices");
    int64_t length = transfer_number(p, record, kernel, "length"), all;
    if (length < 0 || length > INT64_C(1) << 36 ||
        __builtin_mul_overflow(length, transfer_number(p, record, kernel, "records"), &all) || all < 0 ||
        all > INT64_C(1) << 36)
        play_stop(p);
    touch_part(p, &indices, 0, length, false);
    touch_part(p, scatter ? source : to, 0, all, !scatter);
    if (all > 0)
        touch(p, scatter ? to->data : source->data, nothing(), scatter);
}

static void check_move(play *p, const transfer_side *from, const transfer_side *to, const llc_name *engine)
{
    diag_engine *d = p->checker->session->diag;
    src_range at = play_place(p, p->at);
    if (from->element_size != to->element_size || from->capacity != to->capacity) {
        diag_record *r =
            diag_warning(d, WARN_CHECK_SIZES, at,
                         "a move from '%s', which has %lld elements of %lld bytes, to '%s', which has %lld of %lld",
                         view_name(p, from->view), (long long)from->capacity, (long long)from->element_size,
                         view_name(p, to->view), (long long)to->capacity, (long long)to->element_size);
        diag_add_note(d, r, play_place(p, from->view->at), "'%s' is initialised here", view_name(p, from->view));
        diag_add_note(d, r, play_place(p, to->view->at), "'%s' is initialised here", view_name(p, to->view));
        return;
    }
    uint64_t unit = engine->processor == NULL ? 0 : engine->processor->transfer_alignment;
    const view *sides[2] = {from->view, to->view};
    for (int i = 0; i < 2 && unit > 1; i++) {
        const view *v = sides[i];
        bool address = (uint64_t)v->address % unit != 0;
        if (!address && (uint64_t)v->size % unit == 0)
            continue;
        diag_record *r = diag_warning(d, WARN_CHECK_ALIGNMENT, at,
                                      "a move with the %s %lld of '%s', but '%s' works with multiples of %llu bytes",
                                      address ? "address" : "length", (long long)(address ? v->address : v->size),
                                      view_name(p, v), engine->name, (unsigned long long)unit);
        diag_add_note(d, r, play_place(p, v->at), "'%s' is initialised here", view_name(p, v));
        return;
    }
}

void transfer_accesses(play *p, callee *init, int64_t kernel, const llc_name *engine, access_list *into)
{
    CXCursor parameter = clang_Cursor_getArgument(init->cursor, 0);
    CXType record =
        clang_getCanonicalType(clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(parameter))));
    CXCursor source = clang_Cursor_getArgument(init->cursor, 2);
    p->block_type = clang_getCanonicalType(clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(source))));
    transfer_side from = side_of(p, record, kernel, "source"), to = side_of(p, record, kernel, "destination");
    access_list *before = p->accesses;
    p->accesses = into;
    if (strncmp(init->name, "svm_move", 8) == 0) {
        check_move(p, &from, &to, engine);
        touch_part(p, &from, 0, from.capacity, false);
        touch_part(p, &to, 0, to.capacity, true);
    } else if (strstr(init->name, "Strided") != NULL) {
        strided(p, record, kernel, &from, &to, strncmp(init->name, "svm_scatter", 11) == 0);
    } else {
        indexed(p, record, kernel, &from, &to, strncmp(init->name, "svm_scatter", 11) == 0);
    }
    p->accesses = before;
}

// The view of a transfer's block; NULL: it is not known.
static const view *block_of(play *p, CXType record, int64_t kernel, CXType block_type, const char *field)
{
    if (clang_Type_getOffsetOf(record, field) < 0 || clang_Type_getOffsetOf(block_type, "data") < 0)
        return NULL;
    val block = load(p, known(kernel + field_offset(p, record, field)), word);
    val data = block.unknown ? block : load(p, known(block.i + field_offset(p, block_type, "data")), word);
    int64_t offset;
    const object *o = data.unknown ? NULL : pointed(p, data.i, &offset);
    return o != NULL && o->kind == OBJECT_VIEW ? &o->view : NULL;
}

const char *transfer_blocks(play *p, callee *init, int64_t kernel)
{
    CXType types[2]; // of the transfer, of a block
    for (unsigned i = 0; i < 2; i++)
        types[i] = clang_getCanonicalType(clang_getPointeeType(
            clang_getCanonicalType(clang_getCursorType(clang_Cursor_getArgument(init->cursor, 2 * i)))));
    const view *from = block_of(p, types[0], kernel, types[1], "source");
    const view *to = block_of(p, types[0], kernel, types[1], "destination");
    const char *first = from == NULL ? NULL : text_of(p, from->name),
               *second = to == NULL ? NULL : text_of(p, to->name);
    if (first == NULL || second == NULL)
        return NULL;
    arena *a = p->checker->arena;
    if (strcmp(first, second) == 0)
        return arena_printf(a, "'%s' from %s to %s", first, from->memory->name, to->memory->name);
    return arena_printf(a, "'%s' in %s to '%s' in %s", first, from->memory->name, second, to->memory->name);
}

// ---- Files ----

enum { WHOLE_READS = 6, COUNTED_READS = 25 };

static reader_state *reader_of(const api_call *a)
{
    play *p = a->play;
    int64_t key = number_of(a, 0);
    reader_state *r = hmap_getn(&p->readers, &key, sizeof key);
    if (r == NULL) {
        r = ARENA_NEW(p->arena, reader_state);
        *r = (reader_state){0};
        hmap_setn(&p->readers, &key, sizeof key, r);
    }
    p->reads = true;
    return r;
}

// How many of so many items there are: all, in the phase in which input ends for some reads, then half, then none.
static int64_t available(play *p, reader_state *r, int64_t count)
{
    r->whole = count > r->whole ? count : r->whole;
    if (!p->ending || count <= 0)
        return count < 0 ? 0 : count;
    r->reads++;
    if (r->counted) {
        count = count < r->left ? count : r->left;
        r->left -= count;
        return count;
    }
    // Not for a whole number of steady states, so that some actors fire once more at the end.
    return r->reads <= WHOLE_READS ? count : r->reads == WHOLE_READS + 1 && count > 2 ? count / 2 - 1 : 0;
}

static void touch_items(const api_call *a, size_t items, size_t count, bool read, bool write)
{
    val bytes = a->values[count], size = field_of(a, 0, "elementSize");
    if (bytes.unknown || size.unknown)
        bytes = nothing();
    else
        bytes.i *= size.i;
    if (read)
        touch(a->play, a->values[items], bytes, false);
    if (write) {
        touch(a->play, a->values[items], bytes, true);
        forget_bytes(a->play, a->values[items], bytes.unknown ? -1 : bytes.i);
    }
}

static val handle_reader_read(const api_call *a)
{
    int64_t wanted = number_of(a, 2), given = available(a->play, reader_of(a), wanted);
    api_call b = *a;
    val values[3] = {a->values[0], a->values[1], known(given)};
    b.values = values;
    if (given > 0)
        touch_items(&b, 1, 2, false, true);
    store_number(a->play, number_of(a, 0) + field_offset(a->play, record_of(a, 0), "ended"), 1, given < wanted);
    return known(given);
}

static val handle_reader_at_end(const api_call *a)
{
    const reader_state *r = reader_of(a);
    return known(a->play->ending && (r->counted ? r->left <= 0 : r->reads > WHOLE_READS));
}

// A program that knows how many items are left may count on them.
static val handle_reader_there(const api_call *a)
{
    play *p = a->play;
    reader_state *r = reader_of(a);
    p->claimed++;
    if (p->claims == 0)
        return known(0);
    if (!p->ending)
        return known(INT64_C(1) << 40);
    if (!r->counted) {
        r->counted = true;
        r->left = COUNTED_READS * r->whole + (r->whole > 2 ? r->whole / 2 - 1 : 0);
    }
    return known(r->left);
}

static val handle_reader_read_all(const api_call *a)
{
    int64_t wanted = number_of(a, 2);
    if (available(a->play, reader_of(a), wanted) < wanted)
        play_stop(a->play);
    touch_items(a, 1, 2, false, true);
    return nothing();
}

// Whether kernels or engines use so many items of a file themselves.
static bool is_granted(const api_call *a, int64_t count)
{
    play *p = a->play;
    p->claimed++;
    if (p->claims == 0 || p->claims == 3 || (p->claims == 2 && p->claimed % 3 == 0))
        return false;
    if (strncmp(a->to->name, "svm_reader", 10) != 0)
        return true;
    reader_state *r = reader_of(a);
    r->whole = count > r->whole ? count : r->whole;
    if (!p->ending)
        return true;
    if (r->counted && count <= r->left) {
        r->left -= count;
        return true;
    }
    return !r->counted && r->reads < WHOLE_READS && r->reads++ < WHOLE_READS;
}

static val handle_claim(const api_call *a)
{
    bool granted = is_granted(a, number_of(a, a->count >= 5 ? 3 : 2));
    if (granted)
        store_number(a->play, number_of(a, a->count >= 5 ? 4 : 3), 8, 0);
    return known(granted);
}

// Memory of which there is no more than what was asked for.
static val handle_map(const api_call *a)
{
    bool reader = a->count >= 6;
    int64_t before = reader ? number_of(a, 3) : 0, count = number_of(a, reader ? 4 : 3);
    val size = field_of(a, 0, "elementSize");
    if (size.unknown || before < 0 || before > INT64_C(1) << 40 || count > INT64_C(1) << 40)
        play_stop(a->play);
    if (count <= 0 || !is_granted(a, count))
        return known(false);
    store_number(a->play, number_of(a, reader ? 5 : 4), 8,
                 give(a->play, name_of(a, 1), (before + count) * size.i, number_of(a, 2)) + before * size.i);
    return known(true);
}

static val handle_read_at(const api_call *a)
{
    touch_items(a, 3, 4, false, true);
    return nothing();
}

static val handle_write(const api_call *a)
{
    touch_items(a, 1, 2, true, false);
    return nothing();
}

static val handle_write_at(const api_call *a)
{
    touch_items(a, 3, 4, true, true);
    return nothing();
}

static val handle_exhaust(const api_call *a)
{
    play_exhaust(a->play, record_of(a, 0), a->values);
    return nothing();
}

// ---- Sequences ----

static val handle_sequence(const api_call *a)
{
    play *p = a->play;
    p->claimed++;
    return known(p->claims == 0 ? 0 : sequence_create(p, number_of(a, 0)));
}

static val handle_sequence_add(const api_call *a)
{
    sequence_add(a->play, number_of(a, 0), number_of(a, 1), number_of(a, 2), number_of(a, 3));
    return nothing();
}

static val handle_sequence_made(const api_call *a)
{
    return known(sequence_made(a->play, number_of(a, 0)));
}

static int64_t word_at(play *p, int64_t pointer)
{
    val v = load(p, known(pointer), word);
    if (v.unknown)
        play_stop(p);
    return v.i;
}

// svm_Block, of an argument that is an array of pointers to some.
static CXType block_type(const api_call *a, size_t i)
{
    CXType array = clang_getCursorType(clang_Cursor_getArgument(a->to->cursor, (unsigned)i));
    CXType pointer = clang_getArrayElementType(array);
    if (pointer.kind == CXType_Invalid)
        pointer = clang_getPointeeType(clang_getCanonicalType(array));
    return clang_getCanonicalType(clang_getPointeeType(clang_getCanonicalType(pointer)));
}

static val handle_sequence_run(const api_call *a)
{
    play *p = a->play;
    int64_t id = number_of(a, 0), times = number_of(a, 1), count = sequence_places(p, id);
    CXType block = block_type(a, 2);
    VEC(sequence_place) places = {0};
    for (int64_t i = 0; i < count; i++) {
        int64_t data = word_at(p, word_at(p, number_of(a, 2) + 8 * i) + field_offset(p, block, "data"));
        VEC_PUSH(p->arena, &places, ((sequence_place){.data = data, .step = word_at(p, number_of(a, 3) + 8 * i)}));
    }
    sequence_run(p, id, times, places.data);
    return nothing();
}

static val handle_sequence_wait(const api_call *a)
{
    sequence_wait(a->play, number_of(a, 0), number_of(a, 1) != 0);
    return nothing();
}

static val handle_sequence_destroy(const api_call *a)
{
    if (number_of(a, 0) != 0)
        sequence_wait(a->play, number_of(a, 0), true);
    return nothing();
}

// ---- The rest ----

static val handle_svm_main(const api_call *a)
{
    return play_main(a->play, a->values, a->count, record_of(a, 0));
}

static val handle_copy(const api_call *a)
{
    copy_bytes(a->play, a->values[0], a->values[1], a->values[2]);
    return a->values[0];
}

static val handle_set(const api_call *a)
{
    set_bytes(a->play, a->values[0], a->values[1], a->values[2]);
    return a->values[0];
}

static val handle_random(const api_call *a)
{
    int64_t bytes = clang_Type_getSizeOf(record_of(a, 0));
    if (bytes <= 0)
        play_stop(a->play);
    touch(a->play, a->values[0], known(bytes), false);
    touch(a->play, a->values[0], known(bytes), true);
    forget_bytes(a->play, a->values[0], bytes);
    return nothing();
}

static val handle_calloc(const api_call *a)
{
    return known(pointer_to(object_new(a->play, number_of(a, 0) * number_of(a, 1), false), 0));
}

static val handle_malloc(const api_call *a)
{
    val at = known(pointer_to(object_new(a->play, number_of(a, 0), true), 0));
    fresh_bytes(a->play, at, -1);
    return at;
}

static val handle_nothing(const api_call *a)
{
    (void)a;
    return nothing();
}

static val handle_refuse(const api_call *a)
{
    (void)a;
    return known(false);
}

static val handle_net_run(const api_call *a)
{
    return play_net_run(a->play, a->code, number_of(a, 0), record_of(a, 0));
}

static val handle_stop(const api_call *a)
{
    play_stop(a->play);
}

// A name stands for its ...At form too.
static const api_row rows[] = {
    {"svm_alloc", 2, false, handle_alloc},
    {"svm_map", 3, false, handle_alloc},
    {"svm_free", 2, false, handle_free},
    {"svm_unmap", 2, false, handle_free},
    {"svm_blockInit", 5, false, handle_block},
    {"svm_blockName", 2, false, handle_block_name},
    {"svm_blockData", 1, true, handle_block_data},
    {"svm_blockRead", 3, true, handle_block_read},
    {"svm_blockWrite", 3, true, handle_block_write},
    {"svm_kernelInit", 4, false, handle_kernel},
    {"svm_kernelNeverBlocks", 1, false, handle_never_blocks},
    {"svm_kernelAddDependence", 2, false, handle_depend},
    {"svm_kernelRun", 1, false, handle_run},
    {"svm_kernelWait", 1, false, handle_wait},
    {"svm_kernelWaitMultiple", 2, false, handle_wait_multiple},
    {"svm_kernelDestroy", 1, false, handle_destroy},
    {"svm_readerOpen", 1, false, handle_nothing},
    {"svm_readerRead", 3, false, handle_reader_read},
    {"svm_readerAtEnd", 1, false, handle_reader_at_end},
    {"svm_readerLend", 3, false, handle_refuse},
    {"svm_readerClaim", 5, false, handle_claim},
    {"svm_readerReadAt", 5, true, handle_read_at},
    {"svm_readerMap", 6, false, handle_map},
    {"svm_readerReadAll", 3, false, handle_reader_read_all},
    {"svm_readerThere", 1, false, handle_reader_there},
    {"svm_readerClose", 1, false, handle_nothing},
    {"svm_threadsBegin", 1, false, handle_nothing}, // they do not wait: then every processor has its runs
    {"svm_threadsRun", 2, false, handle_nothing},
    {"svm_threadsDecide", 3, false, handle_nothing},
    {"svm_sequenceCreate", 3, false, handle_sequence},
    {"svm_sequenceAdd", 4, false, handle_sequence_add},
    {"svm_sequenceMade", 1, false, handle_sequence_made},
    {"svm_sequenceRun", 4, false, handle_sequence_run},
    {"svm_sequencePace", 3, false, handle_nothing},
    {"svm_sequenceWait", 2, false, handle_sequence_wait},
    {"svm_sequenceDestroy", 1, false, handle_sequence_destroy},
    {"svm_writerOpen", 1, false, handle_nothing},
    {"svm_writerWrite", 3, false, handle_write},
    {"svm_writerLend", 3, false, handle_nothing},
    {"svm_writerClaim", 4, false, handle_claim},
    {"svm_writerWriteAt", 5, true, handle_write_at},
    {"svm_writerMap", 5, false, handle_map},
    {"svm_writerSettle", 2, false, handle_nothing},
    {"svm_writerTakeBack", 1, false, handle_nothing},
    {"svm_stripBegin", 6, false, handle_nothing},
    {"svm_stripEnd", 1, false, handle_nothing},
    {"svm_stripDestroy", 1, false, handle_nothing},
    {"svm_writerClose", 1, false, handle_nothing},
    {"svm_exhaust", 4, false, handle_exhaust},
    {"svm_random", 1, true, handle_random},
    {"svm_channelInit", 3, false, handle_nothing},
    {"svm_channelFill", 3, false, handle_nothing},
    {"svm_regionNext", 1, true, handle_refuse}, // what it waits for is not known
    {"svm_netRun", 2, false, handle_net_run},
    {"svm_netFinish", 1, false, handle_nothing},
    {"svm_netDestroy", 1, false, handle_nothing},
    {"svm_kernelStateOf", 1, false, handle_state},
    {"svm_main", 1, false, handle_svm_main},
    {"svm_machineCreate", 0, false, handle_stop}, // each has memories of its own
    {"svm_machineUse", 1, false, handle_stop},
    {"svm_machineDestroy", 1, false, handle_nothing},
    {"memcpy", 3, true, handle_copy},
    {"memmove", 3, true, handle_copy},
    {"memset", 3, true, handle_set},
    {"calloc", 2, false, handle_calloc},
    {"malloc", 1, false, handle_malloc},
    {"free", 1, false, handle_nothing},
    {"exit", 1, true, handle_stop},
    {"abort", 0, true, handle_stop},
};

static const api_row *row_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0)
            return &rows[i];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].name);
        if (strncmp(name, rows[i].name, n) == 0 && strcmp(name + n, "At") == 0)
            return &rows[i];
    }
    return NULL;
}

// Nothing is known of the function but what it gets: it reads what it may not write, and writes the rest.
static val call_unknown(const api_call *a)
{
    play *p = a->play;
    p->outside |= !p->in_kernel && !reader_is_foreign(a->to->cursor);
    for (size_t i = 0; i < a->count; i++) {
        const code *argument = a->code->parts[i + 1];
        bool constant = argument->type.to_const;
        if ((int)i < clang_Cursor_getNumArguments(a->to->cursor))
            constant = tree_type(clang_getCursorType(clang_Cursor_getArgument(a->to->cursor, (unsigned)i))).to_const;
        if (argument->type.shape != SHAPE_POINTER)
            continue;
        touch(p, a->values[i], nothing(), false);
        if (!constant) {
            touch(p, a->values[i], nothing(), true);
            forget_bytes(p, a->values[i], -1);
        }
    }
    return nothing();
}

val play_foreign(play *p, const code *call, callee *f, const val *arguments, size_t count)
{
    api_call a = {p, call, f, arguments, count};
    const api_row *row = row_of(f->name);
    if (row != NULL) {
        if (count < row->least || (p->in_kernel && !row->kernels))
            play_stop(p);
        return row->handle(&a);
    }
    if (is_transfer(f->name) && !p->in_kernel && count >= 4)
        return handle_transfer(&a);
    if (play_lanes(p, f->name, arguments, count))
        return nothing();
    tree_build(&p->tree, f);
    if (f->body != NULL)
        return play_call(p, f, arguments, count);
    // The rest of the API that control code calls may do anything to kernels.
    if (strncmp(f->name, "svm_", 4) == 0 && !call_is_harmless(f->name))
        play_stop(p);
    return call_unknown(&a);
}
