// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function as C. The operand stack becomes variables named by depth and type, structured control becomes labels.
// Types are checked on the way, so what comes out compiles or the module is refused.
#include "runtime/cell/spu2c/wasm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL_READ_FIRST = 1, LOCAL_WRITTEN = 2 };

typedef enum op_kind { OP_NONE, OP_PLAIN, OP_TRAP, OP_LANE, OP_LOAD, OP_STORE, OP_LOAD_LANE, OP_STORE_LANE } op_kind;

typedef struct op_facts {
    op_kind kind;
    const char *name, *args;
    char result;
} op_facts;

static const op_facts plain_ops[256] = {
#define ROW_0(code, ...) [code] = {__VA_ARGS__},
#define ROW_0xFC(code, ...)
#define ROW_0xFD(code, ...)
#define WASM_OP(prefix, code, name, args, result) ROW_##prefix(code, OP_PLAIN, #name, args, result)
#define WASM_TRAP_OP(prefix, code, name, args, result) ROW_##prefix(code, OP_TRAP, #name, args, result)
#define WASM_LANE(prefix, code, name, args, result) ROW_##prefix(code, OP_LANE, #name, args, result)
#define WASM_LOAD(prefix, code, name, result, bytes) ROW_##prefix(code, OP_LOAD, #name, "i", result)
#define WASM_STORE(prefix, code, name, type, bytes) ROW_##prefix(code, OP_STORE, #name, NULL, type)
#define WASM_LOAD_LANE(prefix, code, name, bytes) ROW_##prefix(code, OP_LOAD_LANE, #name, "iv", 'v')
#define WASM_STORE_LANE(prefix, code, name, bytes) ROW_##prefix(code, OP_STORE_LANE, #name, "iv", 'n')
#include "runtime/cell/wasm_ops.def"
};
#undef ROW_0
#undef ROW_0xFC
static const op_facts fc_ops[8] = {
#define ROW_0(code, ...)
#define ROW_0xFC(code, ...) [code] = {__VA_ARGS__},
#include "runtime/cell/wasm_ops.def"
};
#undef ROW_0xFC
#undef ROW_0xFD
static const op_facts vector_ops[512] = {
#define ROW_0xFC(code, ...)
#define ROW_0xFD(code, ...) [code] = {__VA_ARGS__},
#include "runtime/cell/wasm_ops.def"
};

static const struct {
    const char *module, *name, *field, *args;
    char result;
} imports[] = {
#define CELL_IMPORT(module, name, field, result, letters, letter, arguments) {module, name, #field, letters, letter},
#include "runtime/cell/image/imports.def"
#undef CELL_IMPORT
};

typedef struct frame {
    uint8_t opcode; // 2 block, 3 loop, 4 if, 5 else; 0 the function
    uint32_t label;
    uint32_t height; // of the stack below its parameters
    const char *args, *results;
    bool used;       // somebody branches to its label
    bool dead;       // what follows in it is not reached
    bool outer_dead; // it is not reached itself
    bool works;      // of a loop: it stores or calls
    uint8_t *locals; // of a loop: which are read before they are written, which are written
} frame;

typedef struct body {
    const wasm_module *module;
    const wasm_function *function;
    const wasm_type *type;
    wasm_bytes bytes;
    FILE *out;
    wasm_sites *sites;
    uint32_t offset; // of the instruction, in the code section
    char *stack;     // types
    uint32_t height, capacity;
    uint8_t *declared; // by depth: bits of the types that have a variable
    uint32_t deepest;
    frame *frames;
    uint32_t frame_count, frame_capacity;
    char *locals;
    uint32_t local_count;
    uint32_t labels;
    bool memory; // the local store's address is wanted
    FILE *polls; // which loops poll, as macros
} body;

static const char type_letters[] = "iIfFv";

const char *wasm_c_type(char type)
{
    switch (type) {
    case 'i': return "uint32_t";
    case 'I': return "uint64_t";
    case 'f': return "float";
    case 'F': return "double";
    case 'v': return "v128";
    default: return "void";
    }
}

static void fail(const body *b, const char *what)
{
    wasm_fail("function %s, offset 0x%x: %s", b->function->name, b->offset, what);
}

static frame *top(body *b)
{
    return &b->frames[b->frame_count - 1];
}
static bool dead(body *b)
{
    return top(b)->dead;
}

// ---- The operand stack ----

static void push(body *b, char type)
{
    if (!strchr(type_letters, type))
        fail(b, "a value of a type that SPE programs do not have");
    if (b->height == b->capacity) {
        const uint32_t capacity = b->capacity ? 2 * b->capacity : 64;
        b->stack = realloc(b->stack, capacity);
        b->declared = realloc(b->declared, capacity);
        if (!b->stack || !b->declared)
            wasm_fail("out of memory");
        memset(b->declared + b->capacity, 0, capacity - b->capacity);
        b->capacity = capacity;
    }
    b->declared[b->height] |= (uint8_t)(1u << (strchr(type_letters, type) - type_letters));
    b->stack[b->height++] = type;
    if (b->height > b->deepest)
        b->deepest = b->height;
}

static void pop(body *b, char type)
{
    if (b->height <= top(b)->height || b->stack[b->height - 1] != type)
        fail(b, "an operand has the wrong type");
    b->height--;
}

static char pop_any(body *b)
{
    if (b->height <= top(b)->height)
        fail(b, "an operand is missing");
    return b->stack[--b->height];
}

static void pop_all(body *b, const char *types)
{
    for (size_t i = strlen(types); i-- > 0;)
        pop(b, types[i]);
}

static void push_all(body *b, const char *types)
{
    for (; *types; types++)
        push(b, *types);
}

// The variable of the value at a depth.
#define VALUE "s%u%c"

static uint32_t site(body *b)
{
    const wasm_line *line = wasm_line_at(b->module, b->offset);
    const wasm_site here = {line ? line->file : 0, line ? line->line : 0,
                            (uint32_t)(b->function - b->module->functions)};
    wasm_sites *sites = b->sites;
    const wasm_site *last = &sites->site[sites->count - 1];
    if (last->file == here.file && last->line == here.line && last->function == here.function)
        return sites->count - 1;
    if ((sites->count & (sites->count - 1)) == 0) {
        sites->site = realloc(sites->site, 2 * sites->count * sizeof *sites->site);
        if (!sites->site)
            wasm_fail("out of memory");
    }
    sites->site[sites->count] = here;
    return sites->count++;
}

// The instruction stores or calls: no loop around it only waits for what others store.
static void note_work(body *b)
{
    for (uint32_t i = 0; i < b->frame_count; i++)
        b->frames[i].works = true;
}

static void note_local(body *b, uint32_t index, bool write)
{
    for (uint32_t i = 0; i < b->frame_count; i++) {
        uint8_t *locals = b->frames[i].locals;
        if (locals && write)
            locals[index] |= LOCAL_WRITTEN;
        else if (locals && !(locals[index] & LOCAL_WRITTEN))
            locals[index] |= LOCAL_READ_FIRST;
    }
}

// A loop that neither stores nor calls, and whose rounds hand nothing on to each other, ends only when somebody else
// stores.
static bool only_waits(const body *b, const frame *loop)
{
    for (uint32_t i = 0; i < b->local_count; i++)
        if (loop->locals[i] == (LOCAL_READ_FIRST | LOCAL_WRITTEN))
            return false;
    return !loop->works;
}

// ---- Control ----

static void open_frame(body *b, uint8_t opcode, const char *args, const char *results)
{
    if (b->frame_count == b->frame_capacity) {
        b->frame_capacity = b->frame_capacity ? 2 * b->frame_capacity : 16;
        b->frames = realloc(b->frames, b->frame_capacity * sizeof *b->frames);
        if (!b->frames)
            wasm_fail("out of memory");
    }
    const bool outer_dead = b->frame_count && dead(b);
    if (!outer_dead && b->frame_count)
        pop_all(b, args);
    b->frames[b->frame_count++] = (frame){.opcode = opcode,
                                          .label = b->labels++,
                                          .height = b->height,
                                          .args = args,
                                          .results = results,
                                          .dead = outer_dead,
                                          .outer_dead = outer_dead};
    if (!outer_dead)
        push_all(b, args);
    if (opcode == 3)
        top(b)->locals = wasm_allocate(b->local_count, 1);
}

static void block_type(body *b, const char **args, const char **results)
{
    const int64_t code = wasm_s64(&b->bytes);
    *args = *results = "";
    if (code == -64)
        return;
    if (code < 0) {
        static const char *const singles[] = {"i", "I", "f", "F", "v"};
        *results = singles[strchr(type_letters, wasm_value_type((uint8_t)(code & 0x7F))) - type_letters];
        return;
    }
    if (code >= b->module->type_count)
        fail(b, "a block's type does not exist");
    *args = b->module->types[code].args;
    *results = b->module->types[code].results;
}

// Moves the values on top of the stack to where the label's block wants them.
static void move_values(body *b, const char *types, uint32_t to)
{
    const uint32_t count = (uint32_t)strlen(types);
    if (b->height < top(b)->height + count)
        fail(b, "a branch lacks values");
    const uint32_t from = b->height - count;
    for (uint32_t i = 0; i < count; i++) {
        if (b->stack[from + i] != types[i])
            fail(b, "a branch has values of the wrong type");
        if (from != to) {
            // The variable at the target's depth may not have had this type yet.
            b->declared[to + i] |= (uint8_t)(1u << (strchr(type_letters, types[i]) - type_letters));
            fprintf(b->out, VALUE " = " VALUE "; ", to + i, types[i], from + i, types[i]);
        }
    }
}

static void branch(body *b, uint32_t depth)
{
    if (depth >= b->frame_count)
        fail(b, "a branch leads out of the function");
    frame *target = &b->frames[b->frame_count - 1 - depth];
    fprintf(b->out, "{ ");
    move_values(b, target->opcode == 3 ? target->args : target->results, target->height);
    fprintf(b->out, "goto L%u; }\n", target->label);
    target->used = true;
}

static void kill_rest(body *b)
{
    top(b)->dead = true;
    b->height = top(b)->height;
}

static void end_frame(body *b)
{
    frame f = *top(b);
    if (!f.dead) {
        move_values(b, f.results, f.height);
        if (b->height != f.height + strlen(f.results))
            fail(b, "values are left over at the end of a block");
    }
    if (f.opcode == 3 && !f.outer_dead)
        fprintf(b->polls, "#undef POLL%u\n#define POLL%u %s\n", f.label, f.label, only_waits(b, &f) ? "CELL_POLL" : "");
    free(f.locals);
    if (f.opcode >= 3 && !f.outer_dead)
        fprintf(b->out, "}\n");
    if (f.opcode != 3 && f.used)
        fprintf(b->out, "L%u:;\n", f.label);
    b->frame_count--;
    // Reached by running through, by a branch, or where the condition of an if without else is false: the results of
    // such an if are its parameters.
    const bool reached = !f.outer_dead && (!f.dead || (f.used && f.opcode != 3) || f.opcode == 4);
    if (!b->frame_count) {
        if (reached && *f.results)
            fprintf(b->out, "return s0%c;\n", *f.results);
        else if (!reached)
            fprintf(b->out, "__builtin_unreachable();\n");
        return;
    }
    b->height = f.height;
    if (reached)
        push_all(b, f.results);
    else if (!f.outer_dead)
        kill_rest(b);
}

static void begin_else(body *b)
{
    frame *f = top(b);
    if (f->opcode != 4)
        fail(b, "an else without if");
    if (!f->dead) {
        move_values(b, f->results, f->height);
        f->used = true; // running through the first branch reaches the end
        fprintf(b->out, "goto L%u;\n", f->label);
    }
    f->opcode = 5;
    f->dead = f->outer_dead;
    b->height = f->height;
    if (f->outer_dead)
        return;
    push_all(b, f->args);
    fprintf(b->out, "} else {\n");
}

static void branch_table(body *b)
{
    const uint32_t count = wasm_u32(&b->bytes);
    if (!dead(b)) {
        pop(b, 'i');
        fprintf(b->out, "switch (" VALUE ") {\n", b->height, 'i');
    }
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t depth = wasm_u32(&b->bytes);
        if (dead(b))
            continue;
        if (i < count)
            fprintf(b->out, "case %u: ", i);
        else
            fprintf(b->out, "default: ");
        branch(b, depth);
    }
    if (!dead(b)) {
        fprintf(b->out, "}\n");
        kill_rest(b);
    }
}

// ---- Calls ----

static void arguments(body *b, const char *types)
{
    pop_all(b, types);
    for (uint32_t i = 0; types[i]; i++)
        fprintf(b->out, ", " VALUE, b->height + i, types[i]);
}

static void result_of(body *b, const wasm_type *type)
{
    if (strlen(type->results) > 1)
        fail(b, "a function with several results");
    if (*type->results)
        fprintf(b->out, VALUE " = ", b->height - (uint32_t)strlen(type->args), *type->results);
}

static void call_import(body *b, const wasm_function *f)
{
    const wasm_type *type = &b->module->types[f->type];
    for (size_t i = 0; i < sizeof imports / sizeof *imports; i++) {
        if (strcmp(imports[i].module, f->module) != 0 || strcmp(imports[i].name, f->import) != 0)
            continue;
        const char result = *type->results ? *type->results : 'n';
        if (strcmp(imports[i].args, type->args) != 0 || imports[i].result != result)
            wasm_fail("%s.%s is declared with other types than the emulation has", f->module, f->import);
        result_of(b, type);
        fprintf(b->out, "s->spu.host->%s(&s->spu, %u", imports[i].field, site(b));
        arguments(b, type->args);
        fprintf(b->out, ");\n");
        push_all(b, type->results);
        return;
    }
    if (strcmp(f->module, "wasi_snapshot_preview1") != 0)
        wasm_fail("function %s is not defined (%s.%s)", f->import, f->module, f->import);
    pop_all(b, type->args);
    push_all(b, type->results);
    if (*type->results == 'i')
        fprintf(b->out, VALUE " = 52; /* %s: no such function */\n", b->height - 1, 'i', f->import);
}

static void note_call(wasm_sites *sites, uint32_t from, uint32_t to)
{
    for (uint32_t i = sites->call_count; i > 0 && sites->calls[i - 1].from == from; i--)
        if (sites->calls[i - 1].to == to)
            return;
    if ((sites->call_count & (sites->call_count - 1)) == 0) { // a power of two, or none
        const size_t capacity = sites->call_count ? 2 * (size_t)sites->call_count : 1;
        sites->calls = realloc(sites->calls, capacity * sizeof *sites->calls);
        if (!sites->calls)
            wasm_fail("out of memory");
    }
    sites->calls[sites->call_count++] = (wasm_call){from, to};
}

static void call(body *b)
{
    const uint32_t index = wasm_u32(&b->bytes);
    if (index >= b->module->function_count)
        fail(b, "a function that is called does not exist");
    if (dead(b))
        return;
    const wasm_function *f = &b->module->functions[index];
    const wasm_type *type = &b->module->types[f->type];
    note_work(b);
    note_call(b->sites, (uint32_t)(b->function - b->module->functions), index);
    if (f->import) {
        call_import(b, f);
        return;
    }
    result_of(b, type);
    fprintf(b->out, "f%u_%s(s", index, f->name);
    arguments(b, type->args);
    fprintf(b->out, ");\n");
    push_all(b, type->results);
}

// Types that are written alike are the same type.
static uint32_t canonical_type(const wasm_module *module, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(module->types[i].args, module->types[index].args) == 0 &&
            strcmp(module->types[i].results, module->types[index].results) == 0)
            return i;
    return index;
}

static void call_indirect(body *b)
{
    const uint32_t index = wasm_u32(&b->bytes);
    wasm_u32(&b->bytes); // the table
    if (index >= b->module->type_count)
        fail(b, "a function's type does not exist");
    if (dead(b))
        return;
    const wasm_type *type = &b->module->types[index];
    note_work(b);
    pop(b, 'i');
    const uint32_t pointer = b->height;
    fprintf(b->out,
            "if (CELL_UNLIKELY(" VALUE " >= TABLE || table[" VALUE "].type != %u + 1)) s->spu.host->trap(&s->spu, "
            "CELL_TRAP_CALL, %u, " VALUE ");\n",
            pointer, 'i', pointer, 'i', canonical_type(b->module, index), site(b), pointer, 'i');
    result_of(b, type);
    fprintf(b->out, "((%s (*)(instance *", *type->results ? wasm_c_type(*type->results) : "void");
    for (const char *a = type->args; *a; a++)
        fprintf(b->out, ", %s", wasm_c_type(*a));
    fprintf(b->out, "))table[" VALUE "].function)(s", pointer, 'i');
    arguments(b, type->args);
    fprintf(b->out, ");\n");
    push_all(b, type->results);
}

// ---- Other instructions ----

static void local(body *b, uint8_t opcode)
{
    const uint32_t index = wasm_u32(&b->bytes);
    if (index >= b->local_count)
        fail(b, "a local variable does not exist");
    if (dead(b))
        return;
    const char type = b->locals[index];
    note_local(b, index, opcode != 0x20);
    if (opcode == 0x20) {
        push(b, type);
        fprintf(b->out, VALUE " = l%u;\n", b->height - 1, type, index);
        return;
    }
    pop(b, type);
    fprintf(b->out, "l%u = " VALUE ";\n", index, b->height, type);
    if (opcode == 0x22)
        push(b, type);
}

static void global(body *b, uint8_t opcode)
{
    const uint32_t index = wasm_u32(&b->bytes);
    if (index >= b->module->global_count)
        fail(b, "a global variable does not exist");
    if (dead(b))
        return;
    const char type = b->module->globals[index].type;
    if (opcode == 0x23) {
        push(b, type);
        fprintf(b->out, VALUE " = s->g%u;\n", b->height - 1, type, index);
    } else {
        note_work(b);
        pop(b, type);
        fprintf(b->out, "s->g%u = " VALUE ";\n", index, b->height, type);
    }
}

static void select_value(body *b)
{
    if (dead(b))
        return;
    pop(b, 'i');
    const char type = pop_any(b);
    pop(b, type);
    push(b, type);
    const uint32_t at = b->height - 1;
    if (type == 'v')
        fprintf(b->out, "if (!" VALUE ") " VALUE " = " VALUE ";\n", at + 2, 'i', at, type, at + 1, type);
    else
        fprintf(b->out, VALUE " = " VALUE " ? " VALUE " : " VALUE ";\n", at, type, at + 2, 'i', at, type, at + 1, type);
}

static void constant(body *b, char type, uint64_t value)
{
    if (dead(b))
        return;
    push(b, type);
    const uint32_t at = b->height - 1;
    switch (type) {
    case 'i': fprintf(b->out, VALUE " = %" PRIu64 "u;\n", at, type, value); break;
    case 'I': fprintf(b->out, VALUE " = UINT64_C(%" PRIu64 ");\n", at, type, value); break;
    case 'f': fprintf(b->out, VALUE " = op_f32_reinterpret_i32(%" PRIu64 "u);\n", at, type, value); break;
    default: fprintf(b->out, VALUE " = op_f64_reinterpret_i64(UINT64_C(%" PRIu64 "));\n", at, type, value); break;
    }
}

static void vector_constant(body *b)
{
    uint32_t words[4];
    for (unsigned i = 0; i < 4; i++)
        words[i] = (uint32_t)wasm_fixed(&b->bytes, 4);
    if (dead(b))
        return;
    push(b, 'v');
    fprintf(b->out, VALUE " = (v128){%uu, %uu, %uu, %uu};\n", b->height - 1, 'v', words[0], words[1], words[2],
            words[3]);
}

static void shuffle(body *b)
{
    uint8_t lanes[16];
    for (unsigned i = 0; i < 16; i++) {
        lanes[i] = wasm_u8(&b->bytes);
        if (lanes[i] > 31)
            fail(b, "a shuffle of a lane that does not exist");
    }
    if (dead(b))
        return;
    pop_all(b, "vv");
    push(b, 'v');
    const uint32_t at = b->height - 1;
    fprintf(b->out, VALUE " = (v128)__builtin_shufflevector((cell_u8)" VALUE ", (cell_u8)" VALUE, at, 'v', at, 'v',
            at + 1, 'v');
    for (unsigned i = 0; i < 16; i++)
        fprintf(b->out, ", %u", lanes[i]);
    fprintf(b->out, ");\n");
}

static uint32_t lane_count(const char *name)
{
    const char *x = strchr(name, 'x');
    if (*name == 'i' || *name == 'f')
        return x ? (uint32_t)strtoul(x + 1, NULL, 10) : 1;
    return strstr(name, "64") ? 2 : strstr(name, "32") ? 4 : strstr(name, "16") ? 8 : 16;
}

static void operation(body *b, const op_facts *op)
{
    uint32_t offset = 0, lane = 0;
    const bool memory = op->kind >= OP_LOAD;
    if (memory) {
        wasm_u32(&b->bytes); // alignment: a promise that nobody needs
        offset = wasm_u32(&b->bytes);
        b->memory = true;
    }
    const bool lanes = op->kind == OP_LANE || op->kind == OP_LOAD_LANE || op->kind == OP_STORE_LANE;
    if (lanes && (lane = wasm_u8(&b->bytes)) >= lane_count(op->name + (memory ? strcspn(op->name, "_") + 1 : 0)))
        fail(b, "a lane does not exist");
    if (dead(b))
        return;
    if (op->kind == OP_STORE || op->kind == OP_STORE_LANE)
        note_work(b);
    const char store_args[] = {'i', op->result, 0};
    const char *args = op->kind == OP_STORE ? store_args : op->args;
    const char result = op->kind == OP_STORE ? 'n' : op->result;
    const uint32_t number = op->kind == OP_TRAP || memory ? site(b) : 0;
    pop_all(b, args);
    const uint32_t at = b->height;
    if (result != 'n') {
        push(b, result);
        fprintf(b->out, VALUE " = ", at, result);
    }
    fprintf(b->out, "op_%s(", op->name);
    if (memory)
        fprintf(b->out, "&s->spu, m, ");
    else if (op->kind == OP_TRAP)
        fprintf(b->out, "&s->spu, ");
    for (uint32_t i = 0; args[i]; i++)
        fprintf(b->out, "%s" VALUE, i ? ", " : "", at + i, args[i]);
    if (memory)
        fprintf(b->out, ", %u, %u", offset, number);
    else if (op->kind == OP_TRAP)
        fprintf(b->out, ", %u", number);
    if (lanes)
        fprintf(b->out, ", %u", lane);
    fprintf(b->out, ");\n");
}

static void bulk(body *b, uint32_t opcode)
{
    if (opcode != 10 && opcode != 11)
        fail(b, "an instruction that svm-spu-gcc's clang does not write");
    wasm_u8(&b->bytes);
    if (opcode == 10)
        wasm_u8(&b->bytes);
    if (dead(b))
        return;
    note_work(b);
    pop_all(b, "iii");
    b->memory = true;
    fprintf(b->out, "op_memory_%s(&s->spu, m, " VALUE ", " VALUE ", " VALUE ", %u);\n", opcode == 10 ? "copy" : "fill",
            b->height, 'i', b->height + 1, 'i', b->height + 2, 'i', site(b));
}

static void prefixed(body *b, uint8_t prefix)
{
    const uint32_t opcode = wasm_u32(&b->bytes);
    const op_facts *op = NULL;
    if (prefix == 0xFC && opcode < 8)
        op = &fc_ops[opcode];
    else if (prefix == 0xFD && opcode < 512)
        op = &vector_ops[opcode];
    if (prefix == 0xFC && !op)
        bulk(b, opcode);
    else if (prefix == 0xFD && opcode == 12)
        vector_constant(b);
    else if (prefix == 0xFD && opcode == 13)
        shuffle(b);
    else if (op && op->kind != OP_NONE)
        operation(b, op);
    else
        wasm_fail("function %s, offset 0x%x: instruction 0x%02x %u is not known", b->function->name, b->offset, prefix,
                  opcode);
}

static void instruction(body *b)
{
    b->offset = (uint32_t)(b->bytes.at - b->module->code);
    const uint8_t opcode = wasm_u8(&b->bytes);
    const char *args, *results;

    switch (opcode) {
    case 0x00:
        if (!dead(b)) {
            fprintf(b->out, "s->spu.host->trap(&s->spu, CELL_TRAP_UNREACHABLE, %u, 0);\n", site(b));
            kill_rest(b);
        }
        break;
    case 0x01: break;
    case 0x02:
        block_type(b, &args, &results);
        open_frame(b, opcode, args, results);
        break;
    case 0x03:
        block_type(b, &args, &results);
        open_frame(b, opcode, args, results);
        // What other SPEs and transfers store is seen: nothing of the local store is kept over the start of a loop.
        if (!dead(b))
            fprintf(b->out, "L%u: __asm__ volatile(\"\" ::: \"memory\"); { POLL%u\n", top(b)->label, top(b)->label);
        break;
    case 0x04:
        block_type(b, &args, &results);
        if (!dead(b)) {
            pop(b, 'i');
            fprintf(b->out, "if (" VALUE ") {\n", b->height, 'i');
        }
        open_frame(b, opcode, args, results);
        break;
    case 0x05: begin_else(b); break;
    case 0x0B: end_frame(b); break;
    case 0x0C: {
        const uint32_t depth = wasm_u32(&b->bytes);
        if (!dead(b)) {
            branch(b, depth);
            kill_rest(b);
        }
        break;
    }
    case 0x0D: {
        const uint32_t depth = wasm_u32(&b->bytes);
        if (!dead(b)) {
            pop(b, 'i');
            fprintf(b->out, "if (" VALUE ") ", b->height, 'i');
            branch(b, depth);
        }
        break;
    }
    case 0x0E: branch_table(b); break;
    case 0x0F:
        if (!dead(b)) {
            branch(b, b->frame_count - 1);
            kill_rest(b);
        }
        break;
    case 0x10: call(b); break;
    case 0x11: call_indirect(b); break;
    case 0x1A:
        if (!dead(b))
            pop_any(b);
        break;
    case 0x1C:
        for (uint32_t count = wasm_u32(&b->bytes); count; count--)
            wasm_u8(&b->bytes);
        select_value(b);
        break;
    case 0x1B: select_value(b); break;
    case 0x20:
    case 0x21:
    case 0x22: local(b, opcode); break;
    case 0x23:
    case 0x24: global(b, opcode); break;
    case 0x3F:
        wasm_u8(&b->bytes);
        constant(b, 'i', 4);
        break;
    case 0x40: // the local store does not grow
        wasm_u8(&b->bytes);
        if (!dead(b)) {
            pop(b, 'i');
            fprintf(b->out, VALUE " = " VALUE " ? UINT32_MAX : 4;\n", b->height, 'i', b->height, 'i');
            push(b, 'i');
        }
        break;
    case 0x41: constant(b, 'i', (uint32_t)wasm_s64(&b->bytes)); break;
    case 0x42: constant(b, 'I', (uint64_t)wasm_s64(&b->bytes)); break;
    case 0x43: constant(b, 'f', wasm_fixed(&b->bytes, 4)); break;
    case 0x44: constant(b, 'F', wasm_fixed(&b->bytes, 8)); break;
    case 0xFC:
    case 0xFD: prefixed(b, opcode); break;
    default:
        if (plain_ops[opcode].kind == OP_NONE)
            fail(b, "an instruction that svm-spu-gcc's clang does not write");
        operation(b, &plain_ops[opcode]);
    }
}

static void read_locals(body *b)
{
    const char *args = b->type->args;
    b->local_count = (uint32_t)strlen(args);
    b->locals = wasm_allocate(b->local_count + 1, 1);
    strcpy(b->locals, args);
    for (uint32_t groups = wasm_u32(&b->bytes); groups; groups--) {
        const uint32_t count = wasm_u32(&b->bytes);
        const char type = wasm_value_type(wasm_u8(&b->bytes));
        if (count > 50000 || b->local_count + count > 50000 || type == 'r')
            fail(b, "too many local variables");
        b->locals = realloc(b->locals, b->local_count + count + 1);
        if (!b->locals)
            wasm_fail("out of memory");
        memset(b->locals + b->local_count, type, count);
        b->local_count += count;
    }
}

void wasm_prototype(const wasm_module *module, uint32_t function, FILE *out)
{
    const wasm_type *type = &module->types[module->functions[function].type];
    fprintf(out, "static %s f%u_%s(instance *restrict s", *type->results ? wasm_c_type(*type->results) : "void",
            function, module->functions[function].name);
    for (uint32_t i = 0; type->args[i]; i++)
        fprintf(out, ", %s l%u", wasm_c_type(type->args[i]), i);
    fprintf(out, ")");
}

static void declare(const body *b, FILE *out)
{
    if (b->memory)
        fprintf(out, "uint8_t *const m = s->spu.ls;\n");
    fprintf(out, "uint32_t polls = CELL_POLLS;\n");
    for (uint32_t i = (uint32_t)strlen(b->type->args); i < b->local_count; i++)
        fprintf(out, "%s l%u = %s;\n", wasm_c_type(b->locals[i]), i, b->locals[i] == 'v' ? "{0}" : "0");
    for (uint32_t i = 0; i < b->deepest; i++)
        for (unsigned t = 0; type_letters[t]; t++)
            if (b->declared[i] >> t & 1)
                fprintf(out, "%s " VALUE "%s;\n", wasm_c_type(type_letters[t]), i, type_letters[t],
                        type_letters[t] == 'v' ? " = {0}" : " = 0");
    fprintf(
        out,
        "if (CELL_UNLIKELY((const char *)__builtin_frame_address(0) < s->spu.stack_limit)) s->spu.host->trap(&s->spu, "
        "CELL_TRAP_STACK, %u, 0);\n",
        0u);
}

void wasm_translate(const wasm_module *module, uint32_t function, FILE *out, wasm_sites *sites)
{
    char *text, *polls;
    size_t length, polls_length;
    body b = {.module = module, .function = &module->functions[function], .sites = sites};
    b.type = &module->types[b.function->type];
    b.bytes = b.function->body;
    b.offset = (uint32_t)(b.bytes.at - module->code);
    b.out = open_memstream(&text, &length);
    b.polls = open_memstream(&polls, &polls_length);
    if (!b.out || !b.polls)
        wasm_fail("out of memory");
    if (strlen(b.type->results) > 1)
        fail(&b, "a function with several results");
    read_locals(&b);
    open_frame(&b, 0, "", b.type->results);
    while (b.frame_count)
        instruction(&b);
    if (b.bytes.at != b.bytes.end)
        fail(&b, "bytes are left over");
    fclose(b.out);
    fclose(b.polls);
    fputs(polls, out);
    free(polls);
    wasm_prototype(module, function, out);
    fprintf(out, "\n{\n");
    declare(&b, out);
    fputs(text, out);
    fprintf(out, "}\n\n");
    free(text);
    free(b.stack);
    free(b.declared);
    free(b.frames);
    free(b.locals);
}
